import { describe, expect, test } from 'vitest';
import type { FieldName } from '../../../src/intake/fields.ts';
import { applyRules, checkedRequest, type FieldProblem } from '../../../src/intake/rules.ts';
import type { FieldValue } from '../../../src/intake/values/coercion.ts';
import { orderPayload } from '../../support/order-factory.ts';

type Row = Partial<Record<FieldName, FieldValue>>;
const valuesOf = (row: Row) => new Map(Object.entries(row)) as unknown as ReadonlyMap<FieldName, FieldValue>;

interface About {
  readonly given?: readonly FieldName[];
  readonly wrong?: readonly FieldName[];
  readonly present?: readonly FieldName[];
}

/** What the rules find in a row on 2026-10-15. */
function findings(row: Row, { given, wrong = [], present = [] }: About = {}): readonly FieldProblem[] {
  return applyRules({
    values: valuesOf(row),
    wrong: new Set(wrong),
    present: new Set(present),
    given: given && new Set(given),
    today: '2026-10-15',
  });
}

/** Severity and code of what is found, but for missing columns. */
const codes = (row: Row): readonly string[] =>
  findings(row)
    .filter(({ rule }) => rule !== 'required-column-missing')
    .map(({ severity, rule }) => `${severity} ${rule}`);

describe('applyRules: required fields', () => {
  const of = (field: FieldName, about: About, row: Row = {}) =>
    findings(row, about).find((one) => one.field === field && one.rule.startsWith('required'));

  test('finds an empty cell of a column that is there', () => {
    expect(of('city', { present: ['city'] })).toMatchObject({ severity: 'error', rule: 'required-empty' });
  });

  test('finds a missing column', () => {
    expect(of('city', {})).toMatchObject({ severity: 'error', rule: 'required-column-missing' });
  });

  test('says nothing of a filled cell', () => {
    expect(of('city', {}, { city: 'Tampa' })).toBeUndefined();
  });

  test('says nothing of a cell that is already wrong', () => {
    expect(of('city', { wrong: ['city'] })).toBeUndefined();
  });

  test('says nothing of an optional field', () => {
    expect(of('note', {})).toBeUndefined();
  });

  test('lists the house types of the policy type', () => {
    const row = { policyType: 'Farm & Ranch Insurance' };
    const { message = '' } = of('houseType', { present: ['houseType'] }, row) ?? {};
    const { message: ofAny = '' } = of('houseType', { present: ['houseType'] }) ?? {};
    expect(ofAny.length).toBeGreaterThan(message.length);
  });

  test('lists the policy types', () => {
    expect(of('policyType', { present: ['policyType'] })?.message).toContain('Homeowners Insurance');
  });

  test('explains the value if there is no list', () => {
    expect(of('city', { present: ['city'] })?.message).toMatch(/the city/);
  });
});

describe('applyRules: house type', () => {
  const POLICY = 'Homeowners Insurance';

  test('takes one that belongs to the policy type', () => {
    expect(codes({ policyType: POLICY, houseType: 'Residential Single Family' })).toEqual([]);
  });

  test('refuses one of another policy type', () => {
    expect(codes({ policyType: POLICY, houseType: 'Restaurant' })).toEqual(['error house-type-of-policy-type']);
  });

  test('asks for the only policy type that fits', () => {
    const found = findings({ policyType: POLICY, houseType: 'Restaurant' });
    const message = found.find(({ field }) => field === 'houseType')?.message;
    expect(message).toContain('"Commercial Property Insurance"');
  });

  test('asks for none if several fit', () => {
    const row = { policyType: 'Commercial Property Insurance', houseType: 'Other' };
    const found = findings(row).find(({ rule }) => rule === 'house-type-of-policy-type');
    expect(found?.message ?? '').not.toContain('Or is');
  });

  test.each<[string, Row]>([
    ['without a policy type', { houseType: 'Restaurant' }],
    ['without a house type', { policyType: POLICY }],
    ['about a policy type that no list has', { policyType: 'Renters', houseType: 'Restaurant' }],
  ])('says nothing %s', (_what, row) => {
    expect(codes(row)).toEqual([]);
  });
});

describe('applyRules: street', () => {
  test.each([
    'PO Box 12',
    'P.O. Box 12',
    'P. O. Box 12',
    'P.O.Box 12',
    'POBox 12',
    'P O Drawer 12',
    'Post Office Box 12',
    'post  office  drawer 12',
    'POB 12',
    'PMB 12',
    'P.M.B. 12',
    'PM.B 12',
    'Box 12',
    'Lock Box 12',
    'LockBox 12',
    'PO Box No. 12',
    'PO Box no 12',
    'PO Box number 12',
    'PO Box # 12',
    'PO Box #12',
    'PO Box12',
    'PO Box 12-3',
    'PO Box 12A',
    'PO Box 12.',
  ])('refuses the post-office box %s', (street) => {
    expect(codes({ streetAddress: street })).toEqual(['error street-po-box']);
  });

  test.each(['12 Elm St, PO Box 7', '12 Elm St P.O. Box 7', '12 Elm P O Box 7', '12 Elm POBox', '12 Elm St P.O.Box 7'])(
    'warns of a box next to a street: %s',
    (street) => {
      expect(codes({ streetAddress: street })).toEqual(['warning street-po-box']);
    },
  );

  test.each(['12 Box Elder Rd', '12 Boxwood Ln', '9 Post Office Rd', 'Lot 7, 12 Elm St', '12 Pob Ln'])(
    'takes %s',
    (street) => {
      expect(codes({ streetAddress: street })).toEqual([]);
    },
  );

  test.each(['12', '12-14', '#7'])('refuses a number without a street: %s', (street) => {
    expect(codes({ streetAddress: street })).toEqual(['error street-number-only']);
  });

  test.each([
    'Elm Street',
    'Old House by one road',
    'Mile High Rd',
    'Lot 5 Palm Grove',
    'Corner of 5th & Elm',
    'Parcel B, Elm',
  ])('warns of a street without a number: %s', (street) => {
    expect(codes({ streetAddress: street })).toEqual(['warning street-without-number']);
  });

  test.each(['Twelve Oaks Road', 'One Main Street', 'Mile Marker 7', 'MileMarker Road'])(
    'takes a place that can be found: %s',
    (street) => {
      expect(codes({ streetAddress: street })).toEqual([]);
    },
  );
});

describe('applyRules: city', () => {
  test.each([
    ['Tampa 33609-1204', ['warning city-form']],
    ['Tampa 33609 area', []],
    ['Tampa 3', []],
    ['Tampa 33609-1', []],
    ['fl', ['warning city-form']],
  ])('judges %s', (city, expected) => {
    expect(codes({ city })).toEqual(expected);
  });
});

describe('applyRules: ZIP code and state', () => {
  test.each<[string, Row, readonly string[]]>([
    ['takes a ZIP code of the state', { zipcode: '33609', state: 'FL' }, []],
    ['warns of one of another state', { zipcode: '33609', state: 'MA' }, ['warning zipcode-not-in-state']],
    ['warns of one of no state', { zipcode: '00000', state: 'MA' }, ['warning zipcode-not-in-state']],
    ['says nothing without a state', { zipcode: '33609' }, []],
    ['says nothing without a ZIP code', { state: 'FL' }, []],
  ])('%s', (_what, row, expected) => {
    expect(codes(row)).toEqual(expected);
  });

  test('returns one outside the state said for all rows', () => {
    const row = { zipcode: '33609', state: 'MA' };
    const severityOf = (given: readonly FieldName[]) =>
      findings(row, { given }).find(({ field }) => field === 'zipcode')?.severity;
    expect([severityOf(['state']), severityOf(['serviceName'])]).toEqual(['error', 'warning']);
  });

  const message = (row: Row) => findings(row).find(({ field }) => field === 'zipcode')?.message;

  test('names both states', () => {
    const found = findings({ zipcode: '33609', state: 'MA' }).find(({ rule }) => rule === 'zipcode-not-in-state');
    expect(found?.message).toMatch(/Massachusetts.*Florida/);
  });

  test('says that no state has such ZIP codes', () => {
    expect(message({ zipcode: '00000', state: 'MA' })).toContain('no state');
  });
});

describe('applyRules: dates', () => {
  test.each<[FieldName, string, readonly string[]]>([
    ['dueDate', '2026-10-15', []],
    ['dueDate', '2027-12-31', []],
    ['dueDate', '2028-01-01', ['warning due-date-far']],
    ['dueDate', '2076-12-31', ['warning due-date-far']],
    ['dueDate', '2077-01-01', ['error due-date-far']],
    ['policyEffectiveDate', '2023-01-01', []],
    ['policyEffectiveDate', '2022-12-31', ['warning effective-date-far']],
    ['policyEffectiveDate', '2029-12-31', []],
  ])('judges %s %s: %j', (field, date, expected) => {
    expect(codes({ [field]: date })).toEqual(expected);
  });
});

describe('applyRules: numbers', () => {
  test.each<[FieldName, FieldValue, readonly string[]]>([
    ['yearBuilt', 2026, []],
    ['yearBuilt', 1600, []],
    ['yearBuilt', 1599, ['warning year-built-early']],
    ['dwellingCoverage', 5000, []],
    ['dwellingCoverage', 4999, ['warning amount-unusual']],
    ['dwellingCoverage', 100_000_000, []],
    ['dwellingCoverage', 100_000_001, ['warning amount-unusual']],
    ['dwellingCoverage', 0, []],
    ['carrierProvidedLivingArea', 100, []],
    ['carrierProvidedLivingArea', 99, ['warning amount-unusual']],
    ['carrierProvidedLivingArea', 200_000, []],
    ['carrierProvidedLivingArea', 200_001, ['warning amount-unusual']],
  ])('judges %s %i: %j', (field, value, expected) => {
    expect(codes({ [field]: value })).toEqual(expected);
  });

  test.each([
    [99, 'low'],
    [200_001, 'high'],
  ])('calls a living area of %i unusually %s', (value, word) => {
    const found = findings({ carrierProvidedLivingArea: value }).find(({ rule }) => rule === 'amount-unusual');
    expect(found?.message).toContain(`unusually ${word}`);
  });
});

describe('applyRules: phone and email', () => {
  test.each<[string, readonly string[]]>([
    ['1234567', ['warning phone-digits']],
    ['123456', ['warning phone-digits']],
    ['4135550142', []],
    ['413555014', ['warning phone-digits']],
    ['1111111', ['error required-placeholder']],
    ['4135550144', []],
    ['1135550142', []],
    ['4444135550142', []],
    ['123456789012345', []],
    ['1234567890123456', ['warning phone-digits']],
    ['4135550142 ext 123456789', []],
    ['419-555-0506 / 419-555-9012 (wife)', ['warning phone-digits']],
    ['413-555-0142 x1', []],
    ['413+555-0142 1', []],
    ['(123) 456-7890', ['error required-placeholder']],
    ['1-555-555-5555', ['error required-placeholder']],
    ['413-555-1212', ['error required-placeholder']],
    ['413-555-5555', []],
    ['123-456-7891', []],
    ['555-121-2413', []],
  ])('judges insuredPhone %s: %j', (phone, expected) => {
    expect(codes({ insuredPhone: phone })).toEqual(expected);
  });

  const troubleOf = (phone: string) =>
    findings({ agentPhone: phone }).find(({ rule }) => rule === 'phone-digits')?.message ?? '';

  test.each([
    ['7', /too few/],
    ['123456', /too few/],
    ['1234567', /area code/],
    ['123456789', /US number/],
    ['7777777777', /nobody’s number/],
    ['41355501423', /one digit seems/],
    ['1234567890123456', /too many for one/],
  ])('explains the problem with %s', (phone, words) => {
    expect(troubleOf(phone)).toMatch(words);
  });

  test.each(['a b@example.com', 'pat@example.com x', 'pat@example.c', '<pat@example.com>'])(
    'warns of the email %s',
    (email) => {
      expect(codes({ insuredEmail: email })).toEqual(['warning email-form']);
    },
  );

  test('names the missing contact in small letters', () => {
    const found = findings({ insuredPhone: '0' }).find(({ rule }) => rule === 'required-placeholder');
    expect(found?.message).toMatch(/\binsured phone\b/);
  });
});

describe('applyRules: damaged text', () => {
  test.each<[string, readonly string[]]>([
    ['José', []],
    ['plain ASCII', []],
    ['Jos\ufffd', ['warning text-damaged']],
    ['JosÃ©', ['warning text-damaged']],
  ])('judges the note %s', (note, expected) => {
    expect(codes({ note })).toEqual(expected);
  });

  test('shows how a misread text was probably written', () => {
    expect(findings({ note: 'JosÃ©' }).find(({ rule }) => rule === 'text-damaged')?.message).toContain('"José"');
  });
});

describe('checkedRequest', () => {
  const PAYLOAD = orderPayload({ inspectionNumber: 'A-1' }) as unknown as Row;

  test('returns a request that the schema takes', () => {
    expect(checkedRequest(valuesOf(PAYLOAD))).toEqual({ request: PAYLOAD });
  });

  test('leaves out fields without a value', () => {
    expect(Object.keys((checkedRequest(valuesOf(PAYLOAD)) as { request: object }).request)).not.toContain('note');
  });

  test('names the field that the schema refuses', () => {
    expect(checkedRequest(valuesOf({ ...PAYLOAD, state: 'ZZ' }))).toMatchObject({
      findings: [{ severity: 'error', rule: 'request-schema', field: 'state' }],
    });
  });
});
