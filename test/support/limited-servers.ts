import type { PaceSignal } from '../../src/service/outcome.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A server on a virtual clock: what it answers to one request that is sent now, after the time that takes. */
export type LimitedServer = (clock: VirtualClock) => () => Promise<PaceSignal>;

/** A kind of server that bears only so much, and does not say how much. */
export interface ServerKind {
  readonly name: string;
  readonly orders: number;
  /** When the last order could be answered by a client that knows the server, in ms from the start. */
  readonly bestMs: number;
  readonly server: LimitedServer;
}

const OK: PaceSignal = { kind: 'ok' };
const TOO_MANY: PaceSignal = { kind: 'throttled', retryAfterMs: null };
const AWAY: PaceSignal = { kind: 'away', retryAfterMs: null };

const LATENCY_MS = 50;
export const REQUESTS_AT_ONCE = 16;

/** Takes `perSecond` (of the ms since the start) on the average, and up to `burst` at once. */
export function tokenBucket(perSecond: (ms: number) => number, burst: number): LimitedServer {
  return (clock) => {
    const start = clock.now();
    let at = start;
    let tokens = burst;
    return async () => {
      const now = clock.now();
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond(now - start));
      at = now;
      // Sums of fractions fall short of whole numbers.
      const taken = tokens >= 1 - 1e-6;
      if (taken) tokens -= 1;
      await clock.sleep(LATENCY_MS);
      return taken ? OK : TOO_MANY;
    };
  };
}

/** Takes `limit` requests in each window of `windowMs`; the first window began `begunMs` before the start. */
export function fixedWindow(limit: number, windowMs: number, begunMs: number, saysWhen = false): LimitedServer {
  return (clock) => {
    const start = clock.now() - begunMs;
    let window = 0;
    let used = 0;
    return async () => {
      const since = clock.now() - start;
      const current = Math.floor(since / windowMs);
      if (current !== window) used = 0;
      window = current;
      const taken = used < limit;
      if (taken) used += 1;
      await clock.sleep(LATENCY_MS);
      return taken
        ? OK
        : {
            kind: 'throttled',
            retryAfterMs: saysWhen ? Math.ceil(((current + 1) * windowMs - since) / 1000) * 1000 : null,
          };
    };
  };
}

/** So many workers, `workMs` a request; the rest waits in a queue, which makes answers slower, and when `queueMax` wait the server refuses. */
export function workers(count: number, workMs: number, queueMax: number): LimitedServer {
  return (clock) => {
    const freeAt = Array.from({ length: count }, () => clock.now());
    let inside = 0;
    return async () => {
      if (inside >= count + queueMax) {
        await clock.sleep(LATENCY_MS);
        return AWAY;
      }
      inside += 1;
      const first = freeAt.indexOf(Math.min(...freeAt));
      const done = Math.max(clock.now(), freeAt[first] ?? 0) + workMs;
      freeAt[first] = done;
      await clock.sleep(done - clock.now());
      inside -= 1;
      return OK;
    };
  };
}

/** Takes everything, but is away from `fromMs` to `toMs` after the start. */
export function outage(fromMs: number, toMs: number): LimitedServer {
  return (clock) => {
    const start = clock.now();
    return async () => {
      const since = clock.now() - start;
      await clock.sleep(LATENCY_MS);
      return since >= fromMs && since < toMs ? AWAY : OK;
    };
  };
}

const perSecondUnlimited = (REQUESTS_AT_ONCE * 1000) / LATENCY_MS;

/** The six kinds of RELIABILITY's pacing. None of them says when to come again. */
export const SERVER_KINDS: readonly ServerKind[] = [
  { name: '5 a second', orders: 2_000, bestMs: ((2_000 - 5) / 5) * 1000, server: tokenBucket(() => 5, 5) },
  {
    name: '120 a fixed minute',
    orders: 1_500,
    bestMs: 12 * 60_000 + (60 / perSecondUnlimited) * 1000,
    server: fixedWindow(120, 60_000, 0),
  },
  {
    name: '1,000 an hour',
    orders: 3_500,
    bestMs: 3 * 3_600_000 + (500 / perSecondUnlimited) * 1000,
    server: fixedWindow(1_000, 3_600_000, 0),
  },
  { name: 'capacity 6, growing latency', orders: 5_000, bestMs: (5_000 / 6) * 200, server: workers(6, 200, 6) },
  {
    name: '10 a second, 1 for two minutes',
    orders: 3_000,
    bestMs: 60_000 + 120_000 + ((3_000 - 10 - 600 - 120) / 10) * 1000,
    server: tokenBucket((ms) => (ms >= 60_000 && ms < 180_000 ? 1 : 10), 10),
  },
  {
    name: 'outage of two minutes',
    orders: 60_000,
    bestMs: (60_000 / perSecondUnlimited) * 1000 + 120_000,
    server: outage(30_000, 150_000),
  },
];
