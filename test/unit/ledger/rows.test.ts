import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { NewRow } from '../../../src/ledger/rows.ts';
import { attemptOf, newOrder, newRow, recordCreated, recordOrder } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

async function recordRows(ledger: Ledger, hash: string, rows: readonly Partial<NewRow>[]): Promise<number> {
  const file = { hash, name: `${hash}.csv`, layouts: [], notes: [] };
  const { id } = await ledger.recordFile(file, async (transaction) => {
    for (const [index, row] of rows.entries()) transaction.addRow(newRow(row, index + 2));
  });
  return id;
}

const CHANGES = [{ field: 'note', ordered: 'a', now: 'b' }];

describe('changedOrders', () => {
  test('leaves out an abandoned order', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderId = await recordOrder(ledger);
    await recordRows(ledger, 'aa', [{ outcome: 'repeat', orderId, changes: CHANGES }]);
    expect(await ledger.changedOrders(9)).toHaveLength(1);
    await ledger.moveOrder(orderId, 'ready', { to: 'abandoned', code: 'abandoned-by-person', reason: 'not wanted' });
    expect(await ledger.changedOrders(9)).toEqual([]);
  });

  test('leaves out an order whose project was received', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderId = await recordCreated(ledger, '11');
    await recordRows(ledger, 'aa', [{ outcome: 'repeat', orderId, changes: CHANGES }]);
    await ledger.recordStatuses([{ id: '11', status: 'Client Received' }]);
    expect(await ledger.changedOrders(9)).toEqual([]);
  });

  test('lists a collected project only among the changes since a time', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const orderId = await recordCreated(ledger, '11');
    await recordRows(ledger, 'aa', [{ outcome: 'repeat', orderId, changes: CHANGES }]);
    await ledger.recordStatuses([{ id: '11', status: 'Returned to Client' }]);
    await ledger.markCollected('11');
    const counts = [await ledger.changedOrders(9), await ledger.changedOrders(9, clock.now())].map(
      ({ length }) => length,
    );
    expect(counts).toEqual([0, 1]);
  });
});

describe('orderedElsewhere', () => {
  const house = { streetAddress: '12 Oak St.', state: 'MA', policyNumber: 'P-1', dueDate: '2026-02-20' };

  test.each([
    ['another house', { streetAddress: '14 Oak Street' }, {}],
    ['another unit', { streetAddress: '12 Oak Street Apt 3' }, {}],
    ['another policy', { policyNumber: 'P-11' }, {}],
    ['no policy', { policyNumber: '' }, {}],
    ['the term before', { dueDate: '2025-02-20' }, {}],
    ['no due date', { dueDate: undefined }, {}],
    ['a canceled project', {}, { status: 'Project Canceled' }],
  ])('finds no order for %s', async (_what, order, tie) => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '11', { ...house, streetAddress: '12 Oak Street', ...order }, tie);
    expect(await bench.ledger.orderedElsewhere([house])).toEqual([undefined]);
  });

  test('finds the last order of the same house, policy and term', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const same = { ...house, streetAddress: '12 Oak Street', dueDate: '2026-03-01' };
    for (const id of ['11', '12']) await recordCreated(ledger, id, { ...same, policyEffectiveDate: '2026-03-01' });
    await recordCreated(ledger, '13', { ...same, streetAddress: '9 Elm Street' });
    const found = { projectId: '12', serviceName: '4-Point' };
    expect(await ledger.orderedElsewhere([{ ...house, policyNumber: 'P-2' }, house])).toEqual([undefined, found]);
  });

  test('waitingRows counts such rows apart from those past due', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const row = { inspectionNumber: '', insuredName: 'Ann Lee', ...house, dueDate: '2020-01-02' };
    await recordRows(ledger, 'aa', [{ summary: row }, { summary: { ...row, policyNumber: 'P-2' } }]);
    const counts = async () => (await ledger.waitingRows()).map((one) => [one.rows, one.pastDue, one.orderedElsewhere]);
    expect(await counts()).toEqual([[2, 2, 0]]);
    await recordCreated(ledger, '11', { ...row, streetAddress: '12 Oak Street' });
    expect(await counts()).toEqual([[2, 1, 1]]);
  });
});

describe('rowsAndLater', () => {
  test('follows a row through all of its corrections', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordRows(ledger, 'aa', [{}]);
    await recordRows(ledger, 'bb', [{ corrects: 1 }]);
    await recordRows(ledger, 'cc', [{ corrects: 2 }]);
    const ids = (await ledger.rowsAndLater([1])).map(({ id }) => id);
    expect(ids.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  });
});

describe('notOrdered', () => {
  test('dates a corrected row from when the first one came', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const first = clock.now();
    await recordRows(ledger, 'aa', [{}]);
    await clock.advance(1000);
    await recordRows(ledger, 'bb', [{ corrects: 1 }, {}]);
    const listed = await Array.fromAsync(ledger.notOrdered(false));
    expect(listed.map(({ row, since }) => [row.id, since])).toEqual([
      [2, first],
      [3, first + 1000],
    ]);
  });
});

describe('filesToCorrect', () => {
  test('leaves out a file that only repeats a refused row', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderId = await recordOrder(ledger);
    await recordRows(ledger, 'aa', [{ outcome: 'repeat', orderId }]);
    await ledger.beginAttempt(orderId, attemptOf());
    await ledger.moveOrder(orderId, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
    expect((await ledger.filesToCorrect()).map(({ id }) => id)).toEqual([1]);
  });
});

describe('markWorkbookLost', () => {
  test('leaves the workbook of a dismissed row on record', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const file = await recordRows(ledger, 'aa', [{}, {}]);
    await ledger.markCorrected(file, [1, 2], 'corrections/aa.xlsx');
    await ledger.dismissRows((await ledger.openRowsOf(file)).slice(0, 1));
    await ledger.markWorkbookLost(file, 'corrections/aa.xlsx');
    const rows = await Array.fromAsync(ledger.rowsOf(file));
    expect(rows.map(({ corrections }) => corrections)).toEqual(['corrections/aa.xlsx', null]);
  });
});

describe('workbooksDone', () => {
  test('says that a later workbook took the place of an earlier one', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    for (const hash of ['aa', 'bb']) {
      const file = await recordRows(ledger, hash, [{}]);
      const [row] = await ledger.openRowsOf(file);
      await ledger.markCorrected(file, [row?.id ?? 0], 'corrections/to fix.xlsx');
      await ledger.dismissRows(await ledger.openRowsOf(file));
    }
    expect((await ledger.workbooksDone()).map(({ isReplaced }) => isReplaced)).toEqual([true, false]);
  });
});

describe('markWorkbookDone', () => {
  test('keeps the path of a workbook that did not move', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const file = await recordRows(ledger, 'aa', [{}]);
    await ledger.markCorrected(file, [1], 'corrections/aa.xlsx');
    await ledger.dismissRows(await ledger.openRowsOf(file));
    const [done] = await ledger.workbooksDone();
    await ledger.markWorkbookDone(done?.id ?? 0, null);
    expect(await ledger.correctionsOf(file)).toBe('corrections/aa.xlsx');
  });
});

describe('waitingRows', () => {
  test('dates the rows of a file by the oldest', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    let orderId = 0;
    const file = { hash: 'aa', name: 'aa.csv', layouts: [], notes: [] };
    await ledger.recordFile(file, async (transaction) => {
      orderId = transaction.addOrder(newOrder());
      transaction.addRow(newRow({ outcome: 'order', orderId }, 2));
      transaction.addRow(newRow({}, 3));
    });
    const since = clock.now();
    await clock.advance(1000);
    await ledger.beginAttempt(orderId, attemptOf());
    await ledger.moveOrder(orderId, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
    expect(await ledger.waitingRows()).toMatchObject([{ rows: 2, since }]);
  });
});
