import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Random, Sleep } from '../domain/ports.ts';

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

const RANDOM_STEPS = 2 ** 48 - 1;

/** Randomness nobody can predict: jitter, run ids. */
export const systemRandom: Random = () => randomInt(RANDOM_STEPS) / RANDOM_STEPS;
