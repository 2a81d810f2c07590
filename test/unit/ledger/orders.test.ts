import { describe, expect, test } from 'vitest';
import {
  attemptOf,
  newRow,
  orderPayload,
  projectTie,
  recordCreated,
  recordOrder,
} from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const DOUBT = { to: 'unresolved', code: 'outcome-unknown', reason: '504', uncertainSince: 0 } as const;
const HELD = { to: 'held', code: 'attempts-used-up', reason: 'It waits.' } as const;

describe('moveOrder', () => {
  test('leaves the row that repeats a refused order closed', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderId = await recordOrder(ledger);
    const file = { hash: 'aa', name: 'again.csv', layouts: [], notes: [] };
    const { id } = await ledger.recordFile(file, async (transaction) =>
      transaction.addRow(newRow({ outcome: 'repeat', orderId })),
    );
    await ledger.beginAttempt(orderId, attemptOf());
    await ledger.moveOrder(orderId, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
    expect(await Array.fromAsync(ledger.rowsOf(id))).toMatchObject([{ openSince: null }]);
  });

  test('closes the row of a held order that is sent again', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderId = await recordOrder(ledger);
    await ledger.moveOrder(orderId, 'ready', HELD);
    const again = { code: 'resent-by-person', reason: 'A person wants it.' } as const;
    await ledger.moveOrder(orderId, 'held', { to: 'ready', attemptUsed: true, ...again });
    expect(await Array.fromAsync(ledger.rowsOf(1))).toMatchObject([{ openSince: null }]);
  });

  test('makes news of a project that is canceled when it is found', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderId = await recordOrder(ledger);
    await ledger.beginAttempt(orderId, attemptOf());
    const project = projectTie('11', { status: 'Project Canceled' });
    await ledger.moveOrder(orderId, 'submitting', { to: 'created', project, adopted: true });
    expect(await ledger.openNews()).toMatchObject([{ kind: 'project-canceled', subject: '11' }]);
  });
});

describe('recoverInterrupted', () => {
  test('puts the orders of the named runs in doubt', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    for (const run of ['run-1', 'run-2']) {
      await ledger.startRun(run, 'run');
      await ledger.beginAttempt(await recordOrder(ledger, { inspectionNumber: run }), attemptOf());
    }
    expect(await ledger.recoverInterrupted(['run-1'])).toBe(1);
    expect(await ledger.orderCounts()).toMatchObject({ unresolved: 1, submitting: 1 });
  });
});

describe('projectsOfOtherOrders', () => {
  test('includes an order that moved exactly at that time', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await recordCreated(ledger, '11');
    const among = (since: number) => ledger.projectsOfOtherOrders(0, ['11'], since);
    expect([await among(clock.now()), await among(clock.now() + 1)]).toEqual([new Set(['11']), new Set()]);
  });
});

describe('projectMadeSince', () => {
  test('includes an attempt exactly at that time', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await recordCreated(ledger, '11');
    expect([await ledger.projectMadeSince(clock.now()), await ledger.projectMadeSince(clock.now() + 1)]).toEqual([
      '11',
      null,
    ]);
  });

  test('leaves out an order that took two attempts', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const id = await recordOrder(ledger);
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', DOUBT);
    const again = { code: 'resent-by-person', reason: 'A person wants it.' } as const;
    await ledger.moveOrder(id, 'unresolved', { to: 'ready', attemptUsed: true, ...again });
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', { to: 'created', project: projectTie('11'), adopted: false });
    expect(await ledger.projectMadeSince(0)).toBeNull();
  });
});

describe('highestProjectId', () => {
  test('leaves out projects that were made elsewhere', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    const details = orderPayload();
    await ledger.followElsewhere({ projectId: '99', inspectionCode: null, inspectionLink: null, details });
    expect(await ledger.highestProjectId()).toBe('11');
  });
});

describe('hadUnknownAttempt', () => {
  test('is false after an answer', async () => {
    await using bench = await openLedgerBench();
    const orderId = await recordCreated(bench.ledger, '11');
    expect(await bench.ledger.hadUnknownAttempt(orderId)).toBe(false);
  });

  test('is false after a 409', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderId = await recordOrder(ledger);
    await ledger.beginAttempt(orderId, attemptOf());
    await ledger.moveOrder(orderId, 'submitting', { ...DOUBT, answered409: true });
    expect(await ledger.hadUnknownAttempt(orderId)).toBe(false);
  });
});
