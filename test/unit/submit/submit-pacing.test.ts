import { expect, test } from 'vitest';
import type { CreateOutcome } from '../../../src/service/outcome.ts';
import { newOrder, recordOrders } from '../../support/order-factory.ts';
import { clientThat, type LedgerBench, openLedgerBench, submitContext } from '../../support/run-bench.ts';
import type { SubmitContext } from '../../../src/submit/submit-run.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';

/** A service that takes so many creates in each hour from the start, and says nothing of it. */
async function hourlyQuota(
  bench: LedgerBench,
  limit: number,
): Promise<{ client: SubmitContext['client']; refused: () => number }> {
  const start = bench.clock.now();
  const used = new Map<number, number>();
  let created = 0;
  let refused = 0;
  const createProject = async (): Promise<CreateOutcome> => {
    const hour = Math.floor((bench.clock.now() - start) / 3_600_000);
    const before = used.get(hour) ?? 0;
    const taken = before < limit;
    if (taken) used.set(hour, before + 1);
    else refused += 1;
    await bench.clock.sleep(50);
    if (!taken) return { kind: 'throttled', retryAfterMs: null };
    created += 1;
    return { kind: 'created', project: { id: String(1000 + created) } };
  };
  return {
    client: clientThat({ createProject, searchProjects: async () => ({ kind: 'ok', value: [] }) }),
    refused: () => refused,
  };
}

async function record(bench: LedgerBench, count: number): Promise<void> {
  await recordOrders(
    bench.ledger,
    Array.from({ length: count }, (_, index) => newOrder({ inspectionNumber: `Q-${index}` })),
  );
}

test('creates every order under an hourly quota without a breaker', async () => {
  await using bench = await openLedgerBench();
  await record(bench, 640);
  const { client, refused } = await hourlyQuota(bench, 300);
  const start = bench.clock.now();
  const report = await bench.clock.drive(submitOrders(submitContext({ ...bench, client }, { maxConcurrency: 8 })));
  expect(report).toEqual({ created: 640, linked: 0, skipped: 0, refused: 0, stopped: null });
  expect(bench.clock.now() - start).toBeLessThan(2.2 * 3_600_000);
  expect(refused()).toBeLessThan(100);
});

test('ends in time for finishBy and leaves the rest ready', async () => {
  await using bench = await openLedgerBench();
  await record(bench, 400);
  const { client } = await hourlyQuota(bench, 300);
  const finishBy = bench.clock.now() + 30 * 60_000;
  const ending = new AbortController();
  void bench.clock.sleep(30 * 60_000).then(() => {
    ending.abort(new Error('The time given by run.finishBy is over.'));
  });
  const report = await bench.clock.drive(
    submitOrders(submitContext({ ...bench, client }, { maxConcurrency: 8, finishBy, signal: ending.signal })),
  );
  expect(report).toMatchObject({ created: 300, stopped: expect.stringContaining('run.finishBy') });
  expect(bench.clock.now()).toBe(finishBy);
  expect(await bench.ledger.orderCounts()).toMatchObject({ created: 300, ready: 100, submitting: 0, unresolved: 0 });
});
