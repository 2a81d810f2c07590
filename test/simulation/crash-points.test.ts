import { expect, test } from 'vitest';
import { enumerateCrashes, GOLDEN, sampleCrashPairs } from './crash-points.ts';

test.each(Object.entries(GOLDEN))('killed before and after every effect of a submission, nothing is lost or doubled: %s', async (_name, schedule) => {
  const { effects, failing } = await enumerateCrashes(schedule);
  expect(failing).toEqual([]);
  expect(effects).toBeGreaterThan(15);
});

test.each(Object.entries(GOLDEN))('killed in two runs in a row, at any two effects: %s', async (_name, schedule) => {
  const { failing } = await sampleCrashPairs(schedule, 60, '1');
  expect(failing).toEqual([]);
});
