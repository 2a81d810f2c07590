import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import type { ReadOutcome } from '../../../src/service/outcome.ts';
import { createPacer, pacedReads } from '../../../src/service/pacer.ts';
import { repeatRead, RetryBudget } from '../../../src/service/retry.ts';
import { clientThat } from '../../support/run-bench.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function bench(signal = new AbortController().signal) {
  const clock = createVirtualClock();
  const world = { clock, sleep: clock.sleep, random: () => 0.5, log: silentLog, signal };
  return { clock, world, pacer: createPacer({ ...world, maxConcurrency: 4 }) };
}

const THROTTLED: ReadOutcome<never> = { kind: 'transient', reason: 'HTTP 429', status: 429, retryAfterMs: 60_000 };

describe('pacedReads', () => {
  test('a 429 on one read delays all others until a probe succeeds', async () => {
    const { clock, world, pacer } = bench();
    const start = clock.now();
    const asked: number[] = [];
    const client = pacedReads(
      clientThat({
        getStatus: async (id) => {
          const nth = asked.push(clock.now() - start);
          await clock.sleep(50);
          return nth <= 2 ? THROTTLED : { kind: 'ok', value: { id, status: 'Project Created' } };
        },
      }),
      pacer,
      world.signal,
    );
    const ids = Array.from({ length: 10 }, (_, index) => String(index));
    const outcomes = await clock.drive(Promise.all(ids.map((id) => repeatRead(() => client.getStatus(id), world))));
    expect(outcomes.every(({ kind }) => kind === 'ok')).toBe(true);
    expect(asked.filter((at) => at > 50 && at < 60_000)).toEqual([]);
    expect(asked.length).toBe(12);
  });

  test('a read stopped at the gate returns transient', async () => {
    const stop = new AbortController();
    const { clock, world, pacer } = bench(stop.signal);
    let asked = 0;
    const client = pacedReads(
      clientThat({
        searchProjects: async () => {
          asked += 1;
          return THROTTLED;
        },
      }),
      pacer,
      world.signal,
    );
    await clock.drive(client.searchProjects({}));
    const waiting = client.searchProjects({});
    await clock.advance(10);
    stop.abort(new Error('The run was asked to stop.'));
    expect(await waiting).toEqual({
      kind: 'transient',
      reason: expect.stringContaining(' stop'),
      status: null,
      retryAfterMs: null,
    });
    expect(asked).toBe(1);
  });

  test('repeats of all reads share one budget', async () => {
    const { clock, world } = bench();
    const retryBudget = new RetryBudget();
    let asked = 0;
    let away = true;
    const read = async (): Promise<ReadOutcome<string>> => {
      asked += 1;
      return away
        ? { kind: 'transient', reason: 'HTTP 500', status: 500, retryAfterMs: null }
        : { kind: 'ok', value: '' };
    };
    const readMany = (count: number) =>
      clock.drive(Promise.all(Array.from({ length: count }, () => repeatRead(read, { ...world, retryBudget }))));
    await readMany(500);
    expect(asked).toBe(520);

    // A service that answers earns the budget back: one repeat for every five answers.
    away = false;
    await readMany(50);
    away = true;
    asked = 0;
    await readMany(100);
    expect(asked).toBe(110);
  });
});
