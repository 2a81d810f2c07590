import { expect, test } from 'vitest';
import type { AttributeUnit, SummaryAttribute } from '../../../src/contract/summary-attributes.ts';
import { attributeCell } from '../../../src/results/table-cells.ts';
import type { Leaf } from '../../../src/results/flatten.ts';
import { legalText, date, linkTarget, time } from '../../../src/results/workbook.ts';

function cellOf(leaf: Leaf, about: { type?: SummaryAttribute['type']; unit?: AttributeUnit; path?: string } = {}) {
  const { type = 'text', path = 'summary.x', ...unit } = about;
  const attribute: SummaryAttribute = {
    path,
    title: 'X',
    group: 'X',
    type,
    nullable: false,
    dynamic: false,
    meaning: '',
    ...unit,
  };
  return attributeCell(leaf, { attribute, key: null, counted: false });
}

test.each([
  ['null is a dash', cellOf(null), { value: '–', format: 'text' }],
  ['the dash of a number is on the right', cellOf(null, { type: 'number' }), { value: '–', format: 'number' }],
  ['false is No', cellOf(false, { type: 'boolean' }), { value: 'No', format: 'word' }],
  ['true is Yes', cellOf(true), { value: 'Yes', format: 'word' }],
  ['40 % is stored as 0.4', cellOf(40, { type: 'percentages' }), { value: 0.4, format: 'percent' }],
  [
    '33.3 % keeps its fraction',
    cellOf(33.3, { type: 'percentages' }),
    { value: 0.333, format: 'fraction of a percent' },
  ],
  [
    'epoch seconds are a UTC wall clock',
    cellOf(1_767_225_600, { type: 'number', unit: 'epoch seconds' }),
    { value: 46_023, format: 'time' },
  ],
  [
    'epoch seconds that are no date stay as they came',
    cellOf(1.7e15, { type: 'number', unit: 'epoch seconds' }),
    { value: 1.7e15, format: 'number' },
  ],
  ['a day is a date', cellOf('2026-01-01', { unit: 'date' }), { value: 46_023, format: 'date' }],
  [
    'a day that does not exist stays as it came',
    cellOf('2026-02-30', { unit: 'date' }),
    { value: '2026-02-30', format: 'text' },
  ],
  ['a list is joined', cellOf(['a', null, true, 2]), { value: 'a; –; Yes; 2', format: 'text' }],
  ['an empty list says so', cellOf([]), { value: 'none', format: 'text' }],
  [
    'a ZIP code shows its zero',
    cellOf(2139, { type: 'number', path: 'project.address.zipcode' }),
    { value: 2139, format: 'zip' },
  ],
  ['a decimal keeps its digits', cellOf(30.267153, { type: 'number' }), { value: 30.267153, format: 'number' }],
  ['an amount keeps its cents', cellOf(12_345.75, { type: 'number' }), { value: 12_345.75, format: 'number' }],
  ['a sum loses the noise of its bits', cellOf(0.1 + 0.2, { type: 'number' }), { value: 0.3, format: 'number' }],
  ['an infinite number becomes text', cellOf(Infinity, { type: 'number' }), { value: 'Infinity', format: 'text' }],
])('attributeCell: %s', (_fact, cell, expected) => {
  expect(cell).toEqual(expected);
});

test('keeps dates and times that Excel cannot show as text', () => {
  expect(date('1899-01-01')).toEqual({ value: '1899-01-01', format: 'text' });
  expect(time(Number.NaN)).toBeUndefined();
});

test('cellText removes illegal characters, unifies line ends, and marks a cut', () => {
  expect(legalText('a\u0000b\u001Bc\uFFFEd\te\r\nf\rg\uD800')).toBe('abcd\te\nf\ng\uFFFD');
  expect(legalText('_x0041_')).toBe('_x005F_x0041_');
  const cut = legalText('x'.repeat(40_000));
  expect(cut).toHaveLength(32_767);
  expect(cut.endsWith(' … [cut here: the text has 40000 characters]')).toBe(true);
});

test('linkTarget encodes each step of the path', () => {
  expect(linkTarget('reports/A&B #1 50%.pdf')).toBe('reports/A%26B%20%231%2050%25.pdf');
});
