import type { Clock, Log, Random, Sleep } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Pacer } from '../service/pacer.ts';
import type { ServiceClient } from '../service/client.ts';
import type { RetryBudget } from '../service/retry-budget.ts';
import type { OrderingRules } from './row-decision.ts';

/** What a submission run is given. */
export interface SubmitParts {
  readonly ledger: Ledger;
  readonly client: ServiceClient;
  /** What the repeats of all reads draw on together. */
  readonly retryBudget?: RetryBudget | undefined;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Log;
  /** Aborted when the run must end: nothing new is sent then, what is in flight is finished. */
  readonly signal: AbortSignal;
  readonly rules: OrderingRules;
  readonly quarantineMs: number;
  readonly maxConcurrency: number;
  /** The platform user on whose behalf orders are placed. */
  readonly actor: string;
  /** Epoch milliseconds after which nothing new is sent, or null. */
  readonly finishBy: number | null;
  readonly onProgress: (done: number, total: number) => void;
}
