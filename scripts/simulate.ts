/**
 * The simulation from the command line. Exit code 1 where something was lost, doubled, orphaned or left unsettled.
 *
 *   npx node scripts/simulate.ts --seeds 10000 [--from 1] [--threads 2] [--until-failing] [--json FILE]   a campaign
 *   npx node scripts/simulate.ts --postgres --seeds 1000                      the same with the ledger in a PostgreSQL server that it starts
 *   npx node scripts/simulate.ts --fleet --seeds 10000                       the same with several hosts, which are killed, frozen and cut off
 *   npx node scripts/simulate.ts --seed N                                    one schedule, with its story
 *   npx node scripts/simulate.ts --crashes [--pairs 0] [--json FILE]         a kill before and after every effect of a submission, and pairs of them
 *   npx node scripts/simulate.ts --settled 20000 [--json FILE]               how many orders in doubt two runs settle, at 2 % lost answers
 *   npx node scripts/simulate.ts --whole [--kills] [--json FILE]             the whole run over files; with a kill before and after every effect
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { stringifyExactJson } from '../src/contract/json.ts';
import { runCampaign } from '../test/simulation/campaign.ts';
import { enumerateCrashes, GOLDEN, sampleCrashPairs, type CrashReport } from '../test/simulation/crash-points.ts';
import { runFleet } from '../test/simulation/fleet.ts';
import { runSchedule } from '../test/simulation/run-schedule.ts';
import { scheduleOf } from '../test/simulation/schedule.ts';
import { settledShare } from '../test/simulation/settled-share.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    threads: { type: 'string' },
    'until-failing': { type: 'boolean', default: false },
    seed: { type: 'string' },
    fleet: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    crashes: { type: 'boolean', default: false },
    pairs: { type: 'string', default: '0' },
    settled: { type: 'string' },
    whole: { type: 'boolean', default: false },
    kills: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const SHOWN_MAX = 20;

if (values.seed !== undefined) await replay(values.seed);
else if (values.crashes) await crashes(Number(values.pairs));
else if (values.whole) await whole();
else if (values.settled !== undefined) await settled(Number(values.settled));
else await campaign();
if (values.postgres) process.exit(process.exitCode);

function finish(failing: readonly string[], report: object): void {
  for (const line of failing.slice(0, SHOWN_MAX)) print(line);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(report, null, 1));
  process.exitCode = failing.length === 0 ? 0 : 1;
}

async function replay(seed: string): Promise<void> {
  const schedule = scheduleOf(seed);
  print(stringifyExactJson(schedule, 1));
  const { violations, effects } = await (values.fleet ? runFleet(seed) : runSchedule(schedule));
  for (const [run, names] of effects.entries()) print(`run ${run + 1}: ${names.join(' | ')}`);
  print(violations.length === 0 ? 'nothing is wrong' : '');
  finish(violations, { seed, violations });
}

async function campaign(): Promise<void> {
  const threads = values.threads === undefined ? {} : { threads: Number(values.threads) };
  // Loading it makes every later exit code 0, so it is loaded only here.
  await using server = values.postgres
    ? await (await import('../test/support/postgres-server.ts')).startPostgres()
    : null;
  const report = await runCampaign(Number(values.from), Number(values.seeds), {
    ...threads,
    untilFailing: values['until-failing'],
    fleet: values.fleet,
    postgres: server?.url ?? null,
  });
  print(
    `${report.schedules} schedules, ${report.failing.length} failing, ${report.processorSeconds.toFixed(1)} s of processor time`,
  );
  print(
    Object.entries(report.counts)
      .map(([name, number]) => `${name} ${number}`)
      .join(' · '),
  );
  finish(
    report.failing.map(({ seed, violations }) => `seed ${seed}: ${violations.join('; ')}`),
    report,
  );
}

async function crashes(pairs: number): Promise<void> {
  const reports: Record<string, CrashReport> = {};
  for (const [name, schedule] of Object.entries(GOLDEN)) {
    reports[name] = await enumerateCrashes(schedule);
    if (pairs > 0)
      reports[`${name}, twice`] = await sampleCrashPairs(
        schedule,
        Math.ceil(pairs / Object.keys(GOLDEN).length),
        values.from,
      );
  }
  for (const [name, { effects, kills, failing }] of Object.entries(reports))
    print(`${name}: ${effects} effects, ${kills} kills, ${failing.length} failing`);
  finish(
    Object.entries(reports).flatMap(([name, { failing }]) =>
      failing.map(({ at, violations }) => `${name}, killed ${at}: ${violations.join('; ')}`),
    ),
    reports,
  );
}

async function settled(orders: number): Promise<void> {
  const share = await settledShare(orders);
  print(
    `${share.orders} orders, ${share.inDoubt} came into doubt, ${share.inDoubt - share.left} of them settled within two runs`,
  );
  finish(share.left > share.inDoubt / 1000 ? ['less than 99.9 % were settled'] : [], share);
}

async function whole(): Promise<void> {
  // It alone needs the rooms that read and write files.
  const { enumerateWholeRun } = await import('../test/simulation/whole-run.ts');
  const { effects, kills, failing } = await enumerateWholeRun(values.kills ? ['before', 'after'] : []);
  print(`whole run: ${effects} effects, ${kills} kills, ${failing.length} failing`);
  const told = failing.map(({ at, violations }) => `killed ${at}: ${violations.join('; ')}`);
  finish(told, { effects, kills, failing: told });
}
