import { addressKey, contentReference, identityKind, identityOf, isCommercial, payloadHash, policyKey } from '../domain/identity.ts';
import type { OrderPayload, Problem, Repair, RowOutcome } from '../domain/row.ts';
import type { OrderLookup } from '../ledger/ledger.ts';
import type { NewOrder, OrderRecord } from '../ledger/order-record.ts';

export type OnDuplicate = 'link' | 'skip' | 'reject' | 'create';
export type WhenNoKey = 'mark' | 'mint' | 'hold';

/** What the config says of repeats and of orders that the service has no key for. */
export interface OrderingRules {
  readonly onDuplicate: OnDuplicate;
  readonly whenNoKey: WhenNoKey;
}

/** What becomes of a valid row. */
export type RowDecision =
  | { readonly kind: 'order'; readonly order: NewOrder; readonly repairs: readonly Repair[]; readonly warnings: readonly Problem[] }
  | { readonly kind: 'repeat'; readonly of: OrderRecord; readonly why: string }
  | { readonly kind: 'rejection'; readonly problems: readonly Problem[] };

type ValidRow = Extract<RowOutcome, { kind: 'order' }>;

/** Decides, from the ledger alone, whether a valid row is a new order, a repeat of one on record, or goes back. */
export function decideRow(row: ValidRow, rules: OrderingRules, windowStart: number, ledger: OrderLookup): RowDecision {
  const keyless = identityKind(row.payload) === 'address';
  if (keyless && rules.whenNoKey === 'hold') return { kind: 'rejection', problems: [noKeyProblem()] };
  const identity = identityOf(row.payload);
  const existing = findExisting(row.payload, identity, windowStart, ledger);
  if (existing === null) return newOrder(row, identity, row.allowDuplication === true, rules, ledger);
  switch (wishOf(row, rules.onDuplicate)) {
    case 'link':
    case 'skip':
      return { kind: 'repeat', of: existing.order, why: existing.why };
    case 'reject':
      return { kind: 'rejection', problems: [repeatProblem(existing.why)] };
    case 'create':
      return orderAgain(row, identity, existing.order, rules, ledger);
  }
}

/** The row's own cell outranks the config. */
function wishOf(row: ValidRow, onDuplicate: OnDuplicate): OnDuplicate {
  if (row.allowDuplication === true) return 'create';
  return row.allowDuplication === false && onDuplicate === 'create' ? 'link' : onDuplicate;
}

function findExisting(payload: OrderPayload, identity: string, windowStart: number, ledger: OrderLookup): { readonly order: OrderRecord; readonly why: string } | null {
  const same = ledger.findLivingOrder(identity);
  if (same !== null) return { order: same, why: `${sameIdentityWords(payload)} is on record already: ${orderInWords(same, ledger)}.` };
  if (!isCommercial(payload)) return null;
  const neighbour = ledger.findOrderAtAddress(addressKey(payload), windowStart);
  return neighbour === null
    ? null
    : { order: neighbour, why: `This address was ordered within the past 30 days, and the service takes a commercial property there for a duplicate: ${orderInWords(neighbour, ledger)}.` };
}

function sameIdentityWords(payload: OrderPayload): string {
  switch (identityKind(payload)) {
    case 'inspection':
      return `Inspection number ${payload.inspectionNumber ?? ''}`;
    case 'policy':
      return `Policy number ${payload.policyNumber ?? ''} with effective date ${payload.policyEffectiveDate ?? '(none)'}`;
    case 'address':
      return `This service for this insured at this address`;
  }
}

/** An order as a person finds it: where its row stood, and its project. */
function orderInWords(order: OrderRecord, ledger: OrderLookup): string {
  const place = ledger.placeOfOrder(order);
  const row = place === null ? `order ${order.id}` : `row ${place.rowNumber} of sheet ${place.sheet} in ${place.file}`;
  return order.projectId === null ? row : `${row}, project ${order.projectId}`;
}

/**
 * A repeat that somebody wants ordered: an order of its own, known by its content, so that the same row dropped once more is not a
 * third one.
 */
function orderAgain(row: ValidRow, identity: string, existing: OrderRecord, rules: OrderingRules, ledger: OrderLookup): RowDecision {
  const hash = payloadHash(row.payload);
  if (existing.allowDuplication && existing.payloadHash === payloadHash(finalPayload(row.payload, existing.identity, rules).payload)) {
    return { kind: 'repeat', of: existing, why: `This very row is on record already: ${orderInWords(existing, ledger)}.` };
  }
  // Beside a neighbour at a commercial address its own identity is still free, and it stays known by that.
  const again = ledger.findLivingOrder(identity) === null ? identity : `${identity}#${hash.slice(0, 16)}`;
  const before = ledger.findLivingOrder(again);
  return before === null
    ? newOrder(row, again, true, rules, ledger)
    : { kind: 'repeat', of: before, why: `This very row was ordered again already: ${orderInWords(before, ledger)}.` };
}

function newOrder(row: ValidRow, identity: string, allowDuplication: boolean, rules: OrderingRules, ledger: OrderLookup): RowDecision {
  const { payload, reference, repairs } = finalPayload(row.payload, identity, rules);
  const policy = policyKey(row.payload);
  return {
    kind: 'order',
    repairs,
    warnings: policyWarnings(row.payload, policy, ledger),
    order: {
      identity,
      addressKey: addressKey(row.payload),
      policyKey: policy,
      payload,
      payloadHash: payloadHash(payload),
      allowDuplication,
      rowWish: row.allowDuplication ?? null,
      reference,
    },
  };
}

/** The payload that every attempt sends: with a reference where the service has no key of its own for the order. */
function finalPayload(
  payload: OrderPayload,
  identity: string,
  rules: OrderingRules,
): { readonly payload: OrderPayload; readonly reference: string | null; readonly repairs: readonly Repair[] } {
  if (identityKind(payload) !== 'address') return { payload, reference: null, repairs: [] };
  const reference = contentReference({ identity, payload });
  if (rules.whenNoKey === 'mint') {
    const why = 'The row has neither an inspection number nor a policy number: this reference was made from its content.';
    return {
      payload: { ...payload, inspectionNumber: reference },
      reference,
      repairs: [{ field: 'inspectionNumber', column: '', cell: '', held: '', sent: reference, why }],
    };
  }
  const note = payload.note === undefined ? `[ref ${reference}]` : `${payload.note} [ref ${reference}]`;
  const why = 'The row has neither an inspection number nor a policy number: this reference lets the order be found again.';
  return { payload: { ...payload, note }, reference, repairs: [{ field: 'note', column: '', cell: '', held: payload.note ?? '', sent: note, why }] };
}

/** What the service will not catch: the same policy and date under another inspection number (READING 3). */
function policyWarnings(payload: OrderPayload, policy: string | null, ledger: OrderLookup): readonly Problem[] {
  if (policy === null || !payload.inspectionNumber) return [];
  const other = ledger.findOrderOfPolicy(policy);
  if (other === null || other.payload.inspectionNumber === payload.inspectionNumber) return [];
  return [
    {
      severity: 'warning',
      rule: 'policy-ordered-under-another-number',
      field: 'inspectionNumber',
      column: null,
      cell: null,
      value: payload.inspectionNumber,
      message:
        `Policy ${payload.policyNumber ?? ''} with the same effective date is on record already under inspection number ${other.payload.inspectionNumber ?? '(none)'}: ${orderInWords(other, ledger)}. ` +
        `The service does not see this as a duplicate: if it is one, cancel one of the two.`,
    },
  ];
}

function noKeyProblem(): Problem {
  return rowProblem('no-key', 'The row has neither an inspection number nor a policy number, so the service could not tell a second order from the first. Give it one of the two.');
}

function repeatProblem(why: string): Problem {
  return rowProblem('duplicate', `${why} If a second inspection is wanted, put Yes under "Allow duplicate"; otherwise remove the row.`);
}

function rowProblem(rule: string, message: string): Problem {
  return { severity: 'error', rule, field: null, column: null, cell: null, value: '', message };
}
