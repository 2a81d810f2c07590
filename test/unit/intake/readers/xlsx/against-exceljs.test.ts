import ExcelJS from 'exceljs';
import { expect, test } from 'vitest';
import type { Cell } from '../../../../../src/domain/cells.ts';
import { readBytes } from '../../../../support/made-files.ts';

const VALUES: readonly ExcelJS.CellValue[] = [
  'POL-001',
  '00123',
  ' spaces ',
  'Žižka 東京 😀',
  'two\nlines',
  'a & b < c > "d"',
  '=1+1',
  '_x000D_',
  2139,
  0.1,
  -1e21,
  123456789012345,
  true,
  false,
  new Date(Date.UTC(2026, 2, 5)),
  new Date(Date.UTC(2026, 2, 5, 14, 30)),
  new Date(Date.UTC(1999, 11, 31, 23, 59, 59)),
  null,
  { richText: [{ text: 'Mr ' }, { font: { bold: true }, text: 'Smith' }] },
  { text: 'mail', hyperlink: 'mailto:a@example.com' },
  { formula: 'A1', result: 7 },
  { formula: 'A1', result: 'seven' },
  { error: '#N/A' },
];

async function writtenByExceljs(): Promise<Buffer> {
  const workbook = new ExcelJS.Workbook();
  for (const [name, state] of [
    ['Orders', 'visible'],
    ['Old', 'hidden'],
    ['Lists', 'veryHidden'],
  ] as const) {
    const sheet = workbook.addWorksheet(name, { state });
    for (let row = 1; row <= 60; row += 1) {
      if (row % 7 === 0) continue;
      for (let column = 1; column <= 12; column += 1) {
        const value = VALUES[(row * 5 + column * 3) % VALUES.length];
        if (value === null || value === undefined) continue;
        sheet.getCell(row, column).value = value;
        if (value instanceof Date)
          sheet.getCell(row, column).numFmt = value.getUTCHours() === 0 ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss';
      }
    }
  }
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

/** A cell in words that both readers share. */
function ours(cell: Cell | undefined): unknown {
  switch (cell?.kind) {
    case undefined:
      return null;
    case 'text':
      return cell.text;
    case 'number':
    case 'boolean':
      return cell.value;
    case 'date':
      return new Date(cell.iso.length === 10 ? cell.iso : `${cell.iso}Z`);
    case 'error':
      return { error: cell.code };
    case 'formula':
      return { formula: cell.formula };
  }
}

function theirs(value: ExcelJS.CellValue): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date || 'error' in value) return value;
  if ('richText' in value) return value.richText.map(({ text }) => text).join('');
  if ('hyperlink' in value) return value.text;
  if ('result' in value) return value.result;
  return value;
}

test('openXlsx reads a workbook by exceljs as exceljs does', async () => {
  const bytes = await writtenByExceljs();
  const { sheets, rows } = await readBytes(bytes);
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer);
  expect(sheets).toEqual(workbook.worksheets.map(({ name, state }) => ({ name, visible: state === 'visible' })));
  let compared = 0;
  for (const [index, sheet] of workbook.worksheets.entries()) {
    const byNumber = new Map(rows[index]?.map((row) => [row.rowNumber, row]));
    sheet.eachRow((row, rowNumber) => {
      for (let column = 1; column <= 12; column += 1) {
        expect([rowNumber, column, ours(byNumber.get(rowNumber)?.cells[column - 1])]).toEqual([
          rowNumber,
          column,
          theirs(row.getCell(column).value),
        ]);
        compared += 1;
      }
    });
    expect(byNumber.size).toBe(sheet.actualRowCount);
  }
  expect(compared).toBe(3 * 52 * 12);
});
