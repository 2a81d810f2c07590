import { describe, expect, test } from 'vitest';
import type { FieldName } from '../../../../src/intake/fields.ts';
import {
  headerDateOrder,
  knownHeaders,
  nearestHeader,
  type OtherHeaders,
  otherUnit,
  contactRank,
  shortHeaderField,
  shortMeaning,
  spellOut,
  unsentHeader,
} from '../../../../src/intake/header/known-headers.ts';

describe('spellOut', () => {
  test.each([
    ['Pol Eff Dt', 'policyeffectivedate'],
    ['polEffDate', 'policyeffectivedate'],
    ['POLNBR', 'policynumber'],
    ['The Policy Number', 'policynumber'],
    ["Insured's Name", 'insuredname'],
    ['Insd Ph #', 'insuredphonenumber'],
    ['Addr1', 'address1'],
    ['Ｐｏｌ Ｎｏ', 'policynumber'],
    ['', ''],
  ])('writes %j as %s', (header, expected) => {
    expect(spellOut(header)).toBe(expected);
  });

  test.each([
    ['polpolpolpol', 'policypolicypolicypolicy'],
    ['polpolpolpolx', 'polpolpolpolx'],
    ['polpolpolpolpol', 'polpolpolpolpol'],
  ])('takes only words of twelve letters apart: %s', (header, expected) => {
    expect(spellOut(header)).toBe(expected);
  });
});

describe('otherUnit', () => {
  test.each([
    ['Cov A (000s)', '000s'],
    ['Cov A (K)', 'K'],
    ['Cov A { k }', 'k'],
    ['% Cov A', '%'],
    ['€ Cov A', '€'],
    ['Cov A ($)', undefined],
    [`${'x'.repeat(300)} %`, undefined],
  ])('finds in %s the sign %s', (header, unit) => {
    expect(otherUnit(header)).toBe(unit);
  });
});

describe('headerDateOrder', () => {
  test.each([
    ['Due (DD/MM/YYYY)', 'day first'],
    ['d.m.yy', 'day first'],
    ['ddmmyyyy', 'day first'],
    ['Due (MM/DD/YYYY)', 'month first'],
    ['m-d-yy', 'month first'],
    ['Due mm dd yyyy', 'month first'],
    ['add/mm/yyyy', undefined],
    ['dd/mm/yyyyx', undefined],
    ['mm/dd', undefined],
    ['yyyy-mm-dd', undefined],
  ])('reads %s as %s', (header, order) => {
    expect(headerDateOrder(header)).toBe(order);
  });
});

describe('knownHeaders', () => {
  test.each([
    ['Phone', 'insuredPhone', 'insuredPhone'],
    ['Our Ref', 'Policy number', 'policyNumber'],
    ['Our Ref', 'policyNumber', 'policyNumber'],
  ])('reads %s as the config says: %s', (header, configured, field) => {
    const known = knownHeaders({ [header]: configured });
    expect([known.fieldOf(header.toUpperCase())?.name, known.notes]).toEqual([field, []]);
    expect([known.isConfigured(`${header}:`), known.isIgnored(header)]).toEqual([true, false]);
  });

  test('distinguishes a configured header from one with another unit', () => {
    const known = knownHeaders({ 'Cov X': 'dwellingCoverage' });
    expect(['Cov X', 'Cov X %'].map((header) => known.fieldOf(header)?.name)).toEqual(['dwellingCoverage', undefined]);
    expect(['Cov X', 'Cov X %', 'Cov A'].map((header) => known.isConfigured(header))).toEqual([true, false, false]);
  });

  test.each([
    ['policyNumbr', true],
    ['zzz', false],
  ])('notes a field that does not exist: %s, with the nearest: %s', (configured, isNear) => {
    const known = knownHeaders({ 'Our Ref': configured });
    expect(known.notes.map(({ code }) => code)).toEqual(['config-no-field']);
    expect(known.notes.some(({ text }) => text.includes('"policyNumber"'))).toBe(isNear);
    expect(known.fieldOf('Our Ref')).toBeUndefined();
  });

  test.each([
    ['Effective Date (mm/dd/yyyy)', 'policyEffectiveDate'],
    ['Effective Date [required] *', 'policyEffectiveDate'],
    ['Effective Date (Y/N)', undefined],
    ['State (2 letters)', 'state'],
    ['City (2 letters)', undefined],
    ['Phone (Insured)', 'insuredPhone'],
    ['n / r ?', 'isRenewal'],
    ['nr', undefined],
    ['x n/r', undefined],
    [`Policy number${' '.repeat(300)}`, undefined],
  ])('reads the built-in header %s as %s', (header, field) => {
    expect(knownHeaders({}).fieldOf(header)?.name).toBe(field);
  });
});

describe('nearestHeader', () => {
  test.each([
    ['Adress', ['Address'], 'Address'],
    ['Xddress', ['Address'], undefined],
    ['Owner', ['Order'], undefined],
    ['Insured', ['Insured name'], 'Insured name'],
    ['Name', ['Insured name'], undefined],
    ['Insure', ['Insured name of it'], undefined],
    ['Policy', ['Policy #'], undefined],
    ['Policies', ['Policy number'], undefined],
  ])('finds for %s among %j: %s', (text, candidates, near) => {
    expect(nearestHeader(text, candidates)).toBe(near);
  });
});

describe('shortMeaning', () => {
  test.each([
    ['Phone', 'insuredPhone'],
    ['Name', 'insuredName'],
    ['Cell phone', 'insuredPhone'],
    ['Insured Cell Phone', 'insuredPhone'],
    ['Phone %', undefined],
    [`Phone${' '.repeat(60)}`, undefined],
    ['zzz', undefined],
  ])('%s: %s', (header, field) => {
    expect(shortMeaning(header)).toBe(field);
  });
});

describe('shortHeaderField', () => {
  const among = (fields: readonly FieldName[], more: Partial<OtherHeaders> = {}): OtherHeaders => ({
    fields: new Set(fields),
    ...more,
  });

  test.each<[string, OtherHeaders, FieldName | undefined]>([
    ['zzz', among([]), undefined],
    ['Phone', among([]), 'insuredPhone'],
    ['Phone', among(['agentEmail']), undefined],
    ['Phone', among(['agentName'], { leftOf: 'insured' }), 'insuredPhone'],
    ['Phone', among([], { leftOf: 'agent' }), undefined],
    ['Phone', among(['agentPhone'], { leftOf: 'agent' }), 'insuredPhone'],
    ['Phone', among(['agentName'], { could: new Set(['agentPhone']) }), 'insuredPhone'],
    ['Phone', among(['agentName'], { could: new Set(['agentEmail']) }), undefined],
    ['Phone', among(['insuredPhone']), undefined],
    ['Phone', among(['insuredPhone'], { leftOf: 'insured' }), undefined],
    ['Phone', among(['insuredPhone'], { leftOf: 'agent' }), 'agentPhone'],
    ['Phone', among(['insuredPhone', 'agentPhone'], { leftOf: 'agent' }), undefined],
    ['Insured Cell Phone', among(['agentName']), 'insuredPhone'],
    ['Insured Cell Phone', among(['insuredPhone'], { leftOf: 'agent' }), undefined],
  ])('takes %s among %o as %s', (header, others, field) => {
    expect(shortHeaderField(header, others)).toBe(field);
  });
});

describe('contactRank', () => {
  test.each([
    ['Cell Phone', 1],
    ['Mobile Phone', 1],
    ['Home Phone', 2],
    ['Daytime Phone', 3],
    ['Evening Phone', 3],
    ['Work Phone', 4],
    ['Business Phone', 4],
    ['Phone', 0],
    ['Email Address', 0],
    ['Alternate Phone', 5],
    ['Homeowner Phone', undefined],
    ['Home Address', undefined],
  ])('ranks %s: %s', (header, rank) => {
    expect(contactRank(header)).toBe(rank);
  });
});

describe('unsentHeader', () => {
  test.each([
    ['Cov A %', '"%"'],
    ['First Name', 'Insured name'],
    ['Mailing City', 'mailing'],
    ['Property County', 'county'],
    ['Expiration Date', 'policy'],
  ])('advises on %s: %s', (header, named) => {
    expect(unsentHeader(header)).toContain(named);
  });

  test('has no advice on another header', () => {
    expect(unsentHeader('Gate Code')).toBeUndefined();
  });
});
