import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import sharp from 'sharp';
import { OPEN_XML_NOTE, openXmlProblems, withoutOpenXmlValidator } from '../../../support/open-xml-validator.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import type { CellFormat, WorkbookWriter } from '../../../../src/results/workbook.ts';
import { writeWorkbook } from '../../../../src/results/xlsx/write-workbook.ts';

const FACTS = { title: 'A & B', writtenAt: Date.UTC(2026, 2, 5, 14, 30) };
const FORMATS: readonly CellFormat[] = [
  'text',
  'wrapped',
  'single line',
  'title',
  'heading',
  'note',
  'word',
  'number',
  'grouped',
  'amount',
  'zip',
  'percent',
  'fraction of a percent',
  'date',
  'time',
];

const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#336699' } })
  .jpeg()
  .toBuffer();

async function everything(workbook: WorkbookWriter): Promise<void> {
  const table = workbook.sheet({
    name: "It's <all> & more",
    kind: 'table',
    frozenColumns: 1,
    tabColor: 'C00000',
    columns: [
      { title: 'Plain', width: 12, note: 'What it means:\n<a & b>' },
      {
        title: 'Word',
        width: 12,
        group: 'a',
        coloredWords: [
          { word: 'poor', emphasis: 'alarm' },
          { word: 'say "fair"', emphasis: 'warning' },
        ],
      },
      { title: 'Folded', width: 12, group: 'a', foldable: true },
      { title: 'Link', width: 12, group: 'b' },
    ],
  });
  for (const format of FORMATS) {
    for (const emphasis of [undefined, 'alarm', 'warning'] as const) {
      await table.row([
        { value: format, format, emphasis },
        { value: 0.5, format, emphasis },
        undefined,
        { value: 'open', format, emphasis, link: 'a folder/100% #1?.pdf' },
      ]);
    }
  }
  await table.row([
    { value: ' =1+1 <b>\n"x" & _x0041_ \u0001', format: 'wrapped' },
    { value: Number.NaN, format: 'number' },
    undefined,
    { value: 'go', format: 'text', place: { sheet: "It's <all> & more", cell: 'A1' } },
  ]);
  const page = workbook.sheet({ name: 'Page', kind: 'page', columns: [{ title: '', width: 30 }] });
  await page.row([{ value: 'A page', format: 'title' }], 40);
  page.picture({
    bytes: photo,
    row: 1,
    column: 0,
    width: 80,
    height: 60,
    description: 'a "house" <front>',
    link: 'photos/1.jpg',
  });
  page.picture({
    bytes: photo,
    row: 5,
    column: 0,
    width: 80,
    height: 60,
    description: 'no link',
  });
  await page.row([
    { value: 'New & <odd>', format: 'text' },
    { value: 3, format: 'number' },
  ]);
  page.bars(1, 1);
  workbook.sheet({
    name: 'Empty',
    kind: 'table',
    columns: [{ title: 'Nothing', width: 10, coloredWords: [{ word: 'x', emphasis: 'alarm' }] }],
  });
}

// A results workbook is validated in test/proof/results/open-xml.test.ts.
test.skipIf(withoutOpenXmlValidator)(`${OPEN_XML_NOTE}passes the Open XML SDK validator`, async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'book.xlsx');
  await writeWorkbook(path, FACTS, everything);
  expect(await openXmlProblems(path)).toEqual([]);
});

test('is readable by another library: text, numbers, links, notes, pictures', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'book.xlsx');
  await writeWorkbook(path, FACTS, everything);
  const book = new exceljs.Workbook();
  await book.xlsx.readFile(path);
  expect(book.title).toBe('A & B');
  const sheet = book.getWorksheet("It's <all> & more");
  const last = sheet?.lastRow;
  // Excel turns `_x005F_` back into an underscore; exceljs leaves it in inline strings.
  expect(last?.getCell(1).value).toBe(' =1+1 <b>\n"x" & _x005F_x0041_ ');
  expect(last?.getCell(2).value).toBe('NaN');
  expect(sheet?.getCell('D2').value).toMatchObject({ text: 'open', hyperlink: 'a%20folder/100%25%20%231%3F.pdf' });
  expect(sheet?.getCell('A1').note).toMatchObject({ texts: [{ text: 'What it means:\n<a & b>' }] });
  expect(sheet?.getColumn(3).outlineLevel).toBe(1);
  expect(sheet?.autoFilter).toBe(`A1:D${1 + FORMATS.length * 3 + 1}`);
  const page = book.getWorksheet('Page') as unknown as { conditionalFormattings: object; getImages: () => unknown[] };
  expect(page.getImages()).toHaveLength(2);
  expect(page.conditionalFormattings).toMatchObject([{ ref: 'B2:B2', rules: [{ type: 'dataBar' }] }]);
});

test('gives tables distinct names when sheets differ only in case or signs', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'book.xlsx');
  await writeWorkbook(path, FACTS, async (workbook) => {
    for (const name of ['Foo bar', 'foo-BAR', 'Foo_bar_2'])
      await workbook
        .sheet({ name, kind: 'table', columns: [{ title: 'A', width: 9 }] })
        .row([{ value: 1, format: 'number' }]);
  });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const names = workbook.definedNames.model.map(({ name }) => name).filter((name) => name.startsWith('Table_'));
  expect(names).toEqual(['Table_Foo_bar', 'Table_foo_BAR_2', 'Table_Foo_bar_2_2']);
});

test('gives the same bytes for the same content', async () => {
  await using folder = await temporaryFolder();
  const [one, two] = [join(folder.path, 'one.xlsx'), join(folder.path, 'two.xlsx')];
  await writeWorkbook(one, FACTS, everything);
  await writeWorkbook(two, FACTS, everything);
  expect((await readFile(one)).equals(await readFile(two))).toBe(true);
});

test('keeps a large sheet in a temporary file and removes it', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'large.xlsx');
  await writeFile(`${path}.sheet1`, 'of a run that was killed');
  const rows = 1700;
  // Text that cannot be packed much smaller.
  const wordOf = (row: number): string =>
    Array.from({ length: 40 }, (_, part) => hash('sha512', `${row} ${part}`, 'base64')).join('');
  const names: string[][] = [];
  await writeWorkbook(path, FACTS, async (workbook) => {
    const [large, small] = ['Large', 'Small'].map((name) =>
      workbook.sheet({ name, kind: 'table', columns: [{ title: 'Word', width: 12 }] }),
    );
    for (let row = 0; row < rows; row += 1) await large?.row([{ value: wordOf(row), format: 'text' }]);
    await small?.row([{ value: 'one', format: 'text' }]);
    names.push(await readdir(folder.path));
  });
  names.push(await readdir(folder.path));
  expect(names).toEqual([['large.xlsx.sheet1'], ['large.xlsx']]);
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const large = workbook.getWorksheet('Large');
  expect([large?.rowCount, ...[2, rows, rows + 1].map((row) => large?.getCell(row, 1).value)]).toEqual([
    rows + 1,
    ...[0, rows - 2, rows - 1].map(wordOf),
  ]);
});

test('leaves no workbook when the temporary file cannot be written', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'large.xlsx');
  await mkdir(`${path}.sheet1`);
  const writing = writeWorkbook(path, FACTS, async (workbook) => {
    const sheet = workbook.sheet({ name: 'Large', kind: 'table', columns: [{ title: 'Word', width: 12 }] });
    for (let row = 0; ; row += 1)
      await sheet.row([
        {
          value: Array.from({ length: 100 }, (_, part) => hash('sha512', `${row} ${part}`, 'base64')).join(''),
          format: 'text',
        },
      ]);
  });
  await expect(writing).rejects.toThrow(/directory/);
  expect(await readdir(folder.path)).toEqual(['large.xlsx.sheet1']);
});
