import type { ProjectDetail, ProjectSearchItem } from '../contract/document.ts';
import { addressKey, houseLikeness, identityKind, isCommercial, isSameHouse } from '../domain/identity.ts';
import type { OrderRecord } from '../ledger/orders.ts';
import { isOfAnotherTerm } from './repeat-or-renewal.ts';

/** Text as it is compared: the service may trim, fold and re-case what it was sent. */
export function folded(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()
    : '';
}

/** Absent, null and empty are the same. */
export function isBlank(shown: string | null | undefined): boolean {
  return (shown ?? '').trim() === '';
}

/** What the service holds in a field of a project; the time that it may put behind the date is none of ours. */
export function heldIn(
  detail: Readonly<Partial<Record<'policyNumber' | 'policyEffectiveDate', string | null | undefined>>>,
  field: 'policyNumber' | 'policyEffectiveDate',
): string {
  const held = (detail[field] ?? '').trim();
  return field === 'policyEffectiveDate' ? withoutTime(held) : held;
}

function withoutTime(date: string): string {
  return date.replace(/(?<=^\d{4}-\d{2}-\d{2})[Tt ].*$/, '');
}

/** A field of an order or a project as it is compared. */
export function foldedIn<Field extends string>(fields: { readonly [Name in Field]?: unknown }, field: Field): string {
  const text = folded(fields[field]);
  return field === 'policyEffectiveDate' ? withoutTime(text) : text;
}

const COMPARED = [
  'inspectionNumber',
  'policyNumber',
  'policyEffectiveDate',
  'serviceName',
  'policyType',
  'houseType',
  'insuredName',
] as const;

/** What a service leaves as it was sent, whatever it makes of an address. */
const UNCHANGED = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', 'serviceName', 'insuredName'] as const;

/**
 * Whether a project is what this order asked for. `to the letter`: the same property, policy, service and insured; absent, null and empty are
 * the same. `by its signs`: the same numbers, service and insured at an address that may be the same house: a service may write it, or the kind
 * of house, in its own way. Of an order with a reference only the project that carries it is its own, and that always is:
 * the reference is made of all that was sent. An order without one has no project that is marked with another's, or that is of another term.
 */
export function likenessOf(
  order: Pick<OrderRecord, 'payload' | 'reference'>,
  detail: ProjectDetail,
): 'to the letter' | 'by its signs' | null {
  const { payload, reference } = order;
  if (reference !== null) return carriesReference(reference, detail) ? 'to the letter' : null;
  if (isMarkedForAnother(payload, detail) || isOfAnotherTerm(payload, detail)) return null;
  const same = (fields: readonly (typeof COMPARED)[number][]): boolean =>
    fields.every((field) => foldedIn(payload, field) === foldedIn(detail, field));
  if (same(COMPARED) && addressKey(payload) === addressOf(detail)) return 'to the letter';
  const hasNumber = Boolean(payload.inspectionNumber) || Boolean(payload.policyNumber);
  return hasNumber && same(UNCHANGED) && houseLikeness(payload, detail) !== 'other' ? 'by its signs' : null;
}

/** Whether a project is what this order asked for, to the letter or by its signs. */
export function isSameOrder(order: Pick<OrderRecord, 'payload' | 'reference'>, detail: ProjectDetail): boolean {
  return likenessOf(order, detail) !== null;
}

/** Whether a project carries a reference that is not the order's. A sender may put into his note what looks like a reference; the project has it from there then. */
export function isMarkedForAnother(payload: OrderRecord['payload'], detail: ProjectDetail): boolean {
  const mark = /\[ref IB-[0-9A-F]{12}\]/.exec(detail.note ?? '')?.[0];
  return mark !== undefined && !(payload.note ?? '').includes(mark);
}

/** Whether a project carries the reference of an order: in its note, where `mark` writes it, or as its inspection number, where `mint` does. */
export function carriesReference(reference: string, detail: ProjectDetail): boolean {
  return detail.inspectionNumber === reference || (detail.note ?? '').includes(`[ref ${reference}]`);
}

/**
 * Whether the service's duplicate rules make this project stand in the order's way. With neither number they have nothing to compare: then
 * it is one at the same address, for the same service and insured.
 */
export function standsInTheWay(order: Pick<OrderRecord, 'payload'>, detail: ProjectDetail): boolean {
  const { inspectionNumber, policyNumber } = order.payload;
  const same = (...fields: readonly (typeof COMPARED)[number][]): boolean =>
    fields.every((field) => foldedIn(order.payload, field) === foldedIn(detail, field));
  const sameAddress = addressKey(order.payload) === addressOf(detail);
  if (sameAddress && isCommercial(order.payload)) return true;
  if (inspectionNumber) return same('inspectionNumber');
  return policyNumber ? same('policyNumber', 'policyEffectiveDate') : sameAddress && same('serviceName', 'insuredName');
}

/** Whether a project could be this order, told in another way: the same insured, or what may be the same house. */
export function resembles({ payload }: Pick<OrderRecord, 'payload'>, detail: ProjectDetail): boolean {
  return folded(payload.insuredName) === folded(detail.insuredName) || houseLikeness(payload, detail) !== 'other';
}

/**
 * Whether an order may be tied to somebody else's project that stands in its way: it is at the same house beyond doubt; and where only policy
 * and date say that the two are the same, it is for the same service.
 */
export function mayBeTied({ payload }: Pick<OrderRecord, 'payload'>, detail: ProjectDetail): boolean {
  if (!isSameHouse(payload, detail)) return false;
  return (
    identityKind(payload) !== 'policy' ||
    folded(payload.policyNumber) !== folded(detail.policyNumber) ||
    folded(payload.serviceName) === folded(detail.serviceName)
  );
}

/** The projects that stand in an order's way, the likeliest first: by house, insured, service, insured-by, and the newest before the older. */
export function ranked<Found extends { readonly detail: ProjectDetail }>(
  { payload }: Pick<OrderRecord, 'payload'>,
  found: readonly Found[],
): readonly Found[] {
  const agreement = ({ detail }: Found): number => {
    const same = (field: 'insuredName' | 'serviceName' | 'insuredBy'): number =>
      Number(folded(payload[field]) === folded(detail[field]));
    return (
      Number(isSameHouse(payload, detail)) * 8 + same('insuredName') * 4 + same('serviceName') * 2 + same('insuredBy')
    );
  };
  return found.toSorted((a, b) => agreement(b) - agreement(a) || (BigInt(a.detail.id) < BigInt(b.detail.id) ? 1 : -1));
}

/** Whether a project is the same service for the same insured at the same house, or at what may be the same, whatever its numbers are. */
export function isForTheSame(
  { payload }: Pick<OrderRecord, 'payload'>,
  detail: ProjectDetail,
  house: 'surely' | 'maybe',
): boolean {
  const likeness = houseLikeness(payload, detail);
  return (
    (likeness === 'same' || (house === 'maybe' && likeness === 'unclear')) &&
    folded(payload.insuredName) === folded(detail.insuredName) &&
    folded(payload.serviceName) === folded(detail.serviceName)
  );
}

/** The address of a project as one comparable line. */
export function addressOf({
  streetAddress,
  city,
  state,
  zipcode,
}: Pick<ProjectSearchItem, 'streetAddress' | 'city' | 'state' | 'zipcode'>): string {
  return addressKey({
    streetAddress: streetAddress ?? '',
    city: city ?? '',
    state: state ?? '',
    zipcode: (zipcode ?? '').padStart(5, '0'),
  });
}
