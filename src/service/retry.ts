import type { Optional, Random, RunContext } from '../domain/ports.ts';
import { clampRetryAfter, type CreateOutcome, type ReadOutcome, RETRY_AFTER_MS_MAX } from './outcome.ts';

export type RetryLimits = Readonly<{
  attemptsMax: number;
  firstWaitMs: number;
  growth?: number;
  /** The random part of a wait, 0 to 1. */
  jitter?: number;
  waitMsMin: number;
  waitMsMax: number;
}>;

const RETRY_AFTER_JITTER_MS_MAX = 3_000;
const READ_RETRIES: RetryLimits = { attemptsMax: 5, firstWaitMs: 500, waitMsMin: 0, waitMsMax: 30_000 };
/** Shared by all repeats of reads: a repeat costs RETRY_COST, an answer gives one back. */
const RETRY_BUDGET = 100;
const RETRY_COST = 5;

type RetryCause = Readonly<{
  kind: CreateOutcome['kind'] | ReadOutcome<unknown>['kind'];
  retryAfterMs?: number | null;
  isFinal?: true;
}>;

type RetryDecision = Readonly<{ kind: 'wait'; ms: number } | { kind: 'stop'; reason: string }>;

/**
 * `attempt`: from 1. Retry-After comes first; otherwise the wait is random below a growing limit. Nothing begins after
 * `deadline` (epoch ms). Never repeats a create with an unknown outcome.
 */
export function decideRetry(
  question: Readonly<{
    attempt: number;
    outcome: RetryCause;
    now: number;
    random: Random;
    limits: RetryLimits;
    deadline?: number | undefined;
  }>,
): RetryDecision {
  const { attempt, outcome, now, limits, deadline } = question;
  const stop = (reason: string): RetryDecision => ({ kind: 'stop', reason });
  switch (outcome.kind) {
    case 'not-sent':
    case 'throttled':
    case 'transient':
      break;
    case 'unknown':
      return stop('its outcome is not known; a search has to settle it first');
    case 'created':
    case 'duplicate':
    case 'ok':
    case 'not-found':
    case 'refused':
    case 'stop':
      return stop('the answer is final');
  }
  if (outcome.isFinal === true) return stop('asking again would give the same answer');
  if (attempt >= limits.attemptsMax) return stop(`tried ${attempt} times`);
  const ms = waitMs(attempt, outcome.retryAfterMs ?? null, question.random, limits);
  if (now + ms >= (deadline ?? Infinity)) return stop('the next try would come too late');
  return { kind: 'wait', ms };
}

function waitMs(attempt: number, retryAfterMs: number | null, random: Random, limits: RetryLimits) {
  if (retryAfterMs !== null) {
    const asked = clampRetryAfter(retryAfterMs);
    return Math.min(RETRY_AFTER_MS_MAX, Math.ceil(asked + random() * Math.min(0.1 * asked, RETRY_AFTER_JITTER_MS_MAX)));
  }
  const { firstWaitMs, waitMsMin, waitMsMax, growth = 2, jitter = 1 } = limits;
  const ceiling = Math.max(waitMsMin, Math.min(waitMsMax, firstWaitMs * growth ** (attempt - 1)));
  const floor = Math.max(waitMsMin, ceiling * (1 - jitter));
  return Math.round(floor + random() * (ceiling - floor));
}

export type ReadContext = Pick<RunContext, 'clock' | 'sleep' | 'random'> &
  Optional<{
    signal: AbortSignal;
    deadline: number;
    retryBudget: RetryBudget;
  }>;

/** Returns the last outcome. `signal` only ends the sleep (its reason is thrown); a sent request is waited for. */
export async function repeatRead<T>(
  read: () => Promise<ReadOutcome<T>>,
  context: ReadContext,
): Promise<ReadOutcome<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await read();
    if (outcome.kind !== 'transient') {
      context.retryBudget?.answered();
      return outcome;
    }
    const decision = decideRetry({
      attempt,
      outcome,
      now: context.clock.now(),
      random: context.random,
      limits: READ_RETRIES,
      deadline: context.deadline,
    });
    if (decision.kind === 'stop' || context.retryBudget?.take() === false) return outcome;
    await context.sleep(decision.ms, context.signal);
  }
}

/**
 * Limits the retries of all reads of a run. Answers refill it; an outage soon empties it, so that retries do not
 * prolong it.
 */
export class RetryBudget {
  #left = RETRY_BUDGET;

  take() {
    if (this.#left < RETRY_COST) return false;
    this.#left -= RETRY_COST;
    return true;
  }

  answered() {
    this.#left = Math.min(RETRY_BUDGET, this.#left + 1);
  }
}
