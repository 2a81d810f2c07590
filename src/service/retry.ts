/** Whether to try again, and after how long. */
import type { Random, RunContext } from '../domain/ports.ts';
import {
  READ_RETRIES,
  RETRY_AFTER_JITTER_MS_MAX,
  RETRY_AFTER_MS_MAX,
  RETRY_BUDGET,
  RETRY_COST,
  type RetryLimits,
} from './limits.ts';
import { clampRetryAfter, type CreateOutcome, type ReadOutcome } from './outcome.ts';

/** What the decision hangs on: an outcome's kind, and the wait the service asked for. */
export interface RetryCause {
  readonly kind: CreateOutcome['kind'] | ReadOutcome<unknown>['kind'];
  readonly retryAfterMs?: number | null;
  readonly isFinal?: true;
}

export type RetryDecision =
  { readonly kind: 'wait'; readonly ms: number } | { readonly kind: 'stop'; readonly reason: string };

/**
 * Whether to try again, and after how many ms: the only place that knows backoff. `attempt` counts the attempts made so far, from 1.
 * The service's own word comes first; otherwise the wait is random up to a limit that grows with each attempt. With a `deadline`
 * (epoch ms) nothing is begun that could only begin after it. A create whose outcome is unknown is never repeated from here.
 */
export function retryDelay(question: {
  readonly attempt: number;
  readonly outcome: RetryCause;
  readonly now: number;
  readonly random: Random;
  readonly limits: RetryLimits;
  readonly deadline?: number | undefined;
}): RetryDecision {
  const { attempt, outcome, now, limits, deadline } = question;
  switch (outcome.kind) {
    case 'not-sent':
    case 'throttled':
    case 'transient':
      break;
    case 'unknown':
      return { kind: 'stop', reason: 'its outcome is not known; a search has to settle it first' };
    case 'created':
    case 'duplicate':
    case 'ok':
    case 'not-found':
    case 'refused':
    case 'stop':
      return { kind: 'stop', reason: 'the answer is final' };
  }
  if (outcome.isFinal === true) return { kind: 'stop', reason: 'asking again would bring the same' };
  if (attempt >= limits.attemptsMax) return { kind: 'stop', reason: `tried ${attempt} times` };
  const ms = waitMs(attempt, outcome.retryAfterMs ?? null, question.random, limits);
  if (now + ms >= (deadline ?? Infinity)) return { kind: 'stop', reason: 'the next try would come too late' };
  return { kind: 'wait', ms };
}

/** What the service asks for is a lower bound; up to a tenth is added, so that those who wait do not all come back at once. */
function waitMs(attempt: number, retryAfterMs: number | null, random: Random, limits: RetryLimits): number {
  if (retryAfterMs !== null) {
    const asked = clampRetryAfter(retryAfterMs);
    return Math.min(RETRY_AFTER_MS_MAX, Math.ceil(asked + random() * Math.min(0.1 * asked, RETRY_AFTER_JITTER_MS_MAX)));
  }
  const { firstWaitMs, waitMsMin, waitMsMax, growth = 2, jitter = 1 } = limits;
  const ceiling = Math.max(waitMsMin, Math.min(waitMsMax, firstWaitMs * growth ** (attempt - 1)));
  const floor = Math.max(waitMsMin, ceiling * (1 - jitter));
  return Math.round(floor + random() * (ceiling - floor));
}

/** What reads that are repeated draw on. */
export interface ReadContext extends Pick<RunContext, 'clock' | 'sleep' | 'random'> {
  readonly signal?: AbortSignal | undefined;
  /** Epoch ms: nothing is begun that could only begin after it. */
  readonly deadline?: number | undefined;
  /** What the repeats of all reads draw on together; without one, each read has all its attempts. */
  readonly retryBudget?: RetryBudget | undefined;
}

/**
 * Does a read, or a PUT, again while it fails in a way that may pass, with the waits of `retryDelay`, and gives the last outcome.
 * Only the sleep is cut short by `signal`, with its reason thrown: what was sent is waited for.
 */
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
    const decision = retryDelay({
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
 * What all repeats of a run's reads draw on together. While the service answers, every answer gives a little back; in an outage the budget
 * is soon used up, and then each read is sent once: repeats never multiply an outage.
 */
export class RetryBudget {
  #left = RETRY_BUDGET;

  /** False when there is nothing left for a repeat. */
  take(): boolean {
    if (this.#left < RETRY_COST) return false;
    this.#left -= RETRY_COST;
    return true;
  }

  /** The service answered. */
  answered(): void {
    this.#left = Math.min(RETRY_BUDGET, this.#left + 1);
  }
}
