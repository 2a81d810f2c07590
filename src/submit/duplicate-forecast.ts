import { DUPLICATE_WINDOW_DAYS } from '../contract/document.ts';
import { addressKey, identityOf, isCommercial } from '../domain/identity.ts';
import type { OrderPayload, RowOutcome } from '../domain/row.ts';
import type { KnownProject, KnownProjects, OrderLookup } from '../ledger/lookups.ts';
import type { NewOrder } from '../ledger/orders.ts';
import { finalPayload, orderInWords, type OrderingRules, type RowDecision } from './row-decision.ts';

type ValidRow = Extract<RowOutcome, { kind: 'order' }>;

/** The service's duplicate rules 3, 2 and 4 (document: Errors). */
export type DuplicateRule = 'inspection-number' | 'policy-and-date' | 'commercial-address';

/** The service's answer to a create with `allowDuplication: false`. */
export type ServiceAnswer =
  | { readonly answer: 'created' }
  | { readonly answer: 'duplicate'; readonly rule: DuplicateRule; readonly of: KnownProject }
  /** The document leaves it open (READING 4), or the other project's existence or age is unknown. */
  | {
      readonly answer: 'open';
      readonly rule: DuplicateRule;
      readonly of: KnownProject;
      readonly why: 'neither-number' | 'other-in-doubt';
    };

export interface RowForecast {
  readonly decision: RowDecision;
  readonly service: ServiceAnswer;
}

/** Forecasts the service's answers to a dry run's orders from recorded projects and earlier orders. */
export class DuplicateForecast {
  readonly #onRecord: KnownProjects | null;
  readonly #rules: OrderingRules;
  readonly #now: number;
  readonly #index = new KeyIndex();
  /** The order's id (0: taken back), and whether the service certainly gets it. */
  readonly #orderIds: number[] = [];
  readonly #certain: boolean[] = [];
  /** By number and kind: the previous number of the key, or NONE. */
  readonly #before: number[] = [];
  #insuredBy = '';
  #serviceKeys = serviceKeys('');

  constructor(onRecord: KnownProjects | null, rules: OrderingRules, now: number) {
    this.#onRecord = onRecord;
    this.#rules = rules;
    this.#now = now;
  }

  get count(): number {
    return this.#orderIds.length;
  }

  /** Returns the answer to a decided row and counts its order for later rows. */
  answerTo(
    row: Pick<ValidRow, 'payload' | 'allowDuplication'>,
    decision: RowDecision,
    orderId: number | null,
  ): ServiceAnswer {
    const { payload, addressKey: address } =
      decision.kind === 'order'
        ? decision.order
        : { ...finalPayload(row.payload, identityOf(row.payload), this.#rules), addressKey: addressKey(row.payload) };
    const service = this.#answer(payload, address);
    if (decision.kind === 'order' && orderId !== null) {
      // On `create`, an order answered 409 is sent again with `allowDuplication: true`.
      const insists =
        decision.order.allowDuplication || (this.#rules.onDuplicate === 'create' && row.allowDuplication !== false);
      if (insists || service.answer !== 'duplicate')
        this.#add(decision.order, orderId, insists || service.answer === 'created');
    }
    return service;
  }

  /** Drops later orders, whose file would not be taken in. */
  takeBack(count: number): void {
    this.#orderIds.fill(0, count);
  }

  /**
   * Compares by inspection number if there is one, else by policy number and date; a commercial request also by
   * address. Always within 30 days and for the same insured-by.
   */
  #answer(payload: OrderPayload, address: string): ServiceAnswer {
    const { inspectionNumber, policyNumber = '', policyEffectiveDate = '', insuredBy = '' } = payload;
    const key = { insuredBy, since: this.#now - DUPLICATE_WINDOW_DAYS * DAY_MS };
    const keys = this.#keysOf(insuredBy);
    const rule = inspectionNumber ? 'inspection-number' : 'policy-and-date';
    const byNumber = inspectionNumber
      ? (this.#expected(keys, 'inspection', inspectionNumber) ??
        this.#onRecord?.withInspectionNumber(inspectionNumber, key) ??
        null)
      : (this.#expected(keys, 'policy', dated(policyNumber, policyEffectiveDate)) ??
        this.#onRecord?.withPolicy(policyNumber, policyEffectiveDate, key) ??
        null);
    const hasNumber = Boolean(inspectionNumber) || policyNumber !== '';
    if (byNumber?.certain === true && hasNumber) return { answer: 'duplicate', rule, of: byNumber };
    const byAddress = isCommercial(payload)
      ? (this.#expected(keys, 'address', address) ?? this.#onRecord?.atAddress(address, key) ?? null)
      : null;
    if (byAddress?.certain === true) return { answer: 'duplicate', rule: 'commercial-address', of: byAddress };
    if (byNumber !== null)
      return { answer: 'open', rule, of: byNumber, why: hasNumber ? 'other-in-doubt' : 'neither-number' };
    return byAddress === null
      ? { answer: 'created' }
      : { answer: 'open', rule: 'commercial-address', of: byAddress, why: 'other-in-doubt' };
  }

  #add({ payload, addressKey: address }: NewOrder, orderId: number, certain: boolean): void {
    const { insuredBy = '', inspectionNumber, policyNumber = '', policyEffectiveDate = '' } = payload;
    const number = this.#orderIds.push(orderId) - 1;
    this.#certain.push(certain);
    const keys = this.#keysOf(insuredBy);
    const found = { inspection: inspectionNumber ?? '', policy: dated(policyNumber, policyEffectiveDate), address };
    this.#before.push(
      ...KINDS.map((kind) => (found[kind] === '' ? NONE : (this.#index.set(keys[kind], found[kind], number) ?? NONE))),
    );
  }

  #expected(keys: ServiceKeys, kind: keyof ServiceKeys, key: string): KnownProject | null {
    let number = this.#index.get(keys[kind], key) ?? NONE;
    while (this.#orderIds[number] === 0) number = this.#before[number * KINDS.length + KINDS.indexOf(kind)] ?? NONE;
    const orderId = this.#orderIds[number];
    return orderId === undefined
      ? null
      : { orderId, projectId: null, createdAt: this.#now, certain: this.#certain[number] === true };
  }

  #keysOf(insuredBy: string): ServiceKeys {
    if (this.#insuredBy !== insuredBy) {
      this.#insuredBy = insuredBy;
      this.#serviceKeys = serviceKeys(insuredBy);
    }
    return this.#serviceKeys;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

interface ServiceKeys {
  readonly inspection: KeySpace;
  readonly policy: KeySpace;
  readonly address: KeySpace;
}

const KINDS = ['inspection', 'policy', 'address'] as const satisfies readonly (keyof ServiceKeys)[];
const NONE = -1;

function serviceKeys(insuredBy: string): ServiceKeys {
  return { inspection: keySpace(1, insuredBy), policy: keySpace(2, insuredBy), address: keySpace(3, insuredBy) };
}

function dated(policyNumber: string, effectiveDate: string): string {
  return `${policyNumber}\u0000${effectiveDate}`;
}

const COMPARED: Readonly<Record<DuplicateRule, string>> = {
  'inspection-number': 'the same inspection number',
  'policy-and-date': 'the same policy number and effective date',
  'commercial-address': 'the same address, which a commercial row is compared by',
};

/** The forecast in words; null for a new order without obstacles. */
export function forecastInWords(
  { decision, service }: RowForecast,
  rules: OrderingRules,
  lookup: OrderLookup,
): string | null {
  switch (decision.kind) {
    case 'order':
      return service.answer === 'created'
        ? null
        : `It will be sent. ${serviceInWords(service, lookup)} ${consequence(decision.order, service.answer, rules)}`;
    case 'repeat':
      return `It will not be ordered again. ${decision.why} ${serviceInWords(service, lookup)}`;
    case 'rejection':
      return `It will go back. ${serviceInWords(service, lookup)}`;
  }
}

function serviceInWords(service: ServiceAnswer, lookup: OrderLookup): string {
  if (service.answer === 'created') return 'The service itself would not see a duplicate.';
  const { of, rule } = service;
  const other = `${orderInWords({ ...of, id: of.orderId }, lookup)} (${COMPARED[rule]})`;
  if (service.answer === 'duplicate') return `The service sees a duplicate of ${other}.`;
  return service.why === 'neither-number'
    ? `It has neither an inspection number nor a policy number, and it is not known whether the service takes it for a duplicate of ${other.replace(COMPARED[rule], 'no policy number either, and the same effective date')}.`
    : `The service may see a duplicate of ${other}: whether and since when that one has a project is not known.`;
}

function consequence(
  order: { readonly allowDuplication: boolean; readonly rowWish: boolean | null },
  answer: 'duplicate' | 'open',
  rules: OrderingRules,
): string {
  if (order.allowDuplication) return 'It is ordered all the same, since a duplicate is allowed for it.';
  const whenSeen = answer === 'duplicate' ? '' : 'If so: ';
  if (rules.onDuplicate === 'create' && order.rowWish !== false)
    return `${whenSeen}A second project is made, as submit.onDuplicate says.`;
  // Only our own orders are forecast, and a duplicate of one of them is never tied without a person.
  return `${whenSeen}No second project is made; the row goes back.`;
}

const FIRST_SIZE = 1024;
const FULLNESS_MAX = 0.75;

/** Maps text keys to numbers by 64 bits of hash: two of a million keys collide once in thirty million such files. */
export class KeyIndex {
  #size = FIRST_SIZE;
  #count = 0;
  #high = new Uint32Array(FIRST_SIZE);
  #low = new Uint32Array(FIRST_SIZE);
  #held = new Uint32Array(FIRST_SIZE);

  get(space: KeySpace, key: string): number | undefined {
    const { high, low } = hashed(space, key);
    const held = this.#held[this.#slotOf(high, low)] ?? 0;
    return held === 0 ? undefined : held - 1;
  }

  set(space: KeySpace, key: string, value: number): number | undefined {
    if (this.#count >= this.#size * FULLNESS_MAX) this.#grow();
    const { high, low } = hashed(space, key);
    const before = this.#put(high, low, value + 1);
    return before === 0 ? undefined : before - 1;
  }

  #put(high: number, low: number, held: number): number {
    const slot = this.#slotOf(high, low);
    const before = this.#held[slot] ?? 0;
    if (before === 0) this.#count += 1;
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#held[slot] = held;
    return before;
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#size - 1;
    let slot = low & mask;
    while (this.#held[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [size, highs, lows, helds] = [this.#size, this.#high, this.#low, this.#held];
    this.#size = size * 2;
    this.#count = 0;
    this.#high = new Uint32Array(this.#size);
    this.#low = new Uint32Array(this.#size);
    this.#held = new Uint32Array(this.#size);
    for (let slot = 0; slot < size; slot += 1) {
      const held = helds[slot] ?? 0;
      if (held !== 0) this.#put(highs[slot] ?? 0, lows[slot] ?? 0, held);
    }
  }
}

/** Each kind and scope has its own keys. */
export interface KeySpace {
  readonly a: number;
  readonly b: number;
}

export function keySpace(kind: number, scope = ''): KeySpace {
  return fed({ a: 0xdeadbeef ^ kind, b: 0x41c6ce57 ^ kind }, `${scope}\u0000`);
}

function fed({ a, b }: KeySpace, text: string): KeySpace {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  return { a, b };
}

/** Two independent hashes (cyrb53 by bryc, public domain). */
function hashed(space: KeySpace, key: string): { readonly high: number; readonly low: number } {
  let { a, b } = fed(space, key);
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return { high: b >>> 0, low: a >>> 0 };
}
