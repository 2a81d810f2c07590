import { join } from 'node:path';
import exceljs from 'exceljs';
import { describe, expect, test } from 'vitest';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { collected } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HEADERS = [...Object.keys(ORDER_COLUMNS), 'Policy number'];
const NEXT = HEADERS.length + 2;
const LEGEND: readonly (readonly [column: number, text: string, color: string])[] = [
  [NEXT, 'Red = do not order (canceled)', 'FFFF0000'],
  [NEXT, 'Green = OK to order', 'FF92D050'],
];

/** The problems of a row for each color, in a table with these texts below a header two columns to its right. */
async function problemsOf(
  header: string,
  legend: typeof LEGEND,
  colors: readonly (string | undefined)[],
  titles: readonly (readonly (readonly [text: string, color?: string])[])[] = [],
  below: typeof titles = [],
) {
  await using folder = await temporaryFolder();
  const workbook = new exceljs.Workbook();
  const sheet = workbook.addWorksheet('Dec');
  const paint = (cell: exceljs.Cell, argb: string) =>
    (cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb } });
  const addLine = (cells: (typeof titles)[number]) => {
    const row = sheet.addRow(cells.map(([text]) => text));
    for (const [at, [, color]] of cells.entries()) if (color !== undefined) paint(row.getCell(at + 1), color);
  };
  titles.forEach(addLine);
  sheet.addRow(HEADERS).getCell(NEXT).value = header;
  for (const [at, color] of colors.entries()) {
    const row = sheet.addRow([...Object.values(ORDER_COLUMNS), `HO-00482${String(at)}`]);
    if (color !== undefined) for (const [index] of HEADERS.entries()) paint(row.getCell(index + 1), color);
  }
  for (const [at, [column, text, color]] of legend.entries()) {
    const cell = sheet.getCell(titles.length + at + 2, column);
    cell.value = text;
    paint(cell, color);
  }
  below.forEach(addLine);
  const path = join(folder.path, 'dec.xlsx');
  await workbook.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
  await using reading = await readOrderFile(path, 'dec.xlsx', { headers: {}, today: '2026-11-01' });
  const outcomes = await collected(reading.rows());
  return outcomes.map((outcome) => (outcome.kind === 'order' ? '' : (outcome.problems[0]?.message ?? '')));
}

const NAMED = expect.stringContaining('its color is that of "Red = do not order (canceled)"');

test('holds rows back whose color a legend says not to order', async () => {
  const colors = ['FF92D050', 'FFFF0000', undefined, 'FF92D050', 'FFFF0000'];
  expect(await problemsOf('Legend', LEGEND, colors)).toEqual(['', NAMED, '', '', NAMED]);
});

test('reads a legend without a header, below its rows', async () => {
  const below = [...Array.from({ length: 3 }, () => [NEXT, '', 'FFFFFFFF'] as const), ...LEGEND];
  expect(await problemsOf('', below, ['FFFF0000', 'FF92D050'])).toEqual([NAMED, '']);
});

test.each([
  ['a note in the color of its row', [[NEXT, 'Cancelled', 'FFFF0000']], ['FFFF0000', 'FFFF0000'], 1],
  [
    'a text on white',
    [
      [NEXT, '', 'FFFFFFFF'],
      [NEXT, '', 'FFFFFFFF'],
      [NEXT, 'Cancelled', 'FFFFFFFF'],
    ],
    ['FFFFFFFF'],
    0,
  ],
  ['a legend of no color used', LEGEND.slice(0, 1), ['FF92D050'], 1],
  ['a legend that says what to do', [[NEXT, 'Red = order first', 'FFFF0000']], ['FFFF0000', 'FF92D050'], 0],
] as const)('holds no other row back for %s', async (_case, legend, colors, own) => {
  const problems = await problemsOf('', legend, colors);
  expect(problems.filter((message) => message.includes('its color'))).toEqual([]);
  expect(problems.filter((message) => message !== '').length).toBeLessThanOrEqual(own);
});

const YELLOW = 'FFFFFF00';
const COLORS = [undefined, YELLOW, 'FF92D050', 'FFFFFF99'];

describe('a legend outside the columns', () => {
  const hold = (text: string) => expect.stringContaining(`"${text}"`);

  test.each([
    ['next to another title', [['Renee'], ['yellow = hold, waiting on signed app', YELLOW]], 1, [1, 3]],
    ['without its color', [['Renee'], ['Yellow = DO NOT ORDER YET']], 1, [1, 3]],
    ['alone', [['Yellow rows = hold']], 0, [1, 3]],
    ['without the name of a color', [['Renee'], ['Do not order (hold)', YELLOW]], 1, [1]],
    ['of several colors', [['Renee'], ['Yellow = new client, green = already ordered']], 1, [2]],
    ['of any color', [['Renee'], ['Highlighted rows: do not order']], 1, [1, 2, 3]],
  ] as const)('holds only rows of its color above the headers, %s', async (_case, line, at, held) => {
    const named = hold(line[at]?.[0] ?? '');
    expect(await problemsOf('', [], COLORS, [line])).toEqual(
      COLORS.map((_, row) => ((held as readonly number[]).includes(row) ? named : '')),
    );
  });

  test.each([
    ['in its color', [['yellow = hold', YELLOW]], 'yellow = hold', [1, 3]],
    ['in two cells', [['Yellow'], ['on hold']], 'Yellow on hold', [1, 3]],
    ['in a sentence', [['Rows in yellow are on hold']], 'Rows in yellow are on hold', [1, 3]],
    ['next to its color', [['', YELLOW], ['Hold']], 'Hold', [1]],
  ] as const)('holds only rows of its color below them, %s', async (_case, line, text, held) => {
    expect(await problemsOf('', [], COLORS, [], [[], line])).toEqual(
      COLORS.map((_, row) => ((held as readonly number[]).includes(row) ? hold(text) : '')),
    );
  });

  test('does not hold the row next to which it is', async () => {
    const nextTo = [[NEXT, 'yellow = hold', YELLOW]] as const;
    expect(await problemsOf('', nextTo, [undefined, YELLOW])).toEqual(['', hold('yellow = hold')]);
  });

  test.each(['yellow = new client', 'Yellow: rush', 'Blue = hold'])('holds no row for %s', async (text) => {
    expect(await problemsOf('', [], COLORS, [[['Renee'], [text]]])).toEqual(['', '', '', '']);
  });

  test('is no title of the rows above those of that color', async () => {
    const next = Object.values(ORDER_COLUMNS).map((text) => [text] as const);
    const problems = await problemsOf('', [], ['FF92D050'], [], [[['ON HOLD', 'FF92D050']], next]);
    expect(problems).toEqual(['', hold('ON HOLD')]);
  });
});

test('calls a row of one merged cell a title', async () => {
  await using folder = await temporaryFolder();
  const workbook = new exceljs.Workbook();
  const sheet = workbook.addWorksheet('Dec');
  sheet.addRow(HEADERS);
  sheet.addRow(['Q4 2026 wave']);
  sheet.mergeCells('A2:H2');
  sheet.addRow([...Object.values(ORDER_COLUMNS), 'HO-0048213']);
  const path = join(folder.path, 'dec.xlsx');
  await workbook.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
  await using reading = await readOrderFile(path, 'dec.xlsx', { headers: {}, today: '2026-11-01' });
  expect((await collected(reading.rows())).map(({ kind }) => kind)).toEqual(['order']);
});
