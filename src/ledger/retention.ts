import { type OrderPayload, withoutDetails } from '../domain/row.ts';
import { ARTIFACT_COLUMNS, artifactFrom, NOT_REMOVED, type StoredArtifact } from './artifacts.ts';
import { deliveriesOnRecord, type DeliveryRecord } from './deliveries.ts';
import { jsonOf, type SqlRow } from './driver.ts';
import { fileFrom, type FileRecord } from './files.ts';
import { keyWhenForgotten } from './orders.ts';
import { detailsOf } from './projects.ts';
import { addStep, inBatches, type Store } from './store.ts';
import { addIdentity, identitiesBeside } from './updates.ts';

export type RemovalKind = 'original' | 'delivery' | 'download' | 'thumbnail' | 'log';

export interface Removal {
  readonly kind: RemovalKind;
  readonly path: string;
  readonly bytes: number;
}

/** Personal details that the ledger forgets. A project made elsewhere counts as an order. */
export interface ForgottenDetails {
  readonly orders: number;
  readonly rows: number;
}

const BATCH = 200;

/** Delivered after its end, which was before `?2`. */
const PROJECT_ENDED = `projects.status_at < ?2 AND projects.handed_over_in IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM updates WHERE updates.account = projects.account AND updates.project_id = projects.id AND updates.state = 'open')`;
const TAKEN_AWAY = `(projects.status = 'Project Canceled' OR (projects.status = 'Client Received' AND (projects.collected_at IS NOT NULL
  OR EXISTS (SELECT 1 FROM fetches WHERE fetches.account = projects.account AND fetches.project_id = projects.id AND fetches.status_at = projects.status_at AND fetches.outcome = 'ended'))))`;
const PROJECT_AT_END = `${PROJECT_ENDED} AND (${TAKEN_AWAY} OR projects.given_up_at < ?2)`;

/** Replaced by another row, or dismissed. */
const WENT_BACK_AT_END = `rows.corrections IS NOT NULL AND rows.open_since IS NULL`;

const ORDER_AT_END = `orders.updated_at < ?2 AND orders.handed_over_in IS NOT NULL AND (
  (orders.project_id IS NULL AND orders.state IN ('skipped', 'abandoned'))
  OR (orders.project_id IS NULL AND orders.state = 'refused'
    AND NOT EXISTS (SELECT 1 FROM rows AS sent WHERE sent.order_id = orders.id AND sent.outcome = 'order' AND (sent.corrections IS NULL OR sent.open_since IS NOT NULL)))
  OR (orders.state IN ('created', 'linked', 'skipped')
    AND EXISTS (SELECT 1 FROM projects WHERE projects.account = orders.account AND projects.id = orders.project_id AND ${PROJECT_AT_END})))`;

const ROW_AT_END = `CASE WHEN rows.outcome = 'rejection' THEN ${WENT_BACK_AT_END} ELSE (${ORDER_AT_END}) IS TRUE END`;

const ORDERS_TO_FORGET = `FROM orders WHERE orders.account = ?1 AND json_extract(orders.payload, '$.streetAddress') <> '' AND ${ORDER_AT_END}`;
const ROWS_TO_FORGET = `FROM rows JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id
  WHERE files.account = ?1 AND files.recorded_at < ?2 AND json_extract(rows.record, '$.cells') <> '[]' AND ${ROW_AT_END}`;

const PROJECTS_TO_FORGET = `projects WHERE projects.account = ?1 AND json_extract(projects.details, '$.streetAddress') <> '' AND ${PROJECT_AT_END}
  AND NOT EXISTS (SELECT 1 FROM orders WHERE orders.account = projects.account AND orders.project_id = projects.id)`;

function filesAtTheirEnd({ driver, account }: Store, before: number): readonly FileRecord[] {
  return driver
    .query(
      `SELECT files.* FROM files WHERE files.account = ?1 AND files.recorded_at < ?2 AND files.archived_as IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM rows LEFT JOIN orders ON orders.id = rows.order_id WHERE rows.file_id = files.id AND NOT (${ROW_AT_END}))
       ORDER BY files.id`,
      account,
      before,
    )
    .map(fileFrom);
}

/** Keeps the latest ones with results and with orders: people work with them. */
function deliveriesAtTheirEnd(store: Store, before: number): readonly DeliveryRecord[] {
  const all = deliveriesOnRecord(store);
  const latest = new Set(
    [
      all.at(-1),
      all.findLast(({ contents }) => contents['report']),
      all.findLast(({ contents }) => contents['orders']),
    ].map((one) => one?.run),
  );
  const needed = new Set(
    store.driver
      .query(
        `SELECT DISTINCT projects.handed_over_in AS run FROM projects
         WHERE projects.account = ? AND projects.handed_over_in IS NOT NULL AND projects.given_up_at IS NULL AND NOT ${TAKEN_AWAY}`,
        store.account,
      )
      .map(({ run }) => String(run)),
  );
  return all.filter(({ run, publishedAt }) => publishedAt < before && !latest.has(run) && !needed.has(run));
}

async function* downloadsAtTheirEnd({ driver, account }: Store, before: number): AsyncIterable<StoredArtifact> {
  const query = `SELECT artifacts.rowid AS place, ${ARTIFACT_COLUMNS} FROM artifacts
    WHERE artifacts.account = ?1 AND artifacts.rowid > ?3 AND ${NOT_REMOVED} AND EXISTS (
      SELECT 1 FROM projects WHERE projects.account = artifacts.account AND projects.id = artifacts.project_id AND ${PROJECT_ENDED} AND ${TAKEN_AWAY})
    ORDER BY artifacts.rowid LIMIT ${BATCH}`;
  for (const row of inBatches((after) => driver.query(query, account, before, after), 'place')) yield artifactFrom(row);
}

function detailsToForget({ driver, account }: Store, before: number): ForgottenDetails {
  const count = (from: string): number => Number(driver.get(`SELECT count(*) AS n ${from}`, account, before)?.['n']);
  return { orders: count(ORDERS_TO_FORGET) + count(`FROM ${PROJECTS_TO_FORGET}`), rows: count(ROWS_TO_FORGET) };
}

/** The open removal `details` survives a crash, so the next `prune` cleans the file in any case. */
async function forgetDetails(store: Store, before: number): Promise<ForgottenDetails> {
  const { driver, account, clock } = store;
  const details = detailsToForget(store, before);
  const wasInterrupted =
    driver.get(
      `SELECT 1 AS found FROM removals WHERE account = ? AND kind = 'details' AND ended_at IS NULL`,
      account,
    ) !== undefined;
  if (details.orders + details.rows === 0 && !wasInterrupted) return details;
  await driver.write(() =>
    driver.run(
      `INSERT INTO removals (account, path, kind, bytes, began_at) VALUES (?, '', 'details', 0, ?)
       ON CONFLICT (account, path) DO UPDATE SET began_at = excluded.began_at, ended_at = NULL`,
      account,
      clock.now(),
    ),
  );
  // Rows first: their orders show which have ended.
  for (let after: number | null = 0; after !== null;)
    after = await driver.write(() => forgetRows(store, before, after ?? 0));
  for (let after: number | null = 0; after !== null;)
    after = await driver.write(() => forgetOrders(store, before, after ?? 0));
  await driver.write(() => forgetHeldFiles(store, before));
  await driver.write(() => {
    for (const { id } of driver.query(`SELECT CAST(id AS TEXT) AS id FROM ${PROJECTS_TO_FORGET}`, account, before))
      forgetProject(store, String(id));
  });
  await driver.compact();
  await driver.write(() => endRemovals(store, ['']));
  return details;
}

/** Returns the last row's id, or null. */
function forgetRows({ driver, account }: Store, before: number, after: number): number | null {
  const rows = driver.query(
    `SELECT rows.id ${ROWS_TO_FORGET} AND rows.id > ?3 ORDER BY rows.id LIMIT ${BATCH}`,
    account,
    before,
    after,
  );
  for (const { id } of rows) {
    driver.run(
      `UPDATE rows SET record = json_set(record, '$.cells', json('[]')), problems = '[]', repairs = '[]',
         summary = json_set(summary, '$.insuredName', '', '$.streetAddress', '') WHERE id = ?`,
      Number(id),
    );
    driver.run('DELETE FROM order_changes WHERE row_id = ?', Number(id));
  }
  return rows.length < BATCH ? null : Number(rows.at(-1)?.['id']);
}

function forgetOrders(store: Store, before: number, after: number): number | null {
  const { driver, account } = store;
  const orders = driver.query(
    `SELECT orders.id, orders.identity, orders.address_key, orders.payload, CAST(orders.project_id AS TEXT) AS project_id ${ORDERS_TO_FORGET} AND orders.id > ?3
     ORDER BY orders.id LIMIT ${BATCH}`,
    account,
    before,
    after,
  );
  for (const order of orders) forgetOrder(store, order);
  return orders.length < BATCH ? null : Number(orders.at(-1)?.['id']);
}

/** The reasons for holding a file quote its rows. */
function forgetHeldFiles({ driver, account }: Store, before: number): void {
  const held = driver.query(
    `SELECT hash FROM held_files WHERE account = ?1 AND held_at < ?2 AND reasons <> '[]'
       AND EXISTS (SELECT 1 FROM files WHERE files.account = held_files.account AND files.hash = held_files.hash)`,
    account,
    before,
  );
  for (const { hash } of held) {
    driver.run(`UPDATE held_files SET reasons = '[]' WHERE account = ? AND hash = ?`, account, String(hash));
    driver.run(WITHOUT_WORDS, account, 'file', String(hash));
  }
}

const WITHOUT_WORDS = `UPDATE steps SET detail = json_remove(detail, '$.reason', '$.problem', '$.comment') WHERE account = ? AND subject = ? AND subject_id = ? AND detail IS NOT NULL`;

function forgetOrder(store: Store, row: SqlRow): void {
  const { driver, account } = store;
  const id = Number(row['id']);
  const payload = JSON.stringify(withoutDetails(jsonOf(row['payload']) as OrderPayload));
  driver.run(
    'UPDATE orders SET payload = ?, identity = ?, address_key = ?, reason = NULL WHERE id = ?',
    payload,
    keyWhenForgotten(String(row['identity'])),
    keyWhenForgotten(String(row['address_key'])),
    id,
  );
  for (const identity of identitiesBeside(store, id)) {
    const forgotten = keyWhenForgotten(identity);
    if (forgotten === identity) continue;
    driver.run(
      'DELETE FROM amended_identities WHERE account = ? AND identity = ? AND order_id = ?',
      account,
      identity,
      id,
    );
    addIdentity(store, forgotten, id);
  }
  driver.run('UPDATE attempts SET payload = ?, detail = NULL WHERE order_id = ?', payload, id);
  driver.run('DELETE FROM order_changes WHERE order_id = ?', id);
  driver.run(WITHOUT_WORDS, account, 'order', String(id));
  if (typeof row['project_id'] === 'string') forgetProject(store, row['project_id']);
  addStep(store, 'order', id, 'details forgotten');
}

function forgetProject(store: Store, projectId: string): void {
  const { driver, account } = store;
  const details = detailsOf(store, projectId);
  driver.run(
    'UPDATE projects SET inspection_code = NULL, inspection_link = NULL, problem = NULL, details = ? WHERE account = ? AND id = ?',
    details === null ? null : JSON.stringify(withoutDetails(details)),
    account,
    BigInt(projectId),
  );
  driver.run(
    `UPDATE decisions SET decided_by = '', notes = '' WHERE account = ? AND project_id = ?`,
    account,
    BigInt(projectId),
  );
  driver.run(`UPDATE closeouts SET reasons = '[]' WHERE account = ? AND project_id = ?`, account, BigInt(projectId));
  driver.run(
    `UPDATE updates SET request = json_remove(request, '$.comment'), reason = NULL WHERE account = ? AND project_id = ? AND state <> 'open'`,
    account,
    BigInt(projectId),
  );
  driver.run(WITHOUT_WORDS, account, 'project', projectId);
}

function beginRemovals({ driver, account, clock }: Store, removals: readonly Removal[]): void {
  for (const { path, kind, bytes } of removals) {
    driver.run(
      `INSERT INTO removals (account, path, kind, bytes, began_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (account, path) DO UPDATE SET kind = excluded.kind, bytes = excluded.bytes, began_at = excluded.began_at, ended_at = NULL`,
      account,
      path,
      kind,
      bytes,
      clock.now(),
    );
  }
}

function endRemovals({ driver, account, clock }: Store, paths: readonly string[]): void {
  for (const path of paths)
    driver.run('UPDATE removals SET ended_at = ? WHERE account = ? AND path = ?', clock.now(), account, path);
}

function openRemovals({ driver, account }: Store): readonly Removal[] {
  return driver
    .query(
      `SELECT path, kind, bytes FROM removals WHERE account = ? AND ended_at IS NULL AND kind <> 'details' ORDER BY path`,
      account,
    )
    .map((row) => ({
      path: String(row['path']),
      kind: String(row['kind']) as Removal['kind'],
      bytes: Number(row['bytes']),
    }));
}

function wasRemoved({ driver, account }: Store, path: string): boolean {
  return driver.get('SELECT 1 AS found FROM removals WHERE account = ? AND path = ?', account, path) !== undefined;
}

export const retentionVerbs = {
  reads: { filesAtTheirEnd, deliveriesAtTheirEnd, detailsToForget, openRemovals, wasRemoved },
  writes: { beginRemovals, endRemovals },
  own: { downloadsAtTheirEnd, forgetDetails },
};
