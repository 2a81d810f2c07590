import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Clock } from '../domain/ports.ts';
import type { ForgottenDetails, PruneBook, Removal } from '../ledger/prune-book.ts';
import { sha256OfFile } from '../ops/atomic-files.ts';
import type { Workspace } from '../ops/workspace.ts';

/** Days after which things may go; null: never. */
export interface Retention {
  /** Original files, and people's details in the ledger. */
  readonly archiveDays: number | null;
  readonly deliveriesDays: number | null;
  readonly logsDays: number | null;
  /** Stored files of projects that are received or canceled, and thumbnails. */
  readonly downloadsDays: number | null;
}

export interface PruneParts {
  readonly ledger: PruneBook;
  readonly workspace: Workspace;
  readonly clock: Clock;
}

/** What may go by now. */
export interface PrunePlan {
  readonly removals: readonly Removal[];
  /** People's details in the ledger that may be forgotten; `before` is null where they are kept for ever. */
  readonly details: ForgottenDetails & { readonly before: number | null };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Looks for what is older than the retention says and needed by nothing, after what an interrupted `prune` had begun with. Changes nothing. */
export async function planPrune(retention: Retention, parts: PruneParts): Promise<PrunePlan> {
  const { ledger, clock } = parts;
  const before = (days: number | null): number | null => (days === null ? null : clock.now() - days * DAY_MS);
  const archive = before(retention.archiveDays);
  const deliveries = before(retention.deliveriesDays);
  const logs = before(retention.logsDays);
  const downloads = before(retention.downloadsDays);
  const found = [
    ...(await ledger.openRemovals()),
    ...(archive === null ? [] : await originals(archive, parts)),
    ...(deliveries === null ? [] : await oldDeliveries(deliveries, parts)),
    ...(downloads === null ? [] : await oldDownloads(downloads, parts)),
    ...(downloads === null ? [] : await oldFiles('thumbnail', join(parts.workspace.state, 'thumbnails'), '.jpg', downloads, parts)),
    ...(logs === null ? [] : await oldFiles('log', parts.workspace.logs, '.jsonl', logs, parts)),
  ];
  const removals = [...new Map(found.map((removal) => [removal.path, removal])).values()];
  return { removals, details: { ...(archive === null ? { orders: 0, rows: 0 } : await ledger.detailsToForget(archive)), before: archive } };
}

/** The originals on record, and what lies beside them because it came again: the same content. */
async function originals(before: number, { ledger, workspace }: PruneParts): Promise<readonly Removal[]> {
  const files = await ledger.filesAtTheirEnd(before);
  const hashes = new Set(files.map(({ hash }) => hash));
  const paths = new Set(files.flatMap(({ archivedAs }) => (archivedAs === null ? [] : [archivedAs])));
  const found: Removal[] = [];
  for (const { path, bytes } of await filesBelow(workspace.archive)) {
    const shown = shownIn(workspace, path);
    if (paths.has(shown) || ((dayOf(shown) ?? before) < before && hashes.has(await sha256OfFile(path)))) found.push({ kind: 'original', path: shown, bytes });
  }
  return found;
}

/** The end of the day that a path in `archive/YYYY/MM/DD/` names, wherever on earth it was. */
function dayOf(shown: string): number | null {
  const [, year, month, day] = /^archive\/(\d{4})\/(\d{2})\/(\d{2})\//.exec(shown) ?? [];
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day)) + 2 * DAY_MS;
}

async function oldDeliveries(before: number, { ledger, workspace }: PruneParts): Promise<readonly Removal[]> {
  const found: Removal[] = [];
  for (const { folder } of await ledger.deliveriesAtTheirEnd(before)) {
    const files = await filesBelow(join(workspace.root, folder));
    if (files.length > 0) found.push({ kind: 'delivery', path: folder, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) });
  }
  return found;
}

async function oldDownloads(before: number, { ledger }: PruneParts): Promise<readonly Removal[]> {
  const found: Removal[] = [];
  for await (const { path, bytes } of ledger.downloadsAtTheirEnd(before)) found.push({ kind: 'download', path, bytes });
  return found;
}

async function oldFiles(kind: Removal['kind'], folder: string, ending: string, before: number, { workspace }: PruneParts): Promise<readonly Removal[]> {
  const files = await filesBelow(folder);
  return files.filter(({ path, changedAt }) => path.endsWith(ending) && changedAt < before).map(({ path, bytes }) => ({ kind, path: shownIn(workspace, path), bytes }));
}

function shownIn({ root }: Workspace, path: string): string {
  return relative(root, path).replaceAll(sep, '/');
}

interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
}

/** Every ordinary file below a folder, in order; links are never followed. */
async function filesBelow(folder: string): Promise<readonly FoundFile[]> {
  const entries: readonly Dirent[] = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const found: FoundFile[] = [];
  for (const path of entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).toSorted()) {
    const { size, mtimeMs } = await stat(path);
    found.push({ path, bytes: size, changedAt: mtimeMs });
  }
  return found;
}
