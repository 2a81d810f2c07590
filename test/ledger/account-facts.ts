import { expect } from 'vitest';
import { attemptOf, newRow, orderPayload, recordCreated, recordOrder } from '../support/order-factory.ts';
import { type ServiceAccount, serviceAccount } from '../../src/domain/service-account.ts';
import { addressKey } from '../../src/domain/identity.ts';
import { listed, type LedgerFact } from './ledger-fact.ts';

const FILE = { hash: 'aa', name: 'a.csv', layouts: [], notes: [] };

export const ACCOUNT_FACTS: readonly LedgerFact[] = [
  {
    fact: 'account is the account that the ledger was opened for',
    holds: async ({ ledger, openAgain }) => {
      expect([ledger.account, (await openAgain('another')).account]).toEqual(['an account', 'another']);
    },
  },
  {
    fact: 'nameAccount moves a name to the account named last',
    holds: async ({ ledger, openAgain }) => {
      // An account may have many names.
      const [ann, bob] = ['ann', 'bob'].map((user) =>
        serviceAccount(new URL('https://api.example.com'), 'client', user),
      ) as [ServiceAccount, ServiceAccount];
      await ledger.nameAccount(ann, 'an account');
      await ledger.nameAccount(bob, 'another');
      await recordOrder(ledger, { inspectionNumber: 'A-1' });
      await (await openAgain('another')).nameAccount(bob, 'an account');
      const [own, other] = await ledger.accountsOnRecord();
      expect(own).toMatchObject({ account: 'an account', names: [ann, bob], files: 1, orders: 1, projects: 0 });
      expect(own?.names[1]?.since).toBeGreaterThan(own?.names[0]?.since ?? Infinity);
      expect(other).toBeUndefined();
    },
  },
  {
    fact: 'keeps the same file, identity and project id apart by account',
    holds: async ({ ledger, openAgain }) => {
      const other = await openAgain('another');
      for (const one of [ledger, other]) {
        await one.recordFile(FILE, async (transaction) => transaction.addRow(newRow()));
        await recordCreated(one, '11', { inspectionNumber: 'A-1' });
      }
      await ledger.recordStatuses([{ id: '11', status: 'Client Received' }]);
      await ledger.markCollected('11');
      expect([(await ledger.projectCounts()).received, (await other.projectCounts()).received]).toEqual([1, 0]);
      expect([(await ledger.followedProjects()).length, (await other.followedProjects()).length]).toEqual([0, 1]);
    },
  },
  {
    fact: "keeps each account's records out of every other account",
    holds: async ({ ledger, openAgain }) => {
      const other = await openAgain('another');
      await ledger.recordFile(FILE, async (transaction) => transaction.addRow(newRow()));
      await recordCreated(ledger, '11', { inspectionNumber: 'A-1', policyNumber: 'P-1' });
      const sending = await recordOrder(ledger, { inspectionNumber: 'A-2' });
      await ledger.beginAttempt(sending, attemptOf());
      await ledger.recordArtifact({
        projectId: '11',
        kind: 'report',
        serviceId: 'R1',
        version: 1,
        type: '',
        detail: {},
        path: 'a.pdf',
        bytes: 1,
        sha256: 'aa',
      });
      let found: unknown[] = [];
      await other.rehearseFile(async (transaction) => {
        found = [
          transaction.findLivingOrder('inspection:A-1'),
          transaction.findOrderAtAddress(addressKey(orderPayload()), 0),
          transaction.findOrderOfPolicy('["P-1",""]'),
        ];
      });
      expect(found).toEqual([null, null, null]);
      expect(Object.values(await other.orderCounts()).every((count) => count === 0)).toBe(true);
      expect(await other.somethingToHandOver()).toEqual({ orders: false, results: false });
      const all = [other.findFile('aa'), other.highestProjectId(), other.recoverInterrupted()];
      expect(await Promise.all(all)).toEqual([null, null, 0]);
      const none = [
        await other.filesToCorrect(),
        await other.ordersIn('created', 0, 10),
        await other.followedProjects(),
        await other.statusCounts(),
        await other.artifactsOf('11'),
        await other.findOrders('A-1'),
        await other.findOrders('11'),
        await other.findOrders('a.csv'),
        await other.projectsAtAddress(addressKey(orderPayload())),
        await other.recordStatuses([{ id: '11', status: 'Client Received' }]),
        await listed(other.projectsForResults(true)),
        await listed(other.notOrdered(true)),
        await listed(other.ordersToHandOver()),
      ];
      expect(none.flat()).toEqual([]);
      expect(await ledger.followedProjects()).toMatchObject([{ id: '11', status: 'Project Created' }]);
    },
  },
  {
    fact: 'order and moveOrder ignore orders of another account',
    holds: async ({ ledger, openAgain }) => {
      const other = await openAgain('another');
      const id = await recordOrder(ledger);
      expect(await other.order(id)).toBeNull();
      expect(await other.beginAttempt(id, attemptOf())).toBe(false);
      expect(
        await other.moveOrder(id, 'ready', { to: 'abandoned', code: 'abandoned-by-person', reason: 'by mistake' }),
      ).toBe(false);
    },
  },
  {
    fact: "storyOf leaves out another account's project of the same id",
    holds: async ({ ledger, openAgain }) => {
      const other = await openAgain('another');
      const id = await recordCreated(ledger, '11');
      await recordCreated(other, '11');
      await other.recordStatuses([{ id: '11', status: 'Project Canceled' }]);
      const events = (await ledger.storyOf(id)).steps.map(({ event, detail }) => [event, detail?.['status'] ?? null]);
      expect(events).not.toContainEqual(['status', 'Project Canceled']);
    },
  },
];
