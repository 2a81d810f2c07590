import { POLICY_TYPES, SERVICE_NAMES, type ProjectDetail, type ProjectSearchItem } from '../contract/project.ts';
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

/** The address of a project as one comparable line. */
export function addressOf({ streetAddress, city, state, zipcode }: Pick<ProjectSearchItem, 'streetAddress' | 'city' | 'state' | 'zipcode'>): string {
  return addressKey({ streetAddress: streetAddress ?? '', city: city ?? '', state: state ?? '', zipcode: (zipcode ?? '').padStart(5, '0') });
}

type Field = 'inspectionNumber' | 'policyNumber' | 'policyEffectiveDate' | 'serviceName' | 'policyType' | 'houseType' | 'insuredName' | 'streetAddress' | 'city' | 'state' | 'zipcode';

/** What nobody rewrites: an order's project carries them as they were sent. */
const KEYS: readonly Field[] = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate'];
const CHOICES = { serviceName: SERVICE_NAMES, policyType: POLICY_TYPES } as const;
const WORDING: readonly Field[] = ['serviceName', 'policyType', 'houseType', 'insuredName'];
const ADDRESS: readonly Field[] = ['streetAddress', 'city', 'state', 'zipcode'];

/** How a project compares with the order that has it. Names of fields only: what they hold is for `status` to show. */
export interface Comparison {
  /** Why it is not what the order asked for; null where it is. */
  readonly wrong: string | null;
  /** What the service tells in words of its own, such as a street as the post writes it; null where there is nothing. */
  readonly remark: string | null;
}

/**
 * An order's own project carries its keys: both numbers and the date, for an order with neither number the reference; and it is for no other
 * service than the one ordered. Address, names and kind of house may be in the service's words.
 */
export function compareProject({ payload, reference }: OrderRecord, detail: ProjectDetail): Comparison {
  const differs = (field: Field): boolean => folded(payload[field]) !== folded(detail[field]);
  const sameAddress = addressOf(detail) === addressKey(payload);
  const odd = [...KEYS, ...WORDING, ...(sameAddress ? [] : ADDRESS)].filter(differs);
  const isWrong = odd.some((field) => KEYS.includes(field) || isAnotherChoice(field, detail));
  if (isWrong) return { wrong: inWords(odd), remark: null };
  if (reference !== null && !carriesReference(reference, detail)) return { wrong: 'it does not carry the order’s reference', remark: null };
  return { wrong: null, remark: odd.length === 0 ? null : inWords(odd) };
}

/** Whether a project that no order has is one that this order asked for: by its reference or its keys, without either to the letter. */
export function belongsTo(order: OrderRecord, detail: ProjectDetail): boolean {
  if (order.reference !== null) return carriesReference(order.reference, detail);
  const hasNumber = Boolean(order.payload.inspectionNumber) || Boolean(order.payload.policyNumber);
  return hasNumber ? compareProject(order, detail).wrong === null : isSameOrder(order, detail);
}

/** Every reference that a project carries: in its note, where `mark` writes it, or as its inspection number, where `mint` does. */
export function referencesIn({ note, inspectionNumber }: ProjectDetail): readonly string[] {
  const marks = [...(note ?? '').matchAll(/\[ref (IB-[^\]]+)\]/g)].map(([, reference = '']) => reference);
  return inspectionNumber ? [...marks, inspectionNumber] : marks;
}

function carriesReference(reference: string, detail: ProjectDetail): boolean {
  return referencesIn(detail).includes(reference);
}

/** Whether it is another one of the document's list. A name that is not in it is a word of the service's own. */
function isAnotherChoice(field: Field, detail: ProjectDetail): boolean {
  if (field !== 'serviceName' && field !== 'policyType') return false;
  return CHOICES[field].some((name) => folded(name) === folded(detail[field]));
}

function inWords(fields: readonly Field[]): string {
  return `${fields.join(', ')} ${fields.length === 1 ? 'differs' : 'differ'}`;
}

function folded(value: unknown): string {
  return typeof value === 'string' ? value.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase() : '';
}
