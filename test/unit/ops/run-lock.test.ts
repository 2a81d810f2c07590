import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ExplainedError } from '../../../src/domain/errors.ts';
import { type ProcessIdentity, type ProcessTable, systemProcesses } from '../../../src/ops/process-identity.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import type { LockOwner } from '../../../src/ops/lock-file.ts';
import { acquireRunLock, HEARTBEAT_MS, LEASE_MS, type RunLock, WATCH_MS } from '../../../src/ops/run-lock.ts';
import { systemSleep } from '../../../src/ops/system.ts';

const NOW = Date.UTC(2026, 10, 21, 2);
const clock = { now: () => NOW };
const newFolder = () => mkdtempDisposable(join(tmpdir(), 'run-lock-'));

/** A machine on which the pids in `alive` run; each process started at its pid × 100. */
function machine(pid: number, alive: readonly number[], differences: Partial<ProcessIdentity> = {}): ProcessTable {
  return {
    self: { host: 'night', machineId: 'm1', bootId: 'b1', pidNamespace: null, pid, startTime: `${pid * 100}`, ...differences },
    stateOf: (asked) => (alive.includes(asked) ? { kind: 'running', startTime: `${asked * 100}` } : { kind: 'gone' }),
  };
}

function lockText(pid: number, differences: Partial<LockOwner> = {}): string {
  return JSON.stringify({ ...machine(pid, []).self, command: 'submit', since: '2026-11-21T01:00:00.000Z', token: `token-${pid}`, ...differences });
}

const acquire = (dir: string, processes: ProcessTable): Promise<RunLock> =>
  acquireRunLock(dir, { clock, sleep: systemSleep, command: 'run', processes, fileClock: async () => NOW });

test('a lock holds who, where and since when, and is gone after its release', async () => {
  await using folder = await newFolder();
  {
    await using lock = await acquire(folder.path, machine(10, [10]));
    expect(JSON.parse(await readFile(join(folder.path, 'run.lock'), 'utf8'))).toEqual(lock.owner);
    expect(lock.owner).toMatchObject({ host: 'night', bootId: 'b1', pid: 10, startTime: '1000', command: 'run', since: '2026-11-21T02:00:00.000Z' });
    expect(await readdir(folder.path)).toEqual(['run.lock']);
  }
  expect(await readdir(folder.path)).toEqual([]);
});

test('on this machine itself, a second run in the same process is refused', async () => {
  await using folder = await newFolder();
  await using _lock = await acquireRunLock(folder.path, { clock, sleep: systemSleep, command: 'submit' });
  await expect(acquireRunLock(folder.path, { clock, sleep: systemSleep, command: 'collect' })).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringContaining(`\`submit\`, process ${process.pid} on `),
  });
});

test.each<[string, string]>([
  ['whose process is gone', lockText(7)],
  ['whose pid belongs to another process now', lockText(20, { startTime: '1' })],
  ['from before the machine was started anew', lockText(20, { bootId: 'b0' })],
])('a lock %s is taken over, and nothing of it stays', async (_, stale) => {
  await using folder = await newFolder();
  await writeFile(join(folder.path, 'run.lock'), stale);
  await using lock = await acquire(folder.path, machine(10, [10, 20]));
  expect(JSON.parse(await readFile(lock.path, 'utf8'))).toEqual(lock.owner);
  expect(await readdir(folder.path)).toEqual(['run.lock']);
});

test.each<[string, string]>([
  ['of a process that runs', lockText(20)],
  ['of another host', lockText(7, { host: 'day' })],
  ['of another container', lockText(7, { pidNamespace: 'pid:[9]' })],
])('a lock %s is refused, with whom to ask and what to delete, and stays as it was', async (_, held) => {
  await using folder = await newFolder();
  const path = join(folder.path, 'run.lock');
  await writeFile(path, held);
  const { pid, host } = JSON.parse(held);
  await expect(acquire(folder.path, machine(10, [10, 20]))).rejects.toMatchObject({
    exitCode: 5,
    message: `Another run holds the lock: \`submit\`, process ${pid} on ${host}, since 2026-11-21T01:00:00.000Z.`,
    hint: expect.stringContaining(`delete ${path}`),
  });
  expect(await readFile(path, 'utf8')).toBe(held);
  expect(await readdir(folder.path)).toEqual(['run.lock']);
});

test.each(['', '{"host":"night","pid":', '[]', '{"host":"night","pid":-1}'])('a garbled lock %j is held for a minute, then taken over', async (garbled) => {
  await using folder = await newFolder();
  const path = join(folder.path, 'run.lock');
  await writeFile(path, garbled);
  await utimes(path, NOW / 1000 - 59, NOW / 1000 - 59);
  await expect(acquire(folder.path, machine(10, [10]))).rejects.toMatchObject({ exitCode: 5 });
  expect(await readFile(path, 'utf8')).toBe(garbled);
  await utimes(path, NOW / 1000 - 61, NOW / 1000 - 61);
  await using lock = await acquire(folder.path, machine(10, [10]));
  expect(lock.owner.pid).toBe(10);
});

test('of many runs that find the same stale lock at once, one gets it', async () => {
  for (let round = 0; round < 20; round += 1) {
    await using folder = await newFolder();
    await writeFile(join(folder.path, 'run.lock'), lockText(7));
    const pids = Array.from({ length: 12 }, (_, index) => 100 + index);
    const outcomes = await Promise.allSettled(pids.map((pid) => acquire(folder.path, machine(pid, pids))));
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled').map((outcome) => outcome.value);
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome): unknown => outcome.reason);
    expect(refusals.every((reason) => reason instanceof ExplainedError && reason.exitCode === 5)).toBe(true);
    expect(winners).toHaveLength(1);
    expect(JSON.parse(await readFile(join(folder.path, 'run.lock'), 'utf8'))).toEqual(winners[0]?.owner);
  }
});

/** The guard that a run makes while it takes over the lock that lockText(7) stands for. */
const guardOver7 = `run.lock.takeover-${createHash('sha256').update('token-7').digest('hex').slice(0, 16)}`;

test('a run that was killed while it took a lock over does not block the next one', async () => {
  await using folder = await newFolder();
  await writeFile(join(folder.path, 'run.lock'), lockText(7));
  await writeFile(join(folder.path, guardOver7), lockText(8));
  await using lock = await acquire(folder.path, machine(10, [10]));
  expect(lock.owner.pid).toBe(10);
  expect(await readdir(folder.path)).toEqual(['run.lock']);
});

test('a stale lock that another run is taking over just now is left to that run', async () => {
  await using folder = await newFolder();
  await writeFile(join(folder.path, 'run.lock'), lockText(7));
  await writeFile(join(folder.path, guardOver7), lockText(20));
  await expect(acquire(folder.path, machine(10, [10, 20]))).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining('process 20') });
  expect(await readFile(join(folder.path, 'run.lock'), 'utf8')).toBe(lockText(7));
});

test('the lock of a process that was really killed is taken over', async () => {
  await using folder = await newFolder();
  const script = `
    const { acquireRunLock } = await import(${JSON.stringify(new URL('../../../src/ops/run-lock.ts', import.meta.url).href)});
    await acquireRunLock(${JSON.stringify(folder.path)}, { clock: { now: () => 0 }, sleep: () => new Promise(() => {}), command: 'submit' });
    console.log('locked');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  await expect(acquireRunLock(folder.path, { clock, sleep: systemSleep, command: 'run' })).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining(`process ${child.pid} `) });
  child.kill('SIGKILL');
  await ended;
  await using lock = await acquireRunLock(folder.path, { clock, sleep: systemSleep, command: 'run' });
  expect(lock.owner.pid).toBe(process.pid);
});

test('of many processes that find the lock of a dead one at once, one gets it, and the others are told who', async () => {
  await using folder = await newFolder();
  await writeFile(join(folder.path, 'run.lock'), JSON.stringify({ ...machine(7, []).self, ...systemProcesses().self, pid: 2 ** 22 + 1, command: 'submit', since: 'then', token: 'dead' }));
  const script = `
    const { acquireRunLock } = await import(${JSON.stringify(new URL('../../../src/ops/run-lock.ts', import.meta.url).href)});
    const { systemSleep } = await import(${JSON.stringify(new URL('../../../src/ops/system.ts', import.meta.url).href)});
    process.stdin.resume();
    await new Promise((begin) => process.stdin.once('data', begin));
    try {
      await acquireRunLock(${JSON.stringify(folder.path)}, { clock: { now: () => 0 }, sleep: systemSleep, command: 'run' });
      console.log('won');
    } catch (refused) {
      console.log(refused.exitCode);
    }
    process.stdin.once('end', () => process.exit(0));`;
  const children = Array.from({ length: 6 }, () => spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['pipe', 'pipe', 'inherit'] }));
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.stdin.write('begin');
  const said = await Promise.all(children.map(async (child) => String((await once(child.stdout, 'data'))[0]).trim()));
  for (const child of children) child.stdin.end();
  await Promise.all(ended);
  expect(said.toSorted()).toEqual(['5', '5', '5', '5', '5', 'won']);
});

/** A share seen by two hosts: the file system's clock and the time that passes are one virtual clock. */
interface Share {
  readonly path: string;
  readonly clock: VirtualClock;
  acquire(host: string, pid: number): Promise<RunLock>;
  /** Lets the time of one renewal pass, and waits until the renewal of that number stands in the file. */
  renewed(beat: number): Promise<void>;
}

/** `clockShift` is how far the file system's clock has jumped. */
async function share(folder: string, clockShift: () => number = () => 0): Promise<Share> {
  const virtual = createVirtualClock(NOW);
  const path = join(folder, 'run.lock');
  let beat: string | undefined;
  // The real file system stamps with the real time: each renewal is stamped anew.
  const fileClock = async (): Promise<number> => {
    await stamp();
    return virtual.now() + clockShift();
  };
  const stamp = async (): Promise<void> => {
    const now = (JSON.parse(await readFile(path, 'utf8')) as LockOwner).beat;
    if (now !== beat) await utimes(path, virtual.now() / 1000, virtual.now() / 1000);
    beat = now;
  };
  return {
    path,
    clock: virtual,
    acquire: async (host, pid) => {
      const lock = await acquireRunLock(folder, { clock: virtual, sleep: virtual.sleep, command: 'run', processes: machine(pid, [pid], { host, machineId: host }), fileClock });
      await stamp();
      return lock;
    },
    renewed: async (wanted) => {
      await expect.poll(() => virtual.slept.filter((ms) => ms === HEARTBEAT_MS).length, { interval: 1 }).toBe(wanted);
      await virtual.advance(HEARTBEAT_MS);
      await expect.poll(async () => Number((JSON.parse(await readFile(path, 'utf8')) as LockOwner).beat), { interval: 1 }).toBe(wanted);
    },
  };
}

test('a run elsewhere that renews its lease keeps the lock for as long as it likes', async () => {
  await using folder = await newFolder();
  const shared = await share(folder.path);
  await using lock = await shared.acquire('day', 10);
  for (let beats = 1; beats * HEARTBEAT_MS <= 2 * LEASE_MS; beats += 1) {
    await shared.renewed(beats);
    await expect(shared.acquire('night', 20)).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining('process 10 on day') });
  }
  expect(shared.clock.slept).not.toContain(WATCH_MS);
  await lock.check();
});

test('a run elsewhere that renews nothing any more loses the lock to the next one, and notices before it sends again', async () => {
  await using folder = await newFolder();
  const { path, clock: virtual } = await share(folder.path);
  const never = (): Promise<void> => new Promise(() => {});
  const suspended = await acquireRunLock(folder.path, { clock: virtual, sleep: never, command: 'run', processes: machine(10, [10], { host: 'day', machineId: 'day' }) });
  await suspended.check();
  await utimes(path, NOW / 1000, NOW / 1000);
  virtual.jumpTo(NOW + LEASE_MS + 1);
  const next = acquireRunLock(folder.path, { clock: virtual, sleep: virtual.sleep, command: 'run', processes: machine(20, [20]), fileClock: async () => virtual.now() });
  await using lock = await virtual.drive(next);
  expect(virtual.slept).toContain(WATCH_MS);
  await lock.check();
  await expect(suspended.check()).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining('process 20 on night') });
  await expect(suspended.check()).rejects.toThrow('This run has lost its lock');
});

test('a file clock that jumps ahead takes no lock from a run that renews it', async () => {
  await using folder = await newFolder();
  let shift = 0;
  const shared = await share(folder.path, () => shift);
  await using lock = await shared.acquire('day', 10);
  shift = 24 * 3_600_000;
  const goOn = async (): Promise<void> => {
    await expect.poll(() => shared.clock.slept, { interval: 1 }).toContain(WATCH_MS);
    for (let beat = 1; beat * HEARTBEAT_MS <= WATCH_MS; beat += 1) await shared.renewed(beat);
  };
  await Promise.all([goOn(), expect(shared.acquire('night', 20)).rejects.toMatchObject({ exitCode: 5 })]);
  await lock.check();
});

test('a process that runs on this machine keeps its lock, whatever the clocks say and however long it was suspended', async () => {
  await using folder = await newFolder();
  const lock = await acquireRunLock(folder.path, { clock, sleep: () => new Promise(() => {}), command: 'run', processes: machine(10, [10]) });
  await utimes(lock.path, 1, 1);
  await expect(acquire(folder.path, machine(20, [10, 20]))).rejects.toMatchObject({ exitCode: 5 });
  await lock.check();
});

test('a lock that somebody has deleted is missed at the next check, and what another has taken since is left alone', async () => {
  await using folder = await newFolder();
  const virtual = createVirtualClock(NOW);
  const lock = await acquireRunLock(folder.path, { clock: virtual, sleep: virtual.sleep, command: 'run', processes: machine(10, [10]) });
  await rm(lock.path);
  await lock.check();
  virtual.jumpTo(NOW + 1_000);
  await expect(lock.check()).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining('is gone') });
  await using other = await acquire(folder.path, machine(20, [20]));
  const before = await readFile(other.path, 'utf8');
  await virtual.advance(HEARTBEAT_MS);
  await lock[Symbol.asyncDispose]();
  expect(await readFile(other.path, 'utf8')).toBe(before);
});

test('by default the age of a lock is told by the clock that stamps its files', async () => {
  await using folder = await newFolder();
  const path = join(folder.path, 'run.lock');
  await writeFile(path, 'garbled');
  const { mtimeMs } = await stat(path);
  await utimes(path, mtimeMs / 1000 - 61, mtimeMs / 1000 - 61);
  await using lock = await acquireRunLock(folder.path, { clock: { now: () => 0 }, sleep: systemSleep, command: 'run' });
  expect(await readdir(folder.path)).toEqual(['run.lock']);
  await lock.check();
});

test('a release leaves the lock of somebody else alone', async () => {
  await using folder = await newFolder();
  const lock = await acquire(folder.path, machine(10, [10]));
  await writeFile(lock.path, lockText(20));
  await lock[Symbol.asyncDispose]();
  await lock[Symbol.asyncDispose]();
  expect(await readFile(lock.path, 'utf8')).toBe(lockText(20));
});
