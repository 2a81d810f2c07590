import { readdir } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSummary } from '../../../src/cli/run-command.ts';
import { openPostgresLedger } from '../../../src/ledger/open-ledger.ts';
import { summaryOf } from '../../end-to-end/summary.ts';
import { CRON_ENVIRONMENT, type Ended, runToEnd, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { inProof } from '../../support/proof-size.ts';
import { type SandboxProcess, startSandboxProcess } from '../../support/sandbox-process.ts';
import { dropSamples, temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

// The built command on a ledger in PostgreSQL: from its first night on, and moved there and back.

const SAMPLES = inProof({ share: 1, whole: 5 });
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

let server: PostgresServer;
let sandbox: SandboxProcess;
beforeAll(async () => {
  [server, sandbox] = await Promise.all([startPostgres(), startSandboxProcess()]);
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const calls = (workspace: TemporaryWorkspace, url: string | null) => (...args: readonly string[]): Promise<Ended> =>
  runToEnd([...args, '--workspace', workspace.path], { environment: { ...CRON_ENVIRONMENT, ...(url === null ? {} : { INSPECTION_LEDGER_URL: url }) } });

test('the samples are ordered, found again when they come twice, collected and delivered; the books balance, and a backup is a whole ledger', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  await dropSamples(workspace.inbox, SAMPLES);
  const { url, schema } = server.fresh();
  const run = calls(workspace, `${url}?schema=${schema}`);
  const first: RunSummary = summaryOf(await run('run', '--json'));
  expect(first).toMatchObject({ exitCode: 3, orders: { unresolved: 0, waiting: 0 } });
  expect(first.orders.created).toBeGreaterThan(20);
  expect(await readdir(workspace.at('state'))).not.toContain('ledger.sqlite');
  await dropSamples(workspace.inbox, SAMPLES);
  expect(summaryOf(await run('run', '--json'))).toMatchObject({ orders: { created: 0 } });
  await sandbox.advance(FIFTEEN_DAYS_S);
  const { projects } = summaryOf(await run('run', '--json'));
  expect(projects).toMatchObject({ outstanding: 0, failed: 0 });
  expect(await sandbox.audit()).toMatchObject({ projects: first.orders.created, doubles: [] });
  expect(await run('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('The books balance') });
  for (const looking of ['status', 'doctor']) expect((await run(looking)).stdout).not.toContain('secret');
  const backup = await run('backup', '--to', workspace.at('copy.sqlite'), '--json');
  expect(backup).toMatchObject({ code: 0 });
  using copy = new DatabaseSync(workspace.at('copy.sqlite'), { readOnly: true });
  expect(copy.prepare(`SELECT count(*) AS n FROM orders WHERE state = 'created'`).get()).toEqual({ n: first.orders.created });
});

test('moved there and back, a ledger forgets nothing; whoever goes on with the one that was left sends nothing', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(3) } });
  const { url, schema } = server.fresh();
  const onFile = calls(workspace, null);
  const inDatabase = calls(workspace, `${url}?schema=${schema}`);
  expect(summaryOf(await onFile('submit', '--json'))).toMatchObject({ orders: { created: 3 } });
  // Not moved yet: two ledgers would each forget what the other ordered.
  expect(await inDatabase('submit')).toMatchObject({ code: 2, stderr: expect.stringContaining('ledger move') });
  expect(await inDatabase('ledger', 'move')).toMatchObject({ code: 0, stdout: expect.stringContaining('3 orders') });
  expect(await onFile('submit')).toMatchObject({ code: 2, stderr: expect.stringContaining('INSPECTION_LEDGER_URL is not set') });
  expect(await inDatabase('ledger', 'move')).toMatchObject({ code: 2 });
  expect(await inDatabase('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('The books balance') });
  const again = await inDatabase('submit', '--json');
  expect(again).toMatchObject({ code: 0 });
  {
    await using _worker = await openPostgresLedger({ url, schema }, { clock: null, account: 'a worker' });
    expect(await inDatabase('ledger', 'move', 'sqlite')).toMatchObject({ code: 4, stderr: expect.stringContaining('has the ledger open') });
  }
  expect(await inDatabase('ledger', 'move', 'sqlite')).toMatchObject({ code: 0, stdout: expect.stringContaining('3 orders') });
  expect(await inDatabase('submit')).toMatchObject({ code: 2 });
  expect(await onFile('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('The books balance') });
  expect(await readdir(workspace.at('state'))).toContain('replaced-1');
});

test('the very first run, whose URL names no schema yet, keeps others out as every run does', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(1) } });
  const run = calls(workspace, server.url);
  await sandbox.faults([{ kind: 'latency', match: { method: 'POST', route: '/v1/project' }, ms: 8000 }]);
  await using first = startCommand(['submit', '--workspace', workspace.path], { environment: { ...CRON_ENVIRONMENT, INSPECTION_LEDGER_URL: server.url } });
  // Its file is on record and put away: now it is sending.
  while (!first.isOver && (await readdir(workspace.at('archive')).catch(() => [])).length === 0) await pause(50);
  expect(await run('submit')).toMatchObject({ code: 5, stderr: expect.stringContaining('Another run holds the lock') });
  expect(await first.ended).toMatchObject({ code: 0 });
  await sandbox.faults([]);
  expect(summaryOf(await run('submit', '--json'))).toMatchObject({ exitCode: 0, orders: { created: 0, unresolved: 0 } });
});

test('a password is not taken from the command line', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(1) } });
  const onFile = calls(workspace, null);
  expect(await onFile('submit')).toMatchObject({ code: 0 });
  expect(await onFile('ledger', 'move', server.url)).toMatchObject({ code: 2, stderr: expect.stringContaining('INSPECTION_LEDGER_URL') });
});

test('a database that is away leaves the work for later, and says so without the password', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(1) } });
  const ended = await calls(workspace, 'postgres://someone:hidden-word@127.0.0.1:9/none?schema=s')('status');
  expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('is away') });
  expect(`${ended.stdout}${ended.stderr}`).not.toContain('hidden-word');
});
