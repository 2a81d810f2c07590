import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../domain/ports.ts';
import type { Ledger, Removal } from '../ledger/ledger.ts';
import type { Config } from '../ops/config.ts';
import { sha256OfFile, syncFolder } from '../ops/durable-files.ts';
import type { Workspace } from '../ops/workspace.ts';
import { writeNightsPage } from '../results/deliver/nights-page.ts';
import { pathIn } from '../submit/claimed-files.ts';

/** In days; null: never removed. */
export type Retention = Config['retention'];

export type PruneContext = Readonly<{
  ledger: Ledger;
  workspace: Workspace;
  clock: Clock;
}>;

type Find = (before: number, context: PruneContext) => Promise<readonly Removal[]>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Older than `retention` allows and no longer needed, or begun by an interrupted `prune`. */
export async function planPrune(retention: Retention, context: PruneContext) {
  const { archiveDays, deliveriesDays, downloadsDays, logsDays } = retention;
  const now = context.clock.now();
  const archive = archiveDays === null ? null : now - archiveDays * DAY_MS;
  const found = [...(await context.ledger.openRemovals())];
  for (const [days, find] of [
    [archiveDays, originals],
    [archiveDays, oldReceipts],
    [deliveriesDays, oldDeliveries],
    [downloadsDays, oldDownloads],
    [downloadsDays, oldThumbnails],
    [logsDays, oldLogs],
  ] as const)
    if (days !== null) found.push(...(await find(now - days * DAY_MS, context)));
  return {
    removals: [...new Map(found.map((removal) => [removal.path, removal])).values()],
    details: {
      ...(archive === null ? { orders: 0, rows: 0 } : await context.ledger.detailsToForget(archive)),
      before: archive,
    },
  };
}

export async function removeOldLogs(days: number | null, context: PruneContext) {
  if (days === null) return;
  const logs = await oldLogs(context.clock.now() - days * DAY_MS, context);
  await applyPrune({ removals: [...logs], details: { orders: 0, rows: 0, before: null } }, context);
}

const originals: Find = async (before, { ledger, workspace }) => {
  const files = await ledger.prunableFiles(before);
  const hashes = new Set(files.map(({ hash }) => hash));
  const paths = new Set(files.flatMap(({ archivedAs }) => (archivedAs === null ? [] : [archivedAs])));
  const found: Removal[] = [];
  for (const { path, bytes } of await filesBelow(workspace.archive)) {
    const shown = pathIn(workspace, path);
    if (paths.has(shown) || ((dayOf(shown) ?? before) < before && hashes.has(await sha256OfFile(path))))
      found.push({ kind: 'original', path: shown, bytes });
  }
  return found;
};

function dayOf(shown: string) {
  const [, year, month, day] = /^archive\/(\d{4})\/(\d{2})\/(\d{2})\//.exec(shown) ?? [];
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day)) + 2 * DAY_MS;
}

/** The runs refresh those of unfinished files. */
const oldReceipts: Find = async (before, { ledger, workspace }) => {
  const receipts = await ledger.openReceipts();
  const kept = new Set(receipts.filter(({ outstanding }) => outstanding > 0).map(({ path }) => path));
  const old = await oldFiles('receipt', workspace.receipts, '.xlsx', before, workspace);
  return old.filter(({ path }) => !kept.has(path));
};

const oldDeliveries: Find = async (before, { ledger, workspace }) => {
  const found: Removal[] = [];
  for (const { folder } of await ledger.prunableDeliveries(before)) {
    const files = await filesBelow(join(workspace.root, folder));
    if (files.length > 0)
      found.push({ kind: 'delivery', path: folder, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) });
  }
  return found;
};

const oldDownloads: Find = async (before, { ledger }) =>
  Array.fromAsync(ledger.downloadsAtTheirEnd(before), ({ path, bytes }) => ({ kind: 'download', path, bytes }));

const oldThumbnails: Find = (before, { workspace }) =>
  oldFiles('thumbnail', join(workspace.state, 'thumbnails'), '.jpg', before, workspace);

const oldLogs: Find = (before, { workspace }) => oldFiles('log', workspace.logs, '.jsonl', before, workspace);

async function oldFiles(kind: Removal['kind'], folder: string, ending: string, before: number, workspace: Workspace) {
  return (await filesBelow(folder))
    .filter(({ path, changedAt }) => path.endsWith(ending) && changedAt < before)
    .map(({ path, bytes }) => ({ kind, path: pathIn(workspace, path), bytes }));
}

async function filesBelow(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Array.fromAsync(paths.toSorted(), async (path) => {
    const { size, mtimeMs } = await stat(path);
    return { path, bytes: size, changedAt: mtimeMs };
  });
}

const BATCH = 500;

const PLACES: Readonly<Record<Removal['kind'], string>> = {
  original: 'archive/',
  receipt: 'receipts/',
  delivery: 'deliveries/',
  download: 'state/downloads/',
  thumbnail: 'state/thumbnails/',
  log: 'logs/',
};

/** Recorded before and after; the next `prune` finishes an interrupted one. */
export async function applyPrune(
  { removals, details }: Readonly<Awaited<ReturnType<typeof planPrune>>>,
  context: PruneContext,
) {
  const { ledger } = context;
  for (let from = 0; from < removals.length; from += BATCH) {
    const batch = removals.slice(from, from + BATCH);
    await ledger.beginRemovals(batch);
    await remove(batch, context);
  }
  const forgotten = details.before === null ? { orders: 0, rows: 0 } : await ledger.forgetDetails(details.before);
  // It names houses and links deliveries.
  if (forgotten.orders > 0 || removals.some(({ kind }) => kind === 'delivery'))
    await writeNightsPage(context.workspace.deliveries, ledger);
  return { removals, details: forgotten };
}

async function remove(removals: readonly Removal[], { ledger, workspace }: PruneContext) {
  const folders = new Set<string>();
  for (const { kind, path } of removals) {
    if (!path.startsWith(PLACES[kind]) || path.split('/').includes('..'))
      throw new Error(`the ledger names ${path} as a ${kind}`);
    const absolute = join(workspace.root, path);
    await rm(absolute, { force: true, recursive: kind === 'delivery' || kind === 'download' });
    folders.add(dirname(absolute));
  }
  for (const folder of folders) await clearEmpty(folder, workspace.root);
  await ledger.endRemovals(removals.map(({ path }) => path));
}

async function clearEmpty(folder: string, root: string) {
  const entries = await readdir(folder).catch(() => null);
  const depth = folder.slice(root.length + 1).split(/[/\\]/).length;
  const stays =
    depth < 2 || folder === join(root, 'state', 'downloads') || folder === join(root, 'state', 'thumbnails');
  if (stays || (entries !== null && entries.length > 0)) {
    if (entries !== null) await syncFolder(folder);
    return;
  }
  if (entries !== null) await rmdir(folder);
  await clearEmpty(dirname(folder), root);
}
