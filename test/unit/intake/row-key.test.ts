import { constantFrom, integer, property, assert, string } from 'fast-check';
import { expect, test } from 'vitest';
import { parseRowKey, rowKey } from '../../../src/intake/own-workbooks.ts';

const HASH = '0123456789abcdef'.repeat(4);

test('rowKey identifies row and file for any names', () => {
  const name = string({ unit: constantFrom('a', '#', '%', '2', '3', ' ', '/', 'é'), minLength: 1 });
  assert(
    property(name, name, integer({ min: 1, max: 1_048_576 }), (file, sheet, rowNumber) => {
      expect(parseRowKey(rowKey(HASH, { file, sheet, rowNumber }))).toEqual({
        file,
        sheet,
        rowNumber,
        content: '0123456789ab',
      });
    }),
  );
});

test('parseRowKey refuses other texts', () => {
  for (const text of [
    '',
    '7',
    'oct.xlsx#Orders#7',
    '#Orders#7',
    'oct.xlsx#Orders',
    'oct.xlsx#Orders#x',
    'oct.xlsx#Orders#7#zz',
    '=1+1',
  ])
    expect([text, parseRowKey(text)]).toEqual([text, null]);
});
