/** Which workspace a ledger belongs to, and how far it has come. */
export interface Lineage {
  readonly workspace: string;
  /** Milliseconds since the epoch: the time of the latest commit, or a little more, since it never goes back. */
  readonly generation: number;
}

/** A recovery of a ledger that was older than its workspace, or lost. Nothing is sent before it has ended. */
export interface Recovery {
  readonly beganAt: number;
  /** What the ledger stood at when it was found old; 0 for one that was lost. */
  readonly oldSince: number;
  /**
   * Projects above `gapFrom`, up to `gapTo`, may be of orders that the ledger had forgotten. Digits; null while that is not known yet.
   * (`gapTo` is known once whatever was sent before the recovery has shown itself.)
   */
  readonly gapFrom: string | null;
  readonly gapTo: string | null;
  readonly endedAt: number | null;
}

/** Where the ledger stands beside its workspace, and how it came back from a backup. */
export interface LineageBook {
  lineage(): Promise<Lineage | null>;
  /** The ledger is this workspace's from now on, and its generation at least so high. Gives the new one. */
  moveOn(workspace: string, atLeast: number): Promise<number>;
  /** Begins a recovery for every account on record and this one; where one is open, that goes on. */
  beginRecovery(oldSince: number): Promise<Recovery>;
  /** The latest recovery for this account, over or not; null where there never was one. */
  latestRecovery(): Promise<Recovery | null>;
  noteGap(gap: { readonly from: string } | { readonly to: string }): Promise<void>;
  endRecovery(): Promise<void>;
  /**
   * Ready orders that were never sent, as far as this ledger knows, become unresolved, in doubt since now: they may have been sent since it was
   * copied. Returns how many.
   */
  doubtReadyOrders(idBound: string, reason: string): Promise<number>;
  /** The same for one order; false where it was not ready. */
  doubtOrder(orderId: number, idBound: string, reason: string): Promise<boolean>;
  /** A row that came back corrected shows that its order was refused. False where the order was not unresolved. */
  refuseForgotten(orderId: number, reason: string): Promise<boolean>;
  /** The row that a corrections workbook names: by the beginning of its file's hash, its sheet and number. */
  rowNamed(hashStart: string, sheet: string, rowNumber: number): Promise<NamedRow | null>;
  isFileOfOtherAccount(hash: string): Promise<boolean>;
}

/** A row as a corrections workbook names it. */
export interface NamedRow {
  readonly id: number;
  readonly fileId: number;
  readonly orderId: number | null;
  /** Whether it is on record in which corrections workbook it stands. */
  readonly isWrittenBack: boolean;
}
