import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UnreadableFileError } from '../../../src/intake/readers/row-source.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { createScratchLedger } from '../../../src/ledger/scratch-ledger.ts';
import { ensureWorkspace, type Workspace, workspaceAt } from '../../../src/ops/workspace.ts';
import type { FileReport } from '../../../src/submit/claimed-files.ts';
import { finishInterrupted } from '../../../src/submit/finish-interrupted.ts';
import { takeInDry, takeInInbox, type TakeInContext } from '../../../src/submit/take-in.ts';
import { attemptOf } from '../../support/order-factory.ts';
import { deskInThisProcess } from '../../support/desk-in-this-process.ts';
import { type LedgerBench, NO_LIMITS, openLedgerBench, takeInContext } from '../../support/run-bench.ts';

const HEADER =
  'Inspection #,Policy #,Eff Date,Service,Policy type,House type,Address,City,State,Zip,Insured,Insured phone,Insured email';
const line = (insured: string, service = '4-Point'): string =>
  `N-${insured},P-${insured},2026-11-01,${service},Homeowners Insurance,Other,1 ${insured} St,Tampa,FL,33609,${insured},813-555-0100,a@b.example`;
const OCTOBER = [HEADER, line('Ann'), line('Bob', 'Four views'), line('Cid', 'Top view')].join('\n');

const KNOWS_FOUR: Partial<TakeInContext> = { values: { 'Four views': '4-Point' } };
const KNOWS_BOTH: Partial<TakeInContext> = { values: { 'Four views': '4-Point', 'Top view': 'Exterior' } };

let bench: LedgerBench;
let workspace: Workspace;
beforeEach(async () => {
  bench = await openLedgerBench();
  workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

async function drop(name: string, text: string, changes: Partial<TakeInContext> = {}): Promise<readonly FileReport[]> {
  const path = join(workspace.inbox, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return (await takeInInbox(takeInContext(bench, workspace, changes))).files;
}

const ordered = async (): Promise<readonly unknown[]> =>
  (await bench.ledger.ordersIn('ready', 0, 100)).map(({ payload }) => payload.insuredName);

const open = async (): Promise<readonly string[]> =>
  (await Array.fromAsync(bench.ledger.notOrdered(true))).map(
    ({ row }) => `${row.summary.insuredName} of ${row.fileName}`,
  );

const corrections = async (): Promise<readonly string[]> =>
  (await readdir(workspace.corrections, { recursive: true })).filter((name) => name.endsWith('.xlsx')).toSorted();

test('takeInInbox reads open rows again once a word has a meaning', async () => {
  expect(await drop('oct.csv', OCTOBER)).toMatchObject([{ rows: { read: 3, accepted: 1, rejected: 2 } }]);
  expect(await drop('oct.csv', OCTOBER, KNOWS_FOUR)).toMatchObject([
    {
      outcome: 'processed',
      rows: { read: 2, accepted: 1, rejected: 1 },
      corrections: 'corrections/oct - to fix.xlsx',
      reason: expect.stringContaining('read again') as string,
    },
  ]);
  expect([await ordered(), await open()]).toEqual([['Ann', 'Bob'], ['Cid of oct.csv']]);
  expect(await corrections()).toEqual(['done/oct - to fix.xlsx', 'oct - to fix.xlsx']);
  expect(await drop('oct.csv', OCTOBER, KNOWS_BOTH)).toMatchObject([{ rows: { read: 1, accepted: 1, rejected: 0 } }]);
  expect([await ordered(), await open()]).toEqual([['Ann', 'Bob', 'Cid'], []]);
  expect(await bench.ledger.workbooksDone()).toEqual([]);
});

test('takeInInbox changes nothing again under unchanged settings', async () => {
  await drop('oct.csv', OCTOBER);
  const news = await bench.ledger.openNews();
  expect(await drop('oct again.csv', OCTOBER)).toMatchObject([{ outcome: 'already-processed' }]);
  expect(await drop('oct.csv', OCTOBER, { values: { Wind: 'Exterior' } })).toMatchObject([
    { outcome: 'already-processed', codes: ['known-content'] },
  ]);
  expect([await bench.ledger.openNews(), await corrections()]).toEqual([news, ['oct - to fix.xlsx']]);
});

test('takeInInbox orders a refused row again if its file comes again', async () => {
  await drop('oct.csv', [HEADER, line('Ann'), line('Bob')].join('\n'));
  const [, bob] = await bench.ledger.ordersIn('ready', 0, 100);
  await bench.ledger.beginAttempt(bob?.id ?? 0, attemptOf());
  await bench.ledger.moveOrder(bob?.id ?? 0, 'submitting', {
    to: 'refused',
    code: 'service-refused',
    reason: 'Not in FL.',
  });
  expect(await open()).toEqual(['Bob of oct.csv']);
  expect(await drop('oct.csv', [HEADER, line('Ann'), line('Bob')].join('\n'))).toMatchObject([
    { outcome: 'processed', rows: { read: 1, accepted: 1, rejected: 0 } },
  ]);
  expect([await ordered(), await open()]).toEqual([['Ann', 'Bob'], []]);
});

test('takeInInbox reads a file again in the folder of its sender', async () => {
  const senders: NonNullable<TakeInContext['senders']> = new Map([
    ['right', { headers: new Map(), values: new Map([['Four views', '4-Point']]), hold: {} }],
  ]);
  await drop('wrong/oct.csv', OCTOBER, { senders });
  expect(await drop('right/oct.csv', OCTOBER, { senders })).toMatchObject([
    { name: 'right/oct.csv', outcome: 'processed', corrections: 'corrections/right/oct - to fix.xlsx' },
  ]);
  expect([await ordered(), await open()]).toEqual([['Ann', 'Bob'], ['Cid of right/oct.csv']]);
  expect(await corrections()).toEqual(['done/wrong/oct - to fix.xlsx', 'right/oct - to fix.xlsx']);
});

test('takeInInbox never orders a done row again', async () => {
  const text = [HEADER, line('Ann'), line('Bob', 'Four views')].join('\n');
  await drop('oct.csv', text);
  // Without its number and policy, Ann's row would be another order.
  const headers = { 'Inspection #': 'note', 'Policy #': 'agentName' } as unknown as TakeInContext['headers'];
  await drop('oct.csv', text, { ...KNOWS_FOUR, headers });
  expect(await ordered()).toEqual(['Ann', 'Bob']);
});

test('takeInInbox reads a file again once its header is known', async () => {
  const text = OCTOBER.replaceAll('Four views', '4-Point').replace('Service', 'Kind of visit');
  await drop('oct.csv', text);
  expect(await ordered()).toEqual([]);
  await drop('oct.csv', text, { headers: { 'Kind of visit': 'serviceName' } });
  expect([await ordered(), await open()]).toEqual([['Ann', 'Bob'], ['Cid of oct.csv']]);
});

test('takeInInbox leaves rows that were dismissed or fixed since', async () => {
  await drop('oct.csv', OCTOBER);
  const [bob] = await bench.ledger.openRowsOf(1);
  await bench.ledger.dismissRows(bob === undefined ? [] : [bob]);
  expect(await drop('oct.csv', OCTOBER, KNOWS_BOTH)).toMatchObject([{ rows: { read: 1, accepted: 1, rejected: 0 } }]);
  expect([await ordered(), await open()]).toEqual([['Ann', 'Cid'], []]);
});

test('takeInInbox takes in two copies of one night once', async () => {
  await drop('oct.csv', OCTOBER);
  await writeFile(join(workspace.inbox, 'a copy.csv'), OCTOBER);
  expect((await drop('oct.csv', OCTOBER, KNOWS_BOTH)).map(({ outcome }) => outcome)).toEqual([
    'processed',
    'already-processed',
  ]);
  expect(await ordered()).toEqual(['Ann', 'Bob', 'Cid']);
});

test("takeInInbox holds a file read again by today's limits", async () => {
  await drop('oct.csv', OCTOBER);
  const hold = { ...NO_LIMITS, maxWrongPercent: 0 };
  expect(await drop('oct.csv', OCTOBER, { ...KNOWS_FOUR, hold })).toMatchObject([{ outcome: 'held' }]);
  expect(await ordered()).toEqual(['Ann']);
});

test('takeInInbox keeps hidden keys and links equal rows after rereading', async () => {
  await drop('oct.csv', OCTOBER);
  await drop('oct.csv', OCTOBER, KNOWS_FOUR);
  const [order] = await bench.ledger.findOrders('N-Bob');
  const { rows } = await bench.ledger.storyOf(order?.id ?? 0);
  expect(rows.map(({ outcome, fileHash }) => [outcome, fileHash.slice(64)])).toEqual([
    ['rejection', ''],
    ['order', ' 2'],
  ]);
  const [cid] = await bench.ledger.openRowsOf(2);
  const [first] = await Array.fromAsync(bench.ledger.rowsOf(1));
  expect(cid?.record.correctsRow).toContain(first?.row.fileHash.slice(0, 12));
});

test('takeInInbox orders each row once when killed at any write', async () => {
  for (let writes = 0, isOver = false; !isOver; writes += 1) {
    await bench[Symbol.asyncDispose]();
    bench = await openLedgerBench();
    workspace = workspaceAt(bench.folder);
    await ensureWorkspace(workspace);
    await drop('oct.csv', OCTOBER);
    let left = writes;
    isOver = true;
    const dying = new Proxy(bench.ledger, {
      get: (ledger, name) => {
        const verb: unknown = Reflect.get(ledger, name);
        if (typeof verb !== 'function' || !/^(record|mark|note|add)/.test(String(name))) return verb;
        return (...said: unknown[]) => {
          left -= 1;
          if (left >= 0) return verb.apply(ledger, said) as unknown;
          isOver = false;
          return Promise.reject(new Error('killed'));
        };
      },
    });
    await drop('oct.csv', OCTOBER, { ...KNOWS_FOUR, ledger: dying }).catch(() => []);
    await finishInterrupted(takeInContext(bench, workspace, KNOWS_FOUR));
    await takeInInbox(takeInContext(bench, workspace, KNOWS_FOUR));
    expect([writes, await ordered(), await open()]).toEqual([writes, ['Ann', 'Bob'], ['Cid of oct.csv']]);
    expect([writes, await bench.ledger.filesToArchive(), await readdir(workspace.processing)]).toEqual([
      writes,
      [],
      [],
    ]);
    // Killed right after a workbook was written, it is written again: better twice than never.
    expect((await corrections()).filter((name) => !name.startsWith('done'))).not.toEqual([]);
  }
});

test('takeInInbox reads an unreadable file again once its headers are known', async () => {
  const fields =
    'inspectionNumber,policyNumber,policyEffectiveDate,serviceName,policyType,houseType,streetAddress,city,state,zipcode,insuredName,insuredPhone,insuredEmail';
  const unknown = fields.split(',').map((field, index) => [`Q${index}X`, field] as const);
  const text = [unknown.map(([name]) => name).join(','), line('Ann'), line('Cid', 'Top view')].join('\n');
  expect(await drop('oct.csv', text)).toMatchObject([{ outcome: 'unreadable' }]);
  const headers = Object.fromEntries(unknown) as NonNullable<TakeInContext['headers']>;
  expect(await drop('oct.csv', text, { headers })).toMatchObject([{ outcome: 'processed' }]);
  expect([await ordered(), await open()]).toEqual([['Ann'], ['Cid of oct.csv']]);
});

test('takeInInbox keeps the record of a file that became unreadable', async () => {
  await drop('oct.csv', OCTOBER);
  const files: TakeInContext['files'] = {
    ...deskInThisProcess,
    read: () => Promise.reject(new UnreadableFileError('damaged', 'not today')),
  };
  expect(await drop('oct.csv', OCTOBER, { files })).toMatchObject([{ outcome: 'already-processed' }]);
});

test('takeInDry foresees that only open rows are read again', async () => {
  await drop('oct.csv', OCTOBER);
  const path = join(workspace.root, 'copy.csv');
  await writeFile(path, OCTOBER);
  await using scratch = openSqliteLedger(':memory:', {
    clock: bench.clock,
    account: 'an account',
    openedFor: 'scratch',
  });
  const ledger = createScratchLedger(scratch, bench.ledger);
  const heard = async (changes: Partial<TakeInContext>): Promise<readonly unknown[]> => {
    const rows: unknown[] = [];
    const { isKnown } = await takeInDry(
      { path, name: 'copy.csv', sender: '' },
      { ...takeInContext(bench, workspace, changes), ledger },
      async (batch) => void rows.push(...batch.map(({ row }) => `${row.summary.insuredName} ${row.outcome}`)),
    );
    return [isKnown, ...rows];
  };
  expect(await heard({})).toEqual([true, 'Ann repeat', 'Bob rejection', 'Cid rejection']);
  expect(await heard(KNOWS_FOUR)).toEqual([false, 'Bob order', 'Cid rejection']);
  expect(await heard(KNOWS_FOUR)).toEqual([true, 'Ann repeat', 'Bob repeat', 'Cid rejection']);
  expect([await ordered(), (await open()).length]).toEqual([['Ann'], 2]);
});

test("takeInInbox does not count content read again as the sender's latest", async () => {
  await drop('oct.csv', OCTOBER);
  for (const known of [KNOWS_FOUR, KNOWS_BOTH]) await drop('oct.csv', OCTOBER, known);
  const six = [HEADER, ...['Ada', 'Ben', 'Cat', 'Dan', 'Eve', 'Fay'].map((name) => line(name))].join('\n');
  // Twice as many rows as the first reading had; one and two were read again.
  const hold = { ...NO_LIMITS, maxTimesUsualRows: 2 };
  expect(await drop('nov.csv', six, { hold })).toMatchObject([{ outcome: 'processed' }]);
});
