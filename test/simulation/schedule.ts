import type { OrderPayload } from '../../src/domain/row.ts';
import { SeededRandom } from '../../src/sandbox/seeded-random.ts';
import type { OnDuplicate, OrderingRules } from '../../src/submit/row-decision.ts';
import { drawRates, type FaultRates } from './faults.ts';

export const QUARANTINE_MS = 300_000;
const SECOND = 1000;
const HOUR = 3_600_000;

/** A row that somebody drops. Its tag stands in a field that no comparison of the runner looks at: by it the oracle knows whose a project is. */
export interface SimulatedRow {
  readonly tag: string;
  readonly payload: OrderPayload;
  readonly allowDuplication: boolean | undefined;
  /** It is for a later term of a row of an earlier night, and has to be an order of its own. */
  readonly isRenewal?: true;
}

/** A project that is not ours. */
export interface ForeignProject {
  readonly payload: OrderPayload;
  /** Placed through our own account, so that the service's duplicate rules compare it with our orders. */
  readonly ourAccount: boolean;
}

/** Which of the two barriers stands. Each alone must suffice. */
export type Barrier = 'time' | 'key' | 'both';

export interface Service {
  readonly firstId: bigint;
  /** Late commits come at most so long after the client gave up. */
  readonly latenessMsMax: number;
  /** A project is in searches at most so long after it was made. */
  readonly searchLagMsMax: number;
  /** The duplicate check does not know projects that are younger. */
  readonly duplicateLagMs: number;
  readonly keylessAreDuplicates: boolean;
  readonly searchItem: 'newer' | 'older' | 'full';
  readonly absentInDetail: 'null' | 'absent';
  /** More items it never shows on a page, however many were asked for. */
  readonly pageMax: number;
  /** How long an answer takes, at most. */
  readonly latencyMsMax: number;
}

export interface Night {
  /** How long after the end of the night before. */
  readonly afterMs: number;
  /** Files that are dropped before it. */
  readonly files: readonly (readonly SimulatedRow[])[];
  /** The process is killed at this effect of the night, before or after it; null: it is not. */
  readonly crash: { readonly at: number; readonly when: 'before' | 'after' } | null;
  /** It is asked to stop at this effect. */
  readonly stopAt: number | null;
  /** Created by others while it goes on. */
  readonly foreign: readonly ForeignProject[];
}

/** Everything that a seed decides. */
export interface Schedule {
  readonly seed: string;
  readonly barrier: Barrier;
  readonly rules: OrderingRules;
  readonly maxConcurrency: number;
  readonly service: Service;
  readonly rates: FaultRates;
  readonly before: readonly ForeignProject[];
  readonly nights: readonly Night[];
}

/** The schedule of a seed, always the same. */
export function scheduleOf(seed: string): Schedule {
  const random = new SeededRandom(seed, 'schedule');
  const barrier = random.pick<Barrier>(['time', 'time', 'key', 'both']);
  const rules = {
    // Whoever wants every repeat as a project of its own has given the key up.
    onDuplicate: random.pick<OnDuplicate>(
      barrier === 'key' ? ['link', 'skip', 'reject'] : ['link', 'link', 'skip', 'reject', 'create'],
    ),
    whenNoKey: random.pick<OrderingRules['whenNoKey']>(['mark', 'mark', 'mint', 'hold']),
    renewalAfterDays: 300,
  };
  const rows = new RowMaker(random, new SeededRandom(seed, 'houses'), barrier, rules.onDuplicate);
  const nights = Array.from({ length: random.integer(2, 4) }, (_, index): Night => {
    const files = Array.from({ length: index === 0 ? 1 : random.pick([0, 0, 1]) }, () =>
      Array.from({ length: random.integer(1, index === 0 ? 6 : 3) }, () => rows.row()),
    );
    return {
      afterMs: drawGap(random, barrier),
      files,
      crash: random.chance(0.4) ? { at: random.integer(1, 45), when: random.pick(['before', 'after']) } : null,
      stopAt: random.chance(0.1) ? random.integer(3, 40) : null,
      foreign: Array.from({ length: random.pick([0, 0, 1, 3]) }, () => rows.foreign('meanwhile')),
    };
  });
  const schedule: Schedule = {
    seed,
    barrier,
    rules,
    maxConcurrency: random.pick([1, 2, 5]),
    service: drawService(random, barrier, new SeededRandom(seed, 'pages').pick([500, 500, 2])),
    rates: drawRates(random),
    before: Array.from({ length: random.pick([0, 1, 3]) }, () => rows.foreign('before')),
    nights,
  };
  // After the service's 30 days its key no longer stands.
  const later = new SeededRandom(seed, 'renewals');
  return barrier === 'key' || rules.onDuplicate === 'create' || !later.chance(0.3)
    ? schedule
    : { ...schedule, nights: [...nights, ...renewalNights(rows, later)] };
}

/** A night with dated rows; a year later they come again together with their renewals, in any order; and then once more. */
function renewalNights(rows: RowMaker, random: SeededRandom): readonly Night[] {
  const first = Array.from({ length: random.integer(1, 3) }, () => rows.dated());
  const renewals = first.map((row) => rows.renewalOf(row));
  const both = [...first, ...renewals].toSorted(() => random.integer(0, 1) - 0.5);
  const night = (afterMs: number, file: readonly SimulatedRow[]): Night => ({
    afterMs,
    files: [file],
    crash: random.chance(0.3) ? { at: random.integer(1, 30), when: random.pick(['before', 'after']) } : null,
    stopAt: null,
    foreign: [],
  });
  return [night(HOUR, first), night(330 * 24 * HOUR, both), night(24 * HOUR, both)];
}

function drawService(random: SeededRandom, barrier: Barrier, pageMax: number): Service {
  // Where only the key stands, lateness and search know no bound.
  const searchLagMsMax = barrier === 'key' ? random.pick([0, 2 * HOUR]) : random.pick([0, 0, 10, 140, 280]) * SECOND;
  const latenessMsMax = barrier === 'key' ? 2 * HOUR : QUARANTINE_MS - searchLagMsMax - SECOND;
  return {
    firstId: random.pick([100_000n, 9_007_199_254_740_990n]),
    latenessMsMax,
    searchLagMsMax,
    duplicateLagMs: barrier === 'time' ? random.pick([10 * SECOND, HOUR, Number.POSITIVE_INFINITY]) : 0,
    keylessAreDuplicates: random.chance(0.3),
    searchItem: random.pick(['newer', 'older', 'full']),
    absentInDetail: random.pick(['null', 'absent']),
    pageMax,
    latencyMsMax: random.pick([50, 2000]),
  };
}

function drawGap(random: SeededRandom, barrier: Barrier): number {
  const near = QUARANTINE_MS + random.integer(-60, 60) * SECOND;
  const gap = random.pick([SECOND, 60 * SECOND, near, near, near, HOUR, 24 * HOUR, 32 * 24 * HOUR]);
  // After the service's 30 days its key no longer stands.
  return barrier === 'key' ? Math.min(gap, 24 * HOUR) : gap;
}

const STREETS = ['1 Elm Street', '2 Oak Avenue', '3 Pine Road'];

/** Makes rows that have something to do with each other: the same keys, the same addresses, the same rows again. */
class RowMaker {
  readonly #random: SeededRandom;
  readonly #keyedOnly: boolean;
  readonly #repeatsAreRepeats: boolean;
  readonly #houses: SeededRandom;
  readonly #rows: SimulatedRow[] = [];

  constructor(random: SeededRandom, houses: SeededRandom, barrier: Barrier, onDuplicate: OnDuplicate) {
    this.#random = random;
    this.#houses = houses;
    this.#keyedOnly = barrier === 'key';
    this.#repeatsAreRepeats = onDuplicate !== 'create';
  }

  row(): SimulatedRow {
    const random = this.#random;
    const again = this.#rows.length > 0 && random.chance(0.12) ? random.pick(this.#rows) : null;
    const number = this.#rows.length + 1;
    // The very row again has the same tag, and is no second order. Where every repeat is to be ordered, it would be one.
    if (again !== null && this.#repeatsAreRepeats && random.chance(0.5)) return again;
    const tag = `tag ${number}`;
    const payload =
      again === null ? this.#payload(number, tag) : { ...again.payload, ...this.#change(), insuredPhone: tag };
    const row = { tag, payload, allowDuplication: this.#wish() };
    this.#rows.push(row);
    return row;
  }

  /** A row of a house of its own, with a date that says which term it is for. */
  dated(): SimulatedRow {
    const number = this.#rows.length + 1;
    const tag = `tag ${number}`;
    const payload = {
      ...this.#payload(number, tag),
      streetAddress: `${number} Long Lane`,
      state: 'FL',
      policyType: 'Homeowners Insurance',
      houseType: 'Other',
      dueDate: '2026-04-01',
    } as const;
    return this.#added({ tag, payload, allowDuplication: undefined });
  }

  renewalOf({ payload }: SimulatedRow): SimulatedRow {
    const tag = `tag ${this.#rows.length + 1}`;
    const { policyEffectiveDate } = payload;
    const next = { ...(policyEffectiveDate && { policyEffectiveDate: '2027-04-01' }), dueDate: '2027-04-01' };
    return this.#added({
      tag,
      payload: { ...payload, ...next, insuredPhone: tag },
      allowDuplication: undefined,
      isRenewal: true,
    });
  }

  #added(row: SimulatedRow): SimulatedRow {
    this.#rows.push(row);
    return row;
  }

  #wish(): boolean | undefined {
    const random = this.#random;
    if (random.chance(0.7)) return undefined;
    // Whoever allows a duplicate has given the key up: then a night lies between two attempts, and all that is late has come.
    return random.chance(0.5);
  }

  /** What has the same key may be for another house, or for another service. */
  #change(): Partial<OrderPayload> {
    const houses = this.#houses;
    if (houses.chance(0.6)) return {};
    return houses.chance(0.6)
      ? { streetAddress: `${houses.integer(50, 60)} Other Street` }
      : { serviceName: houses.pick(['4-Point', 'Exterior', 'Roof Only']) };
  }

  /** A project of somebody else: like one of our rows by its key, now and then; to the letter only when it stood there before. */
  foreign(when: 'before' | 'meanwhile'): ForeignProject {
    const random = this.#random;
    const like = this.#rows.length > 0 && random.chance(0.4) ? random.pick(this.#rows) : null;
    const stranger = this.#payload(900 + random.integer(1, 99), 'foreign');
    // A search that shows a stranger's project of today and hides ours for hours cannot be told from one where ours does not exist.
    if (this.#keyedOnly && when === 'meanwhile')
      return { payload: { ...stranger, streetAddress: '1 Far Road' }, ourAccount: true };
    if (like === null) return { payload: stranger, ourAccount: this.#keyedOnly || random.chance(0.5) };
    const same = when === 'before' && random.chance(0.3);
    const payload = {
      ...like.payload,
      insuredPhone: 'foreign',
      ...(same ? {} : { insuredName: 'Somebody Else', ...this.#change() }),
    };
    return { payload, ourAccount: this.#keyedOnly || random.chance(0.7) };
  }

  #payload(number: number, tag: string): OrderPayload {
    const random = this.#random;
    const kind = random.pick(
      this.#keyedOnly ? (['inspection', 'policy'] as const) : (['inspection', 'policy', 'none'] as const),
    );
    const commercial = random.chance(0.2);
    return {
      streetAddress: commercial ? random.pick(STREETS) : `${number} Long Lane`,
      city: 'Tampa',
      state: random.chance(0.03) ? 'XX' : 'FL',
      zipcode: '02139',
      serviceName: random.pick(['4-Point', 'Exterior', 'Self 4-Point Underwriting']),
      policyType: commercial ? 'Commercial Property Insurance' : 'Homeowners Insurance',
      houseType: commercial ? 'Restaurant' : 'Other',
      insuredName: `Insured ${number}`,
      insuredPhone: tag,
      insuredEmail: 'a@insured.example',
      ...(kind === 'inspection' ? { inspectionNumber: `I-${number}` } : {}),
      ...(kind === 'policy' || (kind === 'inspection' && random.chance(0.5))
        ? { policyNumber: `P-${number}`, policyEffectiveDate: '2026-04-01' }
        : {}),
      ...(random.chance(0.2) ? { note: 'ring twice' } : {}),
    };
  }
}
