/**
 * One run at a time, on one host: a run keeps `state/run.lock`, an empty SQLite file, locked. The system frees it when
 * the process ends, even in another container. `state/run.lock.json` names the holder and the workspace's host.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { access, constants, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { z } from 'zod';
import { diskFull, messageOf, sqliteCodeOf, nullIfMissing, errorOf, usageErrorOf } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { sentence } from '../domain/sentences.ts';
import { fileMode, writeDurably } from './durable-files.ts';
import { parsedOrNull } from './system.ts';

const hostSchema = z.object({
  host: z.string(),
  /** Two machines may both be `localhost`. Null if unknown. */
  machineId: z.string().nullable(),
  /** Changes with each start of the machine; its containers share it. */
  bootId: z.string().nullable(),
});

export type HostIdentity = Readonly<z.infer<typeof hostSchema>>;

const ownerSchema = hostSchema.extend({
  pid: z.int().positive(),
  command: z.string(),
  since: z.string(),
  /** Null while held and after a kill. */
  until: z.string().nullable().default(null),
});

type LockOwner = Readonly<z.infer<typeof ownerSchema>>;

export type RunLock = AsyncDisposable &
  Readonly<{
    path: string;
    owner: LockOwner;
    /**
     * Call before each request and hand-over. Throws ExplainedError (`locked`) if the lock file was deleted or replaced:
     * another run could then hold its own. Looks at most once a second, unless asked `now`.
     */
    check(when?: 'now'): Promise<void>;
  }>;

/** If several runs start at once, each may delay the others until one gets the lock. */
const DECIDED_MS = 250;
const CHECK_MS = 1_000;
const BUSY = 5;
const FULL = 13;

/** If taken, throws ExplainedError (`locked`) that names the holder or the workspace's host. */
export async function acquireRunLock(
  stateDir: string,
  { clock, command, host = thisHost() }: Readonly<{ clock: Clock; command: string; host?: HostIdentity }>,
) {
  const path = join(stateDir, 'run.lock');
  await access(stateDir, constants.R_OK | constants.W_OK);
  const database = lockFile(path);
  if (database === 'held') throw heldBy(await readOwner(path));
  try {
    const last = await readOwner(path);
    if (last !== null && !isSameHost(last, host)) throw belongsTo(last, path);
    const owner: LockOwner = { ...host, pid: process.pid, command, since: isoTime(clock), until: null };
    await writeOwner(path, owner);
    return heldLock(path, owner, database, await fileIdOf(path), clock);
  } catch (failure) {
    database.close();
    throw failure;
  }
}

function heldLock(
  path: string,
  owner: LockOwner,
  database: DatabaseSync,
  fileId: string | null,
  clock: Clock,
): RunLock {
  let checkedAt = clock.now();
  return {
    path,
    owner,
    async check(when) {
      const now = clock.now();
      if (when !== 'now' && now >= checkedAt && now - checkedAt < CHECK_MS) return;
      if (fileId === null || (await fileIdOf(path)) !== fileId) throw await lost(path);
      checkedAt = now;
    },
    async [Symbol.asyncDispose]() {
      if (!database.isOpen) return;
      if ((await fileIdOf(path)) === fileId)
        await writeOwner(path, { ...owner, until: isoTime(clock) }).catch(() => {});
      database.close();
    },
  };
}

/**
 * Writes nothing. While it is held, nothing in this process may open and close the file: that would free it (POSIX
 * locks).
 */
function lockFile(path: string) {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: DECIDED_MS });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (failure) {
    database?.close();
    const code = sqliteCodeOf(failure);
    if (code === BUSY) return 'held';
    if (code === null) throw failure;
    if (code === FULL) throw diskFull(`the lock ${path} cannot be written`, failure);
    throw usageErrorOf('lock-not-available', { path, message: messageOf(failure) }, failure);
  }
}

async function fileIdOf(path: string) {
  const found = await nullIfMissing(stat(path, { bigint: true }));
  return found === null ? null : `${found.dev}:${found.ino}`;
}

function ownerPath(lockPath: string) {
  return `${lockPath}.json`;
}

async function writeOwner(path: string, owner: LockOwner) {
  await writeDurably(ownerPath(path), `${JSON.stringify(owner, null, 2)}\n`, { mode: fileMode() });
}

async function readOwner(path: string) {
  return parsedOrNull(ownerSchema, (await nullIfMissing(readFile(ownerPath(path), 'utf8'))) ?? '');
}

/** A container may have its own name and no machine id, but shares the kernel's boot id. */
function isSameHost(owner: HostIdentity, here: HostIdentity) {
  if (owner.bootId !== null && owner.bootId === here.bootId) return true;
  if (owner.machineId !== null && here.machineId !== null) return owner.machineId === here.machineId;
  return owner.host === here.host;
}

export function thisHost() {
  return { host: hostname(), machineId: textOf('/etc/machine-id'), bootId: textOf('/proc/sys/kernel/random/boot_id') };
}

function textOf(path: string) {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function heldBy(owner: LockOwner | null) {
  const who = owner?.until === null ? `: ${whoIs(owner)}, since ${owner.since}` : '';
  return errorOf('locked', 'lock-held', { who });
}

function belongsTo(owner: LockOwner, path: string) {
  return errorOf('locked', 'workspace-of-another-host', { host: owner.host, file: ownerPath(path) });
}

async function lost(path: string) {
  const owner = await readOwner(path);
  const by = owner !== null && owner.pid !== process.pid ? ` It is held by ${whoIs(owner)}.` : '';
  return errorOf('locked', 'lock-lost', { path, by });
}

function whoIs({ command, pid, host }: LockOwner) {
  return `\`${command}\`, process ${pid} on ${host}`;
}

function isoTime(clock: Clock) {
  return new Date(clock.now()).toISOString();
}

/** Does not take the lock, so it turns no run away. */
export async function lockedSince(stateDir: string) {
  const path = join(stateDir, 'run.lock');
  const owner = await readOwner(path);
  if (owner === null || owner.until !== null) return null;
  // Another host's is not visible here. Checking our own would free it.
  const isHeld = !isSameHost(owner, thisHost()) || owner.pid === process.pid || isLocked(path);
  return isHeld ? Date.parse(owner.since) : null;
}

function isLocked(path: string) {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (failure) {
    return sqliteCodeOf(failure) === BUSY;
  }
}

const SECOND_PROCESS = `
  const { DatabaseSync } = await import('node:sqlite');
  try {
    new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE');
    console.log('taken');
  } catch (refused) {
    console.log(refused.errcode);
  }`;

/** With the remedy: no lock to be had here, or two runs could have it. */
export async function lockProblem(stateDir: string, host: HostIdentity = thisHost()) {
  const path = join(stateDir, 'run.lock');
  const owner = await readOwner(path);
  if (owner !== null && !isSameHost(owner, host)) {
    const { message, hint } = belongsTo(owner, path);
    return `${message} ${hint}`;
  }
  const trial = `${path}.trial-${process.pid}`;
  try {
    const held = lockFile(trial);
    if (!(held instanceof DatabaseSync)) throw new Error(`${trial} is ${held}`);
    using _ = held;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', SECOND_PROCESS, trial],
      { timeout: 30_000 },
    );
    return stdout.trim() === String(BUSY) ? null : sentence('lock/not-working', { stateDir });
  } catch (failure) {
    return `The lock could not be tried: ${messageOf(failure)}`;
  } finally {
    await rm(trial, { force: true });
  }
}
