import { addressKey, identityKind, identityOf, isSameHouse, isSameNumber, numbersIn } from '../domain/identity.ts';
import { hasDetails, type OrderPayload } from '../domain/row.ts';
import type { OrderLookup, OrderRecord } from '../ledger/ledger.ts';
import { isSameExceptNumber } from './known-rows.ts';

export function amendedPayload(order: OrderRecord, ledger: OrderLookup) {
  return payloadsOf(order, ledger).at(-1) ?? order.payload;
}

/** As ordered, then as it was after each amendment. */
export function payloadsOf({ payload, projectId }: OrderRecord, ledger: OrderLookup) {
  return [payload, ...ledger.amendmentsOf(projectId).map((details) => ({ ...payload, ...details }))];
}

/** By any key that the order ever had. Without numbers: house, service and insured. */
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
 * For the same house, service and insured: `lacking` if a side lacks a number of the other, `spelling` if the numbers are
 * the same in another spelling. Compares every version of the order. Null if they are equal, or really differ.
 */
export function numbersDifference(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  const mine = numbersOf(payload);
  const versions = payloadsOf(order, ledger).map((each) => numbersOf(withoutMinted(each, order)));
  const known = [...versions, ...ledger.alsoKnownBy(order).map(numbersIn)];
  return versions.reduce<NumbersDifference | null>((found, theirs) => found ?? difference(mine, theirs, known), null);
}

function difference(mine: Numbers, theirs: Numbers, known: readonly Numbers[]) {
  // As an identity, an inspection number decides alone.
  if (mine[0] !== theirs[0] && mine[0] !== '' && theirs[0] !== '')
    return isSameNumber(mine[0], theirs[0]) ? 'spelling' : null;
  const pairs = mine.map((number, index) => [number, theirs[index] ?? ''] as const);
  if (pairs.some(([one, other]) => one !== '' && other !== '' && !isSameNumber(one, other))) return null;
  if (pairs.every(([one, other]) => (one === '') === (other === '')))
    return mine.join() === theirs.join() ? null : 'spelling';
  // Another row with other numbers may be linked to this order.
  const isOfOthers = known.some((numbers) =>
    numbers.some(
      (number, index) =>
        theirs[index] === '' && number !== '' && mine[index] !== '' && !isSameNumber(number, mine[index] ?? ''),
    ),
  );
  return isOfOthers ? null : 'lacking';
}

type Numbers = ReturnType<typeof numbersIn>;

/** With a policy number, the date is part of the key. */
function numbersOf({ inspectionNumber = '', policyNumber = '', policyEffectiveDate = '' }: OrderPayload): Numbers {
  return [inspectionNumber, policyNumber, policyNumber && policyEffectiveDate];
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
      return order.payload.serviceName !== payload.serviceName || !isAtHouseOf(payload, order, ledger);
    case 'inspection':
      return !payloadsOf(order, ledger).some((ordered) =>
        hasDetails(ordered)
          ? isSameExceptNumber(namesIn(payload), namesIn(ordered))
          : isPolicyOf(payload, ordered) || isAtHouseOf(payload, order, ledger),
      );
    case 'address':
      return false;
  }
}

export function isAtHouseOf(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  // Once details are forgotten, only the address key is left.
  return hasDetails(order.payload)
    ? isSameHouse(payload, order.payload)
    : ledger.findOrderAtAddress(addressKey(payload), 0)?.id === order.id;
}

function isPolicyOf({ policyNumber = '' }: OrderPayload, { policyNumber: ordered = '' }: OrderPayload) {
  return policyNumber === '' || ordered === '' || isSameNumber(policyNumber, ordered);
}

/** What an order is recognized by. */
function namesIn({ inspectionNumber = '', policyNumber = '', insuredName, streetAddress }: OrderPayload) {
  return { inspectionNumber, policyNumber, insuredName, streetAddress };
}
