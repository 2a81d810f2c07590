import { describe, expect, test } from 'vitest';
import { fieldNamed } from '../../../../src/intake/fields.ts';
import {
  type AmountUnit,
  coerceAmountNumber,
  coerceAmountText,
  coerceYear,
  decimalMark,
  dependsOnColumn,
  zeroAsUnknown,
} from '../../../../src/intake/values/amount.ts';
import { value } from '../../../../src/intake/values/coercion.ts';
import { coercionInShort, numberCell } from '../../../support/coercions.ts';

/** Whether the column has decimal commas. */
const [USUAL, COMMAS] = [false, true];

describe('coerceAmountText', () => {
  test.each([
    ['250000', '=250000'],
    ['0250', '~250'],
    ['.5', '~0.5'],
    ['350.5', '=350.5'],
    ['1250.', '!amount-format'],
    ['1,250.', '~1250'],
    ['1,250.50', '~1250.5'],
    ['1,250,000', '~1250000'],
    ['12,34,567', '!amount-format'],
    ['1,2345.00', '!amount-format'],
    ['1.250.000', '~1250000'],
    ['1.250.000,5', '~1250000.5'],
    ['1.250,00', '~1250'],
    ['1234,5', '~1234.5'],
    ['1234,567', '~1234.567'],
    ["1'250'000", '~1250000'],
    ['1 250 000,50', '~1250000.5'],
    ['1 250 000.5', '~1250000.5'],
    ['1 250,505', '!amount-format'],
    ['1\u202f250', '~1250'],
    ['x250', '!amount-format'],
    ['250x', '!amount-format'],
    ['$', '!amount-format'],
  ])('reads %s dollars as %s', (text, expected) => {
    expect(coercionInShort(coerceAmountText(text, 'dollars', USUAL))).toBe(expected);
  });

  test.each([
    ['US$ 250', '~250'],
    ['usd250', '~250'],
    ['250 US dollars', '~250'],
    ['250 Dollars', '~250'],
    ['250 $', '~250'],
    ['$-', '~'],
    ['$ --', '~'],
    ['($ -)', '~'],
    ['- $', '~'],
    ['x$-', '!amount-format'],
    ['$-x', '!amount-negative'],
    ['-5', '!amount-negative'],
    ['$-5', '!amount-negative'],
    ['(500)', '!amount-negative'],
  ])('reads the sign of %s as %s', (text, expected) => {
    expect(coercionInShort(coerceAmountText(text, 'dollars', USUAL))).toBe(expected);
  });

  test.each<[string, AmountUnit, boolean, string]>([
    ['250k', 'dollars', USUAL, '~250000'],
    ['2.5k', 'dollars', USUAL, '~2500'],
    ['2.5k', 'dollars', COMMAS, '~2500'],
    ['1.250k', 'dollars', COMMAS, '~1250'],
    ['1,250k', 'dollars', USUAL, '~1250000'],
    ['1,250k', 'dollars', COMMAS, '!amount-ambiguous'],
    ['1.5 million', 'dollars', USUAL, '~1500000'],
    ['20m', 'dollars', USUAL, '~20000000'],
    ['20.5m', 'dollars', USUAL, '!amount-ambiguous'],
    ['21m', 'dollars', USUAL, '!amount-ambiguous'],
    ['2m', 'square feet', USUAL, '!amount-format'],
    ['2 million', 'square feet', USUAL, '!amount-format'],
    ['2k', 'square feet', USUAL, '~2000'],
    ['1,850 sq ft', 'square feet', USUAL, '~1850'],
    ['$1850', 'square feet', USUAL, '!amount-format'],
  ])('reads the unit of %s (%s)', (text, unit, hasCommas, expected) => {
    expect(coercionInShort(coerceAmountText(text, unit, hasCommas))).toBe(expected);
  });

  test.each<[string, boolean, string]>([
    ['350.5', COMMAS, '!amount-ambiguous'],
    ['350.55', USUAL, '=350.55'],
    ['1000.5', COMMAS, '=1000.5'],
    ['0.5', COMMAS, '=0.5'],
    ['350,5', USUAL, '!amount-ambiguous'],
    ['350,5', COMMAS, '!amount-ambiguous'],
    ['350.555', USUAL, '!amount-ambiguous'],
    ['350.555', COMMAS, '!amount-ambiguous'],
    ['350,555', USUAL, '~350555'],
    ['350,555', COMMAS, '!amount-ambiguous'],
    ['050,555', USUAL, '!amount-format'],
    ['050.555', USUAL, '~50.555'],
  ])('reads %s in a column with decimal commas (%s) as %s', (text, hasCommas, expected) => {
    expect(coercionInShort(coerceAmountText(text, 'dollars', hasCommas))).toBe(expected);
  });

  test.each([
    ['123456789012345', '=123456789012345'],
    ['1234567890123456', '!amount-too-long'],
    ['0000000000000001', '~1'],
    ['0.000000000000001', '~1e-15'],
    ['0.1234567890123456', '!amount-too-long'],
    ['80.90000000000001', '~80.9'],
    ['452.99999999999994', '~453'],
  ])('takes 15 digits: %s as %s', (text, expected) => {
    expect(coercionInShort(coerceAmountText(text, 'dollars', USUAL))).toBe(expected);
  });
});

describe('decimalMark, dependsOnColumn', () => {
  test.each([
    ['350.5', 'point', true],
    ['350,5', undefined, false],
    ['1000.5', 'point', false],
    ['1,250,000', 'point', false],
    ['1.250.000', 'comma', false],
    ['1.250,00', 'comma', false],
    ['1.5k', undefined, true],
    ['350', undefined, false],
    ['350.555', undefined, false],
    ['350,555', undefined, true],
    ['lots', undefined, false],
  ])('%s: %s, %s', (text, mark, depends) => {
    expect([decimalMark(text, 'dollars'), dependsOnColumn(text, 'dollars')]).toEqual([mark, depends]);
  });
});

describe('rejectZero', () => {
  test.each([
    ['dwellingCoverage', 0, '~ +amount-zero'],
    ['dwellingCoverage', 1, '=1'],
    ['carrierProvidedLivingArea', 0, '~ +amount-zero'],
    ['contentCoverage', 0, '=0'],
  ])('reads %s %i as %s', (name, amount, expected) => {
    const field = fieldNamed(name);
    expect(field && coercionInShort(zeroAsUnknown(value(amount), String(amount), field))).toBe(expected);
  });
});

describe('coerceAmountNumber', () => {
  test.each<[string, string | undefined, AmountUnit, string]>([
    ['250000', undefined, 'dollars', '=250000'],
    ['999999999999999', undefined, 'dollars', '=999999999999999'],
    ['1000000000000000', undefined, 'dollars', '!amount-too-long'],
    ['-1', undefined, 'dollars', '!amount-negative'],
    ['0', undefined, 'dollars', '=0'],
    ['0.1', '0%', 'dollars', '!amount-percent'],
    ['350', '[$€-407]#,##0', 'dollars', '!amount-currency'],
    ['350', '[$€-407]#,##0', 'square feet', '!amount-currency'],
    ['250', '0",000"', 'dollars', '!amount-display'],
    ['250000', '#,##0,"K"', 'dollars', '~250000'],
    ['250000', '#,##0,', 'dollars', '~250000'],
    ['1234.5', '0', 'dollars', '~1234.5'],
    ['1234.5', '0.0', 'dollars', '=1234.5'],
    ['1234.56', '0.0', 'dollars', '~1234.56'],
    ['1234.5', 'General', 'dollars', '=1234.5'],
    ['250000.00000000003', undefined, 'dollars', '~250000'],
  ])('reads %s under %s (%s) as %s', (raw, format, unit, expected) => {
    expect(coercionInShort(coerceAmountNumber(numberCell(raw, format), unit))).toBe(expected);
  });
});

describe('coerceYear', () => {
  test.each([
    ['1987', '=1987'],
    ['0987', '!year-four-digits'],
    ['19870', '!year-four-digits'],
    ['x1987', '!year-four-digits'],
    ['1987.0', '~1987'],
    ['1987.5', '!year-four-digits'],
    ['1,987', '~1987'],
    ['2,014', '~2014'],
    ['3,987', '!year-four-digits'],
    ['1/1/1987', '~1987'],
    ['01/01/1987', '~1987'],
    ['1/2/1987', '!year-four-digits'],
    ['1/1/1753', '!year-four-digits'],
    ['1/1/1900', '!year-four-digits'],
    ['1/1/1904', '!year-four-digits'],
    ['1/1/1970', '!year-four-digits'],
    ['1987-01-01', '~1987'],
    ['1987-01-01T00:00', '~1987'],
    ['1987-01-01 00:00:00.000', '~1987'],
    ['1987-01-01T00:00:00Z', '~1987'],
    ['1987-01-01T00:01', '!year-four-digits'],
    ['1987-01-02', '!year-four-digits'],
    ['1900-01-01', '!year-four-digits'],
    ['1753-01-01', '!year-four-digits'],
  ])('reads %s as %s', (text, expected) => {
    expect(coercionInShort(coerceYear(text))).toBe(expected);
  });
});
