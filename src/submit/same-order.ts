import type { ProjectDetail } from '../contract/project.ts';
import { addressKey } from '../domain/identity.ts';
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

/** Whether the service's duplicate rules make this project stand in the order's way. */
export function standsInTheWay(order: Pick<OrderRecord, 'payload'>, detail: ProjectDetail): boolean {
  const { inspectionNumber, policyNumber, policyEffectiveDate, policyType } = order.payload;
  if (inspectionNumber && folded(inspectionNumber) === folded(detail.inspectionNumber)) return true;
  if (!inspectionNumber && policyNumber && folded(policyNumber) === folded(detail.policyNumber) && folded(policyEffectiveDate) === folded(detail.policyEffectiveDate)) {
    return true;
  }
  return policyType === 'Commercial Property Insurance' && addressKey(order.payload) === addressOf(detail);
}

function addressOf(detail: ProjectDetail): string {
  return addressKey({
    streetAddress: detail.streetAddress ?? '',
    city: detail.city ?? '',
    state: detail.state ?? '',
    zipcode: (detail.zipcode ?? '').padStart(5, '0'),
  });
}
