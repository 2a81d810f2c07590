import { expect } from 'vitest';
import type { SheetLayout } from '../../src/domain/row.ts';
import { newRow } from '../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../support/virtual-clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { LedgerFact } from './ledger-fact.ts';

const LAYOUT: SheetLayout = { sheet: 'Orders', headerRow: 2, columns: [{ index: 0, header: 'Zip', field: 'zipcode' }] };

async function record(
  ledger: Ledger,
  name: string,
  { sender = '', kind, rows = 1 }: { sender?: string; kind?: string; rows?: number },
): Promise<void> {
  const file = {
    hash: `hash of ${name}`,
    name,
    sender,
    ...(kind === undefined ? {} : { kind }),
    layouts: [LAYOUT],
    notes: [],
  };
  await ledger.recordFile(file, async (transaction) => {
    for (let row = 0; row < rows; row += 1) transaction.addRow(newRow({}, row + 2));
  });
}

const named = async (ledger: Ledger, sender: string, kind: string, limit = 10): Promise<readonly string[]> =>
  (await ledger.filesLike({ sender, kind }, limit)).map(({ name }) => name);

export const SENDER_FACTS: readonly LedgerFact[] = [
  {
    fact: "filesLike lists a sender's files of a kind, newest first",
    holds: async ({ ledger }) => {
      // A corrections workbook has no kind.
      await record(ledger, 'a 1.csv', { kind: 'a', rows: 3 });
      await record(ledger, 'a 2.csv', { kind: 'a', rows: 2 });
      await record(ledger, 'a 3 - to fix.xlsx', {});
      await record(ledger, 'b 1.csv', { kind: 'b' });
      expect(await ledger.filesLike({ sender: '', kind: 'a' }, 1)).toEqual([{ name: 'a 2.csv', kind: 'a', rows: 2 }]);
      expect(await named(ledger, '', 'a')).toEqual(['a 2.csv', 'a 1.csv']);
      expect(await named(ledger, '', 'c')).toEqual([]);
    },
  },
  {
    fact: "filesLike lists a named sender's other files for a new kind",
    holds: async ({ ledger, openAgain }) => {
      await record(ledger, 's/a 1.csv', { sender: 's', kind: 'a' });
      await record(ledger, 's/b 1.csv', { sender: 's', kind: 'b' });
      await record(ledger, 't/b 1.csv', { sender: 't', kind: 'b' });
      expect(await named(ledger, 's', 'a')).toEqual(['s/a 1.csv']);
      expect(await named(ledger, 's', 'new')).toEqual(['s/b 1.csv', 's/a 1.csv']);
      expect(await named(ledger, 'u', 'b')).toEqual([]);
      expect(await named(await openAgain('another account'), 's', 'a')).toEqual([]);
      expect((await ledger.findFile('hash of t/b 1.csv'))?.sender).toBe('t');
    },
  },
  {
    fact: 'recordHeld keeps the reasons and an earlier approval',
    holds: async ({ ledger, clock, openAgain }) => {
      const held = {
        hash: 'aa',
        name: 's/a.csv',
        heldAs: 'held/s/a.csv',
        limits: ['maxTimesUsualRows'],
        reasons: ['Too many rows.'],
      };
      await ledger.recordHeld(held);
      expect(await ledger.findHeld('aa')).toEqual({ ...held, approvedAt: null });
      await clock.advance(1000);
      await ledger.approveContent('aa', 's/a.csv');
      await ledger.recordHeld({ ...held, heldAs: 'held/s/a (2).csv' });
      await clock.advance(1000);
      await ledger.approveContent('aa', 's/a.csv');
      expect(await ledger.findHeld('aa')).toEqual({
        ...held,
        heldAs: 'held/s/a (2).csv',
        approvedAt: VIRTUAL_START_MS + 1000,
      });
      expect(await ledger.findHeld('bb')).toBeNull();
      expect(await (await openAgain('another account')).findHeld('aa')).toBeNull();
    },
  },
  {
    fact: 'approveContent approves content that was never held',
    holds: async ({ ledger }) => {
      await ledger.approveContent('aa', 'a.csv');
      expect(await ledger.findHeld('aa')).toEqual({
        hash: 'aa',
        name: 'a.csv',
        heldAs: null,
        limits: [],
        reasons: [],
        approvedAt: VIRTUAL_START_MS,
      });
    },
  },
];
