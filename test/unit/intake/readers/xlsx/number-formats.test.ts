import { expect, test } from 'vitest';
import { builtInFormat, formatOfCode } from '../../../../../src/intake/readers/xlsx/cell-values.ts';

test.each([
  'yyyy-mm-dd',
  'm/d/yyyy',
  'dd.mm.yyyy;@',
  '[$-409]mmmm d, yyyy;@',
  '[$-F800]dddd, mmmm dd, yyyy',
  'd-mmm-yy',
  'yyyy\\-mm\\-dd\\ hh:mm',
  'mmm yy',
  'MM/DD/YYYY',
  '"due" yyyy/mm/dd',
  '[Red]dd/mm/yy',
  'yyyy"年"m"月"d"日"',
  '[$-411]ge.m.d',
  'm/d/yyyy h:mm AM/PM',
  'yyyy-mm-dd hh:mm:ss.000',
])('recognizes %s as a date', (code) => {
  expect(formatOfCode(code)).toEqual({ code, shows: 'date' });
});

test.each(['h:mm', 'h:mm AM/PM', 'hh:mm:ss', 'mm:ss.0', '[$-409]h:mm:ss AM/PM;@'])(
  'recognizes %s as a time of day',
  (code) => {
    expect(formatOfCode(code).shows).toBe('time');
  },
);

test.each([
  '0',
  '00000',
  '0.00E+00',
  '#,##0.00',
  '[Red]0.00',
  '[h]:mm',
  '[mm]:ss',
  '[$-409]0.00',
  '"day" 0',
  '0 "days"',
  '0\\d',
  '#,##0_d',
  '* #,##0',
  '[$USD] #,##0.00',
  'CHF #,##0.00',
  '@',
  '# ?/?',
  '0%',
  '[Yellow]0',
  ';;;',
  '[<=9999999]###-####;(###) ###-####',
  '00000-0000',
  '_-* #,##0.00\\ "sek"_-',
  '0.00;[Red]-0.00;"y"',
])('recognizes %s as a number', (code) => {
  expect(formatOfCode(code)).toEqual({ code, shows: 'number' });
});

test('takes General in every spelling as no format', () => {
  for (const code of ['General', 'GENERAL', 'Standard', ''])
    expect(formatOfCode(code)).toEqual({ code: undefined, shows: 'number' });
  expect(formatOfCode('General;[Red]-General').shows).toBe('number');
});

test('gives built-in ids the formats of Excel', () => {
  const shown = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => builtInFormat(from + index).shows);
  expect(shown(14, 17)).toEqual(Array(4).fill('date'));
  expect(shown(18, 21)).toEqual(Array(4).fill('time'));
  expect(builtInFormat(22).shows).toBe('date');
  expect(shown(27, 36)).toEqual(Array(10).fill('date'));
  expect(shown(45, 47)).toEqual(['time', 'number', 'time']);
  expect(shown(50, 58)).toEqual(Array(9).fill('date'));
  expect([...shown(0, 13), ...shown(37, 44), ...shown(48, 49)].every((shows) => shows === 'number')).toBe(true);
});
