import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../domain/errors.ts';
import { hasCode } from './system.ts';

/** What stands on record of a file. */
export interface StoredFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** What was wrong with it when it was last looked at, or null. */
  readonly lost: string | null;
}

/** Why a file is not what stands on record; `words` go on after its name. */
export interface FileProblem {
  readonly kind: 'missing' | 'different' | 'unreadable';
  readonly words: string;
}

/** Never a link, and never a wait for whoever writes into a pipe. */
const READ_AS_IT_IS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a file and compares it with the record: an ordinary file of that length and hash. Null where it is; `bytes` may not be known. */
export async function fileProblem(path: string, recorded: { readonly bytes?: number; readonly sha256: string }): Promise<FileProblem | null> {
  try {
    await using file = await open(path, READ_AS_IT_IS);
    const stats = await file.stat();
    if (!stats.isFile()) return { kind: 'different', words: stats.isDirectory() ? 'is a folder' : 'is not an ordinary file' };
    if (recorded.bytes !== undefined && stats.size !== recorded.bytes) return { kind: 'different', words: `has ${stats.size} bytes instead of ${recorded.bytes}` };
    return (await sha256Of(file, stats.size)) === recorded.sha256 ? null : { kind: 'different', words: 'holds something else than what is on record (SHA-256)' };
  } catch (failure) {
    if (hasCode(failure, 'ENOENT', 'ENOTDIR')) return { kind: 'missing', words: 'is missing' };
    // What opens only as a link, a socket or a device is no file of ours.
    if (hasCode(failure, 'ELOOP', 'EMLINK', 'ENXIO')) return { kind: 'different', words: 'is not an ordinary file' };
    return { kind: 'unreadable', words: `cannot be read: ${messageOf(failure).replace(/, \w+(?: '.*')?$/s, '')}` };
  }
}

const PIECE = 1 << 18;

async function sha256Of(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256');
  const room = Buffer.allocUnsafeSlow(Math.min(Math.max(size, 1), PIECE));
  for (let { bytesRead } = await file.read(room); bytesRead > 0; { bytesRead } = await file.read(room)) hash.update(room.subarray(0, bytesRead));
  return hash.digest('hex');
}

/**
 * Compares files on record with the disk, and tells the record of each that is not as it says, or is so again. Gives those that are not, with
 * what is wrong.
 */
export async function checkStoredFiles<File extends StoredFile>(
  files: readonly File[],
  { root, ledger }: { readonly root: string; readonly ledger: { recordOnDisk(file: File, problem: string | null): Promise<void> } },
): Promise<ReadonlyMap<File, string>> {
  const lost = new Map<File, string>();
  for (const file of files) {
    const problem = (await fileProblem(join(root, file.path), file))?.words ?? null;
    if (problem !== null) lost.set(file, problem);
    if (problem !== file.lost) await ledger.recordOnDisk(file, problem);
  }
  return lost;
}

/** Whether a delivery that holds a project as it stands can hold all of these: what was lost until now is in none, also where it has just come back. */
export function wereAllHere(files: readonly StoredFile[], lost: ReadonlyMap<StoredFile, string>): boolean {
  return lost.size === 0 && files.every((file) => file.lost === null);
}
