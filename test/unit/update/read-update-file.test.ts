import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ExcelJS from 'exceljs';
import { describe, expect, test } from 'vitest';
import type { UpdateKind } from '../../../src/ledger/updates.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { readUpdateFile, type UpdateFileOptions } from '../../../src/update/read-update-file.ts';
import type { WantedUpdate } from '../../../src/update/find-project.ts';

const OPTIONS = {
  kind: 'cancel',
  headers: {},
  today: '2026-11-21',
  comment: undefined,
  withoutFiles: false,
} as const;

async function read(
  kind: UpdateKind,
  lines: readonly string[],
  options: Partial<UpdateFileOptions> = {},
): Promise<readonly WantedUpdate[]> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'list.csv');
  await writeFile(path, `${lines.join('\n')}\n`);
  return await readUpdateFile(path, { ...OPTIONS, kind, ...options });
}

const named = (wanted: readonly WantedUpdate[]) =>
  wanted.map(({ names }) => names.map(({ key, text }) => `${key} ${text}`));
const requests = (wanted: readonly WantedUpdate[]) => wanted.map(({ request: { kind: _kind, ...rest } }) => rest);

describe('readUpdateFile', () => {
  test('every column that names the project is read', async () => {
    const wanted = await read(
      'cancel',
      ['Canceled this week', 'Pol #,Insp No,Project ID,Their code', 'P-1,T-1,100017,x', ',,100018,', '0042,,,'],
      { headers: { 'Their code': 'ignore' } },
    );
    expect(named(wanted)).toEqual([
      ['projectId 100017', 'inspectionNumber T-1', 'policyNumber P-1'],
      ['projectId 100018'],
      ['policyNumber 0042'],
    ]);
    expect(wanted[0]?.source).toMatchObject({ file: 'list.csv', rowNumber: 3 });
    expect(
      named(await read('cancel', ['Their code', 'T-1'], { headers: { 'Their code': 'inspectionNumber' } })),
    ).toEqual([['inspectionNumber T-1']]);
  });

  test('skips hidden sheets', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'list.xlsx');
    const workbook = new ExcelJS.Workbook();
    for (const [name, state, policy] of [
      ['Now', 'visible', 'P-1'],
      ['Last month', 'hidden', 'P-2'],
    ] as const)
      workbook.addWorksheet(name, { state }).addRows([['Policy number'], [policy]]);
    await workbook.xlsx.writeFile(path);
    expect(named(await readUpdateFile(path, OPTIONS))).toEqual([['policyNumber P-1']]);
  });

  test("a row's comment precedes the command line's", async () => {
    expect(
      requests(
        await read('cancel', ['Policy number,Reason,Note', 'P-1,sold,two dogs', 'P-2,,two dogs'], {
          comment: 'all gone',
        }),
      ),
    ).toEqual([{ comment: 'sold' }, { comment: 'all gone' }]);
    const [long] = await read('cancel', ['Policy number,Comment', `P-1,${'x'.repeat(1000)}`]);
    expect(long?.problems.join()).toContain('999');
  });

  test('an empty cell leaves a field as it is, (clear) empties it', async () => {
    const wanted = await read('amend', [
      'Project ID,New policy number,New effective date',
      '1,P-9,2027-03-04',
      '2,,',
      '3,(clear),(Clear)',
      '4,N/A,',
    ]);
    expect(requests(wanted)).toEqual([
      { policyNumber: 'P-9', policyEffectiveDate: '2027-03-04' },
      {},
      { policyNumber: '', policyEffectiveDate: '' },
      {},
    ]);
  });

  test('with "new" headers, plain columns name the project', async () => {
    const saysNew = await read('amend', ['Policy number,Effective date,Corrected Policy #', 'P-1,2027-01-01,P-2']);
    expect([named(saysNew), requests(saysNew)]).toEqual([[['policyNumber P-1']], [{ policyNumber: 'P-2' }]]);
    const byInspection = await read('amend', [
      'Inspection number,Policy number,Effective date,City',
      'T-1,P-2,2027-01-01,Tampa',
      ',P-3,2027-01-02,Tampa',
    ]);
    expect(named(byInspection)).toEqual([['inspectionNumber T-1'], ['policyNumber P-3']]);
    expect(requests(byInspection)).toEqual([
      { policyNumber: 'P-2', policyEffectiveDate: '2027-01-01' },
      { policyEffectiveDate: '2027-01-02' },
    ]);
  });

  test('an uncertain value is reported with its cell, not guessed', async () => {
    const wanted = await read('amend', [
      'Project ID,New effective date',
      '1,03/05/2027',
      'A7,2027-01-01',
      '1E+15,2027-01-01',
      ',2027-01-01',
    ]);
    expect(wanted.map(({ problems }) => problems.join(' '))).toEqual([
      expect.stringMatching(/^New effective date \(B2\): .*March 5, 2027.*May 3, 2027/),
      expect.stringMatching(/^Project ID \(A3\): "A7" /),
      expect.stringMatching(/^Project ID \(A4\): .*digits were lost/),
      expect.stringMatching(/^Row 5 /),
    ]);
    const clear = await read('amend', [
      'Project ID,New effective date',
      '1,03/05/2027',
      '2,25/05/2027',
      '3,26/05/2027',
      '4,27/05/2027',
    ]);
    expect(requests(clear)[0]).toEqual({ policyEffectiveDate: '2027-05-03' });
  });

  test('a file without projects or new values is refused', async () => {
    await expect(read('cancel', ['City,State', 'Tampa,FL'])).rejects.toThrow('names no project');
    await expect(read('amend', ['Project ID', '1'])).rejects.toThrow('New policy number');
  });

  test('a new effective date alone is enough for an amendment', async () => {
    expect(requests(await read('amend', ['Policy number,New effective date', 'P-1,2027-01-01']))).toEqual([
      { policyEffectiveDate: '2027-01-01' },
    ]);
  });

  test('of two columns of one meaning the first counts', async () => {
    expect(named(await read('cancel', ['Policy number,Pol #', 'P-1,P-2']))).toEqual([['policyNumber P-1']]);
  });

  test('of two headers with as many columns the first counts', async () => {
    const wanted = await read('cancel', ['Policy number', 'Project ID', 'P-1']);
    expect(named(wanted)).toEqual([['policyNumber Project ID'], ['policyNumber P-1']]);
  });

  test('a comment of 999 characters is no problem', async () => {
    const [one] = await read('cancel', ['Policy number,Comment', `P-1,${'x'.repeat(999)}`]);
    expect(one?.problems).toEqual([]);
  });

  test('a project ID has up to 19 digits', async () => {
    expect(named(await read('cancel', ['Project ID', '9223372036854775807']))).toEqual([
      ['projectId 9223372036854775807'],
    ]);
  });

  test('without "new" headers, ID and inspection number both name the project', async () => {
    const wanted = await read('amend', ['Project ID,Inspection number,Effective date', '1,T-1,2027-01-01']);
    expect(named(wanted)).toEqual([['projectId 1', 'inspectionNumber T-1']]);
  });
});
