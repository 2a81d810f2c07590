import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { BIN, oneDocument, runToEnd, SAMPLES, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { inTurn } from '../../support/proof-size.ts';
import { until } from '../../support/sandbox-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ordersOnRecord, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { expectEachOrderedOnce, submitUntilDone } from '../../end-to-end/repeated-runs.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

/** What cron gives, and nothing else: not even what a child process inherits by itself. */
const UNDER_CRON = ['-i', 'PATH=/usr/bin:/bin', 'LANG=C'];

describe.concurrent('command line', () => {
  test.each([
    [['colect'], 'collect'],
    [['run', '--wrkspace', '.'], '--workspace'],
    [['run', 'everything'], 'too many arguments'],
    [['collect', 'everything'], 'is not a project ID'],
    [['check'], 'file'],
    [['check', 'there-is-no-such-file.csv'], 'there-is-no-such-file.csv'],
    [['submit', 'there-is-no-such-file.csv'], 'there-is-no-such-file.csv'],
    [['sandbox', '--port', 'eighty'], 'port'],
    [['sandbox', '--environment', 'moon'], 'staging'],
    [['run', '--workspace', '/there/is/no/such/folder'], '/there/is/no/such/folder'],
  ])('refuses %j', async (args, told) => {
    const ended = await runToEnd(args);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(told);
    expect(ended.stdout).toBe('');
  });

  test.each([
    [['run', '--json', '--wrkspace', '.']],
    [['check', '--json']],
    [['run', '--workspace', '/there/is/no/such/folder', '--json']],
  ])('prints exactly one JSON document for %j', async (args) => {
    const ended = await runToEnd(args);
    expect(ended.code).toBe(2);
    expect(oneDocument(ended)).toMatchObject({
      exitCode: 2,
      error: { message: expect.stringMatching(/\w/) as string },
    });
  });

  test('shows the commands if none is given', async () => {
    const ended = await runToEnd([]);
    expect(ended.code).toBe(2);
    expect(`${ended.stdout}${ended.stderr}`).toMatch(/Usage: inspection-batch[^]*collect[^]*sandbox/);
  });
});

describe.concurrent('run, with wrong settings', () => {
  test.each([
    ['an unknown key, with the nearest known one', 'submit:\n  quarantineSecond: 1\n', 'quarantineSeconds'],
    ['a value that is not allowed, with those that are', 'collect:\n  images: some\n', 'referenced'],
  ])('refuses %s', async (_name, config, told) => {
    await using workspace = await temporaryWorkspace({
      env: 'INSPECTION_BASE_URL=http://127.0.0.1:9\n',
      config,
      inbox: { 'orders.csv': orderCsv(1) },
    });
    const ended = await runToEnd(['run', '--workspace', workspace.path]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(told);
    expect(await readdir(workspace.inbox)).toEqual(['orders.csv']);
  });

  test('refuses plain http to another machine', async () => {
    const env = ['BASE_URL=http://inspections.example', 'CLIENT_ID=a', 'CLIENT_SECRET=b', 'USERNAME=c', 'PASSWORD=d']
      .map((line) => `INSPECTION_${line}\n`)
      .join('');
    await using workspace = await temporaryWorkspace({ env, inbox: { 'orders.csv': orderCsv(1) } });
    const ended = await runToEnd(['run', '--workspace', workspace.path]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('https');
    expect(await readdir(workspace.inbox)).toEqual(['orders.csv']);
  });
});

describe.concurrent('check, outside a workspace', () => {
  test('reports every problem, writes corrections, and sends nothing', async () => {
    await using folder = await temporaryFolder();
    await using sandbox = await startSandboxHere();
    const environment = Object.fromEntries(
      sandbox.lines
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    );
    const sample = join(SAMPLES, '01-filled-template.xlsx');
    const bytes = await readFile(sample);
    const ended = await runToEnd(['check', sample, '--json'], {
      cwd: folder.path,
      environment: { PATH: '/usr/bin:/bin', ...environment },
    });
    expect(ended.code).toBe(3);
    expect(oneDocument(ended)).toMatchObject({
      exitCode: 3,
      files: [{ name: basename(sample), rows: { read: 65, accepted: 59, rejected: 6 } }],
    });
    expect(await readdir(folder.path, { recursive: true })).toEqual([
      'corrections',
      'corrections/01-filled-template - to fix.xlsx',
    ]);
    expect(await readFile(sample)).toEqual(bytes);
    expect((await sandbox.audit()).requests).toEqual({});
  });

  test('ends with 0 for a good file and leaves nothing behind', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'orders.csv'), orderCsv(4));
    expect(await runToEnd(['check', 'orders.csv'], { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(folder.path)).toEqual(['orders.csv']);
  });

  test('names a file that is no spreadsheet, and checks the others', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'a.xlsx'), 'PK nothing of the kind');
    await writeFile(join(folder.path, 'b.csv'), orderCsv(2));
    const ended = await runToEnd(['check', 'a.xlsx', 'b.csv', '--json'], { cwd: folder.path });
    expect(ended.code).toBe(3);
    expect(oneDocument(ended)).toMatchObject({
      files: [{ outcome: 'unreadable' }, { outcome: 'checked', rows: { read: 2, accepted: 2 } }],
    });
  });
});

describe.concurrent('run, under cron through a link', () => {
  test('orders from a folder that is not the workspace', async () => {
    await using sandbox = await startSandboxHere();
    await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(3) } });
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'bin'));
    await symlink(BIN, join(folder.path, 'installed'));
    await symlink('../installed', join(folder.path, 'bin/inspection-batch'));
    const ended = await runToEnd(
      [...UNDER_CRON, join(folder.path, 'bin/inspection-batch'), 'run', '--workspace', workspace.path, '--json'],
      {
        file: '/usr/bin/env',
        cwd: '/',
        environment: {},
      },
    );
    expect(summaryOf(ended)).toMatchObject({ exitCode: 0, orders: { created: 3 } });
    await expectEachOrderedOnce(workspace, sandbox);
  });
});

describe.concurrent('SIGTERM and SIGINT', () => {
  test('lets submit finish its open requests; the next run orders the rest', async () => {
    await using sandbox = await startSandboxHere();
    await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(60) } });
    await sandbox.faults([{ kind: 'latency', match: { method: 'POST', route: '/v1/project' }, ms: 250 }]);
    await using run = startCommand(['submit', '--workspace', workspace.path, '--json']);
    await until(async () => (await sandbox.audit()).creates >= 10, run);
    run.kill('SIGTERM');
    const summary = summaryOf(await run.ended);
    const { projects } = await sandbox.audit();
    expect(summary).toMatchObject({ exitCode: 143, orders: { created: projects, unresolved: 0 } });
    expect(summary.orders.waiting).toBeGreaterThan(0);
    const orders = await ordersOnRecord(workspace.path);
    expect(new Set(orders.map(({ state }) => state))).toEqual(new Set(['created', 'ready']));
    expect(orders.filter(({ state }) => state === 'created')).toHaveLength(projects);
    await sandbox.faults([]);
    await submitUntilDone(workspace, callHere);
    await expectEachOrderedOnce(workspace, sandbox);
  });

  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const;
  test.each(inTurn(signals, 2))('%s ends collect with %i; the next collect fetches the rest', async (signal, code) => {
    await using sandbox = await startSandboxHere();
    await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(12) } });
    expect((await callHere(['submit', '--workspace', workspace.path])).code).toBe(0);
    await sandbox.advance(15 * 24 * 60 * 60);
    await sandbox.faults([{ kind: 'latency', match: { method: 'GET', route: '/v1/report/{reportId}/file' }, ms: 500 }]);
    await using run = startCommand(['collect', '--workspace', workspace.path, '--json']);
    await until(async () => ((await sandbox.audit()).faults[0]?.bites ?? 0) > 0, run);
    run.kill(signal);
    const { projects } = summaryOf(await run.ended);
    expect((await run.ended).code).toBe(code);
    expect(projects.returned).toBeGreaterThan(0);
    await sandbox.faults([]);
    const next = summaryOf(await callHere(['collect', '--workspace', workspace.path, '--json']));
    expect(next).toMatchObject({ exitCode: 3, projects: { outstanding: 0, returned: 0, failed: 0 } });
    expect(next.projects.collected + next.projects.canceled).toBe(12);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends sandbox with exit code 0', async (signal) => {
    await using run = startCommand(['sandbox']);
    await until(() => run.stdoutSoFar.includes('INSPECTION_SANDBOX_CONTROL_URL='), run);
    run.kill(signal);
    expect(await run.ended).toMatchObject({ code: 0, signal: null });
  });
});

describe('demo', () => {
  // What it does stands in test/proof/package/published-package.test.ts, by the package as installed: it takes too long for two runs of it.
  test('refuses a folder that it did not make', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'demo-workspace'));
    await writeFile(join(folder.path, 'demo-workspace/mine.txt'), 'mine');
    expect((await runToEnd(['demo'], { cwd: folder.path })).code).toBe(2);
    expect(await readFile(join(folder.path, 'demo-workspace/mine.txt'), 'utf8')).toBe('mine');
  });
});
