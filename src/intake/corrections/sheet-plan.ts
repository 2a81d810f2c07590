import { cellText, columnIndex, isBlank, sheetName, type Cell } from '../../domain/cells.ts';
import type { Problem, Repair, RowRecord, SheetLayout } from '../../domain/row.ts';
import { fieldNamed, ORDER_FIELDS, REQUIRED_FIELDS } from '../fields.ts';
import { columnWidth } from './sheet-texts.ts';

export type RowToFix = Readonly<{ record: RowRecord; problems: readonly Problem[]; repairs?: readonly Repair[] }>;

export type Corrections = Readonly<{
  /** Name and hash are part of the row keys. */
  file: Readonly<{ name: string; hash: string }>;
  layouts: readonly SheetLayout[];
  /** Sheet by sheet. Called several times. */
  rows(): AsyncIterable<RowToFix>;
}>;

/** Indexes and rows of the workbook to write; a record's cells are `columnShift` to the left. */
export type SheetPlan = ReturnType<typeof planSheet>;

const HEADER_ROW_MAX = 40;

interface Extent {
  rows: number;
  readonly lengths: Map<number, number>;
}

/** `taken`: names of other sheets. Columns without a field are kept only up to `othersMax`. */
export async function planSheets(
  corrections: Corrections,
  taken: readonly string[],
  othersMax: number,
  guided: boolean,
) {
  const extents = await extentsOf(corrections, othersMax);
  const names = new Set(taken.map((name) => name.toLowerCase()));
  const plans = [];
  for (const layout of corrections.layouts) {
    const extent = extents.get(layout.sheet);
    if (extent === undefined) continue;
    extents.delete(layout.sheet);
    const name = sheetName(layout.sheet, names, { instead: 'Orders', numbered: (number) => ` (${number})` });
    names.add(name.toLowerCase());
    plans.push(planSheet(layout, extent, name, { othersMax, guided }));
  }
  return plans;
}

async function extentsOf(corrections: Corrections, othersMax: number) {
  const extents = new Map<string, Extent>();
  const known = new Map(
    corrections.layouts.map(({ sheet, columns }) => [
      sheet,
      new Set(columns.flatMap(({ index, field }) => (field === null ? [] : [index]))),
    ]),
  );
  for await (const { record } of corrections.rows()) {
    const { sheet } = record.place;
    const extent = extents.get(sheet) ?? { rows: 0, lengths: new Map<number, number>() };
    extents.set(sheet, extent);
    extent.rows += 1;
    for (const [index, cell] of record.cells.entries()) {
      if (isBlank(cell) || (index >= othersMax && known.get(sheet)?.has(index) !== true)) continue;
      extent.lengths.set(index, Math.max(extent.lengths.get(index) ?? 0, lengthOf(cell)));
    }
  }
  return extents;
}

const NUMBER_ROOM = 1.3;

function lengthOf(cell: Cell) {
  if (cell.kind === 'number') return cell.raw.length * NUMBER_ROOM;
  return Math.max(
    ...cellText(cell)
      .split('\n', 20)
      .map((line) => line.length),
  );
}

function planSheet(
  layout: SheetLayout,
  { rows, lengths }: Extent,
  name: string,
  { othersMax, guided }: Readonly<{ othersMax: number; guided: boolean }>,
) {
  const kept = layout.columns.filter(({ index, field }) => field !== null || index < othersMax);
  const own = kept.map(({ index, header, field }) => ({ index, header, field: fieldNamed(field), added: false }));
  const held = new Set([...own.map(({ index }) => index), ...lengths.keys()]);
  const next = [...held].reduce((end, index) => Math.max(end, index + 1), (layout.keyColumn ?? -1) + 1);
  const missing = REQUIRED_FIELDS.filter(
    ({ name }) =>
      layout.given?.[name] === undefined &&
      layout.within?.includes(name) !== true &&
      own.every(({ field }) => field?.name !== name),
  );
  const free = freeColumns(next, held);
  const added = missing.map((field, position) => ({
    index: free[position] ?? next + position,
    header: field.title,
    field,
    added: true,
  }));
  const keyColumn = layout.keyColumn ?? free[added.length] ?? next + added.length;
  const titles = layout.headerRow > HEADER_ROW_MAX ? [] : (layout.titles ?? []);
  const filled = [...own, ...added].map(({ index }) => index).concat(...lengths.keys());
  const isGuided = guided && Math.max(keyColumn, ...filled) + 1 < SHEET_COLUMNS;
  const columnShift = isGuided && (filled.includes(0) || titles.some(({ cells: [first] }) => first != null)) ? 1 : 0;
  const columns = [...own, ...added]
    .map((column) => ({ ...column, index: column.index + columnShift }))
    .toSorted((a, b) => a.index - b.index);
  const byIndex = new Map(columns.map((column) => [column.index, column]));
  const written = [...new Set(filled)]
    .filter((index) => index !== keyColumn)
    .map((index) => index + columnShift)
    .toSorted((a, b) => a - b);
  return {
    layout,
    name,
    guided: isGuided,
    /** 1, or 0 if the sender's first column is free. */
    columnShift,
    columns,
    fields: new Map(columns.map(({ index, field }) => [index, field])),
    written,
    keyColumn: keyColumn + columnShift,
    remarksColumn: free[added.length + 1] ?? next + added.length + 1,
    width: Math.max(keyColumn + columnShift, written.at(-1) ?? 0) + 1,
    titles: titles.map(({ rowNumber, cells }) => ({
      rowNumber,
      cells: [...Array.from({ length: columnShift }, () => null), ...cells.slice(0, othersMax)],
    })),
    headerRow: titles.length === 0 ? 1 : layout.headerRow,
    rows,
    widthOf: (index: number) => {
      const column = byIndex.get(index);
      const atLeast = column === undefined ? 10 : columnWidth(column.header, column.field);
      return Math.min(44, Math.max(atLeast, (lengths.get(index - columnShift) ?? 0) + 2));
    },
  };
}

const SHEET_COLUMNS = 16_384;

/** Columns for additions: after the last one, or in gaps if a stray cell at the sheet's edge leaves no room. */
function freeColumns(next: number, taken: ReadonlySet<number>) {
  const behind = Array.from(
    { length: Math.max(0, Math.min(ORDER_FIELDS.length + 2, SHEET_COLUMNS - next)) },
    (_, offset) => next + offset,
  );
  if (behind.length > ORDER_FIELDS.length + 1) return behind;
  const gaps = [];
  for (let index = 0; index < next && gaps.length <= ORDER_FIELDS.length + 1; index += 1)
    if (!taken.has(index)) gaps.push(index);
  return [...behind, ...gaps];
}

export function columnsOf({ columns }: SheetPlan, fieldName: string | null) {
  return fieldName === null ? [] : columns.filter(({ field }) => field?.name === fieldName);
}

export function columnsAbout(plan: SheetPlan, { field, cell }: Problem) {
  const ofField = columnsOf(plan, field);
  if (ofField.length > 0 || cell === null) return ofField;
  const held = columnIndex(/^[A-Z]*/.exec(cell)?.[0] ?? '') + plan.columnShift;
  return plan.columns.filter(({ index }) => index === held);
}

export function problemText(problem: Problem) {
  return `${problem.severity === 'warning' ? 'Warning (does not stop the row): ' : ''}${withoutAddress(problem)}`;
}

export function withoutAddress({ message, cell }: Problem) {
  return cell === null ? message : message.replace(` (${cell})`, '');
}
