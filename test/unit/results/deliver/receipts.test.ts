import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LogFields, silentLog } from '../../../../src/domain/ports.ts';
import { rowProblem } from '../../../../src/domain/row.ts';
import { readOrderFile } from '../../../../src/intake/read-orders.ts';
import { ensureWorkspace, workspaceAt } from '../../../../src/ops/workspace.ts';
import { writeReceipts } from '../../../../src/results/deliver/receipts.ts';
import { readTables } from '../../../end-to-end/workbook-cells.ts';
import { attemptOf, newOrder, newRow, projectTie, recordOrder } from '../../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench } from '../../../support/run-bench.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RECEIPT = 'receipts/smith/oct - receipt.xlsx';

async function openBench() {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  const warnings: LogFields[] = [];
  const log = { ...silentLog, warn: (_: string, fields: LogFields = {}) => void warnings.push(fields) };
  const write = (receipts = true) =>
    writeReceipts({
      ledger: bench.ledger,
      workspace,
      clock: bench.clock,
      log,
      lock: { check: async () => {} },
      config: { intake: { receipts } },
    });
  const at = (path: string) => join(bench.folder, path);
  return { ...bench, write, at, warnings };
}

/** A file with an order in row 2 and a row to fix in row 3. */
async function taken({ ledger }: LedgerBench, hash = 'aa', street = '12 Oak Street') {
  let orderId = 0;
  const file = await ledger.recordFile(
    { hash, name: 'smith/oct.csv', sender: 'smith', layouts: [], notes: [] },
    async (transaction) => {
      orderId = transaction.addOrder(newOrder({ streetAddress: street }));
      transaction.addRow(newRow({ outcome: 'order', orderId }, 2));
      transaction.addRow(newRow({}, 3));
    },
  );
  const rejected = (await ledger.openRowsOf(file.id))[0];
  if (rejected === undefined) throw new Error('no row is open');
  return { file, orderId, rejected };
}

async function order({ ledger }: LedgerBench, orderId: number, projectId: string): Promise<void> {
  await ledger.beginAttempt(orderId, attemptOf());
  await ledger.moveOrder(orderId, 'submitting', { to: 'created', project: projectTie(projectId), adopted: false });
}

async function rowsIn(path: string, titles: readonly string[] = ['Row', 'Status']): Promise<readonly unknown[][]> {
  const rows = (await readTables(path)).get('Outcome of each row')?.rows ?? [];
  return rows.map((row) => titles.map((title) => row.get(title)));
}

const inode = async (path: string): Promise<number> => (await stat(path)).ino;

describe('writeReceipts', () => {
  test('names the existing project of a row that was skipped', async () => {
    await using bench = await openBench();
    const { orderId } = await taken(bench);
    await bench.ledger.beginAttempt(orderId, attemptOf());
    const move = { to: 'skipped', code: 'duplicate-skipped', reason: 'Of project 77.' } as const;
    await bench.ledger.moveOrder(orderId, 'submitting', move);
    await bench.write();
    expect(await rowsIn(bench.at(RECEIPT), ['Row', 'Status', 'Outcome'])).toEqual(
      expect.arrayContaining([[2, 'repeat', 'Of project 77.']]),
    );
  });

  test('says what became of each row', async () => {
    await using bench = await openBench();
    const { orderId, rejected } = await taken(bench);
    await bench.write();
    expect(await rowsIn(bench.at(RECEIPT))).toEqual([
      [2, 'to be sent'],
      [3, 'to fix'],
    ]);

    await order(bench, orderId, '101');
    await bench.ledger.markCorrected(rejected.fileId, [rejected.id], 'corrections/smith/oct - to fix.xlsx');
    let fixedId = 0;
    await bench.ledger.recordFile({ hash: 'bb', name: 'oct - to fix.xlsx', layouts: [], notes: [] }, async (fix) => {
      fixedId = fix.addOrder(newOrder({ streetAddress: '14 Oak Street' }));
      fix.addRow(newRow({ outcome: 'order', orderId: fixedId, corrects: rejected.id }, 2));
    });
    await order(bench, fixedId, '102');
    await bench.ledger.recordStatuses([{ id: '101', status: 'Returned to Client' }]);
    await bench.ledger.markCollected('101');
    await bench.write();
    const columns = ['Row', 'Status', 'Project ID', 'Outcome'];
    expect(await rowsIn(bench.at(RECEIPT), columns)).toEqual([
      [2, 'report received', '101', expect.stringMatching(/ 101, .* \d{4}-\d\d-\d\d\.$/)],
      [3, 'fixed → ordered', '102', expect.stringMatching(/oct - to fix\.xlsx[^]* 102\. Status: /)],
    ]);
  });

  test('says why a project was closed out', async () => {
    await using bench = await openBench();
    const { orderId } = await taken(bench);
    await order(bench, orderId, '101');
    await bench.ledger.recordCloseout('101', ['Nobody came.', 'Locked.']);
    await bench.write();
    const columns = ['Status', 'Outcome'];
    expect((await rowsIn(bench.at(RECEIPT), columns))[0]).toEqual([
      'closed out',
      expect.stringMatching(/101 .* Nobody came\. Locked\.$/),
    ]);
  });

  test('names the file whose cell is wrong', async () => {
    await using bench = await openBench();
    const problem = rowProblem('error', 'zip-form', 'ZIP code (F3): "1" is too short.', { cell: 'F3' });
    await bench.ledger.recordFile({ hash: 'aa', name: 'oct.csv', layouts: [], notes: [] }, async (transaction) => {
      transaction.addRow(newRow({ problems: [problem] }, 3));
    });
    await bench.write();
    const [row] = await rowsIn(bench.at('receipts/oct - receipt.xlsx'), ['Outcome']);
    expect(row?.[0]).toContain('ZIP code (F3 in oct.csv): "1"');
  });

  test('writes none for a file that only corrects rows', async () => {
    await using bench = await openBench();
    const { rejected } = await taken(bench);
    await bench.ledger.recordFile({ hash: 'bb', name: 'oct - to fix.xlsx', layouts: [], notes: [] }, async (fix) => {
      fix.addRow(newRow({ corrects: rejected.id }, 2));
    });
    await bench.write();
    expect(await readdir(bench.at('receipts'))).toEqual(['smith']);
    expect((await rowsIn(bench.at(RECEIPT)))[1]).toEqual([3, 'to fix']);
  });

  test('leaves a receipt alone whose rows did not change', async () => {
    await using bench = await openBench();
    const { orderId } = await taken(bench);
    await bench.write();
    const before = await inode(bench.at(RECEIPT));
    await bench.clock.advance(DAY_MS);
    await bench.write();
    expect(await inode(bench.at(RECEIPT))).toBe(before);
    await order(bench, orderId, '101');
    await bench.write();
    expect(await inode(bench.at(RECEIPT))).not.toBe(before);
  });

  test('numbers the receipts of files of one name', async () => {
    await using bench = await openBench();
    await taken(bench);
    await taken(bench, 'cc', '99 Elm Street');
    await bench.write();
    expect(await readdir(bench.at('receipts/smith'))).toEqual(['oct - receipt (2).xlsx', 'oct - receipt.xlsx']);
  });

  test('finishes a receipt that a killed run began, under its name', async () => {
    await using bench = await openBench();
    const { file } = await taken(bench);
    await bench.ledger.beginReceipt(file.id, RECEIPT);
    await bench.write();
    expect(await readdir(bench.at('receipts/smith'))).toEqual(['oct - receipt.xlsx']);
  });

  test.each(['~$oct - receipt.xlsx', '.~lock.oct - receipt.xlsx#'])(
    'waits while %s says that it is open',
    async (mark) => {
      await using bench = await openBench();
      const { orderId } = await taken(bench);
      await bench.write();
      await writeFile(bench.at(`receipts/smith/${mark}`), '');
      await order(bench, orderId, '101');
      await bench.write();
      expect(bench.warnings).toMatchObject([{ code: 'EBUSY' }]);
      expect((await rowsIn(bench.at(RECEIPT)))[0]).toEqual([2, 'to be sent']);
      await rm(bench.at(`receipts/smith/${mark}`));
      await bench.write();
      expect((await rowsIn(bench.at(RECEIPT)))[0]).toEqual([2, 'ordered']);
    },
  );

  test('warns about a receipt that cannot be replaced, and writes the others', async () => {
    await using bench = await openBench();
    const { file } = await taken(bench);
    await bench.ledger.beginReceipt(file.id, RECEIPT);
    await mkdir(bench.at(`${RECEIPT}/in the way`), { recursive: true });
    await taken(bench, 'cc', '99 Elm Street');
    await bench.write();
    expect(bench.warnings).toHaveLength(1);
    expect(await rowsIn(bench.at('receipts/smith/oct - receipt (2).xlsx'))).toHaveLength(2);
  });

  test('removes a receipt a week after its last row is done', async () => {
    await using bench = await openBench();
    const { orderId, rejected } = await taken(bench);
    await order(bench, orderId, '101');
    await bench.ledger.dismissRows([rejected]);
    await bench.ledger.recordStatuses([{ id: '101', status: 'Project Canceled' }]);
    await bench.write();
    await bench.clock.advance(7 * DAY_MS);
    await bench.write();
    expect((await rowsIn(bench.at(RECEIPT))).map(([, state]) => state)).toEqual(['canceled', 'not ordered']);
    await bench.clock.advance(1);
    await bench.write();
    expect(await readdir(bench.at('receipts/smith'))).toEqual([]);
    expect(await bench.ledger.openReceipts()).toEqual([]);
  });

  test('counts the repeat of a held order as outstanding', async () => {
    await using bench = await openBench();
    const orderId = await recordOrder(bench.ledger);
    await bench.ledger.moveOrder(orderId, 'ready', { to: 'held', code: 'several-own-projects', reason: '11, 12' });
    await bench.ledger.recordFile({ hash: 'bb', name: 'again.csv', layouts: [], notes: [] }, async (again) =>
      again.addRow(newRow({ outcome: 'repeat', orderId }, 2)),
    );
    await bench.write();
    expect((await bench.ledger.openReceipts()).map(({ outstanding }) => outstanding)).toEqual([1, 1]);
  });

  test('removes any receipt 90 days after its file', async () => {
    await using bench = await openBench();
    await taken(bench);
    await bench.write();
    await bench.clock.advance(90 * DAY_MS + 1);
    await bench.write();
    expect(await readdir(bench.at('receipts/smith'))).toEqual([]);
  });

  test('removes them all once intake.receipts is false', async () => {
    await using bench = await openBench();
    await taken(bench);
    await bench.write();
    await bench.write(false);
    expect(await readdir(bench.at('receipts/smith'))).toEqual([]);
  });

  test('writes workbooks that intake takes for receipts', async () => {
    await using bench = await openBench();
    await taken(bench);
    await bench.write();
    await using reading = await readOrderFile(bench.at(RECEIPT), 'r.xlsx', { headers: {}, today: '2026-11-26' });
    expect([reading.answers, await Array.fromAsync(reading.rows())]).toEqual([[], []]);
  });
});

test('receiptsOf finds the receipt of the file that a correction corrects', async () => {
  await using bench = await openBench();
  const { rejected } = await taken(bench);
  const fix = (hash: string, sender: string) =>
    bench.ledger.recordFile({ hash, name: 'oct - to fix.xlsx', sender, layouts: [], notes: [] }, async (file) => {
      file.addRow(newRow({ corrects: rejected.id }, 2));
    });
  const [own, others] = [await fix('bb', 'smith'), await fix('cc', 'jones')];
  await bench.write();
  expect(await bench.ledger.receiptsOf([own.id])).toEqual([RECEIPT]);
  expect(await bench.ledger.receiptsOf([others.id])).toEqual([]);
});
