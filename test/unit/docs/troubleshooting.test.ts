import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const page = (name: string): string => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');

describe('docs/troubleshooting.md', () => {
  test('names only codes that docs/messages.md lists', () => {
    const listed = new Set([...page('messages.md').matchAll(/^\| `([^`]+)`/gm)].map(([, code]) => code));
    const headings = [...page('troubleshooting.md').matchAll(/^### ((?:`[^`]+`(?:, )?)+): /gm)];
    const named = headings.flatMap(([, codes = '']) => [...codes.matchAll(/`([^`]+)`/g)].map(([, code]) => code));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((code) => !listed.has(code))).toEqual([]);
  });
});
