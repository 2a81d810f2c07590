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
  /** Where somebody is to write: text that may take several lines. */
  | 'input'
  /** Small text at the bottom of its cell, below a picture. */
  | 'caption'
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
  | 'dollars'
  | 'dollars and cents'
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
  /** Shown when somebody points at the cell. */
  readonly note?: string | undefined;
  /** A place in this workbook to go to, instead of a link. */
  readonly place?: { readonly sheet: string; readonly cell: string } | undefined;
}

export interface SheetColumn {
  readonly title: string;
  /** In characters. */
  readonly width: number;
  /** Neighbours of one group share a header colour. */
  readonly group?: string | undefined;
  /** Shown when somebody points at the header. */
  readonly note?: string | undefined;
  /** Can be folded away, under the nearest column to its left that cannot. */
  readonly foldable?: boolean | undefined;
  /** What the drop-down of its cells offers; other text may be typed all the same. */
  readonly choices?: readonly string[] | undefined;
  /** Words that colour a cell of this column whose whole text they are, in any case. */
  readonly colouredWords?: readonly { readonly word: string; readonly emphasis: Emphasis }[] | undefined;
}

export interface SheetOptions {
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  /** A table has a header row with filters and frozen panes; a page has not. */
  readonly kind: 'table' | 'page';
  /** How many first columns stay in sight and are printed on each page. */
  readonly frozenColumns?: number | undefined;
  /** How many first columns are printed; all of them where it is left out. */
  readonly printedColumns?: number | undefined;
  /** `RRGGBB`. */
  readonly tabColour?: string | undefined;
}

/** A picture that lies on a sheet. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg';
  /** The cell its upper left corner lies on, both from 0; a table's header is row 0. */
  readonly row: number;
  readonly column: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** What is to be seen, for those who do not see it. */
  readonly description: string;
  /** A relative path in the delivery that a click opens. */
  readonly link?: string | undefined;
}

/** A bar chart of cells of its own sheet: it stays true when somebody changes them. */
export interface Chart {
  readonly title: string;
  /** The cell its upper left corner lies on, both from 0. */
  readonly row: number;
  readonly column: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** One bar each, from the top; `values` stand in `valueColumn`, their names in `nameColumn`, from `firstRow` on (all from 0). */
  readonly bars: readonly { readonly name: string; readonly value: number }[];
  readonly nameColumn: number;
  readonly valueColumn: number;
  readonly firstRow: number;
  /** `RRGGBB`. */
  readonly colour: string;
}

export interface SheetWriter {
  /** Writes the next row; `undefined` is an empty cell. The row fits its text; `height` is the least it has, in points. */
  row(cells: readonly (Cell | undefined)[], height?: number): Promise<void>;
  picture(picture: Picture): void;
  chart(chart: Chart): void;
}

/**
 * A workbook being written. Sheets stand in the order in which they were added, and may be written side by side. A table with more rows
 * than a sheet holds continues on another sheet right after it.
 */
export interface WorkbookWriter {
  sheet(options: SheetOptions): SheetWriter;
}
