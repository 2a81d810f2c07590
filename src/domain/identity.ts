import { hash } from 'node:crypto';

/** The fields of an order that decide whether two orders are the same one. */
export interface IdentityFields {
  readonly inspectionNumber?: string | undefined;
  readonly policyNumber?: string | undefined;
  readonly policyEffectiveDate?: string | undefined;
  readonly policyType: string;
  readonly serviceName: string;
  readonly insuredName: string;
  readonly streetAddress: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
}

/** Which key of the service's duplicate rules an order has: rule 3, rule 2, or none. */
export type IdentityKind = 'inspection' | 'policy' | 'address';

/** Case, white space and punctuation do not make a different address or name. */
function normalised(text: string): string {
  // Nearly all text is plain, and for plain text there is a shorter way to the same end.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase().replaceAll(/[^a-z\d]+/g, ' ').trim();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}

/** Which of the service's duplicate rules (document: Errors) can recognise this order. */
export function identityKind(fields: IdentityFields): IdentityKind {
  if (fields.inspectionNumber) return 'inspection';
  if (fields.policyNumber) return 'policy';
  return 'address';
}

/** The address as one comparable line: street, city, state and the five digits of the ZIP code. */
export function addressKey(fields: Pick<IdentityFields, 'streetAddress' | 'city' | 'state' | 'zipcode'>): string {
  return [normalised(fields.streetAddress), normalised(fields.city), normalised(fields.state), fields.zipcode.slice(0, 5)].join('|');
}

/**
 * A row's identity by the service's own duplicate rules: with an inspection number, that number; without one, policy number and
 * effective date; with neither, the normalised address, service and insured name.
 */
export function identityOf(fields: IdentityFields): string {
  switch (identityKind(fields)) {
    case 'inspection':
      return `inspection:${fields.inspectionNumber ?? ''}`;
    case 'policy':
      return `policy:${policyKey(fields) ?? ''}`;
    case 'address':
      return `address:${addressKey(fields)}|${normalised(fields.serviceName)}|${normalised(fields.insuredName)}`;
  }
}

/** Policy number and effective date, what rule 2 compares; null without a policy number. */
export function policyKey(fields: Pick<IdentityFields, 'policyNumber' | 'policyEffectiveDate'>): string | null {
  return fields.policyNumber ? JSON.stringify([fields.policyNumber, fields.policyEffectiveDate ?? '']) : null;
}

/** True for the requests that rule 4 compares by address as well. */
export function isCommercial(fields: Pick<IdentityFields, 'policyType'>): boolean {
  return fields.policyType === 'Commercial Property Insurance';
}

/** A short reference made of the row's content, for orders the service has no key for: the same content gives the same reference. */
export function contentReference(payload: object): string {
  return `IB-${payloadHash(payload).slice(0, 12).toUpperCase()}`;
}

/** SHA-256 of a payload, whatever the order of its keys. */
export function payloadHash(payload: object): string {
  return hash('sha256', canonicalJson(payload));
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** The same value with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  const inOrder: Record<string, unknown> = {};
  for (const key of Object.keys(value).toSorted()) inOrder[key] = sorted((value as Readonly<Record<string, unknown>>)[key]);
  return inOrder;
}
