import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runWhole } from './measure/child.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import { runTree } from './measure/process-tree.ts';
import {
  atMost,
  count,
  megabytes,
  printTable,
  printTargets,
  seconds,
  TIME_AND_MEMORY_HEAD,
  timeAndMemory,
  times,
} from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import { writeOrdersCsv, writeOrdersWorkbook } from './orders.ts';
import type { BenchOptions, Growing } from './options.ts';

const COMMAND = fileURLToPath(new URL('../bin/inspection-batch', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../samples/01-filled-template.xlsx', import.meta.url));
const READ_OURS = fileURLToPath(new URL('./subjects/read-ours.ts', import.meta.url));
const CHECK_BARE = fileURLToPath(new URL('./subjects/check-bare.ts', import.meta.url));

/** A small file takes little more than a start of Node: measured more often, since it is short. */
const SMALL_ROWS = 50;
const SMALL_ROUNDS_FACTOR = 2;

/** The exit code where rows go back. */
const ROWS_TO_FIX = 3;

/** The command `check` as people call it, whole processes; the build must stand under dist/. */
export async function benchCheck({ rounds, rows = 100_000, isTenfold }: BenchOptions): Promise<Growing> {
  await using folder = await tempFolder();
  if (!isTenfold) await benchStart(folder.path, rounds * SMALL_ROUNDS_FACTOR);
  const large: Record<string, Measured> = {};
  for (const kind of isTenfold ? (['xlsx'] as const) : (['csv', 'xlsx'] as const))
    large[`check of a large .${kind}`] = await benchLarge(folder.path, rounds, rows, kind);
  return large;
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
    Object.entries(processes).map(([name, { wallMs }]) => [
      name,
      seconds(wallMs),
      `${seconds(wallMs - whole.node.wallMs)} s`,
    ]),
  );
  const more = (what: string, wallMs: number, limitMs: number) =>
    atMost(
      `${what}: at most ${limitMs / 1000} s more than starting Node`,
      wallMs - whole.node.wallMs,
      limitMs,
      (ms) => `${seconds(ms)} s`,
    );
  const why =
    'Two starts of Node, since each file is read in a process of its own; it loads while the command opens the ledger, but half of their processor time goes into loading the program. Node’s cache of compiled modules would save less than 0.1 s, and would have to be in a folder to which nobody else can write.';
  printTargets([
    { ...more(`${SMALL_ROWS} rows`, whole.workbook.wallMs, 350), why },
    {
      ...more('the filled sample, whose rejected rows are written', whole.sample.wallMs, 500),
      why: `${why} A third process writes the corrections; it takes 0.2 s to load the 218 files of exceljs’s writer.`,
    },
  ]);
}

async function benchLarge(folder: string, rounds: number, rows: number, kind: 'csv' | 'xlsx'): Promise<Measured> {
  const write = kind === 'csv' ? writeOrdersCsv : writeOrdersWorkbook;
  const [whole, quarter] = [join(folder, `large.${kind}`), join(folder, `quarter.${kind}`)];
  const quarterRows = Math.ceil(rows / 4);
  await write(whole, rows);
  await write(quarter, quarterRows);
  const check = (path: string) => runTree(COMMAND, ['check', '--workspace', folder, path], [0]);
  const { reading, bare, checking, checkingQuarter } = await interleaved(rounds, {
    reading: () => runTree(process.execPath, [READ_OURS, whole], [0]),
    bare: async (round) => {
      const place = join(folder, `bare ${kind} ${round}`);
      await mkdir(place);
      return await runTree(process.execPath, [CHECK_BARE, whole, place], [0]);
    },
    checkingQuarter: () => check(quarter),
    checking: () => check(whole),
  });
  const processes = {
    [`reading, ${count(rows)} rows`]: reading,
    [`bare loop, ${count(rows)} rows`]: bare,
    [`check, ${count(quarterRows)} rows`]: checkingQuarter,
    [`check, ${count(rows)} rows`]: checking,
  };
  printTable(
    `check: a large .${kind}, all its processes added up`,
    ['process', ...TIME_AND_MEMORY_HEAD, '× reading', '× bare'],
    Object.entries(processes).map(([name, measured]) => [
      name,
      ...timeAndMemory(measured),
      times(measured.cpuMs / reading.cpuMs),
      times(measured.cpuMs / bare.cpuMs),
    ]),
  );
  printTargets([
    {
      ...atMost(
        `at most 1.5 × a bare loop (${kind === 'csv' ? 'csv-parse' : 'exceljs’s stream'}, zod per row, one insert a row) in processor time (stretch: 1 ×)`,
        checking.cpuMs / bare.cpuMs,
        1.5,
        times,
      ),
      why: 'Each row is judged by the rules in the process of its file, handed over as text, compared with the ledger, and recorded in a scratch ledger: four kinds of work, none above a quarter. A fifth is garbage collection within the memory that bin/inspection-batch allows.',
    },
    atMost('at most 6 × reading alone in processor time (stretch: 4 ×)', checking.cpuMs / reading.cpuMs, 6, times),
    atMost('at most 300 MB', checking.peakMb, 300, (peak) => `${megabytes(peak)} MB`),
    atMost(
      'flat memory: at most 1.25 × at four times the rows',
      checking.peakMb / checkingQuarter.peakMb,
      1.25,
      (ratio) => `${times(ratio)} (${megabytes(checking.peakMb)} MB)`,
    ),
  ]);
  return checking;
}
