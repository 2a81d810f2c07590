import type { Clock, Random, Sleep } from '../domain/ports.ts';
import { READ_RETRIES, type RetryLimits } from './limits.ts';
import type { ReadOutcome } from './outcome.ts';
import type { RetryBudget } from './retry-budget.ts';
import { retryDelay } from './retry-delay.ts';

/**
 * Does a read, or a PUT, again while it fails in a way that may pass, with the waits of `retryDelay`, and gives the last outcome.
 * Only the sleep is cut short by `signal`, with its reason thrown: what was sent is waited for.
 */
export async function repeatRead<T>(
  read: () => Promise<ReadOutcome<T>>,
  world: {
    readonly clock: Clock;
    readonly sleep: Sleep;
    readonly random: Random;
    readonly signal?: AbortSignal | undefined;
    readonly limits?: RetryLimits;
    readonly deadline?: number | undefined;
    /** What the repeats of all reads draw on together; without one, each read has all its attempts. */
    readonly retryBudget?: RetryBudget | undefined;
  },
): Promise<ReadOutcome<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await read();
    if (outcome.kind !== 'transient') {
      world.retryBudget?.answered();
      return outcome;
    }
    const decision = retryDelay({
      attempt,
      outcome,
      now: world.clock.now(),
      random: world.random,
      limits: world.limits ?? READ_RETRIES,
      deadline: world.deadline,
    });
    if (decision.kind === 'stop' || world.retryBudget?.take() === false) return outcome;
    await world.sleep(decision.ms, world.signal);
  }
}
