import { expect, test } from 'vitest';
import { type FieldName, fieldNamed, helpInTemplate } from '../../../src/intake/fields.ts';
import { applyRules } from '../../../src/intake/rules.ts';

/** What the rules say of one value of an otherwise empty row: `error` or `warning` and the rule, but for what is required and not there. */
function told(field: FieldName, value: string): readonly string[] {
  const findings = applyRules({
    values: new Map([[field, value]]),
    wrong: new Set(),
    present: new Set(),
    today: '2026-10-15',
  });
  return findings
    .filter(({ rule }) => rule !== 'required-column-missing')
    .map(({ severity, rule }) => `${severity} ${rule}`);
}

test.each<[FieldName, string, readonly string[]]>([
  ['insuredEmail', 'pat@example.com', []],
  ['insuredEmail', "o'neil+home@mail.example.co.uk", []],
  ['insuredEmail', 'josé@example.com', []],
  ['insuredEmail', 'pat@example', ['warning email-form']],
  ['insuredEmail', 'pat@example..com', ['warning email-form']],
  ['insuredEmail', 'pat@example,com', ['warning email-form']],
  ['insuredEmail', 'pat.@example.com', ['warning email-form']],
  ['insuredEmail', '"pat@example.com"', ['warning email-form']],
  ['insuredEmail', 'pat@@example.com', ['warning email-form']],
  ['insuredEmail', 'to be collected by the agent', ['error required-placeholder']],
  ['insuredEmail', 'none - will get', ['error required-placeholder']],
  ['insuredEmail', 'pat.example.com', ['error required-placeholder']],
  ['agentEmail', 'see notes', ['warning email-form']],
  ['insuredEmail', '0', ['error required-placeholder']],
  ['insuredPhone', '(413) 555-0142 x12', []],
  ['insuredPhone', '413 555 0142 #7', []],
  ['insuredPhone', '+49 30 123 4567', []],
  ['insuredPhone', '1-413-555-0142', []],
  ['insuredPhone', '413-555-01422', ['warning phone-digits']],
  ['insuredPhone', '999-999-9999', ['error required-placeholder']],
  ['insuredPhone', '+299 32 11', ['warning phone-digits']],
  ['insuredPhone', 'see notes', ['error required-placeholder']],
  ['insuredPhone', '0', ['error required-placeholder']],
  ['insuredPhone', '000-000-0000', ['error required-placeholder']],
  ['agentPhone', '000-000-0000', ['warning phone-digits']],
  ['policyEffectiveDate', '1976-01-01', ['warning effective-date-far']],
  ['policyEffectiveDate', '1975-12-31', ['error effective-date-far']],
  ['policyEffectiveDate', '3027-01-15', ['error effective-date-far']],
  ['dueDate', '2026-10-14', ['warning due-date-past']],
  ['dueDate', '2028-01-15', ['warning due-date-far']],
  ['dueDate', '2024-01-15', ['warning due-date-past']],
  ['dueDate', '1927-01-15', ['error due-date-far']],
  ['dueDate', '3027-01-15', ['error due-date-far']],
  ['city', 'Tampa', []],
  ['city', 'Eighty Four', []],
  ['city', '33609', ['error city-without-letters']],
  ['city', '.', ['error city-without-letters']],
  ['city', 'FL', ['warning city-form']],
  ['city', 'Tampa 33609', ['warning city-form']],
  ['insuredName', '12345', ['warning name-without-letters']],
  ['insuredName', 'Maria Santos 813-555-0142', ['error name-holds-contact']],
  ['insuredName', 'Maria Santos m@example.com', ['error name-holds-contact']],
  ['insuredName', 'Maria Santos 8135550142 cell', ['error name-holds-contact']],
  ['insuredName', '(813)555-0142 Maria', ['error name-holds-contact']],
  ['insuredName', 'Estate 1234567', []],
  ['insuredName', 'Lot 12 Trust 2019', []],
  ['insuredName', '李', []],
  ['streetAddress', '100-102 Main St', []],
  ['streetAddress', 'Rt9', []],
  ['streetAddress', 'B 12', ['error street-number-only']],
  ['streetAddress', '100 Main St & 5th', []],
  ['streetAddress', 'Corner of 5th & 6th', ['warning street-without-number']],
  ['streetAddress', 'Hwy 41 S, mile 7', []],
])('applyRules judges %s %s: %j', (field, value, expected) => {
  expect(told(field, value)).toEqual(expected);
});

test('helpInTemplate alone mentions columns, as only our workbooks have them', () => {
  const zip = fieldNamed('zipcode');
  const said = applyRules({ values: new Map(), wrong: new Set(), present: new Set(['zipcode']), today: '2026-10-15' });
  const found = said.find(({ field }) => field === 'zipcode');
  expect(found).toMatchObject({ rule: 'required-empty', message: expect.stringContaining(' 33609-1204.') });
  expect(found?.message).not.toContain('column');
  expect(zip === undefined ? '' : helpInTemplate(zip)).toMatch(/ 33609-1204; .*column/);
});
