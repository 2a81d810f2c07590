import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { UnreadableFileError } from '../../../../../src/intake/readers/row-source.ts';
import { readBytes } from '../../../../support/made-files.ts';
import { inProof } from '../../../../support/proof-size.ts';

/** The rows of a text: number and texts. */
async function rowsOf(text: string) {
  const { rows } = await readBytes(Buffer.from(text), 'orders.csv');
  return (rows[0] ?? []).map(({ rowNumber, cells, remarks }) => ({
    rowNumber,
    texts: cells.map((cell) => (cell?.kind === 'text' ? cell.text : '')),
    isDoubtful: remarks?.some(({ kind }) => kind === 'doubt') === true,
  }));
}

const LONG = '1,2,3,"4, 4"\r\n'.repeat(5_000);

test.each([
  ['line feeds', 'a,"b ""x"" é",c\n"1\r\n2",東京,😀\r\n\n"x",5" é,"=""07"""\r\n,"","z"'],
  ['spaces around fields', 'a, "b, é" ,c\r\n "1" ,  2 , "" \r\n3,4'],
])('reads the same however the file is cut: %s', async (_what, text) => {
  const whole = await rowsOf(text);
  // Rows in front of it move the text over the ends of pieces.
  for (let moved = 0; moved < 60; moved += inProof({ share: 29, whole: 7 })) {
    const before = `${text}\n${LONG}${'x'.repeat(moved)}\n`;
    const rows = await rowsOf(before + text);
    expect(rows.slice(-whole.length).map(({ texts }) => texts)).toEqual(whole.map(({ texts }) => texts));
  }
});

test('reads fields in every way of writing them', async () => {
  const rows = await rowsOf(
    'a,"b ""x""",\r\n"1\r\n2",東京,Twelve characters and more\n"x" y,"p;q" r,"=""07"""\n,,\n"08",z',
  );
  expect(rows.map(({ rowNumber, texts }) => [rowNumber, ...texts])).toEqual([
    [1, 'a', 'b "x"'],
    [2, '1\r\n2', '東京', 'Twelve characters and more'],
    [3, '"x" y', '"p;q" r', '07'],
    [5, '08', 'z'],
  ]);
});

const field = fc
  .array(fc.constantFrom('a', 'é', '東', '😀', ' ', ',', '"', '\n', '\r\n', ';', '0'), { maxLength: 5 })
  .map((parts) => parts.join(''))
  // What begins with a quotation mark may be taken for one that is closed badly, and lines with commas for rows.
  .filter((text) => !text.startsWith('"') && !(text.includes(',') && text.includes('\n')));
const written = (text: string) => (/^ | $|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Enough of them to tell the delimiter. */
const HEADERS = Array.from({ length: 20 }, () => ['id', 'name', 'city', 'zip']);

test('reads any written table unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(field, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      async (table, end, endsLast) => {
        const text = [...HEADERS, ...table].map((fields) => fields.map(written).join(',')).join(end);
        const rows = await rowsOf(text + (endsLast ? end : ''));
        const expected = [...HEADERS, ...table].map((fields) => fields.join('\0').replace(/\0+$/, ''));
        expect(rows.map(({ texts }) => texts.join('\0'))).toEqual(expected.filter((texts) => texts !== ''));
        expect(rows.some(({ isDoubtful }) => isDoubtful)).toBe(false);
      },
    ),
    { numRuns: inProof({ share: 30, whole: 500 }) },
  );
});

const cell = fc.constantFrom('', 'Oak Ln', '"Smith, Ann"', '"say ""hi"""', '5" pipe', '12', '"two\nlines"', ' x');

test('never hides a row after a missing or extra quotation mark', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { minLength: 3, maxLength: 8 }),
      fc.nat(),
      fc.boolean(),
      fc.constantFrom('"', '"', '""', ' "', '" ', '\r'),
      async (table, at, takesAway, what) => {
        const lines = table.map((cells, row) => [`P-${row}`, ...cells].join(','));
        const text = `id,a,b,c,d\n${lines.join('\n')}\n`;
        const marks = [...text.matchAll(/"/g)].map(({ index }) => index);
        const place = takesAway && marks.length > 0 ? (marks[at % marks.length] ?? 0) : at % text.length;
        const damaged =
          takesAway && marks.length > 0
            ? text.slice(0, place) + text.slice(place + 1)
            : text.slice(0, place) + what + text.slice(place);
        const rows = await rowsOf(damaged).catch((error: unknown) => {
          if (error instanceof UnreadableFileError) return undefined;
          throw error;
        });
        if (rows === undefined) return;
        const hit = table.findLastIndex((_, row) => text.indexOf(`\nP-${row},`) < place);
        for (const [row] of table.entries()) {
          if (row === hit) continue;
          const isThere = rows.some(({ texts }) => texts[0] === `P-${row}`);
          const isInDoubt = rows.some(({ texts, isDoubtful }) => isDoubtful && texts.join().includes(`P-${row}`));
          expect(isThere || isInDoubt, `P-${row} of ${JSON.stringify(damaged)}`).toBe(true);
        }
      },
    ),
    { numRuns: inProof({ share: 40, whole: 1000 }) },
  );
});
