import { expect } from 'vitest';
import { newOrder, recordCreated } from '../support/order-factory.ts';
import { onRecord } from '../support/on-record.ts';
import type { LedgerFact } from './ledger-fact.ts';

const CANCEL = { kind: 'cancel', comment: 'sold' } as const;

export const UPDATE_FACTS: readonly LedgerFact[] = [
  {
    fact: 'beginUpdate allows one open update for a project, which ends once',
    holds: async ({ ledger, openAgain }) => {
      await recordCreated(ledger, '11');
      const source = { file: 'list.csv', sheet: 'list', rowNumber: 2 };
      const id = await ledger.beginUpdate({
        projectId: '11',
        request: CANCEL,
        before: { status: 'Project Created' },
        source,
      });
      expect(id).not.toBeNull();
      expect(await ledger.beginUpdate({ projectId: '11', request: CANCEL, before: {}, source: null })).toBeNull();
      expect(await (await openAgain()).openUpdates()).toMatchObject([
        {
          id,
          projectId: '11',
          request: CANCEL,
          before: { status: 'Project Created' },
          source,
          state: 'open',
          endedAt: null,
        },
      ]);
      expect(await (await openAgain('another')).openUpdates()).toEqual([]);
      expect(await ledger.endUpdate(id ?? 0, { to: 'done', status: 'Project Canceled', settled: false })).toBe(true);
      expect(
        await ledger.endUpdate(id ?? 0, { to: 'refused', code: 'service-refused', reason: 'late', status: null }),
      ).toBe(false);
      expect([
        await ledger.openUpdates(),
        (await ledger.updatesOf('11')).map(({ state }) => state),
        await ledger.projectCounts(),
      ]).toMatchObject([[], ['done'], { canceled: 1, outstanding: 0 }]);
      const { steps } = await ledger.storyOf(1);
      expect(steps.slice(-3).map(({ event }) => event)).toEqual(['cancel asked for', 'cancel done', 'status']);
    },
  },
  {
    fact: 'endUpdate keeps the reason of a refusal and allows another update',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11');
      const id = await ledger.beginUpdate({ projectId: '11', request: CANCEL, before: {}, source: null });
      await ledger.endUpdate(id ?? 0, {
        to: 'refused',
        code: 'service-refused',
        reason: 'too late',
        status: 'Site Inspected',
      });
      expect(await ledger.updatesOf('11')).toMatchObject([{ state: 'refused', reason: 'too late' }]);
      expect(await ledger.beginUpdate({ projectId: '11', request: CANCEL, before: {}, source: null })).not.toBeNull();
    },
  },
  {
    fact: 'recordStatuses makes news of a cancellation after a refused cancel',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11');
      const id = await ledger.beginUpdate({ projectId: '11', request: CANCEL, before: {}, source: null });
      await ledger.endUpdate(id ?? 0, {
        to: 'refused',
        code: 'service-refused',
        reason: 'too late',
        status: 'Site Inspected',
      });
      await ledger.recordStatuses([{ id: '11', status: 'Project Canceled' }]);
      expect(await ledger.openNews()).toMatchObject([{ kind: 'project-canceled', subject: '11' }]);
    },
  },
  {
    fact: 'finds an amended project by its old policy and its new one',
    holds: async ({ ledger }) => {
      // A refused amendment changes nothing.
      const policy = { policyNumber: 'P-1', policyEffectiveDate: '2027-01-01' };
      await recordCreated(ledger, '11', { ...policy, inspectionNumber: undefined });
      const amend = async (
        request: { policyNumber?: string; policyEffectiveDate?: string },
        to: 'done' | 'refused',
      ): Promise<void> => {
        const id = await ledger.beginUpdate({
          projectId: '11',
          request: { kind: 'amend', ...request },
          before: {},
          source: null,
        });
        await ledger.endUpdate(
          id ?? 0,
          to === 'done'
            ? { to, status: null, settled: true }
            : { to, code: 'service-refused', reason: 'no', status: null },
        );
      };
      await amend({ policyNumber: 'P-0' }, 'refused');
      await amend({ policyNumber: 'P-2' }, 'done');
      await amend({ policyEffectiveDate: '' }, 'done');
      expect(await ledger.amendedDetails('11')).toEqual({ policyNumber: 'P-2', policyEffectiveDate: '' });
      const found = async (details: object): Promise<number | undefined> => {
        const order = newOrder(details);
        return (await onRecord(ledger, { ...order, addressKey: null, subjectKey: '' })).findLivingOrder(order.identity)
          ?.id;
      };
      expect([
        await found(policy),
        await found({ ...policy, policyNumber: 'P-2' }),
        await found({ policyNumber: 'P-2' }),
        await found({ ...policy, policyNumber: 'P-0' }),
      ]).toEqual([1, 1, 1, undefined]);
      expect(await found({ policyNumber: 'P-2', policyEffectiveDate: '2020-01-01' })).toBeUndefined();
      const named = async (text: string) =>
        (await ledger.projectsNamed('policyNumber', text)).map(({ projectId }) => projectId);
      expect([await named('P-1'), await named('P-2'), await named('P-0'), await named('P')]).toEqual([
        ['11'],
        ['11'],
        [],
        [],
      ]);
      expect((await ledger.findOrders('P-2')).map(({ id }) => id)).toEqual([1]);
    },
  },
  {
    fact: 'projectsNamed finds projects by id and both numbers',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11', { inspectionNumber: 'A-1', policyNumber: 'P-1' });
      await recordCreated(ledger, '12', { inspectionNumber: 'A-2', policyNumber: 'P-1' });
      const ids = async (key: 'projectId' | 'policyNumber' | 'inspectionNumber', text: string) =>
        (await ledger.projectsNamed(key, text)).map(({ projectId, orderId }) => [projectId, orderId]);
      expect([
        await ids('projectId', '11'),
        await ids('inspectionNumber', 'A-2'),
        await ids('policyNumber', 'P-1'),
      ]).toEqual([
        [['11', 1]],
        [['12', 2]],
        [
          ['11', 1],
          ['12', 2],
        ],
      ]);
    },
  },
  {
    fact: 'projectWithDelivery names the delivery until the project changes',
    holds: async ({ ledger }) => {
      await ledger.startRun('a run', 'run');
      await recordCreated(ledger, '11');
      const deliveredIn = async () => (await ledger.projectWithDelivery('11'))?.deliveredIn;
      expect([await deliveredIn(), await ledger.projectWithDelivery('12')]).toEqual([null, null]);
      await ledger.recordDelivery({
        run: 'a run',
        folder: 'deliveries/a run',
        contents: {},
        orderIds: [],
        results: false,
        projectIds: ['11'],
        seen: await ledger.newestIds(),
      });
      expect(await deliveredIn()).toBe('deliveries/a run');
      await ledger.recordStatuses([{ id: '11', status: 'Returned to Client' }]);
      expect(await deliveredIn()).toBeNull();
    },
  },
  {
    fact: 'findOrders searches names and streets if no number matches',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11', {
        inspectionNumber: 'A-1',
        insuredName: 'Marisol Vega',
        streetAddress: '9 Elm 100% Road',
      });
      await recordCreated(ledger, '12', { inspectionNumber: 'A-2', insuredName: 'A-1', streetAddress: '8 Oak Road' });
      const ids = async (text: string) => (await ledger.findOrders(text)).map(({ id }) => id);
      expect([await ids('vega'), await ids('ROAD'), await ids('100%'), await ids('A-1'), await ids('nobody')]).toEqual([
        [1],
        [1, 2],
        [1],
        [1],
        [],
      ]);
      const [file] = await ledger.findFiles('inspection:A-1.csv');
      expect(await Array.fromAsync(ledger.rowsOf(file?.id ?? 0))).toMatchObject([
        { row: { orderId: 1 }, orderState: 'created', projectId: '11', status: 'Project Created' },
      ]);
    },
  },
];
