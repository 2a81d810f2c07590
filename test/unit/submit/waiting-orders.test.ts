import { describe, expect, test } from 'vitest';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { NewOrder, OrderRecord } from '../../../src/ledger/orders.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import type { SubmitContext } from '../../../src/submit/submit-run.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { attemptOf, newOrder, projectTie, recordOrder, recordOrders } from '../../support/order-factory.ts';
import { openLedgerBench, openRunBench, submitContext, type RunBench } from '../../support/run-bench.ts';

const HOUR_MS = 3_600_000;
const NUMBER: Partial<OrderPayload> = { inspectionNumber: 'A-1' };
const P1: Partial<OrderPayload> = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const SHOP: Partial<OrderPayload> = { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' };

/** The same once more, asked for in so many words. */
const wanted = (changes: Partial<OrderPayload>, again = 'again'): NewOrder =>
  newOrder(changes, { identity: `${JSON.stringify(changes)}#${again}`, allowDuplication: true, rowWish: true });

async function run(bench: RunBench, changes: Partial<SubmitContext> = {}) {
  return bench.clock.drive(submitOrders(submitContext(bench, changes)));
}

async function ordersOf({ ledger }: RunBench, ids: readonly number[]): Promise<readonly OrderRecord[]> {
  const orders = await Promise.all(ids.map((id) => ledger.order(id)));
  return orders.filter((order) => order !== null);
}

const statesOf = async (bench: RunBench, ids: readonly number[]) =>
  (await ordersOf(bench, ids)).map(({ state }) => state);
const creates = async ({ service }: RunBench): Promise<number> =>
  ((await service.control('GET', '/audit')).body as { creates: number }).creates;
const CREATE = { method: 'POST', route: '/v1/project' };
const fault = async ({ service }: RunBench, kind: string, times: number): Promise<unknown> =>
  service.control('POST', '/faults', [{ kind, match: CREATE, times }]);

describe('ledger.orderBefore', () => {
  test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>]>([
    ['the same inspection number', NUMBER, { ...NUMBER, streetAddress: '9 Elm Road' }],
    ['the same policy and date', P1, { ...P1, streetAddress: '9 Elm Road' }],
    ['the same policy and date, one of them with a number', { ...P1, ...NUMBER }, P1],
    ['the address of a commercial one', NUMBER, { ...SHOP, inspectionNumber: 'A-2' }],
    ['the address, the first being commercial', { ...SHOP, ...NUMBER }, { inspectionNumber: 'A-2' }],
    ['neither number at one address', {}, { serviceName: 'Exterior' }],
  ])('finds %s', async (_what, first, second) => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const [one = 0, two = 0] = await recordOrders(ledger, [
      newOrder(first, { identity: '1' }),
      newOrder(second, { identity: '2' }),
    ]);
    expect([await ledger.orderBefore(one), (await ledger.orderBefore(two))?.id]).toEqual([null, one]);
    expect(await ledger.ordersWithNoneBefore([one, two])).toEqual(new Set([one]));
    // The ledger itself does not let it begin, until the one before is at its end; held or in doubt is none.
    expect(await ledger.beginAttempt(two, attemptOf())).toBe(false);
    expect(await ledger.beginAttempt(one, attemptOf())).toBe(true);
    expect(await ledger.beginAttempt(two, attemptOf())).toBe(false);
    await ledger.moveOrder(one, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: 'HTTP 504',
      uncertainSince: 1,
    });
    expect(await ledger.beginAttempt(two, attemptOf())).toBe(false);
    await ledger.moveOrder(one, 'unresolved', { to: 'held', code: 'attempts-used-up', reason: 'two are ours' });
    expect([(await ledger.orderBefore(two))?.state, await ledger.beginAttempt(two, attemptOf())]).toEqual([
      'held',
      false,
    ]);
    await ledger.moveOrder(one, 'held', { to: 'created', project: projectTie('7'), adopted: true });
    expect([await ledger.orderBefore(two), await ledger.beginAttempt(two, attemptOf())]).toEqual([null, true]);
  });

  test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>]>([
    ['another inspection number under one policy', { ...P1, ...NUMBER }, { ...P1, inspectionNumber: 'A-2' }],
    ['another date of one policy', P1, { ...P1, policyEffectiveDate: '2027-01-01' }],
    ['the same address, neither commercial', NUMBER, { inspectionNumber: 'A-2' }],
    ['neither number at another address', {}, { streetAddress: '9 Elm Road' }],
    [
      'no policy number, and nothing else in common',
      { ...NUMBER, policyEffectiveDate: '2026-01-01' },
      { inspectionNumber: 'A-2', policyEffectiveDate: '2026-01-01' },
    ],
  ])('ignores %s', async (_what, first, second) => {
    await using bench = await openLedgerBench();
    const [one = 0, two = 0] = await recordOrders(bench.ledger, [
      newOrder(first, { identity: '1' }),
      newOrder(second, { identity: '2' }),
    ]);
    expect(await bench.ledger.orderBefore(two)).toBeNull();
    expect(await bench.ledger.ordersWithNoneBefore([one, two])).toEqual(new Set([one, two]));
  });

  test('finds the nearest of several', async () => {
    await using bench = await openLedgerBench();
    const [, two, three = 0] = await recordOrders(bench.ledger, [
      newOrder(NUMBER),
      wanted(NUMBER),
      wanted(NUMBER, 'third'),
    ]);
    expect((await bench.ledger.orderBefore(three))?.id).toBe(two);
  });
});

test('makes later orders wait for the first, and no others', async () => {
  await using bench = await openRunBench();
  const others = Array.from({ length: 6 }, (_, index) => newOrder({ inspectionNumber: `B-${index}` }));
  const ids = await recordOrders(bench.ledger, [newOrder(NUMBER), wanted(NUMBER), wanted(NUMBER, 'third'), ...others]);
  const sent: string[] = [];
  const createProject: ServiceClient['createProject'] = async (payload) => {
    // The first of the three is the slowest to leave.
    if (payload.inspectionNumber === 'A-1' && !payload.allowDuplication) await bench.clock.sleep(20_000);
    sent.push(payload.inspectionNumber ?? '');
    return bench.client.createProject(payload);
  };
  expect(await run(bench, { maxConcurrency: 4, client: { ...bench.client, createProject } })).toMatchObject({
    created: 9,
    linked: 0,
    refused: 0,
    stopped: null,
  });
  expect(sent.slice(0, 6).toSorted()).toEqual(['B-0', 'B-1', 'B-2', 'B-3', 'B-4', 'B-5']);
  expect(new Set((await ordersOf(bench, ids)).map(({ projectId }) => projectId)).size).toBe(9);
});

// It is sent in the run that settles the first.
test('makes a later order wait while the first is in doubt', async () => {
  await using bench = await openRunBench();
  await fault(bench, '504', 1);
  const [one = 0] = await recordOrders(bench.ledger, [newOrder(NUMBER)]);
  const two =
    (
      await recordOrders(bench.ledger, [wanted(NUMBER), newOrder({ inspectionNumber: 'B-1' })], 'the next night.csv')
    )[0] ?? 0;
  expect(await run(bench)).toMatchObject({ created: 1, stopped: null });
  expect(await statesOf(bench, [one, two])).toEqual(['unresolved', 'ready']);
  await bench.clock.advance(24 * HOUR_MS);
  expect(await run(bench)).toMatchObject({ created: 2, linked: 0 });
  expect((await ordersOf(bench, [one, two])).map(({ projectId }) => projectId)).toEqual(['100002', '100003']);
});

test('sends the later order in the run that finds the first', async () => {
  await using bench = await openRunBench();
  await fault(bench, 'commit-then-504', 1);
  const ids = await recordOrders(bench.ledger, [newOrder(NUMBER), wanted(NUMBER)]);
  expect(await run(bench)).toMatchObject({ created: 2, linked: 0 });
  expect((await ordersOf(bench, ids)).map(({ projectId }) => projectId)).toEqual(['100001', '100002']);
});

test('sends the later order once the first is refused', async () => {
  await using bench = await openRunBench();
  const bad = { ...newOrder(NUMBER).payload, state: 'XX' };
  const ids = await recordOrders(bench.ledger, [newOrder(NUMBER, { payload: bad }), wanted(NUMBER)]);
  expect(await run(bench)).toMatchObject({ created: 1, refused: 1 });
  expect(await statesOf(bench, ids)).toEqual(['refused', 'created']);
});

describe('submitOrders: an uncertain order that allows a duplicate', () => {
  test('is not sent again in the same night', async () => {
    await using bench = await openRunBench();
    await fault(bench, '504', 1);
    const id = await recordOrder(bench.ledger, NUMBER, { allowDuplication: true });
    for (let again = 0; again < 11; again += 1) {
      await run(bench);
      await bench.clock.advance(HOUR_MS);
    }
    expect([await statesOf(bench, [id]), await creates(bench)]).toEqual([['unresolved'], 0]);
  });

  test('is sent again another night if a younger project is shown', async () => {
    await using bench = await openRunBench();
    await fault(bench, '504', 1);
    const ids = await recordOrders(bench.ledger, [
      newOrder(NUMBER, { allowDuplication: true }),
      newOrder({ inspectionNumber: 'B-1' }),
    ]);
    await run(bench);
    expect(await statesOf(bench, ids)).toEqual(['unresolved', 'created']);
    await bench.clock.advance(24 * HOUR_MS);
    expect(await run(bench)).toMatchObject({ created: 1 });
    expect((await ordersOf(bench, ids)).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['created', 2],
      ['created', 1],
    ]);
  });

  test('is sent again if a project of that night is shown', async () => {
    await using bench = await openRunBench();
    await fault(bench, '504', 1);
    const id = await recordOrder(bench.ledger, NUMBER, { allowDuplication: true });
    await run(bench);
    await bench.clock.advance(24 * HOUR_MS);
    await recordOrder(bench.ledger, { inspectionNumber: 'B-1' });
    expect(await run(bench)).toMatchObject({ created: 2 });
    expect(await statesOf(bench, [id])).toEqual(['created']);
  });

  test('waits for a person without a younger project in the search', async () => {
    for (const isAnother of [false, true]) {
      await using bench = await openRunBench();
      await fault(bench, 'commit-then-504', 1);
      const id = await recordOrder(bench.ledger, NUMBER, { allowDuplication: true });
      if (isAnother) await recordOrder(bench.ledger, { inspectionNumber: 'B-1' });
      // Searches lag for days: they show nothing that was made since.
      const searchProjects: ServiceClient['searchProjects'] = async () => ({ kind: 'ok', value: [] });
      const client = { ...bench.client, searchProjects };
      await run(bench, { client });
      await bench.clock.advance(24 * HOUR_MS);
      await run(bench, { client });
      expect([await statesOf(bench, [id]), await creates(bench)]).toEqual([['held'], isAnother ? 2 : 1]);
      expect((await ordersOf(bench, [id]))[0]?.code).toBe('unproven');
    }
  });

  test('waits for a person if a similar younger project exists', async () => {
    await using bench = await openRunBench();
    await fault(bench, '504', 1);
    const ids = await recordOrders(bench.ledger, [
      newOrder(NUMBER, { allowDuplication: true }),
      newOrder({ inspectionNumber: 'B-1' }),
    ]);
    await run(bench);
    await bench.service.create({ ...NUMBER, streetAddress: '12 Oak Street Suite 900', serviceName: 'Exterior' });
    await bench.clock.advance(24 * HOUR_MS);
    await run(bench);
    expect((await ordersOf(bench, ids))[0]).toMatchObject({
      state: 'held',
      code: 'may-be-own-project',
      reason: expect.stringContaining('Project 100002'),
    });
  });

  test('is adopted like any other once found', async () => {
    await using bench = await openRunBench();
    await fault(bench, 'commit-then-504', 1);
    const id = await recordOrder(bench.ledger, NUMBER, { allowDuplication: true });
    expect(await run(bench)).toMatchObject({ created: 1 });
    expect([await statesOf(bench, [id]), await creates(bench)]).toEqual([['created'], 1]);
  });

  // The service takes each and answers none.
  test('makes twelve projects of twelve while searches lag for hours', async () => {
    await using bench = await openRunBench();
    await fault(bench, 'commit-then-504', 12);
    const ids = await recordOrders(
      bench.ledger,
      Array.from({ length: 12 }, (_, index) =>
        newOrder({ inspectionNumber: `A-${index}` }, { allowDuplication: true }),
      ),
    );
    const shownFrom = bench.clock.now() + 3 * HOUR_MS;
    const searchProjects: ServiceClient['searchProjects'] = async (query) =>
      bench.clock.now() < shownFrom ? { kind: 'ok', value: [] } : bench.client.searchProjects(query);
    for (let again = 0; again < 20; again += 1) {
      await run(bench, { client: { ...bench.client, searchProjects } });
      await bench.clock.advance(HOUR_MS / 2);
    }
    expect([await creates(bench), new Set(await statesOf(bench, ids))]).toEqual([12, new Set(['created'])]);
  });

  test('is not sent under `create` after a 409', async () => {
    await using bench = await openRunBench();
    await bench.service.create({ ...NUMBER, insuredName: 'Somebody Else', streetAddress: '9 Elm Road' });
    await fault(bench, '504', 1);
    const id = await recordOrder(bench.ledger, NUMBER);
    await run(bench, { rules: { onDuplicate: 'create', whenNoKey: 'mark', renewalAfterDays: 300 } });
    await bench.clock.advance(24 * HOUR_MS);
    await run(bench, { rules: { onDuplicate: 'create', whenNoKey: 'mark', renewalAfterDays: 300 } });
    expect([await statesOf(bench, [id]), await creates(bench)]).toEqual([['held'], 1]);
  });
});
