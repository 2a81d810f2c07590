import { chmod, type FileHandle } from 'node:fs/promises';
import { hasCode } from './system-error.ts';

let isShared = false;

/**
 * Says, for the whole process, who may read what it makes: its own user alone (0600, folders 0700), or that user's group too (0640, 0750).
 * The umask holds for whatever names no mode of its own, in libraries and child processes too.
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

/** A copy brings the mode of what it was made from, and a file that somebody dropped has their mode. One that belongs to another user keeps it. */
export async function giveOwnMode(file: string | FileHandle): Promise<void> {
  try {
    await (typeof file === 'string' ? chmod(file, fileMode()) : file.chmod(fileMode()));
  } catch (failure) {
    if (!hasCode(failure, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EROFS')) throw failure;
  }
}
