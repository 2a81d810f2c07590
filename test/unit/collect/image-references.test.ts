import { expect, test } from 'vitest';
import { imageIdsIn } from '../../../src/collect/fetch-project.ts';

test('finds every image that a summary refers to once, at any depth', () => {
  const summary = {
    summary: {
      recommendations: [{ text: 'fix', image: [{ id: 'I1' }, { id: 'I2' }] }],
      roof: { comparison: [{ image: [{ id: 'I3' }, { id: 'I1' }] }] },
      novel: { deep: [[{ image: [{ id: 9007199254740993n }] }]] },
    },
  };
  expect(imageIdsIn(summary)).toEqual(['I1', 'I2', 'I3', '9007199254740993']);
});

test('ignores everything that is not a reference', () => {
  expect(
    imageIdsIn({
      image: null,
      other: { image: [{ id: '' }, { id: null }, null, 'I1', {}] },
      id: 'I1',
      images: [{ id: 'I2' }],
    }),
  ).toEqual([]);
  expect(imageIdsIn(null)).toEqual([]);
});
