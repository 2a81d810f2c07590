import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import { createVirtualClock, VIRTUAL_START_MS, type VirtualClock } from '../../support/virtual-clock.ts';
import { paceOfCreate, paceOfRead, type PaceSignal, type ReadOutcome } from '../../../src/service/outcome.ts';
import { createPacer, type Pacer, type PacerOptions } from '../../../src/service/pacer.ts';
import { repeatRead } from '../../../src/service/retry.ts';

const ok: PaceSignal = { kind: 'ok' };
const overloaded: PaceSignal = { kind: 'overloaded' };
const throttled = (retryAfterMs: number | null): PaceSignal => ({ kind: 'throttled', retryAfterMs });
const away = (retryAfterMs: number | null): PaceSignal => ({ kind: 'away', retryAfterMs });

interface Bench {
  readonly clock: VirtualClock;
  readonly pacer: Pacer;
  /** When each request left, in ms from the start. */
  readonly sent: number[];
  /** Sends one request that takes `ms` and is answered by what `server` says at its end. */
  send(ms: number, server: (sentAt: number) => PaceSignal): Promise<PaceSignal>;
}

function bench(maxConcurrency: number, more: Partial<PacerOptions> = {}): Bench {
  const clock = createVirtualClock();
  const start = clock.now();
  const sent: number[] = [];
  const pacer = createPacer({ clock, sleep: clock.sleep, random: () => 0.5, log: silentLog, maxConcurrency, ...more });
  return {
    clock,
    pacer,
    sent,
    send: (ms, server) =>
      pacer.run(
        async () => {
          const sentAt = clock.now() - start;
          sent.push(sentAt);
          await clock.sleep(ms);
          return server(sentAt);
        },
        (sign) => sign,
      ),
  };
}

const many = (count: number, send: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, send));

describe('createPacer', () => {
  test('no more are in flight than allowed', async () => {
    const b = bench(3);
    await b.clock.drive(many(9, () => b.send(100, () => ok)));
    expect(b.sent).toEqual([0, 0, 0, 100, 100, 100, 200, 200, 200]);
  });

  test('an open gate without a rate uses every slot at once', async () => {
    const b = bench(16);
    await b.clock.drive(many(1600, () => b.send(50, () => ok)));
    expect(b.sent.at(-1)).toBe(99 * 50);
    expect(b.clock.now() - VIRTUAL_START_MS).toBe(100 * 50);
  });

  test('isFree is false if the next request must wait', async () => {
    const b = bench(2);
    const seen: boolean[] = [];
    const look = async (ms: number, sign: PaceSignal): Promise<void> => {
      await b.send(ms, () => {
        seen.push(b.pacer.isFree);
        return sign;
      });
    };
    expect(b.pacer.isFree).toBe(true);
    await b.clock.drive(Promise.all([look(10, ok), look(20, ok)]));
    await b.clock.drive(Promise.all([look(10, ok), look(20, ok), look(20, ok)]));
    expect(seen).toEqual([true, true, false, true, true]);
    await b.clock.drive(look(10, throttled(null)));
    expect(b.pacer.isFree).toBe(false);
    await b.clock.drive(look(10, ok));
    expect(b.pacer.isFree).toBe(false);
  });

  test('after a 429 it pauses, probes once, then sends at seven tenths', async () => {
    const b = bench(4);
    await b.clock.drive(many(24, () => b.send(100, (at) => (at === 100 ? throttled(30_000) : ok))));
    // Half of at most three seconds of jitter: 31.5 s after the answer.
    expect(b.sent.slice(0, 9)).toEqual([0, 0, 0, 0, 100, 100, 100, 100, 31_700]);
    // Four were taken in 0.2 s: 20 a second.
    const [first = 0, second = 0] = b.sent.slice(9);
    expect(Math.abs(first - 31_800 - 1000 / 14)).toBeLessThan(6);
    expect(Math.abs(second - first - 1000 / 14)).toBeLessThan(6);
  });

  test('an idle pacer finds its pace soon after first 429s', async () => {
    for (const retryAfterMs of [null, 1_000]) {
      const b = bench(8);
      await b.clock.advance(600_000);
      let answers = 0;
      await b.clock.drive(many(48, () => b.send(20, () => ((answers += 1) <= 8 ? throttled(retryAfterMs) : ok))));
      expect(b.clock.now() - VIRTUAL_START_MS - 600_000).toBeLessThan(6_000);
    }
  });

  test('the slowest rate lets a request through within seconds', async () => {
    const b = bench(4, { hint: { ratePerSecond: 0.0001, concurrency: null } });
    await b.clock.drive(many(30, () => b.send(20, () => ok)));
    expect(b.clock.now() - VIRTUAL_START_MS).toBeLessThan(60_000);
  });

  test('a 429 holds back requests that wait for their turn', async () => {
    const b = bench(8, { hint: { ratePerSecond: 10, concurrency: null } });
    await b.clock.drive(many(20, () => b.send(50, (at) => (at > 0 && at < 300 ? throttled(5_000) : ok))));
    const sentWhileClosed = b.sent.filter((at) => at > 250 && at < 5_000);
    expect(sentWhileClosed).toEqual([]);
  });

  test('an outage of two minutes costs only a few probes', async () => {
    const b = bench(8);
    await b.clock.drive(many(100, () => b.send(50, (at) => (at < 120_000 ? away(null) : ok))));
    const wasted = b.sent.filter((at) => at < 120_000);
    expect(wasted.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 0));
    const probes = wasted.slice(8);
    expect(probes).toHaveLength(10);
    const pauses = probes.map((at, index) => at - (probes[index - 1] ?? 0));
    expect(pauses).toEqual(pauses.toSorted((a, z) => a - z));
    expect(b.sent).toHaveLength(100);
  });

  test('a probe precedes the first request after an outage', async () => {
    const asked: number[] = [];
    const b = bench(4, {
      probe: async () => {
        asked.push(b.clock.now() - VIRTUAL_START_MS);
        return asked.length < 4 ? away(null) : ok;
      },
    });
    await b.clock.drive(many(12, () => b.send(100, (at) => (at === 0 ? away(null) : ok))));
    expect(asked).toHaveLength(4);
    expect(b.sent.slice(0, 5)).toEqual([0, 0, 0, 0, asked[3]]);
  });

  test('a single 503 lowers concurrency and leaves the gate open', async () => {
    const c = bench(8);
    let answers = 0;
    await c.clock.drive(many(40, () => c.send(100, () => ((answers += 1) === 1 ? away(null) : ok))));
    expect(c.clock.now() - VIRTUAL_START_MS).toBeLessThan(1_000);
    const d = bench(8);
    answers = 0;
    await d.clock.drive(many(40, () => d.send(100, () => ((answers += 1) === 1 ? away(20_000) : ok))));
    expect(d.sent.filter((at) => at > 100 && at < 20_000)).toEqual([]);
  });

  test('a clock set back does not prolong a pause', async () => {
    const b = bench(1);
    await b.clock.drive(b.send(10, () => throttled(2_000)));
    b.clock.jumpTo(b.clock.now() - 3_600_000);
    const before = b.clock.slept.length;
    await b.clock.drive(b.send(10, () => ok));
    expect(b.clock.slept.slice(before)).toEqual([10]);
  });

  test('an outage ends the run after 15 minutes, unless longer was requested', async () => {
    const b = bench(2);
    const gone: PaceSignal = { kind: 'away', retryAfterMs: null };
    const sendUntilTurnedAway = async (): Promise<never> => {
      for (;;) await b.send(10, () => gone);
    };
    await expect(b.clock.drive(sendUntilTurnedAway())).rejects.toMatchObject({
      kind: 'work-left',
      message: expect.stringContaining('away for about 15 minutes'),
    });
    const after = b.clock.now() - VIRTUAL_START_MS;
    expect(after).toBeGreaterThan(5 * 60_000);
    expect(after).toBeLessThanOrEqual(15 * 60_000);
    // The other pacer of the run learns it at once, until the service answers again.
    const outage = { since: VIRTUAL_START_MS - 20 * 60_000 };
    const other = bench(1, { outage });
    const first = other
      .send(10, () => gone)
      .then(() => other.send(10, () => gone))
      .then(() => other.send(10, () => gone))
      .then(() => other.send(10, () => gone));
    await expect(other.clock.drive(first)).rejects.toMatchObject({ kind: 'work-left' });
    expect(other.clock.now() - VIRTUAL_START_MS).toBeLessThan(60_000);
    const back = bench(1, { outage });
    await back.clock.drive(back.send(10, () => ok));
    expect(outage.since).toBeNull();
    for (const sign of [throttled(50 * 60_000), away(50 * 60_000)]) {
      const asked = bench(1);
      await asked.clock.drive(asked.send(10, () => sign));
      await asked.clock.drive(asked.send(10, () => ok));
      expect(asked.clock.now() - VIRTUAL_START_MS).toBeGreaterThan(50 * 60_000);
    }
  });

  test('two hours of throttling without any success end the run', async () => {
    for (const retryAfterMs of [null, 50 * 60_000]) {
      const b = bench(2);
      const sendUntilTurnedAway = async (): Promise<never> => {
        for (;;) await b.send(10, () => throttled(retryAfterMs));
      };
      await expect(b.clock.drive(sendUntilTurnedAway())).rejects.toMatchObject({
        kind: 'work-left',
        code: 'service-throttles',
        message: expect.stringContaining(' 2 hours'),
      });
      const after = b.clock.now() - VIRTUAL_START_MS;
      expect(after).toBeGreaterThan(1.5 * 3_600_000);
      expect(after).toBeLessThan(3 * 3_600_000);
    }
    const slow = bench(1);
    for (let hour = 0; hour < 6; hour += 1) {
      await slow.clock.drive(slow.send(10, () => throttled(3_600_000)));
      await slow.clock.drive(slow.send(10, () => ok));
    }
    expect(slow.clock.now() - VIRTUAL_START_MS).toBeGreaterThan(6 * 3_600_000);
  });

  test('one 503 after long throttling is no long outage', async () => {
    const b = bench(1);
    for (let pause = 0; pause < 5; pause += 1) await b.clock.drive(b.send(10, () => throttled(10 * 60_000)));
    await b.clock.drive(b.send(10, () => away(null)));
    expect(await b.clock.drive(b.send(10, () => ok))).toEqual(ok);
  });

  test('a failed request after an outage is followed by another probe', async () => {
    let asked = 0;
    const b = bench(1, {
      probe: async () => {
        asked += 1;
        return ok;
      },
    });
    for (let sending = 0; sending < 3; sending += 1) await b.clock.drive(b.send(10, () => away(null)));
    await expect(
      b.clock.drive(
        b.pacer.run(
          () => Promise.reject(new Error('nothing was sent')),
          (sign: PaceSignal) => sign,
        ),
      ),
    ).rejects.toThrow('nothing was sent');
    expect(asked).toBe(1);
    await b.clock.drive(b.send(10, () => ok));
    expect(asked).toBe(2);
  });

  test('rejects a request at once if it would wait beyond finishBy', async () => {
    const b = bench(2, { finishBy: VIRTUAL_START_MS + 60_000 });
    await b.clock.drive(b.send(10, () => throttled(3_600_000)));
    await expect(b.send(10, () => ok)).rejects.toMatchObject({
      name: 'ExplainedError',
      kind: 'work-left',
      message: expect.stringContaining('run.finishBy'),
    });
    expect(b.clock.now()).toBe(VIRTUAL_START_MS + 10);
  });

  test('growing latency lowers concurrency only while that helps', async () => {
    /** The numbers at once that were allowed while a thousand requests were sent; from the 200th on each takes `msOf` those in flight. */
    const levels = async (msOf: (inFlight: number) => number): Promise<number[]> => {
      const { clock, pacer } = bench(16);
      const seen: number[] = [];
      let sent = 0;
      let inFlight = 0;
      const work = async (): Promise<PaceSignal> => {
        sent += 1;
        inFlight += 1;
        await clock.sleep(sent > 200 ? msOf(inFlight) : 200);
        inFlight -= 1;
        seen.push(pacer.concurrency);
        return ok;
      };
      await clock.drive(many(1_000, () => pacer.run(work, (sign) => sign)));
      return seen;
    };
    expect(Math.min(...(await levels((inFlight) => (inFlight > 6 ? 200 * inFlight : 200))))).toBeLessThanOrEqual(9);
    const ofNoUse = await levels(() => 2_000);
    expect(Math.min(...ofNoUse)).toBe(12);
    expect(ofNoUse.at(-1)).toBe(16);
  });

  test("learnt is the next night's hint, unless the rate was exceeded", async () => {
    const b = bench(8);
    expect(b.pacer.learnt).toBeNull();
    await b.clock.drive(many(8, () => b.send(100, () => overloaded)));
    expect(b.pacer.learnt).toEqual({ ratePerSecond: null, concurrency: 4 });

    const hint = { ratePerSecond: 5, concurrency: 3 };
    const second = bench(8, { hint });
    expect(second.pacer.concurrency).toBe(3);
    await second.clock.drive(many(3, () => second.send(100, () => ok)));
    // The first leaves at once, the others at seven tenths of five a second and rising.
    expect(second.sent[1]).toBeGreaterThan(1000 / 4.5);
    expect(second.sent[1]).toBeLessThan(1000 / 3.5);
    expect(second.pacer.learnt?.ratePerSecond).toBe(5);
    await second.clock.drive(many(400, () => second.send(100, () => ok)));
    expect(second.pacer.learnt).toEqual({ ratePerSecond: null, concurrency: null });
  });

  test('a 5xx halves concurrency once; good answers restore it slowly', async () => {
    const b = bench(8);
    await b.clock.drive(many(7, () => b.send(100, () => overloaded)));
    expect(b.pacer.concurrency).toBe(4);
    await b.clock.drive(b.send(100, () => ok));
    await b.clock.drive(many(4, () => b.send(100, () => overloaded)));
    expect(b.pacer.concurrency).toBe(2);
    await b.clock.drive(many(3, () => b.send(100, () => ok)));
    expect(b.pacer.concurrency).toBe(3);
    await b.clock.drive(many(40, () => b.send(100, () => ok)));
    expect(b.pacer.concurrency).toBe(8);
  });

  test("run rethrows a task's error and lets the next request probe", async () => {
    const b = bench(2);
    await b.clock.drive(b.send(10, () => throttled(1000)));
    const thrown = b.pacer.run(
      () => Promise.reject(new Error('our own fault')),
      () => ok,
    );
    const next = b.send(10, () => ok);
    await expect(b.clock.drive(thrown)).rejects.toThrow('our own fault');
    expect(await b.clock.drive(next)).toEqual(ok);
    expect(b.sent).toHaveLength(2);
  });

  test('abort rejects waiting requests and finishes those in flight', async () => {
    const stop = new AbortController();
    const b = bench(2, { signal: stop.signal });
    await b.clock.drive(b.send(0, () => throttled(60_000)));
    const waiting = Promise.allSettled([b.send(10, () => ok), b.send(10, () => ok), b.send(10, () => ok)]);
    await b.clock.advance(10);
    stop.abort(new Error('SIGTERM'));
    expect((await waiting).map((one) => one.status === 'rejected' && (one.reason as Error).message)).toEqual([
      'SIGTERM',
      'SIGTERM',
      'SIGTERM',
    ]);
    expect(b.sent).toHaveLength(1);

    const other = new AbortController();
    const c = bench(1, { signal: other.signal });
    const flying = c.send(100, () => ok);
    await c.clock.advance(50);
    other.abort(new Error('SIGTERM'));
    expect(await c.clock.drive(flying)).toEqual(ok);
  });

  test('what outcomes mean for the pace', () => {
    expect(paceOfCreate({ kind: 'unknown', reason: '', status: 503, retryAfterMs: 5 })).toEqual(away(5));
    expect(paceOfCreate({ kind: 'not-sent', reason: '' })).toEqual(away(null));
    expect(paceOfRead({ kind: 'transient', reason: '', status: 503, retryAfterMs: 7 })).toEqual(away(7));
    expect(paceOfCreate({ kind: 'unknown', reason: '', status: 504, retryAfterMs: null })).toEqual(overloaded);
    expect(paceOfCreate({ kind: 'throttled', retryAfterMs: 5 })).toEqual(throttled(5));
    expect(paceOfCreate({ kind: 'refused', status: 400, message: '' })).toEqual(ok);
    expect(paceOfRead({ kind: 'transient', reason: '', status: 429, retryAfterMs: null })).toEqual(throttled(null));
    expect(paceOfRead({ kind: 'transient', reason: '', status: null, retryAfterMs: null })).toEqual(overloaded);
  });

  test('repeatRead returns the last outcome', async () => {
    const clock = createVirtualClock();
    const world = { clock, sleep: clock.sleep, random: () => 0.5 };
    const away: ReadOutcome<string> = { kind: 'transient', reason: 'HTTP 504', status: 504, retryAfterMs: null };
    const answers: ReadOutcome<string>[] = [away, { ...away, retryAfterMs: 4000 }, { kind: 'ok', value: 'here' }];
    expect(await clock.drive(repeatRead(async () => answers.shift() ?? away, world))).toEqual({
      kind: 'ok',
      value: 'here',
    });
    expect(clock.slept).toEqual([250, 4200]);

    let asked = 0;
    const never = repeatRead<string>(async () => {
      asked += 1;
      return away;
    }, world);
    expect(await clock.drive(never)).toEqual(away);
    expect(asked).toBe(5);
  });
});
