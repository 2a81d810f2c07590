import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { escapeLine } from '../domain/text.ts';
import { sentence } from '../domain/sentences.ts';
import {
  fileChangedError,
  copyOpenedDurably,
  exists,
  moveToFreeName,
  numberedName,
  syncFolder,
  temporaryName,
} from './durable-files.ts';
import { hasCode, succeeds } from '../domain/errors.ts';

// Others may replace a file in the inbox at any moment by a link to one of ours, or by a pipe. So listed files are
// remembered by inode, the folder is held open while files are taken, and each file is checked in a folder of our own.

export type FileIdentity = Readonly<Record<'dev' | 'ino', bigint>>;

type ListedFile = Readonly<{
  name: string;
  listed: FileIdentity;
  alone: boolean;
}>;

/** The message is a sentence for people. */
export class WrongFileError extends Error {
  override readonly name = 'WrongFileError';
}

/** The same even if its name is given to another. */
export type PinnedFolder = AsyncDisposable &
  Readonly<{
    path: string;
    /**
     * On Linux it leads through the open folder. Elsewhere it is `path`: a folder replaced during a call is noticed
     * afterwards, and the move undone.
     */
    at: string;
    identity: FileIdentity;
  }>;

/** Follows a link only if `trusted`; otherwise throws `ELOOP` or `ENOTDIR`. */
export async function pinFolder(path: string, { trusted }: { trusted: boolean }): Promise<PinnedFolder> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | (trusted ? 0 : constants.O_NOFOLLOW));
  try {
    const identity = fileIdentity(await handle.stat({ bigint: true }));
    const through = `/proc/self/fd/${handle.fd}`;
    const seen = await stat(through, { bigint: true }).catch(() => null);
    return {
      path,
      at: seen !== null && isSameFile(seen, identity) ? through : path,
      identity,
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (failure) {
    await handle.close();
    throw failure;
  }
}

export function fileIdentity({ dev, ino }: BigIntStats) {
  return { dev, ino };
}

export function isSameFile(one: FileIdentity, other: FileIdentity) {
  return one.dev === other.dev && one.ino === other.ino;
}

export function nonFileKind(stats: BigIntStats) {
  if (stats.isFile()) return null;
  if (stats.isSymbolicLink()) return 'a link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Does not wait for pipes or follow links, unless a person named them (`named`); otherwise throws WrongFileError. */
export async function openPlainFile(path: string, { named = false }: { named?: boolean } = {}) {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (named ? 0 : constants.O_NOFOLLOW);
  const refused = (why: string) => new WrongFileError(`"${escapeLine(basename(path))}" is ${why}.`);
  const handle = await open(path, flags).catch((failure: unknown) => {
    if (!named && hasCode(failure, 'ELOOP', 'EMLINK')) throw refused('a link, and links are not followed');
    throw hasCode(failure, 'ENXIO') ? refused('a socket or a pipe, not a file') : failure;
  });
  const kind = nonFileKind(await handle.stat({ bigint: true }));
  if (kind === null) return handle;
  await handle.close();
  throw refused(`${kind}, not a file`);
}

/**
 * Overwrites nothing. Returns its new path; null if it is gone. If the name means something else now, or the file has
 * other names (`alone`), leaves it in place and throws WrongFileError.
 */
export async function claimListedFile(folder: PinnedFolder, { name, listed, alone }: ListedFile, toDir: string) {
  const source = join(folder.at, name);
  const judge = (stats: BigIntStats) => refuseOther(stats, { name, listed, alone });
  try {
    judge(await lstat(source, { bigint: true }));
    const target = await freeName(toDir, name);
    if (!(await succeeds(rename(source, target), 'EXDEV'))) {
      await copyOut(source, target, judge);
      await removeListed(folder, name, listed);
    } else {
      try {
        judge(await lstat(target, { bigint: true }));
      } catch (failure) {
        await putBack(target, folder.at, name);
        throw failure;
      }
    }
    await syncFolder(toDir);
    await syncFolder(folder.at);
    return target;
  } catch (failure) {
    if (hasCode(failure, 'ENOENT') && !(await exists(source))) return null;
    throw failure;
  }
}

async function copyOut(source: string, target: string, judge: (stats: BigIntStats) => void) {
  await using opened = await openPlainFile(source);
  const before = await opened.stat({ bigint: true });
  judge(before);
  await copyOpenedDurably(opened, target);
  const after = await opened.stat({ bigint: true });
  if (before.size === after.size && before.mtimeNs === after.mtimeNs) return;
  await unlink(target);
  throw fileChangedError(source);
}

export async function removeListed(folder: PinnedFolder, name: string, listed: FileIdentity) {
  const leaving = temporaryName(join(folder.at, name));
  if (!(await succeeds(rename(join(folder.at, name), leaving), 'ENOENT'))) return;
  if (isSameFile(await lstat(leaving, { bigint: true }), listed)) await unlink(leaving);
  else await putBack(leaving, folder.at, name);
}

/** Replaces nothing; a folder cannot have a second name. */
async function putBack(from: string, toDir: string, name: string) {
  if ((await lstat(from)).isDirectory()) await rename(from, await freeName(toDir, name));
  else await moveToFreeName(from, toDir, name);
}

function refuseOther(stats: BigIntStats, { name, listed, alone }: ListedFile) {
  const kind = nonFileKind(stats);
  const refused = (code: string) => new WrongFileError(`"${escapeLine(name)}" ${sentence(code, { kind: kind ?? '' })}`);
  if (kind !== null) throw refused('file-replaced/kind');
  if (!isSameFile(stats, listed)) throw refused('file-replaced/file');
  if (alone && stats.nlink > 1n) throw refused('file-replaced/hard-link');
}

async function freeName(dir: string, name: string) {
  for (let number = 1; ; number += 1) {
    const path = join(dir, numberedName(name, number));
    if (!(await exists(path))) return path;
  }
}
