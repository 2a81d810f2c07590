import { expect, test } from 'vitest';
import {
  EXIT,
  exitCodeOf,
  exitCodeOfFailure,
  exitCodeOfRun,
  noteStop,
  type RunOutcome,
} from '../../../src/night/exit-codes.ts';
import { ExplainedError } from '../../../src/domain/errors.ts';

test('exitCodeOf ranks work left over above news', () => {
  expect(exitCodeOf({ workLeft: false, news: false })).toBe(0);
  expect(exitCodeOf({ workLeft: false, news: true })).toBe(3);
  expect(exitCodeOf({ workLeft: true, news: false })).toBe(4);
  expect(exitCodeOf({ workLeft: true, news: true })).toBe(4);
});

test('EXIT keeps the exit codes that cron jobs rely on', () => {
  expect(EXIT).toEqual({ done: 0, fault: 1, usage: 2, news: 3, workLeft: 4, locked: 5, SIGINT: 130, SIGTERM: 143 });
});

test('exitCodeOfRun counts sendable orders and those another host sends as work', () => {
  const nothing: RunOutcome = {
    command: 'run',
    stoppedBy: null,
    faults: [],
    stopped: [],
    openUpdates: 0,
    orders: { submitting: 0, unresolved: 0, held: 0 },
    canSend: false,
    files: [],
    leftToFetch: 0,
    news: [],
    heldFiles: [],
  };
  expect(exitCodeOfRun(nothing)).toBe(0);
  expect(exitCodeOfRun({ ...nothing, canSend: true, orders: { ...nothing.orders, held: 1 } })).toBe(4);
  expect(exitCodeOfRun({ ...nothing, orders: { ...nothing.orders, submitting: 1 } })).toBe(4);
});

test('exitCodeOfFailure exits 5 without the lock, 4 for a lost place', () => {
  expect(
    (['locked', 'lost-place'] as const).map((kind) =>
      exitCodeOfFailure(new ExplainedError('code-of-a-test', 'no', { kind })),
    ),
  ).toEqual([5, 4]);
});

test("exitCodeOfFailure uses the signal's code only after a requested stop", () => {
  noteStop('SIGTERM');
  expect(exitCodeOfFailure(new ExplainedError('code-of-a-test', 'away', { kind: 'work-left' }))).toBe(143);
  noteStop(null);
  expect(exitCodeOfFailure(new ExplainedError('code-of-a-test', 'away', { kind: 'work-left' }))).toBe(4);
});
