import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measured } from './measured.ts';

/** How often the tree is looked at; what lives shorter than this is not seen. */
const LOOK_EVERY_MS = 20;

/**
 * Runs a command to its end and gives the most memory that it and all that it started held at one time: resident pages (RSS), added up over
 * the processes, so that what they share counts more than once. Linux only (`/proc`). Exit codes other than those expected are an error.
 */
export async function runTree(file: string, args: readonly string[], expectedCodes: readonly number[]): Promise<Measured> {
  const before = performance.now();
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} did not start`);
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, wallMs: performance.now() - before }));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  let peakMb = 0;
  let processes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const tree = await treeOf(pid);
    const mb = tree.reduce((sum, { rssKb }) => sum + rssKb, 0) / 1024;
    if (mb > peakMb) processes = tree.length;
    peakMb = Math.max(peakMb, mb);
    await pause(LOOK_EVERY_MS);
  }
  const { code, wallMs } = await ended;
  const [, errors] = await output;
  if (code === null || !expectedCodes.includes(code)) throw new Error(`${file} ${args.join(' ')} ended with ${String(code)}:\n${errors}`);
  return { wallMs, cpuMs: Number.NaN, peakMb, facts: { processes } };
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
