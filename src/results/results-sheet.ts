import { type Finding, GRAVE_WEIGHT } from './attention/findings.ts';
import { COLUMN_WIDTH_MAX } from './column-width.ts';
import { attributeCells, attributeColumns } from './attribute-cells.ts';
import type { AttributeColumn, Layout } from './layout.ts';
import { FIXED_SHEETS } from './list-sheets.ts';
import { KEY_COLUMN_COUNT, PROJECT_COLUMNS, type ProjectRecord } from './project-columns.ts';
import type { Cell, Emphasis, SheetColumn, SheetOptions } from './workbook-writer.ts';

/** The sheet `Results`: a row a project. */
export function resultsSheetOptions(layout: Layout): SheetOptions {
  return {
    name: FIXED_SHEETS.results,
    kind: 'table',
    frozenColumns: KEY_COLUMN_COUNT,
    columns: [...PROJECT_COLUMNS.map((column) => ({ ...column, note: column.meaning })), ...foldable(attributeColumns(layout, ({ group }) => group))],
    tabColour: '2F5597',
  };
}

/** Each group can be folded away under its first column. */
function foldable(columns: readonly SheetColumn[]): readonly SheetColumn[] {
  return columns.map((column, index) => ({ ...column, foldable: index > 0 && columns[index - 1]?.group === column.group }));
}

/** A project's row. Cells that called for attention are marked. */
export function resultsRow(record: ProjectRecord, layout: Layout, findings: readonly Finding[]): (Cell | undefined)[] {
  const marks = new Map<string, Emphasis>();
  for (const { paths, weight } of findings) {
    for (const path of paths) if (marks.get(path) !== 'alarm') marks.set(path, weight >= GRAVE_WEIGHT ? 'alarm' : 'warning');
  }
  const dress = (cell: Cell, { path, key, attribute }: AttributeColumn): Cell => {
    const emphasis = marks.get(path) ?? (key !== null && record.record.values.get(path)?.leaf === true ? marks.get(attribute?.path ?? '') : undefined);
    const long = cell.format === 'text' && typeof cell.value === 'string' && (cell.value.length > COLUMN_WIDTH_MAX || cell.value.includes('\n'));
    return { ...cell, emphasis, format: long ? 'clipped' : cell.format };
  };
  return [...PROJECT_COLUMNS.map(({ cell }) => cell(record)), ...attributeCells(record.record, layout, dress)];
}
