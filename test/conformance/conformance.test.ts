import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdToDocument } from './hold-to-document.ts';
import { conformancePage, PAGE_PATH } from './page.ts';
import { PARTS } from './parts.ts';

// One sentence in four, none on the summaries of many projects. The proofs check all of them, half each day.
holdToDocument((rows) => rows.filter(({ check }, index) => index % 4 === 0 && check.length > 0));

test('the conformance rows have unique ids', () => {
  const names = PARTS.flatMap((part) => [...part.rows, ...part.untestable]).map(({ id }) => id);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('docs/conformance.md matches the tests: npx node scripts/conformance.ts writes it', () => {
  expect(readFileSync(join(import.meta.dirname, '../..', PAGE_PATH), 'utf8')).toBe(conformancePage());
});
