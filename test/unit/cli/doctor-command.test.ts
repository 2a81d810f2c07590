import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Script, type ScriptedServer, sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { demoCommand } from '../../../src/cli/demo-command.ts';
import { databaseFindings, doctorCommand } from '../../../src/cli/doctor-command.ts';
import { initCommand, resultsCommand, templateCommand } from '../../../src/cli/init-command.ts';
import { statusCommand } from '../../../src/cli/status-command.ts';
import { supportBundleCommand } from '../../../src/cli/support-bundle-command.ts';

const FOLDERS = ['processing', 'archive', 'corrections', 'unreadable', 'held', 'deliveries', 'state', 'logs'];

async function workspaceFor({ origin }: ScriptedServer): Promise<TemporaryWorkspace> {
  const names = {
    BASE_URL: origin,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'c-secret',
    USERNAME: 'user',
    PASSWORD: 'p-secret',
  };
  const workspace = await temporaryWorkspace({
    env: Object.entries(names)
      .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
      .join(''),
  });
  for (const folder of FOLDERS) await mkdir(workspace.at(folder), { recursive: true });
  return workspace;
}

/** The document's service, with its clock so far away from this machine's. */
function serviceWithClock(awayMs: number): Script {
  return (request, response) => {
    response.setHeader('date', new Date(Date.now() + awayMs).toUTCString());
    if (request.url === '/v1/oauth/token') return sendJson(response, 200, { access_token: 't', token_type: 'bearer' });
    if (request.headers.authorization === undefined) return sendJson(response, 401, { error: { message: 'no token' } });
    sendJson(response, 200, { project: [] });
  };
}

// Every request that the doctor and the support bundle send is in the service document.
test.each([
  [0, { state: 'ok' }],
  [-3_600_000, { state: 'warning', code: 'clock-wrong' }],
])('doctorCommand reports a service clock %i ms off as %o', async (awayMs, finding) => {
  await using server = await startScriptedServer(serviceWithClock(awayMs));
  await using workspace = await workspaceFor(server);
  const { exitCode, json } = await doctorCommand(workspace.path);
  expect(exitCode).toBe(0);
  expect((json as { findings: object[] }).findings).toContainEqual({
    what: 'clock',
    detail: expect.any(String) as string,
    ...finding,
  });
  await supportBundleCommand(workspace.at('bundle.zip'), workspace.path);
  expect(new Set(server.seen.map(({ method, url }) => `${method} ${url}`))).toEqual(
    new Set(['POST /v1/oauth/token', 'GET /v1/project?limit=1']),
  );
});

test('doctorCommand warns about an unreachable notify endpoint and hides its URL', async () => {
  await using server = await startScriptedServer(serviceWithClock(0));
  await using workspace = await workspaceFor(server);
  await writeFile(
    workspace.at('config.yaml'),
    `notify: { webhook: { url: "${server.origin}/hook" }, ping: { success: "http://127.0.0.1:1/secret-path" } }\n`,
  );
  const { exitCode, json } = await doctorCommand(workspace.path);
  const found = (json as { findings: readonly { what: string; state: string; code?: string }[] }).findings.filter(
    ({ what }) => what.startsWith('notify'),
  );
  expect(exitCode).toBe(0);
  expect(found).toMatchObject([
    { what: 'notify', state: 'warning', code: 'notify-unusable' },
    { what: 'notify.webhook', state: 'ok' },
    { what: 'notify.ping.success', state: 'warning', code: 'notify-unusable' },
  ]);
  expect(JSON.stringify(found)).not.toContain('secret-path');
});

test('doctorCommand looks at .env even if config.yaml is wrong', async () => {
  await using workspace = await temporaryWorkspace({ env: 'INSPECTION_CLIENT_ID=client\n' });
  await writeFile(workspace.at('config.yaml'), 'intake: {}\nintake: {}\n');
  const { exitCode, json } = await doctorCommand(workspace.path);
  const codes = (json as { findings: readonly { code?: string }[] }).findings.map(({ code }) => code);
  expect(exitCode).toBe(2);
  expect(codes).toEqual(expect.arrayContaining(['config-wrong', 'credentials-missing']));
});

// An outage may pass by itself; refused credentials do not.
test('doctorCommand exits 4 for an unreachable service, 2 for refused credentials', async () => {
  for (const [status, code, finding] of [
    [503, 4, 'no-access-token'],
    [401, 2, 'credentials-refused'],
  ] as const) {
    await using server = await startScriptedServer(({ url }, response) =>
      sendJson(response, url === '/v1/oauth/token' ? status : 200, { error: { message: 'no' } }),
    );
    await using workspace = await workspaceFor(server);
    const { exitCode, text, json } = await doctorCommand(workspace.path);
    expect(exitCode).toBe(code);
    expect(json).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ what: 'service', code: finding })]),
    });
    // Who calls it need not be told to.
    expect(text).not.toContain('inspection-batch doctor');
  }
});

test('statusCommand takes a blank question for none', async () => {
  await using folder = await temporaryFolder();
  await initCommand(folder.path);
  expect((await statusCommand(' ', folder.path)).text).toBe((await statusCommand(undefined, folder.path)).text);
});

test('statusCommand names the first steps before any run', async () => {
  await using folder = await temporaryFolder();
  await expect(statusCommand(undefined, folder.path)).rejects.toMatchObject({ code: 'not-a-workspace' });
  await initCommand(folder.path);
  const { exitCode, text, json } = await statusCommand(undefined, folder.path);
  expect(exitCode).toBe(0);
  expect(text).toMatch(/^ *1\. .*\.env/m);
  expect(json).toMatchObject({ orders: { ready: 0 }, projects: { outstanding: 0 }, runs: [] });
});

test.each([
  ['init', initCommand],
  ['template', templateCommand],
  ['demo', demoCommand],
] as const)('%s reports an unwritable folder and exits 2', async (_name, command) => {
  await using folder = await temporaryFolder();
  // A file where a folder should be stands for every folder that cannot be written: root may write them all.
  await writeFile(join(folder.path, 'file'), '');
  const failure: unknown = await command(join(folder.path, 'file', 'inside.xlsx')).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({
    name: 'ExplainedError',
    kind: 'usage',
    message: expect.stringContaining(folder.path) as string,
    code: 'folder-not-writable',
  });
});

test('templateCommand refuses a file name that does not end in .xlsx', async () => {
  await using folder = await temporaryFolder();
  for (const name of ['orders.xls', 'orders', 'orders.csv'])
    await expect(templateCommand(join(folder.path, name))).rejects.toMatchObject({
      kind: 'usage',
      code: 'template-not-xlsx',
    });
  expect(await templateCommand(join(folder.path, 'Orders.XLSX'))).toMatchObject({ exitCode: 0 });
});

test.each(['columns', 'attention'] as const)('results %s replaces no file', async (what) => {
  await using folder = await temporaryFolder();
  await initCommand(folder.path);
  const write = () => resultsCommand(what, 'starter.yaml', folder.path);
  expect(await write()).toMatchObject({ exitCode: 0 });
  const written = await readFile(join(folder.path, 'starter.yaml'), 'utf8');
  await expect(write()).rejects.toMatchObject({ kind: 'usage', code: 'target-exists' });
  expect(await readFile(join(folder.path, 'starter.yaml'), 'utf8')).toBe(written);
});

test.each([
  [{ roundTripMs: 1.23 }, { state: 'ok', detail: 'PostgreSQL 16.1 answers in 1.2 ms' }],
  [{ roundTripMs: 20 }, { state: 'warning', code: 'database-slow' }],
  [{ endsSilentSessions: false }, { state: 'problem', code: 'database-too-old' }],
  [{ clockAheadMs: -4_000 }, { what: 'database clock', state: 'ok' }],
  [
    { clockAheadMs: -12_000 },
    { code: 'database-clock-wrong', detail: expect.stringContaining('12 s ahead') as string },
  ],
  [
    { clockAheadMs: 12_000 },
    { code: 'database-clock-wrong', detail: expect.stringContaining('12 s behind') as string },
  ],
])('databaseFindings rates a database with %o as %o', (seen, finding) => {
  const findings = databaseFindings({
    serverVersion: '16.1',
    endsSilentSessions: true,
    roundTripMs: 1,
    clockAheadMs: 0,
    hosts: [],
    ...seen,
  });
  expect(findings).toContainEqual(expect.objectContaining(finding));
});

test('doctorCommand reports a folder that a run cannot use as a problem', async () => {
  await using folder = await temporaryFolder();
  await initCommand(folder.path);
  const logs = join(folder.path, 'logs');
  await rm(logs, { recursive: true });
  expect((await doctorCommand(folder.path)).json).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ what: 'folders', state: 'warning' })]) as unknown,
  });
  await symlink(logs, logs);
  const { exitCode, json } = await doctorCommand(folder.path);
  expect(exitCode).toBe(2);
  expect(json).toMatchObject({
    findings: expect.arrayContaining([
      expect.objectContaining({ state: 'problem', code: 'folders-not-usable', detail: expect.stringContaining(logs) }),
    ]) as unknown,
  });
});
