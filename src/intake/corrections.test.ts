import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import exceljs from 'exceljs';
import type { Worksheet } from 'exceljs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RowOutcome, SheetLayout } from '../domain/row.ts';
import { writeCorrectionsWorkbook } from './corrections.ts';
import { collected, inMemorySource } from './in-memory-source.ts';
import type { CellLike } from './in-memory-source.ts';
import { readOrderFile } from './read-file.ts';
import { readOrders } from './read-orders.ts';

const OPTIONS = { headers: {}, today: '2026-10-15' };
const HEADERS = ['Rank', 'Address', 'City', 'ST', 'Zip', 'Service', 'Policy Type', 'House Type', 'Named Insured', 'Insured Phone', 'Insured Email', 'Eff Date', 'Policy #'];
const ROW: readonly CellLike[] = ['=1+1', '118 Oak Ridge Ln', 'Tampa', 'FL', '33609', '4-Point', 'Homeowners Insurance', 'Residential Condo', '_x0041_ & <Sons>', '813-555-0142', 'm@example.com', '2026-11-01', 'HO-1'];

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corrections-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

type Rejection = Extract<RowOutcome, { kind: 'rejection' }>;

async function rejections(sheets: Readonly<Record<string, readonly (readonly CellLike[])[]>>): Promise<{ layouts: readonly SheetLayout[]; rejected: Rejection[] }> {
  const reading = await readOrders(inMemorySource(sheets), 'oct.csv', OPTIONS);
  const outcomes = await collected(reading.rows());
  return { layouts: reading.layouts, rejected: outcomes.flatMap((outcome) => (outcome.kind === 'rejection' ? [outcome] : [])) };
}

async function corrections(sheets: Readonly<Record<string, readonly (readonly CellLike[])[]>>): Promise<{ path: string; rejected: Rejection[] }> {
  const { layouts, rejected } = await rejections(sheets);
  const path = join(folder, 'to fix.xlsx');
  async function* rows() {
    yield* rejected;
  }
  await writeCorrectionsWorkbook(path, { file: 'oct.csv', layouts, rows });
  return { path, rejected };
}

/** Opens a workbook as a person would, changes cells, and saves it. */
async function edit(path: string, change: (sheet: Worksheet) => void): Promise<string> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const [sheet] = workbook.worksheets;
  if (sheet !== undefined) change(sheet);
  const saved = join(folder, 'fixed.xlsx');
  await workbook.xlsx.writeFile(saved);
  return saved;
}

async function readBack(path: string) {
  await using reading = await readOrderFile(path, 'fixed.xlsx', OPTIONS);
  const outcomes = await collected(reading.rows());
  return { layouts: reading.layouts, outcomes, notes: reading.notes };
}

const changedRow = (...changes: readonly (readonly [index: number, held: CellLike])[]): CellLike[] => changes.reduce<CellLike[]>((row, [index, held]) => row.with(index, held), [...ROW]);

test('only the rows to fix come back, cell by cell as they were, in the layout of the sender', async () => {
  const held: CellLike[] = changedRow([2, undefined], [4, { kind: 'number', value: 2139, raw: '2139', format: '00000' }], [11, { kind: 'date', iso: '2026-11-01', raw: '46327' }], [12, 48_213]);
  const { path, rejected } = await corrections({ 'Oct/Nov:orders': [['Suncoast'], HEADERS, ROW, held] });
  const { layouts, outcomes } = await readBack(path);
  expect(layouts).toMatchObject([{ sheet: 'Oct Nov orders', headerRow: 1, columns: HEADERS.map((header, index) => ({ header, index })) }]);
  expect(outcomes.map(({ record }) => record.correctsRow)).toEqual(['oct.csv#Oct/Nov:orders#4']);
  const dateRaw = { kind: 'date', iso: '2026-11-01' };
  expect(outcomes[0]?.record.cells.slice(0, 13)).toMatchObject(rejected[0]?.record.cells.map((cell) => (cell?.kind === 'date' ? dateRaw : cell)) ?? []);
});

test('a wrong cell is coloured and says what to do, and the sheet of problems names its place in this workbook', async () => {
  const { path } = await corrections({ Orders: [HEADERS, ROW, ROW, changedRow([5, 'Roof'], [10, 'nobody'])] });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const service = workbook.getWorksheet('Orders')?.getCell('F2');
  expect(service?.fill).toMatchObject({ type: 'pattern', fgColor: { argb: 'FFFFC9C9' } });
  expect(JSON.stringify(service?.note)).toContain('Did you mean \\"Roof Only\\"?');
  expect(workbook.getWorksheet('Orders')?.getCell('K2').fill).toMatchObject({ fgColor: { argb: 'FFFFF3BF' } });
  expect(workbook.getWorksheet('Orders')?.getColumn(14).hidden).toBe(true);
  const problems = workbook.getWorksheet('Problems')?.getRow(2).values;
  expect(problems).toEqual([undefined, 'Orders', 2, 'F2', 'Service', 'Roof', expect.stringMatching(/^Service: "Roof" is not in the list/), 4]);
});

test('a row that is fixed comes back as an order, known as the same row', async () => {
  const { path } = await corrections({ Orders: [HEADERS, changedRow([2, undefined]), ROW, changedRow([5, 'Roof'])] });
  const saved = await edit(path, (sheet) => {
    sheet.getCell('C2').value = 'Tampa';
  });
  const { outcomes } = await readBack(saved);
  expect(outcomes.map(({ kind, record }) => [kind, record.correctsRow])).toEqual([
    ['order', 'oct.csv#Orders#2'],
    ['rejection', 'oct.csv#Orders#4'],
  ]);
});

test('a row that comes back wrong again keeps its first key, and gets no second key column', async () => {
  const { path } = await corrections({ Orders: [[...HEADERS, '_row'], [...changedRow([2, undefined]), 'first.csv#Orders#9']] });
  const { outcomes, layouts } = await readBack(path);
  expect(outcomes[0]?.record.correctsRow).toBe('first.csv#Orders#9');
  expect(layouts[0]?.columns.map(({ header }) => header)).toEqual(HEADERS);
});

test('a required column that was missing is added for people to fill in', async () => {
  const { path } = await corrections({ Orders: [HEADERS.toSpliced(2, 1), ROW.toSpliced(2, 1)] });
  const saved = await edit(path, (sheet) => {
    expect(sheet.getCell('M1').value).toBe('City');
    sheet.getCell('M2').value = 'Tampa';
  });
  expect((await readBack(saved)).outcomes).toMatchObject([{ kind: 'order', payload: { city: 'Tampa' } }]);
});

test('a date that its column decided is not two dates again in the workbook', async () => {
  const { path } = await corrections({ Orders: [HEADERS, changedRow([11, '25/12/2026']), changedRow([11, '03/12/2026'], [2, undefined])] });
  const saved = await edit(path, (sheet) => {
    sheet.getCell('C2').value = 'Tampa';
  });
  expect((await readBack(saved)).outcomes).toMatchObject([{ kind: 'order', payload: { policyEffectiveDate: '2026-12-03' } }]);
});

test('an error stays an error, and a formula without a value does not become its own text', async () => {
  const { path } = await corrections({ Orders: [HEADERS, changedRow([2, { kind: 'error', code: '#N/A' }], [8, { kind: 'formula', formula: 'A1&B1' }])] });
  const { outcomes } = await readBack(path);
  expect(outcomes[0]).toMatchObject({ kind: 'rejection', problems: [{ rule: 'cell-error' }, { rule: 'required-empty', field: 'insuredName' }] });
});
