import { PROJECT_STATUSES } from '../../contract/document.ts';
import { PROJECT_NOT_KNOWN, STATUS_NOT_SEEN } from '../../domain/project.ts';
import type { ArtifactRecord, StoredArtifact } from '../artifacts.ts';
import type { ProjectCounts } from '../projects.ts';
import { addStep, type Book } from '../store.ts';
import { ARTIFACT_COLUMNS, artifactFrom } from './mapping.ts';
import { addNews } from './news-pages.ts';
import { SHOULD_BE_HERE } from './removed.ts';

/** Where a project stands in the books: exactly one of DESIGN's six. */
const STANDING = `CASE
  WHEN status = 'Client Received' THEN 'received'
  WHEN status = 'Project Canceled' THEN 'canceled'
  WHEN status = 'Receive Error' OR given_up_at IS NOT NULL THEN 'failed'
  WHEN collected_at IS NOT NULL THEN 'collected'
  WHEN returned_at IS NOT NULL THEN 'returned'
  ELSE 'outstanding' END`;

/** Statuses before the return, as an SQL list. */
const BEFORE_RETURN = `(${PROJECT_STATUSES.slice(0, PROJECT_STATUSES.indexOf('Returned to Client')).map((status) => `'${status}'`).join(', ')})`;

/**
 * Whether a change from `status` to `?` means files that nobody has fetched: a return, or a move past one that was not seen. What was just
 * tied to an order keeps what is known of it.
 */
const BRINGS_FILES = `(? = 'Returned to Client' AND status <> '${STATUS_NOT_SEEN}') OR (status IN ${BEFORE_RETURN} AND ? NOT IN ${BEFORE_RETURN} AND ? <> 'Project Canceled')`;

export function recordStatuses(book: Book, seen: readonly { readonly id: string; readonly status: string }[]): readonly string[] {
  const now = book.clock.now();
  const changed: string[] = [];
  for (const { id, status } of seen) {
    const before = book.connection.get('SELECT status, status_at, problem FROM projects WHERE account = ? AND id = ?', book.account, BigInt(id));
    if (before === undefined) continue;
    if (before['status'] === status) {
      if (before['problem'] === PROJECT_NOT_KNOWN) book.connection.run('UPDATE projects SET problem = NULL, handed_over_in = NULL WHERE account = ? AND id = ?', book.account, BigInt(id));
      continue;
    }
    book.connection.run(
      `UPDATE projects SET status = ?, status_at = ?, returned_at = CASE WHEN ? = 'Returned to Client' THEN coalesce(returned_at, ?) ELSE returned_at END,
         collected_at = CASE WHEN ${BRINGS_FILES} THEN NULL ELSE collected_at END,
         -- What was not fetched before this status is another story now.
         problem = NULL,
         -- That a delivered project was received is no news for the next delivery.
         handed_over_in = CASE WHEN ? = 'Client Received' THEN handed_over_in END
       WHERE account = ? AND id = ?`,
      status,
      now,
      status,
      now,
      status,
      status,
      status,
      status,
      book.account,
      BigInt(id),
    );
    if (before['status'] !== STATUS_NOT_SEEN) {
      book.connection.run(
        'INSERT INTO status_stays (account, project_id, status, began_at, ended_at) VALUES (?, ?, ?, ?, ?)',
        book.account,
        BigInt(id),
        String(before['status']),
        Number(before['status_at']),
        now,
      );
    }
    changed.push(id);
    addStep(book, 'project', id, 'status', { status });
    if (status === 'Project Canceled' && !wasCanceledHere(book, id)) addNews(book, 'project-canceled', id);
  }
  return changed;
}

/** Whether a person canceled it from here: then that it is canceled is no news. */
function wasCanceledHere({ connection, account }: Book, projectId: string): boolean {
  return connection.get(`SELECT 1 FROM updates WHERE account = ? AND project_id = ? AND kind = 'cancel' AND state <> 'refused' LIMIT 1`, account, BigInt(projectId)) !== undefined;
}

export function artifactsOf({ connection, account }: Book, projectId: string): readonly StoredArtifact[] {
  return connection
    .all(`SELECT ${ARTIFACT_COLUMNS} FROM artifacts WHERE account = ? AND project_id = ? ORDER BY kind, rowid, version`, account, BigInt(projectId))
    .map(artifactFrom);
}

/** In the order in which each came first, whatever versions followed. */
export function filesOf({ connection, account }: Book, projectId: string): readonly StoredArtifact[] {
  return connection
    .all(
      `SELECT ${ARTIFACT_COLUMNS} FROM artifacts WHERE account = ? AND project_id = ? AND ${SHOULD_BE_HERE}
       ORDER BY kind, (SELECT min(first.rowid) FROM artifacts AS first WHERE first.account = artifacts.account AND first.project_id = artifacts.project_id
         AND first.kind = artifacts.kind AND first.service_id = artifacts.service_id)`,
      account,
      BigInt(projectId),
    )
    .map(artifactFrom);
}

export function recordArtifact(book: Book, artifact: ArtifactRecord): void {
  book.connection.run(
    'INSERT INTO artifacts (account, project_id, kind, service_id, version, type, detail, path, bytes, sha256, recorded_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    book.account,
    BigInt(artifact.projectId),
    artifact.kind,
    artifact.serviceId,
    artifact.version,
    artifact.type,
    JSON.stringify(artifact.detail),
    artifact.path,
    artifact.bytes,
    artifact.sha256,
    book.clock.now(),
  );
  book.connection.run('UPDATE projects SET handed_over_in = NULL WHERE account = ? AND id = ?', book.account, BigInt(artifact.projectId));
  addStep(book, 'project', artifact.projectId, 'file stored', { kind: artifact.kind, id: artifact.serviceId, version: artifact.version, sha256: artifact.sha256 });
}

export function markCollected(book: Book, projectId: string): void {
  const now = book.clock.now();
  const took = book.connection.run(
    `UPDATE projects SET collected_at = ?, returned_at = coalesce(returned_at, ?), problem = NULL, handed_over_in = NULL WHERE account = ? AND id = ? AND (collected_at IS NULL OR problem IS NOT NULL)`,
    now,
    now,
    book.account,
    BigInt(projectId),
  );
  if (took === 0) return;
  book.connection.run('DELETE FROM fetches WHERE account = ? AND project_id = ?', book.account, BigInt(projectId));
  addStep(book, 'project', projectId, 'collected');
}

export function markCollectionProblem(book: Book, projectId: string, problem: string): void {
  const took = book.connection.run(
    'UPDATE projects SET problem = ?, handed_over_in = NULL WHERE account = ? AND id = ? AND problem IS NOT ?',
    problem,
    book.account,
    BigInt(projectId),
    problem,
  );
  if (took > 0) addStep(book, 'project', projectId, 'not collected', { problem });
}

export function projectCounts({ connection, account }: Book): ProjectCounts {
  const counts = { outstanding: 0, returned: 0, collected: 0, received: 0, canceled: 0, failed: 0 };
  const counted = connection.all(`SELECT ${STANDING} AS standing, count(*) AS n FROM projects WHERE account = ? GROUP BY 1`, account);
  return Object.assign(counts, Object.fromEntries(counted.map((row) => [String(row['standing']), Number(row['n'])])));
}

export function statusCounts({ connection, account }: Book): readonly { readonly status: string; readonly count: number }[] {
  return connection
    .all('SELECT status, count(*) AS n FROM projects WHERE account = ? GROUP BY status ORDER BY n DESC, status', account)
    .map((row) => ({ status: String(row['status']), count: Number(row['n']) }));
}
