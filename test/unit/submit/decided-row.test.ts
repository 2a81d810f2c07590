import { expect, test } from 'vitest';
import type { OrderPayload, SheetLayout } from '../../../src/domain/row.ts';
import type { NewRow } from '../../../src/ledger/rows.ts';
import { discardDetails } from '../../../src/ledger/scratch-ledger.ts';
import { decidedRow, type OrderingRules, rowKeysOf } from '../../../src/submit/row-decision.ts';
import { recordCreated, validRow } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';
import { rowOnRecord } from '../../support/on-record.ts';

const DAY_MS = 86_400_000;

const layoutOf = (...fields: readonly string[]): readonly SheetLayout[] => [
  { sheet: 'Orders', headerRow: 1, columns: fields.map((field, index) => ({ index, header: field, field })) },
];

/** Drops a row after an order was created for the first details; the status is what was seen of its project. */
async function cameAgain(
  first: Partial<OrderPayload>,
  again: Partial<OrderPayload>,
  options: { status?: string; onDuplicate?: OrderingRules['onDuplicate']; columns?: readonly string[] } = {},
): Promise<{ row: NewRow; changed: readonly object[] }> {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  await recordCreated(ledger, '501', { inspectionNumber: 'A-1', ...first });
  await ledger.recordStatuses([{ id: '501', status: options.status ?? 'Customer Contacted' }]);
  let row: NewRow | undefined;
  await ledger.recordFile({ hash: 'again', name: 'again.csv', layouts: [], notes: [] }, async (transaction) => {
    const rules: OrderingRules = {
      onDuplicate: options.onDuplicate ?? 'link',
      whenNoKey: 'mark',
      renewalAfterDays: 300,
    };
    const read = validRow({ inspectionNumber: 'A-1', ...again });
    await transaction.expect([rowKeysOf(read)]);
    ({ row } = decidedRow(read, transaction, rules, clock.now() - 30 * DAY_MS, layoutOf(...(options.columns ?? []))));
    transaction.addRow(row);
  });
  if (row === undefined) throw new Error('the row was not decided');
  return { row, changed: await ledger.changedOrders(10) };
}

test('recognizes a repeated row in a dry run without its details', async () => {
  await using bench = await openLedgerBench();
  const told: (readonly [NewRow['outcome'], number | undefined])[] = [];
  await bench.ledger.recordFile({ hash: 'tonight', name: 'tonight.csv', layouts: [], notes: [] }, async (file) => {
    const transaction = discardDetails(file);
    for (const wish of [true, true]) {
      const { row } = decidedRow(
        validRow({ inspectionNumber: 'A-1' }, wish),
        transaction,
        { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 },
        0,
        [],
      );
      const recorded = await rowOnRecord(transaction, transaction.addRow(row));
      told.push([row.outcome, recorded?.record.cells.length]);
    }
  });
  expect(told).toEqual([
    ['order', 0],
    ['repeat', 0],
  ]);
});

const rulesOf = ({ problems }: NewRow) => problems.map(({ rule }) => rule);

test('lists the differences of a repeat and the choices, on record', async () => {
  const { row, changed } = await cameAgain({}, { insuredPhone: '555-0199' });
  expect(row.outcome).toBe('repeat');
  expect(rulesOf(row)).toEqual(['repeat', 'changed-after-ordering']);
  expect(row.problems[1]).toMatchObject({
    severity: 'warning',
    message: expect.stringMatching(/Insured phone: "555-0100" → "555-0199".*cancel 501/),
  });
  expect(changed).toMatchObject([
    {
      orderId: 1,
      projectId: '501',
      status: 'Customer Contacted',
      changes: [{ field: 'insuredPhone', ordered: '555-0100', now: '555-0199' }],
    },
  ]);
});

test('keeps an unchanged repeat a plain repeat', async () => {
  const { row, changed } = await cameAgain({}, {});
  expect([rulesOf(row), row.changes, changed]).toEqual([['repeat'], undefined, []]);
});

test('does not take a missing column for an emptied cell', async () => {
  expect((await cameAgain({ note: 'gate code 7' }, {})).row.changes).toBeUndefined();
  expect((await cameAgain({ note: 'gate code 7' }, {}, { columns: ['note'] })).row.changes).toEqual([
    { field: 'note', ordered: 'gate code 7', now: '' },
  ]);
});

test("offers the choices of the project's present status", async () => {
  const { row } = await cameAgain({}, { insuredPhone: '555-0199' }, { status: 'Site Inspected' });
  expect(row.problems[1]?.message).toMatch(/Too late: project 501 is "Site Inspected"/);
});

test('adds the differences to a rejected repeat', async () => {
  const { row, changed } = await cameAgain({}, { insuredPhone: '555-0199' }, { onDuplicate: 'reject' });
  expect([row.outcome, rulesOf(row), row.orderId, changed]).toEqual([
    'rejection',
    ['duplicate', 'changed-after-ordering'],
    null,
    [],
  ]);
});

test('does not compare with another order at a commercial address', async () => {
  const { row } = await cameAgain(
    {},
    { inspectionNumber: 'B-1', policyType: 'Commercial Property Insurance', houseType: 'Restaurant' },
  );
  expect([row.outcome, rulesOf(row)]).toEqual(['repeat', ['repeat-same-address']]);
});

/** Amends the policy number of an order, P-1, one after the other; gives the changes that rows with such numbers make. */
async function changesAfterAmends(amends: readonly string[], rows: readonly string[]) {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  await recordCreated(ledger, '501', { inspectionNumber: 'A-1', policyNumber: 'P-1' });
  for (const policyNumber of amends) {
    const request = { kind: 'amend', policyNumber } as const;
    const update = await ledger.beginUpdate({ projectId: '501', request, before: {}, source: null });
    await ledger.endUpdate(update ?? 0, { to: 'done', status: null, settled: false });
  }
  const rules = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 } as const;
  const changes: NewRow['changes'][] = [];
  await ledger.rehearseFile(async (transaction) => {
    for (const policyNumber of rows) {
      const read = validRow({ inspectionNumber: 'A-1', policyNumber });
      await transaction.expect([rowKeysOf(read)]);
      changes.push(decidedRow(read, transaction, rules, clock.now() - 30 * DAY_MS, []).row.changes);
    }
  });
  return changes;
}

test('ignores a difference that was amended already', async () => {
  expect(await changesAfterAmends(['P-2'], ['P-2', 'P-3'])).toEqual([
    undefined,
    [{ field: 'policyNumber', ordered: 'P-2', now: 'P-3' }],
  ]);
});

test('leaves an amendment alone if the row repeats the details as ordered', async () => {
  expect(await changesAfterAmends(['P-2'], ['P-1'])).toEqual([undefined]);
});

test('compares with the newest of several amendments', async () => {
  expect(await changesAfterAmends(['P-2', 'P-3'], ['P-3', 'P-2'])).toEqual([
    undefined,
    [{ field: 'policyNumber', ordered: 'P-3', now: 'P-2' }],
  ]);
});
