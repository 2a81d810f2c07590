import { expect, test } from 'vitest';
import { runCampaign, runShare } from '../../simulation/campaign.ts';
import { CREATE_FAULTS, READ_FAULTS } from '../../simulation/faults.ts';

test('runCampaign finds no violation in 10,000 schedules, under every fault', { timeout: 900_000 }, async () => {
  const { schedules, failing, counts } = await runCampaign(1, 10_000);
  // `node scripts/simulate.ts --seed N` shows one of them; add it to regression-seeds.json.
  expect(failing.slice(0, 5)).toEqual([]);
  expect(schedules).toBe(10_000);
  const bites = [...CREATE_FAULTS.map((kind) => `create: ${kind}`), ...READ_FAULTS.map((kind) => `read: ${kind}`)];
  const outcomes = [
    'created',
    'adopted',
    'orders linked',
    'orders skipped',
    'orders refused',
    'orders held',
    'rejected rows',
    'repeated rows',
    'came into doubt',
    'crashes',
  ];
  const happened = [...bites, ...outcomes, 'sent again after the quarantine'];
  expect(happened.filter((name) => (counts[name] ?? 0) < 20)).toEqual([]);
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

test('runShare finds no violation in 50 schedules with several hosts', { timeout: 900_000 }, async () => {
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
