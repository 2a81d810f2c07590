import { ACCEPTED_KEPT, CUBIC_BETA, CUBIC_SCALE, CUBIC_SCALE_FROM, RATE_MIN_PER_SECOND, RATE_UNKNOWN_PER_SECOND, ROUGH_THROTTLES, TIMER_LATENESS_MS } from './limits.ts';

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
    return this.#accepted.length === ACCEPTED_KEPT && this.#takenPerSecond(now) > 2 * this.#ceiling ? null : this.#ceiling;
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
