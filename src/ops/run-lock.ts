import { createHash, randomUUID } from 'node:crypto';
import { link, open, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ExplainedError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { isProvenDead, systemProcesses, type ProcessTable } from './process-identity.ts';
import { hasCode } from './system-error.ts';

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
});

/** Who holds a lock: what stands in its file. */
export type LockOwner = Readonly<z.infer<typeof lockOwner>>;

/** The one run that may go on in a workspace. Disposing of it frees the workspace. */
export interface RunLock extends AsyncDisposable {
  readonly path: string;
  readonly owner: LockOwner;
}

/** What a lock is taken with. `processes` is this machine's own unless a test gives another. */
export interface RunLockOptions {
  readonly clock: Clock;
  readonly command: string;
  readonly processes?: ProcessTable;
}

/** A file that nobody can read as a lock may be one that is being written now; after this time it is not. */
const GARBLED_LOCK_MS = 60_000;
/** Guards over guards over …: each level stands for one more process killed while it took a lock over. */
const GUARD_DEPTH_MAX = 5;
const TRIES_MAX = 50;

/**
 * Takes `state/run.lock`, or throws ExplainedError (exit code 5) that says who holds it. The lock of a process that is proven dead
 * is taken over. A lock is never seen half-written: its content gets the name by a hard link.
 */
export async function acquireRunLock(stateDir: string, options: RunLockOptions): Promise<RunLock> {
  return acquire({ ...options, stateDir, processes: options.processes ?? systemProcesses() }, 'run.lock', 0);
}

interface LockTaking extends RunLockOptions {
  readonly stateDir: string;
  readonly processes: ProcessTable;
}

async function acquire(taking: LockTaking, name: string, depth: number): Promise<RunLock> {
  const path = join(taking.stateDir, name);
  const since = new Date(taking.clock.now()).toISOString();
  const owner: LockOwner = { ...taking.processes.self, command: taking.command, since, token: randomUUID() };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if (await createWhole(path, `${JSON.stringify(owner)}\n`, owner.token)) {
      return { path, owner, [Symbol.asyncDispose]: () => release(path, owner) };
    }
    const found = await readLock(path);
    if (found === null) continue;
    if (!isStale(found, taking) || depth === GUARD_DEPTH_MAX) throw heldBy(found, path);
    await removeStale(taking, path, found, depth);
  }
  throw new ExplainedError(`Other runs keep taking the lock ${path}.`, { exitCode: 5, hint: 'Let the next run go on from here.' });
}

/**
 * Two processes may find the same lock stale. Only the one that holds the guard named after that very lock may remove it, and only
 * after it has seen that the lock is still the one that was judged: so nobody ever removes the lock that the other has just taken.
 */
async function removeStale(taking: LockTaking, path: string, judged: FoundLock, depth: number): Promise<void> {
  await using _guard = await acquire(taking, `run.lock.takeover-${judged.fingerprint}`, depth + 1);
  const now = await readLock(path);
  if (now?.fingerprint === judged.fingerprint) await rm(path, { force: true });
}

/** A lock file as it was read; `owner` is null when it is garbled. */
interface FoundLock {
  readonly owner: LockOwner | null;
  readonly changedMs: number;
  /** The same for the same file with the same content, and for no other. */
  readonly fingerprint: string;
}

async function readLock(path: string): Promise<FoundLock | null> {
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

function isStale(lock: FoundLock, taking: LockTaking): boolean {
  return lock.owner === null ? taking.clock.now() - lock.changedMs > GARBLED_LOCK_MS : isProvenDead(lock.owner, taking.processes);
}

/** False when the name is taken. The content is on disk before the name is. */
async function createWhole(path: string, content: string, token: string): Promise<boolean> {
  const temporary = `${path}.${token}.partial`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600, flush: true });
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
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(content);
    await file.sync();
    return true;
  } catch (thrown) {
    if (hasCode(thrown, 'EEXIST')) return false;
    throw thrown;
  }
}

/** Only its own lock: somebody may have deleted it by hand, and another run may have taken it since. */
async function release(path: string, owner: LockOwner): Promise<void> {
  const found = await readLock(path);
  if (found?.owner?.token === owner.token) await unlink(path);
}

function heldBy({ owner }: FoundLock, path: string): ExplainedError {
  if (owner === null) {
    return new ExplainedError(`Another run seems to be taking the lock just now: ${path} cannot be read yet.`, {
      exitCode: 5,
      hint: `A lock that stays like this is taken over after ${GARBLED_LOCK_MS / 1000} seconds.`,
    });
  }
  return new ExplainedError(`Another run holds the lock: \`${owner.command}\`, process ${owner.pid} on ${owner.host}, since ${owner.since}.`, {
    exitCode: 5,
    hint: `Wait until it has ended. If you are sure that it no longer runs, delete ${path}.`,
  });
}
