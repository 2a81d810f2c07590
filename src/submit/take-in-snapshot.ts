import { open, rename, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import { copyDurably, makeFolder, sha256OfFile, syncFolder } from '../ops/atomic-files.ts';
import { hasCode } from '../ops/system-error.ts';
import type { Workspace } from '../ops/workspace.ts';
import type { ClaimedFile } from './take-in-parts.ts';

/** A copy of a claimed file under its content's hash (SHA-256). */
export interface Snapshot {
  readonly path: string;
  readonly hash: string;
}

/**
 * Only the snapshot is parsed: whoever still has the dropped file open can change that one, but not this. Throws UnreadableFileError
 * where this user may not read the file.
 */
export async function takeSnapshot(claimed: ClaimedFile, { state }: Workspace): Promise<Snapshot> {
  await refuseForbidden(claimed);
  const folder = join(state, 'snapshots');
  await makeFolder(folder);
  const taking = join(folder, 'taking');
  await copyDurably(claimed.path, taking);
  const hash = await sha256OfFile(taking);
  const path = join(folder, `${hash}${/^\.\w{1,8}$/.exec(extname(claimed.name))?.[0] ?? ''}`);
  await rename(taking, path);
  await syncFolder(folder);
  return { path, hash };
}

export async function dropSnapshot({ path }: Snapshot): Promise<void> {
  await rm(path, { force: true });
}

async function refuseForbidden({ path, name }: ClaimedFile): Promise<void> {
  try {
    await (await open(path, 'r')).close();
  } catch (failure) {
    if (!hasCode(failure, 'EACCES', 'EPERM')) throw failure;
    throw new UnreadableFileError(`"${name}" may not be read by the user who runs this: permission denied. Give that user the right to read it and drop it again.`, { cause: failure });
  }
}
