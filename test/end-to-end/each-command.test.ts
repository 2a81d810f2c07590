import { readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/ledger/open-ledger.ts';
import { callHere, startSandboxHere } from '../support/command-in-this-process.ts';
import { CRON_ENVIRONMENT, oneDocument, runToEnd, startCommand } from '../support/command-line.ts';
import { orderCsv } from '../support/order-csv.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { type SandboxControls, until } from '../support/sandbox-process.ts';
import { ordersOnRecord, temporaryWorkspace, type TemporaryWorkspace } from '../support/temporary-workspace.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { summaryOf } from './summary.ts';
import { latestAccount } from '../support/latest-account.ts';

// The commands that no other test of this room calls: each is run once, as a person runs it; what goes before it, in this process. What more there is to them is proven in test/proof.

let sandbox: SandboxControls & AsyncDisposable;

beforeAll(async () => {
  sandbox = await startSandboxHere();
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

describe('verify, recover and results', () => {
  let workspace: TemporaryWorkspace;
  const command = (...args: readonly string[]) => runToEnd([...args, '--workspace', workspace.path]);

  beforeAll(async () => {
    workspace = await temporaryWorkspace({
      env: sandbox.lines,
      inbox: { 'a.csv': orderCsv(2, { keys: ['inspection'] }) },
    });
    await callHere(['submit', '--workspace', workspace.path]);
  });

  afterAll(async () => {
    await workspace[Symbol.asyncDispose]();
  });

  test('verify finds balanced books', async () => {
    const ended = await command('verify', '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(oneDocument(ended)).toMatchObject({ exitCode: 0 });
  });

  test('recover rebuilds a lost ledger and orders nothing twice', async () => {
    const before = await sandbox.audit();
    for (const name of await readdir(workspace.at('state')))
      if (name.startsWith('ledger.sqlite')) await writeFile(workspace.at('state', name), '');
    const ended = await command('recover', '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(oneDocument(ended)).toMatchObject({ archive: { files: 1, rows: 2 }, adopted: 2, inDoubt: 0, held: 0 });
    expect(await callHere(['submit', '--workspace', workspace.path])).toMatchObject({ code: 0 });
    expect(await sandbox.audit()).toMatchObject({ creates: before.creates, doubles: [] });
  });

  test.each(['columns', 'attention'])('results %s writes a starter file and replaces none', async (what) => {
    const path = workspace.at(`${what}.yaml`);
    expect(await command('results', what, path)).toMatchObject({ code: 0, stderr: '' });
    const written = await readFile(path, 'utf8');
    expect(written).toContain(what === 'columns' ? 'columns:' : 'rules:');
    expect(await command('results', what, path)).toMatchObject({ code: 2 });
    expect(await readFile(path, 'utf8')).toBe(written);
  });
});

test('approve lets a held file in with the next run', async () => {
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: '  hold:\n    maxWrongPercent: 50\n',
    inbox: { 'b.csv': orderCsv(2, { keys: ['inspection'], series: 2 }).replaceAll('02139', 'nowhere') },
  });
  const at = ['--workspace', workspace.path];
  const held = summaryOf(await callHere(['submit', '--json', ...at]));
  expect(held.files.map(({ outcome }) => outcome)).toEqual(['held']);
  const approved = oneDocument(await runToEnd(['approve', 'b.csv', '--json', ...at]));
  expect(approved).toEqual({ file: 'b.csv', movedTo: 'inbox/b.csv', exitCode: 0 });
  const next = summaryOf(await callHere(['submit', '--json', ...at]));
  expect(next.files.map(({ outcome }) => outcome)).toEqual(['processed']);
});

test('confirm settles a layout that was asked about, and layouts lists it', async () => {
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    inbox: { 'd.csv': orderCsv(2, { keys: ['policy'], series: 4 }).replace('policyNumber', 'Contract') },
  });
  const at = ['--workspace', workspace.path];
  const asked = summaryOf(await callHere(['submit', '--json', ...at]));
  expect(asked).toMatchObject({ exitCode: 3, files: [{ outcome: 'to-confirm' }], orders: { created: 0 } });
  expect(await runToEnd(['confirm', 'd.csv', '--as-proposed', ...at])).toMatchObject({ code: 0, stderr: '' });
  const listed = oneDocument(await runToEnd(['layouts', '--json', ...at]));
  expect(listed).toMatchObject({ layouts: [{ columns: { contract: 'policyNumber' } }] });
  expect(summaryOf(await callHere(['submit', '--json', ...at])).orders.created).toBe(2);
});

test('run under another account sends nothing, until account says it is the same', async () => {
  const inbox = { 'e.csv': orderCsv(1, { keys: ['inspection'], series: 5 }) };
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox });
  const at = ['--workspace', workspace.path];
  await callHere(['submit', ...at]);
  const { requests } = await sandbox.audit();
  const renamed = sandbox.lines.replace(/(?<=^INSPECTION_BASE_URL=.*)127\.0\.0\.1/m, 'localhost');
  await writeFile(workspace.at('.env'), renamed);
  const refused = await callHere(['run', ...at]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('inspection-batch account --same') });
  expect((await sandbox.audit()).requests).toEqual(requests);
  expect(await runToEnd(['account', '--same', ...at])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('http://localhost'),
  });
});

test('resolve --resubmit sends a held order with the next run', async () => {
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    inbox: { 'c.csv': orderCsv(1, { keys: ['inspection'], series: 3 }) },
  });
  const at = ['--workspace', workspace.path];
  await sandbox.faults([{ match: { method: 'POST', route: '/v1/project' }, kind: '503', probability: 1 }]);
  await callHere(['submit', ...at]);
  await sandbox.faults([]);
  const [order] = await ordersOnRecord(workspace.path);
  await hold(workspace, order?.id ?? 0);
  expect(await runToEnd(['resolve', String(order?.id), '--resubmit', ...at])).toMatchObject({ code: 0, stderr: '' });
  await callHere(['submit', ...at]);
  expect((await ordersOnRecord(workspace.path)).map(({ state }) => state)).toEqual(['created']);
});

test('worker waits for work and ends when asked to', async () => {
  await using server = await startPostgres();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  const environment = { ...CRON_ENVIRONMENT, INSPECTION_LEDGER_URL: server.url };
  const at = ['--workspace', workspace.path];
  expect(await runToEnd(['submit', ...at], { environment })).toMatchObject({ code: 0 });
  await using worker = startCommand(['worker', '--json', ...at], { environment });
  const logs = async (): Promise<string> => {
    const names = await readdir(workspace.at('logs')).catch(() => []);
    return names.join(' ');
  };
  const before = await logs();
  await until(async () => (await logs()) !== before, worker);
  worker.kill('SIGTERM');
  const ended = await worker.ended;
  expect([ended.code, oneDocument(ended)]).toEqual([
    143,
    expect.objectContaining({ pages: { orders: 0, projects: 0 }, exitCode: 143 }),
  ]);
});

/** Moves an order to `held`, as a run would that found two projects for it. */
async function hold(workspace: TemporaryWorkspace, id: number): Promise<void> {
  const path = workspace.at('state/ledger.sqlite');
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: latestAccount(path) ?? '' });
  const order = await ledger.order(id);
  if (order === null) throw new Error('no order is on record');
  await ledger.moveOrder(id, order.state, {
    to: 'held',
    code: 'attempts-used-up',
    reason: 'two projects look like it',
  });
}
