import type { Cell, Problem, Repair, RowRecord, SheetLayout } from '../domain/row.ts';
import { cellText, isBlank } from './cells.ts';
import { fieldNamed, ORDER_FIELDS } from './fields.ts';
import type { OrderField } from './fields.ts';
import { usableSheetName } from './sheet-names.ts';
import { columnWidth } from './written-cell.ts';

/** A row that goes back to its sender, and why. */
export interface RowToFix {
  readonly record: RowRecord;
  readonly problems: readonly Problem[];
  /** What was read differently from how it was typed. A date that only its whole column could decide is written as that date. */
  readonly repairs?: readonly Repair[];
}

/** What a corrections workbook is made of. */
export interface Corrections {
  /** The file that the rows stood in; its name and its hash are part of the row keys. */
  readonly file: { readonly name: string; readonly hash: string };
  readonly layouts: readonly SheetLayout[];
  /** The rows to fix. Asked for several times, so that no more than one row is held at once. */
  rows(): AsyncIterable<RowToFix>;
}

/** A column as it is written: the sender's, or one that was missing. */
export interface WrittenColumn {
  readonly index: number;
  readonly header: string;
  readonly field: OrderField | undefined;
  readonly added: boolean;
}

/** A sheet as it is written. */
export interface SheetPlan {
  readonly layout: SheetLayout;
  /** What the sheet is called in the workbook. */
  readonly name: string;
  /** In the order in which they stand. */
  readonly columns: readonly WrittenColumn[];
  readonly keyColumn: number;
  /** One more than the index of the last column, the hidden one included. */
  readonly width: number;
  readonly titles: NonNullable<SheetLayout['titles']>;
  readonly headerRow: number;
  /** How many rows to fix the sheet holds. */
  readonly rows: number;
  /** The width of a column, in characters. */
  readonly widthOf: (index: number) => number;
}

/** A title block that reaches further down than this is left out. */
const HEADER_ROW_MAX = 40;

/** How much of a sheet its rows to fix take up. */
interface Extent {
  rows: number;
  /** The longest text by column index. */
  readonly lengths: number[];
}

/** Plans a sheet for each of the sender's sheets that has rows to fix. `taken` are names of sheets that come besides. */
export async function planSheets(corrections: Corrections, taken: readonly string[]): Promise<SheetPlan[]> {
  const extents = await extentsOf(corrections);
  const plans: SheetPlan[] = [];
  for (const layout of corrections.layouts) {
    const extent = extents.get(layout.sheet);
    if (extent !== undefined) plans.push(planSheet(layout, extent, usableSheetName(layout.sheet, [...taken, ...plans.map(({ name }) => name)])));
  }
  return plans;
}

async function extentsOf(corrections: Corrections): Promise<Map<string, Extent>> {
  const extents = new Map<string, Extent>();
  for await (const { record } of corrections.rows()) {
    const extent = extents.get(record.place.sheet) ?? { rows: 0, lengths: [] };
    extents.set(record.place.sheet, extent);
    extent.rows += 1;
    for (const [index, cell] of record.cells.entries()) if (!isBlank(cell)) extent.lengths[index] = Math.max(extent.lengths[index] ?? 0, lengthOf(cell));
  }
  return extents;
}

/** A number that does not fit is shown as `###`, and fonts differ. */
const NUMBER_ROOM = 1.3;

function lengthOf(cell: Cell): number {
  if (cell.kind === 'number') return cell.raw.length * NUMBER_ROOM;
  return Math.max(...cellText(cell).split('\n', 20).map((line) => line.length));
}

function planSheet(layout: SheetLayout, { rows, lengths }: Extent, name: string): SheetPlan {
  const own = layout.columns.map(({ index, header, field }) => ({ index, header, field: field === null ? undefined : fieldNamed(field), added: false }));
  const next = Math.max(lengths.length, (layout.keyColumn ?? -1) + 1, ...own.map(({ index }) => index + 1));
  const missing = ORDER_FIELDS.filter((field) => field.required && own.every((column) => column.field?.name !== field.name));
  const free = freeColumns(next, new Set([...own.map(({ index }) => index), ...[...lengths.keys()].filter((index) => lengths[index] !== undefined)]));
  const added = missing.map((field, position) => ({ index: free[position] ?? next + position, header: field.title, field, added: true }));
  const columns = [...own, ...added].toSorted((a, b) => a.index - b.index);
  const byIndex = new Map(columns.map((column) => [column.index, column]));
  // A workbook that comes back wrong again keeps its hidden column where it is.
  const keyColumn = layout.keyColumn ?? free[added.length] ?? next + added.length;
  const titles = layout.headerRow > HEADER_ROW_MAX ? [] : (layout.titles ?? []);
  return {
    layout,
    name,
    columns,
    keyColumn,
    width: Math.max(keyColumn + 1, next, ...added.map(({ index }) => index + 1)),
    titles,
    headerRow: titles.length === 0 ? 1 : layout.headerRow,
    rows,
    widthOf: (index) => {
      const column = byIndex.get(index);
      const atLeast = column === undefined ? 10 : columnWidth(column.header, column.field);
      return Math.min(44, Math.max(atLeast, (lengths[index] ?? 0) + 2));
    },
  };
}

/** What a sheet holds. */
const SHEET_COLUMNS = 16_384;

/** Where columns can be added: behind the last one, and where a stray cell at the sheet's very edge leaves no room there, in the gaps before it. */
function freeColumns(next: number, taken: ReadonlySet<number>): readonly number[] {
  const behind = Array.from({ length: Math.max(0, Math.min(ORDER_FIELDS.length + 1, SHEET_COLUMNS - next)) }, (_, offset) => next + offset);
  if (behind.length > ORDER_FIELDS.length) return behind;
  const gaps: number[] = [];
  for (let index = 0; index < next && gaps.length <= ORDER_FIELDS.length; index += 1) if (!taken.has(index)) gaps.push(index);
  return [...behind, ...gaps];
}

/** The columns that a problem or a repair of a field is about; none where it is about the row as a whole. */
export function columnsOf({ columns }: SheetPlan, fieldName: string | null): readonly WrittenColumn[] {
  return fieldName === null ? [] : columns.filter(({ field }) => field?.name === fieldName);
}

/** The message without the cell's address in the original file: here the cell is another. */
export function withoutAddress({ message, cell }: Problem): string {
  return cell === null ? message : message.replace(` (${cell})`, '');
}
