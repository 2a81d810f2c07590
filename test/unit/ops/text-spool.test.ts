import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { TextSpool } from '../../../src/ops/text-spool.ts';

test('what was put aside comes back to the letter, one by one and in its order, however long it is; then its file is gone', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'spool');
  const wellFormed = fc.string({ unit: 'grapheme', maxLength: 40 });
  const text = fc.oneof(wellFormed, fc.tuple(wellFormed, fc.constantFrom(2000, 9000, 90_000)).map(([piece, times]) => `${piece}é`.repeat(times)));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
      using spool = new TextSpool(path);
      const places = texts.map((one) => spool.append(one));
      expect(places.map((at) => spool.read(at))).toEqual(texts);
      expect([...spool.texts()]).toEqual(texts);
    }),
    { numRuns: 60 },
  );
  expect(existsSync(path)).toBe(false);
});

test('it never writes into a file that is there already', async () => {
  await using folder = await temporaryFolder();
  using _first = new TextSpool(join(folder.path, 'spool'));
  expect(() => new TextSpool(join(folder.path, 'spool'))).toThrow('EEXIST');
});
