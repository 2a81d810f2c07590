import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveCommand } from '../../../src/cli/resolve-command.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { OrderRecord } from '../../../src/ledger/orders.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { systemClock, systemRandom, systemSleep } from '../../../src/ops/system.ts';
import { environmentLines, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { createServiceClient } from '../../../src/service/client.ts';
import { attemptOf, newOrder, orderPayload, recordOrders } from '../../support/order-factory.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { latestAccount } from '../../support/latest-account.ts';

async function openBench() {
  await using opened = new AsyncDisposableStack();
  const sandbox = await startSandbox();
  opened.defer(() => sandbox.close());
  const workspace = opened.use(await temporaryWorkspace({ env: environmentLines(sandbox) }));
  await runCommand('submit', { workspace: workspace.path });
  const path = workspace.at('state/ledger.sqlite');
  const ledger = () => openSqliteLedger(path, { clock: systemClock, account: latestAccount(path) ?? '' });
  const client = createServiceClient({
    ...sandbox.credentials,
    baseUrl: sandbox.baseUrl,
    clock: systemClock,
    sleep: systemSleep,
    random: systemRandom,
    log: silentLog,
  });
  opened.defer(() => client.close());
  const resources = opened.move();
  let files = 0;
  return {
    resolve: (id: number, decision: Parameters<typeof resolveCommand>[1]) =>
      resolveCommand(String(id), decision, workspace.path),
    /** Creates a project at the service that no order here has. */
    async project(changes: Partial<OrderPayload>): Promise<string> {
      const made = await client.createProject({ ...orderPayload(changes), allowDuplication: true });
      if (made.kind !== 'created') throw new Error(made.kind);
      return made.project.id;
    },
    async ready(changes: Partial<OrderPayload>): Promise<number> {
      await using records = ledger();
      const [id = 0] = await recordOrders(records, [newOrder(changes)], 'ready.csv');
      return id;
    },
    /** Records an order that was sent once, and then held unless `unresolved`. */
    async waiting(changes: Partial<OrderPayload>, state: 'held' | 'unresolved' = 'held'): Promise<number> {
      await using records = ledger();
      files += 1;
      const [id = 0] = await recordOrders(records, [newOrder(changes)], `${files}.csv`);
      await records.beginAttempt(id, attemptOf());
      const doubt = { code: 'outcome-unknown', reason: '504', uncertainSince: 0 } as const;
      await records.moveOrder(id, 'submitting', { to: 'unresolved', ...doubt });
      if (state === 'held')
        await records.moveOrder(id, 'unresolved', { to: 'held', code: 'attempts-used-up', reason: 'not found' });
      return id;
    },
    async order(id: number): Promise<OrderRecord | null> {
      await using records = ledger();
      return await records.order(id);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

let bench: Awaited<ReturnType<typeof openBench>>;

beforeAll(async () => {
  bench = await openBench();
});

afterAll(async () => {
  await bench[Symbol.asyncDispose]();
});

describe('resolveCommand --resubmit', () => {
  test.each<[string, Partial<OrderPayload>, boolean]>([
    ['an inspection number', { inspectionNumber: 'A-1' }, false],
    ['a policy number', { policyNumber: 'P-1', policyEffectiveDate: '2026-05-01' }, false],
    ['neither number', { streetAddress: '1 Elm Road' }, true],
  ])('allows no duplicate of an order with %s, unless it has none', async (_what, payload, allowed) => {
    const id = await bench.waiting(payload);
    expect(await bench.resolve(id, { resubmit: true })).toMatchObject({ exitCode: 0, json: { to: 'ready' } });
    expect(await bench.order(id)).toMatchObject({ state: 'ready', allowDuplication: allowed, attempts: 1 });
  });

  test('sends no order again whose project may exist', async () => {
    const id = await bench.waiting({ inspectionNumber: 'A-2' }, 'unresolved');
    await expect(bench.resolve(id, { resubmit: true })).rejects.toMatchObject({ code: 'order-still-unresolved' });
    expect(await bench.order(id)).toMatchObject({ state: 'unresolved' });
  });
});

describe('resolveCommand --adopt', () => {
  test.each(['held', 'unresolved'] as const)('ties an order that is %s to its project', async (state) => {
    const house = { inspectionNumber: `B-${state}`, streetAddress: '2 Elm Road' };
    const [id, project] = [await bench.waiting(house, state), await bench.project(house)];
    expect(await bench.resolve(id, { adopt: project })).toMatchObject({ exitCode: 0 });
    expect(await bench.order(id)).toMatchObject({ state: 'created', projectId: project });
  });

  test('takes no project that another order has, even with --anyway', async () => {
    const house = { inspectionNumber: 'B-1', streetAddress: '3 Elm Road' };
    const project = await bench.project(house);
    await bench.resolve(await bench.waiting(house), { adopt: project });
    const id = await bench.waiting({ ...house, inspectionNumber: 'B-2' });
    await expect(bench.resolve(id, { adopt: project, anyway: true })).rejects.toMatchObject({
      code: 'project-of-another-order',
    });
    expect(await bench.order(id)).toMatchObject({ state: 'held', projectId: null });
  });

  test.each<[string, Partial<OrderPayload>, string]>([
    ['house', { streetAddress: '44 Far Lane' }, 'project-of-another-house'],
    ['term', { policyEffectiveDate: '2027-05-01' }, 'project-of-another-term'],
  ])('takes the project of another %s only with --anyway', async (what, changes, code) => {
    const asked = { policyNumber: `P-${what}`, policyEffectiveDate: '2026-05-01', streetAddress: '4 Elm Road' };
    const project = await bench.project({ ...asked, policyNumber: `Q-${what}`, ...changes });
    const id = await bench.waiting(asked);
    await expect(bench.resolve(id, { adopt: project })).rejects.toMatchObject({ code });
    expect(await bench.order(id)).toMatchObject({ state: 'held', projectId: null });
    expect(await bench.resolve(id, { adopt: project, anyway: true })).toMatchObject({ exitCode: 0 });
    expect(await bench.order(id)).toMatchObject({ state: 'created', projectId: project });
  });

  test('takes a project whose address may be the same house', async () => {
    const project = await bench.project({ streetAddress: '5 Elm', insuredName: 'Another Name' });
    const id = await bench.waiting({ inspectionNumber: 'B-5', streetAddress: '5 Elm Road' });
    expect(await bench.resolve(id, { adopt: project })).toMatchObject({ exitCode: 0 });
    expect(await bench.order(id)).toMatchObject({ state: 'created', projectId: project });
  });

  test.each([
    ['999999', 'project-not-readable'],
    ['12x', 'not-a-project-id'],
  ])('refuses the project ID %s', async (adopt, code) => {
    const id = await bench.waiting({ inspectionNumber: `C-${adopt}` });
    await expect(bench.resolve(id, { adopt })).rejects.toMatchObject({ kind: 'usage', code });
  });
});

describe('resolveCommand', () => {
  test('gives a held order up', async () => {
    const id = await bench.waiting({ inspectionNumber: 'D-1' });
    expect(await bench.resolve(id, { abandon: true })).toMatchObject({ exitCode: 0, json: { to: 'abandoned' } });
    expect(await bench.order(id)).toMatchObject({ state: 'abandoned', code: 'abandoned-by-person' });
  });

  test('stops an order that was not sent yet, and only that', async () => {
    const id = await bench.ready({ inspectionNumber: 'D-2' });
    await expect(bench.resolve(id, { resubmit: true })).rejects.toMatchObject({ code: 'order-not-waiting' });
    expect(await bench.resolve(id, { abandon: true })).toMatchObject({ json: { from: 'ready', to: 'abandoned' } });
  });

  test.each<[string, Parameters<typeof resolveCommand>[1]]>([
    ['resubmit', { resubmit: true }],
    ['adopt', { adopt: '100001' }],
    ['abandon', { abandon: true }],
  ])('has nothing to %s if nothing waits', async (what, decision) => {
    const id = await bench.waiting({ inspectionNumber: `E-${what}` });
    await bench.resolve(id, { abandon: true });
    await expect(bench.resolve(id, decision)).rejects.toMatchObject({ code: 'order-not-waiting' });
  });

  test.each<[Parameters<typeof resolveCommand>[1], string]>([
    [{}, 'decision-missing'],
    [{ abandon: true, resubmit: true }, 'decision-missing'],
    [{ abandon: true, anyway: true }, 'flag-needs-adopt'],
  ])('refuses the flags %o', async (decision, code) => {
    await expect(bench.resolve(1, decision)).rejects.toMatchObject({ kind: 'usage', code });
  });

  test('refuses an order that is not on record', async () => {
    await expect(bench.resolve(7_777, { abandon: true })).rejects.toMatchObject({ code: 'order-unknown' });
  });
});
