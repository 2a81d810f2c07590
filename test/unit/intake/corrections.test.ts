import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import exceljs, { type Worksheet } from 'exceljs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RowOutcome, SheetLayout } from '../../../src/domain/row.ts';
import { writeCorrectionsWorkbook } from '../../../src/intake/corrections/corrections.ts';
import { readOrderFile, readSource } from '../../../src/intake/read-orders.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';

const FILE = { name: 'oct.csv', hash: 'ab'.repeat(32) };
const OPTIONS = { headers: {}, today: '2026-10-15' };
const HEADERS = [
  'Rank',
  'Address',
  'City',
  'ST',
  'Zip',
  'Service',
  'Policy Type',
  'House Type',
  'Named Insured',
  'Insured Phone',
  'Insured Email',
  'Eff Date',
  'Policy #',
];
const ROW: readonly CellLike[] = [
  '=1+1',
  '118 Oak Ridge Ln',
  'Tampa',
  'FL',
  '33609',
  '4-Point',
  'Homeowners Insurance',
  'Residential Condo',
  '_x0041_ & <Sons>',
  '813-555-0142',
  'm@example.com',
  '2026-11-01',
  'HO-1',
];

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corrections-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

type Rejection = Extract<RowOutcome, { kind: 'rejection' }>;

async function rejections(
  sheets: Readonly<Record<string, readonly (readonly CellLike[])[]>>,
): Promise<{ layouts: readonly SheetLayout[]; rejected: Rejection[] }> {
  const reading = await readSource(inMemorySource(sheets), 'oct.csv', OPTIONS);
  const outcomes = await collected(reading.rows());
  return {
    layouts: reading.layouts,
    rejected: outcomes.flatMap((outcome) => (outcome.kind === 'rejection' ? [outcome] : [])),
  };
}

async function corrections(
  sheets: Readonly<Record<string, readonly (readonly CellLike[])[]>>,
): Promise<{ path: string; rejected: Rejection[] }> {
  const { layouts, rejected } = await rejections(sheets);
  const path = join(folder, 'to fix.xlsx');
  async function* rows() {
    yield* rejected;
  }
  await writeCorrectionsWorkbook(path, { file: FILE, layouts, rows });
  return { path, rejected };
}

/** Opens a workbook as a person would, changes cells, and saves it. */
async function edit(path: string, change: (sheet: Worksheet) => void): Promise<string> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const [sheet] = workbook.worksheets;
  if (sheet !== undefined) change(sheet);
  const saved = join(folder, 'fixed.xlsx');
  await workbook.xlsx.writeFile(saved, { zip: { compression: 'STORE' } });
  return saved;
}

async function readBack(path: string) {
  await using reading = await readOrderFile(path, 'fixed.xlsx', OPTIONS);
  const outcomes = await collected(reading.rows());
  return { layouts: reading.layouts, outcomes, notes: reading.notes };
}

function noteOf(cell: exceljs.Cell | undefined): string {
  const note: exceljs.Comment | string | undefined = cell?.note;
  return typeof note === 'string' ? note : (note?.texts ?? []).map(({ text }) => text).join('');
}

const changedRow = (...changes: readonly (readonly [index: number, held: CellLike])[]): CellLike[] =>
  changes.reduce<CellLike[]>((row, [index, held]) => row.with(index, held), [...ROW]);

test('writes only the rows to fix, cell by cell, in their layout', async () => {
  const held: CellLike[] = changedRow(
    [2, undefined],
    [4, { kind: 'number', value: 2139, raw: '2139', format: '00000' }],
    [11, { kind: 'date', iso: '2026-11-01', raw: '46327', format: 'm/d/yyyy' }],
    [12, 48_213],
  );
  const { path, rejected } = await corrections({ 'Oct/Nov:orders': [['Suncoast'], HEADERS, ROW, held] });
  const { layouts, outcomes } = await readBack(path);
  expect(layouts).toMatchObject([
    {
      sheet: 'Oct Nov orders',
      headerRow: 2,
      titles: [{ rowNumber: 1, cells: [null, { kind: 'text', text: 'Suncoast' }] }],
      columns: HEADERS.map((header, index) => ({ header, index: index + 1 })),
    },
  ]);
  expect(outcomes.map(({ record }) => record.correctsRow)).toEqual(['oct.csv#Oct/Nov:orders#4#abababababab']);
  const dateRaw = { kind: 'date', iso: '2026-11-01', format: 'm/d/yyyy' };
  expect(outcomes[0]?.record.cells.slice(1, 14)).toMatchObject(
    rejected[0]?.record.cells.map((cell) => (cell?.kind === 'date' ? dateRaw : cell)) ?? [],
  );
});

// The corrections workbook counts from 1900.
test('writes a 1904 day count as the day that was read', async () => {
  const { path } = await corrections({
    Orders: [
      HEADERS,
      changedRow([5, 'Roof cert'], [11, { kind: 'number', value: 44_869, raw: '44869', date1904: true }]),
    ],
  });
  const { outcomes } = await readBack(path);
  expect(outcomes[0]?.record.cells[12]).toMatchObject({ kind: 'date', iso: '2026-11-05' });
});

test('colors a wrong cell, explains it, and links it from Problems', async () => {
  const { path } = await corrections({
    Orders: [HEADERS, ROW, ROW, changedRow([5, 'Roof cert'], [10, 'pat@x.example; ann@x.example'])],
  });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const service = workbook.getWorksheet('Orders')?.getCell('G2');
  expect(service?.fill).toMatchObject({ type: 'pattern', fgColor: { argb: 'FFFFC9C9' } });
  expect(JSON.stringify(service?.note)).toContain('\\"Roof Only\\"?');
  expect(workbook.getWorksheet('Orders')?.getCell('L2').fill).toMatchObject({ fgColor: { argb: 'FFFFF3BF' } });
  expect(workbook.getWorksheet('Orders')?.getColumn(15).hidden).toBe(true);
  const problems = workbook.getWorksheet('Problems')?.getRow(2).values;
  const link = { formula: `HYPERLINK("#'Orders'!G2","G2")`, result: 'G2' };
  expect(problems).toEqual([
    undefined,
    'Orders',
    2,
    link,
    'Service',
    'Roof cert',
    expect.stringMatching(/^Service: "Roof cert" /),
    1,
    expect.stringMatching(/^Roof Only, Exterior, .* or /),
    'oct.csv',
    'Orders',
    4,
  ]);
});

test('gives a cell to fix a drop-down, house types by policy type', async () => {
  const { path } = await corrections({
    Orders: [HEADERS, ROW, changedRow([3, 'Florid'], [5, 'Roof cert'], [7, 'Restaurant'])],
  });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const choices = ['E2', 'G2', 'I2', 'H2'].map(
    (address) => workbook.getWorksheet('Orders')?.getCell(address).dataValidation?.formulae,
  );
  expect(choices).toEqual([['States'], ['Choices_1'], ['INDIRECT("HouseTypes_"&MATCH(H2,PolicyTypes,0))'], undefined]);
  expect(workbook.definedNames.getRanges('Services').ranges).toEqual(['Lists!$B$2:$B$10']);
  expect(workbook.getWorksheet('Lists')?.state).toBe('hidden');
});

test('puts all problems in the comment and marks repairs differently', async () => {
  const { layouts } = await rejections({ Orders: [HEADERS, ROW] });
  const { rejected } = await rejections({ Orders: [HEADERS, changedRow([3, 'Florida'], [5, 'Roof cert'])] });
  const path = join(folder, 'to fix.xlsx');
  async function* rows() {
    for (const row of rejected)
      yield {
        ...row,
        problems: row.problems.flatMap((problem) => [
          problem,
          { ...problem, message: 'Service (F2): and another thing.' },
        ]),
      };
  }
  await writeCorrectionsWorkbook(path, { file: FILE, layouts, rows });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const sheet = workbook.getWorksheet('Orders');
  expect(noteOf(sheet?.getCell('G2'))).toMatch(/^Service: "Roof cert" .*\nService: and another thing\.$/);
  expect(sheet?.getCell('E2').fill).toMatchObject({ fgColor: { argb: 'FFE7F5FF' } });
  expect(noteOf(sheet?.getCell('E2'))).toMatch(/^Read as "FL": /);
});

test('keeps text typed into a wrong id cell as typed', async () => {
  const { path } = await corrections({
    Orders: [HEADERS, changedRow([12, { kind: 'number', value: 1e15, raw: '1E+15', format: '0.00E+00' }])],
  });
  await edit(path, (sheet) => {
    expect([sheet.getCell('N2').numFmt, sheet.getCell('F2').numFmt]).toEqual(['@', '@']);
  });
});

test('reads a fixed row as an order with the same key', async () => {
  const { path } = await corrections({
    Orders: [HEADERS, changedRow([2, undefined]), ROW, changedRow([5, 'Roof cert'])],
  });
  const saved = await edit(path, (sheet) => {
    sheet.getCell('D2').value = 'Tampa';
  });
  const { outcomes } = await readBack(saved);
  expect(outcomes.map(({ kind, record }) => [kind, record.correctsRow])).toEqual([
    ['order', 'oct.csv#Orders#2#abababababab'],
    ['rejection', 'oct.csv#Orders#4#abababababab'],
  ]);
});

test('keeps the first key of a row that is wrong again', async () => {
  const { path } = await corrections({
    Orders: [
      [...HEADERS, '_row'],
      [...changedRow([2, undefined]), 'first.csv#Orders#9'],
    ],
  });
  const { outcomes, layouts } = await readBack(path);
  expect(outcomes[0]?.record.correctsRow).toBe('first.csv#Orders#9');
  expect(layouts[0]?.columns.map(({ header }) => header)).toEqual(HEADERS);
});

test('names the row of the original file in a corrections workbook', async () => {
  const rows = [ROW, ROW].map((row, index) => [
    ...row,
    'CANCELLED',
    index === 0 ? undefined : 'first.csv#Orders#9#0123456789ab',
  ]);
  const source = inMemorySource({ Orders: [[...HEADERS, 'Status', '_row'], ...rows] });
  const outcomes = await collected((await readSource(source, 'first - to fix.xlsx', OPTIONS)).rows());
  const said = outcomes.map((outcome) => (outcome.kind === 'rejection' ? outcome.problems[0]?.message : ''));
  expect(said).toEqual([
    expect.stringMatching(/^Row 2 of your file: "Status" says/),
    expect.stringMatching(/^Row 9 of "first\.csv": "Status" says/),
  ]);
});

test('keeps all columns in place through several corrections', async () => {
  let { path } = await corrections({
    Orders: [['Suncoast'], [], HEADERS.toSpliced(2, 1), ROW.toSpliced(2, 1)],
    Problems: [HEADERS, changedRow([5, 'Roof cert'])],
  });
  const seen: unknown[] = [];
  for (let round = 0; round < 3; round += 1) {
    const saved = await edit(path, (sheet) => {
      sheet.getCell('P3').value = 'Rep';
      sheet.getCell('P4').value = `JP ${String(round)}`;
    });
    await using reading = await readOrderFile(saved, 'fixed.xlsx', OPTIONS);
    const rejected = (await collected(reading.rows())).filter((outcome) => outcome.kind === 'rejection');
    seen.push(
      reading.layouts.map(({ sheet, headerRow, keyColumn, columns }) => [
        sheet,
        headerRow,
        keyColumn,
        ...columns.map(({ index, header }) => `${String(index)} ${header}`),
      ]),
    );
    expect(rejected.map(({ record }) => [record.correctsRow, record.cells[15]])).toEqual([
      ['oct.csv#Orders#4#abababababab', { kind: 'text', text: `JP ${String(round)}` }],
      ['oct.csv#Problems#2#abababababab', undefined],
    ]);
    path = join(folder, `to fix ${String(round)}.xlsx`);
    await writeCorrectionsWorkbook(path, {
      file: { name: 'fixed.xlsx', hash: 'cd'.repeat(32) },
      layouts: reading.layouts,
      rows: async function* again() {
        yield* rejected;
      },
    });
  }
  const own = HEADERS.toSpliced(2, 1).map((header, index) => `${String(index + 1)} ${header}`);
  const orders = ['Orders', 3, 14, ...own, '13 City', '15 Rep'];
  const problems = (name: string): unknown[] => [
    name,
    1,
    14,
    ...HEADERS.map((header, index) => `${String(index + 1)} ${header}`),
  ];
  expect(seen).toEqual(Array.from({ length: 3 }, () => [orders, problems('Problems (2)')]));
});

test('adds a missing required column to fill in', async () => {
  const { path } = await corrections({ Orders: [HEADERS.toSpliced(2, 1), ROW.toSpliced(2, 1)] });
  const saved = await edit(path, (sheet) => {
    expect(sheet.getCell('N1').value).toBe('City');
    sheet.getCell('N2').value = 'Tampa';
  });
  expect((await readBack(saved)).outcomes).toMatchObject([{ kind: 'order', payload: { city: 'Tampa' } }]);
});

test('keeps a date that its column decided unambiguous', async () => {
  const { path } = await corrections({
    Orders: [
      HEADERS,
      ...['25/12/2026', '26/12/2026', '27/12/2026'].map((date) => changedRow([11, date])),
      changedRow([11, '03/12/2026'], [2, undefined]),
    ],
  });
  const saved = await edit(path, (sheet) => {
    sheet.getCell('D2').value = 'Tampa';
  });
  expect((await readBack(saved)).outcomes).toMatchObject([
    { kind: 'order', payload: { policyEffectiveDate: '2026-12-03' } },
  ]);
});

test('asks again for a value that the spreadsheet could not calculate', async () => {
  const wrong = [
    [2, { kind: 'error', code: '#N/A' }],
    [8, { kind: 'formula', formula: 'A1&B1' }],
    [1, { kind: 'error', code: '#SPILL!' }],
    [12, { kind: 'formula', formula: 'A1' }],
  ] as const;
  const { path } = await corrections({ Orders: [HEADERS, ...wrong.map((change) => changedRow(change))] });
  const { outcomes } = await readBack(path);
  expect(outcomes).toMatchObject(wrong.map(() => ({ kind: 'rejection', problems: [{ rule: 'cell-error' }] })));
});

test('keeps a date open that contradicting dates left open', async () => {
  const { path } = await corrections({
    Orders: [
      HEADERS,
      changedRow([11, '25/12/2026'], [2, undefined]),
      changedRow([11, '03/12/2026']),
      changedRow([11, '12/25/2026']),
    ],
  });
  const { outcomes } = await readBack(path);
  expect(outcomes).toMatchObject([
    { kind: 'rejection', problems: [{ rule: 'required-empty' }] },
    { kind: 'rejection', problems: [{ rule: 'date-ambiguous' }] },
  ]);
});

test('finds room for added columns after a cell in the last column', async () => {
  const stray = ROW.map((cell, index) => (index === 3 ? 'XX' : cell));
  const far: CellLike[] = [...stray];
  far[16_383] = 'x';
  const withoutCity = (cells: readonly CellLike[]): CellLike[] => cells.filter((_, index) => index !== 2);
  const { path, rejected } = await corrections({
    Orders: [HEADERS, far],
    May: [withoutCity(HEADERS), [...withoutCity(far), 'x']],
  });
  expect(rejected).toHaveLength(2);
  const { outcomes, layouts } = await readBack(path);
  expect(outcomes.map(({ record }) => record.correctsRow)).toEqual(
    rejected.map(({ record: { place } }) => expect.stringContaining(`#${place.sheet}#2`) as unknown),
  );
  expect(layouts[1]?.columns.map(({ header }) => header)).toContain('City');
});

test('gives rows of a sheet without a header the required titles', async () => {
  const { path } = await corrections({ Orders: [HEADERS, ROW], More: [ROW] });
  const { layouts, outcomes } = await readBack(path);
  expect(layouts[0]?.columns.map(({ header }) => header)).toEqual(
    expect.arrayContaining(['Street address', 'City', 'ZIP code', 'Insured name']),
  );
  expect(outcomes.map(({ record: { correctsRow } }) => correctsRow)).toEqual([expect.stringContaining('#More#1')]);
});

describe('writeCorrectionsWorkbook', () => {
  async function opened(...rows: readonly CellLike[][]) {
    const { path } = await corrections({ Orders: [HEADERS, ...rows] });
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.readFile(path);
    return { path, workbook, sheet: workbook.getWorksheet('Orders') };
  }

  test('links the wrong cells of a row in a first frozen column', async () => {
    const { sheet } = await opened(changedRow([2, undefined], [5, 'Roof cert']));
    expect(sheet?.getCell('A1').value).toMatch(/^To fix/);
    expect(sheet?.getCell('A2').value).toEqual({
      formula: `HYPERLINK("#'Orders'!D2","City and Service")`,
      result: 'City and Service',
    });
    expect(sheet?.views[0]).toMatchObject({ state: 'frozen', xSplit: 1, ySplit: 1 });
  });

  test('marks the cell that says not to order, not the row', async () => {
    const { path } = await corrections({
      Orders: [
        [...HEADERS, 'Notes'],
        [...ROW, 'dup?'],
      ],
    });
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.readFile(path);
    const sheet = workbook.getWorksheet('Orders');
    expect(sheet?.getCell('A2').value).toMatchObject({ result: 'Notes' });
    expect([noteOf(sheet?.getCell('O2')), noteOf(sheet?.getCell('B2'))]).toEqual([
      expect.stringContaining('dup?'),
      expect.not.stringContaining('dup?'),
    ]);
  });

  test('opens at the first wrong cell', async () => {
    const { sheet } = await opened(changedRow([5, 'Roof cert']));
    expect(sheet?.views[0]).toMatchObject({ activeCell: 'G2', topLeftCell: 'E2' });
  });

  test('offers the proposed value first in a drop-down', async () => {
    const { workbook, sheet } = await opened(changedRow([5, 'Roof cert']));
    expect(sheet?.getCell('G2').dataValidation.formulae).toEqual(['Choices_1']);
    const [range = ''] = workbook.definedNames.getRanges('Choices_1').ranges;
    const first = /\$([A-Z]+)\$2:/.exec(range)?.[1] ?? '';
    expect(workbook.getWorksheet('Lists')?.getCell(`${first}2`).value).toBe('Roof Only');
  });

  test('puts equal problems in one line with their rows', async () => {
    const { workbook } = await opened(...Array.from({ length: 12 }, () => changedRow([5, 'Roof cert'])));
    const problems = workbook.getWorksheet('Problems');
    expect(problems?.getCell('B2').value).toBe('2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more');
    expect(problems?.getCell('G2').value).toBe(12);
    expect(problems?.getCell('D3').value).toBeNull();
  });

  test('has no sheet of words if every word is listed', async () => {
    const { workbook } = await opened(changedRow([2, undefined]));
    expect(workbook.getWorksheet('Words')).toBeUndefined();
  });

  test('takes one answer on the sheet Words for all equal cells', async () => {
    const { path } = await opened(
      changedRow([5, 'Roof cert'], [12, 'HO-1']),
      changedRow([5, 'Roof cert'], [12, 'HO-2']),
      changedRow([5, 'Attic visit'], [12, 'HO-3']),
    );
    const saved = await edit(path, ({ workbook }) => {
      const words = workbook.getWorksheet('Words');
      expect(words?.getRow(2).values).toEqual([undefined, 'Service', 'Roof cert', 2, undefined, expect.anything()]);
      if (words !== undefined) words.getCell('D2').value = 'Roof Only';
    });
    const { outcomes } = await readBack(saved);
    expect(outcomes).toMatchObject([
      { kind: 'order', payload: { serviceName: 'Roof Only' } },
      { kind: 'order', payload: { serviceName: 'Roof Only' } },
      { kind: 'rejection', problems: [{ rule: 'value-not-listed' }] },
    ]);
  });
});

describe('readOrders', () => {
  test('reads a sender’s own column To fix as any other', async () => {
    const reading = await readSource(
      inMemorySource({
        Orders: [
          ['To fix', ...HEADERS],
          ['the fence', ...ROW],
        ],
      }),
      'oct.csv',
      OPTIONS,
    );
    const [outcome] = await collected(reading.rows());
    expect(outcome?.record.cells[0]).toMatchObject({ text: 'the fence' });
  });
});

// By the values of the rows to fix alone, no column would hold a house type.
test('reads a column that values named as in the corrected file', async () => {
  const headers = HEADERS.with(7, 'Occupancy');
  const { path } = await corrections({ Orders: [headers, ROW, ROW, changedRow([7, 'Chalet'])] });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const words = workbook.getWorksheet('Words');
  if (words !== undefined) words.getCell('D2').value = 'Residential Single Family';
  await workbook.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
  const { outcomes } = await readBack(path);
  expect(outcomes).toMatchObject([{ kind: 'order', payload: { houseType: 'Residential Single Family' } }]);
});
