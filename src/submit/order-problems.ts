import { identityKind, policyKey } from '../domain/identity.ts';
import { hasDetails, type OrderPayload, type ValidRow } from '../domain/row.ts';
import { problemFor } from '../domain/sentences.ts';
import type { OrderLookup, OrderRecord } from '../ledger/ledger.ts';
import { isScratch } from '../ledger/scratch-ledger.ts';
import { isAtHouseOf, isDifferentInspection } from './same-order.ts';
import { differencesOf } from './order-changes.ts';
import { describeIdentity, describeOrder } from './describe-order.ts';
import type { ExistingOrder } from './repeated-order.ts';

/** Null for a plain repeat. */
export function findConflict(
  { payload, record }: ValidRow,
  { repeated: { order, sameIdentity }, renewal }: ExistingOrder,
  ledger: OrderLookup,
) {
  if (!sameIdentity) return null;
  if (isDifferentInspection(payload, order, ledger)) {
    const toProblem = identityKind(payload) === 'policy' ? policyUsedTwice : numberUsedTwice;
    return toProblem(payload, order, ledger);
  }
  // The row was rejected before that order, which was wanted as a second one.
  const wasMeantAsSecond =
    renewal === null &&
    order.rowWish === true &&
    record.correctsRow !== null &&
    differencesOf(order, payload).length > 0;
  if (!wasMeantAsSecond) return null;
  const parts = { identity: describeIdentity(payload), where: describeOrder(order, ledger) };
  return problemFor('error', 'ordered-while-it-waited', parts);
}

function policyUsedTwice(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  const { streetAddress, city, serviceName } = order.payload;
  const parts = {
    begins: `${describeIdentity(payload)} ${isScratch(order) ? 'is already listed' : 'was ordered'}`,
    where: describeOrder(order, ledger),
  };
  if (isAtHouseOf(payload, order, ledger)) {
    const wanted = payload.serviceName;
    return problemFor('error', 'policy-used-for-another-service', { ...parts, serviceName, wanted });
  }
  const house = hasDetails(order.payload)
    ? `another house, ${streetAddress}, ${city}`
    : 'another house, whose details are no longer kept';
  return problemFor('error', 'policy-used-for-another-house', { ...parts, house });
}

function numberUsedTwice({ inspectionNumber = '' }: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  const { streetAddress, city, insuredName } = order.payload;
  const parts = { inspectionNumber, streetAddress, city, insuredName, where: describeOrder(order, ledger) };
  return problemFor('error', 'number-used-twice', parts, { field: 'inspectionNumber', value: inspectionNumber });
}

/** The service compares policy and date only of rows without an inspection number, within 30 days. */
export function policyWarnings(payload: OrderPayload, windowStart: number, ledger: OrderLookup) {
  const policy = policyKey(payload);
  const other = policy === null ? null : ledger.findOrderOfPolicy(policy);
  if (other === null) return [];
  const [number, otherNumber] = [payload.inspectionNumber ?? '', other.payload.inspectionNumber ?? ''];
  if (number === otherNumber) return [];
  const under = otherNumber === '' ? 'without an inspection number' : `under inspection number ${otherNumber}`;
  const ofWhat = !isAtHouseOf(payload, other, ledger)
    ? ', for another house'
    : other.payload.serviceName === payload.serviceName
      ? ''
      : `, for another service, ${other.payload.serviceName}`;
  const isTakenForIt = number === '' && other.createdAt >= windowStart;
  // Never suggest canceling the order of another house or service.
  const code = isTakenForIt
    ? 'policy-ordered-under-another-number/duplicate'
    : ofWhat === ''
      ? 'policy-ordered-under-another-number/unseen'
      : 'policy-ordered-under-another-number';
  const parts = {
    policyNumber: payload.policyNumber ?? '',
    is: isScratch(other) ? 'is already listed' : 'is already on record',
    under,
    ofWhat,
    where: describeOrder(other, ledger),
  };
  return [problemFor('warning', code, parts, { field: 'inspectionNumber', value: number })];
}
