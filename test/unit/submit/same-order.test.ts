import { describe, expect, test } from 'vitest';
import { type OrderPayload, withoutDetails } from '../../../src/domain/row.ts';
import {
  amendedPayload,
  hasKeyOf,
  isAtHouseOf,
  isDifferentInspection,
  numbersDifference,
  payloadsOf,
} from '../../../src/submit/same-order.ts';
import { lookupOf, mintedOrder, orderOnRecord } from '../../support/known-orders.ts';
import { orderPayload } from '../../support/order-factory.ts';

const POLICY = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const AMENDED = lookupOf({ amended: { 501: { policyNumber: 'P-2' } } });
const ELSEWHERE = { streetAddress: '9 Elm Road', city: 'Boston', zipcode: '02108' };

describe('payloadsOf', () => {
  test('contains the order as sent and as amended', () => {
    const order = orderOnRecord(POLICY);
    expect(payloadsOf(order, AMENDED)).toEqual([order.payload, { ...order.payload, policyNumber: 'P-2' }]);
    expect(amendedPayload(order, AMENDED)).toMatchObject({ policyNumber: 'P-2', policyEffectiveDate: '2026-01-01' });
  });

  test('contains the order as sent without a project', () => {
    const order = orderOnRecord(POLICY, { projectId: null });
    expect(payloadsOf(order, AMENDED)).toEqual([order.payload]);
    expect(amendedPayload(order, AMENDED)).toBe(order.payload);
  });
});

describe('hasKeyOf', () => {
  test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>, boolean]>([
    ['the same inspection number', { inspectionNumber: 'A-1' }, { inspectionNumber: 'A-1' }, true],
    ['another inspection number', { inspectionNumber: 'A-2' }, { inspectionNumber: 'A-1' }, false],
    ['the same policy and date', POLICY, POLICY, true],
    ['the same policy, another date', { ...POLICY, policyEffectiveDate: '2027-01-01' }, POLICY, false],
    ['an inspection number of the policy’s text', { inspectionNumber: 'P-1' }, POLICY, false],
    ['no number on either side, whatever the address', ELSEWHERE, {}, true],
    ['no number on one side', {}, { inspectionNumber: 'A-1' }, false],
  ])('compares %s', (_what, row, ordered, expected) => {
    expect(hasKeyOf(orderPayload(row), orderOnRecord(ordered), lookupOf())).toBe(expected);
  });

  test('accepts the amended policy and the one before', () => {
    const order = orderOnRecord(POLICY);
    expect(hasKeyOf(orderPayload({ ...POLICY, policyNumber: 'P-2' }), order, AMENDED)).toBe(true);
    expect(hasKeyOf(orderPayload(POLICY), order, AMENDED)).toBe(true);
    expect(hasKeyOf(orderPayload({ ...POLICY, policyNumber: 'P-3' }), order, AMENDED)).toBe(false);
  });

  test('does not accept a number that we made', () => {
    const minted = mintedOrder();
    expect(hasKeyOf(orderPayload(), minted, lookupOf())).toBe(true);
    expect(hasKeyOf(orderPayload({ inspectionNumber: minted.payload.inspectionNumber }), minted, lookupOf())).toBe(
      false,
    );
    const own = { ...orderOnRecord({ inspectionNumber: 'A-1' }), reference: 'IB-000000000000' };
    expect(hasKeyOf(orderPayload({ inspectionNumber: 'A-1' }), own, lookupOf())).toBe(true);
  });
});

describe('numbersDifference', () => {
  test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>, string | null]>([
    ['neither has numbers', {}, {}, null],
    ['both have the same', { inspectionNumber: 'A-1' }, { inspectionNumber: 'A-1' }, null],
    ['the row has none', {}, { inspectionNumber: 'A-1' }, 'lacking'],
    ['the order has none', POLICY, {}, 'lacking'],
    ['they have different ones', { inspectionNumber: 'A-1' }, { inspectionNumber: 'A-2' }, null],
    ['each has one that the other lacks', { inspectionNumber: 'A-1' }, POLICY, 'lacking'],
    ['one has one number more', { inspectionNumber: 'A-1', ...POLICY }, POLICY, 'lacking'],
    ['one lacks the policy’s date', { policyNumber: 'P-1' }, POLICY, 'lacking'],
    ['the policies have different dates', { ...POLICY, policyEffectiveDate: '2027-01-01' }, POLICY, null],
    ['leading zeros', { inspectionNumber: '812' }, { inspectionNumber: '000812' }, 'spelling'],
    ['letter case', { inspectionNumber: 'in-4' }, { inspectionNumber: 'IN-4' }, 'spelling'],
    ['spaces and hyphens', { ...POLICY, policyNumber: 'P 1' }, POLICY, 'spelling'],
    ['zeros, under another policy', { inspectionNumber: '812', ...POLICY }, { inspectionNumber: '0812' }, 'spelling'],
    ['a hyphen less', { ...POLICY, policyNumber: 'P1' }, { ...POLICY, policyNumber: 'P-1' }, 'spelling'],
    ['a space inside the digits', { inspectionNumber: '12 34567' }, { inspectionNumber: '1234567' }, 'spelling'],
    ['one hyphen of two', { inspectionNumber: 'HO-7700041' }, { inspectionNumber: 'HO-77-00041' }, 'spelling'],
    ['hyphens in other places', { inspectionNumber: '1-11' }, { inspectionNumber: '11-1' }, null],
    ['zeros after letters', { inspectionNumber: 'A-01' }, { inspectionNumber: 'A-1' }, 'spelling'],
    ['zeros after digits', { inspectionNumber: '7-01' }, { inspectionNumber: '7-1' }, null],
    ['zeros and a date', { ...POLICY, policyNumber: '0' }, { ...POLICY, policyNumber: '00' }, 'spelling'],
    ['a date without a policy number does not count', { policyEffectiveDate: '2027-01-01' }, {}, null],
  ])('compares numbers: %s', (_what, row, ordered, expected) => {
    expect(numbersDifference(orderPayload(row), orderOnRecord(ordered), lookupOf())).toBe(expected);
  });

  test('compares the policy as amended', () => {
    const row = orderPayload({ ...POLICY, policyNumber: 'P-2', inspectionNumber: 'A-1' });
    expect(numbersDifference(row, orderOnRecord(POLICY), AMENDED)).toBe('lacking');
    expect(numbersDifference(row, orderOnRecord(POLICY), lookupOf())).toBe(null);
  });

  test('ignores a number that we made', () => {
    expect(numbersDifference(orderPayload({ inspectionNumber: 'A-1' }), mintedOrder(), lookupOf())).toBe('lacking');
    expect(numbersDifference(orderPayload(), mintedOrder(), lookupOf())).toBe(null);
  });

  test.each<[string, readonly string[], string | null]>([
    ['the row’s own number', ['inspection:A-1'], 'lacking'],
    ['the row’s own number in another spelling', ['inspection:00a 1'], 'lacking'],
    ['another number', ['inspection:A-2'], null],
    ['a policy, which the row lacks', ['policy:["P-9","2026-01-01"]'], 'lacking'],
    ['one of two that is another', ['inspection:A-1', 'inspection:A-2'], null],
    ['no number', ['address:1'], 'lacking'],
  ])('compares an order without numbers that is known by %s', (_what, alsoKnownBy, expected) => {
    const row = orderPayload({ inspectionNumber: 'A-1' });
    expect(numbersDifference(row, orderOnRecord(), lookupOf({ alsoKnownBy }))).toBe(expected);
  });

  test("ranks the order's own number above others it is known by", () => {
    const row = orderPayload({ inspectionNumber: 'A-1', ...POLICY });
    const order = orderOnRecord({ inspectionNumber: 'A-1' });
    expect(numbersDifference(row, order, lookupOf({ alsoKnownBy: ['inspection:A-2'] }))).toBe('lacking');
    expect(numbersDifference(row, order, lookupOf({ alsoKnownBy: ['policy:["P-9","2026-01-01"]'] }))).toBe(null);
    expect(numbersDifference(orderPayload(), order, lookupOf({ alsoKnownBy: ['policy:["P-9","2026-01-01"]'] }))).toBe(
      'lacking',
    );
  });
});

describe('isDifferentInspection', () => {
  test.each<[string, Partial<OrderPayload>, boolean]>([
    ['for the same house and service', {}, false],
    ['for another service', { serviceName: 'Exterior' }, true],
    ['for another house', ELSEWHERE, true],
  ])('compares the same policy and date %s', (_what, row, expected) => {
    expect(isDifferentInspection(orderPayload({ ...POLICY, ...row }), orderOnRecord(POLICY), lookupOf())).toBe(
      expected,
    );
  });

  test.each<[string, Partial<OrderPayload>, boolean]>([
    ['where all else differs', { ...ELSEWHERE, insuredName: 'Bob Ray', policyNumber: 'P-9' }, true],
    ['for the same street', { insuredName: 'Bob Ray', policyNumber: 'P-9' }, false],
    ['for the same insured', { ...ELSEWHERE, policyNumber: 'P-9' }, false],
    ['for the same policy', { ...ELSEWHERE, insuredName: 'Bob Ray', policyNumber: 'P-1' }, false],
  ])('compares the same inspection number %s', (_what, row, expected) => {
    const order = orderOnRecord({ inspectionNumber: 'A-1', ...POLICY });
    expect(isDifferentInspection(orderPayload({ inspectionNumber: 'A-1', ...row }), order, lookupOf())).toBe(expected);
  });

  test('accepts the same inspection number for the amended policy', () => {
    const order = orderOnRecord({ inspectionNumber: 'A-1', ...POLICY });
    const row = orderPayload({ inspectionNumber: 'A-1', ...ELSEWHERE, insuredName: 'Bob Ray', policyNumber: 'P-2' });
    expect(isDifferentInspection(row, order, lookupOf())).toBe(true);
    expect(isDifferentInspection(row, order, AMENDED)).toBe(false);
  });

  test.each<[string, Partial<OrderPayload>, boolean]>([
    ['at another house for another policy', { ...ELSEWHERE, policyNumber: 'P-9' }, true],
    ['at another house for the same policy', { ...ELSEWHERE, policyNumber: 'P1' }, false],
    ['at another house without a policy', ELSEWHERE, false],
    ['at the house for another policy', { policyNumber: 'P-9' }, false],
  ])('compares the inspection number of forgotten details %s', (_what, row, expected) => {
    const order = orderOnRecord({ inspectionNumber: 'A-1', ...POLICY });
    const forgotten = { ...order, payload: withoutDetails(order.payload) };
    const atHouse = 'streetAddress' in row ? {} : { atAddress: forgotten };
    const payload = orderPayload({ inspectionNumber: 'A-1', ...row });
    expect(isDifferentInspection(payload, forgotten, lookupOf(atHouse))).toBe(expected);
  });

  test('never differs from forgotten details without a policy number', () => {
    const order = orderOnRecord({ inspectionNumber: 'A-1' });
    const row = orderPayload({ inspectionNumber: 'A-1', ...ELSEWHERE, policyNumber: 'P-9' });
    expect(isDifferentInspection(row, { ...order, payload: withoutDetails(order.payload) }, lookupOf())).toBe(false);
  });

  test('is never true without a number', () => {
    expect(isDifferentInspection(orderPayload({ serviceName: 'Exterior' }), orderOnRecord(), lookupOf())).toBe(false);
  });
});

describe('isAtHouseOf', () => {
  test('compares the house in any spelling', () => {
    expect(isAtHouseOf(orderPayload({ streetAddress: '12 OAK ST.' }), orderOnRecord(), lookupOf())).toBe(true);
    expect(isAtHouseOf(orderPayload(ELSEWHERE), orderOnRecord(), lookupOf())).toBe(false);
  });

  test('finds an order with forgotten details by its address key', () => {
    const order = { ...orderOnRecord(), payload: withoutDetails(orderPayload()) };
    expect(isAtHouseOf(orderPayload(), order, lookupOf({ atAddress: { ...order, createdAt: 0 } }))).toBe(true);
    expect(isAtHouseOf(orderPayload(), order, lookupOf({ atAddress: { ...order, id: 2 } }))).toBe(false);
    expect(isAtHouseOf(orderPayload(), order, lookupOf())).toBe(false);
  });
});
