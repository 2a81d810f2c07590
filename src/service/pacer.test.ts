import { expect, test } from 'vitest';
import { silentLog } from '../domain/ports.ts';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';
import type { ReadOutcome } from './outcome.ts';
import { createPacer, paceOfCreate, paceOfRead, type Pacer, type PaceSign } from './pacer.ts';
import { repeatRead } from './repeat-read.ts';

const ok: PaceSign = { kind: 'ok' };
const overloaded: PaceSign = { kind: 'overloaded' };
const throttled = (retryAfterMs: number | null): PaceSign => ({ kind: 'throttled', retryAfterMs });

interface Bench {
  readonly clock: VirtualClock;
  readonly pacer: Pacer;
  /** When each request left, in ms from the start. */
  readonly sent: number[];
  /** Sends one request that takes `ms` and is answered by what `server` says at its end. */
  send(ms: number, server: (sentAt: number) => PaceSign): Promise<PaceSign>;
}

function bench(maxConcurrency: number, signal?: AbortSignal): Bench {
  const clock = createVirtualClock();
  const start = clock.now();
  const sent: number[] = [];
  const pacer = createPacer({ clock, sleep: clock.sleep, random: () => 0.5, log: silentLog, maxConcurrency, signal });
  return {
    clock,
    pacer,
    sent,
    send: (ms, server) =>
      pacer.run(async () => {
        const sentAt = clock.now() - start;
        sent.push(sentAt);
        await clock.sleep(ms);
        return server(sentAt);
      }, (sign) => sign),
  };
}

const many = (count: number, send: () => Promise<unknown>): Promise<unknown> => Promise.all(Array.from({ length: count }, send));

test('no more are in flight than allowed', async () => {
  const b = bench(3);
  await b.clock.drive(many(9, () => b.send(100, () => ok)));
  expect(b.sent).toEqual([0, 0, 0, 100, 100, 100, 200, 200, 200]);
});

test('after a 429 nothing is sent for as long as the service asked, then a single probe, then the rest', async () => {
  const b = bench(4);
  await b.clock.drive(many(12, () => b.send(100, (at) => (at === 0 ? throttled(30_000) : ok))));
  // A tenth of jitter, halved: 31.5 s after the answer.
  expect(b.sent).toEqual([0, 0, 0, 0, 31_600, ...Array.from({ length: 4 }, () => 31_700), ...Array.from({ length: 3 }, () => 31_800)]);
});

test('in an outage of two minutes only the first requests and a few probes are spent, with growing pauses', async () => {
  const b = bench(8);
  await b.clock.drive(many(100, () => b.send(50, (at) => (at < 120_000 ? throttled(null) : ok))));
  const wasted = b.sent.filter((at) => at < 120_000);
  expect(wasted.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 0));
  const probes = wasted.slice(8);
  expect(probes).toHaveLength(6);
  const pauses = probes.map((at, index) => at - (probes[index - 1] ?? 0));
  expect(pauses).toEqual(pauses.toSorted((a, z) => a - z));
  expect(b.sent).toHaveLength(100);
});

test('a 5xx halves what is in flight once for all that were out together, and good answers win it back slowly', async () => {
  const b = bench(8);
  await b.clock.drive(many(8, () => b.send(100, () => overloaded)));
  expect(b.pacer.concurrency).toBe(4);
  await b.clock.drive(many(4, () => b.send(100, () => overloaded)));
  expect(b.pacer.concurrency).toBe(2);
  await b.clock.drive(many(3, () => b.send(100, () => ok)));
  expect(b.pacer.concurrency).toBe(3);
  await b.clock.drive(many(40, () => b.send(100, () => ok)));
  expect(b.pacer.concurrency).toBe(8);
});

test('a task that throws passes its error on, and a probe that throws leaves the next one to probe', async () => {
  const b = bench(2);
  await b.clock.drive(b.send(10, () => throttled(1000)));
  const thrown = b.pacer.run(() => Promise.reject(new Error('our own fault')), () => ok);
  const next = b.send(10, () => ok);
  await expect(b.clock.drive(thrown)).rejects.toThrow('our own fault');
  expect(await b.clock.drive(next)).toEqual(ok);
  expect(b.sent).toHaveLength(2);
});

test('when the run is stopped those who wait are turned away, and what is in flight is finished', async () => {
  const stop = new AbortController();
  const b = bench(2, stop.signal);
  await b.clock.drive(b.send(0, () => throttled(60_000)));
  const waiting = Promise.allSettled([b.send(10, () => ok), b.send(10, () => ok), b.send(10, () => ok)]);
  await b.clock.advance(10);
  stop.abort(new Error('SIGTERM'));
  expect((await waiting).map((one) => one.status === 'rejected' && (one.reason as Error).message)).toEqual(['SIGTERM', 'SIGTERM', 'SIGTERM']);
  expect(b.sent).toHaveLength(1);

  const other = new AbortController();
  const c = bench(1, other.signal);
  const flying = c.send(100, () => ok);
  await c.clock.advance(50);
  other.abort(new Error('SIGTERM'));
  expect(await c.clock.drive(flying)).toEqual(ok);
});

test('what outcomes mean for the pace', () => {
  expect(paceOfCreate({ kind: 'unknown', reason: '', status: 503, retryAfterMs: 5 })).toEqual(throttled(5));
  expect(paceOfCreate({ kind: 'unknown', reason: '', status: 504, retryAfterMs: null })).toEqual(overloaded);
  expect(paceOfCreate({ kind: 'throttled', retryAfterMs: 5 })).toEqual(throttled(5));
  expect(paceOfCreate({ kind: 'refused', status: 400, message: '' })).toEqual(ok);
  expect(paceOfRead({ kind: 'transient', reason: '', status: 429, retryAfterMs: null })).toEqual(throttled(null));
  expect(paceOfRead({ kind: 'transient', reason: '', status: null, retryAfterMs: null })).toEqual(overloaded);
});

test('a read is repeated while it may pass, and its last outcome is given when it does not', async () => {
  const clock = createVirtualClock();
  const world = { clock, sleep: clock.sleep, random: () => 0.5 };
  const away: ReadOutcome<string> = { kind: 'transient', reason: 'HTTP 504', status: 504, retryAfterMs: null };
  const answers: ReadOutcome<string>[] = [away, { ...away, retryAfterMs: 4000 }, { kind: 'ok', value: 'here' }];
  expect(await clock.drive(repeatRead(async () => answers.shift() ?? away, world))).toEqual({ kind: 'ok', value: 'here' });
  expect(clock.slept).toEqual([250, 4200]);

  let asked = 0;
  const never = repeatRead<string>(async () => {
    asked += 1;
    return away;
  }, world);
  expect(await clock.drive(never)).toEqual(away);
  expect(asked).toBe(5);
});
