import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { readLedgerMark } from '../../../src/ops/ledger-mark.ts';
import { ensureWorkspace, workspaceAt, type Workspace } from '../../../src/ops/workspace.ts';
import { ledgerCondition, openForRecovery, openGuardedLedger } from '../../../src/upkeep/guarded-ledger.ts';
import { recordOrder } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const ACCOUNT = 'an account';

async function workspaceIn(path: string): Promise<Workspace> {
  const workspace = workspaceAt(path);
  await mkdir(workspace.root);
  await ensureWorkspace(workspace);
  return workspace;
}

/** A workspace after two nights of one order each, and the ledger's copy of the first. */
async function afterTwoNights() {
  const folder = await temporaryFolder();
  const clock = createVirtualClock();
  const workspace = await workspaceIn(join(folder.path, 'workspace'));
  const backup = join(folder.path, 'backup.sqlite');
  const options = { clock, account: ACCOUNT };
  const night = async (at: Workspace, meanwhile: () => Promise<void> = async () => {}) => {
    await clock.advance(1000);
    await using guarded = await openGuardedLedger(at, options);
    await recordOrder(guarded.ledger, { inspectionNumber: `N-${clock.now()}` });
    await meanwhile();
  };
  await night(workspace);
  const mark = await markOf(workspace);
  await cp(ledgerOf(workspace), backup);
  await night(workspace);
  const recover = (from?: string) => openForRecovery(workspace, from, options);
  return { ...folder, clock, workspace, backup, generation: mark.generation, options, night, recover };
}

const ledgerOf = ({ state }: Workspace): string => join(state, 'ledger.sqlite');

async function markOf(workspace: Workspace) {
  const mark = await readLedgerMark(workspace);
  if (mark === null || mark === 'damaged') throw new Error('no mark');
  return mark;
}

/** How many orders the ledger at this path has. */
async function ordersIn(path: string): Promise<number> {
  await using ledger = openSqliteLedger(path, { clock: { now: () => 0 }, account: ACCOUNT });
  return (await ledger.orderCounts()).ready;
}

describe('openForRecovery', () => {
  test('puts a backup in place and keeps the ledger before it', async () => {
    await using b = await afterTwoNights();
    const { kept } = await withRecovered(b.recover(b.backup), async ({ ledger }) => {
      expect((await ledger.orderCounts()).ready).toBe(1);
      expect(await ledger.latestRecovery()).toMatchObject({ oldSince: b.generation, endedAt: null });
    });
    expect(kept).toBe(join(b.workspace.state, 'replaced-1'));
    expect(await ordersIn(join(kept ?? '', 'ledger.sqlite'))).toBe(2);
  });

  test('keeps the ledger before each recovery in another folder', async () => {
    await using b = await afterTwoNights();
    for (const name of ['replaced-1', 'replaced-2'])
      expect((await withRecovered(b.recover(b.backup))).kept).toBe(join(b.workspace.state, name));
    expect(await ordersIn(join(b.workspace.state, 'replaced-1/ledger.sqlite'))).toBe(2);
  });

  test('keeps the latest order of a killed run next to the backup', async () => {
    await using b = await afterTwoNights();
    await b.night(b.workspace, async () => {
      await cp(b.workspace.root, join(b.path, 'killed'), { recursive: true });
    });
    const killed = workspaceAt(join(b.path, 'killed'));
    const { kept } = await withRecovered(openForRecovery(killed, b.backup, b.options), async ({ ledger }) => {
      expect((await ledger.orderCounts()).ready).toBe(1);
    });
    expect(await ordersIn(join(kept ?? '', 'ledger.sqlite'))).toBe(3);
  });

  test.each<[string, (b: Awaited<ReturnType<typeof afterTwoNights>>) => Promise<string>]>([
    ['backup-is-the-ledger', async ({ workspace }) => ledgerOf(workspace)],
    ['backup-not-usable', async ({ path }) => join(path, 'missing.sqlite')],
    [
      'backup-not-usable',
      async ({ backup }) => {
        await truncate(backup, 50_000);
        return backup;
      },
    ],
    [
      'backup-of-another-workspace',
      async ({ path, night }) => {
        const other = await workspaceIn(join(path, 'other'));
        await night(other);
        return ledgerOf(other);
      },
    ],
  ])('says %s and changes nothing', async (code, from) => {
    await using b = await afterTwoNights();
    const named = await from(b);
    const before = await readFile(ledgerOf(b.workspace));
    await expect(b.recover(named)).rejects.toMatchObject({ kind: 'usage', code });
    expect(await readFile(ledgerOf(b.workspace))).toEqual(before);
    expect((await ledgerCondition(b.workspace, 'quick', ACCOUNT)).problem).toBeNull();
  });

  test('moves a damaged ledger away, and begins an empty one', async () => {
    await using b = await afterTwoNights();
    await writeFile(ledgerOf(b.workspace), 'not a ledger\n'.repeat(1000));
    const { kept } = await withRecovered(b.recover(), async ({ ledger }) => {
      expect((await ledger.orderCounts()).ready).toBe(0);
      expect(await ledger.latestRecovery()).toMatchObject({ oldSince: 0 });
    });
    expect(await readFile(join(kept ?? '', 'ledger.sqlite'), 'utf8')).toContain('not a ledger');
  });

  test("moves another ledger's -wal away, and keeps the ledger", async () => {
    await using b = await afterTwoNights();
    await b.night(b.workspace, async () => {
      await cp(b.workspace.root, join(b.path, 'killed'), { recursive: true });
    });
    const killed = workspaceAt(join(b.path, 'killed'));
    await cp(b.backup, ledgerOf(killed));
    const { kept } = await withRecovered(openForRecovery(killed, undefined, b.options), async ({ ledger }) => {
      expect((await ledger.orderCounts()).ready).toBe(1);
    });
    expect(await readdir(kept ?? '')).not.toContain('ledger.sqlite');
  });

  test('puts a backup in place of a ledger, and leaves no -wal', async () => {
    await using b = await afterTwoNights();
    await b.night(b.workspace, async () => {
      await cp(b.workspace.root, join(b.path, 'killed'), { recursive: true });
    });
    const killed = workspaceAt(join(b.path, 'killed'));
    await cp(b.backup, ledgerOf(killed));
    const { kept } = await withRecovered(openForRecovery(killed, b.backup, b.options), async ({ ledger }) => {
      expect((await ledger.orderCounts()).ready).toBe(1);
    });
    expect(await readdir(kept ?? '')).toContain('ledger.sqlite-wal');
    expect((await ledgerCondition(killed, 'whole', ACCOUNT)).problem?.kind).toBe('unfinished');
  });

  test('begins after the lost ledger, even if the clock went back', async () => {
    await using b = await afterTwoNights();
    const before = (await markOf(b.workspace)).generation;
    await rm(ledgerOf(b.workspace));
    await withRecovered(openForRecovery(b.workspace, undefined, { clock: { now: () => 0 }, account: ACCOUNT }));
    expect((await markOf(b.workspace)).generation).toBeGreaterThan(before);
  });

  test('refuses the ledger of another workspace', async () => {
    await using b = await afterTwoNights();
    const other = await workspaceIn(join(b.path, 'other'));
    await b.night(other);
    await cp(ledgerOf(other), ledgerOf(b.workspace));
    await expect(b.recover()).rejects.toMatchObject({ code: 'ledger-foreign' });
  });
});

type Recovered = Awaited<ReturnType<typeof openForRecovery>>;

async function withRecovered(opening: Promise<Recovered>, look: (opened: Recovered) => Promise<void> = async () => {}) {
  await using opened = await opening;
  await look(opened);
  return { kept: opened.kept };
}

describe('openGuardedLedger', () => {
  test('notes in the workspace how it left the ledger', async () => {
    await using b = await afterTwoNights();
    expect((await markOf(b.workspace)).closed).not.toBeNull();
  });
});
