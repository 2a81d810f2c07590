import type { SheetLayout, SheetRow } from '../domain/row.ts';
import { cellText, columnLetters, inWords, isBlank, quoted } from './cells.ts';
import { fieldNamed, ORDER_FIELDS } from './fields.ts';
import type { FieldName, OrderField } from './fields.ts';
import { ROW_KEY_HEADER } from './known-headers.ts';
import type { KnownHeaders } from './known-headers.ts';
import { shortHeaderField } from './short-headers.ts';
import { trimmed } from './values/plain-text.ts';

/** A header row stands among the first rows that hold anything. */
export const HEADER_SEARCH_ROWS = 30;
/** Fewer known headers than these do not make a header row. */
const FIELDS_MIN = 4;
/** A list of states, services and house types is no table of orders: an order names a place, a person or a number. */
const NAMES_AN_ORDER: ReadonlySet<FieldName> = new Set(['streetAddress', 'insuredName', 'policyNumber', 'inspectionNumber']);

/** A column that was matched to a field. */
export interface FieldColumn {
  readonly index: number;
  readonly header: string;
}

/** How the rows of a sheet are to be read. */
export interface OrderTable {
  readonly sheetIndex: number;
  readonly layout: SheetLayout;
  /** The columns of each field; more than one where the sender headed two alike. */
  readonly columns: ReadonlyMap<FieldName, readonly FieldColumn[]>;
  /** The column that holds a corrections workbook's row keys. */
  readonly keyColumn: number | undefined;
  readonly missing: readonly OrderField[];
  readonly notes: readonly string[];
}

interface HeaderCell {
  readonly index: number;
  readonly header: string;
  readonly field: OrderField | undefined;
  /** The header says too little by itself; the others of its row make it sure. */
  readonly short: boolean;
}

function headerCells(row: SheetRow, known: KnownHeaders): HeaderCell[] {
  const cells = row.cells.flatMap((cell, index): HeaderCell[] => {
    if (isBlank(cell)) return [];
    const header = trimmed(cellText(cell));
    return [{ index, header, field: header === ROW_KEY_HEADER ? undefined : known.fieldOf(header), short: false }];
  });
  const fields = new Set(cells.flatMap(({ field }) => (field === undefined ? [] : [field.name])));
  return cells.map((cell) => {
    if (cell.field !== undefined) return cell;
    const headers = cells.filter((other) => other !== cell && other.field === undefined).map(({ header }) => header);
    const name = shortHeaderField(cell.header, { headers, fields });
    return name === undefined ? cell : { ...cell, field: fieldNamed(name), short: true };
  });
}

/** How many different fields a row's cells name; 0 where they cannot be the headers of orders. */
export function fieldsNamed(row: SheetRow, known: KnownHeaders): number {
  const named = new Set(headerCells(row, known).flatMap(({ field }) => (field === undefined ? [] : [field.name])));
  return named.size >= FIELDS_MIN && [...named].some((name) => NAMES_AN_ORDER.has(name)) ? named.size : 0;
}

/** The header row among a sheet's first rows: the one that names the most fields, the first of equals; undefined where none does. */
export function findHeaderRow(rows: readonly SheetRow[], known: KnownHeaders): SheetRow | undefined {
  let best: { row: SheetRow; fields: number } | undefined;
  for (const row of rows) {
    const fields = fieldsNamed(row, known);
    if (fields > (best?.fields ?? 0)) best = { row, fields };
  }
  return best?.row;
}

/** Reads a header row: which column is which field, what is missing, what is not known. */
export function readHeaderRow(row: SheetRow, sheetIndex: number, known: KnownHeaders): OrderTable {
  const cells = headerCells(row, known);
  const keyColumn = cells.find(({ header }) => header === ROW_KEY_HEADER)?.index;
  const columns = new Map<FieldName, FieldColumn[]>();
  for (const { index, header, field } of cells) {
    if (field !== undefined) columns.set(field.name, [...(columns.get(field.name) ?? []), { index, header }]);
  }
  const missing = ORDER_FIELDS.filter(({ name, required }) => required && !columns.has(name));
  return {
    sheetIndex,
    layout: {
      sheet: row.sheet,
      headerRow: row.rowNumber,
      columns: cells.flatMap(({ index, header, field }) => (index === keyColumn ? [] : [{ index, header, field: field?.name ?? null }])),
    },
    columns,
    keyColumn,
    missing,
    notes: headerNotes(row.sheet, cells.filter(({ index }) => index !== keyColumn), columns, missing, known),
  };
}

function headerNotes(
  sheet: string,
  cells: readonly HeaderCell[],
  columns: ReadonlyMap<FieldName, readonly FieldColumn[]>,
  missing: readonly OrderField[],
  known: KnownHeaders,
): string[] {
  const unknown = cells
    .filter(({ field }) => field === undefined)
    .map(({ header, index }) => {
      const near = known.nearestTo(header);
      const hint = near === undefined ? '' : `; the nearest known header is ${quoted(near)}`;
      return `Sheet ${quoted(sheet)}: column ${columnLetters(index)} ${quoted(header)} is not known and is not sent${hint}.`;
    });
  const short = cells.flatMap(({ header, index, field, short: isShort }) =>
    isShort && field !== undefined
      ? [`Sheet ${quoted(sheet)}: column ${columnLetters(index)} ${quoted(header)} is read as ${quoted(field.title)}: no other column could be it.`]
      : [],
  );
  const doubled = ORDER_FIELDS.flatMap(({ name, title }) => {
    const same = columns.get(name) ?? [];
    const places = same.map(({ header, index }) => `${columnLetters(index)} ${quoted(header)}`);
    return same.length < 2 ? [] : [`Sheet ${quoted(sheet)}: columns ${inWords(places)} all stand for ${quoted(title)}; rows in which they differ are rejected.`];
  });
  const absent =
    missing.length === 0
      ? []
      : [`Sheet ${quoted(sheet)} has no column for ${inWords(missing.map(({ title }) => quoted(title)))}: without ${missing.length === 1 ? 'it' : 'them'} no row can be ordered.`];
  return [...absent, ...doubled, ...short, ...unknown];
}
