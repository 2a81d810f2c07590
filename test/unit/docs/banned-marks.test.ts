import { describe, expect, test } from 'vitest';
import { allMarks, marksIn, marksOf } from '../../../scripts/banned-marks.ts';

const marks = marksOf(
  '| avoid | write | rule |\n|---|---|---|\n| `stands`, `of which` | is | ban |\n| `what` | – | count |\n',
);

describe('marksIn', () => {
  test('finds a word in any case, with its line', () => {
    const found = marksIn('a.md', 'One.\nIt Stands here, two of which fit.', marks);
    expect(found.map(({ line, mark }) => [line, mark.word])).toEqual([
      [2, 'stands'],
      [2, 'of which'],
    ]);
  });

  test('skips code, comments, quotations and addresses', () => {
    expect(marksIn('a.md', '`stands` <!-- stands --> “stands” [a](stands.md)\n```\nstands\n```\n', marks)).toEqual([]);
  });

  test('marks a word as banned or counted', () => {
    expect(marksIn('a.md', 'what stands', marks).map(({ mark }) => mark.isBanned)).toEqual([true, false]);
  });
});

describe('allMarks', () => {
  test.each(Object.entries(allMarks('ban')))('finds no banned word in %s', (_area, found) => {
    expect(found.map(({ file, line, mark }) => `${file}:${line} ${mark.word}`)).toEqual([]);
  });
});
