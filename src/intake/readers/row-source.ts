/* What the readers of both formats share: the interface, limits, errors for people, bytes of a file. */

import type { FileHandle } from 'node:fs/promises';
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

/** How a note begins its warning that orders may have been left out. */
export const LOUD = 'LOOKS LIKE ORDERS';

/** How such a note says that a sheet was left out for its name alone. */
export const LEFT_OUT = 'WAS LEFT OUT';

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

/** The rows of batches, one by one. An async generator would do the same at three times the price, which tells where rows come by the million. */
export function eachRow(
  batches: AsyncGenerator<readonly SheetRow[], void, undefined>,
): AsyncIterableIterator<SheetRow, undefined, undefined> {
  let batch: readonly SheetRow[] = [];
  let place = 0;
  const nextOfBatches = async (): Promise<IteratorResult<SheetRow, undefined>> => {
    for (;;) {
      const next = await batches.next();
      if (next.done === true) return { done: true, value: undefined };
      const [first] = next.value;
      if (first === undefined) continue;
      batch = next.value;
      place = 1;
      return { done: false, value: first };
    }
  };
  return {
    next() {
      const value = batch[place];
      if (value === undefined) return nextOfBatches();
      place += 1;
      return Promise.resolve({ done: false, value });
    },
    async return() {
      batch = [];
      await batches.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const ROWS_NAMED_MAX = 5;

/** Counts what people should look at, and remembers the first rows that hold it. */
export class PlacesOfNote {
  readonly #rows: number[] = [];
  #more = false;
  #lastRow = 0;
  count = 0;

  add(row: number): void {
    this.count += 1;
    if (this.#lastRow === row) return;
    this.#lastRow = row;
    if (this.#rows.length < ROWS_NAMED_MAX) this.#rows.push(row);
    else this.#more = true;
  }

  /** Such as `row 7`, `rows 7, 9` or `rows 7, 9, 12, 13, 20 and further ones`. */
  get rows(): string {
    return `${this.#rows.length === 1 && !this.#more ? 'row' : 'rows'} ${this.#rows.join(', ')}${this.#more ? ' and further ones' : ''}`;
  }
}

/** Larger ones would live among V8's large objects, which only a full collection frees. */
const CHUNK_BYTES = 64 * 1024;

/** The bytes of a file from `start` up to `end`, or to the file's end; each chunk is a buffer of its own, read while the one before is at work. The handle stays open. */
export async function* fileBytes(
  handle: FileHandle,
  start = 0,
  end = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Uint8Array, void, undefined> {
  let position = start;
  let coming = readChunk(handle, position, end);
  try {
    for (;;) {
      const chunk = await coming;
      if (chunk.length === 0) return;
      position += chunk.length;
      coming = readChunk(handle, position, end);
      yield chunk;
    }
  } finally {
    // A reader that stops halfway may close the file next.
    await Promise.allSettled([coming]);
  }
}

async function readChunk(handle: FileHandle, position: number, end: number): Promise<Uint8Array> {
  const length = Math.min(CHUNK_BYTES, end - position);
  if (length <= 0) return new Uint8Array(0);
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** How many bytes at the end begin a UTF-8 character that they do not finish: 0 to 3. */
export function unfinishedUtf8Bytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/** How much of a file is read before it is refused: against zip bombs and files that only claim to be spreadsheets. */
export interface ReadLimits {
  /** Entries in a zip. */
  readonly entries: number;
  /** All entries of a zip together, unpacked. */
  readonly inflatedBytes: number;
  /** Unpacked bytes for a packed byte, looked at only in entries of more than `inflationRatioFreeBytes`. */
  readonly inflationRatio: number;
  readonly inflationRatioFreeBytes: number;
  /** A part of a workbook that describes others, such as its styles. */
  readonly smallPartBytes: number;
  /** Characters in a cell. Excel itself allows 32,767. */
  readonly cellCharacters: number;
  /** Characters of a row, and of the rows of a workbook that stand within a few thousand cells of each other. */
  readonly rowCharacters: number;
  /** Characters of all cells of a sheet together. */
  readonly sheetCharacters: number;
  /** The highest row number; Excel's own limit. */
  readonly rows: number;
  /** Columns of a row; Excel's own limit. */
  readonly columns: number;
  /** All shared strings of a workbook together, as UTF-8. */
  readonly sharedStringsBytes: number;
}

const MIB = 1024 * 1024;

export const defaultReadLimits: ReadLimits = {
  entries: 10_000,
  inflatedBytes: 2048 * MIB,
  inflationRatio: 200,
  inflationRatioFreeBytes: 16 * MIB,
  smallPartBytes: 32 * MIB,
  cellCharacters: 1_000_000,
  rowCharacters: 32_000_000,
  sheetCharacters: Number.POSITIVE_INFINITY,
  rows: 1_048_576,
  columns: 16_384,
  sharedStringsBytes: 352 * MIB,
};

/** The same for a file of so many bytes: one text may stand in a million cells, and only the bytes of the file say how many were meant. */
export function limitsFor(fileBytes: number): ReadLimits {
  return { ...defaultReadLimits, sheetCharacters: handedOverBytes(fileBytes) };
}

function handedOverBytes(fileBytes: number): number {
  return 16 * MIB + 400 * fileBytes;
}

/** What work on a stranger's file may take of the machine, done in a process of its own. */
export interface WorkLimits {
  /** Of processor time. */
  readonly processorSeconds: number;
  readonly memoryMebibytes: number;
  /** Of what was read, handed over as text. */
  readonly handedOverBytes: number;
}

/**
 * For reading a file: about ten times what honest ones need. A usual night's file is read in a third of a second; the densest workbooks, with
 * long explanations for every row, give back some two hundred times their bytes.
 */
export function readingLimits(fileBytes: number): WorkLimits {
  const mebibytes = fileBytes / MIB;
  return {
    processorSeconds: 5 + 30 * mebibytes,
    memoryMebibytes: Math.min(2048, 512 + 8 * mebibytes),
    handedOverBytes: handedOverBytes(fileBytes),
  };
}

/** More rows to fix than this go back in the plain form: the library that writes the other keeps 30 KB of memory for each. */
export const STYLED_ROWS_MAX = 5_000;

/** For writing a corrections workbook of so many rows, styled or plain. */
export function writingLimits(rows: number, form: 'styled' | 'plain'): WorkLimits {
  const [secondsPerRow, mebibytes] = form === 'styled' ? [0.01, 512 + 0.05 * rows] : [0.005, 512];
  return {
    processorSeconds: 4 + secondsPerRow * rows,
    memoryMebibytes: mebibytes,
    handedOverBytes: Number.POSITIVE_INFINITY,
  };
}
