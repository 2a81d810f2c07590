import { join } from 'node:path';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import yauzl from 'yauzl';
import { writeZip } from '../../../src/ops/write-zip.ts';
import type { TableCell } from '../../../src/results/workbook.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { writeWorkbook } from '../../../src/results/xlsx/write-workbook.ts';
import { projectWith, sampleInput } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// What is beyond the limits of a format: so many entries, rows and columns take seconds to write and to read back.

test('writeZip writes more entries than 16 bits count', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'made.zip');
  const entries = Array.from({ length: 66_000 }, (_, index) => ({
    name: `${index}.txt`,
    deflate: false,
    content: Buffer.from(String(index)),
  }));
  await writeZip(path, entries);
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  expect(zip.entryCount).toBe(66_000);
  zip.close();
});

test('writeWorkbook continues a table on another sheet when one is full', async () => {
  // Links beyond the limit of a sheet still open.
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'book.xlsx');
  const link = (text: string): TableCell => ({ value: text, format: 'text', link: `${text}.pdf` });
  await writeWorkbook(
    path,
    { title: 'A & B', writtenAt: Date.UTC(2026, 2, 5, 14, 30), rowsMax: 70_000 },
    async (workbook) => {
      const sheet = workbook.sheet({ name: 'Results', kind: 'table', columns: [{ title: 'Number', width: 10 }] });
      workbook.sheet({ name: 'Results (2)', kind: 'page', columns: [] });
      for (let row = 1; row <= 70_001; row += 1) await sheet.row([link(String(row))]);
    },
  );
  const book = new exceljs.Workbook();
  await book.xlsx.readFile(path);
  expect(book.worksheets.map(({ name, rowCount }) => [name, rowCount])).toEqual([
    ['Results', 70_000],
    ['Results (2) 2', 3],
    ['Results (2)', 0],
  ]);
  const [first, second] = book.worksheets;
  expect(first?.getCell('A65531').value).toMatchObject({ hyperlink: '65530.pdf' });
  expect(first?.getCell('A65532').value).toEqual({ formula: 'HYPERLINK("65531.pdf","65531")', result: '65531' });
  expect(second?.getCell('A1').value).toBe('Number');
  expect(second?.getCell('A3').value).toMatchObject({ text: '70001' });
});

test('writeResults puts excess attributes into one last column', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'results.xlsx');
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
  await writeResults(
    { xlsx: path },
    sampleInput([projectWith({ summary: { byId: many(17_000), list: [many(4100)] } })]),
  );
  const sheets = await rowsOf(path);
  for (const [sheet, source, value] of [
    ['Results', 'summary.byId.k16999', 'summary.byId.k4000 = 4000'],
    ['List', 'summary.list[].k4099', 'k4000 = 4000'],
  ] as const) {
    const [titles = [], row = []] = sheets.get(sheet) ?? [];
    expect(titles.length).toBeLessThan(16_384);
    expect([titles.at(-1), String(row.at(-1)).split('; ')[0]]).toEqual(['Further attributes', value]);
    expect(
      sheets
        .get('Fields')
        ?.find((field) => field.includes(source))
        ?.slice(1, 3),
    ).toEqual([sheet, 'Further attributes']);
  }
});

/** The rows of every sheet, from column 1 on: thousands of columns with notes are too slow to read in any other way. */
async function rowsOf(path: string): Promise<ReadonlyMap<string, unknown[][]>> {
  const sheets = new Map<string, unknown[][]>();
  for await (const sheet of new exceljs.stream.xlsx.WorkbookReader(path, { sharedStrings: 'cache' })) {
    const rows: unknown[][] = [];
    for await (const row of sheet) rows.push(row.values as unknown[]);
    sheets.set((sheet as unknown as { readonly name: string }).name, rows);
  }
  return sheets;
}
