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

test('left-over work outranks news', () => {
  expect(exitCodeOf({ workLeft: false, news: false })).toBe(0);
  expect(exitCodeOf({ workLeft: false, news: true })).toBe(3);
  expect(exitCodeOf({ workLeft: true, news: false })).toBe(4);
  expect(exitCodeOf({ workLeft: true, news: true })).toBe(4);
});

test('the exit codes are those that cron lines out there rely on', () => {
  expect(EXIT).toEqual({ done: 0, fault: 1, usage: 2, news: 3, workLeft: 4, locked: 5, SIGINT: 130, SIGTERM: 143 });
});

test('orders that another host is still sending, and those that can be sent, are work left over', () => {
  const nothing: RunOutcome = {
    command: 'run',
    stoppedBy: null,
    faults: [],
    endedEarly: [],
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

test('a run that could not get the lock is nobody’s concern; one that lost its place is to be run again', () => {
  expect(
    (['locked', 'lost-place'] as const).map((kind) =>
      exitCodeOfFailure(new ExplainedError('code-of-a-test', 'no', { kind })),
    ),
  ).toEqual([5, 4]);
});

test('what fails after the process was asked to stop ends with the code of the signal; a failure of a command that begins afterwards does not', () => {
  noteStop('SIGTERM');
  expect(exitCodeOfFailure(new ExplainedError('code-of-a-test', 'away', { kind: 'work-left' }))).toBe(143);
  noteStop(null);
  expect(exitCodeOfFailure(new ExplainedError('code-of-a-test', 'away', { kind: 'work-left' }))).toBe(4);
});
