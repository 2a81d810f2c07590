import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { OrderMove } from '../../../src/ledger/orders.ts';
import { attemptOf, newOrder, newRow, recordOrder } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const DOUBT = { to: 'unresolved', code: 'outcome-unknown', reason: '504', uncertainSince: 0 } as const;
const ABANDONED = { to: 'abandoned', code: 'abandoned-by-person', reason: 'not wanted' } as const;

/** Two orders of one identity, one file after the other; the first one ends by these moves. */
async function orderAgain(ledger: Ledger, ...moves: readonly OrderMove[]): Promise<string> {
  const first = await recordOrder(ledger);
  let from: 'ready' | 'submitting' | 'unresolved' = 'ready';
  for (const move of moves) {
    if (move.to === 'unresolved') {
      await ledger.beginAttempt(first, attemptOf());
      from = 'submitting';
    }
    await ledger.moveOrder(first, from, move);
    from = 'unresolved';
  }
  let again = 0;
  const file = { hash: 'aa', name: 'again.csv', layouts: [], notes: [] };
  await ledger.recordFile(file, async (transaction) => {
    again = transaction.addOrder(newOrder());
    transaction.addRow(newRow({ outcome: 'order', orderId: again }));
  });
  return (await ledger.order(again))?.state ?? '';
}

describe('recordFile', () => {
  test('holds an order like one that was abandoned in doubt', async () => {
    await using bench = await openLedgerBench();
    expect(await orderAgain(bench.ledger, DOUBT, ABANDONED)).toBe('held');
  });

  test('holds no order like one that was abandoned unsent', async () => {
    await using bench = await openLedgerBench();
    expect(await orderAgain(bench.ledger, ABANDONED)).toBe('ready');
  });
});

describe('doubtOrder', () => {
  test('dates the attempt from when the order came', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const id = await recordOrder(ledger);
    const sentAt = clock.now();
    await clock.advance(1000);
    expect(await ledger.doubtOrder(id, '7', { code: 'ledger-went-back', reason: 'old' })).toBe(true);
    expect(await ledger.storyOf(id)).toMatchObject({ attempts: [{ sentAt }] });
    expect(await ledger.order(id)).toMatchObject({ state: 'unresolved', idBound: '7', uncertainSince: clock.now() });
  });

  test('doubts no order that is not ready', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const id = await recordOrder(ledger);
    await ledger.moveOrder(id, 'ready', ABANDONED);
    expect(await ledger.doubtOrder(id, '7', { code: 'ledger-went-back', reason: 'old' })).toBe(false);
  });
});

describe('moveOn', () => {
  test('never goes back to a lower generation', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const first = await ledger.moveOn('a workspace', bench.clock.now() + 5000);
    expect(await ledger.moveOn('a workspace', 1)).toBeGreaterThanOrEqual(first);
  });
});

describe('beginRecovery', () => {
  test('continues an open recovery', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const first = await ledger.beginRecovery(5);
    await clock.advance(1000);
    expect(await ledger.beginRecovery(9)).toEqual(first);
  });

  test('begins another recovery after one that ended', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await ledger.beginRecovery(5);
    await ledger.endRecovery();
    expect(await ledger.beginRecovery(9)).toMatchObject({ oldSince: 9, endedAt: null });
  });
});

describe('rowNamed', () => {
  test('finds a row by the start of the content, sheet and number', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const file = { hash: 'ab12', name: 'oct.csv', layouts: [], notes: [] };
    await ledger.recordFile(file, async (transaction) => {
      for (const rowNumber of [2, 3]) transaction.addRow(newRow({}, rowNumber));
    });
    await ledger.markCorrected(1, [2], 'corrections/oct.xlsx');
    expect([
      await ledger.rowNamed('ab1', 'Orders', 2),
      await ledger.rowNamed('ab1', 'Orders', 3),
      await ledger.rowNamed('ab1', 'Other', 2),
      await ledger.rowNamed('ab2', 'Orders', 2),
    ]).toMatchObject([{ id: 1, isWrittenBack: false }, { id: 2, isWrittenBack: true }, null, null]);
  });
});

describe('lowestIdBound', () => {
  test('has the time of the first order that was attempted', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const at = clock.now();
    for (const bound of ['7', '9']) {
      const id = await recordOrder(ledger, { inspectionNumber: bound });
      await ledger.beginAttempt(id, attemptOf(bound));
      await clock.advance(1000);
    }
    expect(await ledger.lowestIdBound()).toEqual({ id: '7', at });
  });
});

describe('contradictions', () => {
  test('finds none after an attempt that sent nothing', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const id = await recordOrder(ledger);
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', { to: 'ready', attemptUsed: false, code: 'not-sent', reason: 'no line' });
    expect(await ledger.contradictions()).toEqual([]);
  });
});
