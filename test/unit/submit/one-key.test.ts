import { expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import { SeededRandom } from '../../../src/sandbox/seeded-random.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { createPacer } from '../../../src/service/pacer.ts';
import { decidedRow, rowKeysOf } from '../../../src/submit/row-decision.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { validRow } from '../../support/order-factory.ts';
import { inProof } from '../../support/proof-size.ts';
import { openRunBench, submitContext } from '../../support/run-bench.ts';
import { ONE_KEY_ROWS, oneKeyRows, oneKeySchedule } from '../../simulation/one-key.ts';
import { runSchedule } from '../../simulation/run-schedule.ts';

const SEEDS = Array.from({ length: inProof({ share: 2, whole: 20 }) }, (_, index) => String(index + 1));

// 30 pairs and 10 triples.
test.each(SEEDS)('simulation, seed %s: orders sharing a key each get a project', async (seed) => {
  const { violations, counts } = await runSchedule(oneKeySchedule(seed));
  expect(violations).toEqual([]);
  expect([counts.get('orders created'), counts.get('created')]).toEqual([ONE_KEY_ROWS, ONE_KEY_ROWS]);
});

test('simulation with faults and a kill: none doubled, mislinked, or lost', async () => {
  for (const seed of SEEDS.slice(0, inProof({ share: 1, whole: 5 }))) {
    const schedule = oneKeySchedule(seed, {
      creates: ['504 after', 'late after 504', 'lost before', '429'],
      createRate: 0.1,
      reads: ['503'],
      readRate: 0.02,
    });
    const [first, ...rest] = schedule.nights;
    if (first === undefined) throw new Error('no night');
    const { violations, counts } = await runSchedule({
      ...schedule,
      nights: [{ ...first, crash: { at: 60, when: 'after' } }, { ...first, files: [] }, ...rest],
    });
    expect(violations).toEqual([]);
    expect(counts.get('orders linked') ?? 0).toBe(0);
  }
});

test.each(SEEDS)('sandbox, seed %s: orders sharing a key each get a project', async (seed) => {
  await using bench = await openRunBench();
  const { ledger, clock, client, service } = bench;
  const random = new SeededRandom(seed, 'jitter');
  const orderIds: number[] = [];
  for (const [index, rows] of oneKeyRows(seed).entries()) {
    await ledger.recordFile(
      { hash: `file ${index}`, name: `file ${index}`, layouts: [], notes: [] },
      async (transaction) => {
        const valid = rows.map(({ payload, allowDuplication }) => validRow(payload, allowDuplication));
        await transaction.expect(valid.map(rowKeysOf));
        for (const read of valid) {
          const { row } = decidedRow(
            read,
            transaction,
            { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 },
            clock.now() - 30 * 86_400_000,
            [],
          );
          transaction.addRow(row);
          if (row.outcome === 'order' && row.orderId !== null) orderIds.push(row.orderId);
        }
      },
    );
  }
  // Each request leaves and comes back at its own pace.
  const createProject: ServiceClient['createProject'] = async (payload) => {
    await clock.sleep(random.integer(0, 2000));
    const outcome = await client.createProject(payload);
    await clock.sleep(random.integer(0, 2000));
    return outcome;
  };
  const world = {
    clock,
    sleep: clock.sleep,
    random: () => random.next(),
    log: silentLog,
    signal: new AbortController().signal,
  };
  const report = await clock.drive(
    submitOrders(
      submitContext(bench, {
        client: { ...client, createProject },
        maxConcurrency: 8,
        pacer: createPacer({ ...world, maxConcurrency: 8 }),
      }),
    ),
  );
  expect(report).toEqual({ created: ONE_KEY_ROWS, linked: 0, skipped: 0, refused: 0, stopped: null });
  const projects = await Promise.all(orderIds.map(async (id) => (await ledger.order(id))?.projectId));
  expect(new Set(projects).size).toBe(ONE_KEY_ROWS);
  expect(((await service.control('GET', '/audit')).body as { creates: number }).creates).toBe(ONE_KEY_ROWS);
});
