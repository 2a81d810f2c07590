import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from '../../../scripts/mutants/mutants.ts';

const SRC = join(import.meta.dirname, '../../../src');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(SRC, name), 'utf8'));

// Whether they are caught, `npm run mutants` shows; a change of the code that leaves one without its place shows here.
test('every planted bug has its place in the code, once', () => {
  const lost = MUTANTS.flatMap(({ name, edits }) =>
    edits
      .filter(({ search }) => sources.reduce((found, text) => found + text.split(search).length - 1, 0) !== 1)
      .map(({ search }) => `${name}: ${search}`),
  );
  expect(lost).toEqual([]);
});
