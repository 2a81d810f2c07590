import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, hasCode } from '../domain/errors.ts';
import type { Clock, Sleep } from '../domain/ports.ts';
import { escapeLine } from '../domain/text.ts';
import { reasonFor } from '../domain/sentences.ts';
import {
  type FileIdentity,
  fileIdentity,
  isSameFile,
  nonFileKind,
  pinFolder,
  type PinnedFolder,
} from './pinned-folder.ts';

export type DroppedFile = Readonly<{
  path: string;
  name: string;
  /** The folder in the inbox; empty for a file directly in it. */
  folder: string;
  identity: FileIdentity;
  folderIdentity: FileIdentity;
}>;

export type InboxReport = Readonly<Record<'name' | 'code' | 'reason', string>>;

type Look = Readonly<Awaited<ReturnType<typeof lookAt>>[number]>;

const IGNORED = [/^~\$/, /^\./, /\.(tmp|part|partial|crdownload)$/i, /^(thumbs\.db|desktop\.ini)$/i];
const IGNORED_FOLDERS = [/^[.~$@#]/, /^(lost\+found|system volume information|__macosx)$/i];

export const DECISIONS_FOLDER = 'decisions';

export function isDecisionsFolder(name: string) {
  return name.toLowerCase() === DECISIONS_FOLDER;
}

/**
 * By sender and name, with senders' folders (or the folder of decisions). Skips temporary files; reports links and
 * deeper folders. Throws if the folder cannot be listed.
 */
export async function listDropped(root: string, what: 'orders' | 'decisions' = 'orders') {
  const dropped = { files: [] as DroppedFile[], closed: [] as InboxReport[], odd: [] as InboxReport[] };
  await using pinned = await pinFolder(root, { trusted: true });
  const entries = await readdir(pinned.at, { withFileTypes: true });
  if (what === 'orders') await lookInto(pinned, '', entries, dropped);
  const isMeant = (name: string) => isDecisionsFolder(name) === (what === 'decisions');
  const senders = entries.filter((entry) => entry.isDirectory() && isMeant(entry.name) && !isIgnored(entry));
  for (const { name } of senders.toSorted(byName)) {
    try {
      await using sender = await pinFolder(join(pinned.at, name), { trusted: false });
      const within = await readdir(sender.at, { withFileTypes: true });
      await lookInto({ ...sender, path: join(root, name) }, name, within, dropped);
    } catch (failure) {
      dropped.closed.push({
        name: `${escapeLine(name)}/`,
        ...reasonFor('folder-not-accessible', { message: messageOf(failure) }),
      });
    }
  }
  return dropped;
}

export function shownName({ folder, name }: Pick<DroppedFile, 'folder' | 'name'>) {
  return escapeLine(folder === '' ? name : `${folder}/${name}`);
}

type Entry = { readonly name: string; isDirectory(): boolean };

function isIgnored(entry: Entry) {
  return (entry.isDirectory() ? IGNORED_FOLDERS : IGNORED).some((pattern) => pattern.test(entry.name));
}

/** The file claimed later must be the same. */
async function lookInto(
  pinned: Pick<PinnedFolder, 'path' | 'at' | 'identity'>,
  folder: string,
  entries: readonly Entry[],
  dropped: Awaited<ReturnType<typeof listDropped>>,
) {
  const meant = entries
    .filter((entry) => !(entry.isDirectory() && folder === '') && !isIgnored(entry))
    .toSorted(byName);
  const looks = await Promise.all(
    meant.map(({ name }) => lstat(join(pinned.at, name), { bigint: true }).catch((failure: Error) => failure)),
  );
  const { identity: folderIdentity } = pinned;
  for (const [index, { name }] of meant.entries()) {
    const look = looks[index];
    const shown = shownName({ folder, name });
    if (look === undefined || look instanceof Error) {
      const closed = closedReason(name, look);
      if (closed !== null) dropped.closed.push({ name: shown, ...closed });
      continue;
    }
    const kind = nonFileKind(look);
    const path = join(pinned.path, name);
    if (kind === null) dropped.files.push({ path, name, folder, identity: fileIdentity(look), folderIdentity });
    else {
      const isFolder = kind === 'a folder';
      const reason = reasonFor(isFolder ? 'not-a-file/in-folder' : 'not-a-file/other', { kind });
      dropped.odd.push({ name: isFolder ? `${shown}/` : shown, ...reason });
    }
  }
}

function byName(a: { readonly name: string }, b: { readonly name: string }) {
  return a.name < b.name ? -1 : 1;
}

/** Null if it is gone. A name in another encoding has a replacement character and cannot be opened. */
function closedReason(name: string, failure: unknown) {
  if (!hasCode(failure, 'ENOENT')) return reasonFor('file-not-accessible/folder', { message: messageOf(failure) });
  return name.includes('\uFFFD') ? reasonFor('name-not-utf8') : null;
}

/** Waits once for the rest of `settleMs` and looks again. A file stamped in the future is watched the whole time. */
export async function awaitSettled(
  files: readonly DroppedFile[],
  settleMs: number,
  { clock, sleep }: { clock: Clock; sleep: Sleep },
  signal?: AbortSignal,
) {
  const first = await lookAt(files);
  const rest = Math.max(0, ...first.map((look) => restOf(look, settleMs, clock)));
  if (rest > 0) await sleep(rest, signal);
  const second = new Map((await lookAt(files)).map((look) => [look.file, look]));
  const settled = first.filter((look) => sameLook(look, second.get(look.file))).map(({ file }) => file);
  return { settled, settling: [...new Set(second.keys()).difference(new Set(settled))] };
}

/** Whether a file is as it is now: one that waits for its turn may be written again. */
export async function watchFiles(files: readonly DroppedFile[]): Promise<(file: DroppedFile) => Promise<boolean>> {
  const before = new Map((await lookAt(files)).map((look) => [look.file.path, look]));
  return async (file) => {
    const stats = await lstat(file.path, { bigint: true }).catch(() => null);
    if (stats === null || !isSameFile(stats, file.identity)) return true;
    const [now] = await lookAt([file]);
    return now === undefined || sameLook(now, before.get(file.path));
  };
}

function restOf(look: Look, settleMs: number, clock: Clock) {
  const now = clock.now();
  if (look.changedAt > now) return settleMs;
  const age = now - Math.max(look.changedAt, look.modifiedAt > now ? 0 : look.modifiedAt);
  return Math.max(0, Math.ceil(settleMs - age));
}

function sameLook(a: Look, b: Look | undefined) {
  return a.size === b?.size && a.modifiedAt === b.modifiedAt && a.changedAt === b.changedAt;
}

/** Equals nothing, so an inaccessible file is left for the next run. */
const CANNOT_TELL = { size: Number.NaN, mtimeMs: 0, ctimeMs: 0 };

async function lookAt(files: readonly DroppedFile[]) {
  const looks = await Promise.all(
    files.map(async (file) => {
      const stats = await lstat(file.path).catch((failure: unknown) =>
        hasCode(failure, 'ENOENT') ? null : CANNOT_TELL,
      );
      // The inode's change time, which a copy does not bring along.
      return stats === null ? null : { file, size: stats.size, modifiedAt: stats.mtimeMs, changedAt: stats.ctimeMs };
    }),
  );
  return looks.filter((look) => look !== null);
}
