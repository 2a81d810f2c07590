import { cp, mkdir, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { LEDGER_MARK, readLedgerMark } from '../../../src/ops/ledger-mark.ts';
import { ensureWorkspace, workspaceAt, type Workspace } from '../../../src/ops/workspace.ts';
import { ledgerCondition, openForRecovery, openGuardedLedger } from '../../../src/upkeep/guarded-ledger.ts';
import { recordOrder } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const clock = createVirtualClock();
const ACCOUNT = 'an account';

async function bed() {
  const folder = await temporaryFolder();
  const workspace = workspaceAt(join(folder.path, 'workspace'));
  await mkdir(workspace.root);
  await ensureWorkspace(workspace);
  return { ...folder, workspace, at: (name: string) => join(folder.path, name) };
}

let nights = 0;

/** A run that puts orders on record, and does `meanwhile` before it ends. */
async function night(workspace: Workspace, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
  await using guarded = await openGuardedLedger(workspace, { clock, account: ACCOUNT });
  nights += 1;
  await guarded.ledger.startRun(`run ${nights}`, 'run');
  await recordOrder(guarded.ledger, { inspectionNumber: `N-${nights}` });
  await meanwhile();
  await clock.advance(1000);
}

async function problemIn(workspace: Workspace): Promise<string | undefined> {
  return (await ledgerCondition(workspace, 'quick unless closed', ACCOUNT)).problem?.kind;
}

const ledgerOf = ({ state }: Workspace): string => join(state, 'ledger.sqlite');

describe('ledgerCondition', () => {
  test('a fresh workspace opens every night', async () => {
    await using b = await bed();
    expect(await problemIn(b.workspace)).toBeUndefined();
    for (let count = 0; count < 3; count += 1) {
      await night(b.workspace);
      expect(await problemIn(b.workspace)).toBeUndefined();
    }
  });

  test('a ledger of an earlier version is taken over quietly', async () => {
    await using b = await bed();
    {
      await using old = openSqliteLedger(ledgerOf(b.workspace), { clock, account: ACCOUNT });
      await old.startRun('an old run', 'run');
      await recordOrder(old, { inspectionNumber: 'OLD' });
    }
    await writeFile(join(b.workspace.archive, 'old.csv'), 'x');
    for (let count = 0; count < 2; count += 1) {
      await night(b.workspace);
      expect(await problemIn(b.workspace)).toBeUndefined();
    }
  });

  test('no run opens a ledger before the recovery of its account ends', async () => {
    await using b = await bed();
    const options = { clock, account: ACCOUNT };
    await night(b.workspace);
    {
      await using _killed = await openForRecovery(b.workspace, undefined, options);
    }
    expect(await problemIn(b.workspace)).toBe('unfinished');
    await expect(openGuardedLedger(b.workspace, options)).rejects.toMatchObject({ code: 'ledger-unfinished' });
    expect((await ledgerCondition(b.workspace, 'quick', 'another account')).problem).toBeNull();
    {
      await using again = await openForRecovery(b.workspace, undefined, options);
      await again.ledger.endRecovery();
    }
    expect(await problemIn(b.workspace)).toBeUndefined();
  });

  test('a killed run leaves the latest ledger', async () => {
    await using b = await bed();
    await night(b.workspace);
    await night(b.workspace, async () => {
      const killed = workspaceAt(b.at('killed'));
      await cp(b.workspace.root, killed.root, { recursive: true });
      expect(await problemIn(killed)).toBeUndefined();
      // Killed after the ledger's commit, and before the workspace knew.
      const mark = await readLedgerMark(killed);
      if (mark === null || mark === 'damaged') throw new Error('no mark');
      await writeFile(join(killed.root, LEDGER_MARK), JSON.stringify({ ...mark, generation: mark.generation - 1 }));
      expect(await problemIn(killed)).toBeUndefined();
      await night(killed);
    });
  });

  const swaps: readonly [string, (b: Awaited<ReturnType<typeof bed>>) => Promise<void>, string][] = [
    [
      'its ledger of the night before',
      async ({ workspace, at }) => cp(at('backup/ledger.sqlite'), ledgerOf(workspace)),
      'older',
    ],
    [
      'all of state/ of the night before',
      async ({ workspace, at }) => {
        await rm(workspace.state, { recursive: true });
        await cp(at('backup'), workspace.state, { recursive: true });
      },
      'older',
    ],
    ['no ledger', async ({ workspace }) => rm(ledgerOf(workspace)), 'missing'],
    ['no state/', async ({ workspace }) => rm(workspace.state, { recursive: true }), 'missing'],
    ['an empty ledger', async ({ workspace }) => truncate(ledgerOf(workspace)), 'empty'],
    [
      'a new ledger',
      async ({ workspace }) => {
        await rm(ledgerOf(workspace));
        await openSqliteLedger(ledgerOf(workspace), { clock, account: ACCOUNT })[Symbol.asyncDispose]();
      },
      'older',
    ],
    ['a ledger that is cut off', async ({ workspace }) => truncate(ledgerOf(workspace), 50_000), 'damaged'],
    ['a ledger with a torn page', async ({ workspace }) => overwrite(ledgerOf(workspace), 4096 * 3, 4096), 'damaged'],
    [
      'a text in its place',
      async ({ workspace }) => writeFile(ledgerOf(workspace), 'not a ledger\n'.repeat(1000)),
      'damaged',
    ],
    [
      'the ledger of another workspace',
      async ({ workspace, at }) => {
        const other = workspaceAt(at('other'));
        await mkdir(other.root);
        await ensureWorkspace(other);
        await night(other);
        await cp(ledgerOf(other), ledgerOf(workspace));
      },
      'foreign',
    ],
    ['no mark', async ({ workspace }) => rm(join(workspace.root, LEDGER_MARK)), 'unmarked'],
    [
      'a mark that cannot be read',
      async ({ workspace }) => writeFile(join(workspace.root, LEDGER_MARK), '{"work'),
      'unmarked',
    ],
  ];

  test.each(swaps)('a workspace with %s sends nothing, and says so', async (_what, swap, kind) => {
    await using b = await bed();
    await night(b.workspace);
    await cp(b.workspace.state, b.at('backup'), { recursive: true });
    await night(b.workspace);
    await swap(b);
    expect(await problemIn(b.workspace)).toBe(kind);
    await expect(openGuardedLedger(b.workspace, { clock, account: ACCOUNT })).rejects.toMatchObject({
      kind: 'usage',
      hint: expect.stringContaining('inspection-batch recover'),
    });
    expect(await problemIn(b.workspace)).toBe(kind);
  });

  async function overwrite(path: string, position: number, bytes: number): Promise<void> {
    await using file = await open(path, 'r+');
    await file.write(Buffer.alloc(bytes, 0xa5), 0, bytes, position);
  }

  test("an earlier version's workspace without state/ gets a hint", async () => {
    await using b = await bed();
    expect(await problemIn(b.workspace)).toBeUndefined();
    await mkdir(join(b.workspace.archive, '2026/11/03'), { recursive: true });
    await writeFile(join(b.workspace.archive, '2026/11/03/orders.csv'), 'x');
    expect(await problemIn(b.workspace)).toBe('missing');
  });

  test("a ledger without its -wal is older; another's -wal is refused", async () => {
    await using b = await bed();
    await night(b.workspace);
    await cp(ledgerOf(b.workspace), b.at('backup.sqlite'));
    await night(b.workspace);
    await night(b.workspace, async () => cp(b.workspace.root, b.at('killed'), { recursive: true }));
    const killed = workspaceAt(b.at('killed'));
    await cp(killed.root, b.at('without'), { recursive: true });
    const without = workspaceAt(b.at('without'));
    await rm(`${ledgerOf(without)}-wal`);
    expect(await problemIn(without)).toBe('older');
    expect((await ledgerCondition(without, 'header')).problem?.message).toContain('-wal');
    await cp(b.at('backup.sqlite'), ledgerOf(killed));
    const before = await readFile(ledgerOf(killed));
    expect(await problemIn(killed)).toBe('mixed');
    expect(await readFile(ledgerOf(killed))).toEqual(before);
  });

  test('a copy made during a run is older than its end', async () => {
    await using b = await bed();
    {
      await using guarded = await openGuardedLedger(b.workspace, { clock, account: ACCOUNT });
      await recordOrder(guarded.ledger, { inspectionNumber: 'before' });
      await cp(b.workspace.state, b.at('copy'), { recursive: true });
      await guarded.ledger.noteStep('order', '1', 'something happened');
    }
    await rm(b.workspace.state, { recursive: true });
    await cp(b.at('copy'), b.workspace.state, { recursive: true });
    expect(await problemIn(b.workspace)).toBe('older');
  });
});
