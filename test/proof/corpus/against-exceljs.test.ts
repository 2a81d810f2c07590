import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ExcelJS from 'exceljs';
import { expect, test } from 'vitest';
import type { Cell } from '../../../src/domain/cells.ts';
import { openSpreadsheet } from '../../../src/intake/readers/open-spreadsheet.ts';
import { expectations, FILES } from '../../corpus/expectations.ts';
import { inTurn } from '../../support/proof-size.ts';

/** Files of which exceljs gives no second opinion, and why. Each must go on to differ: an entry that is no longer true fails. */
const NO_SECOND_OPINION: Readonly<Record<string, string>> = {
  'exceljs-struck-in-part.xlsx': 'gives what is struck through as well',
  'hidden-under-a-merge.xlsx': 'gives what a merged cell shows, and not what it hides',
  'libreoffice-saved-openpyxl-1904.xlsx': 'knows date1904="1" but not date1904="true", and is four years off',
  'ooxml-backslashes.xlsx': 'finds no parts under names with backslashes',
  'ooxml-boolean-and-number-texts.xlsx': 'makes NaN of a number cell that holds letters',
  'ooxml-escapes.xlsx': 'leaves _x0020_ as it stands',
  'ooxml-missing-text.xlsx': 'shows the number of a shared text that is not there',
  'ooxml-no-references.xlsx': 'cannot read rows without a number',
  'ooxml-odd-part-names.xlsx': 'finds parts by the usual names alone',
  'ooxml-prefixes.xlsx': 'cannot read elements with a prefix',
  'ooxml-runs-and-phonetics.xlsx': 'loses a text with a reading aid, and what follows it in the row',
  'ooxml-single-quotes-and-comments.xlsx': 'passes CDATA over',
  'ooxml-strict.xlsx': 'makes the number 2026 of a t="d" date',
  'ooxml-utf16.xlsx': 'cannot read UTF-16',
  'openpyxl-table.xlsx': 'cannot read the comments as openpyxl writes them',
  'sheetjs-iso-dates.xlsx': 'makes the number 2026 of a t="d" date',
  'xlsxwriter-table-with-totals.xlsx': 'takes the result 0 of a formula for none',
};

const workbooks = (await expectations()).filter(
  ({ file, unreadable }) => unreadable === undefined && /\.xls[xm]$/.test(file) && !file.startsWith('csv-named-xlsx'),
);

type Values = Readonly<Record<string, unknown>>;

/** What our reader finds: a value for each cell that holds anything, by sheet, column's index and row. */
async function oursOf(file: string): Promise<Values> {
  await using source = await openSpreadsheet(join(FILES, file), file);
  const values: Record<string, unknown> = {};
  for (const [place, { name }] of source.sheets.entries()) {
    for await (const row of source.rows(place)) {
      for (const [column, cell] of row.cells.entries())
        if (cell !== undefined) values[`${name}!${String(column)}:${String(row.rowNumber)}`] = inOurWords(cell);
    }
  }
  return values;
}

function inOurWords(cell: Cell): unknown {
  switch (cell.kind) {
    case 'text':
      return cell.text;
    case 'number':
    case 'boolean':
      return cell.value;
    case 'date':
      return cell.iso;
    case 'error':
      return { error: cell.code };
    case 'formula':
      return 'a formula without a value';
  }
}

async function theirsOf(file: string): Promise<Values> {
  const workbook = new ExcelJS.Workbook();
  const bytes = await readFile(join(FILES, file));
  await workbook.xlsx.load(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const values: Record<string, unknown> = {};
  for (const sheet of workbook.worksheets) {
    sheet.eachRow((row, rowNumber) => {
      row.eachCell((cell, column) => {
        // A merged cell shows the value of its first; the file holds it once.
        if (cell.isMerged && cell.master !== cell) return;
        const value = inTheirWords(cell.value);
        if (value !== null && value !== '') values[`${sheet.name}!${String(column - 1)}:${String(rowNumber)}`] = value;
      });
    });
  }
  return values;
}

function inTheirWords(value: ExcelJS.CellValue | undefined): unknown {
  if (value === null || value === undefined || typeof value !== 'object') return value ?? null;
  if (value instanceof Date)
    return value
      .toISOString()
      .replace(/T00:00:00\.000Z$/, '')
      .replace(/\.\d{3}Z$/, '');
  if ('error' in value) return { error: value.error };
  if ('richText' in value) return value.richText.map(({ text }) => text).join('');
  if ('hyperlink' in value) return inTheirWords(value.text);
  if ('formula' in value || 'sharedFormula' in value)
    return value.result === undefined ? 'a formula without a value' : inTheirWords(value.result);
  return value;
}

/** The cells of which the two say different things; a sentence where exceljs cannot read the file at all. */
async function differences(file: string): Promise<readonly unknown[]> {
  const ours = await oursOf(file);
  const theirs = await theirsOf(file).catch((failure: unknown) =>
    failure instanceof Error ? failure.message : String(failure),
  );
  if (typeof theirs === 'string') return [`exceljs cannot read it: ${theirs}`];
  const places = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return [...places]
    .filter((place) => JSON.stringify(ours[place]) !== JSON.stringify(theirs[place]))
    .map((place) => ({ place, ours: ours[place], theirs: theirs[place] }));
}

const judged = workbooks.filter(({ file }) => !(file in NO_SECOND_OPINION));

test.each(inTurn(judged, 3))('openSpreadsheet reads $file as exceljs does', async ({ file }) => {
  expect(await differences(file)).toEqual([]);
});

test.each(Object.entries(NO_SECOND_OPINION))('%s: exceljs is no judge, for it %s', async (file) => {
  expect((await differences(file)).length).toBeGreaterThan(0);
});
