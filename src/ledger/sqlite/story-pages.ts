import type { Book, Step } from '../store.ts';
import type { FileRecord } from '../files.ts';
import type { StoredRow } from '../rows.ts';
import type { OrderRecord, OrderState } from '../orders.ts';
import type { AttemptRecord, OrderStory, RowStanding, RunOnRecord, StoryBook } from '../history.ts';
import { findProject } from './hand-over-pages.ts';
import { fileFrom, ORDER_COLUMNS, orderFrom, ROW_COLUMNS, rowFrom, stepFrom } from './mapping.ts';
import { findOrder } from './order-pages.ts';
import { artifactsOf } from './project-pages.ts';
import { projectsNamed, updatesOf } from './update-pages.ts';
import { rowsBefore } from './went-back-pages.ts';

const FOUND_MAX = 200;
const BATCH = 500;
const INT64_MAX = 2n ** 63n - 1n;

export function storyBookIn(book: Book): StoryBook {
  return {
    lastRuns: async (limit) => lastRuns(book, limit),
    latestOrders: async (limit) => latestOrders(book, limit),
    findOrders: async (text) => findOrders(book, text),
    findFiles: async (text) => findFiles(book, text),
    rowsOf: (fileId) => rowsOf(book, fileId),
    storyOf: async (orderId) => storyOf(book, orderId),
  };
}

function findOrders(book: Book, text: string): readonly OrderRecord[] {
  const { connection, account } = book;
  const digits = /^\d{1,19}$/.test(text) && BigInt(text) <= INT64_MAX ? BigInt(text) : -1n;
  const projects = JSON.stringify(projectsNamed(book, 'policyNumber', text).map(({ projectId }) => projectId));
  const policy = `${JSON.stringify([text]).slice(0, -1)},`;
  const found = connection.all(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE orders.id IN (
       SELECT id FROM orders WHERE account = ?1 AND policy_key >= ?2 AND policy_key < ?2 || char(1114111)
       UNION SELECT id FROM orders WHERE account = ?1 AND json_extract(payload, '$.inspectionNumber') = ?3
       UNION SELECT id FROM orders WHERE account = ?1 AND project_id = ?4
       UNION SELECT id FROM orders WHERE account = ?1 AND id = ?4
       UNION SELECT rows.order_id FROM rows JOIN files ON files.id = rows.file_id WHERE files.account = ?1 AND (files.name = ?3 OR files.name = files.sender || '/' || ?3 OR files.hash = ?3)
       UNION SELECT id FROM orders WHERE account = ?1 AND project_id IN (SELECT CAST(value AS INTEGER) FROM json_each(?5)))
     ORDER BY orders.id LIMIT ${FOUND_MAX}`,
    account,
    policy,
    text,
    digits,
    projects,
  );
  return (found.length > 0 ? found : ordersByDetails(book, text)).map(orderFrom);
}

/** Looks at every order: for a question of a person that nothing else answers. */
function ordersByDetails({ connection, account }: Book, text: string) {
  const part = `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  return connection.all(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ?1
       AND (json_extract(payload, '$.insuredName') LIKE ?2 ESCAPE '\\' OR json_extract(payload, '$.streetAddress') LIKE ?2 ESCAPE '\\')
     ORDER BY orders.id LIMIT ${FOUND_MAX}`,
    account,
    part,
  );
}

function findFiles({ connection, account }: Book, text: string): readonly FileRecord[] {
  return connection
    .all(
      `SELECT * FROM files WHERE account = ?1 AND (name = ?2 OR name = sender || '/' || ?2 OR hash = ?2 OR archived_as = ?2) ORDER BY id DESC LIMIT ${FOUND_MAX}`,
      account,
      text,
    )
    .map(fileFrom);
}

async function* rowsOf({ connection }: Book, fileId: number): AsyncIterable<RowStanding> {
  for (let after = 0; ; ) {
    const rows = connection.all(
      `SELECT ${ROW_COLUMNS}, orders.state AS order_state, CAST(orders.project_id AS TEXT) AS project_id, projects.status
       FROM rows JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id
       LEFT JOIN projects ON projects.account = orders.account AND projects.id = orders.project_id
       WHERE rows.file_id = ? AND rows.id > ? ORDER BY rows.id LIMIT ${BATCH}`,
      fileId,
      after,
    );
    for (const found of rows) {
      const { order_state: state, project_id: project, status } = found;
      yield {
        row: rowFrom(found),
        orderState: typeof state === 'string' ? (state as OrderState) : null,
        projectId: typeof project === 'string' ? project : null,
        status: typeof status === 'string' ? status : null,
      };
    }
    if (rows.length < BATCH) return;
    after = Number(rows.at(-1)?.['id']);
  }
}

function storyOf(book: Book, orderId: number): OrderStory {
  const { connection } = book;
  const projectId = findOrder(book, orderId)?.projectId ?? null;
  const rows = connection
    .all(`SELECT ${ROW_COLUMNS} FROM rows JOIN files ON files.id = rows.file_id WHERE rows.order_id = ? ORDER BY rows.id`, orderId)
    .map(rowFrom)
    .flatMap((row) => [...rowsBefore(book, row.id), row]);
  return {
    rows,
    attempts: attemptsOf(book, orderId),
    steps: stepsOf(book, orderId, projectId, rows),
    project: projectId === null ? null : findProject(book, projectId),
    artifacts: projectId === null ? [] : artifactsOf(book, projectId),
    updates: projectId === null ? [] : updatesOf(book, projectId),
  };
}

function stepsOf({ connection, account }: Book, orderId: number, projectId: string | null, rows: readonly StoredRow[]): readonly Step[] {
  const files = JSON.stringify([...new Set(rows.map(({ fileId }) => String(fileId)))]);
  return connection
    .all(
      `SELECT * FROM steps WHERE account = ? AND ((subject = 'order' AND subject_id = ?) OR (subject = 'project' AND subject_id = ?)
         OR (subject = 'file' AND subject_id IN (SELECT value FROM json_each(?)))) ORDER BY id`,
      account,
      String(orderId),
      projectId ?? '',
      files,
    )
    .map(stepFrom);
}

function attemptsOf({ connection }: Book, orderId: number): readonly AttemptRecord[] {
  return connection.all('SELECT number, run, actor, sent_at, answered_at, outcome, detail FROM attempts WHERE order_id = ? ORDER BY number', orderId).map((row) => ({
    number: Number(row['number']),
    run: String(row['run']),
    actor: String(row['actor']),
    sentAt: Number(row['sent_at']),
    answeredAt: row['answered_at'] === null ? null : Number(row['answered_at']),
    outcome: row['outcome'] === null ? null : String(row['outcome']),
    detail: row['detail'] === null ? null : String(row['detail']),
  }));
}

function latestOrders({ connection, account }: Book, limit: number): readonly OrderRecord[] {
  return connection.all(`SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? ORDER BY id DESC LIMIT ?`, account, limit).map(orderFrom);
}

function lastRuns({ connection, account }: Book, limit: number): readonly RunOnRecord[] {
  return connection.all('SELECT id, command, started_at, finished_at, exit_code FROM runs WHERE account = ? ORDER BY started_at DESC, rowid DESC LIMIT ?', account, limit).map((row) => ({
    run: String(row['id']),
    command: String(row['command']),
    startedAt: Number(row['started_at']),
    finishedAt: row['finished_at'] === null ? null : Number(row['finished_at']),
    exitCode: row['exit_code'] === null ? null : Number(row['exit_code']),
  }));
}
