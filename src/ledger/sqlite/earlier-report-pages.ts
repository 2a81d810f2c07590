import type { EarlierSummaries, StoredArtifact } from '../artifacts.ts';
import type { Book } from '../store.ts';
import type { SqlRow } from '../driver.ts';
import { artifactsOf } from './project-pages.ts';

export function earlierSummaries(book: Book, projectId: string): EarlierSummaries | null {
  const replaced = replacedSummaries(book, projectId);
  if (replaced !== null) return replaced;
  for (const { address, policy } of keysOf(book, projectId)) {
    const found = latest(book, projectId, 'address', 'orders.address_key = ?', [address]) ?? (policy === null ? null : ofPolicy(book, projectId, policy));
    if (found !== null) return found;
  }
  return null;
}

/** The summaries as they were before the last one that was replaced. */
function replacedSummaries(book: Book, projectId: string): EarlierSummaries | null {
  const summaries = summariesOf(book, projectId);
  const replacedAt = Math.max(...summaries.filter(({ version }) => version > 1).map(({ recordedAt }) => recordedAt));
  if (!Number.isFinite(replacedAt)) return null;
  const before: StoredArtifact[] = [];
  for (const serviceId of new Set(summaries.map((summary) => summary.serviceId))) {
    const versions = summaries.filter((summary) => summary.serviceId === serviceId).toSorted((a, b) => b.version - a.version);
    const [last, previous] = versions;
    const earlier = previous ?? (last !== undefined && last.recordedAt < replacedAt ? last : undefined);
    if (earlier !== undefined) before.push(earlier);
  }
  return { projectId, at: Math.max(...before.map(({ recordedAt }) => recordedAt)), known: 'version', summaries: before };
}

/** Where an order is looked for again: at its address, and by its policy number as JSON, whatever its effective date. */
function keysOf({ connection, account }: Book, projectId: string): readonly { readonly address: string; readonly policy: string | null }[] {
  return connection
    .all(`SELECT DISTINCT address_key, json_extract(policy_key, '$[0]') AS policy FROM orders WHERE account = ? AND project_id = ?`, account, BigInt(projectId))
    .map((row: SqlRow) => ({ address: String(row['address_key']), policy: row['policy'] === null ? null : String(row['policy']) }));
}

/** All keys that begin with this policy number: `["P-1","2026-11-01"]`. The comma's successor ends them. */
function ofPolicy(book: Book, projectId: string, policy: string): EarlierSummaries | null {
  const begins = JSON.stringify([policy]).slice(0, -1);
  return latest(book, projectId, 'policy', 'orders.policy_key >= ? AND orders.policy_key < ?', [`${begins},`, `${begins}-`]);
}

function latest(book: Book, projectId: string, known: 'address' | 'policy', condition: string, values: readonly string[]): EarlierSummaries | null {
  const found = book.connection.get(
    `SELECT CAST(earlier.id AS TEXT) AS id, earlier.collected_at AS at
     FROM orders JOIN projects AS earlier ON earlier.account = orders.account AND earlier.id = orders.project_id
       JOIN projects AS later ON later.account = orders.account AND later.id = ?
     WHERE orders.account = ? AND ${condition} AND earlier.id <> later.id AND earlier.collected_at < later.returned_at AND later.collected_at IS NOT NULL
       AND EXISTS (SELECT 1 FROM artifacts WHERE artifacts.account = earlier.account AND artifacts.project_id = earlier.id AND artifacts.kind = 'summary')
     ORDER BY earlier.collected_at DESC, earlier.id DESC LIMIT 1`,
    BigInt(projectId),
    book.account,
    ...values,
  );
  if (found === undefined) return null;
  const id = String(found['id']);
  const last = new Map(summariesOf(book, id).map((summary) => [summary.serviceId, summary]));
  return { projectId: id, at: Number(found['at']), known, summaries: [...last.values()] };
}

/** In order of their versions. One that came again with the same bytes, for a file that was lost, is still the version it was. */
function summariesOf(book: Book, projectId: string): readonly StoredArtifact[] {
  const told: StoredArtifact[] = [];
  for (const summary of artifactsOf(book, projectId).filter(({ kind }) => kind === 'summary').toSorted((a, b) => a.version - b.version)) {
    const before = told.findLastIndex(({ serviceId }) => serviceId === summary.serviceId);
    const same = told[before];
    if (same?.sha256 === summary.sha256) told[before] = { ...summary, version: same.version, recordedAt: same.recordedAt };
    else told.push(summary);
  }
  return told;
}
