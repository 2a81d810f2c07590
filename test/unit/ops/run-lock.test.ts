import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { acquireRunLock, type HostIdentity, lockProblem, type RunLock } from '../../../src/ops/run-lock.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const NOW = Date.UTC(2026, 10, 21, 2);
const clock = { now: () => NOW };
const NIGHT: HostIdentity = { host: 'night', machineId: 'm1', bootId: 'b1' };
const newFolder = () => mkdtempDisposable(join(tmpdir(), 'run-lock-'));
const acquire = (dir: string, host: HostIdentity = NIGHT): Promise<RunLock> =>
  acquireRunLock(dir, { clock, command: 'run', host });
const ownerIn = async (dir: string): Promise<object> =>
  JSON.parse(await readFile(join(dir, 'run.lock.json'), 'utf8')) as object;

/** A process of its own that takes the lock of a folder, tells how that went, and keeps what it has until its input ends. */
function anotherProcess(dir: string): {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly ended: Promise<unknown>;
  readonly begin: () => Promise<string>;
} {
  const script = `
    const { acquireRunLock } = await import(${JSON.stringify(new URL('../../../src/ops/run-lock.ts', import.meta.url).href)});
    await new Promise((begin) => process.stdin.once('data', begin));
    process.stdin.once('end', () => process.exit(0));
    globalThis.lock = await acquireRunLock(${JSON.stringify(dir)}, { clock: { now: () => Date.now() }, command: 'submit' }).catch((refused) => refused);
    console.log(globalThis.lock.kind ?? 'won');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    child,
    ended: once(child, 'exit'),
    begin: async () => {
      child.stdin.write('begin');
      return String((await once(child.stdout, 'data'))[0]).trim();
    },
  };
}

describe('acquireRunLock', () => {
  test('a lock records its holder, host, start and release', async () => {
    await using folder = await newFolder();
    {
      await using lock = await acquire(folder.path);
      expect(await ownerIn(folder.path)).toEqual(lock.owner);
      expect(lock.owner).toEqual({
        ...NIGHT,
        pid: process.pid,
        command: 'run',
        since: '2026-11-21T02:00:00.000Z',
        until: null,
      });
      await lock.check('now');
    }
    expect(await ownerIn(folder.path)).toMatchObject({ host: 'night', until: '2026-11-21T02:00:00.000Z' });
    expect((await readdir(folder.path)).toSorted()).toEqual(['run.lock', 'run.lock.json']);
  });

  test('a full disk is reported as such', async (context) => {
    await using folder = await newFolder();
    const inShell = (line: string) => spawnSync('/bin/sh', ['-c', line, folder.path]).status;
    if (inShell('mount -t tmpfs -o size=4k tmpfs "$0"') !== 0)
      return context.skip('skipped: needs a user who may mount a tmpfs');
    try {
      await writeFile(join(folder.path, 'filler'), Buffer.alloc(4096));
      await expect(acquire(folder.path)).rejects.toMatchObject({ code: 'disk-full', kind: 'usage' });
    } finally {
      inShell('umount "$0"');
    }
  });

  test('a second run in the same process is refused', async () => {
    await using folder = await newFolder();
    {
      await using _lock = await acquireRunLock(folder.path, { clock, command: 'submit' });
      for (const _try of [1, 2]) {
        await expect(acquireRunLock(folder.path, { clock, command: 'collect' })).rejects.toMatchObject({
          kind: 'locked',
          message: expect.stringContaining(`\`submit\`, process ${process.pid} on `),
        });
      }
      const other = anotherProcess(folder.path);
      expect(await other.begin()).toBe('locked');
      other.child.stdin.end();
      await other.ended;
    }
    await using again = await acquireRunLock(folder.path, { clock, command: 'collect' });
    expect(again.owner.command).toBe('collect');
  });

  test('a suspended process keeps its lock; a killed one does not', async () => {
    await using folder = await newFolder();
    const holder = anotherProcess(folder.path);
    expect(await holder.begin()).toBe('won');
    const refused = { kind: 'locked', message: expect.stringContaining(`\`submit\`, process ${holder.child.pid} on `) };
    await expect(acquireRunLock(folder.path, { clock, command: 'run' })).rejects.toMatchObject(refused);
    holder.child.kill('SIGSTOP');
    // However long ago it took the lock, by whatever clock.
    await utimes(join(folder.path, 'run.lock'), 1, 1);
    await expect(
      acquireRunLock(folder.path, { clock: { now: () => NOW + 1e12 }, command: 'run' }),
    ).rejects.toMatchObject(refused);
    holder.child.kill('SIGKILL');
    await holder.ended;
    await using lock = await acquireRunLock(folder.path, { clock, command: 'run' });
    expect(lock.owner.pid).toBe(process.pid);
  });

  test('of several processes that start at once, one gets the lock', async () => {
    await using folder = await newFolder();
    const all = Array.from({ length: 3 }, () => anotherProcess(folder.path));
    const said = await Promise.all(all.map(({ begin }) => begin()));
    for (const { child } of all) child.stdin.end();
    await Promise.all(all.map(({ ended }) => ended));
    expect(said.toSorted()).toEqual(['locked', 'locked', 'won']);
  });

  test.each<[string, HostIdentity]>([
    ['another machine', { host: 'day', machineId: 'm2', bootId: 'b2' }],
    ['another machine of the same name', { host: 'night', machineId: 'm2', bootId: 'b2' }],
    ['a host that gives only its name', { host: 'day', machineId: null, bootId: null }],
  ])('a workspace refuses another host until it is moved: %s', async (_what, other) => {
    await using folder = await newFolder();
    await (await acquire(folder.path))[Symbol.asyncDispose]();
    const before = await ownerIn(folder.path);
    const json = join(folder.path, 'run.lock.json');
    await expect(acquire(folder.path, other)).rejects.toMatchObject({
      kind: 'locked',
      code: 'workspace-of-another-host',
      message: expect.stringContaining(' night:'),
      hint: expect.stringContaining(`delete ${json}`),
    });
    expect(await ownerIn(folder.path)).toEqual(before);
    expect(await lockProblem(folder.path, other)).toContain(`delete ${json}`);
    await rm(json);
    await using lock = await acquire(folder.path, other);
    expect(lock.owner.host).toBe(other.host);
  });

  test('two hosts without ids are the same by name alone', async () => {
    await using folder = await newFolder();
    const without = { machineId: null, bootId: null };
    await (await acquire(folder.path, { host: 'night', ...without }))[Symbol.asyncDispose]();
    await expect(acquire(folder.path, { host: 'day', ...without })).rejects.toMatchObject({
      code: 'workspace-of-another-host',
    });
  });

  test.each<[string, HostIdentity]>([
    ['the machine after a restart', { ...NIGHT, bootId: 'b2' }],
    ['the machine under a new name', { ...NIGHT, host: 'evening' }],
    ['a container of it', { host: '3f9c0a', machineId: null, bootId: 'b1' }],
    ['a container with a different id', { host: '3f9c0a', machineId: 'm9', bootId: 'b1' }],
    ['one that has no ids, of the same name', { host: 'night', machineId: null, bootId: null }],
  ])('the same host is known again: %s', async (_what, host) => {
    await using folder = await newFolder();
    await (await acquire(folder.path))[Symbol.asyncDispose]();
    await using lock = await acquire(folder.path, host);
    expect(lock.owner.host).toBe(host.host);
  });

  test.each(['', 'garbled', '{"host":"night"}', '[]'])(
    'takes the lock next to an unreadable owner file: %j',
    async (text) => {
      await using folder = await newFolder();
      await writeFile(join(folder.path, 'run.lock.json'), text);
      await using lock = await acquire(folder.path);
      expect(await ownerIn(folder.path)).toEqual(lock.owner);
    },
  );

  test('check notices a deleted lock file, and a newer lock stays', async () => {
    await using folder = await newFolder();
    const virtual = createVirtualClock(NOW);
    const lock = await acquireRunLock(folder.path, { clock: virtual, command: 'run' });
    await rm(lock.path);
    await lock.check();
    virtual.jumpTo(NOW + 1_000);
    await expect(lock.check()).rejects.toMatchObject({
      kind: 'locked',
      code: 'lock-lost',
    });
    const other = anotherProcess(folder.path);
    expect(await other.begin()).toBe('won');
    await expect(lock.check()).rejects.toMatchObject({
      kind: 'locked',
      message: expect.stringContaining(`process ${other.child.pid} on `),
    });
    await lock[Symbol.asyncDispose]();
    await lock[Symbol.asyncDispose]();
    expect(await ownerIn(folder.path)).toMatchObject({ pid: other.child.pid, until: null });
    await expect(acquireRunLock(folder.path, { clock, command: 'run' })).rejects.toMatchObject({ kind: 'locked' });
    other.child.stdin.end();
    await other.ended;
  });

  test('check looks again at once after the clock was set back', async () => {
    await using folder = await newFolder();
    const virtual = createVirtualClock(NOW);
    await using lock = await acquireRunLock(folder.path, { clock: virtual, command: 'run' });
    await rm(lock.path);
    virtual.jumpTo(NOW - 1);
    await expect(lock.check()).rejects.toMatchObject({ code: 'lock-lost' });
  });

  test('tries locks with a second process and leaves nothing behind', async () => {
    await using folder = await newFolder();
    expect(await lockProblem(folder.path)).toBeNull();
    expect(await readdir(folder.path)).toEqual([]);
    await using _lock = await acquireRunLock(folder.path, { clock, command: 'run' });
    expect(await lockProblem(folder.path)).toBeNull();
    expect(await lockProblem(join(folder.path, 'none'))).toMatch(/^The lock .*tried/);
  });
});
