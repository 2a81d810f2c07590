import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { vocabulary } from '../../../src/intake/vocabulary.ts';

const FOLDER = join(import.meta.dirname, '../../../templates/vocabulary');
const NAMES = readdirSync(FOLDER).map((name) => name.replace(/\.yaml$/, ''));

test('vocabulary reads a list by its name and refuses one of another shape', () => {
  expect(vocabulary('not-ordered', z.looseObject({}))()).toEqual(
    parse(readFileSync(join(FOLDER, 'not-ordered.yaml'), 'utf8')),
  );
  expect(vocabulary('not-ordered', z.array(z.string()))).toThrow(/expected array/);
});

test.each(NAMES)('the lists of %s repeat no entry', (name) => {
  const repeated = (held: unknown): readonly unknown[] =>
    Array.isArray(held)
      ? held.filter((entry, at) => held.indexOf(entry) !== at)
      : typeof held === 'object' && held !== null
        ? Object.values(held).flatMap(repeated)
        : [];
  expect(repeated(vocabulary(name, z.unknown())())).toEqual([]);
});
