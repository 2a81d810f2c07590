import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import type { ProjectDetail, ProjectSearchItem } from '../contract/document.ts';
import {
  addressKey,
  houseLikeness,
  identityKind,
  isCommercial,
  isSameHouse,
  isSameNumber,
} from '../domain/identity.ts';
import type { OrderPayload } from '../domain/row.ts';
import type { OrderRecord } from '../ledger/ledger.ts';

type PlacedOrder = Pick<OrderRecord, 'payload'>;
export type ReferencedOrder = Pick<OrderRecord, 'payload' | 'reference'>;

/** The service may trim texts and change their case. */
export function fold(value: unknown) {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()
    : '';
}

export function isUnset(shown: string | null | undefined) {
  return (shown ?? '').trim() === '';
}

/** True also if neither has one. */
export function hasInspectionNumberOf(
  { inspectionNumber }: OrderPayload,
  shown: Pick<ProjectSearchItem, 'inspectionNumber'>,
) {
  return fold(inspectionNumber) === fold(shown.inspectionNumber);
}

export const POLICY_FIELDS = ['policyNumber', 'policyEffectiveDate'] as const;

/** The service never rewrites these fields. */
export const KEY_FIELDS = ['inspectionNumber', ...POLICY_FIELDS] as const;

export type ShownPolicy = { readonly [Field in (typeof POLICY_FIELDS)[number]]?: string | null | undefined };

export function policyFieldOf(detail: ShownPolicy, field: keyof ShownPolicy) {
  const held = (detail[field] ?? '').trim();
  return field === 'policyEffectiveDate' ? withoutTime(held) : held;
}

function withoutTime(date: string) {
  return date.replace(/(?<=^\d{4}-\d{2}-\d{2})[Tt ].*$/, '');
}

export function foldField<Field extends string>(fields: { readonly [Name in Field]?: unknown }, field: Field) {
  const text = fold(fields[field]);
  return field === 'policyEffectiveDate' ? withoutTime(text) : text;
}

const COMPARED = [...KEY_FIELDS, 'serviceName', 'policyType', 'houseType', 'insuredName'] as const;
const UNCHANGED = [...KEY_FIELDS, 'serviceName', 'insuredName'] as const;

const sameIn = (payload: OrderPayload, detail: ProjectDetail) => (fields: readonly (typeof COMPARED)[number][]) =>
  fields.every((field) => foldField(payload, field) === foldField(detail, field));

/**
 * `exact`: the same property, policy, service and insured; absent, null and empty are equal. `likely`: the same
 * numbers, service and insured at possibly the same house, in the service's spelling. An order with a reference owns
 * only the project that carries it. Without one, it owns none with another reference or of another term.
 */
export function likenessOf(order: ReferencedOrder, detail: ProjectDetail) {
  const { payload, reference } = order;
  if (reference !== null) return carriesReference(reference, detail) ? 'exact' : null;
  if (isMarkedForAnother(payload, detail) || isOtherTerm(payload, detail)) return null;
  const same = sameIn(payload, detail);
  if (same(COMPARED) && addressKey(payload) === addressKeyOf(detail)) return 'exact';
  const hasNumber = Boolean(payload.inspectionNumber) || Boolean(payload.policyNumber);
  // A detail need not have the date.
  const compared = UNCHANGED.filter((field) => field !== 'policyEffectiveDate' || detail[field] != null);
  return hasNumber && same(compared) && houseLikeness(payload, detail) !== 'other' ? 'likely' : null;
}

/** With a higher id than all that were known before the first attempt. */
export function isNewerThanFirstAttempt({ idBound }: OrderRecord, { id }: { readonly id: string }) {
  return BigInt(id) > BigInt(idBound ?? 0);
}

export function isSameOrder(order: ReferencedOrder, detail: ProjectDetail) {
  return likenessOf(order, detail) !== null;
}

/** A sender's own note may look like a reference. */
export function isMarkedForAnother(payload: OrderPayload, detail: ProjectDetail) {
  const mark = /\[ref IB-[0-9A-F]{12}\]/.exec(detail.note ?? '')?.[0];
  return mark !== undefined && !(payload.note ?? '').includes(mark);
}

/** In the note (`mark`), or as the inspection number (`mint`). */
export function carriesReference(reference: string, detail: ProjectDetail) {
  return detail.inspectionNumber === reference || (detail.note ?? '').includes(`[ref ${reference}]`);
}

/** By the service's duplicate rules. Without numbers: the same address, service and insured. */
export function isConflicting(order: PlacedOrder, detail: ProjectDetail) {
  const { inspectionNumber, policyNumber } = order.payload;
  const same = sameIn(order.payload, detail);
  const sameAddress = addressKey(order.payload) === addressKeyOf(detail);
  if (sameAddress && isCommercial(order.payload)) return true;
  if (inspectionNumber) return same(['inspectionNumber']);
  return policyNumber
    ? same(['policyNumber', 'policyEffectiveDate'])
    : sameAddress && same(['serviceName', 'insuredName']);
}

export function resembles({ payload }: PlacedOrder, detail: ProjectDetail) {
  return sameIn(payload, detail)(['insuredName']) || houseLikeness(payload, detail) !== 'other';
}

/** True if at least two of number, house and insured differ; the service may rewrite one. */
export function isOfAnotherOrder({ payload }: PlacedOrder, detail: ProjectDetail) {
  const differs = [
    payload.inspectionNumber &&
      detail.inspectionNumber &&
      !isSameNumber(payload.inspectionNumber, detail.inspectionNumber),
    !isUnset(detail.streetAddress) && houseLikeness(payload, detail) === 'other',
    !isUnset(detail.insuredName) && !sameIn(payload, detail)(['insuredName']),
  ];
  return differs.filter(Boolean).length > 1;
}

/**
 * To a project that it did not make, if it is surely the same house and term, and, if only policy and date match, the
 * same service.
 */
export function mayBeLinked({ payload }: PlacedOrder, detail: ProjectDetail) {
  if (!isSameHouse(payload, detail) || isOtherTerm(payload, detail)) return false;
  const same = sameIn(payload, detail);
  return identityKind(payload) !== 'policy' || !same(['policyNumber']) || same(['serviceName']);
}

/** By house, insured, service and insured-by, then newest first. */
export function rankByLikeness<Found extends { readonly detail: ProjectDetail }>(
  { payload }: PlacedOrder,
  found: readonly Found[],
) {
  const agreement = ({ detail }: Found) => {
    const same = (field: 'insuredName' | 'serviceName' | 'insuredBy') =>
      Number(fold(payload[field]) === fold(detail[field]));
    return (
      Number(isSameHouse(payload, detail)) * 8 + same('insuredName') * 4 + same('serviceName') * 2 + same('insuredBy')
    );
  };
  return found.toSorted((a, b) => agreement(b) - agreement(a) || (BigInt(a.detail.id) < BigInt(b.detail.id) ? 1 : -1));
}

export function isSameInspection({ payload }: PlacedOrder, detail: ProjectDetail, house: 'surely' | 'maybe') {
  const likeness = houseLikeness(payload, detail);
  return (
    (likeness === 'same' || (house === 'maybe' && likeness === 'unclear')) &&
    sameIn(payload, detail)(['insuredName', 'serviceName'])
  );
}

export function addressKeyOf({ streetAddress, city, state, zipcode }: ProjectSearchItem) {
  return addressKey({
    streetAddress: streetAddress ?? '',
    city: city ?? '',
    state: state ?? '',
    zipcode: (zipcode ?? '').padStart(5, '0'),
  });
}

export const DATE_FIELDS = ['policyEffectiveDate', 'dueDate'] as const;

export type Dates = { readonly [Name in (typeof DATE_FIELDS)[number]]?: string | null | undefined };

/** Longer than any correction, shorter than any term. */
const TERM_DAYS_MIN = 150;

/** False if a date is empty. */
export function areTermsApart(one: string, other: string) {
  const days =
    one === '' || other === '' ? 0 : Math.abs(differenceInCalendarDays(one.slice(0, 10), other.slice(0, 10)));
  return days >= TERM_DAYS_MIN;
}

export function isOtherTerm(order: Dates, project: Dates) {
  return DATE_FIELDS.some((field) => areTermsApart((order[field] ?? '').trim(), (project[field] ?? '').trim()));
}
