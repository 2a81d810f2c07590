import { array, assert, bigInt, boolean, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reportSummary } from '../../../src/contract/document.ts';
import { flattenSummary } from '../../../src/results/flatten.ts';
import { SurpriseCollector } from '../../../src/results/tables/surprises.ts';
import { progressPlan, visitOf } from '../../../src/sandbox/progress.ts';
import { inProof } from '../../support/proof-size.ts';
import { projectsIn, TestClient } from '../../support/sandbox/test-client.ts';

const NOW = Date.UTC(2026, 6, 1);
const DAY_SECONDS = 86_400;

describe('summaryOf', () => {
  test('projects are inspected after their order and then returned', async () => {
    await using client = await TestClient.start({ seed: 3, startAt: NOW, timeScale: 0, canceledShare: 0 });
    const dates = [undefined, '2019-01-01', '2026-07-02', '2055-12-31'];
    const ids: string[] = [];
    for (let index = 0; index < 40; index += 1) {
      const policyEffectiveDate = dates[index % dates.length];
      ids.push(
        await client.create({
          serviceName: index % 3 === 0 ? 'Self 4-Point Underwriting' : '4-Point',
          ...(policyEffectiveDate === undefined ? {} : { policyEffectiveDate }),
        }),
      );
    }
    await client.advance(5 * DAY_SECONDS);
    await client.logIn();
    const times = new Set<number>();
    for (const id of ids) {
      const [project] = projectsIn(await client.call('GET', `/v1/project/${id}/report`));
      for (const { id: report } of (project?.report ?? []) as { id: string }[]) {
        const { body } = await client.call('GET', `/v1/report/${report}/summary`);
        const { inspectionTime, completionTime } = (
          body as { report: { project: { inspectionTime: number; completionTime: number } }[] }
        ).report[0]?.project ?? { inspectionTime: 0, completionTime: 0 };
        expect([
          id,
          inspectionTime > NOW / 1000,
          inspectionTime <= completionTime,
          completionTime <= NOW / 1000 + 5 * DAY_SECONDS,
        ]).toEqual([id, true, true, true]);
        times.add(inspectionTime);
      }
    }
    expect(times.size).toBeGreaterThan(35);
  });

  test('a visit is between order and return and does not change', () => {
    const statuses = [
      'Assigned to Pilot',
      'Site Inspected',
      'Project Rework',
      'Returned to Client',
      'closed out',
      'Client Received',
      'Project Canceled',
      'Something new',
    ];
    const sets = array(record({ afterMs: nat(400 * 3_600_000), status: constantFrom(...statuses) }), { maxLength: 6 });
    assert(
      property(bigInt(1n, 10_000n), nat(4_000_000_000_000), sets, boolean(), (id, createdAt, given, autoProgress) => {
        const plan = progressPlan(
          {
            seed: '1',
            environment: 'production',
            autoProgress,
            progressHours: { min: 4, max: 96 },
            canceledShare: 0.1,
            initialStatus: 'Project Created',
          },
          { id, serviceName: '4-Point', inspectionNumber: undefined },
        );
        const statusesSet = given
          .map(({ afterMs, status }) => ({ at: createdAt + afterMs, status }))
          .toSorted((a, b) => a.at - b.at);
        const { inspectedAt, returnedAt } = visitOf(plan, { id, createdAt, statusesSet }, '1');
        expect(inspectedAt).toBeLessThanOrEqual(returnedAt);
        expect(inspectedAt).toBeGreaterThanOrEqual(Math.min(returnedAt, createdAt / 1000));
        expect(returnedAt).toBeGreaterThanOrEqual(Math.floor(createdAt / 1000));
        const back = statusesSet.findIndex(({ status }) => status === 'Returned to Client' || status === 'closed out');
        const asItWas = back === -1 ? statusesSet : statusesSet.slice(0, back + 1);
        expect(visitOf(plan, { id, createdAt, statusesSet: asItWas }, '1')).toEqual({ inspectedAt, returnedAt });
      }),
      { seed: 11, numRuns: inProof({ share: 400, whole: 2000 }) },
    );
  });

  test('attached garages hold measurements and details', async () => {
    await using client = await TestClient.start({
      seed: 5,
      autoProgress: false,
      startAt: NOW,
      timeScale: 0,
      accountTemplate: 'full',
    });
    const kinds = new Set<string>();
    for (let index = 0; index < 12; index += 1) {
      const id = await client.create({
        serviceName: 'High Value Premium 4-point',
        policyNumber: `P-${index}`,
        streetAddress: `${index} Main St`,
      });
      await client.setStatus(id, 'Returned to Client');
      const { body } = await client.call('GET', `/v1/report/R${id}-1/summary`);
      const { summary } =
        (
          body as {
            report: {
              summary: { hover?: { hoverTla: { attachedStructures: { attachedGarages: Record<string, unknown> } }[] } };
            }[];
          }
        ).report[0] ?? {};
      for (const { attachedStructures } of summary?.hover?.hoverTla ?? [])
        for (const value of Object.values(attachedStructures.attachedGarages)) kinds.add(typeof value);
    }
    expect([...kinds].toSorted()).toEqual(['boolean', 'number', 'string']);
    const collector = new SurpriseCollector();
    const attachedGarages = {
      identifier: 'GR-1',
      area: 420.5,
      measured: false,
      label: null,
      doors: [{ width: 16 }],
      notes: ['a', 'b'],
      size: { depth: 22 },
    };
    collector.add(
      'P1',
      flattenSummary(
        reportSummary.parse({
          id: 'R',
          summary: { hover: { hoverTla: [{ attachedStructures: { attachedGarages } }] } },
        }),
      ),
    );
    expect(collector.all).toEqual([]);
    collector.add(
      'P2',
      flattenSummary(
        reportSummary.parse({
          id: 'R',
          summary: { hover: { hoverTla: [{ attachedStructures: { attachedGarages: 2 } }] } },
        }),
      ),
    );
    expect(collector.all.map(({ kind, came }) => [kind, came])).toEqual([['different type', '2']]);
  });
});
