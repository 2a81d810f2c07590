import { expect, test } from 'vitest';
import { ExplainedError, type ExplainedKind } from '../../../src/domain/errors.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { NewOrder, OrderRecord } from '../../../src/ledger/orders.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { createOutcomeOf } from '../../../src/service/outcome.ts';
import { attemptOf, newOrder, orderPayload, recordOrder, recordOrders } from '../../support/order-factory.ts';
import { openRunBench, submitContext, type RunBench } from '../../support/run-bench.ts';
import type { SubmitContext } from '../../../src/submit/submit-run.ts';
import type { OnDuplicate } from '../../../src/submit/row-decision.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';

const CREATE = { method: 'POST', route: '/v1/project' };
const QUARANTINE_MS = 300_000;
const A1: Partial<OrderPayload> = { inspectionNumber: 'A-1' };
const P1: Partial<OrderPayload> = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const SHOP: Partial<OrderPayload> = { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' };

/** One submission run; its pauses take no time. */
async function run(bench: RunBench, changes: Partial<SubmitContext> = {}): ReturnType<typeof submitOrders> {
  return bench.clock.drive(submitOrders(submitContext(bench, changes)));
}

async function orderOf(ledger: Ledger, id: number): Promise<OrderRecord> {
  const order = await ledger.order(id);
  if (order === null) throw new Error(`no order ${id}`);
  return order;
}

interface Audit {
  readonly creates: number;
  readonly doubles: readonly unknown[];
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly faults: readonly { readonly bites: number }[];
}

/** The sandbox's truth. */
async function audit({ service }: RunBench): Promise<Audit> {
  return (await service.control('GET', '/audit')).body as Audit;
}

async function creates(bench: RunBench): Promise<Readonly<Record<string, number>>> {
  return (await audit(bench)).requests['POST /v1/project'] ?? {};
}

async function fault({ service }: RunBench, kind: string, more: object = {}): Promise<void> {
  await service.control('POST', '/faults', [{ kind, match: CREATE, ...more }]);
}

/** The same client, whose searches show nothing while `hidden.now` is true: a project is not in search yet (READING 7). */
function slowSearch({ client }: RunBench): { readonly client: ServiceClient; readonly hidden: { now: boolean } } {
  const hidden = { now: true };
  const searchProjects: ServiceClient['searchProjects'] = async (query, options) =>
    hidden.now && query.limit !== 1 ? { kind: 'ok', value: [] } : client.searchProjects(query, options);
  return { client: { ...client, searchProjects }, hidden };
}

test.each<[string, NewOrder]>([
  ['with no key', newOrder({ note: '[ref IB-0123456789AB]' }, { reference: 'IB-0123456789AB' })],
  ['that allows a duplicate', newOrder(A1, { allowDuplication: true })],
])('waits for a person to resend an abandoned uncertain order %s', async (_which, order) => {
  await using bench = await openRunBench();
  const { client } = slowSearch(bench);
  await fault(bench, 'commit-then-504', { times: 1 });
  const [first = 0] = await recordOrders(bench.ledger, [order]);
  await run(bench, { client });
  expect(
    await bench.ledger.moveOrder(first, 'unresolved', {
      to: 'abandoned',
      code: 'abandoned-by-person',
      reason: 'A person abandoned the order.',
    }),
  ).toBe(true);
  const [second = 0] = await recordOrders(
    bench.ledger,
    [{ ...order, payload: { ...order.payload, insuredPhone: '813-555-0199' } }],
    'again.csv',
  );
  await run(bench);
  expect((await orderOf(bench.ledger, second)).state).toBe('held');
  expect((await audit(bench)).creates).toBe(1);
});

test('asks again before it sends what another user may have ordered', async () => {
  await using bench = await openRunBench();
  const { client } = slowSearch(bench);
  await fault(bench, 'commit-then-504', { times: 1 });
  const id = await recordOrder(bench.ledger, A1);
  await run(bench, { client });
  const proven = { to: 'ready', code: 'not-found', reason: 'not in search', attemptUsed: true } as const;
  expect(await bench.ledger.moveOrder(id, 'unresolved', proven)).toBe(true);
  await run(bench, { client, actor: 'renamed@example.com' });
  expect((await orderOf(bench.ledger, id)).state).toBe('unresolved');
  expect((await audit(bench)).creates).toBe(1);
});

test('sends an order once without duplicates and ties it to its project', async () => {
  await using bench = await openRunBench({ firstProjectId: '9007199254740993' });
  const id = await recordOrder(bench.ledger, { ...A1, serviceName: 'Self 4-Point Underwriting' });
  expect(await run(bench)).toEqual({ created: 1, linked: 0, skipped: 0, refused: 0, stopped: null });
  expect(await orderOf(bench.ledger, id)).toMatchObject({
    state: 'created',
    projectId: '9007199254740993',
    attempts: 1,
    uncertainSince: null,
  });
  expect((await bench.service.control('GET', '/projects')).text).toContain('"allowDuplication":false');
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { inspectionCode: expect.stringMatching(/^\w{6}$/), inspectionLink: expect.stringContaining('http') },
  ]);
  expect(await run(bench)).toEqual({ created: 0, linked: 0, skipped: 0, refused: 0, stopped: null });
  expect(await creates(bench)).toEqual({ 200: 1 });
});

// With the highest project id that the service showed before it.
test('records the attempt before the request leaves', async () => {
  await using bench = await openRunBench();
  await bench.service.create({ inspectionNumber: 'older' });
  const id = await recordOrder(bench.ledger, A1);
  const seen: unknown[] = [];
  const createProject: ServiceClient['createProject'] = async (payload) => {
    const { state, attempts, idBound } = await orderOf(bench.ledger, id);
    seen.push({ state, attempts, idBound });
    return bench.client.createProject(payload);
  };
  await run(bench, { client: { ...bench.client, createProject } });
  expect(seen).toEqual([{ state: 'submitting', attempts: 1, idBound: '100001' }]);
});

type Outcome = readonly [state: OrderRecord['state'], projects: number, linkedTo: string | null];
const OUTCOMES: Readonly<Record<OnDuplicate, Outcome>> = {
  link: ['linked', 1, '100001'],
  skip: ['skipped', 1, null],
  reject: ['refused', 1, null],
  create: ['created', 2, '100002'],
};
const RULES: readonly (readonly [string, Partial<OrderPayload>, Record<string, unknown>])[] = [
  ['rule 2, policy and date', P1, P1],
  ['rule 3, inspection number', A1, A1],
  ['rule 4, commercial address', { ...A1, ...SHOP }, { inspectionNumber: 'other' }],
];

for (const onDuplicate of ['link', 'skip', 'reject', 'create'] as const) {
  test.each(RULES)(`handles 409 under "${onDuplicate}" by %s`, async (_rule, order, standing) => {
    await using bench = await openRunBench();
    await bench.service.create({ ...standing, insuredName: 'Somebody Else' });
    const id = await recordOrder(bench.ledger, order);
    const report = await run(bench, { rules: { onDuplicate, whenNoKey: 'mark', renewalAfterDays: 300 } });
    const [state, projects, projectId] = OUTCOMES[onDuplicate];
    expect(await orderOf(bench.ledger, id)).toMatchObject({ state, projectId });
    expect((await audit(bench)).creates).toBe(projects);
    expect(report).toMatchObject({ created: 0, linked: 0, skipped: 0, refused: 0, stopped: null, [state]: 1 });
  });
}

test('links a similar project that existed before, instead of adopting it', async () => {
  await using bench = await openRunBench();
  await bench.service.create(A1);
  const id = await recordOrder(bench.ledger, A1);
  expect(await run(bench)).toMatchObject({ created: 0, linked: 1 });
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'linked', projectId: '100001' });
});

test.each<[string, Partial<NewOrder>, OnDuplicate, OrderRecord['state']]>([
  ['true is sent, and makes a separate project', { allowDuplication: true, rowWish: true }, 'reject', 'created'],
  ['false outranks a config that would create', { rowWish: false }, 'create', 'linked'],
])("sends the row's own allowDuplication: %s", async (_name, cell, onDuplicate, state) => {
  await using bench = await openRunBench();
  await bench.service.create({ ...A1, insuredName: 'Somebody Else' });
  const id = await recordOrder(bench.ledger, A1, cell);
  await run(bench, { rules: { onDuplicate, whenNoKey: 'mark', renewalAfterDays: 300 } });
  expect((await orderOf(bench.ledger, id)).state).toBe(state);
  expect((await audit(bench)).creates).toBe(state === 'created' ? 2 : 1);
});

test.each(['commit-then-504', 'commit-then-reset'])(
  '%s: finds and adopts the project in the same run',
  async (kind) => {
    await using bench = await openRunBench();
    await fault(bench, kind, { times: 3 });
    const marked = newOrder({ note: 'ring twice [ref IB-1]' }, { reference: 'IB-1' });
    const ids = await recordOrders(bench.ledger, [
      newOrder(A1),
      newOrder(P1),
      marked,
      newOrder({ inspectionNumber: 'A-2' }),
    ]);
    expect(await run(bench)).toMatchObject({ created: 4, stopped: null });
    const orders = await Promise.all(ids.map((id) => orderOf(bench.ledger, id)));
    expect(orders.map(({ state, projectId, attempts }) => [state, projectId, attempts])).toEqual(
      ['100001', '100002', '100003', '100004'].map((id) => ['created', id, 1]),
    );
    expect(await audit(bench)).toMatchObject({ creates: 4, doubles: [], faults: [{ bites: 3 }] });
    const steps = (await bench.ledger.storyOf(ids[0] ?? 0)).steps.filter((step) => step.event === 'created');
    expect(steps).toMatchObject([{ detail: { adopted: true, project: '100001' } }]);
  },
);

test('sends again exactly once, after the quarantine and a search', async () => {
  await using bench = await openRunBench();
  await fault(bench, '504', { times: 1 });
  const id = await recordOrder(bench.ledger, A1);
  await run(bench);
  const sentAt = bench.clock.now();
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'unresolved', uncertainSince: sentAt, attempts: 1 });
  await bench.clock.advance(QUARANTINE_MS - 1);
  await run(bench);
  expect((await orderOf(bench.ledger, id)).state).toBe('unresolved');
  expect(await creates(bench)).toEqual({ 504: 1 });
  await bench.clock.advance(1);
  expect(await run(bench)).toMatchObject({ created: 1 });
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'created', attempts: 2 });
  expect(await creates(bench)).toEqual({ 200: 1, 504: 1 });
});

test('counts the quarantine from the last possible send, not the intent', async () => {
  await using bench = await openRunBench();
  const id = await recordOrder(bench.ledger, A1);
  const createProject: ServiceClient['createProject'] = async () => {
    await bench.clock.advance(QUARANTINE_MS - 1000);
    return { kind: 'unknown', reason: 'no answer in time', status: null, retryAfterMs: null };
  };
  await run(bench, { client: { ...bench.client, createProject } });
  const gaveUpAt = bench.clock.now();
  expect((await orderOf(bench.ledger, id)).uncertainSince).toBe(gaveUpAt);
  await bench.clock.advance(2000);
  await run(bench);
  expect([(await orderOf(bench.ledger, id)).state, await creates(bench)]).toEqual(['unresolved', {}]);
});

test('adopts our own first attempt after a 409 on the second', async () => {
  await using bench = await openRunBench();
  await fault(bench, 'commit-then-504', { times: 1 });
  const { client, hidden } = slowSearch(bench);
  const ids = await recordOrders(bench.ledger, [newOrder(A1)]);
  await run(bench, { client });
  expect((await orderOf(bench.ledger, ids[0] ?? 0)).state).toBe('unresolved');
  await bench.clock.advance(QUARANTINE_MS);
  const createProject: ServiceClient['createProject'] = async (payload) => {
    hidden.now = false;
    return client.createProject(payload);
  };
  expect(
    await run(bench, {
      client: { ...client, createProject },
      rules: { onDuplicate: 'create', whenNoKey: 'mark', renewalAfterDays: 300 },
    }),
  ).toMatchObject({ created: 1 });
  expect(await orderOf(bench.ledger, ids[0] ?? 0)).toMatchObject({
    state: 'created',
    projectId: '100001',
    attempts: 2,
  });
  expect(await creates(bench)).toEqual({ 409: 1, 504: 1 });
  expect(await audit(bench)).toMatchObject({ creates: 1, doubles: [] });
});

test('leaves an order in doubt until a search explains its 409', async () => {
  await using bench = await openRunBench();
  await bench.service.create({ ...A1, insuredName: 'Somebody Else' });
  const { client, hidden } = slowSearch(bench);
  // Words that name no project.
  const createProject: ServiceClient['createProject'] = async (payload) => {
    const outcome = await client.createProject(payload);
    return outcome.kind === 'duplicate' ? { ...outcome, message: 'Resource already exists.' } : outcome;
  };
  const id = await recordOrder(bench.ledger, A1);
  await run(bench, { client: { ...client, createProject } });
  expect(await orderOf(bench.ledger, id)).toMatchObject({
    state: 'unresolved',
    reason: expect.stringContaining('409'),
  });
  hidden.now = false;
  await bench.clock.advance(QUARANTINE_MS);
  await run(bench);
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'linked', projectId: '100001' });
  expect((await audit(bench)).creates).toBe(1);
});

test('ties a project that a 409 names but no search shows', async () => {
  await using bench = await openRunBench();
  await bench.service.create({ ...A1, insuredName: 'Somebody Else' });
  const id = await recordOrder(bench.ledger, A1);
  await run(bench, { client: slowSearch(bench).client });
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'linked', projectId: '100001' });
});

test('holds an order with two exact matches and sends nothing', async () => {
  await using bench = await openRunBench();
  await fault(bench, 'commit-then-504', { times: 1 });
  const { client } = slowSearch(bench);
  const id = await recordOrder(bench.ledger, A1);
  await run(bench, { client });
  await bench.service.create({ ...A1, allowDuplication: true });
  await bench.clock.advance(QUARANTINE_MS);
  await run(bench);
  expect(await orderOf(bench.ledger, id)).toMatchObject({
    state: 'held',
    projectId: null,
    reason: expect.stringMatching(/100001, 100002/),
  });
  expect(await creates(bench)).toMatchObject({ 504: 1 });
  expect(await bench.service.status('100001')).toBe('Project Created');
});

test('lets two similar uncertain orders each adopt their own project', async () => {
  await using bench = await openRunBench();
  await fault(bench, 'commit-then-504', { times: 2 });
  const marked = (reference: string) => newOrder({ note: `[ref ${reference}]` }, { reference, identity: reference });
  const ids = await recordOrders(bench.ledger, [marked('IB-1'), marked('IB-2')]);
  await run(bench);
  const orders = await Promise.all(ids.map((id) => orderOf(bench.ledger, id)));
  expect(orders.map(({ state, projectId }) => [state, projectId])).toEqual([
    ['created', '100001'],
    ['created', '100002'],
  ]);
});

// The quarantine counts from the recovery.
test('adopts an interrupted order if it arrived, else quarantines it', async () => {
  await using bench = await openRunBench();
  const { ledger, clock, service } = bench;
  const ids = await recordOrders(ledger, [newOrder(A1), newOrder({ inspectionNumber: 'A-2' })]);
  for (const id of ids) await ledger.beginAttempt(id, attemptOf('0'));
  await service.create(A1);
  await clock.advance(10 * QUARANTINE_MS);
  expect(await ledger.recoverInterrupted()).toBe(2);
  expect(await run(bench)).toMatchObject({ created: 1 });
  const states = async () => Promise.all(ids.map(async (id) => (await orderOf(ledger, id)).state));
  expect(await states()).toEqual(['created', 'unresolved']);
  await clock.advance(QUARANTINE_MS);
  await run(bench);
  expect([await states(), (await audit(bench)).creates]).toEqual([['created', 'created'], 2]);
});

test('holds an order for a person after five unknown outcomes', async () => {
  await using bench = await openRunBench();
  await fault(bench, '504');
  const id = await recordOrder(bench.ledger, A1);
  for (let night = 0; night < 8; night += 1) {
    await run(bench);
    await bench.clock.advance(QUARANTINE_MS);
  }
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'held', attempts: 5 });
  expect(await creates(bench)).toEqual({ 504: 5 });
});

test('uses up no attempt for a 429 and sends again', async () => {
  await using bench = await openRunBench();
  await fault(bench, '429', { times: 7, retryAfter: 2 });
  const id = await recordOrder(bench.ledger, A1);
  expect(await run(bench)).toMatchObject({ created: 1, stopped: null });
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'created', attempts: 1 });
  expect(await creates(bench)).toEqual({ 200: 1, 429: 7 });
});

test('refuses a row for good after a 422 and continues', async () => {
  await using bench = await openRunBench();
  const bad: OrderPayload = { ...orderPayload({ inspectionNumber: 'bad' }), state: 'XX' };
  const ids = await recordOrders(bench.ledger, [newOrder({ inspectionNumber: 'bad' }, { payload: bad }), newOrder(A1)]);
  expect(await run(bench)).toMatchObject({ created: 1, refused: 1, stopped: null });
  expect(await orderOf(bench.ledger, ids[0] ?? 0)).toMatchObject({
    state: 'refused',
    reason: expect.stringContaining('state'),
  });
});

async function threeOrders(ledger: Ledger): Promise<readonly number[]> {
  return recordOrders(
    ledger,
    ['A-1', 'A-2', 'A-3'].map((inspectionNumber) => newOrder({ inspectionNumber })),
  );
}

test('stops after a 403 and leaves every order ready, unattempted', async () => {
  await using bench = await openRunBench();
  const ids = await threeOrders(bench.ledger);
  const asked: string[] = [];
  const createProject: ServiceClient['createProject'] = async ({ inspectionNumber }) => {
    asked.push(inspectionNumber ?? '');
    return { kind: 'stop', status: 403, message: 'Permission denied.', notCreated: true };
  };
  expect(await run(bench, { client: { ...bench.client, createProject } })).toMatchObject({
    created: 0,
    refused: 0,
    stopped: expect.stringMatching(/403.*Permission denied/),
  });
  expect(asked).toEqual(['A-1']);
  const orders = await Promise.all(ids.map((id) => orderOf(bench.ledger, id)));
  expect(orders.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['ready', 0],
    ['ready', 0],
    ['ready', 0],
  ]);
  expect(await run(bench)).toMatchObject({ created: 3 });
});

test('stops after an unknown 4xx and leaves its order in doubt', async () => {
  await using bench = await openRunBench();
  const ids = await threeOrders(bench.ledger);
  const createProject: ServiceClient['createProject'] = async () => ({
    kind: 'stop',
    status: 403,
    message: 'blocked',
    notCreated: false,
  });
  await run(bench, { client: { ...bench.client, createProject } });
  const orders = await Promise.all(ids.map((id) => orderOf(bench.ledger, id)));
  expect(orders.map(({ state }) => state)).toEqual(['unresolved', 'ready', 'ready']);
});

test.each<[ExplainedKind, unknown]>([
  ['usage', expect.objectContaining({ kind: 'usage', message: expect.stringContaining('credentials') })],
  ['work-left', expect.stringContaining('credentials')],
])('puts the order back and sends nothing without a token (%s)', async (kind, expected) => {
  await using bench = await openRunBench();
  const ids = await threeOrders(bench.ledger);
  let asked = 0;
  const createProject: ServiceClient['createProject'] = async () => {
    asked += 1;
    throw new ExplainedError('code-of-a-test', 'The service does not accept the credentials (401).', { kind });
  };
  const said = await run(bench, { client: { ...bench.client, createProject } }).then(
    ({ stopped }) => stopped,
    (failure: unknown) => failure,
  );
  expect(said).toEqual(expected);
  expect(asked).toBe(1);
  const orders = await Promise.all(ids.map((id) => orderOf(bench.ledger, id)));
  expect(orders.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['ready', 0],
    ['ready', 0],
    ['ready', 0],
  ]);
});

test('stops after twenty unknown outcomes and keeps the rest unsent', async () => {
  await using bench = await openRunBench();
  await fault(bench, '504');
  await recordOrders(
    bench.ledger,
    Array.from({ length: 25 }, (_, index) => newOrder({ inspectionNumber: `A-${index}` })),
  );
  expect(await run(bench)).toMatchObject({ created: 0, stopped: expect.stringContaining('no known outcome') });
  expect(await bench.ledger.orderCounts()).toMatchObject({ unresolved: 20, ready: 5 });
  expect(await creates(bench)).toEqual({ 504: 20 });
});

test('leaves every order ready when the service cannot be reached', async () => {
  await using bench = await openRunBench();
  const ids = await threeOrders(bench.ledger);
  const createProject: ServiceClient['createProject'] = async () => ({
    kind: 'not-sent',
    reason: 'the connection was refused',
  });
  expect(await run(bench, { client: { ...bench.client, createProject } })).toMatchObject({
    stopped: expect.stringContaining('away'),
  });
  const orders = await Promise.all(ids.map((id) => orderOf(bench.ledger, id)));
  expect(orders.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['ready', 0],
    ['ready', 0],
    ['ready', 0],
  ]);
});

test("leaves an order in doubt if the answer shows another's project", async () => {
  await using bench = await openRunBench();
  const id = await recordOrder(bench.ledger, A1);
  const createProject: ServiceClient['createProject'] = async (payload) => {
    const outcome = await bench.client.createProject(payload);
    return outcome.kind === 'created'
      ? { ...outcome, project: { ...outcome.project, inspectionNumber: 'Z-9', insuredName: 'Bob Ray' } }
      : outcome;
  };
  const searchProjects: ServiceClient['searchProjects'] = async () => ({ kind: 'ok', value: [] });
  await run(bench, { client: { ...bench.client, createProject, searchProjects } });
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'unresolved', projectId: null });
  await run(bench);
  expect((await orderOf(bench.ledger, id)).state).toBe('created');
  expect(await audit(bench)).toMatchObject({ creates: 1, doubles: [] });
});

test("leaves an order in doubt if the answer has another order's project ID", async () => {
  await using bench = await openRunBench();
  const [first = 0, second = 0] = await recordOrders(bench.ledger, [
    newOrder(A1),
    newOrder({ inspectionNumber: 'A-2', streetAddress: '9 Elm Street' }),
  ]);
  let answered: string | null = null;
  const createProject: ServiceClient['createProject'] = async (payload) => {
    const outcome = await bench.client.createProject(payload);
    if (outcome.kind !== 'created') return outcome;
    answered ??= outcome.project.id;
    return { ...outcome, project: { ...outcome.project, id: answered } };
  };
  const searchProjects: ServiceClient['searchProjects'] = async () => ({ kind: 'ok', value: [] });
  await run(bench, { client: { ...bench.client, createProject, searchProjects }, maxConcurrency: 1 });
  expect(await orderOf(bench.ledger, first)).toMatchObject({ state: 'created', projectId: answered });
  expect(await orderOf(bench.ledger, second)).toMatchObject({ state: 'unresolved', code: 'outcome-unknown' });
  await run(bench);
  const settled = await orderOf(bench.ledger, second);
  expect(settled.state).toBe('created');
  expect(settled.projectId).not.toBe(answered);
  expect(await audit(bench)).toMatchObject({ creates: 2, doubles: [] });
});

test('waits for a service that keeps throttling', async () => {
  await using bench = await openRunBench();
  await fault(bench, '429', { times: 25 });
  const id = await recordOrder(bench.ledger, A1);
  expect(await run(bench)).toMatchObject({ created: 1, stopped: null });
  expect((await orderOf(bench.ledger, id)).attempts).toBe(1);
});

test('sends nothing until the first search is answered', async () => {
  await using bench = await openRunBench();
  await bench.service.control('POST', '/faults', [{ kind: '503', match: { method: 'GET', route: '/v1/project' } }]);
  await recordOrder(bench.ledger, A1);
  expect(await run(bench)).toMatchObject({ stopped: expect.stringContaining('unavailable') });
  expect(await creates(bench)).toEqual({});
});

test('finishes requests in flight after a stop and begins none', async () => {
  await using bench = await openRunBench();
  const ids = await threeOrders(bench.ledger);
  const stop = new AbortController();
  const createProject: ServiceClient['createProject'] = async (payload) => {
    stop.abort(new Error('The run was asked to stop.'));
    return bench.client.createProject(payload);
  };
  expect(await run(bench, { client: { ...bench.client, createProject }, signal: stop.signal })).toMatchObject({
    created: 1,
    stopped: expect.stringContaining('stop'),
  });
  const orders = await Promise.all(ids.map((id) => orderOf(bench.ledger, id)));
  expect(orders.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['created', 1],
    ['ready', 0],
    ['ready', 0],
  ]);
});

test('begins nothing after finishBy', async () => {
  await using bench = await openRunBench();
  await threeOrders(bench.ledger);
  const report = await run(bench, { finishBy: bench.clock.now() });
  expect([report.stopped, await creates(bench)]).toEqual([expect.stringContaining('finishBy'), {}]);
});

test('makes exactly one project per order amid faults and concurrency', async () => {
  await using bench = await openRunBench({ seed: 4 });
  const keys = [
    (index: number) => ({ inspectionNumber: `A-${index}` }),
    (index: number) => ({ policyNumber: `P-${index}` }),
  ] as const;
  await recordOrders(
    bench.ledger,
    Array.from({ length: 60 }, (_, index) => newOrder(keys[index % 2]?.(index) ?? {})),
  );
  const rules = ['commit-then-504', 'commit-then-reset', '504', '429', '500'].map((kind) => ({
    kind,
    match: CREATE,
    probability: 0.25,
    times: 4,
  }));
  await bench.service.control('POST', '/faults', rules);
  for (let night = 0; night < 6; night += 1) {
    await run(bench, { maxConcurrency: 8 });
    await bench.clock.advance(QUARANTINE_MS);
  }
  expect(await bench.ledger.orderCounts()).toMatchObject({ created: 60 });
  const truth = await audit(bench);
  expect(truth).toMatchObject({ creates: 60, doubles: [] });
  expect(truth.faults.map(({ bites }) => bites)).toEqual([4, 4, 4, 4, 4]);
  expect(new Set((await bench.ledger.followedProjects()).map(({ id }) => id)).size).toBe(60);
});

test('gives back an order stopped while it waits for a token', async () => {
  await using bench = await openRunBench();
  const id = await recordOrder(bench.ledger, A1);
  const stop = new AbortController();
  const createProject: ServiceClient['createProject'] = async () => {
    stop.abort(new Error('The run was asked to stop.'));
    throw stop.signal.reason;
  };
  const report = await run(bench, { signal: stop.signal, client: { ...bench.client, createProject } });
  expect(report.stopped).toContain('asked to stop');
  expect(await orderOf(bench.ledger, id)).toMatchObject({ state: 'ready', attempts: 0 });
});

test('ties a commercial order by address if a 409 names nothing', async () => {
  await using bench = await openRunBench();
  const { ledger, client, clock, service } = bench;
  const shop = { ...SHOP, streetAddress: '9 Market Square' };
  const there = await service.create({ ...orderPayload(shop), inspectionNumber: 'Z-9' });
  const [id = 0] = await recordOrders(ledger, [newOrder({ ...shop, inspectionNumber: 'A-1' })]);
  const createProject: ServiceClient['createProject'] = async (payload) => {
    const outcome = await client.createProject(payload);
    return outcome.kind === 'duplicate' ? { ...outcome, message: 'It exists already.' } : outcome;
  };
  await clock.drive(submitOrders(submitContext(bench, { client: { ...client, createProject } })));
  expect(await ledger.order(id)).toMatchObject({ state: 'linked', projectId: there });
});

test('sends the other orders after a 409 without a body', async () => {
  await using bench = await openRunBench();
  await bench.client.createProject({ ...orderPayload(A1), allowDuplication: false });
  const [first = 0, second = 0] = await recordOrders(bench.ledger, [
    newOrder(A1),
    newOrder({ inspectionNumber: 'A-2', streetAddress: '9 Elm Street' }),
  ]);
  const createProject: ServiceClient['createProject'] = async (order) => {
    const outcome = await bench.client.createProject(order);
    if (outcome.kind !== 'duplicate') return outcome;
    return createOutcomeOf({ kind: 'answer', status: 409, headers: {}, body: Buffer.alloc(0) }, bench.clock.now());
  };
  expect(await run(bench, { client: { ...bench.client, createProject } })).toMatchObject({ created: 1, stopped: null });
  expect((await orderOf(bench.ledger, first)).state).toBe('unresolved');
  expect((await orderOf(bench.ledger, second)).state).toBe('created');
});
