import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import ExcelJS from 'exceljs';
import { silentLog } from '../domain/ports.ts';
import type { ArtifactKind } from '../ledger/ledger.ts';
import { ensureWorkspace, workspaceAt } from '../ops/workspace.ts';
import { newRow, recordCreated, recordOrder } from '../testing/order-factory.ts';
import { openLedgerBench, type LedgerBench } from '../testing/run-bench.ts';
import { deliver, type DeliverOptions } from './deliver.ts';

const RETURNED = 'Returned to Client';

async function openBench(): Promise<LedgerBench> {
  const bench = await openLedgerBench();
  await ensureWorkspace(workspaceAt(bench.folder));
  return bench;
}

async function handOver(bench: LedgerBench, run: string, options: Partial<DeliverOptions> = {}): ReturnType<typeof deliver> {
  const { ledger, clock, folder } = bench;
  return deliver({ ledger, clock, log: silentLog, workspace: workspaceAt(folder), run }, { orders: true, results: true, all: false, files: [], ...options });
}

/** Stores a file of a project, on disk and on record. */
async function store({ ledger, folder }: LedgerBench, projectId: string, kind: ArtifactKind, version: number, content: string): Promise<void> {
  const path = `state/downloads/${projectId}/${kind}-v${version}.${{ report: 'pdf', summary: 'json', image: 'jpg' }[kind]}`;
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  await ledger.recordArtifact({ projectId, kind, serviceId: kind === 'image' ? 'I1' : 'R1', version, type: 'Report', detail: {}, path, bytes: content.length, sha256 });
}

async function collected(bench: LedgerBench, projectId: string): Promise<void> {
  await recordCreated(bench.ledger, projectId, { policyNumber: `P-${projectId}` });
  await bench.ledger.recordStatuses([{ id: projectId, status: RETURNED }]);
  await store(bench, projectId, 'report', 1, `report of ${projectId}`);
  await store(bench, projectId, 'summary', 1, summaryJson('Good'));
  await store(bench, projectId, 'image', 1, 'photo');
  await bench.ledger.markCollected(projectId);
}

function summaryJson(overallCondition: string): string {
  return JSON.stringify({ report: [{ id: 'R1', type: 'Report', project: {}, summary: { risk: { overallCondition } } }] });
}

async function deliveries({ folder }: LedgerBench): Promise<readonly string[]> {
  return (await readdir(join(folder, 'deliveries'))).toSorted();
}

async function filesOf({ folder }: LedgerBench, run: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, 'deliveries', run), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(join(folder, 'deliveries', run).length + 1)).toSorted();
}

async function sheetOf({ folder }: LedgerBench, run: string, file: string, sheet: string): Promise<readonly (readonly string[])[]> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.readFile(join(folder, 'deliveries', run, file));
  const rows: string[][] = [];
  workbook.getWorksheet(sheet)?.eachRow((row) => rows.push(Array.from({ length: row.cellCount }, (_, index) => row.getCell(index + 1).text)));
  return rows;
}

test('with nothing on record there is nothing to hand over, and no folder', async () => {
  await using bench = await openBench();
  expect(await handOver(bench, 'run-1')).toBeNull();
  expect(await deliveries(bench)).toEqual([]);
});

test('a delivery holds the workbooks, the files under the document\'s names and the archive, and only then is on record', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  const handed = await handOver(bench, 'run-1');
  expect(handed).toEqual({
    delivery: { folder: 'deliveries/run-1', workbook: 'deliveries/run-1/results.xlsx', archive: 'deliveries/run-1/reports.zip', report: null, orders: 'deliveries/run-1/orders.xlsx' },
    projectIds: ['11'],
  });
  expect(await filesOf(bench, 'run-1')).toEqual([
    'orders.xlsx',
    'photos/P-11_11_03052026/01 photo.jpg',
    'reports.zip',
    'reports/P-11_11_03052026.json',
    'reports/P-11_11_03052026.pdf',
    'results.xlsx',
  ]);
  expect(await bench.ledger.deliveryOf('run-1')).toBe('deliveries/run-1');
  expect((await sheetOf(bench, 'run-1', 'results.xlsx', 'Results')).flat()).toContain('11');
});

test('what was handed over is not handed over again; `all` writes every project once more', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await handOver(bench, 'run-1');
  expect(await handOver(bench, 'run-2')).toBeNull();
  expect(await deliveries(bench)).toEqual(['run-1']);
  const all = await handOver(bench, 'run-3', { all: true });
  expect(all).toMatchObject({ projectIds: ['11'], delivery: { workbook: 'deliveries/run-3/results.xlsx', archive: 'deliveries/run-3/reports.zip', orders: null } });
  expect(await handOver(bench, 'run-4')).toBeNull();
});

test('a submission hands over orders only, a follow-up results only; each leaves the other\'s news to it', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  expect(await handOver(bench, 'run-1', { results: false })).toMatchObject({ delivery: { orders: 'deliveries/run-1/orders.xlsx', workbook: null, archive: null }, projectIds: [] });
  expect(await handOver(bench, 'run-2', { orders: false })).toMatchObject({ delivery: { orders: null, workbook: 'deliveries/run-2/results.xlsx' }, projectIds: ['11'] });
  expect(await filesOf(bench, 'run-1')).toEqual(['orders.xlsx']);
  expect(await handOver(bench, 'run-3')).toBeNull();
});

test('without a file there is a workbook and no archive', async () => {
  await using bench = await openBench();
  await recordCreated(bench.ledger, '11');
  expect(await handOver(bench, 'run-1')).toMatchObject({ delivery: { archive: null, workbook: 'deliveries/run-1/results.xlsx' } });
  expect(await filesOf(bench, 'run-1')).toEqual(['orders.xlsx', 'results.xlsx']);
});

test('a rejection alone is worth a delivery, and is told in it', async () => {
  await using bench = await openBench();
  const problem = { severity: 'error', rule: 'zipcode-format', field: 'zipcode', column: 'ZIP', cell: 'C2', value: 'x', message: 'The ZIP code is not five digits.' } as const;
  await bench.ledger.recordFile({ hash: 'aa', name: 'May.csv', layouts: [], notes: [] }, async (transaction) => transaction.addRow(newRow({ problems: [problem] })));
  expect(await handOver(bench, 'run-1')).toMatchObject({ delivery: { orders: null, workbook: 'deliveries/run-1/results.xlsx' } });
  expect((await sheetOf(bench, 'run-1', 'results.xlsx', 'Not ordered')).flat()).toEqual(expect.arrayContaining(['The ZIP code is not five digits.']));
  expect(await handOver(bench, 'run-2')).toBeNull();
});

test('an order that waits is in orders.xlsx', async () => {
  await using bench = await openBench();
  await recordOrder(bench.ledger, { inspectionNumber: 'A-1' });
  await handOver(bench, 'run-1');
  expect((await sheetOf(bench, 'run-1', 'orders.xlsx', 'Orders')).flat()).toEqual(expect.arrayContaining(['A-1', 'waiting']));
});

test('a delivery that fails leaves no folder and nothing on record: the next one hands over the same', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  const lost = join(bench.folder, 'state/downloads/11/report-v1.pdf');
  const report = await readFile(lost);
  await rm(lost);
  await expect(handOver(bench, 'run-1')).rejects.toThrow('ENOENT');
  expect([await deliveries(bench), await bench.ledger.deliveryOf('run-1')]).toEqual([[], null]);
  await writeFile(lost, report);
  expect(await handOver(bench, 'run-2')).toMatchObject({ projectIds: ['11'], delivery: { orders: 'deliveries/run-2/orders.xlsx' } });
});

test('a stored file that is not what the ledger says it is never goes out', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await writeFile(join(bench.folder, 'state/downloads/11/report-v1.pdf'), 'changed on disk');
  await expect(handOver(bench, 'run-1')).rejects.toThrow('P-11_11_03052026.pdf');
  expect(await deliveries(bench)).toEqual([]);
});

test('after rework the delivery holds the new report and shows the new summary', async () => {
  await using bench = await openBench();
  await collected(bench, '11');
  await handOver(bench, 'run-1');
  for (const status of ['Project Rework', RETURNED]) await bench.ledger.recordStatuses([{ id: '11', status }]);
  await store(bench, '11', 'report', 2, 'report of 11, second version');
  await store(bench, '11', 'summary', 2, summaryJson('Poor'));
  await bench.ledger.markCollected('11');
  expect(await handOver(bench, 'run-2')).toMatchObject({ projectIds: ['11'] });
  expect(await readFile(join(bench.folder, 'deliveries/run-2/reports/P-11_11_03052026.pdf'), 'utf8')).toBe('report of 11, second version');
  const results = new Set((await sheetOf(bench, 'run-2', 'results.xlsx', 'Results')).flat());
  expect([results.has('Poor'), results.has('Good')]).toEqual([true, false]);
});
