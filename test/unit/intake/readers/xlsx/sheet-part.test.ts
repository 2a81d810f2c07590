import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SheetRow } from '../../../../../src/domain/row.ts';
import { defaultReadLimits, eachRow, type Reading } from '../../../../../src/intake/readers/row-source.ts';
import { readSharedStrings } from '../../../../../src/intake/readers/xlsx/shared-strings.ts';
import { sheetRowBatches } from '../../../../../src/intake/readers/xlsx/sheet-part.ts';
import { listOf, sheetXml } from '../../../../support/made-files.ts';
import { inProof } from '../../../../support/proof-size.ts';

const reading: Reading = { fileName: 'orders.xlsx', limits: defaultReadLimits };

async function* inChunks(bytes: Buffer, ends: readonly number[]): AsyncGenerator<Uint8Array, void, undefined> {
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** The rows of a sheet whose bytes come cut at these places, with a table of strings cut likewise. */
async function rowsCutAt(sheet: string, strings: string, ends: readonly number[]): Promise<readonly SheetRow[]> {
  const table = Buffer.from(strings);
  const sharedStrings = await readSharedStrings(
    inChunks(
      table,
      ends.filter((end) => end < table.length),
    ),
    'strings',
    reading,
  );
  const bytes = Buffer.from(sheet);
  const chunks = inChunks(
    bytes,
    ends.filter((end) => end < bytes.length),
  );
  return listOf(
    eachRow(
      sheetRowBatches(chunks, {
        name: 'S',
        partName: 'sheet',
        merged: [],
        context: { sharedStrings, formats: [], date1904: false },
        reading,
      }),
    ),
  );
}

const strings =
  '\uFEFF<sst><si><t>Žižka 東京 😀</t></si><si><r><t>Mü</t></r><r><t>ller</t></r></si>\n<si><t xml:space="preserve"> é &amp; ü </t></si></sst>';
const sheet = sheetXml(
  '<row r="1" spans="1:4"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" s="0"><v>12.50</v></c></row>\r\n' +
    '<row r="2"><c r="A2" t="inlineStr"><is><t>𝒳 &lt;Öl&gt;</t></is></c><!-- ß --><c r="C2" t="str"><f>A1&amp;"ñ"</f><v>ñ</v></c></row>' +
    '<row r=\'3\'><c r=\'B3\'><f>NOW()</f></c></row><row r="4"><c r="A4" t="inlineStr"><is><r><t>a</t></r><r><t>€</t></r></is></c></row>',
);
const expected = [
  {
    sheet: 'S',
    rowNumber: 1,
    cells: [
      { kind: 'text', text: 'Žižka 東京 😀' },
      { kind: 'text', text: 'Müller' },
      { kind: 'text', text: ' é & ü ' },
      { kind: 'number', value: 12.5, raw: '12.50' },
    ],
  },
  { sheet: 'S', rowNumber: 2, cells: [{ kind: 'text', text: '𝒳 <Öl>' }, undefined, { kind: 'text', text: 'ñ' }] },
  { sheet: 'S', rowNumber: 3, cells: [undefined, { kind: 'formula', formula: 'NOW()' }] },
  { sheet: 'S', rowNumber: 4, cells: [{ kind: 'text', text: 'a€' }] },
];

test('reads the same after a cut at any byte', async () => {
  for (let cut = 0; cut <= Buffer.byteLength(sheet); cut += inProof({ share: 11, whole: 1 }))
    expect(await rowsCutAt(sheet, strings, [cut])).toEqual(expected);
});

test('reads the same in chunks of any small size', async () => {
  for (const size of [1, 2, 3, 5, 7, 64]) {
    const ends = Array.from({ length: Math.floor(Buffer.byteLength(sheet) / size) }, (_, index) => (index + 1) * size);
    expect(await rowsCutAt(sheet, strings, ends)).toEqual(expected);
  }
});

/** Raw content that is legal as the text of an element. */
const content = fc
  .array(
    fc.constantFrom(
      'a',
      'é',
      '東',
      '😀',
      ' ',
      '\n',
      '\r\n',
      '&amp;',
      '&lt;',
      '&#65;',
      '&#x1F600;',
      '_x000D_',
      '0',
      '1',
      '.',
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(''));
const cell = fc
  .tuple(
    fc.constantFrom('A', 'B', 'D', 'AA', ''),
    fc.constantFrom('', 'n', 's', 'str', 'inlineStr', 'b', 'e', 'd'),
    content,
    content,
    fc.nat(4),
  )
  .map(([column, type, value, formula, form]) => {
    const tag = `<c${column === '' ? '' : ` r="${column}1"`} s="0"${type === '' ? '' : ` t="${type}"`}`;
    const forms = [
      `${tag}/>`,
      `${tag}><v>${value}</v></c>`,
      `${tag}><f>${formula}</f><v>${value}</v></c>`,
      `${tag}><is><t xml:space="preserve">${value}</t></is></c>`,
      `${tag}><f t="shared" si="1">${formula}</f></c>`,
    ];
    return forms[form] ?? '';
  });
const rows = fc.array(
  fc.array(cell, { maxLength: 4 }).map((cells) => `<row>${cells.join('')}</row>`),
  { maxLength: 4 },
);

test('reads the same by patterns and by saxes', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (rowXml) => {
      const table = '<sst><si><t>zero</t></si><si><t>one</t></si></sst>';
      const fast = await rowsCutAt(sheetXml(rowXml.join('\n')), table, []);
      // No pattern has a prefix.
      const prefixed = sheetXml(rowXml.join('\n')).replace(/<(\/?)([a-zA-Z])/g, '<$1x:$2');
      expect(fast).toEqual(await rowsCutAt(prefixed, table, []));
    }),
    { numRuns: inProof({ share: 30, whole: 500 }) },
  );
});
