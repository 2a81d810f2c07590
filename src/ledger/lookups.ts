import { baseIdentity } from '../domain/identity.ts';
import type { RowPlace } from '../domain/row.ts';
import { hashKey, anonymousKey, LIVING, type NewOrder, orderFrom, type OrderRecord } from './orders.ts';
import { CLOSEOUT_REASONS } from './projects.ts';
import { listOf, type Store, AMONG_IDS, jsonOf, rowReader, textOf, textOrNull, idsIn, type SqlRow } from './store.ts';
import { amendmentsByProject } from './updates.ts';

export type RowKeys = Readonly<{
  identity: string;
  policyKey: string | null;
  addressKey: string | null;
  subjectKey: string;
}>;

/** About the rows that were asked for. Every order is a living one. */
export type OrderLookup = Omit<KnownOrders, 'find' | 'replaceWith' | 'addOrder' | 'addIdentity' | 'addPlace'>;

export type OrdersOnRecord = Readonly<Awaited<ReturnType<typeof ordersOnRecord>>>;

type KeyedOrder = OrdersOnRecord['orders'][number];

const NONE_ON_RECORD: OrdersOnRecord = {
  orders: [],
  identities: [],
  places: new Map(),
  projects: new Map(),
  amended: new Map(),
};

const SUBJECT_MAX = 500;
// Ranges avoid a scan of all orders: the dollar sign follows the number sign. At an address, the latest order by id may
// be older than another: a file of the archive can be recorded again.
const ORDERS_ON_RECORD = `${orderFrom.select}, orders.address_key, orders.policy_key, orders.subject_key FROM orders WHERE id IN (
    SELECT placed.id FROM json_each(?2) AS wanted CROSS JOIN orders AS placed
      ON placed.account = ?1 AND placed.identity >= wanted.value AND placed.identity < wanted.value || '$' WHERE placed.${LIVING}
    UNION SELECT order_id FROM amended_identities WHERE account = ?1 AND identity IN (SELECT value FROM json_each(?2))
    UNION SELECT (SELECT max(id) FROM orders WHERE account = ?1 AND policy_key = wanted.value AND ${LIVING}) FROM json_each(?3) AS wanted
    UNION SELECT (SELECT max(id) FROM orders WHERE account = ?1 AND address_key = wanted.value AND ${LIVING}) FROM json_each(?4) AS wanted
    UNION SELECT (SELECT id FROM orders WHERE account = ?1 AND address_key = wanted.value AND ${LIVING} ORDER BY created_at DESC LIMIT 1) FROM json_each(?4) AS wanted
    UNION SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY subject_key ORDER BY id DESC) AS place FROM orders
      WHERE account = ?1 AND subject_key IN (SELECT value FROM json_each(?5)) AND ${LIVING}) AS latest WHERE place <= ${SUBJECT_MAX}
    UNION SELECT CAST(value AS BIGINT) FROM json_each(?6))
  AND account = ?1 AND ${LIVING} ORDER BY id DESC`;

const keysFrom = rowReader({ addressKey: textOf, policyKey: textOrNull, subjectKey: textOf });

export async function ordersOnRecord(store: Store, rows: readonly RowKeys[], orderIds: readonly number[] = []) {
  // A forgotten order's key is stored hashed.
  const identities = [...new Set(rows.flatMap(({ identity }) => [identity, anonymousKey(identity)]))];
  const orders = await listOf(
    store,
    (row) => ({ ...orderFrom(row), ...keysFrom(row) }),
    ORDERS_ON_RECORD,
    identities,
    rows.flatMap(({ policyKey }) => policyKey ?? []),
    [...new Set(rows.flatMap(({ addressKey: key }) => (key === null ? [] : [key, hashKey(key)])))],
    [...new Set(rows.map(({ subjectKey }) => subjectKey))],
    orderIds,
  );
  const ids = orders.map(({ id }) => id);
  const projectIds = orders.flatMap(({ projectId }) => projectId ?? []);
  const [others, places, projects, amended] = await Promise.all([
    store.driver.query(
      `SELECT identity, order_id FROM amended_identities WHERE account = ?1 AND order_id IN ${idsIn('?2')}
       UNION SELECT identity, order_id FROM amended_identities WHERE account = ?1 AND identity IN (SELECT value FROM json_each(?3))`,
      store.account,
      ids,
      identities,
    ),
    placesOfOrders(store, ids),
    projectIds.length === 0
      ? []
      : listOf(
          store,
          (row) => [textOf(row['id']), { status: textOf(row['status']), end: endIn(row) }] as const,
          `SELECT CAST(id AS TEXT) AS id, status, given_up_at, ${CLOSEOUT_REASONS} FROM projects WHERE account = ? AND id IN ${AMONG_IDS}`,
          projectIds,
        ),
    amendmentsByProject(store, projectIds),
  ]);
  return {
    orders,
    identities: others.map((row) => ({ identity: textOf(row['identity']), orderId: Number(row['order_id']) })),
    places,
    projects: new Map(projects),
    amended,
  };
}

export async function placesOfOrders(store: Store, orderIds: readonly number[]) {
  if (orderIds.length === 0) return new Map<number, RowPlace>();
  const places = await listOf(
    store,
    (row) => [Number(row['order_id']), jsonOf<RowPlace>(row['place'])] as const,
    `SELECT rows.order_id, json_extract(rows.record, '$.place') AS place FROM rows JOIN files ON files.id = rows.file_id
     WHERE files.account = ? AND rows.id IN (SELECT min(id) FROM rows WHERE outcome = 'order' AND order_id IN ${AMONG_IDS} GROUP BY order_id)`,
    orderIds,
  );
  return new Map(places);
}

function endIn(row: SqlRow) {
  if (row['status'] === 'Project Canceled') return 'canceled';
  if (row['closeout_reasons'] !== null) return 'closed-out';
  return row['given_up_at'] === null ? null : 'given-up';
}

const latestFirst = (one: OrderRecord, other: OrderRecord) => other.id - one.id;

const latestOf = <T extends OrderRecord>(orders: readonly T[]) => orders.toSorted(latestFirst)[0] ?? null;

const isOfNoNumber = (key: string) => /^(?:address|sha256):/.test(key);

export class KnownOrders {
  #onRecord = NONE_ON_RECORD;
  readonly #byId = new Map<number, KeyedOrder>();
  readonly #byKey = new Map<string, KeyedOrder[]>();
  readonly #others = new Map<number, string[]>();
  #places = new Map<number, RowPlace>();

  constructor(onRecord: OrdersOnRecord = NONE_ON_RECORD) {
    this.replaceWith(onRecord);
  }

  /** Forgets what was added. */
  replaceWith(onRecord: OrdersOnRecord) {
    for (const known of [this.#byId, this.#byKey, this.#others]) known.clear();
    this.#onRecord = onRecord;
    this.#places = new Map(onRecord.places);
    for (const order of onRecord.orders) this.#add(order);
    for (const { identity, orderId } of onRecord.identities) this.addIdentity(identity, { id: orderId });
  }

  find(orderId: number): OrderRecord | null {
    return this.#byId.get(orderId) ?? null;
  }

  addOrder(id: number, order: NewOrder, createdAt: number) {
    this.#add({
      ...order,
      id,
      state: 'ready',
      attempts: 0,
      idBound: null,
      uncertainSince: null,
      projectId: null,
      code: null,
      reason: null,
      createdAt,
    });
  }

  addIdentity(identity: string, { id }: Pick<OrderRecord, 'id'>) {
    this.#others.set(id, [...this.alsoKnownBy({ id }), identity]);
    const order = this.#byId.get(id);
    if (order !== undefined) this.#index('amended', identity, order);
  }

  addPlace(orderId: number, place: RowPlace) {
    if (!this.#places.has(orderId)) this.#places.set(orderId, place);
  }

  readonly findLivingOrder = (identity: string): OrderRecord | null => {
    const forgotten = anonymousKey(identity);
    const own = this.#under('identity', baseIdentity(identity), baseIdentity(forgotten)).find(
      (order) => order.identity === identity || order.identity === forgotten,
    );
    // A forgotten order keeps its former identity.
    return own === undefined ? latestOf(this.#under('amended', identity, forgotten)) : { ...own, identity };
  };

  /** The latest placed again under this identity (`keyOfRepeat`). */
  readonly findOrderedAgain = (identity: string): OrderRecord | null =>
    latestOf(this.#under('identity', identity).filter((order) => order.identity.startsWith(`${identity}#`)));

  readonly findOrderAtAddress = (addressKey: string, since: number): OrderRecord | null => {
    const there = this.#under('address', addressKey, hashKey(addressKey));
    return latestOf(there.filter(({ createdAt }) => createdAt >= since));
  };

  /** The latest with any inspection number. */
  readonly findOrderOfPolicy = (policyKey: string): OrderRecord | null => latestOf(this.#under('policy', policyKey));

  /** With repeats, later terms, amended ones and, without numbers, other spellings of the address; the latest first. */
  readonly ordersOf = ({ identity, subjectKey }: Omit<RowKeys, 'policyKey' | 'addressKey'>): readonly OrderRecord[] => {
    const forgotten = anonymousKey(identity);
    const alike = isOfNoNumber(identity)
      ? this.#under('subject', subjectKey).filter((order) => isOfNoNumber(order.identity))
      : [];
    const found = new Set([
      ...this.#under('identity', identity, forgotten),
      ...this.#under('amended', identity, forgotten),
      ...alike,
    ]);
    return [...found]
      .toSorted(latestFirst)
      .map((order) => ({ ...order, identity: order.identity.replace(forgotten, () => identity) }));
  };

  /** Orders of a house, service and insured, the latest first. At most 500. */
  readonly ordersOfSubject = (subjectKey: string): readonly OrderRecord[] =>
    this.#under('subject', subjectKey).toSorted(latestFirst).slice(0, SUBJECT_MAX);

  readonly alsoKnownBy = ({ id }: Pick<OrderRecord, 'id'>): readonly string[] => this.#others.get(id) ?? [];

  readonly placeOfOrder = ({ id }: Pick<OrderRecord, 'id'>) => this.#places.get(id) ?? null;

  readonly statusOfProject = (projectId: string | null) => this.#onRecord.projects.get(projectId ?? '')?.status ?? null;

  /** Null if it did not end, or was inspected. */
  readonly endOfProject = (projectId: string | null) => this.#onRecord.projects.get(projectId ?? '')?.end ?? null;

  readonly amendmentsOf = (projectId: string | null) => this.#onRecord.amended.get(projectId ?? '') ?? [];

  #add(order: KeyedOrder) {
    this.#byId.set(order.id, order);
    this.#index('identity', baseIdentity(order.identity), order);
    this.#index('address', order.addressKey, order);
    this.#index('subject', order.subjectKey, order);
    if (order.policyKey !== null) this.#index('policy', order.policyKey, order);
  }

  #index(kind: string, key: string, order: KeyedOrder) {
    const orders = this.#byKey.get(`${kind} ${key}`);
    if (orders === undefined) this.#byKey.set(`${kind} ${key}`, [order]);
    else if (!orders.includes(order)) orders.push(order);
  }

  #under(kind: string, key: string, other = key) {
    const orders = this.#byKey.get(`${kind} ${key}`) ?? [];
    return other === key ? orders : [...orders, ...(this.#byKey.get(`${kind} ${other}`) ?? [])];
  }
}

export function mergeOrders(one: OrdersOnRecord, other: OrdersOnRecord) {
  return {
    orders: [...one.orders, ...other.orders],
    identities: [...one.identities, ...other.identities],
    places: new Map([...other.places, ...one.places]),
    projects: new Map([...other.projects, ...one.projects]),
    amended: new Map([...other.amended, ...one.amended]),
  };
}

export const lookupVerbs = { reads: { ordersOnRecord, placesOfOrders } };
