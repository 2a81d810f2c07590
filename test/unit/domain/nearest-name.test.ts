import { expect, test } from 'vitest';
import { nearestName } from '../../../src/domain/text.ts';

const known = ['submit', 'submit.onDuplicate', 'submit.whenNoKey', 'collect.images', 'run.finishBy'];

test.each([
  ['submit.on_duplicate', 'submit.onDuplicate'],
  ['onDuplicat', 'submit.onDuplicate'],
  ['collect.onDuplicate', 'submit.onDuplicate'],
  ['SUBMTI', 'submit'],
  ['run.finnishBy', 'run.finishBy'],
])('nearestName(%s) is %s', (name, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});
