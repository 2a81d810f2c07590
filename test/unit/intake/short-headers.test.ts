import { expect, test } from 'vitest';
import type { FieldName } from '../../../src/intake/fields.ts';
import { shortHeaderField } from '../../../src/intake/header/known-headers.ts';

const among = (...fields: readonly FieldName[]) => ({ fields: new Set(fields) });

test("takes a lone Phone, Email, or Name as the insured's", () => {
  const others = among('streetAddress', 'policyNumber');
  expect(shortHeaderField('Phone', others)).toBe('insuredPhone');
  expect(shortHeaderField('E-Mail', others)).toBe('insuredEmail');
  expect(shortHeaderField('Client Name', others)).toBe('insuredName');
});

test("needs the agent's own column if the row names an agent", () => {
  expect(shortHeaderField('Phone', among('insuredName', 'agentName'))).toBeUndefined();
  expect(shortHeaderField('Phone', among('insuredName', 'agentName', 'agentPhone'))).toBe('insuredPhone');
});

test('ignores a short header if the full name exists', () => {
  expect(shortHeaderField('Phone', among('insuredPhone'))).toBeUndefined();
  expect(shortHeaderField('Type', among())).toBeUndefined();
});

test('accepts a header that names its person', () => {
  expect(shortHeaderField('Insured Cell Phone', among('insuredName', 'agentName'))).toBe('insuredPhone');
});

test('goes by the column to the left: insured or agent', () => {
  const others = among('insuredName', 'agentName');
  expect(shortHeaderField('Email', { ...others, leftOf: 'insured' })).toBe('insuredEmail');
  expect(shortHeaderField('Email', { ...among('insuredName'), leftOf: 'agent' })).toBeUndefined();
});

test.each([
  ['Home Phone', 'insuredPhone'],
  ['Res Phone', 'insuredPhone'],
  ['Start date', 'policyEffectiveDate'],
  ['Fecha efectiva', 'policyEffectiveDate'],
  ['Task Due', 'dueDate'],
  ['Order Type', 'serviceName'],
  ['Occupancy / Dwelling Type', 'houseType'],
  ['# FAMILIES', 'houseType'],
  ['COVAMT', 'dwellingCoverage'],
  ['HomeownersLine.PolicyForm', 'policyType'],
  ['Policy # / Binder #', 'policyNumber'],
  ['Requested Effective Date', 'policyEffectiveDate'],
  ['MGA/Carrier', 'insuredBy'],
  ['Property Use/Type', 'houseType'],
])('takes a lone %s next to an agent as %s', (header, field) => {
  expect(shortHeaderField(header, among('insuredName', 'agentName'))).toBe(field);
});

test.each([
  'Binder Date',
  'MGA',
  'Property Use',
  'Requested Date',
  'PipeLine.PolicyForm',
  'Contact Phone 1',
  'EMAILAD',
  'Ref #',
  'Our Ref #',
  'Client Ref No',
  'Work Order',
  'Manager Phone',
])('leaves %s open next to an agent', (header) => {
  expect(shortHeaderField(header, among('insuredName', 'agentName'))).toBeUndefined();
});
