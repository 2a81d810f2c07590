import { expect, test } from 'vitest';
import { table } from '../../../src/cli/terminal.ts';

test('aligns columns, numbers to the right, without trailing spaces', () => {
  expect(
    table(
      ['File', 'Rows', 'Where'],
      [
        ['a.csv', '1,200', 'inbox'],
        ['longer.xlsx', '7', ''],
      ],
    ),
  ).toBe(['File          Rows  Where', 'a.csv        1,200  inbox', 'longer.xlsx      7'].join('\n'));
});

const WIDE = table(
  ['Project', 'Why'],
  [
    ['100017', 'It was ordered after its due date and nobody has been there yet'],
    ['100018', 'x'.repeat(70)],
  ],
  60,
);

test('wraps the widest columns between words and loses nothing', () => {
  expect(WIDE.split('\n').every((line) => line.length <= 60)).toBe(true);
  expect(WIDE).toContain('\n 100017  It was ordered after its due date and nobody has\n         been there yet\n');
  expect(WIDE.match(/x/g)).toHaveLength(70);
});

test("lists each row's cells when the columns do not fit", () => {
  const titles = Array.from({ length: 9 }, (_, index) => `Title ${index}`);
  const text = table(titles, [titles.map((title) => `cell of ${title}`), ['only', '', 'y'.repeat(70)]], 60);
  expect(text).toContain('Title 0: cell of Title 0\nTitle 1: ');
  expect(text).toMatch(/\n\nTitle 0: only\nTitle 2: ?\n? +y+/);
  expect(text.split('\n').every((line) => line.length <= 60)).toBe(true);
});

test('treats a column that holds one word as text', () => {
  expect(table(['Row'], [['12'], ['none']])).toBe('Row\n12\nnone');
});

test('prints the header alone without rows, and fills short rows', () => {
  expect(table(['A', 'B'], [])).toBe('A  B');
  expect(table(['A', 'B'], [['x']])).toBe('A  B\nx');
});

test('prints a row as a list when wrapping would need many lines', () => {
  const why = 'Not inspected yet: Pending Acceptance for 6.8 days. Ordered 14 days ago, after its due date.';
  const rows = [['2026-11-04', '100125', '6309 Meadowlark Way, Orlando FL', why]];
  const header = ['Due', 'Project', 'Property', 'Why'];
  expect(table(header, rows, 60).split('\n').slice(0, 3)).toEqual([
    'Due: 2026-11-04',
    'Project: 100125',
    'Property: 6309 Meadowlark Way, Orlando FL',
  ]);
  expect(table(header, rows, 100)).toMatch(/^Due {9}Project/);
});

test('prints all 200,000 rows', () => {
  expect(
    table(
      ['N'],
      Array.from({ length: 200_000 }, (_, index) => [String(index)]),
    )
      .split('\n')
      .at(-1),
  ).toBe('199999');
});
