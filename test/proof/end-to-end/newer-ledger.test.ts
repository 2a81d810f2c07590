import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { submitUntilDone } from '../../end-to-end/repeated-runs.ts';

/** Does to a ledger what the next version of the program may do. */
function makeNewer(path: string): void {
  using database = new DatabaseSync(path);
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  database.exec(
    `CREATE TABLE tomorrow (id INTEGER PRIMARY KEY) STRICT; PRAGMA user_version = ${version + 1}; PRAGMA wal_checkpoint(TRUNCATE)`,
  );
}

test("every command refuses a newer version's ledger and changes nothing", { timeout: 300_000 }, async () => {
  await using sandbox = await startSandboxHere();
  await using elsewhere = await temporaryFolder();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'first.csv': orderCsv(3) } });
  const call = (args: readonly string[]) => callHere([...args, '--workspace', workspace.path]);
  await submitUntilDone(workspace, callHere);
  await writeFile(workspace.at('inbox/second.csv'), orderCsv(3, { series: 2 }));
  const backup = join(elsewhere.path, 'newer.sqlite');
  expect((await call(['backup', '--to', backup])).code).toBe(0);
  makeNewer(backup);
  const [ledger, { creates }] = [() => readFile(workspace.at('state/ledger.sqlite')), await sandbox.audit()];

  // A backup of the newer version is not put in the place of a ledger that this one can read.
  const before = await ledger();
  expect(await call(['recover', '--from', backup])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`The ledger ${backup} was written by a newer version of inspection-batch.\n`),
  });
  expect((await ledger()).equals(before)).toBe(true);
  expect((await readdir(workspace.at('state'))).filter((name) => name.startsWith('replaced'))).toEqual([]);

  makeNewer(workspace.at('state/ledger.sqlite'));
  const newer = await ledger();
  const refusal = `The ledger ${workspace.at('state/ledger.sqlite')} was written by a newer version of inspection-batch.`;
  const commands = [
    ['run'],
    ['submit'],
    ['collect'],
    ['status'],
    ['verify'],
    ['recover'],
    ['backup'],
    ['prune'],
    ['cancel', '100001'],
    ['resolve', '1', '--abandon'],
    ['check', workspace.at('inbox/second.csv')],
  ];
  for (const command of commands)
    expect({ command, ...(await call(command)) }).toMatchObject({
      command,
      code: 2,
      stderr: expect.stringContaining(`${refusal}\nInstall that version`),
    });
  expect(await call(['doctor'])).toMatchObject({ code: 2, stdout: expect.stringContaining(refusal) });
  expect((await ledger()).equals(newer)).toBe(true);
  expect((await sandbox.audit()).creates).toBe(creates);
  expect(await readdir(workspace.inbox)).toEqual(['second.csv']);
});
