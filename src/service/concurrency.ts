import type { LimitFunction } from 'p-limit';
import { LATENCY_GROWTH, LATENCY_GROWTH_MS } from './limits.ts';
import type { PaceSign } from './outcome.ts';

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
