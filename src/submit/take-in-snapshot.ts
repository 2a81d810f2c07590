import { rename, rm, type FileHandle } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import { copyOpenedDurably, makeFolder, syncFolder } from '../ops/atomic-files.ts';
import { giveOwnMode } from '../ops/file-modes.ts';
import { openPlainFile } from '../ops/pinned-folder.ts';
import { hasCode } from '../ops/system-error.ts';
import type { Workspace } from '../ops/workspace.ts';
import { visibleLine } from '../domain/visible-text.ts';
import type { ClaimedFile } from './take-in-parts.ts';

/** A copy of a claimed file under its content's hash (SHA-256). */
export interface Snapshot {
  readonly path: string;
  readonly hash: string;
}

/**
 * Only the snapshot is parsed: whoever still has the dropped file open can change that one, but not this. It is a copy of what was opened,
 * once, and its hash is of what was copied. Throws UnreadableFileError where this user may not read the file.
 */
export async function takeSnapshot(claimed: ClaimedFile, { state }: Workspace): Promise<Snapshot> {
  await using opened = await openedForReading(claimed);
  const folder = join(state, 'snapshots');
  await makeFolder(folder);
  // From here on it is one of our files, wherever it goes.
  await giveOwnMode(opened);
  const taking = join(folder, 'taking');
  const hash = await copyOpenedDurably(opened, taking);
  const path = join(folder, `${hash}${/^\.\w{1,8}$/.exec(extname(claimed.name))?.[0] ?? ''}`);
  await rename(taking, path);
  await syncFolder(folder);
  return { path, hash };
}

export async function dropSnapshot({ path }: Snapshot): Promise<void> {
  await rm(path, { force: true });
}

async function openedForReading({ path, name }: ClaimedFile): Promise<FileHandle> {
  try {
    return await openPlainFile(path);
  } catch (failure) {
    if (!hasCode(failure, 'EACCES', 'EPERM')) throw failure;
    throw new UnreadableFileError(`"${visibleLine(name)}" may not be read by the user who runs this: permission denied. Give that user the right to read it and drop it again.`, { cause: failure });
  }
}
