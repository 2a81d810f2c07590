import { addressKey, identityKind, identityOf, isSameHouse, numbersIn, plainNumber } from '../domain/identity.ts';
import { hasDetails, type OrderPayload } from '../domain/row.ts';
import type { OrderLookup } from '../ledger/lookups.ts';
import type { OrderRecord } from '../ledger/orders.ts';
import { isSameExceptNumber } from './known-rows.ts';

export function amendedPayload({ payload, projectId }: OrderRecord, ledger: OrderLookup): OrderPayload {
  return projectId === null ? payload : { ...payload, ...ledger.amendedPolicy(projectId) };
}

export function payloadsOf(order: OrderRecord, ledger: OrderLookup) {
  return order.projectId === null ? [order.payload] : [order.payload, amendedPayload(order, ledger)];
}

/** Compares keys as ordered and as amended. Without numbers, house, service and insured are the key. */
export function hasKeyOf(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  const kind = identityKind(payload);
  return payloadsOf(order, ledger)
    .map((ordered) => withoutMinted(ordered, order))
    .some(
      (ordered) =>
        identityKind(ordered) === kind && (kind === 'address' || identityOf(ordered) === identityOf(payload)),
    );
}

export type NumbersDifference = 'lacking' | 'spelling';

/**
 * How the numbers differ at the same house, service and insured: exactly one side lacks some, or each has the same in
 * another spelling. Null if they are the same, or different.
 */
export function numbersDifference(
  payload: OrderPayload,
  order: OrderRecord,
  ledger: OrderLookup,
): NumbersDifference | null {
  const [mine, theirs] = [payload, withoutMinted(amendedPayload(order, ledger), order)].map(numbersOf) as [
    string[],
    string[],
  ];
  const isAlike = (one: string, other = '') => plainNumber(one) === plainNumber(other);
  const [number = '', theirNumber = ''] = [mine[0], theirs[0]];
  // As an identity, an inspection number decides alone.
  if (number !== theirNumber && number !== '' && theirNumber !== '')
    return isAlike(number, theirNumber) ? 'spelling' : null;
  const within = (one: readonly string[], other: readonly string[]) =>
    one.every((number, index) => number === '' || isAlike(number, other[index]));
  const [isLess, isMore] = [within(mine, theirs), within(theirs, mine)];
  if (isLess && isMore) return mine.join() === theirs.join() ? null : 'spelling';
  if (!isLess && !isMore) return null;
  // Another row with other numbers may be linked to this order.
  const isOfOthers = ledger
    .alsoKnownBy(order)
    .some((identity) =>
      numbersIn(identity).some(
        (known, index) => theirs[index] === '' && known !== '' && mine[index] !== '' && !isAlike(known, mine[index]),
      ),
    );
  return isOfOthers ? null : 'lacking';
}

/** With a policy number, the date is part of the key. */
function numbersOf({ inspectionNumber, policyNumber, policyEffectiveDate }: OrderPayload) {
  return [inspectionNumber, policyNumber, policyNumber && policyEffectiveDate].map((number) => number ?? '');
}

function withoutMinted(payload: OrderPayload, { reference }: OrderRecord) {
  return reference !== null && payload.inspectionNumber === reference ? { ...payload, inspectionNumber: '' } : payload;
}

/**
 * The same policy and date for another house or service, or the same inspection number with another address, insured
 * and policy number.
 */
export function isDifferentInspection(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  switch (identityKind(payload)) {
    case 'policy':
      return !isSameInspection(payload, order, ledger);
    case 'inspection':
      return !payloadsOf(order, ledger).some((ordered) => isSameExceptNumber(namesIn(payload), namesIn(ordered)));
    case 'address':
      return false;
  }
}

function isSameInspection(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  return order.payload.serviceName === payload.serviceName && isAtHouseOf(payload, order, ledger);
}

export function isAtHouseOf(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  // Once details are forgotten, only the address key is left.
  return hasDetails(order.payload)
    ? isSameHouse(payload, order.payload)
    : ledger.findOrderAtAddress(addressKey(payload), 0)?.id === order.id;
}

/** Forgotten details are empty and match nothing. */
function namesIn({ inspectionNumber = '', policyNumber = '', insuredName, streetAddress }: OrderPayload) {
  return { inspectionNumber, policyNumber, insuredName, streetAddress };
}
