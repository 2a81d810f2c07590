import { identityKind, policyKey } from '../domain/identity.ts';
import { hasDetails, type OrderPayload, type Problem, rowProblem, type ValidRow } from '../domain/row.ts';
import type { OrderLookup } from '../ledger/lookups.ts';
import type { OrderRecord } from '../ledger/orders.ts';
import { isScratchOrder } from '../ledger/scratch-ledger.ts';
import { isAtHouseOf, isForAnother } from './identity-match.ts';
import { differencesOf } from './order-changes.ts';
import { describeIdentity, describeOrder } from './describe-order.ts';
import type { ExistingOrder } from './repeated-order.ts';

/** Null for a plain repeat. */
export function findConflict(
  { payload, record }: ValidRow,
  { repeated: { order, sameIdentity }, renewal }: ExistingOrder,
  ledger: OrderLookup,
): Problem | null {
  if (!sameIdentity) return null;
  if (isForAnother(payload, order, ledger)) {
    const toProblem = identityKind(payload) === 'policy' ? policyUsedTwice : numberUsedTwice;
    return toProblem(payload, order, ledger);
  }
  // The row was rejected before that order, which was wanted as a second one.
  const wasMeantAsSecond =
    renewal === null &&
    order.rowWish === true &&
    record.correctsRow !== null &&
    differencesOf(order, payload).length > 0;
  return wasMeantAsSecond ? orderedWhileItWaited(payload, order, ledger) : null;
}

function policyUsedTwice(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  const { streetAddress, city, serviceName } = order.payload;
  const begins = `${describeIdentity(payload)} ${isScratchOrder(order) ? 'came before' : 'was ordered'}`;
  const where = describeOrder(order, ledger);
  if (isAtHouseOf(payload, order, ledger)) {
    const message = `${begins} for this house with another service, ${serviceName}: ${where}. If ${payload.serviceName} is wanted as well, put Yes under "Allow duplicate"; if not, have the row dismissed.`;
    return rowProblem('error', 'policy-used-for-another-service', message);
  }
  const house = hasDetails(order.payload)
    ? `another house, ${streetAddress}, ${city}`
    : 'another house, whose details are no longer kept';
  const message =
    `${begins} for ${house}: ${where}. To inspect this house as well, put Yes under "Allow duplicate", or give the row another inspection number. ` +
    'If it is the same house, write its address as it was ordered; if the row is a mistake, have it dismissed.';
  return rowProblem('error', 'policy-used-for-another-house', message);
}

function numberUsedTwice({ inspectionNumber = '' }: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  const { streetAddress, city, insuredName } = order.payload;
  const message =
    `Inspection number ${inspectionNumber} ${isScratchOrder(order) ? 'came before for another house' : 'was used for another house'}: ${streetAddress}, ${city}, of ${insuredName} (${describeOrder(order, ledger)}). ` +
    'Address, insured and policy number all differ, so this row is not a repeat of it. Give it another inspection number, or, if it is the same order, correct the differences. ' +
    'To order both under this number, put Yes under "Allow duplicate".';
  return rowProblem('error', 'number-used-twice', message, { field: 'inspectionNumber', value: inspectionNumber });
}

function orderedWhileItWaited(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  const message =
    `While this row waited to be corrected, another one with Yes under "Allow duplicate" was ordered: ${describeIdentity(payload)}, ${describeOrder(order, ledger)}. ` +
    'To order this one as well, put Yes under "Allow duplicate" here too; if that order is enough, have the row dismissed.';
  return rowProblem('error', 'ordered-while-it-waited', message);
}

export function noKeyProblem(): Problem {
  return rowProblem(
    'error',
    'no-key',
    'The row has neither an inspection number nor a policy number, so the service could not tell a second order from the first. Give it one of the two.',
  );
}

export function repeatProblem(why: string): Problem {
  return rowProblem(
    'error',
    'duplicate',
    `${why} If a second inspection is wanted, put Yes under "Allow duplicate"; otherwise have the row dismissed.`,
  );
}

/** The service compares policy and date only of rows without an inspection number, within 30 days. */
export function policyWarnings(payload: OrderPayload, windowStart: number, ledger: OrderLookup): readonly Problem[] {
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
  // Never suggest canceling the order of another house or service.
  const unseen =
    ofWhat === ''
      ? 'The service does not see this as a duplicate: if it is one, cancel one of the two.'
      : 'Both are ordered.';
  const message =
    `Policy ${payload.policyNumber ?? ''} with the same effective date ${isScratchOrder(other) ? 'came before' : 'is already on record'} ${under}${ofWhat}: ${describeOrder(other, ledger)}. ` +
    (number === '' && other.createdAt >= windowStart
      ? 'The service takes this row, which has no inspection number, for a duplicate of it.'
      : unseen);
  return [
    rowProblem('warning', 'policy-ordered-under-another-number', message, { field: 'inspectionNumber', value: number }),
  ];
}
