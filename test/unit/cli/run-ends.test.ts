import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/cli/run-command.ts';
import { inRunSession } from '../../../src/cli/run-session.ts';
import { overview } from '../../../src/cli/status-command.ts';
import { ExplainedError } from '../../../src/domain/errors.ts';
import type { RunOnRecord } from '../../../src/ledger/history.ts';
import { latestAccount, openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { systemClock } from '../../../src/ops/system.ts';
import { workspaceAt } from '../../../src/ops/workspace.ts';
import { type Script, sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from '../../support/temporary-workspace.ts';

const answers: Script = ({ url }, response) => sendJson(response, 200, url === '/v1/oauth/token' ? { access_token: 't', token_type: 'bearer' } : { project: [] });
const refuses: Script = (_request, response) => sendJson(response, 401, { error: { message: 'who are you?' } });

async function withWorkspace(script: Script, work: (workspace: TemporaryWorkspace) => Promise<void>): Promise<void> {
  await using server = await startScriptedServer(script);
  const names = { BASE_URL: server.origin, CLIENT_ID: 'client', CLIENT_SECRET: 'c-secret', USERNAME: 'user', PASSWORD: 'p-secret' };
  await using workspace = await temporaryWorkspace({ env: Object.entries(names).map(([name, value]) => `INSPECTION_${name}=${value}\n`).join('') });
  await work(workspace);
}

async function lastRun({ path }: TemporaryWorkspace): Promise<RunOnRecord | undefined> {
  const file = join(path, 'state/ledger.sqlite');
  await using ledger = openSqliteLedger(file, { clock: systemClock, account: latestAccount(file) ?? '' });
  expect((await overview(ledger, workspaceAt(path), { now: systemClock.now(), quarantineMs: 0, problem: null })).text).not.toContain('going on, or killed');
  return (await ledger.lastRuns(1))[0];
}

async function lastLine(workspace: TemporaryWorkspace): Promise<unknown> {
  const [log = ''] = await readdir(workspace.at('logs'));
  return JSON.parse((await readFile(workspace.at('logs', log), 'utf8')).trim().split('\n').at(-1) ?? '');
}

test('a run whose credentials are refused has an end: exit code 2, in status and in the last line of its log', async () => {
  await withWorkspace(refuses, async (workspace) => {
    await expect(runCommand('run', { workspace: workspace.path })).rejects.toMatchObject({ kind: 'usage' });
    expect(await lastRun(workspace)).toMatchObject({ command: 'run', exitCode: 2, finishedAt: expect.any(Number) });
    expect(await lastLine(workspace)).toMatchObject({ event: 'run finished', exitCode: 2 });
  });
});

test.each([
  ['a fault', new Error('boom'), 1],
  ['what is explained', new ExplainedError('not so', { kind: 'usage' }), 2],
  ['what is left over', new ExplainedError('later', { kind: 'work-left' }), 4],
])('a run that ends with %s has an end on record, and throws just that', async (_what, failure, exitCode) => {
  await withWorkspace(answers, async (workspace) => {
    await expect(inRunSession(workspace.path, 'run', () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await lastRun(workspace)).toMatchObject({ exitCode });
    expect(await lastLine(workspace)).toMatchObject({ event: 'run finished', exitCode });
    expect(JSON.parse(await readFile(workspace.at('state/run.lock.json'), 'utf8'))).toMatchObject({ until: expect.any(String) as string });
  });
});

test('what goes wrong in a run that has lost its lock is the loss: exit code 5, and the lock of the other stays', async () => {
  await withWorkspace(answers, async (workspace) => {
    const work = async (): Promise<never> => {
      const lock = workspace.at('state/run.lock');
      const own = JSON.parse(await readFile(`${lock}.json`, 'utf8')) as object;
      await rm(lock);
      await writeFile(lock, '');
      await writeFile(`${lock}.json`, JSON.stringify({ ...own, pid: 2 ** 22 + 1, command: 'submit' }));
      throw Object.assign(new Error('ENOENT: the other run has moved it'), { code: 'ENOENT' });
    };
    await expect(inRunSession(workspace.path, 'run', work)).rejects.toMatchObject({ kind: 'locked', message: expect.stringContaining('has lost its lock') });
    expect(await lastRun(workspace)).toMatchObject({ exitCode: 5 });
    expect(JSON.parse(await readFile(workspace.at('state/run.lock.json'), 'utf8'))).toMatchObject({ command: 'submit', until: null });
  });
});

test('a log has an end also where the ledger cannot be opened', async () => {
  await withWorkspace(answers, async (workspace) => {
    await mkdir(workspace.at('state'));
    using database = new DatabaseSync(workspace.at('state/ledger.sqlite'));
    database.exec('PRAGMA user_version = 9999');
    await expect(runCommand('run', { workspace: workspace.path })).rejects.toMatchObject({ kind: 'usage' });
    expect(await lastLine(workspace)).toMatchObject({ event: 'run finished', exitCode: 2 });
  });
});
