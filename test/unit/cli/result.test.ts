import { expect, test } from 'vitest';
import { EXIT, exitCodeOf } from '../../../src/cli/exit-codes.ts';

test('left-over work outranks news', () => {
  expect(exitCodeOf({ workLeft: false, news: false })).toBe(0);
  expect(exitCodeOf({ workLeft: false, news: true })).toBe(3);
  expect(exitCodeOf({ workLeft: true, news: false })).toBe(4);
  expect(exitCodeOf({ workLeft: true, news: true })).toBe(4);
});

test('the exit codes are those that cron lines out there rely on', () => {
  expect(EXIT).toEqual({ done: 0, fault: 1, usage: 2, news: 3, workLeft: 4, locked: 5, SIGINT: 130, SIGTERM: 143 });
});
