export const CELL_FORMATS = [
  'text',
  'wrapped',
  /** One line that does not overflow. */
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
  /** With thousands separators. */
  'grouped',
  /** The same, left-aligned for pages. */
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
export interface TableCell {
  readonly value: string | number;
  readonly format: CellFormat;
  readonly emphasis?: Emphasis | undefined;
  /** Relative to the delivery, forward slashes, not encoded. */
  readonly link?: string | undefined;
  /** In the linked page; not in CSV. */
  readonly anchor?: string | undefined;
  readonly note?: string | undefined;
  /** A target in this workbook, instead of a link. */
  readonly place?: { readonly sheet: string; readonly cell: string } | undefined;
}

export interface SheetColumn {
  readonly title: string;
  /** In characters. */
  readonly width: number;
  /** Neighbors of one group share a header color. */
  readonly group?: string | undefined;
  readonly note?: string | undefined;
  /** Folds under the nearest unfoldable column to its left. */
  readonly foldable?: boolean | undefined;
  /** Drop-down choices; other text is allowed. */
  readonly choices?: readonly string[] | undefined;
  /** Draws a bar behind each share, from 0 to 1. */
  readonly bar?: boolean | undefined;
  /** Color a cell whose whole text is one of them, ignoring case. */
  readonly coloredWords?: readonly { readonly word: string; readonly emphasis: Emphasis }[] | undefined;
}

export interface SheetOptions {
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  /** A table has a header row with filters and frozen panes; a page has none. */
  readonly kind: 'table' | 'page';
  /** Stay visible and print on each page. */
  readonly frozenColumns?: number | undefined;
  /** The first columns to print; default all. */
  readonly printedColumns?: number | undefined;
  /** `RRGGBB`. */
  readonly tabColor?: string | undefined;
}

interface Placed {
  /** Its upper left cell, from 0; a table's header is row 0. */
  readonly row: number;
  readonly column: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

export interface Picture extends Placed {
  readonly bytes: Uint8Array;
  readonly description: string;
  /** Relative to the delivery. */
  readonly link?: string | undefined;
}

/** Of cells on the same sheet; follows their changes. */
export interface Chart extends Placed {
  readonly title: string;
  /** From the top. Values are in `valueColumn`, names in `nameColumn`, from `firstRow` on (from 0). */
  readonly bars: readonly { readonly name: string; readonly value: number }[];
  readonly nameColumn: number;
  readonly valueColumn: number;
  readonly firstRow: number;
  /** `RRGGBB`. */
  readonly color: string;
}

export interface SheetWriter {
  /** `undefined` is an empty cell. The row fits its text and is at least `height` points high. */
  row(cells: readonly (TableCell | undefined)[], height?: number): Promise<void>;
  picture(picture: Picture): void;
  chart(chart: Chart): void;
}

/**
 * Sheets keep the order of their creation and may be written in parallel. A table that is too long for a sheet
 * continues on another one right after it.
 */
export interface WorkbookWriter {
  sheet(options: SheetOptions): SheetWriter;
}
