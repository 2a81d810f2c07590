import { cellText, columnLetters, columnLabel, formatList, isBlank, quoted } from '../../domain/cells.ts';
import type { Note, SheetLayout, SheetRow } from '../../domain/row.ts';
import { noteFor, type Parts } from '../../domain/sentences.ts';
import { ADDRESS_FIELDS, type FieldName, type OrderField, REQUIRED_FIELDS } from '../fields.ts';
import { groupedColumns } from '../grouped-rows.ts';
import { addressColumns, type AddressColumns, fieldsInPlace } from './address-columns.ts';
import {
  ADDRESS_OWNERS,
  contactsHeld,
  type FieldColumn,
  fieldNames,
  type HeaderCell,
  addressPartsIn,
  PLAIN_PARTS,
  valueInTitles,
} from './columns.ts';
import { type DecidedColumns, countFields, headerCells } from './header-cells.ts';
import { contactRank, headerDateOrder, type KnownHeaders, ROW_KEY_HEADER, unsentHeader } from './known-headers.ts';
import { misspelledHeader } from './misspelled-header.ts';
import type { DateOrder } from '../values/coercion.ts';

export const HEADER_SEARCH_ROWS = 30;

/** `title`: what says so, if not a person alone. `isRemembered`: nothing in the file says so. */
export type GivenValue = Readonly<{ value: string; title?: string; why: string; isRemembered?: boolean }>;

/** The rows below a line of text, up to the next one. */
export type Section = Readonly<{
  rowNumber: number;
  rows: number;
  isTitle: boolean;
  /** Of fields without a column: what the line, or one above it, says. */
  titles: ReadonlyMap<FieldName, Readonly<{ value: string; title: string }>>;
  given: ReadonlyMap<FieldName, GivenValue>;
  /** By column: what is added to its rows. */
  added: readonly (readonly [number, string])[];
}>;

export type OrderTable = Readonly<{
  sheetIndex: number;
  layout: SheetLayout;
  cells: readonly HeaderCell[];
  columnAt: readonly (SheetLayout['columns'][number] | undefined)[];
  columns: ReadonlyMap<FieldName, readonly FieldColumn[]>;
  addresses?: AddressColumns | undefined;
  dateOrders: ReadonlyMap<number, DateOrder>;
  keyColumn: number | undefined;
  /** Of fields without a column: the value of all rows. */
  given?: ReadonlyMap<FieldName, GivenValue>;
  sections?: readonly Section[];
  columnsOutside?: ReadonlySet<number>;
  isColored?: boolean;
  grouped?: SheetLayout['columns'];
  sideBySide?: readonly (readonly HeaderCell[])[];
  missing: readonly OrderField[];
  notes: readonly Note[];
}>;

export function countFieldsInRow(row: SheetRow, known: KnownHeaders, above?: SheetRow) {
  return countFields(fieldNames(headerCells(row, known, above)));
}

export type HeaderRow = Readonly<{
  row: SheetRow;
  titles?: readonly SheetRow[];
  above: SheetRow | undefined;
  below: readonly SheetRow[];
}>;

/** The first row with the most fields. If none has enough, the values below count. */
export function findHeaderRow(rows: readonly SheetRow[], known: KnownHeaders): HeaderRow | undefined {
  return rowWithMost(rows, known, countFieldsInRow) ?? rowWithMost(rows, known, fieldsByValues);
}

function rowWithMost(rows: readonly SheetRow[], known: KnownHeaders, count: typeof fieldsByValues) {
  let best: HeaderRow | undefined;
  let most = 0;
  for (const [index, row] of rows.entries()) {
    const above = rows[index - 1];
    // A column is at most one field.
    if (Math.max(row.cells.length, above?.cells.length ?? 0) <= most) continue;
    const below = rows.slice(index + 1);
    const fields = count(row, known, above, below);
    if (fields <= most) continue;
    best = { row, titles: rows.slice(0, index), above, below };
    most = fields;
  }
  return best;
}

/** As meant, if misspelled. `Policy` is a field only over fitting values, which a corrections workbook may lack. */
function fieldsByValues(row: SheetRow, known: KnownHeaders, above: SheetRow | undefined, below: readonly SheetRow[]) {
  if (row.cells.some((cell) => cellText(cell) === ROW_KEY_HEADER)) return row.cells.length;
  if (row.cells.some((cell) => !isBlank(cell) && (cell?.kind !== 'text' || /\d/.test(cell.text)))) return 0;
  const cells = row.cells.map((cell) =>
    cell?.kind === 'text' ? { ...cell, text: misspelledHeader(cell.text)?.name ?? cell.text } : cell,
  );
  return countFields(new Set(readHeaderRow({ row: { ...row, cells }, above, below }, 0, known).columns.keys()));
}

export function readHeaderRow(
  { row, titles = [], above, below }: HeaderRow,
  sheetIndex: number,
  known: KnownHeaders,
  decided?: DecidedColumns,
  values: ReadonlyMap<FieldName, GivenValue> = new Map(),
): OrderTable {
  const cells = headerCells(row, known, above, below, decided);
  const keyColumn = cells.find(({ header }) => header === ROW_KEY_HEADER)?.index;
  const columns = new Map<FieldName, FieldColumn[]>();
  for (const { index, header, field, part } of cells) {
    if (field !== undefined) columns.set(field.name, [...(columns.get(field.name) ?? []), { index, header, part }]);
  }
  for (const [name, some] of columns)
    if (some[0]?.part === 'one of several')
      columns.set(
        name,
        some.toSorted((a, b) => (contactRank(a.header) ?? 0) - (contactRank(b.header) ?? 0)),
      );
  const addresses = addressColumns(cells);
  const within = placeFields(cells, columns, below).filter(([name]) => !columns.has(name) && !values.has(name));
  for (const [name, column] of within) columns.set(name, [column]);
  if (addresses !== undefined)
    for (const name of ADDRESS_FIELDS)
      if (columns.has(name)) columns.set(name, inOrderOfHouses(columns.get(name) ?? [], addresses));
  const service = columns.has('serviceName') ? undefined : valueInTitles(titleTexts({ row, titles }));
  const given = new Map([...values].filter(([name]) => !columns.has(name)));
  if (service !== undefined) given.set('serviceName', { ...service, why: 'taken from the title, for all rows' });
  const missing = REQUIRED_FIELDS.filter(({ name }) => !columns.has(name) && !given.has(name));
  const sideBySide = tablesOf(cells);
  const layoutColumns = cells.flatMap(({ index, header, field }) =>
    index === keyColumn ? [] : [{ index, header, field: field?.name ?? null }],
  );
  return {
    sheetIndex,
    cells,
    layout: {
      sheet: row.sheet,
      headerRow: row.rowNumber,
      keyColumn,
      columns: layoutColumns,
      ...(within.length > 0 && { within: within.map(([name]) => name) }),
      ...(given.size > 0 && { given: Object.fromEntries([...given].map(([name, { value }]) => [name, value])) }),
    },
    columnAt: columnsByIndex(layoutColumns),
    columns,
    addresses,
    dateOrders: new Map(
      cells.flatMap(({ index, header, field }) => {
        const order = field?.kind === 'date' ? headerDateOrder(header) : undefined;
        return order === undefined ? [] : [[index, order] as const];
      }),
    ),
    keyColumn,
    given,
    grouped: groupedColumns(layoutColumns, below),
    columnsOutside: new Set(cells.flatMap(({ index, isOutside }) => (isOutside ? index : []))),
    ...(sideBySide.length === 0 ? {} : { sideBySide }),
    missing,
    notes: headerNotes(
      row.sheet,
      cells.filter(({ index }) => index !== keyColumn),
      missing,
      known,
      service,
    ),
  };
}

export function titleTexts({ row, titles = [] }: Pick<HeaderRow, 'row' | 'titles'>) {
  return [row.sheet, ...titles.flatMap(({ cells }) => cells.map(cellText))];
}

export function columnsByIndex(columns: SheetLayout['columns']): OrderTable['columnAt'] {
  const at: (SheetLayout['columns'][number] | undefined)[] = [];
  for (const column of columns) at[column.index] = column;
  return at;
}

function tablesOf(cells: readonly HeaderCell[]) {
  return [
    ...Map.groupBy(
      cells.filter(({ table }) => table !== undefined),
      ({ table }) => table,
    ).values(),
  ];
}

export function placesOfTables(tables: readonly (readonly HeaderCell[])[]) {
  return formatList(
    tables.map((table) => `${columnLetters(table[0]?.index ?? 0)} to ${columnLetters(table.at(-1)?.index ?? 0)}`),
  );
}

function placeFields(
  cells: readonly HeaderCell[],
  columns: ReadonlyMap<FieldName, readonly FieldColumn[]>,
  below: readonly SheetRow[],
) {
  const held = (['streetAddress', 'city'] as const).flatMap((field) =>
    (columns.get(field) ?? [])
      .slice(0, 1)
      .flatMap((column) => addressPartsIn(column.index, field, below).map((name) => [name, column] as const)),
  );
  return [
    ...cells.flatMap((cell) =>
      fieldsInPlace(cell).map((name) => [name, { index: cell.index, header: cell.header }] as const),
    ),
    ...held,
    ...cells
      .filter(({ part }) => part === 'contact')
      .flatMap(({ index, header, part, ...cell }) =>
        contactsHeld({ index, header, ...cell }, below, new Set(columns.keys())).map(
          (name) => [name, { index, header, part }] as const,
        ),
      ),
  ];
}

function inOrderOfHouses(columns: readonly FieldColumn[], { columns: roles }: AddressColumns) {
  const rank = ({ index }: FieldColumn) => {
    const role = roles.find((column) => column.index === index)?.role;
    return (PLAIN_PARTS.includes(role?.part ?? 'unit') ? 0 : 10) + ADDRESS_OWNERS.indexOf(role?.whose ?? 'own');
  };
  return columns.toSorted((a, b) => rank(a) - rank(b));
}

export function wholeHeader({ group, header }: HeaderCell) {
  return group === undefined ? header : `${group} / ${header}`;
}

function headerNotes(
  sheet: string,
  cells: readonly HeaderCell[],
  missing: readonly OrderField[],
  known: KnownHeaders,
  service: ReturnType<typeof valueInTitles>,
) {
  const on = (code: string, parts: Parts) => noteFor(code, { sheet, ...parts });
  const named = (cell: HeaderCell) => columnLabel({ index: cell.index, header: wholeHeader(cell) });
  const notes = service === undefined ? [] : [on('service-in-title', service)];
  if (missing.length > 0) {
    const titles = formatList(missing.map(({ title }) => quoted(title)));
    notes.push(on('columns-missing', { titles, them: missing.length === 1 ? 'it' : 'them' }));
  }
  const tables = tablesOf(cells);
  if (tables.length > 0) notes.push(on('tables-side-by-side', { tables: placesOfTables(tables) }));
  const unsent = cells.filter(
    ({ field, isOutside, header }) => field === undefined && !isOutside && !known.isIgnored(header),
  );
  for (const cell of unsent)
    if (cell.why !== undefined) notes.push(on('column-not-sent', { cell: named(cell), why: cell.why }));
  const outside = cells.filter((cell) => cell.isOutside).map(named);
  if (outside.length > 0) {
    const [are, were] = outside.length === 1 ? ['is', 'it was'] : ['are', 'they were'];
    notes.push(on('columns-apart', { columns: formatList(outside), are, were }));
  }
  const unknown = unsent
    .filter(({ why }) => why === undefined)
    .map((cell) => ({ cell, advice: unsentHeader(cell.header) }));
  const isAlone = ({ advice }: (typeof unknown)[number]) => advice !== undefined || unknown.length <= UNKNOWN_NAMED_MAX;
  const alone = unknown.filter(isAlone).slice(0, UNKNOWN_NAMED_MAX);
  for (const { cell, advice } of alone)
    notes.push(
      advice === undefined
        ? on('column-unknown', { cell: named(cell) })
        : on('column-unknown/known', { cell: named(cell), advice }),
    );
  const rest = unknown.filter((one) => !alone.includes(one));
  if (rest.length > 0) {
    const names = rest.slice(0, UNKNOWN_NAMED_MAX).map(({ cell }) => named(cell));
    const more = rest.length - names.length;
    const which = formatList(more === 0 ? names : [...names, `${more} more`]);
    notes.push(on('columns-unknown', { count: rest.length, other: alone.length === 0 ? '' : 'other ', which }));
  }
  return notes;
}

const UNKNOWN_NAMED_MAX = 10;
