import { columnLetters, columnNamed, formatList, quoted } from '../../domain/cells.ts';
import { note, type Note, type SheetLayout, type SheetRow } from '../../domain/row.ts';
import { ADDRESS_FIELDS, type FieldName, fieldNamed, ORDER_FIELDS, type OrderField } from '../fields.ts';
import { addressColumns, type AddressColumns, fieldsInPlace } from './address-columns.ts';
import { type FieldColumn, type HeaderCell, holdsWholeAddresses } from './columns.ts';
import { type Decided, fieldsOf, headerCells } from './header-cells.ts';
import {
  couldMean,
  headerDateOrder,
  type KnownHeaders,
  nearestHeader,
  phoneRank,
  ROW_KEY_HEADER,
  unsentHeader,
} from './known-headers.ts';
import { headersOf } from './header-words.ts';
import type { DateOrder } from '../values/coercion.ts';

export const HEADER_SEARCH_ROWS = 30;

export interface OrderTable {
  readonly sheetIndex: number;
  readonly layout: SheetLayout;
  readonly cells: readonly HeaderCell[];
  readonly columnAt: readonly (SheetLayout['columns'][number] | undefined)[];
  readonly columns: ReadonlyMap<FieldName, readonly FieldColumn[]>;
  readonly addresses?: AddressColumns | undefined;
  readonly dateOrders: ReadonlyMap<number, DateOrder>;
  readonly keyColumn: number | undefined;
  readonly apart?: ReadonlySet<number>;
  readonly sideBySide?: readonly (readonly HeaderCell[])[];
  readonly missing: readonly OrderField[];
  /** Unknown columns with similar headers. */
  readonly lookalikes?: ReadonlyMap<FieldName, readonly string[]>;
  readonly notes: readonly Note[];
}

export function fieldsNamed(row: SheetRow, known: KnownHeaders, above?: SheetRow): number {
  return fieldsOf(headerCells(row, known, above));
}

export interface HeaderRow {
  readonly row: SheetRow;
  readonly above: SheetRow | undefined;
  readonly below: readonly SheetRow[];
}

/** The first row with the most fields; undefined if none has enough. */
export function findHeaderRow(rows: readonly SheetRow[], known: KnownHeaders): HeaderRow | undefined {
  let best: { header: HeaderRow; fields: number } | undefined;
  for (const [index, row] of rows.entries()) {
    const above = rows[index - 1];
    const fields = fieldsNamed(row, known, above);
    if (fields > (best?.fields ?? 0)) best = { header: { row, above, below: rows.slice(index + 1) }, fields };
  }
  return best?.header;
}

export function readHeaderRow(
  { row, above, below }: HeaderRow,
  sheetIndex: number,
  known: KnownHeaders,
  decided?: Decided,
): OrderTable {
  const cells = headerCells(row, known, above, below, decided);
  const keyColumn = cells.find(({ header }) => header === ROW_KEY_HEADER)?.index;
  const columns = new Map<FieldName, FieldColumn[]>();
  for (const { index, header, field, part } of cells) {
    if (field !== undefined)
      columns.set(field.name, [
        ...(columns.get(field.name) ?? []),
        { index, header, ...(part === undefined ? {} : { part }) },
      ]);
  }
  const phones = columns.get('insuredPhone');
  if (phones?.[0]?.part === 'one of several')
    columns.set(
      'insuredPhone',
      phones.toSorted((a, b) => (phoneRank(a.header) ?? 0) - (phoneRank(b.header) ?? 0)),
    );
  const addresses = addressColumns(cells);
  const places = placeFields(cells, columns, below);
  for (const [name, column] of places) if (!columns.has(name)) columns.set(name, [column]);
  if (addresses !== undefined)
    for (const name of ADDRESS_FIELDS)
      if (columns.has(name)) columns.set(name, inOrderOfHouses(columns.get(name) ?? [], addresses));
  const missing = ORDER_FIELDS.filter(({ name, required }) => required && !columns.has(name));
  const apart = cells.flatMap((cell) => (cell.apart ? [cell.index] : []));
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
      ...(keyColumn === undefined ? {} : { keyColumn }),
      columns: layoutColumns,
    },
    columnAt: columnsAt(layoutColumns),
    columns,
    ...(addresses === undefined ? {} : { addresses }),
    dateOrders: new Map(
      cells.flatMap(({ index, header, field }) => {
        const order = field?.kind === 'date' ? headerDateOrder(header) : undefined;
        return order === undefined ? [] : [[index, order] as const];
      }),
    ),
    keyColumn,
    ...(apart.length === 0 ? {} : { apart: new Set(apart) }),
    ...(sideBySide.length === 0 ? {} : { sideBySide }),
    missing,
    lookalikes: lookalikesOf(missing, cells, known),
    notes: headerNotes(
      row.sheet,
      cells.filter(({ index }) => index !== keyColumn),
      columns,
      missing,
      known,
    ),
  };
}

export function columnsAt(columns: SheetLayout['columns']): OrderTable['columnAt'] {
  const at: (SheetLayout['columns'][number] | undefined)[] = [];
  for (const column of columns) at[column.index] = column;
  return at;
}

function tablesOf(cells: readonly HeaderCell[]): readonly (readonly HeaderCell[])[] {
  return [
    ...Map.groupBy(
      cells.filter(({ table }) => table !== undefined),
      ({ table }) => table,
    ).values(),
  ];
}

export function placesOfTables(tables: readonly (readonly HeaderCell[])[]): string {
  return formatList(
    tables.map((table) => `${columnLetters(table[0]?.index ?? 0)} to ${columnLetters(table.at(-1)?.index ?? 0)}`),
  );
}

function lookalikesOf(
  missing: readonly OrderField[],
  cells: readonly HeaderCell[],
  known: KnownHeaders,
): ReadonlyMap<FieldName, readonly string[]> {
  const unknown = cells.filter(({ field, header }) => field === undefined && header !== ROW_KEY_HEADER);
  return new Map(
    missing.map((field) => {
      const like = unknown.filter(
        ({ header }) =>
          couldMean(header) === field.name ||
          known.fieldOf(header)?.name === field.name ||
          nearestHeader(header, headersOf(field.name).names.slice(1)) !== undefined,
      );
      return [field.name, like.map(columnNamed)];
    }),
  );
}

function placeFields(
  cells: readonly HeaderCell[],
  columns: ReadonlyMap<FieldName, readonly FieldColumn[]>,
  below: readonly SheetRow[],
): readonly (readonly [FieldName, FieldColumn])[] {
  const [street] = columns.get('streetAddress') ?? [];
  const whole =
    street !== undefined && holdsWholeAddresses(street.index, below)
      ? ADDRESS_FIELDS.slice(1).map((name) => [name, street] as const)
      : [];
  return [
    ...cells.flatMap((cell) =>
      fieldsInPlace(cell).map((name) => [name, { index: cell.index, header: cell.header }] as const),
    ),
    ...whole,
  ];
}

function inOrderOfHouses(columns: readonly FieldColumn[], { columns: roles }: AddressColumns): FieldColumn[] {
  const rank = ({ index }: FieldColumn): number => {
    const role = roles.find((column) => column.index === index)?.role;
    return (
      (role?.part === 'street' || role?.part === 'city' || role?.part === 'state' || role?.part === 'zipcode'
        ? 0
        : 10) + ['property', 'own', 'mail', 'other'].indexOf(role?.whose ?? 'own')
    );
  };
  return columns.toSorted((a, b) => rank(a) - rank(b));
}

type SheetNote = (code: string, text: string) => Note;

function headerNotes(
  sheet: string,
  cells: readonly HeaderCell[],
  columns: ReadonlyMap<FieldName, readonly FieldColumn[]>,
  missing: readonly OrderField[],
  known: KnownHeaders,
): Note[] {
  const on: SheetNote = (code, text) => note(code, `Sheet ${quoted(sheet)}${text}`);
  const named = ({ index, header, group }: HeaderCell): string =>
    columnNamed({ index, header: group === undefined ? header : `${group} / ${header}` });
  const unsent = cells.filter(({ field, apart, header }) => field === undefined && !apart && !known.isIgnored(header));
  const unknown = unknownNotes(
    on,
    unsent.filter(({ why }) => why === undefined),
    named,
    (cell) => unknownHint(cell, cells, columns, known),
  );
  const demoted = unsent.flatMap((cell) =>
    cell.why === undefined ? [] : [on('column-not-sent', `: column ${named(cell)} is not sent: ${cell.why}.`)],
  );
  const beside = cells.filter(({ apart }) => apart).map(named);
  const apart =
    beside.length === 0
      ? []
      : [
          on(
            'columns-apart',
            `: ${formatList(beside)} ${beside.length === 1 ? 'stands' : 'stand'} apart from the table, beside empty columns: ${beside.length === 1 ? 'it was' : 'they were'} taken for another table and not read.`,
          ),
        ];
  const ignored = cells
    .filter(({ field, header, apart: beyond }) => field === undefined && !beyond && known.isIgnored(header))
    .map(named);
  const left =
    ignored.length === 0
      ? []
      : [
          on(
            'columns-ignored',
            `: ${ignored.length === 1 ? 'column' : 'columns'} ${formatList(ignored)} ${ignored.length === 1 ? 'is' : 'are'} not sent, as the config says.`,
          ),
        ];
  const read = cells.flatMap((cell) => {
    if (cell.field === undefined) return [];
    const text = `: column ${named(cell)} is read as ${quoted(cell.field.title)}`;
    const isGrouped = cell.group !== undefined && known.fieldOf(cell.header) === undefined;
    return [
      ...(cell.short && cell.part === undefined
        ? [on('column-by-short-name', `${text}: no other column could be it.`)]
        : []),
      ...(isGrouped ? [on('column-by-group', `${text}, with the group above its header.`)] : []),
    ];
  });
  const absent =
    missing.length === 0
      ? []
      : [
          on(
            'columns-missing',
            ` has no column for ${formatList(missing.map(({ title }) => quoted(title)))}: without ${missing.length === 1 ? 'it' : 'them'} no row can be ordered.`,
          ),
        ];
  const tables = tablesOf(cells);
  const several =
    tables.length === 0
      ? [...addressNotes(on, cells, columns), ...severalNotes(on, columns, cells)]
      : [
          on(
            'tables-side-by-side',
            ` HOLDS SEVERAL TABLES OF ORDERS SIDE BY SIDE, in columns ${placesOfTables(tables)}: a row that holds orders of more than one goes back. Give each table a sheet of its own.`,
          ),
        ];
  return [...absent, ...several, ...read, ...demoted, ...apart, ...unknown, ...left];
}

function addressNotes(
  on: SheetNote,
  cells: readonly HeaderCell[],
  columns: ReadonlyMap<FieldName, readonly FieldColumn[]>,
): Note[] {
  const [street] = columns.get('streetAddress') ?? [];
  const isWhole =
    street !== undefined && ADDRESS_FIELDS.slice(1).some((name) => columns.get(name)?.[0]?.index === street.index);
  const whole = isWhole
    ? [
        on(
          'column-whole-address',
          `: column ${columnNamed(street)} seems to hold the whole address: street, city, state and ZIP code are read from it where each is certain.`,
        ),
      ]
    : [];
  const streets = cells.filter(({ address, field }) => address?.part === 'street' && field !== undefined);
  const several =
    streets.length < 2
      ? []
      : [
          on(
            'several-addresses',
            `: columns ${formatList(streets.map(columnNamed))} each begin an address. Where they hold different ones, the inspection is ordered for the property, if street, city, state and ZIP code of it are there; else the row goes back. A second address that is blank or says "same" leaves the first.`,
          ),
        ];
  return [...whole, ...several];
}

function severalNotes(
  on: SheetNote,
  columns: ReadonlyMap<FieldName, readonly FieldColumn[]>,
  cells: readonly HeaderCell[],
): Note[] {
  return ORDER_FIELDS.flatMap(({ name, title }) => {
    const same = (columns.get(name) ?? []).toSorted((a, b) => (name === 'insuredPhone' ? 0 : a.index - b.index));
    if (same.length < 2) return [];
    const roles = cells.filter(
      ({ index, address }) => address !== undefined && same.some((column) => column.index === index),
    );
    const places = `: columns ${formatList(same.map(columnNamed))}`;
    if (new Set(roles.map(({ address }) => address?.set)).size > 1) return [];
    const together = on('columns-joined', `${places} make up ${quoted(title)} together.`);
    if (roles.length > 1 && new Set(roles.map(({ address }) => address?.part)).size === roles.length) return [together];
    if (same[0]?.part === 'one of several')
      return [
        on(
          'columns-first-filled',
          `${places} could each be ${quoted(title)}: the first of them that is filled is sent, in this order. Head the one to call ${quoted(title)} to choose it.`,
        ),
      ];
    if (same.some(({ part }) => part !== undefined)) return [together];
    return [on('columns-alike', `${places} all stand for ${quoted(title)}; rows in which they differ are rejected.`)];
  });
}

const UNKNOWN_NAMED_MAX = 10;

function unknownNotes(
  on: SheetNote,
  unknown: readonly HeaderCell[],
  named: (cell: HeaderCell) => string,
  hint: (cell: HeaderCell) => string,
): Note[] {
  const told = unknown.map((cell) => ({ cell, hint: hint(cell) }));
  const [alone, together] =
    unknown.length > UNKNOWN_NAMED_MAX
      ? [told.filter((one) => one.hint !== '').slice(0, UNKNOWN_NAMED_MAX), told.filter((one) => one.hint === '')]
      : [told, []];
  const notes = alone.map((one) =>
    on('column-unknown', `: column ${named(one.cell)} is not known and is not sent${one.hint}.`),
  );
  const rest = unknown.length - alone.length;
  if (rest === 0) return notes;
  const first = together.slice(0, UNKNOWN_NAMED_MAX).map(({ cell }) => named(cell));
  const more = rest - first.length;
  return [
    ...notes,
    on(
      'columns-unknown',
      `: ${String(rest)} ${notes.length === 0 ? '' : 'other '}columns are not known and are not sent: ${formatList([...first, ...(more === 0 ? [] : [`${String(more)} more`])])}.`,
    ),
  ];
}

function unknownHint(
  { index, header, group }: HeaderCell,
  cells: readonly HeaderCell[],
  columns: ReadonlyMap<FieldName, readonly FieldColumn[]>,
  known: KnownHeaders,
): string {
  const unsent = unsentHeader(header);
  if (unsent !== undefined) return `: ${unsent}`;
  const could = group === undefined ? couldMean(header) : undefined;
  const title = could === undefined ? undefined : fieldNamed(could)?.title;
  if (could !== undefined && title !== undefined) {
    if (columns.has(could)) return '';
    const others = cells.filter((cell) => cell.index !== index && couldMean(cell.header) === could).map(columnNamed);
    if (others.length === 0)
      return `: it could be ${quoted(title)}, or somebody else's. Head it ${quoted(title)} if it is`;
    return `: it could be ${quoted(title)}, and so could ${formatList(others)}. Head the right one ${quoted(title)}`;
  }
  const near = known.nearestTo(header);
  return near === undefined ? '' : `; the nearest known header is ${quoted(near)}`;
}
