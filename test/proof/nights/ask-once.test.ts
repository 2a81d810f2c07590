import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import exceljs from 'exceljs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '../../../src/night/run.ts';
import { oneDocument } from '../../support/command-line.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

// A sender's layout is asked about once: the file waits, the answer is dropped, and next month's file is simply ordered.

let sandbox: Awaited<ReturnType<typeof startSandboxHere>>;
let workspace: TemporaryWorkspace;

const submit = async (): Promise<RunSummary> =>
  oneDocument(await callHere(['submit', '--workspace', workspace.path, '--json'])) as RunSummary;

const command = (...args: readonly string[]) => callHere([...args, '--workspace', workspace.path]);

async function drop(sender: string, name: string, series: number): Promise<void> {
  const text = orderCsv(3, { keys: ['policy'], series }).replace('policyNumber', 'Contract');
  await mkdir(workspace.at('inbox', sender), { recursive: true });
  await writeFile(workspace.at('inbox', sender, name), text);
}

beforeAll(async () => {
  sandbox = await startSandboxHere({ autoProgress: false });
  workspace = await temporaryWorkspace({ env: sandbox.lines });
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

describe('submit', () => {
  test('asks about an uncertain layout, and orders nothing of the file', async () => {
    await drop('smith', 'march.csv', 0);
    expect(await submit()).toMatchObject({
      exitCode: 3,
      orders: { created: 0 },
      files: [{ outcome: 'to-confirm', corrections: 'corrections/smith/march - please confirm.xlsx' }],
    });
    expect(await sandbox.projects()).toEqual([]);
  });

  test('is silent about the open question the next night', async () => {
    expect(await submit()).toMatchObject({ exitCode: 0, files: [] });
    expect((await command('status')).stdout).toContain('corrections/smith/march - please confirm.xlsx');
  });

  test('orders the file once its answer is dropped', async () => {
    await cp(workspace.at('corrections/smith/march - please confirm.xlsx'), workspace.at('inbox/answered.xlsx'));
    expect(await submit()).toMatchObject({
      orders: { created: 3 },
      files: [
        { name: 'answered.xlsx', outcome: 'processed' },
        { name: 'smith/march.csv', outcome: 'processed', rows: { accepted: 3 } },
      ],
    });
    expect((await command('status', 'P-10001')).stdout).toContain('101 Oak Street');
  });

  test('asks nothing about next month’s file', async () => {
    await drop('smith', 'april.csv', 5);
    expect(await submit()).toMatchObject({ orders: { created: 3 }, files: [{ outcome: 'processed' }] });
  });
});

describe('confirm', () => {
  test('accepts the proposals for a held file', async () => {
    await drop('jones', 'march.csv', 9);
    await submit();
    const before = await command('confirm', 'smith/march.csv', '--as-proposed', '--json');
    expect([before.code, oneDocument(before)]).toMatchObject([2, { error: { code: 'nothing-to-confirm' } }]);
    expect(await command('confirm', 'jones/march.csv', '--as-proposed')).toMatchObject({ code: 0 });
    expect(await submit()).toMatchObject({ orders: { created: 3 } });
  });

  test('accepts a workbook as it was saved', async () => {
    await drop('brown', 'march.csv', 12);
    await submit();
    expect(await command('confirm', 'march - please confirm.xlsx')).toMatchObject({ code: 0 });
    expect(await submit()).toMatchObject({ orders: { created: 3 } });
  });
});

test('check prints the columns first, and asks in a workbook', async () => {
  await writeFile(
    workspace.at('may.csv'),
    orderCsv(2, { keys: ['policy'], series: 20 }).replace('policyNumber', 'Ref'),
  );
  const { code, stdout } = await command('check', workspace.at('may.csv'));
  expect(code).toBe(3);
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    'may.csv: to confirm',
    expect.stringMatching(/^ {2}columns of .*streetAddress/),
  ]);
  expect(stdout).toContain('corrections/may - please confirm.xlsx');
});

test('check points to the existing workbook with the same question', async () => {
  const { stdout } = await command('check', workspace.at('may.csv'));
  expect(stdout).toContain('corrections/may - please confirm.xlsx');
  expect(await readdir(workspace.at('corrections'))).not.toContain('may - please confirm (2).xlsx');
});

describe('layouts', () => {
  test('lists the confirmed layouts with their people', async () => {
    const ended = await command('layouts', '--json');
    const { layouts } = oneDocument(ended) as { readonly layouts: readonly object[] };
    expect(layouts).toMatchObject([
      { sender: 'brown', question: null },
      { sender: 'jones', answeredBy: expect.stringMatching(/\(confirm --as-proposed\)$/) },
      { sender: 'smith', answeredBy: 'answered.xlsx', columns: { contract: 'policyNumber' } },
    ]);
  });

  test('forgets a layout, so that the next file is asked about again', async () => {
    expect((await command('layouts', '1', '--forget')).code).toBe(0);
    await drop('smith', 'may.csv', 15);
    expect(await submit()).toMatchObject({ files: [{ outcome: 'to-confirm' }] });
  });
});

describe('confirm of a file that only check has read', () => {
  test.each([
    ['Ref', 'corrections/may - please confirm.xlsx'],
    ['Contract ref', 'may.csv'],
  ])('accepts the proposals (%s)', async (header, named) => {
    const text = orderCsv(2, { keys: ['policy'], series: 20 });
    await writeFile(workspace.at('may.csv'), text.replace('policyNumber', header));
    expect((await command('check', workspace.at('may.csv'))).code).toBe(3);
    expect(await command('confirm', workspace.at(named), '--as-proposed')).toMatchObject({ code: 0 });
    expect(await command('check', workspace.at('may.csv'))).toMatchObject({ code: 0 });
  });
});

describe('a list whose service no column names', () => {
  const list = (series: number) =>
    orderCsv(3, { series }).replace('serviceName', 'Deductible').replaceAll('4-Point', '1000');
  const asked = 'corrections/white/march - please confirm.xlsx';

  test('is one question, which proposals cannot answer', async () => {
    await mkdir(workspace.at('inbox', 'white'), { recursive: true });
    await writeFile(workspace.at('inbox/white/march.csv'), list(60));
    expect(await submit()).toMatchObject({
      orders: { created: 0 },
      files: [{ outcome: 'to-confirm', corrections: asked }],
    });
    const refused = await command('confirm', 'white/march.csv', '--as-proposed', '--json');
    expect([refused.code, oneDocument(refused)]).toMatchObject([2, { error: { code: 'answer-not-taken' } }]);
  });

  test('is ordered once the value for all rows is confirmed', async () => {
    const book = new exceljs.Workbook();
    await book.xlsx.readFile(workspace.at(asked));
    const sheet = book.getWorksheet('Columns');
    sheet?.eachRow((row) => {
      if (row.getCell(2).value === 'all rows') row.getCell(7).value = 'Exterior';
    });
    await book.xlsx.writeFile(workspace.at('inbox/white/answered.xlsx'));
    expect(await submit()).toMatchObject({ orders: { created: 3 } });
    const { layouts } = oneDocument(await command('layouts', '--json')) as { readonly layouts: readonly object[] };
    expect(layouts).toContainEqual(
      expect.objectContaining({ sender: 'white', columns: expect.objectContaining({ '=serviceName=': 'Exterior' }) }),
    );
  });

  test('is asked about no more next month', async () => {
    await writeFile(workspace.at('inbox/white/april.csv'), list(65));
    expect(await submit()).toMatchObject({ orders: { created: 3 }, files: [{ outcome: 'processed' }] });
    const last = (await sandbox.projects()).at(-1);
    expect(last?.request).toMatchObject({ serviceName: 'Exterior' });
  });
});

test('confirm refuses proposals that leave the service no column', async () => {
  const text = orderCsv(3, { series: 40 }).replace('serviceName', 'Kind of work').replaceAll('4-Point', 'Walkaround');
  await mkdir(workspace.at('inbox', 'green'), { recursive: true });
  await writeFile(workspace.at('inbox/green/march.csv'), text);
  expect(await submit()).toMatchObject({ files: [{ outcome: 'to-confirm' }] });
  const refused = await command('confirm', 'green/march.csv', '--as-proposed', '--json');
  expect([refused.code, oneDocument(refused)]).toMatchObject([
    2,
    { error: { code: 'answer-not-taken', message: expect.stringContaining('"Service"') } },
  ]);
  expect((await command('status')).stdout).toContain('corrections/green/march - please confirm.xlsx');
});
