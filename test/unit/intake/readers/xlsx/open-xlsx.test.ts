import { expect, test } from 'vitest';
import { UnreadableFileError } from '../../../../../src/intake/readers/row-source.ts';
import {
  DECLARATION,
  firstCells,
  type MadeWorkbook,
  readBytes,
  readMade,
  relationshipsXml,
  sheetXml,
  workbookBytes,
  workbookParts,
  workbookXml,
  zipBytes,
} from '../../../../support/made-files.ts';
import { inProof } from '../../../../support/proof-size.ts';

const text = (value: string) => ({ kind: 'text', text: value });
const row = (cells: string) => `<row r="1">${cells}</row>`;

test('joins runs of shared strings without phonetic text, keeping spaces', async () => {
  const strings =
    '<si><t>Plain &amp; simple</t></si><si><r><t xml:space="preserve">Mr </t></r><r><rPr><b/></rPr><t>Smith</t></r></si>' +
    '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si><si><t xml:space="preserve">  two  </t></si>';
  const cells = [0, 1, 2, 3].map((index) => `<c t="s"><v>${index}</v></c>`).join('');
  expect(await firstCells({ rows: row(cells), strings })).toEqual(
    ['Plain & simple', 'Mr Smith', '東京', '  two  '].map(text),
  );
});

test('joins runs of inline strings without phonetic text', async () => {
  const rows = row(
    '<c t="inlineStr"><is><t>one</t></is></c><c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r><rPh sb="0" eb="1"><t>no</t></rPh></is></c><c t="inlineStr"><v>odd</v></c>',
  );
  expect(await firstCells({ rows })).toEqual(['one', 'ab', 'odd'].map(text));
});

test('reads a missing shared string as an error cell', async () => {
  const rows = row('<c t="s"><v>0</v></c><c t="s"><v>7</v></c><c t="s"><v>x</v></c>');
  const missing = { kind: 'error', code: '#MISSING-TEXT!' };
  expect(await firstCells({ rows, strings: '<si><t>here</t></si>' })).toEqual([text('here'), missing, missing]);
  expect(await firstCells({ rows, strings: null })).toEqual([missing, missing, missing]);
});

test('keeps digits and format of a number', async () => {
  const rows = row(
    '<c><v>02139</v></c><c s="1"><v>2139</v></c><c><v>1.234567890123456E+15</v></c><c s="2"><v>0.1</v></c><c s="3"><v>5</v></c><c><v>1e999</v></c><c><v>0x1F</v></c>',
  );
  expect(await firstCells({ rows, formats: ['00000', '0%', 'General'] })).toEqual([
    { kind: 'number', value: 2139, raw: '02139' },
    { kind: 'number', value: 2139, raw: '2139', format: '00000' },
    { kind: 'number', value: 1234567890123456, raw: '1.234567890123456E+15' },
    { kind: 'number', value: 0.1, raw: '0.1', format: '0%' },
    { kind: 'number', value: 5, raw: '5' },
    text('1e999'),
    text('0x1F'),
  ]);
});

// Formula results count as well; an impossible day stays a number.
test('reads dates by style, but durations and times as numbers', async () => {
  const formats = [14, 'yyyy-mm-dd hh:mm', '[h]:mm', 'h:mm', 'General "d"'];
  const rows = row(
    '<c s="1"><v>46086</v></c><c s="2"><v>46086.604166666664</v></c><c s="1"><f>TODAY()</f><v>46086</v></c><c s="3"><v>1.5</v></c>' +
      '<c s="4"><v>0.5</v></c><c s="1"><v>60</v></c><c s="1"><v>9999999</v></c><c t="d"><v>2026-03-05T00:00:00</v></c><c t="d"><v>soon</v></c><c s="5"><v>3</v></c>',
  );
  expect(await firstCells({ rows, formats })).toEqual([
    { kind: 'date', iso: '2026-03-05', raw: '46086', format: 'm/d/yyyy' },
    { kind: 'date', iso: '2026-03-05T14:30:00', raw: '46086.604166666664', format: 'yyyy-mm-dd hh:mm' },
    { kind: 'date', iso: '2026-03-05', raw: '46086', format: 'm/d/yyyy' },
    { kind: 'number', value: 1.5, raw: '1.5', format: '[h]:mm' },
    { kind: 'number', value: 0.5, raw: '0.5', format: 'h:mm' },
    { kind: 'number', value: 60, raw: '60', format: 'm/d/yyyy' },
    { kind: 'number', value: 9999999, raw: '9999999', format: 'm/d/yyyy' },
    { kind: 'date', iso: '2026-03-05', raw: '2026-03-05T00:00:00' },
    text('soon'),
    { kind: 'number', value: 3, raw: '3', format: 'General "d"' },
  ]);
});

test('counts days from 1904 in a 1904 workbook', async () => {
  const made = { rows: row('<c s="1"><v>44624</v></c>'), formats: [14] };
  expect(await firstCells({ ...made, workbookPr: '<workbookPr date1904="1"/>' })).toEqual([
    { kind: 'date', iso: '2026-03-05', raw: '44624', format: 'm/d/yyyy' },
  ]);
  expect(await firstCells({ ...made, workbookPr: '<workbookPr date1904="false"/>' })).toEqual([
    { kind: 'date', iso: '2022-03-04', raw: '44624', format: 'm/d/yyyy' },
  ]);
});

test('marks every number of a 1904 workbook as a possible date', async () => {
  const made = {
    rows: row('<c r="A1"><v>44624</v></c><c r="B1" s="2"><v>44624.5</v></c><c r="C1" ><v>44624</v></c>'),
    formats: ['General', '0.0'],
  };
  expect(await firstCells({ ...made, workbookPr: '<workbookPr date1904="1"/>' })).toEqual([
    { kind: 'number', value: 44624, raw: '44624', date1904: true },
    { kind: 'number', value: 44624.5, raw: '44624.5', format: '0.0', date1904: true },
    { kind: 'number', value: 44624, raw: '44624', date1904: true },
  ]);
});

test('distinguishes booleans, errors, formula results, and bare formulas', async () => {
  const rows = row(
    '<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c><c t="str"><f>A1&amp;"x"</f><v>joined</v></c><c><f>SUM(A1:A2)</f></c>' +
      '<c><f>1+1</f><v/></c><c t="str"><f>""</f><v></v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c>',
  );
  expect(await firstCells({ rows })).toEqual([
    { kind: 'boolean', value: true },
    { kind: 'boolean', value: false },
    { kind: 'error', code: '#N/A' },
    text('joined'),
    { kind: 'formula', formula: 'SUM(A1:A2)' },
    { kind: 'formula', formula: '1+1' },
    undefined,
    { kind: 'error', code: '#DIV/0!' },
  ]);
});

test('gives a shared formula without results its text in every cell', async () => {
  const rows = row(
    '<c><f t="shared" ref="A1:B1" si="0">C1*2</f></c><c><f t="shared" si="0"/></c><!-- --><c><f si="0" t="shared"></f></c>',
  );
  expect(await firstCells({ rows })).toEqual(Array.from({ length: 3 }, () => ({ kind: 'formula', formula: 'C1*2' })));
});

test('counts missing references, keeps gaps, and sorts cells', async () => {
  const rows =
    '<row><c><v>1</v></c><c r="D1"><v>4</v></c><c><v>5</v></c></row><row r="5"><c r="C5"><v>3</v></c><c r="A5"><v>1</v></c></row><row><c r="$B$6"><v>2</v></c></row>';
  const values = (await readMade({ rows })).map(({ rowNumber, cells }) => [
    rowNumber,
    cells.map((cell) => (cell?.kind === 'number' ? cell.value : cell)),
  ]);
  expect(values).toEqual([
    [1, [1, undefined, undefined, 4, 5]],
    [5, [1, undefined, 3]],
    [6, [undefined, 2]],
  ]);
});

test('skips rows of empty cells, but not cells of spaces', async () => {
  const rows =
    '<row r="1"/><row r="2" spans="1:2"><c r="A2" s="1"/><c r="B2"></c></row><row r="3"><c t="inlineStr"><is><t></t></is></c></row><row r="4"><c t="inlineStr"><is><t xml:space="preserve"> </t></is></c></row><row r="1048576"><c r="A1048576" s="1"/></row>';
  expect(await readMade({ rows })).toEqual([{ sheet: 'Orders', rowNumber: 4, cells: [text(' ')] }]);
});

test('decodes escapes, line ends, and entities once', async () => {
  const rows = row(
    ['a_x000D_b', '_x005F_x000D_', 'one\r\ntwo', '&#65;&#x42;&lt;&quot;', '_xD83D__xDE00_']
      .map((value) => `<c t="inlineStr"><is><t>${value}</t></is></c>`)
      .join(''),
  );
  expect(await firstCells({ rows })).toEqual(['a\rb', '_x000D_', 'one\ntwo', 'AB<"', '😀'].map(text));
});

test('accepts prefixes, single quotes, comments, and CDATA', async () => {
  const sheet =
    `<?xml version='1.0'?><!-- <sheetData><row r="9"><c><v>9</v></c></row> --><x:worksheet xmlns:x='urn:main'><x:sheetData><!-- <x:row r="8"><x:c><x:v>8</x:v></x:c></x:row> -->` +
    `<x:row r = '1'><x:c r='B1' t='inlineStr'><x:is><x:t>a<![CDATA[<b>]]>c</x:t></x:is></x:c><x:c><x:v>4<!-- -->2</x:v></x:c></x:row></x:sheetData></x:worksheet>`;
  expect(await firstCells({ sheet })).toEqual([undefined, text('a<b>c'), { kind: 'number', value: 42, raw: '42' }]);
});

test('ignores rows inside a comment', async () => {
  const rows =
    '<row r="1"><c><v>1</v></c></row><!-- <row r="2"><c><v>2</v></c></row><row r="3"><c><v>3</v></c></row> --><row r="4"><c><v>4</v></c></row>';
  expect((await readMade({ rows })).map(({ rowNumber }) => rowNumber)).toEqual([1, 4]);
});

test('skips unknown elements between and inside rows', async () => {
  const rows =
    '<row r="1"><ext><c><v>9</v></c></ext><c r="A1"><extLst><v>8</v></extLst><v>1</v></c></row><ext><row r="2"><c><v>2</v></c></row></ext>';
  expect(await readMade({ rows })).toEqual([
    { sheet: 'Orders', rowNumber: 1, cells: [{ kind: 'number', value: 1, raw: '1' }] },
  ]);
});

test('lists sheets in order by relationship, without chart sheets', async () => {
  const bytes = workbookBytes({
    parts: {
      '_rels/.rels': relationshipsXml([['rId1', 'officeDocument', '/book/main.xml']]),
      'book/main.xml': workbookXml(
        '<sheet name="Zulu" sheetId="3" r:id="c"/><sheet name="Chart" sheetId="4" r:id="d"/><sheet name="A &amp; B" sheetId="1" state="hidden" r:id="a"/><sheet name="V" sheetId="2" state="veryHidden" r:id="b"/>',
      ),
      'book/_rels/main.xml.rels': relationshipsXml([
        ['a', 'worksheet', '../odd/first%20part.bin'],
        ['b', 'worksheet', '/xl/worksheets/SHEET1.xml'],
        ['c', 'worksheet', './third'],
        ['d', 'chartsheet', 'chart.xml'],
      ]),
      'odd/first part.bin': sheetXml(row('<c><v>1</v></c>')),
      'book/third': sheetXml(row('<c><v>3</v></c>')),
      'xl/worksheets/sheet1.xml': sheetXml(row('<c><v>2</v></c>')),
    },
  });
  const read = await readBytes(bytes);
  expect(read.sheets).toEqual([
    { name: 'Zulu', visible: true },
    { name: 'A & B', visible: false },
    { name: 'V', visible: false },
  ]);
  expect(read.rows.map(([first]) => first?.cells[0])).toEqual(
    ['3', '1', '2'].map((raw) => ({ kind: 'number', value: Number(raw), raw })),
  );
  expect(read.rows[1]?.[0]?.sheet).toBe('A & B');
});

test('reads the strict format like the usual one', async () => {
  const strict = (xml: string) =>
    xml
      .replaceAll(
        'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
        'http://purl.oclc.org/ooxml/spreadsheetml/main',
      )
      .replaceAll(
        'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
        'http://purl.oclc.org/ooxml/officeDocument/relationships',
      );
  const made = {
    rows: row('<c t="s"><v>0</v></c><c t="d" s="1"><v>2026-03-05T14:30:00Z</v></c><c s="1"><v>46086</v></c>'),
    strings: '<si><t>shared</t></si>',
    formats: [14],
  };
  const parts = Object.fromEntries(
    Object.entries(workbookParts(made)).map(([name, content]) => [name, strict(String(content))]),
  );
  expect(parts['xl/workbook.xml']).toContain('purl.oclc.org');
  expect(await firstCells({ parts })).toEqual([
    text('shared'),
    { kind: 'date', iso: '2026-03-05T14:30:00', raw: '2026-03-05T14:30:00Z' },
    { kind: 'date', iso: '2026-03-05', raw: '46086', format: 'm/d/yyyy' },
  ]);
});

test('openXlsx marks hidden rows', async () => {
  const rows =
    '<row r="1"><c><v>1</v></c></row><row r="2" spans="1:1" hidden="1"><c><v>2</v></c></row><row r="3" hidden="0"><c><v>3</v></c></row><row r="4" hidden="1"/><row r=\'5\' hidden=\'true\'><c><v>5</v></c></row>';
  const read = await readBytes(workbookBytes({ rows }));
  expect(read.rows[0]?.map(({ rowNumber, hidden }) => [rowNumber, hidden])).toEqual([
    [1, undefined],
    [2, true],
    [3, undefined],
    [5, true],
  ]);
});

test('marks merged cells with the value that the first shows', async () => {
  const cells =
    '<row r="1"><c r="A1" t="str"><v>title</v></c><c r="B1"/></row><row r="2"><c r="A2"><v>7</v></c></row><row r="3"><c r="A3"/><c r="B3"><v>8</v></c></row>';
  const read = await readBytes(
    workbookBytes({
      sheet: sheetXml(cells).replace(
        '</sheetData>',
        '</sheetData><mergeCells count="2"><mergeCell ref="A1:F1"/><mergeCell ref="A2:A3"/></mergeCells>',
      ),
    }),
  );
  expect(read.rows[0]?.[2]).toMatchObject({
    cells: [undefined, { kind: 'number', value: 8, raw: '8' }],
    remarks: [
      { kind: 'merged', column: 0, firstColumn: 0, firstRow: 2, shows: { kind: 'number', value: 7, raw: '7' } },
    ],
  });
  expect(read.rows[0]?.[0]?.remarks?.map((remark) => [remark.kind, remark.column])).toEqual(
    [1, 2, 3, 4, 5].map((column) => ['merged', column]),
  );
  expect(read.rows[0]?.[1]).not.toHaveProperty('remarks');
  expect(read.notes).toEqual([]);
});

test('marks merged cells of a very long part', async () => {
  const row = (number: number) =>
    `<row r="${number}"><c r="A${number}" t="str"><v>${String(number).padStart(2_000, 'x')}</v></c></row>`;
  const cells = Array.from({ length: 1200 }, (_, index) => row(index + 1)).join('');
  const merges =
    '<mergeCells count="3"><mergeCell ref="A1:A2"/><mergeCell ref="B2:B3"/><mergeCell ref="M2:N5"/></mergeCells>';
  const parts = workbookParts({ sheet: sheetXml(cells).replace('</sheetData>', `</sheetData>${merges}`) });
  const read = await readBytes(
    zipBytes(Object.entries(parts).map(([name, content]) => ({ name, content, stored: true }))),
  );
  expect(read.rows[0]?.[1]?.remarks).toEqual([
    { kind: 'merged', column: 0, firstColumn: 0, firstRow: 1, shows: read.rows[0]?.[0]?.cells[0] },
  ]);
  expect(read.notes).toEqual([]);
});

test('skips formatted empty rows down to the last', async () => {
  const rows = Array.from({ length: inProof({ share: 50_000, whole: 1_048_576 }) }, (_, back) => {
    const number = 1_048_576 - back;
    return `<row r="${number}" s="1"${number === 1_048_001 ? '><c r="C1048001"><v>1</v></c></row>' : '/>'}`;
  });
  expect(await readMade({ rows: rows.toReversed().join('') })).toEqual([
    { sheet: 'Orders', rowNumber: 1_048_001, cells: [undefined, undefined, { kind: 'number', value: 1, raw: '1' }] },
  ]);
});

test('reads the shown text of a cell with a hyperlink', async () => {
  const cells =
    '<c r="A1" t="str"><v>me@example.com</v></c><c r="B1" t="str"><f>HYPERLINK("mailto:x@example.com","x@example.com")</f><v>x@example.com</v></c>';
  const sheet = sheetXml(row(cells)).replace(
    '</sheetData>',
    '</sheetData><hyperlinks><hyperlink ref="A1" r:id="rId9" display="other"/></hyperlinks>',
  );
  expect(await firstCells({ sheet })).toEqual(['me@example.com', 'x@example.com'].map(text));
});

test('reads one number under several formats by each format', async () => {
  const cells = Array.from(
    { length: 2 },
    () =>
      '<c r="A1" s="1"><v>46086</v></c><c r="B1" s="2"><v>46086</v></c><c r="C1" s="3"><v>46086</v></c><c r="D1"><v>46086</v></c>',
  );
  const read = await readMade({
    rows: cells.map((rowCells) => `<row>${rowCells}${' '.repeat(200)}</row>`).join(''),
    formats: [14, 'yyyy', '0.00'],
  });
  const shown = [
    { kind: 'date', iso: '2026-03-05', raw: '46086', format: 'm/d/yyyy' },
    { kind: 'date', iso: '2026-03-05', raw: '46086', format: 'yyyy' },
    { kind: 'number', value: 46086, raw: '46086', format: '0.00' },
    { kind: 'number', value: 46086, raw: '46086' },
  ];
  expect(read.map(({ cells: found }) => found)).toEqual([shown, shown]);
});

test('decodes entities, line ends, and escapes of shared texts once', async () => {
  const strings = [
    'a &amp;lt; &lt;b&gt; &quot;&apos;',
    'one\r\ntwo\rthree',
    '_x0041_ and _x005F_x0041_',
    '&#233;&#x1F600; &amp;',
    '',
  ]
    .map((content) => `<si><t xml:space="preserve">${content}</t></si>`)
    .join('');
  const cells = [0, 1, 2, 3, 4].map((index) => `<c r="${'ABCDE'[index]}1" t="s"><v>${index}</v></c>`).join('');
  expect(await firstCells({ rows: row(cells), strings })).toEqual(
    ['a &lt; <b> "\'', 'one\ntwo\nthree', 'A and _x0041_', 'é😀 &'].map(text),
  );
});

test('reads numbers of a workbook without styles', async () => {
  expect(await firstCells({ rows: row('<c s="4"><v>46086</v></c>'), formats: null })).toEqual([
    { kind: 'number', value: 46086, raw: '46086' },
  ]);
});

test('reads parts in UTF-16', async () => {
  const sheet = Buffer.from(
    `\uFEFF${sheetXml(row('<c t="inlineStr"><is><t>Žižka</t></is></c>')).replace('UTF-8', 'UTF-16')}`,
    'utf16le',
  );
  expect(await firstCells({ parts: { 'xl/worksheets/sheet1.xml': sheet } })).toEqual([text('Žižka')]);
});

const refused: readonly (readonly [what: string, made: MadeWorkbook, message: RegExp])[] = [
  [
    'a DOCTYPE',
    { sheet: `<!DOCTYPE worksheet [<!ENTITY a "b">]>${sheetXml('').slice(DECLARATION.length)}` },
    /DOCTYPE/,
  ],
  [
    'a sheet that ends too early',
    { sheet: sheetXml(row('<c><v>1</v></c>')).replace('</sheetData></worksheet>', '') },
    /damaged.*unclosed/,
  ],
  [
    'a sheet that is not UTF-8',
    { parts: { 'xl/worksheets/sheet1.xml': Buffer.from(sheetXml(row('<c t="str"><v>\xFF</v></c>')), 'latin1') } },
    /damaged.*UTF-8/,
  ],
  [
    'a sheet whose part is missing',
    { parts: { 'xl/_rels/workbook.xml.rels': relationshipsXml([['rId1', 'worksheet', 'gone.xml']]) } },
    /its sheet "Orders" is missing/,
  ],
  [
    'two sheets that are one part',
    {
      parts: {
        'xl/workbook.xml': workbookXml(
          '<sheet name="A" sheetId="1" r:id="rId1"/><sheet name="B" sheetId="2" r:id="rId1"/>',
        ),
      },
    },
    /sheets "A" and "B" are stored in the same part/,
  ],
  ['a row beyond the last', { rows: '<row r="1048577"><c><v>1</v></c></row>' }, /more than 1048576 rows/],
  ['a column beyond the last', { rows: row('<c r="XFE1"><v>1</v></c>') }, /more than 16384 columns/],
  [
    'a cell of more than a million characters',
    { rows: row(`<c t="str"><v>${'x'.repeat(1_000_001)}</v></c>`) },
    /too long for/,
  ],
  ['a text that never ends', { sheet: `<worksheet><a>${'x'.repeat(3_000_000)}` }, /too long for/],
  ['elements nested without end', { sheet: `<worksheet>${'<a>'.repeat(100_000)}` }, /nested too deep/],
];

test.each(refused)('refuses %s with an explanation', async (_what, made, message) => {
  const reading = readMade(made);
  await expect(reading).rejects.toBeInstanceOf(UnreadableFileError);
  await expect(reading).rejects.toThrow(message);
});
