import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { Clock, Random, Sleep } from '../domain/ports.ts';
import type { ReadOutcome } from './outcome.ts';
import { repeatRead } from './repeat-read.ts';
import type { RetryBudget } from './retry-budget.ts';

/** The service does not answer, or the run is being stopped: what is left waits for the next run. */
export class ServiceAway extends Error {
  override readonly name = 'ServiceAway';
}

interface World {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  readonly retryBudget?: RetryBudget | undefined;
}

/** The value of a read that is repeated while that may help; null where there is no such thing. Throws ServiceAway. */
export async function readOrAway<T>(read: () => Promise<ReadOutcome<T>>, world: World): Promise<T | null> {
  if (world.signal.aborted) throw new ServiceAway(messageOf(world.signal.reason));
  const outcome = await repeatRead(read, world).catch((failure: unknown) => {
    if (world.signal.aborted) throw new ServiceAway(messageOf(world.signal.reason));
    if (failure instanceof ExplainedError && failure.exitCode === 4) throw new ServiceAway(messageOf(failure));
    throw failure;
  });
  switch (outcome.kind) {
    case 'ok':
      return outcome.value;
    case 'not-found':
      return null;
    case 'refused':
    case 'stop':
      throw new ServiceAway(`The service answered ${outcome.status}: ${outcome.message}`);
    case 'transient':
      throw new ServiceAway(`The service did not answer: ${outcome.reason}`);
  }
}
