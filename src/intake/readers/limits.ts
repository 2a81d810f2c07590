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
  return { processorSeconds: 5 + 30 * mebibytes, memoryMebibytes: Math.min(2048, 512 + 8 * mebibytes), handedOverBytes: handedOverBytes(fileBytes) };
}

/** More rows to fix than this go back in the plain form: the library that writes the other keeps 30 KB of memory for each. */
export const STYLED_ROWS_MAX = 5_000;

/** For writing a corrections workbook of so many rows, styled or plain. */
export function writingLimits(rows: number, form: 'styled' | 'plain'): WorkLimits {
  const [secondsPerRow, mebibytes] = form === 'styled' ? [0.01, 512 + 0.05 * rows] : [0.005, 512];
  return { processorSeconds: 4 + secondsPerRow * rows, memoryMebibytes: mebibytes, handedOverBytes: Number.POSITIVE_INFINITY };
}
