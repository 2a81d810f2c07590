import { type RunContext, raceAbort } from '../domain/ports.ts';
import { type RetryLimits, decideRetry } from './retry.ts';
import type { PaceSignal } from './outcome.ts';

/** They less than double each time, so as not to miss the end of an outage. */
const AWAY_PAUSES: RetryLimits = {
  attemptsMax: Infinity,
  firstWaitMs: 1_000,
  growth: 1.5,
  jitter: 0.3,
  waitMsMin: 250,
  waitMsMax: 5 * 60 * 1000,
};
const THROTTLED_PAUSES: RetryLimits = { ...AWAY_PAUSES, growth: 1.6, waitMsMin: 100 };
const FIRST_PAUSE_MS_MIN = 200;
const FIRST_PAUSE_MS_MAX = 30_000;
/** The first pause, as a part of the length of the last closing: a quota that was slow to recover will be again. */
const FIRST_PAUSE_PART = 1 / 8;
const ANSWERS_TO_TRUST = 20;
const AWAY_IN_A_ROW = 3;
const BAD_IN_A_ROW = 8;

export type SendPermit = Readonly<{
  /** An answer shows nothing about the time after a later closing. */
  era: number;
  probe: boolean;
}>;

export type PauseCause = 'throttled' | 'away';

/** Since when the service has not answered (epoch ms); null while it answers. A run's gates share it. */
export interface Outage {
  since: number | null;
}

type GateContext = RunContext &
  Readonly<{
    outage: Outage;
    forOneRequestMs(): number;
    /** Changes nothing. */
    probe?: (() => Promise<PaceSignal>) | undefined;
    /**
     * Before each pause. `inVainMs`: how long the service will have been away, or have accepted nothing, when the pause
     * ends. If it throws, waiting requests reject.
     */
    checkPause(untilMs: number, cause: PauseCause, inVainMs: number): void;
    onOpen(closedMs: number): void;
  }>;

type State = Readonly<
  | { kind: 'open' }
  | {
      kind: 'closed';
      cause: PauseCause;
      from: number;
      until: number;
      mustAsk: boolean;
      isAskedFor?: boolean;
    }
  | { kind: 'probing'; cause: PauseCause; verdict: PromiseWithResolvers<void> }
>;

/** Closes for growing pauses; one good probe opens it. */
export class Gate {
  era = 0;
  readonly #context;
  #state: State = { kind: 'open' };
  /** Since the service was last trusted; more make the pause longer. */
  #closings = 0;
  #closedAt = 0;
  #lastClosedMs = 0;
  #goodAnswers = 0;
  #awayInARow = 0;
  #badInARow = 0;

  constructor(context: GateContext) {
    this.#context = context;
  }

  get isOpen() {
    return this.#state.kind === 'open';
  }

  /** Null while closed. Throws the signal's reason if aborted. */
  tryPass() {
    this.#context.signal.throwIfAborted();
    const state = this.#state;
    switch (state.kind) {
      case 'open':
        return { era: this.era, probe: false };
      case 'probing':
        return null;
      case 'closed':
        if (state.mustAsk || this.#remainingMs(state) > 0) return null;
        this.#become({ kind: 'probing', cause: state.cause, verdict: Promise.withResolvers() });
        return { era: this.era, probe: true };
    }
  }

  /** Rejects with the signal's reason if aborted. */
  async opening() {
    const { sleep, signal } = this.#context;
    signal.throwIfAborted();
    const state = this.#state;
    switch (state.kind) {
      case 'open':
        return;
      case 'probing':
        await raceAbort(state.verdict.promise, signal);
        return;
      case 'closed': {
        const remaining = this.#remainingMs(state);
        if (remaining > 0) {
          this.#context.checkPause(state.until, state.cause, this.#inVainMs(state));
          await sleep(remaining, signal);
        } else if (state.mustAsk) await this.#ask(state.cause);
      }
    }
  }

  report(permit: SendPermit, sign: PaceSignal) {
    if (permit.probe) this.#afterProbe(sign);
    else if (permit.era !== this.era) this.#lengthen(sign);
    else this.#count(sign);
  }

  #inVainMs({ cause, until, isAskedFor = false }: Extract<State, { kind: 'closed' }>) {
    // A gate whose pause ended long ago shows nothing about an outage.
    const since = (cause === 'away' ? this.#context.outage.since : null) ?? this.#closedAt;
    return (isAskedFor ? this.#context.clock.now() : until) - since;
  }

  /** If the clock was set back, the pause starts now or is over. */
  #remainingMs({ from, until }: { from: number; until: number }) {
    const now = this.#context.clock.now();
    return now < from ? 0 : until - now;
  }

  async #ask(cause: PauseCause) {
    this.#become({ kind: 'probing', cause, verdict: Promise.withResolvers() });
    let sign: PaceSignal = { kind: 'nothing' };
    try {
      sign = (await this.#context.probe?.()) ?? { kind: 'ok' };
    } finally {
      const now = this.#context.clock.now();
      if (sign.kind === 'ok' || sign.kind === 'nothing')
        this.#become({ kind: 'closed', cause, from: now, until: now, mustAsk: sign.kind === 'nothing' });
      else this.#closeAfter(sign);
    }
  }

  #afterProbe(sign: PaceSignal) {
    const now = this.#context.clock.now();
    switch (sign.kind) {
      case 'ok': {
        this.#context.outage.since = null;
        this.#closings = Math.floor(this.#closings / 2);
        const closedMs = Math.max(0, now - this.#closedAt);
        this.#lastClosedMs = this.#state.kind === 'probing' && this.#state.cause === 'throttled' ? closedMs : 0;
        this.#goodAnswers = 0;
        this.#become({ kind: 'open' });
        this.#context.onOpen(closedMs);
        this.#context.log.info('gate.opened', { closedMs });
        return;
      }
      case 'nothing': {
        const cause = this.#state.kind === 'open' ? 'throttled' : this.#state.cause;
        this.#become({ kind: 'closed', cause, from: now, until: now, mustAsk: this.#mustAskAfter(cause) });
        return;
      }
      case 'throttled':
      case 'away':
      case 'overloaded':
        this.#closeAfter(sign);
    }
  }

  #count(sign: PaceSignal) {
    switch (sign.kind) {
      case 'nothing':
        return;
      case 'ok':
        this.#context.outage.since = null;
        this.#awayInARow = 0;
        this.#badInARow = 0;
        this.#goodAnswers += 1;
        if (this.#goodAnswers >= ANSWERS_TO_TRUST) this.#closings = 0;
        return;
      case 'throttled':
        this.#closeAfter(sign);
        return;
      case 'away':
      case 'overloaded':
        this.#badInARow += 1;
        this.#awayInARow = sign.kind === 'away' ? this.#awayInARow + 1 : 0;
        // A few bad answers among good ones are no outage: lower concurrency is enough.
        if (requestedPauseMs(sign) === null && this.#awayInARow < AWAY_IN_A_ROW && this.#badInARow < BAD_IN_A_ROW)
          return;
        this.#closeAfter(sign);
    }
  }

  /** Requests sent before closing can only make the pause longer. */
  #lengthen(sign: PaceSignal) {
    const asked = requestedPauseMs(sign);
    if (asked === null || this.#state.kind !== 'closed') return;
    this.#state = {
      ...this.#state,
      isAskedFor: true,
      until: Math.max(this.#state.until, this.#context.clock.now() + asked),
    };
  }

  #closeAfter(sign: PaceSignal) {
    const { clock, random, log } = this.#context;
    const cause = sign.kind === 'throttled' ? 'throttled' : 'away';
    const retryAfterMs = requestedPauseMs(sign);
    this.era += 1;
    this.#closings += 1;
    this.#goodAnswers = 0;
    this.#awayInARow = 0;
    this.#badInARow = 0;
    const now = clock.now();
    if (this.#state.kind === 'open') this.#closedAt = now;
    if (cause === 'away') this.#context.outage.since ??= now;
    const limits = cause === 'away' ? AWAY_PAUSES : { ...THROTTLED_PAUSES, firstWaitMs: this.#firstPauseMs() };
    const decision = decideRetry({
      attempt: this.#closings,
      outcome: { kind: 'throttled', retryAfterMs },
      now,
      random,
      limits,
    });
    const pauseMs = decision.kind === 'wait' ? decision.ms : limits.waitMsMax;
    this.#become({
      kind: 'closed',
      cause,
      from: now,
      until: now + pauseMs,
      mustAsk: this.#mustAskAfter(cause),
      isAskedFor: retryAfterMs !== null,
    });
    log.warn('gate.closed', { cause, pauseMs, closings: this.#closings, askedFor: retryAfterMs !== null });
  }

  #mustAskAfter(cause: PauseCause) {
    return cause === 'away' && this.#context.probe !== undefined;
  }

  #firstPauseMs() {
    const least = Math.max(FIRST_PAUSE_MS_MIN, this.#context.forOneRequestMs(), FIRST_PAUSE_PART * this.#lastClosedMs);
    return Math.min(FIRST_PAUSE_MS_MAX, least);
  }

  #become(next: State) {
    const before = this.#state;
    this.#state = next;
    if (before.kind === 'probing') before.verdict.resolve();
  }
}

function requestedPauseMs(sign: PaceSignal) {
  return sign.kind === 'throttled' || sign.kind === 'away' ? sign.retryAfterMs : null;
}
