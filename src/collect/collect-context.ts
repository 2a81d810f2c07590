import type { RunContext } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ServiceClient } from '../service/client.ts';
import type { RetryBudget } from '../service/retry.ts';

/** What a follow-up run is given. */
export interface CollectContext extends RunContext {
  readonly ledger: Ledger;
  readonly client: ServiceClient;
  /** What the repeats of all reads draw on together. */
  readonly retryBudget?: RetryBudget | undefined;
  /** The workspace's root: paths in the ledger are relative to it. */
  readonly root: string;
  /** Where verified files are kept, an absolute path inside the root. */
  readonly store: string;
  readonly images: 'all' | 'referenced' | 'none';
  /** Which of a report's files, where there are two; the full one by default. */
  readonly reports?: 'full' | 'compressed' | undefined;
  /** For so many nights files that do not come are left for the next run; from then on a person is told. */
  readonly patienceNights: number;
  /** Collected projects that changed since then (ms since the epoch) are listed again, however long ago; by default only those of the last nights. */
  readonly recheckSince?: number | undefined;
  /** Of all projects that are followed, only these; each of them is listed again. */
  readonly onlyProjects?: ReadonlySet<string> | undefined;
  readonly maxConcurrency: number;
  readonly onProgress: (done: number, total: number) => void;
}
