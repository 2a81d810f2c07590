import { join } from 'node:path';
import exceljs, { type Workbook } from 'exceljs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { projectWith, sampleInput } from '../../support/full-summary.ts';
import { writeResults } from '../../../src/results/write-results.ts';

async function resultsOf(...summaries: readonly object[]): Promise<Workbook> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'results.xlsx');
  await writeResults(
    { xlsx: path },
    sampleInput(
      summaries.map((summary, index) => projectWith({ summary: { ...summary } }, { projectId: `p${index}` })),
    ),
  );
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  return workbook;
}

function valuesOf(workbook: Workbook, sheetName: string, title: string): unknown[] {
  const sheet = workbook.getWorksheet(sheetName);
  const column = ((sheet?.getRow(1).values ?? []) as unknown[]).indexOf(title);
  if (sheet === undefined || column < 1) throw new Error(`no column ${title} on ${sheetName}`);
  return Array.from({ length: sheet.rowCount - 1 }, (_, index) => sheet.getCell(index + 2, column).value);
}

const CONTROLS = /[^\t\n\P{Cc}]|[\uFFFE\uFFFF]/u;

test('cuts text that exceeds a cell and marks the cut', async () => {
  const long = 'é😀'.repeat(20_000);
  const workbook = await resultsOf({ hazards: [long], odd: long, factors: [{ text: long }] });
  for (const [sheet, title] of [
    ['Results', 'Property: hazards'],
    ['Results', 'Property: odd'],
    ['Factors', 'Text'],
  ] as const) {
    const [value] = valuesOf(workbook, sheet, title);
    expect(String(value).length).toBeLessThanOrEqual(32_767);
    expect(String(value)).toMatch(/^(?:é😀){1000}.*… \[.*\b60000\b.*\]$/su);
  }
});

test('removes control characters and keeps the rest', async () => {
  const workbook = await resultsOf({
    'odd\u0001name': 'a\u0000b\u001F\uFFFFc\td\r\ne\uD800',
    list: [{ '\u0002x': 'x \u0007' }],
  });
  expect(valuesOf(workbook, 'Results', 'Property: odd name')).toEqual(['abc\td\ne\uFFFD']);
  expect(valuesOf(workbook, 'List', 'X')).toEqual(['x ']);
  for (const sheet of workbook.worksheets)
    sheet.eachRow((row) => row.eachCell((cell) => expect(cell.text).not.toMatch(CONTROLS)));
});

// Moments that Excel lacks are written as the number that came.
test('writes dates that Excel lacks as text', async () => {
  const workbook = await resultsOf({
    history: ['1899-12-31', '1900-02-29', '1900-03-01', '9999-12-31', '10000-01-01'].map((dateInspected) => ({
      dateInspected,
    })),
  });
  expect(valuesOf(workbook, 'Inspection history', 'Inspected')).toEqual([
    '1899-12-31',
    '1900-02-29',
    new Date('1900-03-01'),
    new Date('9999-12-31'),
    '10000-01-01',
  ]);
});

test('gives lists with long or similar names distinct sheet names', async () => {
  const name = 'listWhoseNameIsMuchTooLongForOneSheet';
  const workbook = await resultsOf({
    [name]: [{ x: 1 }],
    inner: { [name]: [{ x: 2 }], [name.toUpperCase()]: [{ x: 3 }] },
    history: [{ policyNumber: 'p' }],
    changes: [{ x: 4 }],
  });
  const names = workbook.worksheets.map((sheet) => sheet.name);
  expect(names.filter((sheet) => sheet.length > 31 || /[[\]:*?/\\]/.test(sheet) || /^history$/i.test(sheet))).toEqual(
    [],
  );
  expect(new Set(names.map((sheet) => sheet.toLowerCase())).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(['List whose name is much too lon', 'List whose name is much too l 2', 'Changes 2']),
  );
});

test('writes non-numbers and inexact numbers as text', async () => {
  const workbook = await resultsOf({
    yearBuilt: Number.NaN,
    livingArea: Number.POSITIVE_INFINITY,
    lotSize: 9_007_199_254_740_993n,
  });
  expect(
    ['Property: year built', 'Property: living area', 'Property: lot size'].map(
      (title) => valuesOf(workbook, 'Results', title)[0],
    ),
  ).toEqual(['NaN', 'Infinity', '9007199254740993']);
});
