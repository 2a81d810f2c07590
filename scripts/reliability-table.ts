/**
 * Writes docs/measured/proofs.md from docs/measured/*.json, which the commands in its table wrote:
 * `npx node scripts/reliability-table.ts`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const MEASURED = join(import.meta.dirname, '../docs/measured');
const PAGE = join(MEASURED, 'proofs.md');

const campaign = z.object({
  schedules: z.number(),
  failing: z.array(z.unknown()),
  counts: z.record(z.string(), z.number()),
  processorSeconds: z.number(),
});
const crashes = z.record(
  z.string(),
  z.object({ effects: z.number(), kills: z.number(), failing: z.array(z.unknown()) }),
);
const whole = z.object({ effects: z.number(), kills: z.number(), failing: z.array(z.unknown()) });
const settled = z.object({ orders: z.number(), inDoubt: z.number(), left: z.number() });
const mutants = z.object({ planted: z.number(), caught: z.number(), antiProtocols: z.array(z.string()) });
const soak = z.object({
  kills: z.number(),
  orders: z.number(),
  projects: z.number(),
  doubled: z.number(),
  adopted: z.number(),
  runs: z.number(),
  seconds: z.number(),
  wrong: z.array(z.string()),
});

interface Row {
  readonly proof: string;
  readonly wanted: string;
  /** Of the size that was run. */
  readonly command: string;
  readonly printed: string;
}

/** No rows for a file that nobody has measured yet. */
function measuredRow<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  proof: string,
  wanted: string,
  result: (measured: z.infer<Schema>) => Pick<Row, 'command' | 'printed'>,
): readonly Row[] {
  const path = join(MEASURED, file);
  if (!existsSync(path)) return [];
  return [{ proof, wanted, ...result(schema.parse(JSON.parse(readFileSync(path, 'utf8')))) }];
}

const number = (value: number): string => value.toLocaleString('en-US');
const printedSoak = ({ kills, orders, projects, doubled, adopted, seconds, wrong }: z.infer<typeof soak>): string =>
  `${number(kills)} kills: ${number(orders)} orders, ${number(projects)} projects, ${doubled} doubled, ${number(adopted)} adopted, ${wrong.length} wrong, in ${number(seconds)} s`;

function schedulesOn(file: string, option: string, proof: string): readonly Row[] {
  return measuredRow(
    file,
    campaign,
    proof,
    '0 lost, 0 doubled, 0 orphaned',
    ({ schedules, failing, counts, processorSeconds }) => {
      const count = (name: string): string => number(counts[name] ?? 0);
      return {
        command: `npx node scripts/simulate.ts ${option}--seeds ${schedules} --json docs/measured/${file}`,
        printed: `${number(schedules)} schedules, ${failing.length} failing, ${processorSeconds.toFixed(0)} s of processor time; ${count('attempted')} creates sent, ${count('created')} projects, ${count('adopted')} adopted, ${count('came into doubt')} doubts, ${count('crashes')} crashes; ${count('lost')} lost, ${count('doubled')} doubled, ${count('orphaned')} orphaned`,
      };
    },
  );
}

const rows: readonly Row[] = [
  ...schedulesOn('campaign.json', '', 'seeded schedules of faults and crashes'),
  ...schedulesOn('postgres.json', '--postgres ', 'the same with the ledger on PostgreSQL'),
  ...measuredRow(
    'fleet.json',
    campaign,
    'the same with several hosts, which are killed, frozen and cut off from the database',
    '0 lost, 0 doubled',
    ({ schedules, failing, counts }) => {
      const count = (name: string): string => number(counts[name] ?? 0);
      return {
        command: `npx node scripts/simulate.ts --fleet --seeds ${schedules} --json docs/measured/fleet.json`,
        printed: `${number(schedules)} schedules, ${failing.length} failing; ${count('hosts killed')} hosts killed, ${count('hosts frozen')} frozen, ${count('hosts cut off')} cut off, ${count('orders of hosts that were given up')} orders taken over; ${count('created')} projects, ${count('lost')} lost, ${count('doubled')} doubled`,
      };
    },
  ),
  ...measuredRow(
    'crashes.json',
    crashes,
    'crash points of a submission, and pairs of them',
    'every effect, before and after: 0 failing',
    (reports) => {
      const all = Object.entries(reports);
      const sum = (twice: boolean, of: 'effects' | 'kills'): number =>
        all.filter(([name]) => name.endsWith('twice') === twice).reduce((total, [, report]) => total + report[of], 0);
      const pairs = sum(true, 'kills') / 2;
      return {
        command: `npx node scripts/simulate.ts --crashes --pairs ${pairs} --json docs/measured/crashes.json`,
        printed: `${sum(false, 'effects')} effects in ${all.filter(([name]) => !name.endsWith('twice')).length} situations, ${sum(false, 'kills')} kills, ${number(pairs)} pairs, ${all.reduce((total, [, { failing }]) => total + failing.length, 0)} failing`,
      };
    },
  ),
  ...measuredRow(
    'whole.json',
    whole,
    'crash points of the whole run over files; power cuts',
    'every effect, before and after: 0 failing',
    ({ effects, kills, failing }) => ({
      command: 'npx node scripts/simulate.ts --whole --kills --json docs/measured/whole.json',
      printed: `${effects} effects, ${kills} kills, ${failing.length} failing`,
    }),
  ),
  ...measuredRow('soak-kills.json', soak, 'the built command, killed by SIGKILL', '0 doubled, 0 wrong', (measured) => ({
    command: `npx node scripts/soak.ts kills --count ${measured.kills} > docs/measured/soak-kills.json`,
    printed: printedSoak(measured),
  })),
  ...measuredRow(
    'soak-orders.json',
    soak,
    'many orders, 50 ms latency, 30 % commit-then-504, killed on the way',
    'as many projects as orders',
    (measured) => ({
      command: `npx node scripts/soak.ts orders --count ${measured.orders} --kills ${measured.kills} > docs/measured/soak-orders.json`,
      printed: printedSoak(measured),
    }),
  ),
  ...measuredRow(
    'mutants.json',
    mutants,
    'planted bugs caught',
    'all, the seven anti-protocols among them',
    ({ planted, caught, antiProtocols }) => ({
      command: 'npx node scripts/mutants/run-mutants.ts --json docs/measured/mutants.json',
      printed: `${caught} of ${planted} caught; the seven: ${antiProtocols.join(', ')}`,
    }),
  ),
  ...measuredRow(
    'settled.json',
    settled,
    'settled without a person, at 2 % 504s',
    '≥ 99.9 % within two runs',
    ({ orders, inDoubt, left }) => ({
      command: `npx node scripts/simulate.ts --settled ${orders} --json docs/measured/settled.json`,
      printed: `${number(orders)} orders, ${number(inDoubt)} in doubt, ${number(inDoubt - left)} settled (${(100 * (1 - left / inDoubt)).toFixed(2)} %)`,
    }),
  ),
];

const lines = [
  '# Results of the proofs',
  '',
  'Written by `npx node scripts/reliability-table.ts` from the files next to it. Each command prints the result in its row again.',
  '',
  '| proof | wanted | command | result |',
  '|---|---|---|---|',
  ...rows.map(({ proof, wanted, command, printed }) => `| ${proof} | ${wanted} | \`${command}\` | ${printed} |`),
  '',
];
writeFileSync(PAGE, lines.join('\n'));
