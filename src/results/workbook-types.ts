export const CELL_FORMATS = [
  'text',
  'wrapped',
  'single line',
  'title',
  'heading',
  'note',
  /** For input, several lines. */
  'input',
  'caption',
  /** Centered: Yes, No, a dash. */
  'word',
  'number',
  'grouped',
  /** Grouped, left-aligned for pages. */
  'amount',
  /** A number. */
  'zip',
  'dollars',
  'dollars and cents',
  'percent',
  'fraction of a percent',
  /** An Excel serial number, UTC wall clock. */
  'date',
  'time',
] as const;

export type CellFormat = (typeof CELL_FORMATS)[number];

export type Emphasis = 'alarm' | 'warning';

/** Strings are always text, never formulas. */
export type TableCell = Readonly<{
  value: string | number;
  format: CellFormat;
  emphasis?: Emphasis | undefined;
  /** Relative to the delivery, forward slashes, not encoded. */
  link?: string | undefined;
  /** In the linked page; not in CSV. */
  anchor?: string;
  note?: string | undefined;
  /** A target in this workbook, instead of a link. */
  place?: Readonly<{ sheet: string; cell: string }> | undefined;
}>;

export type SheetColumn = Readonly<{
  title: string;
  /** In characters. */
  width: number;
  /** Neighbors of one group share a header color. */
  group?: string | undefined;
  note?: string | undefined;
  /** Folds under the nearest unfoldable column to its left. */
  foldable?: boolean;
  choices?: readonly string[];
  /** Draws a bar behind each share, from 0 to 1. */
  bar?: boolean;
  /** Color a cell whose whole text is one of them, ignoring case. */
  coloredWords?: readonly Readonly<{ word: string; emphasis: Emphasis }>[] | undefined;
}>;

export type SheetOptions = Readonly<{
  name: string;
  columns: readonly SheetColumn[];
  /** A table has a header row with filters and frozen panes; a page has none. */
  kind: 'table' | 'page';
  /** Stay visible and print on each page. */
  frozenColumns?: number;
  /** The first columns to print; default all. */
  printedColumns?: number | undefined;
  /** `RRGGBB`. */
  tabColor?: string | undefined;
}>;

export type Picture = Readonly<{
  /** Its upper left cell, from 0; a table's header is row 0. */
  row: number;
  column: number;
  width: number;
  height: number;
  bytes: Uint8Array;
  description: string;
  link?: string | undefined;
}>;

interface SheetWriter {
  /** `undefined` is an empty cell. The row fits its text and is at least `height` points high. */
  row(cells: readonly (TableCell | undefined)[], height?: number): Promise<void>;
  picture(picture: Picture): void;
  /** Draws a bar behind each number in a column of the last `rows`. */
  bars(column: number, rows: number): void;
  /** The rows after these are not printed. Of a page. */
  endOfPrint(): void;
}

/**
 * Sheets keep the order of their creation and may be written in parallel. A table that is too long for a sheet
 * continues on another one right after it.
 */
export interface WorkbookWriter {
  sheet(options: SheetOptions): SheetWriter;
}
