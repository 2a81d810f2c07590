import { LATENCY_GROWTH, LATENCY_GROWTH_MS } from './limits.ts';

/** What a round of answers says: as usual, slower because of us perhaps, or slower whatever we do. */
export type RoundVerdict = 'usual' | 'slower' | 'not-ours';

/**
 * Sees whether answers become slower the more there are at once. It compares the means of whole rounds, so that a service whose answers vary
 * is not taken for one that is overloaded; and a cut that did not make answers faster is taken back, and what they take now is the usual.
 */
export class LatencyWatch {
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
