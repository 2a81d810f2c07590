import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodeOfRun } from '../../../src/night/exit-codes.ts';
import { describeNews, pendingNews } from '../../../src/night/news.ts';
import { dismissNamed } from '../../../src/cli/resolve-command.ts';
import { statusOverview } from '../../../src/cli/status-command.ts';
import { inIsoTimes } from '../../../src/cli/terminal.ts';
import { deliver } from '../../../src/results/deliver/deliver.ts';
import { overviewOf } from '../../../src/results/deliver/overview.ts';
import { notOrderedRows } from '../../../src/results/deliver/result-rows.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import { ensureWorkspace, type Workspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { takeInInbox } from '../../../src/submit/take-in.ts';
import { readTables } from '../../end-to-end/workbook-cells.ts';
import { NO_RULES } from '../../support/full-summary.ts';
import { recordCreated } from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench, takeInContext } from '../../support/run-bench.ts';

const DAY = 24 * 60 * 60 * 1000;
const HEADER =
  'Inspection #,Policy #,Eff Date,Service,Policy type,House type,Address,City,State,Zip,Insured,Insured phone,Insured email';
const SERVICE = 5;

/** `Attic tour` is no service, so the row goes back. */
const line = (insured: string, service = 'Attic tour'): string =>
  `N-${insured},P-${insured},2026-11-01,${service},Homeowners Insurance,Other,1 ${insured} St,Tampa,FL,33609,${insured},813-555-0100,a@b.example`;

let bench: LedgerBench;
let workspace: Workspace;
let nights: number;
beforeEach(async () => {
  bench = await openLedgerBench();
  workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  await recordCreated(bench.ledger, '11');
  nights = 0;
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

async function drop(name: string, lines: readonly string[], folder = 'smith'): Promise<void> {
  await mkdir(join(workspace.inbox, folder), { recursive: true });
  await writeFile(join(workspace.inbox, folder, name), [HEADER, ...lines].join('\n'));
}

/** What one night says of open rows, in each place where somebody looks; the next one is a day later. */
async function night({ opened = false } = {}) {
  const { ledger, clock } = bench;
  nights += 1;
  const run = `run-${nights}`;
  await ledger.startRun(run, 'run');
  const { files } = await takeInInbox(takeInContext(bench, workspace));
  // A status that is not listed is news every night, so that there is a delivery.
  await ledger.recordStatuses([{ id: '11', status: nights % 2 === 0 ? 'Waiting for Weather' : 'Waiting for Access' }]);
  const shown = (await Array.fromAsync(notOrderedRows(ledger, false))).length;
  const { openRows, needsPerson } = await overviewOf(ledger, clock.now(), []);
  await deliver(
    {
      ledger,
      clock,
      log: silentLog,
      workspace,
      run,
      attention: NO_RULES,
      columns: null,
      thumbnails: { perProject: 0, inAll: 0 },
      formats: opened ? ['xlsx'] : [],
    },
    { orders: false, results: true, all: false, files: [] },
  );
  const sheet = opened
    ? (await readTables(join(workspace.deliveries, run, 'results.xlsx'))).get('Not ordered')?.rows.length
    : shown;
  const news = await pendingNews(ledger, clock.now(), 3);
  const exitCode = exitCodeOfRun({
    command: 'run',
    stoppedBy: null,
    faults: [],
    stopped: [],
    openUpdates: 0,
    orders: { submitting: 0, unresolved: 0, held: 0 },
    canSend: false,
    files,
    leftToFetch: 0,
    news,
    heldFiles: [],
  });
  const told = await describeNews(news, { run, now: clock.now(), ledger });
  await ledger.markReported(news.map(({ id }) => id));
  await ledger.finishRun(run, exitCode, null);
  const status = await statusOverview(ledger, workspace, { now: clock.now(), quarantineMs: 0, problem: null });
  await clock.advance(DAY);
  return { exitCode, told, sheet, openRows, needsPerson: needsPerson.map(({ title }) => title), status };
}

async function workbooks(): Promise<readonly string[]> {
  const entries = await readdir(workspace.corrections, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(workspace.corrections.length + 1))
    .toSorted();
}

/** What an analyst does with a corrections workbook: fixes some rows, and drops a copy. */
async function fixAndDrop(path: string, rowNumbers: readonly number[]): Promise<void> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(join(workspace.corrections, path));
  for (const rowNumber of rowNumbers) {
    const cell = workbook.worksheets[0]?.getCell(rowNumber, SERVICE);
    if (cell !== undefined) cell.value = '4-Point';
  }
  await workbook.xlsx.writeFile(join(workspace.inbox, path));
}

test('shows open rows in status nightly, exits 3 every three days', async () => {
  await drop('oct.csv', [line('Ann', '4-Point'), line('Bob'), line('Cid')]);
  const codes: number[] = [];
  const lines: string[] = [];
  for (let count = 1; count <= 7; count += 1) {
    const { exitCode, told, sheet, openRows, needsPerson, status } = await night({
      opened: [1, 4, 7].includes(count),
    });
    codes.push(exitCode);
    lines.push(...told);
    expect([count, sheet, openRows, needsPerson]).toEqual([count, 2, 2, ['smith/oct.csv: 2 rows to fix']]);
    const age = count === 1 ? '' : `, for ${count - 1} ${count === 2 ? 'day' : 'days'}`;
    expect(status.text).toMatch(
      new RegExp(`^ *\\D*2 .*smith/oct\\.csv.* Mar 5, 2026${age}\\).* corrections/smith/oct - to fix\\.xlsx`, 'm'),
    );
    expect(status.json).toMatchObject({
      wentBack: [
        {
          file: 'smith/oct.csv',
          sender: 'smith',
          rows: 2,
          command: 'inspection-batch resolve "corrections/smith/oct - to fix.xlsx" --dismiss',
        },
      ],
    });
  }
  expect(codes).toEqual([3, 0, 0, 3, 0, 0, 3]);
  expect(lines).toEqual(
    ['', ', for 3 days', ', for 6 days'].map((age): unknown =>
      expect.stringMatching(`^\\D*2 .*smith/oct\\.csv.* Mar 5, 2026${age}\\).* corrections/smith/oct - to fix\\.xlsx$`),
    ),
  );
  expect(await workbooks()).toEqual(['smith/oct - to fix.xlsx']);
});

test('reports a later file at once and then reminds of both together', async () => {
  await drop('oct.csv', [line('Bob')]);
  await night();
  await drop('nov.csv', [line('Cid')], 'jones');
  const [second, , fourth, fifth] = [await night(), await night(), await night(), await night()];
  expect([second.exitCode, second.told]).toEqual([3, [expect.stringContaining('jones/nov.csv')]]);
  expect([fourth.exitCode, fourth.told]).toEqual([
    3,
    [expect.stringContaining('jones/nov.csv'), expect.stringContaining('smith/oct.csv')],
  ]);
  expect(fifth.exitCode).toBe(0);
});

test('archives a finished workbook and numbers the one that remains', async () => {
  await drop('oct.csv', [line('Bob'), line('Cid'), line('Dee')]);
  await night();
  await fixAndDrop('smith/oct - to fix.xlsx', [2]);
  const second = await night();
  expect([second.exitCode, second.openRows, second.sheet]).toEqual([3, 2, 2]);
  expect(await workbooks()).toEqual(['done/smith/oct - to fix.xlsx', 'smith/oct - to fix 2.xlsx']);
  await fixAndDrop('smith/oct - to fix 2.xlsx', [2]);
  expect((await night()).openRows).toBe(1);
  expect(await workbooks()).toEqual([
    'done/smith/oct - to fix 2.xlsx',
    'done/smith/oct - to fix.xlsx',
    'smith/oct - to fix 3.xlsx',
  ]);
  await fixAndDrop('smith/oct - to fix 3.xlsx', [2]);
  expect(await night()).toMatchObject({
    exitCode: 0,
    openRows: 0,
    sheet: 0,
    needsPerson: [],
    status: { json: { wentBack: [] } },
  });
  expect(await workbooks()).toHaveLength(3);
});

test('reuses the name of a workbook that the analyst took away', async () => {
  await drop('oct.csv', [line('Bob')]);
  await night();
  await fixAndDrop('smith/oct - to fix.xlsx', [2]);
  await rm(join(workspace.corrections, 'smith/oct - to fix.xlsx'));
  await drop('oct.csv', [line('Cid')]);
  await night();
  expect(await workbooks()).toEqual(['smith/oct - to fix.xlsx']);
  expect((await night()).openRows).toBe(1);
});

test('stops asking for rows dismissed by row, workbook, or file', async () => {
  const { ledger } = bench;
  const dismiss = (subject: string) => dismissNamed(subject, { ledger, workspace, log: silentLog });
  await drop('oct.csv', [line('Bob'), line('Cid'), line('Dee')]);
  await drop('nov.csv', [line('Eve')]);
  await night();
  expect(await dismiss('smith/oct.csv:3')).toMatchObject({
    exitCode: 0,
    json: { dismissed: [{ file: 'smith/oct.csv', row: 3 }] },
  });
  expect((await night()).openRows).toBe(3);
  expect(await workbooks()).toEqual(['smith/nov - to fix.xlsx', 'smith/oct - to fix.xlsx']);
  expect((await dismiss('corrections/smith/oct - to fix.xlsx')).json).toMatchObject({
    dismissed: [{ row: 2 }, { row: 4 }],
  });
  expect((await dismiss('nov.csv')).json).toMatchObject({ dismissed: [{ file: 'smith/nov.csv' }] });
  expect(await workbooks()).toEqual(['done/smith/nov - to fix.xlsx', 'done/smith/oct - to fix.xlsx']);
  for (const again of ['smith/oct.csv:3', 'corrections/smith/oct - to fix.xlsx', 'nov.csv'])
    expect(await dismiss(again)).toMatchObject({ exitCode: 0, json: { dismissed: [] } });
  const codes = [];
  for (let count = 0; count < 4; count += 1) codes.push((await night()).exitCode);
  expect(codes).toEqual([0, 0, 0, 0]);
  await expect(dismiss('dec.csv')).rejects.toMatchObject({ kind: 'usage' });
  // Fixed and dropped all the same, a dismissed row is ordered; unchanged, it stays dismissed.
  await copyFile(
    join(workspace.corrections, 'done/smith/oct - to fix.xlsx'),
    join(workspace.corrections, 'smith/late.xlsx'),
  );
  await fixAndDrop('smith/late.xlsx', [2, 3]);
  expect(await night()).toMatchObject({ exitCode: 0, openRows: 0 });
});

test('refuses to guess between two files of the same name', async () => {
  const { ledger } = bench;
  await drop('oct.csv', [line('Bob')]);
  await night();
  await drop('oct.csv', [line('Cid'), line('Dee')]);
  await night();
  const dismiss = (subject: string) => dismissNamed(subject, { ledger, workspace, log: silentLog });
  for (const place of ['', ':2'])
    await expect(dismiss(`oct.csv${place}`)).rejects.toMatchObject({
      code: 'file-name-ambiguous',
      hint: expect.stringContaining(`resolve "archive/2026/03/05/smith/oct.csv${place}" --dismiss`),
    });
  // Only one of the files has an open row there.
  expect((await dismiss('oct.csv:3')).json).toMatchObject({ dismissed: [{ row: 3 }] });
  expect((await dismiss('archive/2026/03/05/smith/oct.csv:2')).json).toMatchObject({ dismissed: [{ row: 2 }] });
  expect((await night()).openRows).toBe(1);
});

test('reports ended projects as news once, grouped by kind and reason', async () => {
  const { ledger } = bench;
  for (const id of ['12', '13', '14', '15']) await recordCreated(ledger, id);
  await night();
  await ledger.recordStatuses([
    { id: '12', status: 'Project Canceled' },
    { id: '13', status: 'Project Canceled' },
  ]);
  await ledger.recordCloseout('14', ['Nobody came.']);
  await ledger.recordCloseout('15', ['Nobody came.']);
  const counts = await ledger.nightCounts();
  expect(counts).toMatchObject({ canceled: 2, closedOut: 2 });
  const before = await statusOverview(ledger, workspace, { now: bench.clock.now(), quarantineMs: 0, problem: null });
  expect(before.text).toMatch(/: 2 canceled, 2 closed out/);
  expect(before.json).toMatchObject({
    night: inIsoTimes(counts),
    ended: [
      { kind: 'canceled', projects: [{ project: '12' }, { project: '13' }] },
      { kind: 'closed out', reason: 'Nobody came.', projects: [{ project: '14' }, { project: '15' }] },
    ],
  });
  const short = { now: bench.clock.now(), quarantineMs: 0, problem: null, isBrief: true };
  const { text } = await statusOverview(ledger, workspace, short);
  expect(text).toMatch(/by reason \(4 projects; 2 reasons\)\n.*\(project 1.*\n.*\(project 1/);
  expect(text).toMatch(/Next: .*sheet Ended\.$/);
  const told = await night();
  expect([told.exitCode, told.told]).toEqual([
    3,
    [
      expect.stringMatching(/^Canceled .* on Mar 6, 2026: Ann Lee, .*\(project 12\); .*\(project 13\)\. Ask \D+$/),
      expect.stringMatching(
        /^Closed out .* on Mar 6, 2026: .*\(project 14\); .*\(project 15\)\. Nobody came\. Ask the agent .*\.$/,
      ),
    ],
  ]);
  expect(told.needsPerson).toEqual([
    expect.stringMatching(/^2 .*\bcanceled\b/),
    expect.stringMatching(/^2 .*\bclosed out\b/),
  ]);
  const after = await night();
  expect([after.exitCode, after.needsPerson, after.status.json]).toMatchObject([
    0,
    [expect.stringMatching(/\bclosed out\b/), expect.stringMatching(/\bcanceled\b/)],
    { ended: [], closedOut: [{ projects: [{ project: '14' }, { project: '15' }] }] },
  ]);
});

test('status lists ended projects until they are decided, and what to do', async () => {
  const { ledger } = bench;
  for (const id of ['12', '14']) await recordCreated(ledger, id);
  await ledger.recordStatuses([{ id: '12', status: 'Project Canceled' }]);
  await ledger.recordCloseout('14', ['Pilot was denied on location.']);
  await night();
  const listed = async () =>
    statusOverview(ledger, workspace, { now: bench.clock.now(), quarantineMs: 0, problem: null });
  const { text, json } = await listed();
  expect(text).toMatch(/\n  Closed out: .*\(project 14\)\..*\n    Ask .*\n  Canceled: .*\(project 12\)\./);
  expect(json).toMatchObject({ closedOut: [{ kind: 'closed out' }], canceled: [{ kind: 'canceled' }] });
  const accepted = { decision: 'Accept', by: 'Ann', notes: '' };
  const decisions = ['12', '14'].map((projectId) => ({ projectId, ...accepted }));
  await ledger.recordDecisions({ file: 'decisions.csv', writtenIn: null, decisions });
  expect((await listed()).text).not.toContain('no decision yet');
});

test('lists the first 50 overdue projects on screen, all in JSON', async () => {
  const { ledger, clock } = bench;
  for (let project = 100; project < 160; project += 1)
    await recordCreated(ledger, String(project), { dueDate: '2026-01-01' });
  const { text, json } = await statusOverview(ledger, workspace, { now: clock.now(), quarantineMs: 0, problem: null });
  expect(text.match(/^  due 2026-01-01: /gm)).toHaveLength(50);
  expect(text).toMatch(/^ *… and 10 more\b.*--json/m);
  expect((json as { overdue: unknown[] }).overdue).toHaveLength(60);
});

test('shows no expected dates if none is known', async () => {
  const { ledger, clock } = bench;
  await recordCreated(ledger, '100', { dueDate: '2026-01-01' });
  const { text } = await statusOverview(ledger, workspace, { now: clock.now(), quarantineMs: 0, problem: null });
  expect(text).toMatch(/^  due 2026-01-01: .*\(project 100\)/m);
  expect(text).not.toContain('Expected');
});
