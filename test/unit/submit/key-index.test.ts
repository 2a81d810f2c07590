import { expect, test } from 'vitest';
import { KeyIndex, keySpace } from '../../../src/submit/duplicate-forecast.ts';

test('each of many keys leads to the number that was set last, through every growth; a key that was never set leads to none', () => {
  const index = new KeyIndex();
  const spaces = [keySpace(1), keySpace(2), keySpace(2, 'Granite State')];
  const expected = new Map<string, number>();
  for (let number = 0; number < 20_000; number += 1) {
    const [which, key] = [number % spaces.length, `HO-${number % 15_001}`];
    index.set(spaces[which] ?? keySpace(0), key, number);
    expected.set(`${which} ${key}`, number);
  }
  for (const [which, space] of spaces.entries()) {
    for (let key = 0; key < 15_001; key += 1)
      expect(index.get(space, `HO-${key}`)).toBe(expected.get(`${which} HO-${key}`));
    expect(index.get(space, 'HO-20000')).toBeUndefined();
  }
  expect(index.get(keySpace(3), 'HO-1')).toBeUndefined();
});

test('a scope and a key are kept apart', () => {
  const index = new KeyIndex();
  index.set(keySpace(1, 'ab'), 'c', 1);
  expect([
    index.get(keySpace(1, 'a'), 'bc'),
    index.get(keySpace(1, ''), 'abc'),
    index.get(keySpace(1, 'ab'), 'c'),
  ]).toEqual([undefined, undefined, 1]);
});
