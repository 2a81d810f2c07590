import { expect, test } from 'vitest';
import { projectSearchItem } from '../../../src/contract/document.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { ProjectQuery, ServiceClient } from '../../../src/service/client.ts';
import { attemptOf, newOrder, projectTie, recordOrders } from '../../support/order-factory.ts';
import { clientThat, collectContext, openLedgerBench, type LedgerBench } from '../../support/run-bench.ts';
import { type SweepResult, sweepStatuses } from '../../../src/collect/sweep.ts';

/** Follows projects of these ids. */
async function follow(ledger: Ledger, projectIds: readonly string[]): Promise<void> {
  const ids = await recordOrders(
    ledger,
    projectIds.map((id) => newOrder({ inspectionNumber: id, streetAddress: `${id} Oak Street` })),
  );
  await Promise.all(ids.map((id) => ledger.beginAttempt(id, attemptOf())));
  await Promise.all(
    ids.map((id, index) =>
      ledger.moveOrder(id, 'submitting', {
        to: 'created',
        project: projectTie(projectIds[index] ?? ''),
        adopted: false,
      }),
    ),
  );
}

interface Asked {
  readonly searches: ProjectQuery[];
  readonly singly: string[];
}

/** A service that knows these statuses; `hidden` ones no search shows. */
function serviceWith(
  statuses: ReadonlyMap<string, string>,
  { pageMax = 500, hidden = [] as readonly string[] } = {},
): { client: ServiceClient; asked: Asked } {
  const asked: Asked = { searches: [], singly: [] };
  const ascending = [...statuses]
    .toSorted(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1))
    .filter(([id]) => !hidden.includes(id));
  const client = clientThat({
    searchProjects: async (query) => {
      asked.searches.push(query);
      const found = ascending
        .filter(([id]) => BigInt(id) >= BigInt(query.startId ?? 0))
        .slice(0, Math.min(pageMax, query.limit ?? 100));
      return { kind: 'ok', value: found.map(([id, status]) => projectSearchItem.parse({ id, status })) };
    },
    getStatus: async (id) => {
      asked.singly.push(id);
      const status = statuses.get(id);
      return status === undefined ? { kind: 'not-found', message: 'no' } : { kind: 'ok', value: { id, status } };
    },
  });
  return { client, asked };
}

async function statusesOf({ ledger }: LedgerBench): Promise<readonly (readonly [string, string])[]> {
  return (await ledger.followedProjects()).map(({ id, status }) => [id, status] as const);
}

async function sweep(bench: LedgerBench, client: ServiceClient): Promise<readonly string[]> {
  const { changed, stopped } = await sweepThat(bench, client);
  expect(stopped).toBeNull();
  return changed;
}

async function sweepThat(bench: LedgerBench, client: ServiceClient): Promise<SweepResult> {
  return bench.clock.drive(
    sweepStatuses(await bench.ledger.followedProjects(), collectContext({ ...bench, client }, ONE_BY_ONE)),
  );
}

const ONE_BY_ONE = { maxConcurrency: 1 };

const STRANGERS = Array.from({ length: 900 }, (_, index) => [String(10_000 + index), 'Project Created'] as const);

test('requests only the pages that hold followed projects', async () => {
  await using bench = await openLedgerBench();
  await follow(bench.ledger, ['11', '12', '20', '10899', '9007199254740993']);
  const statuses = new Map([
    ['11', 'Site Inspected'],
    ['12', 'Project Created'],
    ['20', 'closed out'],
    ...STRANGERS,
    ['10899', 'Returned to Client'],
    ['9007199254740993', 'Waiting for Weather'],
  ]);
  const { client, asked } = serviceWith(statuses);
  expect(await sweep(bench, client)).toEqual(['11', '20', '10899', '9007199254740993']);
  expect(asked.searches.map(({ startId }) => startId)).toEqual(['11', '10899']);
  expect(asked.singly).toEqual([]);
  expect(await statusesOf(bench)).toEqual([
    ['11', 'Site Inspected'],
    ['12', 'Project Created'],
    ['20', 'closed out'],
    ['10899', 'Returned to Client'],
    ['9007199254740993', 'Waiting for Weather'],
  ]);
});

test('follows a canceled project again that is in progress again', async () => {
  await using bench = await openLedgerBench();
  const ids = ['11', '12', '13', '14'];
  await follow(bench.ledger, ids);
  const night = async (status: string) => {
    const { client } = serviceWith(new Map(ids.map((id) => [id, id === '12' ? status : 'Assigned'])));
    await sweep(bench, client);
    return (await bench.ledger.followedProjects()).map(({ id }) => id);
  };
  expect(await night('Project Canceled')).toEqual(['11', '13', '14']);
  expect(await night('Returned to Client')).toEqual(ids);
});

test('asks singly for a canceled project that a page shows otherwise', async () => {
  await using bench = await openLedgerBench();
  const ids = ['11', '12', '13', '14'];
  await follow(bench.ledger, ids);
  await bench.ledger.recordStatuses([{ id: '12', status: 'Project Canceled' }]);
  const { client, asked } = serviceWith(new Map(ids.map((id) => [id, 'Project Created'])));
  // The search lags behind the cancellation.
  const getStatus: ServiceClient['getStatus'] = async (id) => {
    asked.singly.push(id);
    return { kind: 'ok', value: { id, status: 'Project Canceled' } };
  };
  expect(await sweep(bench, { ...client, getStatus })).toEqual([]);
  expect(asked.singly).toEqual(['12']);
});

test('continues after a page that is shorter than requested', async () => {
  await using bench = await openLedgerBench();
  const ids = Array.from({ length: 9 }, (_, index) => String(11 + index));
  await follow(bench.ledger, ids);
  const { client, asked } = serviceWith(new Map(ids.map((id) => [id, 'Returned to Client'])), { pageMax: 2 });
  expect(await sweep(bench, client)).toEqual(ids);
  expect([asked.searches.length, asked.singly]).toEqual([4, ['19']]);
});

test('sweeps 1,200 adjacent projects in three full pages', async () => {
  await using bench = await openLedgerBench();
  const ids = Array.from({ length: 1200 }, (_, index) => String(100 + index));
  await follow(bench.ledger, ids);
  const { client, asked } = serviceWith(new Map(ids.map((id) => [id, 'Site Inspected'])));
  expect((await sweep(bench, client)).length).toBe(1200);
  expect(asked.searches.map(({ startId, limit }) => [startId, limit])).toEqual([
    ['100', 500],
    ['600', 500],
    ['1100', 500],
  ]);
});

test('asks singly for projects that a page omits or shows without status', async () => {
  await using bench = await openLedgerBench();
  await follow(bench.ledger, ['11', '12', '13', '14']);
  const { client, asked } = serviceWith(
    new Map([
      ['11', 'Site Inspected'],
      ['12', 'Returned to Client'],
      ['13', 'Site Inspected'],
      ['14', 'Project Rework'],
    ]),
    { hidden: ['12', '14'] },
  );
  const searchProjects: ServiceClient['searchProjects'] = async (query) => {
    const page = await client.searchProjects(query);
    return page.kind === 'ok'
      ? { ...page, value: page.value.map((item) => (item.id === '13' ? { ...item, status: null } : item)) }
      : page;
  };
  expect((await sweep(bench, { ...client, searchProjects })).toSorted()).toEqual(['11', '12', '13', '14']);
  expect(asked.singly).toEqual(['12', '13', '14']);
  expect(await statusesOf(bench)).toEqual([
    ['11', 'Site Inspected'],
    ['12', 'Returned to Client'],
    ['13', 'Site Inspected'],
    ['14', 'Project Rework'],
  ]);
});

test('keeps the status of an unknown project and notes a problem', async () => {
  await using bench = await openLedgerBench();
  await follow(bench.ledger, ['11', '12', '13']);
  const { client } = serviceWith(
    new Map([
      ['11', 'Site Inspected'],
      ['13', 'Site Inspected'],
    ]),
  );
  expect(await sweep(bench, client)).toEqual(['11', '13']);
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { problem: null },
    { id: '12', status: 'Project Created', problem: expect.stringContaining('404') },
    { problem: null },
  ]);
});

test('stops paging at an empty service and asks for each project', async () => {
  await using bench = await openLedgerBench();
  await follow(bench.ledger, ['11', '12', '13']);
  const { client, asked } = serviceWith(new Map());
  expect(await sweep(bench, client)).toEqual([]);
  expect([asked.searches.length, asked.singly]).toEqual([1, ['11', '12', '13']]);
});

test('ends when the service always shows its first page', async () => {
  await using bench = await openLedgerBench();
  await follow(bench.ledger, ['11', '12', '13', '14']);
  const { client, asked } = serviceWith(new Map(['11', '12', '13', '14'].map((id) => [id, 'Site Inspected'])), {
    pageMax: 1,
  });
  const searchProjects: ServiceClient['searchProjects'] = (query) => client.searchProjects({ ...query, startId: '0' });
  expect(await sweep(bench, { ...client, searchProjects })).toEqual(['11', '12', '13', '14']);
  expect([asked.searches.length, asked.singly]).toEqual([3, ['12', '13', '14']]);
});

test('keeps statuses recorded before the service became unavailable', async () => {
  await using bench = await openLedgerBench();
  await follow(bench.ledger, ['11', '12', '13']);
  const { client } = serviceWith(new Map(['11', '12', '13'].map((id) => [id, 'Returned to Client'])), { pageMax: 1 });
  const searchProjects: ServiceClient['searchProjects'] = async (query) =>
    query.startId === '11'
      ? client.searchProjects(query)
      : { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null };
  expect(await sweepThat(bench, { ...client, searchProjects })).toEqual({
    changed: ['11'],
    stopped: expect.stringContaining('HTTP 503'),
  });
  expect(await statusesOf(bench)).toEqual([
    ['11', 'Returned to Client'],
    ['12', 'Project Created'],
    ['13', 'Project Created'],
  ]);
});

test('asks for one or two projects singly, without a page', async () => {
  await using bench = await openLedgerBench();
  await follow(bench.ledger, ['11', '12']);
  const { client, asked } = serviceWith(
    new Map([
      ['11', 'Site Inspected'],
      ['12', 'Site Inspected'],
    ]),
  );
  expect(await sweep(bench, client)).toEqual(['11', '12']);
  expect([asked.searches, asked.singly]).toEqual([[], ['11', '12']]);
});

test('needs four requests for 2,000 unchanged projects across a gap', async () => {
  await using bench = await openLedgerBench();
  const ids = Array.from({ length: 2_000 }, (_, index) => String(100_001 + index + (index > 821 ? 7_000_000 : 0)));
  await follow(bench.ledger, ids);
  const { client, asked } = serviceWith(new Map(ids.map((id) => [id, 'Project Created'])));
  expect(await sweep(bench, client)).toEqual([]);
  expect(asked.searches.length + asked.singly.length).toBe(4);
});

test('skips one project without an answer, and stops when all lack one', async () => {
  await using bench = await openLedgerBench();
  const ids = Array.from({ length: 9 }, (_, index) => String(11 + index));
  await follow(bench.ledger, ids);
  const { client, asked } = serviceWith(new Map(ids.map((id) => [id, 'Site Inspected'])), { hidden: ids });
  const without = (silent: (id: string) => boolean): ServiceClient => ({
    ...client,
    getStatus: async (id) =>
      silent(id) ? { kind: 'transient', reason: 'HTTP 500', status: 500, retryAfterMs: null } : client.getStatus(id),
  });
  expect(
    await sweepThat(
      bench,
      without((id) => id === '12'),
    ),
  ).toEqual({ changed: ids.filter((id) => id !== '12'), stopped: expect.stringContaining('Statuses not seen: 1.') });
  asked.singly.length = 0;
  expect(
    await sweepThat(
      bench,
      without(() => true),
    ),
  ).toEqual({ changed: [], stopped: expect.stringContaining('Statuses not seen: 9.') });
  expect(asked.singly).toEqual([]);
});
