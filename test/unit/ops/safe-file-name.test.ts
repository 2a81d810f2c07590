import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeFileName } from '../../../src/ops/safe-file-name.ts';
import { anyCharacter, grapheme } from '../../support/characters.ts';
import { inProof } from '../../support/proof-size.ts';

describe('safeFileName', () => {
  test.each([
    ['Orders March (2).xlsx', 'Orders March (2).xlsx'],
    ['Übersicht Żółć 物件.csv', 'Übersicht Żółć 物件.csv'],
    ['HO/12\\3:4.pdf', 'HO-12-3-4.pdf'],
    ['../../etc/passwd', 'etc-passwd'],
    ['..', 'unnamed'],
    ['', 'unnamed'],
    ['-rf', 'rf'],
    ['.hidden', 'hidden'],
    ['trailing. . ', 'trailing'],
    ['CON', '_CON'],
    ['com1.tar.gz', '_com1.tar.gz'],
    ['LPT¹.txt', '_LPT¹.txt'],
    ['console.txt', 'console.txt'],
    ['a\u0000b\nc\u202Egpj.exe', 'a-b cgpj.exe'],
    ['=HYPERLINK("x")#1%20', 'HYPERLINK(-x-)-1-20'],
    ['\uD800x', 'x'],
    ['\u0301x', 'x'],
  ])('%j becomes %j', (name, expected) => {
    expect(safeFileName(name)).toBe(expected);
  });

  test('a long name keeps its ending and whole characters', () => {
    const safe = safeFileName(`${'物'.repeat(200)}.xlsx`);
    expect(safe).toMatch(/^物+\.xlsx$/);
    expect(Buffer.byteLength(safe)).toBeGreaterThan(145);
  });

  test('any name becomes one safe part of a path', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter, maxLength: 300 }),
          fc.string({ unit: grapheme, maxLength: 300 }),
          fc.stringMatching(/^[-. ]*(con|nul)?[-. /]*$/),
        ),
        (name) => {
          const safe = safeFileName(name);
          expect(safe).toMatch(/^[\p{L}\p{N}_()+,][\p{L}\p{M}\p{N} ._()+,-]*$/u);
          expect(safe).not.toMatch(/[. ]$|^(con|nul)(\.|$)/i);
          expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(150);
          expect(safeFileName(safe)).toBe(safe);
        },
      ),
      { numRuns: inProof({ share: 500, whole: 2000 }) },
    );
  });
});
