import { execFile } from 'node:child_process';
import { cp, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { type Ended, runToEnd } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { inProof, inTurn } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { expectEachOrderedOnce, submitUntilDone } from '../../end-to-end/repeated-runs.ts';

const run = promisify(execFile);
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;
/** Kilobytes; in a share two of them each day. */
const ROOM_LEFT = inTurn([0, 200, 500, 1500], 2);

/** A disk of a few megabytes; null where this user may not mount one. */
async function smallDisk(path: string): Promise<AsyncDisposable | null> {
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', path]).then(
    () => true,
    () => false,
  );
  return mounted ? { [Symbol.asyncDispose]: async () => void (await run('umount', [path])) } : null;
}

/** Fills the disk but for so many kilobytes. */
async function fillBut(kilobytes: number, root: string): Promise<void> {
  await rm(join(root, 'filler'), { force: true });
  const { bavail, bsize } = await statfs(root);
  await writeFile(join(root, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - kilobytes * 1024)));
}

/** A night on a disk that is nearly full ends well, or says that the disk is full; never as a fault of the program. */
function wasFull({ code, stderr }: Ended): boolean {
  const isFull = code === 2 && stderr.includes('The disk is full');
  expect([isFull || [0, 3, 4].includes(code ?? 1), code, stderr]).toEqual([true, code, stderr]);
  return isFull;
}

test('submit and collect end with 2 on a full disk, losing nothing', { timeout: 900_000 }, async (context) => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, 'disk');
  await mkdir(root);
  await using disk = await smallDisk(root);
  if (disk === null) return context.skip('skipped: needs a user who may mount a tmpfs');
  await using sandbox = await startSandboxHere();
  await using made = await temporaryWorkspace({
    env: sandbox.lines,
    config: 'submit:\n  quarantineSeconds: 1\nresults:\n  thumbnailsPerProject: 0\ncollect:\n  images: none\n',
  });
  await cp(made.path, root, { recursive: true });
  const workspace: TemporaryWorkspace = {
    ...made,
    path: root,
    inbox: join(root, 'inbox'),
    at: (...parts) => join(root, ...parts),
  };
  const call = (command: string): Promise<Ended> => runToEnd([command, '--workspace', root]);
  let full = 0;
  for (const [series, kilobytes] of ROOM_LEFT.entries()) {
    await fillBut(kilobytes + 40, root);
    await writeFile(join(workspace.inbox, `${series}.csv`), orderCsv(9, { series }));
    await fillBut(kilobytes, root);
    if (wasFull(await call('submit'))) full += 1;
    await sandbox.advance(FIFTEEN_DAYS_S);
    await fillBut(kilobytes, root);
    if (wasFull(await call('collect'))) full += 1;
    await rm(join(root, 'filler'));
    await submitUntilDone(workspace, callHere);
  }
  expect(full).toBeGreaterThan(inProof({ share: 0, whole: 2 }));
  expect((await call('collect')).code).toBe(0);
  expect(await expectEachOrderedOnce(workspace, sandbox)).toHaveLength(9 * ROOM_LEFT.length);
  expect(await callHere(['verify', '--workspace', root])).toMatchObject({ code: 0 });
});
