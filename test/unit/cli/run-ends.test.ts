import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/cli/run-command.ts';
import { inRunSession } from '../../../src/night/run-session.ts';
import { statusOverview } from '../../../src/cli/status-command.ts';
import { ExplainedError } from '../../../src/domain/errors.ts';
import type { RunOnRecord } from '../../../src/ledger/history.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { systemClock } from '../../../src/ops/system.ts';
import { workspaceAt } from '../../../src/ops/workspace.ts';
import { type Script, sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { latestAccount } from '../../support/latest-account.ts';

const answers: Script = ({ url }, response) =>
  sendJson(response, 200, url === '/v1/oauth/token' ? { access_token: 't', token_type: 'bearer' } : { project: [] });
const refuses: Script = (_request, response) => sendJson(response, 401, { error: { message: 'who are you?' } });

async function withWorkspace(script: Script, work: (workspace: TemporaryWorkspace) => Promise<void>): Promise<void> {
  await using server = await startScriptedServer(script);
  const names = {
    BASE_URL: server.origin,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'c-secret',
    USERNAME: 'user',
    PASSWORD: 'p-secret',
  };
  await using workspace = await temporaryWorkspace({
    env: Object.entries(names)
      .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
      .join(''),
  });
  await work(workspace);
}

async function lastRun({ path }: TemporaryWorkspace): Promise<RunOnRecord | undefined> {
  const file = join(path, 'state/ledger.sqlite');
  await using ledger = openSqliteLedger(file, { clock: systemClock, account: latestAccount(file) ?? '' });
  const [run] = await ledger.lastRuns(1);
  const { text } = await statusOverview(ledger, workspaceAt(path), {
    now: systemClock.now(),
    quarantineMs: 0,
    problem: null,
  });
  expect(text).toContain(run?.exitCode == null ? 'killed' : `exit code ${run.exitCode}`);
  return run;
}

/** Does this while another process holds the lock of the workspace, as a run that began at `since`. */
async function whileLocked({ path }: TemporaryWorkspace, since: string, work: () => Promise<void>): Promise<void> {
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', HOLD_LOCK, join(path, 'state/run.lock')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const owner = JSON.parse(await readFile(join(path, 'state/run.lock.json'), 'utf8')) as object;
  await writeFile(join(path, 'state/run.lock.json'), JSON.stringify({ ...owner, pid: holder.pid, since, until: null }));
  try {
    await work();
  } finally {
    holder.stdin.end();
    await once(holder, 'exit');
  }
}

const HOLD_LOCK = `
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('BEGIN EXCLUSIVE');
  console.log('held');
  process.stdin.resume().on('end', () => database.close());`;

async function lastLine(workspace: TemporaryWorkspace): Promise<unknown> {
  const [log = ''] = await readdir(workspace.at('logs'));
  return JSON.parse((await readFile(workspace.at('logs', log), 'utf8')).trim().split('\n').at(-1) ?? '');
}

test('runCommand records exit code 2 when the credentials are refused', async () => {
  await withWorkspace(refuses, async (workspace) => {
    await expect(runCommand('run', { workspace: workspace.path })).rejects.toMatchObject({ kind: 'usage' });
    expect(await lastRun(workspace)).toMatchObject({ command: 'run', exitCode: 2, finishedAt: expect.any(Number) });
    expect(await lastLine(workspace)).toMatchObject({ event: 'run finished', exitCode: 2 });
  });
});

test('runCommand leaves work over while a firewall answers searches', async () => {
  const blocks: Script = (request, response) =>
    request.url === '/v1/oauth/token'
      ? answers(request, response)
      : void response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Request blocked</html>');
  await withWorkspace(blocks, async (workspace) => {
    expect(await runCommand('run', { workspace: workspace.path })).toMatchObject({ exitCode: 4 });
  });
});

test.each([
  ['a fault', new Error('boom'), 1],
  ['what is explained', new ExplainedError('code-of-a-test', 'not so', { kind: 'usage' }), 2],
  ['what is left over', new ExplainedError('code-of-a-test', 'later', { kind: 'work-left' }), 4],
])('inRunSession records the end of a run that throws %s', async (_what, failure, exitCode) => {
  await withWorkspace(answers, async (workspace) => {
    await expect(inRunSession(workspace.path, 'run', () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await lastRun(workspace)).toMatchObject({ exitCode });
    expect(await lastLine(workspace)).toMatchObject({ event: 'run finished', exitCode });
    expect(JSON.parse(await readFile(workspace.at('state/run.lock.json'), 'utf8'))).toMatchObject({
      until: expect.any(String) as string,
    });
  });
});

test("inRunSession reports a lost lock and leaves the other run's lock alone", async () => {
  await withWorkspace(answers, async (workspace) => {
    const work = async (): Promise<never> => {
      const lock = workspace.at('state/run.lock');
      const own = JSON.parse(await readFile(`${lock}.json`, 'utf8')) as object;
      await rm(lock);
      await writeFile(lock, '');
      await writeFile(`${lock}.json`, JSON.stringify({ ...own, pid: 2 ** 22 + 1, command: 'submit' }));
      throw Object.assign(new Error('ENOENT: the other run has moved it'), { code: 'ENOENT' });
    };
    await expect(inRunSession(workspace.path, 'run', work)).rejects.toMatchObject({
      kind: 'locked',
      code: 'lock-lost',
    });
    expect(await lastRun(workspace)).toMatchObject({ exitCode: 5 });
    expect(JSON.parse(await readFile(workspace.at('state/run.lock.json'), 'utf8'))).toMatchObject({
      command: 'submit',
      until: null,
    });
  });
});

test('overview distinguishes a killed run from one still running', async () => {
  await withWorkspace(answers, async (workspace) => {
    await runCommand('collect', { workspace: workspace.path });
    const file = workspace.at('state/ledger.sqlite');
    const open = () => openSqliteLedger(file, { clock: systemClock, account: latestAccount(file) ?? '' });
    const statesOf = async (): Promise<unknown> => {
      await using ledger = open();
      const { json } = await statusOverview(ledger, workspaceAt(workspace.path), {
        now: systemClock.now(),
        quarantineMs: 0,
        problem: null,
      });
      return (json as { runs: readonly { state: string }[] }).runs.map(({ state }) => state);
    };
    {
      await using ledger = open();
      await ledger.startRun('without an end', 'run');
    }
    expect(await statesOf()).toEqual(['killed', 'ended']);
    await whileLocked(workspace, new Date(systemClock.now() - 60_000).toISOString(), async () =>
      expect(await statesOf()).toEqual(['going on', 'ended']),
    );
    await whileLocked(workspace, new Date(systemClock.now() + 60_000).toISOString(), async () =>
      expect(await statesOf()).toEqual(['killed', 'ended']),
    );
    await runCommand('collect', { workspace: workspace.path });
    const logs = await Promise.all(
      (await readdir(workspace.at('logs'))).map((name) => readFile(workspace.at('logs', name), 'utf8')),
    );
    expect(logs.join('')).toContain('"event":"the run before was killed","killed":"without an end"');
  });
});

test('runCommand ends its log when the settings are wrong', async () => {
  await withWorkspace(answers, async (workspace) => {
    await writeFile(workspace.at('config.yaml'), 'submitt: {}\n');
    await expect(runCommand('run', { workspace: workspace.path })).rejects.toMatchObject({ kind: 'usage' });
    expect(await lastLine(workspace)).toMatchObject({ event: 'run finished', exitCode: 2 });
  });
});

test('runCommand logs every request without details at level debug', async () => {
  await withWorkspace(answers, async (workspace) => {
    await appendFile(workspace.at('config.yaml'), 'log: { level: debug }\n');
    await runCommand('collect', { workspace: workspace.path });
    const [log = ''] = await readdir(workspace.at('logs'));
    const lines = (await readFile(workspace.at('logs', log), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = lines.filter(({ event }) => event === 'service.answered');
    expect(requests.map(({ route }) => route)).toEqual(
      expect.arrayContaining(['POST /v1/oauth/token', 'GET /v1/project']),
    );
    for (const request of requests)
      expect(Object.keys(request).toSorted()).toEqual(['at', 'event', 'level', 'ms', 'route', 'status']);
  });
});

test('runCommand writes metrics after every run and survives an unwritable folder', async () => {
  const night = async (
    script: Script,
    textfile: string,
  ): Promise<{ readonly code: unknown; readonly metrics: string | null; readonly log: string }> => {
    let found = { code: null as unknown, metrics: null as string | null, log: '' };
    await withWorkspace(script, async (workspace) => {
      await appendFile(workspace.at('config.yaml'), `metrics: { textfile: ${textfile} }\n`);
      const code = await runCommand('collect', { workspace: workspace.path }).then(
        ({ exitCode }) => exitCode,
        ({ kind }: ExplainedError) => kind,
      );
      const [log = ''] = await readdir(workspace.at('logs'));
      found = {
        code,
        metrics: await readFile(workspace.at('night.prom'), 'utf8').catch(() => null),
        log: await readFile(workspace.at('logs', log), 'utf8'),
      };
    });
    return found;
  };
  const exitCode = (code: number): unknown =>
    expect.stringMatching(new RegExp(`run_exit_code\\{command="collect",.*\\} ${code}\n`));
  expect(await night(answers, 'night.prom')).toMatchObject({ code: 0, metrics: exitCode(0) });
  expect(await night(refuses, 'night.prom')).toMatchObject({ code: 'usage', metrics: exitCode(2) });
  expect(await night(answers, 'no/such/folder.prom')).toMatchObject({
    code: 0,
    metrics: null,
    log: expect.stringContaining('metrics were not written'),
  });
});

test('runCommand removes only the logs that are past retention', async () => {
  await withWorkspace(answers, async (workspace) => {
    await mkdir(workspace.at('logs'));
    for (const [name, days] of [
      ['old.jsonl', 31],
      ['new.jsonl', 29],
      ['old.txt', 31],
    ] as const) {
      await writeFile(workspace.at('logs', name), '');
      const then = (systemClock.now() - days * 86_400_000) / 1000;
      await utimes(workspace.at('logs', name), then, then);
    }
    await appendFile(workspace.at('config.yaml'), 'retention: { logsDays: 30 }\n');
    await runCommand('collect', { workspace: workspace.path });
    const left = await readdir(workspace.at('logs'));
    expect(left).toEqual(expect.arrayContaining(['new.jsonl', 'old.txt']));
    expect(left).toHaveLength(3);
  });
});

test('runCommand ends its log when the ledger cannot be opened', async () => {
  await withWorkspace(answers, async (workspace) => {
    await mkdir(workspace.at('state'));
    using database = new DatabaseSync(workspace.at('state/ledger.sqlite'));
    database.exec('PRAGMA user_version = 9999');
    await expect(runCommand('run', { workspace: workspace.path })).rejects.toMatchObject({ kind: 'usage' });
    expect(await lastLine(workspace)).toMatchObject({ event: 'run finished', exitCode: 2 });
  });
});
