import { assert, bigInt, property, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { firstIndexAbove, nextEvidence, nextRequest } from '../../../src/collect/sweep.ts';

/** A full page of whole numbers reaches at least this far. */
const CLOSEST_REACH = 499n;

/** The requests of a sweep whose pages show as little as they can. */
function planSweep(ids: readonly string[]): readonly ReturnType<typeof nextRequest>[] {
  const asks = [];
  for (let index = 0; index < ids.length;) {
    const ask = nextRequest(ids, index, { reach: CLOSEST_REACH, lonePages: 0 });
    asks.push(ask);
    index = ask.kind === 'singly' ? index + 1 : firstIndexAbove(ids, index, BigInt(ask.startId) + CLOSEST_REACH);
  }
  return asks;
}

const idsFrom = (first: number, count: number, step = 1): readonly string[] =>
  Array.from({ length: count }, (_, index) => String(first + index * step));

test('nextRequest asks for a few projects singly, for more by page', () => {
  expect(planSweep([])).toEqual([]);
  expect(planSweep(['11', '12'])).toEqual([
    { kind: 'singly', id: '11' },
    { kind: 'singly', id: '12' },
  ]);
  expect(planSweep(['11', '12', '13'])).toEqual([{ kind: 'page', startId: '11', limit: 500 }]);
});

test('nextRequest needs 20 requests for 10,000 projects, whatever the gaps', () => {
  expect(planSweep(idsFrom(100_001, 10_000))).toHaveLength(20);
  expect(planSweep([...idsFrom(1, 5000), ...idsFrom(2_000_000_000, 5000)])).toHaveLength(20);
});

const anyIds = uniqueArray(bigInt({ min: 0n, max: 20_000n }), { maxLength: 200 }).map((ids) =>
  ids.toSorted((a, b) => (a < b ? -1 : 1)).map(String),
);

test('nextRequest reaches every project with no more requests than projects', () => {
  assert(
    property(anyIds, (ids) => {
      const plan = planSweep(ids);
      expect(plan.length).toBeLessThanOrEqual(ids.length);
      expect(plan.length).toBeGreaterThanOrEqual(Math.ceil(ids.length / 500));
      const reached = new Set(
        plan.flatMap((ask) =>
          ask.kind === 'singly'
            ? [ask.id]
            : ids.filter((id) => BigInt(id) >= BigInt(ask.startId) && BigInt(id) < BigInt(ask.startId) + 500n),
        ),
      );
      expect(reached.size).toBe(ids.length);
    }),
  );
});

test('nextRequest switches from pages to single requests where projects are sparse', () => {
  const ids = ['1000', '9000', '17000', '25000', '33000', '33001'];
  let evidence = { reach: 0n, lonePages: 0 };
  for (const id of ids.slice(0, 3)) evidence = nextEvidence(evidence, id, BigInt(id) + 600n, 1);
  expect(nextRequest(ids, 3, evidence)).toEqual({ kind: 'singly', id: '25000' });
  expect(nextRequest(ids, 4, evidence)).toMatchObject({ kind: 'page', startId: '33000' });
  expect(nextRequest(ids, 3, nextEvidence(evidence, '25000', 33_001n, 3))).toMatchObject({ kind: 'page' });
});

test('firstIndexAbove compares ids as numbers, also those beyond a double', () => {
  expect(firstIndexAbove(['9', '10', '9007199254740993'], 0, 10n)).toBe(2);
  expect(firstIndexAbove(['9007199254740992', '9007199254740993'], 0, 9007199254740992n)).toBe(1);
});
