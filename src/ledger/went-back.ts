import type { RowRecord } from '../domain/row.ts';
import type { RowSummary } from './ledger.ts';

/** A row as those want it who ask what became of it. */
export interface EarlierRow {
  readonly id: number;
  readonly fileHash: string;
  readonly fileName: string;
  readonly record: RowRecord;
  readonly summary: RowSummary;
  /** The order that it placed or repeats; null for a rejection. */
  readonly orderId: number | null;
  /** True for a rejection, and for the row of an order that the service refused. */
  readonly wentBack: boolean;
  /** The row that came in its place later; null where none has. */
  readonly correctedBy: number | null;
}

/** What is known of rows that went back to their senders; a row that comes to correct one of them names it in `NewRow.corrects`. */
export interface WentBackLookup {
  /** The file whose hash begins so, or null. */
  findFileByHashStart(hashStart: string): { readonly id: number; readonly hash: string } | null;
  /** The files whose names, or whose names in a sender's folder, begin so; the latest first, at most `limit`. */
  filesNamedLike(nameStart: string, limit: number): readonly { readonly id: number; readonly hash: string; readonly name: string }[];
  /** The rows of a file that went back, corrected since or not. */
  rowsThatWentBack(fileId: number): Iterable<EarlierRow>;
  findRow(rowId: number): EarlierRow | null;
}
