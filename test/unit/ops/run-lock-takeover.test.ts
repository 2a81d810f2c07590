import fsPromises, { mkdtempDisposable, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { acquireRunLock } from '../../../src/ops/run-lock.ts';
import { systemSleep } from '../../../src/ops/system.ts';

const { open } = fsPromises;

afterEach(() => {
  fsPromises.open = open;
  syncBuiltinESMExports();
});

/** Does something to the lock right after it was created, before it is opened for renewal. */
function meanwhile(lock: string, work: () => Promise<unknown>): void {
  fsPromises.open = async (path, flags, mode) => {
    if (path === lock && flags === 'r+') await work();
    return open(path, flags, mode);
  };
  syncBuiltinESMExports();
}

test.each(['gone', 'taken'])('a lock that is %s again before its first renewal: exit code 5, and what another has taken is left alone', async (how) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'takeover-'));
  const lock = join(folder.path, 'run.lock');
  let another = '';
  meanwhile(lock, async () => {
    const own = await readFile(lock, 'utf8');
    await rm(lock);
    if (how === 'gone') return;
    another = JSON.stringify({ ...(JSON.parse(own) as object), token: 'x', command: 'another run with a name that is longer' });
    await writeFile(lock, another);
  });
  await expect(acquireRunLock(folder.path, { clock: { now: () => 0 }, sleep: systemSleep, command: 'run' })).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining('lost its lock') });
  expect(await readFile(lock, 'utf8').catch(() => '')).toBe(another);
});
