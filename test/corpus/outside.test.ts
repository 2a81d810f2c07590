import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RowOutcome } from '../../src/domain/row.ts';
import { readOrderFile } from '../../src/intake/read-orders.ts';
import { TODAY } from './expectations.ts';

/** Spreadsheets by somebody who had not read the code (scripts/corpus/by_outsider.py), each row with what a clerk would accept. */
const FOLDER = join(import.meta.dirname, 'outside');

/** `told`: fields that must carry a repair or a warning; `*`: any. `has`: words that must stand in the value. */
interface Sent {
  readonly sends?: Readonly<Record<string, unknown>>;
  readonly has?: Readonly<Record<string, readonly string[]>>;
  readonly told: readonly string[];
}

interface Expected {
  readonly what: string;
  readonly rows: readonly { readonly at: string; readonly any: readonly ('back' | 'left' | Sent)[] }[];
}

const expected = JSON.parse(await readFile(join(FOLDER, 'expected.json'), 'utf8')) as Readonly<
  Record<string, Expected>
>;

test('every file of the folder has its expectation', async () => {
  const files = (await readdir(FOLDER)).filter((name) => name !== 'expected.json');
  expect(Object.keys(expected).toSorted()).toEqual(files.toSorted());
});

test.each(Object.entries(expected).map(([file, held]) => ({ file, ...held })))(
  '$file: $what',
  async ({ file, rows }) => {
    await using reading = await readOrderFile(join(FOLDER, file), file, { headers: {}, today: TODAY });
    const outcomes = new Map<string, RowOutcome>();
    for await (const outcome of reading.rows()) outcomes.set(placeOf(outcome, file), outcome);
    const unlike = rows.flatMap(({ at, any }) =>
      any.some((one) => isLike(outcomes.get(at), one)) ? [] : [{ at, wanted: any, came: shown(outcomes.get(at)) }],
    );
    expect(unlike).toEqual([]);
    const known = new Set(rows.map(({ at }) => at));
    expect([...outcomes.keys()].filter((at) => !known.has(at))).toEqual([]);
  },
);

function placeOf({ record: { place } }: RowOutcome, file: string): string {
  return place.sheet === file ? String(place.rowNumber) : `${place.sheet} ${String(place.rowNumber)}`;
}

function isLike(outcome: RowOutcome | undefined, wanted: 'back' | 'left' | Sent): boolean {
  if (wanted === 'left') return outcome === undefined;
  if (wanted === 'back') return outcome?.kind === 'rejection';
  if (outcome?.kind !== 'order') return false;
  const payload = outcome.payload as unknown as Readonly<Record<string, unknown>>;
  const told = new Set<string>([
    ...outcome.repairs.map(({ field }) => field),
    ...outcome.warnings.flatMap(({ field }) => (field === null ? [] : [field])),
  ]);
  const isTold = (field: string): boolean =>
    field === '*' ? outcome.repairs.length + outcome.warnings.length > 0 : told.has(field);
  return (
    Object.entries(wanted.sends ?? {}).every(([field, value]) => (payload[field] ?? null) === value) &&
    Object.entries(wanted.has ?? {}).every(([field, words]) =>
      words.every((word) => String(payload[field]).includes(word)),
    ) &&
    wanted.told.every(isTold)
  );
}

function shown(outcome: RowOutcome | undefined): unknown {
  if (outcome === undefined) return 'no row';
  if (outcome.kind === 'rejection')
    return outcome.problems.map(({ rule, cell, message }) => `${rule} in ${String(cell)}: ${message}`);
  return {
    sends: outcome.payload,
    repairs: outcome.repairs.map(({ field, sent }) => `${field}: ${sent}`),
    warnings: outcome.warnings.map(({ rule }) => rule),
  };
}
