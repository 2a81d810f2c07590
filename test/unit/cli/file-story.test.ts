import { expect, test } from 'vitest';
import { fileStory } from '../../../src/cli/status-stories.ts';
import { rowProblem } from '../../../src/domain/row.ts';
import type { FileRecord } from '../../../src/ledger/files.ts';
import { newRow } from '../../support/order-factory.ts';
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
