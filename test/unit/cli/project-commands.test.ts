import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/commands.ts';
import type { CommandResult } from '../../../src/cli/terminal.ts';
import { collectProjectsNow, followCommand } from '../../../src/cli/follow-command.ts';
import { projectsCommand, type ProjectsFlags, showCommand } from '../../../src/cli/project-commands.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { statusCommand } from '../../../src/cli/status-command.ts';
import { updateCommand } from '../../../src/cli/update-commands.ts';
import { verifyCommand } from '../../../src/cli/verify-command.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import type { DeliveryIndex } from '../../../src/domain/delivery.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { systemClock, systemRandom, systemSleep } from '../../../src/ops/system.ts';
import { environmentLines, startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createServiceClient } from '../../../src/service/client.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { latestAccount } from '../../support/latest-account.ts';

interface Bench extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly workspace: TemporaryWorkspace;
  /** Somebody orders a project on the platform; gives its id. */
  makeElsewhere(changes?: Partial<OrderPayload>): Promise<string>;
  control(path: string, body: object): Promise<void>;
}

/** Holds the sandbox's port, so that no server of another test answers there. */
async function silence({ sandbox }: Bench): Promise<Server> {
  await sandbox.close();
  return createServer((socket) => socket.destroy()).listen(Number(new URL(sandbox.baseUrl).port), '127.0.0.1');
}

async function bench(inbox: Readonly<Record<string, string>> = {}): Promise<Bench> {
  await using opened = new AsyncDisposableStack();
  const sandbox = await startSandbox({ autoProgress: false });
  opened.defer(() => sandbox.close());
  const workspace = opened.use(await temporaryWorkspace({ env: environmentLines(sandbox), inbox }));
  const client = createServiceClient({
    ...sandbox.credentials,
    baseUrl: sandbox.baseUrl,
    clock: systemClock,
    sleep: systemSleep,
    random: systemRandom,
    log: silentLog,
  });
  opened.defer(() => client.close());
  const resources = opened.move();
  return {
    sandbox,
    workspace,
    makeElsewhere: async (changes) => {
      const made = await client.createProject({ ...orderPayload(changes), allowDuplication: true });
      return made.kind === 'created' ? made.project.id : `not created: ${made.kind}`;
    },
    control: async (path, body) => {
      const answer = await fetch(`${sandbox.controlUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function ledgerOf({ workspace }: Bench): Ledger {
  const path = workspace.at('state/ledger.sqlite');
  return openSqliteLedger(path, { clock: systemClock, account: latestAccount(path) ?? '' });
}

/** Puts a project on record that is gone at the service. */
async function recordUnknown(b: Bench, projectId: string): Promise<void> {
  await using ledger = ledgerOf(b);
  await ledger.followElsewhere({ projectId, inspectionCode: null, inspectionLink: null, details: orderPayload() });
}

const searched = (workspace: TemporaryWorkspace, flags: Partial<ProjectsFlags> = {}) =>
  projectsCommand({ workspace: workspace.path, bundles: true, limit: 100, ...flags });
const idsOf = ({ json }: { readonly json: unknown }): readonly string[] =>
  (json as { projects: { project: string }[] }).projects.map(({ project }) => project);
const returned = { status: 'Returned to Client' };

test("projectsCommand searches by the service's terms and follows pages to the limit", async () => {
  await using b = await bench();
  const [first, second, third] = [
    await b.makeElsewhere({ policyNumber: 'P-1' }),
    await b.makeElsewhere({ inspectionNumber: 'I-2' }),
    await b.makeElsewhere({ serviceName: 'Exterior' }),
  ];
  await b.control(`/projects/${second}/status`, returned);
  expect(idsOf(await searched(b.workspace))).toEqual([first, second, third]);
  expect(idsOf(await searched(b.workspace, { policy: 'P-1' }))).toEqual([first]);
  expect(idsOf(await searched(b.workspace, { inspection: 'I-2' }))).toEqual([second]);
  expect(idsOf(await searched(b.workspace, { service: 'Exterior' }))).toEqual([third]);
  expect(idsOf(await searched(b.workspace, { status: 'Returned to Client' }))).toEqual([second]);
  expect(idsOf(await searched(b.workspace, { createdSince: systemClock.now() + 3_600_000 }))).toEqual([]);
  expect(
    idsOf(
      await searched(b.workspace, {
        createdSince: systemClock.now() - 3_600_000,
        createdBefore: systemClock.now() + 3_600_000,
      }),
    ),
  ).toHaveLength(3);
  expect(await searched(b.workspace, { limit: 2 })).toMatchObject({
    text: expect.stringContaining(`--from ${third}`) as string,
    json: { isMore: true },
  });
  expect(idsOf(await searched(b.workspace, { from: third, limit: 2 }))).toEqual([third]);
  expect((await searched(b.workspace, { limit: 3 })).json).toMatchObject({ isMore: false });
});

const UNKNOWN = {
  code: 'status-unknown',
  kind: 'usage',
  hint: expect.stringContaining('Returned to Client') as string,
};

test('projectsCommand lists the known statuses if the service refuses one', async () => {
  await using b = await bench();
  await expect(searched(b.workspace, { status: 'Nope' })).rejects.toMatchObject(UNKNOWN);
});

test('projectsCommand lists the known statuses if the service finds nothing', async () => {
  await using b = await bench();
  await using server = await startScriptedServer(({ url }, response) =>
    url === '/v1/oauth/token'
      ? sendJson(response, 200, { access_token: 't', token_type: 'bearer', refresh_token: 'r', expires_in: 600 })
      : sendJson(response, 200, { project: [] }),
  );
  await writeFile(b.workspace.at('.env'), environmentLines(b.sandbox).replaceAll(b.sandbox.baseUrl, server.origin));
  await expect(searched(b.workspace, { status: 'Nope' })).rejects.toMatchObject(UNKNOWN);
  expect(idsOf(await searched(b.workspace, { status: 'Site Inspected' }))).toEqual([]);
});

test('projectsCommand writes a guarded CSV file that cancel can read', async () => {
  await using b = await bench();
  const id = await b.makeElsewhere({ streetAddress: '=1 Oak Street, rear', policyNumber: 'P-1' });
  await followCommand([id], b.workspace.path, false);
  const { text } = await searched(b.workspace, { csv: true });
  expect(text.split('\n')).toEqual([
    'Project ID,Status,Policy number,Inspection number,Service,Street,City,State,ZIP,Here',
    `${id},Project Created,P-1,,4-Point,"'=1 Oak Street, rear",Cambridge,MA,02139,followed`,
  ]);
  await writeFile(b.workspace.at('list.csv'), text);
  expect(await updateCommand('cancel', [b.workspace.at('list.csv')], { workspace: b.workspace.path })).toMatchObject({
    exitCode: 0,
    json: { updates: [{ project: id, outcome: 'done' }] },
  });
});

test('showCommand compares service and ledger and marks the differences', async () => {
  await using b = await bench({ 'orders.csv': orderCsv(1) });
  await runCommand('submit', { workspace: b.workspace.path });
  const [ordered = ''] = idsOf(await searched(b.workspace));
  await b.control(`/projects/${ordered}/status`, { status: 'Site Inspected' });
  const shown = await showCommand(ordered, b.workspace.path);
  expect(shown).toMatchObject({
    exitCode: 0,
    json: { differs: ['status'], service: { status: 'Site Inspected' }, ledger: { orders: [1] } },
  });
  expect(shown.text).toMatch(/^\*\s+status\s+Site Inspected/m);
  expect(shown.text).toMatch(/^\s+insured\s+Ann Lee 0\s+Ann Lee 0$/m);
  const elsewhere = await b.makeElsewhere();
  expect(await showCommand(elsewhere, b.workspace.path)).toMatchObject({
    text: expect.stringContaining(`inspection-batch follow ${elsewhere}`) as string,
    json: { ledger: null, service: { status: 'Project Created' } },
  });
  await expect(showCommand('999', b.workspace.path)).rejects.toMatchObject({ kind: 'usage' });
  await expect(showCommand('P-1', b.workspace.path)).rejects.toMatchObject({ kind: 'usage' });
  await recordUnknown(b, '888');
  expect(await showCommand('888', b.workspace.path)).toMatchObject({
    exitCode: 0,
    json: { service: null, ledger: { orders: [] } },
    text: expect.stringContaining('does not know') as string,
  });
  await using _ = await silence(b);
  expect(await showCommand(ordered, b.workspace.path)).toMatchObject({
    exitCode: 4,
    json: { service: null, ledger: { orders: [1] } },
    text: expect.stringContaining('ledger alone') as string,
  });
});

test('followCommand follows once, and follows none if any id is unknown', async () => {
  await using b = await bench();
  const id = await b.makeElsewhere();
  await expect(followCommand([id, '77'], b.workspace.path, false)).rejects.toMatchObject({
    code: 'project-unknown',
    message: expect.stringMatching(/\b77\b/),
  });
  await expect(statusCommand(id, b.workspace.path)).rejects.toMatchObject({ kind: 'usage' });
  expect(await followCommand([id, `0${id}`], b.workspace.path, false)).toMatchObject({
    exitCode: 0,
    json: { projects: [{ project: id, outcome: 'followed', status: 'Project Created' }] },
  });
  expect(await followCommand([id], b.workspace.path, false)).toMatchObject({
    json: { projects: [{ outcome: 'already' }] },
  });
  const told = await statusCommand(id, b.workspace.path);
  expect(told.text.match(/project followed/g)).toHaveLength(1);
  expect(await followCommand([id], b.workspace.path, true)).toMatchObject({
    json: { projects: [{ outcome: 'stopped' }] },
  });
  expect(await followCommand([id], b.workspace.path, true)).toMatchObject({
    json: { projects: [{ outcome: 'not followed' }] },
  });
  expect(await followCommand([id], b.workspace.path, false)).toMatchObject({
    json: { projects: [{ outcome: 'followed again' }] },
  });
});

test('runCommand collects and delivers a followed project like an ordered one', async () => {
  await using b = await bench({ 'orders.csv': orderCsv(1) });
  const id = await b.makeElsewhere({ policyNumber: 'P-9', insuredName: 'Eva Elsewhere', dueDate: '2020-01-31' });
  await followCommand([id], b.workspace.path, false);
  await b.control(`/projects/${id}/status`, returned);
  const night = await runCommand('run', { workspace: b.workspace.path });
  expect(night).toMatchObject({
    exitCode: 0,
    json: { orders: { created: 1, linked: 0 }, projects: { outstanding: 1, collected: 1 } },
  });
  const index = JSON.parse(await readFile(b.workspace.at(night.json.delivery?.folder ?? '', 'index.json'), 'utf8')) as {
    projects: object[];
  };
  expect(index.projects).toMatchObject([
    {
      projectId: id,
      orderId: null,
      policyNumber: 'P-9',
      files: expect.arrayContaining([expect.objectContaining({ kind: 'report' })]) as object,
    },
    { orderId: 1 },
  ]);
  expect(await readFile(b.workspace.at(night.json.delivery?.report ?? ''), 'utf8')).toContain('Eva Elsewhere');
  expect(await verifyCommand(b.workspace.path)).toMatchObject({
    exitCode: 0,
    json: { lines: expect.arrayContaining([expect.objectContaining({ id, code: 'project-followed' })]) as object },
  });
  expect((await statusCommand('P-9', b.workspace.path)).text).toContain('Eva Elsewhere');
  expect(await updateCommand('receive', ['policy:P-9'], { workspace: b.workspace.path })).toMatchObject({
    exitCode: 0,
    json: { counts: { done: 1 } },
  });
  await expect(followCommand(['77'], b.workspace.path, false)).rejects.toMatchObject({ kind: 'usage' });
  // Commands that a person calls are no nights.
  expect((await statusCommand(undefined, b.workspace.path)).json).toMatchObject({ runs: [{ command: 'run' }] });
});

test('updateCommand counts what it settles of earlier runs in its exit code', async () => {
  await using b = await bench();
  const [late, early] = [await b.makeElsewhere(), await b.makeElsewhere({ policyNumber: 'P-2' })];
  await followCommand([late, early], b.workspace.path, false);
  {
    await using ledger = ledgerOf(b);
    await ledger.beginUpdate({ projectId: late, request: { kind: 'cancel' }, before: {}, source: null });
  }
  await b.control(`/projects/${late}/status`, returned);
  expect(await updateCommand('cancel', [early], { workspace: b.workspace.path })).toMatchObject({
    exitCode: 3,
    json: {
      settled: [{ project: late, outcome: 'refused' }],
      updates: [{ project: early, outcome: 'done' }],
    },
  });
});

test('updateCommand refuses to receive a project whose delivery is not intact', async () => {
  await using b = await bench({ 'orders.csv': orderCsv(1) });
  await runCommand('submit', { workspace: b.workspace.path });
  const [id = ''] = idsOf(await searched(b.workspace));
  await b.control(`/projects/${id}/status`, returned);
  const night = await runCommand('collect', { workspace: b.workspace.path });
  const at = (path: string): string => b.workspace.at(night.json.delivery?.folder ?? '', path);
  const index = JSON.parse(await readFile(at('index.json'), 'utf8')) as DeliveryIndex;
  const report = at(index.projects[0]?.files.find(({ kind }) => kind === 'report')?.path ?? '');
  const receive = async () => (await updateCommand('receive', [id], { workspace: b.workspace.path })).json;
  const damaged = (reason: RegExp) => ({
    updates: [{ code: 'delivery-damaged', reason: expect.stringMatching(reason) as string }],
  });
  const content = await readFile(report);
  await rm(report);
  expect(await receive()).toMatchObject(damaged(/\.pdf .*\bmissing\b/));
  await writeFile(report, '\n');
  expect(await receive()).toMatchObject(damaged(/\.pdf .*\b1 bytes\b/));
  await writeFile(report, content);
  await writeFile(at('index.json'), '\n');
  expect(await receive()).toMatchObject(damaged(/\bindex\.json\b/));
  await runCommand('collect', { workspace: b.workspace.path, all: true, files: [] });
  expect(await updateCommand('receive', [id], { workspace: b.workspace.path })).toMatchObject({
    json: { counts: { done: 1 } },
  });
});

test('runCommand links a followed project to the order that asks for it', async () => {
  await using b = await bench({ 'orders.csv': orderCsv(1) });
  const { inspectionNumber, ...details } = {
    ...orderPayload({ streetAddress: '100 Oak Street', insuredName: 'Ann Lee 0' }),
    inspectionNumber: 'T-10000',
  };
  const id = await b.makeElsewhere({ ...details, inspectionNumber });
  await followCommand([id], b.workspace.path, false);
  expect(await runCommand('submit', { workspace: b.workspace.path })).toMatchObject({
    json: { orders: { created: 0, linked: 1 } },
  });
  expect((await statusCommand(id, b.workspace.path)).json).toMatchObject({
    orders: [{ order: { id: 1, projectId: id } }],
    projects: [],
  });
  expect(await verifyCommand(b.workspace.path)).toMatchObject({ exitCode: 0 });
  await recordUnknown(b, '888');
  expect(await verifyCommand(b.workspace.path)).toMatchObject({
    exitCode: 3,
    text: expect.stringContaining('- project 888:') as string,
  });
});

test('collectProjectsNow collects the named projects now and leaves delivery to a run', async () => {
  await using b = await bench({ 'orders.csv': orderCsv(2) });
  await runCommand('submit', { workspace: b.workspace.path });
  const [one = '', two = ''] = idsOf(await searched(b.workspace));
  await b.control(`/projects/${one}/status`, returned);
  await b.control(`/projects/${two}/status`, returned);
  const now = await collectProjectsNow([one], b.workspace.path);
  expect(now).toMatchObject({ exitCode: 0, json: { projects: [{ project: one, isCollected: true }], stopped: null } });
  expect(now.text).toMatch(/\b1 report\b.* \d+ photos/);
  const [, path = ''] = /report[^:]*: (state\/\S+)/i.exec(now.text) ?? [];
  await access(b.workspace.at(path));
  await expect(collectProjectsNow(['5'], b.workspace.path)).rejects.toMatchObject({
    kind: 'usage',
    code: 'project-not-on-record',
    hint: expect.stringContaining('follow 5') as string,
  });
  expect(await runCommand('collect', { workspace: b.workspace.path })).toMatchObject({
    json: { projects: { collected: 2 }, delivery: { workbook: expect.any(String) as string } },
  });
  await using _ = await silence(b);
  await expect(collectProjectsNow([one], b.workspace.path)).rejects.toMatchObject({ kind: 'work-left' });
});

test('runCommand says how many projects lack files', async () => {
  await using b = await bench({ 'orders.csv': orderCsv(1) });
  await runCommand('submit', { workspace: b.workspace.path });
  const [one = ''] = idsOf(await searched(b.workspace));
  await b.control(`/projects/${one}/status`, returned);
  await b.control('/faults', [{ kind: 'expired-url', match: { route: '/files/*' } }]);
  const { exitCode, text } = await runCommand('collect', { workspace: b.workspace.path });
  expect([exitCode, /^1 project /m.test(text)]).toEqual([4, true]);
});

test('--quiet prints nothing when all is done, everything otherwise', async () => {
  await using b = await bench();
  const id = await b.makeElsewhere();
  await followCommand([id], b.workspace.path, false);
  const ended: CommandResult[] = [];
  const call = (...args: readonly string[]) =>
    buildProgram(async (work) => void ended.push(await work()), '0').parseAsync(
      [...args, '--quiet', '--workspace', b.workspace.path],
      { from: 'user' },
    );
  await call('verify');
  await call('collect', id);
  expect(ended.map(({ text }) => text)).toEqual(['', '']);
  await recordUnknown(b, '888');
  await call('verify');
  expect(ended.at(-1)).toMatchObject({ exitCode: 3, text: expect.stringContaining('888') as string });
});

test('ledger.forgetDetails clears the personal details of a finished followed project', async () => {
  await using b = await bench();
  const id = await b.makeElsewhere({ policyNumber: 'P-9', insuredName: 'Eva Elsewhere' });
  await followCommand([id], b.workspace.path, false);
  await b.control(`/projects/${id}/status`, { status: 'Project Canceled' });
  await runCommand('collect', { workspace: b.workspace.path });
  await using ledger = ledgerOf(b);
  expect(await ledger.highestProjectId()).toBeNull();
  const later = systemClock.now() + 86_400_000;
  expect(await ledger.forgetDetails(later)).toEqual({ orders: 1, rows: 0 });
  expect((await ledger.storyOfProject(id))?.details).toMatchObject({
    insuredName: '',
    streetAddress: '',
    policyNumber: 'P-9',
  });
  expect(await ledger.forgetDetails(later)).toEqual({ orders: 0, rows: 0 });
});

test("projectsCommand says when the service's list does not continue", async () => {
  await using b = await bench();
  await using server = await startScriptedServer(({ url }, response) =>
    url === '/v1/oauth/token'
      ? sendJson(response, 200, { access_token: 't', token_type: 'bearer', refresh_token: 'r', expires_in: 600 })
      : sendJson(response, 200, { project: [{ id: 7 }] }),
  );
  await writeFile(b.workspace.at('.env'), environmentLines(b.sandbox).replaceAll(b.sandbox.baseUrl, server.origin));
  await expect(searched(b.workspace)).rejects.toMatchObject({
    kind: 'work-left',
    code: 'service-unavailable',
  });
});
