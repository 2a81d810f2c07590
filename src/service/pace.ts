import type { LimitFunction } from 'p-limit';
import type { PaceSignal } from './outcome.ts';

/** The rate kept after a 429, and the cubic curve's slope: the AWS SDKs' adaptive retry mode. */
const CUBIC_BETA = 0.7;
const CUBIC_SCALE = 0.4;
/** Below this rate (requests per second) the curve's slope is proportional to it. */
const CUBIC_SCALE_FROM = 5;
const ACCEPTED_KEPT = 8;
const RATE_MIN_PER_SECOND = 0.05;
/** After this many 429s the rate is near what the service accepts. */
const ROUGH_THROTTLES = 5;
const RATE_UNKNOWN_PER_SECOND = 10;
const TIMER_LATENESS_MS = 5;
const LATENCY_GROWTH = 2;
const LATENCY_GROWTH_MS = 200;

/**
 * Requests per second: no limit until the service asks for fewer (429). Then the rate falls to seven tenths of the
 * accepted rate, returns to it on a cubic curve, stays near it, and later exceeds it (CUBIC, RFC 9438). Times are epoch
 * ms.
 */
export class CubicRate {
  /** Requests per second; null if unknown. */
  #ceiling;
  #curveFrom;
  #nextAt = 0;
  #askedAt = 0;
  /** The oldest first: epoch ms, and ms of open time. */
  readonly #accepted: Readonly<{ at: number; open: number }>[] = [];
  #firstSentAt: number | null = null;
  #closedMs = 0;
  #throttles = 0;

  /** `hint`: an earlier run's `learnt`; this run starts on the curve below it. */
  constructor(now: number, hint: number | null) {
    this.#ceiling = hint === null ? null : Math.max(RATE_MIN_PER_SECOND, hint);
    this.#curveFrom = now;
  }

  sent(now: number) {
    this.#firstSentAt ??= now;
  }

  get isLimited() {
    return this.#ceiling !== null;
  }

  reserve(now: number) {
    if (this.#ceiling === null) return 0;
    // A missed turn is not made up for, except for late timers. If the clock was set back, nobody waits.
    if (now < this.#askedAt) this.#nextAt = now;
    this.#askedAt = now;
    this.#nextAt = Math.max(this.#nextAt, now - TIMER_LATENESS_MS);
    const waitMs = Math.max(0, this.#nextAt - now);
    this.#nextAt = this.#turnAfter(this.#nextAt);
    return waitMs;
  }

  accepted(now: number) {
    this.#accepted.push({ at: now, open: now - this.#closedMs });
    if (this.#accepted.length > ACCEPTED_KEPT) this.#accepted.shift();
  }

  /**
   * The service can take the rate that it accepted lately. At first pauses count, to get near the right rate soon;
   * later they do not, or pauses and rate would lower each other forever.
   */
  throttled(now: number) {
    this.#throttles += 1;
    const current = this.#rateAt(now) ?? Infinity;
    const taken = this.#accepted.length === 0 ? RATE_UNKNOWN_PER_SECOND : this.#takenPerSecond(now);
    this.#ceiling = Math.max(RATE_MIN_PER_SECOND, Math.min(current, taken));
    this.#beginCurve(now);
  }

  reopened(now: number, closedMs: number) {
    this.#closedMs += closedMs;
    this.#beginCurve(now);
    this.#nextAt = this.#turnAfter(now);
  }

  get everyMs() {
    return this.#ceiling === null ? null : 1000 / this.#ceiling;
  }

  /** Null if the rate went far above the ceiling without a 429. */
  learnt(now: number) {
    if (this.#ceiling === null || this.#throttles > 0) return this.#ceiling;
    return this.#accepted.length === ACCEPTED_KEPT && this.#takenPerSecond(now) > 2 * this.#ceiling
      ? null
      : this.#ceiling;
  }

  #takenPerSecond(now: number) {
    const [oldest] = this.#accepted;
    const since = this.#accepted.length < ACCEPTED_KEPT ? (this.#firstSentAt ?? now) : (oldest?.at ?? now);
    const sinceOpen = this.#accepted.length < ACCEPTED_KEPT ? since : (oldest?.open ?? now);
    const ms = this.#throttles > ROUGH_THROTTLES ? now - this.#closedMs - sinceOpen : now - since;
    return this.#accepted.length / (Math.max(1, ms) / 1000);
  }

  #beginCurve(now: number) {
    this.#curveFrom = now;
    this.#nextAt = now;
  }

  #rateAt(now: number) {
    if (this.#ceiling === null) return null;
    const { scale, secondsToCeiling } = curveOf(this.#ceiling);
    return this.#ceiling + scale * (this.#secondsOnCurve(now) - secondsToCeiling) ** 3;
  }

  /** When the area under the curve has grown by one. */
  #turnAfter(at: number) {
    const ceiling = this.#ceiling;
    if (ceiling === null) return at;
    const { scale, secondsToCeiling } = curveOf(ceiling);
    const area = (seconds: number) => ceiling * seconds + (scale / 4) * (seconds - secondsToCeiling) ** 4;
    const from = this.#secondsOnCurve(at);
    const wanted = area(from) + 1;
    let low = 0;
    let high = 1 / (CUBIC_BETA * ceiling);
    for (let halving = 0; halving < HALVINGS; halving += 1) {
      const middle = (low + high) / 2;
      if (area(from + middle) < wanted) low = middle;
      else high = middle;
    }
    return at + high * 1000;
  }

  #secondsOnCurve(now: number) {
    return Math.max(0, now - this.#curveFrom) / 1000;
  }
}

/** Precise to a thousandth of the longest possible wait. */
const HALVINGS = 16;

function curveOf(ceiling: number) {
  const scale = CUBIC_SCALE * Math.min(1, ceiling / CUBIC_SCALE_FROM);
  return { scale, secondsToCeiling: Math.cbrt((ceiling * (1 - CUBIC_BETA)) / scale) };
}

/** Additive increase, multiplicative decrease. */
export class Concurrency {
  readonly #limit;
  readonly #max;
  readonly #latency = new LatencyWatch();
  #allowed;
  /** Requests sent before the last cut cannot cause another. */
  #cuts = 0;
  #beforeCut: number | null = null;
  #failedUnderLoad = false;

  constructor(limit: LimitFunction, max: number) {
    this.#limit = limit;
    this.#max = max;
    this.#allowed = limit.concurrency;
  }

  get cuts() {
    return this.#cuts;
  }

  get learnt() {
    return this.#failedUnderLoad || this.#allowed < this.#max ? Math.floor(this.#allowed) : null;
  }

  learn(sign: PaceSignal, latencyMs: number, cutsBefore: number) {
    switch (sign.kind) {
      case 'ok':
        if (!this.#latency.onTrial) this.#allowed = Math.min(this.#max, this.#allowed + 1 / this.#allowed);
        this.#judgeLatency(latencyMs);
        break;
      case 'away':
      case 'overloaded':
        if (cutsBefore !== this.#cuts) return;
        this.#failedUnderLoad = true;
        this.#cut(0.5);
        break;
      case 'throttled':
      case 'nothing':
        return;
    }
    // Rounding must not keep 1 + 1/1 + 1/2 + 1/2 … below a whole number.
    const whole = Math.floor(this.#allowed + 1e-9);
    if (whole !== this.#limit.concurrency) this.#limit.concurrency = whole;
  }

  #judgeLatency(latencyMs: number) {
    const verdict = this.#latency.answered(latencyMs, Math.max(8, 2 * this.#limit.concurrency));
    if (verdict === 'slower') {
      this.#beforeCut = this.#allowed;
      this.#cut(0.75);
    } else if (verdict === 'not-ours' && this.#beforeCut !== null) {
      this.#allowed = Math.max(this.#allowed, this.#beforeCut);
    }
  }

  #cut(to: number) {
    this.#cuts += 1;
    this.#allowed = Math.max(1, this.#allowed * to);
  }
}

/**
 * Compares means of whole rounds, to tolerate varying answers. A cut that did not make answers faster is taken back,
 * and the slower answers count as usual.
 */
class LatencyWatch {
  #count = 0;
  #sumMs = 0;
  #usualMs = Infinity;
  /** Until it is known whether the cut helped. */
  #cutAtMs: number | null = null;
  #suspected = false;
  #skip = 0;

  /** Until the cut is judged, concurrency must not grow. */
  get onTrial() {
    return this.#cutAtMs !== null || this.#suspected;
  }

  /** After each round of `roundOf` good answers, otherwise null. `not-ours`: slower for another reason than our requests. */
  answered(latencyMs: number, roundOf: number) {
    if (this.#skip > 0) {
      this.#skip -= 1;
      return null;
    }
    this.#count += 1;
    this.#sumMs += latencyMs;
    if (this.#count < roundOf) return null;
    const meanMs = this.#sumMs / this.#count;
    this.#count = 0;
    this.#sumMs = 0;
    return this.#judge(meanMs, roundOf);
  }

  #judge(meanMs: number, roundOf: number) {
    const before = this.#cutAtMs;
    this.#cutAtMs = null;
    if (before !== null && meanMs > 0.9 * before) {
      this.#usualMs = meanMs;
      return 'not-ours';
    }
    this.#usualMs = Math.min(this.#usualMs, meanMs);
    const grown = meanMs >= LATENCY_GROWTH * this.#usualMs && meanMs >= this.#usualMs + LATENCY_GROWTH_MS;
    // The round in which it started is mixed; only the next one shows how slow it is.
    const confirmed = grown && this.#suspected;
    this.#suspected = grown && !confirmed;
    if (!confirmed) return 'usual';
    this.#cutAtMs = meanMs;
    this.#skip = roundOf;
    return 'slower';
  }
}
