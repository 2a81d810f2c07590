import { describe, expect, test } from 'vitest';
import type { Cell } from '../../../../src/domain/cells.ts';
import { fieldNamed, type OrderField } from '../../../../src/intake/fields.ts';
import { coerce } from '../../../../src/intake/values/coerce.ts';
import { NO_EVIDENCE } from '../../../../src/intake/values/coercion.ts';
import { coercionInShort, numberCell } from '../../../support/coercions.ts';

function field(name: string): OrderField {
  const found = fieldNamed(name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return found;
}

function read(name: string, cell: Cell | string | undefined): string {
  const context = { field: field(name), evidence: NO_EVIDENCE, corrected: false, state: 'FL', today: '2026-10-15' };
  return coercionInShort(coerce(typeof cell === 'string' ? { kind: 'text', text: cell } : cell, context));
}

const date = (iso: string, raw = '46086', format?: string): Cell => ({
  kind: 'date',
  iso,
  raw,
  ...(format !== undefined && { format }),
});

describe('coerce', () => {
  test.each<[string, Cell | string | undefined, string]>([
    ['note', undefined, ''],
    ['note', '', ''],
    ['note', date('2026-03-05'), '~2026-03-05'],
    ['dueDate', date('2026-03-05'), '=2026-03-05'],
    ['policyNumber', date('2026-03-05'), '!cell-became-date'],
    ['yearBuilt', date('1987-01-01'), '!cell-became-date'],
    ['yearBuilt', date('1987-06-09', '31937', 'yyyy'), '!cell-became-date'],
    ['isRenewal', { kind: 'boolean', value: false }, '=false'],
    ['note', { kind: 'boolean', value: false }, '~FALSE'],
    ['city', { kind: 'boolean', value: false }, '!cell-holds-boolean'],
    ['city', numberCell('7', '000'), '~007'],
    ['state', numberCell('7'), '!state-unknown'],
    ['city', 'Tampa ,', '~Tampa'],
    ['city', ',', '!required-placeholder'],
    ['city', ' , ;', '!required-placeholder'],
    ['insuredName', '.', '!required-placeholder'],
    ['insuredEmail', '.', '!required-placeholder'],
    ['yearBuilt', numberCell('1987.0'), '=1987'],
    ['yearBuilt', numberCell('1987.5'), '!year-four-digits'],
  ])('reads %s %o as %s', (name, cell, expected) => {
    expect(read(name, cell)).toBe(expected);
  });
});

describe('coerce, a long text', () => {
  test.each([
    ['note', 32_767, 'value'],
    ['note', 32_768, '!text-too-long'],
    ['insuredEmail', 32_767, 'value'],
    ['policyNumber', 1000, 'value'],
    ['policyNumber', 1001, '!text-too-long'],
  ])('takes %s of %i characters: %s', (name, length, expected) => {
    const found = read(name, 'a'.repeat(length));
    expect(found.startsWith('=') ? 'value' : found).toBe(expected);
  });
});

describe('coerce, an odd text', () => {
  test.each([
    ['supplementalServices', 'Wildfire\r\n\nSinkhole', '~["Wildfire","Sinkhole"]'],
    ['note', 'é\nb', '=é\nb'],
    ['agentName', 'é\nb', '~é b'],
    ['streetAddress', '１２ O’Brien St', '~12 O’Brien St'],
    ['insuredName', '１２', '=１２'],
    ['policyNumber', '１２', '~12'],
    ['policyNumber', '\u200b', ''],
    ['policyNumber', '  ', ''],
    ['policyNumber', '=""', '~'],
    ['policyNumber', '="HO-1"', '~HO-1'],
    ['policyNumber', ' xxx', '!id-placeholder'],
    ['agentName', 'a &amp; b', '~a & b'],
    ['agentName', '=a', '==a'],
    ['agentName', "'a", "='a"],
    ['policyNumber', "'a", '~a'],
    ['policyNumber', '"a"', '~a'],
  ])('reads %s %j as %s', (name, text, expected) => {
    expect(read(name, text)).toBe(expected);
  });
});

describe('coerce, a placeholder', () => {
  const LONG = '-'.repeat(80);

  test.each([
    ['city', '#REF!', '!cell-error'],
    ['city', 'same', '!value-ditto'],
    ['city', 'see attached', '!value-elsewhere'],
    ['agentName', 'see attached', '=see attached'],
    ['streetAddress', '5 locations', '!value-elsewhere'],
    ['insuredName', '5 locations', '=5 locations'],
    ['note', 'N/A', '~'],
    ['note', 'null', '~'],
    ['note', 'nulls', '=nulls'],
    ['agentName', 'N/A', '~'],
    ['insuredName', 'N/A', '!required-placeholder'],
    ['agentEmail', 'no email', '~'],
    ['agentName', 'no email', '=no email'],
    ['insuredEmail', 'no email', '!required-placeholder'],
    ['inspectionNumber', 'TBD', '~ +value-not-known'],
    ['inspectionNumber', 'pending', '~ +value-not-known'],
    ['policyNumber', 'TBD', '~ +value-not-known'],
    ['policyNumber', 'to follow', '~ +value-not-known'],
    ['policyNumber', 'not yet assigned', '~ +value-not-known'],
    ['policyNumber', 'new', '!id-placeholder'],
    ['policyEffectiveDate', 'TBD', '!id-placeholder'],
    ['dueDate', 'TBD', '~ +value-not-known'],
    ['yearBuilt', 'unknown', '~ +value-not-known'],
    ['insuredName', 'TBD', '!required-placeholder'],
    ['zipcode', 'TBD', '!zipcode-format'],
    ['state', 'N/A', '!state-unknown'],
    ['agentName', LONG, '~'],
    ['agentName', `${LONG}-`, `=${LONG}-`],
    ['isRenewal', 'N/B', '~false'],
    ['isRenewal', 'RNW', '~true'],
    ['isRenewal', 'Non-renewal', '!not-yes-or-no'],
  ])('reads %s %s as %s', (name, text, expected) => {
    expect(read(name, text)).toBe(expected);
  });
});

describe('coerce, an email address', () => {
  test.each([
    ['a@b.example', '=a@b.example'],
    ['a@b.example;', '~a@b.example'],
    ['a@b.example.,;:', '~a@b.example'],
    ['a@b.example; c@d.example;', '=a@b.example; c@d.example;'],
    ['Ann <a@b.example>', '~a@b.example'],
    ['Ann <a@b.example>.', '~a@b.example'],
    ['Ann [a@b.example]', '~a@b.example'],
    ['Ann (a@b.example)', '~a@b.example'],
    ['A@b.example <a@b.example>', '~a@b.example'],
    ['c@b.example <a@b.example>', '=c@b.example <a@b.example>'],
    ['Ann < mailto:a@b.example >', '~a@b.example'],
    ['Ann <a@b.example> x', '=Ann <a@b.example> x'],
    ['MAILTO:a@b.example', '~a@b.example'],
    ['mailto:a@b.example?subject=x', '~a@b.example'],
    ['a@b.example?subject=x', '=a@b.example?subject=x'],
    ['mailto:', '=mailto:'],
  ])('reads %s as %s', (text, expected) => {
    expect(read('insuredEmail', text)).toBe(expected);
  });
});

describe('coerce, an email address of nobody', () => {
  test.each([
    'none@none.com',
    'NoEmail@gmail.com',
    'no-email1@agency.com',
    'noemailprovided@yahoo.com',
    'na@na.com',
    'no@email.com',
    'test@test.com',
    'unknown@unknown.com',
    'x@x.com',
    'refused@email.com',
    'do.not.email@gmail.com',
    'noreply@agency.com',
    'abc@abc.com',
    '123@gmail.com',
    'declined',
    'agent will provide',
  ])('takes %s for no email', (text) => {
    expect([read('insuredEmail', text), read('agentEmail', text)]).toEqual(['!required-placeholder', '~']);
  });

  test.each([
    'info@smithfarms.com',
    'office@smith.com',
    'joe.none@gmail.com',
    'none.amy@gmail.com',
    'na@smithlaw.com',
    'smith@smith.com',
    'testa@gmail.com',
    'noelle@noelle.com',
    'noone@gmail.com',
    'x1@gmail.com',
  ])('sends %s', (text) => {
    expect(read('insuredEmail', text)).toBe(`=${text}`);
  });
});

describe('coerce, a value with a remark', () => {
  test.each([
    ['policyEffectiveDate', '12/15/2026 12:01 AM EST', '~2026-12-15'],
    ['policyEffectiveDate', '12/15/2026*', '~2026-12-15'],
    ['policyEffectiveDate', '2026-12-15 (renewal)', '~2026-12-15'],
    ['policyEffectiveDate', 'eff 12/15/26', '~2026-12-15'],
    ['policyEffectiveDate', '12/15/26 - 12/15/27', '~2026-12-15'],
    ['policyEffectiveDate', '12/15/26 - 12/20/26', '!date-format'],
    ['policyEffectiveDate', '12/15/2026 (was 11/1)', '!date-format'],
    ['policyEffectiveDate', '12/15/2026 or 12/16/2026', '!date-format'],
    ['dueDate', '12/15/2026 5pm', '~2026-12-15'],
    ['dueDate', '12/15/26 or sooner', '~2026-12-15'],
    ['dueDate', 'by 12/15/26', '~2026-12-15'],
    ['policyEffectiveDate', '2026-12-15 to 2027-12-15', '~2026-12-15'],
    ['policyEffectiveDate', 'Renewal 12/15/2026', '~2026-12-15'],
    ['policyEffectiveDate', '12/15/2026 new', '~2026-12-15'],
    ['policyEffectiveDate', '2026-12-15 to 2026-12-20', '!date-format'],
    ['policyEffectiveDate', '12/15/2026 canceled', '!date-format'],
    ['dueDate', 'due by 12/15/26', '~2026-12-15'],
    ['dueDate', 'NLT 12/15/26', '~2026-12-15'],
    ['dueDate', '12/15/2026 COB', '~2026-12-15'],
    ['dueDate', '12/15/2026!!', '~2026-12-15'],
    ['dueDate', 'after 12/15/26', '!date-format'],
    ['dwellingCoverage', '350,000.00 (RC)', '~350000'],
    ['dwellingCoverage', '$350000 RCV', '~350000'],
    ['dwellingCoverage', '350000*', '~350000'],
    ['dwellingCoverage', '~350k', '~350000'],
    ['dwellingCoverage', '350000.-', '~350000'],
    ['dwellingCoverage', '350000 (Cov A)', '~350000'],
    ['dwellingCoverage', '$350000 per app', '~350000'],
    ['dwellingCoverage', '350000?', '~350000'],
    ['dwellingCoverage', '350000 ea', '!amount-format'],
    ['dwellingCoverage', '350000 (contents)', '!amount-format'],
    ['dwellingCoverage', '350000/75000', '!amount-format'],
    ['dwellingCoverage', '350000 (+10%)', '!amount-format'],
    ['dwellingCoverage', '300-350k', '!amount-format'],
    ['carrierProvidedLivingArea', '2350 SF A/C', '~2350'],
    ['carrierProvidedLivingArea', '2350+/-', '~2350'],
    ['carrierProvidedLivingArea', '2350 +/- SF', '~2350'],
    ['carrierProvidedLivingArea', '2350 sqft htd', '~2350'],
    ['carrierProvidedLivingArea', '2350 SFLA', '~2350'],
    ['carrierProvidedLivingArea', '2350/3100', '!amount-format'],
    ['yearBuilt', '1988 (remod 2015)', '~1988'],
    ['yearBuilt', '1988 remodeled 2015', '~1988'],
    ['yearBuilt', '1988?', '~1988'],
    ['yearBuilt', '1988 per PA', '~1988'],
    ['yearBuilt', 'c. 1920', '~1920'],
    ['yearBuilt', '1988 - reno 2015', '~1988'],
    ['yearBuilt', 'Est. 1988', '~1988'],
    ['yearBuilt', '1988+/-', '~1988'],
    ['yearBuilt', '88', '!year-four-digits'],
    ['yearBuilt', '1920s', '!year-four-digits'],
    ['yearBuilt', '1988 (rebuilt 2015)', '!year-four-digits'],
    ['yearBuilt', '1988 or 1989', '!year-four-digits'],
    ['yearBuilt', '1988-1990', '!year-four-digits'],
  ])('reads %s %s as %s', (name, text, expected) => {
    expect(read(name, text)).toBe(expected);
  });
});

describe('coerce, a usual word', () => {
  test.each([
    ['policyType', 'HO3-NB', '~Homeowners Insurance'],
    ['policyType', 'Homeowners’ Insurance', '~Homeowners Insurance'],
    ['policyType', 'HO3 w/ wind', '~Homeowners Insurance'],
    ['policyType', 'DP3 Tenant Occ', '~Homeowners Insurance'],
    ['policyType', 'Comm Pkg', '~Commercial Property Insurance'],
    ['policyType', 'FARMOWNER PKG', '~Farm & Ranch Insurance'],
    ['policyType', 'NB', '!value-not-listed'],
    ['policyType', 'Wind', '!value-not-listed'],
    ['policyType', 'Condo', '!value-not-listed'],
    ['houseType', 'TH - Inside', '~Residential Townhouse'],
    ['houseType', 'Duplex (both sides)', '~Residential Multi Family'],
    ['houseType', 'Half Duplex', '!value-not-listed'],
    ['serviceName', 'New Biz 4pt', '~4-Point'],
    ['serviceName', 'Self Insp - Exterior', '~Self Exterior Underwriting'],
    ['serviceName', '4-Point + Roof', '!value-not-listed'],
    ['serviceName', 'Homeowner Exterior', '!value-not-listed'],
  ])('reads %s %s as %s', (name, text, expected) => {
    expect(read(name, text)).toContain(expected);
  });
});
