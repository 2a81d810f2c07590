import { describe, expect, test } from 'vitest';
import type { ProjectDetail, ProjectSearchItem } from '../../../src/contract/document.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import { ServiceUnavailable } from '../../../src/service/reads.ts';
import type { ReadOutcome } from '../../../src/service/outcome.ts';
import { finalPayload } from '../../../src/submit/row-decision.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { attemptOf, newOrder, orderPayload, recordOrders } from '../../support/order-factory.ts';
import { openRunBench, type RunBench, submitContext } from '../../support/run-bench.ts';
import { compareWithService, describeCensusLine } from '../../../src/upkeep/compare-with-service.ts';

/** How a service may tell of its projects. */
interface Telling {
  readonly item?: (item: ProjectSearchItem) => ProjectSearchItem;
  readonly detail?: (detail: ProjectDetail) => ProjectDetail;
}

async function census(
  { ledger, client, clock, folder }: RunBench,
  { item, detail }: Telling = {},
): Promise<readonly string[]> {
  const told: RunBench['client'] = {
    ...client,
    searchProjects: async (query) =>
      mapped(await client.searchProjects(query), (items) => items.map(item ?? ((same) => same))),
    getProject: async (id) => mapped(await client.getProject(id), detail ?? ((same) => same)),
  };
  const parts = {
    ledger,
    client: told,
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    signal: new AbortController().signal,
    root: folder,
    archive: folder,
  };
  return (await clock.drive(Array.fromAsync(compareWithService(parts)))).map(describeCensusLine);
}

function mapped<T>(outcome: ReadOutcome<T>, map: (value: T) => T): ReadOutcome<T> {
  return outcome.kind === 'ok' ? { kind: 'ok', value: map(outcome.value) } : outcome;
}

/** A row with neither number, marked as a run marks it. */
function marked(changes: Partial<OrderPayload> = {}): ReturnType<typeof newOrder> {
  const { identity, payload } = newOrder({ note: 'gate 7', ...changes });
  const final = finalPayload(payload, identity, { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 });
  return newOrder(final.payload, { identity, reference: final.reference });
}

/** An inspection number, a policy number and neither: projects 100001 … 100003. */
async function threeOrders(): Promise<RunBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openRunBench());
  await bench.ledger.startRun('a run', 'run');
  await recordOrders(bench.ledger, [
    newOrder({ inspectionNumber: 'A-1' }),
    newOrder({ policyNumber: 'P-2', policyEffectiveDate: '2026-05-01' }),
    marked(),
  ]);
  await bench.clock.drive(submitOrders(submitContext(bench)));
  const resources = opened.move();
  return { ...bench, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const standardised: Required<Telling> = {
  item: (item) => ({ ...item, streetAddress: '12 OAK ST', zipcode: '02139-1234', city: 'CAMBRIDGEPORT' }),
  detail: (detail) => ({
    ...detail,
    streetAddress: '12 OAK ST',
    zipcode: '02139-1234',
    city: 'CAMBRIDGEPORT',
    houseType: 'Bungalow',
    serviceName: '4-Point (four)',
  }),
};
const withoutDetails: Telling = { item: ({ id, status }) => ({ id, status }) };

describe('compareWithService', () => {
  test("compareWithService accepts the service's own wording", async () => {
    await using bench = await threeOrders();
    const remark = ', in the service’s own words: serviceName, houseType, streetAddress, city, zipcode differ';
    expect(await census(bench, standardised)).toEqual(
      [1, 2, 3].map((id) => `= order ${id}: project 10000${id} matches${remark}`),
    );
    expect(await census(bench, withoutDetails)).toEqual(
      [1, 2, 3].map((id) => `= order ${id}: project 10000${id} matches`),
    );
  });

  test.each<[string, Partial<ProjectDetail>, RegExp]>([
    [
      'inspection number, name and street',
      { inspectionNumber: 'A-9', insuredName: 'Bo Ray', streetAddress: '1 Elm Road' },
      /^\* order 1: .*inspectionNumber, insuredName, streetAddress differ$/,
    ],
    ['inspection number', { inspectionNumber: 'A-9' }, /^\* order 1: .*inspectionNumber differs$/],
    ['service of the document’s list', { serviceName: 'Roof Only' }, /^\* order 1: .*serviceName differs$/],
    [
      'policy type of the document’s list',
      { policyType: 'Farm & Ranch Insurance' },
      /^\* order 1: .*policyType differs$/,
    ],
    ['note, with no reference', { note: 'gate 7' }, /^\* order 3: .*it does not carry the order’s reference$/],
    ['effective date', { policyEffectiveDate: '2026-06-01' }, /^\* order 2: .*policyEffectiveDate differs$/],
  ])('a project with another %s is not what was asked for', async (_what, changes, expected) => {
    await using bench = await threeOrders();
    expect(await census(bench, { ...withoutDetails, detail: (detail) => ({ ...detail, ...changes }) })).toContainEqual(
      expect.stringMatching(expected),
    );
  });

  test.each<[string, Telling]>([
    ['as it was sent', {}],
    ['in its own words', standardised],
    ['with no details in a search', withoutDetails],
    ['with neither, and in its own words', { ...standardised, ...withoutDetails }],
    [
      'with the numbers empty in a search, and no address',
      {
        item: ({ id, status, inspectionNumber, policyNumber }) => ({
          id,
          status,
          inspectionNumber: inspectionNumber ?? null,
          policyNumber: policyNumber ?? null,
        }),
      },
    ],
  ])('compareWithService finds second projects if the service shows them %s', async (_how, telling) => {
    await using bench = await threeOrders();
    const { payload } = marked();
    const seconds = [
      { inspectionNumber: 'A-1' },
      { policyNumber: 'P-2', policyEffectiveDate: '2026-05-01' },
      { note: payload.note },
    ];
    for (const changes of seconds)
      await bench.service.create({ ...orderPayload(), ...changes, allowDuplication: true });
    const found = (await census(bench, telling)).filter((line) => !line.startsWith('='));
    expect(found).toEqual(
      [1, 2, 3].map((id) => expect.stringMatching(`^\\* order ${id}: .*\\b10000${id}, .*\\b10000${id + 3} `)),
    );
  });

  test("compareWithService finds a marked order's project by its reference", async () => {
    await using bench = await threeOrders();
    const order = marked({ streetAddress: '5 Elm Road' });
    const [id = 0] = await recordOrders(bench.ledger, [order], 'more.csv');
    await bench.ledger.beginAttempt(id, {
      ...attemptOf('100003'),
      payload: order.payload,
      payloadHash: order.payloadHash,
    });
    await bench.ledger.moveOrder(id, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: '504',
      uncertainSince: 0,
    });
    await bench.service.create({ ...order.payload, note: '[ref IB-0123456789AB]', allowDuplication: true });
    const project = await bench.service.create({ ...order.payload, allowDuplication: true });
    for (const telling of [{}, standardised, { ...standardised, ...withoutDetails }]) {
      expect((await census(bench, telling)).filter((line) => !line.startsWith('='))).toEqual([
        expect.stringMatching(`^\\+ project ${project}: .*\\border ${id} .*\\(unresolved\\)`),
      ]);
    }
  });

  test('compareWithService compares a second project as before its amendment', async () => {
    await using bench = await threeOrders();
    const [second, others] = [
      await bench.service.create({
        ...orderPayload({ policyNumber: 'P-2', policyEffectiveDate: '2026-05-01' }),
        allowDuplication: true,
      }),
      await bench.service.create({ ...orderPayload({ policyNumber: 'P-8', streetAddress: '2 Far Away' }) }),
    ];
    for (const projectId of [second, others]) {
      const id = await bench.ledger.beginUpdate({
        projectId,
        request: { kind: 'amend', policyNumber: 'P-77' },
        before: { policyNumber: projectId === second ? 'P-2' : 'P-8' },
        source: null,
      });
      await bench.client.updateProject(projectId, { policyNumber: 'P-77' });
      await bench.ledger.endUpdate(id ?? 0, { to: 'done', status: null, settled: false });
    }
    for (const telling of [{}, standardised, withoutDetails]) {
      expect((await census(bench, telling)).filter((line) => !line.startsWith('='))).toEqual([
        expect.stringMatching(`^\\* order 2: .*\\b100002, .*\\b${second} .*amendment`),
      ]);
    }
  });

  test("compareWithService reads no details of others' projects", async () => {
    await using bench = await openRunBench();
    await bench.ledger.startRun('a run', 'run');
    await recordOrders(bench.ledger, [newOrder({ inspectionNumber: 'A-1' })]);
    await bench.clock.drive(submitOrders(submitContext(bench)));
    await bench.service.create({ inspectionNumber: 'Z-1', streetAddress: '1 Far Away' });
    await bench.service.create({ streetAddress: '2 Far Away' });
    const read: string[] = [];
    const item = (shown: ProjectSearchItem): ProjectSearchItem => ({
      ...shown,
      inspectionNumber: shown.inspectionNumber ?? null,
      policyNumber: shown.policyNumber ?? null,
    });
    const detail = (shown: ProjectDetail): ProjectDetail => (read.push(shown.id), shown);
    expect(await census(bench, { item, detail })).toEqual(['= order 1: project 100001 matches']);
    expect(read).toEqual([]);
  });

  test('compareWithService needs an answer even before the first order', async () => {
    await using bench = await openRunBench();
    await recordOrders(bench.ledger, [newOrder({ inspectionNumber: 'A-1' })]);
    expect(await census(bench)).toEqual([]);
    const client: RunBench['client'] = {
      ...bench.client,
      searchProjects: async () => ({ kind: 'transient', reason: 'away', status: 503, retryAfterMs: null }),
    };
    await expect(census({ ...bench, client })).rejects.toThrow(ServiceUnavailable);
  });

  const SECOND_OF = (order: number, own: number, second: string): string =>
    `* order ${order}: it has project ${own}, and project ${second} is the same: two projects for one order. If one is too many, cancel it`;

  /** Projects that people make by hand, with what each order was sent with: by number, by policy, and with neither number, with and without our reference. */
  const BY_HAND: readonly (readonly [number, Partial<OrderPayload>])[] = [
    [1, { inspectionNumber: 'A-1' }],
    [1, {}],
    [2, { policyNumber: 'P-2', policyEffectiveDate: '2026-05-01' }],
    [2, { policyNumber: 'P-2' }],
    [3, { note: marked().payload.note ?? '' }],
    [3, { note: 'by hand' }],
  ];

  test.each(BY_HAND)('compareWithService reports a second project of order %i (%o)', async (order, changes) => {
    for (const place of ['above', 'below'] as const) {
      await using bench = await openRunBench();
      await bench.ledger.startRun('a run', 'run');
      const byHand = (): Promise<string> =>
        bench.service.create({ ...orderPayload(), ...changes, allowDuplication: true });
      const orders = [
        newOrder({ inspectionNumber: 'A-1' }),
        newOrder({ policyNumber: 'P-2', policyEffectiveDate: '2026-05-01' }),
        marked(),
      ];
      const own = orders[order - 1];
      if (own === undefined) throw new Error('no such order');
      let second = place === 'below' ? await byHand() : '';
      const [id = 0] = await recordOrders(bench.ledger, [own]);
      const project = await bench.service.create({ ...own.payload, allowDuplication: true });
      await bench.ledger.beginAttempt(id, {
        ...attemptOf(second || '100000'),
        payload: own.payload,
        payloadHash: own.payloadHash,
      });
      await bench.ledger.moveOrder(id, 'submitting', {
        to: 'created',
        project: { projectId: project, status: 'Project Created', inspectionCode: null, inspectionLink: null },
        adopted: false,
      });
      if (place === 'above') second = await byHand();
      expect([place, (await census(bench)).filter((line) => !line.startsWith('='))]).toEqual([
        place,
        [SECOND_OF(id, Number(project), second)],
      ]);
    }
  });

  test.each<[string, Partial<OrderPayload>]>([
    ['another effective date', { policyNumber: 'P-2', policyEffectiveDate: '2027-05-01' }],
    ['another inspection number', { inspectionNumber: 'A-9', policyNumber: 'P-2', policyEffectiveDate: '2026-05-01' }],
    ['another service', { policyNumber: 'P-2', policyEffectiveDate: '2026-05-01', serviceName: 'Roof Only' }],
    ['another insured', { insuredName: 'Somebody Else' }],
  ])('compareWithService takes no project with %s for a second one', async (_what, changes) => {
    await using bench = await threeOrders();
    await bench.service.create({ ...orderPayload({ streetAddress: '77 Elm Road' }), allowDuplication: true });
    await recordOrders(
      bench.ledger,
      [
        newOrder({
          inspectionNumber: 'A-5',
          policyNumber: 'P-5',
          policyEffectiveDate: '2026-05-01',
          streetAddress: '9 Own Road',
        }),
      ],
      'own.csv',
    );
    await bench.clock.drive(submitOrders(submitContext(bench)));
    await bench.service.create({
      ...orderPayload({ streetAddress: '9 Own Road' }),
      ...changes,
      ...('policyNumber' in changes ? { policyNumber: 'P-5' } : {}),
      allowDuplication: true,
    });
    expect((await census(bench)).filter((line) => !line.startsWith('='))).toEqual([]);
  });

  test("compareWithService ignores last year's project with the same number", async () => {
    await using bench = await openRunBench();
    await bench.ledger.startRun('a run', 'run');
    await bench.service.create({ ...orderPayload({ inspectionNumber: 'A-1' }), allowDuplication: true });
    await bench.service.advance(400 * 24 * 60 * 60);
    await bench.clock.advance(400 * 24 * 60 * 60 * 1000);
    await recordOrders(bench.ledger, [newOrder({ inspectionNumber: 'A-1' })]);
    await bench.clock.drive(submitOrders(submitContext(bench)));
    expect((await census(bench)).filter((line) => !line.startsWith('='))).toEqual([]);
  });

  test('compareWithService stops at an endless listing', async () => {
    await using bench = await threeOrders();
    let asked = 0;
    const endless: RunBench['client'] = {
      ...bench.client,
      searchProjects: async ({ startId = '0', limit = 100 }) => {
        asked += 1;
        if (asked > 20) throw new Error('asked for ever');
        return {
          kind: 'ok',
          value: Array.from({ length: limit }, (_, nth) => ({ id: String(BigInt(startId) + BigInt(nth)) })),
        };
      },
    };
    await expect(census({ ...bench, client: endless })).rejects.toThrow(ServiceUnavailable);
    const same: RunBench['client'] = {
      ...bench.client,
      searchProjects: () => bench.client.searchProjects({ limit: 500 }),
    };
    await expect(census({ ...bench, client: same })).rejects.toThrow(/does not advance/);
  });

  test('compareWithService finds second projects of the same year only', async () => {
    await using bench = await openRunBench();
    await bench.ledger.startRun('a run', 'run');
    await recordOrders(bench.ledger, [newOrder({ inspectionNumber: 'A-1', dueDate: '2026-11-01' })]);
    await bench.clock.drive(submitOrders(submitContext(bench)));
    const own = '= order 1: project 100001 matches';
    const place = (dueDate: string) =>
      bench.service.create({ ...orderPayload({ inspectionNumber: 'A-1', dueDate }), allowDuplication: true });
    await place('2027-11-01');
    expect(await census(bench)).toEqual([own]);
    const second = await place('2026-11-01');
    expect(await census(bench)).toEqual([own, expect.stringContaining(`project ${second} is the same`)]);
  });
});
