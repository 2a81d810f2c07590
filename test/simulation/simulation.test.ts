import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runShare } from './campaign.ts';
import { runSchedule } from './run-schedule.ts';
import { scheduleOf } from './schedule.ts';

const seeds = JSON.parse(readFileSync(new URL('./regression-seeds.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;

test.each(Object.entries(seeds))('runSchedule finds no violation for seed %s, which failed once: %s', async (seed) => {
  expect((await runSchedule(scheduleOf(seed))).violations).toEqual([]);
});

test('runSchedule ends the same way for the same seed', async () => {
  for (const seed of ['7', '11', '19']) {
    const [one, other] = [await runSchedule(scheduleOf(seed)), await runSchedule(scheduleOf(seed))];
    expect(other).toEqual(one);
  }
});

test('runShare finds no violation in 100 schedules of faults and crashes', async () => {
  const { schedules, failing } = await runShare({ from: 1, end: 101, step: 1, untilFailing: false, fleet: false });
  // `node scripts/simulate.ts --seed N` shows one of them; add it to regression-seeds.json.
  expect(failing.slice(0, 5)).toEqual([]);
  expect(schedules).toBe(100);
});

const STRUCK = [
  'hosts killed',
  'hosts frozen',
  'hosts cut off',
  'orders of hosts that were given up',
  'pages given out twice',
  'writes that failed',
  'writes whose answer was cut off',
  'adopted',
  'failovers',
  'recoveries',
];

test('runShare finds no violation in 50 schedules with several hosts', async () => {
  // The hosts are killed, frozen and cut off.
  const { schedules, failing, counts } = await runShare({
    from: 1,
    end: 51,
    step: 1,
    untilFailing: false,
    fleet: true,
  });
  // `node scripts/simulate.ts --fleet --seed N` shows one of them.
  expect(failing.slice(0, 5)).toEqual([]);
  expect(schedules).toBe(50);
  expect(STRUCK.filter((what) => (counts[what] ?? 0) < 3)).toEqual([]);
});
