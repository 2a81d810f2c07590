import { hash } from 'node:crypto';
import { addressKey, identityOf, isCommercial } from '../domain/identity.ts';
import type { ValidRow } from '../domain/row.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, ComparedDetails, KnownProject, KnownProjects, OrderLookup } from '../ledger/ledger.ts';
import { describeOrder } from './describe-order.ts';
import { DUPLICATE_WINDOW_MS, finalPayload, type OrderingRules, type RowDecision } from './row-decision.ts';

type DuplicateRule = 'inspection-number' | 'policy-and-date' | 'commercial-address';

/** The service’s likely response to a create with `allowDuplication: false`. */
type ServiceAnswer = Readonly<
  | { answer: 'created' }
  | { answer: 'duplicate'; rule: DuplicateRule; of: KnownProject }
  /** The service's document does not decide it, or the other project's existence or age is unknown. */
  | {
      answer: 'open';
      rule: DuplicateRule;
      of: KnownProject;
      why: 'neither-number' | 'other-in-doubt';
    }
>;

export type RowForecast = Readonly<{ decision: RowDecision; service: ServiceAnswer }>;

type Keys = ReturnType<typeof keysOf>;

type DecidedRow = readonly [row: Pick<ValidRow, 'payload' | 'allowDuplication'>, decision: RowDecision];

export class DuplicateForecast {
  readonly #onRecord;
  readonly #rules;
  readonly #now;
  #known: KnownProjects | null = null;
  readonly #latest = new Map<string, number>();
  /** Ids; negative: not certain. */
  readonly #orders: number[] = [];
  /** Of keys that two orders have. */
  readonly #replaced: (readonly [key: string, before: number, place: number])[] = [];

  constructor(onRecord: Pick<Ledger, 'knownProjects'> | null, rules: OrderingRules, now: number) {
    this.#onRecord = onRecord;
    this.#rules = rules;
    this.#now = now;
  }

  get count() {
    return this.#orders.length;
  }

  /** Call before `answerTo`. */
  async expect(rows: readonly DecidedRow[]) {
    if (this.#onRecord === null || rows.length === 0) return;
    const asked = rows.map(([row, decision]) => this.#comparedOf(row, decision).compared);
    this.#known = await this.#onRecord.knownProjects(asked, this.#since);
  }

  answerTo(row: DecidedRow[0], decision: RowDecision, orderId: number | null) {
    const { compared, isAtAddress } = this.#comparedOf(row, decision);
    const keys = keysOf(compared);
    const service = this.#answer(compared, keys, isAtAddress);
    if (decision.kind === 'order' && orderId !== null) {
      // On `create`, an order answered 409 is sent again with `allowDuplication: true`.
      const insists =
        decision.order.allowDuplication || (this.#rules.onDuplicate === 'create' && row.allowDuplication !== false);
      if (insists || service.answer !== 'duplicate') this.#add(keys, orderId, insists || service.answer === 'created');
    }
    return service;
  }

  /** Forgets rows whose file would not be taken in. */
  takeBack(count: number) {
    this.#orders.length = count;
    for (const [key, place] of this.#latest) if (place >= count) this.#latest.delete(key);
    for (let last = this.#replaced.at(-1); last !== undefined && last[2] >= count; last = this.#replaced.at(-1)) {
      if (last[1] < count) this.#latest.set(last[0], last[1]);
      this.#replaced.pop();
    }
  }

  get #since() {
    return this.#now - DUPLICATE_WINDOW_MS;
  }

  #comparedOf(row: Pick<ValidRow, 'payload'>, decision: RowDecision) {
    const { payload, addressKey: address } =
      decision.kind === 'order'
        ? decision.order
        : { ...finalPayload(row.payload, identityOf(row.payload), this.#rules), addressKey: addressKey(row.payload) };
    const { inspectionNumber = '', policyNumber = '', policyEffectiveDate = '', insuredBy = '' } = payload;
    const compared = {
      inspectionNumber,
      policyNumber,
      effectiveDate: policyEffectiveDate,
      addressKey: address,
      insuredBy,
    };
    return { compared, isAtAddress: isCommercial(payload) };
  }

  /**
   * By inspection number if there is one, else by policy number and date; a commercial request also by address. Always
   * within 30 days and for the same insured-by.
   */
  #answer(compared: ComparedDetails, keys: Keys, isAtAddress: boolean): ServiceAnswer {
    const { inspectionNumber, policyNumber, effectiveDate, insuredBy } = compared;
    const key = { insuredBy, since: this.#since };
    const rule = inspectionNumber === '' ? 'policy-and-date' : 'inspection-number';
    const byNumber =
      inspectionNumber === ''
        ? (this.#expected(keys.byPolicy) ?? this.#known?.withPolicy(policyNumber, effectiveDate, key) ?? null)
        : (this.#expected(keys.byInspection) ?? this.#known?.withInspectionNumber(inspectionNumber, key) ?? null);
    const hasNumber = inspectionNumber !== '' || policyNumber !== '';
    if (byNumber?.certain === true && hasNumber) return { answer: 'duplicate', rule, of: byNumber };
    const byAddress = isAtAddress
      ? (this.#expected(keys.atAddress) ?? this.#known?.atAddress(compared.addressKey, key) ?? null)
      : null;
    if (byAddress?.certain === true) return { answer: 'duplicate', rule: 'commercial-address', of: byAddress };
    if (byNumber !== null)
      return { answer: 'open', rule, of: byNumber, why: hasNumber ? 'other-in-doubt' : 'neither-number' };
    return byAddress === null
      ? { answer: 'created' }
      : { answer: 'open', rule: 'commercial-address', of: byAddress, why: 'other-in-doubt' };
  }

  #add(keys: Keys, orderId: number, certain: boolean) {
    const place = this.#orders.push(certain ? orderId : -orderId) - 1;
    for (const key of Object.values(keys)) {
      const before = this.#latest.get(key);
      if (before !== undefined) this.#replaced.push([key, before, place]);
      this.#latest.set(key, place);
    }
  }

  #expected(key: string) {
    const id = this.#orders[this.#latest.get(key) ?? -1];
    return id === undefined ? null : { orderId: Math.abs(id), projectId: null, createdAt: this.#now, certain: id > 0 };
  }
}

function keysOf({ insuredBy, inspectionNumber, policyNumber, effectiveDate, addressKey: address }: ComparedDetails) {
  // Digests: whole texts would take most of the memory of a large check.
  const keyOf = (...parts: string[]) => hash('sha256', [insuredBy, ...parts].join('\0'), 'binary').slice(0, 12);
  return {
    byInspection: keyOf('inspection', inspectionNumber),
    byPolicy: keyOf('policy', policyNumber, effectiveDate),
    atAddress: keyOf('address', address),
  };
}

const COMPARED = {
  'inspection-number': 'the same inspection number',
  'policy-and-date': 'the same policy number and effective date',
  'commercial-address': 'the same address, by which commercial rows are compared',
};

/** Null for a new order without obstacles. */
export function describeForecast(
  { decision, service }: RowForecast,
  rules: OrderingRules,
  lookup: Pick<OrderLookup, 'placeOfOrder'>,
) {
  switch (decision.kind) {
    case 'order':
      return service.answer === 'created'
        ? null
        : `It will be sent. ${describeService(service, lookup)} ${consequence(decision.order, service.answer, rules)}`;
    case 'repeat':
      return `It will not be ordered again. ${decision.why} ${describeService(service, lookup)}`;
    case 'rejection':
      return `It will be rejected. ${describeService(service, lookup)}`;
  }
}

function describeService(service: ServiceAnswer, lookup: Pick<OrderLookup, 'placeOfOrder'>) {
  if (service.answer === 'created') return sentence('forecast/created');
  const { of, rule } = service;
  const parts = { order: describeOrder({ ...of, id: of.orderId }, lookup), compared: COMPARED[rule] };
  if (service.answer === 'duplicate') return sentence('forecast/duplicate', parts);
  return sentence(service.why === 'neither-number' ? 'forecast/neither-number' : 'forecast/open', parts);
}

function consequence(
  order: Readonly<{ allowDuplication: boolean; rowWish: boolean | null }>,
  answer: 'duplicate' | 'open',
  rules: OrderingRules,
) {
  if (order.allowDuplication) return sentence('forecast/allowed');
  const whenSeen = answer === 'duplicate' ? '' : 'If so: ';
  // Only our own orders are forecast, and none of them is linked without a person.
  const isMade = rules.onDuplicate === 'create' && order.rowWish !== false;
  return whenSeen + sentence(isMade ? 'forecast/second' : 'forecast/no-second');
}
