import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, hasCode } from '../domain/errors.ts';
import { sha256OfOpened } from './durable-files.ts';

type StoredFile = Readonly<{
  /** Relative to the workspace. */
  path: string;
  bytes: number;
  sha256: string;
  lost: string | null;
}>;

/** `words` continues a sentence that begins with the file's name. */
export type FileProblem = Readonly<{
  kind: 'missing' | 'different' | 'unreadable';
  words: string;
}>;

const READ_AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Null for a plain file with this hash (and this length, if known). Follows no link and never waits for a pipe. */
export async function fileProblem(
  path: string,
  recorded: Readonly<{ bytes?: number; sha256: string }>,
): Promise<FileProblem | null> {
  try {
    await using file = await open(path, READ_AS_IT_IS);
    const stats = await file.stat();
    if (!stats.isFile()) return different(stats.isDirectory() ? 'is a folder' : 'is not an ordinary file');
    if (recorded.bytes !== undefined && stats.size !== recorded.bytes)
      return different(`has ${stats.size} bytes instead of ${recorded.bytes}`);
    const isSame = (await sha256OfOpened(file, stats.size)) === recorded.sha256;
    return isSame ? null : different('differs from the content on record (SHA-256)');
  } catch (failure) {
    if (hasCode(failure, 'ENOENT', 'ENOTDIR')) return { kind: 'missing', words: 'is missing' };
    if (hasCode(failure, 'ELOOP', 'EMLINK', 'ENXIO')) return different('is not an ordinary file');
    return { kind: 'unreadable', words: `cannot be read: ${messageOf(failure).replace(/, \w+(?: '.*')?$/s, '')}` };
  }
}

function different(words: string): FileProblem {
  return { kind: 'different', words };
}

export async function checkStoredFiles<File extends StoredFile>(
  files: readonly File[],
  { root, ledger }: { root: string; ledger: { recordOnDisk(file: File, problem: string | null): Promise<void> } },
) {
  const lost = new Map<File, string>();
  for (const file of files) {
    const problem = (await fileProblem(join(root, file.path), file))?.words ?? null;
    if (problem !== null) lost.set(file, problem);
    if (problem !== file.lost) await ledger.recordOnDisk(file, problem);
  }
  return lost;
}

/** A file that was lost until now is in no delivery, even if it is back. */
export function wereAllHere(files: readonly StoredFile[], lost: ReadonlyMap<StoredFile, string>) {
  return lost.size === 0 && files.every((file) => file.lost === null);
}
