import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ExplainedError } from '../domain/errors.ts';
import type { ProcessIdentity, ProcessTable } from './process-identity.ts';
import { acquireRunLock, type LockOwner, type RunLock } from './run-lock.ts';

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

const acquire = (dir: string, processes: ProcessTable): Promise<RunLock> => acquireRunLock(dir, { clock, command: 'run', processes });

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
  await using _lock = await acquireRunLock(folder.path, { clock, command: 'submit' });
  await expect(acquireRunLock(folder.path, { clock, command: 'collect' })).rejects.toMatchObject({
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
    const { acquireRunLock } = await import(${JSON.stringify(new URL('run-lock.ts', import.meta.url).href)});
    await acquireRunLock(${JSON.stringify(folder.path)}, { clock: { now: () => 0 }, command: 'submit' });
    console.log('locked');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  await expect(acquireRunLock(folder.path, { clock, command: 'run' })).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining(`process ${child.pid} `) });
  child.kill('SIGKILL');
  await ended;
  await using lock = await acquireRunLock(folder.path, { clock, command: 'run' });
  expect(lock.owner.pid).toBe(process.pid);
});

test('a release leaves the lock of somebody else alone', async () => {
  await using folder = await newFolder();
  const lock = await acquire(folder.path, machine(10, [10]));
  await writeFile(lock.path, lockText(20));
  await lock[Symbol.asyncDispose]();
  await lock[Symbol.asyncDispose]();
  expect(await readFile(lock.path, 'utf8')).toBe(lockText(20));
});
