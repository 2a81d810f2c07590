import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createProjectRequest,
  HOUSE_TYPES_BY_POLICY_TYPE,
  POLICY_TYPES,
  SERVICE_NAMES,
} from '../../../src/contract/document.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { checkedRequest } from '../../../src/intake/rules.ts';
import type { FieldName } from '../../../src/intake/fields.ts';
import type { FieldValue } from '../../../src/intake/values/coercion.ts';
import { inProof } from '../../support/proof-size.ts';

const odd: fc.Arbitrary<unknown> = fc.constantFrom(
  '',
  'x',
  '2026-02-28',
  '2026-02-29',
  '2026-13-01',
  'US',
  'MA',
  'ma',
  'ZZ',
  1987,
  1987.5,
  3e9,
  Number.NaN,
  true,
  false,
  ['Wildfire'],
  ['Flood'],
  [],
  ...SERVICE_NAMES,
  ...POLICY_TYPES,
  ...Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat(),
);
const names = Object.keys(createProjectRequest.shape) as FieldName[];

test("checkedRequest accepts exactly the schema's requests and leaves them unchanged", () => {
  const good = Object.entries(orderPayload());
  const request = fc.tuple(
    fc.array(fc.tuple(fc.constantFrom(...names), odd), { maxLength: 3 }),
    fc.subarray(good, { minLength: good.length - 1 }),
  );
  let taken = 0;
  fc.assert(
    fc.property(request, ([changes, base]) => {
      const values = new Map([...base, ...changes] as [FieldName, FieldValue][]);
      const checked = checkedRequest(values);
      const bySchema = createProjectRequest.safeParse(Object.fromEntries(values));
      expect('request' in checked).toBe(bySchema.success);
      if (!('request' in checked)) return;
      taken += 1;
      expect(checked.request).toEqual(bySchema.data);
    }),
    { numRuns: inProof({ share: 2000, whole: 5000 }) },
  );
  expect(taken).toBeGreaterThan(inProof({ share: 200, whole: 500 }));
});
