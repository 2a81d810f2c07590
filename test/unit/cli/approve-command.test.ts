import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { approveFileCommand } from '../../../src/cli/resolve-command.ts';
import { sha256OfFile } from '../../../src/ops/durable-files.ts';
import { systemClock } from '../../../src/ops/system.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { openGuardedLedger } from '../../../src/upkeep/guarded-ledger.ts';
import { recordOrder } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A workspace with files in held/, each with its page, held for the limits. */
async function holding(files: Readonly<Record<string, readonly string[]>>) {
  const folder = await temporaryFolder();
  const workspace = workspaceAt(folder.path);
  await ensureWorkspace(workspace);
  await using guarded = await openGuardedLedger(workspace, { clock: systemClock, account: 'an account' });
  const { ledger } = guarded;
  await recordOrder(ledger, { inspectionNumber: 'A-1' });
  const at = (path: string) => join(folder.path, path);
  for (const [name, limits] of Object.entries(files)) {
    await mkdir(dirname(at(`held/${name}`)), { recursive: true });
    await writeFile(at(`held/${name}`), name);
    await writeFile(at(`held/${name}.txt`), 'why');
    const hash = await sha256OfFile(at(`held/${name}`));
    await ledger.recordHeld({ hash, name, limits, reasons: ['Too many rows.'], heldAs: `held/${name}` });
  }
  const isThere = (path: string) => existsSync(at(path));
  return { ...folder, isThere, approve: (file: string) => approveFileCommand(file, folder.path) };
}

describe('approveFileCommand', () => {
  test("returns a file to its sender's inbox folder, without its page", async () => {
    await using b = await holding({ 'smith/a.csv': ['maxRows'] });
    expect((await b.approve('a.csv')).json).toMatchObject({ file: 'smith/a.csv', movedTo: 'inbox/smith/a.csv' });
    expect(['inbox/smith/a.csv', 'held/smith/a.csv', 'held/smith/a.csv.txt'].map(b.isThere)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('asks which of two files a name means, and takes a path', async () => {
    await using b = await holding({ 'smith/a.csv': ['maxRows'], 'jones/a.csv': ['maxRows'] });
    await expect(b.approve('a.csv')).rejects.toMatchObject({ code: 'file-name-ambiguous' });
    expect((await b.approve('held/jones/a.csv')).json).toMatchObject({ file: 'jones/a.csv' });
    expect(b.isThere('held/smith/a.csv')).toBe(true);
  });

  test('takes a path before the same name of another file', async () => {
    await using b = await holding({ 'a.csv': ['maxRows'], 'held/a.csv': ['maxRows'] });
    expect((await b.approve('held/a.csv')).json).toMatchObject({ file: 'a.csv' });
  });

  test.each([
    ['another.csv', 'file-not-held'],
    ['asked.csv', 'file-waits-for-answer'],
  ])('says of %s: %s', async (file, code) => {
    await using b = await holding({ 'asked.csv': ['newLayout'] });
    await expect(b.approve(file)).rejects.toMatchObject({ code });
    expect(b.isThere('held/asked.csv')).toBe(true);
  });
});
