import { ARTIFACT_COLUMNS, artifactFrom, IS_LATEST, NOT_REMOVED } from './artifacts.ts';
import { fileFrom, type FileRecord } from './files.ts';
import { hashKey, policyKeyRange, orderFrom } from './orders.ts';
import { WITH_PROJECT, WITHOUT_ORDER } from './projects.ts';
import { IS_REJECTED, WITH_FILE } from './rows.ts';
import { inBatches, listOf, type Store, rowReader, textOf, textOrNull, type YieldedBy, ofProject } from './store.ts';
import { amendedDetails } from './updates.ts';

export type OrderedProject = YieldedBy<typeof orderedProjects>;

export interface CountedFile extends ReturnType<typeof countsFrom> {
  readonly file: FileRecord;
}

const countsFrom = rowReader({
  orders: Number,
  repeats: Number,
  rejections: Number,
  /** Rejected and refused rows without a corrections workbook. */
  notWrittenBack: Number,
});

const BATCH = 500;

const LIKE_MAX = 300;

async function* orderedProjects(store: Store) {
  for (let after = { project: -1n, order: 0 }; ;) {
    const rows = await store.driver.query(
      `${orderFrom.select}, projects.status AS project_status FROM orders
       ${WITH_PROJECT}
       WHERE orders.account = ? AND orders.project_id IS NOT NULL AND (orders.project_id, orders.id) > (?, ?)
       ORDER BY orders.project_id, orders.id LIMIT ${BATCH}`,
      store.account,
      after.project,
      after.order,
    );
    for (const row of rows) {
      const order = orderFrom(row);
      const projectId = order.projectId ?? '';
      yield {
        order: { ...order, projectId },
        /** Null if not followed. */
        status: textOrNull(row['project_status']),
        amended: await amendedDetails(store, projectId),
      };
      after = { project: BigInt(projectId), order: order.id };
    }
    if (rows.length < BATCH) return;
  }
}

async function lowestIdBound({ driver, account }: Store) {
  const row = await driver.get(
    'SELECT CAST(min(id_bound) AS TEXT) AS id, min(created_at) AS at FROM orders WHERE account = ? AND id_bound IS NOT NULL',
    account,
  );
  const id = textOrNull(row?.['id']);
  return id === null ? null : { id, at: Number(row?.['at']) };
}

function ordersLike(
  store: Store,
  { inspectionNumber, policyNumber, addressKey }: Record<'inspectionNumber' | 'policyNumber' | 'addressKey', string>,
) {
  return listOf(
    store,
    orderFrom,
    `${orderFrom.select} FROM orders WHERE orders.id IN (
         SELECT id FROM orders WHERE account = ?1 AND ?2 <> '' AND json_extract(payload, '$.inspectionNumber') = ?2
         UNION SELECT id FROM orders WHERE account = ?1 AND ?3 <> '' AND policy_key >= ?4 AND policy_key < ?5
         UNION SELECT id FROM orders WHERE account = ?1 AND address_key IN (?6, ?7))
       ORDER BY orders.id LIMIT ${LIKE_MAX}`,
    inspectionNumber,
    policyNumber,
    ...policyKeyRange(policyNumber),
    addressKey,
    hashKey(addressKey),
  );
}

const markedFrom = rowReader({ id: Number, reference: textOf });

function markedOrders(store: Store) {
  return listOf(
    store,
    markedFrom,
    'SELECT id, reference FROM orders WHERE account = ? AND reference IS NOT NULL AND id_bound IS NOT NULL ORDER BY id',
  );
}

async function* countedFiles({ driver, account }: Store) {
  for (const row of await driver.query('SELECT * FROM files WHERE account = ? ORDER BY id', account)) {
    const counted = await driver.get(
      `SELECT count(*) FILTER (WHERE rows.outcome = 'order') AS orders, count(*) FILTER (WHERE rows.outcome = 'repeat') AS repeats,
         count(*) FILTER (WHERE rows.outcome = 'rejection') AS rejections,
         count(*) FILTER (WHERE rows.corrections IS NULL AND ${IS_REJECTED}) AS not_written_back
       FROM rows LEFT JOIN orders ON orders.id = rows.order_id WHERE rows.file_id = ?`,
      Number(row['id']),
    );
    yield { file: fileFrom(row), ...countsFrom(counted ?? {}) };
  }
}

function storedArtifacts({ driver, account }: Store) {
  const query = `SELECT rowid AS number, ${ARTIFACT_COLUMNS} FROM artifacts NOT INDEXED WHERE account = ? AND rowid > ? AND ${NOT_REMOVED} AND (lost IS NULL OR ${IS_LATEST}) ORDER BY rowid LIMIT ${BATCH}`;
  return inBatches(artifactFrom, (after) => driver.query(query, account, after), 'number');
}

const STATE_OF_STEP = `CASE event WHEN 'accepted' THEN 'ready' WHEN 'sending' THEN 'submitting' ELSE event END`;

const MOVING_STEPS = `('accepted', 'sending', 'created', 'linked', 'skipped', 'refused', 'unresolved', 'ready', 'held', 'abandoned')`;

const CHECKS = [
  [
    'order',
    'its steps lead to a state that is not the one on record',
    `SELECT orders.id FROM orders WHERE account = ?1 AND state IS DISTINCT FROM (SELECT ${STATE_OF_STEP} FROM steps
            WHERE subject = 'order' AND subject_id = CAST(orders.id AS TEXT) AND event IN ${MOVING_STEPS} ORDER BY steps.id DESC LIMIT 1)`,
  ],
  [
    'order',
    'its state says that it has a project, but none is on record',
    `SELECT id FROM orders WHERE account = ?1 AND state IN ('created', 'linked') AND project_id IS NULL`,
  ],
  [
    'order',
    'its project is not followed',
    `SELECT orders.id FROM orders WHERE account = ?1 AND state IN ('created', 'linked') AND project_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM projects WHERE ${ofProject('orders')})`,
  ],
  [
    'order',
    'its number of attempts is not the number on record',
    `SELECT orders.id FROM orders WHERE account = ?1 AND attempts NOT IN (
            (SELECT count(*) FROM attempts WHERE order_id = orders.id), (SELECT count(*) - 1 FROM attempts WHERE order_id = orders.id))`,
  ],
  [
    'order',
    'an attempt did not send what the order says',
    `SELECT DISTINCT orders.id FROM orders JOIN attempts ON attempts.order_id = orders.id
          WHERE account = ?1 AND state = 'created' AND attempts.payload_hash <> orders.payload_hash`,
  ],
  [
    'order',
    'no row of any file placed it',
    `SELECT id FROM orders WHERE account = ?1 AND NOT EXISTS (SELECT 1 FROM rows WHERE rows.order_id = orders.id AND rows.outcome = 'order')`,
  ],
  [
    'row',
    'it was accepted, but it has no order',
    `SELECT rows.id FROM rows ${WITH_FILE} WHERE files.account = ?1 AND rows.outcome <> 'rejection' AND rows.order_id IS NULL`,
  ],
  [
    'project',
    'it is followed, but no order has it',
    `SELECT CAST(id AS TEXT) AS id FROM projects WHERE account = ?1 AND details IS NULL AND ${WITHOUT_ORDER}`,
  ],
] as const;

async function contradictions({ driver, account }: Store) {
  const found = [];
  for (const [about, what, sql] of CHECKS)
    for (const row of await driver.query(sql, account)) found.push({ about, id: String(row['id']), what });
  return found;
}

export const censusVerbs = {
  reads: {
    /** With the time when its order came. Null before the first attempt. */
    lowestIdBound,
    /** At most 300. */
    ordersLike,
    markedOrders,
    contradictions,
  },
  own: {
    orderedProjects,
    countedFiles,
    /** Without replaced lost versions. */
    storedArtifacts,
  },
};
