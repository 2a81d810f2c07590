import { cutToBytes, safeFileName } from './safe-file-name.ts';
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
import { escapeInvisible } from '../domain/text.ts';
import { hasCode, nullIfMissing, succeeds } from '../domain/errors.ts';

/** A crash leaves the old or the new content, whole. */
export async function writeDurably(path: string, data: string | Uint8Array, { mode }: { readonly mode?: number } = {}) {
  await throughTemporary(path, async (temporary) => {
    await using file = await open(temporary, 'wx', mode);
    await file.writeFile(data);
    await file.sync();
  });
}

/** `write` makes the file at a temporary path. */
export async function replaceDurably<T>(path: string, write: (temporary: string) => Promise<T>) {
  return throughTemporary(path, async (temporary) => {
    const written = await write(temporary);
    await syncFile(temporary);
    return written;
  });
}

/** Replaces the target. A crash never leaves half a copy under the new name. */
export async function copyDurably(from: string, to: string) {
  await throughTemporary(to, (temporary) => copyAndSync(from, temporary));
}

/**
 * `build` fills `.<name>.partial`, which is renamed once everything is on disk and `mayPublish` has not thrown. Removes
 * a crash's leftovers first. Throws `EEXIST` if the folder exists.
 */
export async function publishFolder<T>(
  finalDir: string,
  build: (temporaryDir: string) => Promise<T>,
  mayPublish: () => Promise<void> | undefined = async () => {},
) {
  const parent = dirname(finalDir);
  const temporary = join(parent, `.${basename(finalDir)}.partial`);
  await refuseExisting(finalDir);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary);
  const built = await orRemove(temporary, async () => {
    const made = await build(temporary);
    await syncTree(temporary);
    // rename would replace an empty folder.
    await refuseExisting(finalDir);
    await mayPublish();
    await rename(temporary, finalDir);
    return made;
  });
  await syncFolder(parent);
  return built;
}

async function orRemove<T>(temporary: string, work: () => Promise<T>) {
  try {
    return await work();
  } catch (thrown) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    throw thrown;
  }
}

export interface MoveCalls {
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

const NUMBER_MAX = 10_000;

/**
 * Takes `name (2)` … if `name`, one path part, is taken, even while others move files there. To another device, it
 * copies, syncs and compares first (`EBUSY` if the file changed). Returns the new path. Repeating an interrupted move
 * finishes it.
 */
export async function moveToFreeName(from: string, toDir: string, name: string, calls: MoveCalls = { link, rename }) {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || name.includes(sep))
    throw new Error(`Not the name of a file: ${JSON.stringify(name)}`);
  const moved = await placeUnderFreeName(from, toDir, name, calls);
  if (moved !== null) {
    await syncFolder(dirname(from));
    return moved;
  }
  const copy = temporaryName(join(toDir, name));
  await copyAndSync(from, copy);
  return orRemove(copy, async () => {
    if ((await sha256OfFile(copy)) !== (await sha256OfFile(from))) throw fileChangedError(from);
    const placed = await placeUnderFreeName(copy, toDir, name, calls);
    if (placed === null) throw new Error(`${toDir} is not one folder on one device`);
    await unlink(from);
    await syncFolder(dirname(from));
    return placed;
  });
}

/** With the folders above it. `hasParent`: they were made; some file systems, such as /proc, refuse even then. */
export async function makeFolder(path: string, mode = 0o777, hasParent = false) {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    if (hasCode(thrown, 'EEXIST') && (await stat(path).catch(() => null))?.isDirectory() === true) return;
    if (!hasCode(thrown, 'ENOENT') || hasParent || dirname(path) === path) throw thrown;
    await makeFolder(dirname(path), mode);
    return makeFolder(path, mode, true);
  }
  await syncFolder(dirname(path));
}

/** Throws `EINVAL` for anything but a file, and never waits for a pipe. */
export async function sha256OfFile(path: string) {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) throw notAFile(path);
  return await sha256OfOpened(file, stats.size);
}

export async function sha256OfOpened(file: FileHandle, size: number) {
  const hash = createHash('sha256');
  for await (const bytes of bytesOf(file, Math.min(size + 1, PIECE_BYTES))) hash.update(bytes);
  return hash.digest('hex');
}

/** Copies up to `end` bytes. Returns the copy's SHA-256. */
export async function copyOpenedDurably(from: FileHandle, to: string, end = Infinity) {
  const hash = createHash('sha256');
  await throughTemporary(to, async (temporary) => {
    await using copy = await open(temporary, 'wx');
    for await (const bytes of bytesOf(from, PIECE_BYTES, end)) {
      hash.update(bytes);
      await copy.writeFile(bytes);
    }
    await copy.sync();
  });
  return hash.digest('hex');
}

const PIECE_BYTES = 1 << 20;

async function* bytesOf(file: FileHandle, pieceBytes: number, end = Infinity) {
  const piece = Buffer.allocUnsafe(pieceBytes);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, end - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Makes changed names survive a power failure. */
export async function syncFolder(path: string) {
  try {
    await using folder = await open(path, 'r');
    await folder.sync();
  } catch (thrown) {
    // Some shares cannot sync a folder.
    if (!hasCode(thrown, 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP')) throw thrown;
  }
}

async function placeUnderFreeName(source: string, toDir: string, name: string, calls: MoveCalls) {
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

/** Only a hard link never replaces; without them, the name is reserved first. */
async function place(source: string, target: string, calls: MoveCalls) {
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

async function placeByReserving(source: string, target: string, calls: MoveCalls) {
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
    // A server may have renamed it although its answer was lost.
    if (await isEmpty(target).catch(() => false)) await unlink(target).catch(() => {});
    if (hasCode(thrown, 'EXDEV')) return 'other device';
    throw thrown;
  }
}

/** A share may remember the old size. */
async function isEmpty(path: string) {
  await using file = await open(path, 'r');
  return (await file.stat()).size === 0;
}

async function dropOtherName(source: string, target: string) {
  const isOnlyName = (await lstat(target)).nlink < 2 || (await realName(source)) === (await realName(target));
  if (!isOnlyName) await unlink(source);
  return 'placed';
}

async function realName(path: string) {
  return join(await realpath(dirname(path)), basename(path));
}

async function isSameFile(a: string, b: string) {
  const [one, other] = await Promise.all([lstat(a, { bigint: true }), lstat(b, { bigint: true })]);
  return one.ino !== 0n && one.ino === other.ino && one.dev === other.dev;
}

export function numberedName(name: string, number: number) {
  if (number === 1) return name;
  const ending = extname(name);
  const suffix = ` (${number})${ending}`;
  return cutToBytes(name.slice(0, name.length - ending.length), 255 - Buffer.byteLength(suffix)) + suffix;
}

async function throughTemporary<T>(path: string, write: (temporary: string) => Promise<T>) {
  const temporary = temporaryName(path);
  const written = await orRemove(temporary, async () => {
    const made = await write(temporary);
    await rename(temporary, path);
    return made;
  });
  await syncFolder(dirname(path));
  return written;
}

export function temporaryName(path: string) {
  return join(dirname(path), `.${cutToBytes(basename(path), 200)}.${randomBytes(6).toString('hex')}.partial`);
}

async function copyAndSync(from: string, to: string) {
  if (!(await stat(from)).isFile()) throw notAFile(from);
  await orRemove(to, async () => {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await giveOwnMode(to);
    await syncFile(to);
    const [source, copy] = await Promise.all([stat(from), stat(to)]);
    if (source.size !== copy.size) throw fileChangedError(from);
  });
}

export function fileChangedError(path: string): Error {
  return Object.assign(new Error(`${path} changed while it was copied`), { code: 'EBUSY' });
}

function notAFile(path: string) {
  return Object.assign(new Error(`${path} is not a file`), { code: 'EINVAL' });
}

async function syncFile(path: string) {
  await using file = await open(path, 'r');
  await file.sync();
}

async function syncTree(dir: string) {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncFile(path);
  }
  await syncFolder(dir);
}

async function refuseExisting(path: string) {
  if (await exists(path))
    throw Object.assign(new Error(`${path} already exists and is not replaced`), { code: 'EEXIST' });
}

/**
 * With its reason, `<file>.txt`, which is written first. Replaces nothing. Repeating an interrupted move finishes it.
 * Returns the file's path.
 */
export async function moveWithReason(
  from: string,
  toDir: string,
  name: string,
  pageFor: (placedName: string) => string,
) {
  const safe = safeFileName(name);
  for (let number = 1; ; number += 1) {
    const candidate = numberedName(safe, number);
    const page = escapeInvisible(pageFor(candidate));
    if (!(await isFree(from, join(toDir, candidate), page))) continue;
    await writeDurably(join(toDir, `${candidate}.txt`), page);
    const moved = await moveToFreeName(from, toDir, candidate);
    if (basename(moved) === candidate) return moved;
    // Another file took the name: our page moves with our file.
    await writeDurably(`${moved}.txt`, escapeInvisible(pageFor(basename(moved))));
    await rm(join(toDir, `${candidate}.txt`), { force: true });
    return moved;
  }
}

async function isFree(from: string, target: string, page: string) {
  if ((await exists(target)) && !(await isSameFile(from, target))) return false;
  const there = await nullIfMissing(readFile(`${target}.txt`, 'utf8'));
  return there === null || there === page;
}

export async function filesBelow(folder: string) {
  return (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** True even for a dangling link. */
export async function exists(path: string) {
  return succeeds(lstat(path), 'ENOENT');
}

let isShared = false;

/**
 * Files are for the user only (0600, folders 0700), or also for the group (0640, 0750). The umask covers libraries and
 * child processes.
 */
export function shareWithGroup(share: boolean) {
  isShared = share;
  process.umask(share ? 0o027 : 0o077);
}

export function fileMode() {
  return isShared ? 0o640 : 0o600;
}

export function folderMode() {
  return isShared ? 0o750 : 0o700;
}

/** Another user's file keeps its own mode. */
export async function giveOwnMode(file: string | FileHandle) {
  try {
    await (typeof file === 'string' ? chmod(file, fileMode()) : file.chmod(fileMode()));
  } catch (failure) {
    if (!hasCode(failure, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EROFS')) throw failure;
  }
}
