import { describe, expect, test } from 'vitest';
import type { Cell } from '../../../../src/domain/cells.ts';
import { describeCell, numberDisplay, shownDate, shownText } from '../../../../src/intake/values/shown.ts';
import { numberCell } from '../../../support/coercions.ts';

const date = (iso: string, format?: string): Cell => ({
  kind: 'date',
  iso,
  raw: '46086',
  ...(format !== undefined && { format }),
});

describe('shownText', () => {
  test.each<[Cell | undefined, string]>([
    [undefined, ''],
    [{ kind: 'text', text: 'a' }, 'a'],
    [{ kind: 'boolean', value: true }, 'TRUE'],
    [{ kind: 'error', code: '#N/A' }, '#N/A'],
    [numberCell('7'), '7'],
    [numberCell('7', '000'), '007'],
    [numberCell('12.5', '# ?/?'), '12.5'],
    [date('2026-03-05'), '2026-03-05'],
    [date('2026-03-05', 'm/d/yyyy'), '3/5/2026'],
  ])('shows %o as %s', (cell, text) => {
    expect(shownText(cell)).toBe(text);
  });
});

describe('describeCell', () => {
  test.each<[Cell, string]>([
    [{ kind: 'text', text: 'a' }, '"a"'],
    [numberCell('7', '000'), '"007" (it holds 7)'],
    [date('2026-03-05', 'yyyy-mm-dd'), '"2026-03-05"'],
    [date('2026-03-05', 'yyyy-mm-dd h:mm'), '"2026-03-05"'],
    [date('2026-03-05', 'yyyy-mm-dd hh:mm:ss'), '"2026-03-05"'],
    [date('2026-03-05T10:00:00', 'yyyy-mm-dd h:mm'), '"2026-03-05 10:00" (it holds 2026-03-05T10:00:00)'],
  ])('describes %o as %s', (cell, text) => {
    expect(describeCell(cell)).toBe(text);
  });
});

describe('numberDisplay', () => {
  test.each([
    ['0', {}],
    ['General', { decimals: 15 }],
    ['standard', { decimals: 15 }],
    ['"HO-"0', { literals: 'HO-' }],
    ['#,##0', { amount: true }],
    ['0.00', { amount: true, decimals: 2 }],
    ['0.0#?', { amount: true, decimals: 3 }],
    ['0%', { amount: true, percent: true, literals: '%' }],
    ['0.0E+00', { amount: true, scientific: true, decimals: 1 }],
    ['0,', { amount: true, thousands: 1 }],
    ['0,,', { amount: true, thousands: 2 }],
    ['$0', { amount: true, literals: '$' }],
    ['[$€-407]0', { amount: true, literals: '€' }],
    ['[$-409]0', {}],
  ])('understands %s as %j', (format, facts) => {
    expect(numberDisplay(7, format)).toMatchObject({
      amount: false,
      scientific: false,
      percent: false,
      thousands: 0,
      decimals: 0,
      literals: '',
      ...facts,
    });
  });

  test.each([
    [5, '"a"0;"b"0;"c"0', 'a'],
    [-5, '"a"0;"b"0;"c"0', 'b'],
    [0, '"a"0;"b"0;"c"0', 'c'],
    [0, '"a"0;"b"0', 'a'],
    [5, '[<5]"a"0;[=5]"b"0;"c"0', 'b'],
    [4, '[<5]"a"0;[=5]"b"0;"c"0', 'a'],
    [6, '[<5]"a"0;[=5]"b"0;"c"0', 'c'],
    [5, '[>=5]"a"0;"c"0', 'a'],
    [5, '[>5]"a"0;"c"0', 'c'],
    [5, '[<>5]"a"0;"c"0', 'c'],
  ])('takes for %i of %s the section %s', (value, format, section) => {
    expect(numberDisplay(value, format)?.literals).toBe(section);
  });

  test.each([
    [12.5, '# ?/?'],
    [5, '@'],
    [5, 'm/d/yyyy'],
    [5, '[h]:mm'],
    [5, '0;m/d'],
    [5, '0'.repeat(256)],
    [Infinity, '0'],
    [1e21, '0'],
  ])('does not understand %d under %s', (value, format) => {
    expect(numberDisplay(value, format)).toBeUndefined();
  });

  test('understands a fourth section for texts', () => {
    expect(numberDisplay(5, '0;0;0;@')?.text).toBe('5');
  });

  test.each([
    [0.1 + 0.2, 'General', '0.3'],
    [-1.5, 'General', '-1.5'],
    [1234567.5, 'General"x"', '1234567.5x'],
  ])('shows %d under %s as %s', (value, format, text) => {
    expect(numberDisplay(value, format)?.text).toBe(text);
  });
});

describe('shownDate', () => {
  test.each([
    ['2026-03-05', 'm/d/yyyy', '3/5/2026'],
    ['1899-12-30', 'm/d/yyyy', '1899-12-30'],
    ['2026-03-05', `"${'x'.repeat(256)}"`, '2026-03-05'],
    ['soon', 'm/d/yyyy', 'soon'],
  ])('shows %s under %s as %s', (iso, format, text) => {
    expect(shownDate(iso, format)).toBe(text);
  });
});
