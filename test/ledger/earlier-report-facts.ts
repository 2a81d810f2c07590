import { expect } from 'vitest';
import type { OrderPayload } from '../../src/domain/row.ts';
import { recordCreated } from '../support/order-factory.ts';
import type { LedgerBench, LedgerFact } from './ledger-fact.ts';

const DAY_MS = 86_400_000;

/** Orders, returns and collects a project; a day passes after each. */
async function collect({ ledger, clock }: LedgerBench, projectId: string, order: Partial<OrderPayload>): Promise<void> {
  await recordCreated(ledger, projectId, order);
  await ledger.recordStatuses([{ id: projectId, status: 'Returned to Client' }]);
  await clock.advance(DAY_MS);
  await summary({ ledger }, projectId, 'R1', 1);
  await ledger.markCollected(projectId);
  await clock.advance(DAY_MS);
}

async function summary(
  { ledger }: Pick<LedgerBench, 'ledger'>,
  projectId: string,
  serviceId: string,
  version: number,
  content = version,
): Promise<void> {
  const path = `${projectId}-${serviceId}-${version}.json`;
  await ledger.recordArtifact({
    projectId,
    kind: 'summary',
    serviceId,
    version,
    type: '',
    detail: {},
    path,
    bytes: 1,
    sha256: `${projectId}-${serviceId}-${content}.json`,
  });
}

const at = (
  streetAddress: string,
  policyNumber: string,
  policyEffectiveDate = '2026-01-01',
): Partial<OrderPayload> => ({ streetAddress, policyNumber, policyEffectiveDate });

async function earlier({ ledger }: LedgerBench, projectId: string): Promise<readonly unknown[] | null> {
  const found = await ledger.earlierSummaries(projectId);
  return found === null ? null : [found.projectId, found.known, found.summaries.map(({ path }) => path)];
}

export const EARLIER_REPORT_FACTS: readonly LedgerFact[] = [
  {
    fact: 'finds the last report at the address, else of the policy number',
    holds: async (bench) => {
      // Whatever the policy's effective date.
      await collect(bench, '11', at('1 Oak Street', 'P-1'));
      await collect(bench, '12', at('2 Elm Street', 'P-10'));
      await collect(bench, '13', at('1 OAK street', 'P-2'));
      await collect(bench, '14', at('9 Ash Street', 'P-1', '2027-01-01'));
      await collect(bench, '15', at('1 Oak Street', 'P-1', '2027-02-01'));
      expect(await earlier(bench, '11')).toBeNull();
      expect(await earlier(bench, '12')).toBeNull();
      expect(await earlier(bench, '13')).toEqual(['11', 'address', ['11-R1-1.json']]);
      expect(await earlier(bench, '14')).toEqual(['11', 'policy', ['11-R1-1.json']]);
      expect(await earlier(bench, '15')).toEqual(['13', 'address', ['13-R1-1.json']]);
      expect(await earlier({ ...bench, ledger: await bench.openAgain('another') }, '15')).toBeNull();
    },
  },
  {
    fact: 'ignores reports returned together and reports without a summary',
    holds: async (bench) => {
      const { ledger, clock } = bench;
      await recordCreated(ledger, '10', at('1 Oak Street', 'P-0'));
      await ledger.recordStatuses([{ id: '10', status: 'Returned to Client' }]);
      await ledger.markCollected('10');
      await clock.advance(DAY_MS);
      for (const id of ['11', '12']) await recordCreated(ledger, id, at('1 Oak Street', `P-${id}`));
      await ledger.recordStatuses(['11', '12'].map((id) => ({ id, status: 'Returned to Client' })));
      for (const id of ['11', '12']) {
        await clock.advance(1000);
        await summary(bench, id, 'R1', 1);
        await ledger.markCollected(id);
      }
      expect([await earlier(bench, '11'), await earlier(bench, '12')]).toEqual([null, null]);
    },
  },
  {
    fact: 'finds the version before a replaced report',
    holds: async (bench) => {
      // With the other reports that the project had at that time.
      await collect(bench, '10', at('1 Oak Street', 'P-1'));
      await collect(bench, '11', at('1 Oak Street', 'P-1', '2027-01-01'));
      await summary(bench, '11', 'R2', 1);
      await bench.clock.advance(DAY_MS);
      await summary(bench, '11', 'R1', 2);
      await bench.clock.advance(1000);
      await summary(bench, '11', 'R3', 1);
      expect(await earlier(bench, '11')).toEqual(['11', 'version', ['11-R1-1.json', '11-R2-1.json']]);
    },
  },
  {
    fact: 'takes a lost summary that was fetched again for no new version',
    holds: async (bench) => {
      await collect(bench, '10', at('1 Oak Street', 'P-1'));
      await collect(bench, '11', at('1 Oak Street', 'P-1', '2027-01-01'));
      await summary(bench, '11', 'R1', 2, 1);
      expect(await earlier(bench, '11')).toEqual(['10', 'address', ['10-R1-1.json']]);
    },
  },
  {
    fact: 'endings names the latest inspections and orders of the same house',
    holds: async (bench) => {
      const { ledger, clock } = bench;
      const begunAt = clock.now();
      await collect(bench, '10', at('1 Oak Street', 'P-0'));
      for (const id of ['11', '12', '13']) await recordCreated(ledger, id, at(`${id} Oak Street`, `P-${id}`));
      await recordCreated(ledger, '14', at('1 Oak Street', 'P-14'));
      await ledger.recordCloseout('11', ['No access.']);
      await ledger.recordStatuses(['12', '14'].map((id) => ({ id, status: 'Project Canceled' })));
      await clock.advance(DAY_MS);
      await collect(bench, '21', { ...at('11 OAK street', 'P-21'), serviceName: 'Roof Only' });
      const returnedAt = clock.now();
      await collect(bench, '22', { ...at('11 Oak Street', 'P-22'), serviceName: 'Exterior' });
      await collect(bench, '23', at('11 Oak Street', 'P-23'));
      await ledger.recordCloseout('23', []);
      const inspectedSince = { projectId: '22', serviceName: 'Exterior', at: returnedAt };
      await recordCreated(ledger, '24', at('12 Oak Street', 'P-24'));
      const orderedSince = { projectId: '24', serviceName: '4-Point', at: clock.now() };
      const known = await ledger.endings(['11', '12', '13', '14']);
      expect(Object.fromEntries(known)).toEqual({
        11: {
          reasons: ['No access.'],
          askedAt: null,
          inspectedBefore: null,
          inspectedSince,
          orderedSince: inspectedSince,
          isOvertaken: true,
        },
        12: {
          reasons: [],
          askedAt: null,
          inspectedBefore: null,
          inspectedSince: null,
          orderedSince,
          isOvertaken: true,
        },
        14: {
          reasons: [],
          askedAt: null,
          inspectedBefore: { projectId: '10', serviceName: '4-Point', at: begunAt },
          inspectedSince: null,
          orderedSince: null,
          isOvertaken: false,
        },
      });
      expect((await ledger.closeouts()).find(({ projectId }) => projectId === '11')).toMatchObject({ inspectedSince });
      expect((await ledger.endedProjects()).find(({ projectId }) => projectId === '11')).toMatchObject({
        inspectedSince,
      });
    },
  },
  {
    fact: 'laterInspections names the latest inspection of the same house after each',
    holds: async (bench) => {
      const { ledger, clock } = bench;
      await collect(bench, '10', at('1 Oak Street', 'P-0'));
      await collect(bench, '11', at('2 Oak Street', 'P-1'));
      await clock.advance(DAY_MS);
      const returnedAt = clock.now();
      await collect(bench, '20', { ...at('1 OAK street', 'P-20'), serviceName: 'Roof Only' });
      await collect(bench, '21', at('1 Oak Street', 'P-21'));
      await ledger.recordCloseout('21', []);
      expect(Object.fromEntries(await ledger.laterInspections(['10', '11', '20']))).toEqual({
        10: { projectId: '20', serviceName: 'Roof Only', at: returnedAt },
      });
    },
  },
  {
    fact: 'endings keeps the reasons of a closeout that was canceled here',
    holds: async ({ ledger, clock }) => {
      await recordCreated(ledger, '11');
      await ledger.recordCloseout('11', ['No access.']);
      const askedAt = clock.now();
      const request = { kind: 'cancel' } as const;
      const id = await ledger.beginUpdate({ projectId: '11', request, before: {}, source: null });
      expect((await ledger.endings(['11'])).get('11')).toMatchObject({ reasons: ['No access.'], askedAt: null });
      await ledger.endUpdate(id ?? 0, { to: 'done', status: 'Project Canceled', settled: true });
      expect((await ledger.endings(['11'])).get('11')).toMatchObject({ reasons: ['No access.'], askedAt });
    },
  },
];
