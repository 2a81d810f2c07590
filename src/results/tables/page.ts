import type { TableCell, WorkbookWriter } from '../workbook.ts';

export type PageRows = readonly (readonly (TableCell | undefined)[])[];

export const BLANK: PageRows[number] = [{ value: ' ', format: 'text' }];

export class PageSheet {
  protected readonly sheet;
  protected rows = 0;

  /** `widths` of the columns, in characters. */
  constructor(workbook: WorkbookWriter, name: string, widths: readonly number[], tabColor?: string) {
    const columns = widths.map((width) => ({ title: '', width }));
    this.sheet = workbook.sheet({ name, kind: 'page', columns, tabColor });
  }

  async write(rows: PageRows) {
    for (const row of rows) await this.sheet.row(row);
    this.rows += rows.length;
  }

  async section(headings: readonly string[], rows: PageRows) {
    await this.write([BLANK, headings.map((value) => ({ value, format: 'heading' }))]);
    await this.write(rows.length === 0 ? [[{ value: 'none', format: 'note' }]] : rows);
  }
}

export function noticeRows(notice: string | undefined): PageRows {
  const noted = (value: string, format: 'text' | 'wrapped') => ({ value, format, emphasis: 'warning' }) as const;
  return notice === undefined ? [] : [[noted('Please note', 'text'), noted(notice, 'wrapped')]];
}
