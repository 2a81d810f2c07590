import { lstat, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { visible } from '../domain/visible-text.ts';
import { isSameFile, moveWithoutOverwriting, numberedName, writeFileDurably } from './atomic-files.ts';
import { safeFileName } from './safe-file-name.ts';
import { hasCode } from './system-error.ts';

/**
 * Moves a file into a folder and puts a page of words beside it, `<file>.txt`. The page is on disk first, so that no file ever stands
 * there without one; a move that was cut short is finished by doing it again. Nothing that is there is replaced. Returns the file's path.
 */
export async function moveWithPage(from: string, toDir: string, name: string, pageFor: (placedName: string) => string): Promise<string> {
  const safe = safeFileName(name);
  for (let number = 1; ; number += 1) {
    const candidate = numberedName(safe, number);
    const page = visible(pageFor(candidate));
    if (!(await isFree(from, join(toDir, candidate), page))) continue;
    await writeFileDurably(join(toDir, `${candidate}.txt`), page);
    const moved = await moveWithoutOverwriting(from, toDir, candidate);
    if (basename(moved) === candidate) return moved;
    // Somebody put a file there in between: the page goes with ours.
    await writeFileDurably(`${moved}.txt`, visible(pageFor(basename(moved))));
    await rm(join(toDir, `${candidate}.txt`), { force: true });
    return moved;
  }
}

/** Free is a name that neither a file nor another page has; what an earlier try left of this very move does not count. */
async function isFree(from: string, target: string, page: string): Promise<boolean> {
  if ((await exists(target)) && !(await isSameFile(from, target))) return false;
  const there = await readFile(`${target}.txt`, 'utf8').catch((failure: unknown) => {
    if (hasCode(failure, 'ENOENT')) return null;
    throw failure;
  });
  return there === null || there === page;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (failure: unknown) => {
      if (hasCode(failure, 'ENOENT')) return false;
      throw failure;
    },
  );
}
