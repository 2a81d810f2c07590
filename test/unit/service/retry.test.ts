import { describe, expect, test } from 'vitest';
import type { ReadOutcome } from '../../../src/service/outcome.ts';
import { repeatRead, RetryBudget, decideRetry } from '../../../src/service/retry.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const FAILED: ReadOutcome<string> = { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null };
const OK: ReadOutcome<string> = { kind: 'ok', value: 'read' };
const limits = { attemptsMax: 5, firstWaitMs: 1000, waitMsMin: 100, waitMsMax: 6000 };

/** How often something may be repeated before the budget says no. */
function repeatsLeft(budget: RetryBudget): number {
  let count = 0;
  while (budget.take()) count += 1;
  return count;
}

describe('RetryBudget', () => {
  test('it is enough for twenty repeats', () => {
    expect(repeatsLeft(new RetryBudget())).toBe(20);
  });

  test('answers never raise it above its start', () => {
    const budget = new RetryBudget();
    for (let count = 0; count < 1000; count += 1) budget.answered();
    expect(repeatsLeft(budget)).toBe(20);
  });

  test('five answers give back one repeat', () => {
    const budget = new RetryBudget();
    repeatsLeft(budget);
    for (let count = 0; count < 4; count += 1) budget.answered();
    expect(budget.take()).toBe(false);
    budget.answered();
    expect([budget.take(), budget.take()]).toEqual([true, false]);
  });
});

describe('repeatRead', () => {
  async function read(
    outcomes: readonly ReadOutcome<string>[],
    more: { retryBudget?: RetryBudget; deadline?: number } = {},
  ) {
    const clock = createVirtualClock();
    let asked = 0;
    const outcome = await clock.drive(
      repeatRead(async () => outcomes[Math.min(asked++, outcomes.length - 1)] ?? OK, {
        clock,
        sleep: clock.sleep,
        random: () => 1,
        ...more,
      }),
    );
    return { asked, outcome, slept: clock.slept };
  }

  test('an answer is given as it is', async () => {
    expect(await read([OK])).toMatchObject({ asked: 1, outcome: OK, slept: [] });
  });

  test('each wait is twice the one before, and the last outcome counts', async () => {
    expect(await read([FAILED])).toMatchObject({ asked: 5, outcome: FAILED, slept: [500, 1000, 2000, 4000] });
  });

  test('it ends with the first answer', async () => {
    expect(await read([FAILED, FAILED, OK])).toMatchObject({ asked: 3, outcome: OK, slept: [500, 1000] });
  });

  test('without a budget left it is sent once', async () => {
    const retryBudget = new RetryBudget();
    repeatsLeft(retryBudget);
    expect(await read([FAILED, OK], { retryBudget })).toMatchObject({ asked: 1, outcome: FAILED, slept: [] });
  });

  test('each repeat costs, and each answer gives back', async () => {
    const retryBudget = new RetryBudget();
    for (let time = 0; time < 5; time += 1) await read([FAILED, FAILED, OK], { retryBudget });
    // Each time two repeats cost ten, and the answer gives one back: 55 are left.
    expect(repeatsLeft(retryBudget)).toBe(11);
  });

  test('a read that would get the same answer is not repeated', async () => {
    expect(await read([{ ...FAILED, isFinal: true }, OK])).toMatchObject({ asked: 1, slept: [] });
  });

  test('nothing is begun after the deadline', async () => {
    const deadline = createVirtualClock().now() + 1400;
    expect(await read([FAILED], { deadline })).toMatchObject({ asked: 2, slept: [500] });
  });
});

describe('decideRetry', () => {
  const ask = (changes: Partial<Parameters<typeof decideRetry>[0]>) =>
    decideRetry({ attempt: 1, outcome: { kind: 'transient' }, now: 0, random: () => 1, limits, ...changes });

  test.each([
    ['unknown', /search/],
    ['created', /final/],
    ['refused', /final/],
  ] as const)('%s says why it is not repeated', (kind, reason) => {
    expect(ask({ outcome: { kind } })).toEqual({ kind: 'stop', reason: expect.stringMatching(reason) });
  });

  test('a requested wait grows by a tenth, at most three seconds', () => {
    expect(ask({ outcome: { kind: 'throttled', retryAfterMs: 20_000 } })).toEqual({ kind: 'wait', ms: 22_000 });
    expect(ask({ outcome: { kind: 'throttled', retryAfterMs: 100_000 } })).toEqual({ kind: 'wait', ms: 103_000 });
  });

  test('waits grow and vary as the limits say', () => {
    const slow = { ...limits, growth: 1.5, jitter: 0.2 };
    expect(ask({ attempt: 3, limits: slow, random: () => 0 })).toEqual({ kind: 'wait', ms: 1800 });
    expect(ask({ attempt: 3, limits: slow })).toEqual({ kind: 'wait', ms: 2250 });
  });

  test('no wait of our own is shorter than the least', () => {
    expect(ask({ limits: { ...limits, firstWaitMs: 10 } })).toEqual({ kind: 'wait', ms: 100 });
  });
});
