import { expect, test } from 'vitest';
import { parseConfig } from './config.ts';
import { settingsWithoutEffect } from './settings-without-effect.ts';

test('the defaults are silent; a key that was set and does nothing is named', () => {
  expect(settingsWithoutEffect(parseConfig('', 'config.yaml'))).toEqual([]);
  expect(settingsWithoutEffect(parseConfig('retention:\n  logsDays: 30\nsubmit:\n  maxConcurrency: 4\n', 'config.yaml'))).toEqual([
    'config.yaml sets retention, which has no effect in this version.',
  ]);
});
