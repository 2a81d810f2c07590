import type { Clock, Log, Random, Sleep } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ServiceClient } from '../service/client.ts';
import type { RetryBudget } from '../service/retry-budget.ts';

/** What updates are sent with. */
export interface UpdateParts {
  readonly ledger: Ledger;
  /** Its reads and PUTs are paced. */
  readonly client: ServiceClient;
  readonly retryBudget?: RetryBudget | undefined;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The workspace's root: paths in the ledger are relative to it. */
  readonly root: string;
  readonly maxConcurrency: number;
}
