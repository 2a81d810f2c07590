import type { RowPlace } from '../../domain/row.ts';
import type { ChangedOrder, FieldChange } from '../rows.ts';
import type { Book } from '../store.ts';

/** Puts what a row changed on record, in the transaction that records the row. */
export function addChanges({ connection, clock, account }: Book, rowId: number, orderId: number, changes: readonly FieldChange[]): void {
  connection.run('INSERT INTO order_changes (row_id, account, order_id, at, changes) VALUES (?, ?, ?, ?, ?)', rowId, account, orderId, clock.now(), JSON.stringify(changes));
}

export function changedOrders({ connection, account }: Book, limit: number): readonly ChangedOrder[] {
  return connection
    .all(
      `SELECT order_changes.order_id, order_changes.at, order_changes.changes, CAST(orders.project_id AS TEXT) AS project_id, projects.status,
         json_extract(rows.record, '$.place') AS place
       FROM order_changes JOIN rows ON rows.id = order_changes.row_id JOIN orders ON orders.id = order_changes.order_id
       LEFT JOIN projects ON projects.account = orders.account AND projects.id = orders.project_id
       WHERE order_changes.account = ? AND orders.state NOT IN ('refused', 'abandoned')
         AND coalesce(projects.status, '') NOT IN ('Project Canceled', 'Client Received', 'Receive Error')
         AND NOT EXISTS (SELECT 1 FROM order_changes AS later
           WHERE later.account = order_changes.account AND later.order_id = order_changes.order_id AND later.row_id > order_changes.row_id)
       ORDER BY order_changes.row_id DESC LIMIT ?`,
      account,
      limit,
    )
    .map((row) => ({
      orderId: Number(row['order_id']),
      projectId: row['project_id'] === null ? null : String(row['project_id']),
      status: row['status'] === null ? null : String(row['status']),
      at: Number(row['at']),
      place: JSON.parse(String(row['place'])) as RowPlace,
      changes: JSON.parse(String(row['changes'])) as FieldChange[],
    }));
}
