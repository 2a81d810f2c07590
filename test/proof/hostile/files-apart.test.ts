import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import { IsolatedFileWorker } from '../../../src/night/isolated-file-worker.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import type { SheetLayout } from '../../../src/domain/row.ts';
import type { RowToFix } from '../../../src/intake/corrections/sheet-plan.ts';
import { collected } from '../../support/in-memory-source.ts';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { workbookBytes } from '../../support/made-files.ts';
import { UnreadableFileError } from '../../../src/intake/readers/row-source.ts';
import { PACKAGE_ROOT } from '../../support/command-line.ts';

const OPTIONS = { headers: {}, today: '2026-03-05' };
const desk = new IsolatedFileWorker(new AbortController().signal, silentLog);

test.each(['01-filled-template.xlsx', '03-european-export.csv'])(
  'reads %s as the process itself does',
  async (name) => {
    const path = join(PACKAGE_ROOT, 'samples', name);
    await using here = await readOrderFile(path, name, OPTIONS);
    await using apart = await desk.read(path, name, OPTIONS);
    expect(apart.layouts).toEqual(here.layouts);
    expect(await collected(apart.rows())).toEqual(await collected(here.rows()));
    expect(apart.notes).toEqual(here.notes);
  },
);

test('reports an unreadable file as the process itself does', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'apart-'));
  const path = join(folder.path, 'empty.csv');
  await writeFile(path, '');
  await expect(desk.read(path, 'empty.csv', OPTIONS)).rejects.toThrow(UnreadableFileError);
  await expect(desk.read(path, 'empty.csv', OPTIONS)).rejects.toThrow('"empty.csv" is empty.');
});

test('refuses a file that expands far beyond its size', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'apart-'));
  const path = join(folder.path, 'orders.xlsx');
  // Each row goes back with a sentence for each of the fields that it lacks: a dozen bytes, packed, become thousands.
  const header = ['Policy number', 'Insured name', 'Street address', 'City', 'State']
    .map((title) => `<c t="inlineStr"><is><t>${title}</t></is></c>`)
    .join('');
  await writeFile(
    path,
    workbookBytes({
      // Repeated in the row's sentences, so that few rows are read before the limit.
      strings: `<si><t>${'xy'.repeat(75)}</t></si>`,
      rows: `<row>${header}</row>${`<row>${'<c t="s"><v>0</v></c>'.repeat(5)}</row>`.repeat(20_000)}`,
    }),
  );
  const rest = async () => {
    await using reading = await desk.read(path, 'orders.xlsx', OPTIONS);
    await collected(reading.rows());
  };
  await expect(rest()).rejects.toThrow('"orders.xlsx" is refused: it holds far more than its size accounts for');
});

test('rejects with the reason if the run is stopped', async () => {
  const stop = new AbortController();
  const reason = new Error('The run was asked to stop.');
  const path = join(PACKAGE_ROOT, 'samples/01-filled-template.xlsx');
  await using reading = await new IsolatedFileWorker(stop.signal, silentLog).read(path, 'a.xlsx', OPTIONS);
  stop.abort(reason);
  const rows = reading.rows()[Symbol.asyncIterator]();
  await expect(
    (async () => {
      while ((await rows.next()).done !== true);
    })(),
  ).rejects.toBe(reason);
});

const layout: SheetLayout = {
  sheet: 'Orders',
  headerRow: 2,
  columns: [
    { index: 0, header: 'Policy #', field: 'policyNumber' },
    { index: 1, header: 'Branch', field: null },
  ],
};
const rowToFix: RowToFix = {
  record: {
    place: { file: 'a.xlsx', sheet: 'Orders', rowNumber: 3 },
    cells: [
      { kind: 'text', text: '=1+1' },
      { kind: 'number', value: 7, raw: '7' },
    ],
    correctsRow: null,
  },
  problems: [
    {
      severity: 'error',
      rule: 'r',
      field: 'policyNumber',
      column: 'Policy #',
      cell: 'A3',
      value: '=1+1',
      message: 'Policy # (A3): no number.',
    },
  ],
};

/** The first sheet of a workbook that was written apart. */
async function written(layouts: readonly SheetLayout[], rowCount: number): Promise<readonly (readonly unknown[])[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'apart-'));
  const path = join(folder.path, 'to fix.xlsx');
  // oxlint-disable-next-line typescript/require-await
  await desk.writeCorrections(
    path,
    {
      file: { name: 'a.xlsx', hash: 'ab'.repeat(32) },
      layouts,
      rows: async function* () {
        yield rowToFix;
      },
    },
    rowCount,
  );
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.load((await readFile(path)).buffer);
  return (
    workbook.worksheets[0]
      ?.getSheetValues()
      .filter((row) => row !== undefined && row !== null)
      .map((row) => (row as unknown[]).slice(1)) ?? []
  );
}

test('writes corrections in the usual form', async () => {
  const [header, row] = await written([layout], 1);
  expect(header?.slice(1, 3)).toEqual(['Policy #', 'Branch']);
  expect(row?.slice(1, 3)).toEqual(['=1+1', 7]);
  expect(header).not.toContain('What to fix');
});

test.each([
  ['where the rows are too many', [layout], 5_001],
  // No spreadsheet has a row 0.
  [
    'where the usual form cannot be made',
    [{ ...layout, titles: [{ rowNumber: 0, cells: [{ kind: 'text', text: 'Orders' }] }] } as const],
    1,
  ],
])('writes plain corrections with keys and problems: %s', async (_when, layouts, rowCount) => {
  const [header = [], row = []] = await written(layouts, rowCount);
  const valueOf = (title: string) => row[header.indexOf(title)];
  expect(valueOf('Policy #')).toBe('=1+1');
  expect(valueOf('Branch')).toBe(7);
  expect(valueOf('_row')).toBe('a.xlsx#Orders#3#abababababab');
  expect(valueOf('What to fix')).toBe('Policy #: no number.');
});
