import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { Concurrency, CubicRate } from '../../../src/service/pace.ts';

/** The time between a request at `at` and the next. The first one is taken for one that is 5 ms late. */
function intervalAt(rate: CubicRate, at: number): number {
  rate.reserve(at);
  return rate.reserve(at) + 5;
}

/** Accepts requests at these times, the first sent at 0. */
function accepting(rate: CubicRate, ...times: readonly number[]): CubicRate {
  rate.sent(0);
  for (const at of times) rate.accepted(at);
  return rate;
}

const every = (ms: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => ms * (index + 1));

describe('CubicRate', () => {
  test('has no limit before the first 429', () => {
    const rate = new CubicRate(0, null);
    expect([rate.isLimited, rate.everyMs, rate.learnt(0), intervalAt(rate, 0)]).toEqual([false, null, null, 5]);
  });

  test('begins below what an earlier run learned', () => {
    const rate = new CubicRate(0, 10);
    expect([rate.isLimited, rate.everyMs]).toEqual([true, 100]);
    expect(intervalAt(rate, 0)).toBeCloseTo(1000 / 7, -1);
  });

  test('is back at the ceiling when the curve is', () => {
    const seconds = Math.cbrt(3 / 0.4);
    expect(intervalAt(new CubicRate(0, 10), seconds * 1000)).toBeCloseTo(100, -1);
  });

  test('goes as far above the ceiling after twice that time', () => {
    const seconds = 2 * Math.cbrt(3 / 0.4);
    expect(intervalAt(new CubicRate(0, 10), seconds * 1000)).toBeCloseTo(1000 / 13, -1);
  });

  test('climbs more slowly at low rates', () => {
    const seconds = Math.cbrt(0.3 / (0.4 / 5));
    const rate = new CubicRate(0, 1);
    expect(intervalAt(rate, seconds * 1000)).toBeGreaterThan(980);
    expect(intervalAt(new CubicRate(0, 1), 2 * seconds * 1000)).toBeLessThan(900);
  });

  test('does not make up for missed turns', () => {
    const rate = new CubicRate(0, 10);
    rate.reserve(0);
    expect(rate.reserve(2_000)).toBe(0);
    expect(rate.reserve(2_000) + rate.reserve(2_000)).toBeGreaterThan(0);
  });

  test('lets nobody wait because a clock was set back', () => {
    const rate = new CubicRate(0, 10);
    for (let turn = 0; turn < 10; turn += 1) rate.reserve(100_000);
    expect(rate.reserve(50_000)).toBe(0);
  });

  test('takes the rate of the last eight answers as accepted', () => {
    const rate = accepting(new CubicRate(0, null), ...every(100, 10));
    rate.throttled(1000);
    expect(rate.everyMs).toBeCloseTo(700 / 8, 5);
  });

  test('counts few answers from the first request on', () => {
    const rate = accepting(new CubicRate(0, null), 500, 1000);
    rate.throttled(1000);
    expect(rate.everyMs).toBe(500);
  });

  test('assumes ten a second if nothing was ever taken', () => {
    const rate = new CubicRate(0, null);
    rate.throttled(0);
    expect(rate.everyMs).toBe(100);
  });

  test('begins a curve at each 429', () => {
    const rate = accepting(new CubicRate(0, null), ...every(125, 8));
    rate.throttled(1000);
    const ceiling = 1000 / (rate.everyMs ?? 0);
    expect(intervalAt(rate, 1000)).toBeCloseTo(1000 / (0.7 * ceiling), -1);
  });

  test('never rises because of a 429', () => {
    const rate = accepting(new CubicRate(0, 2), ...every(10, 8));
    rate.throttled(80);
    expect(rate.everyMs).toBeGreaterThanOrEqual(500);
  });

  test('counts pauses at the first 429', () => {
    const rate = accepting(new CubicRate(0, null), 1000, 2000, 3000);
    rate.reopened(3000, 2000);
    rate.throttled(4000);
    expect(rate.everyMs).toBeCloseTo(4000 / 3, 5);
  });

  test('lets the request after a pause wait for its turn', () => {
    const rate = new CubicRate(0, 10);
    rate.reopened(5000, 5000);
    expect(Math.round(rate.reserve(5000) / 10)).toBe(14);
  });

  test('learns the ceiling that the service asked for', () => {
    const rate = accepting(new CubicRate(0, null), ...every(1000, 8));
    rate.throttled(8000);
    for (const at of every(1, 8)) rate.accepted(8000 + at);
    expect(rate.learnt(8010)).toBeCloseTo(8 / 7, 5);
  });

  test.each([
    ['keeps a ceiling that was not left behind', every(100, 8), 1000, 5],
    ['keeps one that was left behind by exactly twice', every(100, 8), 900, 5],
    ['forgets one that was left far behind', every(100, 8), 800, null],
    ['keeps one as long as little was taken', every(1, 7), 8, 5],
  ])('%s', (_what, times, now, learnt) => {
    expect(accepting(new CubicRate(0, 5), ...times).learnt(now)).toBe(learnt);
  });
});

describe('Concurrency', () => {
  const begin = (now: number, max: number) => {
    const limit = pLimit(now);
    return { limit, concurrency: new Concurrency(limit, max) };
  };
  const feed = (concurrency: Concurrency, answers: number, latencyMs = 10): void => {
    for (let index = 0; index < answers; index += 1) concurrency.learn({ kind: 'ok' }, latencyMs, concurrency.cuts);
  };

  test.each([
    [1, 2],
    [3, 2],
    [4, 3],
    [6, 3],
    [7, 4],
    [60, 4],
  ])('after %i good answers is %i', (answers, expected) => {
    const { limit, concurrency } = begin(1, 4);
    feed(concurrency, answers);
    expect(limit.concurrency).toBe(expected);
  });

  test.each(['away', 'overloaded'] as const)('halves when the service is %s', (kind) => {
    const { limit, concurrency } = begin(8, 8);
    concurrency.learn({ kind, retryAfterMs: null }, 10, concurrency.cuts);
    expect([limit.concurrency, concurrency.learnt]).toEqual([4, 4]);
  });

  test('is cut once for all that was sent before', () => {
    const { limit, concurrency } = begin(8, 8);
    const before = concurrency.cuts;
    for (let index = 0; index < 3; index += 1) concurrency.learn({ kind: 'overloaded' }, 10, before);
    expect(limit.concurrency).toBe(4);
  });

  test('is cut again for what was sent after', () => {
    const { limit, concurrency } = begin(8, 8);
    for (let index = 0; index < 2; index += 1) concurrency.learn({ kind: 'overloaded' }, 10, concurrency.cuts);
    expect(limit.concurrency).toBe(2);
  });

  test('never falls below one', () => {
    const { limit, concurrency } = begin(1, 8);
    concurrency.learn({ kind: 'overloaded' }, 10, concurrency.cuts);
    expect(limit.concurrency).toBe(1);
  });

  test.each(['throttled', 'nothing'] as const)('does not change when the sign is %s', (kind) => {
    const { limit, concurrency } = begin(8, 8);
    concurrency.learn({ kind, retryAfterMs: null }, 10, concurrency.cuts);
    expect([limit.concurrency, concurrency.cuts, concurrency.learnt]).toEqual([8, 0, null]);
  });

  test('learns no limit while the service accepts everything', () => {
    expect(begin(8, 8).concurrency.learnt).toBeNull();
  });

  test('learns the concurrency that it has reached', () => {
    expect(begin(3, 8).concurrency.learnt).toBe(3);
  });

  test('learns its maximum if a failure came before', () => {
    const { concurrency } = begin(2, 2);
    concurrency.learn({ kind: 'overloaded' }, 10, concurrency.cuts);
    feed(concurrency, 20);
    expect(concurrency.learnt).toBe(2);
  });

  /** A service that usually answers in 200 ms, and then for two rounds as slowly as this. */
  const slowed = (latencyMs: number, usualMs = 200) => {
    const { limit, concurrency } = begin(8, 8);
    feed(concurrency, 16, usualMs);
    feed(concurrency, 32, latencyMs);
    return { limit, concurrency };
  };

  test.each([
    ['twice as slow and 200 ms slower', 400, 200, 6],
    ['not twice as slow', 399, 200, 8],
    ['not 200 ms slower', 290, 100, 8],
    ['200 ms slower and not twice as slow', 700, 500, 8],
  ])('is cut by a quarter if answers become %s', (_what, latencyMs, usualMs, expected) => {
    expect(slowed(latencyMs, usualMs).limit.concurrency).toBe(expected);
  });

  test('is not cut for a single slow round', () => {
    const { limit, concurrency } = begin(8, 8);
    feed(concurrency, 16, 200);
    feed(concurrency, 16, 900);
    feed(concurrency, 16, 200);
    expect(limit.concurrency).toBe(8);
  });

  test('is back if the cut did not make answers faster', () => {
    const { limit, concurrency } = slowed(900);
    feed(concurrency, 16, 900);
    feed(concurrency, 12, 900);
    expect(limit.concurrency).toBe(8);
  });

  test('climbs step by step if the cut made answers faster', () => {
    const { limit, concurrency } = slowed(900);
    feed(concurrency, 16, 900);
    feed(concurrency, 12, 300);
    expect(limit.concurrency).toBe(6);
    feed(concurrency, 30, 300);
    expect(limit.concurrency).toBe(8);
  });

  test('counts a cut for slow answers', () => {
    expect(slowed(900).concurrency.cuts).toBe(1);
  });
});
