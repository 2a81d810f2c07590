import type { LimitFunction } from 'p-limit';
import type { PaceSign } from './gate.ts';
import { LatencyWatch } from './latency-watch.ts';

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
