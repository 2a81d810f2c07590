import { expect, test } from 'vitest';
import { editDistance } from '../../../src/domain/text.ts';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['whenNoKey', 'whenNoKye', 1],
  ['limit', 'limt', 1],
])('editDistance of %s and %s is %i', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});
