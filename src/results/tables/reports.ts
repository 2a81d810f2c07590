import { attributeCells, count, text } from '../cells.ts';
import { attributeColumns, FIXED_SHEETS, type Layout } from '../columns.ts';
import type { JudgedProject } from '../model.ts';
import type { SheetColumn, SheetWriter, WorkbookWriter } from '../workbook-writer.ts';
import { HOUSE_COLUMNS, houseCells, KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS, keyCells, linkTo } from './project-columns.ts';

export const REPORT_COLUMNS: readonly SheetColumn[] = [
  ...KEY_SHEET_COLUMNS,
  ...HOUSE_COLUMNS,
  { title: 'Report', width: 34, group: 'Order', note: 'Opens the report in the delivery.' },
  { title: 'Report ID', width: 18, group: 'Order', note: 'The service’s ID for the report.' },
  {
    title: 'Report no.',
    width: 10,
    group: 'Order',
    note: 'Results shows the values of report 1, and of the next one what report 1 did not assess. 1 is the newest: by when it was completed, else by when the house was inspected, else the one that the service lists last. A closeout comes after the others.',
  },
];

/** The sheet `Reports`: for projects with several reports, a row per report. */
export class ReportsSheet {
  readonly #sheet: SheetWriter;
  readonly #layout: Layout;

  constructor(workbook: WorkbookWriter, layout: Layout) {
    this.#layout = layout;
    const attributes = attributeColumns(layout, ({ group }) => group).map(({ note: _note, ...column }) => column);
    this.#sheet = workbook.sheet({
      name: FIXED_SHEETS.reports,
      kind: 'table',
      frozenColumns: KEY_COLUMN_COUNT,
      columns: [...REPORT_COLUMNS, ...attributes],
      tabColour: '2F5597',
      printedColumns: REPORT_COLUMNS.length,
    });
  }

  async write(judged: JudgedProject): Promise<void> {
    const { reports, disagreements } = judged;
    if (reports.length < 2) return;
    const differing = new Set(disagreements.map(({ path }) => path));
    for (const [index, report] of reports.entries()) {
      await this.#sheet.row([
        ...keyCells(judged),
        ...houseCells(judged),
        linkTo(report),
        text(report.id),
        count(index + 1),
        ...attributeCells(report.record, this.#layout, (cell, { path }) => ({
          ...cell,
          format: cell.format === 'text' ? 'clipped' : cell.format,
          emphasis: differing.has(path) ? 'warning' : undefined,
        })),
      ]);
    }
  }
}
