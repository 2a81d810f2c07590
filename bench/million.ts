import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { BIN } from '../test/support/command-line.ts';
import { type ControlledServer, layOutWorkspace, ledgerBytes, startControlledServer } from './large-nights.ts';
import type { Measured } from './measure/measured.ts';
import { runTree } from './measure/process-tree.ts';
import { atMost, count, megabytes, printTable, printTargets, seconds } from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';
import { writeOrdersCsv } from './orders.ts';

const MILLION_FILE = join(import.meta.dirname, '../docs/measured/million.json');

const ROWS = 1_000_000;
const MORE_ROWS = 1_000;
const MB = 1024 * 1024;
/** So many of them come back in the night: all in one would be a hundred thousand inspectors. */
const BACK = 100_000;
const STARTS_WITHIN_MS = 2_000;
/** A look at all processes takes time itself, and the steps are long. */
const LOOK_EVERY_MS = 250;
const COLLECT = 'collect: reports, summaries, results of those that came back';
const LAST = 'verify';
const LEDGER_BYTES_MAX = 8_000;
const STARTS = `run, ${MORE_ROWS} new rows`;
/** Every order is on record, but people have news, or work is left over. */
const CODES = [0, 3];

/** What a night of so many rows took, step by step, as far as it has come. */
interface MillionNight {
  readonly rows: number;
  readonly date: string;
  readonly machine: string;
  readonly steps: Step[];
  /** What went wrong, by step; the night goes on. */
  readonly failed: string[];
}

interface Step {
  readonly name: string;
  /** Null, as is the memory, where it failed. */
  readonly cpuMs: number | null;
  readonly wallMs: number;
  readonly peakMb: number | null;
  readonly sandboxCpuMs: number;
  /** What stands on the disk after it, in bytes. */
  readonly ledgerBytes: number;
  readonly workspaceBytes: number;
  /** From its start to the first answer to an order; null where it sent none. */
  readonly firstOrderMs: number | null;
}

/**
 * One night over a file of so many rows, with everything real but the size of a report's file: the built command, step by step as people call it, against a
 * sandbox in a process of its own. The figures of each step are written as it ends, so that a night that is cut off leaves a table.
 */
export async function benchMillion({ rows = ROWS, projects = BACK }: BenchOptions): Promise<Growing> {
  await using folder = await tempFolder();
  await using sandbox = await startControlledServer();
  const night: MillionNight = {
    rows,
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`,
    steps: [],
    failed: [],
  };
  const workspace = join(folder.path, 'w');
  await layOutWorkspace(workspace, sandbox);
  const step = async (name: string, args: readonly string[], codes: readonly number[] = CODES): Promise<void> => {
    process.stderr.write(`${new Date().toISOString()} ${name}\n`);
    const sandboxBefore = await sandbox.cpuMs();
    const startedAt = Date.now();
    const measured = await runTree(BIN, [...args, '--workspace', workspace], codes, LOOK_EVERY_MS).catch(
      (failure: unknown) => {
        night.failed.push(`${name}: ${failure instanceof Error ? failure.message : String(failure)}`);
        return { wallMs: Date.now() - startedAt, cpuMs: Number.NaN, peakMb: Number.NaN, facts: {} };
      },
    );
    night.steps.push(stepOf(name, measured, (await sandbox.cpuMs()) - sandboxBefore, workspace, startedAt));
    writeFileSync(MILLION_FILE, `${JSON.stringify(night, null, 1)}\n`);
  };
  const [file, more] = [join(folder.path, 'orders.csv'), join(folder.path, 'more.csv')];
  await writeOrdersCsv(file, rows);
  await writeOrdersCsv(more, MORE_ROWS, { first: rows });
  await step('check', ['check', file]);
  await rename(file, join(workspace, 'inbox', 'orders.csv'));
  await step('submit: taken in and ordered', ['submit']);
  await step('status', ['status', '--json']);
  await step('run, the first results', ['run']);
  await step('run, nothing to do', ['run']);
  await rename(more, join(workspace, 'inbox', 'more.csv'));
  await step(STARTS, ['run']);
  night.failed.push(...(await judged(sandbox, rows + MORE_ROWS)));
  await sandbox.advance(secondsUntil(projects / (rows + MORE_ROWS)));
  await step(COLLECT, ['collect']);
  await step('collect, nothing to do', ['collect']);
  await step(LAST, ['verify']);
  printRecordedMillion();
  return {};
}

/** When about this share of the projects has come back: the sandbox's take from 4 to 96 hours, as many hours as days. */
function secondsUntil(share: number): number {
  return 4 * (96 / 4) ** Math.min(1, share) * 3600;
}

/** By the sandbox's own word: a project for every row, and none twice. */
async function judged(sandbox: ControlledServer, orders: number): Promise<readonly string[]> {
  const { creates, doubles } = (await sandbox.control('audit')) as {
    readonly creates: number;
    readonly doubles: readonly unknown[];
  };
  return creates === orders && doubles.length === 0
    ? []
    : [`${creates} projects for ${orders} orders, ${doubles.length} doubled`];
}

function stepOf(
  name: string,
  { cpuMs, wallMs, peakMb }: Measured,
  sandboxCpuMs: number,
  workspace: string,
  startedAt: number,
): Step {
  const workspaceBytes = Number(execFileSync('du', ['-sk', workspace], { encoding: 'utf8' }).split('\t')[0]) * 1024;
  const answeredAt = firstAnswerAt(join(workspace, 'logs'));
  return {
    name,
    cpuMs,
    wallMs,
    peakMb,
    sandboxCpuMs,
    ledgerBytes: ledgerBytes(workspace),
    workspaceBytes,
    firstOrderMs: answeredAt === null ? null : answeredAt - startedAt,
  };
}

/** The start of a log is enough: it says what was taken in, and then what was answered. */
const LOG_START_BYTES = 100_000;

/** When the latest run had its first answer to an order, in ms since the epoch; null where it sent none. */
function firstAnswerAt(logs: string): number | null {
  const latest = existsSync(logs) ? readdirSync(logs).toSorted().at(-1) : undefined;
  if (latest === undefined) return null;
  const descriptor = openSync(join(logs, latest), 'r');
  const start = Buffer.alloc(LOG_START_BYTES);
  const text = start.toString('utf8', 0, readSync(descriptor, start));
  closeSync(descriptor);
  const at = /"at":"([^"]+)","event":"answer"/.exec(text)?.[1];
  return at === undefined ? null : Date.parse(at);
}

/** Puts figures on record that were written elsewhere, by a night that ran from a copy of this folder. */
export function recordMillion(path: string): void {
  writeFileSync(MILLION_FILE, readFileSync(path));
}

/** Prints the night on record: it is measured once, and not with the others. */
export function printRecordedMillion(): void {
  if (existsSync(MILLION_FILE)) printMillion(JSON.parse(readFileSync(MILLION_FILE, 'utf8')) as MillionNight);
}

function printMillion({ rows, date, machine, steps, failed }: MillionNight): void {
  printTable(
    `a night of ${count(rows)} rows, measured once on ${date} (${machine})`,
    ['step', 'processor s', 'wall s', 'peak MB', 'sandbox processor s', 'ledger MB', 'workspace MB'],
    steps.map(({ name, cpuMs, wallMs, peakMb, sandboxCpuMs, ledgerBytes, workspaceBytes }) => [
      name,
      seconds(cpuMs ?? Number.NaN),
      seconds(wallMs),
      megabytes(peakMb ?? Number.NaN),
      seconds(sandboxCpuMs),
      megabytes(ledgerBytes / MB),
      megabytes(workspaceBytes / MB),
    ]),
  );
  const starts = steps.find(({ name }) => name === STARTS)?.firstOrderMs ?? null;
  const largest = steps.findLast(({ ledgerBytes }) => ledgerBytes > 0);
  const isWhole = steps.at(-1)?.name === LAST;
  printTargets([
    {
      target: 'every row is ordered once, and every step ends well',
      measured: failed.length > 0 ? failed.join('; ') : isWhole ? 'yes' : 'cut off after the last step above',
      met: failed.length > 0 ? false : isWhole ? true : null,
    },
    ...(starts === null
      ? []
      : [
          atMost(
            `${count(MORE_ROWS)} new rows on top: the first is ordered within ${STARTS_WITHIN_MS / 1000} s of the start`,
            starts,
            STARTS_WITHIN_MS,
            (ms) => `${seconds(ms)} s`,
          ),
        ]),
    ...(largest === undefined
      ? []
      : [
          atMost(
            `the ledger: at most ${count(LEDGER_BYTES_MAX)} bytes an order`,
            largest.ledgerBytes / rows,
            LEDGER_BYTES_MAX,
            (bytes) => `${count(bytes)} bytes`,
          ),
        ]),
  ]);
}
