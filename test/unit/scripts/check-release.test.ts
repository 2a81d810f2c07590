import { describe, expect, test } from 'vitest';
import { latestRelease, problemsOf } from '../../../scripts/check-release.ts';

const released = '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n- Faster.\n\n## [0.1.0]\n';

describe('latestRelease', () => {
  test('finds the first version with its date', () => {
    expect(latestRelease(released)).toEqual({ version: '0.2.0', date: '2026-12-01' });
  });

  test('has no date before the release', () => {
    expect(latestRelease('## [0.1.0]\n')).toEqual({ version: '0.1.0', date: null });
  });
});

describe('problemsOf', () => {
  test('finds none if version and changelog agree', () => {
    expect(problemsOf('0.2.0', released)).toEqual([]);
  });

  test('names another version and a missing date', () => {
    expect(problemsOf('0.2.0', '## [0.1.0]\n')).toHaveLength(2);
  });

  test('names changes that belong to no version', () => {
    expect(problemsOf('0.2.0', released.replace('ed]\n', 'ed]\n\n- More.\n'))).toHaveLength(1);
  });
});
