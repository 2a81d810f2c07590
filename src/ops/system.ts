import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import type { Clock, Sleep } from '../domain/ports.ts';

export const systemClock: Clock = { now: () => Date.now() };

const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemSleep: Sleep = async (ms, signal) => {
  let left = Math.max(0, ms);
  do {
    const piece = Math.min(left, TIMER_MS_MAX);
    await wait(piece, undefined, { signal }).catch((thrown: unknown) => {
      signal?.throwIfAborted();
      throw thrown;
    });
    left -= piece;
  } while (left > 0);
};

export type Stopwatch = () => number;

/** The greater of two clocks: it also counts the time while the process is stopped or the machine sleeps. */
export function startStopwatch() {
  const steady = performance.now();
  const wall = Date.now();
  return () => Math.max(performance.now() - steady, Date.now() - wall);
}

const RANDOM_STEPS = 2 ** 48 - 1;

export const systemRandom = () => randomInt(RANDOM_STEPS) / RANDOM_STEPS;

export const SYSTEM = { clock: systemClock, sleep: systemSleep, random: systemRandom };

/** Such as `2026-11-21T020000Z-4f2a91c0`. Sorts by time; safe as a folder name. */
export function newRunId(clock: Clock, random = systemRandom) {
  const start = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '');
  const suffix = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  return `${start}Z-${suffix}`;
}

/** Null if it is half written or damaged. */
export function parsedOrNull<Schema extends z.ZodType>(schema: Schema, text: string) {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export function packageFolder() {
  return dirname(findPackageJSON(import.meta.url) ?? '');
}

export function packageVersion() {
  return (JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { readonly version: string })
    .version;
}
