import { describe, expect, test } from 'vitest';
import { type OrderPayload, type Problem, withoutDetails } from '../../../src/domain/row.ts';
import type { OrderRecord } from '../../../src/ledger/orders.ts';
import { findConflict, policyWarnings } from '../../../src/submit/order-problems.ts';
import type { ExistingOrder } from '../../../src/submit/repeated-order.ts';
import { lookupOf, orderOnRecord } from '../../support/known-orders.ts';
import { orderPayload, validRow, type ValidRow } from '../../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../../support/virtual-clock.ts';

const POLICY = { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };
const STRANGER = { streetAddress: '9 Elm Road', city: 'Boston', zipcode: '02108', insuredName: 'Bob Ray' };
const SCRATCH = { id: 2 ** 52 };

const existing = (order: OrderRecord, changes: Partial<ExistingOrder> = {}): ExistingOrder => ({
  repeated: { order, sameIdentity: true },
  why: '',
  renewal: null,
  isKnownByNumbers: true,
  ...changes,
});

function conflict(row: Partial<OrderPayload>, order: OrderRecord, on: Parameters<typeof lookupOf>[0] = {}): Problem {
  const problem = findConflict(validRow(row), existing(order), lookupOf(on));
  if (problem === null) throw new Error('no conflict');
  return problem;
}

describe('findConflict', () => {
  test('is null for the same house and service', () => {
    expect(findConflict(validRow(POLICY), existing(orderOnRecord(POLICY)), lookupOf())).toBeNull();
  });

  test('is null for a neighbor at a commercial address', () => {
    const neighbor = { repeated: { order: orderOnRecord(POLICY), sameIdentity: false } };
    const row = validRow({ ...POLICY, serviceName: 'Exterior' });
    expect(findConflict(row, existing(orderOnRecord(POLICY), neighbor), lookupOf())).toBeNull();
  });

  test('reports a policy used for another service', () => {
    expect(conflict({ ...POLICY, serviceName: 'Exterior' }, orderOnRecord(POLICY))).toMatchObject({
      severity: 'error',
      rule: 'policy-used-for-another-service',
      message: expect.stringMatching(/2026-01-01 was ordered .*another service, 4-Point/),
    });
  });

  test('reports a policy used for another house', () => {
    const { rule, message } = conflict({ ...POLICY, ...STRANGER }, orderOnRecord(POLICY));
    expect(rule).toBe('policy-used-for-another-house');
    expect(message).toContain('another house, 12 Oak Street, Cambridge');
    expect(message).toMatch(/2026-03-05 .*501/);
  });

  test('reports a policy of a house with forgotten details', () => {
    const order = orderOnRecord(POLICY);
    const { message } = conflict(POLICY, { ...order, payload: withoutDetails(order.payload) });
    expect(message).toContain('no longer kept');
  });

  test('reports an inspection number used for a stranger', () => {
    const row = { inspectionNumber: 'A-1', ...STRANGER };
    expect(conflict(row, orderOnRecord({ inspectionNumber: 'A-1' }))).toMatchObject({
      severity: 'error',
      rule: 'number-used-twice',
      field: 'inspectionNumber',
      value: 'A-1',
      message: expect.stringMatching(/: 12 Oak Street, Cambridge, .*Ann Lee/),
    });
  });

  test('describes an order of a dry run as earlier', () => {
    const policy = conflict({ ...POLICY, ...STRANGER }, orderOnRecord(POLICY, SCRATCH));
    expect(policy.message).toContain('already listed');
  });

  describe('a row that waited while a second one was ordered', () => {
    const second = orderOnRecord({ inspectionNumber: 'A-1' }, { rowWish: true });
    const row = validRow({ inspectionNumber: 'A-1', city: 'Somerville' });
    const corrected: ValidRow = { ...row, record: { ...row.record, correctsRow: 'key' } };

    test('is rejected', () => {
      expect(findConflict(corrected, existing(second), lookupOf())).toMatchObject({
        severity: 'error',
        rule: 'ordered-while-it-waited',
        message: expect.stringContaining('Inspection number A-1'),
      });
    });

    test.each<[string, ValidRow, ExistingOrder]>([
      ['it corrects no row', row, existing(second)],
      ['the order was not wanted as a second', corrected, existing({ ...second, rowWish: null })],
      ['it renews the order', corrected, existing(second, { renewal: '2027-01-01' })],
      ['nothing differs', { ...corrected, payload: second.payload }, existing(second)],
    ])('is not rejected if %s', (_what, given, order) => {
      expect(findConflict(given, order, lookupOf())).toBeNull();
    });
  });
});

describe('policyWarnings', () => {
  const warningOf = (row: Partial<OrderPayload>, ofPolicy?: OrderRecord): Problem | undefined =>
    policyWarnings(orderPayload(row), VIRTUAL_START_MS, lookupOf(ofPolicy === undefined ? {} : { ofPolicy }))[0];
  const numbered = { ...POLICY, inspectionNumber: 'A-1' };

  test('is empty without a policy and without an order of it', () => {
    expect(warningOf({ inspectionNumber: 'A-2' }, orderOnRecord(numbered))).toBeUndefined();
    expect(warningOf(POLICY)).toBeUndefined();
  });

  test('is empty for equal inspection numbers', () => {
    expect(warningOf(numbered, orderOnRecord(numbered))).toBeUndefined();
    expect(warningOf(POLICY, orderOnRecord(POLICY))).toBeUndefined();
    expect(warningOf({ ...POLICY, inspectionNumber: '' }, orderOnRecord(POLICY))).toBeUndefined();
  });

  test('mentions an order under another number', () => {
    expect(warningOf({ ...POLICY, inspectionNumber: 'A-2' }, orderOnRecord(numbered))).toMatchObject({
      severity: 'warning',
      rule: 'policy-ordered-under-another-number',
      field: 'inspectionNumber',
      value: 'A-2',
      message: expect.stringMatching(/on record .* A-1: .*cancel/),
    });
  });

  test('mentions an order without a number', () => {
    expect(warningOf(numbered, orderOnRecord(POLICY))?.message).toMatch(/without [a-z ]+: /);
  });

  test('describes an order of a dry run as earlier', () => {
    expect(warningOf(numbered, orderOnRecord(POLICY, SCRATCH))?.message).toContain('already listed');
  });

  test('never advises canceling the order of another house or service', () => {
    const row = { ...POLICY, inspectionNumber: 'A-2' };
    const service = warningOf({ ...row, serviceName: 'Exterior' }, orderOnRecord(numbered))?.message;
    expect(service).toContain('another service, 4-Point');
    const house = warningOf({ ...row, ...STRANGER }, orderOnRecord(numbered))?.message;
    expect(house).toContain('another house');
    for (const message of [service, house]) {
      expect(message).toContain('Both are ordered');
      expect(message).not.toContain('cancel');
    }
  });

  test('warns that the service sees a duplicate without a number', () => {
    const within = warningOf(POLICY, orderOnRecord(numbered));
    expect(within?.message).toContain('takes this row');
    expect(within?.value).toBe('');
    const old = orderOnRecord(numbered, { createdAt: VIRTUAL_START_MS - 1 });
    expect(warningOf(POLICY, old)?.message).not.toContain('takes this row');
    expect(warningOf(numbered, orderOnRecord(POLICY))?.message).not.toContain('takes this row');
  });
});
