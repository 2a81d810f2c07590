import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import { IsolatedFileWorker } from '../../../src/night/isolated-file-worker.ts';
import { type DecidedHouse, type Decision, IN_FORCE } from '../../../src/domain/project.ts';
import { ensureWorkspace, type Workspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { type DecisionsContext, takeInDecisions } from '../../../src/submit/decisions.ts';
import { takeInInbox } from '../../../src/submit/take-in.ts';
import { projectWith, sampleInput } from '../../support/full-summary.ts';
import { recordCreated } from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench, takeInContext } from '../../support/run-bench.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

interface Desk extends LedgerBench {
  readonly workspace: Workspace;
  readonly context: DecisionsContext;
  /** A results workbook of the projects 11 and 12, as a run delivered it and as somebody filled it in. */
  drop(
    name: string,
    run: string,
    written: Readonly<Record<string, readonly [decision: string, by: string, notes: string]>>,
    carried?: Readonly<Record<string, Decision>>,
    onRecord?: readonly DecidedHouse[],
  ): Promise<void>;
}

async function openDesk(): Promise<Desk> {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  for (const id of ['11', '12']) await recordCreated(bench.ledger, id, { inspectionNumber: `INS-${id}` });
  const { log, signal, ...rest } = takeInContext(bench, workspace);
  return {
    ...bench,
    workspace,
    context: { ...rest, log, signal, settleMs: 0 },
    drop: async (name, run, written, carried = {}, onRecord = []) => {
      const projects = ['11', '12'].map((projectId) =>
        projectWith({ summary: { roof: { hasHoles: true } } }, { projectId, decision: carried[projectId] ?? null }),
      );
      const path = join(workspace.inbox, name);
      await mkdir(dirname(path), { recursive: true });
      await writeResults({ xlsx: path }, sampleInput(projects, { run, decisions: onRecord }));
      const workbook = new exceljs.Workbook();
      await workbook.xlsx.readFile(path);
      const sheet = workbook.getWorksheet('Attention');
      const titles = (sheet?.getRow(1).values ?? []) as unknown[];
      sheet?.eachRow((row) => {
        const said = written[row.getCell(titles.indexOf('Project ID')).text] ?? [];
        for (const [index, text] of said.entries()) row.getCell(titles.indexOf('Decision') + index).value = text;
      });
      await workbook.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
    },
  };
}

const filesBelow = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

test("takeInDecisions records an underwriter's decisions and archives the workbook", async () => {
  await using desk = await openDesk();
  await desk.drop('Decisions/results.xlsx', '2026-01-06T02-00-00Z', {
    '11': ['Non-renew', 'Ann', '=1+1'],
    '12': ['', '', ''],
  });
  const { notes, faults } = await takeInDecisions(desk.context);
  expect(notes).toEqual([
    { name: 'Decisions/results.xlsx', notes: [{ code: 'decisions-taken', text: expect.stringMatching(/^1 /) }] },
  ]);
  expect(faults).toEqual([]);
  expect((await desk.ledger.decisionsOn(['11'])).get('11')).toEqual({
    decision: 'Non-renew',
    by: 'Ann',
    notes: '=1+1',
  });
  expect((await desk.ledger.decisionsOn(['12'])).has('12')).toBe(false);
  expect(await filesBelow(desk.workspace.archive)).toEqual(['results.xlsx']);
  expect(await filesBelow(desk.workspace.inbox)).toEqual([]);
  // The same content again lies beside the first: `verify` knows it, and `prune` takes it away.
  await desk.drop('decisions/again.xlsx', '2026-01-06T02-00-00Z', {});
  await takeInDecisions(desk.context);
  const onRecord = (await Array.fromAsync(desk.ledger.countedFiles())).map(({ file: { name, archivedAs } }) => [
    name,
    archivedAs !== null,
  ]);
  expect(onRecord.slice(-2)).toEqual([
    ['Decisions/results.xlsx', true],
    ['decisions/again.xlsx', true],
  ]);
});

test('takeInDecisions takes notes without a decision', async () => {
  await using desk = await openDesk();
  await desk.drop('decisions/results.xlsx', '2026-01-06T02-00-00Z', { '11': ['', '', 'Roof again'] });
  await takeInDecisions(desk.context);
  expect((await desk.ledger.decisionsOn(['11'])).get('11')).toMatchObject({ notes: 'Roof again' });
});

test('takeInDecisions changes nothing for a workbook as it was delivered', async () => {
  await using desk = await openDesk();
  const ann: Decision = { decision: 'Refer', by: 'Ann', notes: '' };
  await desk.drop('decisions/a.xlsx', '2026-01-06T02-00-00Z', { '11': ['Refer', 'Ann', ''] });
  await takeInDecisions(desk.context);
  await desk.drop('decisions/b.xlsx', '9026-01-07T02-00-00Z', {}, { '11': ann });
  const { notes } = await takeInDecisions(desk.context);
  expect(notes[0]?.notes).toMatchObject([{ code: 'no-new-decision' }]);
  expect((await desk.ledger.decisionsOn(['11'])).get('11')).toEqual(ann);
});

test('takeInDecisions never takes an earlier decision on record again', async () => {
  await using desk = await openDesk();
  const ann: Decision = { decision: 'Refer', by: 'Ann', notes: '' };
  const bob: Decision = { decision: 'Accept', by: 'Bob', notes: 'fixed' };
  const takenInAt = Date.UTC(2026, 0, 5);
  for (const decisions of [
    [{ projectId: '11', ...ann }],
    [
      { projectId: '11', ...bob },
      { projectId: '12', ...ann },
    ],
  ])
    await desk.ledger.recordDecisions({ file: 'decisions/a.xlsx', writtenIn: null, takenInAt, decisions });
  const onRecord = await desk.ledger.decisionsOnRecord();
  expect(onRecord.map(({ decision, isLatest }) => [decision, isLatest])).toEqual([
    ['Refer', true],
    ['Accept', true],
    ['Refer', false],
  ]);
  await desk.drop('decisions/b.xlsx', '2026-01-06T02-00-00Z', { '12': ['Repair', 'Eve', ''] }, { '11': bob }, onRecord);
  const { notes } = await takeInDecisions(desk.context);
  expect(notes[0]?.notes.map(codeAndFacts)).toEqual(['decisions-taken 1', 'decisions-replaced 12']);
  expect((await desk.ledger.decisionsOn(['11'])).get('11')).toEqual(bob);
  expect((await desk.ledger.decisionsOn(['12'])).get('12')).toMatchObject({ decision: 'Repair', by: 'Eve' });
});

test('takeInDecisions takes no decision on record without its run', async () => {
  await using desk = await openDesk();
  const folder = join(desk.workspace.inbox, 'decisions');
  await mkdir(folder);
  await writeFile(join(folder, 'copy.csv'), `Project ID,Decision,Outcome\n11,Refer,${IN_FORCE}\n`);
  const { notes } = await takeInDecisions(desk.context);
  expect(notes[0]?.notes.map(codeAndFacts)).toEqual(['no-decisions "decisions/copy.csv" "Project ID" "Decision"']);
  expect((await desk.ledger.decisionsOn(['11'])).size).toBe(0);
});

// Orders are never read from that folder.
test('takeInDecisions sets aside and reports a file without decisions', async () => {
  await using desk = await openDesk();
  const folder = join(desk.workspace.inbox, 'decisions');
  await mkdir(folder);
  await writeFile(join(folder, 'orders.csv'), 'Street,City\n1 A St,B\n');
  await writeFile(join(folder, 'broken.xlsx'), 'PK\u0003\u0004 but nothing behind it');
  await writeFile(
    join(folder, 'strange.csv'),
    'Project ID,Decision\n9223372036854775808,Accept\n99,Accept\nx,Accept\n11,Accept\n',
  );
  for (const [index, name] of ['orders.csv', 'broken.xlsx', 'strange.csv'].entries())
    await utimes(join(folder, name), 1_000 + index, 1_000 + index);
  const orders = await takeInInbox(takeInContext(desk, desk.workspace));
  expect(orders.files).toEqual([]);
  const apart = new IsolatedFileWorker(desk.context.signal, desk.context.log);
  const { notes } = await takeInDecisions({
    ...desk.context,
    // One in a process, which takes a second: its refusal, too, names the folder.
    files: {
      readDecisions: (path, name) => (name.includes('broken') ? apart : desk.context.files).readDecisions(path, name),
    },
  });
  expect(notes.map(({ name }) => name)).toEqual([
    'decisions/orders.csv',
    'decisions/broken.xlsx',
    'decisions/strange.csv',
  ]);
  expect(notes[0]?.notes.map(codeAndFacts)).toEqual(['no-decisions "decisions/orders.csv" "Project ID" "Decision"']);
  expect(notes[2]?.notes.map(codeAndFacts)).toEqual(['decisions-taken 1', 'projects-unknown 9223372036854775808 99']);
  expect((await desk.ledger.openNews()).slice(2)).toMatchObject([
    {
      kind: 'projects-unknown',
      subject: expect.stringMatching(/^decisions\/strange.csv: .* 9223372036854775808, 99, x\.$/),
    },
  ]);
  expect((await filesBelow(desk.workspace.unreadable)).toSorted()).toEqual([
    'broken.xlsx',
    'broken.xlsx.txt',
    'orders.csv',
    'orders.csv.txt',
  ]);
  expect(await readFile(join(desk.workspace.unreadable, 'decisions', 'broken.xlsx.txt'), 'utf8')).toContain(
    'no decision',
  );
  expect((await desk.ledger.openNews()).map(({ kind }) => kind)).toEqual([
    'file-unreadable',
    'file-unreadable',
    'projects-unknown',
  ]);
});

test('takeInDecisions takes the file saved last as the latest', async () => {
  await using desk = await openDesk();
  const folder = join(desk.workspace.inbox, 'decisions');
  await mkdir(folder);
  for (const [name, decision, savedAt] of [
    ['saved.csv', 'Accept', 1_000],
    ['saved (1).csv', 'Non-renew', 2_000],
  ] as const) {
    await writeFile(join(folder, name), `Run,2026-01-06T02-00-00Z\nProject ID,Decision\n11,${decision}\n`);
    await utimes(join(folder, name), savedAt, savedAt);
  }
  await takeInDecisions(desk.context);
  expect((await desk.ledger.decisionsOn(['11'])).get('11')).toMatchObject({ decision: 'Non-renew' });
});

test.each(['results.xlsx', 'smith/results.xlsx', 'saved.csv'])(
  'takeInInbox leaves decisions in %s to takeInDecisions',
  async (name) => {
    await using desk = await openDesk();
    if (name.endsWith('.csv'))
      await writeFile(
        join(desk.workspace.inbox, name),
        '\uFEFF"Run","2026-01-06T02-00-00Z"\r\n"Project ID","Decision","By","Notes"\r\n"11","Repair","Ann",""\r\n',
      );
    else await desk.drop(name, '2026-01-06T02-00-00Z', { '11': ['Repair', 'Ann', ''] });
    const { files } = await takeInInbox(takeInContext(desk, desk.workspace));
    expect(files).toMatchObject([{ name, outcome: 'processed', codes: ['holds-decisions'] }]);
    await takeInDecisions(desk.context);
    expect((await desk.ledger.decisionsOn(['11'])).get('11')).toMatchObject({ decision: 'Repair', by: 'Ann' });
    expect(await filesBelow(desk.workspace.inbox)).toEqual([]);
    expect(await filesBelow(desk.workspace.processing)).toEqual([]);
  },
);

test('takeInDecisions takes in a workbook after a killed run', async () => {
  await using desk = await openDesk();
  await desk.drop('decisions/a.xlsx', '2026-01-06T02-00-00Z', { '11': ['Accept', '', ''] });
  const killed = takeInDecisions({
    ...desk.context,
    files: { readDecisions: () => Promise.reject(new Error('killed')) },
  });
  await expect(killed).rejects.toThrow('killed');
  expect(await filesBelow(desk.workspace.processing)).toEqual(['a.xlsx']);
  expect((await takeInInbox(takeInContext(desk, desk.workspace))).files).toEqual([]);
  await takeInDecisions(desk.context);
  expect((await desk.ledger.decisionsOn(['11'])).get('11')).toMatchObject({ decision: 'Accept' });
  expect(await filesBelow(desk.workspace.processing)).toEqual([]);
});
