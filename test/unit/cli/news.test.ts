import { expect, test } from 'vitest';
import type { LayoutRecord } from '../../../src/ledger/layouts.ts';
import { describeQuestion } from '../../../src/night/news.ts';
import { canSend, type RunOptions } from '../../../src/night/run.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { statusCommand } from '../../../src/cli/status-command.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { openLedgerBench } from '../../support/run-bench.ts';
import { attemptOf, projectTie, recordCreated, recordOrder } from '../../support/order-factory.ts';
import { type Script, sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { latestAccount } from '../../support/latest-account.ts';

/** A service whose creates are answered like this; searches show nothing. */
async function serviceThat(creates: () => Script) {
  return startScriptedServer((request, response) => {
    if (request.url === '/v1/oauth/token') sendJson(response, 200, { access_token: 't', token_type: 'bearer' });
    else if (request.method === 'POST') creates()(request, response);
    else sendJson(response, 200, { project: [] });
  });
}

const REFUSED_TO_ALL: Script = (_request, response) => sendJson(response, 403, { error: { message: 'not now' } });
const REFUSED: Script = (_request, response) =>
  sendJson(response, 422, { error: { message: 'The house is not known.' } });

async function workspaceFor(origin: string, inbox: Readonly<Record<string, string>>) {
  const names = {
    BASE_URL: origin,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'c-secret',
    USERNAME: 'user',
    PASSWORD: 'p-secret',
  };
  return temporaryWorkspace({
    env: Object.entries(names)
      .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
      .join(''),
    inbox,
  });
}

/** Two orders, the second without its street. */
const oneWrong = (): string => orderCsv(2, { keys: ['inspection'] }).replace('101 Oak Street', '');

test('runCommand repeats news that a killed run did not print', async () => {
  await using server = await serviceThat(() => REFUSED);
  await using workspace = await workspaceFor(server.origin, { 'orders.csv': oneWrong() });
  const options: RunOptions = { workspace: workspace.path };
  const killed = new Error('killed');
  await expect(runCommand('submit', options, () => Promise.reject(killed))).rejects.toThrow(killed);
  const printed: string[] = [];
  const next = await runCommand('submit', options, async ({ text }) => void printed.push(text));
  expect([next.exitCode, printed]).toEqual([3, [expect.stringMatching(/To do .*1 row of orders\.csv/)]]);
  expect((await runCommand('submit', options)).exitCode).toBe(0);
});

test('runCommand repeats news until a run ends well', async () => {
  let answer = REFUSED_TO_ALL;
  await using server = await serviceThat(() => answer);
  await using workspace = await workspaceFor(server.origin, { 'orders.csv': oneWrong() });
  const options: RunOptions = { workspace: workspace.path };
  const stopped = await runCommand('submit', options);
  expect([stopped.exitCode, stopped.text]).toEqual([4, expect.stringMatching(/To do .*1 row of orders\.csv/)]);
  expect((await runCommand('submit', options)).exitCode).toBe(4);
  answer = REFUSED;
  const told = await runCommand('submit', options);
  expect(told.exitCode).toBe(3);
  expect(told.text).toMatch(/To do {5}\D*1 row of orders\.csv .*open since .*corrections\/orders - to fix\.xlsx/);
  expect(told.text).toMatch(/To do {5}\D*1 row of orders\.csv .*open since .*corrections\/orders - refused\.xlsx/);
  const quiet = await runCommand('submit', options);
  expect([quiet.exitCode, quiet.text]).toEqual([0, expect.not.stringContaining('To do')]);
  // Told, and still there: status says what waits where.
  const { text, json } = await statusCommand(undefined, workspace.path);
  expect(text).toMatch(/Rows to fix.*\(2 rows; 2 files\)\n.*1 row of orders\.csv/);
  expect(text).toMatch(/submit: done.* 3 \(/);
  expect(json).toMatchObject({
    wentBack: [
      { file: 'orders.csv', rows: 1 },
      { file: 'orders.csv', rows: 1 },
    ],
  });
});

test('runCommand reports an unreadable file that a failed run could not report', async () => {
  let answer = REFUSED_TO_ALL;
  await using server = await serviceThat(() => answer);
  await using workspace = await workspaceFor(server.origin, {
    'a.csv': orderCsv(1, { keys: ['inspection'] }),
    'b.xlsx': 'no workbook',
  });
  expect((await runCommand('submit', { workspace: workspace.path })).exitCode).toBe(4);
  answer = (_request, response) => sendJson(response, 200, { project: [{ id: 7 }] });
  const told = await runCommand('submit', { workspace: workspace.path });
  expect([told.exitCode, told.text]).toEqual([3, expect.stringMatching(/To do {5}.*\bb\.xlsx \(/)]);
  expect((await runCommand('submit', { workspace: workspace.path })).exitCode).toBe(0);
});

test('ledger.addNews records an event once until reported, and again afterwards', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const kinds = async () => (await ledger.openNews()).map(({ kind, subject }) => `${kind} ${subject}`);
  const refused = await recordOrder(ledger, { inspectionNumber: 'A-1' });
  await ledger.beginAttempt(refused, attemptOf());
  await ledger.moveOrder(refused, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
  await recordCreated(ledger, '11');
  await recordCreated(ledger, '12');
  await ledger.recordStatuses([
    { id: '11', status: 'Project Canceled' },
    { id: '12', status: 'Site Inspected' },
  ]);
  await ledger.recordCloseout('12', ['Nobody was there.']);
  await ledger.addNews('file-unreadable', 'x.xlsx');
  await ledger.addNews('file-unreadable', 'x.xlsx');
  expect(await kinds()).toEqual([
    `order-refused ${refused}`,
    'project-canceled 11',
    'closed-out 12',
    'file-unreadable x.xlsx',
  ]);
  await ledger.startRun('a run', 'submit');
  await ledger.markReported((await ledger.openNews()).map(({ id }) => id));
  expect(await kinds()).toEqual([]);
  await ledger.recordStatuses([{ id: '11', status: 'Project Canceled' }]);
  await ledger.addNews('file-unreadable', 'x.xlsx');
  expect(await ledger.openNews()).toMatchObject([{ kind: 'file-unreadable', run: 'a run' }]);
});

test('ledger.recordStatuses adds no news for a project canceled from here', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  await recordCreated(ledger, '11');
  const update = await ledger.beginUpdate({ projectId: '11', request: { kind: 'cancel' }, before: {}, source: null });
  await ledger.endUpdate(update ?? 0, { to: 'done', status: 'Project Canceled', settled: false });
  expect(await ledger.openNews()).toEqual([]);
});

test('runCommand exits 3 when orders only wait behind a held one', async () => {
  await using server = await serviceThat(() => REFUSED_TO_ALL);
  await using workspace = await workspaceFor(server.origin, { 'orders.csv': orderCsv(1, { keys: ['inspection'] }) });
  expect((await runCommand('submit', { workspace: workspace.path })).exitCode).toBe(4);
  const { openSqliteLedger } = await import('../../../src/ledger/open-ledger.ts');
  const path = workspace.at('state/ledger.sqlite');
  {
    await using ledger = openSqliteLedger(path, {
      clock: { now: () => Date.now() },
      account: latestAccount(path) ?? '',
    });
    await ledger.moveOrder(1, 'ready', { to: 'held', code: 'attempts-used-up', reason: 'a person has to look' });
    const [order] = await ledger.latestOrders(1);
    await recordOrder(
      ledger,
      { inspectionNumber: order?.payload.inspectionNumber },
      { identity: 'once more', allowDuplication: true },
    );
  }
  expect((await runCommand('submit', { workspace: workspace.path })).exitCode).toBe(3);
  expect((await statusCommand('2', workspace.path)).text).toMatch(/\border 1\b.*\bheld\b/);
});

test('canSend ignores orders with the same key as a held order', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const left = async (): Promise<boolean> => canSend(ledger, await ledger.orderCounts());
  const held = await recordOrder(ledger, { inspectionNumber: 'A-1' });
  expect(await left()).toBe(true);
  await ledger.moveOrder(held, 'ready', { to: 'held', code: 'attempts-used-up', reason: 'a person has to look' });
  await recordOrder(ledger, { inspectionNumber: 'A-1' }, { identity: 'once more', allowDuplication: true });
  expect(await left()).toBe(false);
  const other = await recordOrder(ledger, { inspectionNumber: 'A-2' });
  expect(await left()).toBe(true);
  await ledger.beginAttempt(other, attemptOf());
  expect(await left()).toBe(false);
});

test('ledger.recordStatuses reports a linked project that was canceled from the start', async () => {
  await using bench = await openLedgerBench();
  await recordCreated(bench.ledger, '11', {}, projectTie('11', { status: 'not yet known' }));
  await bench.ledger.recordStatuses([{ id: '11', status: 'Project Canceled' }]);
  expect(await bench.ledger.openNews()).toMatchObject([{ kind: 'project-canceled', subject: '11' }]);
});

test.each([
  [['Tel'], null, /\(column B "Tel".*inspection-batch layouts/],
  [['Tel', 'Ref'], 'corrections/a.xlsx', /\(column B "Tel", column B "Ref".*corrections\/a\.xlsx$/],
])('describeQuestion names the columns %j and the workbook %j', (headers, workbook, expected) => {
  const columns = headers.map((header) => ({ key: header, letter: 'B', header, holds: true }));
  const asked = { file: 'a.xlsx', question: { columns }, workbook, askedAt: 0 } as unknown as LayoutRecord;
  expect(describeQuestion(asked)).toMatch(expected);
  expect(describeQuestion({ ...asked, question: null })).not.toContain('"');
});
