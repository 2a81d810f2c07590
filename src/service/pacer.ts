import pLimit from 'p-limit';
import type { Clock, Log, Random, Sleep } from '../domain/ports.ts';
import { createGate, type PaceSign, type Passage } from './gate.ts';
import type { CreateOutcome, ReadOutcome } from './outcome.ts';

export type { PaceSign } from './gate.ts';

/** Decides when a request may leave: so many at once, and none while the gate is closed. */
export interface Pacer {
  /**
   * Runs `task` when its turn has come and learns from what `classify` says of the result. What the task throws is passed on and teaches
   * nothing. When the pacer's signal aborts, whoever still waits is rejected with its reason; what is in flight goes on.
   */
  run<T>(task: (signal: AbortSignal) => Promise<T>, classify: (result: T) => PaceSign): Promise<T>;
  /** How many may be in flight at once now. */
  readonly concurrency: number;
}

export interface PacerOptions {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Log;
  readonly maxConcurrency: number;
  readonly signal?: AbortSignal | undefined;
}

/** Additive increase, multiplicative decrease of what is in flight, and one shared gate (RELIABILITY: Pacing). */
export function createPacer(options: PacerOptions): Pacer {
  const signal = options.signal ?? new AbortController().signal;
  const gate = createGate({ ...options, signal });
  const limit = pLimit(options.maxConcurrency);
  let allowed = options.maxConcurrency;
  /** Counts the decreases: answers to what was sent before the last one cannot cause another. */
  let decreases = 0;

  const learn = (sign: PaceSign, decreasesBefore: number): void => {
    switch (sign.kind) {
      case 'ok':
        allowed = Math.min(options.maxConcurrency, allowed + 1 / allowed);
        break;
      case 'overloaded':
        if (decreasesBefore !== decreases) return;
        decreases += 1;
        allowed = Math.max(1, allowed / 2);
        break;
      case 'throttled':
        return;
    }
    // A hair below a whole number is that number: 1 + 1/1 + 1/2 + 1/2 … must not fall short by rounding.
    const whole = Math.floor(allowed + 1e-9);
    if (whole !== limit.concurrency) limit.concurrency = whole;
  };

  return {
    run: (task, classify) =>
      limit(async () => {
        const passage: Passage = await gate.pass();
        const before = decreases;
        let sign: PaceSign | null = null;
        try {
          const result = await task(signal);
          sign = classify(result);
          learn(sign, before);
          return result;
        } finally {
          gate.report(passage, sign);
        }
      }),
    get concurrency() {
      return limit.concurrency;
    },
  };
}

/** What a create's outcome means for the pace. A service that cannot be reached closes the gate: one probe is enough to see it come back. */
export function paceOfCreate(outcome: CreateOutcome): PaceSign {
  switch (outcome.kind) {
    case 'created':
    case 'duplicate':
    case 'refused':
    case 'stop':
      return { kind: 'ok' };
    case 'throttled':
      return { kind: 'throttled', retryAfterMs: outcome.retryAfterMs };
    case 'not-sent':
      return { kind: 'throttled', retryAfterMs: null };
    case 'unknown':
      return outcome.status === 503 ? { kind: 'throttled', retryAfterMs: outcome.retryAfterMs } : { kind: 'overloaded' };
  }
}

/** What a read's outcome means for the pace. */
export function paceOfRead(outcome: ReadOutcome<unknown>): PaceSign {
  switch (outcome.kind) {
    case 'ok':
    case 'not-found':
    case 'refused':
    case 'stop':
      return { kind: 'ok' };
    case 'transient':
      return outcome.status === 429 || outcome.status === 503
        ? { kind: 'throttled', retryAfterMs: outcome.retryAfterMs }
        : { kind: 'overloaded' };
  }
}
