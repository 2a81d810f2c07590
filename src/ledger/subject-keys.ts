import { subjectKey } from '../domain/identity.ts';
import { hasDetails, type OrderPayload } from '../domain/row.ts';
import { jsonOf, type SqlRow } from './store.ts';

// Orders older than migration 17 have none, and SQL cannot compute it: each database adds it after its migrations.

export const ORDERS_WITHOUT_SUBJECT = 'SELECT id, payload FROM orders WHERE subject_key IS NULL ORDER BY id LIMIT 500';

export function subjectOf({ id, payload }: SqlRow) {
  // Only this program writes it; a scratch ledger's first row is empty.
  const ordered = jsonOf<OrderPayload>(payload);
  return { id: Number(id), key: ordered.streetAddress !== undefined && hasDetails(ordered) ? subjectKey(ordered) : '' };
}
