import type { SheetLayout } from '../domain/row.ts';

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
