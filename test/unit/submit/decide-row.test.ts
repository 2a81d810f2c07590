import { describe, expect, test } from 'vitest';
import { identityOf, keyOfRenewal, keyOfRepeat, payloadHash } from '../../../src/domain/identity.ts';
import {
  type OrderPayload,
  type Problem,
  type RowOutcome,
  rowProblem,
  type SheetLayout,
  withoutDetails,
} from '../../../src/domain/row.ts';
import type { NewOrder } from '../../../src/ledger/orders.ts';
import {
  type DecidedRow,
  decidedRow,
  decideRow,
  finalPayload,
  type OrderingRules,
  type RowDecision,
  rowKeysOf,
  rowSummaryOf,
} from '../../../src/submit/row-decision.ts';
import { lookupOf, orderOnRecord } from '../../support/known-orders.ts';
import { orderPayload, rowRecord, validRow, type ValidRow } from '../../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../../support/virtual-clock.ts';

const RULES: OrderingRules = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 };
const NUMBER = { inspectionNumber: 'A-1' };
const POLICY = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const NEXT_YEAR = { ...NUMBER, policyEffectiveDate: '2027-01-01' };
const SHOP: Partial<OrderPayload> = { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' };
const ELSEWHERE = { streetAddress: '9 Elm Road', city: 'Boston', zipcode: '02108' };

type Records = Parameters<typeof lookupOf>[0];

const decide = (row: ValidRow, on: Records = {}, rules: Partial<OrderingRules> = {}): RowDecision =>
  decideRow(row, { ...RULES, ...rules }, VIRTUAL_START_MS, lookupOf(on));

function ordered(row: ValidRow, on: Records = {}, rules: Partial<OrderingRules> = {}): NewOrder {
  const decision = decide(row, on, rules);
  if (decision.kind !== 'order') throw new Error(`not ordered: ${decision.kind}`);
  return decision.order;
}

describe('rowKeysOf', () => {
  test('has an address key only for a commercial row', () => {
    expect(rowKeysOf(validRow(POLICY))).toMatchObject({
      identity: 'policy:["P-1","2026-01-01"]',
      policyKey: '["P-1","2026-01-01"]',
      addressKey: null,
    });
    expect(rowKeysOf(validRow(SHOP)).addressKey).toBe('12 oak street|cambridge|ma|02139');
  });
});

describe('decideRow', () => {
  test('orders a row that is not on record', () => {
    const order = ordered(validRow({ ...NUMBER, ...POLICY }));
    expect(order).toMatchObject({
      identity: 'inspection:A-1',
      policyKey: '["P-1","2026-01-01"]',
      addressKey: '12 oak street|cambridge|ma|02139',
      renews: null,
      allowDuplication: false,
      rowWish: null,
      reference: null,
    });
    expect(order.payloadHash).toBe(payloadHash(order.payload));
  });

  test.each([
    [true, true],
    [false, false],
  ])('keeps a cell that says %s in a new order', (cell, allowDuplication) => {
    expect(ordered(validRow(NUMBER, cell))).toMatchObject({ allowDuplication, rowWish: cell });
  });

  test('rejects a row without a key only under "hold"', () => {
    expect(decide(validRow(), {}, { whenNoKey: 'hold' })).toMatchObject({
      kind: 'rejection',
      of: null,
      problems: [{ rule: 'no-key' }],
    });
    expect(decide(validRow(NUMBER), {}, { whenNoKey: 'hold' }).kind).toBe('order');
    expect(decide(validRow(POLICY), {}, { whenNoKey: 'hold' }).kind).toBe('order');
    expect(decide(validRow()).kind).toBe('order');
  });

  test('recognizes a repeat without a key under "hold"', () => {
    const on = { ofIdentity: [orderOnRecord()] };
    expect(decide(validRow(), on, { whenNoKey: 'hold' }).kind).toBe('repeat');
    expect(decide(validRow({}, true), on, { whenNoKey: 'hold' })).toMatchObject({ problems: [{ rule: 'no-key' }] });
  });

  test('warns of an order of the same policy under another number', () => {
    const decision = decide(validRow({ ...NUMBER, ...POLICY }), { ofPolicy: orderOnRecord(POLICY) });
    expect(decision).toMatchObject({ kind: 'order', warnings: [{ rule: 'policy-ordered-under-another-number' }] });
  });

  test.each(['link', 'skip'] as const)('ties a repeat to its order under "%s"', (onDuplicate) => {
    const order = orderOnRecord(NUMBER);
    expect(decide(validRow(NUMBER), { ofIdentity: [order] }, { onDuplicate })).toMatchObject({
      kind: 'repeat',
      of: { order, sameIdentity: true },
      identity: undefined,
    });
  });

  test("gives the order a repeat's identity if only the house matched", () => {
    expect(decide(validRow(NUMBER), { ofSubject: [orderOnRecord()] })).toMatchObject({
      kind: 'repeat',
      identity: 'inspection:A-1',
      news: { rule: 'repeat-without-numbers' },
    });
  });

  test('rejects a repeat under "reject" and names its order', () => {
    const order = orderOnRecord(NUMBER);
    expect(decide(validRow(NUMBER), { ofIdentity: [order] }, { onDuplicate: 'reject' })).toMatchObject({
      kind: 'rejection',
      of: { order },
      problems: [{ rule: 'duplicate' }],
    });
  });

  test('ranks No in the cell above "create"', () => {
    const on = { ofIdentity: [orderOnRecord(NUMBER)] };
    expect(decide(validRow(NUMBER, false), on, { onDuplicate: 'create' }).kind).toBe('repeat');
    expect(decide(validRow(NUMBER, false), on, { onDuplicate: 'reject' }).kind).toBe('rejection');
  });

  test('rejects a policy used for another house unless a duplicate is wanted', () => {
    const row = { ...POLICY, ...ELSEWHERE };
    const on = { ofIdentity: [orderOnRecord(POLICY)] };
    expect(decide(validRow(row), on)).toMatchObject({
      kind: 'rejection',
      of: null,
      problems: [{ rule: 'policy-used-for-another-house' }],
    });
    expect(decide(validRow(row, true), on).kind).toBe('order');
    expect(decide(validRow(row), on, { onDuplicate: 'create' }).kind).toBe('order');
  });

  describe('renewals', () => {
    const first = orderOnRecord({ ...NUMBER, ...POLICY }, { id: 3 });
    const on = { ofIdentity: [first] };
    const key = keyOfRenewal('inspection:A-1', '2027-01-01');

    test.each(['link', 'reject', 'create'] as const)('orders a later term under "%s"', (onDuplicate) => {
      expect(decide(validRow(NEXT_YEAR), on, { onDuplicate })).toMatchObject({
        kind: 'order',
        order: { identity: key, renews: 3, allowDuplication: false },
        warnings: [{ rule: 'renewal', severity: 'warning', message: expect.stringContaining('project 501: ') }],
      });
    });

    test('names the order if it has no project', () => {
      const decision = decide(validRow(NEXT_YEAR), { ofIdentity: [{ ...first, projectId: null }] });
      expect(decision).toMatchObject({ warnings: [{ message: expect.stringContaining('order 3') }] });
    });

    test('treats a renewal on record as a repeat', () => {
      const renewal = orderOnRecord(NEXT_YEAR, { id: 4 });
      expect(decide(validRow(NEXT_YEAR), { ...on, living: { [key]: renewal } })).toMatchObject({
        kind: 'repeat',
        of: { order: { id: 4 }, sameIdentity: true },
      });
    });

    test('treats a later term with Yes as second order', () => {
      expect(ordered(validRow(NEXT_YEAR, true), on)).toMatchObject({ renews: null, allowDuplication: true });
    });

    test('does not renew for a stranger, even under "create"', () => {
      const row = validRow({ ...NEXT_YEAR, ...ELSEWHERE, insuredName: 'Bob Ray' });
      expect(ordered(row, on, { onDuplicate: 'create' })).toMatchObject({ renews: null, allowDuplication: true });
    });
  });

  describe('a wanted second order', () => {
    const first = orderOnRecord(NUMBER);
    const row = validRow(NUMBER, true);
    const repeat = keyOfRepeat('inspection:A-1', row.payload);
    const on = { ofIdentity: [first], living: { 'inspection:A-1': first } };

    test('gives it an identity made of its content', () => {
      expect(ordered(row, on)).toMatchObject({ identity: repeat, allowDuplication: true, rowWish: true });
    });

    test('treats the row that allowed a duplicate as a repeat', () => {
      const allowed = { ...first, allowDuplication: true };
      expect(decide(row, { ...on, ofIdentity: [allowed] })).toMatchObject({
        kind: 'repeat',
        of: { order: { id: 1 }, sameIdentity: true },
      });
      expect(decide(validRow({ ...NUMBER, note: 'x' }, true), { ...on, ofIdentity: [allowed] }).kind).toBe('order');
    });

    test('recognizes an order with forgotten details by its hash', () => {
      const allowed = { ...first, payload: withoutDetails(first.payload), allowDuplication: true };
      expect(decide(row, { ...on, ofIdentity: [allowed] }).kind).toBe('repeat');
      expect(decide(row, { ...on, ofIdentity: [{ ...allowed, payloadHash: 'another' }] }).kind).toBe('order');
    });

    test('compares an order without a key including its mark', () => {
      const keyless = validRow({}, true);
      const identity = identityOf(keyless.payload);
      const { payload, reference } = finalPayload(keyless.payload, identity, RULES);
      const allowed = orderOnRecord(payload, { identity, reference, allowDuplication: true });
      expect(decide(keyless, { ofIdentity: [allowed] }).kind).toBe('repeat');
    });

    test('treats one ordered already as a repeat of that order', () => {
      const second = orderOnRecord(NUMBER, { id: 2, projectId: '502' });
      const twice = { ...on, living: { ...on.living, [repeat]: second } };
      expect(decide(row, twice)).toMatchObject({ kind: 'repeat', of: { order: { id: 2 }, sameIdentity: true } });
    });

    test('orders a canceled one again only for a person', () => {
      const second = orderOnRecord(NUMBER, { id: 2, projectId: '502' });
      const twice = { ...on, living: { ...on.living, [repeat]: second }, ends: { 502: 'canceled' } as const };
      expect(ordered(row, twice).identity).toBe(`${repeat}#3`);
      expect(decide(validRow(NUMBER), twice, { onDuplicate: 'create' }).kind).toBe('repeat');
      expect(decide(row, { ...twice, ends: { 502: 'closed-out' } }).kind).toBe('repeat');
      const thrice = { ...twice, living: { ...twice.living, [`${repeat}#3`]: { ...second, id: 3 } } };
      expect(ordered(row, thrice).identity).toBe(`${repeat}#4`);
    });

    test('orders a new one after a canceled order that allowed duplicates', () => {
      const allowed = { ...first, allowDuplication: true };
      const canceled = { ...on, ofIdentity: [allowed], ends: { 501: 'canceled' } as const };
      expect(decide(row, canceled).kind).toBe('order');
      expect(decide(validRow(NUMBER), canceled, { onDuplicate: 'create' }).kind).toBe('repeat');
    });

    test("gives a neighbor's row its own identity if it is free", () => {
      const shop = validRow({ ...SHOP, ...NUMBER }, true);
      const neighbor = { atAddress: orderOnRecord({ inspectionNumber: 'B-1' }, { id: 9 }) };
      expect(ordered(shop, neighbor).identity).toBe('inspection:A-1');
      const again = keyOfRepeat('inspection:A-1', shop.payload);
      expect(ordered(shop, { ...neighbor, orderedAgain: first }).identity).toBe(again);
      expect(ordered(shop, { ...neighbor, living: { 'inspection:A-1': first } }).identity).toBe(again);
    });
  });
});

describe('finalPayload', () => {
  const payload = orderPayload();

  test.each([NUMBER, POLICY])('changes nothing in a row with a key: %o', (key) => {
    const keyed = orderPayload(key);
    expect(finalPayload(keyed, identityOf(keyed), RULES)).toEqual({ payload: keyed, reference: null, repairs: [] });
  });

  test('marks the note and records a repair', () => {
    const { reference, ...marked } = finalPayload(payload, 'id', RULES);
    expect(reference).toMatch(/^IB-[0-9A-F]{12}$/);
    expect(marked.payload).toEqual({ ...payload, note: `[ref ${reference}]` });
    expect(marked.repairs).toMatchObject([{ field: 'note', held: '', sent: `[ref ${reference}]` }]);
    const noted = finalPayload({ ...payload, note: 'Gate is open' }, 'id', RULES);
    expect(noted.payload.note).toBe(`Gate is open [ref ${noted.reference}]`);
    expect(noted.repairs).toMatchObject([{ held: 'Gate is open' }]);
  });

  test('makes the inspection number and records a repair', () => {
    const { reference, ...minted } = finalPayload(payload, 'id', { ...RULES, whenNoKey: 'mint' });
    expect(minted.payload).toEqual({ ...payload, inspectionNumber: reference });
    expect(minted.repairs).toMatchObject([{ field: 'inspectionNumber', held: '', sent: reference }]);
  });

  test('makes another reference for another identity', () => {
    expect(finalPayload(payload, 'one', RULES).reference).not.toBe(finalPayload(payload, 'other', RULES).reference);
  });
});

describe('decidedRow', () => {
  const WARNING = rowProblem('warning', 'odd', '');
  const REPAIR = { field: 'city', column: '', cell: '', held: 'Cambrige', sent: 'Cambridge', why: '' };
  const LAYOUT: SheetLayout = {
    sheet: 'Orders',
    headerRow: 1,
    columns: [
      { index: 0, header: 'Insured', field: 'insuredName' },
      { index: 1, header: 'Street', field: 'streetAddress' },
      { index: 2, header: 'Policy', field: 'policyNumber' },
      { index: 3, header: 'Agent', field: 'agentName' },
    ],
  };

  function decided(
    outcome: RowOutcome,
    on: Records = {},
    options: { layouts?: readonly SheetLayout[]; rules?: Partial<OrderingRules>; before?: Problem } = {},
  ): DecidedRow & { readonly added: readonly unknown[] } {
    const added: unknown[] = [];
    const transaction = {
      ...lookupOf(on),
      addOrder: (order: NewOrder) => added.push(order) + 40,
      addIdentity: (identity: string) => void added.push(identity),
    };
    const known = { objection: (_row: unknown, insists: boolean) => (insists ? null : (options.before ?? null)) };
    const rules = { ...RULES, ...options.rules };
    const layouts = options.layouts ?? [];
    return { ...decidedRow(outcome, transaction, rules, VIRTUAL_START_MS, layouts, known), added };
  }

  test('records a new order', () => {
    const { row, added } = decided({ ...validRow(), warnings: [WARNING], repairs: [REPAIR] });
    expect(added).toHaveLength(1);
    expect(row).toMatchObject({
      outcome: 'order',
      orderId: 41,
      problems: [WARNING],
      repairs: [REPAIR, { field: 'note' }],
      summary: { insuredName: 'Ann Lee', streetAddress: '12 Oak Street', policyNumber: '', inspectionNumber: '' },
    });
    expect(row.summary).not.toHaveProperty('agentName');
    const { summary } = decided(validRow({ agentName: 'Sue', dueDate: '2026-11-08' })).row;
    expect(summary).toMatchObject({ agentName: 'Sue', dueDate: '2026-11-08' });
  });

  test("puts a renewal's warning after those of the row", () => {
    const on = { ofIdentity: [orderOnRecord({ ...NUMBER, ...POLICY })] };
    const { row } = decided({ ...validRow(NEXT_YEAR), warnings: [WARNING] }, on);
    expect(row.problems).toMatchObject([WARNING, { rule: 'renewal' }]);
  });

  test('ties a repeat to its order without news', () => {
    const { row, added, decision } = decided(
      { ...validRow(NUMBER), warnings: [WARNING] },
      { ofIdentity: [orderOnRecord(NUMBER)] },
    );
    expect([added, decision?.kind]).toEqual([[], 'repeat']);
    expect(row).toMatchObject({ outcome: 'repeat', orderId: 1, problems: [WARNING, { rule: 'repeat' }] });
    expect(row).not.toHaveProperty('news');
    expect(row).not.toHaveProperty('changes');
  });

  test('ties a row with numbers to the order without them', () => {
    const { row, added } = decided(validRow(NUMBER), { ofSubject: [orderOnRecord()] });
    expect(added).toEqual(['inspection:A-1']);
    expect(row).toMatchObject({ news: '1 without-numbers', problems: [{ rule: 'repeat-without-numbers' }, {}] });
  });

  test('adds no order for a rejected row', () => {
    const { row, added } = decided(
      validRow(NUMBER),
      { ofIdentity: [orderOnRecord(NUMBER)] },
      { rules: { onDuplicate: 'reject' } },
    );
    expect(added).toEqual([]);
    expect(row).toMatchObject({ outcome: 'rejection', orderId: null, problems: [{ rule: 'duplicate' }] });
  });

  describe('changes since the order', () => {
    const on = { ofIdentity: [orderOnRecord({ ...NUMBER, note: 'Gate is open' })] };
    const moved = { ...NUMBER, insuredName: 'Ann B. Lee' };

    test('follow the repeat or the problem', () => {
      const repeat = decided({ ...validRow(moved), warnings: [WARNING] }, on).row;
      expect(repeat.changes).toEqual([{ field: 'insuredName', ordered: 'Ann Lee', now: 'Ann B. Lee' }]);
      expect(repeat.problems.map(({ rule }) => rule)).toEqual(['odd', 'repeat', 'changed-after-ordering']);
      const rejected = decided({ ...validRow(moved), warnings: [WARNING] }, on, { rules: { onDuplicate: 'reject' } });
      expect(rejected.row.problems.map(({ rule }) => rule)).toEqual(['duplicate', 'changed-after-ordering', 'odd']);
    });

    test('include an emptied cell, but not a missing column', () => {
      const columns = [{ index: 9, header: 'Note', field: 'note' }];
      const { row } = decided(validRow(NUMBER), on, { layouts: [{ ...LAYOUT, columns }] });
      expect(row.changes).toEqual([{ field: 'note', ordered: 'Gate is open', now: '' }]);
      expect(decided(validRow(NUMBER), on).row).not.toHaveProperty('changes');
    });

    test('are compared with the policy as amended', () => {
      const amended = { 501: { policyNumber: 'P-2' } };
      const changes = (row: Partial<OrderPayload>) =>
        decided(validRow({ ...NUMBER, note: 'Gate is open', ...row }), { ...on, amended }).row.changes;
      expect(changes({ policyNumber: 'P-2' })).toBeUndefined();
      expect(changes({ policyNumber: 'P-1' })).toMatchObject([{ field: 'policyNumber', ordered: 'P-2' }]);
    });

    test('are unknown for a neighbor and for forgotten details', () => {
      const neighbor = { atAddress: orderOnRecord({ inspectionNumber: 'B-1' }, { id: 9 }) };
      expect(decided(validRow({ ...SHOP, ...moved }), neighbor).row).not.toHaveProperty('changes');
      const forgotten = orderOnRecord(NUMBER);
      const bare = { ofIdentity: [{ ...forgotten, payload: withoutDetails(forgotten.payload) }] };
      expect(decided(validRow(moved), bare).row).not.toHaveProperty('changes');
    });
  });

  describe('a row ordered before under other numbers', () => {
    const before = rowProblem('error', 'ordered-before', '');

    test('is rejected', () => {
      const { row, added } = decided(validRow(NUMBER), {}, { before });
      expect(added).toEqual([]);
      expect(row).toMatchObject({ outcome: 'rejection', orderId: null, problems: [before] });
    });

    test.each<[string, ValidRow, Records, Partial<OrderingRules>]>([
      ['the row says Yes', validRow(NUMBER, true), {}, {}],
      ['duplicates are created', validRow(NUMBER), {}, { onDuplicate: 'create' }],
    ])('is ordered if %s', (_what, row, on, rules) => {
      expect(decided(row, on, { rules, before }).row.outcome).toBe('order');
    });

    test('stays a repeat', () => {
      expect(decided(validRow(NUMBER), { ofIdentity: [orderOnRecord(NUMBER)] }, { before }).row.outcome).toBe('repeat');
    });
  });

  test('keeps a wrong row as it is, with its cells', () => {
    const record = {
      ...rowRecord(2),
      cells: [
        { kind: 'text', text: 'Ann Lee' },
        { kind: 'boolean', value: true },
        { kind: 'number', value: 7, raw: '007' },
        undefined,
      ] as const,
    };
    const wrong: RowOutcome = { kind: 'rejection', record, problems: [WARNING], repairs: [REPAIR] };
    const { row, decision, added } = decided(
      wrong,
      {},
      { layouts: [{ ...LAYOUT, sheet: 'Other', columns: [] }, LAYOUT] },
    );
    expect([decision, added]).toEqual([null, []]);
    expect(row).toEqual({
      record,
      outcome: 'rejection',
      orderId: null,
      problems: [WARNING],
      repairs: [REPAIR],
      summary: { insuredName: 'Ann Lee', streetAddress: '', policyNumber: '007', inspectionNumber: '' },
    });
    const dated = { ...record, cells: [{ kind: 'date', iso: '2026-03-05', raw: '46086' }] as const };
    expect(decided({ ...wrong, record: dated }, {}, { layouts: [LAYOUT] }).row.summary.insuredName).toBe('46086');
  });
});

describe('rowSummaryOf', () => {
  test('reads the due date of a rejected row as a date', () => {
    const cells = [{ kind: 'date', iso: '2026-11-08T00:00:00', raw: '46334' }] as const;
    const rejected: RowOutcome = {
      kind: 'rejection',
      record: { ...rowRecord(2), cells },
      problems: [],
      repairs: [],
    };
    const layout = { columns: [{ index: 0, field: 'dueDate' }] } as unknown as SheetLayout;
    expect(rowSummaryOf(rejected, layout).dueDate).toBe('2026-11-08');
  });

  test('reads the street of a rejected row as it is put together', () => {
    const sent = '432 Salem Cir, Bldg 1';
    const repair = { field: 'streetAddress', column: 'Street', cell: 'B2', held: '432 Salem Cir', sent, why: '' };
    const cells = ['1', '432 Salem Cir'].map((text) => ({ kind: 'text', text }) as const);
    const rejected: RowOutcome = {
      kind: 'rejection',
      record: { ...rowRecord(2), cells },
      problems: [],
      repairs: [repair],
    };
    const columns = cells.map((_, index) => ({ index, field: 'streetAddress' }));
    expect(rowSummaryOf(rejected, { columns } as unknown as SheetLayout).streetAddress).toBe(sent);
  });

  test('reads the due date of a rejected row as it would be sent', () => {
    const repair = { field: 'dueDate', column: 'Due', cell: 'A2', held: '11/8/2026', sent: '2026-11-08', why: '' };
    const cells = [{ kind: 'text', text: '11/8/2026' }] as const;
    const rejected: RowOutcome = {
      kind: 'rejection',
      record: { ...rowRecord(2), cells },
      problems: [],
      repairs: [repair],
    };
    const layout = { columns: [{ index: 0, field: 'dueDate' }] } as unknown as SheetLayout;
    expect(rowSummaryOf(rejected, layout).dueDate).toBe('2026-11-08');
  });
});
