import fsPromises, { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { publishFolder } from '../../../src/ops/durable-files.ts';
import { fileProblem } from '../../../src/ops/stored-files.ts';
import { ensureWorkspace, type Workspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { finishInterrupted } from '../../../src/submit/finish-interrupted.ts';
import { takeInInbox, type TakeInContext } from '../../../src/submit/take-in.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { type LedgerBench, openLedgerBench, takeInContext } from '../../support/run-bench.ts';

const DAY = 24 * 60 * 60 * 1000;

function contextOf(bench: LedgerBench, changes?: Partial<TakeInContext>): TakeInContext {
  return takeInContext(bench, workspaceAt(bench.folder), changes);
}

/** A workspace in which a run was killed right before this verb of the ledger. */
async function killedBefore(
  verb: keyof Ledger,
  name = 'Smith/orders.csv',
): Promise<LedgerBench & { readonly workspace: Workspace }> {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  await mkdir(dirname(join(workspace.inbox, name)), { recursive: true });
  await writeFile(join(workspace.inbox, name), orderCsv(2));
  const crash = new Error('killed');
  await expect(
    takeInInbox(contextOf(bench, { ledger: { ...bench.ledger, [verb]: () => Promise.reject(crash) } })),
  ).rejects.toBe(crash);
  return { ...bench, workspace };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

/** Everything is where it belongs, and on record as that. */
async function expectArchived(
  { ledger, workspace }: { readonly ledger: Ledger; readonly workspace: Workspace },
  archived: readonly string[],
): Promise<void> {
  expect(await ledger.filesToArchive()).toEqual([]);
  for await (const { file } of ledger.countedFiles())
    expect(await fileProblem(join(workspace.root, file.archivedAs ?? ''), { sha256: file.hash })).toBeNull();
  expect([
    await filesIn(workspace.archive),
    await filesIn(workspace.processing),
    await filesIn(join(workspace.state, 'snapshots')),
  ]).toEqual([archived, [], []]);
}

/** `before` is done before each removal among the deliveries. */
async function finishWhileRemoving(
  bench: LedgerBench & { readonly workspace: Workspace },
  before: () => Promise<void>,
): Promise<void> {
  const original = fsPromises.rm;
  fsPromises.rm = async (path, options) => {
    if (String(path).startsWith(bench.workspace.deliveries)) await before();
    await original(path, options);
  };
  syncBuiltinESMExports();
  try {
    await finishInterrupted(contextOf(bench));
  } finally {
    fsPromises.rm = original;
    syncBuiltinESMExports();
  }
}

const ARCHIVED = '2026/03/05/Smith/orders.csv';

test.each([0, 1, 40])('records an archived file %i days after a kill', async (days) => {
  await using bench = await killedBefore('markArchived');
  expect(await filesIn(bench.workspace.archive)).toEqual([ARCHIVED]);
  await bench.clock.advance(days * DAY);
  await finishInterrupted(contextOf(bench));
  await expectArchived(bench, [ARCHIVED]);
  expect((await takeInInbox(contextOf(bench))).files).toEqual([]);
});

test('records the second file of one name among others', async () => {
  await using bench = await killedBefore('markArchived');
  await rm(join(bench.workspace.archive, ARCHIVED));
  await writeFile(join(bench.workspace.archive, ARCHIVED), 'another of that name');
  await writeFile(join(bench.workspace.archive, '2026/03/05/Smith/orders (2).csv'), orderCsv(2));
  await finishInterrupted(contextOf(bench));
  expect((await Array.fromAsync(bench.ledger.countedFiles())).map(({ file }) => file.archivedAs)).toEqual([
    'archive/2026/03/05/Smith/orders (2).csv',
  ]);
  await expectArchived(bench, ['2026/03/05/Smith/orders (2).csv', ARCHIVED]);
});

test('leaves a file in processing to the intake, archived once', async () => {
  await using bench = await killedBefore('correctionsOf');
  await finishInterrupted(contextOf(bench));
  expect(await filesIn(bench.workspace.processing)).toEqual(['Smith/orders.csv']);
  await takeInInbox(contextOf(bench));
  await expectArchived(bench, [ARCHIVED]);
});

test('archives the snapshot if nothing else of the original is left', async () => {
  await using bench = await killedBefore('correctionsOf');
  await rm(join(bench.workspace.processing, 'Smith/orders.csv'));
  await bench.clock.advance(DAY);
  await finishInterrupted(contextOf(bench));
  await expectArchived(bench, ['2026/03/06/Smith/orders.csv']);
  expect(await readFile(join(bench.workspace.archive, '2026/03/06/Smith/orders.csv'), 'utf8')).toBe(orderCsv(2));
});

// The ledger before it may have needed it.
test('keeps every snapshot during recovery of an old ledger', async () => {
  await using bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  const snapshots = join(workspace.state, 'snapshots');
  await mkdir(snapshots, { recursive: true });
  await writeFile(join(snapshots, `${'a'.repeat(64)}.csv`), orderCsv(1));
  await bench.ledger.beginRecovery(0);
  await finishInterrupted(contextOf(bench));
  expect(await filesIn(snapshots)).toHaveLength(1);
  await bench.ledger.endRecovery();
  await finishInterrupted(contextOf(bench));
  expect(await filesIn(snapshots)).toEqual([]);
});

test('clears partial files and deliveries, and keeps everything else', async () => {
  await using bench = await killedBefore('markArchived');
  const { root, deliveries, processing } = bench.workspace;
  for (const path of [
    'deliveries/.run-1.partial/reports/a.pdf',
    'deliveries/.run-2.partial',
    'processing/.a.csv.0123456789ab.partial',
    'held/Smith/.b.csv.0123456789ab.partial',
    'archive/2026/03/05/Smith/.orders.csv.0123456789ab.partial',
    `state/snapshots/${'a'.repeat(64)}.csv`,
    'state/snapshots/.taking.0123456789ab.partial',
    `state/corrections/.${'a'.repeat(64)}.xlsx.0123456789ab.partial`,
    'deliveries/run-0/report.html',
    'deliveries/notes.partial',
  ]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), 'half');
  }
  await link(join(root, 'deliveries/notes.partial'), join(processing, 'orders.partial'));
  await finishInterrupted(contextOf(bench));
  expect(await filesIn(deliveries)).toEqual(['notes.partial', 'run-0/report.html']);
  expect([
    await filesIn(processing),
    await filesIn(join(root, 'held')),
    await filesIn(join(root, 'state/snapshots')),
    await filesIn(join(root, 'state/corrections')),
    await filesIn(bench.workspace.archive),
  ]).toEqual([['orders.partial'], [], [], [], [ARCHIVED]]);
});

test('takes away the partial delivery of a host that lost its place', async () => {
  await using bench = await killedBefore('markArchived');
  const { deliveries } = bench.workspace;
  const published: unknown[] = [];
  const another = publishFolder(
    join(deliveries, 'run-1'),
    (dir) => writeFile(join(dir, 'report.html'), 'old'),
    async () => {
      // The frozen host wakes while the removal is under way.
      await finishWhileRemoving(
        bench,
        async () =>
          void published.push(
            await readdir(join(deliveries, '.run-1.partial')).catch((failure: NodeJS.ErrnoException) => failure.code),
          ),
      );
    },
  );
  await expect(another).rejects.toMatchObject({ code: 'ENOENT' });
  expect([published, await readdir(deliveries)]).toEqual([['ENOENT'], []]);
});

test('postpones a leftover that cannot be removed to another night', async () => {
  await using bench = await killedBefore('markArchived');
  const { deliveries } = bench.workspace;
  await mkdir(join(deliveries, '.run-1.partial/reports'), { recursive: true });
  await finishWhileRemoving(bench, () =>
    Promise.reject(Object.assign(new Error('another host writes there'), { code: 'ENOTEMPTY' })),
  );
  await expectArchived(bench, [ARCHIVED]);
  expect(await readdir(deliveries)).toEqual([expect.stringMatching(/^\.doomed\.\w+\.partial$/)]);
  await finishInterrupted(contextOf(bench));
  expect(await readdir(deliveries)).toEqual([]);
});
