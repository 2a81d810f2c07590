import { PROJECT_STATUSES } from '../contract/document.ts';
import { type CollectionProblem, type ProblemCode, STATUS_NOT_SEEN } from '../domain/project.ts';
import type { OrderPayload } from '../domain/row.ts';
import type { ProjectLink } from './orders.ts';
import {
  addCancellationNews,
  insertIfAbsent,
  addNews,
  addStep,
  insertRecord,
  changeProject,
  firstOf,
  listOf,
  replaceIn,
  returnTimeOf,
  type Store,
  AMONG_IDS,
  idOf,
  jsonOf,
  numberOrNull,
  orNull,
  rowReader,
  rowReaderOf,
  isTrue,
  textOf,
  textOrNull,
  ofProject,
  type Job,
  type SqlRow,
} from './store.ts';

/** Medians in ms. */
export type UsualDuration = Readonly<Awaited<ReturnType<typeof usualDurations>>[number]>;

export type Closeout = Awaited<ReturnType<typeof closeouts>>[number];

export type ProjectRecord = ReturnType<typeof projectFrom>;

export type ShownStatus = Pick<ProjectRecord, 'id' | 'status'>;

/** Each project counts once. */
export type ProjectCounts = Readonly<Awaited<ReturnType<typeof projectCounts>>>;

export const NO_PROBLEM = `problem = NULL, problem_code = NULL, lacking = '[]'`;

export const projectFrom = rowReaderOf('projects.', {
  id: idOf,
  status: textOf,
  statusAt: Number,
  inspectionCode: textOrNull,
  inspectionLink: textOrNull,
  firstSeenAt: Number,
  returnedAt: numberOrNull,
  collectedAt: numberOrNull,
  problem: textOrNull,
  problemCode: orNull(textOf<ProblemCode>),
  lacking: jsonOf<readonly string[]>,
});

export function findProject(store: Store, projectId: string) {
  return firstOf(
    store,
    projectFrom,
    `${projectFrom.select} FROM projects WHERE account = ? AND id = ?`,
    BigInt(projectId),
  );
}

const SITUATION = `CASE
  WHEN status = 'Client Received' THEN 'received'
  WHEN status = 'Project Canceled' THEN 'canceled'
  WHEN status = 'Receive Error' OR given_up_at IS NOT NULL THEN 'failed'
  WHEN collected_at IS NOT NULL THEN 'collected'
  WHEN returned_at IS NOT NULL THEN 'returned'
  ELSE 'outstanding' END`;

const BEFORE_RETURN = `(${PROJECT_STATUSES.slice(0, PROJECT_STATUSES.indexOf('Returned to Client'))
  .map((status) => `'${status}'`)
  .join(', ')})`;

/** Whether a change to the status `?1` means new files. A project just tied to an order keeps its record. */
const BRINGS_FILES = `(?1 = 'Returned to Client' AND status <> '${STATUS_NOT_SEEN}') OR (status IN ${BEFORE_RETURN} AND ?1 NOT IN ${BEFORE_RETURN} AND ?1 <> 'Project Canceled')`;

export async function recordStatuses(store: Job, seen: readonly ShownStatus[]) {
  const changed = [];
  const last = new Map(seen.map(({ id, status }) => [id, status]));
  const known = await store.driver.query(
    `SELECT CAST(id AS TEXT) AS id, status, status_at, problem_code FROM projects WHERE account = ? AND id IN ${AMONG_IDS} ORDER BY projects.id`,
    store.account,
    [...last.keys()],
  );
  const follows = [];
  for (const before of known) {
    const id = String(before['id']);
    const status = last.get(id) ?? '';
    if (before['status'] !== status) {
      changed.push(id);
      follows.push(changeStatus(store, before, status));
    } else if (before['problem_code'] === 'project-not-known') {
      const known = changeProject(store, id, `${NO_PROBLEM}, handed_over_in = NULL`);
      follows.push(known, addStep(store, 'project', id, 'known again'));
    }
  }
  await Promise.all(follows);
  return changed;
}

async function shownAsReopened(store: Store, shown: readonly ShownStatus[]) {
  const statuses = new Map(shown.map(({ id, status }) => [id, status]));
  const ended = await listOf(
    store,
    ({ id, status }) => ({ id: textOf(id), status }),
    `SELECT CAST(id AS TEXT) AS id, status FROM projects WHERE account = ? AND id IN ${AMONG_IDS} AND given_up_at IS NULL AND status IN ('Project Canceled', 'Client Received')`,
    [...statuses.keys()],
  );
  return ended.filter(({ id, status }) => statuses.get(id) !== status).map(({ id }) => id);
}

async function changeStatus(store: Job, before: SqlRow, status: string) {
  const { driver, clock, account } = store;
  const now = clock.now();
  const id = textOf(before['id']);
  const follows = [
    driver.run(
      `UPDATE projects SET status = ?1, status_at = ?2, returned_at = coalesce(returned_at, ?3),
         collected_at = CASE WHEN ${BRINGS_FILES} THEN NULL ELSE collected_at END,
         -- A problem of an earlier status is over.
         ${NO_PROBLEM},
         -- No news for the next delivery: a delivered project was received, or one that is not back has come further.
         handed_over_in = CASE WHEN ?1 = 'Client Received' OR (returned_at IS NULL AND ?1 IN ${BEFORE_RETURN}) THEN handed_over_in END
       WHERE account = ?4 AND id = ?5`,
      status,
      now,
      returnTimeOf(status, now),
      account,
      BigInt(id),
    ),
  ];
  if (before['status'] !== STATUS_NOT_SEEN) {
    const stay = { status: textOf(before['status']), beganAt: Number(before['status_at']), endedAt: now };
    follows.push(insertRecord(store, 'status_stays', { projectId: BigInt(id), ...stay }));
  }
  await Promise.all([
    ...follows,
    addStep(store, 'project', id, 'status', { status }),
    addCancellationNews(store, id, status),
  ]);
}

async function markCollected(store: Job, projectId: string) {
  const now = store.clock.now();
  const took = await changeProject(
    store,
    projectId,
    `collected_at = ?, returned_at = coalesce(returned_at, ?), ${NO_PROBLEM}, handed_over_in = NULL`,
    [now, now],
    '(collected_at IS NULL OR problem IS NOT NULL)',
  );
  if (!took) return;
  await store.driver.run('DELETE FROM fetches WHERE account = ? AND project_id = ?', store.account, BigInt(projectId));
  await addStep(store, 'project', projectId, 'collected');
}

async function markCollectionProblem(store: Job, projectId: string, { code, text, lacking = [] }: CollectionProblem) {
  const took = await store.driver.run(
    // A changed reason, such as the number of nights, is no news.
    'UPDATE projects SET problem = ?, problem_code = ?, lacking = ?, handed_over_in = CASE WHEN problem IS NOT NULL THEN handed_over_in END WHERE account = ? AND id = ? AND problem IS DISTINCT FROM ?',
    text,
    code,
    lacking,
    store.account,
    BigInt(projectId),
    text,
  );
  if (took === 0) return;
  await addStep(store, 'project', projectId, 'not collected', { problem: text, code });
  if (code === 'project-not-known') await addNews(store, code, projectId);
}

/** An answer that lists no files refutes a failure to fetch them. */
async function clearCollectionProblem({ driver, account }: Job, projectId: string) {
  const clearing = `UPDATE projects SET ${NO_PROBLEM} WHERE account = ? AND id = ? AND problem_code IN ('fetch-failed', 'files-incomplete')`;
  await driver.run(clearing, account, BigInt(projectId));
}

async function projectCounts({ driver, account }: Store) {
  const counts = { outstanding: 0, returned: 0, collected: 0, received: 0, canceled: 0, failed: 0 };
  const counted = await driver.query(
    `SELECT ${SITUATION} AS situation, count(*) AS n FROM projects WHERE account = ? GROUP BY 1`,
    account,
  );
  for (const { situation, n } of counted) counts[textOf<keyof typeof counts>(situation)] = Number(n);
  return counts;
}

function statusCounts(store: Store) {
  return listOf(
    store,
    (row) => ({ status: textOf(row['status']), count: Number(row['n']) }),
    'SELECT status, count(*) AS n FROM projects WHERE account = ? GROUP BY status ORDER BY n DESC, status',
  );
}

export const CLOSEOUT_REASONS = `(SELECT reasons FROM closeouts WHERE ${ofProject('closeouts')}) AS closeout_reasons`;

export const FIRST_ORDER = `(SELECT id FROM orders WHERE ${ofProject('orders')} ORDER BY state = 'created' DESC, id LIMIT 1)`;

export const PAYLOAD = 'coalesce(orders.payload, projects.details) AS payload';
export const WITHOUT_ORDER = `NOT EXISTS (SELECT 1 FROM orders WHERE ${ofProject('orders')})`;
export const WITH_PROJECT = `LEFT JOIN projects ON ${ofProject('orders')}`;
export const IS_KNOWN = '(orders.id IS NOT NULL OR projects.details IS NOT NULL)';

export function payloadOf(row: SqlRow) {
  return jsonOf<OrderPayload>(row['payload']);
}

async function recordCloseout(store: Job, projectId: string, reasons: readonly string[] | null) {
  const { driver, clock, account } = store;
  const id = BigInt(projectId);
  const onRecord = 'FROM closeouts WHERE account = ? AND project_id = ?';
  const held = await firstOf(store, (row) => textOf(row['reasons']), `SELECT reasons ${onRecord}`, id);
  if (held === (reasons && JSON.stringify(reasons))) return;
  if (reasons === null) {
    await driver.run(`DELETE ${onRecord}`, account, id);
    return;
  }
  await replaceIn(store, 'closeouts', { projectId: id }, { reasons, recordedAt: clock.now() });
  await addNews(store, 'closed-out', projectId);
  await addStep(store, 'project', projectId, 'closed out', { reason: reasons.join(' ') });
}

const closeoutFrom = rowReader({
  projectId: textOf,
  /** The service's; may be empty. */
  reasons: jsonOf<readonly string[]>,
  at: Number,
});

async function closeouts(store: Store) {
  const open = await listOf(
    store,
    (row) => ({ ...closeoutFrom(row), order: payloadOf(row) }),
    `SELECT CAST(projects.id AS TEXT) AS project_id, closeouts.reasons, closeouts.recorded_at AS at, ${PAYLOAD}
       FROM closeouts CROSS JOIN projects ON ${ofProject('closeouts')} LEFT JOIN orders ON orders.id = ${FIRST_ORDER}
       WHERE closeouts.account = ? AND ${IS_KNOWN} AND projects.given_up_at IS NULL AND projects.status NOT IN ('Project Canceled', 'Client Received')
       ORDER BY closeouts.recorded_at DESC, projects.id`,
  );
  const ids = open.map(({ projectId }) => projectId);
  const known = await endings(store, ids);
  return open.map((one) => ({ ...one, ...(known.get(one.projectId) ?? NOTHING_KNOWN) }));
}

export type Ending = ReturnType<typeof endingFrom>;

const laterFrom = rowReader({ projectId: textOf, serviceName: textOf, at: Number });

const PARTIAL = /^(?:Roof|Photo) Only|Exterior/;

/** `rows`: one for each inspection of the house, or one without. */
const endingFrom = (rows: readonly SqlRow[]) => {
  const latest = (isLater: boolean) => {
    const found = rows.findLast((row) => row['returned_at'] !== null && isTrue(row['is_later']) === isLater);
    return found === undefined ? null : laterFrom({ ...found, at: found['returned_at'] ?? null });
  };
  const again = rows.findLast((row) => isTrue(row['is_ordered_since']));
  return {
    reasons: jsonOf<readonly string[]>(rows[0]?.['reasons'] ?? '[]'),
    /** When a person canceled it here, epoch ms. */
    askedAt: numberOrNull(rows[0]?.['asked_at']),
    /** The latest inspection of the same house that came back before this project began. */
    inspectedBefore: latest(false),
    /** The same, come back since. */
    inspectedSince: latest(true),
    /** Of the same house, placed since. */
    orderedSince: again === undefined ? null : laterFrom(again),
    /** The same house was inspected or ordered since, by a service that looks at no less. */
    isOvertaken: rows.some(
      (row) =>
        (isTrue(row['is_ordered_since']) || isTrue(row['is_later'])) &&
        (PARTIAL.test(String(row['own_service'])) || !PARTIAL.test(String(row['service_name']))),
    ),
  };
};

export const NOTHING_KNOWN = endingFrom([]);

const IS_INSPECTED = `projects.collected_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM closeouts AS empty WHERE ${ofProject('empty')})`;

/** By id; without projects that have not ended. */
export async function endings(store: Store, projectIds: readonly string[]) {
  const known = await store.driver.query(
    `SELECT CAST(ended.id AS TEXT) AS id, closeouts.reasons, CAST(later.project_id AS TEXT) AS project_id, projects.returned_at, projects.returned_at > ended.first_seen_at AS is_later,
       later.created_at AS at, later.created_at > coalesce(closeouts.recorded_at, ended.status_at) AND later.state NOT IN ('refused', 'abandoned', 'skipped') AS is_ordered_since,
       json_extract(later.payload, '$.serviceName') AS service_name, json_extract(orders.payload, '$.serviceName') AS own_service, CASE WHEN ended.status = 'Project Canceled' THEN
         (SELECT max(began_at) FROM updates WHERE ${ofProject('updates', 'ended')} AND kind = 'cancel' AND state <> 'refused') END AS asked_at
     FROM projects AS ended
       LEFT JOIN closeouts ON ${ofProject('closeouts', 'ended')}
       LEFT JOIN orders ON ${ofProject('orders', 'ended')}
       LEFT JOIN orders AS later ON later.account = orders.account AND later.address_key = orders.address_key AND later.project_id IS DISTINCT FROM ended.id
       LEFT JOIN projects ON ${ofProject('later')} AND projects.returned_at IS NOT NULL AND ${IS_INSPECTED}
     WHERE ended.account = ? AND ended.id IN ${AMONG_IDS} AND (ended.status = 'Project Canceled' OR closeouts.project_id IS NOT NULL)
     ORDER BY coalesce(projects.returned_at, 0), projects.id, later.id`,
    store.account,
    projectIds,
  );
  return new Map([...Map.groupBy(known, ({ id }) => textOf(id))].map(([id, rows]) => [id, endingFrom(rows)]));
}

/** Of the same house by any service, come back after each project's own. */
async function laterInspections(store: Store, projectIds: readonly string[]) {
  const known = await listOf(
    store,
    (row) => [textOf(row['id']), laterFrom(row)] as const,
    `SELECT CAST(own.id AS TEXT) AS id, CAST(projects.id AS TEXT) AS project_id, projects.returned_at AS at, json_extract(later.payload, '$.serviceName') AS service_name
     FROM projects AS own
       JOIN orders ON ${ofProject('orders', 'own')}
       JOIN orders AS later ON later.account = orders.account AND later.address_key = orders.address_key AND later.project_id <> own.id
       JOIN projects ON ${ofProject('later')} AND projects.returned_at > own.returned_at AND ${IS_INSPECTED}
     WHERE own.account = ? AND own.id IN ${AMONG_IDS} ORDER BY projects.returned_at, projects.id`,
    projectIds,
  );
  return new Map(known);
}

const STAYS_MAX = 301;

async function usualDurations({ driver, account }: Store) {
  const statuses = await driver.query(
    `WITH RECURSIVE each (status) AS (
       SELECT min(status) FROM status_stays WHERE account = ?1
       UNION ALL SELECT (SELECT min(status) FROM status_stays WHERE account = ?1 AND status > each.status) FROM each WHERE each.status IS NOT NULL)
     SELECT status FROM each WHERE status IS NOT NULL`,
    account,
  );
  const usual = [];
  for (const { status } of statuses) {
    const rows = await driver.query(
      `SELECT status_stays.ended_at - status_stays.began_at AS stay,
         CASE WHEN projects.returned_at >= status_stays.ended_at THEN projects.returned_at - status_stays.began_at END AS to_return
       FROM status_stays LEFT JOIN projects ON ${ofProject('status_stays')}
       WHERE status_stays.account = ? AND status_stays.status = ? ORDER BY status_stays.id DESC LIMIT ${STAYS_MAX}`,
      account,
      textOf(status),
    );
    const returns = rows.flatMap((row) => (row['to_return'] === null ? [] : [Number(row['to_return'])]));
    usual.push({
      status: textOf(status),
      stays: rows.length,
      stayMs: medianOf(rows.map((row) => Number(row['stay']))) ?? 0,
      returns: returns.length,
      toReturnMs: medianOf(returns),
    });
  }
  return usual;
}

export function medianOf(values: readonly number[]) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

async function giveUpProject(store: Job, projectId: string, reason: string) {
  const mayEnd = `given_up_at IS NULL AND status NOT IN ('Project Canceled', 'Client Received')`;
  const change = 'given_up_at = ?, handed_over_in = NULL';
  const took = await changeProject(store, projectId, change, [store.clock.now()], mayEnd);
  if (took) await addStep(store, 'project', projectId, 'given up', { reason });
  return took;
}

async function followAgain(store: Job, projectId: string) {
  const change = 'given_up_at = NULL, handed_over_in = NULL';
  const took = await changeProject(store, projectId, change, [], 'given_up_at IS NOT NULL');
  if (took) await addStep(store, 'project', projectId, 'followed again');
  return took;
}

async function followElsewhere(
  store: Job,
  { projectId, inspectionCode, inspectionLink, details }: Omit<ProjectLink, 'status'> & { details: OrderPayload },
) {
  const now = store.clock.now();
  const seen = { status: STATUS_NOT_SEEN, statusAt: now, inspectionCode, inspectionLink, firstSeenAt: now };
  const took = await insertIfAbsent(store, 'projects', { id: BigInt(projectId), ...seen, details });
  if (took) await addStep(store, 'project', projectId, 'followed', { reason: 'It was made elsewhere.' });
  return took;
}

export function detailsOf(store: Store, projectId: string) {
  const known = 'SELECT details FROM projects WHERE account = ? AND id = ? AND details IS NOT NULL';
  return firstOf(store, ({ details }) => jsonOf<OrderPayload>(details), known, BigInt(projectId));
}

function projectsMadeElsewhere(store: Store) {
  return listOf(
    store,
    projectFrom,
    `${projectFrom.select} FROM projects WHERE account = ? AND details IS NOT NULL AND ${FIRST_ORDER} IS NULL ORDER BY id`,
  );
}

export const projectVerbs = {
  reads: {
    projectsMadeElsewhere,
    projectCounts,
    statusCounts,
    usualDurations,
    closeouts,
    endings,
    laterInspections,
    shownAsReopened,
  },
  writes: {
    followElsewhere,
    recordStatuses,
    giveUpProject,
    followAgain,
    /** Null if the reports no longer say so. */
    recordCloseout,
    markCollected,
    markCollectionProblem,
    clearCollectionProblem,
  },
};
