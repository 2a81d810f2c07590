import type { ProjectDetail } from '../contract/project.ts';
import { addressKey, isCommercial } from '../domain/identity.ts';
import type { OrderRecord } from '../ledger/order-record.ts';

/** Text as it is compared: the service may trim, fold and re-case what it was sent. */
function folded(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase() : '';
}

const COMPARED = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', 'serviceName', 'policyType', 'houseType', 'insuredName'] as const;

/** What a service leaves as it was sent, whatever it makes of an address. */
const UNCHANGED = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', 'serviceName', 'insuredName'] as const;

/**
 * Whether a project is what this order asked for. `to the letter`: the same property, policy, service and insured; absent, null and empty are
 * the same. `by its signs`: the same numbers, service and insured at the same house number in the same ZIP code: a service may write the
 * address, or the kind of house, in its own way. Of an order with a reference only the project that carries it is its own, and that always is:
 * the reference is made of all that was sent.
 */
export function likenessOf(order: Pick<OrderRecord, 'payload' | 'reference'>, detail: ProjectDetail): 'to the letter' | 'by its signs' | null {
  const { payload, reference } = order;
  if (reference !== null) return carriesReference(reference, detail) ? 'to the letter' : null;
  const same = (fields: readonly (typeof COMPARED)[number][]): boolean => fields.every((field) => folded(payload[field]) === folded(detail[field]));
  if (same(COMPARED) && addressKey(payload) === addressOf(detail)) return 'to the letter';
  const hasNumber = Boolean(payload.inspectionNumber) || Boolean(payload.policyNumber);
  return hasNumber && same(UNCHANGED) && isSameHouse(payload, detail) ? 'by its signs' : null;
}

/** Whether a project is what this order asked for, to the letter or by its signs. */
export function isSameOrder(order: Pick<OrderRecord, 'payload' | 'reference'>, detail: ProjectDetail): boolean {
  return likenessOf(order, detail) !== null;
}

function isSameHouse(payload: OrderRecord['payload'], detail: ProjectDetail): boolean {
  const houseNumber = (street: string): string => /^\s*([\dA-Za-z-]*\d[\dA-Za-z-]*)\b/.exec(street)?.[1]?.toLowerCase() ?? '';
  const ours = houseNumber(payload.streetAddress);
  const sameState = folded(payload.state) === folded(detail.state);
  return ours !== '' && ours === houseNumber(detail.streetAddress ?? '') && sameState && payload.zipcode.slice(0, 5) === (detail.zipcode ?? '').padStart(5, '0').slice(0, 5);
}

function carriesReference(reference: string, detail: ProjectDetail): boolean {
  return detail.inspectionNumber === reference || (detail.note ?? '').includes(`[ref ${reference}]`);
}

/**
 * Whether the service's duplicate rules make this project stand in the order's way. With neither number they have nothing to compare: then
 * it is one at the same address, for the same service and insured.
 */
export function standsInTheWay(order: Pick<OrderRecord, 'payload'>, detail: ProjectDetail): boolean {
  const { inspectionNumber, policyNumber } = order.payload;
  const same = (...fields: readonly (typeof COMPARED)[number][]): boolean => fields.every((field) => folded(order.payload[field]) === folded(detail[field]));
  const sameAddress = addressKey(order.payload) === addressOf(detail);
  if (sameAddress && isCommercial(order.payload)) return true;
  if (inspectionNumber) return same('inspectionNumber');
  return policyNumber ? same('policyNumber', 'policyEffectiveDate') : sameAddress && same('serviceName', 'insuredName');
}

/** Whether a project could be this order, told in another way: the same insured, or the same house. */
export function resembles({ payload }: Pick<OrderRecord, 'payload'>, detail: ProjectDetail): boolean {
  return folded(payload.insuredName) === folded(detail.insuredName) || isSameHouse(payload, detail);
}

/** Whether two orders ask for the same to the letter, so that a project of the one could be taken for the other's. */
export function areTwins(one: OrderRecord, other: OrderRecord): boolean {
  return (
    one.id !== other.id &&
    one.reference === other.reference &&
    COMPARED.every((field) => folded(one.payload[field]) === folded(other.payload[field])) &&
    addressKey(one.payload) === addressKey(other.payload)
  );
}

function addressOf(detail: ProjectDetail): string {
  return addressKey({
    streetAddress: detail.streetAddress ?? '',
    city: detail.city ?? '',
    state: detail.state ?? '',
    zipcode: (detail.zipcode ?? '').padStart(5, '0'),
  });
}
