import * as fc from 'fast-check';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utils, write } from '@e965/xlsx';
import { expect, test } from 'vitest';
import { openSpreadsheet } from '../../../../src/intake/readers/open-spreadsheet.ts';
import { UnreadableFileError } from '../../../../src/intake/readers/row-source.ts';
import { listOf, readBytes, workbookBytes, workbookParts, zipBytes } from '../../../support/made-files.ts';
import { inProof } from '../../../support/proof-size.ts';

const ROWS =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>Žižka &amp; co</t></is></c><c r="B1" t="s"><v>0</v></c><c r="C1" s="1"><v>46086</v></c></row>';
const WORKBOOK = workbookBytes({ rows: ROWS, strings: '<si><t>shared</t></si>', formats: ['yyyy-mm-dd'] });

/** A compound file with one stream. */
function compound(streamName: string): Buffer {
  return Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(3000),
    Buffer.from(streamName, 'utf16le'),
    Buffer.alloc(600),
  ]);
}

function zipOf(...names: string[]): Buffer {
  return zipBytes(names.map((name) => ({ name, content: 'x' })));
}

test.each([
  [
    'a damaged old Excel file',
    compound('Workbook'),
    /is an Excel 97-2003 workbook \(\.xls\) that cannot be read.*save it as "Excel Workbook \(\.xlsx\)"/,
  ],
  ['an Excel 95 file', compound('Book'), /is an Excel 5\.0 or 95 workbook \(\.xls\), which is not read here/],
  ['a workbook with a password', compound('EncryptedPackage'), /is protected by a password.*remove the password/],
  [
    'a damaged .xlsb',
    zipOf('[Content_Types].xml', 'xl/workbook.bin'),
    /binary Excel workbook \(\.xlsb\) that cannot be read/,
  ],
  [
    'a damaged .ods',
    zipOf('mimetype', 'content.xml', 'META-INF/manifest.xml'),
    /OpenDocument spreadsheet \(\.ods\) that cannot be read/,
  ],
  ['a Numbers file', zipOf('Index/Document.iwa', 'preview.jpg'), /Numbers/],
  ['a Word document', zipOf('[Content_Types].xml', 'word/document.xml'), /Word document/],
  ['another zip', zipOf('orders.csv', 'more.csv'), /zip archive.*Unpack it/],
  ['a PDF', Buffer.from('%PDF-1.7\n%\xE2\xE3'), /is a PDF/],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), /is a picture/],
  ['a web page without a table', Buffer.from('<html><p>Not found</p></html>'), /web page .* that cannot be read/],
  ['JSON', Buffer.from('[\n  {"policyNumber": "HO-1"}\n]'), /is a JSON file/],
  ['nothing', Buffer.alloc(0), /is empty/],
  ['a byte order mark and blanks', Buffer.from('\uFEFF \r\n'), /is empty/],
  [
    'random bytes',
    Buffer.from(Array.from({ length: 999 }, (_, index) => (index * index * 31) % 256)),
    /is not a spreadsheet/,
  ],
  ['a truncated workbook', WORKBOOK.subarray(0, WORKBOOK.length - 30), /is damaged.*ZIP package/],
  ['a workbook without its workbook', zipOf('[Content_Types].xml'), /holds no workbook/],
  [
    'two entries of one name',
    zipBytes(
      [...Object.entries(workbookParts({ rows: ROWS })), ['XL/Workbook.xml', 'x'] as const].map(([name, content]) => ({
        name,
        content,
      })),
    ),
    /files named/,
  ],
])('explains %s', async (_what, bytes, message) => {
  const reading = readBytes(bytes, 'agency.xlsx');
  await expect(reading).rejects.toBeInstanceOf(UnreadableFileError);
  await expect(reading).rejects.toThrow(message);
  await expect(reading).rejects.toThrow(/^"agency\.xlsx" /);
});

test('reads a file by content and notes a misleading name', async () => {
  const workbook = await readBytes(WORKBOOK, 'orders.csv');
  expect(workbook.notes).toMatchObject([{ code: 'other-kind', text: expect.stringMatching(/\.xlsx.*\.csv/) }]);
  expect(workbook.rows[0]?.[0]?.cells[2]).toMatchObject({ kind: 'date', iso: '2026-03-05', raw: '46086' });
  const text = await readBytes(Buffer.from('a,b\n1,2\n'), 'orders.xlsx');
  expect(text.notes).toMatchObject([
    { code: 'other-kind', text: expect.stringMatching(/\.csv.*\.xlsx/) },
    { code: 'text-format' },
  ]);
  expect((await readBytes(WORKBOOK, 'ORDERS.XLSM')).notes).toEqual([]);
});

test('refuses a zip bomb, even one that states a false size', async () => {
  const [begin, end] = ['<worksheet><sheetData>', '</sheetData></worksheet>'];
  const big = Buffer.concat([Buffer.from(begin), Buffer.alloc(18_000_000, '<row/>'), Buffer.from(end)]);
  const entries = Object.entries({ ...workbookParts({ rows: ROWS }), 'xl/worksheets/sheet1.xml': big });
  await expect(readBytes(zipBytes(entries.map(([name, content]) => ({ name, content }))))).rejects.toMatchObject({
    code: 'zip-bomb',
  });
  const liar = zipBytes(
    entries.map(([name, content]) => (content === big ? { name, content, claimedLength: 1000 } : { name, content })),
  );
  await expect(readBytes(liar)).rejects.toMatchObject({ code: 'part-longer-than-stated' });
});

test('refuses a zip whose parts overlap', async () => {
  const bytes = zipBytes(Object.entries(workbookParts({ rows: ROWS })).map(([name, content]) => ({ name, content })));
  const second = bytes.indexOf('PK\x01\x02', bytes.indexOf('PK\x01\x02') + 4);
  bytes.writeUInt32LE(0, second + 42);
  await expect(readBytes(bytes)).rejects.toMatchObject({ code: 'parts-overlap' });
});

test('refuses few bytes that expand to very much text', async () => {
  const strings = `<si><t>${'x'.repeat(900_000)}</t></si>`;
  const row = (index: number) =>
    `<row r="${index}"><c r="A${index}" t="s"><v>0</v></c><c r="B${index}" t="s"><v>0</v></c></row>`;
  await expect(
    readBytes(workbookBytes({ rows: Array.from({ length: 30 }, (_, index) => row(index + 1)).join(''), strings })),
  ).rejects.toMatchObject({ code: 'too-much-text', message: expect.stringMatching(/in row 1\d\b/) });
  const cells = '<c t="s"><v>0</v></c>'.repeat(40);
  await expect(readBytes(workbookBytes({ rows: `<row>${cells}</row>`, strings }))).rejects.toMatchObject({
    code: 'too-much-text',
    message: expect.stringMatching(/in row 1\b/),
  });
  const styles = `<styleSheet><cellXfs>${Array.from(
    { length: 16_000 },
    (_, index) => `<xf numFmtId="${index + 100_000}"/>`,
  )
    .join('')
    .repeat(100)}</cellXfs></styleSheet>`;
  await expect(readBytes(workbookBytes({ rows: ROWS, parts: { 'xl/styles.xml': styles } }))).rejects.toMatchObject({
    code: 'part-too-long',
    message: expect.stringContaining('styles.xml'),
  });
});

test('refuses a part whose bytes changed', async () => {
  const stored = zipBytes(
    Object.entries(workbookParts({ rows: ROWS })).map(([name, content]) => ({ name, content, stored: true })),
  );
  stored.write('46087', stored.indexOf('46086'));
  await expect(readBytes(stored)).rejects.toMatchObject({ code: 'checksum-wrong' });
});

test('reads rows again after stopping in the middle', async () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, index) => `<row r="${index + 1}"><c t="inlineStr"><is><t>row ${index + 1}</t></is></c></row>`,
  ).join('');
  const folder = await mkdtemp(join(tmpdir(), 'readers-'));
  try {
    for (const [name, bytes] of [
      ['a.xlsx', workbookBytes({ rows })],
      ['a.csv', Buffer.from('row\n'.repeat(20_000))],
    ] as const) {
      const path = join(folder, name);
      await writeFile(path, bytes);
      await using source = await openSpreadsheet(path, name);
      const again = source.rows(0);
      for await (const row of again) if (row.rowNumber === 3) break;
      expect(await listOf(again)).toHaveLength(20_000);
      expect(await listOf(source.rows(0))).toHaveLength(20_000);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** How reading a file ends; anything but rows and a sentence is a fault of the program. */
function endOf(bytes: Uint8Array): Promise<unknown> {
  return readBytes(bytes).then(
    () => 'rows',
    (error: unknown) => (error instanceof UnreadableFileError ? 'sentence' : error),
  );
}

const CSV = Buffer.from('id,name,note\n1,"Müller, Jörg","two\nlines"\n2,Smith,5" pipe\n');
const STORED = zipBytes(
  Object.entries(workbookParts({ rows: ROWS, formats: ['yyyy-mm-dd'] })).map(([name, content]) => ({
    name,
    content,
    stored: true,
  })),
);

test('returns rows or an explanation for any damaged bytes', async () => {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(20),
    put: fc.uint8Array({ maxLength: 12 }),
  });
  const ends: unknown[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(WORKBOOK, STORED, CSV),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async (original, changes) => {
        let bytes: Buffer = original;
        for (const { at, cut, put } of changes) {
          const position = Math.floor(at * bytes.length);
          bytes = Buffer.concat([bytes.subarray(0, position), put, bytes.subarray(position + cut)]);
        }
        const end = await endOf(bytes);
        expect(['rows', 'sentence']).toContain(end);
        ends.push(end);
      },
    ),
    { numRuns: inProof({ share: 25, whole: 300 }) },
  );
  // Both happen, in whatever share the seed brings.
  expect(new Set(ends)).toEqual(new Set(['rows', 'sentence']));
});

/** Mutates the XML inside a sound zip, where checksums do not save the reader. */
test('returns rows or an explanation for any damaged XML', async () => {
  const parts = workbookParts({ rows: ROWS, strings: '<si><t>shared</t></si>', formats: ['yyyy-mm-dd'] });
  const piece = fc.constantFrom(
    '<',
    '>',
    '/',
    '"',
    '&',
    '&amp;',
    '</row>',
    '<row>',
    '<c>',
    '</c>',
    '<v>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '99999999999',
    '\u0000',
    'r="ZZZZ1"',
    ' ',
    '<is>',
    '<!DOCTYPE a>',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(parts)),
      fc.nat(),
      fc.nat(15),
      piece,
      async (name, at, cut, put) => {
        const content = String(parts[name]);
        const position = at % content.length;
        const changed = content.slice(0, position) + put + content.slice(position + cut);
        const entries = Object.entries({ ...parts, [name]: changed }).map(([partName, xml]) => ({
          name: partName,
          content: xml,
        }));
        expect(['rows', 'sentence']).toContain(await endOf(zipBytes(entries)));
      },
    ),
    { numRuns: inProof({ share: 20, whole: 300 }) },
  );
});

test.each([
  [
    'a web page',
    '<html xmlns:x="urn"><table><tr><td>Zip</td><td>Policy #</td></tr><tr><td>02139</td><td>1E5</td></tr></table></html>',
  ],
  [
    'an "XML Spreadsheet 2003"',
    '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table><Row><Cell><Data ss:Type="String">Zip</Data></Cell><Cell><Data ss:Type="String">Policy #</Data></Cell></Row><Row><Cell><Data ss:Type="String">02139</Data></Cell><Cell><Data ss:Type="String">1E5</Data></Cell></Row></Table></Worksheet></Workbook>',
  ],
])('keeps each text of %s', async (title, markup) => {
  for (const bytes of [Buffer.from(markup), Buffer.from(`\uFEFF${markup}`, 'utf16le')]) {
    const { notes, rows } = await readBytes(bytes, 'agency.xls');
    expect(notes).toEqual([{ code: 'converted', text: expect.stringContaining(title) }]);
    expect(rows[0]?.map(({ cells }) => cells)).toEqual([
      [
        { kind: 'text', text: 'Zip' },
        { kind: 'text', text: 'Policy #' },
      ],
      [
        { kind: 'text', text: '02139' },
        { kind: 'text', text: '1E5' },
      ],
    ]);
  }
});

test.each([
  '<table><tr style="text-decoration:line-through"><td>33609</td></tr></table>',
  '<table><tr><td><s>33609</s></td></tr></table>',
  '<style><!-- .xl66\n\t{color:red;\n\ttext-decoration:line-through;} --></style><table><tr><td class=xl66>33609</td></tr></table>',
  "<table><tr height=0 style='display:none'><td>33609</td></tr></table>",
  '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Styles><Style ss:ID="s1"><Font ss:StrikeThrough="1"/></Style></Styles><Worksheet ss:Name="S"><Table><Row><Cell ss:StyleID="s1"><Data ss:Type="String">33609</Data></Cell></Row></Table></Worksheet></Workbook>',
])('refuses the marks that the converter loses: %s', async (markup) => {
  await expect(readBytes(Buffer.from(markup), 'agency.xls')).rejects.toMatchObject({ code: 'marks-not-converted' });
});

test('refuses an .ods with a named style that strikes through', async () => {
  const bytes = zipBytes([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    {
      name: 'content.xml',
      content:
        '<office:document-content><office:body><office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell office:value-type="string"><text:p>Zip</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>',
    },
    { name: 'styles.xml', content: '<style:text-properties style:text-line-through-style="solid"/>' },
    { name: 'META-INF/manifest.xml', content: '<manifest:manifest/>' },
  ]);
  await expect(readBytes(bytes, 'agency.ods')).rejects.toMatchObject({ code: 'marks-not-converted' });
});

test('reads a web page whose unused style strikes through', async () => {
  const page = `<html><style>del {text-decoration: line-through}</style><table><tr height=0 style='display:none'><td width=64></td></tr><tr><td>Zip</td></tr></table></html>`;
  const { rows } = await readBytes(Buffer.from(page), 'agency.xls');
  expect(rows[0]?.map(({ cells }) => cells)).toContainEqual([{ kind: 'text', text: 'Zip' }]);
});

test.each(['biff8', 'ods', 'xlsb'] as const)('reads a %s with a blank row', async (bookType) => {
  const sheet = utils.aoa_to_sheet([['Orders of May'], [], ['Zip'], [], ['33609']]);
  const workbook = { SheetNames: ['S'], Sheets: { S: sheet } };
  const bytes = write(workbook, { type: 'buffer', bookType }) as Buffer;
  const { rows } = await readBytes(bytes, `agency.${bookType === 'biff8' ? 'xls' : bookType}`);
  expect(rows[0]?.map(({ cells }) => cells.map((cell) => cell?.kind === 'text' && cell.text))).toEqual([
    ['Orders of May'],
    ['Zip'],
    ['33609'],
  ]);
});

test('refuses a package too large to convert', async () => {
  const bytes = zipBytes([
    { name: 'mimetype', content: 'x' },
    { name: 'content.xml', content: 'x' },
    // None of them is large enough for a zip bomb.
    ...Array.from({ length: 9 }, (_, index) => ({
      name: `Pictures/${String(index)}`,
      content: 'x',
      claimedLength: 16 * 1024 * 1024,
    })),
  ]);
  await expect(readBytes(bytes)).rejects.toThrow(/more than 128 MB/);
});

test('refuses a file too large to convert', async () => {
  await expect(readBytes(Buffer.concat([compound('Workbook'), Buffer.alloc(17 * 1024 * 1024)]))).rejects.toThrow(
    /more than 16 MB/,
  );
});
