import type { Clock, Random, Sleep } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ServiceClient } from '../service/client.ts';

/** What a census is taken with. Nothing in it writes. */
export interface CensusParts {
  readonly ledger: Ledger;
  readonly client: Pick<ServiceClient, 'searchProjects' | 'getProject' | 'getStatus'>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** The workspace's root: paths in the ledger are relative to it. */
  readonly root: string;
  /** The workspace's `archive/`, an absolute path. */
  readonly archive: string;
}
