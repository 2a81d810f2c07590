import { expect, test } from 'vitest';
import { added, runCampaign, runShare, type Share } from '../../simulation/campaign.ts';
import { CREATE_FAULTS, READ_FAULTS } from '../../simulation/faults.ts';
import { inProof, PROOF_DAY } from '../../support/proof-size.ts';

/** What must happen so often among them: the rarest faults bite twice in a hundred schedules. */
const OFTEN = inProof({ share: 5, whole: 20 });
/** The first seeds, which catch most planted bugs (scripts/mutants), and others each day. The soak runs a million. */
const FIRST = inProof({ share: 400, whole: 10_000 });
const OF_THE_DAY = inProof({ share: 100, whole: 0 });
const FROM = 10_001 + (PROOF_DAY % 1_200) * OF_THE_DAY;

const ofSeeds = (from: number, count: number): Share => ({
  from,
  end: from + count,
  step: 1,
  untilFailing: false,
  fleet: false,
});

test('runCampaign finds no violation in many schedules, under every fault', { timeout: 900_000 }, async () => {
  // A share runs here: a thread would read all sources again.
  const { schedules, failing, counts } = await inProof({
    share: async () => added([await runShare(ofSeeds(1, FIRST)), await runShare(ofSeeds(FROM, OF_THE_DAY))]),
    whole: async () => runCampaign(1, FIRST),
  })();
  // `npx node scripts/simulate.ts --seed N` shows one of them; add it to regression-seeds.json.
  expect(failing.slice(0, 5)).toEqual([]);
  expect(schedules).toBe(FIRST + OF_THE_DAY);
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
  expect(happened.filter((name) => (counts[name] ?? 0) < OFTEN)).toEqual([]);
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

test('runShare finds no violation in 80 schedules with several hosts', { timeout: 900_000 }, async () => {
  // The hosts are killed, frozen and cut off.
  const { schedules, failing, counts } = await runShare({
    from: 1,
    end: 81,
    step: 1,
    untilFailing: false,
    fleet: true,
  });
  // `npx node scripts/simulate.ts --fleet --seed N` shows one of them.
  expect(failing.slice(0, 5)).toEqual([]);
  expect(schedules).toBe(80);
  expect(STRUCK.filter((what) => (counts[what] ?? 0) < 3)).toEqual([]);
});
