import type { Clock, Log, Random, Sleep } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ServiceClient } from '../service/client.ts';

/** What a follow-up run is given. */
export interface CollectParts {
  readonly ledger: Ledger;
  readonly client: ServiceClient;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The workspace's root: paths in the ledger are relative to it. */
  readonly root: string;
  /** Where verified files are kept, an absolute path inside the root. */
  readonly store: string;
  readonly images: 'all' | 'referenced' | 'none';
  readonly maxConcurrency: number;
  readonly onProgress: (done: number, total: number) => void;
}
