import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measured } from './measured.ts';

/** How often the tree is looked at, as a rule; what lives shorter than this is not seen. */
const LOOK_EVERY_MS = 20;

/** Runs a command, and then tells on a channel of its own the processor time of it and of all that it waited for. */
const WITH_TIMES = '"$@"; code=$?; times >&3; exit $code';

/**
 * Runs a command to its end and gives the processor time of it and of all that it started, and the most memory that they held at one time: resident
 * pages (RSS), added up over the processes, so that what they share counts more than once. Linux only (`/proc`). Exit codes other than those expected
 * are an error.
 */
export async function runTree(
  file: string,
  args: readonly string[],
  expectedCodes: readonly number[],
  lookEveryMs = LOOK_EVERY_MS,
): Promise<Measured> {
  const before = performance.now();
  const child = spawn('/bin/sh', ['-c', WITH_TIMES, 'sh', file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} did not start`);
  const ended = once(child, 'exit').then(([code]) => ({
    code: code as number | null,
    wallMs: performance.now() - before,
  }));
  const output = Promise.all([child.stdout, child.stderr, child.stdio[3]].map((stream) => text(stream as Readable)));
  let peakMb = 0;
  let processes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const tree = await treeOf(pid);
    const mb = tree.reduce((sum, { rssKb }) => sum + rssKb, 0) / 1024;
    if (mb > peakMb) processes = tree.length;
    peakMb = Math.max(peakMb, mb);
    await pause(lookEveryMs);
  }
  const { code, wallMs } = await ended;
  const [, errors = '', took = ''] = await output;
  if (code === null || !expectedCodes.includes(code))
    throw new Error(`${file} ${args.join(' ')} ended with ${String(code)}:\n${errors}`);
  return { wallMs, cpuMs: cpuMsIn(took), peakMb, facts: { processes } };
}

/** What the shell's `times` says of its children, such as `1m2.340000s 0m0.560000s` in its last line: user and system. */
function cpuMsIn(took: string): number {
  const parts = [...(took.trimEnd().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly rssKb: number;
}

async function treeOf(root: number): Promise<readonly Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map(processOf))).filter((found) => found !== null);
  const tree = all.filter(({ pid }) => pid === root);
  for (const one of tree) tree.push(...all.filter(({ parent }) => parent === one.pid));
  return tree;
}

/** Null where it is over by now. */
async function processOf(pid: string): Promise<Process | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const numberOf = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return status === '' ? null : { pid: Number(pid), parent: numberOf('PPid'), rssKb: numberOf('VmRSS') };
}
