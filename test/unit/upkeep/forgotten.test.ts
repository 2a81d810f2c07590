import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { applyPrune, planPrune, type PruneContext, type Retention } from '../../../src/upkeep/prune.ts';
import { attemptOf, newOrder, newRow, projectTie, rowRecord } from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';

const DAY = 24 * 60 * 60 * 1000;
const ALL: Retention = { archiveDays: 30, deliveriesDays: 30, logsDays: 30, downloadsDays: 30 };
const ONLY_FILES: Retention = { ...ALL, archiveDays: null };

interface Bench extends LedgerBench {
  readonly parts: PruneContext;
}

async function openBench(): Promise<Bench> {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  return { ...bench, parts: { ledger: bench.ledger, workspace, clock: bench.clock } };
}

async function put({ folder }: LedgerBench, path: string, content = 'x'): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

/** All that the ledger has on disk, in lower case. */
async function ledgerText({ folder }: LedgerBench): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('ledger.sqlite') && !name.endsWith('-shm'));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('').toLowerCase();
}

/** A delivery of this run, one day after the one before it. */
async function deliver(
  bench: Bench,
  run: string,
  contents: Readonly<Record<string, string>>,
  more: { readonly orderIds?: readonly number[]; readonly projectIds?: readonly string[] } = {},
): Promise<void> {
  await bench.ledger.startRun(run, 'run');
  await put(bench, `deliveries/${run}/file`);
  await bench.ledger.recordDelivery({
    run,
    folder: `deliveries/${run}`,
    contents,
    orderIds: more.orderIds ?? [],
    results: contents['report'] !== undefined,
    projectIds: more.projectIds ?? [],
    seen: await bench.ledger.newestIds(),
  });
  await bench.clock.advance(DAY);
}

const removed = async (bench: Bench, retention = ALL): Promise<readonly string[]> =>
  (await planPrune(retention, bench.parts)).removals.map(({ path }) => path);

describe('forgetDetails', () => {
  /** Each says a thing of the person that the others do not. */
  const SAID = {
    repairHeld: 'Zebulon held Quirk',
    repairShown: 'Zebulon shown Quirk',
    repairSent: 'Zebulon sent Quirk',
    problemValue: 'Zebulon value Quirk',
    problemMessage: 'Zebulon message Quirk',
    cell: 'Zebulon cell Quirk',
    summaryName: 'Zebulon summary Quirk',
    summaryStreet: '77 Summary Crescent',
    payloadName: 'Zebulon payload Quirk',
    payloadStreet: '77 Payload Crescent',
    attemptName: 'Zebulon attempt Quirk',
    reason: 'Zebulon reason Quirk',
    changedBefore: 'Zebulon before Quirk',
    changedNow: 'Zebulon now Quirk',
  } as const;

  async function recordPerson(bench: Bench): Promise<void> {
    const { ledger } = bench;
    const order = newOrder({ insuredName: SAID.payloadName, streetAddress: SAID.payloadStreet });
    const repairs = [
      {
        field: 'insuredName',
        column: 'Insured',
        cell: 'C2',
        held: SAID.repairHeld,
        shown: SAID.repairShown,
        sent: SAID.repairSent,
        why: 'spaces',
      },
    ];
    const problems = [
      {
        severity: 'warning' as const,
        rule: 'x',
        field: null,
        column: null,
        cell: null,
        value: SAID.problemValue,
        message: SAID.problemMessage,
      },
    ];
    const summary = {
      policyNumber: 'P-1',
      inspectionNumber: '',
      insuredName: SAID.summaryName,
      streetAddress: SAID.summaryStreet,
    };
    const record = { ...rowRecord(2), cells: [{ kind: 'text' as const, text: SAID.cell }] };
    let orderId = 0;
    const file = await ledger.recordFile(
      { hash: 'a hash', name: 'a.csv', layouts: [], notes: [] },
      async (transaction) => {
        orderId = transaction.addOrder(order);
        transaction.addRow(newRow({ outcome: 'order', orderId, record, problems, repairs, summary }));
        // The same row once more, with other details.
        const again = { ...record, place: { ...record.place, rowNumber: 3 } };
        const changes = [{ field: 'insuredName', ordered: SAID.changedBefore, now: SAID.changedNow }];
        transaction.addRow(
          newRow({ outcome: 'repeat', orderId, record: again, problems, repairs, summary, changes }, 3),
        );
      },
    );
    await ledger.markArchived(file.id, 'archive/2026/01/01/a.csv');
    await ledger.beginAttempt(orderId, {
      ...attemptOf(),
      payload: { ...order.payload, insuredName: SAID.attemptName },
    });
    await ledger.moveOrder(orderId, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: SAID.reason,
      uncertainSince: 0,
    });
    await ledger.moveOrder(orderId, 'unresolved', { to: 'created', project: projectTie('11'), adopted: true });
    await ledger.recordStatuses([{ id: '11', status: 'Returned to Client' }]);
    await ledger.markCollected('11');
    await deliver(bench, 'run-1', { report: 'report.html' }, { orderIds: [orderId], projectIds: ['11'] });
    await ledger.recordStatuses([{ id: '11', status: 'Client Received' }]);
    await bench.clock.advance(100 * DAY);
  }

  test('forgetDetails leaves no personal details of rows and orders', async () => {
    await using bench = await openBench();
    await recordPerson(bench);
    const before = await ledgerText(bench);
    const said = Object.values(SAID).map((text) => text.toLowerCase());
    expect(said.filter((text) => !before.includes(text))).toEqual([]);
    await applyPrune(await planPrune(ALL, bench.parts), bench.parts);
    const after = await ledgerText(bench);
    expect(said.filter((text) => after.includes(text))).toEqual([]);
  });
});

describe('planPrune', () => {
  test('planPrune keeps the latest delivery, results and orders', async () => {
    await using bench = await openBench();
    const results = { report: 'report.html' };
    await deliver(bench, 'run-1', { ...results, orders: 'orders.xlsx' });
    await deliver(bench, 'run-2', { orders: 'orders.xlsx' });
    await deliver(bench, 'run-3', results);
    await deliver(bench, 'run-4', results);
    await deliver(bench, 'run-5', { workbook: 'results.xlsx' });
    await deliver(bench, 'run-6', { workbook: 'results.xlsx' });
    await bench.clock.advance(100 * DAY);
    expect(await removed(bench)).toEqual(['deliveries/run-1', 'deliveries/run-3', 'deliveries/run-5']);
  });

  test('a delivery that is not older than the limit stays', async () => {
    await using bench = await openBench();
    await deliver(bench, 'run-1', {});
    await deliver(bench, 'run-2', {});
    await bench.clock.advance(28 * DAY);
    expect(await removed(bench)).toEqual([]);
    await bench.clock.advance(1);
    expect(await removed(bench)).toEqual(['deliveries/run-1']);
  });

  test('a delivery without a file is not named', async () => {
    await using bench = await openBench();
    await deliver(bench, 'run-1', {});
    await deliver(bench, 'run-2', {});
    await rm(join(bench.folder, 'deliveries/run-1/file'));
    await bench.clock.advance(100 * DAY);
    expect(await removed(bench)).toEqual([]);
  });

  test('planPrune removes copies whose day was over everywhere', async () => {
    await using bench = await openBench();
    const { ledger } = bench;
    // Its SHA-256.
    const hash = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    const file = await ledger.recordFile({ hash, name: 'a.csv', layouts: [], notes: [] }, async () => {});
    await ledger.markArchived(file.id, 'archive/2026/03/05/a.csv');
    // 2026-06-13, 08:00 UTC: the limit is 2026-05-14, 08:00 UTC.
    await bench.clock.advance(100 * DAY);
    for (const path of ['2026/03/05/a.csv', '2026/05/12/a.csv', '2026/05/13/a.csv', 'elsewhere/a.csv'])
      await put(bench, `archive/${path}`, 'abc');
    await put(bench, 'archive/2026/05/12/other.csv', 'another');
    expect(await removed(bench)).toEqual(['archive/2026/03/05/a.csv', 'archive/2026/05/12/a.csv']);
  });

  test.each(['logs/a.jsonl', 'state/thumbnails/a.jpg'])('%s goes when it is older than the limit', async (path) => {
    await using bench = await openBench();
    await put(bench, path);
    const aged = async (ms: number) => {
      const seconds = (bench.clock.now() - 30 * DAY - ms) / 1000;
      await utimes(join(bench.folder, path), seconds, seconds);
      return removed(bench, ONLY_FILES);
    };
    expect(await aged(0)).toEqual([]);
    expect(await aged(1000)).toEqual([path]);
  });

  test('files of another kind in those folders stay', async () => {
    await using bench = await openBench();
    for (const path of ['logs/a.txt', 'state/thumbnails/a.png']) {
      await put(bench, path);
      await utimes(join(bench.folder, path), 0, 0);
    }
    expect(await removed(bench)).toEqual([]);
  });

  test.each([
    ['deliveriesDays', 'deliveries/run-1'],
    ['logsDays', 'logs/a.jsonl'],
    ['downloadsDays', 'state/thumbnails/a.jpg'],
  ] as const)('without %s, %s stays', async (limit, path) => {
    await using bench = await openBench();
    await deliver(bench, 'run-1', {});
    await deliver(bench, 'run-2', {});
    await bench.clock.advance(100 * DAY);
    for (const file of ['logs/a.jsonl', 'state/thumbnails/a.jpg']) {
      await put(bench, file);
      await utimes(join(bench.folder, file), 0, 0);
    }
    expect(await removed(bench)).toContain(path);
    const others = await removed(bench, { ...ALL, [limit]: null });
    expect(others).not.toContain(path);
    expect(others).toHaveLength(2);
  });
});

describe('applyPrune', () => {
  test('applyPrune removes empty folders of a day only', async () => {
    await using bench = await openBench();
    const paths = ['archive/2026/01/01/a.csv', 'archive/2026/01/02/b.csv'];
    for (const path of [...paths, 'archive/2026/01/02/stays.csv']) await put(bench, path);
    await put(bench, 'state/thumbnails/t.jpg');
    await applyPrune(
      {
        removals: [
          ...paths.map((path) => ({ kind: 'original' as const, path, bytes: 1 })),
          { kind: 'thumbnail', path: 'state/thumbnails/t.jpg', bytes: 1 },
        ],
        details: { orders: 0, rows: 0, before: null },
      },
      bench.parts,
    );
    expect(await readdir(join(bench.folder, 'archive'), { recursive: true })).toEqual(
      expect.arrayContaining(['2026/01/02/stays.csv']),
    );
    expect(await readdir(join(bench.folder, 'archive/2026/01'))).toEqual(['02']);
    expect(await readdir(join(bench.folder, 'state'))).toContain('thumbnails');
    expect(await bench.ledger.openRemovals()).toEqual([]);
  });

  test('a path outside the folder of its kind is never removed', async () => {
    await using bench = await openBench();
    await put(bench, 'inbox/a.csv');
    const plan = {
      removals: [{ kind: 'log' as const, path: 'inbox/a.csv', bytes: 1 }],
      details: { orders: 0, rows: 0, before: null },
    };
    await expect(applyPrune(plan, bench.parts)).rejects.toThrow('inbox/a.csv');
    expect(await readdir(join(bench.folder, 'inbox'))).toEqual(['a.csv']);
  });
});
