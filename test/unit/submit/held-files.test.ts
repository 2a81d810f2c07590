import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256OfFile } from '../../../src/ops/durable-files.ts';
import { ensureWorkspace, type Workspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { releaseApproved, waitingFiles } from '../../../src/submit/hold.ts';
import { type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';

interface Bench extends LedgerBench {
  readonly workspace: Workspace;
  /** Puts a file into held/. */
  hold(name: string, content?: string): Promise<string>;
}

async function openBench(): Promise<Bench> {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  return {
    ...bench,
    workspace,
    hold: async (name, content = name) => {
      const path = join(workspace.held, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
  };
}

async function recordHeld({ ledger }: Bench, path: string, name: string): Promise<void> {
  const hash = await sha256OfFile(path);
  await ledger.recordHeld({ hash, name, heldAs: `held/${name}`, limits: ['maxWrongPercent'], reasons: ['wrong'] });
}

describe('waitingFiles', () => {
  test('lists held files without their pages and approvals', async () => {
    await using bench = await openBench();
    const names = ['a.csv', 'a.csv.txt', 'a.csv.approve', 'notes.txt', 'notes.txt.txt', 'lone.csv.txt', 'smith/b.csv'];
    for (const name of names) await bench.hold(name);
    const waiting = await waitingFiles(bench.workspace);
    expect(waiting.map(({ heldAs, sender }) => [heldAs, sender])).toEqual([
      ['held/a.csv', ''],
      ['held/notes.txt', ''],
      ['held/smith/b.csv', 'smith'],
    ]);
  });
});

describe('releaseApproved', () => {
  test('leaves a file that nobody approved', async () => {
    await using bench = await openBench();
    const path = await bench.hold('a.csv');
    await recordHeld(bench, path, 'a.csv');
    await releaseApproved(bench);
    expect(existsSync(path)).toBe(true);
  });

  test('claims an approved file, and removes its page and approval', async () => {
    await using bench = await openBench();
    const path = await bench.hold('a.csv');
    await recordHeld(bench, path, 'a.csv');
    for (const beside of ['a.csv.txt', 'a.csv.approve']) await bench.hold(beside);
    await releaseApproved(bench);
    expect([await readdir(bench.workspace.held), existsSync(path)]).toEqual([[], false]);
    expect(await readdir(bench.workspace.processing)).not.toEqual([]);
  });

  test('releases content that was approved under another name', async () => {
    await using bench = await openBench();
    const path = await bench.hold('a.csv');
    await bench.ledger.approveContent(await sha256OfFile(path), 'b.csv');
    await releaseApproved(bench);
    expect(existsSync(path)).toBe(false);
  });

  test('removes an approval without its file', async () => {
    await using bench = await openBench();
    const path = await bench.hold('gone.csv.approve');
    await releaseApproved(bench);
    expect(existsSync(path)).toBe(false);
  });

  test('keeps an approval whose name differs from its file in case', async () => {
    await using bench = await openBench();
    await bench.hold('a.csv');
    const approval = await bench.hold('A.csv.approve');
    await releaseApproved(bench);
    expect(existsSync(approval)).toBe(true);
  });
});
