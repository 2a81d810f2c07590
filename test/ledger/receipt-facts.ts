import { expect } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { attemptOf, newOrder, newRow, projectTie } from '../support/order-factory.ts';
import type { LedgerFact } from './ledger-fact.ts';

async function recordFile(
  ledger: Ledger,
  corrects?: number,
): Promise<{ readonly id: number; readonly orderId: number }> {
  let orderId = 0;
  const hash = corrects === undefined ? 'aa' : 'bb';
  const { id } = await ledger.recordFile({ hash, name: `${hash}.csv`, layouts: [], notes: [] }, async (file) => {
    orderId = file.addOrder(newOrder({ streetAddress: `${hash} Oak Street` }));
    file.addRow(newRow({ outcome: 'order', orderId, ...(corrects === undefined ? {} : { corrects }) }, 2));
    if (corrects === undefined) file.addRow(newRow({}, 3));
  });
  return { id, orderId };
}

export const RECEIPT_FACTS: readonly LedgerFact[] = [
  {
    fact: 'beginReceipt takes a path once, until its receipt ends',
    holds: async ({ ledger, openAgain }) => {
      const { id } = await recordFile(ledger);
      expect((await ledger.filesWithoutReceipt(0)).map((file) => file.id)).toEqual([id]);
      expect(await (await openAgain('another')).filesWithoutReceipt(0)).toEqual([]);
      expect([await ledger.beginReceipt(id, 'receipts/a'), await ledger.beginReceipt(id, 'receipts/b')]).toEqual([
        true,
        false,
      ]);
      expect(await ledger.filesWithoutReceipt(0)).toEqual([]);
      expect(await ledger.receiptsOf([id])).toEqual([]);
      await ledger.noteReceipt(id, 'a state');
      expect(await ledger.receiptsOf([id])).toEqual(['receipts/a']);
      await ledger.endReceipt(id);
      expect([await ledger.receiptsOf([id]), await ledger.openReceipts()]).toEqual([[], []]);
    },
  },
  {
    fact: 'openReceipts has the state of rows and corrections, and the outstanding number',
    holds: async ({ ledger, clock }) => {
      const { id, orderId } = await recordFile(ledger);
      await ledger.beginReceipt(id, 'receipts/a');
      const seen = new Set<string>();
      const outstanding = async (): Promise<number | undefined> => {
        const [receipt] = await ledger.openReceipts();
        seen.add(receipt?.state ?? '');
        return receipt?.outstanding;
      };
      expect(await outstanding()).toBe(2);
      await clock.advance(1000);
      await ledger.beginAttempt(orderId, attemptOf());
      await ledger.moveOrder(orderId, 'submitting', { to: 'created', project: projectTie('7'), adopted: false });
      expect(await outstanding()).toBe(2);
      await ledger.recordStatuses([{ id: '7', status: 'Returned to Client' }]);
      await ledger.markCollected('7');
      expect(await outstanding()).toBe(1);
      const [open] = await ledger.openRowsOf(id);
      const fixed = await recordFile(ledger, open?.id);
      expect(await outstanding()).toBe(1);
      expect(await ledger.receiptsOf([fixed.id])).toEqual([]);
      await ledger.noteReceipt(id, 'a state');
      expect(await ledger.receiptsOf([fixed.id])).toEqual(['receipts/a']);
      await clock.advance(1000);
      await ledger.beginAttempt(fixed.orderId, attemptOf());
      await ledger.moveOrder(fixed.orderId, 'submitting', { to: 'created', project: projectTie('8'), adopted: false });
      await ledger.recordStatuses([{ id: '8', status: 'Project Canceled' }]);
      expect(await outstanding()).toBe(0);
      expect([seen.size, await outstanding(), seen.size]).toEqual([5, 0, 5]);
    },
  },
];
