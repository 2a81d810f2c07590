import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Ended } from '../../support/command-line.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

// The nights of a workspace whose service account gets another name, and of one that orders for two.

let sandbox: Awaited<ReturnType<typeof startSandboxHere>>;
let workspace: TemporaryWorkspace;
const ORDERS = orderCsv(3, { keys: ['inspection'] });

const call = (...args: readonly string[]): Promise<Ended> => callHere([...args, '--workspace', workspace.path]);

/** Changes a variable in `.env`; the sandbox takes what it printed, under either name of this machine. */
async function set(name: string, change: (value: string) => string): Promise<void> {
  const env = await readFile(workspace.at('.env'), 'utf8');
  const line = new RegExp(`^(${name}=)(.*)$`, 'm');
  await writeFile(
    workspace.at('.env'),
    env.replace(line, (_all, begin: string, value: string) => begin + change(value)),
  );
}

const drop = (name: string, text: string): Promise<void> => writeFile(join(workspace.inbox, name), text);

beforeAll(async () => {
  sandbox = await startSandboxHere();
  workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': ORDERS } });
});

afterAll(async () => {
  for (const one of [sandbox, workspace]) await one[Symbol.asyncDispose]();
});

test('run asks nothing in a fresh workspace, and orders', async () => {
  expect((await call('run')).code).toBe(0);
  expect((await sandbox.audit()).projects).toBe(3);
});

test('run under another user name, client or address sends nothing', async () => {
  await drop('orders once more.csv', `${ORDERS}\n`);
  const { requests } = await sandbox.audit();
  for (const [name, change] of [
    ['INSPECTION_USERNAME', (value: string) => value.toUpperCase()],
    ['INSPECTION_CLIENT_ID', (value: string) => `${value}-2`],
    ['INSPECTION_BASE_URL', (value: string) => value.replace('127.0.0.1', 'localhost')],
  ] as const) {
    const env = await readFile(workspace.at('.env'), 'utf8');
    const [, was = ''] = new RegExp(`^${name}=(.*)$`, 'm').exec(env) ?? [];
    await set(name, change);
    const others = name === 'INSPECTION_USERNAME' ? ['collect', 'recover', 'verify', 'rehearse'] : [];
    for (const command of ['run', ...others]) {
      const { code, stderr } = await call(command);
      expect([command, code]).toEqual([command, 2]);
      // Of an address on this machine the port is no part.
      for (const named of [was, change(was)]) expect(stderr).toContain(named.replace(/:\d+$/, ''));
      expect(stderr).toContain('inspection-batch account --same');
      expect(stderr).toContain('inspection-batch account --new');
    }
    await writeFile(workspace.at('.env'), env);
  }
  expect((await sandbox.audit()).requests).toEqual(requests);
});

test('rehearse leaves no temporary folder if it is refused', async () => {
  const temporary = workspace.at('tmp');
  await mkdir(temporary);
  const env = await readFile(workspace.at('.env'), 'utf8');
  await set('INSPECTION_CLIENT_ID', (value) => `${value}-2`);
  vi.stubEnv('TMPDIR', temporary);
  expect((await call('rehearse')).code).toBe(2);
  vi.unstubAllEnvs();
  await writeFile(workspace.at('.env'), env);
  expect(await readdir(temporary)).toEqual([]);
});

test('account --same keeps the records: nothing is ordered twice', async () => {
  await set('INSPECTION_BASE_URL', (value) => value.replace('127.0.0.1', 'localhost'));
  expect((await call('doctor')).stdout).toContain('inspection-batch account --same');
  const { code, stdout } = await call('account', '--same');
  expect([code, stdout]).toEqual([0, expect.stringContaining('http://localhost')]);
  const summary = summaryOf(await call('run', '--json'));
  expect([summary.exitCode, summary.orders.created, summary.orders.skipped]).toEqual([0, 0, 3]);
  expect((await sandbox.audit()).projects).toBe(3);
});

test('run follows the projects under either name of the service', async () => {
  await set('INSPECTION_BASE_URL', (value) => value.replace('localhost', '127.0.0.1'));
  await sandbox.advance(15 * 24 * 60 * 60);
  const summary = summaryOf(await call('run', '--json'));
  expect([summary.exitCode, summary.projects.collected]).toEqual([0, 3]);
});

test('account --new starts separate records, and asks on the way back', async () => {
  await using other = await startSandboxHere();
  const env = await readFile(workspace.at('.env'), 'utf8');
  await writeFile(workspace.at('.env'), other.lines.replace(/(?<=^INSPECTION_BASE_URL=.*)127\.0\.0\.1/m, 'localhost'));
  await set('INSPECTION_USERNAME', () => 'staging');
  expect((await call('run')).code).toBe(2);
  expect((await call('account', '--new')).code).toBe(0);
  expect((await call('account')).stdout).toMatch(/staging/);
  expect((await call('status')).stdout).not.toContain('3 orders');
  await writeFile(workspace.at('.env'), env);
  const asked = await call('run');
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('account --new')]);
  const same = await call('account', '--same');
  expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('already has records')]);
  expect((await call('account', '--new')).code).toBe(0);
  await drop('orders a third time.csv', `\n${ORDERS}`);
  const summary = summaryOf(await call('run', '--json'));
  expect([summary.orders.created, summary.orders.skipped]).toEqual([0, 3]);
  expect((await sandbox.audit()).projects).toBe(3);
});
