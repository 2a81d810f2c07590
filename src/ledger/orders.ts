import { hash } from 'node:crypto';
import { z } from 'zod';
import { identityWithoutRepeat } from '../domain/identity.ts';
import type { OrderCode } from '../domain/order-codes.ts';
import type { OrderPayload } from '../domain/row.ts';
import {
  AMONG_IDS,
  jsonOf,
  numberOrNull,
  type SqlRow,
  type SqlValue,
  textOf,
  textOrNull,
  type Writes,
} from './driver.ts';
import { addNews, addStep, returnedBy, type Store, tellOfCancellation } from './store.ts';

export type OrderState =
  'ready' | 'submitting' | 'created' | 'linked' | 'skipped' | 'refused' | 'unresolved' | 'held' | 'abandoned';

export interface OrderRecord {
  readonly id: number;
  readonly identity: string;
  readonly state: OrderState;
  /** Frozen: every attempt sends it. */
  readonly payload: OrderPayload;
  readonly payloadHash: string;
  readonly allowDuplication: boolean;
  readonly rowWish: boolean | null;
  /** Identifies a keyless order as ours; null for others. */
  readonly reference: string | null;
  readonly attempts: number;
  /** The highest project id known before the first attempt; null until then. */
  readonly idBound: string | null;
  /** Since when a request may have been handled without our knowledge. */
  readonly uncertainSince: number | null;
  readonly projectId: string | null;
  readonly code: OrderCode | null;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly renews: number | null;
}

export interface NewOrder {
  readonly identity: string;
  readonly addressKey: string;
  /** Policy number and effective date; null without a number. */
  readonly policyKey: string | null;
  readonly payload: OrderPayload;
  readonly payloadHash: string;
  readonly allowDuplication: boolean;
  readonly rowWish: boolean | null;
  readonly reference: string | null;
  readonly subjectKey: string;
  readonly renews: number | null;
}

export interface ProjectTie {
  readonly projectId: string;
  readonly status: string;
  readonly inspectionCode: string | null;
  readonly inspectionLink: string | null;
}

export interface OrderReason {
  readonly code: OrderCode;
  readonly reason: string;
}

export type OrderMove =
  | { readonly to: 'created'; readonly project: ProjectTie; readonly adopted: boolean }
  | ({ readonly to: 'linked'; readonly project: ProjectTie } & OrderReason)
  | ({ readonly to: 'skipped' | 'refused' | 'held' | 'abandoned' } & OrderReason)
  /** `answered409`: the request created nothing; whose project blocks it is unknown. */
  | ({ readonly to: 'unresolved'; readonly uncertainSince: number; readonly answered409?: true } & OrderReason)
  /** `attemptUsed: false`: the service did not handle the attempt. */
  | ({ readonly to: 'ready'; readonly attemptUsed: boolean; readonly allowDuplication?: true } & OrderReason);

const MOVES: Readonly<Record<OrderState, readonly OrderMove['to'][]>> = {
  ready: ['held', 'abandoned'],
  submitting: ['created', 'linked', 'skipped', 'refused', 'unresolved', 'ready', 'held'],
  unresolved: ['created', 'linked', 'skipped', 'refused', 'ready', 'held', 'abandoned'],
  held: ['created', 'linked', 'ready', 'abandoned'],
  created: [],
  linked: [],
  skipped: [],
  refused: [],
  abandoned: [],
};

/** Their rows are listed as not ordered … */
const WITHOUT_OWN_PROJECT: ReadonlySet<OrderMove['to']> = new Set([
  'refused',
  'held',
  'skipped',
  'linked',
  'abandoned',
]);
/** … these until somebody acts. */
const FOR_SOMEBODY: ReadonlySet<OrderMove['to']> = new Set(['refused', 'held']);

/** `ready → submitting` is `beginAttempt`. */
export function mayMove(from: OrderState, to: OrderMove['to']): boolean {
  return MOVES[from].includes(to);
}

export interface OrderCounts extends Readonly<Record<OrderState, number>> {}

const orderState = z.enum([
  'ready',
  'submitting',
  'created',
  'linked',
  'skipped',
  'refused',
  'unresolved',
  'held',
  'abandoned',
]);

export const ORDER_COLUMNS = `orders.id, orders.identity, orders.state, orders.payload, orders.payload_hash, orders.allow_duplication, orders.row_wish, orders.reference,
  orders.attempts, CAST(orders.id_bound AS TEXT) AS id_bound, orders.uncertain_since, CAST(orders.project_id AS TEXT) AS project_id,
  orders.code, orders.reason, orders.created_at, orders.renews`;

export function orderFrom(row: SqlRow): OrderRecord {
  return {
    id: Number(row['id']),
    identity: textOf(row['identity']),
    state: orderState.parse(row['state']) satisfies OrderState,
    payload: jsonOf(row['payload']) as OrderPayload,
    payloadHash: textOf(row['payload_hash']),
    allowDuplication: row['allow_duplication'] === 1,
    rowWish: row['row_wish'] === null ? null : row['row_wish'] === 1,
    reference: textOrNull(row['reference']),
    attempts: Number(row['attempts']),
    idBound: textOrNull(row['id_bound']),
    uncertainSince: numberOrNull(row['uncertain_since']),
    projectId: textOrNull(row['project_id']),
    code: textOrNull(row['code']) as OrderCode | null,
    reason: textOrNull(row['reason']),
    createdAt: Number(row['created_at']),
    renews: numberOrNull(row['renews']),
  };
}

export async function findOrder({ driver, account }: Store, orderId: number): Promise<OrderRecord | null> {
  const row = await driver.get(`SELECT ${ORDER_COLUMNS} FROM orders WHERE id = ? AND account = ?`, orderId, account);
  return row === undefined ? null : orderFrom(row);
}

const BATCH = 500;

/** Yields a state's orders by id, in batches: skips orders that leave the state before their batch. */
export async function* everyOrderIn(
  state: OrderState,
  ledger: { ordersIn(state: OrderState, after: number, limit: number): Promise<readonly OrderRecord[]> },
): AsyncIterable<OrderRecord> {
  for (let after = 0; ;) {
    const orders = await ledger.ordersIn(state, after, BATCH);
    yield* orders;
    const last = orders.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function ordersIn({ driver, account }: Store, state: OrderState, after: number, limit: number) {
  return (
    await driver.query(
      `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND state = ? AND id > ? ORDER BY id LIMIT ?`,
      account,
      state,
      after,
      limit,
    )
  ).map(orderFrom);
}

async function orderCounts({ driver, account }: Store) {
  const counts = {
    ready: 0,
    submitting: 0,
    created: 0,
    linked: 0,
    skipped: 0,
    refused: 0,
    unresolved: 0,
    held: 0,
    abandoned: 0,
  };
  const counted = await driver.query(
    'SELECT state, count(*) AS n FROM orders WHERE account = ? GROUP BY state',
    account,
  );
  return Object.assign(counts, Object.fromEntries(counted.map((row) => [String(row['state']), Number(row['n'])])));
}

export interface Attempt {
  readonly actor: string;
  readonly idBound: string;
  readonly payload: object;
  readonly payloadHash: string;
}

async function beginAttempt(store: Store<Writes>, orderId: number, attempt: Attempt) {
  return await noteAttempt(store, orderId, attempt, store.clock.now(), `AND NOT EXISTS (${idsLike('id < ?2', 1)})`);
}

/** `sentAt`: the earliest time of sending. `which`: another condition. False if the order was not ready for it. */
export async function noteAttempt(
  store: Store<Writes>,
  orderId: number,
  attempt: Attempt,
  sentAt: number,
  which = '',
): Promise<boolean> {
  const { driver, clock, account } = store;
  const took =
    (await driver.run(
      `UPDATE orders SET state = 'submitting', attempts = attempts + 1, id_bound = coalesce(id_bound, ?3), code = NULL, reason = NULL, updated_at = ?4
     WHERE id = ?2 AND account = ?1 AND state = 'ready' ${which}`,
      account,
      orderId,
      BigInt(attempt.idBound),
      clock.now(),
    )) > 0;
  if (!took) return false;
  await Promise.all([
    driver.run(
      `INSERT INTO attempts (order_id, number, run, actor, payload, payload_hash, sent_at)
       SELECT id, attempts, ?, ?, ?, ?, ? FROM orders WHERE id = ?
       ON CONFLICT (order_id, number) DO UPDATE SET run = excluded.run, sent_at = excluded.sent_at, answered_at = NULL, outcome = NULL, detail = NULL`,
      store.run ?? '',
      attempt.actor,
      JSON.stringify(attempt.payload),
      attempt.payloadHash,
      sentAt,
      orderId,
    ),
    addStep(store, 'order', orderId, 'sending', {
      actor: attempt.actor,
      idBound: attempt.idBound,
      payloadHash: attempt.payloadHash,
    }),
  ]);
  return true;
}

async function orderBefore(store: Store, orderId: number) {
  return (await withKeyOf(store, orderId, 'id < ?2', 1))[0] ?? null;
}

async function ordersWithNoneBefore({ driver, account }: Store, orderIds: readonly number[]) {
  const rows = await driver.query(
    `SELECT asked.id FROM orders AS asked WHERE asked.account = ?1 AND asked.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?2)) AND NOT EXISTS (${idsLike('id < asked.id', 1, 'asked.id')})`,
    account,
    JSON.stringify(orderIds),
  );
  return new Set(rows.map(({ id }) => Number(id)));
}

async function undecidedLike(store: Store, orderId: number) {
  return await withKeyOf(store, orderId, `id <> ?2 AND state <> 'ready'`, UNDECIDED_MAX);
}

const UNDECIDED_MAX = 200;
/** Must equal the condition of the indexes of open orders. */
const OPEN = `state IN ('ready', 'submitting', 'unresolved', 'held')`;

/**
 * Orders that the service could confuse with this one (document: Errors, rules 2 to 4): by inspection number; by policy
 * and date if one has no number; by address if one is commercial, or both have neither number. The latest first.
 */
async function withKeyOf(
  { driver, account }: Store,
  orderId: number,
  condition: string,
  limit: number,
): Promise<readonly OrderRecord[]> {
  return (
    await driver.query(
      `SELECT ${ORDER_COLUMNS} FROM orders WHERE id IN (${idsLike(condition, limit)}) ORDER BY id DESC LIMIT ${limit}`,
      account,
      orderId,
    )
  ).map(orderFrom);
}

function idsLike(condition: string, limit: number, orderId = '?2'): string {
  const number = `json_extract(payload, '$.inspectionNumber')`;
  const commercial = `json_extract(payload, '$.policyType') = 'Commercial Property Insurance'`;
  const own = (key: 'number' | 'policy_key' | 'address_key' | 'is_commercial'): string => `(SELECT ${key} FROM own)`;
  const latest = (index: string, key: string): string =>
    `SELECT * FROM (SELECT id FROM orders INDEXED BY ${index} WHERE account = ?1 AND ${OPEN} AND ${condition} AND ${key} ORDER BY id DESC LIMIT ${limit}) AS latest`;
  return `WITH own AS (SELECT nullif(${number}, '') AS number, policy_key, address_key, CASE WHEN ${commercial} THEN 1 ELSE 0 END AS is_commercial FROM orders WHERE id = ${orderId} AND account = ?1)
    ${latest('orders_open_by_number', `${number} = ${own('number')}`)}
    UNION ${latest('orders_open_by_policy', `policy_key = ${own('policy_key')} AND (${own('number')} IS NULL OR ${number} IS NULL)`)}
    UNION ${latest('orders_open_by_address', `address_key = ${own('address_key')} AND (${own('is_commercial')} = 1 OR ${commercial} OR (${own('number')} IS NULL AND ${own('policy_key')} IS NULL AND ${number} IS NULL AND policy_key IS NULL))`)}`;
}

async function projectMadeSince({ driver, account }: Store, at: number) {
  const row = await driver.get(
    `SELECT CAST(orders.project_id AS TEXT) AS project_id FROM orders JOIN attempts ON attempts.order_id = orders.id AND attempts.number = 1
     WHERE orders.account = ? AND orders.state = 'created' AND orders.attempts = 1 AND attempts.sent_at >= ? ORDER BY attempts.sent_at, orders.id LIMIT 1`,
    account,
    at,
  );
  return textOrNull(row?.['project_id']);
}

/** Ignores late results of a run that another host took over: the order may already be sent again. */
const OF_THIS_RUN =
  'AND EXISTS (SELECT 1 FROM attempts WHERE order_id = orders.id AND number = orders.attempts AND run = ?)';

/** A result about one doubt does not apply to the next: another host may have settled it and sent the order again. */
const OF_THIS_ATTEMPT = 'AND attempts = ?';

async function move(
  store: Store<Writes>,
  order: number | Pick<OrderRecord, 'id' | 'attempts'>,
  from: OrderState,
  to: OrderMove,
) {
  const id = typeof order === 'number' ? order : order.id;
  if ('adopted' in to && to.adopted && (await projectsOfOtherOrders(store, id, [to.project.projectId])).size > 0)
    return false;
  if (typeof order === 'object') return await moveOrder(store, id, from, to, OF_THIS_ATTEMPT, [order.attempts]);
  return from === 'submitting'
    ? await moveOrder(store, id, from, to, OF_THIS_RUN, [store.run ?? ''])
    : await moveOrder(store, id, from, to);
}

export async function moveOrder(
  store: Store<Writes>,
  orderId: number,
  from: OrderState,
  to: OrderMove,
  which = '',
  values: readonly SqlValue[] = [],
): Promise<boolean> {
  if (!mayMove(from, to.to)) throw new Error(`an order never goes from ${from} to ${to.to}`);
  const { driver, clock, account } = store;
  const now = clock.now();
  // If the machine slept, the caller's time is too early: a request may have left until now.
  const move = to.to === 'unresolved' ? { ...to, uncertainSince: Math.max(to.uncertainSince, now) } : to;
  const took =
    (await driver.run(
      `UPDATE orders SET state = ?, project_id = coalesce(?, project_id), code = ?, reason = ?, uncertain_since = ?, attempts = attempts - ?,
       allow_duplication = CASE WHEN ? = 1 THEN 1 ELSE allow_duplication END, updated_at = ?, handed_over_in = NULL
     WHERE id = ? AND account = ? AND state = ? ${which}`,
      move.to,
      'project' in move ? BigInt(move.project.projectId) : null,
      'code' in move ? move.code : null,
      'reason' in move ? move.reason : null,
      move.to === 'unresolved' ? move.uncertainSince : null,
      move.to === 'ready' && !move.attemptUsed ? 1 : 0,
      move.to === 'ready' && move.allowDuplication === true ? 1 : 0,
      now,
      orderId,
      account,
      from,
      ...values,
    )) > 0;
  if (!took) return false;
  const follows: Promise<unknown>[] = [];
  if ('project' in move) follows.push(followProject(store, orderId, move.project));
  // What a delivery showed of its rows is outdated.
  if (from === 'held' || WITHOUT_OWN_PROJECT.has(move.to))
    follows.push(
      driver.run(
        `UPDATE rows SET handed_over_in = NULL, open_since = CASE WHEN outcome = 'order' THEN ? ELSE open_since END WHERE order_id = ?`,
        FOR_SOMEBODY.has(move.to) ? now : null,
        orderId,
      ),
    );
  if (from === 'submitting')
    follows.push(
      driver.run(
        `UPDATE attempts SET answered_at = ?, outcome = ?, detail = ?
         WHERE order_id = ? AND number = (SELECT max(number) FROM attempts WHERE order_id = ?)`,
        now,
        move.to === 'unresolved' && move.answered409 === true ? 'duplicate' : move.to,
        'reason' in move ? move.reason : null,
        orderId,
        orderId,
      ),
    );
  if (move.to === 'refused') follows.push(addNews(store, 'order-refused', orderId));
  await Promise.all([...follows, addStep(store, 'order', orderId, move.to, stepDetail(move))]);
  return true;
}

function stepDetail(move: OrderMove): Record<string, unknown> {
  const { to: _to, ...detail } = move;
  return 'project' in detail ? { ...detail, project: detail.project.projectId } : detail;
}

async function followProject(store: Store<Writes>, orderId: number, tie: ProjectTie): Promise<void> {
  const { driver, account, clock } = store;
  const now = clock.now();
  const isNew = 'NOT EXISTS (SELECT 1 FROM projects WHERE account = ? AND id = ?)';
  const id = BigInt(tie.projectId);
  const detail = { status: tie.status, order: orderId };
  await Promise.all([
    addStep(store, 'project', tie.projectId, 'followed', detail, isNew, [account, id]),
    driver.run(
      `INSERT INTO projects (account, id, status, status_at, inspection_code, inspection_link, first_seen_at, returned_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account, id) DO NOTHING`,
      account,
      id,
      tie.status,
      now,
      tie.inspectionCode,
      tie.inspectionLink,
      now,
      returnedBy(tie.status, now),
    ),
    tellOfCancellation(store, tie.projectId, tie.status),
  ]);
}

async function interrupted({
  driver,
  account,
}: Store): Promise<readonly { readonly id: number; readonly run: string }[]> {
  return (
    await driver.query(
      `SELECT orders.id, attempts.run FROM orders LEFT JOIN attempts ON attempts.order_id = orders.id AND attempts.number = orders.attempts WHERE orders.account = ? AND orders.state = 'submitting'`,
      account,
    )
  ).map((row) => ({ id: Number(row['id']), run: textOf(row['run']) }));
}

async function sendingRuns(store: Store) {
  return [...new Set((await interrupted(store)).map(({ run }) => run))];
}

async function recoverInterrupted(store: Store<Writes>, runs?: readonly string[]) {
  const now = store.clock.now();
  const theirs = (await interrupted(store)).filter(({ run }) => runs?.includes(run) ?? true);
  for (const { id } of theirs) {
    await moveOrder(store, id, 'submitting', {
      to: 'unresolved',
      code: 'program-ended',
      reason: 'The program ended before the answer was on record.',
      uncertainSince: now,
    });
  }
  return theirs.length;
}

/** A killed run's orders become `unresolved` at the next start. A 409 is a known outcome. */
async function hadUnknownAttempt({ driver }: Store, orderId: number) {
  return (
    (await driver.get(
      `SELECT 1 AS found FROM attempts WHERE order_id = ? AND outcome = 'unresolved' LIMIT 1`,
      orderId,
    )) !== undefined
  );
}

async function projectsOfOtherOrders(
  { driver, account }: Store,
  orderId: number,
  projectIds: readonly string[],
  since = 0,
) {
  const rows = await driver.query(
    `SELECT CAST(project_id AS TEXT) AS project_id FROM orders WHERE account = ? AND project_id IN ${AMONG_IDS} AND id <> ? AND updated_at >= ?`,
    account,
    JSON.stringify(projectIds),
    orderId,
    since,
  );
  return new Set(rows.map((row) => textOf(row['project_id'])));
}

async function highestProjectId({ driver, account }: Store) {
  const row = await driver.get(
    'SELECT CAST(max(id) AS TEXT) AS id FROM projects WHERE account = ? AND details IS NULL',
    account,
  );
  return textOrNull(row?.['id']);
}

async function projectsAtAddress({ driver, account }: Store, addressKey: string) {
  return (
    await driver.query(
      `SELECT CAST(project_id AS TEXT) AS project_id FROM orders
       WHERE account = ? AND address_key IN (?, ?) AND project_id IS NOT NULL GROUP BY orders.project_id ORDER BY orders.project_id DESC LIMIT 20`,
      account,
      addressKey,
      forgottenKey(addressKey),
    )
  ).map((row) => String(row['project_id']));
}

export function forgottenKey(key: string): string {
  return `sha256:${hash('sha256', key)}`;
}

/** Keeps policy and inspection numbers, which are no personal details, and the endings of repeats and later terms. */
export function keyWhenForgotten(key: string): string {
  if (/^(inspection|policy|sha256):/.test(key)) return key;
  const identity = identityWithoutRepeat(key);
  return `${forgottenKey(identity)}${key.slice(identity.length)}`;
}

/** The key range of a policy number with any date. A key is JSON: `["P-1","2026-11-01"]`. */
export function policyKeyRange(policyNumber: string): readonly [from: string, before: string] {
  const begin = JSON.stringify([policyNumber]).slice(0, -1);
  // The comma's successor is the hyphen.
  return [`${begin},`, `${begin}-`];
}

export const orderVerbs = {
  reads: {
    order: findOrder,
    ordersIn,
    orderCounts,
    /**
     * The nearest earlier open order that shares a key: the service could mistake one for the other. Until that is
     * closed, this order waits.
     */
    orderBefore,
    /** Those without an order before them; this never changes, since ids ascend. */
    ordersWithNoneBefore,
    /** Orders that share a key and may have an unrecorded project. */
    undecidedLike,
    hadUnknownAttempt,
    /** Of orders at this address, the latest first. */
    projectsAtAddress,
    /** The first project of an order sent at or after this time and created at once, or null. */
    projectMadeSince,
    /** Those tied to other orders that moved at or after `since`. */
    projectsOfOtherOrders,
    highestProjectId,
    sendingRuns,
  },
  writes: {
    /** ready → submitting, with the attempt. False if it was not ready, or must wait. */
    beginAttempt,
    /**
     * Moves an order out of the expected state. Returns false without change if it was in another, another run sends it,
     * or it would adopt another order's project. Given `attempts`, also if an attempt was made since.
     */
    moveOrder: move,
    /** After a crash: `submitting` orders (of these runs) become `unresolved`, in doubt from now. Returns how many. */
    recoverInterrupted,
  },
  own: {},
};
