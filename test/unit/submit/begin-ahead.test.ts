import { expect, test } from 'vitest';
import { ExplainedError } from '../../../src/domain/errors.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { CreateOutcome } from '../../../src/service/outcome.ts';
import { createPacer, type Pacer } from '../../../src/service/pacer.ts';
import { newOrder, recordOrders } from '../../support/order-factory.ts';
import { clientThat, type LedgerBench, openLedgerBench, submitContext } from '../../support/run-bench.ts';
import type { SubmitContext } from '../../../src/submit/submit-run.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';

type Create = (number: number) => Promise<CreateOutcome> | CreateOutcome;

const created: Create = (number) => ({ kind: 'created', project: { id: String(1000 + number) } });

/** A run over orders 1, 2, 3 …, and what it did, in order. */
async function runOver(
  bench: LedgerBench,
  orders: number,
  create: Create,
  more: (calls: string[]) => Partial<SubmitContext> = () => ({}),
): Promise<{ calls: string[]; report: ReturnType<typeof submitOrders> }> {
  await recordOrders(
    bench.ledger,
    Array.from({ length: orders }, (_, index) => newOrder({ inspectionNumber: String(index + 1) })),
  );
  const calls: string[] = [];
  const client = clientThat({
    searchProjects: async () => ({ kind: 'ok', value: [] }),
    createProject: async ({ inspectionNumber }) => {
      calls.push(`send ${inspectionNumber}`);
      return create(Number(inspectionNumber));
    },
  });
  const parts = submitContext({ ...bench, client });
  return {
    calls,
    report: bench.clock.drive(submitOrders({ ...parts, ledger: spied(bench.ledger, calls), ...more(calls) })),
  };
}

/** Notes when an attempt or an outcome is asked for, and when it is on disk. */
function spied(ledger: Ledger, calls: string[]): Ledger {
  const noting = async (name: string, work: () => Promise<boolean>): Promise<boolean> => {
    calls.push(name);
    const took = await work();
    calls.push(`${name}: on disk`);
    return took;
  };
  return {
    ...ledger,
    beginAttempt: (id, attempt) => noting(`begin ${id}`, () => ledger.beginAttempt(id, attempt)),
    moveOrder: (order, from, move) =>
      noting(`${move.to} ${typeof order === 'number' ? order : order.id}`, () => ledger.moveOrder(order, from, move)),
  };
}

async function statesIn({ ledger }: LedgerBench, orders: number): Promise<unknown[]> {
  return Promise.all(
    Array.from({ length: orders }, async (_, index) => {
      const order = await ledger.order(index + 1);
      return [order?.state, order?.attempts];
    }),
  );
}

test('records outcome and next attempt together before the next request', async () => {
  await using bench = await openLedgerBench();
  const { calls, report } = await runOver(bench, 2, created);
  expect(await report).toMatchObject({ created: 2, stopped: null });
  expect(calls).toEqual([
    'begin 1',
    'begin 1: on disk',
    'send 1',
    'created 1',
    'begin 2',
    'created 1: on disk',
    'begin 2: on disk',
    'send 2',
    'created 2',
    'created 2: on disk',
  ]);
  expect((await bench.ledger.order(2))?.idBound).toBe('1001');
});

test('begins nothing after a bad answer until the pacer allows it', async () => {
  await using bench = await openLedgerBench();
  const { calls, report } = await runOver(bench, 2, (number) =>
    number === 1 ? { kind: 'unknown', reason: 'HTTP 504', status: 504, retryAfterMs: null } : created(number),
  );
  await report;
  expect(calls.indexOf('begin 2')).toBeGreaterThan(calls.indexOf('unresolved 1: on disk'));
});

test('takes back an attempt that cannot leave and begins again later', async () => {
  await using bench = await openLedgerBench();
  const { calls, report } = await runOver(bench, 2, created, (soFar) => {
    const { clock } = bench;
    const pacer = createPacer({ ...submitContext({ ...bench, client: clientThat({}) }), clock, maxConcurrency: 1 });
    const closing: Pacer = {
      ...pacer,
      get isFree() {
        return !soFar.includes('begin 2: on disk');
      },
    };
    return { pacer: closing };
  });
  expect(await report).toMatchObject({ created: 2, stopped: null });
  expect(calls.slice(calls.indexOf('begin 2: on disk'))).toEqual([
    'begin 2: on disk',
    'ready 2',
    'ready 2: on disk',
    'begin 2',
    'begin 2: on disk',
    'send 2',
    'created 2',
    'created 2: on disk',
  ]);
  expect(await statesIn(bench, 2)).toEqual([
    ['created', 1],
    ['created', 1],
  ]);
});

test('sends nothing after a stop while an attempt is being recorded', async () => {
  await using bench = await openLedgerBench();
  const stop = new AbortController();
  const { calls, report } = await runOver(bench, 3, created, (soFar) => {
    const ledger = spied(bench.ledger, soFar);
    return {
      signal: stop.signal,
      ledger: {
        ...ledger,
        moveOrder: async (...values: Parameters<Ledger['moveOrder']>) => {
          stop.abort(new Error('The run was asked to stop.'));
          return ledger.moveOrder(...values);
        },
      },
    };
  });
  expect(await report).toMatchObject({ created: 1, stopped: expect.stringContaining(' stop') });
  expect(calls.filter((call) => call.startsWith('send'))).toEqual(['send 1']);
  expect(await statesIn(bench, 3)).toEqual([
    ['created', 1],
    ['ready', 0],
    ['ready', 0],
  ]);
});

test.each([
  ['credentials are not accepted any more: nothing stays in doubt', 'usage', ['ready', 0]],
  ['the lock is lost: nothing is written any more', 'locked', ['submitting', 1]],
] as const)('ends with an attempt begun when %s', async (_name, kind, expected) => {
  await using bench = await openLedgerBench();
  let sendings = 0;
  const { report } = await runOver(bench, 2, created, () => {
    const beforeSend = async (): Promise<void> => {
      sendings += 1;
      if (sendings === 2) throw new ExplainedError('code-of-a-test', 'No more.', { kind });
    };
    return {
      pacer: createPacer({ ...submitContext({ ...bench, client: clientThat({}) }), maxConcurrency: 1, beforeSend }),
    };
  });
  await expect(report).rejects.toThrow('No more.');
  expect(await statesIn(bench, 2)).toEqual([['created', 1], expected]);
});
