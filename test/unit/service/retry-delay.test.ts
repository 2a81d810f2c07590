import { describe, expect, test } from 'vitest';
import { VIRTUAL_START_MS as NOW } from '../../support/virtual-clock.ts';
import { type RetryLimits, decideRetry } from '../../../src/service/retry.ts';
import { readRetryAfter } from '../../../src/service/outcome.ts';

const limits: RetryLimits = { attemptsMax: 5, firstWaitMs: 1000, waitMsMin: 100, waitMsMax: 6000 };
const HOUR = 3_600_000;

describe('decideRetry', () => {
  test.each([
    ['absent', undefined, null],
    ['empty', '', null],
    ['seconds', '120', 120_000],
    ['no time at all becomes a second', '0', 1000],
    ['a day becomes an hour', '86400', HOUR],
    ['digits without end become an hour', '9'.repeat(400), HOUR],
    ['a fraction of a second is rounded up', ' 2.5 ', 2500],
    ['a date', 'Thu, 05 Mar 2026 08:00:30 GMT', 30_000],
    ['a date that is over becomes a second', 'Thu, 05 Mar 2026 07:00:00 GMT', 1000],
    ['a date far away becomes an hour', 'Fri, 05 Mar 2027 08:00:00 GMT', HOUR],
    ['the old form of date', 'Thursday, 05-Mar-26 08:01:00 GMT', 60_000],
    ['the form of asctime is UTC', 'Thu Mar  5 08:01:00 2026', 60_000],
    ['a negative number is no wait', '-5', null],
    ['words', 'soon', null],
    ['a bare year is no date', '2026-03-05', null],
  ])('Retry-After, %s', (_name, header, ms) => {
    expect(readRetryAfter(header, NOW)).toBe(ms);
  });

  test.each([
    // kind, attempt, Retry-After, random, wait
    ['transient', 1, null, 0, 100],
    ['transient', 1, null, 0.5, 550],
    ['transient', 2, null, 0.5, 1050],
    ['transient', 3, null, 0.5, 2050],
    ['transient', 4, null, 0.5, 3050],
    ['throttled', 1, null, 0.5, 550],
    ['not-sent', 1, null, 0.5, 550],
    ['throttled', 1, 30_000, 0, 30_000],
    ['throttled', 4, 30_000, 0.5, 31_500],
    ['throttled', 1, 5, 0, 1000],
    ['throttled', 1, 2 * HOUR, 0.9, HOUR],
  ] as const)(
    '%s after attempt %i, Retry-After %s, random %f: waits %i ms',
    (kind, attempt, retryAfterMs, random, ms) => {
      expect(decideRetry({ attempt, outcome: { kind, retryAfterMs }, now: NOW, random: () => random, limits })).toEqual(
        {
          kind: 'wait',
          ms,
        },
      );
    },
  );

  test.each(['unknown', 'created', 'duplicate', 'refused', 'stop', 'ok', 'not-found'] as const)(
    '%s is never repeated',
    (kind) => {
      expect(
        decideRetry({ attempt: 1, outcome: { kind, retryAfterMs: 1000 }, now: NOW, random: () => 0, limits }).kind,
      ).toBe('stop');
    },
  );

  test('stops after the last attempt or at the deadline', () => {
    const outcome = { kind: 'throttled', retryAfterMs: 10_000 } as const;
    const ask = (attempt: number, deadline: number): string =>
      decideRetry({ attempt, outcome, now: NOW, random: () => 0, limits, deadline }).kind;
    expect(ask(4, NOW + 10_001)).toBe('wait');
    expect(ask(5, NOW + 10_001)).toBe('stop');
    expect(ask(4, NOW + 10_000)).toBe('stop');
  });
});
