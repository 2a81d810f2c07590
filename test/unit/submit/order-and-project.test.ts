import { expect, test } from 'vitest';
import { projectDetail } from '../../../src/contract/document.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { isConflicting, isOfAnotherOrder, isSameOrder, likenessOf } from '../../../src/submit/order-and-project.ts';

type Changes = Readonly<Record<string, unknown>>;

const sent: Partial<OrderPayload> = { inspectionNumber: 'A-1', policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' };

const detail = (changes: Changes = {}) => projectDetail.parse({ id: 11, ...orderPayload(sent), ...changes });

test.each<[string, Changes]>([
  ['all is as it was sent', {}],
  ['fields were added', { lat: 42.3, operatingCompany: 'X', novel: [1] }],
  [
    'the text was trimmed, folded and re-cased',
    { insuredName: '  ANN   lee ', inspectionNumber: 'a-1', city: 'CAMBRIDGE' },
  ],
  ['punctuation of the address was normalised', { streetAddress: '12 Oak Street.' }],
  ['the ZIP code lost its zero', { zipcode: 2139 }],
  ['the ZIP code got its four digits more', { zipcode: '02139-1234' }],
  ['what we did not compare differs', { note: 'changed', insuredPhone: '0', dueDate: '2027-01-01' }],
])('isSameOrder accepts a project when %s', (_what, changes) => {
  expect(likenessOf({ payload: orderPayload(sent), reference: null }, detail(changes))).toBe('exact');
});

test.each<[string, Changes]>([
  ['the address is written in another way', { streetAddress: '12 OAK ST', city: 'W Cambridge' }],
  ['the address got a unit', { streetAddress: '12 Oak Street Unit 2' }],
  ['the policy type is worded otherwise', { policyType: 'Homeowners' }],
  ['the kind of house is worded otherwise', { houseType: 'Other' }],
])('likenessOf goes by the signs when %s', (_what, changes) => {
  expect(likenessOf({ payload: orderPayload(sent), reference: null }, detail(changes))).toBe('likely');
  const none = { inspectionNumber: null, policyNumber: null, policyEffectiveDate: null };
  expect(likenessOf({ payload: orderPayload(), reference: null }, detail({ ...none, ...changes }))).toBeNull();
  expect(
    likenessOf(
      { payload: orderPayload(), reference: 'IB-ABC' },
      detail({ ...none, ...changes, note: 'x [ref IB-ABC]' }),
    ),
  ).toBe('exact');
});

// Unless the row wrote the same reference.
test('likenessOf refuses a note with a reference for orders without one', () => {
  const note = 'x [ref IB-0123456789AB]';
  expect(likenessOf({ payload: orderPayload(sent), reference: null }, detail({ note }))).toBeNull();
  expect(likenessOf({ payload: orderPayload({ ...sent, note }), reference: null }, detail({ note }))).toBe('exact');
});

test.each<[string, Changes]>([
  ['inspection number', { inspectionNumber: 'A-10' }],
  ['missing inspection number', { inspectionNumber: null }],
  ['policy number', { policyNumber: 'P-2' }],
  ['effective date', { policyEffectiveDate: '2026-01-02' }],
  ['missing effective date', { policyEffectiveDate: '' }],
  ['service', { serviceName: 'Exterior' }],
  ['insured', { insuredName: 'Anna Lee' }],
  ['house number', { streetAddress: '120 Oak Street' }],
  ['state', { state: 'ME' }],
  ['ZIP code', { zipcode: '02138' }],
])('isSameOrder refuses a project with another %s', (_what, changes) => {
  expect(isSameOrder({ payload: orderPayload(sent), reference: null }, detail(changes))).toBe(false);
});

test('isSameOrder treats absent, null, and empty as equal', () => {
  const order = { payload: orderPayload(), reference: null };
  for (const value of [undefined, null, '']) {
    expect(
      isSameOrder(order, detail({ inspectionNumber: value, policyNumber: value, policyEffectiveDate: value })),
    ).toBe(true);
  }
});

test('isSameOrder needs the reference in note or inspection number', () => {
  const marked = { payload: orderPayload({ note: 'gate code 7 [ref IB-ABC]' }), reference: 'IB-ABC' };
  const none = { inspectionNumber: null, policyNumber: null, policyEffectiveDate: null };
  expect(isSameOrder(marked, detail({ ...none, note: 'gate code 7 [ref IB-ABC]' }))).toBe(true);
  expect(isSameOrder(marked, detail({ ...none, note: 'gate code 7' }))).toBe(false);
  expect(isSameOrder(marked, detail({ ...none, note: '[ref IB-ABCD]' }))).toBe(false);
  expect(isSameOrder(marked, detail({ ...none, note: null }))).toBe(false);
  const minted = { payload: orderPayload({ inspectionNumber: 'IB-ABC' }), reference: 'IB-ABC' };
  expect(isSameOrder(minted, detail({ ...none, inspectionNumber: 'IB-ABC' }))).toBe(true);
  expect(isSameOrder(minted, detail({ ...none, inspectionNumber: 'IB-ABD' }))).toBe(false);
});

const commercial = { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' } as const;
const elsewhere = { streetAddress: '9 Elm Road' };

test.each<[boolean, string, Partial<OrderPayload>, Changes]>([
  [
    true,
    'rule 3: the same inspection number',
    { inspectionNumber: 'A-1' },
    { ...elsewhere, inspectionNumber: 'A-1', policyNumber: 'other' },
  ],
  [
    false,
    'rule 3: with an inspection number the policy is not compared',
    { inspectionNumber: 'A-2', policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' },
    elsewhere,
  ],
  [
    true,
    'rule 2: the same policy number and effective date',
    { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' },
    elsewhere,
  ],
  [false, 'rule 2: another effective date', { policyNumber: 'P-1', policyEffectiveDate: '2026-01-02' }, elsewhere],
  [
    false,
    'rule 2: nothing is compared with nothing',
    {},
    { ...elsewhere, policyNumber: null, policyEffectiveDate: null },
  ],
  [
    true,
    'rule 4: a commercial request at the same address, whatever stands there',
    { ...commercial, inspectionNumber: 'B-1' },
    {},
  ],
  [false, 'rule 4: a commercial request elsewhere', { ...commercial, inspectionNumber: 'B-1' }, elsewhere],
  [false, 'rule 4: no other policy type is compared by address', { inspectionNumber: 'B-1' }, {}],
])('standsInTheWay is %s for %s', (expected, _rule, order, project) => {
  expect(isConflicting({ payload: orderPayload(order) }, detail(project))).toBe(expected);
});

test.each<[boolean, string, Changes]>([
  [false, 'what was sent', {}],
  [false, 'an ID alone', { inspectionNumber: null, insuredName: null, streetAddress: '' }],
  [false, 'a rewritten house and number', { streetAddress: '12 OAK AVENUE, REAR', inspectionNumber: 'a1' }],
  [false, 'another insured alone', { insuredName: 'Bob Ray' }],
  [false, 'another number alone', { inspectionNumber: 'A-99' }],
  [true, 'another number and insured', { inspectionNumber: 'A-99', insuredName: 'Bob Ray' }],
  [true, 'another number and house', { inspectionNumber: 'A-99', streetAddress: '9 Elm Road' }],
  [true, 'another house and insured', { inspectionNumber: null, insuredName: 'Bob Ray', streetAddress: '9 Elm Road' }],
])('isOfAnotherOrder is %s for an answer with %s', (expected, _what, changes) => {
  expect(isOfAnotherOrder({ payload: orderPayload(sent) }, detail(changes))).toBe(expected);
});
