import type { ProjectDetail } from '../contract/project.ts';
import { addressKey, isCommercial } from '../domain/identity.ts';
import type { OrderRecord } from '../ledger/order-record.ts';

/** Text as it is compared: the service may trim, fold and re-case what it was sent. */
function folded(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase() : '';
}

const COMPARED = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', 'serviceName', 'policyType', 'houseType', 'insuredName'] as const;

/** Whether a project is what this order asked for: the same property, policy, service and insured. Absent, null and empty are the same. */
export function isSameOrder(order: Pick<OrderRecord, 'payload' | 'reference'>, detail: ProjectDetail): boolean {
  if (order.reference !== null && !carriesReference(order.reference, detail)) return false;
  return COMPARED.every((field) => folded(order.payload[field]) === folded(detail[field])) && addressKey(order.payload) === addressOf(detail);
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
