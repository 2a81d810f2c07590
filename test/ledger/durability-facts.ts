import { expect } from 'vitest';
import { attemptOf, newOrder, projectTie, recordOrder } from '../support/order-factory.ts';
import type { LedgerFact } from './ledger-fact.ts';

const FILE = { hash: 'aa', name: 'a.csv', layouts: [], notes: [] };

export const DURABILITY_FACTS: readonly LedgerFact[] = [
  {
    fact: 'shows a write to other openers once its promise resolves',
    holds: async ({ ledger, openAgain }) => {
      const other = await openAgain();
      const id = await recordOrder(ledger, { inspectionNumber: 'A-1' });
      expect((await other.order(id))?.state).toBe('ready');
      await ledger.beginAttempt(id, attemptOf('700'));
      expect(await other.order(id)).toMatchObject({ state: 'submitting', idBound: '700', attempts: 1 });
      await ledger.moveOrder(id, 'submitting', { to: 'created', project: projectTie('701'), adopted: false });
      expect([await other.order(id), await other.highestProjectId()]).toMatchObject([
        { state: 'created', projectId: '701' },
        '701',
      ]);
      await ledger.recordStatuses([{ id: '701', status: 'Site Inspected' }]);
      expect(await (await openAgain()).followedProjects()).toMatchObject([{ id: '701', status: 'Site Inspected' }]);
    },
  },
  {
    fact: 'undoes only the failing write of several at once',
    holds: async ({ ledger, openAgain }) => {
      const ids = [
        await recordOrder(ledger, { inspectionNumber: 'A-1' }),
        await recordOrder(ledger, { inspectionNumber: 'A-2' }),
        await recordOrder(ledger, { inspectionNumber: 'A-3' }),
      ];
      const [one, two, three] = ids;
      if (one === undefined || two === undefined || three === undefined) throw new Error('no orders');
      const held = { to: 'held', code: 'attempts-used-up', reason: 'waits' } as const;
      const together = await Promise.allSettled([
        ledger.moveOrder(one, 'ready', held),
        ledger.moveOrder(two, 'ready', { to: 'refused', code: 'service-refused', reason: 'no such arrow' }),
        ledger.recordArtifact({
          projectId: '4711',
          kind: 'report',
          serviceId: 'R1',
          version: 1,
          type: '',
          detail: {},
          path: 'a.pdf',
          bytes: 1,
          sha256: 'aa',
        }),
        ledger.moveOrder(three, 'ready', held),
      ]);
      expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
      const other = await openAgain();
      expect([
        (await other.order(one))?.state,
        (await other.order(two))?.state,
        (await other.order(three))?.state,
      ]).toEqual(['held', 'ready', 'held']);
    },
  },
  {
    fact: 'keeps a write made while a failing file is recorded',
    holds: async ({ ledger }) => {
      const id = await recordOrder(ledger);
      const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const recording = ledger.recordFile(FILE, async (transaction) => {
        transaction.addOrder(newOrder({ inspectionNumber: 'of the file' }));
        begun.resolve();
        await end.promise;
        throw new Error('broke off');
      });
      await begun.promise;
      const noted = ledger.moveOrder(id, 'ready', { to: 'held', code: 'attempts-used-up', reason: 'waits' });
      end.resolve();
      await expect(recording).rejects.toThrow('broke off');
      expect(await noted).toBe(true);
      expect(await ledger.orderCounts()).toMatchObject({ ready: 0, held: 1 });
    },
  },
  {
    fact: 'refuses a job that asks its own ledger',
    holds: async ({ ledger }) => {
      const id = await recordOrder(ledger);
      const asks: readonly (() => Promise<unknown>)[] = [
        () => ledger.order(id),
        () => ledger.recoverInterrupted(),
        () => ledger.rehearseFile(async () => {}),
      ];
      for (const ask of asks)
        await expect(ledger.recordFile({ ...FILE, hash: 'asks' }, ask)).rejects.toThrow('own transaction');
      expect(await ledger.findFile('asks')).toBeNull();
      expect((await ledger.order(id))?.state).toBe('ready');
    },
  },
  {
    fact: 'lets work that a job started ask the ledger afterwards',
    holds: async ({ ledger }) => {
      const end = Promise.withResolvers<void>();
      let later: Promise<unknown> | undefined;
      const file = await ledger.recordFile({ ...FILE, hash: 'starts' }, async () => {
        later = end.promise.then(() => ledger.findFile('starts'));
      });
      end.resolve();
      expect(await later).toEqual(file);
    },
  },
  {
    fact: 'records files one after the other',
    holds: async ({ ledger }) => {
      const order: string[] = [];
      const record = async (hash: string): Promise<void> => {
        await ledger.recordFile({ ...FILE, hash }, async () => {
          order.push(`${hash} begins`);
          await Promise.resolve();
          order.push(`${hash} ends`);
        });
      };
      await Promise.all([record('a'), record('b'), record('c')]);
      expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    },
  },
];
