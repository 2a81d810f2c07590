import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { OrderMove } from '../../../src/ledger/orders.ts';
import { attemptOf, newOrder, newRow, projectTie } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const CREATED: OrderMove = { to: 'created', project: projectTie('11'), adopted: false };

/** A file with a receipt and one order, which ends like this. */
async function fileWith(ledger: Ledger, move: OrderMove = CREATED): Promise<number> {
  let orderId = 0;
  const file = { hash: 'aa', name: 'oct.csv', layouts: [], notes: [] };
  const { id } = await ledger.recordFile(file, async (transaction) => {
    orderId = transaction.addOrder(newOrder());
    transaction.addRow(newRow({ outcome: 'order', orderId }));
  });
  await ledger.beginReceipt(id, 'receipts/oct - receipt.xlsx');
  await ledger.beginAttempt(orderId, attemptOf());
  await ledger.moveOrder(orderId, 'submitting', move);
  return orderId;
}

describe('filesWithoutReceipt', () => {
  test.each([
    [0, 1],
    [1, 0],
  ])('if asked %i ms after a file came, returns %i', async (later, count) => {
    await using bench = await openLedgerBench();
    const file = { hash: 'aa', name: 'oct.csv', layouts: [], notes: [] };
    await bench.ledger.recordFile(file, async (transaction) => transaction.addRow(newRow()));
    expect(await bench.ledger.filesWithoutReceipt(bench.clock.now() + later)).toHaveLength(count);
  });
});

describe('openReceipts', () => {
  const linked = { to: 'linked', project: projectTie('11'), code: 'duplicate-linked', reason: 'It existed.' } as const;
  const held = { to: 'held', code: 'attempts-used-up', reason: 'It waits.' } as const;
  test.each<[string, OrderMove]>([
    ['linked to a project', linked],
    ['held', held],
  ])('waits for an order that is %s', async (_what, move) => {
    await using bench = await openLedgerBench();
    await fileWith(bench.ledger, move);
    expect(await bench.ledger.openReceipts()).toMatchObject([{ outstanding: 1 }]);
  });

  test.each<[string, (ledger: Ledger) => Promise<unknown>]>([
    ['given up', (ledger) => ledger.giveUpProject('11', 'sold')],
    ['received elsewhere', (ledger) => ledger.recordStatuses([{ id: '11', status: 'Client Received' }])],
  ])('waits for no project that was %s', async (_what, end) => {
    await using bench = await openLedgerBench();
    await fileWith(bench.ledger);
    await end(bench.ledger);
    expect(await bench.ledger.openReceipts()).toMatchObject([{ outstanding: 0 }]);
  });

  test('has another state after another status of a project', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await fileWith(ledger);
    const [before] = await ledger.openReceipts();
    await clock.advance(1000);
    await ledger.recordStatuses([{ id: '11', status: 'Site Inspected' }]);
    const [after] = await ledger.openReceipts();
    expect(after?.state).not.toBe(before?.state);
  });

  test('has the same state if the project of a repeat changes', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const orderId = await fileWith(ledger);
    const file = { hash: 'bb', name: 'again.csv', layouts: [], notes: [] };
    const { id } = await ledger.recordFile(file, async (transaction) =>
      transaction.addRow(newRow({ outcome: 'repeat', orderId })),
    );
    await ledger.beginReceipt(id, 'receipts/again - receipt.xlsx');
    const stateOfRepeat = async () => (await ledger.openReceipts()).find(({ fileId }) => fileId === id)?.state;
    const before = await stateOfRepeat();
    await clock.advance(1000);
    await ledger.recordStatuses([{ id: '11', status: 'Site Inspected' }]);
    expect(await stateOfRepeat()).toBe(before);
  });
});
