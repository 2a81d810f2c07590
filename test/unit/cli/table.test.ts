import { expect, test } from 'vitest';
import { table } from '../../../src/cli/terminal.ts';

test('columns are aligned, numbers to the right, and no line ends in spaces', () => {
  expect(table(['File', 'Rows', 'Where'], [['a.csv', '1,200', 'inbox'], ['longer.xlsx', '7', '']])).toBe(
    ['File          Rows  Where', 'a.csv        1,200  inbox', 'longer.xlsx      7'].join('\n'),
  );
});

test('a column with one word in it is text', () => {
  expect(table(['Row'], [['12'], ['none']])).toBe('Row\n12\nnone');
});

test('a table without rows is its header, and a short row leaves its last cells empty', () => {
  expect(table(['A', 'B'], [])).toBe('A  B');
  expect(table(['A', 'B'], [['x']])).toBe('A  B\nx');
});
