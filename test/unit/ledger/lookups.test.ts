import { describe, expect, test } from 'vitest';
import { decideRow, rowKeysOf } from '../../../src/submit/row-decision.ts';
import { recordOrder, validRow } from '../../support/order-factory.ts';
import { onRecord } from '../../support/on-record.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const DAY = 24 * 60 * 60 * 1000;
const RULES = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 } as const;

describe('KnownOrders.ordersOf', () => {
  test.each([
    ['leaves out an order with a number', { inspectionNumber: 'A-1' }, []],
    ['leaves out an order of a policy', { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' }, []],
    ['finds an order without numbers', {}, [1]],
    ['finds one with another spelling of the street', { streetAddress: '12 Oak St' }, [1]],
  ])('%s for a row without numbers', async (_what, ordered, found) => {
    await using bench = await openLedgerBench();
    await recordOrder(bench.ledger, ordered);
    const keys = rowKeysOf(validRow());
    expect((await onRecord(bench.ledger, keys)).ordersOf(keys).map(({ id }) => id)).toEqual(found);
  });

  test('orders a row without numbers after an old numbered order', async () => {
    await using bench = await openLedgerBench();
    await recordOrder(bench.ledger, { inspectionNumber: 'A-1' });
    await bench.clock.advance(31 * DAY);
    const row = validRow();
    const lookup = await onRecord(bench.ledger, rowKeysOf(row));
    expect(decideRow(row, RULES, bench.clock.now() - 30 * DAY, lookup).kind).toBe('order');
  });
});
