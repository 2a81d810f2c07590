import { expect, test } from 'vitest';
import { editDistance, nearestName } from './nearest-name.ts';

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

const known = ['submit', 'submit.onDuplicate', 'submit.whenNoKey', 'collect.images', 'run.finishBy'];

test.each([
  ['submit.on_duplicate', 'submit.onDuplicate'],
  ['onDuplicat', 'submit.onDuplicate'],
  ['collect.onDuplicate', 'submit.onDuplicate'],
  ['SUBMTI', 'submit'],
  ['run.finnishBy', 'run.finishBy'],
])('the name nearest to %s is %s', (name, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});
