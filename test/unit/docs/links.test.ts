import { describe, expect, test } from 'vitest';
import { anchorsOf, brokenLinks, linksOf } from '../../../scripts/check-links.ts';

describe('anchorsOf', () => {
  test('makes them as GitHub does', () => {
    expect([...anchorsOf('# Check: `verify`\n## [Own](a.md) words\n```\n# no\n```\n')]).toEqual([
      'check-verify',
      'own-words',
    ]);
  });
});

describe('linksOf', () => {
  test('finds links and images outside of code', () => {
    expect(linksOf('[a](b.md#c) ![d](e.png) `[f](g.md)`\n```\n[h](i.md)\n```\n')).toEqual(['b.md#c', 'e.png']);
  });
});

describe('brokenLinks', () => {
  test('finds none in the pages', () => {
    expect(brokenLinks()).toEqual([]);
  });
});
