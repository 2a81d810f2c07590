import { SeededRandom } from '../../src/sandbox/seeded-random.ts';

/** What may happen to a create. "Before": nothing was made. "After": the project was made, and the answer says otherwise or nothing. */
export const CREATE_FAULTS = [
  'not sent',
  'lost before',
  'reset before',
  '500 before',
  '503 before',
  '504 before',
  '408 after',
  '500 after',
  '504 after',
  'timeout after',
  'reset after',
  'garbled after',
  'page after',
  'redirect after',
  'late after 504',
  'late after timeout',
  '429',
  '401',
  '403',
  'foreign 401 after',
  'foreign 403 after',
  'foreign 429 before',
  'delivered twice',
] as const;
export type CreateFault = (typeof CREATE_FAULTS)[number];

/** What may happen to a read, or to a request for a token. */
export const READ_FAULTS = [
  'timeout',
  'reset',
  '500',
  '503',
  '504',
  '429',
  '401',
  'garbled',
  'page',
  'short page',
  'items twice',
] as const;
export type ReadFault = (typeof READ_FAULTS)[number];

/** How often which faults strike. */
export interface FaultRates {
  readonly creates: readonly CreateFault[];
  readonly createRate: number;
  readonly reads: readonly ReadFault[];
  readonly readRate: number;
}

export const NO_FAULTS: FaultRates = { creates: [], createRate: 0, reads: [], readRate: 0 };

/** A plan of faults: each request draws its own, so that the same seed gives the same campaign. Counts what has struck. */
export class FaultPlan {
  readonly bites = new Map<string, number>();
  readonly #random: SeededRandom;
  #rates: FaultRates;

  constructor(seed: string, rates: FaultRates) {
    this.#random = new SeededRandom(seed, 'faults');
    this.#rates = rates;
  }

  /** From now on the service is well. */
  end(): void {
    this.#rates = NO_FAULTS;
  }

  forCreate(): CreateFault | null {
    const { creates, createRate } = this.#rates;
    return this.#drawn('create', creates, createRate);
  }

  forRead(): ReadFault | null {
    const { reads, readRate } = this.#rates;
    return this.#drawn('read', reads, readRate);
  }

  #drawn<Kind extends string>(of: string, kinds: readonly Kind[], rate: number): Kind | null {
    if (kinds.length === 0 || !this.#random.chance(rate)) return null;
    const kind = this.#random.pick(kinds);
    this.bites.set(`${of}: ${kind}`, (this.bites.get(`${of}: ${kind}`) ?? 0) + 1);
    return kind;
  }
}

/** Some kinds of fault at one of a few rates: schedules differ more when each has its own few. */
export function drawRates(random: SeededRandom): FaultRates {
  return {
    creates: random.sample(CREATE_FAULTS, random.integer(1, 7)),
    createRate: random.pick([0, 0.1, 0.3, 0.6]),
    reads: random.sample(READ_FAULTS, random.integer(1, 4)),
    readRate: random.pick([0, 0.03, 0.15]),
  };
}
