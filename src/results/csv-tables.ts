import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { visible } from '../domain/visible-text.ts';
import { GrowingFile } from './growing-file.ts';
import { FIXED_SHEETS } from './list-sheets.ts';
import { validSheetName } from './sheet-name.ts';
import { shownText } from './shown-text.ts';
import type { Cell, SheetOptions, SheetWriter, WorkbookWriter } from './workbook-writer.ts';

/** Where the tables go: the sheet `Results` to a file, every other table to a file of its sheet's name in `folder`. */
export interface CsvPaths {
  readonly results: string;
  readonly folder: string;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** What spreadsheet programs may take for a formula, in any script; and the apostrophe that guards. */
const GUARDED = /^['=+\-@\t\r\n＝＋－＠]/u;

/** Names that mean a device on Windows, whatever ending follows. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Writes the tables of a workbook as CSV (RFC 4180, UTF-8 with a byte order mark), each cell as the workbook shows it; pages and the
 * photos have no table. A cell that opens a file has the file's path behind its text: `12 photos <photos/…>`.
 * Text that a spreadsheet program might run as a formula begins with an apostrophe, and so does text that begins with one itself:
 * whoever takes one apostrophe from the beginning of each text that has one gets exactly what the workbook holds.
 */
export async function writeCsvTables(paths: CsvPaths, write: (workbook: WorkbookWriter) => Promise<void>): Promise<void> {
  await mkdir(paths.folder, { recursive: true });
  const tables: CsvTable[] = [];
  const taken = new Set<string>();
  await write({
    sheet: (options) => {
      if (options.kind === 'page' || options.name === FIXED_SHEETS.photos) return NOWHERE;
      const table = new CsvTable(options, options.name === FIXED_SHEETS.results ? paths.results : join(paths.folder, fileName(options.name, taken)));
      tables.push(table);
      return table;
    },
  });
  for (const table of tables) await table.finish();
}

/** What is written to several workbooks at once. */
export function bothWorkbooks(one: WorkbookWriter, other: WorkbookWriter): WorkbookWriter {
  return {
    sheet: (options) => {
      const sheets = [one.sheet(options), other.sheet(options)];
      return {
        row: async (cells, height) => {
          for (const sheet of sheets) await sheet.row(cells, height);
        },
        picture: (picture) => {
          for (const sheet of sheets) sheet.picture(picture);
        },
        chart: (chart) => {
          for (const sheet of sheets) sheet.chart(chart);
        },
      };
    },
  };
}

const NOWHERE: SheetWriter = { row: async () => {}, picture() {}, chart() {} };

class CsvTable implements SheetWriter {
  readonly #file: GrowingFile;
  readonly #width: number;
  readonly #header: string;
  #headed = false;

  constructor({ columns }: SheetOptions, path: string) {
    this.#file = new GrowingFile(path);
    this.#width = columns.length;
    this.#header = BYTE_ORDER_MARK + line(columns.map(({ title }) => quoted(guarded(title))));
  }

  async row(cells: readonly (Cell | undefined)[]): Promise<void> {
    await this.#head();
    await this.#file.add(line(Array.from({ length: Math.max(this.#width, cells.length) }, (_, index) => csvField(cells[index]))));
  }

  /** Charts and pictures have no place in a table of text. */
  chart(): void {}
  picture(): void {}

  async finish(): Promise<void> {
    await this.#head();
    await this.#file.finish();
  }

  async #head(): Promise<void> {
    if (this.#headed) return;
    this.#headed = true;
    await this.#file.add(this.#header);
  }
}

function csvField(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  const shown = visible(shownText(cell));
  const text = typeof cell.value === 'number' ? shown : guarded(shown);
  return quoted(cell.link === undefined ? text : `${text} <${cell.link}>`);
}

function guarded(text: string): string {
  return GUARDED.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function line(fields: readonly string[]): string {
  return `${fields.join(',')}\r\n`;
}

/** A sheet's name, as every file system takes it. */
function fileName(sheet: string, taken: Set<string>): string {
  const clean = sheet.replaceAll(/[<>"|]+/g, ' ').replace(/^\.+/, '');
  const name = validSheetName(WINDOWS_DEVICE.test(clean) ? `List ${clean}` : clean, taken);
  taken.add(name.toLowerCase());
  return `${name}.csv`;
}
