import { type OrderPayload, withoutDetails } from '../domain/row.ts';
import { ARTIFACT_COLUMNS, artifactFrom, NOT_REMOVED } from './artifacts.ts';
import { deliveriesOnRecord } from './deliveries.ts';
import { fileFrom } from './files.ts';
import { FETCH_ENDED } from './followed-projects.ts';
import { anonymousKey } from './orders.ts';
import { detailsOf, NO_PROBLEM, WITHOUT_ORDER } from './projects.ts';
import { FROM_ROWS } from './rows.ts';
import {
  addStep,
  changeProject,
  hasRow,
  inBatches,
  inJob,
  listOf,
  replaceIn,
  type Store,
  updateIn,
  AMONG_IDS,
  jsonOf,
  rowReader,
  textOf,
  ofProject,
  type Job,
  type Driver,
  type SqlRow,
} from './store.ts';
import { addIdentity, otherIdentitiesOf } from './updates.ts';

export type RemovalKind = 'original' | 'receipt' | 'delivery' | 'download' | 'thumbnail' | 'log';

export type Removal = ReturnType<typeof removalFrom>;

/** A project made elsewhere counts as an order. */
export type ForgottenDetails = Readonly<{
  orders: number;
  rows: number;
}>;

const BATCH = 200;

/** Delivered after its end, which was before `?2`. */
const PROJECT_ENDED = `projects.status_at < ?2 AND projects.handed_over_in IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM updates WHERE ${ofProject('updates')} AND updates.state = 'open')`;
const TAKEN_AWAY = `(projects.status = 'Project Canceled' OR (projects.status = 'Client Received' AND (projects.collected_at IS NOT NULL OR ${FETCH_ENDED})))`;
const PROJECT_AT_END = `${PROJECT_ENDED} AND (${TAKEN_AWAY} OR projects.given_up_at < ?2)`;

const WENT_BACK_AT_END = `rows.corrections IS NOT NULL AND rows.open_since IS NULL`;

const ORDER_AT_END = `orders.updated_at < ?2 AND orders.handed_over_in IS NOT NULL AND (
  (orders.project_id IS NULL AND orders.state IN ('skipped', 'abandoned'))
  OR (orders.project_id IS NULL AND orders.state = 'refused'
    AND NOT EXISTS (SELECT 1 FROM rows AS sent WHERE sent.order_id = orders.id AND sent.outcome = 'order' AND (sent.corrections IS NULL OR sent.open_since IS NOT NULL)))
  OR (orders.state IN ('created', 'linked', 'skipped')
    AND EXISTS (SELECT 1 FROM projects WHERE ${ofProject('orders')} AND ${PROJECT_AT_END})))`;

const ROW_AT_END = `CASE WHEN rows.outcome = 'rejection' THEN ${WENT_BACK_AT_END} ELSE (${ORDER_AT_END}) IS TRUE END`;

const ORDERS_TO_FORGET = `FROM orders WHERE orders.account = ?1 AND json_extract(orders.payload, '$.streetAddress') <> '' AND ${ORDER_AT_END}`;
const ROWS_TO_FORGET = `${FROM_ROWS} WHERE files.account = ?1 AND files.recorded_at < ?2 AND json_extract(rows.record, '$.cells') <> '[]' AND ${ROW_AT_END}`;

const PROJECTS_TO_FORGET = `projects WHERE projects.account = ?1 AND json_extract(projects.details, '$.streetAddress') <> '' AND ${PROJECT_AT_END}
  AND ${WITHOUT_ORDER}`;

/** With its other readings: a range, since their hashes begin with the content's. */
const READINGS = `SELECT readings.id FROM files AS readings WHERE readings.account = files.account
  AND readings.hash >= substr(files.hash, 1, 64) AND readings.hash < substr(files.hash, 1, 64) || '!'`;

function prunableFiles(store: Store, before: number) {
  return listOf(
    store,
    fileFrom,
    `SELECT files.* FROM files WHERE files.account = ?1 AND files.recorded_at < ?2 AND files.archived_as IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM rows LEFT JOIN orders ON orders.id = rows.order_id WHERE rows.file_id IN (${READINGS}) AND NOT (${ROW_AT_END}))
       ORDER BY files.id`,
    before,
  );
}

async function prunableDeliveries(store: Store, before: number) {
  const all = await deliveriesOnRecord(store);
  const latest = new Set(
    [
      all.at(-1),
      all.findLast(({ contents }) => contents['report']),
      all.findLast(({ contents }) => contents['orders']),
    ].map((one) => one?.run),
  );
  const needed = new Set(
    await listOf(
      store,
      ({ run }) => textOf(run),
      `SELECT DISTINCT projects.handed_over_in AS run FROM projects
       WHERE projects.account = ? AND projects.handed_over_in IS NOT NULL AND projects.given_up_at IS NULL AND NOT ${TAKEN_AWAY}`,
    ),
  );
  return all.filter(({ run, publishedAt }) => publishedAt < before && !latest.has(run) && !needed.has(run));
}

function downloadsAtTheirEnd({ driver, account }: Store, before: number) {
  const query = `SELECT artifacts.rowid AS number, ${ARTIFACT_COLUMNS} FROM artifacts
    WHERE artifacts.account = ?1 AND artifacts.rowid > ?3 AND ${NOT_REMOVED} AND EXISTS (
      SELECT 1 FROM projects WHERE ${ofProject('artifacts')} AND ${PROJECT_ENDED} AND ${TAKEN_AWAY})
    ORDER BY artifacts.rowid LIMIT ${BATCH}`;
  return inBatches(artifactFrom, (after) => driver.query(query, account, before, after), 'number');
}

async function detailsToForget({ driver, account }: Store, before: number) {
  const count = async (from: string) =>
    Number((await driver.get(`SELECT count(*) AS n ${from}`, account, before))?.['n']);
  return {
    orders: (await count(ORDERS_TO_FORGET)) + (await count(`FROM ${PROJECTS_TO_FORGET}`)),
    rows: await count(ROWS_TO_FORGET),
  };
}

/** The removal `details` stays open until the file is clean, so that the next run continues after a crash. */
async function forgetDetails(store: Store<Driver>, before: number) {
  const details = await detailsToForget(store, before);
  const wasInterrupted = await hasRow(store, 'removals', `kind = 'details' AND ended_at IS NULL`);
  if (details.orders + details.rows === 0 && !wasInterrupted) return details;
  await inJob(store, (job) => beginRemoval(job, { path: '', kind: 'details', bytes: 0 }));
  // Rows first: their orders show which have ended.
  for (const forget of [forgetRows, forgetOrders])
    for (let after: number | null = 0; after !== null;)
      after = await inJob(store, (job) => forget(job, before, after ?? 0));
  await inJob(store, (job) => forgetHeldFiles(job, before));
  await inJob(store, async (job) => {
    const ended = `SELECT CAST(id AS TEXT) AS id FROM ${PROJECTS_TO_FORGET}`;
    for (const id of await listOf(job, (row) => textOf(row['id']), ended, before)) await forgetProject(job, id);
  });
  await store.driver.compact();
  await inJob(store, (job) => endRemovals(job, ['']));
  return details;
}

async function forgetRows({ driver, account }: Job, before: number, after: number) {
  const rows = await driver.query(
    `SELECT rows.id ${ROWS_TO_FORGET} AND rows.id > ?3 ORDER BY rows.id LIMIT ${BATCH}`,
    account,
    before,
    after,
  );
  const ids = rows.map(({ id }) => id);
  await driver.run(
    `UPDATE rows SET record = json_set(record, '$.cells', json('[]')), problems = '[]', repairs = '[]',
       summary = json_set(summary, '$.insuredName', '', '$.insuredPhone', '', '$.streetAddress', '') WHERE id IN ${AMONG_IDS}`,
    ids,
  );
  await driver.run(`DELETE FROM order_changes WHERE row_id IN ${AMONG_IDS}`, ids);
  return rows.length < BATCH ? null : Number(rows.at(-1)?.['id']);
}

async function forgetOrders(store: Job, before: number, after: number) {
  const orders = await store.driver.query(
    `SELECT orders.id, orders.identity, orders.address_key, orders.payload, CAST(orders.project_id AS TEXT) AS project_id ${ORDERS_TO_FORGET} AND orders.id > ?3
     ORDER BY orders.id LIMIT ${BATCH}`,
    store.account,
    before,
    after,
  );
  for (const order of orders) await forgetOrder(store, order);
  return orders.length < BATCH ? null : Number(orders.at(-1)?.['id']);
}

/** Its reasons quote its rows. */
async function forgetHeldFiles(store: Job, before: number) {
  const held = await listOf(
    store,
    ({ hash }) => textOf(hash),
    `SELECT hash FROM held_files WHERE account = ?1 AND held_at < ?2 AND reasons <> '[]'
       AND EXISTS (SELECT 1 FROM files WHERE files.account = held_files.account AND files.hash = held_files.hash)`,
    before,
  );
  for (const hash of held) {
    await store.driver.run(`UPDATE held_files SET reasons = '[]' WHERE account = ? AND hash = ?`, store.account, hash);
    await store.driver.run(WITHOUT_WORDS, store.account, 'file', hash);
  }
}

const WITHOUT_WORDS = `UPDATE steps SET detail = json_remove(detail, '$.reason', '$.problem', '$.comment') WHERE account = ? AND subject = ? AND subject_id = ? AND detail IS NOT NULL`;

async function forgetOrder(store: Job, row: SqlRow) {
  const { driver, account } = store;
  const id = Number(row['id']);
  const payload = withoutDetails(jsonOf<OrderPayload>(row['payload']));
  const identity = anonymousKey(String(row['identity']));
  const addressKey = anonymousKey(String(row['address_key']));
  await updateIn(store, 'orders', id, { payload, identity, addressKey, reason: null });
  for (const identity of await otherIdentitiesOf(store, id)) {
    const forgotten = anonymousKey(identity);
    if (forgotten === identity) continue;
    await driver.run(
      'DELETE FROM amended_identities WHERE account = ? AND identity = ? AND order_id = ?',
      account,
      identity,
      id,
    );
    await addIdentity(store, forgotten, id);
  }
  await driver.run('UPDATE attempts SET payload = ?, detail = NULL WHERE order_id = ?', payload, id);
  await driver.run('DELETE FROM order_changes WHERE order_id = ?', id);
  await driver.run(WITHOUT_WORDS, account, 'order', String(id));
  if (typeof row['project_id'] === 'string') await forgetProject(store, row['project_id']);
  await addStep(store, 'order', id, 'details forgotten');
}

async function forgetProject(store: Job, projectId: string) {
  const details = await detailsOf(store, projectId);
  const emptied = `inspection_code = NULL, inspection_link = NULL, ${NO_PROBLEM}, details = ?`;
  const forgotten = details === null ? null : withoutDetails(details);
  await changeProject(store, projectId, emptied, [forgotten]);
  const itsOwn = 'WHERE account = ? AND project_id = ?';
  for (const update of [
    `UPDATE decisions SET decided_by = '', notes = '' ${itsOwn}`,
    `UPDATE closeouts SET reasons = '[]' ${itsOwn}`,
    `UPDATE updates SET request = json_remove(request, '$.comment'), reason = NULL ${itsOwn} AND state <> 'open'`,
  ])
    await store.driver.run(update, store.account, BigInt(projectId));
  await store.driver.run(WITHOUT_WORDS, store.account, 'project', projectId);
}

async function beginRemovals(store: Job, removals: readonly Removal[]) {
  await Promise.all(removals.map((removal) => beginRemoval(store, removal)));
}

function beginRemoval(store: Job, { path, kind, bytes }: Pick<Removal, 'path' | 'bytes'> & { readonly kind: string }) {
  return replaceIn(store, 'removals', { path }, { kind, bytes, beganAt: store.clock.now(), endedAt: null });
}

async function endRemovals({ driver, account, clock }: Job, paths: readonly string[]) {
  await driver.run(
    'UPDATE removals SET ended_at = ? WHERE account = ? AND path IN (SELECT value FROM json_each(?))',
    clock.now(),
    account,
    paths,
  );
}

const removalFrom = rowReader({ path: textOf, kind: textOf<RemovalKind>, bytes: Number });

function openRemovals(store: Store) {
  return listOf(
    store,
    removalFrom,
    `${removalFrom.select} FROM removals WHERE account = ? AND ended_at IS NULL AND kind <> 'details' ORDER BY path`,
  );
}

function wasRemoved(store: Store, path: string) {
  return hasRow(store, 'removals', 'path = ?', path);
}

// `before`: an order has ended if its project was received with its files, canceled or given up and a delivery showed
// that, or if it never had one and its sender knows.
export const retentionVerbs = {
  reads: {
    prunableFiles,
    /** Without the latest, and those that alone show a followed project. */
    prunableDeliveries,
    detailsToForget,
    openRemovals,
    wasRemoved,
  },
  writes: { beginRemovals, endRemovals },
  own: {
    downloadsAtTheirEnd,
    /** Also from the file. Keeps numbers, states, counts, steps and the keys of repeats (an address as its hash). */
    forgetDetails,
  },
};
