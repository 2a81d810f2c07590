import { createHash } from 'node:crypto';
import { link, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { fileMode } from './durable-files.ts';
import { hasCode } from './system.ts';

const maybeText = z.string().nullable();

const lockOwner = z.object({
  host: z.string(),
  machineId: maybeText,
  bootId: maybeText,
  pidNamespace: maybeText,
  pid: z.int().positive(),
  startTime: maybeText,
  /** The command of the run, such as `submit`. */
  command: z.string(),
  /** When the lock was taken, ISO. */
  since: z.string(),
  /** No two locks have the same. */
  token: z.string().min(1),
  /** Counts the renewals of the lease, always as many digits. Without it there is no lease. */
  beat: z.string().optional(),
});

/** Who holds a lock: what stands in its file. */
export type LockOwner = Readonly<z.infer<typeof lockOwner>>;

/** A lock file as it was read; `owner` is null when it is garbled. */
export interface FoundLock {
  readonly owner: LockOwner | null;
  /** By the clock of the file system. */
  readonly changedMs: number;
  /** The same for the same lock, however often it was renewed, and for no other. */
  readonly fingerprint: string;
}

const BEAT_DIGITS = 10;
/** What stands behind the beat in the file. */
const TAIL = '"}\n';

export const FIRST_BEAT = beatText(0);

function beatText(beat: number): string {
  return String(beat).padStart(BEAT_DIGITS, '0');
}

export async function readLock(path: string): Promise<FoundLock | null> {
  try {
    const text = await readFile(path, 'utf8');
    const { mtimeMs, ino } = await stat(path);
    const owner = ownerIn(text);
    const fingerprint = createHash('sha256').update(owner?.token ?? `${ino} ${mtimeMs} ${text}`).digest('hex').slice(0, 16);
    return { owner, changedMs: mtimeMs, fingerprint };
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return null;
    throw thrown;
  }
}

function ownerIn(text: string): LockOwner | null {
  try {
    return lockOwner.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** False when the name is taken. The content is on disk before the name is: by a hard link a lock is never seen half-written. */
export async function createLock(path: string, owner: LockOwner): Promise<boolean> {
  const temporary = `${path}.${owner.token}.partial`;
  const content = `${JSON.stringify(owner)}\n`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: fileMode(), flush: true });
    await link(temporary, path);
    return true;
  } catch (thrown) {
    if (hasCode(thrown, 'EEXIST')) return false;
    if (hasCode(thrown, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) return await createInPlace(path, content);
    throw thrown;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** For file systems without hard links: here a reader may meet a half-written lock, which counts as held while it is young. */
async function createInPlace(path: string, content: string): Promise<boolean> {
  try {
    await using file = await open(path, 'wx', fileMode());
    await file.writeFile(content);
    await file.sync();
    return true;
  } catch (thrown) {
    if (hasCode(thrown, 'EEXIST')) return false;
    throw thrown;
  }
}

/**
 * Keeps a lock file open to renew its lease in place: where the file was replaced, the writing goes nowhere and harms nobody. Null where the
 * lock is gone already.
 */
export async function openLease(path: string, owner: LockOwner): Promise<{ renew: (beat: number) => Promise<void>; close: () => Promise<void> } | null> {
  const file = await open(path, 'r+').catch((failure: unknown) => {
    if (hasCode(failure, 'ENOENT')) return null;
    throw failure;
  });
  if (file === null) return null;
  if (ownerIn(await file.readFile('utf8'))?.token !== owner.token) {
    await file.close();
    return null;
  }
  const position = Buffer.byteLength(`${JSON.stringify(owner)}\n`) - BEAT_DIGITS - TAIL.length;
  return {
    renew: async (beat) => {
      await file.write(beatText(beat), position);
      await file.datasync();
    },
    close: () => file.close(),
  };
}

/** Only its own lock: somebody may have deleted it by hand, and another run may have taken it since. */
export async function removeOwnLock(path: string, owner: LockOwner): Promise<void> {
  if (await isOwnLock(path, owner)) await rm(path, { force: true });
}

export async function isOwnLock(path: string, owner: LockOwner): Promise<boolean> {
  return (await readLock(path))?.owner?.token === owner.token;
}

/** The time by the clock that stamps the files beside this path, in ms: on a share it is the server's, the same for all hosts. */
export async function fileSystemNow(path: string, token: string): Promise<number> {
  const probe = `${path}.${token}.clock`;
  try {
    await writeFile(probe, '', { flag: 'wx', mode: fileMode() });
    return (await stat(probe)).mtimeMs;
  } finally {
    await rm(probe, { force: true });
  }
}
