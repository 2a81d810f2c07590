import { expect, test } from 'vitest';
import { EXIT, exitCodeOf } from '../../../src/cli/exit-codes.ts';

test('left-over work outranks rows for people', () => {
  expect(exitCodeOf({ workLeft: false, rowsForPeople: false })).toBe(0);
  expect(exitCodeOf({ workLeft: false, rowsForPeople: true })).toBe(3);
  expect(exitCodeOf({ workLeft: true, rowsForPeople: false })).toBe(4);
  expect(exitCodeOf({ workLeft: true, rowsForPeople: true })).toBe(4);
});

test('the exit codes are those that cron lines out there rely on', () => {
  expect(EXIT).toEqual({ done: 0, fault: 1, usage: 2, rowsForPeople: 3, workLeft: 4, locked: 5, interrupted: 130, terminated: 143 });
});
