import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../../src/sandbox/faults/faults.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { type Ended, oneDocument, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { killOnce, type SandboxControls } from '../../support/sandbox-process.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { entriesOf } from '../../end-to-end/delivery-archive.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

const STATUS_PUT = { method: 'PUT', route: '/v1/project/{projectId}/status' } as const;
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

/** Projects 100001 … of so many orders: the first with T-10000, the second with P-10001, the third with neither number, and so on. */
async function ordered(sandbox: SandboxControls, count: number): Promise<TemporaryWorkspace> {
  await using opened = new AsyncDisposableStack();
  const workspace = opened.use(
    await temporaryWorkspace({
      env: sandbox.lines,
      config: 'submit:\n  maxConcurrency: 1\n',
      inbox: { 'orders.csv': orderCsv(count) },
    }),
  );
  expect(await inside(workspace, 'submit')).toMatchObject({ code: 0 });
  const resources = opened.move();
  return { ...workspace, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function inside({ path }: TemporaryWorkspace, ...args: readonly string[]): Promise<Ended> {
  return callHere([...args, '--workspace', path]);
}

interface Updates {
  readonly exitCode: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly updates: readonly {
    readonly project: string | null;
    readonly outcome: string;
    readonly reason: string | null;
  }[];
  readonly settled: readonly { readonly project: string; readonly outcome: string }[];
}

async function updates(workspace: TemporaryWorkspace, ...args: readonly string[]): Promise<Updates> {
  const ended = await inside(workspace, ...args, '--json');
  const document = oneDocument(ended) as Updates;
  expect(document.exitCode).toBe(ended.code);
  return document;
}

async function statusesAt(sandbox: SandboxControls): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await sandbox.projects()).map(({ id, status }) => [String(id), status]));
}

const puts = async (sandbox: SandboxControls): Promise<number> =>
  Object.values((await sandbox.audit()).requests[`PUT ${STATUS_PUT.route}`] ?? {}).reduce(
    (sum, count) => sum + count,
    0,
  );

test.concurrent('cancel sends each cancellation once, though the answers are lost', async () => {
  await using sandbox = await startSandboxHere({ autoProgress: false });
  await using workspace = await ordered(sandbox, 6);
  await writeFile(workspace.at('gone.csv'), 'Pol #,Insp No,Reason\nP-10001,,sold\n,T-10000,\nNOPE,,\n');
  const lost: FaultRule = { kind: 'commit-then-504', match: STATUS_PUT, probability: 1 };
  await sandbox.faults([lost]);
  const first = await updates(workspace, 'cancel', workspace.at('gone.csv'), '100003');
  expect(first).toMatchObject({ exitCode: 3, counts: { done: 3, rejected: 1 } });
  expect(first.updates.map(({ project, outcome }) => [project, outcome])).toEqual([
    ['100002', 'done'],
    ['100001', 'done'],
    [null, 'rejected'],
    ['100003', 'done'],
  ]);
  expect(await puts(sandbox)).toBe(3);
  await sandbox.faults([]);
  expect(await updates(workspace, 'cancel', '100001', 'P-10001')).toMatchObject({
    exitCode: 0,
    counts: { already: 2 },
  });
  expect(await puts(sandbox)).toBe(3);
  expect(await statusesAt(sandbox)).toMatchObject({
    100001: 'Project Canceled',
    100002: 'Project Canceled',
    100003: 'Project Canceled',
    100004: 'Project Created',
  });

  const [header = '', row = ''] = orderCsv(1).split('\n');
  await writeFile(workspace.at('inbox/same.csv'), `${header}\n${row}\n\n`);
  expect(summaryOf(await inside(workspace, 'submit', '--json'))).toMatchObject({
    orders: { created: 0, skipped: 1 },
    projects: { outstanding: 3, canceled: 3 },
  });
  await writeFile(workspace.at('inbox/again.csv'), `${header},allowDuplication\n${row},Yes\n`);
  expect(summaryOf(await inside(workspace, 'submit', '--json'))).toMatchObject({
    orders: { created: 1 },
    projects: { outstanding: 4 },
  });
  expect(await inside(workspace, 'verify')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Everything matches'),
  });
});

test.concurrent.each<[string, FaultRule['kind'], readonly string[]]>([
  ['after the service did it: the next follow-up run', 'commit-then-hang', ['collect']],
  ['before the service saw it: the next command of this kind', 'hang', ['cancel', '100001']],
])('cancel, killed %s settles it', async (_when, kind, next) => {
  await using sandbox = await startSandboxHere({ autoProgress: false });
  await using workspace = await ordered(sandbox, 2);
  await sandbox.faults([{ kind, match: STATUS_PUT }]);
  await using command = startCommand(['cancel', '100001', '--workspace', workspace.path]);
  expect(await killOnce(async () => ((await sandbox.audit()).faults[0]?.bites ?? 0) > 0, command)).toBe(true);
  await sandbox.faults([]);
  expect(await inside(workspace, 'verify')).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('! update 100001'),
  });
  expect(await inside(workspace, ...next)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Left open by an earlier run'),
  });
  expect(await statusesAt(sandbox)).toEqual({ 100001: 'Project Canceled', 100002: 'Project Created' });
  expect(await inside(workspace, 'verify')).toMatchObject({ code: 0 });
});

test.concurrent('receive waits until the files of a project are delivered', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await ordered(sandbox, 2);
  await sandbox.advance(FIFTEEN_DAYS_S);
  expect((await updates(workspace, 'receive', '100001', 'P-10001')).updates).toMatchObject([
    { outcome: 'rejected', reason: expect.stringContaining('collect') },
    { outcome: 'rejected' },
  ]);
  const { delivery } = summaryOf(await inside(workspace, 'collect', '--json'));
  const returned = Object.entries(await statusesAt(sandbox)).flatMap(([id, status]) =>
    status === 'Returned to Client' ? [id] : [],
  );
  expect(returned.length).toBeGreaterThan(0);
  const [project = ''] = returned;
  expect(await updates(workspace, 'receive', project, '--dry-run')).toMatchObject({
    exitCode: 0,
    counts: { 'would-send': 1 },
  });

  await writeFile(workspace.at('new.csv'), `Project ID,New policy number\n${project},P-777\n`);
  expect(await updates(workspace, 'amend', workspace.at('new.csv'))).toMatchObject({
    exitCode: 0,
    counts: { done: 1 },
  });
  expect((await updates(workspace, 'receive', project)).updates).toMatchObject([
    { outcome: 'rejected', reason: expect.stringContaining('No delivery') },
  ]);
  const second = summaryOf(await inside(workspace, 'collect', '--json')).delivery;
  expect(await updates(workspace, 'receive', 'P-777')).toMatchObject({ exitCode: 0, counts: { done: 1 } });
  expect((await statusesAt(sandbox))[project]).toBe('Client Received');
  expect(await inside(workspace, 'verify')).toMatchObject({ code: 0 });

  const story = (await inside(workspace, 'status', 'P-777')).stdout;
  for (const told of [
    'orders.csv row',
    'attempt 1 by',
    'amended to policy number P-777',
    delivery?.folder ?? '?',
    second?.folder ?? '?',
    'project receive done',
    'Client Received',
    'Next: nothing',
  ])
    expect(story).toContain(told);
  expect(story).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d {2}order sending/);
});

test.concurrent('verify reports missing files, doubles and an unreachable service', async () => {
  const first = await startSandboxHere({ autoProgress: false });
  const { lines } = first;
  await using workspace = await ordered(first, 3);
  const [header = '', row = ''] = orderCsv(1).split('\n');
  await using elsewhere = await temporaryWorkspace({
    env: lines,
    inbox: { 'twin.csv': `${header},allowDuplication\n${row},Yes\n` },
  });
  expect(summaryOf(await inside(elsewhere, 'submit', '--json')).orders.created).toBe(1);
  await rm(workspace.at('archive'), { recursive: true });
  const census = await inside(workspace, 'verify');
  expect(census.code).toBe(3);
  expect(census.stdout).toMatch(/^- file orders\.csv: .*missing$/m);
  expect(census.stdout).toMatch(
    /^\* order 1: it has project 100001, and project \d+ is the same: two projects for one order/m,
  );
  await first[Symbol.asyncDispose]();
  expect(await inside(workspace, 'verify', '--json')).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('"exitCode":4'),
  });
});

test.concurrent('support-bundle holds no detail of any order and no secret', async () => {
  await using sandbox = await startSandboxHere({ autoProgress: false });
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: 'submit:\n  quarantineSeconds: 1\n',
    inbox: { 'Smith agency November.csv': orderCsv(6) },
  });
  await sandbox.faults([{ kind: '503', match: { method: 'POST', route: '/v1/project' }, times: 2 }]);
  await inside(workspace, 'submit');
  await inside(workspace, 'cancel', '100001', '--comment', 'Ann Lee sold it');
  await writeFile(workspace.at('new.csv'), 'Policy number,New policy number\nP-10001,P-SECRET-9\n');
  await inside(workspace, 'amend', workspace.at('new.csv'));
  const ended = await inside(workspace, 'support-bundle', workspace.at('bundle.zip'), '--json');
  expect(ended.code).toBe(0);
  const entries = [...(await entriesOf(workspace.at('bundle.zip')))];
  expect(entries.map(([name]) => name)).toEqual(
    expect.arrayContaining(['about.json', 'config.json', 'doctor.json', 'ledger.json', 'orders.jsonl', 'files.jsonl']),
  );
  const all = entries.map(([name, bytes]) => `${name}\n${bytes.toString('utf8')}`).join('\n');
  const [header = '', ...rows] = orderCsv(6).trim().split('\n');
  const listed = new Set(['serviceName', 'policyType', 'houseType']);
  const details = rows.flatMap((row) =>
    row.split(',').filter((_value, index) => !listed.has(header.split(',')[index] ?? '')),
  );
  const secrets = [
    ...(await readFile(workspace.at('.env'), 'utf8')).matchAll(
      /^INSPECTION_(?:CLIENT_SECRET|PASSWORD|USERNAME)=(.*)$/gm,
    ),
  ].map(([, value = '']) => value);
  const wanted = [
    ...new Set([...details, ...secrets, 'Ann', 'sold', 'P-SECRET-9', 'Smith', 'November', workspace.path]),
  ].filter((text) => text !== '' && text !== 'MA');
  expect(secrets).toHaveLength(3);
  // The digits of a ZIP code may be part of another number.
  const holds = (text: string) => all.replaceAll(/\d{6,}/g, '#').includes(text);
  expect(wanted.filter(holds)).toEqual([]);
  // It still tells what happened.
  expect(all).toContain('"state":"created"');
  expect(all).toMatch(/"event":"cancel done"/);
});
