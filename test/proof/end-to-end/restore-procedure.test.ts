import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { oneDocument, PACKAGE_ROOT } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { expectEachOrderedOnce, submitUntilDone } from '../../end-to-end/repeated-runs.ts';

/** The commands of a chapter, as a person copies them. */
async function commandsIn(chapter: string): Promise<readonly (readonly string[])[]> {
  const page = await readFile(join(PACKAGE_ROOT, 'docs/backup-and-recovery.md'), 'utf8');
  const text = page.split(/^## /m).find((part) => part.startsWith(`${chapter}\n`)) ?? '';
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .map((line) => line.replace(/^inspection-batch /, '').split(' '));
}

test('recover restores a lost ledger by the documented commands', { timeout: 300_000 }, async () => {
  const [backup = [], recover = [], verify = [], ...more] = await commandsIn('Back up, restore, recover');
  expect([backup[0], recover[0], verify[0], more]).toEqual(['backup', 'recover', 'verify', []]);
  await using sandbox = await startSandboxHere();
  await using elsewhere = await temporaryFolder();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, config: 'submit:\n  quarantineSeconds: 1\n' });
  const call = (args: readonly string[]) => callHere([...args, '--workspace', workspace.path]);
  const drop = (series: number) => writeFile(workspace.at('inbox', `${series}.csv`), orderCsv(6, { series }));
  await drop(1);
  await submitUntilDone(workspace, callHere);
  expect(await call(backup.map((arg) => arg.replace('/mnt/backup', elsewhere.path)))).toMatchObject({ code: 0 });
  const [copy = ''] = await readdir(elsewhere.path);
  await drop(2);
  await submitUntilDone(workspace, callHere);
  await rm(workspace.at('state'), { recursive: true });
  expect((await call(['run'])).code).toBe(2);
  expect(
    (await call(recover.map((arg) => (arg.startsWith('/mnt/backup') ? join(elsewhere.path, copy) : arg)))).code,
  ).toBe(0);
  expect(await call(verify)).toMatchObject({ code: 0 });
  await drop(3);
  await submitUntilDone(workspace, callHere);
  expect(await expectEachOrderedOnce(workspace, sandbox)).toHaveLength(18);
});

test('backup writes a whole ledger, replaces nothing, and never into state/', { timeout: 300_000 }, async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(6) } });
  const call = (...args: readonly string[]) => callHere([...args, '--json', '--workspace', workspace.path]);
  expect((await call('backup')).code).toBe(2);
  await submitUntilDone(workspace, callHere);
  const made = await call('backup');
  expect(oneDocument(made)).toMatchObject({ orders: 6, projects: 6, files: 1 });
  const { file } = oneDocument(made) as { file: string };
  expect(file).toMatch(/^backups\/ledger-\d{8}-\d{6}\.sqlite$/);
  expect(await readdir(workspace.at('backups'))).toEqual([file.replace('backups/', '')]);
  expect((await call('backup', '--to', workspace.at(file))).code).toBe(2);
  // A disk that is not mounted: what stands for its folder is made, and never becomes a file.
  expect(oneDocument(await call('backup', '--to', workspace.at('disk/copies')))).toMatchObject({
    file: expect.stringMatching(/^disk\/copies\/ledger-\d{8}-\d{6}\.sqlite$/) as string,
  });
  expect((await call('backup', '--to', workspace.at('config.yaml'))).code).toBe(2);
  expect((await call('backup', '--to', workspace.at('disk/one.sqlite'))).code).toBe(0);
  expect((await call('backup', '--to', workspace.at('state/copy.sqlite'))).code).toBe(2);
  // A backup that is as far as its workspace needs no recovery.
  await cp(workspace.at(file), workspace.at('state/ledger.sqlite'));
  expect((await call('submit')).code).toBe(0);
  // One that is damaged is not put back.
  await writeFile(workspace.at('broken.sqlite'), (await readFile(workspace.at(file))).fill(0xa5, 8192, 20_000));
  expect(await call('recover', '--from', workspace.at('broken.sqlite'))).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('Nothing was changed'),
  });
  expect((await call('submit')).code).toBe(0);
});
