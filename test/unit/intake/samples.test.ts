import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOUSE_TYPES_BY_POLICY_TYPE, SERVICE_NAMES } from '../../../src/contract/document.ts';
import type { RowOutcome } from '../../../src/domain/row.ts';
import { collected } from '../../support/in-memory-source.ts';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { rowKey } from '../../../src/intake/own-workbooks.ts';

const FOLDER = join(import.meta.dirname, '../../../samples');

async function outcomesOf(name: string): Promise<RowOutcome[]> {
  await using reading = await readOrderFile(join(FOLDER, name), name, { headers: {}, today: '2026-10-15' });
  return await collected(reading.rows());
}

const readme = await readFile(join(import.meta.dirname, '../../../docs/samples.md'), 'utf8');
const told = [...readme.matchAll(/^\| `(.+?)` \| (\d+) \| (\d+) \| (\d+) \|/gm)].map(
  ([, name = '', rows, orders, rejections]) => ({
    name,
    rows: Number(rows),
    orders: Number(orders),
    rejections: Number(rejections),
  }),
);
const files = new Map(await Promise.all(told.map(async ({ name }) => [name, await outcomesOf(name)] as const)));
const all = [...files.values()].flat();
const orders = all.flatMap((outcome) => (outcome.kind === 'order' ? [outcome] : []));

test.each(told)('$name has the rows that docs/samples.md lists', ({ name, ...counts }) => {
  const outcomes = files.get(name) ?? [];
  const rejections = outcomes.filter(({ kind }) => kind === 'rejection').length;
  expect({ rows: outcomes.length, orders: outcomes.length - rejections, rejections }).toEqual(counts);
});

test('docs/samples.md lists the wrong rows', () => {
  const toldRows = [...readme.matchAll(/^\| (0\d), row (\d+)(?: of `.+?`)? \|/gm)].map(
    ([, file, row]) => `${file ?? ''}:${row ?? ''}`,
  );
  const wrong = [...files].flatMap(([name, outcomes]) =>
    outcomes
      .filter(({ kind }) => kind === 'rejection')
      .map(({ record }) => `${name.slice(0, 2)}:${String(record.place.rowNumber)}`),
  );
  expect(wrong).toEqual(toldRows);
});

// At least four files.
test('samples have every service and house type in 150 rows', () => {
  expect(told.length).toBeGreaterThanOrEqual(4);
  expect(all.length).toBeGreaterThanOrEqual(150);
  const pairs = Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).flatMap(([policyType, houseTypes]) =>
    houseTypes.map((houseType) => `${policyType}: ${houseType}`),
  );
  expect(new Set(orders.map(({ payload }) => payload.serviceName))).toEqual(new Set(SERVICE_NAMES));
  expect(new Set(orders.map(({ payload }) => `${payload.policyType}: ${payload.houseType}`))).toEqual(new Set(pairs));
});

test('samples have rejections of at least twelve kinds', () => {
  const rules = new Set(
    all.flatMap((outcome) => (outcome.kind === 'rejection' ? outcome.problems : [])).map(({ rule }) => rule),
  );
  expect(rules.size).toBeGreaterThanOrEqual(12);
});

test('the corrections sample names the corrected row in each row', async () => {
  const wrong: string[] = [];
  for (const [name, outcomes] of [...files].slice(0, 2)) {
    const hash = createHash('sha256')
      .update(await readFile(join(FOLDER, name)))
      .digest('hex');
    wrong.push(
      ...outcomes.filter(({ kind }) => kind === 'rejection').map(({ record: { place } }) => rowKey(hash, place)),
    );
  }
  expect((files.get('04-corrections.xlsx') ?? []).map(({ record }) => record.correctsRow)).toEqual(wrong);
});
