import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import { repeatRead } from '../service/repeat-read.ts';
import type { CollectParts } from './parts.ts';

/** The service does not answer, or the run is being stopped: what is left waits for the next run. */
export class ServiceAway extends Error {
  override readonly name = 'ServiceAway';
}

/** The value of a read that is repeated while that may help; null where there is no such thing. Throws ServiceAway. */
export async function readOrAway<T>(read: () => Promise<ReadOutcome<T>>, parts: CollectParts): Promise<T | null> {
  if (parts.signal.aborted) throw new ServiceAway('The run was asked to stop.');
  const outcome = await repeatRead(read, parts).catch((failure: unknown) => {
    if (parts.signal.aborted) throw new ServiceAway('The run was asked to stop.');
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
