import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RecordLayout, RecordReader } from '../../../../../src/intake/readers/csv/records.ts';
import { TextSurvey } from '../../../../../src/intake/readers/csv/survey.ts';
import { defaultReadLimits } from '../../../../../src/intake/readers/row-source.ts';

const COMMA: RecordLayout = { delimiter: 0x2c, returnsEndRecords: false, trim: false, usual: 2, startsAt: 0 };
const reading = { fileName: 'a.csv', limits: defaultReadLimits };

/** The records of a text that comes in these pieces: number and texts. */
function recordsOf(pieces: readonly Buffer[], layout = COMMA): readonly (readonly unknown[])[] {
  const reader = new RecordReader(layout, reading);
  const rows = [...pieces.flatMap((piece) => reader.take(piece)), ...reader.end()];
  return rows.map(({ rowNumber, cells }) => [
    rowNumber,
    ...cells.map((cell) => (cell?.kind === 'text' ? cell.text : null)),
  ]);
}

test.each([
  ['line feeds', 'a,"b ""x"" é",c\n"1\r\n2",東京,😀\r\n\n"x" y,5" é,"=""07"""\r\n,"","z"', COMMA],
  ['lone carriage returns', 'é,"b\r1",c\r\r"x""",😀\r1,2\r', { ...COMMA, returnsEndRecords: true }],
  ['spaces around fields', 'a, "b, é" ,c\r\n "1" ,  2 , "" \r\n3,4', { ...COMMA, trim: true }],
  ['a carriage return at the very end', 'a,"b"\n1,"2"\r', COMMA],
])('a cut at any byte changes nothing: %s', (_what, text, layout) => {
  const bytes = Buffer.from(text);
  const whole = recordsOf([bytes], layout);
  expect(JSON.stringify(whole)).not.toContain('\uFFFD');
  for (let cut = 0; cut <= bytes.length; cut += 1)
    expect(recordsOf([bytes.subarray(0, cut), bytes.subarray(cut)], layout)).toEqual(whole);
  expect(
    recordsOf(
      Array.from(bytes, (code) => Buffer.of(code)),
      layout,
    ),
  ).toEqual(whole);
});

test('fields are what they say, by every way of writing them', () => {
  expect(
    recordsOf([
      Buffer.from(
        'a,"b ""x""",\r\n"1\r\n2",東京,a text of more than twelve characters\n"x" y,"p,q" r,"=""07"""\n,,\n="08",z',
      ),
    ]),
  ).toEqual([
    [1, 'a', 'b "x"'],
    [2, '1\r\n2', '東京', 'a text of more than twelve characters'],
    [3, '"x" y', '"p,q" r', '07'],
    [5, '08', 'z'],
  ]);
});

const field = fc
  .array(fc.constantFrom('a', 'é', '東', '😀', ' ', ',', '"', '\n', '\r\n', ';', '0'), { maxLength: 5 })
  .map((parts) => parts.join(''));
const written = (text: string) => (/^ | $|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

test('what any program may write is read as csv-parse reads it, and the survey finds nothing to object to', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.nat(),
      (table, end, endsLast, cutAt) => {
        const bytes = Buffer.from(
          table.map((fields) => fields.map(written).join(',')).join(end) + (endsLast ? end : ''),
        );
        const cut = cutAt % (bytes.length + 1);
        const theirs = parse(bytes, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
        const theirRows = theirs.map((fields, index) => {
          const texts = fields.map((text) => (text === '' ? null : text));
          while (texts.at(-1) === null) texts.pop();
          return [index + 1, ...texts];
        });
        expect(recordsOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(
          theirRows.filter(({ length }) => length > 1),
        );
        const survey = new TextSurvey(0x2c, defaultReadLimits);
        survey.look(bytes.subarray(0, cut));
        survey.look(bytes.subarray(cut));
        expect(survey.end()).toEqual({
          returnsEndRecords: false,
          mixedEnds: false,
          strayQuoteRecord: undefined,
          spacedQuoteRecord: undefined,
          openQuoteRecord: undefined,
          longRecord: undefined,
        });
      },
    ),
    { numRuns: 2000 },
  );
});
