import { HAS_LOST, IS_LOST } from './artifacts.ts';
import { FIRST_ORDER, IS_KNOWN, PAYLOAD, payloadOf, projectFrom } from './projects.ts';
import {
  listOf,
  type Store,
  AMONG_IDS,
  isTrue,
  numberOrNull,
  rowReader,
  textOf,
  type YieldedBy,
  ofProject,
  idsIn,
  type Job,
  type SqlRow,
} from './store.ts';

type FetchOutcome = 'nothing-offered' | 'incomplete' | 'ended';

export type FetchRecord = ReturnType<typeof fetchFrom>;

const fetchFrom = rowReader({
  outcome: textOf<FetchOutcome>,
  /** Counts tries at least half a day apart. */
  nights: Number,
  lastNightAt: Number,
});

export type FollowedStatus = ReturnType<typeof followedFrom>;

export type WatchedProject = YieldedBy<typeof watchedProjects>;

const NOT_OVER = `projects.given_up_at IS NULL AND projects.status <> 'Project Canceled'`;

const NOT_RECEIVED_WHOLE = `(projects.status <> 'Client Received' OR projects.collected_at IS NULL)`;

const FOLLOWED = `projects.rowid IN (
    SELECT projects.rowid FROM projects WHERE projects.account = ?1 AND ${NOT_OVER} AND ${NOT_RECEIVED_WHOLE}
    UNION SELECT projects.rowid FROM artifacts JOIN projects ON ${ofProject('artifacts')}
    WHERE artifacts.account = ?1 AND ${IS_LOST} AND ${NOT_OVER})`;

const FOLLOWED_AMONG = `projects.account = ?1 AND projects.id IN ${idsIn('?2')} AND ${NOT_OVER} AND (${NOT_RECEIVED_WHOLE} OR ${HAS_LOST})`;

const OF_STATUS = `${ofProject('fetches')} AND fetches.status_at = projects.status_at`;

export const FETCH_ENDED = `EXISTS (SELECT 1 FROM fetches WHERE ${OF_STATUS} AND fetches.outcome = 'ended')`;

const NOT_ENDED = `NOT (projects.status = 'Client Received' AND ${FETCH_ENDED})`;

const WITH_FETCH = `LEFT JOIN fetches ON ${OF_STATUS}`;

const FETCH_COLUMNS = `fetches.outcome, fetches.nights, fetches.last_night_at, ${HAS_LOST} AS has_lost`;

function followedProjects(store: Store, ids?: readonly string[]) {
  const [which, ...meant] = ids === undefined ? [FOLLOWED] : [FOLLOWED_AMONG, JSON.stringify(ids)];
  return listOf(
    store,
    followedFrom,
    `${projectFrom.select}, ${FETCH_COLUMNS} FROM projects ${WITH_FETCH} WHERE ${which} AND NOT (projects.status = 'Client Received' AND fetches.outcome IS NOT DISTINCT FROM 'ended') ORDER BY projects.id`,
    ...meant,
  );
}

const BATCH = 500;

const NEXT_WATCHED = `WITH next AS (
    SELECT * FROM (SELECT projects.id FROM projects INDEXED BY projects_followed WHERE projects.account = ?1 AND projects.id > ?2 AND ${NOT_OVER} AND ${NOT_RECEIVED_WHOLE}
      AND (projects.collected_at IS NULL OR projects.problem IS NOT NULL) AND ${NOT_ENDED} ORDER BY projects.id LIMIT ${BATCH}) AS followed
    UNION SELECT * FROM (SELECT DISTINCT artifacts.project_id AS id FROM artifacts INDEXED BY artifacts_lost CROSS JOIN projects ON ${ofProject('artifacts')}
      WHERE artifacts.account = ?1 AND artifacts.project_id > ?2 AND ${IS_LOST} AND ${NOT_OVER} AND projects.problem IS NOT NULL AND ${NOT_ENDED} ORDER BY artifacts.project_id LIMIT ${BATCH}) AS lost)
  SELECT CAST(id AS TEXT) AS id FROM next ORDER BY next.id LIMIT ${BATCH}`;

async function* watchedProjects({ driver, account }: Store, ids?: readonly string[]) {
  for (let after = '-1'; ;) {
    const batch = ids ?? (await driver.query(NEXT_WATCHED, account, BigInt(after))).map((row) => textOf(row['id']));
    const rows = await driver.query(
      `${projectFrom.select}, ${FETCH_COLUMNS}, orders.id AS order_id, orders.state AS order_state, ${PAYLOAD} FROM projects ${WITH_FETCH} LEFT JOIN orders ON orders.id = ${FIRST_ORDER}
       WHERE projects.account = ? AND projects.id IN ${AMONG_IDS} AND ${IS_KNOWN} ORDER BY projects.id`,
      account,
      batch,
    );
    for (const row of rows)
      yield {
        project: followedFrom(row),
        /** The first order; null for a project made elsewhere. */
        orderId: numberOrNull(row['order_id']),
        isOrderedHere: row['order_state'] === 'created',
        order: payloadOf(row),
      };
    const last = batch.at(-1);
    if (ids !== undefined || last === undefined) return;
    after = last;
  }
}

function followedFrom(row: SqlRow) {
  return {
    ...projectFrom(row),
    fetch: row['outcome'] === null ? null : fetchFrom(row),
    hasLost: isTrue(row['has_lost']),
  };
}

const NIGHT_MS = 12 * 60 * 60 * 1000;

async function recordFetch(store: Job, projectId: string, outcome: FetchOutcome) {
  const [row] = await store.driver.query(
    `INSERT INTO fetches (account, project_id, status_at, outcome, nights, last_night_at)
     SELECT account, id, status_at, ?1, 1, ?2 FROM projects WHERE account = ?3 AND id = ?4
     ON CONFLICT (account, project_id) DO UPDATE SET outcome = excluded.outcome, status_at = excluded.status_at,
       nights = CASE WHEN fetches.status_at <> excluded.status_at OR (fetches.outcome = 'nothing-offered' AND excluded.outcome = 'incomplete') THEN 1 WHEN excluded.last_night_at - fetches.last_night_at >= ?5 THEN fetches.nights + 1 ELSE fetches.nights END,
       last_night_at = CASE WHEN fetches.status_at = excluded.status_at AND excluded.last_night_at - fetches.last_night_at < ?5 THEN fetches.last_night_at ELSE excluded.last_night_at END
     RETURNING outcome, nights, last_night_at`,
    outcome,
    store.clock.now(),
    store.account,
    BigInt(projectId),
    NIGHT_MS,
  );
  if (row === undefined) throw new Error(`project ${projectId} is not on record`);
  return fetchFrom(row);
}

export const followedProjectVerbs = {
  reads: {
    /**
     * Not canceled, received or given up, by id. A project received without its files, or with changed ones, is
     * followed while the service offers them. `ids`: only these.
     */
    followedProjects,
  },
  writes: {
    /** The result counts its nights. */
    recordFetch,
  },
  own: {
    /** By id. `ids`: only these, a few hundred. */
    watchedProjects,
  },
};
