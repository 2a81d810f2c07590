import { type PaceHint, type Random, silentLog } from '../../src/domain/ports.ts';
import { createPacer } from '../../src/service/pacer.ts';
import { type PaceSignal } from '../../src/service/outcome.ts';
import { decideRetry } from '../../src/service/retry.ts';
import { REQUESTS_AT_ONCE, type ServerKind } from './limited-servers.ts';
import { createVirtualClock, VIRTUAL_START_MS, type VirtualClock } from './virtual-clock.ts';

/** What sending all orders to a server came to. */
export interface PacedRun {
  readonly requests: number;
  /** Requests that were not taken. */
  readonly wasted: number;
  /** Wasted requests over all requests. */
  readonly waste: number;
  readonly finishMs: number;
  /** The time taken over that of a client that knows the server. */
  readonly timesBest: number;
  readonly learnt: PaceHint;
}

/** Random numbers that come again. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const NOTHING_LEARNT: PaceHint = { ratePerSecond: null, concurrency: null };

/** Sends a server's orders through a pacer, each until it is taken, as a submission run does. */
export async function runPaced(
  kind: ServerKind,
  options: { seed: number; hint?: PaceHint | undefined },
): Promise<PacedRun> {
  let learnt = NOTHING_LEARNT;
  const run = await runAll(kind, (clock, send) => {
    const pacer = createPacer({
      clock,
      sleep: clock.sleep,
      random: seededRandom(options.seed),
      log: silentLog,
      maxConcurrency: REQUESTS_AT_ONCE,
      hint: options.hint,
      probe: send,
    });
    return async () => {
      while ((await pacer.run(send, (sign) => sign)).kind !== 'ok');
      learnt = pacer.learnt ?? NOTHING_LEARNT;
    };
  });
  return { ...run, learnt };
}

/** Sends a server's orders with as many at once as ever, and a growing, jittered wait of its own for each order that was not taken. */
export async function runFixed(kind: ServerKind, options: { seed: number }): Promise<PacedRun> {
  const random = seededRandom(options.seed);
  const limits = { attemptsMax: Number.POSITIVE_INFINITY, firstWaitMs: 500, waitMsMin: 0, waitMsMax: 30_000 };
  const run = await runAll(kind, (clock, send) => async () => {
    for (let attempt = 1; ; attempt += 1) {
      const sign = await send();
      if (sign.kind === 'ok') return;
      const retryAfterMs = 'retryAfterMs' in sign ? sign.retryAfterMs : null;
      const decision = decideRetry({
        attempt,
        outcome: { kind: 'throttled', retryAfterMs },
        now: clock.now(),
        random,
        limits,
      });
      if (decision.kind === 'wait') await clock.sleep(decision.ms);
    }
  });
  return { ...run, learnt: NOTHING_LEARNT };
}

/** `begin` gives what one worker does with one order. */
async function runAll(
  kind: ServerKind,
  begin: (clock: VirtualClock, send: () => Promise<PaceSignal>) => () => Promise<void>,
): Promise<Omit<PacedRun, 'learnt'>> {
  const clock = createVirtualClock(VIRTUAL_START_MS, 1);
  const start = clock.now();
  const server = kind.server(clock);
  let requests = 0;
  let wasted = 0;
  const place = begin(clock, async () => {
    requests += 1;
    const sign = await server();
    if (sign.kind !== 'ok') wasted += 1;
    return sign;
  });
  let left = kind.orders;
  const worker = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      await place();
    }
  };
  await clock.drive(Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker)));
  const finishMs = clock.now() - start;
  return { requests, wasted, waste: wasted / requests, finishMs, timesBest: finishMs / kind.bestMs };
}
