import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { visibleLine } from '../domain/text.ts';
import {
  changedMeanwhile,
  copyOpenedDurably,
  exists,
  moveWithoutOverwriting,
  numberedName,
  syncFolder,
  temporaryBeside,
} from './durable-files.ts';
import { hasCode } from './system.ts';

// Others may write to the inbox, and may replace a file there at any moment, by a link to one of ours or a pipe that nobody ever writes to. So
// what was listed is remembered by its inode, a folder is held open while files are taken out of it, and what was taken out is checked in a
// folder of our own, where nobody else can replace it.

/** Which file a name stood for when it was listed. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** A file as it was listed. */
export interface ListedFile {
  readonly name: string;
  readonly listed: FileIdentity;
  /** It must have no other name, anywhere. */
  readonly alone: boolean;
}

/** A name does not stand for the plain file that was listed. The message is a sentence for a person. */
export class NotThatFile extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'NotThatFile';
  }
}

/** A folder that stays the same until it is disposed of, whatever happens to its name. */
export interface PinnedFolder extends AsyncDisposable {
  /** Its path as people know it. */
  readonly path: string;
  /**
   * What stands before a name in it. On Linux that leads through the open folder itself, whatever stands under its name meanwhile; on other
   * systems it is `path`: there a folder that is exchanged within the instant of a call is noticed after it, and what was moved is put back.
   */
  readonly at: string;
  readonly identity: FileIdentity;
}

/** Opens a folder; a link to one is followed where it is `trusted`, and else an error with the code `ELOOP` or `ENOTDIR`. */
export async function pinFolder(path: string, { trusted }: { readonly trusted: boolean }): Promise<PinnedFolder> {
  if (process.platform === 'win32') {
    const identity = identityOf(await (trusted ? stat(path, { bigint: true }) : lstat(path, { bigint: true })));
    return { path, at: path, identity, [Symbol.asyncDispose]: async () => {} };
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | (trusted ? 0 : constants.O_NOFOLLOW));
  try {
    const identity = identityOf(await handle.stat({ bigint: true }));
    const through = `/proc/self/fd/${handle.fd}`;
    const seen = await stat(through, { bigint: true }).catch(() => null);
    return {
      path,
      at: seen !== null && isSame(seen, identity) ? through : path,
      identity,
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (failure) {
    await handle.close();
    throw failure;
  }
}

export function identityOf({ dev, ino }: BigIntStats): FileIdentity {
  return { dev, ino };
}

export function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** What a name stands for, in words; null for a plain file. */
export function oddKind(stats: BigIntStats): string | null {
  if (stats.isFile()) return null;
  if (stats.isSymbolicLink()) return 'a link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/**
 * Opens a plain file for reading, and never waits for a pipe or follows a link (unless a person named it: `named`). Throws NotThatFile for
 * whatever else it is.
 */
export async function openPlainFile(
  path: string,
  { named = false }: { readonly named?: boolean } = {},
): Promise<FileHandle> {
  // Windows knows neither flag.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (named ? 0 : (constants.O_NOFOLLOW ?? 0));
  const handle = await open(path, flags).catch((failure: unknown) => {
    if (!named && hasCode(failure, 'ELOOP', 'EMLINK'))
      throw new NotThatFile(`"${visibleLine(basename(path))}" is a link, and links are not followed.`);
    if (hasCode(failure, 'ENXIO'))
      throw new NotThatFile(`"${visibleLine(basename(path))}" is a socket or a pipe, not a file.`);
    throw failure;
  });
  const kind = oddKind(await handle.stat({ bigint: true }));
  if (kind === null) return handle;
  await handle.close();
  throw new NotThatFile(`"${visibleLine(basename(path))}" is ${kind}, not a file.`);
}

/**
 * Moves the file that was listed under `name` out of a folder that others write to, into one of our own, where nobody but this process
 * makes names. Nothing is overwritten. Returns its new path; null where it is gone. Throws NotThatFile where the name stands for something
 * else by now, or the file has other names too (`alone`): then it is where it was.
 */
export async function takeOut(
  folder: PinnedFolder,
  { name, listed, alone }: ListedFile,
  toDir: string,
): Promise<string | null> {
  const source = join(folder.at, name);
  const judge = (stats: BigIntStats): void => refuseOther(stats, { name, listed, alone });
  try {
    judge(await lstat(source, { bigint: true }));
    const target = await freeName(toDir, name);
    if (!(await movedOnDevice(source, target))) {
      await copyOut(source, target, judge);
      await removeListed(folder, name, listed);
    } else {
      // Here nobody else can replace it: what was slipped in just before the move goes back.
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

async function movedOnDevice(source: string, target: string): Promise<boolean> {
  try {
    await rename(source, target);
    return true;
  } catch (failure) {
    if (hasCode(failure, 'EXDEV')) return false;
    throw failure;
  }
}

/** From another device, such as a share: copies the very file that was opened. */
async function copyOut(source: string, target: string, judge: (stats: BigIntStats) => void): Promise<void> {
  await using opened = await openPlainFile(source);
  const before = await opened.stat({ bigint: true });
  judge(before);
  await copyOpenedDurably(opened, target);
  const after = await opened.stat({ bigint: true });
  if (before.size === after.size && before.mtimeNs === after.mtimeNs) return;
  await unlink(target);
  throw changedMeanwhile(source);
}

/** Removes the file that was listed, and nothing else that may have its name by now. */
export async function removeListed(folder: PinnedFolder, name: string, listed: FileIdentity): Promise<void> {
  const leaving = temporaryBeside(join(folder.at, name));
  const isThere = await rename(join(folder.at, name), leaving).then(
    () => true,
    (failure: unknown) => {
      if (hasCode(failure, 'ENOENT')) return false;
      throw failure;
    },
  );
  if (!isThere) return;
  if (isSame(identityOf(await lstat(leaving, { bigint: true })), listed)) await unlink(leaving);
  else await putBack(leaving, folder.at, name);
}

/** A folder cannot have a second name; a file goes back without replacing anything. */
async function putBack(from: string, toDir: string, name: string): Promise<void> {
  if ((await lstat(from)).isDirectory()) await rename(from, await freeName(toDir, name));
  else await moveWithoutOverwriting(from, toDir, name);
}

function refuseOther(stats: BigIntStats, { name, listed, alone }: ListedFile): void {
  const kind = oddKind(stats);
  if (kind !== null)
    throw new NotThatFile(
      `"${visibleLine(name)}" was a file when the run listed it and is ${kind} now, which is never taken. Drop the file itself.`,
    );
  if (!isSame(identityOf(stats), listed))
    throw new NotThatFile(
      `"${visibleLine(name)}" was replaced by another file while the run looked at it; the next run takes that one in.`,
    );
  if (alone && stats.nlink > 1n)
    throw new NotThatFile(
      `"${visibleLine(name)}" has another name elsewhere too (a hard link), so it may not be the sender's to give away. Drop a copy of it.`,
    );
}

async function freeName(dir: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(dir, numberedName(name, number));
    if (!(await exists(path))) return path;
  }
}
