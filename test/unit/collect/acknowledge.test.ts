import { expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/service/client.ts';
import { recordCreated } from '../../support/order-factory.ts';
import { collectContext, openRunBench, type RunBench } from '../../support/run-bench.ts';
import { acknowledgeDelivered } from '../../../src/collect/collect-run.ts';

const RETURNED = 'Returned to Client';
const RECEIVED = 'Client Received';
const ID = '100001';

/** So many projects that were returned and are collected, in the ledger as in the sandbox. */
async function collected(count: number): Promise<RunBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openRunBench());
  for (let index = 0; index < count; index += 1) {
    const id = await bench.service.create({ inspectionNumber: `A-${index}` });
    await bench.service.setStatus(id, RETURNED);
    await recordCreated(bench.ledger, id);
    await bench.ledger.recordStatuses([{ id, status: RETURNED }]);
    await bench.ledger.markCollected(id);
  }
  const resources = opened.move();
  return { ...bench, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function acknowledge(
  bench: RunBench,
  ids: readonly string[],
  changes: Partial<ServiceClient> = {},
): Promise<number> {
  return bench.clock.drive(
    acknowledgeDelivered(
      new Set(ids),
      collectContext({ ...bench, client: { ...bench.client, ...changes } }, { maxConcurrency: 1 }),
    ),
  );
}

async function puts({ service }: RunBench): Promise<Readonly<Record<string, number>>> {
  const { requests } = (await service.control('GET', '/audit')).body as {
    requests: Record<string, Record<string, number>>;
  };
  return requests['PUT /v1/project/{projectId}/status'] ?? {};
}

test('marks a delivered, collected project as received once, here and there', async () => {
  await using bench = await collected(2);
  expect(await acknowledge(bench, ['100001', '100002'])).toBe(2);
  expect([await bench.service.status('100001'), await bench.service.status('100002')]).toEqual([RECEIVED, RECEIVED]);
  expect(await bench.ledger.projectCounts()).toMatchObject({ received: 2 });
  expect(await acknowledge(bench, ['100001', '100002'])).toBe(0);
  expect(await puts(bench)).toEqual({ 200: 2 });
});

test('reports a refused receipt once, and tries again each night', async () => {
  await using bench = await collected(1);
  let asked = 0;
  const putStatus: ServiceClient['putStatus'] = async () => {
    asked += 1;
    return { kind: 'refused', status: 409, message: 'Not now.' };
  };
  const newsOf = async () => (await bench.ledger.openNews()).map(({ kind, subject }) => [kind, subject]);
  expect(await acknowledge(bench, [ID], { putStatus })).toBe(0);
  expect(await newsOf()).toEqual([['update-refused', ID]]);
  await bench.ledger.markReported((await bench.ledger.openNews()).map(({ id }) => id));
  expect(await acknowledge(bench, [ID], { putStatus })).toBe(0);
  expect([await newsOf(), asked]).toEqual([[], 2]);
  const { steps = [] } = (await bench.ledger.storyOfProject(ID)) ?? {};
  expect(steps.slice(-2)).toMatchObject([
    { event: 'acknowledging' },
    { event: 'not acknowledged', detail: { reason: 'Not now.' } },
  ]);
});

test('leaves projects outside the delivery alone', async () => {
  await using bench = await collected(2);
  expect(await acknowledge(bench, ['100002'])).toBe(1);
  expect([await bench.service.status('100001'), await bench.service.status('100002')]).toEqual([RETURNED, RECEIVED]);
});

test.each<[string, (bench: RunBench) => Promise<unknown>]>([
  ['is not returned any more', ({ ledger }) => ledger.recordStatuses([{ id: ID, status: 'Project Rework' }])],
  [
    'came back and is not collected yet',
    async ({ ledger }) => {
      await ledger.recordStatuses([{ id: ID, status: 'Project Rework' }]);
      await ledger.recordStatuses([{ id: ID, status: RETURNED }]);
    },
  ],
  [
    'has a problem',
    ({ ledger }) => ledger.markCollectionProblem(ID, { code: 'files-incomplete', text: 'The file came broken.' }),
  ],
  ['has an unlisted status', ({ ledger }) => ledger.recordStatuses([{ id: ID, status: 'closed out' }])],
])('does not acknowledge a delivered project that %s', async (_what, change) => {
  await using bench = await collected(1);
  await change(bench);
  expect(await acknowledge(bench, [ID])).toBe(0);
  expect(await puts(bench)).toEqual({});
});

test.each(['commit-then-504', 'commit-then-reset'])(
  '%s: confirms with a GET that the change was made',
  async (kind) => {
    await using bench = await collected(1);
    await bench.service.control('POST', '/faults', [{ kind, match: { method: 'PUT' } }]);
    expect(await acknowledge(bench, [ID])).toBe(1);
    expect([await bench.service.status(ID), (await bench.ledger.projectCounts()).received]).toEqual([RECEIVED, 1]);
  },
);

test('leaves the project to receive when the PUT failed', async () => {
  await using bench = await collected(1);
  await bench.service.control('POST', '/faults', [{ kind: '503', match: { method: 'PUT' } }]);
  expect(await acknowledge(bench, [ID])).toBe(0);
  expect(await bench.ledger.followedProjects()).toMatchObject([{ id: ID, status: RETURNED }]);
  await bench.service.control('DELETE', '/faults');
  expect(await acknowledge(bench, [ID])).toBe(1);
});

test("records the service's status when the transition is refused", async () => {
  await using bench = await collected(1);
  await bench.service.setStatus(ID, 'Project Rework');
  expect(await acknowledge(bench, [ID])).toBe(0);
  expect(await bench.ledger.followedProjects()).toMatchObject([{ id: ID, status: 'Project Rework' }]);
});

test('claims nothing and stops when neither PUT nor GET is answered', async () => {
  await using bench = await collected(2);
  await bench.service.control('POST', '/faults', [{ kind: '503', match: { route: '/v1/project/{projectId}/status' } }]);
  expect(await acknowledge(bench, ['100001', '100002'])).toBe(0);
  expect(await bench.ledger.projectCounts()).toMatchObject({ received: 0, collected: 2 });
  expect((await puts(bench))[503]).toBe(1);
});

test('acknowledges nothing after a stop', async () => {
  await using bench = await collected(2);
  const parts = collectContext(bench, { signal: AbortSignal.abort(new Error('stop')) });
  expect(await bench.clock.drive(acknowledgeDelivered(new Set(['100001', '100002']), parts))).toBe(0);
  expect(await puts(bench)).toEqual({});
});
