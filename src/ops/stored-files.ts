import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../domain/errors.ts';
import { sha256OfOpened } from './durable-files.ts';
import { hasCode } from './system.ts';

/** A file as the ledger records it. */
export interface StoredFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** What was wrong with it when it was last looked at, or null. */
  readonly lost: string | null;
}

/** How a file differs from its record; `words` continue after its name. */
export interface FileProblem {
  readonly kind: 'missing' | 'different' | 'unreadable';
  readonly words: string;
}

/** Follows no link, and never waits for a pipe. */
const READ_AS_IT_IS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a file and compares it with its record: an ordinary file of that length, if known, and that hash. Null if it matches. */
export async function fileProblem(
  path: string,
  recorded: { readonly bytes?: number; readonly sha256: string },
): Promise<FileProblem | null> {
  try {
    await using file = await open(path, READ_AS_IT_IS);
    const stats = await file.stat();
    if (!stats.isFile())
      return { kind: 'different', words: stats.isDirectory() ? 'is a folder' : 'is not an ordinary file' };
    if (recorded.bytes !== undefined && stats.size !== recorded.bytes)
      return { kind: 'different', words: `has ${stats.size} bytes instead of ${recorded.bytes}` };
    return (await sha256OfOpened(file, stats.size)) === recorded.sha256
      ? null
      : { kind: 'different', words: 'holds something else than what is on record (SHA-256)' };
  } catch (failure) {
    if (hasCode(failure, 'ENOENT', 'ENOTDIR')) return { kind: 'missing', words: 'is missing' };
    // What opens only as a link, a socket or a device is no file of ours.
    if (hasCode(failure, 'ELOOP', 'EMLINK', 'ENXIO')) return { kind: 'different', words: 'is not an ordinary file' };
    return { kind: 'unreadable', words: `cannot be read: ${messageOf(failure).replace(/, \w+(?: '.*')?$/s, '')}` };
  }
}

/**
 * Compares recorded files with the disk, and records which of them are damaged or gone, or back. Returns the damaged and missing ones, with what
 * is wrong.
 */
export async function checkStoredFiles<File extends StoredFile>(
  files: readonly File[],
  {
    root,
    ledger,
  }: { readonly root: string; readonly ledger: { recordOnDisk(file: File, problem: string | null): Promise<void> } },
): Promise<ReadonlyMap<File, string>> {
  const lost = new Map<File, string>();
  for (const file of files) {
    const problem = (await fileProblem(join(root, file.path), file))?.words ?? null;
    if (problem !== null) lost.set(file, problem);
    if (problem !== file.lost) await ledger.recordOnDisk(file, problem);
  }
  return lost;
}

/** Whether a delivery can have held all of these files: a file that was lost until now is in none, even if it has just come back. */
export function wereAllHere(files: readonly StoredFile[], lost: ReadonlyMap<StoredFile, string>): boolean {
  return lost.size === 0 && files.every((file) => file.lost === null);
}
