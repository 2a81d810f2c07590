import type { SheetRow } from '../../domain/row.ts';

/** A sheet of an opened file. */
export interface SheetInfo {
  readonly name: string;
  /** False for sheets that the sender hid. */
  readonly visible: boolean;
}

/** An opened spreadsheet, whatever its format. */
export interface RowSource extends AsyncDisposable {
  readonly sheets: readonly SheetInfo[];
  /** True where a delimiter alone tells cells apart, so that one too many moves those behind it. */
  readonly delimited?: boolean;
  /** What a person should know of how it was read, such as `read as windows-1252, separated by ";"`. Notes on a sheet's rows come to it once all of them have been read. */
  readonly notes: readonly string[];
  /** The rows of a sheet that hold at least one non-empty cell, in order; can be asked for more than once. */
  rows(sheetIndex: number): AsyncIterable<SheetRow>;
}

/** The file cannot be read at all; the message says why, and what to do, in a sentence for the person who dropped it. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}
