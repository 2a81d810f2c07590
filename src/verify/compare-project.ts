import type { ProjectDetail, ProjectSearchItem } from '../contract/project.ts';
import { hasDetails } from '../domain/forgotten-details.ts';
import { addressKey } from '../domain/identity.ts';
import type { HeldProject } from '../ledger/census-book.ts';
import type { OrderRecord } from '../ledger/order-record.ts';
import { isSameOrder } from '../submit/same-order.ts';

/** The order as its project stands since it was amended. */
export function asAmended({ order, amended }: Pick<HeldProject, 'order' | 'amended'>): OrderRecord {
  return { ...order, payload: { ...order.payload, ...amended } };
}

/** Whether all that a search shows of a project is what the order asked for. What it does not show says nothing. */
export function agreesWithItem({ payload }: OrderRecord, item: ProjectSearchItem): boolean {
  const agrees = (shown: string | null | undefined, wanted: string | undefined): boolean => shown === undefined || (shown ?? '').trim() === (wanted ?? '').trim();
  return agrees(item.policyNumber, payload.policyNumber) && agrees(item.inspectionNumber, payload.inspectionNumber) && (!hasDetails(payload) || addressOf(item) === addressKey(payload));
}

export function addressOf({ streetAddress, city, state, zipcode }: Pick<ProjectSearchItem, 'streetAddress' | 'city' | 'state' | 'zipcode'>): string {
  return addressKey({ streetAddress: streetAddress ?? '', city: city ?? '', state: state ?? '', zipcode: (zipcode ?? '').padStart(5, '0') });
}

const FIELDS = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', 'serviceName', 'policyType', 'houseType', 'insuredName', 'streetAddress', 'city', 'state', 'zipcode'] as const;

/** Why a project is not what the order asked for; null where it is. Names of fields only: what they hold is for `status` to show. */
export function whyNotItsOwn(order: OrderRecord, detail: ProjectDetail): string | null {
  if (isSameOrder(order, detail)) return null;
  // Of an order whose details retention has taken away, what is left is compared.
  const isForgotten = !hasDetails(order.payload);
  const differing = FIELDS.filter((field) => !isForgotten || folded(order.payload[field]) !== '').filter((field) => folded(order.payload[field]) !== folded(detail[field]));
  if (isForgotten && differing.length === 0) return null;
  return differing.length === 0 ? 'it does not carry the order’s reference' : `${differing.join(', ')} ${differing.length === 1 ? 'differs' : 'differ'}`;
}

function folded(value: unknown): string {
  return typeof value === 'string' ? value.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase() : '';
}
