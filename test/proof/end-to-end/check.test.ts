import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { type Ended, oneDocument, runToEnd } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

type Row = Readonly<Record<string, string>>;

const COLUMNS = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', ...Object.keys(orderPayload())];

function csv(rows: readonly Row[]): string {
  const base: Row = { ...orderPayload() } as unknown as Row;
  return `${[COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((column) => row[column] ?? base[column] ?? '').join(','))].join('\n')}\n`;
}

const policy = { policyNumber: 'P-1', policyEffectiveDate: '2026-12-01' };

const home = process.cwd();
afterEach(() => process.chdir(home));

/** `check` in this process, called in a folder. */
async function checkIn(folder: string, ...args: readonly string[]): Promise<Ended> {
  process.chdir(folder);
  return callHere(['check', ...args]);
}

describe('check', () => {
  test('forecasts for every row the outcome of the next run', async () => {
    await using sandbox = await startSandboxHere();
    await using workspace = await temporaryWorkspace({
      env: sandbox.lines,
      inbox: { 'first.csv': csv([{ inspectionNumber: 'A-1', ...policy, streetAddress: '1 Oak Street' }]) },
    });
    await callHere(['run', '--workspace', workspace.path]);
    await writeFile(
      workspace.at('inbox/monday.csv'),
      csv([
        { inspectionNumber: 'A-1', ...policy, streetAddress: '1 Oak Street', insuredPhone: '555-0199' },
        { ...policy, streetAddress: '2 Oak Street' },
        { inspectionNumber: 'B-1', streetAddress: '3 Oak Street' },
        { inspectionNumber: 'A-2', ...policy, streetAddress: '4 Oak Street' },
      ]),
    );
    await writeFile(
      workspace.at('inbox/tuesday.csv'),
      csv([
        { inspectionNumber: 'B-1', streetAddress: '3 Oak Street' },
        { inspectionNumber: 'C-1', state: 'XX' },
      ]),
    );
    const ended = await checkIn(workspace.path, 'inbox', '--json');
    const [monday, tuesday] = (
      oneDocument(ended) as { readonly files: readonly { readonly forecast: readonly Record<string, unknown>[] }[] }
    ).files;
    const first = { file: 'first.csv', row: 2, order: 1, project: expect.stringMatching(/^\d+$/) as unknown };
    const created = { answer: 'created', rule: null, of: null };
    expect(monday?.forecast).toMatchObject([
      {
        row: 2,
        run: 'repeat',
        service: { answer: 'duplicate', rule: 'inspection-number', of: first },
        repeats: { ...first, sameIdentity: true },
        changes: [{ field: 'insuredPhone', ordered: '555-0100', now: '555-0199' }],
        choices: [{ kind: 'cancel-and-order-again', project: first.project }],
      },
      { row: 3, run: 'order', service: { answer: 'duplicate', rule: 'policy-and-date', of: first }, repeats: null },
      { row: 4, run: 'order', service: created, text: null },
      { row: 5, run: 'order', service: created },
    ]);
    expect(monday).toMatchObject({ rows: { read: 4, accepted: 4, rejected: 0 } });
    expect(JSON.stringify(monday)).toMatch(/policy-ordered-under-another-number.*for another house/);
    expect(tuesday?.forecast).toMatchObject([
      {
        row: 2,
        run: 'repeat',
        service: { answer: 'duplicate', of: { file: 'monday.csv', row: 4, order: null, project: null, at: null } },
      },
    ]);
    expect(await readdir(workspace.inbox)).toEqual(['monday.csv', 'tuesday.csv']);

    const run = await callHere(['run', '--workspace', workspace.path, '--json']);
    expect(oneDocument(run)).toMatchObject({ orders: { created: 2, linked: 0, refused: 1, skipped: 2 } });
    const status = await callHere(['status', '--workspace', workspace.path, '--json']);
    expect(oneDocument(status)).toMatchObject({
      changed: [{ order: 1, file: 'monday.csv', row: 2, choices: [{ kind: 'cancel-and-order-again' }] }],
    });
  });

  test('asks for no second fix of a row ordered since', async () => {
    await using sandbox = await startSandboxHere();
    const [wrong, right] = [{ inspectionNumber: 'A-1', state: 'XX' }, { inspectionNumber: 'A-1' }];
    await using workspace = await temporaryWorkspace({
      env: sandbox.lines,
      inbox: { 'march.csv': csv([wrong, { inspectionNumber: 'A-2' }]) },
    });
    await callHere(['run', '--workspace', workspace.path]);
    await writeFile(workspace.at('inbox/march.csv'), csv([right]));
    await callHere(['run', '--workspace', workspace.path]);
    await writeFile(workspace.at('inbox/march.csv'), csv([wrong, { inspectionNumber: 'A-3' }]));
    const checked = await checkIn(workspace.path, 'inbox');
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/2 rows read: 1 can be ordered, 1 already ordered, 0 to fix/) as unknown,
    });
    expect(checked.stdout).toMatch(/ordered.* row 2 of sheet .* in march\.csv/);
    expect(oneDocument(await callHere(['run', '--workspace', workspace.path, '--json']))).toMatchObject({
      files: [{ rows: { read: 2, accepted: 2, rejected: 0 } }],
      orders: { created: 1, skipped: 1 },
    });
  });

  test('names the repeated row and its changes', async () => {
    await using folder = await temporaryFolder();
    const row = { inspectionNumber: 'A-1' };
    await writeFile(join(folder.path, 'orders.csv'), csv([row, { ...row, insuredName: 'Bob' }]));
    const { stdout } = await checkIn(folder.path, 'orders.csv');
    expect(stdout).toMatch(/2 rows read: 1 can be ordered, 1 repeats an earlier row, 0 to fix/);
    expect(stdout).toMatch(
      /row 3 {2}warning: Inspection number A-1 is already listed: row 2 of sheet .* in orders\.csv/,
    );
    expect(stdout).toMatch(/Insured name: "Ann Lee" → "Bob"/);
  });

  test('recognizes a copy of a file under another name', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'dropped', 'smith'), { recursive: true });
    for (const name of ['a.csv', 'smith/b.csv']) await writeFile(join(folder.path, 'dropped', name), orderCsv(2));
    const ended = await checkIn(folder.path, 'dropped/a.csv', 'dropped', '--json');
    expect(oneDocument(ended)).toMatchObject({
      files: [
        { name: 'a.csv' },
        {
          name: 'smith/b.csv',
          noteCodes: expect.arrayContaining(['known-content']) as unknown,
          notes: expect.arrayContaining([expect.stringContaining('a.csv')]) as unknown,
        },
      ],
    });
  });

  test('checks nothing if a file is missing or a folder is empty', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'empty'));
    await writeFile(join(folder.path, 'bad.csv'), csv([{ state: 'XX' }]));
    expect(await checkIn(folder.path, 'bad.csv', 'gone.csv')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('gone.csv') as unknown,
    });
    expect(await checkIn(folder.path, 'empty')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('empty') as unknown,
    });
    expect(await readdir(folder.path)).toEqual(['bad.csv', 'empty']);
  });

  test('shortens the printed list for a large file, never --json', async () => {
    await using folder = await temporaryFolder();
    const scratch = join(folder.path, 'tmp');
    await mkdir(scratch);
    await writeFile(
      join(folder.path, 'bad.csv'),
      csv(Array.from({ length: 300 }, (_, index) => ({ inspectionNumber: `T-${index}`, state: `X${index}` }))),
    );
    const environment = { PATH: '/usr/bin:/bin', TMPDIR: scratch };
    const inWords = await checkIn(folder.path, 'bad.csv');
    expect(inWords.stdout.split('\n').length).toBeLessThan(80);
    expect(inWords.stdout).toMatch(/… and \d+ more/);
    const ended = await runToEnd(['check', 'bad.csv', '--json'], { cwd: folder.path, environment });
    const { files } = oneDocument(ended) as {
      readonly files: readonly { readonly problems: readonly unknown[]; readonly forecast: readonly unknown[] }[];
    };
    expect([ended.code, files[0]?.problems.length, files[0]?.forecast]).toEqual([3, 300, []]);
    expect(await readdir(scratch)).toEqual([]);
  });
});
