import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../src/ledger/open-ledger.ts';
import { sha256OfFile } from '../../src/ops/durable-files.ts';
import { type Ended, oneDocument, PACKAGE_ROOT } from '../support/command-line.ts';
import { latestAccount } from '../support/latest-account.ts';
import { orderCsv } from '../support/order-csv.ts';
import { attemptOf, newOrder, recordOrders } from '../support/order-factory.ts';
import type { SandboxControls } from '../support/sandbox-process.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../support/temporary-workspace.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { summaryOf } from './summary.ts';

// Each command is called as a person calls it, in one workspace: each part continues from the one before it. What a command prints is in
// test/surface, and what more there is to it is proven in test/unit and test/proof.

/** Those that the other tests of this folder call. */
const CALLED_ELSEWHERE = {
  'main-job.test.ts': ['init', 'sandbox', 'run', 'collect'],
  'stopped.test.ts': ['projects', 'check', 'demo'],
};

interface Call {
  readonly name: string;
  readonly args?: readonly string[];
  readonly code?: number;
  /** What its JSON document holds. */
  readonly says?: object;
}

interface Caller {
  /** Calls a command line. */
  readonly call: (args: readonly string[]) => Promise<Ended>;
  readonly startSandbox: () => Promise<SandboxControls & AsyncDisposable>;
  /** How the commands that wait for none are grouped. */
  readonly meanwhile: (name: string, tests: () => void) => unknown;
}

/** The tests of the story: each command is called. */
export function eachCommand({ call, startSandbox, meanwhile }: Caller): void {
  const called = new Set(Object.values(CALLED_ELSEWHERE).flat());
  let sandbox: SandboxControls & AsyncDisposable;
  let workspace: TemporaryWorkspace;

  /** As a person calls it. */
  function person(name: string, ...args: readonly string[]): Promise<Ended> {
    called.add(name);
    return call([name, ...args]);
  }

  const command = (name: string, ...args: readonly string[]) => person(name, ...args, '--workspace', workspace.path);

  async function endsAsItShould({ name, args = [], code = 0, says = {} }: Call): Promise<void> {
    const ended = await command(name, ...args, '--json');
    expect([ended.code, oneDocument(ended)]).toEqual([code, expect.objectContaining({ exitCode: code, ...says })]);
  }

  beforeAll(async () => {
    sandbox = await startSandbox();
    workspace = await temporaryWorkspace({
      env: sandbox.lines,
      inbox: { 'a.csv': orderCsv(2, { keys: ['inspection'] }) },
    });
  });

  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    await workspace[Symbol.asyncDispose]();
  });

  test('submit orders the files in the inbox', async () => {
    const night = summaryOf(await command('submit', '--json'));
    expect(night).toMatchObject({ command: 'submit', exitCode: 0, orders: { created: 2 } });
  });

  describe('at the service and on record', () => {
    test.each<Call>([
      { name: 'follow', args: ['100001'], says: { projects: [expect.objectContaining({ project: '100001' })] } },
      { name: 'cancel', args: ['T-0'], code: 3 },
      { name: 'receive', args: ['100001'], code: 3 },
      { name: 'amend', args: ['100001', '--policy-number', 'P-7', '--dry-run'] },
      { name: 'prune', args: ['--dry-run'] },
      { name: 'backup' },
      { name: 'ledger', args: ['move'], code: 2 },
    ])('$name ends with its code and prints one document', endsAsItShould);
  });

  meanwhile('meanwhile', () => {
    test.each<Call>([
      { name: 'verify' },
      { name: 'doctor' },
      { name: 'rehearse' },
      { name: 'status' },
      { name: 'show', args: ['100001'] },
      { name: 'worker', code: 2 },
    ])('$name ends with its code and prints one document', endsAsItShould);

    test.each(['template', 'support-bundle'])('%s writes its file', async (name) => {
      const path = workspace.at(`${name}.xlsx`);
      expect(await person(name, path)).toMatchObject({ code: 0, stderr: '' });
      expect((await readFile(path)).length).toBeGreaterThan(1000);
    });

    test.each([
      ['columns', 'columns:'],
      ['attention', 'rules:'],
    ])('results %s writes a starter file', async (what, begin) => {
      const path = workspace.at(`${what}.yaml`);
      expect(await command('results', what, path)).toMatchObject({ code: 0, stderr: '' });
      expect(await readFile(path, 'utf8')).toContain(begin);
    });
  });

  test('recover rebuilds a lost ledger and orders nothing twice', async () => {
    const before = await sandbox.audit();
    for (const name of await readdir(workspace.at('state')))
      if (name.startsWith('ledger.sqlite')) await writeFile(workspace.at('state', name), '');
    const ended = await command('recover', '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(oneDocument(ended)).toMatchObject({ archive: { files: 1, rows: 2 }, adopted: 2, inDoubt: 0, held: 0 });
    expect(summaryOf(await command('submit', '--json'))).toMatchObject({ exitCode: 0 });
    expect(await sandbox.audit()).toMatchObject({ creates: before.creates, doubles: [] });
  });

  describe('decisions', () => {
    test('approve lets a held file in with the next run', async () => {
      await writeFile(workspace.at('held/b.csv'), orderCsv(2, { series: 2 }));
      await withLedger(workspace, async (ledger) => {
        const hash = await sha256OfFile(workspace.at('held/b.csv'));
        await ledger.recordHeld({ hash, name: 'b.csv', limits: ['maxRows'], reasons: [], heldAs: 'held/b.csv' });
      });
      const approved = oneDocument(await command('approve', 'b.csv', '--json'));
      expect(approved).toEqual({ file: 'b.csv', movedTo: 'inbox/b.csv', exitCode: 0 });
    });

    test('confirm settles the layout of a file, and layouts lists it', async () => {
      const path = workspace.at('inbox/d.csv');
      await writeFile(path, orderCsv(2, { keys: ['policy'], series: 4 }).replace('policyNumber', 'Contract'));
      expect(await command('confirm', path, '--as-proposed')).toMatchObject({ code: 0, stderr: '' });
      const listed = oneDocument(await command('layouts', '--json'));
      expect(listed).toMatchObject({ layouts: [{ columns: { contract: 'policyNumber' } }] });
    });

    test('resolve --resubmit readies a held order', async () => {
      const held = await withLedger(workspace, async (ledger) => {
        const [id = 0] = await recordOrders(ledger, [newOrder({ inspectionNumber: 'T-7' })]);
        await ledger.beginAttempt(id, attemptOf());
        const doubt = { code: 'outcome-unknown', reason: '504', uncertainSince: 0 } as const;
        await ledger.moveOrder(id, 'submitting', { to: 'unresolved', ...doubt });
        const reason = 'two projects look like it';
        await ledger.moveOrder(id, 'unresolved', { to: 'held', code: 'attempts-used-up', reason });
        return id;
      });
      expect(await command('resolve', String(held), '--resubmit')).toMatchObject({ code: 0, stderr: '' });
      expect(await withLedger(workspace, async (ledger) => ledger.order(held))).toMatchObject({ state: 'ready' });
    });

    test("account --same takes the service's new name", async () => {
      const renamed = sandbox.lines.replace(/(?<=^INSPECTION_BASE_URL=.*)127\.0\.0\.1/m, 'localhost');
      await writeFile(workspace.at('.env'), renamed);
      expect(await command('account', '--same')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('http://localhost'),
      });
    });
  });

  // The last: only then all have been called.
  test('no command is left out', async () => {
    const groups = parse(await readFile(join(PACKAGE_ROOT, 'templates/cli/commands.yaml'), 'utf8')) as {
      readonly commands: readonly { readonly name: string }[];
    }[];
    const names = groups.flatMap(({ commands }) => commands.map(({ name }) => name));
    expect(names).toContain('run');
    expect(names.filter((name) => !called.has(name))).toEqual([]);
  });
}

/** Does this with the workspace's ledger, as a run would. */
async function withLedger<T>(workspace: TemporaryWorkspace, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const path = workspace.at('state/ledger.sqlite');
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: latestAccount(path) ?? '' });
  return await work(ledger);
}
