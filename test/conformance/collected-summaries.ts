import { order, TestClient } from '../support/sandbox/test-client.ts';
import { type Fields, held, later, reportsOf } from './steps.ts';

/** A report summary as it came over HTTP, and the order it belongs to. */
export interface Collected {
  readonly seed: number;
  readonly order: Fields;
  readonly projectId: string;
  readonly id: string;
  readonly type: string;
  /** Milliseconds since the UNIX epoch, by the sandbox's own record. */
  readonly orderedAt: number;
  readonly returnedAt: number;
  readonly project: Fields;
  readonly summary: Fields;
}

/** A seed is an account: each has a report template of its own. */
const SEEDS = [1, 2, 3, 4, 5];
const HOUSES = [
  { policyType: 'Homeowners Insurance', houseType: 'Residential Single Family', serviceName: 'Premium 4-Point' },
  { policyType: 'Homeowners Insurance', houseType: 'Residential Condo', serviceName: 'High Value Premium 4-point' },
  { policyType: 'Commercial Property Insurance', houseType: 'Habitational', serviceName: '4-Point' },
  { policyType: 'Homeowners Insurance', houseType: 'Mobile Home', serviceName: 'Exterior' },
  { policyType: 'Farm & Ranch Insurance', houseType: 'Other', serviceName: 'Self 4-Point Underwriting' },
  { policyType: 'Homeowners Insurance', houseType: 'Residential Townhouse', serviceName: 'Premium 4-Point' },
  { policyType: 'Homeowners Insurance', houseType: 'Other', serviceName: 'Roof Only' },
  { policyType: 'Homeowners Insurance', houseType: 'Other', serviceName: 'Photo Only Inspection' },
];
const ROUNDS = 5;

let collecting: Promise<Collected[]> | undefined;

/** Summaries of many seeded projects over all kinds of orders and closeouts; collected once for all tests. */
export async function collectedSummaries(): Promise<Collected[]> {
  collecting ??= Promise.all(SEEDS.map(ofOneSeed)).then((lists) => lists.flat());
  return await collecting;
}

async function ofOneSeed(seed: number): Promise<Collected[]> {
  await using client = await TestClient.start({ seed, autoProgress: false });
  const collected: Omit<Collected, 'orderedAt' | 'returnedAt'>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ordered = new Map<string, Fields>();
    for (const [index, house] of HOUSES.entries()) {
      const changes = {
        ...house,
        streetAddress: `${round} Oak Street, Apt. ${index}`,
        zipcode: '02139',
        policyNumber: `P-${round}-${index}`,
        inspectionNumber: index === 3 && round < 3 ? 'closeout_report' : `A-${round}-${index}`,
        ...(round === 1 ? {} : { isRenewal: round !== 2 }),
        ...(round < 3 ? {} : { policyEffectiveDate: round === 3 ? '2019-01-01' : '2040-12-31' }),
        ...(round === 0 ? {} : { supplementalServices: ['Sinkhole', 'Wildfire'] }),
      };
      ordered.set(await client.create(changes), order(changes));
    }
    await later(client, 3600);
    for (const [projectId, order] of ordered) {
      await client.setStatus(projectId, 'Returned to Client');
      for (const { id } of await reportsOf(client, projectId)) {
        const { report } = (await client.call('GET', `/v1/report/${id}/summary`)).body as {
          report: Pick<Collected, 'id' | 'type' | 'project' | 'summary'>[];
        };
        collected.push(...report.map((summary) => ({ seed, order, projectId, ...summary })));
      }
    }
  }
  const stored = (await held(client)) as { id: unknown; createdAt: number; statusesSet: { at: number }[] }[];
  const timesOf = new Map(
    stored.map(({ id, createdAt, statusesSet }) => [
      String(id),
      { orderedAt: createdAt, returnedAt: statusesSet[0]?.at ?? 0 },
    ]),
  );
  return collected.map((one) => ({ orderedAt: 0, returnedAt: 0, ...timesOf.get(one.projectId), ...one }));
}
