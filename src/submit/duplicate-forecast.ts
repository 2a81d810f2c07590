import { addressKey, identityOf, isCommercial } from '../domain/identity.ts';
import type { OrderPayload, RowOutcome } from '../domain/row.ts';
import type { KnownProject, KnownProjects, OrderLookup } from '../ledger/lookups.ts';
import { decideRow, finalPayload, orderInWords, type OrderingRules, type RowDecision } from './row-decision.ts';
import type { Existence, TonightsOrders } from './tonights-orders.ts';

type ValidRow = Extract<RowOutcome, { kind: 'order' }>;

/** Which of the service's duplicate rules (document: Errors): 3, 2 or 4. */
export type DuplicateRule = 'inspection-number' | 'policy-and-date' | 'commercial-address';

/** What the service would answer to a create with `allowDuplication: false`. */
export type ServiceAnswer =
  | { readonly answer: 'created' }
  | { readonly answer: 'duplicate'; readonly rule: DuplicateRule; readonly of: KnownProject }
  /**
   * A duplicate or not: the document does not say whether orders with neither number are compared (READING 4), or it is not known
   * whether the other project exists, or how old it is.
   */
  | { readonly answer: 'open'; readonly rule: DuplicateRule; readonly of: KnownProject; readonly why: 'neither-number' | 'other-in-doubt' };

/** What is to be expected of a row. */
export interface RowForecast {
  /** What a submission run makes of it, by the identity of orders. */
  readonly decision: RowDecision;
  /** What the service itself would say of it. */
  readonly service: ServiceAnswer;
}

/** What a forecast rests on. */
export interface ForecastGrounds {
  /** The file's name as people know it. */
  readonly file: string;
  readonly rules: OrderingRules;
  /** Only what was created at this time or later is compared by the service. */
  readonly windowStart: number;
  /** Tonight's orders in front of those on record. */
  readonly known: OrderLookup & KnownProjects;
  readonly tonight: TonightsOrders;
}

/** Says what will become of a valid row, after those that went before it; a row that will be ordered counts for those that follow. */
export function forecastRow(row: ValidRow, { file, rules, windowStart, known, tonight }: ForecastGrounds): RowForecast {
  const decision = decideRow(row, rules, windowStart, known);
  const { payload, addressKey: address } =
    decision.kind === 'order' ? decision.order : { ...finalPayload(row.payload, identityOf(row.payload), rules), addressKey: addressKey(row.payload) };
  const service = serviceAnswer(payload, address, windowStart, known);
  if (decision.kind === 'order') {
    // On `create`, an order that was answered 409 is sent once more with `allowDuplication: true`.
    const insists = decision.order.allowDuplication || (rules.onDuplicate === 'create' && row.allowDuplication !== false);
    tonight.add(decision.order, { ...row.record.place, file }, insists ? 'certain' : existenceAfter(service));
  }
  return { decision, service };
}

function existenceAfter({ answer }: ServiceAnswer): Existence {
  switch (answer) {
    case 'created':
      return 'certain';
    case 'duplicate':
      return 'none';
    case 'open':
      return 'open';
  }
}

/**
 * The service's duplicate rules over what is known of its projects: with an inspection number that number alone, without one policy
 * number and effective date; a commercial request by its address too; always the past 30 days and the same insured-by.
 */
function serviceAnswer(payload: OrderPayload, address: string, windowStart: number, known: KnownProjects): ServiceAnswer {
  const { inspectionNumber, policyNumber = '', policyEffectiveDate = '', insuredBy = '' } = payload;
  const key = { insuredBy, since: windowStart };
  const rule = inspectionNumber ? 'inspection-number' : 'policy-and-date';
  const byNumber = inspectionNumber ? known.withInspectionNumber(inspectionNumber, key) : known.withPolicy(policyNumber, policyEffectiveDate, key);
  const hasNumber = Boolean(inspectionNumber) || policyNumber !== '';
  if (byNumber?.certain === true && hasNumber) return { answer: 'duplicate', rule, of: byNumber };
  const byAddress = isCommercial(payload) ? known.atAddress(address, key) : null;
  if (byAddress?.certain === true) return { answer: 'duplicate', rule: 'commercial-address', of: byAddress };
  if (byNumber !== null) return { answer: 'open', rule, of: byNumber, why: hasNumber ? 'other-in-doubt' : 'neither-number' };
  return byAddress === null ? { answer: 'created' } : { answer: 'open', rule: 'commercial-address', of: byAddress, why: 'other-in-doubt' };
}

const COMPARED: Readonly<Record<DuplicateRule, string>> = {
  'inspection-number': 'the same inspection number',
  'policy-and-date': 'the same policy number and effective date',
  'commercial-address': 'the same address, which a commercial row is compared by',
};

/** The forecast of a row in words; null where a new order will be placed and nothing stands in its way. */
export function forecastInWords({ decision, service }: RowForecast, rules: OrderingRules, lookup: OrderLookup): string | null {
  switch (decision.kind) {
    case 'order':
      return service.answer === 'created' ? null : `It will be sent. ${serviceInWords(service, lookup)} ${consequence(decision.order, service.answer, rules)}`;
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

/** What follows where an order is sent that the service takes, or may take, for a duplicate. */
function consequence(order: { readonly allowDuplication: boolean; readonly rowWish: boolean | null }, answer: 'duplicate' | 'open', rules: OrderingRules): string {
  if (order.allowDuplication) return 'It is ordered all the same, since a duplicate is allowed for it.';
  const whenSeen = answer === 'duplicate' ? '' : 'If so: ';
  if (rules.onDuplicate === 'create' && order.rowWish !== false) return `${whenSeen}A second project is made, as submit.onDuplicate says.`;
  // All that a forecast knows of was ordered from here: such a duplicate is never tied without a person.
  return `${whenSeen}No second project is made; the row goes back.`;
}
