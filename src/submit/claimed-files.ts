import { lstat, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { format } from 'date-fns/format';
import { messageOf, hasCode, isSystemError } from '../domain/errors.ts';
import type { Clock, Log } from '../domain/ports.ts';
import { note, type Note } from '../domain/row.ts';
import { escapeLine } from '../domain/text.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { Ledger, FileRecord } from '../ledger/ledger.ts';
import {
  copyOpenedDurably,
  giveOwnMode,
  makeFolder,
  moveToFreeName,
  moveWithReason,
  sha256OfFile,
  syncFolder,
  temporaryName,
} from '../ops/durable-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import { ProcessError } from '../ops/guarded-process.ts';
import { type DroppedFile, type InboxReport, listDropped, shownName } from '../ops/list-inbox.ts';
import {
  isSameFile,
  WrongFileError,
  openPlainFile,
  pinFolder,
  removeListed,
  claimListedFile,
} from '../ops/pinned-folder.ts';
import type { Workspace } from '../ops/workspace.ts';
import { codeOf, noteFor, sentence } from '../domain/sentences.ts';

// A dropped file is claimed (moved to processing/), copied under its content's hash (snapshot), and ends in archive/ or
// unreadable/. No move overwrites, and each can be repeated after a kill. Another host may be at work.

export type FileReport = Readonly<{
  name: string;
  outcome: 'processed' | 'already-processed' | 'unreadable' | 'settling' | 'held' | 'to-confirm';
  rows: Readonly<{ read: number; accepted: number; rejected: number }>;
  corrections: string | null;
  codes: readonly string[];
  reason: string | null;
}>;

export type FilingContext = Readonly<{ ledger: Ledger; workspace: Workspace; clock: Clock; log: Log }>;

export type SentFile = Readonly<{
  name: string;
  /** One safe path part; empty for the inbox itself. */
  sender: string;
}>;

/** In `processing/`; only this run touches it. */
export interface ClaimedFile extends SentFile {
  readonly path: string;
}

export type FileResult = Readonly<{
  report: FileReport;
  repeats: number;
  notes?: readonly Note[];
  fault?: unknown;
  isAnswer?: true;
}>;

export const STILL_WRITTEN = note('still-written', 'It is still being written; the next run takes it in.');

const NO_ROWS = { read: 0, accepted: 0, rejected: 0 } as const;

export function displayName({ sender, name }: SentFile) {
  return escapeLine(sender === '' ? name : `${sender}/${name}`);
}

export function fileResult(
  outcome: FileReport['outcome'],
  name: string,
  reasons: readonly Note[],
  more: Partial<FileResult & FileReport> = {},
): FileResult {
  const { rows = NO_ROWS, corrections = null, repeats = 0, ...others } = more;
  const reason = reasons.length === 0 ? null : reasons.map(({ text }) => text).join(' ');
  const codes = reasons.map(({ code }) => code);
  return { report: { name, outcome, rows, corrections, codes, reason }, repeats, ...others };
}

export function leftForNextRun(name: string, reason: Note) {
  return fileResult('settling', name, [reason]);
}

export function senderOf(folder: string) {
  return folder === '' ? '' : safeFileName(folder);
}

export function pathIn({ root }: Pick<Workspace, 'root'>, path: string) {
  return relative(root, path).replaceAll('\\', '/');
}

export async function senderFolder(root: string, sender: string) {
  const folder = join(root, sender);
  await makeFolder(folder);
  return folder;
}

/** Never follows a link in place of the sender's folder, whose case may differ. */
export async function putIntoInbox(from: string, { inbox }: Workspace, sender: string, name: string) {
  const path = sender === '' ? inbox : await inboxFolderOf(inbox, sender);
  await using folder = await pinFolder(path, { trusted: sender === '' });
  return join(path, basename(await moveToFreeName(from, folder.at, name)));
}

async function inboxFolderOf(inbox: string, sender: string) {
  const entries = await readdir(inbox, { withFileTypes: true });
  const theirs =
    entries.find((entry) => entry.isDirectory() && entry.name === sender) ??
    entries.find((entry) => entry.isDirectory() && senderOf(entry.name) === sender);
  return senderFolder(inbox, theirs?.name ?? sender);
}

export async function recordWithoutRows(
  claimed: SentFile,
  hash: string,
  ledger: Pick<Ledger, 'findFile' | 'recordFile'>,
  recordedAt?: number,
) {
  const file = { hash, name: displayName(claimed), sender: claimed.sender, layouts: [], notes: [] };
  const when = recordedAt === undefined ? {} : { recordedAt };
  return (await ledger.findFile(hash)) ?? (await ledger.recordFile({ ...file, ...when }, async () => {}));
}

/** Null if it is gone. Throws WrongFileError if the path now means another file. */
export async function claimFile(file: DroppedFile, { inbox, processing }: Workspace) {
  const sender = senderOf(file.folder);
  const toDir = await senderFolder(processing, sender);
  try {
    const path = await takeFrom(file, { toDir, alone: file.path.startsWith(inbox + sep) });
    return path === null ? null : { path, name: file.name, sender };
  } finally {
    if (sender !== '') await rmdir(toDir).catch(() => {});
  }
}

async function takeFrom(file: DroppedFile, { toDir, alone }: { toDir: string; alone: boolean }) {
  const folder = await pinFolder(dirname(file.path), { trusted: file.folder === '' }).catch((failure: unknown) => {
    if (hasCode(failure, 'ENOENT')) return null;
    if (hasCode(failure, 'ELOOP', 'ENOTDIR', 'EMLINK'))
      throw new WrongFileError(sentence('file-replaced/no-folder', { folder: file.folder }));
    throw failure;
  });
  if (folder === null) return null;
  await using pinned = folder;
  if (!isSameFile(pinned.identity, file.folderIdentity))
    throw new WrongFileError(sentence('file-replaced/folder', { name: file.name }));
  return await claimListedFile(pinned, { name: file.name, listed: file.identity, alone }, toDir);
}

export async function claimCopy(path: string, { processing }: Workspace) {
  const name = basename(path);
  return { path: await copyUnderHash(processing, path, name), name, sender: '' };
}

/** The hash in the copy's name keeps files of one name apart. */
export async function copyUnderHash(folder: string, path: string, name: string) {
  await using opened = await openPlainFile(path, { named: true });
  const copying = temporaryName(join(folder, 'copy'));
  const hash = await copyOpenedDurably(opened, copying);
  const copy = join(folder, `${hash.slice(0, COPY_MARK)} ${safeFileName(name)}`);
  await rename(copying, copy);
  await syncFolder(folder);
  return copy;
}

const COPY_MARK = 12;

export async function claimLeftover(file: DroppedFile) {
  const mark = /^([0-9a-f]{12}) (.+)$/s.exec(file.name);
  const isCopy = mark !== null && (await sha256OfFile(file.path).catch(() => '')).startsWith(mark[1] ?? '');
  return { path: file.path, name: isCopy ? (mark[2] ?? file.name) : file.name, sender: senderOf(file.folder) };
}

export async function removeEmptyFolder(claimed: ClaimedFile, { processing }: Workspace) {
  const folder = dirname(claimed.path);
  if (folder !== processing) await rmdir(folder).catch(() => {});
}

/** A killed move may leave a file with two names. Only the lock's holder writes in `processing/` and `held/`. */
export async function finishMoves({ processing, held, inbox }: Workspace) {
  const doubled = [];
  for (const folder of [processing, held]) {
    for (const file of (await listDropped(folder)).files) if ((await lstat(file.path)).nlink > 1) doubled.push(file);
  }
  if (doubled.length === 0) return;
  const { files } = await listDropped(inbox).catch(() => ({ files: [] }));
  for (const file of files) {
    if (!doubled.some(({ identity }) => isSameFile(identity, file.identity))) continue;
    await using folder = await pinFolder(dirname(file.path), { trusted: file.folder === '' }).catch(() => null);
    if (folder !== null) await removeListed(folder, file.name, file.identity);
  }
}

/** A fault of one file does not stop the others. Throws on a full disk, an unwritable ledger or a lost lock. */
export async function containingFaults(name: string, work: () => Promise<FileResult | null>) {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof WrongFileError) return leftForNextRun(name, note('file-replaced', failure.message));
    if (isOfThisFile(failure)) {
      const left = noteFor('fault/of-a-file', { message: messageOf(failure) });
      return { ...leftForNextRun(name, left), fault: failure };
    }
    if (!isSystemError(failure) || hasCode(failure, 'ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM')) throw failure;
    const code = hasCode(failure, 'EACCES', 'EPERM', 'EROFS') ? 'file-not-accessible' : 'not-taken-in';
    return leftForNextRun(name, noteFor(code, { message: messageOf(failure) }));
  }
}

function isOfThisFile(failure: unknown) {
  return (
    [TypeError, RangeError, ReferenceError, SyntaxError, ProcessError].some((kind) => failure instanceof kind) &&
    !(failure as { readonly code?: unknown }).code
  );
}

export function inboxName(file: DroppedFile) {
  return shownName({ folder: senderOf(file.folder), name: file.name });
}

export type Snapshot = Readonly<{ path: string; hash: string }>;

/** Only the copy is parsed: others can still change the original. Throws UnreadableFileError if this user may not read it. */
export async function takeSnapshot(claimed: ClaimedFile, { state }: Workspace) {
  await using opened = await openedForReading(claimed);
  const folder = join(state, 'snapshots');
  await makeFolder(folder);
  await giveOwnMode(opened);
  const taking = temporaryName(join(folder, 'taking'));
  const hash = await copyOpenedDurably(opened, taking);
  const path = join(folder, `${hash}${/^\.\w{1,8}$/.exec(extname(claimed.name))?.[0] ?? ''}`);
  await rename(taking, path);
  await syncFolder(folder);
  return { path, hash };
}

export async function dropSnapshot({ path }: Snapshot) {
  await rm(path, { force: true });
}

async function openedForReading({ path, name }: ClaimedFile) {
  try {
    return await openPlainFile(path);
  } catch (failure) {
    if (!hasCode(failure, 'EACCES', 'EPERM')) throw failure;
    throw new UnreadableFileError('permission-denied', sentence('permission-denied', { name: escapeLine(name) }), {
      cause: failure,
    });
  }
}

/** If the original was changed meanwhile, archives the snapshot and returns the file to the inbox. */
export async function archiveClaimedFile(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  recorded: FileRecord,
  context: FilingContext,
) {
  const unchanged = (await sha256OfFile(claimed.path)) === snapshot.hash;
  const { size } = await stat(snapshot.path);
  const archived = await intoArchive(unchanged ? claimed.path : snapshot.path, claimed, context);
  await context.ledger.markArchived(recorded.id, pathIn(context.workspace, archived), size);
  if (unchanged) await dropSnapshot(snapshot);
  else await putIntoInbox(claimed.path, context.workspace, claimed.sender, claimed.name);
}

/**
 * A writer that paused for longer than the settling time continues in the archived file: puts such files of the last
 * days back into the inbox, and their recorded content in their place.
 */
export async function returnGrown({ ledger, workspace, clock }: FilingContext) {
  const returned: InboxReport[] = [];
  for (const { name, sender, hash, archivedAs, bytes } of await ledger.archivedSince(clock.now() - WATCHED_MS)) {
    const path = join(workspace.root, archivedAs ?? '');
    if (bytes === 0 || ((await lstat(path).catch(() => null))?.size ?? 0) <= bytes) continue;
    const recorded = temporaryName(path);
    const report = (code: string, message = '') =>
      returned.push({ name, code: codeOf(code), reason: sentence(code, { message }) });
    try {
      await using opened = await openPlainFile(path);
      if ((await copyOpenedDurably(opened, recorded, bytes)) !== hash) continue;
      await putIntoInbox(path, workspace, sender, basename(name));
      await rename(recorded, path);
      await syncFolder(dirname(path));
      report('grew-afterwards');
    } catch (failure) {
      if (!isSystemError(failure) && !(failure instanceof WrongFileError)) throw failure;
      report('not-taken-in/grown', messageOf(failure));
    } finally {
      await rm(recorded, { force: true });
    }
  }
  return returned;
}

/** Longer than any pause between runs. */
const WATCHED_MS = 8 * 24 * 60 * 60 * 1000;

export async function archiveAgain(claimed: ClaimedFile, { hash }: Snapshot, context: FilingContext) {
  if ((await sha256OfFile(claimed.path)) === hash) await intoArchive(claimed.path, claimed, context);
  else await putIntoInbox(claimed.path, context.workspace, claimed.sender, claimed.name);
}

export function describeTakenIn({ name, recordedAt }: FileRecord) {
  return `The same content was taken in on ${format(recordedAt, 'yyyy-MM-dd HH:mm')} as ${name}`;
}

export async function alreadyProcessed(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  known: FileRecord,
  wroteCorrections: boolean,
  context: FilingContext,
) {
  const { ledger } = context;
  await dropSnapshot(snapshot);
  await archiveAgain(claimed, snapshot, context);
  const name = displayName(claimed);
  await ledger.noteStep('file', String(known.id), 'came again', { name });
  const { rowsAccepted, rowsRejected } = known;
  const parts = { before: describeTakenIn(known), rowsAccepted, rowsRejected };
  const noted = noteFor(wroteCorrections ? 'corrections-restored' : 'known-content', parts);
  // The sender has no receipt.
  if (claimed.sender !== '' && claimed.sender !== known.sender)
    await ledger.addNews('known-content', `${name}: ${noted.text}`);
  return fileResult('already-processed', name, [noted], { corrections: await ledger.correctionsOf(known.id) });
}

async function intoArchive(path: string, claimed: ClaimedFile, { workspace, clock }: FilingContext) {
  const folder = await senderFolder(archiveFolderOf(workspace, clock.now()), claimed.sender);
  return moveToFreeName(path, folder, safeFileName(claimed.name));
}

export function archiveFolderOf({ archive }: Workspace, day: Date | number) {
  return join(archive, format(day, 'yyyy/MM/dd'));
}

export async function setFileAside(
  claimed: ClaimedFile,
  { code, message }: UnreadableFileError,
  { ledger, workspace, log }: FilingContext,
  not = 'nothing in it was ordered',
) {
  const { size } = await stat(claimed.path);
  const name = displayName(claimed);
  await ledger.addNews('file-unreadable', name);
  await moveWithReason(claimed.path, await senderFolder(workspace.unreadable, claimed.sender), claimed.name, () => {
    return `${name} could not be read, and ${not}.\n\n${message}\n`;
  });
  log.warn('file unreadable', { bytes: size, code });
  return fileResult('unreadable', name, [note(code, message)]);
}
