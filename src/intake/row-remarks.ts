import { cellAddress, cellText, isBlank } from '../domain/cells.ts';
import { type Problem, rowProblem, type RowRemark, type SheetRow } from '../domain/row.ts';
import { type FieldName, IDENTIFYING } from './fields.ts';
import type { FieldColumn } from './header/columns.ts';
import type { OrderTable } from './header/header-row.ts';
import { error, type FieldProblem, warning } from './rules.ts';

type Merged = Extract<RowRemark, { kind: 'merged' }>;

export function withoutStruckCells(row: SheetRow) {
  const struck = row.remarks?.filter((remark) => remark.kind === 'struck' && remark.whole) ?? [];
  if (struck.length === 0) return row;
  const columns = new Set(struck.map(({ column }) => column));
  return { ...row, cells: row.cells.map((cell, index) => (columns.has(index) ? undefined : cell)) };
}

/** Titles and headers that reach into the row do not count. */
export function withMergedCells(row: SheetRow, table: OrderTable) {
  const filled = row.remarks?.filter((remark): remark is Merged => {
    if (remark.kind !== 'merged' || !isBelowHeader(remark, table) || !isDown(remark) || remark.shows === undefined)
      return false;
    const field = fieldOfColumn(remark.column, table)?.field;
    return field !== undefined && field !== 'inspectionNumber' && isBlank(row.cells[remark.column]);
  });
  if (filled === undefined || filled.length === 0) return row;
  const width = Math.max(row.cells.length, ...filled.map(({ column }) => column + 1));
  const shown = new Map(filled.map(({ column, shows }) => [column, shows]));
  return { ...row, cells: Array.from({ length: width }, (_, index) => shown.get(index) ?? row.cells[index]) };
}

/** @param row As in the file, merged cells not filled. */
export function judgeRemarks(row: SheetRow, table: OrderTable) {
  const findings: FieldProblem[] = [];
  const problems: Problem[] = [];
  const changes: { field: FieldName; column: FieldColumn; held: string; why: string }[] = [];
  for (const remark of row.remarks ?? []) {
    const cell = cellAddress(remark.column, row.rowNumber);
    const value = cellText(row.cells[remark.column]);
    const known = fieldOfColumn(remark.column, table);
    if (remark.kind === 'doubt') {
      problems.push(
        rowProblem('error', remark.rule, `Row ${row.rowNumber} (${cell}): ${remark.message}`, {
          column: known?.column.header ?? null,
          cell,
          value,
        }),
      );
    } else if (known !== undefined) {
      const { field, column } = known;
      if (remark.kind === 'repair') changes.push({ field, column, held: remark.held, why: remark.why });
      else if (remark.kind === 'struck') findings.push(struckFinding(remark, field, value));
      else if (remark.kind === 'warning')
        findings.push({ severity: 'warning', rule: remark.rule, field, message: remark.message });
      else if (isBelowHeader(remark, table)) {
        const first = cellAddress(remark.firstColumn, remark.firstRow);
        if (!isBlank(row.cells[remark.column])) findings.push(...hiddenValue(remark, field, cell, value, first));
        else if (!isDown(remark) || remark.shows === undefined) continue;
        // A policy may have several houses; an inspection has its own number.
        else if (field === 'inspectionNumber') findings.push(error(field, 'merged-number', { cell, first }));
        else changes.push({ field, column, held: '', why: `merged with ${first}` });
      }
    }
  }
  return { findings, problems, changes };
}

function struckFinding({ whole, text }: Extract<RowRemark, { kind: 'struck' }>, field: FieldName, rest: string) {
  if (!whole) return warning(field, 'cell-struck-out-in-part', { text, rest });
  return IDENTIFYING.has(field)
    ? error(field, 'cell-struck-out', { text })
    : warning(field, 'cell-struck-out/optional', { text });
}

function isDown({ column, firstColumn }: Merged) {
  return column === firstColumn;
}

function isBelowHeader({ firstRow }: Merged, { layout }: OrderTable) {
  return firstRow > layout.headerRow;
}

function hiddenValue(
  { shows, column, firstColumn }: Merged,
  field: FieldName,
  cell: string,
  value: string,
  first: string,
) {
  const shown = cellText(shows);
  if (shown === value && firstColumn === column) return [];
  return [error(field, 'merged-cell-hides-value', { cell, first, shown, value })];
}

function fieldOfColumn(index: number, { columns }: OrderTable) {
  for (const [field, list] of columns) {
    const column = list.find((one) => one.index === index);
    if (column !== undefined) return { field, column };
  }
  return undefined;
}
