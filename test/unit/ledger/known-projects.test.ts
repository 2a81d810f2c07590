import { describe, expect, test } from 'vitest';
import { attemptOf, newOrder, newRow, projectTie, recordOrder } from '../../support/order-factory.ts';
import { projectsOnRecord } from '../../support/on-record.ts';
import { type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';

const NUMBER = { inspectionNumber: 'A-1' };
const LINKED = { to: 'linked', project: projectTie('11'), code: 'duplicate-linked', reason: 'It existed.' } as const;
const DOUBT = { to: 'unresolved', code: 'outcome-unknown', reason: '504', uncertainSince: 0 } as const;

/** The order whose project has this number, if it is that young. */
async function orderSince({ ledger }: LedgerBench, since: number): Promise<number | undefined> {
  const known = await projectsOnRecord(ledger, NUMBER);
  return known.withInspectionNumber('A-1', { insuredBy: '', since })?.orderId;
}

describe('withInspectionNumber', () => {
  test('takes a linked project to be as young as the link', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const id = await recordOrder(ledger, NUMBER);
    await clock.advance(1000);
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', LINKED);
    expect([await orderSince(bench, clock.now()), await orderSince(bench, clock.now() + 1)]).toEqual([id, undefined]);
  });

  test('dates a project by the latest attempt', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const id = await recordOrder(ledger, NUMBER);
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', DOUBT);
    await ledger.moveOrder(id, 'unresolved', { to: 'ready', attemptUsed: true, code: 'not-found', reason: 'again' });
    await clock.advance(1000);
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', { to: 'created', project: projectTie('11'), adopted: false });
    expect([await orderSince(bench, clock.now()), await orderSince(bench, clock.now() + 1)]).toEqual([id, undefined]);
  });

  test('takes an unsent order for younger than any project', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    const created = await recordOrder(ledger, NUMBER);
    await ledger.beginAttempt(created, attemptOf());
    await ledger.moveOrder(created, 'submitting', { to: 'created', project: projectTie('11'), adopted: false });
    let unsent = 0;
    const file = { hash: 'aa', name: 'again.csv', layouts: [], notes: [] };
    await ledger.recordFile(file, async (transaction) => {
      unsent = transaction.addOrder(newOrder({ ...NUMBER, note: 'again' }, { identity: 'inspection:A-1#2' }));
      transaction.addRow(newRow({ outcome: 'order', orderId: unsent }));
    });
    expect(await orderSince(bench, clock.now())).toBe(unsent);
  });
});
