import { cp, writeFile } from 'node:fs/promises';
import exceljs from 'exceljs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sum, summaryOf } from '../../end-to-end/summary.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import type { SandboxControls } from '../../support/sandbox-process.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

// What a night has ordered is not ordered by the next one. One row of the CSV file has no street.

const CSV = orderCsv(6, { keys: ['inspection'] }).replace('102 Oak Street', '');
const SHEET = orderCsv(6, { keys: ['policy'], series: 2 });

let sandbox: SandboxControls & AsyncDisposable;
let workspace: TemporaryWorkspace;

beforeAll(async () => {
  sandbox = await startSandboxHere();
  workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': CSV } });
  await writeWorkbook(SHEET, workspace.at('orders.xlsx'));
  await cp(workspace.at('orders.xlsx'), workspace.at('inbox/orders.xlsx'));
  await run();
});

afterAll(async () => {
  for (const one of [sandbox, workspace]) await one[Symbol.asyncDispose]();
});

const run = async () => summaryOf(await callHere(['run', '--workspace', workspace.path, '--json']));

async function createRequests(): Promise<number> {
  const { requests } = await sandbox.audit();
  return sum(Object.values(requests['POST /v1/project'] ?? {}));
}

test('run creates and delivers nothing the second time, and ends with 0', async () => {
  const before = await createRequests();
  expect(before).toBe(11);
  expect(await run()).toMatchObject({
    exitCode: 0,
    files: [],
    orders: { created: 0, linked: 0, skipped: 0, refused: 0, unresolved: 0, waiting: 0 },
    delivery: null,
  });
  expect(await createRequests()).toBe(before);
});

test('run recognizes a renamed file by its content', async () => {
  const before = await createRequests();
  await cp(workspace.at('orders.xlsx'), workspace.at('inbox/sent once more.xlsx'));
  const summary = await run();
  expect(summary.files).toMatchObject([
    { name: 'sent once more.xlsx', outcome: 'already-processed', rows: { read: 0 } },
  ]);
  expect(summary.files[0]?.reason).toContain('orders.xlsx');
  expect(summary).toMatchObject({ exitCode: 0, orders: { created: 0 } });
  expect(await createRequests()).toBe(before);
});

test('run recognizes earlier rows in sorted files by their identity', async () => {
  const before = await createRequests();
  await writeFile(workspace.at('inbox/sorted.csv'), reversed(CSV));
  await writeWorkbook(reversed(SHEET), workspace.at('inbox/sorted.xlsx'));
  const summary = await run();
  expect(summary.files.map(({ name, rows }) => [name, rows])).toEqual([
    ['sorted.csv', { read: 6, accepted: 5, rejected: 1 }],
    ['sorted.xlsx', { read: 6, accepted: 6, rejected: 0 }],
  ]);
  expect(summary).toMatchObject({ exitCode: 3, orders: { created: 0, linked: 0, skipped: 11 } });
  expect(await createRequests()).toBe(before);
  expect((await sandbox.audit()).doubles).toEqual([]);
});

/** The rows of a CSV file, the last first. */
function reversed(csv: string): string {
  const [header = '', ...lines] = csv.trimEnd().split('\n');
  return `${[header, ...lines.toReversed()].join('\n')}\n`;
}

/** The same rows as text in a plain workbook. */
async function writeWorkbook(csv: string, path: string): Promise<void> {
  const workbook = new exceljs.Workbook();
  workbook.addWorksheet('Orders').addRows(
    csv
      .trimEnd()
      .split('\n')
      .map((line) => line.split(',')),
  );
  await workbook.xlsx.writeFile(path);
}
