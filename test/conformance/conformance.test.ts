import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestClient } from '../support/sandbox/test-client.ts';
import { conformancePage, PAGE_PATH } from './page.ts';
import { PARTS } from './parts.ts';

const rows = PARTS.flatMap((part) => part.rows);

test.each(rows.map((row) => [row.id, row.fact, row] as const))('%s: %s', async (_id, _fact, { options, check }) => {
  // What looks at the summaries that are collected once for all needs no sandbox of its own.
  if (check.length === 0) {
    await (check as () => Promise<void>)();
    return;
  }
  await using client = await TestClient.start(options ?? { autoProgress: false });
  await check(client);
  expect((await client.control('GET', '/audit')).body).toMatchObject({ internalErrors: [] });
});

test('the conformance rows have unique ids', () => {
  const names = PARTS.flatMap((part) => [...part.rows, ...part.untestable]).map(({ id }) => id);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('docs/conformance.md matches the tests: node scripts/conformance.ts writes it', () => {
  expect(readFileSync(join(import.meta.dirname, '../..', PAGE_PATH), 'utf8')).toBe(conformancePage());
});
