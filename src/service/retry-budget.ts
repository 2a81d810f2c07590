import { RETRY_BUDGET, RETRY_COST } from './limits.ts';

/**
 * What all repeats of a run's reads draw on together. While the service answers, every answer gives a little back; in an outage the budget
 * is soon used up, and then each read is sent once: repeats never multiply an outage.
 */
export class RetryBudget {
  #left = RETRY_BUDGET;

  /** False when there is nothing left for a repeat. */
  take(): boolean {
    if (this.#left < RETRY_COST) return false;
    this.#left -= RETRY_COST;
    return true;
  }

  /** The service answered. */
  answered(): void {
    this.#left = Math.min(RETRY_BUDGET, this.#left + 1);
  }
}
