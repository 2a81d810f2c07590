import type { SheetLayout } from '../domain/row.ts';
import type { OrderLookup, WentBackLookup } from './lookups.ts';
import type { NewOrder } from './orders.ts';
import type { NewRow } from './rows.ts';

/** Whose file it is, and which of that sender's files are like it. */
export interface FileKind {
  /** The name of the file's folder in the inbox; empty where nobody was named. */
  readonly sender: string;
  /** What stays the same in the names of such files. */
  readonly kind: string;
}

/** A file that went on record before: what the next one is compared with. */
export interface EarlierFile {
  readonly name: string;
  readonly recordedAt: number;
  readonly rows: number;
  readonly layouts: readonly SheetLayout[];
}

/** A file that waits for a person, or waited. */
export interface HeldFile {
  /** SHA-256 of its content: what an approval is bound to. */
  readonly hash: string;
  readonly name: string;
  /** Relative to the workspace; null where it was approved without having been held. */
  readonly heldAs: string | null;
  /** Which limits it broke, in sentences that hold no details of people. */
  readonly reasons: readonly string[];
  readonly approvedAt: number | null;
}

/** What is remembered of senders and of their files, besides the files themselves. */
export interface SenderBook {
  /** The latest files of this kind, newest first; for a named sender without any, those of that sender. */
  filesLike(like: FileKind, limit: number): Promise<readonly EarlierFile[]>;
  /** Puts on record that content is held. An approval of it stays. */
  recordHeld(held: { readonly hash: string; readonly name: string; readonly heldAs: string; readonly reasons: readonly string[] }): Promise<void>;
  /** Puts on record that a person lets this content through, whatever the limits say. */
  approveContent(hash: string, name: string): Promise<void>;
  findHeld(hash: string): Promise<HeldFile | null>;
}

/** A file whose rows are on record. */
export interface FileRecord {
  readonly id: number;
  readonly hash: string;
  /** As people know it: `name.xlsx`, or `sender/name.xlsx`. */
  readonly name: string;
  /** Empty where nobody was named. */
  readonly sender: string;
  readonly recordedAt: number;
  readonly rowsAccepted: number;
  readonly rowsRejected: number;
  /** Relative to the workspace; null while it is not archived. */
  readonly archivedAs: string | null;
  readonly layouts: readonly SheetLayout[];
  /** What a person should know of how it was read. */
  readonly notes: readonly string[];
}

/** A file to put on record. One without a kind is not compared with others, now or later. */
export interface NewFile {
  readonly hash: string;
  /** Now, where it is left out. */
  readonly recordedAt?: number;
  readonly name: string;
  readonly sender?: string;
  readonly kind?: FileKind['kind'];
  readonly layouts: readonly SheetLayout[];
  readonly notes: readonly string[];
}

/** What can be asked and done while a file's rows go on record, all in one transaction. */
export interface FileTransaction extends OrderLookup, WentBackLookup {
  addOrder(order: NewOrder): number;
  addRow(row: NewRow): void;
  /** Something to know of the file that shows only once its rows were read. */
  addNote(note: string): void;
}
