import { expect } from 'vitest';
import { keyOfRenewal, keyOfRepeat } from '../../src/domain/identity.ts';
import type { SheetLayout } from '../../src/domain/row.ts';
import {
  attemptOf,
  newOrder,
  newRow,
  orderPayload,
  projectTie,
  recordOrder,
  recordOrders,
  rowRecord,
} from '../support/order-factory.ts';
import { onRecord } from '../support/on-record.ts';
import { VIRTUAL_START_MS } from '../support/virtual-clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { FileTransaction } from '../../src/ledger/file-transaction.ts';
import type { NewOrder, OrderMove } from '../../src/ledger/orders.ts';
import { listed, type LedgerFact } from './ledger-fact.ts';

const FILE = {
  hash: 'aa',
  name: 'März.xlsx',
  layouts: [] as readonly SheetLayout[],
  notes: [{ code: 'rows-hidden', text: 'a note' }],
};
const REFUSED: OrderMove = { to: 'refused', code: 'service-refused', reason: 'The service refused it.' };

async function emptiness(ledger: Ledger): Promise<object> {
  const { orders, results } = await ledger.somethingToHandOver();
  const counts = await ledger.orderCounts();
  return {
    orders,
    results,
    living: Object.entries(counts).filter(([, count]) => count !== 0),
    back: await ledger.filesToCorrect(),
    rows: await listed(ledger.notOrdered(true)),
  };
}

const EMPTY = { orders: false, results: false, living: [], back: [], rows: [] };

async function refuse(ledger: Ledger, id: number): Promise<void> {
  await ledger.beginAttempt(id, attemptOf());
  await ledger.moveOrder(id, 'submitting', REFUSED);
}

export const FILE_FACTS: readonly LedgerFact[] = [
  {
    fact: 'readingsOf lists every reading of a content, the first one first',
    holds: async ({ ledger }) => {
      const places = async (hash: string, corrects?: number): Promise<readonly number[]> => {
        const { id } = await ledger.recordFile({ ...FILE, hash }, async (transaction) => {
          transaction.addRow({ ...newRow({}, 4), ...(corrects === undefined ? {} : { corrects }) });
          transaction.addRow(
            newRow({ outcome: 'order', orderId: transaction.addOrder(newOrder({ inspectionNumber: hash })) }, 5),
          );
        });
        return (await listed(ledger.placesOf(id))).map(({ rowNumber }) => rowNumber);
      };
      expect([await places('aa'), await places('aab'), await places('aa 2', 1)]).toEqual([
        [4, 5],
        [4, 5],
        [4, 5],
      ]);
      expect((await ledger.readingsOf('aa')).map(({ id, hash }) => [id, hash])).toEqual([
        [1, 'aa'],
        [3, 'aa'],
      ]);
      expect((await ledger.findFileByHashStart('aa'))?.id).toBe(1);
      const open = await Promise.all([1, 2, 3].map((id) => listed(ledger.rejectedRows(id))));
      expect(open.flat().map(({ isOpen }) => isOpen)).toEqual([false, true, true]);
    },
  },
  {
    fact: 'findFile returns counted rows and the layout by content',
    holds: async ({ ledger }) => {
      const layouts: readonly SheetLayout[] = [
        { sheet: 'Aufträge', headerRow: 3, columns: [{ index: 2, header: '__proto__', field: null }] },
      ];
      const recorded = await ledger.recordFile({ ...FILE, layouts }, async (transaction) => {
        transaction.addRow(newRow({ outcome: 'order', orderId: transaction.addOrder(newOrder()) }, 4));
        transaction.addRow(newRow({ outcome: 'repeat', orderId: 1 }, 5));
        transaction.addRow(newRow({}, 6));
      });
      expect(recorded).toEqual({
        notes: [{ code: 'rows-hidden', text: 'a note' }],
        id: recorded.id,
        hash: 'aa',
        name: 'März.xlsx',
        sender: '',
        recordedAt: VIRTUAL_START_MS,
        rowsAccepted: 2,
        rowsRejected: 1,
        archivedAs: null,
        layouts,
      });
      expect(await ledger.findFile('aa')).toEqual(recorded);
      expect(await ledger.findFile('AA')).toBeNull();
      await ledger.markArchived(recorded.id, 'archive/2026/03/05/März.xlsx');
      expect((await ledger.findFile('aa'))?.archivedAs).toBe('archive/2026/03/05/März.xlsx');
    },
  },
  {
    fact: 'archivedSince lists later files with their size when archived',
    holds: async ({ ledger }) => {
      for (const [index, hash] of ['early', 'late', 'unknown', 'open'].entries()) {
        const { id } = await ledger.recordFile({ ...FILE, hash, recordedAt: 100 * index }, async () => {});
        if (hash !== 'open') await ledger.markArchived(id, `archive/${hash}`, hash === 'unknown' ? undefined : 7);
      }
      const found = (await ledger.archivedSince(100)).map(({ hash, archivedAs, bytes }) => [hash, archivedAs, bytes]);
      expect(found).toEqual([
        ['late', 'archive/late', 7],
        ['unknown', 'archive/unknown', 0],
      ]);
    },
  },
  {
    fact: 'recordFile leaves nothing behind if filling fails',
    holds: async ({ ledger }) => {
      const fill = async (transaction: FileTransaction): Promise<void> => {
        transaction.addRow(newRow({ outcome: 'order', orderId: transaction.addOrder(newOrder()) }));
        transaction.addRow(newRow());
      };
      const failing = ledger.recordFile(FILE, async (transaction) => {
        await fill(transaction);
        throw new Error('the file broke off');
      });
      await expect(failing).rejects.toThrow('the file broke off');
      expect(await ledger.findFile('aa')).toBeNull();
      expect(await emptiness(ledger)).toEqual(EMPTY);
      expect(await ledger.recordFile(FILE, fill)).toMatchObject({ rowsAccepted: 1, rowsRejected: 1 });
    },
  },
  {
    fact: 'rehearseFile shows its own writes, keeps nothing, and passes errors on',
    holds: async ({ ledger }) => {
      const order = newOrder({ inspectionNumber: 'A-1' });
      let seen: string | undefined;
      for (let time = 0; time < 2; time += 1) {
        await ledger.rehearseFile(async (transaction) => {
          transaction.addRow(newRow({ outcome: 'order', orderId: transaction.addOrder(order) }));
          seen = transaction.findLivingOrder(order.identity)?.payload.inspectionNumber;
        });
      }
      expect(seen).toBe('A-1');
      expect(await emptiness(ledger)).toEqual(EMPTY);
      await expect(ledger.rehearseFile(() => Promise.reject(new Error('unreadable')))).rejects.toThrow('unreadable');
    },
  },
  {
    fact: 'recordFile refuses content that is on record, whatever its name',
    holds: async ({ ledger }) => {
      await ledger.recordFile(FILE, async () => {});
      await expect(ledger.recordFile({ ...FILE, name: 'again.xlsx' }, async () => {})).rejects.toThrow(/unique/i);
      expect((await ledger.findFile('aa'))?.name).toBe('März.xlsx');
    },
  },
  {
    fact: 'recordFile refuses a second living order of an identity',
    holds: async ({ ledger }) => {
      const order = newOrder({ inspectionNumber: 'A-1' });
      await expect(recordOrders(ledger, [order, order])).rejects.toThrow(/unique/i);
      await recordOrders(ledger, [order], 'first.csv');
      await expect(recordOrders(ledger, [order], 'second.csv')).rejects.toThrow(/unique/i);
      expect((await ledger.orderCounts()).ready).toBe(1);
    },
  },
  {
    fact: 'recordFile replaces only a refused or abandoned order of an identity',
    holds: async ({ ledger }) => {
      const first = await recordOrder(ledger, { inspectionNumber: 'A-1' });
      await refuse(ledger, first);
      const [second] = await recordOrders(ledger, [newOrder({ inspectionNumber: 'A-1' })], 'second.csv');
      if (second === undefined) throw new Error('no second order');
      await ledger.moveOrder(second, 'ready', { to: 'abandoned', code: 'abandoned-by-person', reason: 'not wanted' });
      const [third] = await recordOrders(ledger, [newOrder({ inspectionNumber: 'A-1' })], 'third.csv');
      if (third === undefined) throw new Error('no third order');
      await ledger.beginAttempt(third, attemptOf());
      await ledger.moveOrder(third, 'submitting', { to: 'skipped', code: 'duplicate-skipped', reason: 'a repeat' });
      await expect(recordOrders(ledger, [newOrder({ inspectionNumber: 'A-1' })], 'fourth.csv')).rejects.toThrow(
        /unique/i,
      );
    },
  },
  {
    fact: 'recordFile holds an order like one abandoned in doubt',
    holds: async ({ ledger, clock }) => {
      // Also an order next to another one of the identity, until the doubt is over.
      const base = newOrder({ inspectionNumber: 'A-1' });
      const beside = (note: string): NewOrder => {
        const { payload, ...order } = newOrder({ inspectionNumber: 'A-1', note });
        return { ...order, payload, identity: keyOfRepeat(base.identity, payload), allowDuplication: true };
      };
      const [gone, known] = await recordOrders(
        ledger,
        [base, newOrder({ inspectionNumber: 'A-2' }), beside('second')],
        'first.csv',
      );
      await ledger.beginAttempt(gone ?? 0, attemptOf('70'));
      await ledger.moveOrder(gone ?? 0, 'submitting', {
        to: 'unresolved',
        code: 'outcome-unknown',
        reason: '504',
        uncertainSince: clock.now(),
      });
      await ledger.moveOrder(gone ?? 0, 'unresolved', {
        to: 'abandoned',
        code: 'abandoned-by-person',
        reason: 'not wanted',
      });
      await ledger.moveOrder(known ?? 0, 'ready', {
        to: 'abandoned',
        code: 'abandoned-by-person',
        reason: 'not wanted',
      });
      const reason = `The same order, ${gone}, was abandoned with an unknown outcome: its project may exist.`;
      const again = await recordOrders(
        ledger,
        [base, beside('third'), ...['A-2', 'A-3', 'A-1#2'].map((inspectionNumber) => newOrder({ inspectionNumber }))],
        'again.csv',
      );
      expect(await Promise.all(again.map((id) => ledger.order(id)))).toMatchObject([
        { state: 'held', reason },
        { state: 'held', reason },
        { state: 'ready' },
        { state: 'ready' },
        { state: 'ready' },
      ]);
      await ledger.moveOrder(again[0] ?? 0, 'held', { to: 'created', project: projectTie('71'), adopted: true });
      const [later = 0] = await recordOrders(ledger, [beside('fourth')], 'later.csv');
      expect(await ledger.order(later)).toMatchObject({ state: 'ready' });
    },
  },
  {
    fact: 'finds earlier rows of the same file by identity, address and policy',
    holds: async ({ ledger, clock }) => {
      const order = newOrder({ inspectionNumber: 'A-1', policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' });
      const found: unknown[] = [];
      await ledger.recordFile(FILE, async (transaction) => {
        await transaction.expect([order, newOrder({ inspectionNumber: 'A-2' })]);
        const look = (): void => {
          const { identity, addressKey, policyKey } = order;
          found.push(
            [
              transaction.findLivingOrder(identity),
              transaction.findOrderAtAddress(addressKey, clock.now()),
              transaction.findOrderOfPolicy(policyKey ?? ''),
            ].map((it) => it?.id ?? null),
          );
        };
        look();
        transaction.addOrder(order);
        look();
        await transaction.expect([order, newOrder({ inspectionNumber: 'A-2' })]);
        look();
        found.push(
          transaction.findOrderAtAddress(order.addressKey, clock.now() + 1),
          transaction.findOrderOfPolicy('another'),
          transaction.findLivingOrder('inspection:A-2'),
          transaction.findLivingOrder('inspection:A-3'),
        );
      });
      expect(found).toEqual([[null, null, null], [1, 1, 1], [1, 1, 1], null, null, null, null]);
    },
  },
  {
    fact: 'findOrderedAgain finds the order next to a refused one',
    holds: async ({ ledger }) => {
      // A number that only begins alike is another identity.
      const order = newOrder({ inspectionNumber: 'A-1' });
      const again = { ...order, identity: keyOfRepeat(order.identity, order.payload), allowDuplication: true };
      const alike = newOrder({ inspectionNumber: 'A-1#2' });
      const ids = await recordOrders(ledger, [order, again, alike]);
      await refuse(ledger, ids[0] ?? 0);
      const before = await onRecord(ledger, order, alike);
      await ledger.rehearseFile(async (transaction) => {
        await transaction.expect([order, alike]);
        for (const lookup of [transaction, before]) {
          expect([lookup.findLivingOrder(order.identity)?.id, lookup.findOrderedAgain(order.identity)?.id]).toEqual([
            undefined,
            ids[1],
          ]);
          expect([lookup.findLivingOrder(alike.identity)?.id, lookup.findOrderedAgain(alike.identity)]).toEqual([
            ids[2],
            null,
          ]);
        }
      });
    },
  },
  {
    fact: 'ordersOf finds every order of an identity, the latest first',
    holds: async ({ ledger }) => {
      // A repeat, a renewal, an amended order, and one at the same address spelled differently.
      const numbered = newOrder({ inspectionNumber: 'A-1' });
      const keyless = newOrder();
      const respelled = newOrder({ streetAddress: '12 OAK ST.' });
      const policy = newOrder({ policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' });
      const ids = await recordOrders(ledger, [
        numbered,
        { ...numbered, identity: keyOfRepeat(numbered.identity, {}), allowDuplication: true },
        { ...numbered, identity: keyOfRenewal(numbered.identity, '2027-01-01'), renews: 1 },
        newOrder({ inspectionNumber: 'A-1#2' }),
        keyless,
        { ...keyless, identity: keyOfRenewal(keyless.identity, '2027-01-01') },
      ]);
      await refuse(ledger, ids[0] ?? 0);
      const again = await ledger.order(ids[1] ?? 0);
      if (again === null) throw new Error('the order is gone');
      await ledger.rehearseFile(async (transaction) => {
        const expected = [numbered, keyless, respelled, policy];
        await transaction.expect(expected);
        transaction.addIdentity(policy.identity, again);
        for (const isAskedAgain of [false, true]) {
          if (isAskedAgain) await transaction.expect(expected);
          const found = (order: NewOrder) => transaction.ordersOf(order).map(({ id }) => id);
          expect([numbered, keyless, respelled, policy].map(found)).toEqual([[3, 2], [6, 5], [6, 5], [2]]);
          expect(transaction.ordersOfSubject(respelled.subjectKey).map(({ id }) => id)).toEqual([6, 5, 4, 3, 2]);
          expect(transaction.ordersOf(newOrder({ inspectionNumber: 'A-2' }))).toEqual([]);
        }
      });
      expect(await ledger.order(3)).toMatchObject({ renews: 1 });
    },
  },
  {
    fact: 'ordersOnRecord finds a repeat by its identity alone',
    holds: async ({ ledger }) => {
      const order = newOrder({ inspectionNumber: 'A-1' });
      const again = { ...order, identity: keyOfRepeat(order.identity, order.payload), allowDuplication: true };
      const ids = await recordOrders(ledger, [order, again]);
      await refuse(ledger, ids[0] ?? 0);
      const rows = [{ identity: order.identity, policyKey: null, addressKey: null, subjectKey: 'other' }];
      expect((await ledger.ordersOnRecord(rows)).orders.map(({ id }) => id)).toEqual([ids[1]]);
    },
  },
  {
    fact: 'findOrderAtAddress finds a recent order although an older one was recorded later',
    holds: async ({ ledger, clock }) => {
      const now = clock.now();
      const [young, old] = ['A-1', 'A-2'].map((inspectionNumber) => newOrder({ inspectionNumber }));
      if (young === undefined || old === undefined) throw new Error('no orders');
      await ledger.recordFile(FILE, async (transaction) => void transaction.addOrder(young));
      const archived = { ...FILE, hash: 'archived', recordedAt: now - 1000 };
      await ledger.recordFile(archived, async (transaction) => void transaction.addOrder(old));
      const row = newOrder({ inspectionNumber: 'A-3' });
      await ledger.rehearseFile(async (transaction) => {
        await transaction.expect([{ ...row, subjectKey: 'other' }]);
        expect(transaction.findOrderAtAddress(row.addressKey, now)?.id).toBe(1);
        expect(transaction.findOrderAtAddress(row.addressKey, 0)?.id).toBe(2);
      });
    },
  },
  {
    fact: 'findOrderAtAddress and findOrderOfPolicy find the latest order, never a refused one',
    holds: async ({ ledger }) => {
      const policy = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
      const ids = await recordOrders(
        ledger,
        ['A-1', 'A-2', 'A-3'].map((inspectionNumber) => newOrder({ ...policy, inspectionNumber })),
      );
      const order = newOrder(policy);
      const { addressKey, policyKey } = order;
      const latest = async (): Promise<unknown> => {
        let found: unknown;
        await ledger.rehearseFile(async (transaction) => {
          await transaction.expect([order]);
          found = [
            transaction.findOrderAtAddress(addressKey, 0)?.id,
            transaction.findOrderOfPolicy(policyKey ?? '')?.id,
          ];
        });
        return found;
      };
      expect(await latest()).toEqual([ids[2], ids[2]]);
      await refuse(ledger, ids[2] ?? 0);
      expect(await latest()).toEqual([ids[1], ids[1]]);
    },
  },
  {
    fact: 'placeOfOrder finds the row that placed the order, not a repeat',
    holds: async ({ ledger }) => {
      const order = newOrder();
      await ledger.recordFile(FILE, async (transaction) => {
        const id = transaction.addOrder(order);
        const placed = transaction.findLivingOrder(order.identity);
        if (placed === null) throw new Error('no order');
        expect(transaction.placeOfOrder(placed)).toBeNull();
        transaction.addRow(newRow({ outcome: 'order', orderId: id }, 5));
        expect(transaction.placeOfOrder(placed)).toEqual({ file: 'orders.csv', sheet: 'Orders', rowNumber: 5 });
      });
      await ledger.recordFile({ ...FILE, hash: 'bb' }, async (transaction) =>
        transaction.addRow(newRow({ outcome: 'repeat', orderId: 1 }, 9)),
      );
      const lookup = await onRecord(ledger, order);
      const found = lookup.findLivingOrder(order.identity);
      expect([found?.id, found === null ? null : lookup.placeOfOrder(found)?.rowNumber]).toEqual([1, 5]);
    },
  },
  {
    fact: 'order returns the order as recorded, and storyOf its row',
    holds: async ({ ledger }) => {
      const order = newOrder(
        { note: '=1+1 \u0000 物件 😀', dwellingCoverage: 0.1 },
        { allowDuplication: true, rowWish: false, reference: 'IB-1' },
      );
      const id = await recordOrder(ledger, {}, order);
      const { addressKey: _addressKey, policyKey: _policyKey, subjectKey: _subjectKey, ...kept } = order;
      const expected = {
        ...kept,
        id,
        state: 'ready',
        attempts: 0,
        idBound: null,
        uncertainSince: null,
        projectId: null,
        reason: null,
        createdAt: VIRTUAL_START_MS,
        code: null,
      };
      expect(await ledger.order(id)).toStrictEqual(expected);
      expect(await ledger.order(id + 1)).toBeNull();
      expect((await ledger.storyOf(id)).rows[0]?.record).toStrictEqual(rowRecord(2));
    },
  },
  {
    fact: 'rowsToCorrect lists a thousand rows in the order of the file',
    holds: async ({ ledger }) => {
      const { id } = await ledger.recordFile(FILE, async (transaction) => {
        for (let row = 2; row < 1203; row += 1) transaction.addRow(newRow({}, row));
      });
      const rows = await listed(ledger.rowsToCorrect(id));
      expect(rows.map((row) => row.record.place.rowNumber)).toEqual(
        Array.from({ length: 1201 }, (_, index) => index + 2),
      );
    },
  },
  {
    fact: "rowsToCorrect lists rejected and refused rows once, with the service's words",
    holds: async ({ ledger }) => {
      const ids: number[] = [];
      const file = await ledger.recordFile(FILE, async (transaction) => {
        for (const name of ['Ann', 'Bob']) ids.push(transaction.addOrder(newOrder({ insuredName: name })));
        for (const [index, orderId] of ids.entries())
          transaction.addRow(newRow({ outcome: 'order', orderId }, index + 2));
        transaction.addRow(newRow({}, 4));
      });
      const back = async (): Promise<unknown> =>
        (await listed(ledger.rowsToCorrect(file.id))).map((row) => [row.record.place.rowNumber, row.refusal]);
      expect(await back()).toEqual([[4, null]]);
      await refuse(ledger, ids[0] ?? 0);
      expect((await ledger.filesToCorrect()).map(({ id }) => id)).toEqual([file.id]);
      expect(await back()).toEqual([
        [2, 'The service refused it.'],
        [4, null],
      ]);
      const rows = await listed(ledger.rowsToCorrect(file.id));
      await ledger.markCorrected(
        file.id,
        rows.map((row) => row.id),
        'corrections/a.xlsx',
      );
      expect([await back(), await ledger.filesToCorrect(), await ledger.correctionsOf(file.id)]).toEqual([
        [],
        [],
        'corrections/a.xlsx',
      ]);
    },
  },
  {
    fact: 'correctionsOf returns the workbook that was written last',
    holds: async ({ ledger }) => {
      const file = await ledger.recordFile(FILE, async (transaction) => {
        transaction.addRow(newRow({ outcome: 'order', orderId: transaction.addOrder(newOrder()) }, 2));
        transaction.addRow(newRow({}, 3));
      });
      const write = async (name: string): Promise<void> => {
        await ledger.markCorrected(
          file.id,
          (await listed(ledger.rowsToCorrect(file.id))).map((row) => row.id),
          name,
        );
      };
      expect(await ledger.correctionsOf(file.id)).toBeNull();
      await write('corrections/to fix.xlsx');
      await refuse(ledger, 1);
      await write('corrections/refused.xlsx');
      expect(await ledger.correctionsOf(file.id)).toBe('corrections/refused.xlsx');
    },
  },
  {
    fact: 'findFilesLike finds a file by a part of its or its corrections workbook’s name',
    holds: async ({ ledger }) => {
      const [march, april] = [
        await ledger.recordFile({ ...FILE, hash: 'm', name: 'jones/March 100%.csv' }, async (transaction) => {
          transaction.addRow(newRow({}, 2));
        }),
        await ledger.recordFile({ ...FILE, hash: 'a', name: 'April.csv' }, async () => {}),
      ];
      const rows = (await listed(ledger.rowsToCorrect(march.id))).map((row) => row.id);
      await ledger.markCorrected(march.id, rows, 'corrections/jones/March - to fix.xlsx');
      const found = async (text: string): Promise<readonly string[]> =>
        (await ledger.findFilesLike(text)).map(({ name }) => name);
      for (const text of ['march', '100%', 'March - to fix.xlsx']) expect(await found(text)).toEqual([march.name]);
      expect(await found('.csv')).toEqual([april.name, march.name]);
      expect(await found('1_0')).toEqual([]);
    },
  },
  {
    fact: 'findFiles finds a file by the name under which it came again',
    holds: async ({ ledger }) => {
      const { id } = await ledger.recordFile({ hash: 'aa', name: 'a.csv', layouts: [], notes: [] }, async () => {});
      await ledger.noteStep('file', String(id), 'came again', { name: 'jones/b.csv' });
      expect((await ledger.findFiles('jones/b.csv')).map(({ name }) => name)).toEqual(['a.csv']);
      expect(await ledger.findFiles('b.csv')).toEqual([]);
    },
  },
  {
    fact: 'findOrders finds a number with other zeros, case or punctuation',
    holds: async ({ ledger }) => {
      const ids = await recordOrders(
        ledger,
        [newOrder({ policyNumber: '0004410559' }), newOrder({ inspectionNumber: 'AB 12/7', policyNumber: '4410560' })],
        'May.csv',
      );
      const found = async (text: string): Promise<readonly number[]> =>
        (await ledger.findOrders(text)).map(({ id }) => id);
      for (const text of ['4410559', '004410559']) expect(await found(text)).toEqual([ids[0]]);
      for (const text of ['ab-12-7', '000AB.12-7', '0004410560']) expect(await found(text)).toEqual([ids[1]]);
      for (const text of ['AB-1-2-7', '41055', '-']) expect(await found(text)).toEqual([]);
    },
  },
  {
    fact: 'findOrders finds an order by the digits of its phone',
    holds: async ({ ledger }) => {
      const [id] = await recordOrders(ledger, [
        newOrder({ insuredPhone: '(978) 555-2469' }),
        newOrder({ insuredPhone: '978-555-2460', inspectionNumber: 'A-1' }),
      ]);
      for (const text of ['978.555.2469', '9785552469', '555-2469'])
        expect((await ledger.findOrders(text)).map((order) => order.id)).toEqual([id]);
      expect(await ledger.findOrders('2469')).toEqual([]);
    },
  },
  {
    fact: 'findOrders prefers the number as it was asked for',
    holds: async ({ ledger }) => {
      const ids = await recordOrders(ledger, [newOrder({ policyNumber: '0077' }), newOrder({ policyNumber: '77' })]);
      expect((await ledger.findOrders('0077')).map(({ id }) => id)).toEqual([ids[0]]);
      expect((await ledger.findOrders('00077')).map(({ id }) => id)).toEqual(ids);
    },
  },
  {
    fact: 'findOrders finds orders by number, id, name or file',
    holds: async ({ ledger }) => {
      const ids = await recordOrders(
        ledger,
        [newOrder({ policyNumber: 'P-1' }), newOrder({ inspectionNumber: 'A-1', policyNumber: 'P-2' })],
        'May.csv',
      );
      const found = async (text: string): Promise<readonly number[]> =>
        (await ledger.findOrders(text)).map(({ id }) => id);
      expect(await found('P-1')).toEqual([ids[0]]);
      expect(await found('A-1')).toEqual([ids[1]]);
      expect(await found('May.csv')).toEqual(ids);
      expect(await found(String(ids[1]))).toEqual([ids[1]]);
      expect(await found(orderPayload().insuredName)).toEqual(ids);
    },
  },
];
