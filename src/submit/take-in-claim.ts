import { lstat, readdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../domain/errors.ts';
import { type DroppedFile, shownName } from '../intake/inbox.ts';
import { copyDurably, makeFolder, moveWithoutOverwriting, sha256OfFile } from '../ops/atomic-files.ts';
import { ProcessEnded } from '../ops/guarded-process.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import { hasCode, isSystemError } from '../ops/system-error.ts';
import type { Workspace } from '../ops/workspace.ts';
import { type ClaimedFile, leftForNextRun, type Taken } from './take-in-parts.ts';

/** The sender that a folder of the inbox stands for: its name, as one safe part of a path. */
export function senderOf(folder: string): string {
  return folder === '' ? '' : safeFileName(folder);
}

/** The folder of a sender in one of the workspace's own folders, made where it is missing. */
export async function senderFolder(root: string, sender: string): Promise<string> {
  const folder = join(root, sender);
  await makeFolder(folder);
  return folder;
}

/** The folder that people have for a sender in the inbox: the one that stands for it, whatever its name is to the letter. */
export async function inboxFolderOf(inbox: string, sender: string): Promise<string> {
  if (sender === '') return inbox;
  const entries = await readdir(inbox, { withFileTypes: true });
  const theirs = entries.find((entry) => entry.isDirectory() && entry.name === sender) ?? entries.find((entry) => entry.isDirectory() && senderOf(entry.name) === sender);
  return senderFolder(inbox, theirs?.name ?? sender);
}

/** Takes a dropped file out of the inbox; null where somebody took it away first. */
export async function claim(file: DroppedFile, { processing }: Workspace): Promise<ClaimedFile | null> {
  const sender = senderOf(file.folder);
  try {
    const path = await moveWithoutOverwriting(file.path, await senderFolder(processing, sender), file.name);
    return { path, name: file.name, sender };
  } catch (failure) {
    if (hasCode(failure, 'ENOENT') && (await isGone(file.path))) return null;
    throw failure;
  }
}

/** Claims a copy of a file that somebody named: it stays where it is. Two of the same name are told apart by their content. */
export async function claimCopy(path: string, { processing }: Workspace): Promise<ClaimedFile> {
  const name = basename(path);
  const copy = join(processing, `${(await sha256OfFile(path)).slice(0, COPY_MARK)} ${safeFileName(name)}`);
  await copyDurably(path, copy);
  return { path: copy, name, sender: '' };
}

const COPY_MARK = 12;

/** What an earlier run left when it was killed: a claimed file, or a copy of a named one with the beginning of its hash before its name. */
export async function claimedBefore(file: DroppedFile): Promise<ClaimedFile> {
  const mark = /^([0-9a-f]{12}) (.+)$/s.exec(file.name);
  const isCopy = mark !== null && (await sha256OfFile(file.path).catch(() => '')).startsWith(mark[1] ?? '');
  return { path: file.path, name: isCopy ? (mark[2] ?? file.name) : file.name, sender: senderOf(file.folder) };
}

/** Removes what is left of a claim once the file has gone on: the sender's folder in `processing/`, when it was the last one. */
export async function leaveProcessing(claimed: ClaimedFile, { processing }: Workspace): Promise<void> {
  const folder = dirname(claimed.path);
  if (folder !== processing) await rmdir(folder).catch(() => {});
}

/**
 * Does what a file needs, so that a fault of this one file (an input error of a share, a lock, a permission) is reported and does not
 * stop the others. A fault of the program is reported with it. A full disk, a ledger that cannot be written, a lock that was lost are
 * nobody's file: that is thrown on.
 */
export async function containingFaults(name: string, work: () => Promise<Taken | null>): Promise<Taken | null> {
  try {
    return await work();
  } catch (failure) {
    if (isOfThisFile(failure)) {
      const reason = `A fault of inspection-batch stopped it (${messageOf(failure)}): please report it. The file stays in processing/, and the next run tries again; the other files are not held up.`;
      return { ...leftForNextRun(name, reason), fault: failure };
    }
    if (!isSystemError(failure) || hasCode(failure, 'ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM')) throw failure;
    const permission = hasCode(failure, 'EACCES', 'EPERM', 'EROFS');
    const nextStep = permission ? 'Let the user who runs this read and write it and its folder' : 'The next run tries again';
    return leftForNextRun(name, `It could not be taken in (${messageOf(failure)}). ${nextStep}; nothing of it is lost.`);
  }
}

/** A fault of the program itself, brought about by what stands in the file. */
function isOfThisFile(failure: unknown): boolean {
  return [TypeError, RangeError, ReferenceError, SyntaxError, ProcessEnded].some((kind) => failure instanceof kind) && !(failure as { readonly code?: unknown }).code;
}

/** The name of a dropped file before it is claimed. */
export function nameOf(file: DroppedFile): string {
  return shownName({ folder: senderOf(file.folder), name: file.name });
}

async function isGone(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (failure: unknown) => hasCode(failure, 'ENOENT'),
  );
}
