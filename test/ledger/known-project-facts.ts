import { expect } from 'vitest';
import { addressKey } from '../../src/domain/identity.ts';
import {
  attemptOf,
  newRow,
  orderPayload,
  projectTie,
  recordCreated,
  recordOrder,
  rowRecord,
} from '../support/order-factory.ts';
import type { KnownProject } from '../../src/ledger/known-projects.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { projectsOnRecord } from '../support/on-record.ts';
import type { LedgerFact } from './ledger-fact.ts';

const DAY_MS = 86_400_000;
const ANY_TIME = { insuredBy: '', since: 0 };

const ids = (found: KnownProject | null) => (found === null ? null : [found.orderId, found.projectId, found.certain]);
const byInspection = async (ledger: Ledger, inspectionNumber: string, insuredBy = '', since = 0) => {
  const known = await projectsOnRecord(ledger, { inspectionNumber, insuredBy }, since);
  return ids(known.withInspectionNumber(inspectionNumber, { insuredBy, since }));
};

/** Puts on record that a row came again with another phone number. */
async function comeAgain(ledger: Ledger, orderId: number, file: string, now: string): Promise<void> {
  await ledger.recordFile({ hash: file, name: file, layouts: [], notes: [] }, async (transaction) => {
    const record = { ...rowRecord(7), place: { file, sheet: 'Orders', rowNumber: 7 } };
    transaction.addRow(
      newRow({ outcome: 'repeat', orderId, record, changes: [{ field: 'insuredPhone', ordered: '555-0100', now }] }),
    );
  });
}

/** What a forecast asks, and what is told of orders that came again changed. */
export const KNOWN_PROJECT_FACTS: readonly LedgerFact[] = [
  {
    fact: 'knownProjects finds a project by each key that the service compares',
    holds: async ({ ledger, clock }) => {
      // Only among projects with the same insured-by.
      const id = await recordCreated(ledger, '501', {
        inspectionNumber: 'A-1',
        policyNumber: 'P-1',
        policyEffectiveDate: '2026-01-01',
        insuredBy: 'Granite',
      });
      const found = { orderId: id, projectId: '501', createdAt: clock.now(), certain: true };
      const key = { insuredBy: 'Granite', since: clock.now() };
      const address = addressKey(orderPayload());
      const other = addressKey(orderPayload({ streetAddress: '9 Elm Road' }));
      const compared = {
        inspectionNumber: 'A-1',
        policyNumber: 'P-1',
        effectiveDate: '2026-01-01',
        addressKey: address,
        insuredBy: 'Granite',
      };
      const knownProjects = await ledger.knownProjects(
        [
          compared,
          { ...compared, inspectionNumber: 'A-2', insuredBy: '', addressKey: other },
          { ...compared, effectiveDate: '2026-01-02' },
          { ...compared, effectiveDate: '' },
          { ...compared, policyNumber: '' },
        ],
        0,
      );
      expect(knownProjects.withInspectionNumber('A-1', key)).toEqual(found);
      expect(knownProjects.withPolicy('P-1', '2026-01-01', key)).toEqual(found);
      expect(knownProjects.atAddress(addressKey(orderPayload()), key)).toEqual(found);
      const none = [
        knownProjects.withInspectionNumber('A-2', key),
        knownProjects.withInspectionNumber('A-1', { ...key, insuredBy: '' }),
        knownProjects.withPolicy('P-1', '2026-01-02', key),
        knownProjects.withPolicy('P-1', '', key),
        knownProjects.withPolicy('', '2026-01-01', key),
        knownProjects.atAddress(addressKey(orderPayload({ streetAddress: '9 Elm Road' })), key),
        knownProjects.atAddress(addressKey(orderPayload()), { ...key, since: clock.now() + 1 }),
      ];
      expect(none).toEqual(none.map(() => null));
    },
  },
  {
    fact: 'withPolicy finds orders without a policy number by effective date',
    holds: async ({ ledger }) => {
      const dated = await recordCreated(ledger, '501', { policyEffectiveDate: '2026-01-01' });
      const undated = await recordCreated(ledger, '502');
      const withDate = await projectsOnRecord(ledger, { effectiveDate: '2026-01-01' });
      const without = await projectsOnRecord(ledger, {});
      expect(ids(withDate.withPolicy('', '2026-01-01', ANY_TIME))).toEqual([dated, '501', true]);
      expect(ids(without.withPolicy('', '', ANY_TIME))).toEqual([undated, '502', true]);
    },
  },
  {
    fact: "withInspectionNumber finds the newest project, by its request's time",
    holds: async ({ ledger, clock }) => {
      const waiting = await recordOrder(ledger, { inspectionNumber: 'A-1' });
      await clock.advance(40 * DAY_MS);
      await ledger.beginAttempt(waiting, attemptOf());
      await ledger.moveOrder(waiting, 'submitting', {
        to: 'created',
        project: projectTie('9223372036854775806'),
        adopted: false,
      });
      expect(await byInspection(ledger, 'A-1', '', clock.now())).toEqual([waiting, '9223372036854775806', true]);
      const again = await recordOrder(ledger, { inspectionNumber: 'A-1' }, { identity: 'inspection:A-1#again' });
      await ledger.beginAttempt(again, attemptOf());
      await ledger.moveOrder(again, 'submitting', {
        to: 'created',
        project: projectTie('9223372036854775807'),
        adopted: false,
      });
      expect(await byInspection(ledger, 'A-1')).toEqual([again, '9223372036854775807', true]);
    },
  },
  {
    fact: 'withInspectionNumber is certain of created projects only',
    holds: async ({ ledger }) => {
      // Refused and abandoned orders are not found at all.
      const states: [string, boolean | null][] = [];
      const told = async (inspectionNumber: string) => {
        const known = await projectsOnRecord(ledger, { inspectionNumber });
        return known.withInspectionNumber(inspectionNumber, ANY_TIME)?.certain ?? null;
      };
      await recordOrder(ledger, { inspectionNumber: 'ready' });
      states.push(['ready', await told('ready')]);
      for (const move of [
        { to: 'unresolved', code: 'outcome-unknown', reason: '504', uncertainSince: 1 },
        { to: 'linked', code: 'duplicate-linked', project: projectTie('77'), reason: '409' },
        { to: 'skipped', code: 'duplicate-skipped', reason: '409' },
        { to: 'held', code: 'attempts-used-up', reason: 'two of them' },
        { to: 'refused', code: 'service-refused', reason: '400' },
      ] as const) {
        const id = await recordOrder(ledger, { inspectionNumber: move.to });
        await ledger.beginAttempt(id, attemptOf());
        await ledger.moveOrder(id, 'submitting', move);
        states.push([move.to, await told(move.to)]);
      }
      const abandoned = await recordOrder(ledger, { inspectionNumber: 'abandoned' });
      await ledger.moveOrder(abandoned, 'ready', {
        to: 'abandoned',
        code: 'abandoned-by-person',
        reason: 'not wanted',
      });
      states.push(['abandoned', await told('abandoned')]);
      expect(Object.fromEntries(states)).toEqual({
        ready: false,
        unresolved: false,
        linked: false,
        skipped: false,
        held: false,
        refused: null,
        abandoned: null,
      });
    },
  },
  {
    fact: "withInspectionNumber ignores an order tied to another order's project",
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '501', { inspectionNumber: 'A-1' });
      const tied = await recordOrder(ledger, { inspectionNumber: 'B-1' });
      await ledger.beginAttempt(tied, attemptOf());
      await ledger.moveOrder(tied, 'submitting', {
        to: 'linked',
        code: 'duplicate-linked',
        project: projectTie('501'),
        reason: '409',
      });
      expect(await byInspection(ledger, 'B-1')).toBeNull();
    },
  },
  {
    fact: 'knownProjects and changedOrders ignore other accounts',
    holds: async ({ ledger, openAgain }) => {
      await recordCreated(ledger, '501', { inspectionNumber: 'A-1' });
      const other = await openAgain('another account');
      expect(await byInspection(other, 'A-1')).toBeNull();
      expect(await other.changedOrders(10)).toEqual([]);
    },
  },
  {
    fact: 'changedOrders lists the latest change until the project ends',
    holds: async ({ ledger, clock }) => {
      const id = await recordCreated(ledger, '501', { inspectionNumber: 'A-1' });
      await comeAgain(ledger, id, 'second.csv', '555-0101');
      await comeAgain(ledger, id, 'third.csv', '555-0102');
      const other = await recordCreated(ledger, '502', { inspectionNumber: 'B-1' });
      await comeAgain(ledger, other, 'fourth.csv', '555-0103');
      expect(await ledger.changedOrders(10)).toEqual([
        {
          orderId: other,
          projectId: '502',
          status: 'Project Created',
          at: clock.now(),
          place: { file: 'fourth.csv', sheet: 'Orders', rowNumber: 7 },
          changes: [{ field: 'insuredPhone', ordered: '555-0100', now: '555-0103' }],
        },
        {
          orderId: id,
          projectId: '501',
          status: 'Project Created',
          at: clock.now(),
          place: { file: 'third.csv', sheet: 'Orders', rowNumber: 7 },
          changes: [{ field: 'insuredPhone', ordered: '555-0100', now: '555-0102' }],
        },
      ]);
      expect(await ledger.changedOrders(1)).toHaveLength(1);
      await ledger.recordStatuses([{ id: '501', status: 'Project Canceled' }]);
      expect((await ledger.changedOrders(10)).map(({ orderId }) => orderId)).toEqual([other]);
    },
  },
];
