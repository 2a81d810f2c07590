import { expect, test } from 'vitest';
import { defaultReadLimits } from '../../../../../src/intake/readers/row-source.ts';
import { readBytes } from '../../../../support/made-files.ts';
import { codeAndFacts } from '../../../../support/code-and-facts.ts';

/** What a CSV was read as: its notes, and each row as its number and texts. */
async function readCsv(content: string | Uint8Array, name = 'orders.csv') {
  const { rows, notes, sheets } = await readBytes(Buffer.from(content as string), name);
  const table = (rows[0] ?? []).map(({ rowNumber, cells }) => [
    rowNumber,
    ...cells.map((cell) => (cell?.kind === 'text' ? cell.text : null)),
  ]);
  return { table, notes: notes.map(codeAndFacts), sheets };
}

const TABLE = [
  [1, 'name', 'city'],
  [2, 'Müller', 'Köln €'],
];

test.each([
  ['UTF-8', Buffer.from('name,city\r\nMüller,Köln €\r\n'), 'UTF-8'],
  ['UTF-8 with a mark', Buffer.from('\uFEFFname,city\nMüller,Köln €'), 'UTF-8'],
  ['UTF-16 little-endian with a mark', Buffer.from('\uFEFFname,city\r\nMüller,Köln €\r\n', 'utf16le'), 'UTF-16'],
  ['UTF-16 little-endian', Buffer.from('name,city\r\nMüller,Köln €\r\n', 'utf16le'), 'UTF-16'],
  ['UTF-16 big-endian with a mark', Buffer.from('\uFEFFname,city\r\nMüller,Köln €', 'utf16le').swap16(), 'UTF-16'],
  ['UTF-16 big-endian', Buffer.from('name,city\nMüller,Köln €', 'utf16le').swap16(), 'UTF-16'],
  ['windows-1252', Buffer.from('name,city\rM\xFCller,K\xF6ln \x80\r', 'latin1'), 'windows-1252'],
])('recognizes %s', async (_encoding, bytes, title) => {
  expect(await readCsv(bytes)).toEqual({
    table: TABLE,
    notes: [`text-format ${title} ","`],
    sheets: [{ name: 'orders.csv', visible: true }],
  });
});

test('finds a late byte that is not UTF-8, across chunks', async () => {
  const filling = `${'é'.repeat(99)}\n`.repeat(1000);
  const late = await readCsv(
    Buffer.concat([Buffer.from('a,b\n'.repeat(80_000)), Buffer.from('M\xFCller,x\n', 'latin1')]),
  );
  expect(late.table.at(-1)).toEqual([80_001, 'Müller', 'x']);
  for (const offset of ['', 'x', 'xx']) {
    const { table } = await readCsv(offset + filling);
    expect(new Set(table.slice(1).map(([, text]) => text))).toEqual(new Set(['é'.repeat(99)]));
  }
});

test.each([
  ['a,b;c\n1,2;3\n4,5\n', '","'],
  ['name;amount\nx;1,5\ny;2,5\n', '";"'],
  ['a\tb\n1,2\t3\n', ''],
  ['a|b|c\n1|2|3\n', '"|"'],
  ['one\ntwo\n', '","'],
  ['Orders, for March; urgent\n\nid;name;note\n1;x;a, b\n2;y;c, d\n', '";"'],
  ['id;"a,b,c,d";x\n2;"e,f ""g,h""";y\n', '";"'],
])('finds the delimiter of %j: %s', async (content, title) => {
  expect((await readCsv(content)).notes).toEqual([`text-format UTF-8 ${title}`.trimEnd()]);
});

test('takes the delimiter from a line sep=, which is no row', async () => {
  for (const line of ['sep=|\r\n', '\uFEFFSEP=|\n', '"sep=|"\n'])
    expect((await readCsv(`${line}a,b|c\r\nd,e|f\r\n`)).table).toEqual([
      [1, 'a,b', 'c'],
      [2, 'd,e', 'f'],
    ]);
});

test('separates a .tsv by tabs even if commas are more common', async () => {
  expect((await readCsv('a,b\tc,d,e\nf,g\th,i,j\n', 'orders.tsv')).table).toEqual([
    [1, 'a,b', 'c,d,e'],
    [2, 'f,g', 'h,i,j'],
  ]);
});

test('keeps delimiters, quotes, and line ends in quotes, counting like spreadsheets', async () => {
  const { table } = await readCsv('a,b\r\n"x,\r\n""y""",2\r\n\r\n,\r\n"",  \r\nlast,"3"');
  expect(table).toEqual([
    [1, 'a', 'b'],
    [2, 'x,\r\n"y"', '2'],
    [5, null, '  '],
    [6, 'last', '3'],
  ]);
});

test('keeps the cells of ragged rows', async () => {
  expect((await readCsv('a,b,c\n1\n1,2,3,4,5\n,,3\n')).table).toEqual([
    [1, 'a', 'b', 'c'],
    [2, '1'],
    [3, '1', '2', '3', '4', '5'],
    [4, null, null, '3'],
  ]);
});

test('keeps a quotation mark inside an unquoted field', async () => {
  const { table } = await readCsv('id,pipe\n1,5" pipe\n2,"ACME" Insurance\n3,plain\n4,6"\n');
  expect(table).toEqual([
    [1, 'id', 'pipe'],
    [2, '1', '5" pipe'],
    [3, '2', '"ACME" Insurance'],
    [4, '3', 'plain'],
    [5, '4', '6"'],
  ]);
});

test('removes spaces around quoted fields with a note', async () => {
  const { table, notes } = await readCsv('id, "name"\n1, "Smith, John" \n2, plain\n');
  expect(table).toEqual([
    [1, 'id', 'name'],
    [2, '1', 'Smith, John'],
    [3, '2', 'plain'],
  ]);
  expect(notes[1]).toBe('spaces-around-quotes 1');
});

test.each([
  ['a quote that is never closed', 'a,b\n1,"open\n2,x\n3,y\n', /quotation mark in row 2 and does not close it/],
  ['a quote that closes in the middle of a later row', 'a,b\n1,"open\n2,"x"\n', /in row 2 and does not close it/],
  ['quotes after spaces and quotes inside fields', 'a, "b,c"\n1,5" pipe\n', /in two ways.*row 1.*row 2/],
])('refuses %s', async (_what, content, message) => {
  await expect(readCsv(content)).rejects.toThrow(message);
});

test("undoes Excel's way to keep leading zeros", async () => {
  const { table, notes } = await readCsv('policy,zip\n="00123",="02139"\n"=""00124""",=A1\n');
  expect(table).toEqual([
    [1, 'policy', 'zip'],
    [2, '00123', '02139'],
    [3, '00124', '=A1'],
  ]);
  expect(notes).toHaveLength(1);
});

test('removes NUL characters', async () => {
  const { table } = await readCsv(`a,b\n1,x\0y\n${'2,z\n'.repeat(20)}3,\0\n`);
  expect(table[1]).toEqual([2, '1', 'xy']);
});

test('refuses cells, columns, and rows above a limit', async () => {
  const limits = { ...defaultReadLimits, cellCharacters: 10, columns: 3, rows: 3 };
  const read = (content: string) => readBytes(Buffer.from(content), 'a.csv', limits);
  await expect(read('a,b\n1,01234567890\n')).rejects.toMatchObject({
    code: 'cell-too-long',
    message: expect.stringMatching(/row 2\b/),
  });
  await expect(read('a,b\n1,2,3,4\n')).rejects.toMatchObject({
    code: 'too-many-columns',
    message: expect.stringMatching(/row 2 .*3 columns/),
  });
  await expect(read('1\n2\n3\n4\n')).rejects.toMatchObject({
    code: 'too-many-rows',
    message: expect.stringContaining('3 rows'),
  });
});

test('reads single bad bytes in UTF-8 as windows-1252', async () => {
  const good = 'Renée,Žižka €\n';
  const bytes = Buffer.concat([
    Buffer.from(`name,city\n${good}`),
    Buffer.from('M\xFCller,K\xF6ln\n', 'latin1'),
    Buffer.from(good.repeat(3)),
    Buffer.from('Andr\xE9', 'latin1'),
  ]);
  const { table, notes } = await readCsv(bytes);
  expect(table.slice(1)).toEqual([
    [2, 'Renée', 'Žižka €'],
    [3, 'Müller', 'Köln'],
    ...[4, 5, 6].map((row) => [row, 'Renée', 'Žižka €']),
    [7, 'André'],
  ]);
  expect(notes).toEqual(['text-format UTF-8 ","']);
});

test('keeps windows-1252 even if two letters look like UTF-8', async () => {
  const { table, notes } = await readCsv(Buffer.from('n\nCAF\xC9\x92S\nM\xFCller\nK\xF6ln\n', 'latin1'));
  expect(table).toEqual([
    [1, 'n'],
    [2, 'CAFÉ’S'],
    [3, 'Müller'],
    [4, 'Köln'],
  ]);
  expect(notes).toEqual(['text-format windows-1252 ","']);
});

test('distinguishes a bad byte from a character split between chunks', async () => {
  for (const filling of [64 * 1024 - 3, 64 * 1024 - 2, 64 * 1024 - 1, 64 * 1024]) {
    const bytes = Buffer.concat([
      Buffer.from(`é\n${'x'.repeat(filling - 3)}`),
      Buffer.from('😀€é\nM'),
      Buffer.of(0xfc),
      Buffer.from('ller é\n'),
    ]);
    const { table } = await readCsv(bytes);
    expect(table[1]).toEqual([2, `${'x'.repeat(filling - 3)}😀€é`]);
    expect(table[2]).toEqual([3, 'Müller é']);
  }
});

test('ignores the end-of-file mark of DOS', async () => {
  expect((await readCsv('a,b\r\n1,2\r\n\x1a')).table).toEqual([
    [1, 'a', 'b'],
    [2, '1', '2'],
  ]);
});

/** Each row's number and its remarks. */
async function remarksOf(content: string | Uint8Array) {
  const { rows } = await readBytes(Buffer.from(content as string), 'orders.csv');
  return (rows[0] ?? []).flatMap(({ rowNumber, remarks = [] }) => remarks.map((remark) => ({ rowNumber, ...remark })));
}

test.each([
  ['CRLF', '\r\n'],
  ['LF', '\n'],
])('doubts a record that a lone carriage return may end, with %s', async (_what, end) => {
  const content = ['a,b,c,d', '1,2,3,4\r5,6,7,8', '9,"x\ry",11,12'].join(end);
  expect((await readCsv(content + end)).table).toHaveLength(3);
  expect(await remarksOf(content)).toMatchObject([
    { rowNumber: 2, column: 3, kind: 'doubt', message: expect.stringContaining('"5,6,7,8"') },
  ]);
});

test('reads a file of carriage returns with one line feed', async () => {
  expect((await readCsv('a,b,c,d\r1,2,3,4\r5,6,7,8\r\n9,10,11,12\r')).table).toHaveLength(4);
});

test('keeps a lone carriage return within a record in its cell', async () => {
  const content = 'a,b,c,d\n1,2\rx,3,4\n5,6,7,8\ry\n\r9,10,11,12\r\n';
  expect((await readCsv(content)).table.slice(1)).toEqual([
    [2, '1', '2\rx', '3', '4'],
    [3, '5', '6', '7', '8\ry'],
    [4, '\r9', '10', '11', '12'],
  ]);
  expect(await remarksOf(content)).toEqual([]);
});

test('doubts a row with an ambiguous lone carriage return', async () => {
  expect(await remarksOf('a,b,c,d\n1,2,3,4\rp,q\n5,6,7,8\n')).toMatchObject([
    { rowNumber: 2, kind: 'doubt', column: 3, rule: 'perhaps-two-rows', message: expect.stringContaining('"p,q"') },
  ]);
  // The first cell may be a title, or the beginning of a number.
  expect(await remarksOf('a,b,c,d\nHX\r5,6,7,8\n5,6,7,8\n')).toMatchObject([
    { rowNumber: 2, column: 0, kind: 'doubt' },
  ]);
});

test('judges lone carriage returns equally at any chunk border', async () => {
  for (const filling of [64 * 1024 - 12, 64 * 1024 - 11, 64 * 1024 - 10, 64 * 1024 - 9, 64 * 1024 - 8]) {
    expect(await remarksOf(`a,b,c\n${'x'.repeat(filling)},2,3\r4,5,6\n7,"8\r",\r\n\n`)).toMatchObject([
      { rowNumber: 2, column: 2, kind: 'doubt' },
    ]);
  }
});

test.each([
  ['last', '1,2,3,4,"n\n1,2,3,4,n\n1,2,3,4,m"', '2 lines'],
  ['in the middle', '1,2,"n,4,5\n1,2,m",4,5', 'a line'],
])('refuses a quoted field that swallows rows: %s', async (_what, content, lines) => {
  const message = new RegExp(`with a quotation mark in row 3 and closes it only ${lines} further down.*: "1,2,`);
  await expect(readCsv(`a,b,c,d,e\n1,2,3,4,5\n${content}\n1,2,3,4,5\n`)).rejects.toThrow(message);
});

test('accepts a note of several lines with commas', async () => {
  expect(
    await remarksOf('a,b,c,d,e\n1,2,3,4,"call first, then come\nside door, code 1,2\n, dog"\n1,"x, y\nz",3,4,5\n'),
  ).toEqual([]);
});

test('warns of or doubts text after a closing quotation mark', async () => {
  expect(
    await remarksOf('a,b,c\n1,"say \\"hi\\", ok",\n2,"ACME" Insurance,z\n3,"fine, ""x""",z\n4,5" pipe,6"\n'),
  ).toMatchObject([
    { rowNumber: 2, column: 1, kind: 'doubt', rule: 'quotes-in-doubt' },
    {
      rowNumber: 3,
      column: 1,
      kind: 'warning',
      rule: 'quotes-in-doubt',
      message: expect.stringContaining('""ACME" Insurance"'),
    },
  ]);
});

test('records a removed NUL as a repair of its cell', async () => {
  expect(await remarksOf(`a,b\nSpring\0field,"x ""\0"\n1,2\n${'3,4\n'.repeat(20)}p\0,\0q\0`)).toMatchObject([
    { rowNumber: 2, kind: 'repair', column: 0, held: 'Spring␀field' },
    { rowNumber: 2, kind: 'repair', column: 1, held: 'x "␀' },
    { rowNumber: 24, kind: 'repair', column: 0, held: 'p␀' },
    { rowNumber: 24, kind: 'repair', column: 1, held: '␀q␀' },
  ]);
});

test('reads a few letters in another encoding and warns of them', async () => {
  const mixed = Buffer.concat([
    Buffer.from('n,m\nJosé '),
    Buffer.from('N\xFA\xF1ez,x\nM\xFCller,CAF\xC9\x92S\n', 'latin1'),
  ]);
  const { table, notes } = await readCsv(mixed);
  expect(table.slice(1)).toEqual([
    [2, 'José Núñez', 'x'],
    [3, 'Müller', 'CAFÉ’S'],
  ]);
  expect(notes).toEqual(['text-format windows-1252 ","']);
  expect(await remarksOf(mixed)).toMatchObject([
    {
      rowNumber: 2,
      column: 0,
      kind: 'warning',
      rule: 'letters-doubtful',
      message: expect.stringContaining('"José Núñez"'),
    },
  ]);
  const strays = Buffer.concat([Buffer.from('n,m\né,é\nx,'), Buffer.from('\xFC', 'latin1'), Buffer.from('\n')]);
  expect(await remarksOf(strays)).toMatchObject([
    { rowNumber: 3, column: 1, kind: 'warning', rule: 'letters-doubtful' },
  ]);
});
