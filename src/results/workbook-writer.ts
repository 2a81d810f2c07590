/** How a cell looks and how its number is shown. */
export type CellFormat =
  | 'text'
  /** Text that may take several lines. */
  | 'wrapped'
  /** Text of which one line is shown, and which does not run over its neighbours. */
  | 'clipped'
  | 'title'
  | 'heading'
  | 'note'
  /** A short word such as Yes, No or a dash, in the middle. */
  | 'word'
  /** A number as it is. */
  | 'number'
  /** A count or size with thousands separated. */
  | 'grouped'
  /** The same, to the left: for pages. */
  | 'amount'
  /** A ZIP code held as a number. */
  | 'zip'
  | 'percent'
  | 'fraction of a percent'
  /** The value is an Excel serial number, a UTC wall clock. */
  | 'date'
  | 'time';

export type Emphasis = 'alarm' | 'warning';

/** What a writer needs of a cell. Strings are always text, whatever they begin with. */
export interface Cell {
  readonly value: string | number;
  readonly format: CellFormat;
  readonly emphasis?: Emphasis | undefined;
  /** A relative path in the delivery, forward slashes, not encoded. */
  readonly link?: string | undefined;
}

export interface SheetColumn {
  readonly title: string;
  /** In characters. */
  readonly width: number;
  /** Neighbours of one group share a header colour. */
  readonly group?: string | undefined;
}

export interface SheetOptions {
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  /** A table has a header row with filters and frozen panes; a page has not. */
  readonly kind: 'table' | 'page';
  /** How many first columns stay in sight and are printed on each page. */
  readonly frozenColumns?: number | undefined;
  /** `RRGGBB`. */
  readonly tabColour?: string | undefined;
}

export interface SheetWriter {
  /** Writes the next row; `undefined` is an empty cell. */
  row(cells: readonly (Cell | undefined)[]): Promise<void>;
}

/** A workbook being written. Sheets stand in the order in which they were added, and may be written side by side. */
export interface WorkbookWriter {
  sheet(options: SheetOptions): SheetWriter;
}
