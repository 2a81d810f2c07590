import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PROJECT_STATUSES, SERVICE_NAMES } from '../../../src/contract/document.ts';
import { StatusBoard, type TimedStatus } from '../../../src/sandbox/status-board.ts';

const status = fc.constantFrom(...PROJECT_STATUSES.slice(0, 4), 'closed out');
const serviceName = fc.constantFrom(...SERVICE_NAMES.slice(0, 3));
const course = fc
  .array(fc.record({ at: fc.nat(100), status }), { minLength: 1, maxLength: 5 })
  .map((moves) => moves.toSorted((a, b) => a.at - b.at));
const project = fc.record({ course, serviceName, bundled: fc.boolean() });
const override = fc.record({ place: fc.nat(400), status, bundled: fc.boolean() });
const wanted = fc.record({
  status: fc.option(status, { nil: undefined }),
  serviceName: fc.option(serviceName, { nil: undefined }),
  includeBundles: fc.boolean(),
});

/** What a course says at a time, found the plain way. */
function statusOf(moves: readonly TimedStatus[], now: number): string | undefined {
  return moves.findLast(({ at }, index) => index === 0 || at <= now)?.status;
}

test('a walk over the board finds what looking at every project finds, at any time, before and after statuses are set', () => {
  fc.assert(
    fc.property(
      fc.array(project, { maxLength: 400, size: 'max' }),
      fc.array(override, { maxLength: 20 }),
      wanted,
      fc.nat(100),
      fc.nat(400),
      (projects, overrides, query, now, from) => {
        const board = new StatusBoard();
        const held = projects.map((each) => ({ ...each }));
        for (const each of held) board.add(each.course, each.serviceName, each.bundled);
        for (const { place, status, bundled } of overrides) {
          const each = held[place];
          if (each === undefined) continue;
          each.course = [{ at: 0, status }];
          each.bundled = bundled;
          board.set(place, status);
          board.setBundled(place, bundled);
        }
        const found: number[] = [];
        for (
          let place = board.next(query, from, held.length, now);
          place < held.length;
          place = board.next(query, place + 1, held.length, now)
        )
          found.push(place);
        const expected = held.flatMap((each, place) => {
          const fits =
            place >= from &&
            (query.status === undefined || statusOf(each.course, now) === query.status) &&
            (query.serviceName === undefined || each.serviceName === query.serviceName) &&
            (query.includeBundles || !each.bundled);
          return fits ? [place] : [];
        });
        expect(found).toEqual(expected);
        for (const [place, each] of held.entries()) expect(board.statusAt(place, now)).toBe(statusOf(each.course, now));
      },
    ),
    { numRuns: 200 },
  );
});

test('a status that nobody ever had is found nowhere', () => {
  const board = new StatusBoard();
  board.add([{ at: 0, status: 'Project Created' }], '4-Point', false);
  expect(board.next({ status: 'Lost', includeBundles: true }, 0, 1, 5)).toBe(1);
});
