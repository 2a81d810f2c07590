import { expect, test } from 'vitest';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { NewOrder } from '../../../src/ledger/orders.ts';
import { openLedgerBench } from '../../support/run-bench.ts';
import { attemptOf, newOrder, projectTie, recordOrders, validRow, type ValidRow } from '../../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../../support/virtual-clock.ts';
import {
  decideRow,
  type OnDuplicate,
  type OrderingRules,
  type RowDecision,
  rowKeysOf,
} from '../../../src/submit/row-decision.ts';
import { onRecord } from '../../support/on-record.ts';

const DAY_MS = 86_400_000;
const RULES: OrderingRules = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 };

/** Decides these rows one after the other, as rows of one file: what is ordered goes on record first. */
async function decide(
  rows: readonly ValidRow[],
  options: { rules?: Partial<OrderingRules>; before?: readonly NewOrder[]; refused?: number; daysLater?: number } = {},
): Promise<readonly RowDecision[]> {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  const ids = await recordOrders(ledger, options.before ?? []);
  for (const id of ids.slice(0, options.refused ?? 0)) {
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', { to: 'refused', code: 'service-refused', reason: 'not there' });
  }
  await clock.advance((options.daysLater ?? 0) * DAY_MS);
  const decisions: RowDecision[] = [];
  await ledger.rehearseFile(async (transaction) => {
    await transaction.expect(rows.map(rowKeysOf));
    for (const row of rows) {
      const decision = decideRow(row, { ...RULES, ...options.rules }, clock.now() - 30 * DAY_MS, transaction);
      if (decision.kind === 'order') transaction.addOrder(decision.order);
      decisions.push(decision);
    }
  });
  return decisions;
}

const kinds = (decisions: readonly RowDecision[]) => decisions.map(({ kind }) => kind);
const ordered = (decision: RowDecision | undefined): NewOrder => {
  if (decision?.kind !== 'order') throw new Error(`not ordered, but a ${decision?.kind ?? 'nothing'}`);
  return decision.order;
};

const inspection: Partial<OrderPayload> = { inspectionNumber: 'A-1' };
const policy: Partial<OrderPayload> = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const shop: Partial<OrderPayload> = { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' };

test('orders a new row without allowing a duplicate', async () => {
  const [decision] = await decide([validRow(inspection)]);
  expect(ordered(decision)).toMatchObject({
    identity: 'inspection:A-1',
    allowDuplication: false,
    rowWish: null,
    reference: null,
    payload: { inspectionNumber: 'A-1' },
  });
  const [wanted] = await decide([validRow(inspection, true)]);
  expect(ordered(wanted)).toMatchObject({ allowDuplication: true, rowWish: true });
  const [unwanted] = await decide([validRow(inspection, false)], { rules: { onDuplicate: 'create' } });
  expect(ordered(unwanted)).toMatchObject({ allowDuplication: false, rowWish: false });
});

test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>]>([
  ['rule 3, the inspection number', inspection, { ...inspection, streetAddress: '9 Elm Road', policyNumber: 'other' }],
  ['rule 2, policy number and effective date', policy, { ...policy, insuredName: 'Bob' }],
  [
    'no key: address, service and insured, however they are written',
    {},
    { streetAddress: '12  OAK street.', insuredName: 'ann lee' },
  ],
  ['rule 4, the address of a commercial row', inspection, { ...shop, inspectionNumber: 'B-1' }],
])('recognizes a repeat by %s in the same or later file', async (_rule, first, second) => {
  expect(kinds(await decide([validRow(first), validRow(second)]))).toEqual(['order', 'repeat']);
  const [later] = await decide([validRow(second)], { before: [newOrder(first)] });
  expect(later).toMatchObject({
    kind: 'repeat',
    of: { order: { id: 1 } },
    why: expect.stringMatching(/row 2 .*\bOrders\b.* orders\.csv/),
  });
});

test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>]>([
  ['another inspection number', inspection, { inspectionNumber: 'A-2' }],
  ['another effective date', policy, { ...policy, policyEffectiveDate: '2027-01-01' }],
  ['another service without a key', {}, { serviceName: 'Exterior' }],
  ['another insured without a key', {}, { insuredName: 'Bob' }],
  ['the same address, not commercial', inspection, { inspectionNumber: 'A-2' }],
  ['a commercial row elsewhere', inspection, { ...shop, inspectionNumber: 'B-1', streetAddress: '9 Elm Road' }],
])('takes %s as another order', async (_what, first, second) => {
  expect(kinds(await decide([validRow(first), validRow(second)]))).toEqual(['order', 'order']);
});

test('recognizes an identity for years, a commercial neighbor for 30 days', async () => {
  const before = [newOrder(inspection)];
  const rows = [validRow(inspection), validRow({ ...shop, inspectionNumber: 'B-1' })];
  expect(kinds(await decide(rows, { before, daysLater: 30 }))).toEqual(['repeat', 'repeat']);
  expect(kinds(await decide(rows, { before, daysLater: 31 }))).toEqual(['repeat', 'order']);
});

test.each<[OnDuplicate, boolean | undefined, RowDecision['kind']]>([
  ['link', undefined, 'repeat'],
  ['skip', undefined, 'repeat'],
  ['reject', undefined, 'rejection'],
  ['create', undefined, 'order'],
  ['link', true, 'order'],
  ['skip', true, 'order'],
  ['reject', true, 'order'],
  ['create', false, 'repeat'],
  ['reject', false, 'rejection'],
])('decides a repeat under "%s" with %s in its cell: %s', async (onDuplicate, cell, expected) => {
  const [decision] = await decide([validRow({ ...inspection, insuredName: 'Bob' }, cell)], {
    rules: { onDuplicate },
    before: [newOrder(inspection)],
  });
  expect(decision).toMatchObject(
    expected === 'order' ? { kind: expected, order: { allowDuplication: true } } : { kind: expected },
  );
});

test('names the order of a rejected repeat and explains a second', async () => {
  const [decision] = await decide([validRow(inspection)], {
    rules: { onDuplicate: 'reject' },
    before: [newOrder(inspection)],
  });
  expect(decision).toMatchObject({
    kind: 'rejection',
    problems: [
      {
        rule: 'duplicate',
        severity: 'error',
        message: expect.stringMatching(/row 2 .*\bOrders\b.* orders\.csv.*"Allow duplicate"/),
      },
    ],
  });
});

const otherHouse: Partial<OrderPayload> = {
  ...inspection,
  streetAddress: '9 Elm Road',
  insuredName: 'Bob Ray',
  policyNumber: 'P-9',
};

test.each<[OnDuplicate, boolean | undefined, RowDecision['kind']]>([
  ['link', undefined, 'rejection'],
  ['skip', undefined, 'rejection'],
  ['reject', undefined, 'rejection'],
  ['link', false, 'rejection'],
  ['create', undefined, 'order'],
  ['link', true, 'order'],
])('decides a reused inspection number under "%s" with %s: %s', async (onDuplicate, cell, expected) => {
  const options = { rules: { onDuplicate } };
  expect(
    kinds(await decide([validRow({ ...inspection, policyNumber: 'P-1' }), validRow(otherHouse, cell)], options)),
  ).toEqual(['order', expected]);
  expect(kinds(await decide([validRow(otherHouse, cell)], { ...options, before: [newOrder(inspection)] }))).toEqual([
    expected,
  ]);
});

test('rejects a number used twice and describes the earlier order', async () => {
  const [decision] = await decide([validRow(otherHouse)], { before: [newOrder(inspection)], daysLater: 400 });
  const message = expect.stringMatching(
    / A-1 .*: 12 Oak Street, Cambridge, insured Ann Lee \(row 2 of sheet Orders in orders.csv, .* 2026-03-05\)/,
  ) as string;
  expect(decision).toMatchObject({
    kind: 'rejection',
    of: null,
    problems: [{ rule: 'number-used-twice', severity: 'error', field: 'inspectionNumber', value: 'A-1', message }],
  });
});

test.each<[string, Partial<OrderPayload>]>([
  ['address', { ...otherHouse, streetAddress: '12  OAK street.' }],
  ['insured', { ...otherHouse, insuredName: 'ann lee' }],
  ['policy number', { ...otherHouse, policyNumber: 'p1' }],
])('takes the same inspection number and %s as the same order', async (_what, fields) => {
  expect(
    kinds(await decide([validRow(fields)], { before: [newOrder({ ...inspection, policyNumber: 'P-1' })] })),
  ).toEqual(['repeat']);
});

test.each<[string, Partial<OrderPayload>]>([
  ['an inspection number', inspection],
  ['a policy number', policy],
  ['no key', {}],
])('does not order a wanted second row with %s again', async (_key, fields) => {
  const again = validRow({ ...fields, note: 'second visit' }, true);
  expect(kinds(await decide([again, again, again], { before: [newOrder(fields)] }))).toEqual([
    'order',
    'repeat',
    'repeat',
  ]);
  expect(kinds(await decide([again, again]))).toEqual(['order', 'repeat']);
  const third = validRow({ ...fields, note: 'third visit' }, true);
  expect(kinds(await decide([again, third, again, third]))).toEqual(['order', 'order', 'repeat', 'repeat']);
});

test.each<[string, Partial<OrderPayload>]>([
  ['an inspection number', inspection],
  ['a policy number', policy],
  ['no key', {}],
])('recognizes a wanted second row with %s after a refused first', async (_key, fields) => {
  const [second, third] = [
    validRow({ ...fields, note: 'second visit' }, true),
    validRow({ ...fields, note: 'third visit' }, true),
  ];
  const before = (await decide([validRow(fields), second, third])).map(ordered);
  const options = { before, refused: 1, daysLater: 31 };
  expect(kinds(await decide([second, third, third, second], options))).toEqual([
    'repeat',
    'repeat',
    'repeat',
    'repeat',
  ]);
  const [wanted, fourth] = [
    validRow({ ...fields, note: 'third visit' }),
    validRow({ ...fields, note: 'fourth visit' }, true),
  ];
  expect(kinds(await decide([wanted, fourth, fourth], options))).toEqual(['repeat', 'order', 'repeat']);
  expect(kinds(await decide([second, third], { ...options, rules: { onDuplicate: 'create' } }))).toEqual([
    'repeat',
    'repeat',
  ]);
});

test('recognizes each house of a policy, even after a refused first', async () => {
  const [first, second, third] = [
    validRow(policy),
    validRow({ ...policy, streetAddress: '9 Elm Road' }, true),
    validRow({ ...policy, streetAddress: '3 Ash Lane' }, true),
  ];
  const before = (await decide([first, second, third])).map(ordered);
  expect(kinds(await decide([second, third, validRow(second.payload), first], { before, refused: 1 }))).toEqual([
    'repeat',
    'repeat',
    'repeat',
    'rejection',
  ]);
});

test('does not take a longer inspection number for a repeat', async () => {
  expect(kinds(await decide([validRow(inspection)], { before: [newOrder({ inspectionNumber: 'A-1#2' })] }))).toEqual([
    'order',
  ]);
});

test("recognizes a wanted commercial neighbor's row after 30 days", async () => {
  const row = { ...shop, inspectionNumber: 'B-1' };
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  await recordOrders(ledger, [newOrder(inspection)]);
  const decideNow = async (one: ValidRow, file: string): Promise<RowDecision['kind']> => {
    let kind: RowDecision['kind'] = 'rejection';
    await ledger.recordFile({ hash: file, name: file, layouts: [], notes: [] }, async (transaction) => {
      await transaction.expect([rowKeysOf(one)]);
      const decision = decideRow(one, RULES, clock.now() - 30 * DAY_MS, transaction);
      if (decision.kind === 'order') transaction.addOrder(decision.order);
      kind = decision.kind;
    });
    return kind;
  };
  expect(await decideNow(validRow(row, true), 'first.csv')).toBe('order');
  await clock.advance(31 * DAY_MS);
  expect(clock.now()).toBeGreaterThan(VIRTUAL_START_MS);
  expect(await decideNow(validRow(row), 'second.csv')).toBe('repeat');
});

test('mark: adds a reference made of its content to the note', async () => {
  const [plain] = await decide([validRow()]);
  const [same] = await decide([validRow()]);
  const [other] = await decide([validRow({ note: 'gate code 7' })]);
  const { reference, payload } = ordered(plain);
  expect(reference).toMatch(/^IB-[0-9A-F]{12}$/);
  expect(payload.note).toBe(`[ref ${reference ?? ''}]`);
  expect(payload).not.toHaveProperty('inspectionNumber');
  expect(ordered(same).reference).toBe(reference);
  expect(ordered(other).payload.note).toBe(`gate code 7 [ref ${ordered(other).reference ?? ''}]`);
  expect(ordered(other).reference).not.toBe(reference);
  expect(plain).toMatchObject({ repairs: [{ field: 'note', held: '', sent: payload.note }] });
});

test('mint: makes a reference the inspection number and records a repair', async () => {
  const [decision, repeat] = await decide([validRow(), validRow()], { rules: { whenNoKey: 'mint' } });
  const { reference, payload, identity } = ordered(decision);
  expect(payload).toMatchObject({ inspectionNumber: reference });
  expect(payload).not.toHaveProperty('note');
  expect(payload.inspectionNumber).not.toMatch(/^(report_provided|closeout_report)/);
  expect(identity).toMatch(/^address:/);
  expect(decision).toMatchObject({ repairs: [{ field: 'inspectionNumber', held: '', sent: reference }] });
  expect(repeat?.kind).toBe('repeat');
});

test('hold: rejects only rows without a key, whatever the cell says', async () => {
  const decisions = await decide(
    [validRow(), validRow({}, true), validRow(inspection), validRow({ ...policy, insuredName: 'Bob' })],
    {
      rules: { whenNoKey: 'hold' },
    },
  );
  expect(kinds(decisions)).toEqual(['rejection', 'rejection', 'order', 'order']);
  expect(decisions[0]).toMatchObject({ problems: [{ rule: 'no-key', severity: 'error' }] });
});

test('sends an order with a key unchanged', async () => {
  const row = validRow({ ...policy, note: 'as it is' });
  const [decision] = await decide([row], { rules: { whenNoKey: 'mint' } });
  expect(ordered(decision)).toMatchObject({ reference: null, payload: row.payload });
  expect(decision).toMatchObject({ repairs: [] });
});

// The service does not see this duplicate.
test('warns of the same policy and date under another number', async () => {
  const [first, second, third] = await decide([
    validRow({ ...policy, ...inspection }),
    validRow({ ...policy, inspectionNumber: 'A-2' }),
    validRow({ ...policy, inspectionNumber: 'A-3', policyEffectiveDate: '2027-01-01' }),
  ]);
  expect(first).toMatchObject({ kind: 'order', warnings: [] });
  expect(second).toMatchObject({
    kind: 'order',
    warnings: [
      {
        rule: 'policy-ordered-under-another-number',
        severity: 'warning',
        message: expect.stringMatching(/P-1.*A-1.*order 1/),
      },
    ],
  });
  expect(third).toMatchObject({ kind: 'order', warnings: [] });
});

test('warns of no such policy where the row asks for a duplicate', async () => {
  const [, second] = await decide([
    validRow({ ...policy, ...inspection }),
    validRow({ ...policy, inspectionNumber: 'A-2' }, true),
  ]);
  expect(second).toMatchObject({ kind: 'order', warnings: [] });
});

// The service sees it for 30 days.
test('warns of a policy ordered before under an inspection number', async () => {
  const before = [newOrder({ ...policy, ...inspection })];
  const warning = async (daysLater: number): Promise<unknown> =>
    (await decide([validRow({ ...policy, insuredName: 'Bob Ray' })], { before, daysLater }))[0];
  expect(await warning(30)).toMatchObject({
    kind: 'order',
    warnings: [
      {
        rule: 'policy-ordered-under-another-number',
        message: expect.stringMatching(/A-1.*takes this row.*for a duplicate/),
      },
    ],
  });
  expect(await warning(31)).toMatchObject({
    kind: 'order',
    warnings: [{ rule: 'policy-ordered-under-another-number', message: expect.stringMatching(/A-1.*does not see/) }],
  });
});

test.each([
  ['Ann Lee', 'Lee, Ann'],
  ['Lee, Ann Q', 'Ann Q Lee'],
])('takes a row without numbers of %s for a repeat of %s', async (insuredName, before) => {
  const [decision] = await decide([validRow({ insuredName })], { before: [newOrder({ insuredName: before })] });
  expect(decision?.kind).toBe('repeat');
});

test('says that the service would not see a repeat after 30 days', async () => {
  const why = async (daysLater: number): Promise<string> => {
    const [decision] = await decide([validRow(inspection)], { before: [newOrder(inspection)], daysLater });
    return decision?.kind === 'repeat' ? decision.why : '';
  };
  expect(await why(30)).not.toContain('30 days');
  expect(await why(31)).toMatch(/ 2026-03-05.* 30 days/);
});

test('orders a canceled project again only with Yes, each time', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  const drop = async (row: ValidRow): Promise<RowDecision> => {
    const decision = decideRow(row, RULES, clock.now() - 30 * DAY_MS, await onRecord(ledger, rowKeysOf(row)));
    if (decision.kind === 'order')
      await recordOrders(ledger, [decision.order], `${clock.now()} ${decision.order.identity}`);
    return decision;
  };
  const cancel = async (orderId: number): Promise<void> => {
    const projectId = String(100 + orderId);
    await ledger.beginAttempt(orderId, attemptOf());
    await ledger.moveOrder(orderId, 'submitting', { to: 'created', project: projectTie(projectId), adopted: false });
    await ledger.recordStatuses([{ id: projectId, status: 'Project Canceled' }]);
  };
  const again = validRow(inspection, true);
  await drop(validRow(inspection));
  await cancel(1);
  expect(await drop(validRow(inspection))).toMatchObject({
    kind: 'repeat',
    why: expect.stringMatching(/was canceled: .*"Allow duplicate"/),
  });
  for (const orderId of [2, 3, 4]) {
    expect((await drop(again)).kind).toBe('order');
    expect((await drop(again)).kind).toBe('repeat');
    // While one of them lives, the row repeats that one.
    const plain = await drop(validRow(inspection));
    expect(plain).toMatchObject({
      kind: 'repeat',
      of: { order: { id: orderId } },
      why: expect.not.stringContaining('was canceled'),
    });
    await cancel(orderId);
  }
});
