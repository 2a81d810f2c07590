import { mutatedBytes } from './mutate-bytes.ts';
import { mutatedTextTable } from './mutate-text-table.ts';
import { mutatedWorkbook } from './mutate-workbook.ts';
import { randomOfCase } from './random.ts';
import { unzipped } from './unzipped.ts';
import { relationshipsXml, sheetXml, workbookBytes, workbookXml, zipBytes } from '../../support/made-files.ts';

/** A file made to do harm to whoever reads it. */
export interface HostileSeed {
  readonly name: string;
  /** @param scale how much of it there is: 1 is what once held up a night, small ones are for mutation. */
  readonly make: (scale: number) => Buffer;
}

const HEADERS = [
  'Policy number',
  'Policy effective date',
  'Inspection number',
  'Service',
  'Policy type',
  'House type',
  'Insured name',
  'Insured phone',
  'Street address',
  'City',
  'State',
  'ZIP code',
];
const VALUES = [
  'HOA-1',
  '2026-04-01',
  'IN-1',
  'Exterior',
  'Homeowners Insurance',
  'Residential Single Family',
  'Ann Lee',
  '813-555-0100',
  '1 Oak Street',
  'Tampa',
  'FL',
  '33602',
];

function cell(text: string, reference = '', style = ''): string {
  return `<c${reference === '' ? '' : ` r="${reference}"`}${style}  t="inlineStr"><is><t>${text}</t></is></c>`.replace(
    '  ',
    ' ',
  );
}

const HEADER_ROW = `<row r="1">${HEADERS.map((header) => cell(header)).join('')}</row>`;
const ORDER_CELLS = VALUES.map((value) => cell(value)).join('');

function times(count: number, make: (index: number) => string): string {
  return Array.from({ length: Math.max(1, Math.ceil(count)) }, (_, index) => make(index)).join('');
}

function orders(count: number, besides: (index: number) => string = () => ''): string {
  return HEADER_ROW + times(count, (index) => `<row r="${String(index + 2)}">${ORDER_CELLS}${besides(index)}</row>`);
}

function sheetWith(rows: string, behind: string): string {
  return sheetXml(rows).replace('</worksheet>', `${behind}</worksheet>`);
}

function manySheets(count: number, target: (index: number) => string, parts: Readonly<Record<string, string>>): Buffer {
  const sheets = times(
    count,
    (index) => `<sheet name="S${String(index)}" sheetId="${String(index + 1)}" r:id="rId${String(index + 10)}"/>`,
  );
  const relationships = Array.from(
    { length: Math.ceil(count) },
    (_, index) => [`rId${String(index + 10)}`, 'worksheet', target(index)] as const,
  );
  return workbookBytes({
    parts: {
      'xl/workbook.xml': workbookXml(sheets),
      'xl/_rels/workbook.xml.rels': relationshipsXml(relationships),
      ...parts,
    },
  });
}

/** How much of a seed is mutated: enough to show what grows with the square, and little enough for a thousand files. */
const SCALES = [0.0005, 0.002, 0.006];
const BYTES_MAX = 1024 * 1024;

const made = new Map<string, Buffer>();

/** A hostile file, mutated: the same for the same seed and index. */
export function mutatedHostileFile(seed: number, index: number): { readonly name: string; readonly bytes: Buffer } {
  const random = randomOfCase(seed, index);
  const { name, make } = random.oneOf(HOSTILE_SEEDS);
  const scale = random.oneOf(SCALES);
  const bytes = made.get(`${name} ${String(scale)}`) ?? make(scale);
  made.set(`${name} ${String(scale)}`, bytes);
  const mutate = (): Buffer => {
    if (random.below(5) === 0) return mutatedBytes(bytes, random);
    return name.endsWith('.csv') ? mutatedTextTable(bytes, random) : mutatedWorkbook(unzipped(bytes), random);
  };
  return { name: `${String(index)} ${name}`, bytes: mutate().subarray(0, BYTES_MAX) };
}

/** Each with what it once did, or was meant to do. */
export const HOSTILE_SEEDS: readonly HostileSeed[] = [
  {
    name: 'comments behind merged cells.xlsx',
    make: (scale) =>
      workbookBytes({
        sheet: sheetWith(orders(1), `<mergeCells>${times(400_000 * scale, () => '<!--')}</mergeCells>`),
      }),
  },
  {
    name: 'merged cells without an end.xlsx',
    make: (scale) =>
      workbookBytes({
        sheet: sheetWith(orders(1), times(200_000 * scale, () => '<mergeCells a="<!--"/>').replaceAll('<!--', '')),
      }),
  },
  {
    name: 'a million merged cells.xlsx',
    make: (scale) =>
      workbookBytes({
        sheet: sheetWith(
          orders(3),
          `<mergeCells>${times(1_000_000 * scale, (index) => `<mergeCell ref="A${String(index + 2)}:C${String(index + 3)}"/>`)}</mergeCells>`,
        ),
      }),
  },
  {
    name: 'merged over everything.xlsx',
    make: (scale) =>
      workbookBytes({
        sheet: sheetWith(
          orders(300 * scale),
          `<mergeCells>${times(2_000 * scale, () => '<mergeCell ref="A1:XFD1048576"/>')}</mergeCells>`,
        ),
      }),
  },
  {
    name: 'spaces in a number format.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: orders(2, () => '<c s="1"><v>7</v></c>'),
        formats: [`${' '.repeat(900_000 * scale)}x`, `0${' '.repeat(900_000 * scale)}`],
      }),
  },
  {
    name: 'brackets in a number format.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: orders(2, () => '<c s="1"><v>7</v></c><c s="2"><v>45000</v></c>'),
        formats: ['['.repeat(1_000_000 * scale), `yyyy${'[h'.repeat(500_000 * scale)}`, '"'.repeat(100_000 * scale)],
      }),
  },
  {
    name: 'a hundred thousand number formats.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: orders(2, () => '<c s="77"><v>7</v></c>'),
        formats: Array.from(
          { length: Math.ceil(100_000 * scale) },
          (_, index) => `0.${'0'.repeat(index % 30)}"${String(index)}"`,
        ),
      }),
  },
  {
    name: 'a stray cell in the last column of every row.xlsx',
    make: (scale) =>
      workbookBytes({ rows: orders(300_000 * scale, (index) => `<c r="XFD${String(index + 2)}"><v>1</v></c>`) }),
  },
  {
    name: 'a row filled to the last column.xlsx',
    make: (scale) =>
      workbookBytes({
        rows:
          HEADER_ROW +
          times(40 * scale, (index) => `<row r="${String(index + 2)}">${times(16_384, () => '<c><v>1</v></c>')}</row>`),
      }),
  },
  {
    name: 'headers to the last column.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: `<row r="1">${HEADERS.map((header) => cell(header)).join('')}${times(16_000 * scale, (index) => cell(`Column of note ${String(index)}`))}</row><row r="2">${ORDER_CELLS}</row><row r="3">${times(16_000 * scale, () => cell('x'))}</row>`,
      }),
  },
  {
    name: 'headers as long as cells.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: `<row r="1">${HEADERS.map((header) => cell(header)).join('')}${times(60, (index) => cell((['Policy (', 'Insured ', 'dd/mm ', 'street   '][index % 4] ?? '').repeat(8_000 * scale)))}</row><row r="2">${ORDER_CELLS}</row>`,
      }),
  },
  {
    name: 'one header again and again.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: `<row r="1">${HEADERS.map((header) => cell(header)).join('')}${times(5_000 * scale, () => cell('Insured name'))}</row>${times(20, (index) => `<row r="${String(index + 2)}">${ORDER_CELLS}${times(5_000 * scale, (at) => cell(String(at)))}</row>`)}`,
      }),
  },
  {
    name: 'titles without an end.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: `${times(25, (index) => `<row r="${String(index + 1)}">${times(4_000 * scale, () => cell('Policy schedule of the agency'))}</row>`)}<row r="30">${HEADERS.map((header) => cell(header)).join('')}</row><row r="31">${ORDER_CELLS}</row>`,
      }),
  },
  {
    name: 'shared formulas.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: `${HEADER_ROW}<row r="2">${ORDER_CELLS}<c><f t="shared" si="0">${'A1+'.repeat(300_000 * scale)}1</f></c></row>${times(20_000 * scale, (index) => `<row r="${String(index + 3)}">${times(12, () => '<c><f t="shared" si="0"/></c>')}</row>`)}`,
      }),
  },
  {
    name: 'formulas without values.xlsx',
    make: (scale) =>
      workbookBytes({
        rows:
          HEADER_ROW +
          times(
            20_000 * scale,
            (index) =>
              `<row r="${String(index + 2)}">${times(12, () => `<c><f>CONCATENATE(${String(index)},${'x'.repeat(40)})</f></c>`)}</row>`,
          ),
      }),
  },
  {
    name: 'a long text in every cell.xlsx',
    make: (scale) =>
      workbookBytes({
        strings: `<si><t>${'long '.repeat(6_000)}</t></si>`,
        rows:
          HEADER_ROW +
          times(
            100_000 * scale,
            (index) => `<row r="${String(index + 2)}">${times(12, () => '<c t="s"><v>0</v></c>')}</row>`,
          ),
      }),
  },
  {
    name: 'spaces in every cell.xlsx',
    make: (scale) =>
      workbookBytes({
        strings: `<si><t xml:space="preserve">1${' '.repeat(900_000 * scale)}x</t></si>`,
        rows: `${HEADER_ROW}<row r="2">${times(12, () => '<c t="s"><v>0</v></c>')}</row>`,
      }),
  },
  {
    name: 'marks in every cell.xlsx',
    make: (scale) =>
      workbookBytes({
        rows:
          HEADER_ROW +
          times(
            8,
            (index) =>
              `<row r="${String(index + 2)}">${times(12, () => cell((['(1', ' and ', '1,', '- ', '/ ', '$ ', '\u200b', '#'][index] ?? '').repeat(100_000 * scale)))}</row>`,
          ),
      }),
  },
  {
    name: 'a table of texts that claims to be huge.xlsx',
    make: (scale) =>
      workbookBytes({
        parts: {
          'xl/sharedStrings.xml': `<sst count="4294967295" uniqueCount="4294967295">${times(500_000 * scale, () => '<si/>')}</sst>`,
        },
        rows: `${HEADER_ROW}<row r="2">${times(12, () => '<c t="s"><v>4294967294</v></c>')}</row>`,
      }),
  },
  {
    name: 'texts in a million runs.xlsx',
    make: (scale) =>
      workbookBytes({ strings: `<si>${times(700_000 * scale, () => '<r><t>x</t></r>')}</si>`, rows: orders(1) }),
  },
  {
    name: 'a wrong dimension.xlsx',
    make: () =>
      workbookBytes({
        sheet: sheetXml(orders(2)).replace('<sheetData>', '<dimension ref="A1:XFD1048576"/><sheetData>'),
      }),
  },
  {
    name: 'references that lead nowhere.xlsx',
    make: (scale) =>
      workbookBytes({
        rows:
          HEADER_ROW +
          times(
            5_000 * scale,
            (index) =>
              `<row r="${String((index * 7919) % 1_048_576)}">${cell('x', `ZZZ${String(index)}`)}${cell('y', 'A0')}${cell('z', 'XFD1')}</row>`,
          ),
      }),
  },
  {
    name: 'rows that go back and forth.xlsx',
    make: (scale) =>
      workbookBytes({
        rows:
          HEADER_ROW +
          times(50_000 * scale, (index) => `<row r="${String(index % 2 === 0 ? 1_048_576 : 2)}">${ORDER_CELLS}</row>`),
      }),
  },
  {
    name: 'elements nested without an end.xlsx',
    make: (scale) => workbookBytes({ sheet: sheetXml(`<row r="1">${'<c><is>'.repeat(200_000 * scale)}`) }),
  },
  {
    name: 'an element of a million attributes.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: `${HEADER_ROW}<row r="2" ${times(300_000 * scale, (index) => `a${String(index)}="1" `)}>${ORDER_CELLS}</row>`,
      }),
  },
  {
    name: 'one long comment.xlsx',
    make: (scale) => workbookBytes({ sheet: sheetXml(`<!--${'- '.repeat(5_000_000 * scale)}-->${orders(1)}`) }),
  },
  {
    name: 'entities.xlsx',
    make: (scale) =>
      workbookBytes({
        sheet: `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "${'a'.repeat(1000)}">${times(20, (index) => `<!ENTITY b${String(index)} "${'&a;'.repeat(1_000 * scale)}">`)}]>${sheetXml(`<row>${cell('&b19;')}</row>`).replace(/^<\?xml[^>]*>\s*/, '')}`,
      }),
  },
  {
    name: 'references by number.xlsx',
    make: (scale) =>
      workbookBytes({ rows: `${HEADER_ROW}<row r="2">${cell('&#65;'.repeat(180_000 * scale))}${ORDER_CELLS}</row>` }),
  },
  {
    name: 'sixty-five thousand sheets.xlsx',
    make: (scale) => manySheets(65_000 * scale, () => 'worksheets/sheet1.xml', {}),
  },
  {
    name: 'sheets beyond counting.xlsx',
    make: (scale) =>
      manySheets(
        6_000 * scale,
        (index) => `worksheets/s${String(index)}.xml`,
        Object.fromEntries(
          Array.from({ length: Math.ceil(6_000 * scale) }, (_, index) => [
            `xl/worksheets/s${String(index)}.xml`,
            sheetXml(orders(1)),
          ]),
        ),
      ),
  },
  {
    name: 'relationships in a circle.xlsx',
    make: () =>
      workbookBytes({
        parts: {
          '_rels/.rels': relationshipsXml([['rId1', 'officeDocument', '_rels/.rels']]),
          'xl/_rels/workbook.xml.rels': relationshipsXml([
            ['rId1', 'worksheet', '../xl/workbook.xml'],
            ['rId2', 'sharedStrings', 'workbook.xml'],
            ['rId3', 'styles', '_rels/workbook.xml.rels'],
          ]),
        },
      }),
  },
  {
    name: 'a million relationships.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: orders(1),
        parts: {
          'xl/_rels/workbook.xml.rels': relationshipsXml([
            ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
            ...Array.from(
              { length: Math.ceil(150_000 * scale) },
              (_, index) => [`x${String(index)}`, 'theme', `${'../'.repeat(20)}theme${String(index)}.xml`] as const,
            ),
          ]),
        },
      }),
  },
  {
    name: 'styles without an end.xlsx',
    make: (scale) =>
      workbookBytes({
        rows: orders(1),
        parts: {
          'xl/styles.xml': `<styleSheet><cellXfs>${times(1_000_000 * scale, () => '<xf numFmtId="14"/>')}</cellXfs></styleSheet>`,
        },
      }),
  },
  {
    name: 'a bomb.xlsx',
    make: (scale) => workbookBytes({ rows: orders(1, () => cell(' '.repeat(200_000_000 * scale))) }),
  },
  {
    name: 'a bomb of many parts.xlsx',
    make: (scale) =>
      zipBytes(
        Array.from({ length: Math.ceil(9_000 * scale) }, (_, index) => ({
          name: `part ${String(index)}`,
          content: Buffer.alloc(20_000),
        })),
      ),
  },
  {
    name: 'a bomb that lies.xlsx',
    make: (scale) =>
      zipBytes([{ name: 'xl/workbook.xml', content: Buffer.alloc(50_000_000 * scale, 32), claimedLength: 100 }]),
  },
  { name: 'nothing but quotes.csv', make: (scale) => Buffer.alloc(60_000_000 * scale, '"') },
  {
    name: 'quotes that open again and again.csv',
    make: (scale) => Buffer.from(`${HEADERS.join(',')}\n${'"a","b"" c" d,\n'.repeat(500_000 * scale)}`),
  },
  {
    name: 'lone returns.csv',
    make: (scale) => Buffer.from(`${HEADERS.join(',')}\n${'a,b\rc,"d\re"\n\r'.repeat(300_000 * scale)}`),
  },
  {
    name: 'nothing but commas.csv',
    make: (scale) => Buffer.from(`${HEADERS.join(',')}\n${`${','.repeat(16_000)}x\n`.repeat(600 * scale)}`),
  },
  {
    name: 'one line.csv',
    make: (scale) => Buffer.from(`${HEADERS.join(',')}\n${VALUES.join(',')},${'x '.repeat(20_000_000 * scale)}`),
  },
  {
    name: 'bytes of every kind.csv',
    make: (scale) =>
      Buffer.from(
        `${HEADERS.join(',')}\n${'\u00e9\u2019\ufffd\0\u00c3\u00a9,'.repeat(10)}\n`.repeat(20_000 * scale),
        'utf8',
      ),
  },
  {
    name: 'every row wrong.csv',
    make: (scale) =>
      Buffer.from(`${HEADERS.join(',')}\n${`${HEADERS.map(() => 'what?').join(',')}\n`.repeat(60_000 * scale)}`),
  },
];
