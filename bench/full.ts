import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { printRecordedMillion } from './million.ts';
import type { Measured } from './measure/measured.ts';
import {
  atMost,
  megabytes,
  type Printed,
  printedSoFar,
  printTable,
  printTargets,
  seconds,
  type Target,
  times,
  verdictOf,
} from './measure/table.ts';
import type { Bench, Growing } from './options.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/measured/performance.md');
/** What ours is measured beside. */
const PEERS = ['exceljs', 'csv-parse', 'got', 'p-limit', 'fastify', 'archiver'];

const TENFOLD = 10;
/** Time may grow by this much where the work doubles. */
const PER_DOUBLING_MAX = 2.3;
const DOUBLINGS = Math.log2(TENFOLD);

/** The size that a bench's targets are set for; `null`: it has but one size. */
const SIZES: Readonly<Record<string, Partial<Record<'rows' | 'orders' | 'projects', number>> | null>> = {
  reading: { rows: 100_000 },
  csv: { rows: 100_000 },
  check: { rows: 100_000 },
  submit: { orders: 2_000 },
  pacing: null,
  results: { projects: 500, rows: 2_000 },
  archive: { projects: 100 },
  downloads: { projects: 200 },
  sandbox: { orders: 10_000 },
  night: { rows: 400 },
};

/**
 * Runs each bench at the size its targets are set for, then each at ten times that, and writes docs/measured/performance.md after each of them: hours of work may be
 * cut off, and the page says what is not on it. So it does of a bench that fails.
 */
export async function benchFull(benches: Readonly<Record<string, Bench>>, rounds: number): Promise<void> {
  const began = performance.now();
  const grown: [name: string, once: Measured, tenfold: Measured][] = [];
  const once: Record<string, Growing> = {};
  const tenfold = Object.keys(benches).filter((name) => SIZES[name]);
  const left = [...Object.keys(benches), ...tenfold.map((name) => `${name} at ten times the work`)];
  const failed: string[] = [];
  const measure = async (name: string, size: object, howOften: number, isTenfold: boolean): Promise<Growing> => {
    const start = performance.now();
    const title = left.shift() ?? name;
    const found = await benches[name]?.({
      rounds: howOften,
      rows: undefined,
      orders: undefined,
      projects: undefined,
      isTenfold,
      ...size,
    }).catch((failure: unknown) => {
      failed.push(title);
      process.stderr.write(
        `${title} failed: ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
      );
      return {};
    });
    process.stderr.write(`${title}: ${seconds(performance.now() - start)} s\n`);
    writeFileSync(PAGE, pageOf(printedSoFar(), rounds, (performance.now() - began) / 60_000, [...failed, ...left]));
    return found ?? {};
  };
  for (const name of Object.keys(benches)) once[name] = await measure(name, SIZES[name] ?? {}, rounds, false);
  for (const name of tenfold) {
    const larger = Object.fromEntries(
      Object.entries(SIZES[name] ?? {}).map(([unit, count]) => [unit, count * TENFOLD]),
    );
    for (const [what, measured] of Object.entries(await measure(name, larger, 1, true))) {
      const before = once[name]?.[what];
      if (before !== undefined) grown.push([what, before, measured]);
    }
  }
  printGrowth(grown);
  printRecordedMillion();
  writeFileSync(PAGE, pageOf(printedSoFar(), rounds, (performance.now() - began) / 60_000, failed));
}

/** Puts what was printed last into the page, in the place of a section whose title begins alike. */
export function replaceOnPage(beginning: string): void {
  const [last] = printedSoFar().slice(-1);
  if (last === undefined || !existsSync(PAGE)) return;
  const others = readFileSync(PAGE, 'utf8')
    .split(/^(?=## )/m)
    .filter((section) => !section.startsWith(`## ${beginning}`));
  writeFileSync(PAGE, `${others.join('').trimEnd()}\n\n${sectionOf(last)}`);
}

/** Processor time, where it was measured: it grows with the work, and not with what one waits for. */
const timeOf = ({ cpuMs, wallMs }: Measured): number => (Number.isNaN(cpuMs) ? wallMs : cpuMs);

function printGrowth(grown: readonly (readonly [string, Measured, Measured])[]): void {
  const perDoubling = (once: Measured, tenfold: Measured): number =>
    (timeOf(tenfold) / timeOf(once)) ** (1 / DOUBLINGS);
  printTable(
    'growth: ours at ten times the work',
    ['work', 'time s', 'at ten times', 'a doubling', 'peak MB', 'at ten times'],
    grown.map(([what, once, tenfold]) => [
      what,
      seconds(timeOf(once)),
      seconds(timeOf(tenfold)),
      times(perDoubling(once, tenfold)),
      megabytes(once.peakMb),
      megabytes(tenfold.peakMb),
    ]),
  );
  printTargets(
    grown.map(([what, once, tenfold]) =>
      atMost(
        `${what}: at most ${PER_DOUBLING_MAX} × the time at twice the work`,
        perDoubling(once, tenfold),
        PER_DOUBLING_MAX,
        times,
      ),
    ),
  );
}

function pageOf(printed: readonly Printed[], rounds: number, minutes: number, left: readonly string[]): string {
  const targets = printed.flatMap(({ title, targets: its }) => its.map((target) => ({ ...target, title })));
  const missed = targets.filter(({ met }) => met === false);
  const unmeasured = targets.filter(({ met }) => met === null).length;
  const [processor] = cpus();
  const versions = PEERS.map(
    (name) =>
      `${name} ${(JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version}`,
  );
  return `# Performance

Measured, and this page written, by \`npm run bench -- full\` on ${new Date().toISOString().slice(0, 10)} in ${minutes.toFixed(0)} minutes: ${cpus().length} processors (${processor?.model ?? 'unknown'}),
${(totalmem() / 1024 ** 3).toFixed(0)} GB of memory, ${type()} ${release()}, Node ${process.versions.node}; ${versions.join(', ')}.

Each figure is the median of ${rounds} measurements. The floor (the least that the work can take), other programs and ours are measured in turn. If a
table appears twice, the second shows ten times the work, measured once. Memory is the most that the whole process held at one time.
${left.length === 0 ? '' : `\nNot measured: ${left.join(', ')}.\n`}
Of ${targets.length} targets, ${targets.length - missed.length - unmeasured} are met and ${unmeasured} cannot be measured at this size or on this machine. ${missed.length === 0 ? 'None is missed.' : 'Missed:'}

${missed.map(missedLine).join('')}
${printed.map(sectionOf).join('\n')}`;
}

function missedLine({ title, target, measured, why }: Target & { readonly title: string }): string {
  return `- **${title}**: ${target}; measured: ${measured}.${why === undefined ? '' : ` ${why}`}\n`;
}

function sectionOf({ title, head, rows, targets }: Printed): string {
  const verdicts = targets.map((target) => [target.target, target.measured, verdictOf(target)]);
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n${markdown(head, rows)}${verdicts.length === 0 ? '' : `\n${markdown(['target', 'measured', ''], verdicts)}`}`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_, column) => cells[column] ?? '').join(' | ')} |\n`;
  return `${line(head)}|${head.map((_, column) => (column === 0 ? '---|' : '---:|')).join('')}\n${rows.map(line).join('')}`;
}
