import { attributeCells } from '../table-cells.ts';
import { attributeColumns, type Layout } from './report-columns.ts';
import { FIXED_SHEETS, count, text } from '../workbook.ts';
import type { JudgedProject } from '../model.ts';
import { column, type Table } from './table.ts';
import { HOUSE_COLUMNS, groupColumns, KEY_COLUMNS, reportLink } from './shared-columns.ts';

export function reportRows({ project, reports, disagreements }: JudgedProject) {
  const differing = new Set(disagreements.map(({ path }) => path));
  return reports.map((report, index) => ({ project, report, number: index + 1, differing }));
}

export function reportsTable(layout: Layout): Table<ReturnType<typeof reportRows>[number]> {
  return {
    name: FIXED_SHEETS.reports,
    frozenColumns: KEY_COLUMNS.length,
    tabColor: '2F5597',
    printedTo: 'Report no.',
    columns: groupColumns('Order', [
      ...KEY_COLUMNS,
      ...HOUSE_COLUMNS,
      column('Report', 34, reportLink, 'report'),
      column('Report ID', 18, text, ({ report }) => report.id),
      column('Report no.', 10, count, 'number'),
    ]),
    attributes: {
      columns: attributeColumns(layout, ({ group }) => group).map(({ note: _note, ...column }) => column),
      cells: ({ report, differing }) =>
        attributeCells(report.record, layout, (cell, { path }) => ({
          ...cell,
          format: cell.format === 'text' ? 'single line' : cell.format,
          emphasis: differing.has(path) ? 'warning' : undefined,
        })),
    },
  };
}
