import { cp, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { acquireRunLock } from '../../../src/ops/run-lock.ts';
import { entriesOf } from '../../end-to-end/delivery-archive.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { CRON_ENVIRONMENT, oneDocument, runToEnd, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

interface Rehearsal {
  readonly folder: string;
  readonly files: readonly {
    readonly name: string;
    readonly outcome: string;
    readonly rows: object;
    readonly corrections: string | null;
  }[];
  readonly notTaken: readonly { readonly name: string }[];
  readonly toOrder: readonly { readonly file: string; readonly policyNumber: string; readonly note: string | null }[];
  readonly refused: readonly { readonly file: string; readonly row: number; readonly reason: string }[];
  readonly repeats: readonly { readonly file: string; readonly row: number; readonly reason: string }[];
  readonly waitingOnRecord: number;
  readonly delivery: { readonly workbook: string; readonly report: string; readonly orders: string } | null;
  readonly exitCode: number;
}

/** Each name below a folder, with what would show a change: when it was written last, and its bytes. */
async function treeOf(root: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const entry of [
    { parentPath: root, name: '.' },
    ...(await readdir(root, { recursive: true, withFileTypes: true })),
  ]) {
    const path = join(entry.parentPath, entry.name);
    const found = await lstat(path, { bigint: true });
    lines.push(
      `${relative(root, path)} ${found.mtimeNs} ${found.mode} ${found.isFile() ? (await readFile(path)).toString('base64') : ''}`,
    );
  }
  return lines.toSorted();
}

function csv(...rows: readonly object[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [
    names,
    ...rows.map((row) => names.map((name) => (row as Readonly<Record<string, string | undefined>>)[name] ?? '')),
  ]
    .map((cells) => cells.join(','))
    .join('\n');
}

const KNOWN = { ...orderPayload({ streetAddress: '1 Known Street' }), policyNumber: 'P-KNOWN' };
const FRESH = { ...orderPayload({ streetAddress: '2 Fresh Street' }), policyNumber: 'P-FRESH' };
const BY_SENDER = { ...orderPayload({ streetAddress: '3 Agency Street' }), policyNumber: 'P-AGENCY' };
const WRONG = {
  ...orderPayload({ streetAddress: '4 Wrong Street' }),
  policyNumber: 'P-WRONG',
  serviceName: 'No such service',
};

const ONCE_MORE = { ...KNOWN, allowDuplication: 'Yes' };

/** Tonight's files: a new row, a repeat of what is on record, a row that goes back, one that is wanted a second time, and a sender's own. */
async function drop({ inbox }: TemporaryWorkspace): Promise<void> {
  await writeFile(join(inbox, 'tonight.csv'), csv(FRESH, KNOWN, WRONG, ONCE_MORE));
  await mkdir(join(inbox, 'smith-agency'));
  await writeFile(join(inbox, 'smith-agency', 'theirs.csv'), csv(BY_SENDER));
}

const CONFIG = 'submit:\n  maxConcurrency: 1\ncollect:\n  images: referenced\n';

test("rehearse shows tonight's run without requests or changes, under another's lock", async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: `${CONFIG}notify:\n  ping: { success: "${sandbox.baseUrl}/ping" }\nmetrics:\n  textfile: night.prom\n`,
    inbox: { 'before.csv': csv(KNOWN) },
  });
  expect(await callHere(['submit', '--workspace', workspace.path])).toMatchObject({ code: 0 });
  const [project] = await sandbox.projects();
  await drop(workspace);
  await using lock = await acquireRunLock(workspace.at('state'), { clock: createVirtualClock(), command: 'run' });
  await using out = await temporaryFolder();
  const [before, requests] = [await treeOf(workspace.path), (await sandbox.audit()).requests];
  const ended = await callHere([
    'rehearse',
    '--json',
    '--workspace',
    workspace.path,
    '--to',
    join(out.path, 'preview'),
  ]);

  await lock.check('now');
  expect(await treeOf(workspace.path)).toEqual(before);
  expect((await sandbox.audit()).requests).toEqual(requests);
  expect(ended).toMatchObject({ code: 3 });
  const told = oneDocument(ended) as Rehearsal;
  expect(told.files).toEqual([
    {
      name: 'tonight.csv',
      outcome: 'processed',
      rows: { read: 4, accepted: 3, rejected: 1 },
      corrections: 'corrections/tonight - to fix.xlsx',
      reason: null,
      codes: [],
    },
    {
      name: 'smith-agency/theirs.csv',
      outcome: 'processed',
      rows: { read: 1, accepted: 1, rejected: 0 },
      corrections: null,
      reason: null,
      codes: [],
    },
  ]);
  expect(told).toMatchObject({ exitCode: 3, notTaken: [], refused: [], waitingOnRecord: 0 });
  // The sandbox has never seen the project on record: what the service would say for its sake is told beside the order.
  const duplicate = expect.stringMatching(
    new RegExp(`duplicate of .*project ${project?.id}.*ordered anyway`),
  ) as string;
  expect(told.toOrder.map(({ file, policyNumber, note }) => [file, policyNumber, note])).toEqual([
    ['tonight.csv', 'P-FRESH', null],
    ['tonight.csv', 'P-KNOWN', duplicate],
    ['smith-agency/theirs.csv', 'P-AGENCY', null],
  ]);
  expect(told.repeats).toMatchObject([
    { file: 'tonight.csv', row: 3, reason: expect.stringContaining(`project ${project?.id}`) as string },
  ]);
  const { workbook, report, orders } = told.delivery ?? { workbook: '', report: '', orders: '' };
  expect(await readFile(join(told.folder, report), 'utf8')).toContain('This is a rehearsal');
  for (const name of [workbook, orders])
    expect(
      [...(await entriesOf(join(told.folder, name))).values()].some((bytes) => bytes.includes('This is a rehearsal')),
    ).toBe(true);
  expect(await readdir(join(told.folder, 'corrections'))).toEqual(['tonight - to fix.xlsx']);
});

test('rehearse works without credentials and after a killed run', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: CONFIG,
    inbox: { 'before.csv': csv(KNOWN), 'many.csv': orderCsv(90) },
  });
  // Killed while it orders: the ledger has its -wal file beside it, and orders whose outcome is not known.
  await using run = startCommand(['submit', '--workspace', workspace.path]);
  await expect
    .poll(async () => (await sandbox.audit()).projects, { timeout: 60_000, interval: 20 })
    .toBeGreaterThan(20);
  run.kill('SIGKILL');
  await run.ended;
  await rm(workspace.at('.env'));
  await drop(workspace);
  await using out = await temporaryFolder();
  const before = await treeOf(workspace.path);
  expect(before.some((line) => line.startsWith('state/ledger.sqlite-wal '))).toBe(true);

  await using killed = startCommand(['rehearse', '--workspace', workspace.path, '--to', join(out.path, 'killed')], {
    environment: { ...CRON_ENVIRONMENT, TMPDIR: out.path },
  });
  await expect
    .poll(() => readdir(join(out.path, 'killed')).catch(() => []), { timeout: 60_000, interval: 5 })
    .not.toEqual([]);
  killed.kill('SIGKILL');
  await killed.ended;
  expect(await treeOf(workspace.path)).toEqual(before);

  const told = oneDocument(
    await runToEnd(['rehearse', '--json', '--workspace', workspace.path, '--to', join(out.path, 'killed')]),
  ) as Rehearsal;
  expect(await treeOf(workspace.path)).toEqual(before);
  expect(told.toOrder.map(({ policyNumber }) => policyNumber)).toEqual(['P-FRESH', 'P-KNOWN', 'P-AGENCY']);
  expect(told.repeats).toMatchObject([{ file: 'tonight.csv', row: 3 }]);
  expect(told).toMatchObject({ exitCode: 3 });
  expect(told.waitingOnRecord).toBeGreaterThan(20);
});

test('rehearse accepts a workspace without a ledger, and no other folder', async () => {
  await using workspace = await temporaryWorkspace({ env: '', config: CONFIG });
  await rm(workspace.at('.env'));
  await cp(join(import.meta.dirname, '../../../samples/04-corrections.xlsx'), join(workspace.inbox, 'one.xlsx'));
  const inside = await callHere(['rehearse', '--workspace', workspace.path, '--to', workspace.at('corrections')]);
  expect(inside).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('rehearsal must not change') as string,
  });
  expect(await callHere(['rehearse', '--workspace', workspace.inbox])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${workspace.inbox} is not `) as string,
  });
  await rm(join(workspace.inbox, 'one.xlsx'));
  // Something was ordered from here, and the ledger is gone.
  await mkdir(workspace.at('archive'));
  await writeFile(workspace.at('archive/before.csv'), '');
  const emptied = await treeOf(workspace.path);
  const ended = await runToEnd(['rehearse', '--workspace', workspace.path]);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('The inbox is empty') as string });
  expect(await treeOf(workspace.path)).toEqual(emptied);
  expect(ended.stderr).toContain(`The ledger ${workspace.at('state/ledger.sqlite')} is missing`);
  const [folder = ''] = /(?<=yours to remove: ).*/.exec(ended.stdout) ?? [];
  expect(folder).toContain('inspection-batch-rehearsal-');
  await rm(folder, { recursive: true });
});
