import type { NightFigures } from '../domain/delivery.ts';
import type { Decision, UndecidedHouse } from '../domain/project.ts';
import type { OrderPayload } from '../domain/row.ts';
import { filesOfAll } from './artifacts.ts';
import { decisionsOn, keepReasons } from './decisions.ts';
import { findOrder, ordersWhere } from './orders.ts';
import { addToOutbox, type OutboxEntry } from './outbox.ts';
import { type Closeout, detailsOf, endings, FIRST_ORDER, NOTHING_KNOWN, PAYLOAD, projectFrom } from './projects.ts';
import { ROW_COLUMNS, rowFrom, STILL_COUNTS, IS_REJECTED, WITH_FILE_AND_ORDER, WITH_FILE } from './rows.ts';
import {
  addStep,
  firstOf,
  hasRow,
  inBatches,
  INSERT_STEPS,
  listOf,
  redeliverProject,
  type Store,
  AMONG_IDS,
  insertInto,
  jsonOf,
  numberOrNull,
  rowReader,
  textOf,
  textOrNull,
  type YieldedBy,
  ofProject,
  type Job,
  type SqlRow,
  type SqlValue,
} from './store.ts';
import { amendedDetails } from './updates.ts';

export type FollowedProject = YieldedBy<typeof projectsForResults>;

/** Ids rise with commits. */
const newestFrom = rowReader({ steps: Number, rows: Number, news: Number });

export type NewDelivery = Readonly<{
  run: string;
  folder: string;
  contents: Readonly<Record<string, string | null>>;
  orderIds: readonly number[];
  results: boolean;
  projectIds: readonly string[];
  /** Read before the contents, so later changes are not marked as shown. */
  seen: ReturnType<typeof newestFrom>;
  night?: NightFigures | null;
  /** All that wait for a decision, the riskiest first. */
  undecided?: readonly UndecidedHouse[];
  /** Of the houses decided since the delivery before. */
  reasons?: ReadonlyMap<string, readonly string[]>;
  messages?: readonly OutboxEntry[];
}>;

export interface EndedProject extends Closeout {
  readonly kind: 'canceled' | 'closed out';
  readonly decision?: Decision | undefined;
}

export type DeliveredHouse = ReturnType<typeof houseFrom>;

const houseFrom = rowReader({ projectId: textOf, run: textOf, payload: jsonOf<OrderPayload> });

export type DeliveryRecord = ReturnType<typeof deliveryFrom>;

const recordFrom = rowReader({
  run: textOf,
  folder: textOf,
  publishedAt: Number,
  contents: jsonOf<Readonly<Record<string, string | null>>>,
});

/** `projects`, `orders`: how many it shows; null, as `night`, in deliveries of earlier versions. */
function deliveryFrom(row: SqlRow) {
  const shown = jsonOf<{ projects?: number; orders?: number; night?: NightFigures | null }>(row['detail'] ?? '{}');
  return { projects: null, orders: null, night: null, ...shown, ...recordFrom(row) };
}

export function deliveriesOnRecord(store: Store) {
  return listOf(
    store,
    deliveryFrom,
    `SELECT deliveries.run, folder, published_at, contents,
       (SELECT detail FROM steps WHERE subject = 'delivery' AND subject_id = deliveries.run AND event = 'published' ORDER BY id LIMIT 1) AS detail
     FROM deliveries JOIN runs ON runs.id = deliveries.run WHERE runs.account = ?
       AND NOT EXISTS (SELECT 1 FROM removals WHERE removals.account = runs.account AND removals.path = deliveries.folder) ORDER BY published_at, deliveries.rowid`,
  );
}

const BATCH = 200;

/** Must equal the condition of its index. */
const TO_SHOW = `(projects.handed_over_in IS NULL OR (projects.collected_at IS NULL AND projects.given_up_at IS NULL AND projects.status NOT IN ('Client Received', 'Project Canceled', 'Receive Error')))`;

const ORDERS_TO_HAND_OVER = `orders.handed_over_in IS NULL`;

const NOT_ORDERED = `(rows.outcome IN ('rejection', 'repeat') OR orders.state IN ('refused', 'skipped', 'held', 'linked', 'abandoned')) AND ${STILL_COUNTS}`;

/** Must equal the condition of its index. */
const ROWS_TO_SHOW = `(rows.handed_over_in IS NULL OR rows.open_since IS NOT NULL)`;

const FROM_ALL_ROWS = `FROM rows CROSS ${WITH_FILE_AND_ORDER}`;

const HAS_FILES = `EXISTS (SELECT 1 FROM artifacts WHERE ${ofProject('artifacts')})`;

async function* projectsForResults(store: Store, all: boolean, onlyWithFiles = false) {
  const since = (await lastResultsAt(store)) ?? -1;
  for (let after = -1n; ;) {
    const rows = await store.driver.query(
      `${projectFrom.select}, handed_over_in IS NULL AS undelivered FROM projects WHERE account = ? AND projects.id > ? ${all ? '' : `AND ${TO_SHOW}`} ${onlyWithFiles ? `AND ${HAS_FILES}` : ''} ORDER BY projects.id LIMIT ${BATCH}`,
      store.account,
      after,
    );
    const projects = rows.map(projectFrom);
    const ids = projects.map(({ id }) => id);
    const orders = await firstOrdersOf(store, ids);
    const placed = await rowsOf(
      store,
      [...orders.values()].map(({ id }) => id),
    );
    const files = await filesOfAll(store, ids);
    for (const [index, project] of projects.entries()) {
      const order = orders.get(project.id) ?? null;
      const payload = order?.payload ?? (await detailsOf(store, project.id));
      if (payload === null) continue;
      const artifacts = files.get(project.id) ?? [];
      const isUndelivered = rows[index]?.['undelivered'] === 1;
      const hasNewReport =
        isUndelivered && artifacts.some(({ kind, recordedAt }) => kind === 'report' && recordedAt > since);
      yield {
        project,
        order,
        /** For a project made elsewhere, the service's. */
        payload,
        row: order && (placed.get(order.id) ?? null),
        artifacts,
        isUndelivered,
        hasNewReport,
      };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = BigInt(textOf(last['id']));
  }
}

async function firstOrdersOf(store: Store, projectIds: readonly string[]) {
  const ofProjects = `AND project_id IN ${AMONG_IDS} ORDER BY state = 'created', id DESC`;
  return new Map((await ordersWhere(store, ofProjects, projectIds)).map((order) => [order.projectId, order]));
}

async function rowsOf({ driver }: Store, orderIds: readonly number[]) {
  const rows = await driver.query(
    `SELECT ${ROW_COLUMNS} FROM rows ${WITH_FILE} WHERE rows.id IN (SELECT min(id) FROM rows WHERE order_id IN ${AMONG_IDS} GROUP BY order_id)`,
    orderIds,
  );
  return new Map(rows.map(rowFrom).map((row) => [row.orderId ?? 0, row]));
}

function notOrdered(store: Store, all: boolean) {
  const query = `SELECT ${ROW_COLUMNS}, files.sender, files.recorded_at, rows.open_since, rows.corrections, rows.handed_over_in IS NULL AS undelivered
    ${FROM_ALL_ROWS}
    WHERE rows.id > ? AND files.account = ? AND ${NOT_ORDERED} ${all ? '' : `AND ${ROWS_TO_SHOW}`} ORDER BY rows.id LIMIT ${BATCH}`;
  const read = async (found: SqlRow) => {
    const row = rowFrom(found);
    const openSince = numberOrNull(found['open_since']);
    return {
      row,
      order: row.orderId === null ? null : await findOrder(store, row.orderId),
      sender: textOf(found['sender']),
      isOpen: openSince !== null,
      since: openSince ?? Number(found['recorded_at']),
      corrections: textOrNull(found['corrections']),
      isUndelivered: found['undelivered'] === 1,
    };
  };
  return inBatches(read, (after) => store.driver.query(query, after, store.account));
}

const LAST_RESULTS = `FROM deliveries JOIN runs ON runs.id = deliveries.run
  WHERE runs.account = ? AND json_extract(contents, '$.report') IS NOT NULL ORDER BY published_at DESC LIMIT 1`;

function lastResultsAt(store: Store) {
  return firstOf(store, (row) => Number(row['published_at']), `SELECT published_at ${LAST_RESULTS}`);
}

async function undecidedHouses(store: Store) {
  const step = await firstOf(
    store,
    ({ detail }) => jsonOf<{ houses: readonly UndecidedHouse[] }>(detail),
    `SELECT detail FROM steps WHERE subject = 'delivery' AND event = 'undecided' AND subject_id = (SELECT deliveries.run ${LAST_RESULTS})`,
  );
  const houses = step?.houses ?? [];
  const ids = houses.map(({ projectId }) => projectId);
  const decisions = await decisionsOn(store, ids);
  return houses.filter(({ projectId }) => !decisions.get(projectId)?.decision);
}

async function redeliver(store: Job, projectIds: readonly string[]) {
  for (const id of projectIds) await redeliverProject(store, id);
}

const ofProjects = rowReader({ ordered: Number, returned: Number, collected: Number, decided: Number });
const ofRows = rowReader({ wentBack: Number, fixed: Number, changed: Number });

async function nightCounts(store: Store) {
  const since = await lastResultsAt(store);
  const projects = await store.driver.get(
    `SELECT count(*) FILTER (WHERE first_seen_at > ?2) AS ordered, count(*) FILTER (WHERE returned_at > ?2) AS returned, count(*) FILTER (WHERE collected_at > ?2) AS collected,
       count(*) FILTER (WHERE EXISTS (SELECT 1 FROM decisions WHERE ${ofProject('decisions')} AND decisions.at > ?2 AND decisions.decision NOT IN ('', coalesce((SELECT decision FROM decisions AS old WHERE ${ofProject('old')} AND old.id < decisions.id ORDER BY old.id DESC LIMIT 1), '')))) AS decided
     FROM projects WHERE account = ?1 AND handed_over_in IS NULL`,
    store.account,
    since ?? -1,
  );
  const rows = await store.driver.get(
    `SELECT count(*) FILTER (WHERE ${IS_REJECTED}) AS went_back, count(order_changes.row_id) AS changed,
       count(*) FILTER (WHERE rows.outcome <> 'rejection' AND json_extract(rows.record, '$.corrects') IS NOT NULL) AS fixed
     ${FROM_ALL_ROWS} LEFT JOIN order_changes ON order_changes.row_id = rows.id
     WHERE ${ROWS_TO_SHOW} AND rows.handed_over_in IS NULL AND files.account = ?`,
    store.account,
  );
  const ended = await endedProjects(store);
  const countOf = (kind: EndedProject['kind']) => ended.filter((one) => one.kind === kind).length;
  const { decided, ...counts } = ofProjects(projects ?? {});
  const ends = { canceled: countOf('canceled'), closedOut: countOf('closed out') };
  return { since, ...counts, ...ofRows(rows ?? {}), ...ends, decided };
}

const ENDS = `('project-canceled', 'closed-out')`;

async function endedProjects(store: Store, since?: number) {
  const ends = await store.driver.query(
    `SELECT news.kind, news.subject, max(news.at) AS at, closeouts.reasons, count(*) FILTER (WHERE news.handed_over_in IS NULL) AS fresh
     FROM news LEFT JOIN closeouts ON closeouts.account = news.account AND closeouts.project_id = CAST(news.subject AS BIGINT)
     WHERE news.account = ? AND news.kind IN ${ENDS} AND (news.handed_over_in IS NULL ${since === undefined ? '' : 'OR news.at > ?'}) GROUP BY news.kind, news.subject, closeouts.reasons ORDER BY min(news.id)`,
    store.account,
    ...(since === undefined ? [] : [since]),
  );
  const ids = ends.map(({ subject }) => textOf(subject));
  const orders = await firstOrdersOf(store, ids);
  const known = await endings(store, ids);
  const ended: (EndedProject & { readonly isNew: boolean })[] = [];
  for (const row of ends) {
    const projectId = textOf(row['subject']);
    const payload = orders.get(projectId)?.payload ?? (await detailsOf(store, projectId));
    const kind = row['kind'] === 'closed-out' ? 'closed out' : 'canceled';
    const isNew = Number(row['fresh']) > 0;
    // Later reports no longer close it out, or it was reopened.
    if (payload === null || (kind === 'closed out' && row['reasons'] === null) || !(isNew || known.has(projectId)))
      continue;
    ended.push({
      kind,
      projectId,
      order: { ...payload, ...(await amendedDetails(store, projectId)) },
      ...(known.get(projectId) ?? NOTHING_KNOWN),
      at: Number(row['at']),
      isNew,
    });
  }
  return ended;
}

async function* ordersToHandOver(store: Store) {
  const next = `AND id > ? AND ${ORDERS_TO_HAND_OVER} ORDER BY id LIMIT ${BATCH}`;
  const ofOrders = `${projectFrom.select} FROM projects WHERE account = ? AND id IN ${AMONG_IDS}`;
  for (let after = 0; ;) {
    const orders = await ordersWhere(store, next, after);
    const rows = await rowsOf(
      store,
      orders.map(({ id }) => id),
    );
    const ids = orders.flatMap(({ projectId }) => projectId ?? []);
    const projects = new Map((await listOf(store, projectFrom, ofOrders, ids)).map((project) => [project.id, project]));
    for (const order of orders)
      yield { order, row: rows.get(order.id) ?? null, project: projects.get(order.projectId ?? '') ?? null };
    const last = orders.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function somethingToHandOver(store: Store) {
  return {
    orders: await hasRow(store, 'orders', ORDERS_TO_HAND_OVER),
    results:
      (await hasRow(store, 'projects', 'handed_over_in IS NULL')) ||
      (await firstOf(
        store,
        () => true,
        `SELECT 1 ${FROM_ALL_ROWS}
           WHERE ${ROWS_TO_SHOW} AND rows.handed_over_in IS NULL AND files.account = ? AND ${NOT_ORDERED} LIMIT 1`,
      )) !== null,
  };
}

async function newestIds({ driver }: Store) {
  const highest = (table: string) => `(SELECT coalesce(max(id), 0) FROM ${table}) AS ${table}`;
  return newestFrom((await driver.get(`SELECT ${highest('steps')}, ${highest('rows')}, ${highest('news')}`)) ?? {});
}

/** `?` is the last step seen. */
const unchanged = (subject: 'order' | 'project', id: string) =>
  `NOT EXISTS (SELECT 1 FROM steps WHERE subject = '${subject}' AND subject_id = CAST(${id} AS TEXT) AND steps.id > ?)`;

async function recordDelivery(store: Job, delivery: NewDelivery) {
  const { driver, clock, account } = store;
  const { run, folder, contents, orderIds, projectIds, seen, night = null, undecided = [] } = delivery;
  const now = clock.now();
  await driver.run(...insertInto('deliveries', { run, folder, publishedAt: now, contents }));
  const handOver = (table: string, which: string, ...values: SqlValue[]) =>
    driver.run(`UPDATE ${table} SET handed_over_in = ? WHERE ${which}`, run, ...values);
  const shownOrders = `id IN ${AMONG_IDS} AND ${unchanged('order', 'orders.id')}`;
  await handOver('orders', shownOrders, orderIds, seen.steps);
  if (delivery.results) {
    // The plus keeps SQLite from scanning all rows.
    await handOver(
      'rows',
      `${ROWS_TO_SHOW} AND handed_over_in IS NULL AND rows.id <= ? AND +file_id IN (SELECT id FROM files WHERE account = ?) AND ${unchanged('order', 'rows.order_id')}`,
      seen.rows,
      account,
      seen.steps,
    );
    await handOver('news', 'account = ? AND handed_over_in IS NULL AND id <= ?', account, seen.news);
  }
  const shownProjects = `account = ? AND id IN ${AMONG_IDS} AND ${unchanged('project', 'projects.id')}`;
  await handOver('projects', shownProjects, account, projectIds, seen.steps);
  await driver.run(
    `${INSERT_STEPS}
     SELECT ?, ?, ?, 'project', CAST(id AS TEXT), 'delivered', ? FROM projects WHERE account = ? AND id IN ${AMONG_IDS} ORDER BY id`,
    account,
    now,
    store.run,
    { folder },
    account,
    projectIds,
  );
  await addStep(store, 'delivery', run, 'published', {
    folder,
    projects: projectIds.length,
    orders: orderIds.length,
    night,
  });
  if (undecided.length > 0) await addStep(store, 'delivery', run, 'undecided', { houses: undecided });
  await keepReasons(store, delivery.reasons ?? new Map());
  await addToOutbox(store, delivery.messages ?? []);
}

async function deliveredHouses({ driver, account }: Store, max: number) {
  const rows = await driver.query(
    `SELECT CAST(projects.id AS TEXT) AS project_id, projects.handed_over_in AS run, ${PAYLOAD}
     FROM projects LEFT JOIN orders ON orders.id = ${FIRST_ORDER}
     WHERE projects.account = ? AND projects.handed_over_in IS NOT NULL ORDER BY projects.id DESC LIMIT ?`,
    account,
    max,
  );
  return rows.filter(({ payload }) => payload !== null).map(houseFrom);
}

async function deliveredProjects(store: Store) {
  const delivered = 'SELECT CAST(id AS TEXT) AS id FROM projects WHERE account = ? AND handed_over_in IS NOT NULL';
  return new Set(await listOf(store, ({ id }) => textOf(id), delivered));
}

export const deliveryVerbs = {
  reads: {
    nightCounts,
    /** Not shown in results yet, or later than a time (epoch ms); the oldest first. */
    endedProjects,
    somethingToHandOver,
    newestIds,
    deliveriesOnRecord,
    /** Projects without news since their last delivery. */
    deliveredProjects,
    deliveredHouses,
    /** Of the last delivery of results, without those decided since; the riskiest first. */
    undecidedHouses,
  },
  writes: {
    redeliver,
    /** Changes after `seen` remain for the next delivery. */
    recordDelivery,
  },
  own: {
    /** All, or those outstanding or changed since the last delivery of results. */
    projectsForResults,
    /** All, or open ones and those that no results have shown like this. */
    notOrdered,
    /** Those that no delivery has shown like this. */
    ordersToHandOver,
  },
};
