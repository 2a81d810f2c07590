import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { NewFile } from '../../../src/ledger/files.ts';
import { newOrder, newRow, recordCreated } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const record = async (ledger: Ledger, hash: string, more: Partial<NewFile> = {}): Promise<number> =>
  (
    await ledger.recordFile({ hash, name: `${hash}.csv`, layouts: [], notes: [], ...more }, async (transaction) =>
      transaction.addRow(newRow()),
    )
  ).id;

describe('approveContent', () => {
  test('keeps the time of the first approval', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const approvedAt = clock.now();
    await ledger.approveContent('aa', 'oct.csv');
    await clock.advance(1000);
    await ledger.approveContent('aa', 'oct.csv');
    expect(await ledger.findHeld('aa')).toMatchObject({ approvedAt });
  });
});

describe('findFileByHashStart', () => {
  test('finds the lowest of several hashes', async () => {
    await using bench = await openLedgerBench();
    for (const hash of ['ab2', 'ab1']) await record(bench.ledger, hash);
    expect(await bench.ledger.findFileByHashStart('ab')).toMatchObject({ hash: 'ab1' });
  });
});

describe('filesLike', () => {
  test('finds nothing for an unnamed sender with a new kind of file', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await record(ledger, 'aa', { kind: 'one' });
    expect(await ledger.filesLike({ sender: '', kind: 'other' }, 3)).toEqual([]);
  });
});

describe('filesNamedLike', () => {
  test('lists the latest files first', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    for (const hash of ['oct-1', 'oct-2', 'oct-3']) await record(ledger, hash);
    expect((await ledger.filesNamedLike('oct', 2)).map(({ name }) => name)).toEqual(['oct-3.csv', 'oct-2.csv']);
  });
});

describe('filesToArchive', () => {
  test('lists files until they are archived', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    for (const hash of ['aa', 'bb']) await record(ledger, hash);
    await ledger.markArchived(1, 'archive/2026/03/05/aa.csv');
    expect((await ledger.filesToArchive()).map(({ name }) => name)).toEqual(['bb.csv']);
  });
});

describe('findFiles', () => {
  test('finds a file by its place in the archive, the latest first', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const name = 'oct.csv';
    for (const hash of ['aa', 'bb']) await record(ledger, hash, { name });
    await ledger.markArchived(1, 'archive/2026/03/05/oct.csv');
    const ids = async (text: string) => (await ledger.findFiles(text)).map(({ id }) => id);
    expect([await ids('archive/2026/03/05/oct.csv'), await ids(name)]).toEqual([[1], [2, 1]]);
  });
});

describe('lastRuns', () => {
  test('lists the latest run first, with its end', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    for (const run of ['run-1', 'run-2']) {
      await ledger.startRun(run, 'run');
      await clock.advance(1000);
    }
    await ledger.finishRun('run-2', 3, {});
    expect(await ledger.lastRuns(9)).toMatchObject([
      { run: 'run-2', exitCode: 3, finishedAt: clock.now() },
      { run: 'run-1', exitCode: null, finishedAt: null },
    ]);
  });
});

describe('findRejections', () => {
  test('searches no name if the text is an order number', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11', { inspectionNumber: 'A-1' });
    const summary = { ...newRow().summary, insuredName: 'A-1' };
    const file = { hash: 'aa', name: 'oct.csv', layouts: [], notes: [] };
    await ledger.recordFile(file, async (transaction) => transaction.addRow(newRow({ summary })));
    expect(await ledger.findRejections('A-1')).toEqual([]);
  });
});

describe('prunableFiles', () => {
  test('leaves out a file that is not archived yet', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const id = await record(ledger, 'aa');
    await ledger.markCorrected(id, [1], 'corrections/aa.xlsx');
    await ledger.dismissRows(await ledger.openRowsOf(id));
    const prunable = async () => (await ledger.prunableFiles(clock.now() + 1)).length;
    expect(await prunable()).toBe(0);
    await ledger.markArchived(id, 'archive/2026/03/05/aa.csv');
    expect(await prunable()).toBe(1);
  });
});

describe('recordFile', () => {
  test('counts each row once, by its outcome', async () => {
    await using bench = await openLedgerBench();
    const file = { hash: 'aa', name: 'oct.csv', layouts: [], notes: [] };
    const recorded = await bench.ledger.recordFile(file, async (transaction) => {
      const orderId = transaction.addOrder(newOrder());
      transaction.addRow(newRow({ outcome: 'order', orderId }, 2));
      transaction.addRow(newRow({ outcome: 'repeat', orderId }, 3));
      transaction.addRow(newRow({}, 4));
      transaction.addNote({ code: 'rows-hidden', text: 'a note' });
    });
    expect(recorded).toMatchObject({ rowsAccepted: 2, rowsRejected: 1, notes: [{ code: 'rows-hidden' }] });
  });
});
