import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { TextSpool } from '../../../src/ops/text-spool.ts';
import { grapheme } from '../../support/characters.ts';
import { inProof } from '../../support/proof-size.ts';

describe('TextSpool', () => {
  test('texts returns every text in order, and disposing removes the file', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'spool');
    const wellFormed = fc.string({ unit: grapheme, maxLength: 40 }).map((text) => text.replaceAll('\n', ' '));
    const text = fc.oneof(
      wellFormed,
      fc.tuple(wellFormed, fc.constantFrom(2000, 9000, 90_000)).map(([piece, times]) => `${piece}é`.repeat(times)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
        using spool = new TextSpool(path);
        const [early, late] = [texts.slice(0, 10), texts.slice(10)];
        for (const one of early) spool.append(one);
        expect([...spool.texts()]).toEqual(early);
        for (const one of late) spool.append(one);
        expect([...spool.texts()]).toEqual(texts);
      }),
      { numRuns: inProof({ share: 8, whole: 60 }) },
    );
    expect(existsSync(path)).toBe(false);
  });

  test('it never writes into a file that is there already', async () => {
    await using folder = await temporaryFolder();
    using _first = new TextSpool(join(folder.path, 'spool'));
    expect(() => new TextSpool(join(folder.path, 'spool'))).toThrow('EEXIST');
  });
});
