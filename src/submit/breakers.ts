import type { OrderMove } from '../ledger/orders.ts';

/** All in a row, without an answer in between that shows the service at work. */
export interface BreakerLimits {
  readonly unresolvedMax: number;
  readonly awayMax: number;
  readonly throttledMax: number;
  readonly sameRefusalMax: number;
}

/** Why an order went back to `ready`, where that says something about the service. */
export type GivenBack = 'away' | 'throttled' | null;

const BREAKER_LIMITS: BreakerLimits = { unresolvedMax: 20, awayMax: 40, throttledMax: 200, sameRefusalMax: 25 };

/** Stops a run that is doing harm: too many unknown outcomes, a service that is away, or one refusal on row after row. */
export class Breakers {
  readonly #limits: BreakerLimits;
  #unresolved = 0;
  #away = 0;
  #throttled = 0;
  #refusal = '';
  #refusals = 0;

  constructor(limits: BreakerLimits = BREAKER_LIMITS) {
    this.#limits = limits;
  }

  /** Takes note of where an order went; a reason to stop sending, or null. */
  afterMove(move: OrderMove, givenBack: GivenBack): string | null {
    switch (move.to) {
      case 'created':
      case 'linked':
      case 'skipped':
        this.#answered();
        this.#refusals = 0;
        return null;
      case 'unresolved':
        this.#unresolved += 1;
        return this.#unresolved >= this.#limits.unresolvedMax
          ? `${this.#unresolved} orders in a row have no known outcome (the last: ${move.reason}). The rest waits for the next run.`
          : null;
      case 'refused':
        this.#answered();
        this.#refusals = move.reason === this.#refusal ? this.#refusals + 1 : 1;
        this.#refusal = move.reason;
        return this.#refusals >= this.#limits.sameRefusalMax
          ? `The service refused ${this.#refusals} orders in a row with the same words: ${move.reason} That may be about the account, not the rows. The rest waits for the next run.`
          : null;
      case 'ready':
        return this.#afterGivenBack(move.reason, givenBack);
      case 'held':
      case 'abandoned':
        return null;
    }
  }

  #answered(): void {
    this.#unresolved = 0;
    this.#away = 0;
    this.#throttled = 0;
  }

  #afterGivenBack(reason: string, givenBack: GivenBack): string | null {
    if (givenBack === 'away') this.#away += 1;
    if (givenBack === 'throttled') this.#throttled += 1;
    if (this.#away >= this.#limits.awayMax) return `The service is away (${reason}). The rest waits for the next run.`;
    return this.#throttled >= this.#limits.throttledMax ? 'The service keeps asking for a slower pace (429) and takes nothing. The rest waits for the next run.' : null;
  }
}
