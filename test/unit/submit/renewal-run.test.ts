import { expect, test } from 'vitest';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { CreateOutcome } from '../../../src/service/outcome.ts';
import { settleUnresolved } from '../../../src/submit/settle.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { orderPayload, recordOrder } from '../../support/order-factory.ts';
import { openRunBench, type RunBench, submitContext } from '../../support/run-bench.ts';

const DAY_MS = 86_400_000;
const LAST_YEAR: Partial<OrderPayload> = { inspectionNumber: 'A-1', dueDate: '2026-11-01' };
const THIS_YEAR: Partial<OrderPayload> = { inspectionNumber: 'A-1', dueDate: '2027-11-01' };

const place = (bench: RunBench, payload: Partial<OrderPayload>) =>
  bench.service.create({ ...orderPayload(), ...payload, allowDuplication: true });
const run = (bench: RunBench, changes: Parameters<typeof submitContext>[1] = {}) =>
  bench.clock.drive(submitOrders(submitContext(bench, changes)));

test("does not tie a renewal to last year's project after a 409", async () => {
  await using bench = await openRunBench();
  const last = await place(bench, LAST_YEAR);
  await bench.clock.advance(365 * DAY_MS);
  const other = await place(bench, { ...THIS_YEAR, streetAddress: '9 Elm Road' });
  const id = await recordOrder(bench.ledger, THIS_YEAR);
  await run(bench);
  const order = await bench.ledger.order(id);
  expect(order).toMatchObject({ state: 'refused', projectId: null, reason: expect.stringContaining(other) });
  expect(order?.reason).not.toContain(last);
});

test('refuses the second of two years sent in one night', async () => {
  await using bench = await openRunBench();
  const ids = [
    await recordOrder(bench.ledger, LAST_YEAR),
    await recordOrder(bench.ledger, THIS_YEAR, { identity: 'renewal' }),
  ];
  await run(bench);
  expect(await bench.ledger.order(ids[0] ?? 0)).toMatchObject({ state: 'created' });
  expect(await bench.ledger.order(ids[1] ?? 0)).toMatchObject({
    state: 'refused',
    code: 'duplicate-of-other-order',
  });
});

test("gives an uncertain order of one year no other year's project", async () => {
  await using bench = await openRunBench();
  const { ledger, clock, client } = bench;
  const lost = async (): Promise<CreateOutcome> => ({
    kind: 'unknown',
    reason: 'timeout',
    status: null,
    retryAfterMs: null,
  });
  const last = await recordOrder(ledger, LAST_YEAR);
  await run(bench, { client: { ...client, createProject: lost } });
  expect(await ledger.order(last)).toMatchObject({ state: 'unresolved' });
  await clock.advance(365 * DAY_MS);
  await place(bench, THIS_YEAR);
  await clock.drive(settleUnresolved(submitContext(bench), { isLast: true }));
  expect(await ledger.order(last)).toMatchObject({ state: 'ready', projectId: null });
});
