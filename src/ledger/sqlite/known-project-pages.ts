import type { SQLInputValue } from 'node:sqlite';
import type { DuplicateKey, KnownProject, KnownProjects } from '../lookups.ts';
import type { Book } from '../store.ts';
import type { SqlRow } from '../driver.ts';
import { forgottenKey } from './forgotten-keys.ts';
import { amendedDetails } from './update-pages.ts';

/**
 * When the service's project was created, as far as it is known: with the last request for it. One that an order was tied to is older
 * than the tie, and what is still to be sent is younger than anything.
 */
const CREATED_AT = `CASE orders.state
    WHEN 'ready' THEN 9007199254740991
    WHEN 'linked' THEN orders.updated_at
    WHEN 'skipped' THEN orders.updated_at
    ELSE coalesce((SELECT max(sent_at) FROM attempts WHERE attempts.order_id = orders.id), orders.created_at) END`;

export function knownProjectsIn(book: Book): KnownProjects {
  return {
    withInspectionNumber: (inspectionNumber, key) => newest(book, `json_extract(payload, '$.inspectionNumber') = ?`, [inspectionNumber], key),
    withPolicy: (policyNumber, effectiveDate, key) => newestOfPolicy(book, policyNumber, effectiveDate, key),
    atAddress: (addressKey, key) => newest(book, 'address_key IN (?, ?)', [addressKey, forgottenKey(addressKey)], key),
  };
}

function newest(book: Book, condition: string, values: readonly SQLInputValue[], key: DuplicateKey): KnownProject | null {
  const [row] = newestFirst(book, condition, values, key, 1);
  return row === undefined ? null : projectFrom(row);
}

/** The service compares a project's policy as it is now: one may have been amended to this policy, or away from it. */
function newestOfPolicy(book: Book, policyNumber: string, effectiveDate: string, key: DuplicateKey): KnownProject | null {
  const row = newestFirst(book, ...candidatesFor(book, policyNumber, effectiveDate), key, CANDIDATES_MAX).find((candidate) => {
    const projectId = candidate['project_id'];
    const amended = typeof projectId === 'string' ? amendedDetails(book, projectId) : {};
    const now = { policyNumber: candidate['policy_number'], policyEffectiveDate: candidate['effective_date'], ...amended };
    return now.policyNumber === policyNumber && now.policyEffectiveDate === effectiveDate;
  });
  return row === undefined ? null : projectFrom(row);
}

/** The condition of those that were ordered with the policy, in whatever term, or amended since; with no policy number, those without one. */
function candidatesFor({ connection, account }: Book, policyNumber: string, effectiveDate: string): [condition: string, values: readonly SQLInputValue[]] {
  const amended = `SELECT orders.id FROM updates JOIN orders ON orders.account = updates.account AND orders.project_id = updates.project_id
    WHERE updates.account = ? AND updates.state = 'done' AND`;
  if (policyNumber !== '') {
    const begins = `${JSON.stringify([policyNumber]).slice(0, -1)},`;
    const ordered = 'SELECT id FROM orders WHERE account = ? AND policy_key >= ? AND policy_key < ? || char(1114111)';
    return [`orders.id IN (${ordered} UNION ${amended} json_extract(request, '$.policyNumber') = ?)`, [account, begins, begins, account, policyNumber]];
  }
  const ordered = `policy_key IS NULL AND coalesce(json_extract(payload, '$.policyEffectiveDate'), '') = ?`;
  // Amendments are rare, and looking for them makes the question slow.
  const isAny = connection.get(`SELECT 1 FROM updates WHERE account = ? AND state = 'done' AND json_extract(request, '$.kind') = 'amend' LIMIT 1`, account) !== undefined;
  return isAny ? [`(${ordered} OR orders.id IN (${amended} json_extract(request, '$.kind') = 'amend'))`, [effectiveDate, account]] : [ordered, [effectiveDate]];
}

/** Terms of one policy, ordered within 30 days: more than these are nobody's. */
const CANDIDATES_MAX = 100;

/**
 * The service numbers its projects in the order of their creation; what has no number yet comes after all of them. An order tied to a
 * project of another order says nothing: that other one has the project's own details.
 */
function newestFirst({ connection, account }: Book, condition: string, values: readonly SQLInputValue[], { insuredBy, since }: DuplicateKey, limit: number): readonly SqlRow[] {
  return connection.all(
    `SELECT id, coalesce(json_extract(payload, '$.policyNumber'), '') AS policy_number, coalesce(json_extract(payload, '$.policyEffectiveDate'), '') AS effective_date, CAST(project_id AS TEXT) AS project_id, state, created_at, ${CREATED_AT} AS known_at FROM orders
     WHERE account = ? AND ${condition} AND state NOT IN ('refused', 'abandoned')
       AND coalesce(json_extract(payload, '$.insuredBy'), '') = ? AND ${CREATED_AT} >= ?
       AND NOT (state = 'linked' AND EXISTS (SELECT 1 FROM orders AS own
         WHERE own.account = orders.account AND own.project_id = orders.project_id AND own.state = 'created'))
     ORDER BY CASE WHEN state = 'skipped' THEN 2 WHEN project_id IS NULL THEN 0 ELSE 1 END, orders.project_id DESC, id DESC LIMIT ${limit}`,
    account,
    ...values,
    insuredBy,
    since,
  );
}

function projectFrom(row: SqlRow): KnownProject {
  const projectId = row['project_id'];
  return {
    orderId: Number(row['id']),
    projectId: typeof projectId === 'string' ? projectId : null,
    createdAt: row['state'] === 'ready' ? Number(row['created_at']) : Number(row['known_at']),
    certain: row['state'] === 'created',
  };
}
