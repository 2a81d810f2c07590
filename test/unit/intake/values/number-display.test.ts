import { expect, test } from 'vitest';
import { numberDisplay, shownDate } from '../../../../src/intake/values/shown.ts';

// What LibreOffice and Excel show for the same number and format.
test.each([
  [2139, '00000', '02139'],
  [21_390_001, '00000-0000', '02139-0001'],
  [8_135_550_142, '[<=9999999]###-####;(###) ###-####', '(813) 555-0142'],
  [5_550_142, '[<=9999999]###-####;(###) ###-####', '555-0142'],
  [48_213, '"HO-"0000000', 'HO-0048213'],
  [123_456, '00-0000', '12-3456'],
  [325_000, '$#,##0', '$325,000'],
  [-5, '$#,##0.00;($#,##0.00)', '($5.00)'],
  [-5, '0.0', '-5.0'],
  [1_234_567.891, '#,##0.00', '1,234,567.89'],
  [0, '_($* #,##0_);_($* (#,##0);_($* "-"_);_(@_)', '$-'],
  [0.1, '0%', '10%'],
  [250_000, '#,##0,"K"', '250K'],
  [12.5, '0.##', '12.5'],
  [1.5e10, '0.00E+00', '1.50E+10'],
  [1, '"Yes";;"No"', 'Yes'],
  [0, '"Yes";;"No"', 'No'],
  [5, 'General"-A"', '5-A'],
  [0, '#', ''],
])('numberDisplay shows %s under %s as %s', (value, format, shown) => {
  expect(numberDisplay(value, format)?.text).toBe(shown);
});

test('numberDisplay does not understand a fraction', () => {
  expect(numberDisplay(12.5, '# ?/?')).toBeUndefined();
});

test.each([
  ['m/d/yyyy', '3/5/2026'],
  ['d-mmm-yy', '5-Mar-26'],
  ['[$-409]mmmm\\ d\\,\\ yyyy;@', 'March 5, 2026'],
  ['m/d/yyyy h:mm', '3/5/2026 14:07'],
  ['h:mm AM/PM', '2:07 PM'],
  ['mm:ss', '07:09'],
])('shownDate shows March 5, 2026, 14:07:09 under %s as %s', (format, shown) => {
  expect(shownDate('2026-03-05T14:07:09', format)).toBe(shown);
});
