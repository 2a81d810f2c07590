import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderPayload } from '../../support/order-factory.ts';
import {
  addressKey,
  contentReference,
  identityKind,
  identityOf,
  isCommercial,
  payloadHash,
  policyKey,
} from '../../../src/domain/identity.ts';

test('the key of an order is its inspection number, else its policy number, else its address', () => {
  expect(identityKind(orderPayload({ inspectionNumber: 'A-1', policyNumber: 'P-1' }))).toBe('inspection');
  expect(identityKind(orderPayload({ policyNumber: 'P-1' }))).toBe('policy');
  expect(identityKind(orderPayload({ policyEffectiveDate: '2026-01-01' }))).toBe('address');
  expect(identityKind(orderPayload({ inspectionNumber: '', policyNumber: '' }))).toBe('address');
});

test('with an inspection number nothing else decides; it is compared to the letter', () => {
  const first = identityOf(orderPayload({ inspectionNumber: 'A-1', policyNumber: 'P-1' }));
  expect(identityOf(orderPayload({ inspectionNumber: 'A-1', policyNumber: 'P-2', streetAddress: 'elsewhere' }))).toBe(
    first,
  );
  expect(identityOf(orderPayload({ inspectionNumber: 'a-1' }))).not.toBe(first);
});

test('with a policy number the effective date decides too, and none is a date of its own', () => {
  const identities = [undefined, '2026-01-01', '2026-01-02'].map((policyEffectiveDate) =>
    identityOf(
      orderPayload({ policyNumber: 'P-1', ...(policyEffectiveDate === undefined ? {} : { policyEffectiveDate }) }),
    ),
  );
  expect(new Set(identities).size).toBe(3);
  expect(identityOf(orderPayload({ policyNumber: 'P-1', insuredName: 'Bob', policyEffectiveDate: '2026-01-01' }))).toBe(
    identities[1],
  );
});

test('without a key the address, the service and the insured decide, however they are written', () => {
  const first = identityOf(orderPayload());
  const same = [
    { streetAddress: ' 12  OAK  Street. ' },
    { insuredName: 'ANN-LEE' },
    { city: 'cambridge' },
    { zipcode: '02139-1234' },
    { insuredPhone: '0' },
    { note: 'x' },
    { insuredName: 'Ａｎｎ Lee' },
  ];
  const others = [
    { streetAddress: '12 Oak Street 2' },
    { insuredName: 'Anna Lee' },
    { city: 'Boston' },
    { state: 'ME' },
    { zipcode: '02138' },
    { serviceName: 'Exterior' },
  ] as const;
  expect(same.map((changes) => identityOf(orderPayload(changes)) === first)).toEqual(same.map(() => true));
  expect(others.map((changes) => identityOf(orderPayload(changes)) === first)).toEqual(others.map(() => false));
});

test('no two kinds of identity are ever the same text', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (inspectionNumber, policyNumber) => {
      const identities = [
        identityOf(orderPayload({ inspectionNumber })),
        identityOf(orderPayload({ policyNumber })),
        identityOf(orderPayload()),
      ];
      expect(new Set(identities).size).toBe(3);
    }),
  );
});

test('a policy key keeps number and date apart', () => {
  fc.assert(
    fc.property(
      fc.tuple(fc.string({ minLength: 1 }), fc.string()),
      fc.tuple(fc.string({ minLength: 1 }), fc.string()),
      ([a, dayA], [b, dayB]) => {
        const same = a === b && dayA === dayB;
        expect(
          policyKey({ policyNumber: a, policyEffectiveDate: dayA }) ===
            policyKey({ policyNumber: b, policyEffectiveDate: dayB }),
        ).toBe(same);
      },
    ),
  );
  expect([policyKey({}), policyKey({ policyNumber: '' })]).toEqual([null, null]);
});

test('an address is the same with and without the last four digits of its ZIP code', () => {
  expect(addressKey(orderPayload({ zipcode: '02139-0001' }))).toBe(addressKey(orderPayload()));
  expect(addressKey(orderPayload({ streetAddress: '12 Oak', city: 'Street Cambridge' }))).not.toBe(
    addressKey(orderPayload()),
  );
});

test('only commercial property is compared by address', () => {
  expect([
    isCommercial({ policyType: 'Commercial Property Insurance' }),
    isCommercial(orderPayload()),
    isCommercial({ policyType: 'Farm & Ranch Insurance' }),
  ]).toEqual([true, false, false]);
});

test('a payload has one hash whatever the order of its fields, at every depth, and another as soon as a value differs', () => {
  const payload = { b: 1, a: { y: [1, { d: 1, c: 2 }], x: null } };
  expect(payloadHash({ a: { x: null, y: [1, { c: 2, d: 1 }] }, b: 1 })).toBe(payloadHash(payload));
  expect(payloadHash({ ...payload, b: '1' })).not.toBe(payloadHash(payload));
  expect(payloadHash({ a: { y: [{ d: 1, c: 2 }, 1], x: null }, b: 1 })).not.toBe(payloadHash(payload));
  expect(payloadHash(payload)).toMatch(/^[0-9a-f]{64}$/);
});

test('a reference is short, made of the content alone, and no staging prefix', () => {
  expect(contentReference({ a: 1, b: 2 })).toBe(contentReference({ b: 2, a: 1 }));
  expect(contentReference({ a: 1 })).not.toBe(contentReference({ a: 2 }));
  expect(contentReference(orderPayload())).toMatch(/^IB-[0-9A-F]{12}$/);
});
