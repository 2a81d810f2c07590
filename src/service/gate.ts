import type { Clock, Log, Random, Sleep } from '../domain/ports.ts';
import { GATE_PAUSES, GATE_TRUST_AFTER } from './limits.ts';
import { retryDelay } from './retry-delay.ts';

/** How an answer bears on the pace. */
export type PaceSign =
  | { readonly kind: 'ok' }
  /** The service asked for fewer requests, or is away: the gate closes. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | null }
  /** The service is failing under what it gets: fewer requests at once. */
  | { readonly kind: 'overloaded' };

/** Leave to send one request. */
export interface Passage {
  /** How often the gate had closed when it was given: what was sent before a closing says nothing about the time after it. */
  readonly era: number;
  /** True for the single request that finds out whether a closed gate can open. */
  readonly probe: boolean;
}

/** One gate for all requests. It closes for a pause that grows, and reopens when a single probe has come back well. */
export interface Gate {
  /** Waits while the gate is closed; rejects with the signal's reason when it aborts. */
  pass(): Promise<Passage>;
  /** What came of the request; null where nothing was learnt. */
  report(passage: Passage, sign: PaceSign | null): void;
}

type State =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly until: number }
  | { readonly kind: 'probing'; readonly verdict: PromiseWithResolvers<void> };

export function createGate(world: { clock: Clock; sleep: Sleep; random: Random; log: Log; signal: AbortSignal }): Gate {
  const { clock, sleep, random, log, signal } = world;
  let state: State = { kind: 'open' };
  let era = 0;
  /** Closings since the gate was last trusted: the pause grows with them. */
  let closings = 0;
  let goodAnswers = 0;

  const become = (next: State): void => {
    const before = state;
    state = next;
    if (before.kind === 'probing') before.verdict.resolve();
  };

  const close = (retryAfterMs: number | null): void => {
    era += 1;
    closings += 1;
    goodAnswers = 0;
    const now = clock.now();
    const decision = retryDelay({ attempt: closings, outcome: { kind: 'throttled', retryAfterMs }, now, random, limits: GATE_PAUSES });
    const pauseMs = decision.kind === 'wait' ? decision.ms : GATE_PAUSES.waitMsMax;
    become({ kind: 'closed', until: now + pauseMs });
    log.warn('gate.closed', { pauseMs, closings, askedFor: retryAfterMs !== null });
  };

  return {
    async pass() {
      for (;;) {
        signal.throwIfAborted();
        switch (state.kind) {
          case 'open':
            return { era, probe: false };
          case 'probing':
            await state.verdict.promise;
            break;
          case 'closed': {
            const remaining = state.until - clock.now();
            if (remaining > 0) {
              await sleep(remaining, signal);
              break;
            }
            become({ kind: 'probing', verdict: Promise.withResolvers<void>() });
            return { era, probe: true };
          }
        }
      }
    },

    report(passage, sign) {
      if (passage.probe) {
        if (sign === null) become({ kind: 'closed', until: clock.now() });
        else if (sign.kind === 'ok') {
          become({ kind: 'open' });
          log.info('gate.opened', { closings });
        } else close(sign.kind === 'throttled' ? sign.retryAfterMs : null);
        return;
      }
      if (sign === null) return;
      if (sign.kind === 'throttled') {
        // The others that were out when the gate closed may only make the pause longer.
        if (passage.era === era) close(sign.retryAfterMs);
        else if (state.kind === 'closed' && sign.retryAfterMs !== null) {
          state = { kind: 'closed', until: Math.max(state.until, clock.now() + sign.retryAfterMs) };
        }
      } else if (sign.kind === 'ok' && passage.era === era) {
        goodAnswers += 1;
        if (goodAnswers >= GATE_TRUST_AFTER) closings = 0;
      }
    },
  };
}
