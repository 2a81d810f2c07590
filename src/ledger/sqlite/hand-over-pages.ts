import type { FollowedProject, HandOver } from '../deliveries.ts';
import type { ProjectRecord } from '../projects.ts';
import type { StoredRow } from '../rows.ts';
import type { OrderRecord } from '../orders.ts';
import { addStep, type Book } from '../store.ts';
import { findOrder } from './order-pages.ts';
import { ORDER_COLUMNS, orderFrom, PROJECT_COLUMNS, projectFrom, ROW_COLUMNS, rowFrom } from './mapping.ts';
import { filesOf } from './project-pages.ts';
import { NOT_CORRECTED } from './went-back-pages.ts';

const BATCH = 200;

/** Outstanding projects are shown every night; the others when something about them changed. */
const TO_SHOW = `(projects.handed_over_in IS NULL OR (projects.collected_at IS NULL AND projects.given_up_at IS NULL AND projects.status NOT IN ('Client Received', 'Project Canceled', 'Receive Error')))`;

/** Orders that are at an end or wait, and that no delivery has shown yet. */
const ORDERS_TO_HAND_OVER = `orders.handed_over_in IS NULL`;

/** Rejections, refusals, repeats and what waits for a person: whatever of a row became no project of its own, unless a corrected row came in its place. */
const NOT_ORDERED = `(rows.outcome IN ('rejection', 'repeat') OR orders.state IN ('refused', 'skipped', 'held', 'linked', 'abandoned')) AND ${NOT_CORRECTED}`;

export async function* projectsForResults(book: Book, all: boolean): AsyncIterable<FollowedProject> {
  for (let after = -1n; ; ) {
    const projects = book.connection
      .all(
        `SELECT ${PROJECT_COLUMNS} FROM projects WHERE account = ? AND projects.id > ? ${all ? '' : `AND ${TO_SHOW}`} ORDER BY projects.id LIMIT ${BATCH}`,
        book.account,
        after,
      )
      .map(projectFrom);
    for (const project of projects) {
      const order = firstOrderOf(book, project.id);
      if (order !== null) yield { project, order, row: rowOf(book, order.id), artifacts: filesOf(book, project.id) };
    }
    const last = projects.at(-1);
    if (last === undefined) return;
    after = BigInt(last.id);
  }
}

function firstOrderOf({ connection, account }: Book, projectId: string): OrderRecord | null {
  const row = connection.get(`SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND project_id = ? ORDER BY state = 'created' DESC, id LIMIT 1`, account, BigInt(projectId));
  return row === undefined ? null : orderFrom(row);
}

function rowOf({ connection }: Book, orderId: number): StoredRow | null {
  const row = connection.get(`SELECT ${ROW_COLUMNS} FROM rows JOIN files ON files.id = rows.file_id WHERE rows.order_id = ? ORDER BY rows.id LIMIT 1`, orderId);
  return row === undefined ? null : rowFrom(row);
}

export async function* notOrdered(book: Book, all: boolean): AsyncIterable<{ readonly row: StoredRow; readonly order: OrderRecord | null }> {
  for (let after = 0; ; ) {
    const rows = book.connection.all(
      `SELECT ${ROW_COLUMNS} FROM rows JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id
       WHERE rows.id > ? AND files.account = ? AND ${NOT_ORDERED} ${all ? '' : 'AND rows.handed_over_in IS NULL'}
       ORDER BY rows.id LIMIT ${BATCH}`,
      after,
      book.account,
    );
    for (const row of rows.map(rowFrom)) yield { row, order: row.orderId === null ? null : findOrder(book, row.orderId) };
    if (rows.length < BATCH) return;
    after = Number(rows.at(-1)?.['id']);
  }
}

export async function* ordersToHandOver(
  book: Book,
): AsyncIterable<{ readonly order: OrderRecord; readonly row: StoredRow | null; readonly project: ProjectRecord | null }> {
  for (let after = 0; ; ) {
    const orders = book.connection
      .all(`SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND id > ? AND ${ORDERS_TO_HAND_OVER} ORDER BY id LIMIT ${BATCH}`, book.account, after)
      .map(orderFrom);
    for (const order of orders) yield { order, row: rowOf(book, order.id), project: order.projectId === null ? null : findProject(book, order.projectId) };
    const last = orders.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

export function findProject({ connection, account }: Book, projectId: string): ProjectRecord | null {
  const row = connection.get(`SELECT ${PROJECT_COLUMNS} FROM projects WHERE account = ? AND id = ?`, account, BigInt(projectId));
  return row === undefined ? null : projectFrom(row);
}

export function somethingToHandOver({ connection, account }: Book): { readonly orders: boolean; readonly results: boolean } {
  const has = (sql: string): boolean => connection.get(sql, account) !== undefined;
  return {
    orders: has(`SELECT 1 FROM orders WHERE account = ? AND ${ORDERS_TO_HAND_OVER} LIMIT 1`),
    results:
      has('SELECT 1 FROM projects WHERE account = ? AND handed_over_in IS NULL LIMIT 1') ||
      has(`SELECT 1 FROM rows JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id
           WHERE files.account = ? AND rows.handed_over_in IS NULL AND ${NOT_ORDERED} LIMIT 1`),
  };
}

export function recordDelivery(book: Book, handOver: HandOver): void {
  const { connection, clock, account } = book;
  connection.run(
    'INSERT INTO deliveries (run, folder, published_at, contents) VALUES (?, ?, ?, ?)',
    handOver.run,
    handOver.folder,
    clock.now(),
    JSON.stringify(handOver.contents),
  );
  for (const id of handOver.orderIds) connection.run('UPDATE orders SET handed_over_in = ? WHERE id = ?', handOver.run, id);
  for (const id of handOver.rowIds) connection.run('UPDATE rows SET handed_over_in = ? WHERE id = ?', handOver.run, id);
  for (const id of handOver.projectIds) {
    connection.run('UPDATE projects SET handed_over_in = ? WHERE account = ? AND id = ?', handOver.run, account, BigInt(id));
    addStep(book, 'project', id, 'delivered', { folder: handOver.folder });
  }
  addStep(book, 'delivery', handOver.run, 'published', { folder: handOver.folder });
}

export function deliveryOf({ connection }: Book, run: string): string | null {
  const row = connection.get('SELECT folder FROM deliveries WHERE run = ?', run);
  return row === undefined ? null : String(row['folder']);
}

export function deliveredProjects({ connection, account }: Book): ReadonlySet<string> {
  const rows = connection.all('SELECT CAST(id AS TEXT) AS id FROM projects WHERE account = ? AND handed_over_in IS NOT NULL', account);
  return new Set(rows.map((row) => String(row['id'])));
}
