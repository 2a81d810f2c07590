import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Measured } from './measured.ts';

/** Runs one of the scripts under `subjects/` in a process of its own and gives what it reports. */
export async function runSubject(script: URL, ...args: (string | number)[]): Promise<Measured> {
  const { output } = await runProcess(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(script),
    ...args.map(String),
  ]);
  return lastLineOf(output);
}

/** The same on one processor alone, by its number from 0, with room for the young, so that it does not pause itself. Linux only (`taskset`). */
export async function runSubjectOn(processor: number, script: URL, ...args: (string | number)[]): Promise<Measured> {
  const { output } = await runProcess('taskset', [
    '-c',
    String(processor),
    process.execPath,
    '--max-semi-space-size=64',
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(script),
    ...args.map(String),
  ]);
  return lastLineOf(output);
}

function lastLineOf(output: string): Measured {
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Measured;
}

/** Measures a whole process, from its start to its end, real time only. Exit codes other than those expected are an error. */
export async function runWhole(
  command: string,
  args: readonly string[],
  expectedCodes: readonly number[] = [0],
): Promise<Measured> {
  const { wallMs } = await runProcess(command, args, expectedCodes);
  return { wallMs, cpuMs: Number.NaN, peakMb: Number.NaN, facts: {} };
}

interface Ended {
  readonly output: string;
  readonly errors: string;
  readonly wallMs: number;
}

async function runProcess(
  command: string,
  args: readonly string[],
  expectedCodes: readonly number[] = [0],
): Promise<Ended> {
  const before = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit').then(([code]) => ({
    code: code as number | null,
    wallMs: performance.now() - before,
  }));
  const [output, errors, { code, wallMs }] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === null || !expectedCodes.includes(code))
    throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}:\n${errors}`);
  return { output, errors, wallMs };
}
