import { expect, test } from 'vitest';
import { editDistance } from '../../../src/domain/text.ts';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['whenNoKey', 'whenNoKye', 1],
  ['limit', 'limt', 1],
])('%s and %s are %i apart', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});
