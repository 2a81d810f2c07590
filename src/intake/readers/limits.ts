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
  rows: 1_048_576,
  columns: 16_384,
  sharedStringsBytes: 352 * MIB,
};
