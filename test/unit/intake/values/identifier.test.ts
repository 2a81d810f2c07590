import { describe, expect, test } from 'vitest';
import {
  coerceIdNumber,
  coerceIdText,
  coercePhoneNumber,
  coercePhoneText,
  numberAsText,
  wholeDigits,
} from '../../../../src/intake/values/identifier.ts';
import { coercionInShort, numberCell } from '../../../support/coercions.ts';

describe('wholeDigits', () => {
  test.each([
    ['00123', '00123'],
    ['123.0', '123'],
    ['1.2345678E7', '12345678'],
    ['999999999999999.0', '999999999999999'],
    ['1000000000000000.0', undefined],
    ['1.5', undefined],
    ['1E+15', undefined],
    ['1E7', undefined],
    ['-5', undefined],
    ['-5.0', undefined],
  ])('finds in %s the digits %s', (raw, digits) => {
    expect(wholeDigits(numberCell(raw))).toBe(digits);
  });
});

describe('coerceIdText', () => {
  test.each([
    ['TW-1001 / TW-1002', '!id-several'],
    ['TW-1001/TW-1002', '!id-several'],
    ['TW-2001 TW-2002', '!id-several'],
    ['I-31, I-32', '!id-several'],
    ['I-31,I-32', '!id-several'],
    ['4411, 4412', '!id-several'],
    ['4411; 4412 ; 4413', '!id-several'],
    ['4411 and 4412', '!id-several'],
    ['TW-99 / TW-100', '!id-several'],
    ['I-9, I-10', '!id-several'],
    ['TW-1001/2', '=TW-1001/2'],
    ['1234567 / 001', '=1234567 / 001'],
    ['HO 1234567 FL 01', '=HO 1234567 FL 01'],
    ['HO-1234567 / 01', '=HO-1234567 / 01'],
    ['1234 5678', '=1234 5678'],
    ['2026/1234', '=2026/1234'],
    ['HO 1234567 01', '=HO 1234567 01'],
    ['HO3 FL 1234567', '=HO3 FL 1234567'],
    ['A B', '=A B'],
    ['TW-1001,', '=TW-1001,'],
    ['Policy #: HO-7014', '~HO-7014'],
    ['Policy HO-7014', '~HO-7014'],
    ['POL# 7023', '~7023'],
    ['Pol. 7023', '~7023'],
    ['No. 7022', '~7022'],
    ['Inspection No 48', '~48'],
    ['Policy #: HO-7014 / HO-7015', '!id-several'],
    ['POL 7023', '=POL 7023'],
    ['Policy-7014', '=Policy-7014'],
    ['NO7022', '=NO7022'],
    ['Policy of Ann', '=Policy of Ann'],
    ['1E+5', '!id-lost-digits'],
    ['1.5e5', '!id-lost-digits'],
    ['-1,5E+11', '!id-lost-digits'],
    ['1E5', '=1E5'],
    ['12E+45', '=12E+45'],
    ['A1E+5', '=A1E+5'],
    ['1E+5A', '=1E+5A'],
    ['123.0', '~123'],
    ['123.00', '~123'],
    ['0123.0', '=0123.0'],
    ['123.5', '=123.5'],
    ['A123.0', '=A123.0'],
    ['123456789012345.0', '~123456789012345'],
    ['1234567890123456.0', '!id-lost-digits'],
    ['00', '!id-placeholder'],
    ['xX', '!id-placeholder'],
    ['Sample', '!id-placeholder'],
    ['example', '!id-placeholder'],
    ['x1', '=x1'],
    ['1x', '=1x'],
    ['news', '=news'],
    ['5-Mar', '!id-became-date'],
    ['15-mar-2026', '!id-became-date'],
    ['5-Mar-26', '!id-became-date'],
    ['Mar-26', '!id-became-date'],
    ['5-Mar-026', '=5-Mar-026'],
    ['115-Mar', '=115-Mar'],
    ['Mar-2', '=Mar-2'],
    ['3/5/2026', '!id-became-date'],
    ['13/15/1999', '!id-became-date'],
    ['3/5/26', '=3/5/26'],
    ['3/5/1899', '=3/5/1899'],
    ['x3/5/2026', '=x3/5/2026'],
    ['3/5/20261', '=3/5/20261'],
    ['123456789012340', '=123456789012340'],
    ['1234567890123450', '=1234567890123450 +id-perhaps-lost-digits'],
    ['1234567890123400000', '=1234567890123400000 +id-perhaps-lost-digits'],
    ['1234567890123456', '=1234567890123456'],
    ['0234567890123450', '=0234567890123450'],
    ['1234567890123450A', '=1234567890123450A'],
  ])('reads %s as %s', (text, expected) => {
    expect(coercionInShort(coerceIdText(text))).toBe(expected);
  });
});

describe('coerceIdNumber', () => {
  test.each([
    ['48213', undefined, '=48213'],
    ['48213', '0', '=48213'],
    ['48213', '00000000', '~00048213'],
    ['48213', '#,##0', '~48213'],
    ['48213', '0.00', '~48213'],
    ['48213', ';;', '~48213'],
    ['48213.0', undefined, '~48213'],
    ['48213.0', '00000000', '~00048213'],
    ['0', undefined, '!id-placeholder'],
    ['0', '0000', '!id-placeholder'],
    ['12000', '0.00E+00', '!id-lost-digits'],
    ['1E+20', undefined, '!id-lost-digits'],
    ['12.5', undefined, '!id-not-whole'],
    ['-12', undefined, '!id-not-whole'],
    ['123456789012345', undefined, '=123456789012345'],
    ['1234567890123456', undefined, '!id-lost-digits'],
    ['0000000000000123', undefined, '=0000000000000123'],
  ])('reads %s under %s as %s', (raw, format, expected) => {
    expect(coercionInShort(coerceIdNumber(numberCell(raw, format)))).toBe(expected);
  });
});

describe('numberAsText', () => {
  test.each([
    ['7', undefined, '=7'],
    ['7', '000', '~007'],
    ['12.5', undefined, '=12.5'],
    ['12.50', '0.00', '=12.50'],
    ['12.5', '0.00', '~12.5'],
    ['-7', undefined, '=-7'],
  ])('reads %s under %s as %s', (raw, format, expected) => {
    expect(coercionInShort(numberAsText(numberCell(raw, format)))).toBe(expected);
  });
});

describe('coercePhoneNumber', () => {
  test.each([
    ['8135550142', '=8135550142'],
    ['123456789012345', '=123456789012345'],
    ['1234567890123456', '!phone-format'],
    ['813.5', '!phone-format'],
  ])('reads %s as %s', (raw, expected) => {
    expect(coercionInShort(coercePhoneNumber(numberCell(raw)))).toBe(expected);
  });
});

describe('coercePhoneText', () => {
  test.each([
    ['(813) 555-0142', '=(813) 555-0142'],
    ['8135550142.0', '~8135550142'],
    ['8.13E+09', '!phone-lost-digits'],
  ])('reads %s as %s', (text, expected) => {
    expect(coercionInShort(coercePhoneText(text))).toBe(expected);
  });
});
