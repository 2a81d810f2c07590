import type { FileHandle } from 'node:fs/promises';
import type { Note, SheetRow } from '../../domain/row.ts';
import { codeOf, type Parts, sentence } from '../../domain/sentences.ts';

export type SheetInfo = Readonly<{ name: string; visible: boolean }>;

export type RowSource = AsyncDisposable &
  Readonly<{
    sheets: readonly SheetInfo[];
    /** True if delimiters separate cells: an extra one moves the rest. */
    delimited?: boolean;
    /** Complete after all rows were read. */
    notes: readonly Note[];
    /** Rows come in order, without empty ones. May be called again. */
    rows(sheetIndex: number): AsyncIterable<SheetRow>;
    comments?(sheetIndex: number): Promise<readonly CellComment[]>;
  }>;

/** `change` is called once for each pass over a sheet. */
export function withRows(source: RowSource, change: (sheet: SheetInfo) => (row: SheetRow) => SheetRow): RowSource {
  return {
    sheets: source.sheets,
    get notes() {
      return source.notes;
    },
    async *rows(sheetIndex) {
      const changed = change(source.sheets[sheetIndex] ?? { name: '', visible: false });
      for await (const row of source.rows(sheetIndex)) yield changed(row);
    },
    comments: async (sheetIndex) => (await source.comments?.(sheetIndex)) ?? [],
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

export type CellComment = Readonly<{ cell: string; text: string }>;

/** The message is for the sender. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const SHEET_LEFT_OUT = 'sheet-left-out';

/** Codes of notes on sheets that may hold orders and were not read. */
export const UNREAD_ORDERS: readonly string[] = [SHEET_LEFT_OUT, 'sheet-hidden-orders', 'sheet-without-header'];

export type Reading = Readonly<{ fileName: string; limits: ReadLimits }>;

/** `says` continues the file's name. */
export function refusedFile({ fileName }: Reading, code: string, says: string, cause?: unknown) {
  return new UnreadableFileError(code, `"${fileName}" ${says}`, { cause });
}

export function unreadable(reading: Reading, code: string, parts?: Parts, cause?: unknown) {
  return refusedFile(reading, codeOf(code), sentence(code, parts), cause);
}

export function damagedFile(reading: Reading, code: string, parts?: Parts, cause?: unknown) {
  return refusedFile(reading, codeOf(code), sentence('damaged', { what: sentence(code, parts) }), cause);
}

export function tooLarge(reading: Reading, code: string, parts?: Parts) {
  return refusedFile(reading, codeOf(code), sentence('too-large', { what: sentence(code, parts) }));
}

export async function* eachRow(batches: AsyncIterable<readonly SheetRow[]>) {
  for await (const batch of batches) for (const row of batch) yield row;
}

const CHUNK_BYTES = 64 * 1024;

/** Reads one chunk ahead. The handle stays open. */
export async function* readChunks(handle: FileHandle, start = 0, end = Number.MAX_SAFE_INTEGER) {
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
    // The caller may close the file next.
    await Promise.allSettled([coming]);
  }
}

async function readChunk(handle: FileHandle, position: number, end: number) {
  const length = Math.min(CHUNK_BYTES, end - position);
  if (length <= 0) return new Uint8Array(0);
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const MIB = 1024 * 1024;

export const defaultReadLimits = {
  entries: 10_000,
  inflatedBytes: 2048 * MIB,
  /** Above `inflationRatioFreeBytes`. */
  inflationRatio: 200,
  inflationRatioFreeBytes: 16 * MIB,
  smallPartBytes: 32 * MIB,
  cellCharacters: 1_000_000,
  /** Per row, and for rows that share few thousand cells. */
  rowCharacters: 32_000_000,
  sheetCharacters: Number.POSITIVE_INFINITY,
  rows: 1_048_576,
  columns: 16_384,
  sharedStringsBytes: 352 * MIB,
};

export type ReadLimits = Readonly<typeof defaultReadLimits>;

/** A text may repeat in a million cells, but the total depends on the file's bytes. */
export function limitsFor(fileBytes: number) {
  return { ...defaultReadLimits, sheetCharacters: handedOverBytes(fileBytes) };
}

function handedOverBytes(fileBytes: number) {
  return 16 * MIB + 400 * fileBytes;
}

export type WorkLimits = Readonly<{ processorSeconds: number; memoryMebibytes: number; handedOverBytes: number }>;

export function readingLimits(fileBytes: number) {
  const mebibytes = fileBytes / MIB;
  return {
    processorSeconds: 10 + 30 * mebibytes,
    memoryMebibytes: Math.min(2048, 512 + 8 * mebibytes),
    handedOverBytes: handedOverBytes(fileBytes),
  };
}

/** Beyond this, rows go back in the plain form. */
export const STYLED_ROWS_MAX = 5_000;

export function writingLimits(rows: number, form: 'styled' | 'plain') {
  const [secondsPerRow, mebibytes] = form === 'styled' ? [0.01, 512 + 0.05 * rows] : [0.005, 512];
  return {
    processorSeconds: 8 + secondsPerRow * rows,
    memoryMebibytes: mebibytes,
    handedOverBytes: Number.POSITIVE_INFINITY,
  };
}
