import { readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/commands.ts';
import { openSqliteLedger } from '../../src/ledger/open-ledger.ts';
import { callHere, startSandboxHere } from '../support/command-in-this-process.ts';
import { type Ended, oneDocument, runToEnd } from '../support/command-line.ts';
import { orderCsv } from '../support/order-csv.ts';
import type { SandboxControls } from '../support/sandbox-process.ts';
import { ordersOnRecord, temporaryWorkspace, type TemporaryWorkspace } from '../support/temporary-workspace.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { summaryOf } from './summary.ts';
import { latestAccount } from '../support/latest-account.ts';

// Each command is called once, as a person calls it; what goes before it, in this process. What it prints is in
// test/surface, and what more there is to it is proven in test/unit and test/proof.

/** Those that the other tests of this folder call. */
const CALLED_ELSEWHERE = {
  'main-job.test.ts': ['init', 'sandbox', 'run', 'collect'],
  'stopped.test.ts': ['projects', 'check', 'demo'],
};
const called = new Set(Object.values(CALLED_ELSEWHERE).flat());

/** The built command, as a person calls it. */
function person(name: string, ...args: readonly string[]): Promise<Ended> {
  called.add(name);
  return runToEnd([name, ...args]);
}

let sandbox: SandboxControls & AsyncDisposable;

beforeAll(async () => {
  sandbox = await startSandboxHere();
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

describe('in one workspace', () => {
  let workspace: TemporaryWorkspace;
  const command = (name: string, ...args: readonly string[]) => person(name, ...args, '--workspace', workspace.path);

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

  test.each<{ name: string; args?: readonly string[]; code?: number; says?: object }>([
    { name: 'verify' },
    { name: 'doctor' },
    { name: 'rehearse' },
    { name: 'submit', says: { command: 'submit' } },
    { name: 'status' },
    { name: 'show', args: ['100001'] },
    { name: 'follow', args: ['100001'], says: { projects: [expect.objectContaining({ project: '100001' })] } },
    { name: 'cancel', args: ['T-0'], code: 3 },
    { name: 'receive', args: ['100001'], code: 3 },
    { name: 'amend', args: ['100001', '--policy-number', 'P-7', '--dry-run'] },
    { name: 'prune', args: ['--dry-run'] },
    { name: 'backup' },
    { name: 'worker', code: 2, says: {} },
    { name: 'ledger', args: ['move'], code: 2 },
  ])('$name ends with its code and prints one document', async ({ name, args = [], code = 0, says = {} }) => {
    const ended = await command(name, ...args, '--json');
    expect([ended.code, oneDocument(ended)]).toEqual([code, expect.objectContaining({ exitCode: code, ...says })]);
  });

  test.each(['template', 'support-bundle'])('%s writes its file', async (name) => {
    const path = workspace.at(`${name}.xlsx`);
    expect(await person(name, path)).toMatchObject({ code: 0, stderr: '' });
    expect((await readFile(path)).length).toBeGreaterThan(1000);
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
    expect(await callHere(['results', what, path, '--workspace', workspace.path])).toMatchObject({ code: 2 });
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
  const approved = oneDocument(await person('approve', 'b.csv', '--json', ...at));
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
  expect(await person('confirm', 'd.csv', '--as-proposed', ...at)).toMatchObject({ code: 0, stderr: '' });
  const listed = oneDocument(await person('layouts', '--json', ...at));
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
  expect(await person('account', '--same', ...at)).toMatchObject({
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
  expect(await person('resolve', String(order?.id), '--resubmit', ...at)).toMatchObject({ code: 0, stderr: '' });
  await callHere(['submit', ...at]);
  expect((await ordersOnRecord(workspace.path)).map(({ state }) => state)).toEqual(['created']);
});

test('--help and --version go to stdout and end with 0', async () => {
  const help = await runToEnd(['run', '--help']);
  expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('crontab') });
  expect(await runToEnd(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

// The last: only then all have been called.
test('no command is left out', () => {
  const { commands } = buildProgram(async () => {}, 'test');
  expect(commands.map((command) => command.name()).filter((name) => !called.has(name))).toEqual([]);
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
