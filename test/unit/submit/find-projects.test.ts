import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  PROJECT_ID_MAX,
  projectDetail,
  projectSearchItem,
  type ProjectDetail,
} from '../../../src/contract/document.ts';
import { ExplainedError } from '../../../src/domain/errors.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { NewOrder, OrderRecord } from '../../../src/ledger/orders.ts';
import type { ProjectQuery, ServiceClient } from '../../../src/service/client.ts';
import { attemptOf, orderPayload, recordCreated, recordOrder } from '../../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../../support/virtual-clock.ts';
import { clientThat, openLedgerBench, submitContext, type LedgerBench } from '../../support/run-bench.ts';
import { findProjects, highestVisibleProjectId, idsNamedIn, isFarAbove } from '../../../src/submit/find-projects.ts';
import type { SearchFindings } from '../../../src/submit/after-answer.ts';

interface FakeService {
  readonly client: ServiceClient;
  readonly queries: ProjectQuery[];
  readonly read: string[];
}

/** A service that holds these projects and never shows more than `pageMax` on a page. `loosely`: it matches numbers by their beginning. */
function serviceWith(
  projects: readonly ProjectDetail[],
  { pageMax = 500, loosely = false, anyCase = false } = {},
): FakeService {
  const queries: ProjectQuery[] = [];
  const read: string[] = [];
  const ascending = projects.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  const fits = (asked: string | undefined, held: string | null | undefined): boolean =>
    asked === undefined ||
    (loosely ? (held ?? '').startsWith(asked) : anyCase ? held?.toLowerCase() === asked.toLowerCase() : held === asked);
  const client = clientThat({
    searchProjects: async (query) => {
      queries.push(query);
      const found = ascending.filter(
        (project) =>
          BigInt(project.id) >= BigInt(query.startId ?? 0) &&
          fits(query.inspectionNumber, project.inspectionNumber) &&
          fits(query.policyNumber, project.policyNumber),
      );
      const { id, streetAddress, city, state, zipcode, policyNumber, inspectionNumber } = projectDetail.parse({
        id: '0',
      });
      const shown = Object.keys({ id, streetAddress, city, state, zipcode, policyNumber, inspectionNumber });
      const items = found
        .slice(0, Math.min(pageMax, query.limit ?? 100))
        .map((project) => Object.fromEntries(shown.map((key) => [key, project[key]])));
      return { kind: 'ok', value: items.map((item) => projectSearchItem.parse({ ...item, status: 'Site Inspected' })) };
    },
    getProject: async (id) => {
      read.push(id);
      const value = ascending.find((project) => project.id === id);
      return value === undefined ? { kind: 'not-found', message: 'no' } : { kind: 'ok', value };
    },
    getStatus: async (id) => ({ kind: 'ok', value: { id, status: 'Site Inspected' } }),
  });
  return { client, queries, read };
}

const project = (id: string, changes: Readonly<Record<string, unknown>> = {}) =>
  projectDetail.parse({ id, ...orderPayload(), ...changes });

/** An order whose first attempt knew of projects up to 100. */
async function unresolved(
  { ledger, clock }: LedgerBench,
  changes: Partial<OrderPayload>,
  more: Partial<NewOrder> = {},
): Promise<OrderRecord> {
  const id = await recordOrder(ledger, changes, more);
  await ledger.beginAttempt(id, attemptOf('100'));
  await ledger.moveOrder(id, 'submitting', {
    to: 'unresolved',
    code: 'outcome-unknown',
    reason: 'HTTP 504',
    uncertainSince: clock.now(),
  });
  const order = await ledger.order(id);
  if (order === null) throw new Error('no order');
  return order;
}

function idsOf(findings: SearchFindings): { ours: readonly string[]; others: readonly string[] } {
  if (findings.kind === 'away') throw new Error(`away: ${findings.reason}`);
  return { ours: findings.ours.map(({ detail }) => detail.id), others: findings.others.map(({ detail }) => detail.id) };
}

const A1: Partial<OrderPayload> = { inspectionNumber: 'A-1' };
const P1: Partial<OrderPayload> = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const SHOP: Partial<OrderPayload> = { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' };

async function find(
  order: (bench: LedgerBench) => Promise<OrderRecord>,
  service: FakeService,
  alsoByAddress = false,
): Promise<{ ours: readonly string[]; others: readonly string[] }> {
  await using bench = await openLedgerBench();
  return idsOf(
    await findProjects(await order(bench), submitContext({ ...bench, client: service.client }), { alsoByAddress }),
  );
}

test('findProjects searches the inspection number, else the policy number', async () => {
  const both = { ...A1, ...P1 };
  expect(await find((bench) => unresolved(bench, A1), serviceWith([project('101', A1)]))).toEqual({
    ours: ['101'],
    others: [],
  });
  expect(await find((bench) => unresolved(bench, P1), serviceWith([project('101', P1)]))).toEqual({
    ours: ['101'],
    others: [],
  });
  const service = serviceWith([project('101', both)]);
  expect(await find((bench) => unresolved(bench, both), service)).toEqual({ ours: ['101'], others: [] });
  expect(service.read).toEqual(['101']);
});

test('findProjects continues after a short page, until an empty one', async () => {
  const strangers = Array.from({ length: 7 }, (_, index) =>
    project(String(101 + index * 3), { ...P1, insuredName: `Stranger ${index}` }),
  );
  const service = serviceWith([...strangers, project('900', P1)], { pageMax: 2 });
  expect(await find((bench) => unresolved(bench, P1), service)).toMatchObject({ ours: ['900'] });
  expect(service.queries.map(({ startId, limit }) => [startId, limit])).toEqual([
    ['0', 500],
    ['105', 500],
    ['111', 500],
    ['117', 500],
    ['901', 500],
  ]);
});

test('findProjects compares each match again exactly', async () => {
  const service = serviceWith(
    [project('101', { inspectionNumber: 'A-10' }), project('102', { inspectionNumber: 'A-1' })],
    { loosely: true },
  );
  expect(await find((bench) => unresolved(bench, A1), service)).toEqual({ ours: ['102'], others: [] });
  expect(service.read).toEqual(['102']);
});

test('findProjects reads the detail of an item without numbers', async () => {
  const service = serviceWith([project('101', A1), project('102', { inspectionNumber: 'A-2' })], { loosely: true });
  const searchProjects: ServiceClient['searchProjects'] = async (query) => {
    const page = await service.client.searchProjects({ ...query, inspectionNumber: undefined });
    return page.kind === 'ok' ? { ...page, value: page.value.map(({ id }) => ({ id })) } : page;
  };
  expect(
    await find((bench) => unresolved(bench, A1), { ...service, client: { ...service.client, searchProjects } }),
  ).toEqual({ ours: ['101'], others: [] });
});

test('findProjects reads each candidate, as searches lack date and insured', async () => {
  const service = serviceWith([
    project('101', { ...P1, insuredName: 'Bob' }),
    project('102', { ...P1, policyEffectiveDate: '2020-01-01' }),
    project('103', P1),
  ]);
  expect(await find((bench) => unresolved(bench, P1), service)).toEqual({ ours: ['103'], others: ['101'] });
});

test('findProjects never takes a project older than the first attempt', async () => {
  expect(await find((bench) => unresolved(bench, A1), serviceWith([project('100', A1), project('7', A1)]))).toEqual({
    ours: [],
    others: ['7', '100'],
  });
});

/** What the document requires of a detail: neither numbers nor dates. */
function bareDetails(service: FakeService): FakeService {
  const getProject: ServiceClient['getProject'] = async (id) => {
    const found = await service.client.getProject(id);
    if (found.kind !== 'ok') return found;
    const absent = new Set(['policyNumber', 'policyEffectiveDate', 'inspectionNumber', 'note']);
    const kept = Object.entries(found.value).filter(([field]) => !absent.has(field));
    return { kind: 'ok', value: projectDetail.parse(Object.fromEntries(kept)) };
  };
  return { ...service, client: { ...service.client, getProject } };
}

test.each([A1, P1, { ...A1, ...P1 }])(
  'findProjects reads the numbers of %j in the search, if no detail has them',
  async (row) => {
    const others = { inspectionNumber: 'A-10', policyNumber: 'P-10' };
    const service = bareDetails(serviceWith([project('101', row), project('102', others)], { loosely: true }));
    expect(await find((bench) => unresolved(bench, row), service)).toEqual({ ours: ['101'], others: [] });
  },
);

test('findProjects never takes a project that another order holds', async () => {
  const order = async (bench: LedgerBench): Promise<OrderRecord> => {
    await recordCreated(bench.ledger, '101');
    return unresolved(bench, A1);
  };
  expect(await find(order, serviceWith([project('101', A1), project('102', A1)]))).toEqual({
    ours: ['102'],
    others: ['101'],
  });
});

test('findProjects returns both of two exact matches', async () => {
  expect(await find((bench) => unresolved(bench, A1), serviceWith([project('101', A1), project('102', A1)]))).toEqual({
    ours: ['101', '102'],
    others: [],
  });
});

test('findProjects needs the reference of an order without a key', async () => {
  const marked = { note: 'ring twice [ref IB-1]' };
  const service = serviceWith(
    [
      project('100', marked),
      project('101', { streetAddress: '9 Elm Road', policyNumber: 'P-9', note: '[ref IB-1]' }),
      project('102'),
      project('103', { note: 'ring twice [ref IB-2]' }),
      project('104', { ...marked, zipcode: 2139 }),
    ],
    { pageMax: 3 },
  );
  expect(await find((bench) => unresolved(bench, marked, { reference: 'IB-1' }), service)).toEqual({
    ours: ['104'],
    others: ['102', '103'],
  });
  expect(service.queries.map(({ startId }) => startId)).toEqual(['101', '104', '105']);
  expect(service.read).toEqual(['102', '103', '104']);
});

test.each([
  ['writes the address in its own way', { streetAddress: '12 OAK ST', city: 'W CAMBRIDGE' }],
  ['does not show it in a search', { streetAddress: undefined, city: undefined, state: undefined, zipcode: undefined }],
])('findProjects searches the reference at any address: the service %s', async (_what, shown) => {
  const marked = { note: '[ref IB-1]' };
  expect(
    await find(
      (bench) => unresolved(bench, marked, { reference: 'IB-1' }),
      serviceWith([project('101', { ...shown, note: 'other' }), project('102', { ...marked, ...shown })]),
    ),
  ).toMatchObject({ ours: ['102'] });
});

test('findProjects skips a candidate that is gone when read', async () => {
  const service = serviceWith([project('101', A1)]);
  const client = { ...service.client, getProject: async () => ({ kind: 'not-found', message: 'gone' }) as const };
  expect(await find((bench) => unresolved(bench, A1), { ...service, client })).toEqual({ ours: [], others: [] });
  // The service would not refuse a second one of these: what is shown and cannot be read proves nothing.
  await using bench = await openLedgerBench();
  for (const order of [await unresolved(bench, {}), await unresolved(bench, A1, { allowDuplication: true })]) {
    const shown = {
      ...client,
      searchProjects: async ({ startId }: ProjectQuery) => ({
        kind: 'ok' as const,
        value: BigInt(startId ?? 0) > 101n ? [] : [projectSearchItem.parse({ id: '101', status: 'Site Inspected' })],
      }),
    };
    expect(
      await findProjects(order, submitContext({ ...bench, client: shown }), { alsoByAddress: false }),
    ).toMatchObject({ kind: 'away', isMalformed: true });
  }
});

test('findProjects accepts a number that differs only in letter case', async () => {
  expect(
    await find(
      (bench) => unresolved(bench, { inspectionNumber: 'ab-1' }),
      serviceWith([project('101', { inspectionNumber: 'AB-1' })], { anyCase: true }),
    ),
  ).toEqual({ ours: ['101'], others: [] });
});

// It does not for other orders.
test("findProjects searches a commercial order's address after a 409", async () => {
  const neighbor = project('50', {
    inspectionNumber: 'B-9',
    policyType: 'Farm & Ranch Insurance',
    houseType: 'Other',
  });
  const service = serviceWith([neighbor, project('60', { streetAddress: '9 Elm Road' })], { pageMax: 1 });
  expect(await find((bench) => unresolved(bench, { ...A1, ...SHOP }), service, true)).toEqual({
    ours: [],
    others: ['50'],
  });
  expect(await find((bench) => unresolved(bench, { ...A1, ...SHOP }), service, false)).toEqual({
    ours: [],
    others: [],
  });
  const quiet = serviceWith([neighbor]);
  expect(await find((bench) => unresolved(bench, A1), quiet, true)).toEqual({ ours: [], others: [] });
  expect(quiet.queries.every(({ inspectionNumber }) => inspectionNumber === 'A-1')).toBe(true);
});

test("findProjects finds neighbors that the service still compares, ours and others'", async () => {
  const service = serviceWith([project('50', { inspectionNumber: 'B-9' }), project('60', { inspectionNumber: 'C-1' })]);
  const order = async (bench: LedgerBench): Promise<OrderRecord> => {
    await recordCreated(bench.ledger, '50');
    return unresolved(bench, { ...A1, ...SHOP });
  };
  expect(await find(order, service, true)).toEqual({ ours: [], others: ['50', '60'] });
  const seconds = (VIRTUAL_START_MS - 31 * 24 * 60 * 60 * 1000) / 1000;
  expect(service.queries.filter(({ createdTimeStart }) => createdTimeStart === seconds)).not.toEqual([]);
});

test('findProjects searches an order without numbers by address after a 409', async () => {
  const service = serviceWith([
    project('40', { insuredName: 'Somebody Else' }),
    project('50'),
    project('60', { serviceName: 'Exterior' }),
  ]);
  expect(
    await find((bench) => unresolved(bench, { note: '[ref IB-1]' }, { reference: 'IB-1' }), service, true),
  ).toEqual({ ours: [], others: ['50'] });
});

test('findProjects gives up as away after several unanswered searches', async () => {
  await using bench = await openLedgerBench();
  const order = await unresolved(bench, A1);
  const seen = { searches: 0 };
  const searchProjects: ServiceClient['searchProjects'] = async () => {
    seen.searches += 1;
    return { kind: 'transient', reason: 'The service did not answer: HTTP 503', status: 503, retryAfterMs: null };
  };
  const looking = findProjects(order, submitContext({ ...bench, client: clientThat({ searchProjects }) }), {
    alsoByAddress: false,
  });
  expect(await bench.clock.drive(looking)).toEqual({ kind: 'away', reason: expect.stringContaining('HTTP 503') });
  expect(seen.searches).toBeGreaterThan(1);
});

test.each<[string, () => Promise<never>, string]>([
  [
    'no token is to be had',
    () => Promise.reject(new ExplainedError('code-of-a-test', 'no token', { kind: 'work-left' })),
    'no token',
  ],
])('findProjects gives up as away when %s', async (_what, searchProjects, reason) => {
  await using bench = await openLedgerBench();
  const order = await unresolved(bench, A1);
  expect(
    await findProjects(order, submitContext({ ...bench, client: clientThat({ searchProjects }) }), {
      alsoByAddress: false,
    }),
  ).toEqual({ kind: 'away', reason });
});

test('findProjects concludes nothing when half the candidates cannot be read', async () => {
  await using bench = await openLedgerBench();
  const order = await unresolved(bench, A1);
  const service = serviceWith([project('101', A1), project('102', A1)]);
  const getProject: ServiceClient['getProject'] = async (id) =>
    id === '102' ? { kind: 'stop', status: 403, message: 'not you' } : service.client.getProject(id);
  const findings = await findProjects(order, submitContext({ ...bench, client: { ...service.client, getProject } }), {
    alsoByAddress: false,
  });
  expect(findings).toEqual({ kind: 'away', reason: expect.stringContaining('403: not you') });
});

test('findProjects requests nothing after a stop', async () => {
  await using bench = await openLedgerBench();
  const order = await unresolved(bench, A1);
  const service = serviceWith([]);
  const findings = await findProjects(
    order,
    submitContext({ ...bench, client: service.client }, { signal: AbortSignal.abort() }),
    { alsoByAddress: false },
  );
  expect([findings.kind, service.queries.length]).toEqual(['away', 0]);
});

test('findProjects reports the time at which the search began', async () => {
  await using bench = await openLedgerBench();
  const order = await unresolved(bench, A1);
  const service = serviceWith([]);
  const startedAt = bench.clock.now();
  const searchProjects: ServiceClient['searchProjects'] = async (query) => {
    await bench.clock.advance(60_000);
    return service.client.searchProjects(query);
  };
  expect(
    await findProjects(order, submitContext({ ...bench, client: { ...service.client, searchProjects } }), {
      alsoByAddress: false,
    }),
  ).toMatchObject({ startedAt });
});

test('highestVisibleProjectId finds the highest id in few searches across gaps', async () => {
  await using bench = await openLedgerBench();
  const ids = fc.uniqueArray(fc.oneof(fc.bigInt(0n, 60n), fc.bigInt(0n, 2n ** 63n - 2n)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(ids, async (held) => {
      const service = serviceWith(held.map((id) => project(String(id))));
      const highest = held.reduce((max, id) => (id > max ? id : max), 0n);
      expect(await highestVisibleProjectId(submitContext({ ...bench, client: service.client }))).toBe(String(highest));
      expect(service.queries.length).toBeLessThan(260);
    }),
    { numRuns: 150 },
  );
});

test('highestVisibleProjectId is unknown when the service is away', async () => {
  await using bench = await openLedgerBench();
  const searchProjects: ServiceClient['searchProjects'] = async () => ({
    kind: 'stop',
    status: 403,
    message: 'not you',
  });
  expect(await highestVisibleProjectId(submitContext({ ...bench, client: clientThat({ searchProjects }) }))).toBeNull();
});

describe('findProjects', () => {
  const AS_WRITTEN_THERE = { ...A1, streetAddress: '12 OAK ST' };

  test('adopts a project whose address the service wrote its own way', async () => {
    expect(await find((bench) => unresolved(bench, A1), serviceWith([project('101', AS_WRITTEN_THERE)]))).toEqual({
      ours: ['101'],
      others: [],
    });
  });

  test('prefers an exact project to one written another way', async () => {
    const service = serviceWith([project('101', AS_WRITTEN_THERE), project('102', A1)]);
    expect(await find((bench) => unresolved(bench, A1), service)).toEqual({ ours: ['102'], others: ['101'] });
  });

  test('skips projects at other addresses for an order without a number', async () => {
    const service = serviceWith([project('101', { streetAddress: '9 Elm Road' }), project('102')]);
    const order = async (bench: LedgerBench): Promise<OrderRecord> => {
      await recordCreated(bench.ledger, '101');
      return unresolved(bench, {});
    };
    await find(order, service);
    expect(service.read).toEqual(['102']);
  });

  test('reads a project at the address even if another order holds it', async () => {
    const service = serviceWith([project('101')]);
    const order = async (bench: LedgerBench): Promise<OrderRecord> => {
      await recordCreated(bench.ledger, '101');
      return unresolved(bench, {});
    };
    expect(await find(order, service)).toEqual({ ours: [], others: ['101'] });
  });

  test.each([
    ['30000', '10000'],
    ['20001', '1'],
    ['20000', '0'],
  ])('searches neighbors among the newest 20,000, up to %s from %s', async (highest, from) => {
    const service = serviceWith([project(highest, { ...A1, inspectionNumber: 'B-9' })]);
    await find((bench) => unresolved(bench, { ...A1, ...SHOP }), service, true);
    expect(service.queries.find(({ createdTimeStart }) => createdTimeStart !== undefined)?.startId ?? '0').toBe(from);
  });

  test('includes a project on record at the address without a search result', async () => {
    const service = serviceWith([project('50', { inspectionNumber: 'B-9' })]);
    const client = { ...service.client, searchProjects: async () => ({ kind: 'ok', value: [] }) as const };
    const order = async (bench: LedgerBench): Promise<OrderRecord> => {
      await recordCreated(bench.ledger, '50');
      return unresolved(bench, { ...A1, ...SHOP });
    };
    expect(await find(order, { ...service, client }, true)).toEqual({ ours: [], others: ['50'] });
  });

  test('leaves out a project on record that the service forgot', async () => {
    const service = serviceWith([]);
    const getStatus: ServiceClient['getStatus'] = async () => ({ kind: 'not-found', message: 'no' });
    const order = async (bench: LedgerBench): Promise<OrderRecord> => {
      await recordCreated(bench.ledger, '50');
      return unresolved(bench, { ...A1, ...SHOP });
    };
    await find(order, { ...service, client: { ...service.client, getStatus } }, true);
    expect(service.read).toEqual([]);
  });

  test.each<[string, Partial<OrderPayload>]>([
    ['inspection', A1],
    ['policy', P1],
  ])('gives up on more than 40 pages for one %s number', async (_what, number) => {
    await using bench = await openLedgerBench();
    const many = Array.from({ length: 45 }, (_, index) => project(String(101 + index), number));
    const context = submitContext({ ...bench, client: serviceWith(many, { pageMax: 1 }).client });
    const order = await unresolved(bench, number);
    expect(await findProjects(order, context, { alsoByAddress: false })).toMatchObject({ kind: 'away' });
  });

  test('reads more than 40 pages of the whole account', async () => {
    const many = Array.from({ length: 45 }, (_, index) =>
      project(String(101 + index), { streetAddress: `${index} Elm` }),
    );
    const service = serviceWith(many, { pageMax: 1 });
    expect(await find((bench) => unresolved(bench, {}), service)).toMatchObject({ ours: [] });
  });

  test('judges an item whose number is null by its detail', async () => {
    const service = serviceWith([project('101', A1)]);
    const items = [projectSearchItem.parse({ id: '101', inspectionNumber: null })];
    const client: ServiceClient = {
      ...service.client,
      searchProjects: async ({ startId }) => ({ kind: 'ok', value: BigInt(startId ?? 0) > 101n ? [] : items }),
    };
    expect(await find((bench) => unresolved(bench, A1), { ...service, client })).toMatchObject({ ours: ['101'] });
  });

  test('keeps the status that the search shows', async () => {
    await using bench = await openLedgerBench();
    const order = await unresolved(bench, A1);
    const { client } = serviceWith([project('101', A1)]);
    expect(await findProjects(order, submitContext({ ...bench, client }), { alsoByAddress: false })).toMatchObject({
      ours: [{ status: 'Site Inspected' }],
    });
  });

  test('passes on a failure that is not about the service', async () => {
    await using bench = await openLedgerBench();
    const order = await unresolved(bench, A1);
    const client = clientThat({ searchProjects: () => Promise.reject(new TypeError('a bug')) });
    await expect(findProjects(order, submitContext({ ...bench, client }), { alsoByAddress: false })).rejects.toThrow(
      'a bug',
    );
  });

  describe('with an id that the service named', () => {
    const named = async (
      detail: ReturnType<typeof project> | null,
      getProject?: ServiceClient['getProject'],
    ): Promise<SearchFindings> => {
      await using bench = await openLedgerBench();
      const order = await unresolved(bench, A1);
      const service = serviceWith([]);
      const client: ServiceClient = {
        ...service.client,
        getProject:
          getProject ??
          (async () => (detail === null ? { kind: 'not-found', message: 'no' } : { kind: 'ok', value: detail })),
      };
      return await findProjects(order, submitContext({ ...bench, client }), { alsoByAddress: false, named: ['77'] });
    };

    test('includes a project with the same number', async () => {
      const other = project('77', { ...A1, insuredName: 'Bo Ash', streetAddress: '9 Elm Road' });
      expect(idsOf(await named(other))).toEqual({ ours: [], others: ['77'] });
    });

    test('includes a project of the same insured with another number', async () => {
      expect(idsOf(await named(project('77', { inspectionNumber: 'B-9', streetAddress: '9 Elm Road' })))).toEqual({
        ours: [],
        others: ['77'],
      });
    });

    test('returns its status: a canceled one must not be linked', async () => {
      expect(await named(project('77', A1))).toMatchObject({ others: [{ status: 'Site Inspected' }] });
    });

    test('leaves out a project that has nothing in common', async () => {
      const other = { inspectionNumber: 'B-9', insuredName: 'Bo Ash', streetAddress: '9 Elm Road' };
      expect(idsOf(await named(project('77', other)))).toEqual({ ours: [], others: [] });
    });

    test.each([
      ['forbidden', { kind: 'stop', status: 403, message: 'no' }],
      ['refused', { kind: 'refused', status: 422, message: 'no' }],
    ] as const)('finds nothing if reading it is %s', async (_what, outcome) => {
      expect(idsOf(await named(null, async () => outcome as never))).toEqual({ ours: [], others: [] });
    });
  });
});

describe('idsNamedIn', () => {
  const named = (message: string) => idsNamedIn(message, { payload: orderPayload({ ...A1, policyNumber: '555' }) });

  test('finds each number once', () => {
    expect(named('Project 12 duplicates project 13, see 12.')).toEqual(['12', '13']);
  });

  test("leaves out the order's own numbers", () => {
    expect(named('Policy 555 has project 12')).toEqual(['12']);
  });

  test('leaves out a number beyond every id', () => {
    expect(named(`Not ${PROJECT_ID_MAX + 1n}, but ${PROJECT_ID_MAX}`)).toEqual([String(PROJECT_ID_MAX)]);
  });

  test('finds five numbers at most', () => {
    expect(named('1 2 3 4 5 6 7')).toEqual(['1', '2', '3', '4', '5']);
  });

  test('finds none in words with digits', () => {
    expect(named('A-12 and 3b and 2026-01-01')).toEqual([]);
  });
});

describe('highestVisibleProjectId', () => {
  const highest = async (client: ServiceClient, known: string | null = null): Promise<string | null> => {
    await using bench = await openLedgerBench();
    return await highestVisibleProjectId(submitContext({ ...bench, client }), known);
  };

  test('asks once if nothing is newer than the known id', async () => {
    const { client, queries } = serviceWith([project('50')]);
    expect([await highest(client, '50'), queries.map(({ startId }) => startId)]).toEqual(['50', ['51']]);
  });

  test('is zero for an account without projects', async () => {
    expect(await highest(serviceWith([]).client)).toBe('0');
  });

  test('asks nothing beyond the highest possible id', async () => {
    const { client, queries } = serviceWith([]);
    expect([await highest(client, String(PROJECT_ID_MAX)), queries]).toEqual([String(PROJECT_ID_MAX), []]);
  });

  test('finds a project with the highest possible id', async () => {
    const { client } = serviceWith([project(String(PROJECT_ID_MAX))]);
    expect(await highest(client, String(PROJECT_ID_MAX - 1n))).toBe(String(PROJECT_ID_MAX));
  });

  test('is unknown if the search shows ids below the requested one', async () => {
    const items = [projectSearchItem.parse({ id: '5' })];
    expect(await highest(clientThat({ searchProjects: async () => ({ kind: 'ok', value: items }) }), '7')).toBeNull();
  });

  test('passes on a failure that is not about the service', async () => {
    const client = clientThat({ searchProjects: () => Promise.reject(new TypeError('a bug')) });
    await expect(highest(client)).rejects.toThrow('a bug');
  });

  const FAR = 10n ** 15n;

  test('believes a far higher id if the project can be read', async () => {
    expect(await highest(serviceWith([project(String(FAR))]).client, '100')).toBe(String(FAR));
  });

  test('keeps the known id if a far one cannot be read', async () => {
    const { client } = serviceWith([project(String(FAR))]);
    const getProject: ServiceClient['getProject'] = async () => ({ kind: 'not-found', message: 'no' });
    expect(await highest({ ...client, getProject }, '100')).toBe('100');
  });

  test('believes a near id without reading the project', async () => {
    const { client, read } = serviceWith([project('120')]);
    expect([await highest(client, '100'), read]).toEqual(['120', []]);
  });
});

describe('isFarAbove', () => {
  test.each([
    [1_000_100_000n, 100n, false],
    [1_000_100_001n, 100n, true],
    [10n ** 18n, 0n, false],
  ])('for %i over %i is %s', (id, known, is) => {
    expect(isFarAbove(id, known)).toBe(is);
  });
});
