import { describe, expect, test } from 'vitest';
import { subjectKey } from '../../../src/domain/identity.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import { type ExistingOrder, findExisting, type LookupRules } from '../../../src/submit/repeated-order.ts';
import { lookupOf, orderOnRecord } from '../../support/known-orders.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../../support/virtual-clock.ts';

const NUMBER = { inspectionNumber: 'A-1' };
const POLICY = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const NEXT_YEAR = { policyEffectiveDate: '2027-01-01' };
const SHOP: Partial<OrderPayload> = { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' };
const PLACE = { file: 'june.xlsx', sheet: 'Orders', rowNumber: 7 };

/** The window begins when the orders of these tests were recorded. */
const RULES: LookupRules = { renewalAfterDays: 300, windowStart: VIRTUAL_START_MS };
const OLD = { createdAt: VIRTUAL_START_MS - 1 };

function found(
  row: Partial<OrderPayload>,
  on: Parameters<typeof lookupOf>[0],
  rules: Partial<LookupRules> = {},
): ExistingOrder {
  const existing = findExisting(orderPayload(row), { ...RULES, ...rules }, lookupOf({ place: PLACE, ...on }));
  if (existing === null) throw new Error('nothing was found');
  return existing;
}

describe('findExisting', () => {
  test('finds nothing without records', () => {
    expect(findExisting(orderPayload(NUMBER), RULES, lookupOf())).toBeNull();
    expect(findExisting(orderPayload({ ...NUMBER, ...SHOP }), RULES, lookupOf())).toBeNull();
  });

  test('looks for the row by its numbers and its house, service and insured', () => {
    const asked: unknown[] = [];
    const ledger = { ...lookupOf(), ordersOf: (keys: unknown) => (asked.push(keys), []) };
    findExisting(orderPayload({ insuredName: 'Lee, Ann' }), RULES, ledger);
    const subject = subjectKey(orderPayload({ insuredName: 'Ann Lee' }));
    expect(asked).toEqual([{ identity: expect.stringMatching(/./) as unknown, subjectKey: subject }]);
  });

  test('names the order that a row repeats', () => {
    const order = orderOnRecord(NUMBER);
    expect(found(NUMBER, { ofIdentity: [order] })).toEqual({
      repeated: { order, sameIdentity: true },
      why: expect.stringMatching(/A-1 .*already on record.* 7 .* june[.]xlsx, .* 2026-03-05 .* 501[.]$/),
      news: undefined,
      renewal: null,
      isKnownByNumbers: true,
    });
  });

  test("says that the service would not see an old order's repeat", () => {
    expect(found(NUMBER, { ofIdentity: [orderOnRecord(NUMBER, OLD)] }).why).toContain('past 30 days');
    expect(found(NUMBER, { ofIdentity: [orderOnRecord(NUMBER)] }).why).not.toContain('past 30 days');
  });

  test('describes an order of a dry run as earlier', () => {
    const order = orderOnRecord(NUMBER, { id: 2 ** 52, projectId: null });
    expect(found(NUMBER, { ofIdentity: [order] }).why).toMatch(/A-1 is already listed: .* june[.]xlsx[.]$/);
  });

  test('prefers living orders to ended ones', () => {
    const ended = orderOnRecord(NUMBER, { id: 2, projectId: '502' });
    const living = orderOnRecord(NUMBER, { id: 1 });
    const { repeated } = found(NUMBER, { ofIdentity: [ended, living], ends: { 502: 'canceled' } });
    expect(repeated.order.id).toBe(1);
  });

  test("prefers the living order with the row's own identity", () => {
    const again = orderOnRecord(NUMBER, { id: 2, identity: 'inspection:A-1#0123456789abcdef' });
    expect(found(NUMBER, { ofIdentity: [again, orderOnRecord(NUMBER)] }).repeated.order.id).toBe(1);
  });

  test('prefers a living order of another identity to an ended one', () => {
    const ended = orderOnRecord(NUMBER, { id: 1 });
    const again = orderOnRecord(NUMBER, { id: 2, identity: 'inspection:A-1#1', projectId: null });
    const { repeated } = found(NUMBER, { ofIdentity: [ended, again], ends: { 501: 'canceled' } });
    expect(repeated.order.id).toBe(2);
  });

  test('takes an order for another house only if there is no other', () => {
    const elsewhere = orderOnRecord({ ...POLICY, streetAddress: '9 Elm Road' }, { id: 2 });
    expect(found(POLICY, { ofIdentity: [elsewhere, orderOnRecord(POLICY)] }).repeated.order.id).toBe(1);
    expect(found(POLICY, { ofIdentity: [elsewhere] }).repeated.order.id).toBe(2);
  });

  test('takes a later term as a renewal after the configured days', () => {
    const order = orderOnRecord({ ...NUMBER, ...POLICY });
    expect(found({ ...NUMBER, ...NEXT_YEAR }, { ofIdentity: [order] })).toMatchObject({
      renewal: '2027-01-01',
      news: undefined,
    });
    expect(found({ ...NUMBER, ...NEXT_YEAR }, { ofIdentity: [order] }, { renewalAfterDays: 366 }).renewal).toBeNull();
    expect(found({ ...NUMBER, ...NEXT_YEAR }, { ofIdentity: [order] }, { renewalAfterDays: null }).renewal).toBeNull();
  });

  test('compares a term with the amended one', () => {
    const order = orderOnRecord({ ...NUMBER, ...POLICY });
    const amended = { 501: { policyEffectiveDate: '2027-01-01' } };
    expect(found({ ...NUMBER, ...NEXT_YEAR }, { ofIdentity: [order], amended })).toMatchObject({
      renewal: null,
      news: undefined,
    });
  });

  test('takes a policy with its date as repeat at any due date', () => {
    const order = orderOnRecord({ ...POLICY, dueDate: '2026-02-01' });
    expect(found({ ...POLICY, dueDate: '2027-02-01' }, { ofIdentity: [order] })).toMatchObject({
      renewal: null,
      news: undefined,
    });
  });

  test('dates a policy without a date by its due date', () => {
    const order = orderOnRecord({ policyNumber: 'P-1', dueDate: '2026-02-01' });
    expect(found({ policyNumber: 'P-1', dueDate: '2027-02-01' }, { ofIdentity: [order] }).renewal).toBe('2027-02-01');
  });

  test("accepts an amended policy's former number and either date", () => {
    const order = orderOnRecord({ ...POLICY, policyNumber: 'P-0' });
    const amended = { 501: { policyNumber: 'P-1' } };
    expect(found(POLICY, { ofIdentity: [order], amended })).toMatchObject({ isKnownByNumbers: true, news: undefined });
  });

  test('recognizes a row without numbers by its house within the window', () => {
    const order = orderOnRecord(NUMBER);
    const existing = found({}, { ofSubject: [order] });
    expect(existing).toMatchObject({
      repeated: { order: { id: 1 }, sameIdentity: true },
      isKnownByNumbers: false,
      renewal: null,
      news: { subject: '1 without-numbers', rule: 'repeat-without-numbers' },
    });
    expect(existing.why).toContain('with numbers');
    expect(existing.why).toMatch(/"Allow duplicate"[.]$/);
    expect(findExisting(orderPayload(), RULES, lookupOf({ ofSubject: [orderOnRecord(NUMBER, OLD)] }))).toBeNull();
  });

  test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>]>([
    ['inspection number', { ...NUMBER, ...POLICY }, POLICY],
    ['policy number, at the same date', POLICY, { policyEffectiveDate: '2026-01-01' }],
    ['numbers, at the same due date', { ...NUMBER, dueDate: '2026-02-01' }, { dueDate: '2026-02-01' }],
    ['effective date, of the same policy', POLICY, { policyNumber: 'P-1' }],
    ['number and date, of the same policy', { ...NUMBER, ...POLICY }, { policyNumber: 'P-1' }],
  ])('finds an order of any age if one side lacks the %s', (_what, one, other) => {
    for (const [ordered, row] of [
      [one, other],
      [other, one],
    ] as const)
      expect(found(row, { ofSubject: [orderOnRecord(ordered, OLD)] })).toMatchObject({
        renewal: null,
        news: { rule: 'repeat-without-numbers' },
      });
  });

  test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>]>([
    ['another date', { ...NUMBER, ...POLICY }, { policyEffectiveDate: '2026-02-01' }],
    ['no date', NUMBER, {}],
    ['a policy of the next term', { policyNumber: 'P-1', dueDate: '2025-12-01' }, { ...POLICY, ...NEXT_YEAR }],
  ])('takes a row for new after the window with %s', (_what, ordered, row) => {
    const lookup = lookupOf({ ofSubject: [orderOnRecord(ordered, OLD)] });
    expect(findExisting(orderPayload(row), RULES, lookup)).toBeNull();
  });

  test('takes a policy dated a term after an undated order for new', () => {
    // Ordered on 2026-03-05.
    const lookup = lookupOf({ ofSubject: [orderOnRecord({ policyNumber: 'P-1' }, OLD)] });
    const dated = (policyEffectiveDate: string, rules = RULES) =>
      findExisting(orderPayload({ policyNumber: 'P-1', policyEffectiveDate }), rules, lookup);
    expect(dated('2026-12-29')).not.toBeNull();
    expect(dated('2026-12-30')).toBeNull();
    expect(dated('2026-12-30', { ...RULES, renewalAfterDays: null })).not.toBeNull();
  });

  test('finds an order of any age by its numbers in another spelling', () => {
    const order = orderOnRecord({ inspectionNumber: '000812' }, OLD);
    expect(found({ inspectionNumber: '812' }, { ofSubject: [order] })).toMatchObject({
      repeated: { order: { id: 1 }, sameIdentity: true },
      isKnownByNumbers: false,
      renewal: null,
      news: { subject: '1 other-spelling', rule: 'repeat-other-spelling' },
    });
  });

  test('reports a repeat known by a linked number as lacking numbers', () => {
    const order = orderOnRecord(NUMBER);
    expect(found(POLICY, { ofIdentity: [order] }).news?.rule).toBe('repeat-without-numbers');
  });

  test('does not match by house a row with other numbers', () => {
    const order = orderOnRecord({ inspectionNumber: 'A-2' });
    expect(findExisting(orderPayload(NUMBER), RULES, lookupOf({ ofSubject: [order] }))).toBeNull();
  });

  test('prefers a repeat by numbers to one by house', () => {
    const on = { ofIdentity: [orderOnRecord(NUMBER)], ofSubject: [orderOnRecord(POLICY, { id: 2 })] };
    expect(found(NUMBER, on).repeated.order.id).toBe(1);
  });

  test('prefers a repeat by house to a renewal by numbers', () => {
    const on = {
      ofIdentity: [orderOnRecord({ ...NUMBER, ...POLICY })],
      ofSubject: [orderOnRecord({ ...NEXT_YEAR, policyNumber: 'P-1' }, { id: 2 })],
    };
    const { repeated, renewal } = found({ ...NUMBER, ...NEXT_YEAR, policyNumber: 'P-1' }, on);
    expect([repeated.order.id, renewal]).toEqual([2, null]);
  });

  test('renews no order that is known only by its house', () => {
    const on = { ofSubject: [orderOnRecord({ dueDate: '2026-02-01' })] };
    expect(findExisting(orderPayload({ ...NUMBER, dueDate: '2027-02-01' }), RULES, lookupOf(on))).toBeNull();
  });

  describe('a commercial row', () => {
    const atAddress = orderOnRecord({ inspectionNumber: 'B-1' }, { id: 9 });

    test('repeats another order at its address', () => {
      expect(found({ ...SHOP, ...NUMBER }, { atAddress })).toMatchObject({
        repeated: { order: { id: 9 }, sameIdentity: false },
        renewal: null,
        isKnownByNumbers: true,
        why: expect.stringContaining('commercial order'),
      });
    });

    test('is news if it has other details than the order there', () => {
      const { news, why } = found({ ...SHOP, ...NUMBER, insuredName: 'Nail Salon LLC' }, { atAddress });
      expect(news).toEqual({ subject: expect.stringMatching(/^9 same-address IB-/), rule: 'repeat-same-address' });
      expect(why).toContain('Allow duplicate');
    });

    test('is no news if it is the same order', () => {
      const same = orderOnRecord({ ...SHOP, ...NUMBER }, { id: 9 });
      expect(found({ ...SHOP, ...NUMBER }, { atAddress: same }).news).toBeUndefined();
    });

    test('repeats its own order before one at its address', () => {
      expect(found({ ...SHOP, ...NUMBER }, { atAddress, ofIdentity: [orderOnRecord(NUMBER)] }).repeated.order.id).toBe(
        1,
      );
    });

    test('repeats one at its address before it renews', () => {
      const ofIdentity = [orderOnRecord({ ...NUMBER, ...POLICY })];
      expect(found({ ...SHOP, ...NUMBER, ...NEXT_YEAR }, { atAddress, ofIdentity }).repeated.order.id).toBe(9);
      expect(found({ ...SHOP, ...NUMBER, ...NEXT_YEAR }, { ofIdentity }).renewal).toBe('2027-01-01');
    });

    test('repeats no old order and no other kind of house', () => {
      const old = { atAddress: { ...atAddress, ...OLD } };
      expect(findExisting(orderPayload({ ...SHOP, ...NUMBER }), RULES, lookupOf(old))).toBeNull();
      expect(findExisting(orderPayload(NUMBER), RULES, lookupOf({ atAddress }))).toBeNull();
    });
  });

  describe('news', () => {
    test.each<['canceled' | 'closed-out' | 'given-up', string]>([
      ['canceled', 'was canceled'],
      ['closed-out', 'closed out'],
      ['given-up', 'was given up'],
    ])('reports a project that ended: %s', (end, words) => {
      const { news, why } = found(NUMBER, { ofIdentity: [orderOnRecord(NUMBER)], ends: { 501: end } });
      expect(news).toEqual({ subject: `1 ${end}`, rule: `repeat-${end}` });
      expect(why).toContain(words);
    });

    test('reports the end before everything else', () => {
      const { news } = found({}, { ofSubject: [orderOnRecord(NUMBER)], ends: { 501: 'canceled' } });
      expect(news?.rule).toBe('repeat-canceled');
    });

    test('reports a row without a date of an old order', () => {
      const old = found(NUMBER, { ofIdentity: [orderOnRecord(NUMBER, OLD)] });
      expect(old.news).toEqual({ subject: '1 undated', rule: 'repeat-undated' });
      expect(found(NUMBER, { ofIdentity: [orderOnRecord(NUMBER)] }).news).toBeUndefined();
    });

    test("reports a date that is neither the order's nor a renewal", () => {
      const order = orderOnRecord({ ...NUMBER, ...POLICY });
      const { news, why } = found({ ...NUMBER, policyEffectiveDate: '2026-03-01' }, { ofIdentity: [order] });
      expect(news).toEqual({ subject: '1 other-date 2026-03-01', rule: 'repeat-other-date' });
      expect(why).toMatch(/2026-03-01.*2026-01-01/);
    });

    test('names the amended date, which was compared, if the order was amended', () => {
      const order = orderOnRecord({ ...NUMBER, ...POLICY });
      const amended = { 501: { policyEffectiveDate: '2026-06-01' } };
      const { why } = found({ ...NUMBER, policyEffectiveDate: '2026-11-01' }, { ofIdentity: [order], amended });
      expect(why).toMatch(/2026-11-01.*2026-06-01/);
    });

    test('reports a date if the order has none', () => {
      const order = orderOnRecord(NUMBER);
      const { news, why } = found({ ...NUMBER, dueDate: '2026-03-01' }, { ofIdentity: [order] });
      expect(news?.rule).toBe('repeat-other-date');
      expect(why).toContain('not dated');
    });

    test.each<[string, Partial<OrderPayload>, boolean]>([
      ['a later due date', { dueDate: '2026-06-15' }, true],
      ['an earlier due date', { dueDate: '2026-01-02' }, false],
      ['another note', { note: 'Re-inspect: new roof' }, true],
      ['the same note', { note: 'gate  code 12' }, false],
      ['no note', { note: undefined }, false],
      ['another phone', { insuredPhone: '813-555-9999' }, false],
    ])('reports a row of a finished inspection that may ask again: %s', (_what, changes, isReported) => {
      const ordered = { ...NUMBER, ...POLICY, dueDate: '2026-02-01', note: 'Gate code 12' };
      const on = { ofIdentity: [orderOnRecord(ordered)], status: 'Returned to Client' };
      expect(found({ ...ordered, ...changes }, on).news?.rule).toBe(isReported ? 'repeat-finished' : undefined);
      expect(found({ ...ordered, ...changes }, { ...on, status: 'Scheduled' }).news).toBeUndefined();
    });

    test('reports another house once per address', () => {
      const order = orderOnRecord(NUMBER);
      const rules = (street: string) =>
        found({ ...NUMBER, streetAddress: street }, { ofIdentity: [order] }).news ?? { subject: '', rule: '' };
      const [elm, oak] = [rules('700 Elm Street'), rules('1 Oak Lane')];
      expect([elm.rule, oak.rule]).toEqual(['repeat-other-house', 'repeat-other-house']);
      expect(elm.subject).not.toBe(oak.subject);
      expect(rules('12 OAK ST.').rule).toBe('');
    });

    test('reports no other house if the details were forgotten', () => {
      const forgotten = orderOnRecord({ ...NUMBER, streetAddress: '' });
      expect(found(NUMBER, { ofIdentity: [forgotten] }).news?.rule).not.toBe('repeat-other-house');
    });

    test("reports nothing for the order's own date, however old", () => {
      const order = orderOnRecord({ ...NUMBER, ...POLICY }, OLD);
      expect(found({ ...NUMBER, ...POLICY }, { ofIdentity: [order] }).news).toBeUndefined();
    });
  });
});
