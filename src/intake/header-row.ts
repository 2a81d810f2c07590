import type { SheetLayout, SheetRow } from '../domain/row.ts';
import { cellText, columnLetters, inWords, isBlank, quoted } from './cells.ts';
import { fieldNamed, ORDER_FIELDS } from './fields.ts';
import type { FieldName, OrderField } from './fields.ts';
import { withGroups } from './header-groups.ts';
import type { NamedCell } from './header-groups.ts';
import { headerDateOrder, ROW_KEY_HEADER } from './known-headers.ts';
import type { KnownHeaders } from './known-headers.ts';
import { couldStandFor, shortHeaderField } from './short-headers.ts';
import { unsentHeader } from './unsent-headers.ts';
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
  /** The order of day and month that a column's own header asks for, by index. */
  readonly dateOrders: ReadonlyMap<number, 'day first' | 'month first'>;
  /** The column that holds a corrections workbook's row keys. */
  readonly keyColumn: number | undefined;
  readonly missing: readonly OrderField[];
  readonly notes: readonly string[];
}

interface HeaderCell extends NamedCell {
  /** The header says too little by itself; the others of its row make it sure. */
  readonly short: boolean;
}

function namedCells(row: SheetRow, known: KnownHeaders): NamedCell[] {
  return row.cells.flatMap((cell, index): NamedCell[] => {
    if (isBlank(cell)) return [];
    const header = trimmed(cellText(cell));
    return [{ index, header, field: header === ROW_KEY_HEADER ? undefined : known.fieldOf(header) }];
  });
}

function headerCells(row: SheetRow, known: KnownHeaders, above: SheetRow | undefined): HeaderCell[] {
  const cells = withGroups(namedCells(row, known), row, above, known);
  const fields = new Set(cells.flatMap(({ field }) => (field === undefined ? [] : [field.name])));
  // What stands under a group that did not make it known belongs to something else: a lender's phone is not the insured's.
  const open = new Set(cells.filter(({ header, field, group }) => field === undefined && group === undefined && !known.isIgnored(header) && couldStandFor(header) !== undefined));
  const headers = Map.groupBy(open, ({ header }) => couldStandFor(header));
  return cells.map((cell) => {
    const rivals = open.has(cell) ? (headers.get(couldStandFor(cell.header)) ?? []) : [];
    const name = rivals.length === 1 ? shortHeaderField(cell.header, { headers: [], fields }) : undefined;
    return name === undefined ? { ...cell, short: false } : { ...cell, field: fieldNamed(name), short: true };
  });
}

/** How many different fields a row's cells name; 0 where they cannot be the headers of orders. */
export function fieldsNamed(row: SheetRow, known: KnownHeaders, above?: SheetRow): number {
  const named = new Set(headerCells(row, known, above).flatMap(({ field }) => (field === undefined ? [] : [field.name])));
  return named.size >= FIELDS_MIN && [...named].some((name) => NAMES_AN_ORDER.has(name)) ? named.size : 0;
}

/** A header row, and the row above it, which may name groups of its columns. */
export interface HeaderRow {
  readonly row: SheetRow;
  readonly above: SheetRow | undefined;
}

/** The header row among a sheet's first rows: the one that names the most fields, the first of equals; undefined where none does. */
export function findHeaderRow(rows: readonly SheetRow[], known: KnownHeaders): HeaderRow | undefined {
  let best: { header: HeaderRow; fields: number } | undefined;
  for (const [index, row] of rows.entries()) {
    const above = rows[index - 1];
    const fields = fieldsNamed(row, known, above);
    if (fields > (best?.fields ?? 0)) best = { header: { row, above }, fields };
  }
  return best?.header;
}

/** Reads a header row: which column is which field, what is missing, what is not known. */
export function readHeaderRow({ row, above }: HeaderRow, sheetIndex: number, known: KnownHeaders): OrderTable {
  const cells = headerCells(row, known, above);
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
      ...(keyColumn === undefined ? {} : { keyColumn }),
      columns: cells.flatMap(({ index, header, field }) => (index === keyColumn ? [] : [{ index, header, field: field?.name ?? null }])),
    },
    columns,
    dateOrders: new Map(cells.flatMap(({ index, header, field }) => {
      const order = field?.kind === 'date' ? headerDateOrder(header) : undefined;
      return order === undefined ? [] : [[index, order] as const];
    })),
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
  const named = ({ index, header, group }: HeaderCell): string => `${columnLetters(index)} ${quoted(group === undefined ? header : `${group} / ${header}`)}`;
  const unknown = unknownNotes(sheet, cells.filter(({ field, header }) => field === undefined && !known.isIgnored(header)), named, (cell) => unknownHint(cell, columns, known));
  const ignored = cells.filter(({ field, header }) => field === undefined && known.isIgnored(header)).map(named);
  const left = ignored.length === 0 ? [] : [`Sheet ${quoted(sheet)}: ${ignored.length === 1 ? 'column' : 'columns'} ${inWords(ignored)} ${ignored.length === 1 ? 'is' : 'are'} not sent, as the config says.`];
  const short = cells.flatMap((cell) =>
    cell.short && cell.field !== undefined ? [`Sheet ${quoted(sheet)}: column ${named(cell)} is read as ${quoted(cell.field.title)}: no other column could be it.`] : [],
  );
  const grouped = cells.flatMap((cell) =>
    cell.group !== undefined && cell.field !== undefined && known.fieldOf(cell.header) === undefined ? [`Sheet ${quoted(sheet)}: column ${named(cell)} is read as ${quoted(cell.field.title)}, with the group above its header.`] : [],
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
  return [...absent, ...doubled, ...short, ...grouped, ...unknown, ...left];
}

/** Of a sheet with more unknown columns than these, the others are only counted. */
const UNKNOWN_NAMED_MAX = 60;

function unknownNotes(sheet: string, unknown: readonly HeaderCell[], named: (cell: HeaderCell) => string, hint: (cell: HeaderCell) => string): string[] {
  const first = unknown.slice(0, UNKNOWN_NAMED_MAX).map((cell) => `Sheet ${quoted(sheet)}: column ${named(cell)} is not known and is not sent${hint(cell)}.`);
  const more = unknown.length - first.length;
  return more === 0 ? first : [...first, `Sheet ${quoted(sheet)}: ${String(more)} more columns are not known and are not sent.`];
}

/** What could be done about a column that is not known. */
function unknownHint({ header, group }: HeaderCell, columns: ReadonlyMap<FieldName, readonly FieldColumn[]>, known: KnownHeaders): string {
  const unsent = unsentHeader(header);
  if (unsent !== undefined) return `: ${unsent}`;
  const could = group === undefined ? couldStandFor(header) : undefined;
  const title = could === undefined ? undefined : fieldNamed(could)?.title;
  if (could !== undefined && title !== undefined && !columns.has(could)) return `: it could be ${quoted(title)}, and so could another column. Head the right one ${quoted(title)}`;
  const near = known.nearestTo(header);
  return near === undefined ? '' : `; the nearest known header is ${quoted(near)}`;
}
