import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsPage, settingsPage } from '../../../scripts/reference-pages.ts';
import { buildProgram } from '../../../src/cli/commands.ts';

const page = (name: string): string => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');

// `npm run docs:generate` writes both.
describe('generated pages', () => {
  test('docs/commands.md shows the help of every command', () => {
    expect(page('commands.md')).toBe(commandsPage(buildProgram(async () => {}, '')));
  });

  test('docs/settings.md shows every key with its default', () => {
    expect(page('settings.md')).toBe(settingsPage());
  });
});
