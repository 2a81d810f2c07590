import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedgerReadOnly } from '../../../src/ledger/ledger-file.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { isScratch, createScratchLedger } from '../../../src/ledger/scratch-ledger.ts';
import { ledgerOfVersion } from '../../support/earlier-ledger.ts';
import { newOrder, newRow, recordCreated } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { onRecord as lookedUp, rowOnRecord } from '../../support/on-record.ts';

const FILE = { layouts: [], notes: [] };

async function openBoth() {
  const clock = createVirtualClock();
  const below = openSqliteLedger(':memory:', { clock, account: 'an account' });
  const scratch = openSqliteLedger(':memory:', { clock, account: 'an account', openedFor: 'scratch' });
  await recordCreated(below, '501', { inspectionNumber: 'A-1', policyNumber: 'P-1' });
  return { below, dryRun: createScratchLedger(scratch, below) };
}

test('createScratchLedger finds records on both ledgers and leaves the lower one unchanged', async () => {
  const { below, dryRun } = await openBoth();
  const before = await below.orderCounts();
  const [onRecord, tonights] = [
    newOrder({ inspectionNumber: 'A-1', policyNumber: 'P-1' }),
    newOrder({ inspectionNumber: 'A-2', policyNumber: 'P-1' }),
  ];
  const file = await dryRun.recordFile({ hash: 'tonight', name: 'tonight.csv', ...FILE }, async (transaction) => {
    await transaction.expect([onRecord, tonights]);
    const orderId = transaction.addOrder(tonights);
    transaction.addRow(newRow({ outcome: 'order', orderId }));
    expect(transaction.findLivingOrder(onRecord.identity)?.projectId).toBe('501');
    expect(transaction.findLivingOrder(tonights.identity)?.id).toBe(orderId);
  });
  const lookup = await lookedUp(dryRun, onRecord, tonights);
  const [old, young] = [lookup.findLivingOrder(onRecord.identity), lookup.findOrderOfPolicy(tonights.policyKey ?? '')];
  expect([old && isScratch(old), young && isScratch(young), isScratch(file)]).toEqual([false, true, true]);
  expect(young === null ? null : lookup.placeOfOrder(young)).toMatchObject({ rowNumber: 2 });
  expect(lookup.statusOfProject('501')).toBe('Project Created');
  expect(await dryRun.findFile('tonight')).toMatchObject({ name: 'tonight.csv' });
  expect([
    await below.orderCounts(),
    await below.findFile('tonight'),
    (await lookedUp(below, tonights)).findLivingOrder(tonights.identity),
  ]).toEqual([before, null, null]);
});

test('createScratchLedger marks a corrected row until its correction is undone', async () => {
  const { below, dryRun } = await openBoth();
  const march = await below.recordFile({ hash: 'march', name: 'march.csv', ...FILE }, async (transaction) =>
    transaction.addRow(newRow()),
  );
  const row = async () => (await Array.fromAsync(dryRun.rejectedRows(march.id)))[0];
  const id = (await row())?.id ?? 0;
  const correct = (hash: string, then = () => {}) =>
    dryRun.recordFile({ hash, name: `${hash}.csv`, ...FILE }, async (transaction) => {
      transaction.addRow(newRow({ corrects: id }));
      expect((await rowOnRecord(transaction, id))?.correctedBy).not.toBeNull();
      then();
    });
  await expect(
    correct('held', () => {
      throw new Error('held');
    }),
  ).rejects.toThrow('held');
  expect((await row())?.correctedBy).toBeNull();
  await correct('april');
  const correctedBy = (await row())?.correctedBy ?? 0;
  expect(await rowOnRecord(dryRun, correctedBy)).toMatchObject({ fileHash: 'april', wentBack: true });
  expect(await Array.fromAsync(below.rejectedRows(march.id))).toMatchObject([{ correctedBy: null }]);
  expect((await dryRun.filesNamedLike('', 10)).map(({ name }) => name)).toEqual([
    'april.csv',
    'march.csv',
    expect.any(String),
  ]);
});

test("createScratchLedger lists a sender's files of the same kind first", async () => {
  const { below, dryRun } = await openBoth();
  const record = (ledger: Pick<typeof below, 'recordFile'>, name: string, kind: string) =>
    ledger.recordFile({ hash: name, name, sender: 'smith', kind, ...FILE }, async () => {});
  await record(below, 'weekly 1', 'weekly');
  await record(dryRun, 'daily 1', 'daily');
  const named = async (kind: string) => (await dryRun.filesLike({ sender: 'smith', kind }, 10)).map(({ name }) => name);
  expect([await named('weekly'), await named('daily'), await named('yearly')]).toEqual([
    ['weekly 1'],
    ['daily 1'],
    ['daily 1', 'weekly 1'],
  ]);
});

// An earlier version is not migrated.
test('openLedgerReadOnly opens a ledger read-only, an earlier version as a copy', async () => {
  await using folder = await temporaryFolder();
  const [path, copy] = [join(folder.path, 'ledger.sqlite'), join(folder.path, 'copy.sqlite')];
  const options = { clock: createVirtualClock(), account: 'an account' };
  {
    await using ledger = openSqliteLedger(path, options);
    await recordCreated(ledger, '501', { inspectionNumber: 'A-1' });
  }
  const order = newOrder({ inspectionNumber: 'A-1' });
  const { identity } = order;
  {
    await using looked = await openLedgerReadOnly(path, options, copy);
    expect((await lookedUp(looked, order)).findLivingOrder(identity)?.projectId).toBe('501');
    await expect(looked.noteStep('order', '1', 'changed')).rejects.toThrow('readonly');
  }
  const earlier = join(folder.path, 'earlier.sqlite');
  ledgerOfVersion(
    11,
    earlier,
    `INSERT INTO orders (account, identity, address_key, state, payload, payload_hash, allow_duplication, project_id, run, created_at, updated_at)
    VALUES ('an account', '${identity}', '', 'created', '{}', '', 0, 501, '', 0, 0)`,
  );
  const before = await readFile(earlier);
  await using looked = await openLedgerReadOnly(earlier, options, copy);
  expect((await lookedUp(looked, order)).findLivingOrder(identity)?.projectId).toBe('501');
  expect((await readFile(earlier)).equals(before)).toBe(true);
});
