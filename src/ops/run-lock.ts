import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ExplainedError } from '../domain/errors.ts';
import type { Clock, Sleep } from '../domain/ports.ts';
import { createLock, fileSystemNow, FIRST_BEAT, type FoundLock, isOwnLock, type LockOwner, openLease, readLock, removeOwnLock } from './lock-file.ts';
import { isElsewhere, isProvenDead, systemProcesses, type ProcessTable } from './process-identity.ts';

/** The one run that may go on in a workspace. Disposing of it frees the workspace. */
export interface RunLock extends AsyncDisposable {
  readonly path: string;
  readonly owner: LockOwner;
  /**
   * To be called before each request and each hand-over: throws ExplainedError (5) when the lock is not ours any more. A process that was
   * suspended, its lease run out and taken by another, learns it here. Looks at the file at most once a second, unless it is asked `now`.
   */
  check(when?: 'now'): Promise<void>;
}

/** What a lock is taken with. */
export interface RunLockOptions {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly command: string;
  /** This machine's own unless a test gives another. */
  readonly processes?: ProcessTable;
  /** The clock that stamps files, for a test that gives another. */
  readonly fileClock?: () => Promise<number>;
}

/** A file that nobody can read as a lock may be one that is being written now; after this time it is not. */
const GARBLED_LOCK_MS = 60_000;
/** The lease of a run is renewed so often … */
export const HEARTBEAT_MS = 20_000;
/** … and one that was not for so long has run out: that of a run elsewhere, whose process nobody here can look at. */
export const LEASE_MS = 5 * 60_000;
/** Before a lease that has run out is taken, it is watched for so long: a clock that jumped takes no lock from anybody. */
export const WATCH_MS = 3 * HEARTBEAT_MS;
/** An answer of the lock file is trusted for so long. */
const CHECK_MS = 1_000;
/** Guards over guards over …: each level stands for one more process killed while it took a lock over. */
const GUARD_DEPTH_MAX = 5;
const TRIES_MAX = 50;

/**
 * Takes `state/run.lock`, or throws ExplainedError (exit code 5) that says who holds it. The lock of a process that is proven dead is
 * taken over, and that of a run elsewhere whose lease has run out; the lock of a process that runs here never is, whatever the clocks say.
 */
export async function acquireRunLock(stateDir: string, options: RunLockOptions): Promise<RunLock> {
  const taken = await take({ ...options, stateDir, processes: options.processes ?? systemProcesses() }, 'run.lock', 0);
  return keepAlive(taken, options);
}

interface LockTaking extends RunLockOptions {
  readonly stateDir: string;
  readonly processes: ProcessTable;
}

interface TakenLock extends AsyncDisposable {
  readonly path: string;
  readonly owner: LockOwner;
}

async function take(taking: LockTaking, name: string, depth: number): Promise<TakenLock> {
  const path = join(taking.stateDir, name);
  const since = new Date(taking.clock.now()).toISOString();
  const owner: LockOwner = { ...taking.processes.self, command: taking.command, since, token: randomUUID(), beat: FIRST_BEAT };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if (await createLock(path, owner)) return { path, owner, [Symbol.asyncDispose]: () => removeOwnLock(path, owner) };
    const found = await readLock(path);
    if (found === null) continue;
    if (depth === GUARD_DEPTH_MAX || !(await isStale(found, path, owner.token, taking))) throw heldBy(found, path);
    await removeStale(taking, path, found, depth);
  }
  throw new ExplainedError(`Other runs keep taking the lock ${path}.`, { exitCode: 5, hint: 'Let the next run go on from here.' });
}

/**
 * Two processes may find the same lock stale. Only the one that holds the guard named after that very lock may remove it, and only
 * after it has seen that the lock is still the one that was judged: so nobody ever removes the lock that the other has just taken.
 */
async function removeStale(taking: LockTaking, path: string, judged: FoundLock, depth: number): Promise<void> {
  await using _guard = await take(taking, `run.lock.takeover-${judged.fingerprint}`, depth + 1);
  const now = await readLock(path);
  // A lease that was renewed meanwhile is not over.
  if (now?.fingerprint === judged.fingerprint && now.owner?.beat === judged.owner?.beat) await rm(path, { force: true });
}

async function isStale(lock: FoundLock, path: string, token: string, taking: LockTaking): Promise<boolean> {
  const { owner } = lock;
  if (owner !== null && isProvenDead(owner, taking.processes)) return true;
  if (owner !== null && (owner.beat === undefined || !isElsewhere(owner, taking.processes))) return false;
  const now = await (taking.fileClock?.() ?? fileSystemNow(path, token));
  const ageMs = now - lock.changedMs;
  if (owner === null) return ageMs > GARBLED_LOCK_MS;
  if (ageMs <= LEASE_MS) return false;
  await taking.sleep(WATCH_MS);
  const later = await readLock(path);
  return later?.fingerprint === lock.fingerprint && later.owner?.beat === owner.beat;
}

/** Renews the lease until the lock is disposed of. */
async function keepAlive(taken: TakenLock, { clock, sleep }: RunLockOptions): Promise<RunLock> {
  const { path, owner } = taken;
  const lease = await openLease(path, owner);
  // Who took the old lock away at the same time may have taken this one for it.
  if (lease === null) throw lostTo(await readLock(path), path);
  const released = new AbortController();
  const beating = (async () => {
    for (let beat = 1; ; beat += 1) {
      await sleep(HEARTBEAT_MS, released.signal);
      // A share that does not answer now may do so the next time; whether the lock is still ours is for `check`.
      await lease.renew(beat).catch(() => {});
    }
  })().catch(() => {});
  let checkedAt = clock.now();
  let lost: ExplainedError | null = null;
  return {
    path,
    owner,
    async check(when) {
      const now = clock.now();
      if (lost === null && (when === 'now' || now < checkedAt || now - checkedAt >= CHECK_MS)) {
        if (await isOwnLock(path, owner)) checkedAt = now;
        else lost = lostTo(await readLock(path), path);
      }
      if (lost !== null) throw lost;
    },
    async [Symbol.asyncDispose]() {
      released.abort();
      await beating;
      await lease.close().catch(() => {});
      await taken[Symbol.asyncDispose]();
    },
  };
}

function heldBy({ owner }: FoundLock, path: string): ExplainedError {
  if (owner === null) {
    return new ExplainedError(`Another run seems to be taking the lock just now: ${path} cannot be read yet.`, {
      exitCode: 5,
      hint: `A lock that stays like this is taken over after ${GARBLED_LOCK_MS / 1000} seconds.`,
    });
  }
  return new ExplainedError(`Another run holds the lock: ${whoIs(owner)}, since ${owner.since}.`, {
    exitCode: 5,
    hint: `Wait until it has ended. If you are sure that it no longer runs, delete ${path}.`,
  });
}

function lostTo(found: FoundLock | null, path: string): ExplainedError {
  const by = found?.owner ? `It is held by ${whoIs(found.owner)}` : `${path} is gone`;
  return new ExplainedError(`This run has lost its lock and has stopped sending. ${by}.`, {
    exitCode: 5,
    hint: 'That happens when a run is suspended for long, or when somebody deletes the lock. What was in flight is settled by the next run.',
  });
}

function whoIs({ command, pid, host }: LockOwner): string {
  return `\`${command}\`, process ${pid} on ${host}`;
}
