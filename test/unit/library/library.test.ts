import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { createClient, readOrders, repeatRead } from '../../../src/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');

/** The names in code spans of the page, with what stands in brackets behind them left out. */
const named = new Set([...page.matchAll(/`([A-Za-z_]+)(?:\([^`]*\))?`/g)].map(([, name]) => name));

/** Every name that a module exports, values and types, also those it passes on whole. */
function exportsOf(path: string): readonly string[] {
  const { module } = parseSync(path, readFileSync(path, 'utf8'));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(
      ({ exportName, moduleRequest }) => exportName.name ?? exportsOf(join(path, '..', moduleRequest?.value ?? '')),
    ),
  );
}

test('documents every export and every client method', () => {
  const client = createClient({ baseUrl: 'https://api.example.com', credentials });
  client.close();
  const offered = [...exportsOf(join(ROOT, 'src/index.ts')), ...Object.keys(client)];
  expect(offered.length).toBeGreaterThan(100);
  expect(offered.filter((name) => !named.has(name))).toEqual([]);
});

test('lists only real exports in the tables', () => {
  const known = new Set(exportsOf(join(ROOT, 'src/index.ts')));
  const tables = page.split(/\n\n/).filter((part) => /^\| (export|about) /m.test(part));
  const rows = tables.flatMap((table) =>
    table
      .split('\n')
      .slice(2)
      .map((row) => (table.startsWith('| about') ? row : (row.split('|')[1] ?? ''))),
  );
  const names = rows.flatMap((row) => [...row.matchAll(/`(\w+)/g)].map(([, name = '']) => name));
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

const credentials = { clientId: 'a', clientSecret: 'b', username: 'c', password: 'd' };

test('createClient refuses an address that must not receive credentials', () => {
  expect(() => createClient({ baseUrl: 'http://api.example.com', credentials })).toThrow(/base URL/);
});

test('readOrders reads a spreadsheet with and without options', async () => {
  const path = join(ROOT, 'samples/03-european-export.csv');
  await using file = await readOrders(path, { today: '2026-11-02' });
  const rows = await Array.fromAsync(file.rows());
  expect(rows.filter(({ kind }) => kind === 'order').length).toBeGreaterThan(10);
  expect(new Set(rows.map(({ record }) => record.place.file))).toEqual(new Set(['03-european-export.csv']));
  await using renamed = await readOrders(path, { name: 'october.csv', today: '2026-11-02' });
  expect((await Array.fromAsync(renamed.rows())).map(({ record }) => record.place.file)).toContain('october.csv');
  await using plain = await readOrders(path);
  expect(await Array.fromAsync(plain.rows())).toHaveLength(rows.length);
});

test('repeatRead waits with the given sleep, no longer than needed', async () => {
  const waits: number[] = [];
  const answers = [
    { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: 7000 },
    { kind: 'ok', value: 42 },
  ] as const;
  let asked = 0;
  const outcome = await repeatRead<number>(async () => answers[asked++] ?? answers[1], {
    sleep: async (ms) => void waits.push(ms),
  });
  expect(outcome).toEqual({ kind: 'ok', value: 42 });
  expect(waits).toEqual([expect.toSatisfy((ms: number) => ms >= 7000 && ms <= 7700)]);
});
