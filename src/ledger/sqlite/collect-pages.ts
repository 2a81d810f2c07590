import type { Closeout, FetchOutcome, FetchRecord, FollowedStatus, UsualStay, WatchedProject } from '../projects.ts';
import type { OrderPayload } from '../../domain/row.ts';
import { addStep, type Book } from '../store.ts';
import { addNews } from './news-pages.ts';
import type { SqlRow } from '../driver.ts';
import type { StoredArtifact } from '../artifacts.ts';
import { PROJECT_COLUMNS, projectFrom } from './mapping.ts';
import { HAS_LOST, NOT_REMOVED, SHOULD_BE_HERE } from './removed.ts';

const NOT_OVER = `projects.given_up_at IS NULL AND projects.status <> 'Project Canceled'`;
/** As the index `projects_followed` has it, and those that miss a file; of both what the service has not answered yet. */
const FOLLOWED = `projects.rowid IN (
    SELECT projects.rowid FROM projects WHERE projects.account = ?1 AND ${NOT_OVER} AND (projects.status <> 'Client Received' OR projects.collected_at IS NULL)
    UNION SELECT projects.rowid FROM artifacts JOIN projects ON projects.account = artifacts.account AND projects.id = artifacts.project_id
    WHERE artifacts.account = ?1 AND artifacts.lost IS NOT NULL AND ${SHOULD_BE_HERE} AND ${NOT_OVER})
  AND NOT (projects.status = 'Client Received' AND fetches.outcome IS 'ended')`;

const WITH_FETCH = `LEFT JOIN fetches ON fetches.account = projects.account AND fetches.project_id = projects.id AND fetches.status_at = projects.status_at`;
const FETCH_COLUMNS = `fetches.outcome AS fetch_outcome, fetches.nights, fetches.last_night_at, ${HAS_LOST} AS has_lost`;

/** The order that a project is shown with: the one it was created for, or else the first. */
const FIRST_ORDER = `(SELECT id FROM orders WHERE orders.account = projects.account AND orders.project_id = projects.id ORDER BY state = 'created' DESC, id LIMIT 1)`;

export function followedProjects({ connection, account }: Book): readonly FollowedStatus[] {
  return connection
    .all(`SELECT ${PROJECT_COLUMNS}, ${FETCH_COLUMNS} FROM projects ${WITH_FETCH} WHERE ${FOLLOWED} ORDER BY projects.id`, account)
    .map(followedFrom);
}

export function watchedProjects({ connection, account }: Book): readonly WatchedProject[] {
  return connection
    .all(
      `SELECT ${PROJECT_COLUMNS}, ${FETCH_COLUMNS}, orders.id AS order_id, orders.payload FROM projects ${WITH_FETCH} JOIN orders ON orders.id = ${FIRST_ORDER}
       WHERE ${FOLLOWED} ORDER BY projects.id`,
      account,
    )
    .map((row) => {
      const payload = payloadOf(row);
      return { project: followedFrom(row), orderId: Number(row['order_id']), property: propertyOf(payload), dueDate: payload.dueDate ?? null };
    });
}

function followedFrom(row: SqlRow): FollowedStatus {
  return { ...projectFrom(row), fetch: row['fetch_outcome'] === null ? null : fetchFrom(row, 'fetch_outcome'), hasLost: row['has_lost'] === 1 };
}

function fetchFrom(row: SqlRow, outcome: string): FetchRecord {
  return { outcome: String(row[outcome]) as FetchOutcome, nights: Number(row['nights']), lastNightAt: Number(row['last_night_at']) };
}

function payloadOf(row: SqlRow): OrderPayload {
  // Written by this program only.
  return JSON.parse(String(row['payload'])) as OrderPayload;
}

function propertyOf({ streetAddress, city, state }: OrderPayload): string {
  return `${streetAddress}, ${city} ${state}`;
}

/** Tries closer together than this are one night. */
const NIGHT_MS = 12 * 60 * 60 * 1000;

export function recordFetch(book: Book, projectId: string, outcome: FetchOutcome): FetchRecord {
  const { connection, clock, account } = book;
  connection.run(
    `INSERT INTO fetches (account, project_id, status_at, outcome, nights, last_night_at)
     SELECT account, id, status_at, ?1, 1, ?2 FROM projects WHERE account = ?3 AND id = ?4
     ON CONFLICT (account, project_id) DO UPDATE SET outcome = excluded.outcome, status_at = excluded.status_at,
       nights = CASE WHEN status_at <> excluded.status_at THEN 1 WHEN excluded.last_night_at - last_night_at >= ?5 THEN nights + 1 ELSE nights END,
       last_night_at = CASE WHEN status_at = excluded.status_at AND excluded.last_night_at - last_night_at < ?5 THEN last_night_at ELSE excluded.last_night_at END`,
    outcome,
    clock.now(),
    account,
    BigInt(projectId),
    NIGHT_MS,
  );
  const row = connection.get('SELECT outcome, nights, last_night_at FROM fetches WHERE account = ? AND project_id = ?', account, BigInt(projectId));
  if (row === undefined) throw new Error(`project ${projectId} is not on record`);
  return fetchFrom(row, 'outcome');
}

export function confirmArtifact(
  { connection, clock, account }: Book,
  { projectId, kind, serviceId, version }: { readonly projectId: string; readonly kind: string; readonly serviceId: string; readonly version: number },
): void {
  connection.run(
    'UPDATE artifacts SET confirmed_at = ? WHERE account = ? AND project_id = ? AND kind = ? AND service_id = ? AND version = ?',
    clock.now(),
    account,
    BigInt(projectId),
    kind,
    serviceId,
    version,
  );
}

export function recordOnDisk(book: Book, artifact: StoredArtifact, problem: string | null): void {
  const { connection, account } = book;
  const { projectId, kind, serviceId, version } = artifact;
  const took = connection.run(
    `UPDATE artifacts SET lost = ?1 WHERE account = ?2 AND project_id = ?3 AND kind = ?4 AND service_id = ?5 AND version = ?6 AND lost IS NOT ?1 AND ${NOT_REMOVED}`,
    problem,
    account,
    BigInt(projectId),
    kind,
    serviceId,
    version,
  );
  if (took === 0) return;
  connection.run('UPDATE projects SET handed_over_in = NULL WHERE account = ? AND id = ?', account, BigInt(projectId));
  const what = { kind, id: serviceId, version };
  if (problem === null) addStep(book, 'project', projectId, 'file found again', what);
  else addStep(book, 'project', projectId, 'file lost', { ...what, problem });
}

export function recordCloseout(book: Book, projectId: string, reasons: readonly string[] | null): void {
  const { connection, clock, account } = book;
  const held = connection.get('SELECT reasons FROM closeouts WHERE account = ? AND project_id = ?', account, BigInt(projectId));
  const said = reasons === null ? undefined : JSON.stringify(reasons);
  if (held?.['reasons'] === said) return;
  if (said === undefined) {
    connection.run('DELETE FROM closeouts WHERE account = ? AND project_id = ?', account, BigInt(projectId));
    return;
  }
  connection.run('INSERT OR REPLACE INTO closeouts (account, project_id, reasons, recorded_at) VALUES (?, ?, ?, ?)', account, BigInt(projectId), said, clock.now());
  addNews(book, 'closed-out', projectId);
  addStep(book, 'project', projectId, 'closed out', { reason: reasons?.join(' ') ?? '' });
}

const CLOSEOUTS_MAX = 200;

export function closeouts({ connection, account }: Book, which: 'new' | 'open'): readonly Closeout[] {
  const condition = which === 'new' ? 'projects.handed_over_in IS NULL' : `projects.given_up_at IS NULL AND projects.status NOT IN ('Project Canceled', 'Client Received')`;
  return connection
    .all(
      `SELECT CAST(projects.id AS TEXT) AS id, projects.status, closeouts.reasons, orders.id AS order_id, orders.payload
       FROM closeouts JOIN projects ON projects.account = closeouts.account AND projects.id = closeouts.project_id JOIN orders ON orders.id = ${FIRST_ORDER}
       WHERE closeouts.account = ? AND ${condition} ORDER BY closeouts.recorded_at DESC, projects.id LIMIT ${CLOSEOUTS_MAX}`,
      account,
    )
    .map((row) => ({
      projectId: String(row['id']),
      orderId: Number(row['order_id']),
      property: propertyOf(payloadOf(row)),
      status: String(row['status']),
      reasons: JSON.parse(String(row['reasons'])) as string[],
    }));
}

/** A median is of at most so many stays, the latest. */
const STAYS_MAX = 301;

export function usualStays({ connection, account }: Book): readonly UsualStay[] {
  const statuses = connection.all('SELECT DISTINCT status FROM status_stays WHERE account = ? ORDER BY status', account).map((row) => String(row['status']));
  return statuses.map((status) => {
    const rows = connection.all(
      `SELECT status_stays.ended_at - status_stays.began_at AS stay,
         CASE WHEN projects.returned_at >= status_stays.ended_at THEN projects.returned_at - status_stays.began_at END AS to_return
       FROM status_stays LEFT JOIN projects ON projects.account = status_stays.account AND projects.id = status_stays.project_id
       WHERE status_stays.account = ? AND status_stays.status = ? ORDER BY status_stays.id DESC LIMIT ${STAYS_MAX}`,
      account,
      status,
    );
    const returns = rows.flatMap((row) => (row['to_return'] === null ? [] : [Number(row['to_return'])]));
    return { status, stays: rows.length, stayMs: medianOf(rows.map((row) => Number(row['stay']))) ?? 0, toReturnMs: medianOf(returns) };
  });
}

function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

export function giveUpProject(book: Book, projectId: string, reason: string): boolean {
  const { connection, clock, account } = book;
  const took = connection.run(
    `UPDATE projects SET given_up_at = ?, handed_over_in = NULL WHERE account = ? AND id = ? AND given_up_at IS NULL AND status NOT IN ('Project Canceled', 'Client Received')`,
    clock.now(),
    account,
    BigInt(projectId),
  );
  if (took > 0) addStep(book, 'project', projectId, 'given up', { reason });
  return took > 0;
}

export function followAgain(book: Book, projectId: string): boolean {
  const took = book.connection.run('UPDATE projects SET given_up_at = NULL, handed_over_in = NULL WHERE account = ? AND id = ? AND given_up_at IS NOT NULL', book.account, BigInt(projectId));
  if (took > 0) addStep(book, 'project', projectId, 'followed again');
  return took > 0;
}
