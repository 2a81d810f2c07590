import { isCommercial } from '../../domain/identity.ts';
import type { Ledger } from '../ledger.ts';
import { mayMove, type OrderCounts, type OrderMove, type OrderRecord, type OrderState, type ProjectTie } from '../orders.ts';
import { addStep, type Book } from '../store.ts';
import { forgottenKey } from './forgotten-keys.ts';
import { ORDER_COLUMNS, orderFrom } from './mapping.ts';
import { addNews } from './news-pages.ts';

export function findOrder({ connection, account }: Book, orderId: number): OrderRecord | null {
  const row = connection.get(`SELECT ${ORDER_COLUMNS} FROM orders WHERE id = ? AND account = ?`, orderId, account);
  return row === undefined ? null : orderFrom(row);
}

export function ordersIn({ connection, account }: Book, state: OrderState, after: number, limit: number): readonly OrderRecord[] {
  return connection
    .all(`SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND state = ? AND id > ? ORDER BY id LIMIT ?`, account, state, after, limit)
    .map(orderFrom);
}

export function orderCounts({ connection, account }: Book): OrderCounts {
  const counts = { ready: 0, submitting: 0, created: 0, linked: 0, skipped: 0, refused: 0, unresolved: 0, held: 0, abandoned: 0 };
  const counted = connection.all('SELECT state, count(*) AS n FROM orders WHERE account = ? GROUP BY state', account);
  return Object.assign(counts, Object.fromEntries(counted.map((row) => [String(row['state']), Number(row['n'])])));
}

type Attempt = Parameters<Ledger['beginAttempt']>[1];

export function beginAttempt(book: Book, orderId: number, attempt: Attempt): boolean {
  return orderBefore(book, orderId) === null && noteAttempt(book, orderId, attempt, book.clock.now());
}

/** `sentAt`: not before this time. False where the order was not ready. */
export function noteAttempt(book: Book, orderId: number, attempt: Attempt, sentAt: number): boolean {
  const { connection, clock, account } = book;
  const took = connection.run(
    `UPDATE orders SET state = 'submitting', attempts = attempts + 1, id_bound = coalesce(id_bound, ?), reason = NULL, updated_at = ?
     WHERE id = ? AND account = ? AND state = 'ready'`,
    BigInt(attempt.idBound),
    clock.now(),
    orderId,
    account,
  );
  if (took === 0) return false;
  connection.run(
    `INSERT INTO attempts (order_id, number, run, actor, payload, payload_hash, sent_at)
     SELECT id, attempts, ?, ?, ?, ?, ? FROM orders WHERE id = ?
     ON CONFLICT (order_id, number) DO UPDATE SET run = excluded.run, sent_at = excluded.sent_at, answered_at = NULL, outcome = NULL, detail = NULL`,
    book.run ?? '',
    attempt.actor,
    JSON.stringify(attempt.payload),
    attempt.payloadHash,
    sentAt,
    orderId,
  );
  addStep(book, 'order', orderId, 'sending', { actor: attempt.actor, idBound: attempt.idBound, payloadHash: attempt.payloadHash });
  return true;
}

export function orderBefore(book: Book, orderId: number): OrderRecord | null {
  return withKeyOf(book, orderId, 'id < ?2', 1)[0] ?? null;
}

export function undecidedLike(book: Book, orderId: number): readonly OrderRecord[] {
  return withKeyOf(book, orderId, `id <> ?2 AND state <> 'ready'`, UNDECIDED_MAX);
}

const UNDECIDED_MAX = 200;
/** The same words as those of the indexes of open orders. */
const OPEN = `state IN ('ready', 'submitting', 'unresolved', 'held')`;

/**
 * Orders that the service could take for this one, or this one for them (document: Errors, rules 2 to 4): by inspection number; by policy and
 * date where one of the two has no number; by address where one is commercial, or both have neither number. The latest first.
 */
function withKeyOf({ connection, account }: Book, orderId: number, condition: string, limit: number): readonly OrderRecord[] {
  const own = connection.get('SELECT address_key, policy_key, payload FROM orders WHERE id = ? AND account = ?', orderId, account);
  if (own === undefined) return [];
  const payload = JSON.parse(String(own['payload'])) as OrderRecord['payload'];
  const inspectionNumber = payload.inspectionNumber || null;
  const number = `json_extract(payload, '$.inspectionNumber')`;
  const commercial = `json_extract(payload, '$.policyType') = 'Commercial Property Insurance'`;
  // Each way walks an index of the open orders alone, from the latest: before the thousandth order at one address stand few open ones.
  const latest = (index: string, key: string): string =>
    `SELECT * FROM (SELECT id FROM orders INDEXED BY ${index} WHERE account = ?1 AND ${OPEN} AND ${condition} AND ${key} ORDER BY id DESC LIMIT ${limit})`;
  return connection
    .all(
      `SELECT ${ORDER_COLUMNS} FROM orders WHERE id IN (
         ${latest('orders_open_by_number', `${number} = ?3`)}
         UNION ${latest('orders_open_by_policy', `policy_key = ?4 AND (?3 IS NULL OR ${number} IS NULL)`)}
         UNION ${latest('orders_open_by_address', `address_key = ?5 AND (?6 = 1 OR ${commercial} OR (?3 IS NULL AND ?4 IS NULL AND ${number} IS NULL AND policy_key IS NULL))`)})
       ORDER BY id DESC LIMIT ${limit}`,
      account,
      orderId,
      inspectionNumber,
      own['policy_key'] ?? null,
      own['address_key'] ?? null,
      isCommercial(payload) ? 1 : 0,
    )
    .map(orderFrom);
}

/** One that was sent once and created: its project is younger than its attempt. */
export function projectMadeSince({ connection, account }: Book, at: number): string | null {
  const row = connection.get(
    `SELECT CAST(orders.project_id AS TEXT) AS project_id FROM orders JOIN attempts ON attempts.order_id = orders.id AND attempts.number = 1
     WHERE orders.account = ? AND orders.state = 'created' AND orders.attempts = 1 AND attempts.sent_at >= ? ORDER BY attempts.sent_at, orders.id LIMIT 1`,
    account,
    at,
  );
  return typeof row?.['project_id'] === 'string' ? row['project_id'] : null;
}

export function moveOrder(book: Book, orderId: number, from: OrderState, move: OrderMove): boolean {
  if (!mayMove(from, move.to)) throw new Error(`an order never goes from ${from} to ${move.to}`);
  const { connection, clock, account } = book;
  const now = clock.now();
  const took = connection.run(
    `UPDATE orders SET state = ?, project_id = coalesce(?, project_id), reason = ?, uncertain_since = ?, attempts = attempts - ?,
       allow_duplication = CASE WHEN ? = 1 THEN 1 ELSE allow_duplication END, updated_at = ?, handed_over_in = NULL
     WHERE id = ? AND account = ? AND state = ?`,
    move.to,
    'project' in move ? BigInt(move.project.projectId) : null,
    'reason' in move ? move.reason : null,
    move.to === 'unresolved' ? move.uncertainSince : null,
    move.to === 'ready' && !move.attemptUsed ? 1 : 0,
    move.to === 'ready' && move.allowDuplication === true ? 1 : 0,
    now,
    orderId,
    account,
    from,
  );
  if (took === 0) return false;
  if ('project' in move) followProject(book, orderId, move.project);
  // What was told of a held row is no longer true.
  if (from === 'held') connection.run('UPDATE rows SET handed_over_in = NULL WHERE order_id = ?', orderId);
  if (from === 'submitting') {
    connection.run(
      `UPDATE attempts SET answered_at = ?, outcome = ?, detail = ?
       WHERE order_id = ? AND number = (SELECT max(number) FROM attempts WHERE order_id = ?)`,
      now,
      move.to === 'unresolved' && move.answered409 === true ? 'duplicate' : move.to,
      'reason' in move ? move.reason : null,
      orderId,
      orderId,
    );
  }
  if (move.to === 'refused') addNews(book, 'order-refused', orderId);
  addStep(book, 'order', orderId, move.to, stepDetail(move));
  return true;
}

function stepDetail(move: OrderMove): Record<string, unknown> {
  const { to: _to, ...detail } = move;
  return 'project' in detail ? { ...detail, project: detail.project.projectId } : detail;
}

/** The project is followed from now on; one that is followed already keeps what is known of it. */
function followProject(book: Book, orderId: number, tie: ProjectTie): void {
  const now = book.clock.now();
  const added = book.connection.run(
    `INSERT INTO projects (account, id, status, status_at, inspection_code, inspection_link, first_seen_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account, id) DO NOTHING`,
    book.account,
    BigInt(tie.projectId),
    tie.status,
    now,
    tie.inspectionCode,
    tie.inspectionLink,
    now,
  );
  if (added > 0) addStep(book, 'project', tie.projectId, 'followed', { status: tie.status, order: orderId });
}

export function recoverInterrupted(book: Book): number {
  const now = book.clock.now();
  const interrupted = book.connection.all(`SELECT id FROM orders WHERE account = ? AND state = 'submitting'`, book.account);
  for (const { id } of interrupted) {
    moveOrder(book, Number(id), 'submitting', { to: 'unresolved', reason: 'The program ended before the answer was on record.', uncertainSince: now });
  }
  return interrupted.length;
}

/** What a killed run left is `unresolved` from the next start on; a 409 is an answer, whatever comes of it. */
export function hadUnknownAttempt({ connection }: Book, orderId: number): boolean {
  return connection.get(`SELECT 1 AS found FROM attempts WHERE order_id = ? AND outcome = 'unresolved' LIMIT 1`, orderId) !== undefined;
}

export function projectsOfOtherOrders({ connection, account }: Book, orderId: number, projectIds: readonly string[]): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const id of projectIds) {
    const row = connection.get('SELECT 1 AS found FROM orders WHERE account = ? AND project_id = ? AND id <> ? LIMIT 1', account, BigInt(id), orderId);
    if (row !== undefined) taken.add(id);
  }
  return taken;
}

export function highestProjectId({ connection, account }: Book): string | null {
  const row = connection.get('SELECT CAST(max(id) AS TEXT) AS id FROM projects WHERE account = ?', account);
  return typeof row?.['id'] === 'string' ? row['id'] : null;
}

export function projectsAtAddress({ connection, account }: Book, addressKey: string): readonly string[] {
  return connection
    .all(
      `SELECT DISTINCT CAST(project_id AS TEXT) AS project_id FROM orders
       WHERE account = ? AND address_key IN (?, ?) AND project_id IS NOT NULL ORDER BY orders.project_id DESC LIMIT 20`,
      account,
      addressKey,
      forgottenKey(addressKey),
    )
    .map((row) => String(row['project_id']));
}
