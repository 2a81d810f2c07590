import { expect, test } from 'vitest';
import { nextStep } from '../../../src/cli/status-stories.ts';
import { localTime } from '../../../src/cli/terminal.ts';
import { attemptOf, newOrder, recordOrders } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

// One that allows a duplicate is sent again only in another night.
test('whatIsNext says when an uncertain order may be sent again', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  const quarantineMs = 300_000;
  const told: string[] = [];
  for (const id of await recordOrders(ledger, [
    newOrder({ inspectionNumber: 'A-1' }),
    newOrder({ inspectionNumber: 'A-2' }, { allowDuplication: true }),
  ])) {
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: 'no answer',
      uncertainSince: clock.now(),
    });
    const order = await ledger.order(id);
    if (order !== null) told.push(nextStep(order, { project: null, updates: [], quarantineMs }));
  }
  expect(told).toEqual([
    expect.stringContaining(localTime(clock.now() + quarantineMs)),
    expect.stringContaining(localTime(clock.now() + 12 * 3_600_000)),
  ]);
});
