import { expect, test } from 'vitest';
import type { OrderMove } from '../../../src/ledger/orders.ts';
import { projectTie } from '../../support/order-factory.ts';
import { SendingBreakers, type ReleaseReason } from '../../../src/submit/submit-run.ts';

const LIMITS = { unresolvedMax: 3, awayMax: 4, throttledMax: 5, sameRefusalMax: 3 };

const created: OrderMove = { to: 'created', project: projectTie('11'), adopted: false };
const unresolved: OrderMove = { to: 'unresolved', code: 'outcome-unknown', reason: 'HTTP 504', uncertainSince: 0 };
const ready: OrderMove = { to: 'ready', code: 'not-sent', reason: 'given back', attemptUsed: false };
const refused = (reason: string): OrderMove => ({ to: 'refused', code: 'service-refused', reason });
const times = (count: number, move: OrderMove): readonly OrderMove[] => Array.from({ length: count }, () => move);

/** After which move, counted from 1, sending stops, and why. */
function stopAfter(moves: readonly OrderMove[], givenBack: ReleaseReason = null): readonly [number, string] | null {
  const breakers = new SendingBreakers(LIMITS);
  for (const [index, move] of moves.entries()) {
    const reason = breakers.afterMove(move, move.to === 'ready' ? givenBack : null);
    if (reason !== null) return [index + 1, reason];
  }
  return null;
}

test('stops the run after repeated unknown outcomes and names the last', () => {
  expect(stopAfter(times(9, unresolved))).toEqual([3, expect.stringContaining('HTTP 504')]);
});

test('continues if an order is created in between', () => {
  expect(stopAfter([unresolved, unresolved, created, unresolved, unresolved])).toBeNull();
  expect(stopAfter([...times(3, ready), created, ...times(3, ready)], 'away')).toBeNull();
  expect(stopAfter([...times(4, ready), created, ...times(4, ready)], 'throttled')).toBeNull();
});

test('stops the run after a repeated refusal, not after different ones', () => {
  expect(stopAfter(times(9, refused('no')))).toEqual([3, expect.stringContaining('no')]);
  expect(stopAfter([...times(2, refused('no')), refused('never'), ...times(2, refused('no'))])).toBeNull();
  expect(stopAfter([...times(2, refused('no')), created, ...times(2, refused('no'))])).toBeNull();
});

test('stops the run if the service is unreachable or only throttles', () => {
  expect(stopAfter(times(9, ready), 'away')).toEqual([4, expect.stringContaining('unavailable')]);
  expect(stopAfter(times(9, ready), 'throttled')).toEqual([5, expect.stringContaining('slower pace')]);
});

test('ignores an order that is sent again for another reason', () => {
  expect(stopAfter(times(9, ready), null)).toBeNull();
});
