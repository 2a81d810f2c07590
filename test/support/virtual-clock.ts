import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Clock, Sleep } from '../../src/domain/ports.ts';

/** A clock that stands still until a test moves it. Whoever sleeps on it wakes in order of time, then of arrival. */
export interface VirtualClock extends Clock {
  readonly sleep: Sleep;
  /** How many are asleep now. */
  readonly sleepers: number;
  /** How long each sleep so far was asked to be, in ms. */
  readonly slept: readonly number[];
  /** Moves the time by `ms`, stopping at each sleeper on the way so that what it wakes can sleep again. */
  advance(ms: number): Promise<void>;
  /** Moves the time to the next sleeper and wakes it; false when nobody sleeps. */
  advanceToNext(): Promise<boolean>;
  /** Lets time jump from sleeper to sleeper until `work` is settled, and gives what it gave. Real I/O may go on meanwhile. */
  drive<T>(work: Promise<T>): Promise<T>;
  /** Sets the wall clock back or forward without waking anybody, as a time server does. */
  jumpTo(epochMs: number): void;
}

interface Sleeper {
  due: number;
  readonly wake: () => void;
}

/** The instant at which virtual clocks start: Thursday 2026-03-05, 08:00 UTC. */
export const VIRTUAL_START_MS = Date.UTC(2026, 2, 5, 8);

/**
 * `turns`: several, since an answer over loopback takes more than one; one is enough where nothing is sent. While `isBusy`, something real is awaited
 * and no time passes.
 */
export function createVirtualClock(
  startMs: number = VIRTUAL_START_MS,
  turns = 3,
  isBusy: () => boolean = () => false,
): VirtualClock {
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn = isBusy() ? 0 : turn + 1) await turnOfEventLoop();
  };
  let now = startMs;
  let asleep: Sleeper[] = [];
  const slept: number[] = [];

  const sleep: Sleep = async (ms, signal) => {
    signal?.throwIfAborted();
    slept.push(ms);
    if (ms <= 0) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        asleep = asleep.filter((other) => other !== sleeper);
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = {
        // A machine's clock shows whole milliseconds.
        due: now + Math.ceil(ms),
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      const after = asleep.findIndex((other) => other.due > sleeper.due);
      asleep.splice(after === -1 ? asleep.length : after, 0, sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  };

  const advance = async (ms: number): Promise<void> => {
    const end = now + ms;
    await settle();
    for (let next = asleep[0]; next !== undefined && next.due <= end; next = asleep[0]) {
      asleep.shift();
      now = Math.max(now, next.due);
      next.wake();
      await settle();
    }
    now = end;
  };

  const advanceToNext = async (): Promise<boolean> => {
    await settle();
    const next = asleep[0];
    if (next === undefined) return false;
    await advance(Math.max(0, next.due - now));
    return true;
  };

  return {
    now: () => now,
    sleep,
    slept,
    get sleepers() {
      return asleep.length;
    },
    advance,
    advanceToNext,
    async drive(work) {
      const progress = { settled: false };
      const mark = (): void => {
        progress.settled = true;
      };
      work.then(mark, mark);
      while (!progress.settled) await advanceToNext();
      return work;
    },
    jumpTo(epochMs) {
      const by = epochMs - now;
      now = epochMs;
      for (const sleeper of asleep) sleeper.due += by;
    },
  };
}
