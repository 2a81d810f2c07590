import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import { visible } from '../domain/text.ts';
import { cutToBytes, safeFileName } from './safe-file-name.ts';
import { hasCode } from './system.ts';

// What survives a kill and a power cut: written to a temporary name, synced, renamed, and the folder synced.

/** Writes a file. Its name always stands for the old content or the new one, whole and on disk. Replaces what is there. */
export async function writeFileDurably(
  path: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<void> {
  await throughTemporary(path, async (temporary) => {
    await using file = await open(temporary, 'wx', options.mode);
    await file.writeFile(data);
    await file.sync();
  });
}

/** Copies a file. The new name only ever stands for a whole copy that is on disk. Replaces what is there. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await throughTemporary(to, (temporary) => copyAndSync(from, temporary));
}

/**
 * Makes a folder in one step: `build` fills a temporary one beside it, `.<name>.partial`, which gets its name once all of it is on disk, and
 * `mayPublish`, asked last of all, does not throw. What a crash left of an earlier one is removed first. A folder that exists already is never
 * touched: that throws an error with the code `EEXIST`. Returns what `build` does.
 */
export async function publishFolder<T>(
  finalDir: string,
  build: (temporaryDir: string) => Promise<T>,
  mayPublish: () => Promise<void> | undefined = async () => {},
): Promise<T> {
  const parent = dirname(finalDir);
  const temporary = join(parent, `.${basename(finalDir)}.partial`);
  await refuseExisting(finalDir);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary);
  const built = await orRemove(temporary, async () => {
    const made = await build(temporary);
    await syncTree(temporary);
    // rename refuses a full folder by itself, but would silently replace an empty one.
    await refuseExisting(finalDir);
    await mayPublish();
    await rename(temporary, finalDir);
    return made;
  });
  await syncFolder(parent);
  return built;
}

/** Removes a temporary name where `work` throws, and throws on what it threw: what becomes of the name is the lesser trouble. */
async function orRemove<T>(temporary: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    throw thrown;
  }
}

/** The calls that file systems answer differently; a test gives others. */
export interface MoveCalls {
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

const NUMBER_MAX = 10_000;

/**
 * Moves a file into a folder under `name`, or `name (2)`, `name (3)` … if that is taken, even while others move files there. To another device
 * it is copied, synced and compared before the original goes (an error with the code `EBUSY` if it changed meanwhile). `name` must be a single
 * part of a path. Returns the new path. A move that was cut short may be repeated: it is finished, not doubled.
 */
export async function moveWithoutOverwriting(
  from: string,
  toDir: string,
  name: string,
  calls: MoveCalls = { link, rename },
): Promise<string> {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || name.includes(sep)) {
    throw new Error(`Not the name of a file: ${JSON.stringify(name)}`);
  }
  const moved = await placeUnderFreeName(from, toDir, name, calls);
  if (moved !== null) {
    await syncFolder(dirname(from));
    return moved;
  }
  const copy = temporaryBeside(join(toDir, name));
  await copyAndSync(from, copy);
  return orRemove(copy, async () => {
    if ((await sha256OfFile(copy)) !== (await sha256OfFile(from))) throw changedMeanwhile(from);
    const placed = await placeUnderFreeName(copy, toDir, name, calls);
    if (placed === null) throw new Error(`${toDir} is not one folder on one device`);
    await unlink(from);
    await syncFolder(dirname(from));
    return placed;
  });
}

/** Makes a folder, and the missing ones above it, so that all their names survive a power cut. One that exists stays as it is. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    if (hasCode(thrown, 'EEXIST') && (await isFolder(path))) return;
    if (!hasCode(thrown, 'ENOENT') || dirname(path) === path) throw thrown;
    await makeFolder(dirname(path), mode);
    return makeFolder(path, mode);
  }
  await syncFolder(dirname(path));
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** SHA-256 of a file's bytes, in hex. Throws an error with the code `EINVAL` for anything but a file: it never waits for a pipe. */
export async function sha256OfFile(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = await file.stat();
  if (!stats.isFile()) throw notAFile(path);
  return await sha256OfOpened(file, stats.size);
}

/** SHA-256 of an open file's bytes from its beginning, in hex. `size`: about how many they are. */
export async function sha256OfOpened(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of bytesOf(file, Math.min(size + 1, PIECE_BYTES))) hash.update(bytes);
  return hash.digest('hex');
}

/** Copies an open file from its beginning, as copyDurably does. Returns the SHA-256 of what was copied, in hex. */
export async function copyOpenedDurably(from: FileHandle, to: string): Promise<string> {
  const hash = createHash('sha256');
  await throughTemporary(to, async (temporary) => {
    await using copy = await open(temporary, 'wx');
    for await (const bytes of bytesOf(from)) {
      hash.update(bytes);
      await copy.writeFile(bytes);
    }
    await copy.sync();
  });
  return hash.digest('hex');
}

const PIECE_BYTES = 1 << 20;

/** Each piece is valid until the next is asked for. */
async function* bytesOf(file: FileHandle, pieceBytes = PIECE_BYTES): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(pieceBytes);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Makes sure that names made, changed or removed in a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  try {
    await using folder = await open(path, 'r');
    await folder.sync();
  } catch (thrown) {
    // Windows and some network shares cannot sync a folder.
    if (
      !hasCode(thrown, 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP') &&
      !(process.platform === 'win32' && hasCode(thrown, 'EPERM', 'EISDIR', 'EACCES'))
    )
      throw thrown;
  }
}

/** Null when the file stands on another device and must be copied first. */
async function placeUnderFreeName(
  source: string,
  toDir: string,
  name: string,
  calls: MoveCalls,
): Promise<string | null> {
  for (let number = 1; number <= NUMBER_MAX; number += 1) {
    const target = join(toDir, numberedName(name, number));
    const placed = await place(source, target, calls);
    if (placed === 'other device') return null;
    if (placed === 'placed') {
      await syncFolder(toDir);
      return target;
    }
  }
  throw new Error(`${toDir} holds ${NUMBER_MAX} files named ${name}`);
}

/** One try at giving a file another name. Only a hard link never replaces; where there are none, the name is reserved first. */
async function place(source: string, target: string, calls: MoveCalls): Promise<'placed' | 'taken' | 'other device'> {
  try {
    await calls.link(source, target);
  } catch (thrown) {
    if (hasCode(thrown, 'EEXIST')) return (await isSameFile(source, target)) ? dropOtherName(source, target) : 'taken';
    if (hasCode(thrown, 'EXDEV')) return 'other device';
    if (hasCode(thrown, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'))
      return placeByReserving(source, target, calls);
    throw thrown;
  }
  await syncFolder(dirname(target));
  await unlink(source);
  return 'placed';
}

async function placeByReserving(
  source: string,
  target: string,
  calls: MoveCalls,
): Promise<'placed' | 'taken' | 'other device'> {
  try {
    await (await open(target, 'wx')).close();
  } catch (thrown) {
    if (hasCode(thrown, 'EEXIST')) return 'taken';
    throw thrown;
  }
  try {
    await calls.rename(source, target);
    return 'placed';
  } catch (thrown) {
    // A server may have renamed it all the same, and its answer was lost: then the file itself stands there.
    if (await isEmpty(target).catch(() => false)) await unlink(target).catch(() => {});
    if (hasCode(thrown, 'EXDEV')) return 'other device';
    throw thrown;
  }
}

/** Opens the file: a share may remember what stood there before. */
async function isEmpty(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  return (await file.stat()).size === 0;
}

/** The file has both names: an earlier move was killed between its two steps, or the file is where it should be. */
async function dropOtherName(source: string, target: string): Promise<'placed'> {
  const isOnlyName = (await lstat(target)).nlink < 2 || (await realName(source)) === (await realName(target));
  if (!isOnlyName) await unlink(source);
  return 'placed';
}

async function realName(path: string): Promise<string> {
  return join(await realpath(dirname(path)), basename(path));
}

/** Whether two paths are names of the same file. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([lstat(a, { bigint: true }), lstat(b, { bigint: true })]);
  return one.ino !== 0n && one.ino === other.ino && one.dev === other.dev;
}

/** `name (2).xlsx` for the second of that name; a name stays within 255 bytes. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name;
  const ending = extname(name);
  const suffix = ` (${number})${ending}`;
  return cutToBytes(name.slice(0, name.length - ending.length), 255 - Buffer.byteLength(suffix)) + suffix;
}

async function throughTemporary(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = temporaryBeside(path);
  await orRemove(temporary, async () => {
    await write(temporary);
    await rename(temporary, path);
  });
  await syncFolder(dirname(path));
}

/** A name for a file that is not whole yet. The dot keeps anybody from taking it for a dropped file. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${cutToBytes(basename(path), 200)}.${randomBytes(6).toString('hex')}.partial`);
}

async function copyAndSync(from: string, to: string): Promise<void> {
  if (!(await stat(from)).isFile()) throw notAFile(from);
  await orRemove(to, async () => {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await giveOwnMode(to);
    await syncFile(to);
    const [source, copy] = await Promise.all([stat(from), stat(to)]);
    if (source.size !== copy.size) throw changedMeanwhile(from);
  });
}

/** The error for a file that was written to while it was copied: its code is `EBUSY`. */
export function changedMeanwhile(path: string): Error {
  return Object.assign(new Error(`${path} changed while it was copied`), { code: 'EBUSY' });
}

function notAFile(path: string): Error {
  return Object.assign(new Error(`${path} is no file`), { code: 'EINVAL' });
}

async function syncFile(path: string): Promise<void> {
  // Windows flushes only what is open for writing.
  await using file = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  await file.sync();
}

/** Every file, then every folder, innermost first. Links are names in their folder and have nothing of their own to sync. */
async function syncTree(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncFile(path);
  }
  await syncFolder(dir);
}

async function refuseExisting(path: string): Promise<void> {
  if (await exists(path))
    throw Object.assign(new Error(`${path} exists already and is not replaced`), { code: 'EEXIST' });
}

/**
 * Moves a file into a folder with a page that explains it, `<file>.txt`. The page is on disk first, so that no file ever stands there without
 * one. Repeating a move that was cut short finishes it. Nothing is replaced. Returns the file's path.
 */
export async function moveWithPage(
  from: string,
  toDir: string,
  name: string,
  pageFor: (placedName: string) => string,
): Promise<string> {
  const safe = safeFileName(name);
  for (let number = 1; ; number += 1) {
    const candidate = numberedName(safe, number);
    const page = visible(pageFor(candidate));
    if (!(await isFree(from, join(toDir, candidate), page))) continue;
    await writeFileDurably(join(toDir, `${candidate}.txt`), page);
    const moved = await moveWithoutOverwriting(from, toDir, candidate);
    if (basename(moved) === candidate) return moved;
    // Somebody put a file there in between: our page moves along with our file.
    await writeFileDurably(`${moved}.txt`, visible(pageFor(basename(moved))));
    await rm(join(toDir, `${candidate}.txt`), { force: true });
    return moved;
  }
}

/** A name is free if neither a file nor another page has it. What an earlier try of this very move left does not count. */
async function isFree(from: string, target: string, page: string): Promise<boolean> {
  if ((await exists(target)) && !(await isSameFile(from, target))) return false;
  const there = await readFile(`${target}.txt`, 'utf8').catch((failure: unknown) => {
    if (hasCode(failure, 'ENOENT')) return null;
    throw failure;
  });
  return there === null || there === page;
}

/** Whether anything has this name, even a link that leads nowhere. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (failure: unknown) => {
      if (hasCode(failure, 'ENOENT')) return false;
      throw failure;
    },
  );
}

let isShared = false;

/**
 * Sets, for the whole process, who may read what it makes: its user alone (0600, folders 0700), or that user's group too (0640, 0750). The
 * umask covers whatever names no mode of its own, in libraries and child processes too.
 */
export function shareWithGroup(share: boolean): void {
  isShared = share;
  process.umask(share ? 0o027 : 0o077);
}

/** The mode of a file, where one must be named. */
export function fileMode(): number {
  return isShared ? 0o640 : 0o600;
}

/** The mode of a folder, where one must be named. */
export function folderMode(): number {
  return isShared ? 0o750 : 0o700;
}

/** Gives a file our mode: copies and dropped files bring the mode of their origin. A file of another user keeps its own. */
export async function giveOwnMode(file: string | FileHandle): Promise<void> {
  try {
    await (typeof file === 'string' ? chmod(file, fileMode()) : file.chmod(fileMode()));
  } catch (failure) {
    if (!hasCode(failure, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EROFS')) throw failure;
  }
}
