import type { VirtualClock } from '../support/virtual-clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';

/** What a fact is checked with. */
export interface LedgerBench {
  /** An empty ledger, opened for `an account`. */
  readonly ledger: Ledger;
  readonly clock: VirtualClock;
  /** Opens the same ledger once more, by default for the same account; it is closed at the end. */
  readonly openAgain: (account?: string) => Promise<Ledger>;
}

/** Something that is true of every ledger, whatever its database. */
export interface LedgerFact {
  readonly fact: string;
  readonly holds: (bench: LedgerBench) => Promise<void>;
}

/** All that an asynchronous iterable gives. */
export async function listed<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  return Array.fromAsync(items);
}
