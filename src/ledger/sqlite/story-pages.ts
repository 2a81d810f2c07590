import type { ArtifactRecord, ProjectRecord, Step, StoredRow } from '../ledger.ts';
import type { OrderRecord } from '../order-record.ts';
import type { Book } from './book.ts';
import { findProject } from './hand-over-pages.ts';
import { ORDER_COLUMNS, orderFrom, ROW_COLUMNS, rowFrom, stepFrom } from './mapping.ts';
import { findOrder } from './order-pages.ts';
import { artifactsOf } from './project-pages.ts';

const FOUND_MAX = 200;
const INT64_MAX = 2n ** 63n - 1n;

export function findOrders({ connection, account }: Book, text: string): readonly OrderRecord[] {
  const digits = /^\d{1,19}$/.test(text) && BigInt(text) <= INT64_MAX ? BigInt(text) : -1n;
  return connection
    .all(
      `SELECT ${ORDER_COLUMNS} FROM orders WHERE orders.account = ? AND orders.id IN (
         SELECT id FROM orders WHERE json_extract(payload, '$.policyNumber') = ? OR json_extract(payload, '$.inspectionNumber') = ?
         UNION SELECT id FROM orders WHERE project_id = ?
         UNION SELECT id FROM orders WHERE id = ?
         UNION SELECT rows.order_id FROM rows JOIN files ON files.id = rows.file_id WHERE files.name = ? OR files.hash = ?)
       ORDER BY orders.id LIMIT ${FOUND_MAX}`,
      account,
      text,
      text,
      digits,
      digits,
      text,
      text,
    )
    .map(orderFrom);
}

export function storyOf(
  book: Book,
  orderId: number,
): { readonly rows: readonly StoredRow[]; readonly steps: readonly Step[]; readonly project: ProjectRecord | null; readonly artifacts: readonly ArtifactRecord[] } {
  const { connection, account } = book;
  const projectId = findOrder(book, orderId)?.projectId ?? null;
  const rows = connection
    .all(`SELECT ${ROW_COLUMNS} FROM rows JOIN files ON files.id = rows.file_id WHERE rows.order_id = ? ORDER BY rows.id`, orderId)
    .map(rowFrom);
  const steps = connection
    .all(
      `SELECT * FROM steps WHERE account = ? AND ((subject = 'order' AND subject_id = ?) OR (subject = 'project' AND subject_id = ?)) ORDER BY id`,
      account,
      String(orderId),
      projectId ?? '',
    )
    .map(stepFrom);
  return {
    rows,
    steps,
    project: projectId === null ? null : findProject(book, projectId),
    artifacts: projectId === null ? [] : artifactsOf(book, projectId),
  };
}
