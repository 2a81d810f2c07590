import { subjectKey } from '../domain/identity.ts';
import { hasDetails, type OrderPayload } from '../domain/row.ts';
import { jsonOf, type SqlRow } from './driver.ts';

// Orders from before migration 17 have no subject key, which SQL cannot compute: each database fills them in with its migrations.

export const ORDERS_WITHOUT_SUBJECT = 'SELECT id, payload FROM orders WHERE subject_key IS NULL ORDER BY id LIMIT 500';

/** Such an order and its key; empty where its details are forgotten. */
export function subjectOf({ id, payload }: SqlRow): { readonly id: number; readonly key: string } {
  // Written by this program only; the first row of a scratch ledger holds nothing.
  const ordered = jsonOf(payload) as OrderPayload;
  const isKnown = ordered.streetAddress !== undefined && hasDetails(ordered);
  return { id: Number(id), key: isKnown ? subjectKey(ordered) : '' };
}
