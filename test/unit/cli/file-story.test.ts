import { expect, test } from 'vitest';
import { fileStory } from '../../../src/cli/status-stories.ts';
import { rowProblem } from '../../../src/domain/row.ts';
import type { FileRecord } from '../../../src/ledger/files.ts';
import { attemptOf, newOrder, newRow, projectTie, recordCreated } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

test('fileStory names the file whose cell is wrong', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const problem = rowProblem('error', 'zip-form', 'ZIP (F3): 1', { cell: 'F3' });
  const file = await ledger.recordFile(
    { hash: 'aa', name: 'oct $&.csv', layouts: [], notes: [] },
    async (transaction) => {
      transaction.addRow(newRow({ problems: [problem] }, 3));
    },
  );
  expect((await fileStory(file, ledger)).json).toMatchObject({
    rows: [{ problems: ['ZIP (F3 in oct $&.csv): 1'] }],
  });
});

test('fileStory counts only projects that the file ordered', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  await recordCreated(ledger, '101');
  const file = await ledger.recordFile({ hash: 'bb', name: 'b.csv', layouts: [], notes: [] }, async (transaction) => {
    transaction.addRow(newRow({ outcome: 'repeat', orderId: 1 }));
  });
  expect((await fileStory(file, ledger)).json).toMatchObject({ statuses: [], rows: [{ project: '101' }] });
});

test('fileStory names the receipt of each file that a workbook corrects', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const record = (name: string, ...corrects: readonly number[]): Promise<FileRecord> =>
    ledger.recordFile({ hash: name, name, layouts: [], notes: [] }, async (file) => {
      if (corrects.length === 0) file.addRow(newRow());
      for (const row of corrects) file.addRow(newRow({ corrects: row }));
    });
  const rows: number[] = [];
  for (const name of ['a', 'b']) {
    const { id } = await record(`${name}.csv`);
    await ledger.beginReceipt(id, `receipts/${name}`);
    await ledger.noteReceipt(id, 'written');
    rows.push(...(await ledger.openRowsOf(id)).map((row) => row.id));
  }
  const story = await fileStory(await record('corrections.xlsx', ...rows), ledger);
  expect(story.json).toMatchObject({ receipt: 'receipts/a', receipts: ['receipts/a', 'receipts/b'] });
  expect(story.text).toContain('  receipt: receipts/a\n  receipt: receipts/b\n');
});

test('fileStory shows a fixed row with its project, another as still to fix', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const first = await ledger.recordFile({ hash: 'aa', name: 'a.csv', layouts: [], notes: [] }, async (file) => {
    for (const rowNumber of [2, 3]) file.addRow(newRow({}, rowNumber));
  });
  const [fixed = 0, wrong = 0] = (await ledger.openRowsOf(first.id)).map((row) => row.id);
  let orderId = 0;
  await ledger.recordFile({ hash: 'bb', name: 'b.xlsx', layouts: [], notes: [] }, async (file) => {
    orderId = file.addOrder(newOrder());
    file.addRow(newRow({ outcome: 'order', orderId, corrects: fixed }, 5));
    file.addRow(newRow({ corrects: wrong }, 6));
  });
  await ledger.beginAttempt(orderId, attemptOf());
  await ledger.moveOrder(orderId, 'submitting', { to: 'created', project: projectTie('4711'), adopted: false });
  const { text, json } = await fileStory(first, ledger);
  expect(text).toMatch(/rows: 1 fixed → ordered, 1 to fix/);
  expect(text).toMatch(/row 2, .*: fixed → ordered\. .*project 4711\b/);
  expect(json).toMatchObject({
    forPerson: [{ row: 3, command: expect.stringContaining('resolve "b.xlsx:Orders:6" --dismiss') }],
  });
});

test('fileStory names the open corrections workbook, and counts projects of fixed rows', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const summary = { policyNumber: 'P-1', inspectionNumber: '', insuredName: 'Ann Lee', streetAddress: '12 Oak Street' };
  const wrongHouse = { ...summary, state: 'MA', dueDate: '2020-01-02' };
  const first = await ledger.recordFile({ hash: 'aa', name: 'a.csv', layouts: [], notes: [] }, async (file) => {
    for (const rowNumber of [2, 3]) file.addRow(newRow({ summary: wrongHouse }, rowNumber));
  });
  const [fixed = 0, wrong = 0] = (await ledger.openRowsOf(first.id)).map((row) => row.id);
  await ledger.markCorrected(first.id, [fixed, wrong], 'corrections/a - to fix.xlsx');
  let orderId = 0;
  const later = await ledger.recordFile({ hash: 'bb', name: 'b.xlsx', layouts: [], notes: [] }, async (file) => {
    orderId = file.addOrder(newOrder({ policyNumber: 'P-1', dueDate: '2020-01-02' }));
    file.addRow(newRow({ outcome: 'order', orderId, corrects: fixed }, 5));
    file.addRow(newRow({ corrects: wrong, summary: wrongHouse }, 6));
  });
  await ledger.markCorrected(
    later.id,
    [(await ledger.openRowsOf(later.id))[0]?.id ?? 0],
    'corrections/b - to fix.xlsx',
  );
  await ledger.beginAttempt(orderId, attemptOf());
  await ledger.moveOrder(orderId, 'submitting', { to: 'created', project: projectTie('4711'), adopted: false });
  const { text } = await fileStory(first, ledger);
  expect(text).toContain(' corrections/b - to fix.xlsx\n');
  expect(text).toContain('  projects: 1 Project Created\n');
  expect(text).toContain('project 4711 (4-Point).');
});

test('fileStory resolves a held order, dismisses the row of a refused one', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const orders: number[] = [];
  const file = await ledger.recordFile({ hash: 'aa', name: 'a.csv', layouts: [], notes: [] }, async (transaction) => {
    for (const rowNumber of [2, 3]) {
      const orderId = transaction.addOrder(newOrder({ inspectionNumber: `A-${rowNumber}` }));
      orders.push(orderId);
      transaction.addRow(newRow({ outcome: 'order', orderId }, rowNumber));
    }
  });
  const [held = 0, refused = 0] = orders;
  await ledger.moveOrder(held, 'ready', { to: 'held', code: 'attempts-used-up', reason: 'a reason' });
  await ledger.beginAttempt(refused, attemptOf());
  await ledger.moveOrder(refused, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
  expect((await fileStory(file, ledger)).json).toMatchObject({
    rows: [{ standing: 'held' }, { standing: 'to-fix' }],
    forPerson: [
      { row: 2, command: expect.stringContaining(`resolve ${held} --adopt`) },
      { row: 3, command: expect.stringContaining('resolve "a.csv:Orders:3" --dismiss') },
    ],
  });
});
