import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eachDayOfInterval } from 'date-fns/eachDayOfInterval';
import type { FileRecord } from '../ledger/ledger.ts';
import { moveToFreeName, syncFolder, temporaryName } from '../ops/durable-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import { fileProblem } from '../ops/stored-files.ts';
import { hasCode, isSystemError } from '../domain/errors.ts';
import type { Workspace } from '../ops/workspace.ts';
import { retireCorrections } from './corrections.ts';
import { archiveFolderOf, type FilingContext, pathIn, senderFolder } from './claimed-files.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Runs first, under the lock. A host that does not know that it lost its place may still write, so its files are
 * renamed away.
 */
export async function finishInterrupted(context: FilingContext) {
  const { workspace, ledger } = context;
  const { processing, unreadable, held, deliveries, receipts } = workspace;
  const shared = [deliveries, snapshotsOf(workspace), join(workspace.state, 'corrections')];
  for (const folder of [processing, unreadable, held, receipts]) shared.push(folder, ...(await foldersIn(folder)));
  for (const folder of shared) await clearPartial(folder, context);
  await retireCorrections(context);
  for (const file of await ledger.filesToArchive()) await finishArchiving(file, context);
  // An old ledger does not know the lost one's open work.
  const recovery = await ledger.latestRecovery();
  if (recovery !== null && recovery.endedAt === null) return;
  await dropSnapshots(new Set((await ledger.filesToArchive()).map(({ hash }) => hash)), workspace);
}

async function foldersIn(folder: string) {
  return (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** Renames first, so that a writer cannot publish the file. The next run retries failures. */
async function clearPartial(folder: string, { log }: Pick<FilingContext, 'log'>) {
  for (const name of (await readdir(folder).catch(() => [])).filter((each) =>
    /^\..+\.partial(?:\.sheet\d+)?$/s.test(each),
  )) {
    const doomed = temporaryName(join(folder, 'doomed'));
    try {
      await rename(join(folder, name), doomed);
      await rm(doomed, { recursive: true, force: true });
    } catch (failure) {
      if (!isSystemError(failure)) throw failure;
      if (!hasCode(failure, 'ENOENT'))
        log.warn('half-written files could not be removed', { code: (failure as NodeJS.ErrnoException).code });
    }
  }
}

async function finishArchiving(file: FileRecord, context: FilingContext) {
  if ((await withContent(file.hash, join(context.workspace.processing, file.sender))) !== null) return;
  const archived = (await foundInArchive(file, context)) ?? (await snapshotIntoArchive(file, context));
  if (archived === null) return;
  // A killed run may not have synced these folders.
  for (let folder = dirname(archived); folder.length >= context.workspace.archive.length; folder = dirname(folder))
    await syncFolder(folder);
  await context.ledger.markArchived(file.id, pathIn(context.workspace, archived), (await stat(archived)).size);
}

/** Recorded on any day since, in any time zone. */
async function foundInArchive({ hash, sender, recordedAt }: FileRecord, { workspace, clock, log }: FilingContext) {
  for (const day of eachDayOfInterval({
    start: recordedAt - DAY_MS,
    end: Math.max(clock.now(), recordedAt) + DAY_MS,
  })) {
    const folder = join(archiveFolderOf(workspace, day), sender);
    await clearPartial(folder, { log });
    const found = await withContent(hash, folder);
    if (found !== null) return found;
  }
  return null;
}

async function snapshotIntoArchive({ hash, sender, name }: FileRecord, { workspace, clock }: FilingContext) {
  const snapshot = await withContent(hash, snapshotsOf(workspace));
  if (snapshot === null) return null;
  return moveToFreeName(
    snapshot,
    await senderFolder(archiveFolderOf(workspace, clock.now()), sender),
    safeFileName(sender === '' ? name : name.slice(sender.length + 1)),
  );
}

async function withContent(hash: string, folder: string) {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isFile() && (await fileProblem(path, { sha256: hash })) === null) return path;
  }
  return null;
}

async function dropSnapshots(needed: ReadonlySet<string>, workspace: Workspace) {
  const folder = snapshotsOf(workspace);
  for (const name of await readdir(folder).catch(() => []))
    if (!needed.has(name.slice(0, SHA256_DIGITS))) await rm(join(folder, name), { force: true });
}

const SHA256_DIGITS = 64;

function snapshotsOf({ state }: Workspace) {
  return join(state, 'snapshots');
}
