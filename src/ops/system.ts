import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Clock, Random, Sleep } from '../domain/ports.ts';

// What the machine gives a run: its clock, sleep, randomness, a name for the run, the errors of its system, and where this package lies.

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A timer cannot wait longer than this; a longer sleep is taken in pieces. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Waits `ms` milliseconds, or rejects with the signal's own reason once it aborts. The timer is gone either way. */
export const systemSleep: Sleep = async (ms, signal) => {
  let left = Math.max(0, ms);
  do {
    signal?.throwIfAborted();
    const piece = Math.min(left, TIMER_MS_MAX);
    await waitOnce(piece, signal);
    left -= piece;
  } while (left > 0);
};

async function waitOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  } catch (thrown) {
    // Node rejects with an AbortError of its own; the port promises the signal's reason.
    signal?.throwIfAborted();
    throw thrown;
  }
}

/** Milliseconds since it was started. */
export type Stopwatch = () => number;

/** It goes on while the process is stopped, and while the machine sleeps: of two clocks, the one that says more. */
export function startStopwatch(): Stopwatch {
  const steady = performance.now();
  const wall = Date.now();
  return () => Math.max(performance.now() - steady, Date.now() - wall);
}

const RANDOM_STEPS = 2 ** 48 - 1;

/** Randomness nobody can predict: jitter, run ids. */
export const systemRandom: Random = () => randomInt(RANDOM_STEPS) / RANDOM_STEPS;

/**
 * The name of a run: its start in UTC and four hex digits, such as `2026-11-21T020000Z-4f2a`. Later runs sort after earlier ones;
 * it is safe as the name of a folder on any file system.
 */
export function newRunId(clock: Clock, random: Random): string {
  const start = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '');
  const suffix = Math.floor(random() * 0x1_0000)
    .toString(16)
    .padStart(4, '0');
  return `${start}Z-${suffix}`;
}

/** Whether an error of the operating system has one of these codes, such as `ENOENT`. */
export function hasCode(thrown: unknown, ...codes: readonly string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && codes.includes(thrown.code);
}

/** Whether an error came from the operating system: it has a code such as `EIO`. Node's own begin with `ERR_`. */
export function isSystemError(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    /^E(?!RR_)[A-Z0-9]+$/.test(thrown.code)
  );
}

/** The folder of this package: the nearest one above this file that has a package.json. It holds samples/ and templates/. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { readonly version: string })
    .version;
}
