import { describe, expect, test } from 'vitest';
import type { SheetRow } from '../../../src/domain/row.ts';
import { SkippedRows } from '../../../src/intake/skipped-rows.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const row = (rowNumber: number, text: string, sheet = 'S'): SheetRow => ({
  sheet,
  rowNumber,
  cells: [undefined, { kind: 'text', text }, { kind: 'text', text: 'end' }],
});

function notesOn(...rows: readonly SheetRow[]): readonly string[] {
  const skipped = new SkippedRows();
  for (const one of rows) skipped.add(one, 'rows-no-orders');
  return skipped.notes().map(codeAndFacts);
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => row(index + 2, 'x'));

describe('SkippedRows', () => {
  test('names twenty rows', () => {
    const [note = ''] = notesOn(...numbered(20));
    expect([note.includes(' 21 '), note.includes('more')]).toEqual([true, false]);
  });

  test('lists twenty rows and counts the others', () => {
    const [note = ''] = notesOn(...numbered(23));
    expect(note).toMatch(/ 20 21 3 "x end"$/);
  });

  test('quotes five different rows', () => {
    const texts = ['a', 'b', 'b', 'c', 'd', 'e', 'f'];
    const [note = ''] = notesOn(...texts.map((text, index) => row(index + 2, text)));
    expect(note.match(/"\w end"/g)).toEqual(['"a end"', '"b end"', '"c end"', '"d end"', '"e end"']);
  });

  test('has a note for each sheet', () => {
    expect(notesOn(row(2, 'a'), row(3, 'b', 'T'))).toEqual([
      'rows-no-orders "S" 2 "a end"',
      'rows-no-orders "T" 3 "b end"',
    ]);
  });
});
