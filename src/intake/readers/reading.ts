import type { ReadLimits } from './limits.ts';
import { UnreadableFileError } from './row-source.ts';

/** What every part of a reader needs to know of the file it reads. */
export interface Reading {
  /** The name people know the file by. */
  readonly fileName: string;
  readonly limits: ReadLimits;
}

/**
 * The error for a file that cannot be read.
 * @param sentence goes on from the file's name: `is empty. Fill it in and drop it again.`
 */
export function unreadable(reading: Reading, sentence: string, cause?: unknown): UnreadableFileError {
  return new UnreadableFileError(`"${reading.fileName}" ${sentence}`, cause === undefined ? {} : { cause });
}

/** The error for a file whose inside is broken. `what` is a clause, such as `it ends too early`. */
export function damaged(reading: Reading, what: string, cause?: unknown): UnreadableFileError {
  return unreadable(
    reading,
    `is damaged: ${what}. Get a fresh copy from whoever sent it, or open it in Excel, let Excel repair it, and save it as "Excel Workbook (.xlsx)".`,
    cause,
  );
}

/** The error for a file that goes beyond a limit. `what` is a clause, such as `it has more than 16,384 columns`. */
export function tooMuch(reading: Reading, what: string): UnreadableFileError {
  return unreadable(reading, `is refused: ${what}. Copy just the rows to order into a new workbook and drop that.`);
}
