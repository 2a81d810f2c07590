import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ForgottenDetails, Removal } from '../ledger/prune-book.ts';
import { syncFolder } from '../ops/atomic-files.ts';
import type { PruneParts, PrunePlan } from './plan-prune.ts';

/** Removals that share one page in the ledger before they begin, and one after they are done. */
const BATCH = 500;

/** Where things may be taken away, and which of them are single files. */
const PLACES: Readonly<Record<Removal['kind'], string>> = {
  original: 'archive/',
  delivery: 'deliveries/',
  download: 'state/downloads/',
  thumbnail: 'state/thumbnails/',
  log: 'logs/',
};

/** What was done. */
export interface Pruned {
  readonly removals: readonly Removal[];
  readonly details: ForgottenDetails;
}

/** Does what the plan says: on record before it goes, and as done once it is gone. Whatever is cut short is finished by the next one. */
export async function applyPrune({ removals, details }: PrunePlan, parts: PruneParts): Promise<Pruned> {
  const { ledger } = parts;
  for (let from = 0; from < removals.length; from += BATCH) {
    const batch = removals.slice(from, from + BATCH);
    await ledger.beginRemovals(batch);
    await remove(batch, parts);
  }
  return { removals, details: details.before === null ? { orders: 0, rows: 0 } : await ledger.forgetDetails(details.before) };
}

async function remove(removals: readonly Removal[], { ledger, workspace }: PruneParts): Promise<void> {
  const folders = new Set<string>();
  for (const { kind, path } of removals) {
    if (!path.startsWith(PLACES[kind]) || path.split('/').includes('..')) throw new Error(`the ledger names ${path} as a ${kind}`);
    const absolute = join(workspace.root, path);
    await rm(absolute, { force: true, recursive: kind === 'delivery' || kind === 'download' });
    folders.add(dirname(absolute));
  }
  for (const folder of folders) await clearEmpty(folder, workspace.root);
  await ledger.endRemovals(removals.map(({ path }) => path));
}

/** Folders of a day, a sender or a project go with the last thing in them; those of the workspace itself stay. */
async function clearEmpty(folder: string, root: string): Promise<void> {
  const entries = await readdir(folder).catch(() => null);
  const depth = folder.slice(root.length + 1).split(/[/\\]/).length;
  const stays = depth < 2 || folder === join(root, 'state', 'downloads') || folder === join(root, 'state', 'thumbnails');
  if (stays || (entries !== null && entries.length > 0)) {
    if (entries !== null) await syncFolder(folder);
    return;
  }
  if (entries !== null) await rmdir(folder);
  await clearEmpty(dirname(folder), root);
}
