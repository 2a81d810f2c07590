import { hash } from 'node:crypto';
import { z } from 'zod';
import type { OrderCode } from '../domain/order-codes.ts';
import type { OrderPayload } from '../domain/row.ts';
import {
  firstOf,
  listOf,
  type Store,
  idOrNull,
  isTrue,
  jsonOf,
  numberOrNull,
  orNull,
  rowReaderOf,
  textOf,
  textOrNull,
  type SqlValue,
} from './store.ts';
import { baseIdentity } from '../domain/identity.ts';

export const LIVING = `state NOT IN ('refused', 'abandoned')`;

export type OrderState = z.infer<typeof orderState>;

export type OrderRecord = ReturnType<typeof orderFrom>;

export type NewOrder = Pick<
  OrderRecord,
  'identity' | 'payload' | 'payloadHash' | 'allowDuplication' | 'rowWish' | 'reference' | 'renews'
> &
  Readonly<{ addressKey: string; policyKey: string | null; subjectKey: string }>;

export type ProjectLink = Readonly<{
  projectId: string;
  status: string;
  inspectionCode: string | null;
  inspectionLink: string | null;
}>;

export type OrderReason = Readonly<{
  code: OrderCode;
  reason: string;
}>;

export type OrderMove = Readonly<
  | { to: 'created'; project: ProjectLink; adopted: boolean }
  | ({ to: 'linked'; project: ProjectLink } & OrderReason)
  | ({ to: 'skipped' | 'refused' | 'held' | 'abandoned' } & OrderReason)
  /** `answered409`: the request created nothing; whose project blocks it is unknown. */
  | ({ to: 'unresolved'; uncertainSince: number; answered409?: true } & OrderReason)
  /** `attemptUsed: false`: the service did not handle the attempt. */
  | ({ to: 'ready'; attemptUsed: boolean; allowDuplication?: true } & OrderReason)
>;

const MOVES = {
  ready: ['unresolved', 'held', 'abandoned'],
  submitting: ['created', 'linked', 'skipped', 'refused', 'unresolved', 'ready', 'held'],
  created: [],
  linked: [],
  skipped: [],
  refused: [],
  unresolved: ['created', 'linked', 'skipped', 'refused', 'ready', 'held', 'abandoned'],
  held: ['created', 'linked', 'ready', 'abandoned'],
  abandoned: [],
} satisfies Readonly<Record<string, readonly OrderMove['to'][]>>;

const orderState = z.enum(Object.keys(MOVES) as (keyof typeof MOVES)[]);

/** `ready → submitting` is `beginAttempt`. */
export function mayMove(from: OrderState, to: OrderMove['to']) {
  return (MOVES[from] as readonly string[]).includes(to);
}

export function isNotFinal({ state }: OrderRecord) {
  return MOVES[state].length > 0;
}

export type OrderCounts = Readonly<Record<OrderState, number>>;

export const orderFrom = rowReaderOf('orders.', {
  id: Number,
  identity: textOf,
  state: (value) => orderState.parse(value),
  /** Frozen: every attempt sends it. */
  payload: jsonOf<OrderPayload>,
  payloadHash: textOf,
  allowDuplication: isTrue,
  rowWish: orNull(isTrue),
  /** Identifies a keyless order as ours; null for others. */
  reference: textOrNull,
  attempts: Number,
  /** The highest project id before the first attempt. */
  idBound: idOrNull,
  /** Since when a request may have been handled without our knowledge. */
  uncertainSince: numberOrNull,
  projectId: idOrNull,
  code: orNull(textOf<OrderCode>),
  reason: textOrNull,
  createdAt: Number,
  renews: numberOrNull,
});

export function findOrder(store: Store, orderId: number) {
  return firstOf(store, orderFrom, `${orderFrom.select} FROM orders WHERE account = ? AND id = ?`, orderId);
}

export function ordersWhere(store: Store, rest: string, ...values: SqlValue[]) {
  return listOf(store, orderFrom, `${orderFrom.select} FROM orders WHERE account = ? ${rest}`, ...values);
}

const BATCH = 500;

interface OrdersByState {
  ordersIn(state: OrderState, after: number, limit: number): Promise<readonly OrderRecord[]>;
}

/** Skips orders that leave the state before their batch. */
export async function* orderBatches(ledger: OrdersByState, state: OrderState, size = BATCH, from = 0) {
  for (let after: number | undefined = from; after !== undefined;) {
    const orders = await ledger.ordersIn(state, after, size);
    after = orders.at(-1)?.id;
    if (after !== undefined) yield orders;
  }
}

export async function* ordersInState(state: OrderState, ledger: OrdersByState) {
  for await (const orders of orderBatches(ledger, state)) yield* orders;
}

function ordersIn(store: Store, state: OrderState, after: number, limit: number) {
  return ordersWhere(store, 'AND state = ? AND id > ? ORDER BY id LIMIT ?', state, after, limit);
}

async function orderCounts(store: Store) {
  const counts = 'SELECT state, count(*) AS n FROM orders WHERE account = ? GROUP BY state';
  return Object.fromEntries([
    ...orderState.options.map((state) => [state, 0]),
    ...(await listOf(store, ({ state, n }) => [state, Number(n)], counts)),
  ]) as OrderCounts;
}

function projectMadeSince(store: Store, at: number) {
  return firstOf(
    store,
    ({ project_id: id }) => textOf(id),
    `SELECT CAST(orders.project_id AS TEXT) AS project_id FROM orders JOIN attempts ON attempts.order_id = orders.id AND attempts.number = 1
     WHERE orders.account = ? AND orders.state = 'created' AND orders.attempts = 1 AND attempts.sent_at >= ? ORDER BY attempts.sent_at, orders.id LIMIT 1`,
    at,
  );
}

/** A killed run's orders become `unresolved` at the next start. A 409 is a known outcome. */
async function hadUnknownAttempt({ driver }: Store, orderId: number, { notBy = '' } = {}) {
  const attempt = `SELECT 1 FROM attempts WHERE order_id = ?1 AND outcome = 'unresolved' AND (?2 = '' OR actor NOT IN ('', ?2)) LIMIT 1`;
  return (await driver.get(attempt, orderId, notBy)) !== undefined;
}

/** Ids of `ready` orders that another user may have placed already, except those that a person released. */
function readySentByOthers(store: Store, actor: string) {
  return listOf(
    store,
    ({ id }) => Number(id),
    `SELECT id FROM orders WHERE account = ?1 AND state = 'ready' AND code <> 'resent-by-person'
       AND EXISTS (SELECT 1 FROM attempts WHERE order_id = orders.id AND outcome = 'unresolved' AND actor NOT IN ('', ?2))`,
    actor,
  );
}

function highestProjectId(store: Store) {
  const highest = 'SELECT CAST(max(id) AS TEXT) AS id FROM projects WHERE account = ? AND details IS NULL';
  return firstOf(store, ({ id }) => textOrNull(id), highest);
}

function projectsAtAddress(store: Store, addressKey: string) {
  return listOf(
    store,
    (row) => textOf(row['project_id']),
    `SELECT CAST(project_id AS TEXT) AS project_id FROM orders
       WHERE account = ? AND address_key IN (?, ?) AND project_id IS NOT NULL GROUP BY orders.project_id ORDER BY orders.project_id DESC LIMIT 20`,
    addressKey,
    hashKey(addressKey),
  );
}

export const orderVerbs = {
  reads: {
    order: findOrder,
    ordersIn,
    orderCounts,
    hadUnknownAttempt,
    readySentByOthers,
    projectsAtAddress,
    /** A project of an order sent at or after this time and created at once. */
    projectMadeSince,
    highestProjectId,
  },
};

export function hashKey(key: string) {
  return `sha256:${hash('sha256', key)}`;
}

/** Keeps policy and inspection numbers, which are no personal details, and the endings of repeats and later terms. */
export function anonymousKey(key: string) {
  if (/^(inspection|policy|sha256):/.test(key)) return key;
  const identity = baseIdentity(key);
  return `${hashKey(identity)}${key.slice(identity.length)}`;
}

/** The range of the keys with this policy number and any date. A key is JSON: `["P-1","2026-11-01"]`. */
export function policyKeyRange(policyNumber: string): readonly [from: string, before: string] {
  const begin = JSON.stringify([policyNumber]).slice(0, -1);
  // A hyphen follows a comma.
  return [`${begin},`, `${begin}-`];
}
