/**
 * Writes the table of proofs into docs/reliability.md from what the campaigns counted:
 * `node scripts/reliability-table.ts` reads docs/measured/*.json, which the commands in the table wrote with `--json`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const DOCS = join(import.meta.dirname, '../docs');
const PAGE = join(DOCS, 'reliability.md');
const BEGIN = '<!-- The table of proofs: written by scripts/reliability-table.ts. -->';
const END = '<!-- End of the table. -->';

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

/** What a file of measurements says in words; a dash where nobody has measured it yet. */
function said<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  words: (measured: z.infer<Schema>) => string,
): string {
  const path = join(DOCS, 'measured', file);
  return existsSync(path) ? words(schema.parse(JSON.parse(readFileSync(path, 'utf8')))) : '–';
}

const number = (value: number): string => value.toLocaleString('en-US');
const soakWords = ({ kills, orders, projects, doubled, adopted, seconds, wrong }: z.infer<typeof soak>): string =>
  `${number(kills)} kills: ${number(orders)} orders, ${number(projects)} projects, ${doubled} doubled, ${number(adopted)} adopted, ${wrong.length} wrong, in ${number(seconds)} s`;

const rows: readonly (readonly [goal: string, number: string, command: string, printed: string])[] = [
  [
    'seeded schedules of faults and crashes',
    '10,000 in ≤ 120 s on 2 cores: 0 lost, 0 doubled, 0 orphaned',
    'node scripts/simulate.ts --seeds 10000 --json docs/measured/campaign.json',
    said('campaign.json', campaign, ({ schedules, failing, counts, processorSeconds }) => {
      const count = (name: string): string => number(counts[name] ?? 0);
      return `${number(schedules)} schedules, ${failing.length} failing, ${processorSeconds.toFixed(0)} s of processor time; ${count('attempted')} creates sent, ${count('created')} projects, ${count('adopted')} adopted, ${count('came into doubt')} doubts, ${count('crashes')} crashes; ${count('lost')} lost, ${count('doubled')} doubled, ${count('orphaned')} orphaned`;
    }),
  ],
  [
    'the same with several hosts, which are killed, frozen and cut off from the database',
    '10,000: 0 lost, 0 doubled',
    'node scripts/simulate.ts --fleet --seeds 10000 --json docs/measured/fleet.json',
    said('fleet.json', campaign, ({ schedules, failing, counts }) => {
      const count = (name: string): string => number(counts[name] ?? 0);
      return `${number(schedules)} schedules, ${failing.length} failing; ${count('hosts killed')} hosts killed, ${count('hosts frozen')} frozen, ${count('hosts cut off')} cut off, ${count('orders of hosts that were given up')} orders taken over; ${count('created')} projects, ${count('lost')} lost, ${count('doubled')} doubled`;
    }),
  ],
  [
    'the same in the soak',
    '1,000,000',
    'node scripts/simulate.ts --seeds 1000000 --json docs/measured/soak-campaign.json',
    said(
      'soak-campaign.json',
      campaign,
      ({ schedules, failing }) => `${number(schedules)} schedules, ${failing.length} failing`,
    ),
  ],
  [
    'crash points of a submission, and pairs of them',
    'every effect, before and after; 10,000 pairs in the soak',
    'node scripts/simulate.ts --crashes --pairs 10000 --json docs/measured/crashes.json',
    said('crashes.json', crashes, (reports) => {
      const all = Object.entries(reports);
      const sum = (twice: boolean, of: 'effects' | 'kills'): number =>
        all.filter(([name]) => name.endsWith('twice') === twice).reduce((total, [, report]) => total + report[of], 0);
      return `${sum(false, 'effects')} effects in ${all.filter(([name]) => !name.endsWith('twice')).length} situations, ${sum(false, 'kills')} kills, ${number(sum(true, 'kills') / 2)} pairs, ${all.reduce((total, [, { failing }]) => total + failing.length, 0)} failing`;
    }),
  ],
  [
    'crash points of the whole run over files; power cuts',
    'every effect, before and after',
    'node scripts/simulate.ts --whole --kills --json docs/measured/whole.json',
    said(
      'whole.json',
      whole,
      ({ effects, kills, failing }) => `${effects} effects, ${kills} kills, ${failing.length} failing`,
    ),
  ],
  [
    'real SIGKILLs',
    '500 in the soak, 25 in CI',
    'node scripts/soak.ts kills > docs/measured/soak-kills.json',
    said('soak-kills.json', soak, soakWords),
  ],
  [
    '5,000 orders, 50 ms latency, 30 % commit-then-504',
    'killed 20 times: exactly 5,000 projects',
    'node scripts/soak.ts orders > docs/measured/soak-orders.json',
    said('soak-orders.json', soak, soakWords),
  ],
  [
    'planted bugs caught',
    '≥ 40, all, the seven anti-protocols among them',
    'node scripts/mutants/run-mutants.ts --json docs/measured/mutants.json',
    said(
      'mutants.json',
      mutants,
      ({ planted, caught, antiProtocols }) => `${caught} of ${planted} caught; the seven: ${antiProtocols.join(', ')}`,
    ),
  ],
  [
    'settled without a person, at 2 % 504s',
    '≥ 99.9 % within two runs',
    'node scripts/simulate.ts --settled 50000 --json docs/measured/settled.json',
    said(
      'settled.json',
      settled,
      ({ orders, inDoubt, left }) =>
        `${number(orders)} orders, ${number(inDoubt)} in doubt, ${number(inDoubt - left)} settled (${(100 * (1 - left / inDoubt)).toFixed(2)} %)`,
    ),
  ],
];

const table = [
  '| goal | number | command | what it printed |',
  '|---|---|---|---|',
  ...rows.map(([goal, wanted, command, printed]) => `| ${goal} | ${wanted} | \`${command}\` | ${printed} |`),
].join('\n');
const page = readFileSync(PAGE, 'utf8');
const [before, rest] = page.split(BEGIN);
const after = rest?.split(END)[1];
if (before === undefined || after === undefined) throw new Error(`${PAGE} has no place for the table`);
writeFileSync(PAGE, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`);
