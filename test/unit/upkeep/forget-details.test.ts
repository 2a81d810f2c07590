import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { attemptOf, newOrder, newRow, orderPayload, projectTie, rowRecord } from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';
import { onRecord } from '../../support/on-record.ts';

const DAY = 24 * 60 * 60 * 1000;

/** All that the ledger has on disk. */
async function ledgerText({ folder }: LedgerBench): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('ledger.sqlite') && !name.endsWith('-shm'));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('');
}

/** Places so many orders from one file; the ids of their projects begin at 1001. */
async function placeOrders(ledger: Ledger, count: number): Promise<readonly number[]> {
  const ids: number[] = [];
  const file = await ledger.recordFile(
    { hash: 'a hash', name: 'a.csv', layouts: [], notes: [] },
    async (transaction) => {
      for (let index = 0; index < count; index += 1) {
        const orderId = transaction.addOrder(
          newOrder({
            inspectionNumber: `N-${index}`,
            streetAddress: `${index} Wombat Crescent`,
            insuredName: 'Zeb Quirk',
          }),
        );
        const record = { ...rowRecord(index + 2), cells: [{ kind: 'text' as const, text: 'Zeb cell Quirk' }] };
        transaction.addRow(newRow({ outcome: 'order', orderId, record }));
        ids.push(orderId);
      }
    },
  );
  await ledger.markArchived(file.id, 'archive/2026/01/01/a.csv');
  for (const [index, id] of ids.entries()) {
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', {
      to: 'created',
      project: {
        ...projectTie(String(1001 + index)),
        inspectionCode: 'ZEBCODE',
        inspectionLink: 'https://zeb.example/x',
      },
      adopted: false,
    });
  }
  return ids;
}

/** Shows everything to people, and lets the projects end. */
async function endAll(
  bench: LedgerBench,
  orderIds: readonly number[],
  projectIds: readonly string[],
  { collected = true } = {},
): Promise<void> {
  const { ledger } = bench;
  await ledger.recordStatuses(projectIds.map((id) => ({ id, status: 'Returned to Client' })));
  if (collected) for (const id of projectIds) await ledger.markCollected(id);
  await ledger.recordStatuses(projectIds.map((id) => ({ id, status: 'Client Received' })));
  await deliverAll(bench, orderIds, projectIds);
  await bench.clock.advance(100 * DAY);
}

async function deliverAll(
  { ledger }: LedgerBench,
  orderIds: readonly number[],
  projectIds: readonly string[],
): Promise<void> {
  await ledger.startRun('run-1', 'run');
  await ledger.recordDelivery({
    run: 'run-1',
    folder: 'deliveries/run-1',
    contents: { report: 'deliveries/run-1/report.html' },
    orderIds,
    results: true,
    projectIds,
    seen: await ledger.newestIds(),
  });
}

const limitOf = ({ clock }: LedgerBench): number => clock.now() - 30 * DAY;
const projectsFrom = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => String(1001 + index));

describe('detailsToForget', () => {
  test('counts an order whose project has ended', async () => {
    await using bench = await openLedgerBench();
    await endAll(bench, await placeOrders(bench.ledger, 1), projectsFrom(1));
    expect(await bench.ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 1, rows: 1 });
  });

  test('leaves out a row of a newer file that repeats the order', async () => {
    await using bench = await openLedgerBench();
    const [orderId = 0] = await placeOrders(bench.ledger, 1);
    await endAll(bench, [orderId], projectsFrom(1));
    const record = { ...rowRecord(2), cells: [{ kind: 'text' as const, text: 'Zeb cell Quirk' }] };
    await bench.ledger.recordFile({ hash: 'b', name: 'b.csv', layouts: [], notes: [] }, async (transaction) =>
      transaction.addRow(newRow({ outcome: 'repeat', orderId, record })),
    );
    expect(await bench.ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 1, rows: 1 });
  });

  test('leaves out an order that no delivery has shown', async () => {
    await using bench = await openLedgerBench();
    await placeOrders(bench.ledger, 1);
    await endAll(bench, [], projectsFrom(1));
    expect(await bench.ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 0, rows: 0 });
  });

  test('leaves out an order whose project has an open update', async () => {
    await using bench = await openLedgerBench();
    await endAll(bench, await placeOrders(bench.ledger, 1), projectsFrom(1));
    await bench.ledger.beginUpdate({ projectId: '1001', request: { kind: 'cancel' }, before: {}, source: null });
    expect(await bench.ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 0, rows: 0 });
  });

  test('leaves out a given-up project until its days are over', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const orderIds = await placeOrders(ledger, 1);
    await ledger.recordStatuses([{ id: '1001', status: 'On Hold' }]);
    await clock.advance(100 * DAY);
    await ledger.giveUpProject('1001', 'the house is gone');
    await deliverAll(bench, orderIds, ['1001']);
    await clock.advance(29 * DAY);
    expect(await ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 0, rows: 0 });
    await clock.advance(2 * DAY);
    expect(await ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 1, rows: 1 });
  });

  test('leaves out an order that was received elsewhere before its files came', async () => {
    await using bench = await openLedgerBench();
    await endAll(bench, await placeOrders(bench.ledger, 1), projectsFrom(1), { collected: false });
    expect(await bench.ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 0, rows: 0 });
  });
});

describe('forgetDetails', () => {
  test('forgets what was said about a project', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const ids = await placeOrders(ledger, 1);
    await ledger.startRun('2026-01-01T00-00-00Z-0000', 'run');
    await ledger.markCollectionProblem('1001', { code: 'files-incomplete', text: 'Zeb problem Quirk' });
    await ledger.recordCloseout('1001', ['Zeb closeout Quirk']);
    await ledger.recordDecisions({
      file: 'results.xlsx',
      writtenIn: null,
      decisions: [{ projectId: '1001', decision: 'Accept', by: 'Zeb decider Quirk', notes: 'Zeb notes Quirk' }],
    });
    const update = await ledger.beginUpdate({
      projectId: '1001',
      request: { kind: 'cancel', comment: 'Zeb comment Quirk' },
      before: {},
      source: null,
    });
    await ledger.endUpdate(update ?? 0, {
      to: 'refused',
      code: 'service-refused',
      reason: 'Zeb refusal Quirk',
      status: null,
    });
    await endAll(bench, ids, ['1001']);
    const said = ['problem', 'closeout', 'decider', 'notes', 'comment', 'refusal'].map((word) => `Zeb ${word} Quirk`);
    const wanted = [...said, 'ZEBCODE', 'zeb.example'];
    const before = await ledgerText(bench);
    expect(wanted.filter((text) => !before.includes(text))).toEqual([]);
    await ledger.forgetDetails(limitOf(bench));
    const after = await ledgerText(bench);
    expect(wanted.filter((text) => after.includes(text))).toEqual([]);
  });

  test('forgets why a file of such rows was held', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await ledger.recordHeld({
      hash: 'a hash',
      name: 'a.csv',
      heldAs: 'held/a.csv',
      limits: [],
      reasons: ['Zeb held Quirk'],
    });
    await ledger.recordHeld({
      hash: 'other',
      name: 'b.csv',
      heldAs: 'held/b.csv',
      limits: [],
      reasons: ['still waits'],
    });
    const ids = await placeOrders(ledger, 1);
    await endAll(bench, ids, ['1001']);
    await ledger.forgetDetails(limitOf(bench));
    expect(await ledgerText(bench)).not.toContain('Zeb held Quirk');
    expect((await ledger.findHeld('other'))?.reasons).toEqual(['still waits']);
  });

  test('forgets more orders and rows than a batch', async () => {
    await using bench = await openLedgerBench();
    const ids = await placeOrders(bench.ledger, 401);
    await endAll(bench, ids, projectsFrom(401));
    expect(await bench.ledger.forgetDetails(limitOf(bench))).toEqual({ orders: 401, rows: 401 });
    expect(await ledgerText(bench)).not.toMatch(/Zeb|Wombat/);
  });

  test('forgets exactly one batch', async () => {
    await using bench = await openLedgerBench();
    const ids = await placeOrders(bench.ledger, 200);
    await endAll(bench, ids, projectsFrom(200));
    await bench.ledger.forgetDetails(limitOf(bench));
    expect(await ledgerText(bench)).not.toMatch(/Zeb|Wombat/);
  });

  test('forgets the details of a project made elsewhere, and counts it', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const details = orderPayload({ insuredName: 'Zeb Quirk', streetAddress: '7 Wombat Crescent' });
    await ledger.followElsewhere({ projectId: '77', inspectionCode: null, inspectionLink: null, details });
    await endAll(bench, [], ['77']);
    expect(await ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 1, rows: 0 });
    await ledger.forgetDetails(limitOf(bench));
    expect(await ledgerText(bench)).not.toMatch(/Zeb|Wombat/);
    expect(await ledger.detailsToForget(limitOf(bench))).toEqual({ orders: 0, rows: 0 });
  });

  test('keeps states, numbers and codes', async () => {
    await using bench = await openLedgerBench();
    const ids = await placeOrders(bench.ledger, 1);
    await endAll(bench, ids, ['1001']);
    await bench.ledger.forgetDetails(limitOf(bench));
    expect(await bench.ledger.order(ids[0] ?? 0)).toMatchObject({
      state: 'created',
      projectId: '1001',
      payload: { inspectionNumber: 'N-0', serviceName: '4-Point' },
    });
  });

  test('is no removal that is left open', async () => {
    await using bench = await openLedgerBench();
    const ids = await placeOrders(bench.ledger, 1);
    await endAll(bench, ids, ['1001']);
    await bench.ledger.forgetDetails(limitOf(bench));
    expect(await bench.ledger.openRemovals()).toEqual([]);
  });

  test('forgets the addresses among further identities, and keeps their numbers', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const [id = 0] = await placeOrders(ledger, 1);
    const order = await ledger.order(id);
    if (order === null) throw new Error('no order is on record');
    const [house, number] = ['address:7 zeb lane|cambridge|ma|02139|4-point|zeb', 'policy:P-9|2026-01-01'];
    await ledger.recordFile({ hash: 'b hash', name: 'b.csv', layouts: [], notes: [] }, async (transaction) => {
      for (const identity of [house, number]) transaction.addIdentity(identity, order);
    });
    await endAll(bench, [id], ['1001']);
    await ledger.forgetDetails(limitOf(bench));
    expect(await ledgerText(bench)).not.toContain('zeb lane');
    const keys = { policyKey: null, addressKey: null, subjectKey: '' };
    const lookup = await onRecord(ledger, ...[house, number].map((identity) => ({ identity, ...keys })));
    expect([house, number].map((identity) => lookup.findLivingOrder(identity)?.id)).toEqual([id, id]);
    expect(lookup.alsoKnownBy({ id })).toContain(number);
  });

  test('is on record as a removal, unless there is nothing to forget', async () => {
    await using bench = await openLedgerBench();
    const ids = await placeOrders(bench.ledger, 1);
    await endAll(bench, ids, ['1001']);
    await bench.ledger.forgetDetails(limitOf(bench) - 80 * DAY);
    const before = await bench.ledger.wasRemoved('');
    await bench.ledger.forgetDetails(limitOf(bench));
    expect([before, await bench.ledger.wasRemoved('')]).toEqual([false, true]);
  });

  test('does nothing before the limit', async () => {
    await using bench = await openLedgerBench();
    const ids = await placeOrders(bench.ledger, 1);
    await endAll(bench, ids, ['1001']);
    expect(await bench.ledger.forgetDetails(limitOf(bench) - 80 * DAY)).toEqual({ orders: 0, rows: 0 });
    expect(await ledgerText(bench)).toContain('Zeb');
  });
});

describe('wasRemoved', () => {
  test('knows what retention removed, and nothing else', async () => {
    await using bench = await openLedgerBench();
    await bench.ledger.beginRemovals([{ kind: 'log', path: 'logs/a.jsonl', bytes: 1 }]);
    await bench.ledger.endRemovals(['logs/a.jsonl']);
    expect([await bench.ledger.wasRemoved('logs/a.jsonl'), await bench.ledger.wasRemoved('logs/b.jsonl')]).toEqual([
      true,
      false,
    ]);
  });
});
