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

test('identityKind prefers the inspection number, then the policy, then the address', () => {
  expect(identityKind(orderPayload({ inspectionNumber: 'A-1', policyNumber: 'P-1' }))).toBe('inspection');
  expect(identityKind(orderPayload({ policyNumber: 'P-1' }))).toBe('policy');
  expect(identityKind(orderPayload({ policyEffectiveDate: '2026-01-01' }))).toBe('address');
  expect(identityKind(orderPayload({ inspectionNumber: '', policyNumber: '' }))).toBe('address');
});

test('identityOf compares an inspection number exactly and nothing else', () => {
  const first = identityOf(orderPayload({ inspectionNumber: 'A-1', policyNumber: 'P-1' }));
  expect(identityOf(orderPayload({ inspectionNumber: 'A-1', policyNumber: 'P-2', streetAddress: 'elsewhere' }))).toBe(
    first,
  );
  expect(identityOf(orderPayload({ inspectionNumber: 'a-1' }))).not.toBe(first);
});

test('identityOf includes the effective date of a policy number, or its absence', () => {
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

test('identityOf compares address, service, and insured regardless of spelling', () => {
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

test('identityOf never gives two kinds of identity the same text', () => {
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

test('policyKey keeps number and date apart', () => {
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

test('addressKey ignores the last four digits of a ZIP code', () => {
  expect(addressKey(orderPayload({ zipcode: '02139-0001' }))).toBe(addressKey(orderPayload()));
  expect(addressKey(orderPayload({ streetAddress: '12 Oak', city: 'Street Cambridge' }))).not.toBe(
    addressKey(orderPayload()),
  );
});

test('isCommercial is true only for commercial property', () => {
  expect([
    isCommercial({ policyType: 'Commercial Property Insurance' }),
    isCommercial(orderPayload()),
    isCommercial({ policyType: 'Farm & Ranch Insurance' }),
  ]).toEqual([true, false, false]);
});

test('payloadHash ignores field order at every depth, but no value', () => {
  const payload = { b: 1, a: { y: [1, { d: 1, c: 2 }], x: null } };
  expect(payloadHash({ a: { x: null, y: [1, { c: 2, d: 1 }] }, b: 1 })).toBe(payloadHash(payload));
  expect(payloadHash({ ...payload, b: '1' })).not.toBe(payloadHash(payload));
  expect(payloadHash({ a: { y: [{ d: 1, c: 2 }, 1], x: null }, b: 1 })).not.toBe(payloadHash(payload));
  expect(payloadHash(payload)).toMatch(/^[0-9a-f]{64}$/);
});

test('contentReference is short, made from the content, and starts with IB-', () => {
  expect(contentReference({ a: 1, b: 2 })).toBe(contentReference({ b: 2, a: 1 }));
  expect(contentReference({ a: 1 })).not.toBe(contentReference({ a: 2 }));
  expect(contentReference(orderPayload())).toMatch(/^IB-[0-9A-F]{12}$/);
});
