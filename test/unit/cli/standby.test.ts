import { expect, test } from 'vitest';
import { runHasFinished } from '../../../src/night/standby.ts';
import type { RunOnRecord } from '../../../src/ledger/history.ts';

const HOUR = 60 * 60 * 1000;
const NOW = Date.UTC(2026, 2, 5, 2, 10);

const ran = (run: string, hoursAgo: number, exitCode: number | null, command = 'run'): RunOnRecord => ({
  run,
  command,
  startedAt: NOW - hoursAgo * HOUR,
  finishedAt: exitCode === null ? null : NOW,
  exitCode,
});

test.each([
  [0, true],
  [1, false],
  [2, true],
  [3, true],
  [4, false],
  [5, false],
  [130, true],
  [143, true],
  [null, false],
])('runHasFinished after exit code %s: %s', (exitCode, whole) => {
  expect(runHasFinished([ran('later', 0, 0, 'collect'), ran('seen', 2, exitCode)], 'seen', NOW)).toBe(whole);
  expect(runHasFinished([ran('latest', 0.1, exitCode), ran('before', 2, 0)], null, NOW)).toBe(whole);
});

test('runHasFinished ignores manual commands and is false without a run tonight', () => {
  for (const command of ['cancel', 'submit', 'collect'])
    expect(runHasFinished([ran('by hand', 0.1, 0, command), ran('last night', 24, 0)], null, NOW)).toBe(false);
  expect(runHasFinished([], null, NOW)).toBe(false);
});

test('runHasFinished is false for a run seen but not on record', () => {
  expect(runHasFinished([ran('another', 0.1, 0)], 'seen', NOW)).toBe(false);
});

test('runHasFinished counts a run of the last six hours as tonight’s', () => {
  expect([5.9, 6].map((hours) => runHasFinished([ran('one', hours, 0)], null, NOW))).toEqual([true, false]);
});
