import { format } from 'date-fns/format';
import { expect } from 'vitest';
import { attemptOf, newOrder, newRow, rowRecord } from '../support/order-factory.ts';
import { rowOnRecord } from '../support/on-record.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { NewRow } from '../../src/ledger/rows.ts';
import { listed, type LedgerFact } from './ledger-fact.ts';

/** Puts a file on record; a row that corrects another, or none, a line. */
async function record(ledger: Ledger, hash: string, name: string, rows: readonly Partial<NewRow>[]): Promise<number> {
  const file = await ledger.recordFile({ hash, name, layouts: [], notes: [] }, async (transaction) => {
    for (const [index, row] of rows.entries()) transaction.addRow(newRow(row, index + 2));
  });
  return file.id;
}

async function notOrdered(ledger: Ledger): Promise<readonly number[]> {
  return (await listed(ledger.notOrdered(true))).map(({ row }) => row.id);
}

export const WENT_BACK_FACTS: readonly LedgerFact[] = [
  {
    fact: 'recordFile replaces a rejected row by the row that corrects it',
    holds: async ({ ledger }) => {
      await record(ledger, 'aa', 'oct.csv', [{}, {}]);
      await record(ledger, 'bb', 'oct - to fix.xlsx', [{ corrects: 1 }]);
      expect(await notOrdered(ledger)).toEqual([2, 3]);
      let orderId = 0;
      await ledger.recordFile(
        { hash: 'cc', name: 'oct - to fix (2).xlsx', layouts: [], notes: [] },
        async (transaction) => {
          orderId = transaction.addOrder(newOrder());
          transaction.addRow(newRow({ outcome: 'order', orderId, corrects: 3 }));
        },
      );
      expect(await notOrdered(ledger)).toEqual([2]);
      expect((await ledger.storyOf(orderId)).rows.map(({ id, outcome, fileName }) => [id, outcome, fileName])).toEqual([
        [1, 'rejection', 'oct.csv'],
        [3, 'rejection', 'oct - to fix.xlsx'],
        [4, 'order', 'oct - to fix (2).xlsx'],
      ]);
      expect((await ledger.storyOf(orderId)).rows[0]?.record).toStrictEqual(rowRecord(2));
      expect(
        (await Promise.all([1, 3, 4].map((id) => rowOnRecord(ledger, id)))).map((row) => [
          row?.correctedBy,
          row?.wentBack,
          row?.orderId,
          row?.isOrdered,
        ]),
      ).toEqual([
        [3, true, null, false],
        [4, true, null, false],
        [null, false, orderId, true],
      ]);
      await ledger.moveOrder(orderId, 'ready', { to: 'abandoned', code: 'abandoned-by-person', reason: 'not wanted' });
      expect(await rowOnRecord(ledger, 4)).toMatchObject({ wentBack: false, isOrdered: false });
    },
  },
  {
    fact: 'findRejections searches numbers first, then names and streets',
    holds: async ({ ledger, openAgain }) => {
      // Each with the latest row in its place.
      const wrong = newRow().summary;
      await record(ledger, 'aa', 'oct.csv', [
        { summary: { ...wrong, policyNumber: 'A-1003' } },
        { summary: { ...wrong, policyNumber: '', inspectionNumber: 'A-1003', streetAddress: '9 Elm 100% Road' } },
        { summary: { ...wrong, policyNumber: '', insuredName: 'Marisol A-1003' } },
      ]);
      await record(ledger, 'bb', 'oct - to fix.xlsx', [{ corrects: 1 }]);
      await ledger.recordFile({ hash: 'cc', name: 'fixed.csv', layouts: [], notes: [] }, async (transaction) => {
        const orderId = transaction.addOrder(newOrder({ policyNumber: 'P-7' }));
        transaction.addRow(newRow({ outcome: 'order', orderId, corrects: 4 }));
      });
      const found = async (text: string): Promise<readonly unknown[]> =>
        (await ledger.findRejections(text)).map(({ row, replacedBy }) => [
          row.id,
          replacedBy?.id,
          replacedBy?.isOrdered,
        ]);
      expect(await found('A-1003')).toEqual([
        [1, 5, true],
        [2, undefined, undefined],
      ]);
      expect(await found('00a 1003')).toEqual([
        [1, 5, true],
        [2, undefined, undefined],
      ]);
      expect([await found('marisol'), await found('100%'), await found('P-7'), await found('nobody')]).toEqual([
        [[3, undefined, undefined]],
        [[2, undefined, undefined]],
        [],
        [],
      ]);
      expect(await (await openAgain('another')).findRejections('A-1003')).toEqual([]);
      expect((await listed(ledger.rowsOf(1))).map(({ replacedBy }) => replacedBy?.orderId)).toEqual([
        1,
        undefined,
        undefined,
      ]);
    },
  },
  {
    fact: 'keeps the first row that came in place of a rejection',
    holds: async ({ ledger }) => {
      await record(ledger, 'aa', 'oct.csv', [{}]);
      await record(ledger, 'bb', 'fixed.xlsx', [{ corrects: 1 }, { corrects: 1 }]);
      expect((await rowOnRecord(ledger, 1))?.correctedBy).toBe(2);
      expect(await notOrdered(ledger)).toEqual([2, 3]);
    },
  },
  {
    fact: 'rejectedRows lists rejections and refused orders, not accepted ones',
    holds: async ({ ledger, openAgain }) => {
      // Files are found by hash and by name, of this account alone.
      const { id } = await ledger.recordFile(
        { hash: 'ab12', name: 'north/50%_oct.csv', sender: 'north', layouts: [], notes: [] },
        async (transaction) => {
          for (const [index, insuredName] of ['Ann', 'Bob'].entries()) {
            transaction.addRow(
              newRow({ outcome: 'order', orderId: transaction.addOrder(newOrder({ insuredName })) }, index + 2),
            );
          }
          transaction.addRow(newRow({}, 4));
        },
      );
      await ledger.beginAttempt(1, attemptOf());
      await ledger.moveOrder(1, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
      expect((await listed(ledger.rejectedRows(id))).map(({ record: { place } }) => place.rowNumber)).toEqual([2, 4]);
      expect([await ledger.findFileByHashStart('ab'), await ledger.findFileByHashStart('ac')]).toEqual([
        { id, hash: 'ab12' },
        null,
      ]);
      const named = await Promise.all(
        ['50%_', 'north/50', '50%o', 'oct'].map((start) => ledger.filesNamedLike(start, 9)),
      );
      expect(named.map((files) => files.length)).toEqual([1, 1, 0, 0]);
      const other = await openAgain('another account');
      expect([
        await other.findFileByHashStart('ab'),
        await other.filesNamedLike('50', 9),
        await listed(other.rejectedRows(id)),
        await rowOnRecord(other, 1),
      ]).toEqual([null, [], [], null]);
    },
  },
  {
    fact: 'waitingRows counts the rows whose due date has passed',
    holds: async ({ ledger, clock }) => {
      const due = (dueDate: string): Partial<NewRow> => ({ summary: { ...newRow().summary, dueDate } });
      const [past, today] = [clock.now() - 86_400_000, clock.now()].map((at) => format(at, 'yyyy-MM-dd'));
      await record(ledger, 'aa', 'oct.csv', [due(past ?? ''), due(today ?? ''), due('1/2/2020'), due('soon'), {}]);
      expect((await ledger.waitingRows()).map(({ rows, pastDue }) => [rows, pastDue])).toEqual([[5, 1]]);
    },
  },
  {
    fact: 'waitingRows lists a row until it is replaced or dismissed',
    holds: async ({ ledger, clock, openAgain }) => {
      const since = clock.now();
      const first = await record(ledger, 'aa', 'oct.csv', [{}, {}, {}]);
      await ledger.markCorrected(first, [1, 2, 3], 'corrections/oct.xlsx');
      await clock.advance(1000);
      const second = await record(ledger, 'bb', 'oct - to fix.xlsx', [{ corrects: 1 }]);
      const waiting = async (): Promise<unknown> =>
        (await ledger.waitingRows()).map((entry) => [entry.fileId, entry.rows, entry.corrections, entry.since]);
      expect(await waiting()).toEqual([
        [second, 1, null, since],
        [first, 2, 'corrections/oct.xlsx', since],
      ]);
      const [open] = await ledger.openRowsOf(first);
      if (open === undefined) throw new Error('no row is open');
      expect([open.id, await ledger.dismissRows([open]), await ledger.dismissRows([open])]).toEqual([2, 1, 0]);
      expect([await waiting(), await notOrdered(ledger), await ledger.workbooksDone()]).toEqual([
        [
          [second, 1, null, since],
          [first, 1, 'corrections/oct.xlsx', since],
        ],
        [3, 4],
        [],
      ]);
      expect(
        (await listed(ledger.rowsOf(first))).map(({ openSince, dismissedAt }) => [openSince, dismissedAt]),
      ).toEqual([
        [null, null],
        [null, since + 1000],
        [since, null],
      ]);
      const other = await openAgain('another account');
      expect([
        await other.waitingRows(),
        await other.openRowsOf(first),
        await other.workbooksDone(),
        await other.wasWorkbook('oct.xlsx'),
        await ledger.wasWorkbook('oct.xlsx'),
      ]).toEqual([[], [], [], false, true]);
      await ledger.dismissRows(await ledger.openRowsOf(first));
      const [done] = await ledger.workbooksDone();
      expect(done).toMatchObject({ path: 'corrections/oct.xlsx', isReplaced: false });
      await ledger.markWorkbookDone(done?.id ?? 0, 'corrections/done/oct.xlsx');
      expect([await ledger.workbooksDone(), await ledger.correctionsOf(first)]).toEqual([
        [],
        'corrections/done/oct.xlsx',
      ]);
    },
  },
];
