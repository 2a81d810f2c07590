import type { CensusBook, Contradiction, CountedFile, OrderedProject } from '../census.ts';
import type { DeliveryRecord } from '../deliveries.ts';
import type { StoredArtifact } from '../artifacts.ts';
import type { OrderRecord } from '../orders.ts';
import type { Book } from '../store.ts';
import { forgottenKey } from './forgotten-keys.ts';
import { ARTIFACT_COLUMNS, artifactFrom, fileFrom, ORDER_COLUMNS, orderFrom } from './mapping.ts';
import { LATEST, NOT_REMOVED } from './removed.ts';
import { amendedDetails } from './update-pages.ts';

const BATCH = 500;
const LIKE_MAX = 300;

export function censusBookIn(book: Book): CensusBook {
  return {
    orderedProjects: () => orderedProjects(book),
    lowestIdBound: async () => lowestIdBound(book),
    ordersLike: async (details) => ordersLike(book, details),
    countedFiles: () => countedFiles(book),
    storedArtifacts: () => storedArtifacts(book),
    deliveriesOnRecord: async () => deliveriesOnRecord(book),
    contradictions: async () => contradictions(book),
  };
}

async function* orderedProjects(book: Book): AsyncIterable<OrderedProject> {
  const { connection, account } = book;
  for (let after = { project: -1n, order: 0 }; ; ) {
    const rows = connection.all(
      `SELECT ${ORDER_COLUMNS}, projects.status AS project_status FROM orders
       LEFT JOIN projects ON projects.account = orders.account AND projects.id = orders.project_id
       WHERE orders.account = ? AND orders.project_id IS NOT NULL AND (orders.project_id, orders.id) > (?, ?)
       ORDER BY orders.project_id, orders.id LIMIT ${BATCH}`,
      account,
      after.project,
      after.order,
    );
    for (const row of rows) {
      const order = orderFrom(row);
      const projectId = order.projectId ?? '';
      const status = row['project_status'];
      yield { order: { ...order, projectId }, status: typeof status === 'string' ? status : null, amended: amendedDetails(book, projectId) };
      after = { project: BigInt(projectId), order: order.id };
    }
    if (rows.length < BATCH) return;
  }
}

function lowestIdBound({ connection, account }: Book): string | null {
  const row = connection.get('SELECT CAST(min(id_bound) AS TEXT) AS id FROM orders WHERE account = ?', account);
  return typeof row?.['id'] === 'string' ? row['id'] : null;
}

function ordersLike(
  { connection, account }: Book,
  { inspectionNumber, policyNumber, addressKey }: { readonly inspectionNumber: string; readonly policyNumber: string; readonly addressKey: string },
): readonly OrderRecord[] {
  return connection
    .all(
      `SELECT ${ORDER_COLUMNS} FROM orders WHERE orders.id IN (
         SELECT id FROM orders WHERE account = ?1 AND ?2 <> '' AND json_extract(payload, '$.inspectionNumber') = ?2
         UNION SELECT id FROM orders WHERE account = ?1 AND ?3 <> '' AND policy_key >= ?4 AND policy_key < ?4 || char(1114111)
         UNION SELECT id FROM orders WHERE account = ?1 AND address_key IN (?5, ?6))
       ORDER BY orders.id LIMIT ${LIKE_MAX}`,
      account,
      inspectionNumber,
      policyNumber,
      `${JSON.stringify([policyNumber]).slice(0, -1)},`,
      addressKey,
      forgottenKey(addressKey),
    )
    .map(orderFrom);
}

async function* countedFiles({ connection, account }: Book): AsyncIterable<CountedFile> {
  for (const row of connection.all('SELECT * FROM files WHERE account = ? ORDER BY id', account)) {
    const counted = connection.get(
      `SELECT count(*) FILTER (WHERE rows.outcome = 'order') AS orders, count(*) FILTER (WHERE rows.outcome = 'repeat') AS repeats,
         count(*) FILTER (WHERE rows.outcome = 'rejection') AS rejections,
         count(*) FILTER (WHERE rows.corrections IS NULL AND (rows.outcome = 'rejection' OR (rows.outcome = 'order' AND orders.state = 'refused'))) AS not_written
       FROM rows LEFT JOIN orders ON orders.id = rows.order_id WHERE rows.file_id = ?`,
      Number(row['id']),
    );
    yield {
      file: fileFrom(row),
      orders: Number(counted?.['orders']),
      repeats: Number(counted?.['repeats']),
      rejections: Number(counted?.['rejections']),
      notWrittenBack: Number(counted?.['not_written']),
    };
  }
}

async function* storedArtifacts({ connection, account }: Book): AsyncIterable<StoredArtifact> {
  for (let after = 0; ; ) {
    const rows = connection.all(`SELECT rowid AS place, ${ARTIFACT_COLUMNS} FROM artifacts WHERE account = ? AND rowid > ? AND ${NOT_REMOVED} AND (lost IS NULL OR ${LATEST}) ORDER BY rowid LIMIT ${BATCH}`, account, after);
    yield* rows.map(artifactFrom);
    if (rows.length < BATCH) return;
    after = Number(rows.at(-1)?.['place']);
  }
}

export function deliveriesOnRecord({ connection, account }: Book): readonly DeliveryRecord[] {
  return connection
    .all(`SELECT deliveries.run, folder, published_at, contents FROM deliveries JOIN runs ON runs.id = deliveries.run WHERE runs.account = ?
         AND NOT EXISTS (SELECT 1 FROM removals WHERE removals.account = runs.account AND removals.path = deliveries.folder) ORDER BY published_at, deliveries.rowid`, account)
    .map((row) => ({
      run: String(row['run']),
      folder: String(row['folder']),
      publishedAt: Number(row['published_at']),
      contents: JSON.parse(String(row['contents'])) as Record<string, string | null>,
    }));
}

/** The steps that move an order, and the state that each leads to. */
const STATE_OF_STEP = `CASE event WHEN 'accepted' THEN 'ready' WHEN 'sending' THEN 'submitting' ELSE event END`;
const MOVING_STEPS = `('accepted', 'sending', 'created', 'linked', 'skipped', 'refused', 'unresolved', 'ready', 'held', 'abandoned')`;

/** What must hold of every row of a table: each query gives those of which it does not. */
const CHECKS: readonly { readonly about: Contradiction['about']; readonly what: string; readonly sql: string }[] = [
  {
    about: 'order',
    what: 'its steps lead to another state than the one it has',
    sql: `SELECT orders.id FROM orders WHERE account = ?1 AND state IS NOT (SELECT ${STATE_OF_STEP} FROM steps
            WHERE subject = 'order' AND subject_id = CAST(orders.id AS TEXT) AND event IN ${MOVING_STEPS} ORDER BY steps.id DESC LIMIT 1)`,
  },
  {
    about: 'order',
    what: 'it has a project by its state, but none is on record',
    sql: `SELECT id FROM orders WHERE account = ?1 AND state IN ('created', 'linked') AND project_id IS NULL`,
  },
  {
    about: 'order',
    what: 'its project is not followed',
    sql: `SELECT orders.id FROM orders WHERE account = ?1 AND state IN ('created', 'linked') AND project_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM projects WHERE projects.account = orders.account AND projects.id = orders.project_id)`,
  },
  {
    // An attempt that was given back keeps its page until the next one takes its number.
    about: 'order',
    what: 'it has another number of attempts than are on record',
    sql: `SELECT orders.id FROM orders WHERE account = ?1 AND attempts NOT IN (
            (SELECT count(*) FROM attempts WHERE order_id = orders.id), (SELECT count(*) - 1 FROM attempts WHERE order_id = orders.id))`,
  },
  {
    about: 'order',
    what: 'an attempt sent something else than the order says',
    sql: `SELECT DISTINCT orders.id FROM orders JOIN attempts ON attempts.order_id = orders.id
          WHERE account = ?1 AND state = 'created' AND attempts.payload_hash <> orders.payload_hash`,
  },
  {
    about: 'order',
    what: 'no row of any file placed it',
    sql: `SELECT id FROM orders WHERE account = ?1 AND NOT EXISTS (SELECT 1 FROM rows WHERE rows.order_id = orders.id AND rows.outcome = 'order')`,
  },
  {
    about: 'row',
    what: 'it was accepted, but no order stands behind it',
    sql: `SELECT rows.id FROM rows JOIN files ON files.id = rows.file_id WHERE files.account = ?1 AND rows.outcome <> 'rejection' AND rows.order_id IS NULL`,
  },
  {
    about: 'project',
    what: 'it is followed, but no order has it',
    sql: `SELECT CAST(id AS TEXT) AS id FROM projects WHERE account = ?1 AND NOT EXISTS (SELECT 1 FROM orders WHERE orders.account = projects.account AND orders.project_id = projects.id)`,
  },
];

function contradictions({ connection, account }: Book): readonly Contradiction[] {
  return CHECKS.flatMap(({ about, what, sql }) => connection.all(sql, account).map((row) => ({ about, id: String(row['id']), what })));
}
