import type { Problem, RowRemark, SheetRow } from '../domain/row.ts';
import { cellAddress, cellText, isBlank, quoted } from './cells.ts';
import type { FieldName } from './fields.ts';
import type { FieldColumn, OrderTable } from './header-row.ts';
import type { Finding } from './rules.ts';

type Merged = Extract<RowRemark, { kind: 'merged' }>;

/** A value that is not what its cell holds in the file, for what the reader did. */
interface ReaderChange {
  readonly field: FieldName;
  readonly column: FieldColumn;
  readonly held: string;
  readonly why: string;
}

/** What the remarks on a row come to. */
export interface RemarkedRow {
  readonly findings: readonly Finding[];
  readonly problems: readonly Problem[];
  readonly changes: readonly ReaderChange[];
}

/** By these an order is known: no two rows may have them from one cell. */
const NUMBERS: ReadonlySet<FieldName> = new Set(['inspectionNumber', 'policyNumber']);

/** The row with what its merged cells show, but for numbers. Titles and headers that reach down into it say nothing of the row. */
export function withMergedCells(row: SheetRow, table: OrderTable): SheetRow {
  const filled = row.remarks?.filter((remark): remark is Merged => {
    if (remark.kind !== 'merged' || !isBelowHeader(remark, table) || !isDown(remark) || remark.shows === undefined) return false;
    const field = fieldOfColumn(remark.column, table)?.field;
    return field !== undefined && !NUMBERS.has(field) && isBlank(row.cells[remark.column]);
  });
  if (filled === undefined || filled.length === 0) return row;
  const width = Math.max(row.cells.length, ...filled.map(({ column }) => column + 1));
  const shown = new Map(filled.map(({ column, shows }) => [column, shows] as const));
  return { ...row, cells: Array.from({ length: width }, (_, index) => shown.get(index) ?? row.cells[index]) };
}

/** @param row as the file holds it, its merged cells not filled. */
export function remarkedRow(row: SheetRow, table: OrderTable): RemarkedRow {
  const findings: Finding[] = [];
  const problems: Problem[] = [];
  const changes: ReaderChange[] = [];
  for (const remark of row.remarks ?? []) {
    const cell = cellAddress(remark.column, row.rowNumber);
    const value = cellText(row.cells[remark.column]);
    const known = fieldOfColumn(remark.column, table);
    if (remark.kind === 'doubt') {
      problems.push({ severity: 'error', rule: remark.rule, field: null, column: known?.column.header ?? null, cell, value, message: `Row ${row.rowNumber} (${cell}): ${remark.message}` });
    } else if (known !== undefined) {
      const { field, column } = known;
      if (remark.kind === 'repair') changes.push({ field, column, held: remark.held, why: remark.why });
      else if (remark.kind === 'warning') findings.push({ severity: 'warning', rule: remark.rule, field, message: remark.message });
      else if (isBelowHeader(remark, table)) {
        const first = cellAddress(remark.firstColumn, remark.firstRow);
        if (!isBlank(row.cells[remark.column])) findings.push(...hiddenValue(remark, field, cell, value, first));
        else if (!isDown(remark) || remark.shows === undefined) continue;
        else if (NUMBERS.has(field)) findings.push({ severity: 'error', rule: 'merged-number', field, message: `${cell} is merged with ${first}: write the number into each row.` });
        else changes.push({ field, column, held: '', why: `merged with ${first}` });
      }
    }
  }
  return { findings, problems, changes };
}

/** Merged with a cell above it, of its own column. */
function isDown({ column, firstColumn }: Merged): boolean {
  return column === firstColumn;
}

function isBelowHeader({ firstRow }: Merged, { layout }: OrderTable): boolean {
  return firstRow > layout.headerRow;
}

/** A merged cell that kept a value of its own: nobody sees it. */
function hiddenValue({ shows, column, firstColumn }: Merged, field: FieldName, cell: string, value: string, first: string): readonly Finding[] {
  const shown = cellText(shows);
  // To the right it stands for another field: not even the same value is meant there.
  if (shown === value && firstColumn === column) return [];
  return [{ severity: 'error', rule: 'merged-cell-hides-value', field, message: `${cell} is merged with ${first} and shows ${quoted(shown)}, but holds ${quoted(value)}, which nobody sees. Unmerge the cells and write the right value into each.` }];
}

function fieldOfColumn(index: number, { columns }: OrderTable): { readonly field: FieldName; readonly column: FieldColumn } | undefined {
  for (const [field, list] of columns) {
    const column = list.find((one) => one.index === index);
    if (column !== undefined) return { field, column };
  }
  return undefined;
}
