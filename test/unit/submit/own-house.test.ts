import { expect, test } from 'vitest';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { OrderRecord } from '../../../src/ledger/orders.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { idsNamedIn } from '../../../src/submit/find-projects.ts';
import { decidedRow, type OnDuplicate, rowKeysOf } from '../../../src/submit/row-decision.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import {
  attemptOf,
  newOrder,
  orderPayload,
  recordCreated,
  recordOrder,
  recordOrders,
  validRow,
  type ValidRow,
} from '../../support/order-factory.ts';
import {
  type LedgerBench,
  openLedgerBench,
  openRunBench,
  type RunBench,
  submitContext,
} from '../../support/run-bench.ts';

const P1: Partial<OrderPayload> = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const SHOP: Partial<OrderPayload> = { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' };
const ELM: Partial<OrderPayload> = { streetAddress: '9 Elm Road' };

/** What rows of one file become on record, one after the other. */
async function drop(
  { ledger }: LedgerBench,
  name: string,
  rows: readonly ValidRow[],
  onDuplicate: OnDuplicate = 'link',
) {
  const told: { outcome: string; orderId: number | null; rules: readonly string[]; message: string }[] = [];
  await ledger.recordFile({ hash: name, name, layouts: [], notes: [] }, async (transaction) => {
    await transaction.expect(rows.map(rowKeysOf));
    for (const row of rows) {
      const { row: decided } = decidedRow(
        row,
        transaction,
        { onDuplicate, whenNoKey: 'mark', renewalAfterDays: 300 },
        0,
        [],
      );
      transaction.addRow(decided);
      told.push({
        outcome: decided.outcome,
        orderId: decided.orderId,
        rules: decided.problems.map(({ rule }) => rule),
        message: decided.problems.map(({ message }) => message).join(' '),
      });
    }
  });
  return told;
}

test.each<[string, Partial<OrderPayload>, string]>([
  ['another house', ELM, 'policy-used-for-another-house'],
  ['the same number in another street', { streetAddress: '12 Elm Street' }, 'policy-used-for-another-house'],
  ['another unit', { streetAddress: '12 Oak Street Apt 2' }, 'policy-used-for-another-house'],
  ['another house of the same insured, commercial', { ...SHOP, ...ELM }, 'policy-used-for-another-house'],
  ['another service at the same house', { serviceName: 'Exterior' }, 'policy-used-for-another-service'],
])('rejects one policy and date for %s without advice to cancel', async (_what, changes, rule) => {
  for (const onDuplicate of ['link', 'skip', 'reject'] as const) {
    await using bench = await openLedgerBench();
    const rows = [validRow(P1), validRow({ ...P1, ...changes }), validRow({ ...P1, ...changes }, false)];
    const [first, ...others] = await drop(bench, 'a.csv', rows, onDuplicate);
    expect(first).toMatchObject({ outcome: 'order' });
    for (const other of others) {
      expect(other).toMatchObject({ outcome: 'rejection', rules: [rule] });
      expect(other.message).toMatch(/ P-1 .* 2026-01-01 .*row 2 .*\bOrders\b.* orders\.csv.*"Allow duplicate"/);
      expect(other.message).not.toMatch(/cancel|amend/i);
    }
  }
});

test('treats the same house in another spelling as a repeat', async () => {
  await using bench = await openLedgerBench();
  const told = await drop(bench, 'a.csv', [
    validRow(P1),
    validRow({ ...P1, streetAddress: '12 OAK ST.', city: 'W. Cambridge' }),
  ]);
  expect(told.map(({ outcome }) => outcome)).toEqual(['order', 'repeat']);
});

test('recognizes each of three houses ordered under one policy', async () => {
  await using bench = await openLedgerBench();
  const houses = ['1 Elm Road', '2 Elm Road', '3 Elm Road'].map((streetAddress) => ({ ...P1, ...SHOP, streetAddress }));
  const first = await drop(
    bench,
    'schedule.csv',
    houses.map((house) => validRow(house)),
  );
  expect(first.map(({ outcome }) => outcome)).toEqual(['order', 'rejection', 'rejection']);
  const wanted = await drop(
    bench,
    'schedule - to fix.csv',
    houses.slice(1).map((house) => validRow(house, true)),
  );
  expect(wanted.map(({ outcome }) => outcome)).toEqual(['order', 'order']);
  const again = await drop(
    bench,
    'again.csv',
    houses.map((house) => validRow({ ...house, note: 'x' })),
  );
  expect(again.map(({ outcome, orderId }) => [outcome, orderId])).toEqual([
    ['repeat', first[0]?.orderId],
    ['repeat', wanted[0]?.orderId],
    ['repeat', wanted[1]?.orderId],
  ]);
});

test('advises canceling neither of two houses under one policy', async () => {
  await using bench = await openLedgerBench();
  const [, other, same] = await drop(bench, 'a.csv', [
    validRow({ ...P1, inspectionNumber: 'A-1' }),
    validRow({ ...P1, ...ELM, inspectionNumber: 'A-2' }),
    validRow({ ...P1, ...ELM, inspectionNumber: 'A-3' }),
  ]);
  expect(other).toMatchObject({
    outcome: 'order',
    message: expect.stringMatching(/another house/),
  });
  expect(other?.message).not.toContain('cancel');
  expect(same).toMatchObject({ outcome: 'order', message: expect.stringMatching(/\bcancel one\b/) });
});

test('rejects a waiting corrected row after a second order', async () => {
  await using bench = await openLedgerBench();
  const corrected = (note?: string, wish?: boolean): ValidRow => {
    const row = validRow({ inspectionNumber: 'A-1', ...(note === undefined ? {} : { note }) }, wish);
    return { ...row, record: { ...row.record, correctsRow: 'a key' } };
  };
  const told = await drop(bench, 'a.csv', [
    validRow({ inspectionNumber: 'A-1', note: 'second visit' }, true),
    corrected(),
    corrected(undefined, true),
    corrected('second visit'),
  ]);
  expect(told.map(({ outcome, rules }) => [outcome, ...rules])).toEqual([
    ['order'],
    ['rejection', 'ordered-while-it-waited'],
    ['order'],
    ['repeat', 'repeat'],
  ]);
});

/** One submission run; its pauses take no time. */
async function run(bench: RunBench, onDuplicate: OnDuplicate = 'link', client: ServiceClient = bench.client) {
  return bench.clock.drive(
    submitOrders(submitContext(bench, { client, rules: { onDuplicate, whenNoKey: 'mark', renewalAfterDays: 300 } })),
  );
}

async function orderOf({ ledger }: RunBench, id: number): Promise<OrderRecord> {
  const order = await ledger.order(id);
  if (order === null) throw new Error(`no order ${id}`);
  return order;
}

const creates = async ({ service }: RunBench): Promise<number> =>
  ((await service.control('GET', '/audit')).body as { creates: number }).creates;

const NUMBER: Partial<OrderPayload> = { inspectionNumber: 'A-1' };

const NOT_ITS_OWN: readonly (readonly [string, Partial<OrderPayload>, Record<string, unknown>])[] = [
  ['a project of another house, by policy and date', P1, { ...P1, ...ELM }],
  ['the same number in another street', P1, { ...P1, streetAddress: '12 Elm Street', insuredName: 'Somebody Else' }],
  ['another unit', P1, { ...P1, streetAddress: '12 Oak Street Unit 7' }],
  ['another ZIP code', P1, { ...P1, zipcode: '02140' }],
  ['another house, by inspection number', NUMBER, { ...NUMBER, ...ELM }],
  ['another service at the same house, by policy and date', P1, { ...P1, serviceName: 'Exterior' }],
];

test.each(NOT_ITS_OWN)('rejects after a 409 about %s, unless create', async (_what, order, standing) => {
  for (const onDuplicate of ['link', 'skip', 'reject'] as const) {
    await using bench = await openRunBench();
    await bench.service.create(standing);
    const id = await recordOrder(bench.ledger, order);
    expect(await run(bench, onDuplicate)).toMatchObject({ linked: 0, skipped: 0, refused: 1 });
    const { state, projectId, code } = await orderOf(bench, id);
    expect([state, projectId, await creates(bench)]).toEqual(['refused', null, 1]);
    expect(code).toMatch(/^duplicate-of-other-(house|service)$/);
  }
});

test.each(NOT_ITS_OWN)('orders again after a 409 about %s under create', async (_what, order, standing) => {
  await using bench = await openRunBench();
  await bench.service.create(standing);
  const id = await recordOrder(bench.ledger, order);
  await run(bench, 'create');
  expect([(await orderOf(bench, id)).projectId, await creates(bench)]).toEqual(['100002', 2]);
});

test("links the project at the order's own house among several", async () => {
  await using bench = await openRunBench();
  await bench.service.create({ ...P1, streetAddress: '12 OAK ST', insuredName: 'Somebody Else' });
  await bench.service.create({ ...P1, ...ELM, allowDuplication: true });
  await bench.service.create({ ...P1, serviceName: 'Exterior', allowDuplication: true });
  const id = await recordOrder(bench.ledger, P1);
  expect(await run(bench)).toMatchObject({ linked: 1 });
  expect(await orderOf(bench, id)).toMatchObject({ state: 'linked', projectId: '100001' });
});

test.each([
  ['Exterior', 'duplicate-linked-to-other-service', ['linked-to-other-service']],
  [orderPayload().serviceName, 'duplicate-linked', []],
] as const)(
  'links an inspection number of service %s, with news if it is another',
  async (serviceName, code, kinds) => {
    await using bench = await openRunBench();
    await bench.service.create({ ...NUMBER, serviceName });
    const id = await recordOrder(bench.ledger, NUMBER);
    expect(await run(bench)).toMatchObject({ linked: 1 });
    expect(await orderOf(bench, id)).toMatchObject({ state: 'linked', projectId: '100001', code });
    expect((await bench.ledger.openNews()).map(({ kind }) => kind)).toEqual(kinds);
  },
);

test.each(['link', 'skip', 'reject'] as const)(
  "never links another order's project after a 409: %s",
  async (onDuplicate) => {
    await using bench = await openRunBench();
    const ids = await recordOrders(bench.ledger, [newOrder({ ...P1, inspectionNumber: 'A-1' }), newOrder(P1)]);
    expect(await run(bench, onDuplicate)).toMatchObject({ created: 1, linked: 0, skipped: 0, refused: 1 });
    expect(await orderOf(bench, ids[1] ?? 0)).toMatchObject({
      state: 'refused',
      code: 'duplicate-of-other-order',
    });
  },
);

test('waits while another order may have made the project', async () => {
  await using bench = await openRunBench();
  const { ledger, service, clock } = bench;
  // As a ledger from before orders waited for each other may hold it: the later one was sent first, and nobody knows.
  const [first, second] = await recordOrders(ledger, [
    newOrder({ inspectionNumber: 'Z-9' }),
    newOrder(NUMBER, { identity: 'inspection:A-1#2', allowDuplication: true }),
  ]);
  await ledger.beginAttempt(second ?? 0, attemptOf('0'));
  await ledger.moveOrder(second ?? 0, 'submitting', {
    to: 'unresolved',
    code: 'outcome-unknown',
    reason: 'HTTP 504',
    uncertainSince: clock.now(),
  });
  const third = await recordOrder(ledger, NUMBER);
  expect(await ledger.orderBefore(third)).toMatchObject({ id: second });
  await service.create(NUMBER);
  const { client } = bench;
  // While the service is asked, its project is in no search.
  const searchProjects: ServiceClient['searchProjects'] = async (query) =>
    query.limit === 1 ? client.searchProjects(query) : { kind: 'ok', value: [] };
  await run(bench, 'link', { ...client, searchProjects });
  expect([(await orderOf(bench, first ?? 0)).state, (await orderOf(bench, third)).state]).toEqual(['created', 'ready']);
  await run(bench);
  expect([(await orderOf(bench, second ?? 0)).projectId, (await orderOf(bench, third)).state]).toEqual([
    '100001',
    'refused',
  ]);
});

test("idsNamedIn finds only numbers that are not the order's own", () => {
  const order = { payload: orderPayload({ inspectionNumber: '777', policyNumber: '12345' }) };
  expect(idsNamedIn('Duplicate project: 100001.', order)).toEqual(['100001']);
  expect(
    idsNamedIn('Duplicate of #100001 (policy 12345, inspection 777, 2026-01-01, P-55) within 30 days', order),
  ).toEqual(['100001', '30']);
  expect(idsNamedIn('Resource already exists.', order)).toEqual([]);
  expect(idsNamedIn('Duplicate of 9223372036854775807, request 9223372036854775808', order)).toEqual([
    '9223372036854775807',
  ]);
});

test('compares a project that the service names like any other', async () => {
  for (const [standing, expected] of [
    [{ ...P1, ...ELM }, 'refused'],
    [{ ...P1 }, 'linked'],
    [{ policyNumber: 'other', streetAddress: '77 Far Road', insuredName: 'Nobody' }, 'unresolved'],
  ] as const) {
    await using bench = await openRunBench();
    await bench.service.create({ ...standing });
    const client: ServiceClient = {
      ...bench.client,
      createProject: async () => ({ kind: 'duplicate', message: 'Project 100001 exists.' }),
      searchProjects: async (query) =>
        query.limit === 1 ? bench.client.searchProjects(query) : { kind: 'ok', value: [] },
    };
    const id = await recordOrder(bench.ledger, P1);
    await run(bench, 'link', client);
    expect((await orderOf(bench, id)).state).toBe(expected);
  }
});

test('creates an order next to projects of other houses', async () => {
  await using bench = await openRunBench();
  await recordCreated(bench.ledger, '5', ELM);
  const id = await recordOrder(bench.ledger, P1);
  expect(await run(bench)).toMatchObject({ created: 1 });
  expect((await orderOf(bench, id)).state).toBe('created');
});
