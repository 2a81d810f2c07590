import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Row, stream, Worksheet } from 'exceljs';
import { cellText, linkTarget } from './cell-text.ts';
import { cellStyle, headerStyle } from './sheet-style.ts';
import type { Cell, SheetOptions, SheetWriter, WorkbookWriter } from './workbook-writer.ts';

/** Excel's limit; beyond it a link is written as plain text. */
const LINKS_PER_SHEET_MAX = 65_530;

/** Characters that stay readable on one printed page across. */
const PAGE_WIDTH = 240;

/** In points; 409 is the most Excel takes. */
const LINE_HEIGHT = 15;
/** Widths count digits; most letters are narrower. */
const CHARACTERS_PER_WIDTH = 1.1;
const ROW_HEIGHT_MAX = 409;

/** Tables with more columns than this have no lines through empty cells. */
const LINED_COLUMNS_MAX = 40;

/** Rows between two breaths, in which what was written goes to the disk. */
const ROWS_PER_BREATH = 200;

/**
 * Writes a workbook to `path` with exceljs's streaming writer. The file is whole when the promise resolves; when `write` throws, the
 * file is closed and what it holds is of no use.
 */
export async function writeWithExcelJs(path: string, writtenAt: number, write: (workbook: WorkbookWriter) => Promise<void>): Promise<void> {
  // Loading exceljs takes a quarter of a second: only who writes a workbook pays for it.
  const { default: exceljs } = await import('exceljs');
  const file = createWriteStream(path);
  try {
    // exceljs listens for errors only at its end.
    await once(file, 'open');
    const broken = new Promise<never>((_resolve, reject) => file.once('error', reject));
    broken.catch(() => undefined);
    const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream: file, useSharedStrings: false, useStyles: true });
    workbook.creator = 'inspection-batch';
    workbook.lastModifiedBy = 'inspection-batch';
    workbook.created = new Date(writtenAt);
    workbook.modified = new Date(writtenAt);
    const sheets: ExcelJsSheet[] = [];
    const work = write({
      sheet: (options) => {
        const sheet = new ExcelJsSheet(workbook, options);
        sheets.push(sheet);
        return sheet;
      },
    });
    // Where the disk fails first, what `write` meets afterwards is no news.
    work.catch(() => undefined);
    await Promise.race([work, broken]);
    for (const sheet of sheets) sheet.finish();
    await Promise.race([workbook.commit(), broken]);
  } catch (thrown) {
    file.destroy();
    throw thrown;
  }
}

class ExcelJsSheet implements SheetWriter {
  readonly #sheet: Worksheet;
  readonly #options: SheetOptions;
  #rows = 0;
  #links = 0;

  constructor(workbook: stream.xlsx.WorkbookWriter, options: SheetOptions) {
    this.#options = options;
    this.#sheet = workbook.addWorksheet(options.name, sheetLayout(options));
    this.#sheet.columns = options.columns.map(({ width }) => ({ width }));
    if (options.kind === 'table') this.#header();
  }

  /** The line below a row runs through empty cells too. No conditional format: exceljs writes it behind the links, where Excel refuses it. */
  get #linesEmptyCells(): boolean {
    return this.#options.kind === 'table' && this.#options.columns.length <= LINED_COLUMNS_MAX;
  }

  async row(cells: readonly (Cell | undefined)[]): Promise<void> {
    const row = this.#sheet.addRow([]);
    for (const [index, cell] of cells.entries()) {
      if (cell !== undefined) this.#cell(row, index + 1, cell);
      else if (this.#linesEmptyCells) row.getCell(index + 1).style = cellStyle('text', undefined, false, true);
    }
    const lines = this.#linesOf(cells);
    if (lines > 1) row.height = Math.min(ROW_HEIGHT_MAX, lines * LINE_HEIGHT);
    else if (cells.some((cell) => cell?.format === 'clipped')) row.height = LINE_HEIGHT;
    row.commit();
    this.#rows += 1;
    if (this.#rows % ROWS_PER_BREATH === 0) await setImmediate();
  }

  /** Programs differ in whether they fit a row to its text: the row says its height itself. */
  #linesOf(cells: readonly (Cell | undefined)[]): number {
    let most = 1;
    for (const [index, cell] of cells.entries()) {
      if (cell?.format !== 'wrapped' || typeof cell.value !== 'string') continue;
      const width = (this.#options.columns[index]?.width ?? 10) * CHARACTERS_PER_WIDTH;
      const lines = cell.value.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
      most = Math.max(most, lines);
    }
    return most;
  }

  /** No row may follow. */
  finish(): void {
    const columns = this.#options.columns.length;
    if (this.#options.kind === 'table' && columns > 0) {
      this.#sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: this.#rows + 1, column: columns } };
    }
    this.#sheet.commit();
  }

  #header(): void {
    const row = this.#sheet.addRow([]);
    let group: string | undefined;
    let tint: 0 | 1 = 1;
    for (const [index, column] of this.#options.columns.entries()) {
      if (index === 0 || column.group !== group) tint = tint === 0 ? 1 : 0;
      group = column.group;
      const cell = row.getCell(index + 1);
      cell.value = cellText(column.title);
      cell.style = headerStyle(tint);
    }
    row.height = this.#options.columns.some(({ title, width }) => title.length > width * 2 - 6) ? 48 : 32;
    row.commit();
  }

  #cell(row: Row, column: number, { value, format, emphasis, link }: Cell): void {
    const cell = row.getCell(column);
    const text = typeof value === 'string' ? cellText(value) : value;
    const linked = link !== undefined && typeof text === 'string' && this.#links < LINKS_PER_SHEET_MAX;
    if (linked) this.#links += 1;
    cell.value = linked ? { text, hyperlink: linkTarget(link) } : text;
    cell.style = cellStyle(format, emphasis, linked, this.#options.kind === 'table');
  }
}

function sheetLayout({ name, kind, columns, frozenColumns = 0, tabColour }: SheetOptions) {
  const table = kind === 'table';
  const printed = columns.reduce((sum, { width }) => sum + width, 0);
  return {
    views: [table ? { state: 'frozen' as const, xSplit: frozenColumns, ySplit: 1 } : { showGridLines: false }],
    ...(tabColour === undefined ? {} : { properties: { tabColor: { argb: `FF${tabColour}` } } }),
    pageSetup: {
      orientation: 'landscape' as const,
      fitToPage: true,
      fitToWidth: Math.max(1, Math.ceil(printed / PAGE_WIDTH)),
      fitToHeight: 0,
      showGridLines: table,
      margins: { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
      ...(table ? { printTitlesRow: '1:1' } : {}),
      ...(table && frozenColumns > 0 ? { printTitlesColumn: `A:${letter(frozenColumns)}` } : {}),
    },
    headerFooter: { oddFooter: `&L${name.replaceAll('&', '&&')}&RPage &P of &N` },
  };
}

/** The letter of one of the first 26 columns, from 1. */
function letter(column: number): string {
  return String.fromCodePoint(64 + column);
}
