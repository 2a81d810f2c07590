import { filesOf, type StoredArtifact } from './artifacts.ts';
import { jsonOf } from './driver.ts';
import { findOrder, ORDER_COLUMNS, orderFrom, type OrderRecord } from './orders.ts';
import { findProject, PROJECT_COLUMNS, projectFrom, type ProjectRecord } from './projects.ts';
import { NOT_CORRECTED, ROW_COLUMNS, rowFrom, type StoredRow } from './rows.ts';
import { addStep, inBatches, type Store } from './store.ts';

/** A project with the order it was created for, for the results workbook. */
export interface FollowedProject {
  readonly project: ProjectRecord;
  readonly order: OrderRecord;
  /** Where its row stands; null for an order without one. */
  readonly row: StoredRow | null;
  /** The latest version of each. */
  readonly artifacts: readonly StoredArtifact[];
}

/** What a delivery showed, so that the next one starts where it ended. */
export interface HandOver {
  readonly run: string;
  /** Relative to the workspace. */
  readonly folder: string;
  readonly contents: Readonly<Record<string, string | null>>;
  readonly orderIds: readonly number[];
  readonly rowIds: readonly number[];
  readonly projectIds: readonly string[];
}

export interface DeliveryRecord {
  readonly run: string;
  /** Relative to the workspace. */
  readonly folder: string;
  readonly publishedAt: number;
  /** The paths of what is in it, relative to the workspace; null for what it does not hold. */
  readonly contents: Readonly<Record<string, string | null>>;
}

export function deliveriesOnRecord({ driver, account }: Store): readonly DeliveryRecord[] {
  return driver
    .query(`SELECT deliveries.run, folder, published_at, contents FROM deliveries JOIN runs ON runs.id = deliveries.run WHERE runs.account = ?
         AND NOT EXISTS (SELECT 1 FROM removals WHERE removals.account = runs.account AND removals.path = deliveries.folder) ORDER BY published_at, deliveries.rowid`, account)
    .map((row) => ({
      run: String(row['run']),
      folder: String(row['folder']),
      publishedAt: Number(row['published_at']),
      contents: jsonOf(row['contents']) as Record<string, string | null>,
    }));
}

const BATCH = 200;

/** Outstanding projects are shown every night; the others when something about them changed. */
const TO_SHOW = `(projects.handed_over_in IS NULL OR (projects.collected_at IS NULL AND projects.given_up_at IS NULL AND projects.status NOT IN ('Client Received', 'Project Canceled', 'Receive Error')))`;

/** Orders that are at an end or wait, and that no delivery has shown yet. */
const ORDERS_TO_HAND_OVER = `orders.handed_over_in IS NULL`;

/** Rejections, refusals, repeats and what waits for a person: every row without a project of its own, unless a corrected row has replaced it. */
const NOT_ORDERED = `(rows.outcome IN ('rejection', 'repeat') OR orders.state IN ('refused', 'skipped', 'held', 'linked', 'abandoned')) AND ${NOT_CORRECTED}`;

async function* projectsForResults(store: Store, all: boolean): AsyncIterable<FollowedProject> {
  for (let after = -1n; ; ) {
    const projects = store.driver
      .query(
        `SELECT ${PROJECT_COLUMNS} FROM projects WHERE account = ? AND projects.id > ? ${all ? '' : `AND ${TO_SHOW}`} ORDER BY projects.id LIMIT ${BATCH}`,
        store.account,
        after,
      )
      .map(projectFrom);
    for (const project of projects) {
      const order = firstOrderOf(store, project.id);
      if (order !== null) yield { project, order, row: rowOf(store, order.id), artifacts: filesOf(store, project.id) };
    }
    const last = projects.at(-1);
    if (last === undefined) return;
    after = BigInt(last.id);
  }
}

function firstOrderOf({ driver, account }: Store, projectId: string): OrderRecord | null {
  const row = driver.get(`SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND project_id = ? ORDER BY state = 'created' DESC, id LIMIT 1`, account, BigInt(projectId));
  return row === undefined ? null : orderFrom(row);
}

function rowOf({ driver }: Store, orderId: number): StoredRow | null {
  const row = driver.get(`SELECT ${ROW_COLUMNS} FROM rows JOIN files ON files.id = rows.file_id WHERE rows.order_id = ? ORDER BY rows.id LIMIT 1`, orderId);
  return row === undefined ? null : rowFrom(row);
}

async function* notOrdered(store: Store, all: boolean): AsyncIterable<{ readonly row: StoredRow; readonly order: OrderRecord | null }> {
  const query = `SELECT ${ROW_COLUMNS} FROM rows JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id
    WHERE rows.id > ? AND files.account = ? AND ${NOT_ORDERED} ${all ? '' : 'AND rows.handed_over_in IS NULL'} ORDER BY rows.id LIMIT ${BATCH}`;
  for (const found of inBatches((after) => store.driver.query(query, after, store.account))) {
    const row = rowFrom(found);
    yield { row, order: row.orderId === null ? null : findOrder(store, row.orderId) };
  }
}

async function* ordersToHandOver(store: Store): AsyncIterable<{ readonly order: OrderRecord; readonly row: StoredRow | null; readonly project: ProjectRecord | null }> {
  const query = `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND id > ? AND ${ORDERS_TO_HAND_OVER} ORDER BY id LIMIT ${BATCH}`;
  for (const found of inBatches((after) => store.driver.query(query, store.account, after))) {
    const order = orderFrom(found);
    yield { order, row: rowOf(store, order.id), project: order.projectId === null ? null : findProject(store, order.projectId) };
  }
}

function somethingToHandOver({ driver, account }: Store): { readonly orders: boolean; readonly results: boolean } {
  const has = (sql: string): boolean => driver.get(sql, account) !== undefined;
  return {
    orders: has(`SELECT 1 FROM orders WHERE account = ? AND ${ORDERS_TO_HAND_OVER} LIMIT 1`),
    results:
      has('SELECT 1 FROM projects WHERE account = ? AND handed_over_in IS NULL LIMIT 1') ||
      has(`SELECT 1 FROM rows JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id
           WHERE files.account = ? AND rows.handed_over_in IS NULL AND ${NOT_ORDERED} LIMIT 1`),
  };
}

function recordDelivery(store: Store, handOver: HandOver): void {
  const { driver, clock, account } = store;
  driver.run(
    'INSERT INTO deliveries (run, folder, published_at, contents) VALUES (?, ?, ?, ?)',
    handOver.run,
    handOver.folder,
    clock.now(),
    JSON.stringify(handOver.contents),
  );
  for (const id of handOver.orderIds) driver.run('UPDATE orders SET handed_over_in = ? WHERE id = ?', handOver.run, id);
  for (const id of handOver.rowIds) driver.run('UPDATE rows SET handed_over_in = ? WHERE id = ?', handOver.run, id);
  for (const id of handOver.projectIds) {
    driver.run('UPDATE projects SET handed_over_in = ? WHERE account = ? AND id = ?', handOver.run, account, BigInt(id));
    addStep(store, 'project', id, 'delivered', { folder: handOver.folder });
  }
  addStep(store, 'delivery', handOver.run, 'published', { folder: handOver.folder });
}

function deliveryOf({ driver }: Store, run: string): string | null {
  const row = driver.get('SELECT folder FROM deliveries WHERE run = ?', run);
  return row === undefined ? null : String(row['folder']);
}

function deliveredProjects({ driver, account }: Store): ReadonlySet<string> {
  const rows = driver.query('SELECT CAST(id AS TEXT) AS id FROM projects WHERE account = ? AND handed_over_in IS NOT NULL', account);
  return new Set(rows.map((row) => String(row['id'])));
}

export const deliveryVerbs = {
  reads: { somethingToHandOver, deliveryOf, deliveriesOnRecord, deliveredProjects },
  writes: { recordDelivery },
  own: { projectsForResults, notOrdered, ordersToHandOver },
};
