import type { DeliveryRecord } from './deliveries.ts';
import type { StoredArtifact } from './artifacts.ts';
import type { FileRecord } from './files.ts';

/** What can be taken away from disk. */
export type RemovalKind = 'original' | 'delivery' | 'download' | 'thumbnail' | 'log';

export interface Removal {
  readonly kind: RemovalKind;
  /** Relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
}

/** What the ledger would forget, or has forgotten, of people. */
export interface ForgottenDetails {
  readonly orders: number;
  readonly rows: number;
}

/**
 * What retention needs of the ledger. `before`: milliseconds since the epoch. An order is at its end when nothing can come of it any more: its
 * project was received with its files, canceled, or given up, and a delivery has shown that; or it never had one, and whoever sent it knows.
 */
export interface PruneBook {
  /** Archived files from before, with every row at its end. */
  filesAtTheirEnd(before: number): Promise<readonly FileRecord[]>;
  /** Deliveries from before, save the latest one and those that alone show a project which is still followed. */
  deliveriesAtTheirEnd(before: number): Promise<readonly DeliveryRecord[]>;
  /** Stored files of projects that were received or canceled before. */
  downloadsAtTheirEnd(before: number): AsyncIterable<StoredArtifact>;
  /** Counts orders at their end since before, and their rows from before, that still hold people's details. */
  detailsToForget(before: number): Promise<ForgottenDetails>;
  /**
   * Takes those details out of the ledger, and out of its file. Numbers, states, counts and steps stay, and so does what makes a row that
   * comes again a repeat: where that is an address, as its hash.
   */
  forgetDetails(before: number): Promise<ForgottenDetails>;
  /** Puts on record what is about to be removed. */
  beginRemovals(removals: readonly Removal[]): Promise<void>;
  /** It is gone. */
  endRemovals(paths: readonly string[]): Promise<void>;
  /** What was about to be removed when the program ended. */
  openRemovals(): Promise<readonly Removal[]>;
  /** Whether a path that the ledger names is gone because of retention. */
  wasRemoved(path: string): Promise<boolean>;
}
