import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runWhole, runWholeNode } from './measure/child.ts';
import { interleaved } from './measure/measured.ts';
import { atMost, count, megabytes, printTable, printTargets, seconds, TIME_AND_MEMORY_HEAD, timeAndMemory, times } from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import { writeOrdersCsv, writeOrdersWorkbook } from './orders.ts';
import type { BenchOptions } from './options.ts';

const COMMAND = fileURLToPath(new URL('../bin/inspection-batch', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../samples/01-filled-template.xlsx', import.meta.url));
const READ_OURS = fileURLToPath(new URL('./subjects/read-ours.ts', import.meta.url));

/** A small file takes little more than a start of Node: measured more often, since it is short. */
const SMALL_ROWS = 50;
const SMALL_ROUNDS_FACTOR = 2;

/** The exit code where rows go back. */
const ROWS_TO_FIX = 3;

/** The command `check` as people call it, whole processes; the build must stand under dist/. */
export async function benchCheck({ rounds, rows = 100_000 }: BenchOptions): Promise<void> {
  await using folder = await tempFolder();
  await benchStart(folder.path, rounds * SMALL_ROUNDS_FACTOR);
  await benchLarge(folder.path, rounds, rows);
}

async function benchStart(folder: string, rounds: number): Promise<void> {
  const [workbook, csv] = [join(folder, 'small.xlsx'), join(folder, 'small.csv')];
  await writeOrdersWorkbook(workbook, SMALL_ROWS);
  await writeOrdersCsv(csv, SMALL_ROWS);
  const check = (path: string) => runWhole(COMMAND, ['check', '--workspace', folder, path], [0, ROWS_TO_FIX]);
  const whole = await interleaved(rounds, {
    node: () => runWhole(process.execPath, ['-e', '0']),
    version: () => runWhole(COMMAND, ['--version']),
    csv: () => check(csv),
    workbook: () => check(workbook),
    sample: () => check(SAMPLE),
  });
  const processes = {
    'node -e 0': whole.node,
    'inspection-batch --version': whole.version,
    [`check, ${SMALL_ROWS} rows, .csv`]: whole.csv,
    [`check, ${SMALL_ROWS} rows, .xlsx`]: whole.workbook,
    'check, the filled sample, with a corrections workbook': whole.sample,
  };
  printTable(
    'check: the start of the program, whole processes',
    ['process', 'wall s', 'more than node'],
    Object.entries(processes).map(([name, { wallMs }]) => [name, seconds(wallMs), `${seconds(wallMs - whole.node.wallMs)} s`]),
  );
  const more = (what: string, wallMs: number) => atMost(`${what}: at most 0.5 s more than starting Node (stretch: 0.25 s)`, wallMs - whole.node.wallMs, 500, (ms) => `${seconds(ms)} s`);
  printTargets([more(`${SMALL_ROWS} rows`, whole.workbook.wallMs), more('the filled sample, whose rejected rows are written', whole.sample.wallMs)]);
}

async function benchLarge(folder: string, rounds: number, rows: number): Promise<void> {
  for (const [kind, write] of [['csv', writeOrdersCsv], ['xlsx', writeOrdersWorkbook]] as const) {
    const [whole, quarter] = [join(folder, `large.${kind}`), join(folder, `quarter.${kind}`)];
    const quarterRows = Math.ceil(rows / 4);
    await write(whole, rows);
    await write(quarter, quarterRows);
    const check = (path: string) => runWholeNode(COMMAND, ['check', '--workspace', folder, path]);
    const { reading, checking, checkingQuarter } = await interleaved(rounds, {
      reading: () => runWholeNode(process.execPath, [READ_OURS, whole]),
      checkingQuarter: () => check(quarter),
      checking: () => check(whole),
    });
    const processes = { [`reading, ${count(rows)} rows`]: reading, [`check, ${count(quarterRows)} rows`]: checkingQuarter, [`check, ${count(rows)} rows`]: checking };
    printTable(
      `check: a large .${kind}, whole processes`,
      ['process', ...TIME_AND_MEMORY_HEAD, '× reading'],
      Object.entries(processes).map(([name, measured]) => [name, ...timeAndMemory(measured), times(measured.cpuMs / reading.cpuMs)]),
    );
    printTargets([
      atMost('at most 4 × reading alone in processor time (stretch: 3 ×)', checking.cpuMs / reading.cpuMs, 4, times),
      atMost('at most 300 MB', checking.peakMb, 300, (peak) => `${megabytes(peak)} MB`),
      atMost('flat memory: at most 1.25 × at four times the rows', checking.peakMb / checkingQuarter.peakMb, 1.25, (ratio) => `${times(ratio)} (${megabytes(checking.peakMb)} MB)`),
    ]);
  }
}
