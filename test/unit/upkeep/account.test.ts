import { createHash } from 'node:crypto';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ServiceAccount, serviceAccount } from '../../../src/domain/service-account.ts';
import { readLedgerMark } from '../../../src/ops/ledger-mark.ts';
import { ensureWorkspace, workspaceAt, type Workspace } from '../../../src/ops/workspace.ts';
import { type AccountAnswer, answerForAccount } from '../../../src/upkeep/answer-for-account.ts';
import {
  inspectLedger,
  ledgerCondition,
  openForRecovery,
  openGuardedLedger,
} from '../../../src/upkeep/guarded-ledger.ts';
import { orderPayload, recordOrder } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const clock = createVirtualClock();
const named = (username: string, address = 'https://api.example.com'): ServiceAccount =>
  serviceAccount(new URL(address), 'client', username);
const ANN = named('ann');
const BOB = named('bob');

async function bed() {
  const folder = await temporaryFolder();
  const workspace = workspaceAt(join(folder.path, 'workspace'));
  await mkdir(workspace.root);
  await ensureWorkspace(workspace);
  return { ...folder, workspace, at: (name: string) => join(folder.path, name) };
}

let nights = 0;

/** A run that puts an order on record, and how many orders it saw before. */
async function night(workspace: Workspace, account: ServiceAccount | string): Promise<number> {
  await using guarded = await openGuardedLedger(workspace, { clock, account });
  const { ready } = await guarded.ledger.orderCounts();
  nights += 1;
  await guarded.ledger.startRun(`run ${nights}`, 'run');
  await recordOrder(guarded.ledger, { inspectionNumber: `N-${nights}` });
  await clock.advance(1000);
  return ready;
}

const ledgerOf = ({ state }: Workspace): string => join(state, 'ledger.sqlite');
const answer = (workspace: Workspace, account: ServiceAccount, said: AccountAnswer): Promise<boolean> =>
  answerForAccount(workspace, { clock, account }, said);
const problemOf = async (workspace: Workspace, account: ServiceAccount): Promise<string | undefined> =>
  (await ledgerCondition(workspace, 'quick', account)).problem?.kind;

/** The key under which earlier versions kept an account. */
const earlierKey = (origin: string): string =>
  createHash('sha256')
    .update(JSON.stringify([origin, 'client', 'ann']))
    .digest('hex')
    .slice(0, 16);

test('serviceAccount distinguishes ports, except on this machine, and case', () => {
  const keys = (...addresses: readonly string[]) => new Set(addresses.map((address) => named('ann', address).key)).size;
  expect(keys('http://127.0.0.1:4001', 'http://127.0.0.1:4002/', 'http://127.0.0.1')).toBe(1);
  expect(keys('https://A.example.com:443', 'https://a.example.com/', 'https://a.example.com:444')).toBe(2);
  expect(named('Ann').key).not.toBe(ANN.key);
  expect(ANN.key).toBe(earlierKey('https://api.example.com'));
});

test('openGuardedLedger asks nothing before the first records', async () => {
  await using b = await bed();
  {
    await using guarded = await openGuardedLedger(b.workspace, { clock, account: named('misspelt') });
    await guarded.ledger.startRun('failed', 'run');
  }
  expect(await problemOf(b.workspace, ANN)).toBeUndefined();
  expect([await night(b.workspace, ANN), await night(b.workspace, ANN)]).toEqual([0, 1]);
  expect(await problemOf(b.workspace, named('misspelt'))).toBe('another-account');
});

test('answerForAccount: one service under two names has one set of records', async () => {
  await using b = await bed();
  await night(b.workspace, ANN);
  await expect(night(b.workspace, BOB)).rejects.toMatchObject({ kind: 'usage', code: 'another-account' });
  expect(await answer(b.workspace, BOB, 'same')).toBe(true);
  expect(await answer(b.workspace, BOB, 'same')).toBe(false);
  expect([await night(b.workspace, BOB), await night(b.workspace, ANN), await night(b.workspace, BOB)]).toEqual([
    1, 2, 3,
  ]);
});

test('inspectLedger shows no records while their account is in question', async () => {
  await using b = await bed();
  await night(b.workspace, ANN);
  expect((await inspectLedger(b.workspace, BOB)).ledger).toBeNull();
  await answer(b.workspace, BOB, 'same');
  await using ledger = (await inspectLedger(b.workspace, BOB)).ledger;
  expect((await ledger?.orderCounts())?.ready).toBe(1);
});

test('answerForAccount keeps the records of two accounts apart', async () => {
  await using b = await bed();
  await night(b.workspace, ANN);
  expect(await answer(b.workspace, BOB, 'new')).toBe(true);
  expect([await night(b.workspace, BOB), await night(b.workspace, BOB)]).toEqual([0, 1]);
  expect(await problemOf(b.workspace, ANN)).toBe('another-account');
  await expect(answer(b.workspace, ANN, 'same')).rejects.toMatchObject({ kind: 'usage' });
  expect(await problemOf(b.workspace, ANN)).toBe('another-account');
  expect(await answer(b.workspace, ANN, 'new')).toBe(true);
  expect(await night(b.workspace, ANN)).toBe(1);
});

test('answerForAccount joins no account that has only a followed project', async () => {
  await using b = await bed();
  {
    await using guarded = await openGuardedLedger(b.workspace, { clock, account: ANN });
    const seen = { inspectionCode: null, inspectionLink: null, details: orderPayload() };
    await guarded.ledger.followElsewhere({ projectId: '11', ...seen });
  }
  await answer(b.workspace, BOB, 'new');
  await night(b.workspace, BOB);
  await expect(answer(b.workspace, ANN, 'same')).rejects.toMatchObject({ code: 'account-has-records' });
});

test('answerForAccount corrects an answer until a run used it', async () => {
  await using b = await bed();
  await night(b.workspace, ANN);
  await answer(b.workspace, BOB, 'same');
  expect(await answer(b.workspace, BOB, 'new')).toBe(true);
  expect(await night(b.workspace, BOB)).toBe(0);
  await answer(b.workspace, named('carl'), 'same');
  await night(b.workspace, named('carl'));
  await expect(answer(b.workspace, named('carl'), 'new')).rejects.toMatchObject({ kind: 'usage' });
});

test('ledgerCondition recognizes local records on any port', async () => {
  await using b = await bed();
  const key = earlierKey('http://127.0.0.1:4001');
  await night(b.workspace, key);
  const here = named('ann', 'http://127.0.0.1:4999');
  expect((await ledgerCondition(b.workspace, 'quick', here)).account).toBe(key);
  expect(await night(b.workspace, here)).toBe(1);
});

test("without names, ledgerCondition takes the newest order's account", async () => {
  await using b = await bed();
  await night(b.workspace, ANN.key);
  {
    await using guarded = await openGuardedLedger(b.workspace, { clock, account: BOB.key });
    await guarded.ledger.startRun('an empty night', 'run');
  }
  expect(await problemOf(b.workspace, BOB)).toBe('another-account');
  expect(await problemOf(b.workspace, ANN)).toBeUndefined();
});

test('openForRecovery recognizes an older backup by the new name', async () => {
  await using b = await bed();
  await night(b.workspace, ANN);
  await copyFile(ledgerOf(b.workspace), b.at('backup'));
  await answer(b.workspace, BOB, 'same');
  await night(b.workspace, BOB);
  await copyFile(b.at('backup'), ledgerOf(b.workspace));
  expect(await problemOf(b.workspace, BOB)).toBe('older');
  await using recovered = await openForRecovery(b.workspace, undefined, { clock, account: BOB });
  expect(recovered.ledger.account).toBe(ANN.key);
});

test('openForRecovery: a lost ledger asks under another name, and takes the answer', async () => {
  await using b = await bed();
  await night(b.workspace, ANN);
  await rm(ledgerOf(b.workspace));
  await expect(openForRecovery(b.workspace, undefined, { clock, account: BOB })).rejects.toMatchObject({
    message: expect.stringContaining('different service account') as string,
  });
  expect(await answer(b.workspace, BOB, 'same')).toBe(true);
  expect(await readLedgerMark(b.workspace)).toMatchObject({ accounts: [{ account: ANN.key }] });
  await using recovered = await openForRecovery(b.workspace, undefined, { clock, account: BOB });
  expect(recovered.ledger.account).toBe(ANN.key);
});
