import { describe, expect, test } from 'vitest';
import { type LogFields, silentLog } from '../../../src/domain/ports.ts';
import { type PauseCause, Gate, type SendPermit } from '../../../src/service/gate.ts';
import type { PaceSignal } from '../../../src/service/outcome.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const OK: PaceSignal = { kind: 'ok' };
const OVERLOADED: PaceSignal = { kind: 'overloaded' };
const NOTHING: PaceSignal = { kind: 'nothing' };
const throttled = (retryAfterMs: number | null = null): PaceSignal => ({ kind: 'throttled', retryAfterMs });
const away = (retryAfterMs: number | null = null): PaceSignal => ({ kind: 'away', retryAfterMs });

interface Pause {
  readonly ms: number;
  readonly cause: PauseCause;
  readonly inVainMs: number;
}

interface Bench {
  readonly clock: VirtualClock;
  readonly gate: Gate;
  readonly outage: { since: number | null };
  /** Every pause before it was waited for. */
  readonly pauses: readonly Pause[];
  readonly opened: readonly number[];
  readonly logged: readonly (readonly [event: string, fields: LogFields | undefined])[];
  readonly stop: AbortController;
  /** Leave to send; throws where there is none. */
  pass(): SendPermit;
  /** Sends one request through the gate, answered so. */
  answer(...signs: readonly PaceSignal[]): void;
  /** Waits until the gate lets somebody try. */
  wait(): Promise<void>;
}

function bench({ probe, random = 1 }: { probe?: () => Promise<PaceSignal>; random?: number } = {}): Bench {
  const clock = createVirtualClock();
  const outage = { since: null as number | null };
  const pauses: Pause[] = [];
  const opened: number[] = [];
  const logged: [string, LogFields | undefined][] = [];
  const stop = new AbortController();
  const note = (event: string, fields?: LogFields): void => void logged.push([event, fields]);
  const gate = new Gate({
    clock,
    sleep: clock.sleep,
    random: () => random,
    log: { ...silentLog, info: note, warn: note },
    signal: stop.signal,
    outage,
    forOneRequestMs: () => 0,
    checkPause: (until, cause, inVainMs) => void pauses.push({ ms: until - clock.now(), cause, inVainMs }),
    onOpen: (closedMs) => void opened.push(closedMs),
    probe,
  });
  const pass = (): SendPermit => {
    const permit = gate.tryPass();
    if (permit === null) throw new Error('the gate is closed');
    return permit;
  };
  return {
    clock,
    gate,
    outage,
    pauses,
    opened,
    logged,
    stop,
    pass,
    answer: (...signs) => {
      for (const sign of signs) gate.report(pass(), sign);
    },
    wait: () => clock.drive(gate.opening()),
  };
}

/** Closes the gate by 429 and opens it by a probe, so many times. */
async function closeAndOpen(b: Bench, times: number): Promise<readonly number[]> {
  const before = b.pauses.length;
  for (let time = 0; time < times; time += 1) {
    b.answer(throttled());
    await b.wait();
    b.answer(OK);
  }
  return b.pauses.slice(before).map(({ ms }) => ms);
}

describe('Gate', () => {
  test('everybody passes in the same era while it is open', () => {
    const b = bench();
    expect([b.pass(), b.pass(), b.gate.isOpen]).toEqual([{ era: 0, probe: false }, { era: 0, probe: false }, true]);
  });

  test('after a 429 nothing passes until the pause ends, then one probe', async () => {
    const b = bench();
    b.answer(throttled(10_000));
    expect([b.gate.isOpen, b.gate.tryPass()]).toEqual([false, null]);
    await b.wait();
    expect(b.pauses).toEqual([{ ms: 11_000, cause: 'throttled', inVainMs: 0 }]);
    expect(b.gate.tryPass()).toEqual({ era: 1, probe: true });
    expect([b.gate.tryPass(), b.gate.isOpen]).toEqual([null, false]);
  });

  test('requests wait for the verdict of a probe', async () => {
    const b = bench();
    b.answer(throttled(1000));
    await b.wait();
    const probe = b.pass();
    let isOver = false;
    const waiting = b.gate.opening().then(() => (isOver = true));
    await b.clock.advance(60_000);
    expect(isOver).toBe(false);
    b.gate.report(probe, OK);
    await waiting;
    expect(b.gate.isOpen).toBe(true);
  });

  test('a good probe opens it, and says how long it was closed', async () => {
    const b = bench();
    b.answer(throttled(10_000));
    await b.wait();
    b.answer(OK);
    expect([b.gate.isOpen, b.opened]).toEqual([true, [11_000]]);
    expect(b.logged).toEqual([
      ['gate.closed', { cause: 'throttled', pauseMs: 11_000, closings: 1, askedFor: true }],
      ['gate.opened', { closedMs: 11_000 }],
    ]);
  });

  test('a pause of our own is logged as such', () => {
    const b = bench();
    b.answer(throttled());
    expect(b.logged[0]).toEqual(['gate.closed', expect.objectContaining({ closings: 1, askedFor: false })]);
  });

  test('a probe that says nothing is repeated at once', async () => {
    const b = bench();
    b.answer(throttled(1000));
    await b.wait();
    b.answer(NOTHING);
    expect(b.pass()).toEqual({ era: 1, probe: true });
  });

  test('a bad probe closes it for longer', async () => {
    const b = bench();
    b.answer(throttled());
    await b.wait();
    b.answer(throttled());
    await b.wait();
    b.answer(OVERLOADED);
    await b.wait();
    const [first = 0, second = 0] = b.pauses.map(({ ms }) => ms);
    expect(second).toBeGreaterThan(first);
    expect(b.pauses.map(({ cause }) => cause)).toEqual(['throttled', 'throttled', 'away']);
    expect(b.gate.era).toBe(3);
  });

  test('responses to requests before it closed only lengthen the pause', async () => {
    const b = bench();
    const [first, late, later, odd] = [b.pass(), b.pass(), b.pass(), b.pass()];
    b.gate.report(first, throttled(5000));
    b.gate.report(late, throttled(20_000));
    b.gate.report(later, throttled(1000));
    for (const sign of [OK, OVERLOADED, throttled(), away()]) b.gate.report(odd, sign);
    await b.wait();
    expect(b.pauses.map(({ ms }) => ms)).toEqual([20_000]);
    expect(b.gate.era).toBe(1);
  });

  test('a late answer does not close a gate that opened again', async () => {
    const b = bench();
    const [first, late] = [b.pass(), b.pass()];
    b.gate.report(first, throttled(1000));
    await b.wait();
    b.answer(OK);
    b.gate.report(late, throttled(20_000));
    expect(b.gate.isOpen).toBe(true);
  });

  test.each([
    ['two 503s', [away(), away()], true],
    ['three 503s', [away(), away(), away()], false],
    ['three 503s with another failure between', [away(), away(), OVERLOADED, away()], true],
    ['three 503s with a good answer between', [away(), away(), OK, away()], true],
    ['a 503 that says for how long', [away(5000)], false],
    ['seven failures', Array.from({ length: 7 }, () => OVERLOADED), true],
    ['eight failures', Array.from({ length: 8 }, () => OVERLOADED), false],
    [
      'eight failures with a good answer between',
      [...Array.from({ length: 7 }, () => OVERLOADED), OK, OVERLOADED],
      true,
    ],
    ['what says nothing', Array.from({ length: 20 }, () => NOTHING), true],
  ] as const)('after %s (stays open or not)', (_what, signs, isOpen) => {
    const b = bench();
    b.answer(...signs);
    expect(b.gate.isOpen).toBe(isOpen);
  });

  test('pauses grow with each closing', async () => {
    const pauses = await closeAndOpen(bench(), 1);
    const grown = bench();
    grown.answer(throttled());
    for (let time = 0; time < 3; time += 1) {
      await grown.wait();
      grown.answer(throttled());
    }
    const ms = grown.pauses.map((pause) => pause.ms);
    expect(ms).toEqual(ms.toSorted((a, b) => a - b));
    expect(new Set(ms).size).toBe(3);
    expect(ms[0]).toBe(pauses[0]);
  });

  test('a good probe forgives half of the closings', async () => {
    const b = bench();
    b.answer(throttled());
    for (let time = 0; time < 3; time += 1) {
      await b.wait();
      b.answer(throttled());
    }
    await b.wait();
    b.answer(OK);
    b.answer(throttled());
    expect(b.logged.at(-1)?.[1]).toMatchObject({ closings: 3 });
  });

  test.each([
    [19, 3],
    [20, 1],
  ])('after %i good answers its next closing counts as number %i', async (count, closings) => {
    const b = bench();
    b.answer(throttled());
    for (let time = 0; time < 3; time += 1) {
      await b.wait();
      b.answer(throttled());
    }
    await b.wait();
    b.answer(OK);
    b.answer(...Array.from({ length: count }, () => OK));
    b.answer(throttled());
    expect(b.logged.at(-1)?.[1]).toMatchObject({ closings });
  });

  test('the first pause is an eighth of a long throttled closing', async () => {
    const long = async (close: readonly PaceSignal[]): Promise<number> => {
      const b = bench();
      b.answer(...close);
      await b.wait();
      b.answer(OK, ...Array.from({ length: 20 }, () => OK));
      b.answer(throttled());
      await b.wait();
      return b.pauses.at(-1)?.ms ?? 0;
    };
    expect(await long([throttled(40_000)])).toBe(Math.round(43_000 / 8));
    expect(await long([away(40_000)])).toBe(200);
  });

  test('a shared outage lasts until the first good answer', async () => {
    const b = bench();
    const began = b.clock.now();
    b.answer(away(5000));
    expect(b.outage.since).toBe(began);
    await b.wait();
    b.answer(away(5000));
    expect(b.outage.since).toBe(began);
    await b.wait();
    b.answer(OK);
    expect(b.outage.since).toBeNull();
  });

  test('429 is no outage', () => {
    const b = bench();
    b.answer(throttled());
    expect(b.outage.since).toBeNull();
  });

  test('a good answer ends an outage seen by another gate', () => {
    const b = bench();
    b.outage.since = 5;
    b.answer(OK);
    expect(b.outage.since).toBeNull();
  });

  test('our own pause adds to the length of an outage', async () => {
    const b = bench();
    b.outage.since = b.clock.now() - 60_000;
    b.answer(away(), away(), away());
    await b.wait();
    const [pause] = b.pauses;
    expect(pause?.inVainMs).toBe(60_000 + (pause?.ms ?? 0));
  });

  test('a requested pause counts only its past part', async () => {
    const b = bench();
    b.outage.since = b.clock.now() - 60_000;
    b.answer(away(5000));
    await b.wait();
    expect(b.pauses[0]?.inVainMs).toBe(60_000);
  });

  test('a pause that a late answer requested counts only its past part', async () => {
    const b = bench();
    const [first, late] = [b.pass(), b.pass()];
    b.gate.report(first, throttled());
    b.gate.report(late, throttled(5000));
    await b.wait();
    expect(b.pauses[0]?.inVainMs).toBe(0);
  });

  test('a clock that was set back ends the pause', async () => {
    const b = bench();
    b.answer(throttled(10_000));
    b.clock.jumpTo(b.clock.now() - 1);
    expect(b.gate.tryPass()).toMatchObject({ probe: true });
  });

  test('a stopped request gets no permit and does not wait', async () => {
    const b = bench();
    b.stop.abort(new Error('stop'));
    expect(() => b.gate.tryPass()).toThrow('stop');
    await expect(b.gate.opening()).rejects.toThrow('stop');
  });

  test('an open gate makes nobody wait', async () => {
    const b = bench();
    await b.wait();
    expect([b.pauses, b.clock.slept]).toEqual([[], []]);
  });
});

describe('Gate with a probe request', () => {
  /** A gate that an outage closed, and whose pause is over. */
  async function afterPause(answers: readonly PaceSignal[]): Promise<Bench & { readonly asked: () => number }> {
    let asked = 0;
    const b = bench({ probe: async () => answers[asked++] ?? OK });
    b.answer(away(1000));
    await b.wait();
    return { ...b, asked: () => asked };
  }

  test('nobody passes before the probe request is answered', async () => {
    const b = await afterPause([OK]);
    expect([b.gate.tryPass(), b.asked()]).toEqual([null, 0]);
    await b.wait();
    expect([b.asked(), b.pass().probe]).toEqual([1, true]);
  });

  test('after a 429 the next request is the probe', async () => {
    const b = bench({ probe: async () => OK });
    b.answer(throttled(1000));
    await b.wait();
    expect(b.pass().probe).toBe(true);
  });

  test('an inconclusive probe request is sent again', async () => {
    const b = await afterPause([NOTHING, OK]);
    await b.wait();
    expect(b.gate.tryPass()).toBeNull();
    await b.wait();
    expect([b.asked(), b.pass().probe]).toEqual([2, true]);
  });

  test.each([
    [throttled(7000), 'throttled'],
    [away(7000), 'away'],
    [OVERLOADED, 'away'],
  ] as const)('%j closes it again', async (sign, cause) => {
    const b = await afterPause([sign]);
    await b.wait();
    expect(b.gate.isOpen).toBe(false);
    await b.wait();
    expect(b.pauses.at(-1)).toMatchObject({ cause, ...(sign.kind === 'overloaded' ? {} : { ms: 7700 }) });
  });

  test('a failed probe request leaves it closed and is sent again', async () => {
    let asked = 0;
    const b = bench({
      probe: async () => {
        asked += 1;
        if (asked === 1) throw new Error('broken');
        return OK;
      },
    });
    b.answer(away(1000));
    await b.wait();
    await expect(b.wait()).rejects.toThrow('broken');
    expect(b.gate.tryPass()).toBeNull();
    await b.wait();
    expect(b.pass().probe).toBe(true);
  });

  test('an inconclusive probe is repeated', async () => {
    const b = await afterPause([OK, OK]);
    await b.wait();
    b.answer(NOTHING);
    expect(b.gate.tryPass()).toBeNull();
    await b.wait();
    expect(b.asked()).toBe(2);
  });
});
