import { describe, expect, test } from 'vitest';
import { dismissNamed } from '../../../src/cli/resolve-command.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { attemptOf, newOrder, newRow, rowRecord } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

async function openBench() {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  const { ledger } = bench;
  const dismissAt = (subject: string) => dismissNamed(subject, { ledger, workspace, log: silentLog });
  return {
    ...bench,
    say: async (subject: string) => (await dismissAt(subject)).text,
    /** The rows that this dismisses, and how many of the file stay open. */
    dismiss: async (subject: string, fileId: number) => {
      const { json } = await dismissAt(subject);
      const { dismissed } = json as { readonly dismissed: readonly Readonly<{ sheet: string; row: number }>[] };
      const open = (await ledger.openRowsOf(fileId)).length;
      return [dismissed.map(({ sheet, row }) => `${sheet} ${row}`), open];
    },
  };
}

/** A file with rejected rows at these places; returns it with its rows. */
async function rejectedAt(ledger: Ledger, places: readonly (readonly [sheet: string, rowNumber: number])[]) {
  const rows: number[] = [];
  const { id } = await ledger.recordFile(
    { hash: 'a hash', name: 'a.csv', layouts: [], notes: [] },
    async (transaction) => {
      for (const [sheet, rowNumber] of places) {
        const record = { ...rowRecord(rowNumber), place: { file: 'a.csv', sheet, rowNumber } };
        rows.push(transaction.addRow(newRow({ record })));
      }
    },
  );
  return { id, rows };
}

describe('dismissNamed', () => {
  test('dismisses the row of a refused order alone', async () => {
    await using bench = await openBench();
    const { ledger } = bench;
    const orders: number[] = [];
    const { id } = await ledger.recordFile(
      { hash: 'a hash', name: 'a.csv', layouts: [], notes: [] },
      async (transaction) => {
        for (const rowNumber of [2, 3]) {
          const orderId = transaction.addOrder(newOrder({ inspectionNumber: `A-${rowNumber}` }));
          orders.push(orderId);
          transaction.addRow(newRow({ outcome: 'order', orderId }, rowNumber));
        }
      },
    );
    for (const orderId of orders) {
      await ledger.beginAttempt(orderId, attemptOf());
      await ledger.moveOrder(orderId, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
    }
    expect(await bench.dismiss(String(orders[0]), id)).toEqual([['Orders 2'], 1]);
  });

  test('dismisses a row of one sheet, not the same row of another', async () => {
    await using bench = await openBench();
    const places = [
      ['First', 4],
      ['Second', 4],
      ['Second', 5],
    ] as const;
    const { id } = await rejectedAt(bench.ledger, places);
    expect(await bench.dismiss('a.csv:Second:4', id)).toEqual([['Second 4'], 2]);
  });

  test('dismisses the rows of one workbook, not those of the next', async () => {
    await using bench = await openBench();
    const places = [
      ['Orders', 2],
      ['Orders', 3],
    ] as const;
    const { id, rows } = await rejectedAt(bench.ledger, places);
    for (const [at, row] of rows.entries()) await bench.ledger.markCorrected(id, [row], `corrections/${at + 1}.xlsx`);
    expect(await bench.dismiss('2.xlsx', id)).toEqual([['Orders 3'], 1]);
  });

  test('refuses a row of a corrections workbook, and names the rows it holds', async () => {
    await using bench = await openBench();
    const places = [
      ['Orders', 2],
      ['Orders', 3],
      ['Orders', 4],
    ] as const;
    const { id, rows } = await rejectedAt(bench.ledger, places);
    await bench.ledger.markCorrected(id, rows.slice(1), 'corrections/a - to fix.xlsx');
    for (const subject of ['a - to fix.xlsx:3', 'corrections/a - to fix.xlsx:Orders:3'])
      await expect(bench.dismiss(subject, id)).rejects.toMatchObject({
        code: 'row-of-corrections',
        hint: expect.stringMatching(
          /Ann Lee, .*\n.*"a\.csv:Orders:3" --dismiss\n.*Ann Lee.*\n.*"a\.csv:Orders:4"/,
        ) as string,
      });
    expect(await bench.ledger.openRowsOf(id)).toHaveLength(3);
  });

  test('names each row that it dismissed', async () => {
    await using bench = await openBench();
    await rejectedAt(bench.ledger, [['Orders', 2]]);
    expect((await bench.say('a.csv:2')).split('\n')[1]).toMatch(/\b2 .*Orders.*a\.csv: Ann Lee, /);
  });
});
