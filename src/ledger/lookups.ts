import { identityWithoutRepeat } from '../domain/identity.ts';
import type { RowPlace } from '../domain/row.ts';
import { jsonOf, type SqlRow, type SqlValue, textOf, textOrNull } from './driver.ts';
import {
  forgottenKey,
  keyWhenForgotten,
  type NewOrder,
  ORDER_COLUMNS,
  orderFrom,
  type OrderRecord,
  policyKeyRange,
} from './orders.ts';
import { findProject } from './projects.ts';
import { EARLIER_COLUMNS, earlierFrom, type EarlierRow, FROM_ROWS, placesOf, rowsThatWentBack } from './rows.ts';
import type { Store } from './store.ts';
import { amendedDetails, identitiesBeside, type PolicyDetails } from './updates.ts';

/** A project that the service knows or may know, through its order. */
export interface KnownProject {
  readonly orderId: number;
  readonly projectId: string | null;
  /** Epoch ms; for an unsent order, when it was recorded. */
  readonly createdAt: number;
  /**
   * Whether the service certainly has it, with this time and these details. False for orders in doubt or held, and for
   * those tied to an existing project of unknown age.
   */
  readonly certain: boolean;
}

/** One insured-by's key in the duplicate rules (document: Errors, rules 1 to 4). */
export interface DuplicateKey {
  readonly insuredBy: string;
  readonly since: number;
}

/** Returns the newest project for each key of the duplicate rules, or null. */
export interface KnownProjects {
  withInspectionNumber(inspectionNumber: string, key: DuplicateKey): KnownProject | null;
  /** Both may be empty: read literally, rule 2 also compares projects without policy number (READING 4). */
  withPolicy(policyNumber: string, effectiveDate: string, key: DuplicateKey): KnownProject | null;
  /** `addressKey` from `domain/identity.ts`; any policy type. */
  atAddress(addressKey: string, key: DuplicateKey): KnownProject | null;
}

export interface WentBackLookup {
  /** By the start of its hash; or null. */
  findFileByHashStart(hashStart: string): { readonly id: number; readonly hash: string } | null;
  /** By the start of their names, with or without sender; the latest first, at most `limit`. */
  filesNamedLike(
    nameStart: string,
    limit: number,
  ): readonly { readonly id: number; readonly hash: string; readonly name: string }[];
  rowsThatWentBack(fileId: number): Iterable<EarlierRow>;
  placesOf(fileId: number): Iterable<Pick<RowPlace, 'sheet' | 'rowNumber'>>;
  findRow(rowId: number): EarlierRow | null;
}

/** Null if not applicable. */
export interface RowKeys {
  readonly identity: string;
  readonly policyKey: string | null;
  readonly addressKey: string | null;
  readonly subjectKey: string;
}

/** Without a usable inspection. */
export type ProjectEnd = 'canceled' | 'closed-out' | 'given-up';

export interface OrderLookup {
  /** With a living order; may include similar ones. */
  keysOnRecord(rows: readonly RowKeys[]): ReadonlySet<string>;
  /** Includes earlier rows of the file. */
  findLivingOrder(identity: string): OrderRecord | null;
  /** The latest living order placed again under this identity (`keyOfRepeat`), or null. */
  findOrderedAgain(identity: string): OrderRecord | null;
  /** Since `since`, not refused. */
  findOrderAtAddress(addressKey: string, since: number): OrderRecord | null;
  /** With any inspection number. */
  findOrderOfPolicy(policyKey: string): OrderRecord | null;
  /**
   * Every living order of an identity, the latest first: including repeats, later terms and amended ones; without
   * numbers also other spellings of the address. At most 500.
   */
  ordersOf(keys: Pick<RowKeys, 'identity' | 'subjectKey'>): readonly OrderRecord[];
  /** Of a house, service and insured since `since`, the latest first. At most 500. */
  ordersOfSubject(subjectKey: string, since: number): readonly OrderRecord[];
  alsoKnownBy(order: Pick<OrderRecord, 'id'>): readonly string[];
  placeOfOrder(order: Pick<OrderRecord, 'id'>): RowPlace | null;
  statusOfProject(projectId: string): string | null;
  /** Null if it did not end, or was inspected. */
  endOfProject(projectId: string): ProjectEnd | null;
  /** Empty if they are the order's. */
  amendedPolicy(projectId: string): PolicyDetails;
}

export function lookupIn(store: Store): OrderLookup & WentBackLookup {
  return {
    ...wentBackIn(store),
    keysOnRecord: (rows) => keysOnRecord(store, rows),
    findLivingOrder: (identity) => findLivingOrder(store, identity),
    findOrderedAgain: (identity) => findOrderedAgain(store, identity),
    findOrderAtAddress: (addressKey, since) => findOrderAtAddress(store, addressKey, since),
    findOrderOfPolicy: (policyKey) => findOrderOfPolicy(store, policyKey),
    ordersOf: (keys) => ordersOf(store, keys),
    ordersOfSubject: (subjectKey, since) => ordersOfSubject(store, subjectKey, since),
    alsoKnownBy: (order) => identitiesBeside(store, order.id),
    placeOfOrder: (order) => placeOfOrder(store, order.id),
    statusOfProject: (projectId) => findProject(store, projectId)?.status ?? null,
    endOfProject: (projectId) => endOfProject(store, projectId),
    amendedPolicy: (projectId) => amendedDetails(store, projectId),
  };
}

interface AddsOrders {
  addOrder(order: NewOrder): number;
  addIdentity(identity: string, order: OrderRecord): void;
}

/**
 * Looks up the keys of coming rows in one query, then single rows only for those found: most rows are new, and a remote
 * database answers slowly.
 */
export function lookingAhead<T extends OrderLookup & AddsOrders>(
  transaction: T,
): T & { readonly expect: (rows: readonly RowKeys[]) => void } {
  let expected = new Set<string>();
  let onRecord = new Set<string>();
  const mayStand = (key: string): boolean => !expected.has(key) || onRecord.has(key);
  return {
    ...transaction,
    expect: (rows) => {
      expected = new Set(rows.flatMap(keysIn));
      onRecord = new Set(transaction.keysOnRecord(rows));
    },
    addOrder: (order) => {
      for (const key of keysIn(order)) onRecord.add(key);
      return transaction.addOrder(order);
    },
    addIdentity: (identity, order) => {
      onRecord.add(identity);
      transaction.addIdentity(identity, order);
    },
    findLivingOrder: (identity) => (mayStand(identity) ? transaction.findLivingOrder(identity) : null),
    findOrderedAgain: (identity) => (mayStand(identity) ? transaction.findOrderedAgain(identity) : null),
    findOrderAtAddress: (addressKey, since) =>
      mayStand(addressKey) ? transaction.findOrderAtAddress(addressKey, since) : null,
    findOrderOfPolicy: (policyKey) => (mayStand(policyKey) ? transaction.findOrderOfPolicy(policyKey) : null),
    ordersOf: (keys) => (mayStand(keys.identity) || mayStand(keys.subjectKey) ? transaction.ordersOf(keys) : []),
    ordersOfSubject: (key, since) => (mayStand(key) ? transaction.ordersOfSubject(key, since) : []),
  };
}

function keysIn({ identity, policyKey, addressKey, subjectKey: subject }: RowKeys): readonly string[] {
  return [identity, policyKey, addressKey, subject].filter((key) => key !== null);
}

const LIVING = `state NOT IN ('refused', 'abandoned')`;
const AMONG = (list: string): string => `IN (SELECT value FROM json_each(${list}))`;
// Ranges find repeats without a scan of all orders.
const KEYS_ON_RECORD = `SELECT wanted.value AS found FROM json_each(?2) AS wanted
    WHERE EXISTS (SELECT 1 FROM orders WHERE account = ?1 AND identity >= wanted.value AND identity < wanted.value || '$' AND ${LIVING})
  UNION SELECT identity FROM amended_identities WHERE account = ?1 AND identity ${AMONG('?2')}
  UNION SELECT policy_key FROM orders WHERE account = ?1 AND policy_key ${AMONG('?3')} AND ${LIVING}
  UNION SELECT wanted.value FROM json_each(?4) AS wanted
    WHERE EXISTS (SELECT 1 FROM orders WHERE account = ?1 AND address_key BETWEEN wanted.value AND wanted.value AND ${LIVING})
  UNION SELECT subject_key FROM orders WHERE account = ?1 AND subject_key ${AMONG('?5')} AND ${LIVING}`;

function keysOnRecord({ driver, account }: Store, rows: readonly RowKeys[]): ReadonlySet<string> {
  // A forgotten order's key is stored hashed.
  const identities = new Map(
    rows.flatMap(({ identity }) => [
      [identity, identity],
      [keyWhenForgotten(identity), identity],
    ]),
  );
  const addresses = new Map(
    rows.flatMap(({ addressKey }) =>
      addressKey === null
        ? []
        : [
            [addressKey, addressKey],
            [forgottenKey(addressKey), addressKey],
          ],
    ),
  );
  const policies = rows.flatMap(({ policyKey }) => policyKey ?? []);
  const found = driver
    .query(
      KEYS_ON_RECORD,
      account,
      JSON.stringify([...identities.keys()]),
      JSON.stringify(policies),
      JSON.stringify([...addresses.keys()]),
      JSON.stringify(rows.map((row) => row.subjectKey)),
    )
    .map((row) => String(row['found']));
  return new Set(found.map((key) => identities.get(key) ?? addresses.get(key) ?? key));
}

function placeOfOrder({ driver, account }: Store, orderId: number): RowPlace | null {
  const row = driver.get(
    `SELECT json_extract(rows.record, '$.place') AS place FROM rows JOIN files ON files.id = rows.file_id
     WHERE files.account = ? AND rows.order_id = ? AND rows.outcome = 'order' ORDER BY rows.id LIMIT 1`,
    account,
    orderId,
  );
  return row === undefined ? null : (jsonOf(row['place']) as RowPlace);
}

// Asked for every row.
const LIVING_ORDER = `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND identity IN (?, ?) AND state NOT IN ('refused', 'abandoned')`;
const ORDERED_AGAIN = `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND identity > ? AND identity < ? AND state NOT IN ('refused', 'abandoned') ORDER BY id DESC LIMIT 50`;
const AMENDED_ORDER = `SELECT ${ORDER_COLUMNS} FROM orders JOIN amended_identities ON amended_identities.order_id = orders.id
  WHERE amended_identities.account = ? AND amended_identities.identity IN (?, ?) AND state NOT IN ('refused', 'abandoned') ORDER BY orders.id DESC LIMIT 1`;
const ORDER_AT_ADDRESS = `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND address_key IN (?, ?) AND created_at >= ? AND state NOT IN ('refused', 'abandoned')
  ORDER BY id DESC LIMIT 1`;
const ORDER_OF_POLICY = `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND policy_key = ? AND state NOT IN ('refused', 'abandoned') ORDER BY id DESC LIMIT 1`;

function findLivingOrder(store: Store, identity: string) {
  const { driver, account } = store;
  const forgotten = keyWhenForgotten(identity);
  const row = driver.get(LIVING_ORDER, account, identity, forgotten);
  // A forgotten order keeps its former identity.
  if (row !== undefined) return { ...orderFrom(row), identity };
  const amended = driver.get(AMENDED_ORDER, account, identity, forgotten);
  return amended === undefined ? null : orderFrom(amended);
}

/** The dollar sign follows the number sign. Another inspection number may begin with this one and a number sign. */
function findOrderedAgain({ driver, account }: Store, identity: string) {
  const rows = driver.query(ORDERED_AGAIN, account, `${identity}#`, `${identity}$`);
  const found = rows.find((row) => identityWithoutRepeat(String(row['identity'])) === identity);
  return found === undefined ? null : orderFrom(found);
}

function findOrderAtAddress({ driver, account }: Store, addressKey: string, since: number) {
  const row = driver.get(ORDER_AT_ADDRESS, account, addressKey, forgottenKey(addressKey), since);
  return row === undefined ? null : orderFrom(row);
}

function findOrderOfPolicy({ driver, account }: Store, policyKey: string) {
  const row = driver.get(ORDER_OF_POLICY, account, policyKey);
  return row === undefined ? null : orderFrom(row);
}

const ORDERS_MAX = 500;
/** The range from the number sign to its successor holds an identity's repeats. Each branch has an index. */
const ORDERS_OF = `SELECT ${ORDER_COLUMNS}, orders.subject_key FROM orders WHERE id IN (
    SELECT id FROM orders WHERE account = ?1 AND identity IN (?2, ?3) AND ${LIVING}
    UNION SELECT id FROM orders WHERE account = ?1 AND identity > ?2 || '#' AND identity < ?2 || '$' AND ${LIVING}
    UNION SELECT id FROM orders WHERE account = ?1 AND identity > ?3 || '#' AND identity < ?3 || '$' AND ${LIVING}
    UNION SELECT order_id FROM amended_identities WHERE account = ?1 AND identity IN (?2, ?3)
    UNION SELECT id FROM orders WHERE account = ?1 AND subject_key = ?4)
  AND ${LIVING} ORDER BY id DESC LIMIT ${ORDERS_MAX}`;
const ORDERS_OF_SUBJECT = `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND subject_key = ? AND created_at >= ? AND ${LIVING} ORDER BY id DESC LIMIT ${ORDERS_MAX}`;
const IS_AMENDED_TO =
  'SELECT 1 AS found FROM amended_identities WHERE account = ? AND order_id = ? AND identity IN (?, ?)';

function ordersOf(
  { driver, account }: Store,
  { identity, subjectKey: subject }: Pick<RowKeys, 'identity' | 'subjectKey'>,
): readonly OrderRecord[] {
  const forgotten = keyWhenForgotten(identity);
  const isOfNoNumber = (key: string): boolean => /^(?:address|sha256):/.test(key);
  return driver
    .query(ORDERS_OF, account, identity, forgotten, isOfNoNumber(identity) ? subject : '-')
    .filter((row) => {
      const own = identityWithoutRepeat(textOf(row['identity']));
      if (own === identity || own === forgotten) return true;
      if (row['subject_key'] === subject && isOfNoNumber(identity) && isOfNoNumber(own)) return true;
      return driver.get(IS_AMENDED_TO, account, Number(row['id']), identity, forgotten) !== undefined;
    })
    .map(orderFrom)
    .map((order) => ({ ...order, identity: order.identity.replace(forgotten, () => identity) }));
}

function ordersOfSubject({ driver, account }: Store, subject: string, since: number): readonly OrderRecord[] {
  return driver.query(ORDERS_OF_SUBJECT, account, subject, since).map(orderFrom);
}

function endOfProject(store: Store, projectId: string): ProjectEnd | null {
  const row = store.driver.get(
    `SELECT status, given_up_at, EXISTS (SELECT 1 FROM closeouts WHERE closeouts.account = projects.account AND closeouts.project_id = projects.id) AS is_closed_out
     FROM projects WHERE account = ? AND id = ?`,
    store.account,
    BigInt(projectId),
  );
  if (row === undefined) return null;
  if (row['status'] === 'Project Canceled') return 'canceled';
  if (row['is_closed_out'] === 1) return 'closed-out';
  return row['given_up_at'] === null ? null : 'given-up';
}

function wentBackIn(store: Store): WentBackLookup {
  const { driver, account } = store;
  return {
    findFileByHashStart: (hashStart) => {
      // Hex digits sort before g.
      const row = driver.get(
        'SELECT id, hash FROM files WHERE account = ? AND hash >= ? AND hash < ? ORDER BY hash LIMIT 1',
        account,
        hashStart,
        `${hashStart}g`,
      );
      return row === undefined ? null : { id: Number(row['id']), hash: String(row['hash']) };
    },
    filesNamedLike: (nameStart, limit) =>
      driver
        .query(
          `SELECT id, hash, name FROM files
           WHERE account = ?1 AND (substr(name, 1, length(?2)) = ?2 OR (sender <> '' AND substr(name, length(sender) + 2, length(?2)) = ?2)) ORDER BY id DESC LIMIT ?3`,
          account,
          nameStart,
          limit,
        )
        .map((row) => ({ id: Number(row['id']), hash: String(row['hash']), name: String(row['name']) })),
    rowsThatWentBack: (fileId) => rowsThatWentBack(store, fileId),
    placesOf: (fileId) => placesOf(store, fileId),
    findRow: (rowId) => {
      const row = driver.get(
        `SELECT ${EARLIER_COLUMNS} ${FROM_ROWS} WHERE rows.id = ? AND files.account = ?`,
        rowId,
        account,
      );
      return row === undefined ? null : earlierFrom(row);
    },
  };
}

/**
 * When the project was created, as far as known: at its last request. A tied project is older than the tie; an unsent
 * one will be the youngest.
 */
const CREATED_AT = `CASE orders.state
    WHEN 'ready' THEN 9007199254740991
    WHEN 'linked' THEN orders.updated_at
    WHEN 'skipped' THEN orders.updated_at
    ELSE coalesce((SELECT max(sent_at) FROM attempts WHERE attempts.order_id = orders.id), orders.created_at) END`;

export function knownProjectsIn(store: Store): KnownProjects {
  return {
    withInspectionNumber: (inspectionNumber, key) =>
      newestOf(store, `json_extract(payload, '$.inspectionNumber') = ?`, [inspectionNumber], key),
    withPolicy: (policyNumber, effectiveDate, key) => newestOfPolicy(store, policyNumber, effectiveDate, key),
    atAddress: (addressKey, key) =>
      newestOf(store, 'address_key IN (?, ?)', [addressKey, forgottenKey(addressKey)], key),
  };
}

function newestOf(
  store: Store,
  condition: string,
  values: readonly SqlValue[],
  key: DuplicateKey,
): KnownProject | null {
  const [row] = newestFirst(store, condition, values, key, 1);
  return row === undefined ? null : knownProjectFrom(row);
}

/** Current policies may be amended. */
function newestOfPolicy(
  store: Store,
  policyNumber: string,
  effectiveDate: string,
  key: DuplicateKey,
): KnownProject | null {
  const row = newestFirst(store, ...candidatesFor(store, policyNumber, effectiveDate), key, CANDIDATES_MAX).find(
    (candidate) => {
      const projectId = candidate['project_id'];
      const amended = typeof projectId === 'string' ? amendedDetails(store, projectId) : {};
      const now = {
        policyNumber: candidate['policy_number'],
        policyEffectiveDate: candidate['effective_date'],
        ...amended,
      };
      return now.policyNumber === policyNumber && now.policyEffectiveDate === effectiveDate;
    },
  );
  return row === undefined ? null : knownProjectFrom(row);
}

/** Orders of the policy in any term, or amended to it; without a number, all without one. */
function candidatesFor(
  { driver, account }: Store,
  policyNumber: string,
  effectiveDate: string,
): [condition: string, values: readonly SqlValue[]] {
  const amended = `SELECT orders.id FROM updates JOIN orders ON orders.account = updates.account AND orders.project_id = updates.project_id
    WHERE updates.account = ? AND updates.state = 'done' AND`;
  if (policyNumber !== '') {
    const ordered = 'SELECT id FROM orders WHERE account = ? AND policy_key >= ? AND policy_key < ?';
    return [
      `orders.id IN (${ordered} UNION ${amended} json_extract(request, '$.policyNumber') = ?)`,
      [account, ...policyKeyRange(policyNumber), account, policyNumber],
    ];
  }
  const ordered = `policy_key IS NULL AND coalesce(json_extract(payload, '$.policyEffectiveDate'), '') = ?`;
  const isAny =
    driver.get(
      `SELECT 1 FROM updates WHERE account = ? AND state = 'done' AND json_extract(request, '$.kind') = 'amend' LIMIT 1`,
      account,
    ) !== undefined;
  return isAny
    ? [`(${ordered} OR orders.id IN (${amended} json_extract(request, '$.kind') = 'amend'))`, [effectiveDate, account]]
    : [ordered, [effectiveDate]];
}

const CANDIDATES_MAX = 100;

/**
 * The service numbers projects by creation, so unnumbered ones come last. Orders tied to another order's project are
 * omitted: that order has the details.
 */
function newestFirst(
  { driver, account }: Store,
  condition: string,
  values: readonly SqlValue[],
  { insuredBy, since }: DuplicateKey,
  limit: number,
): readonly SqlRow[] {
  return driver.query(
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

function knownProjectFrom(row: SqlRow): KnownProject {
  return {
    orderId: Number(row['id']),
    projectId: textOrNull(row['project_id']),
    createdAt: row['state'] === 'ready' ? Number(row['created_at']) : Number(row['known_at']),
    certain: row['state'] === 'created',
  };
}
