/**
 * `npm run bench`: all of them; `npm run bench -- reading csv --rows 100000`: some, and larger; `npm run bench -- full`: all at the sizes that their targets
 * are set for and at ten times those, written to docs/measured/performance.md; `npm run bench -- million --report FILE`: the figures of a night of a million rows,
 * which ran elsewhere, put on record and on that page.
 */
import { parseArgs } from 'node:util';
import { benchArchive } from './archive.ts';
import { benchCheck } from './check.ts';
import { benchCsv } from './csv.ts';
import { benchDownloads } from './downloads.ts';
import { benchFull, replaceOnPage } from './full.ts';
import { benchGrowth } from './growth.ts';
import { benchLedgers } from './ledgers.ts';
import { benchMillion, printRecordedMillion, recordMillion } from './million.ts';
import { benchNight } from './night.ts';
import type { Bench } from './options.ts';
import { benchPacing } from './pacing.ts';
import { benchReading } from './reading.ts';
import { benchResults } from './results.ts';
import { benchSandbox } from './sandbox.ts';
import { benchSubmit } from './submit.ts';

const BENCHES: Readonly<Record<string, Bench>> = {
  reading: benchReading,
  csv: benchCsv,
  check: benchCheck,
  submit: benchSubmit,
  pacing: benchPacing,
  results: benchResults,
  archive: benchArchive,
  downloads: benchDownloads,
  sandbox: benchSandbox,
  night: benchNight,
  ledgers: benchLedgers,
};

/** Only when they are named: hours of work, or much of the disk. */
const NAMED: Readonly<Record<string, Bench>> = { growth: benchGrowth, million: benchMillion };

const USAGE = `npm run bench -- [full | ${Object.keys({ ...BENCHES, ...NAMED }).join(' | ')}]… [--rows N] [--orders N] [--projects N] [--rounds N] [--report FILE]\n`;

async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rows: text, orders: text, projects: text, rounds: text, report: text },
  });
  if (values.report !== undefined) {
    recordMillion(values.report);
    printRecordedMillion();
    replaceOnPage('A night of ');
    return 0;
  }
  const options = {
    rounds: wholeNumber(values.rounds) ?? 3,
    rows: wholeNumber(values.rows),
    orders: wholeNumber(values.orders),
    projects: wholeNumber(values.projects),
    isTenfold: false,
  };
  if (positionals.join(' ') === 'full') {
    await benchFull({ ...BENCHES, growth: benchGrowth }, options.rounds);
    return 0;
  }
  const chosen = positionals.length === 0 ? Object.keys(BENCHES) : positionals;
  const unknown = chosen.filter((name) => !Object.hasOwn({ ...BENCHES, ...NAMED }, name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no bench ${unknown.join(', ')}.\n${USAGE}`);
    return 2;
  }
  const before = performance.now();
  let failed = 0;
  for (const name of chosen) {
    const began = performance.now();
    try {
      await { ...BENCHES, ...NAMED }[name]?.(options);
      process.stderr.write(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
    } catch (failure) {
      failed += 1;
      process.stderr.write(
        `\n${name} failed: ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
      );
    }
  }
  process.stdout.write(
    `Medians of ${options.rounds}, side by side on this machine under Node ${process.versions.node}; ${((performance.now() - before) / 1000).toFixed(0)} s in all.\n`,
  );
  return failed === 0 ? 0 : 1;
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new TypeError(`A whole number from 1 is needed, not ${text}.\n${USAGE}`);
  return Number(text);
}

process.exitCode = await main();
