import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../src/domain/ports.ts';
import { readOrderFile } from '../../src/intake/read-orders.ts';
import { UnreadableFileError } from '../../src/intake/readers/row-source.ts';
import { sheetXml, workbookParts, zipBytes } from '../support/made-files.ts';
import { ensureWorkspace, workspaceAt } from '../../src/ops/workspace.ts';
import { IsolatedFileWorker } from '../../src/night/isolated-file-worker.ts';
import { takeInNamed } from '../../src/submit/take-in.ts';
import { deskInThisProcess } from '../support/desk-in-this-process.ts';
import { inProof } from '../support/proof-size.ts';
import { openLedgerBench, takeInContext } from '../support/run-bench.ts';
import { TODAY } from './expectations.ts';

const { Vega } = JSON.parse(await readFile(join(import.meta.dirname, 'orders.json'), 'utf8')) as {
  readonly Vega: Readonly<Record<string, unknown>>;
};
const FIELDS = [
  'serviceName',
  'policyType',
  'houseType',
  'streetAddress',
  'city',
  'state',
  'zipcode',
  'insuredName',
  'insuredPhone',
  'insuredEmail',
];
const ROWS = inProof({ share: 400, whole: 2500 });
const table = [
  ['policyNumber', ...FIELDS],
  ...Array.from({ length: ROWS }, (_, index) => [
    `P-${String(index)}`,
    // Each its own house: orders of one house are compared with one another.
    ...FIELDS.map((field) => (field === 'streetAddress' ? `${String(index + 1)} Oak Ridge Ln` : String(Vega[field]))),
  ]),
];

/** A workbook of orders whose sheet is well-formed up to `length` of its characters. */
function workbook(length: number): Buffer {
  const rows = table.map(
    (cells) => `<row>${cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`,
  );
  const sheet = sheetXml(rows.join(''));
  return zipBytes(
    Object.entries(workbookParts({ sheet: sheet.slice(0, length) })).map(([name, content]) => ({ name, content })),
  );
}

/** A text table of orders with one row that is wider than a row can be. */
function csv(wideRow: number): Buffer {
  return Buffer.from(
    table.map((cells, index) => `${cells.join(',')}${index === wideRow ? ',x'.repeat(20_000) : ''}\n`).join(''),
  );
}

/** In the soak a process of its own reads it, as in test/unit/night/isolated-file-worker.test.ts. */
const apart = inProof({
  share: deskInThisProcess,
  whole: new IsolatedFileWorker(new AbortController().signal, silentLog),
});

test.each([
  [
    'a workbook whose sheet is cut off',
    'orders.xlsx',
    workbook(-80 * ROWS),
    workbook(Number.MAX_SAFE_INTEGER),
    deskInThisProcess,
  ],
  ['a text table with a row that is refused', 'orders.csv', csv(ROWS - 100), csv(-1), apart],
])('takeInNamed records nothing of %s after hundreds of orders', async (_what, name, damaged, whole, files) => {
  // Afterwards the whole file is taken in.
  await using bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  const path = join(bench.folder, name);
  const context = takeInContext(bench, workspace, { files });

  await writeFile(path, damaged);
  expect(await ordersBeforeDamage(path, name)).toBeGreaterThan(ROWS / 2);
  const before = await bench.ledger.orderCounts();
  const [refused] = (await takeInNamed([path], context)).files;
  expect(refused).toMatchObject({ outcome: 'unreadable', rows: { read: 0, accepted: 0, rejected: 0 } });
  expect(await bench.ledger.orderCounts()).toEqual(before);

  await writeFile(path, whole);
  const [taken] = (await takeInNamed([path], context)).files;
  expect(taken).toMatchObject({ outcome: 'processed', rows: { read: ROWS, accepted: ROWS, rejected: 0 } });
});

/** How many orders come before a file turns out to be damaged. */
async function ordersBeforeDamage(path: string, name: string): Promise<number> {
  let orders = 0;
  try {
    await using reading = await readOrderFile(path, name, { headers: {}, today: TODAY });
    for await (const row of reading.rows()) if (row.kind === 'order') orders += 1;
  } catch (thrown) {
    if (thrown instanceof UnreadableFileError) return orders;
    throw thrown;
  }
  throw new Error('the file was read to its end');
}
