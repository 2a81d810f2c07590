import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import ExcelJS from 'exceljs';
import { silentLog } from '../../../../src/domain/ports.ts';
import type { ArtifactKind } from '../../../../src/ledger/artifacts.ts';
import { ensureWorkspace, workspaceAt } from '../../../../src/ops/workspace.ts';
import { newRow, recordCreated, recordOrder } from '../../../support/order-factory.ts';
import { openLedgerBench, type LedgerBench } from '../../../support/run-bench.ts';
import {
  deliver,
  type DeliverContext,
  type DeliverOptions,
  type ResultsFormat,
} from '../../../../src/results/deliver/deliver.ts';
import { deliveryIndex, type DeliveryIndex, finishedProject } from '../../../../src/domain/delivery.ts';
import { loadAttention } from '../../../../src/results/attention/rules.ts';
import { NO_RULES } from '../../../support/full-summary.ts';

const RETURNED = 'Returned to Client';

async function openBench(): Promise<LedgerBench> {
  const bench = await openLedgerBench();
  await ensureWorkspace(workspaceAt(bench.folder));
  return bench;
}

async function handOver(
  bench: LedgerBench,
  run: string,
  options: Partial<DeliverOptions> = {},
  formats: readonly ResultsFormat[] = ['xlsx'],
  more: Partial<DeliverContext> = {},
): ReturnType<typeof deliver> {
  const { ledger, clock, folder } = bench;
  return deliver(
    {
      ledger,
      clock,
      log: silentLog,
      workspace: workspaceAt(folder),
      run,
      attention: NO_RULES,
      columns: null,
      thumbnails: { perProject: 0, inAll: 0 },
      formats,
      ...more,
    },
    { orders: true, results: true, all: false, files: [], ...options },
  );
}

/** Stores a file of a project, on disk and on record. */
async function store(
  { ledger, folder }: LedgerBench,
  projectId: string,
  kind: ArtifactKind,
  version: number,
  content: string,
): Promise<void> {
  const path = `state/downloads/${projectId}/${kind}-v${version}.${{ report: 'pdf', summary: 'json', image: 'jpg' }[kind]}`;
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  await ledger.recordArtifact({
    projectId,
    kind,
    serviceId: kind === 'image' ? 'I1' : 'R1',
    version,
    type: 'Report',
    detail: {},
    path,
    bytes: content.length,
    sha256,
  });
}

async function collected(
  bench: LedgerBench,
  projectId: string,
  summary: object = { risk: { overallCondition: 'Good' } },
  details: object = {},
): Promise<void> {
  await recordCreated(bench.ledger, projectId, { policyNumber: `P-${projectId}`, ...details });
  await bench.ledger.recordStatuses([{ id: projectId, status: RETURNED }]);
  await store(bench, projectId, 'report', 1, `report of ${projectId}`);
  await store(bench, projectId, 'summary', 1, summaryJson(summary));
  await store(bench, projectId, 'image', 1, 'photo');
  await bench.ledger.markCollected(projectId);
}

function summaryJson(summary: object): string {
  return JSON.stringify({ report: [{ id: 'R1', type: 'Report', project: {}, summary }] });
}

async function deliveries({ folder }: LedgerBench): Promise<readonly string[]> {
  return (await readdir(join(folder, 'deliveries'))).filter((name) => name !== 'index.html').toSorted();
}

async function filesOf({ folder }: LedgerBench, run: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, 'deliveries', run), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, 'deliveries', run).length + 1))
    .toSorted();
}

async function sheetOf(
  { folder }: LedgerBench,
  run: string,
  file: string,
  sheet: string,
): Promise<readonly (readonly string[])[]> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.readFile(join(folder, 'deliveries', run, file));
  const rows: string[][] = [];
  workbook
    .getWorksheet(sheet)
    ?.eachRow((row) => rows.push(Array.from({ length: row.cellCount }, (_, index) => row.getCell(index + 1).text)));
  return rows;
}

test('deliver hands over even if deliveries/index.html cannot be replaced', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await mkdir(join(bench.folder, 'deliveries/index.html/open'), { recursive: true });
  expect(await handOver(bench, 'run-1')).toMatchObject({ projectIds: ['11'] });
  expect(await handOver(bench, 'run-2')).toBeNull();
});

test('hands over nothing and makes no folder with nothing on record', async () => {
  await using bench = await openBench();
  expect(await handOver(bench, 'run-1')).toBeNull();
  expect(await deliveries(bench)).toEqual([]);
});

// Another run has delivered, or will.
test('publishes nothing after it lost the lock while writing', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  const lost = async (): Promise<void> => {
    expect(await deliveries(bench)).toEqual(['.run-1.partial']);
    throw new Error('lost');
  };
  await expect(handOver(bench, 'run-1', {}, ['xlsx'], { lock: { check: lost } })).rejects.toThrow('lost');
  expect(await deliveries(bench)).toEqual([]);
  expect((await handOver(bench, 'run-2'))?.delivery).toMatchObject({ workbook: 'deliveries/run-2/results.xlsx' });
});

// Another host may store files meanwhile; the next delivery takes them.
test('leaves a project that changes while its files are copied', async () => {
  await using bench = await openBench();
  for (const id of ['11', '12']) await collected(bench, id);
  const newestIds = async (): ReturnType<typeof bench.ledger.newestIds> => {
    await store(bench, '11', 'report', 2, 'another report of 11');
    return bench.ledger.newestIds();
  };
  expect(await handOver({ ...bench, ledger: { ...bench.ledger, newestIds } }, 'run-1')).toMatchObject({
    projectIds: ['12'],
  });
  expect(await bench.ledger.deliveredProjects()).toEqual(new Set(['12']));
  expect(await handOver(bench, 'run-2')).toMatchObject({ projectIds: ['11'] });
});

test('leaves changes during a delivery to the next one', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  const addResultColumns: typeof bench.ledger.addResultColumns = async (columns) => {
    await bench.ledger.recordStatuses([{ id: '11', status: 'Project Rework' }]);
    await bench.ledger.addResultColumns(columns);
  };
  await handOver({ ...bench, ledger: { ...bench.ledger, addResultColumns } }, 'run-1');
  expect([await bench.ledger.deliveredProjects(), await handOver(bench, 'run-2')]).toMatchObject([
    new Set(),
    { projectIds: ['11'] },
  ]);
});

test('shows a house again each night until it is decided', async () => {
  await using bench = await openBench();
  const rules = { attention: await loadAttention(null) };
  const night = async (run: string, id: string): Promise<unknown> => {
    await bench.clock.advance(1000);
    await bench.ledger.startRun(run, 'run');
    await collected(bench, id, { roof: { hasHoles: true } }, { streetAddress: `${id} Oak St` });
    const handed = await handOver(bench, run, {}, ['xlsx'], rules);
    const overview = await sheetOf(bench, run, 'results.xlsx', 'Overview');
    return [
      handed?.night?.riskiest.map(({ projectId, why }) => [projectId, why]),
      overview.flatMap(([, why = '']) => /\(project (\d+)\)$/.exec(why)?.[1] ?? []),
      handed?.projectIds,
    ];
  };
  const fresh = 'Medium; Roof: holes → non-renew';
  const waiting = `${fresh}; undecided since Mar 5, 2026`;
  expect(await night('run-1', '11')).toEqual([[['11', fresh]], ['11'], ['11']]);
  expect(await night('run-2', '12')).toEqual([
    [
      ['11', waiting],
      ['12', fresh],
    ],
    ['11', '12'],
    ['11', '12'],
  ]);
  await bench.ledger.recordDecisions({
    file: 'decisions.csv',
    writtenIn: null,
    decisions: [{ projectId: '11', decision: 'Accept', by: 'Ann', notes: '' }],
  });
  await night('run-3', '13');
  expect(await night('run-4', '14')).toMatchObject([expect.anything(), ['12', '13', '14'], ['12', '13', '14']]);
});

test('shows an ended project again each night until it is decided', async () => {
  await using bench = await openBench();
  const { ledger } = bench;
  await recordCreated(ledger, '11', { policyNumber: 'P-11', streetAddress: '11' });
  await ledger.recordStatuses([{ id: '11', status: 'Project Canceled' }]);
  const night = async (run: string, id: string): Promise<unknown> => {
    await bench.clock.advance(1000);
    await ledger.startRun(run, 'run');
    await collected(bench, id, {}, { streetAddress: `${id} Oak St` });
    return (await handOver(bench, run))?.projectIds;
  };
  expect([await night('run-1', '12'), await night('run-2', '13')]).toEqual([
    ['11', '12'],
    ['11', '13'],
  ]);
  const decisions = [{ projectId: '11', decision: 'Accept', by: 'Ann', notes: '' }];
  await ledger.recordDecisions({ file: 'decisions.csv', writtenIn: null, decisions });
  expect([await night('run-3', '14'), await night('run-4', '15')]).toEqual([['11', '14'], ['15']]);
});

test('marks waiting houses with `all` too, and keeps them', async () => {
  await using bench = await openBench();
  await collected(bench, '11', { roof: { hasHoles: true } });
  const rules = { attention: await loadAttention(null) };
  await bench.ledger.startRun('run-1', 'run');
  await handOver(bench, 'run-1', {}, ['xlsx'], rules);
  const waiting = await bench.ledger.undecidedHouses();
  await bench.clock.advance(1000);
  await bench.ledger.startRun('run-2', 'collect');
  const handed = await handOver(bench, 'run-2', { all: true }, ['xlsx'], rules);
  expect(handed?.night?.riskiest).toMatchObject([{ projectId: '11', why: expect.stringMatching(/since Mar 5/) }]);
  expect(await bench.ledger.undecidedHouses()).toEqual(waiting);
});

test.each([
  ['4-Point', 'agent Ann, 555-0142'],
  ['Self 4-Point Underwriting', 'call the insured: 555-0199'],
] as const)('says whom to contact about an overdue %s', async (serviceName, whom) => {
  await using bench = await openBench();
  await collected(bench, '11');
  const contacts = { agentName: 'Ann', agentPhone: '555-0142', insuredPhone: '555-0199' };
  await recordCreated(bench.ledger, '12', { serviceName, dueDate: '2020-01-01', ...contacts });
  await bench.ledger.recordStatuses([{ id: '12', status: 'Assigned to Pilot' }]);
  const handed = await handOver(bench, 'run-1');
  expect(handed?.night?.longestOverdue).toMatchObject([
    { projectId: '12', why: expect.stringMatching(`; ${whom}\\. .*, after its due date\\.$`) },
  ]);
});

test('makes no delivery only because a house waits for a decision', async () => {
  await using bench = await openBench();
  await collected(bench, '11', { roof: { hasHoles: true } });
  const rules = { attention: await loadAttention(null) };
  await bench.ledger.startRun('run-1', 'run');
  await handOver(bench, 'run-1', {}, ['xlsx'], rules);
  expect(await bench.ledger.undecidedHouses()).toMatchObject([{ projectId: '11' }]);
  expect(await handOver(bench, 'run-2', {}, ['xlsx'], rules)).toBeNull();
});

test('hands over workbooks, files, and the archive before it is recorded', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  const handed = await handOver(bench, 'run-1');
  expect(handed).toEqual({
    delivery: {
      folder: 'deliveries/run-1',
      workbook: 'deliveries/run-1/results.xlsx',
      archive: 'deliveries/run-1/reports.zip',
      report: 'deliveries/run-1/report.html',
      orders: 'deliveries/run-1/orders.xlsx',
    },
    projectIds: ['11'],
    night: {
      since: null,
      ordered: 1,
      returned: 1,
      collected: 1,
      wentBack: 0,
      fixed: 0,
      changed: 0,
      canceled: 0,
      closedOut: 0,
      decided: 0,
      overdue: 0,
      high: 0,
      held: 0,
      closeouts: [],
      longestOverdue: [],
      pastDueRows: [],
      riskiest: [],
      undecided: 0,
    },
  });
  expect(await filesOf(bench, 'run-1')).toEqual([
    'decisions.csv',
    'index.json',
    'orders.xlsx',
    'report.html',
    'reports.zip',
    'reports/P-11_11_03052026/P-11_11_03052026.json',
    'reports/P-11_11_03052026/P-11_11_03052026.pdf',
    'reports/P-11_11_03052026/photos/01 photo.jpg',
    'results.xlsx',
  ]);
  expect((await bench.ledger.projectWithDelivery('11'))?.deliveredIn).toBe('deliveries/run-1');
  expect((await sheetOf(bench, 'run-1', 'results.xlsx', 'Results')).flat()).toContain('11');
});

test('hands over nothing twice, except with `all`', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await handOver(bench, 'run-1');
  expect(await handOver(bench, 'run-2')).toBeNull();
  expect(await deliveries(bench)).toEqual(['run-1']);
  const all = await handOver(bench, 'run-3', { all: true });
  expect(all).toMatchObject({
    projectIds: ['11'],
    delivery: { workbook: 'deliveries/run-3/results.xlsx', archive: 'deliveries/run-3/reports.zip', orders: null },
  });
  expect(await handOver(bench, 'run-4')).toBeNull();
});

test('hands over orders or results alone and leaves the rest', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  expect(await handOver(bench, 'run-1', { results: false })).toMatchObject({
    delivery: { orders: 'deliveries/run-1/orders.xlsx', workbook: null, archive: null },
    projectIds: [],
  });
  expect(await handOver(bench, 'run-2', { orders: false })).toMatchObject({
    delivery: { orders: null, workbook: 'deliveries/run-2/results.xlsx' },
    projectIds: ['11'],
  });
  expect(await filesOf(bench, 'run-1')).toEqual(['index.json', 'orders.xlsx']);
  expect(await handOver(bench, 'run-3')).toBeNull();
});

test('writes a workbook and no archive without files', async () => {
  await using bench = await openBench();
  await recordCreated(bench.ledger, '11');
  expect(await handOver(bench, 'run-1')).toMatchObject({
    delivery: { archive: null, workbook: 'deliveries/run-1/results.xlsx' },
  });
  expect(await filesOf(bench, 'run-1')).toEqual([
    'decisions.csv',
    'index.json',
    'orders.xlsx',
    'report.html',
    'results.xlsx',
  ]);
});

async function rejected({ ledger }: LedgerBench): Promise<void> {
  const problem = {
    severity: 'error',
    rule: 'zipcode-format',
    field: 'zipcode',
    column: 'ZIP',
    cell: 'C2',
    value: 'x',
    message: 'Not five digits.',
  } as const;
  await ledger.recordFile({ hash: 'aa', name: 'May.csv', layouts: [], notes: [] }, async (transaction) =>
    transaction.addRow(newRow({ problems: [problem] })),
  );
}

test('hands over a rejection alone', async () => {
  await using bench = await openBench();
  await rejected(bench);
  expect(await handOver(bench, 'run-1')).toMatchObject({
    delivery: { orders: null, workbook: 'deliveries/run-1/results.xlsx' },
  });
  expect((await sheetOf(bench, 'run-1', 'results.xlsx', 'Not ordered')).flat()).toEqual(
    expect.arrayContaining(['Not five digits.']),
  );
  expect(await handOver(bench, 'run-2')).toBeNull();
});

test('leaves a rejection to the results after a delivery of orders', async () => {
  await using bench = await openBench();
  await recordOrder(bench.ledger);
  await rejected(bench);
  await handOver(bench, 'run-1', { results: false });
  await handOver(bench, 'run-2');
  expect((await sheetOf(bench, 'run-2', 'results.xlsx', 'Not ordered')).flat()).toContain('Not five digits.');
});

test('lists an abandoned order once as given up, not open', async () => {
  await using bench = await openBench();
  const id = await recordOrder(bench.ledger);
  await bench.ledger.moveOrder(id, 'ready', {
    to: 'held',
    code: 'attempts-used-up',
    reason: 'Two projects look like it.',
  });
  await bench.ledger.moveOrder(id, 'held', {
    to: 'abandoned',
    code: 'abandoned-by-person',
    reason: 'Withdrawn.',
  });
  await handOver(bench, 'run-1');
  const [titles = [], row = []] = await sheetOf(bench, 'run-1', 'results.xlsx', 'Not ordered');
  expect(['Kind', 'Days open', 'Why'].map((title) => row[titles.indexOf(title)] ?? '')).toEqual([
    'Given up',
    '',
    'Withdrawn.',
  ]);
  expect(await readFile(join(bench.folder, 'deliveries/run-1/report.html'), 'utf8')).not.toContain('Withdrawn.');
  expect(await handOver(bench, 'run-2')).toBeNull();
});

test('lists a waiting order in orders.xlsx', async () => {
  await using bench = await openBench();
  await recordOrder(bench.ledger, { inspectionNumber: 'A-1' });
  await handOver(bench, 'run-1');
  expect((await sheetOf(bench, 'run-1', 'orders.xlsx', 'Orders')).flat()).toEqual(
    expect.arrayContaining(['A-1', 'waiting']),
  );
});

test('leaves no trace of a failed delivery and repeats it', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  const ledger = { ...bench.ledger, addResultColumns: () => Promise.reject(new Error('disk full')) };
  await expect(handOver({ ...bench, ledger }, 'run-1')).rejects.toThrow('disk full');
  expect([await deliveries(bench), await bench.ledger.deliveredProjects()]).toEqual([[], new Set()]);
  expect(await handOver(bench, 'run-2')).toMatchObject({
    projectIds: ['11'],
    delivery: { orders: 'deliveries/run-2/orders.xlsx' },
  });
});

test('leaves out a stored file that differs from the ledger', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await writeFile(join(bench.folder, 'state/downloads/11/report-v1.pdf'), 'changed on disk');
  await handOver(bench, 'run-1');
  expect((await filesOf(bench, 'run-1')).filter((name) => name.startsWith('reports/'))).toEqual([
    'reports/P-11_11_03052026/P-11_11_03052026.json',
    'reports/P-11_11_03052026/photos/01 photo.jpg',
  ]);
  expect((await sheetOf(bench, 'run-1', 'results.xlsx', 'Results')).flat().join()).toMatch(
    /report R1 \(.*\b15 bytes\b.*\b12\)/,
  );
});

test('hands over the new report and summary after rework', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await handOver(bench, 'run-1');
  for (const status of ['Project Rework', RETURNED]) await bench.ledger.recordStatuses([{ id: '11', status }]);
  await store(bench, '11', 'report', 2, 'report of 11, second version');
  await store(bench, '11', 'summary', 2, summaryJson({ risk: { overallCondition: 'Poor' } }));
  await bench.ledger.markCollected('11');
  expect(await handOver(bench, 'run-2')).toMatchObject({ projectIds: ['11'] });
  expect(
    await readFile(join(bench.folder, 'deliveries/run-2/reports/P-11_11_03052026/P-11_11_03052026.pdf'), 'utf8'),
  ).toBe('report of 11, second version');
  const results = new Set((await sheetOf(bench, 'run-2', 'results.xlsx', 'Results')).flat());
  expect([results.has('Poor'), results.has('Good')]).toEqual([true, false]);
});

async function indexOf({ folder }: LedgerBench, run: string): Promise<DeliveryIndex> {
  return deliveryIndex.parse(JSON.parse(await readFile(join(folder, 'deliveries', run, 'index.json'), 'utf8')));
}

test('lists every file with size and hash, and gives equal bytes', async () => {
  await using bench = await openBench();
  for (const id of ['9007199254740993', '12', '3']) await collected(bench, id);
  await handOver(bench, 'run-1');
  const index = await indexOf(bench, 'run-1');
  expect(index).toMatchObject({
    run: 'run-1',
    workbook: 'results.xlsx',
    report: 'report.html',
    orders: 'orders.xlsx',
    archives: ['reports.zip'],
  });
  expect(index.projects.map(({ projectId }) => projectId)).toEqual(['3', '12', '9007199254740993']);
  expect(index.projects[0]).toMatchObject({
    orderId: 3,
    policyNumber: 'P-3',
    inspectionNumber: 'for project 3',
    status: RETURNED,
  });
  const listed = index.projects.flatMap(({ files }) => files);
  expect(listed.map(({ path }) => path).toSorted()).toEqual(
    (await filesOf(bench, 'run-1')).filter((path) => path.startsWith('reports/')),
  );
  for (const { path, bytes, sha256 } of listed) {
    const content = await readFile(join(bench.folder, 'deliveries/run-1', path));
    expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
  }
  await handOver(bench, 'run-2', { orders: false, all: true });
  const [first, second] = await Promise.all(
    ['run-1', 'run-2'].map(async (run) => readFile(join(bench.folder, 'deliveries', run, 'index.json'), 'utf8')),
  );
  expect(
    second
      ?.replace('run-2', 'run-1')
      .replace('"orders":null', '"orders":"orders.xlsx"')
      .replace('"newReports":0', '"newReports":3'),
  ).toBe(first);
});

test('writes an index without projects for orders alone', async () => {
  await using bench = await openBench();
  await recordCreated(bench.ledger, '11');
  await handOver(bench, 'run-1', { results: false });
  expect(await indexOf(bench, 'run-1')).toMatchObject({
    workbook: null,
    report: null,
    orders: 'orders.xlsx',
    archives: [],
    projects: [],
  });
});

test('shows projects changed in the period of `since`, delivered or not', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await handOver(bench, 'run-1');
  await bench.clock.advance(10 * 86_400_000);
  const since = bench.clock.now();
  await collected(bench, '12');
  await handOver(bench, 'run-2');
  expect((await indexOf(bench, 'run-2')).projects.map(({ projectId }) => projectId)).toEqual(['12']);
  await handOver(bench, 'run-3', { since });
  await handOver(bench, 'run-4', { since: 0 });
  const shown = async (run: string): Promise<readonly string[]> =>
    (await indexOf(bench, run)).projects.map(({ projectId }) => projectId);
  expect([await shown('run-3'), await shown('run-4')]).toEqual([['12'], ['11', '12']]);
});

test('shows a project with `since` when only its files are new', async () => {
  await using bench = await openBench();
  await recordCreated(bench.ledger, '11');
  await bench.ledger.recordStatuses([{ id: '11', status: RETURNED }]);
  await bench.clock.advance(86_400_000);
  const since = bench.clock.now();
  await bench.ledger.markCollected('11');
  await handOver(bench, 'run-1', { since });
  expect((await indexOf(bench, 'run-1')).projects.map(({ projectId }) => projectId)).toEqual(['11']);
});

test('splits a large archive and names all parts in the index', async () => {
  await using bench = await openBench();
  for (const id of ['11', '12']) await collected(bench, id);
  const { ledger, clock, folder } = bench;
  await ledger.startRun('run-1', 'collect');
  const parts = {
    ledger,
    clock,
    log: silentLog,
    workspace: workspaceAt(folder),
    run: 'run-1',
    attention: NO_RULES,
    columns: null,
    thumbnails: { perProject: 0, inAll: 0 },
    formats: ['xlsx' as const],
  };
  const handed = await deliver(
    { ...parts, archiveBytesMax: 150 },
    { orders: false, results: true, all: false, files: [] },
  );
  expect(handed?.delivery.archive).toBe('deliveries/run-1/reports-01.zip');
  expect((await indexOf(bench, 'run-1')).archives).toEqual(['reports-01.zip', 'reports-02.zip']);
  expect(Object.values((await ledger.deliveriesOnRecord())[0]?.contents ?? {})).toContain(
    'deliveries/run-1/reports-02.zip',
  );
});

test('writes only the requested formats and names no missing workbook', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  expect(await handOver(bench, 'run-1', {}, ['jsonl', 'csv'])).toMatchObject({ delivery: { workbook: null } });
  const files = await filesOf(bench, 'run-1');
  expect(files).toEqual(
    expect.arrayContaining(['results.csv', 'results.jsonl', 'results-csv/Fields.csv', 'results-csv/Not ordered.csv']),
  );
  expect(files).not.toContain('results.xlsx');
  expect(JSON.parse(await readFile(join(bench.folder, 'deliveries/run-1/results.jsonl'), 'utf8'))).toMatchObject({
    projectId: '11',
    values: { 'summary.risk.overallCondition': 'Good' },
  });
});

test('keeps a message about each project that became finished, once', async () => {
  await using bench = await openBench();
  const { ledger, clock } = bench;
  const messages = async () =>
    (await ledger.unsentEntries()).map(({ channel, about, facts }) => ({
      channel,
      about,
      ...(facts as { body: string }),
    }));
  const night = async (run: string) => handOver(bench, run, {}, [], { notifiesProjects: true });
  await collected(bench, '11', { risk: { overallCondition: 'Poor' } }, { inspectionNumber: 'G-11' });
  const collectedAt = clock.now();
  await recordCreated(ledger, '12', { policyNumber: 'P-12' });
  await night('run-1');
  const [first, ...none] = await messages();
  expect([first?.channel, first?.about, none]).toEqual(['webhook.projects', `11-${collectedAt}`, []]);
  const { project, ...message } = JSON.parse(first?.body ?? '') as { project: unknown };
  expect(message).toEqual({ id: `11-${collectedAt}`, run: 'run-1', folder: 'deliveries/run-1' });
  expect(finishedProject.parse(project)).toEqual(project);
  expect(project).toMatchObject({ projectId: '11', inspectionNumber: 'G-11', reports: [{ id: 'R1' }] });
  await clock.advance(1000);
  await ledger.recordStatuses([{ id: '12', status: 'Project Canceled' }]);
  await ledger.redeliver(['11']);
  await night('run-2');
  expect((await messages()).map(({ about }) => about)).toEqual([first?.about, `12-${clock.now()}`]);
});

test('keeps another message about a new version of a report', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await handOver(bench, 'run-1', {}, [], { notifiesProjects: true });
  await bench.clock.advance(1000);
  await store(bench, '11', 'report', 2, 'a later report');
  await handOver(bench, 'run-2', {}, [], { notifiesProjects: true });
  expect((await bench.ledger.unsentEntries()).map(({ about }) => about)).toEqual([
    expect.stringMatching(/^11-/),
    `11-${bench.clock.now()}`,
  ]);
});

test('keeps no message about a project without notify.webhook.projects', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await handOver(bench, 'run-1');
  expect(await bench.ledger.unsentEntries()).toEqual([]);
});

test('keeps no message about a project that an earlier delivery showed', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await handOver(bench, 'run-1');
  await handOver(bench, 'run-2', { all: true }, [], { notifiesProjects: true });
  expect(await bench.ledger.unsentEntries()).toEqual([]);
});

test("lists changes since the last version and the house's earlier project", async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await bench.clock.advance(1000);
  await recordCreated(bench.ledger, '12', { policyNumber: 'P-12' });
  await bench.ledger.recordStatuses([{ id: '12', status: RETURNED }]);
  await store(bench, '12', 'report', 1, 'report of 12');
  await store(bench, '12', 'summary', 1, summaryJson({ risk: { overallCondition: 'Poor' } }));
  await bench.ledger.markCollected('12');
  await handOver(bench, 'run-1');
  const changed = (await sheetOf(bench, 'run-1', 'results.xlsx', 'Changes'))
    .slice(1)
    .map((row) => row.filter((_, column) => [0, 6, 7, 9, 11].includes(column)));
  expect(changed).toEqual([['12', 'Good', 'Poor', '11', 'same address']]);
  await bench.clock.advance(1000);
  await store(bench, '12', 'summary', 2, summaryJson({ risk: { overallCondition: 'Fair' } }));
  await handOver(bench, 'run-2');
  expect((await sheetOf(bench, 'run-2', 'results.xlsx', 'Changes')).slice(1)).toEqual([
    expect.arrayContaining(['12', 'Poor', 'Fair', 'earlier report of this project']),
  ]);
  await rm(join(bench.folder, 'state/downloads/11/summary-v1.json'));
  await rm(join(bench.folder, 'state/downloads/12/summary-v1.json'));
  await store(bench, '12', 'image', 1, 'photo');
  expect(await handOver(bench, 'run-3')).toMatchObject({ projectIds: ['12'] });
});

test('gives a canceled project the same reason on every delivery', async () => {
  await using bench = await openBench();
  const { ledger, clock } = bench;
  for (const id of ['11', '12']) await recordCreated(ledger, id, { policyNumber: `P-${id}`, streetAddress: id });
  await ledger.recordCloseout('11', ['No access.']);
  await ledger.recordStatuses(['11', '12'].map((id) => ({ id, status: 'Project Canceled' })));
  await clock.advance(1000);
  await collected(bench, '21', {}, { streetAddress: '12' });
  const reasons: unknown[] = [];
  for (const run of ['run-1', 'run-2']) {
    await handOver(bench, run, { all: true });
    const [head = [], ...rows] = await sheetOf(bench, run, 'results.xlsx', 'Ended');
    const [id, kind, reason] = ['Project ID', 'What happened', 'Reason'].map((title) => head.indexOf(title));
    const page = await readFile(join(bench.folder, 'deliveries', run, 'report.html'), 'utf8');
    for (const row of rows) {
      if (row[kind ?? 0] !== 'Canceled') continue;
      const section = page.slice(page.indexOf(`<article id="p${row[id ?? 0]}"`)).split('</article>')[0];
      reasons.push([row[id ?? 0], row[reason ?? 0], section?.includes(`: ${row[reason ?? 0]}</li>`)]);
    }
  }
  const ofOneNight = reasons.slice(0, 2);
  expect(reasons).toEqual([...ofOneNight, ...ofOneNight]);
  expect(ofOneNight).toEqual([
    ['11', 'No access.', true],
    ['12', expect.stringContaining('project 21 (4-Point)'), true],
  ]);
});
