import { expect, test } from 'vitest';
import { TextBlocks } from '../../../../../src/intake/readers/xlsx/shared-strings.ts';

/** Forty blocks of 64 bytes, each filled with its number. */
function filled(): TextBlocks {
  const blocks = new TextBlocks(64);
  for (let number = 0; number < 40; number += 1) blocks.start().fill(number);
  return blocks;
}

test('returns blocks unchanged in any order, however often', () => {
  const blocks = filled();
  expect(blocks.length).toBe(40);
  for (let turn = 0; turn < 30; turn += 1) {
    for (let place = 0; place < 40; place += 1) {
      const number = turn % 2 === 0 ? place : (place * 17) % 40;
      expect(blocks.block(number)).toEqual(Buffer.alloc(64, number));
    }
  }
  expect(blocks.block(40)).toBeUndefined();
});

test('unpacks a block again in sequence and caches it for random access', () => {
  const blocks = filled();
  const first = blocks.block(10);
  for (let number = 0; number < 40; number += 1) blocks.block(number);
  expect(blocks.block(10)).not.toBe(first);
  for (let turn = 0; turn < 20; turn += 1) for (let number = 0; number < 40; number += 1) blocks.block(number);
  const kept = blocks.block(10);
  for (let number = 0; number < 40; number += 1) blocks.block(number);
  expect(blocks.block(10)).toBe(kept);
});
