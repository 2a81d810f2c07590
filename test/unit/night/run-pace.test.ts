import { expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import type { PaceSignal } from '../../../src/service/outcome.ts';
import { clientThat, type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';
import { nextTime, openPacedClient, type PacedClient } from '../../../src/night/paced-client.ts';

const throttled = (retryAfterMs: number | null): PaceSignal => ({ kind: 'throttled', retryAfterMs });

function open(bench: LedgerBench, more: { finishBy?: number; stop?: AbortSignal } = {}): Promise<PacedClient> {
  const { clock, ledger } = bench;
  const context = {
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log: silentLog,
    signal: more.stop ?? new AbortController().signal,
  };
  return openPacedClient({
    ...context,
    client: clientThat({}),
    ledger,
    maxConcurrency: 8,
    finishBy: more.finishBy ?? null,
    beforeSend: async () => {},
  });
}

const inMinutes = (bench: LedgerBench, minutes: number): number => bench.clock.now() + minutes * 60_000;

// A run that sends nothing leaves the pace unchanged.
test('openPacedClient starts at the pace that the last run learned', async () => {
  await using bench = await openLedgerBench();
  {
    await using pace = await open(bench);
    let n = 0;
    await bench.clock.drive(
      Promise.all(
        Array.from({ length: 40 }, () =>
          pace.creates.run(
            async () => {
              await bench.clock.sleep(100);
              return (n += 1) === 20 ? throttled(null) : ({ kind: 'ok' } as const);
            },
            (sign) => sign,
          ),
        ),
      ),
    );
  }
  const learnt = await bench.ledger.paceHint('create');
  expect(learnt?.ratePerSecond).toBeGreaterThan(10);
  expect(learnt?.concurrency).toBeNull();
  expect(await bench.ledger.paceHint('read')).toBeNull();
  {
    await using pace = await open(bench);
    expect(pace.creates.learnt).toBeNull();
  }
  expect(await bench.ledger.paceHint('create')).toEqual(learnt);
});

test('openPacedClient turns waiting requests away at finishBy and finishes the rest', async () => {
  await using bench = await openLedgerBench();
  await using pace = await open(bench, { finishBy: inMinutes(bench, 10) });
  const flying = pace.creates.run(
    () => bench.clock.sleep(601_000).then(() => 'done'),
    () => ({ kind: 'ok' }),
  );
  await bench.clock.advance(599_000);
  expect(pace.signal.aborted).toBe(false);
  await bench.clock.advance(1_000);
  expect(pace.signal.reason).toMatchObject({
    message: expect.stringContaining('run.finishBy'),
  });
  await expect(
    pace.creates.run(
      async () => 'new',
      () => ({ kind: 'ok' }),
    ),
  ).rejects.toBe(pace.signal.reason);
  expect(await bench.clock.drive(flying)).toBe('done');
});

test('openPacedClient waits an hour for Retry-After unless finishBy comes first', async () => {
  await using bench = await openLedgerBench();
  const hour = async (pace: PacedClient) => {
    await bench.clock.drive(
      pace.creates.run(
        async () => throttled(3_600_000),
        (sign) => sign,
      ),
    );
    return bench.clock.drive(
      pace.creates.run(
        async () => bench.clock.now(),
        () => ({ kind: 'ok' }),
      ),
    );
  };
  await using short = await open(bench, { finishBy: inMinutes(bench, 30) });
  const before = bench.clock.now();
  // The virtual clock may go on to whoever sleeps for the end of the night, a minute at a time.
  await expect(hour(short)).rejects.toMatchObject({
    kind: 'work-left',
    message: expect.stringContaining('run.finishBy'),
  });
  expect(bench.clock.now() - before).toBeLessThan(10 * 60_000);
  const then = bench.clock.now();
  await using long = await open(bench, { finishBy: inMinutes(bench, 120) });
  expect((await hour(long)) - then).toBeGreaterThanOrEqual(3_600_000);
});

test('nextTime returns the next such time on the wall clock', () => {
  const eight = new Date(2026, 2, 5, 8).getTime();
  expect(nextTime('08:00', eight)).toBe(eight);
  expect(nextTime('23:30', eight)).toBe(new Date(2026, 2, 5, 23, 30).getTime());
  expect(nextTime('05:30', eight)).toBe(new Date(2026, 2, 6, 5, 30).getTime());
});
