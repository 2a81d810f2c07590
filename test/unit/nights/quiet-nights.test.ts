import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSummary } from '../../../src/night/run.ts';
import { oneDocument } from '../../support/command-line.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

// A night with orders, nights on which only statuses move, and what `status` says of a file whose rows were fixed.

let sandbox: Awaited<ReturnType<typeof startSandboxHere>>;
let workspace: TemporaryWorkspace;

const run = async (): Promise<RunSummary> =>
  summaryOf(await callHere(['run', '--workspace', workspace.path, '--json']));

async function status(question: string) {
  const args = ['status', question, '--workspace', workspace.path];
  const [text, json] = [await callHere(args), await callHere([...args, '--json'])];
  return { text: text.stdout, json: oneDocument(json) as Record<'files' | 'orders' | 'rows', object[]> };
}

async function setStatus(project: number, to: string): Promise<void> {
  const answer = await fetch(`${sandbox.controlUrl}/projects/${project}/status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: to }),
  });
  expect(answer.status).toBeLessThan(300);
}

beforeAll(async () => {
  sandbox = await startSandboxHere({ autoProgress: false });
  workspace = await temporaryWorkspace({
    env: sandbox.lines,
    inbox: { 'orders.csv': orderCsv(3, { keys: ['inspection'] }).replace('101 Oak Street', '') },
  });
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

test('run delivers the orders with the results on the first night', async () => {
  expect(await run()).toMatchObject({
    exitCode: 3,
    orders: { created: 2 },
    delivery: { orders: expect.any(String), report: expect.any(String) },
  });
});

test('run delivers nothing if only statuses move', async () => {
  const { id } = (await sandbox.projects())[0] ?? { id: 0 };
  for (const to of ['Assigned to Pilot', 'Project Rework', 'Site Inspected']) {
    await setStatus(id, to);
    expect([to, await run()]).toMatchObject([to, { exitCode: 0, delivery: null }]);
  }
  expect(await readdir(workspace.at('deliveries'))).toEqual([expect.stringMatching(/^\d{4}-/), 'index.html']);
});

test('run delivers a new decision', async () => {
  await mkdir(workspace.at('inbox/decisions'));
  await writeFile(workspace.at('inbox/decisions/mine.csv'), 'Project ID,Decision,By\n100001,Refer,Ann\n');
  const { delivery } = await run();
  expect(await readFile(workspace.at(delivery?.report ?? ''), 'utf8')).toMatch(
    /Since your last delivery[^.]*: 1 project decided\./,
  );
  expect((await run()).delivery).toBeNull();
});

test('status finds a rejected row by number, name and street', async () => {
  for (const question of ['T-10001', 'ann lee 1']) {
    const { text, json } = await status(question);
    expect(text).toMatch(/^Row 3 of orders\.csv: to fix\n {2}Ann Lee 1, .*inspection number T-10001\n/);
    expect(json).toMatchObject({ files: [], orders: [], rows: [{ standing: 'to-fix', row: 3, replacedBy: null }] });
  }
});

test('status shows which rows of a file were fixed, by which orders', async () => {
  expect((await status('orders.csv')).json.files).toMatchObject([
    {
      sums: [
        { standing: 'created', count: 2 },
        { standing: 'to-fix', count: 1 },
      ],
      forPerson: [{ row: 3 }],
    },
  ]);
  await writeFile(workspace.at('inbox/orders.csv'), orderCsv(3, { keys: ['inspection'] }));
  expect(await run()).toMatchObject({ orders: { created: 1 } });
  const { text, json } = await status('orders.csv');
  expect(text).toMatch(
    /^2 files match: the newest first\.\n\nFile orders\.csv: 3 rows, .*\n {2}rows: 2 repeat, 1 ordered\n/,
  );
  expect(text).toContain('  rows: 2 ordered, 1 fixed → ordered\n');
  expect(text).toMatch(/ 3, .*: fixed → .* row 3\. .*\d+/);
  expect(text).not.toContain('To do:');
  expect(json.files).toMatchObject([
    { forPerson: [] },
    {
      forPerson: [],
      rows: [{}, { outcome: 'rejection', standing: 'fixed', replacedBy: { file: 'orders.csv', order: 3 } }, {}],
    },
  ]);
  expect((await status('T-10001')).json).toMatchObject({ orders: [{ order: { id: 3 } }], rows: [] });
});
