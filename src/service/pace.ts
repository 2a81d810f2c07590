import type { LimitFunction } from 'p-limit';
import {
  ACCEPTED_KEPT,
  CUBIC_BETA,
  CUBIC_SCALE,
  CUBIC_SCALE_FROM,
  LATENCY_GROWTH,
  LATENCY_GROWTH_MS,
  RATE_MIN_PER_SECOND,
  RATE_UNKNOWN_PER_SECOND,
  ROUGH_THROTTLES,
  TIMER_LATENESS_MS,
} from './limits.ts';
import type { PaceSign } from './outcome.ts';

interface Instant {
  readonly at: number;
  readonly open: number;
}

/**
 * How many requests a second may leave. No limit until the service asks for fewer (429). Then the rate falls to seven tenths of what the
 * service was seen to take, comes back to it on a cubic curve, lingers there, and goes on to look for more (CUBIC, RFC 9438; the AWS SDKs'
 * adaptive retry mode). Times are epoch ms, and are handed in.
 */
export class CubicRate {
  /** The rate at which the service last asked for fewer, in requests a second; null while nothing is known. */
  #ceiling: number | null;
  /** Where the curve began. */
  #curveFrom: number;
  /** When the next request may leave. */
  #nextAt = 0;
  #askedAt = 0;
  /** When the last requests were accepted, the oldest first: epoch ms, and ms of open time. */
  readonly #accepted: Instant[] = [];
  #firstSentAt: number | null = null;
  /** How long requests were held back in all. */
  #closedMs = 0;
  #throttles = 0;

  /** `hint` is what an earlier run learnt: this one begins on the curve below it. */
  constructor(now: number, hint: number | null) {
    this.#ceiling = hint === null ? null : Math.max(RATE_MIN_PER_SECOND, hint);
    this.#curveFrom = now;
  }

  sent(now: number): void {
    this.#firstSentAt ??= now;
  }

  /** False until the service has asked for fewer for the first time. */
  get isLimited(): boolean {
    return this.#ceiling !== null;
  }

  /** How many ms the next request has to wait before it leaves; its turn is taken by asking. */
  reserve(now: number): number {
    if (this.#ceiling === null) return 0;
    // A turn that was missed is not made up for in a burst, save for what timers are late; and a clock that was set back keeps nobody waiting.
    if (now < this.#askedAt) this.#nextAt = now;
    this.#askedAt = now;
    this.#nextAt = Math.max(this.#nextAt, now - TIMER_LATENESS_MS);
    const waitMs = Math.max(0, this.#nextAt - now);
    this.#nextAt = this.#turnAfter(this.#nextAt);
    return waitMs;
  }

  accepted(now: number): void {
    this.#accepted.push({ at: now, open: now - this.#closedMs });
    if (this.#accepted.length > ACCEPTED_KEPT) this.#accepted.shift();
  }

  /**
   * The service asked for fewer. What it took lately is what it bears: at first pauses included, so that the rate is right soon, however far
   * off it was; later not, or pauses would make the rate fall and the rate make pauses longer, forever.
   */
  throttled(now: number): void {
    this.#throttles += 1;
    const current = this.#rateAt(now) ?? Number.POSITIVE_INFINITY;
    // Where nothing was ever taken, nothing was measured: then the pauses have to do.
    const taken = this.#accepted.length === 0 ? RATE_UNKNOWN_PER_SECOND : this.#takenPerSecond(now);
    this.#ceiling = Math.max(RATE_MIN_PER_SECOND, Math.min(current, taken));
    this.#beginCurve(now);
  }

  /** Requests may leave again, the probe having been the first: the curve begins here, since a pause has shown nothing. */
  reopened(now: number, closedMs: number): void {
    this.#closedMs += closedMs;
    this.#beginCurve(now);
    this.#nextAt = this.#turnAfter(now);
  }

  /** How long one request takes at the rate that was last too much, in ms; null while nothing is known. */
  get everyMs(): number | null {
    return this.#ceiling === null ? null : 1000 / this.#ceiling;
  }

  /** What to begin with next time, in requests a second: a ceiling that was left far behind without being asked for fewer is none any more. */
  learnt(now: number): number | null {
    if (this.#ceiling === null || this.#throttles > 0) return this.#ceiling;
    return this.#accepted.length === ACCEPTED_KEPT && this.#takenPerSecond(now) > 2 * this.#ceiling
      ? null
      : this.#ceiling;
  }

  #takenPerSecond(now: number): number {
    const [oldest] = this.#accepted;
    const since = this.#accepted.length < ACCEPTED_KEPT ? (this.#firstSentAt ?? now) : (oldest?.at ?? now);
    const sinceOpen = this.#accepted.length < ACCEPTED_KEPT ? since : (oldest?.open ?? now);
    const ms = this.#throttles > ROUGH_THROTTLES ? now - this.#closedMs - sinceOpen : now - since;
    return this.#accepted.length / (Math.max(1, ms) / 1000);
  }

  #beginCurve(now: number): void {
    this.#curveFrom = now;
    this.#nextAt = now;
  }

  #rateAt(now: number): number | null {
    if (this.#ceiling === null) return null;
    const { scale, secondsToCeiling } = curveOf(this.#ceiling);
    return this.#ceiling + scale * (this.#secondsOnCurve(now) - secondsToCeiling) ** 3;
  }

  /** When the next request's turn comes after one at `at`: where the area under the curve has grown by one. */
  #turnAfter(at: number): number {
    const ceiling = this.#ceiling;
    if (ceiling === null) return at;
    const { scale, secondsToCeiling } = curveOf(ceiling);
    const area = (seconds: number): number => ceiling * seconds + (scale / 4) * (seconds - secondsToCeiling) ** 4;
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

  #secondsOnCurve(now: number): number {
    return Math.max(0, now - this.#curveFrom) / 1000;
  }
}

/** A turn is reckoned to a thousandth of the longest wait there can be. */
const HALVINGS = 16;

/** At low rates one request is a large step: there the curve is drawn out. */
function curveOf(ceiling: number): { scale: number; secondsToCeiling: number } {
  const scale = CUBIC_SCALE * Math.min(1, ceiling / CUBIC_SCALE_FROM);
  return { scale, secondsToCeiling: Math.cbrt((ceiling * (1 - CUBIC_BETA)) / scale) };
}

/** Additive increase, multiplicative decrease of how many requests may be in flight (p-limit's adjustable limit). */
export class Concurrency {
  readonly #limit: LimitFunction;
  readonly #max: number;
  readonly #latency = new LatencyWatch();
  #allowed: number;
  /** Counts the cuts: answers to what was sent before the last one cannot cause another. */
  #cuts = 0;
  #beforeCut: number | null = null;
  #failedUnderLoad = false;

  constructor(limit: LimitFunction, max: number) {
    this.#limit = limit;
    this.#max = max;
    this.#allowed = limit.concurrency;
  }

  /** To be handed to `learn` with the answer to what is sent now. */
  get cuts(): number {
    return this.#cuts;
  }

  /** How many at once the service bore; null where it bears all that we want. */
  get learnt(): number | null {
    return this.#failedUnderLoad || this.#allowed < this.#max ? Math.floor(this.#allowed) : null;
  }

  learn(sign: PaceSign, latencyMs: number, cutsBefore: number): void {
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
    // A hair below a whole number is that number: 1 + 1/1 + 1/2 + 1/2 … must not fall short by rounding.
    const whole = Math.floor(this.#allowed + 1e-9);
    if (whole !== this.#limit.concurrency) this.#limit.concurrency = whole;
  }

  #judgeLatency(latencyMs: number): void {
    const verdict = this.#latency.answered(latencyMs, Math.max(8, 2 * this.#limit.concurrency));
    if (verdict === 'slower') {
      this.#beforeCut = this.#allowed;
      this.#cut(0.75);
    } else if (verdict === 'not-ours' && this.#beforeCut !== null) {
      this.#allowed = Math.max(this.#allowed, this.#beforeCut);
    }
  }

  #cut(to: number): void {
    this.#cuts += 1;
    this.#allowed = Math.max(1, this.#allowed * to);
  }
}

/** What a round of answers says: as usual, slower because of us perhaps, or slower whatever we do. */
export type RoundVerdict = 'usual' | 'slower' | 'not-ours';

/**
 * Sees whether answers become slower the more there are at once. It compares the means of whole rounds, so that a service whose answers vary
 * is not taken for one that is overloaded; and a cut that did not make answers faster is taken back, and what they take now is the usual.
 */
class LatencyWatch {
  #count = 0;
  #sumMs = 0;
  #usualMs = Number.POSITIVE_INFINITY;
  /** The mean that led to the last cut, while it is not yet known whether the cut helped. */
  #cutAtMs: number | null = null;
  #suspected = false;
  /** What a round after a cut takes in was sent before it: one round is skipped. */
  #skip = 0;

  /** While a cut is on trial there must be no more at once. */
  get onTrial(): boolean {
    return this.#cutAtMs !== null || this.#suspected;
  }

  /** Takes in one good answer; a verdict at the end of a round of `roundOf` answers, else null. */
  answered(latencyMs: number, roundOf: number): RoundVerdict | null {
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

  #judge(meanMs: number, roundOf: number): RoundVerdict {
    const before = this.#cutAtMs;
    this.#cutAtMs = null;
    if (before !== null && meanMs > 0.9 * before) {
      this.#usualMs = meanMs;
      return 'not-ours';
    }
    this.#usualMs = Math.min(this.#usualMs, meanMs);
    const grown = meanMs >= LATENCY_GROWTH * this.#usualMs && meanMs >= this.#usualMs + LATENCY_GROWTH_MS;
    // The round in which it began is a mixture of both: the next one tells how slow it is.
    const confirmed = grown && this.#suspected;
    this.#suspected = grown && !confirmed;
    if (!confirmed) return 'usual';
    this.#cutAtMs = meanMs;
    this.#skip = roundOf;
    return 'slower';
  }
}
