import { expect, test } from 'vitest';
import { defaultReadLimits } from '../../../../../src/intake/readers/row-source.ts';
import { readBytes } from '../../../../support/made-files.ts';
import { told } from '../../../../support/told.ts';

/** What a CSV was read as: its notes, and each row as its number and texts. */
async function readCsv(content: string | Uint8Array, name = 'orders.csv') {
  const { rows, notes, sheets } = await readBytes(Buffer.from(content as string), name);
  const table = (rows[0] ?? []).map(({ rowNumber, cells }) => [
    rowNumber,
    ...cells.map((cell) => (cell?.kind === 'text' ? cell.text : null)),
  ]);
  return { table, notes: notes.map(told), sheets };
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
])('%s is recognised', async (_encoding, bytes, title) => {
  expect(await readCsv(bytes)).toEqual({
    table: TABLE,
    notes: [`text-format ${title} ","`],
    sheets: [{ name: 'orders.csv', visible: true }],
  });
});

test('a byte that is not UTF-8 far into the file is found, and UTF-8 is whole across chunks', async () => {
  const filling = `${'é'.repeat(99)}\n`.repeat(5000);
  const late = await readCsv(
    Buffer.concat([Buffer.from('a,b\n'.repeat(300_000)), Buffer.from('M\xFCller,x\n', 'latin1')]),
  );
  expect(late.table.at(-1)).toEqual([300_001, 'Müller', 'x']);
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
])('the delimiter of %j is %s', async (content, title) => {
  expect((await readCsv(content)).notes).toEqual([`text-format UTF-8 ${title}`.trimEnd()]);
});

test('a line sep= settles the delimiter and is no row', async () => {
  for (const line of ['sep=|\r\n', '\uFEFFSEP=|\n', '"sep=|"\n'])
    expect((await readCsv(`${line}a,b|c\r\nd,e|f\r\n`)).table).toEqual([
      [1, 'a,b', 'c'],
      [2, 'd,e', 'f'],
    ]);
});

test('a .tsv is separated by tabs even where commas are commoner', async () => {
  expect((await readCsv('a,b\tc,d,e\nf,g\th,i,j\n', 'orders.tsv')).table).toEqual([
    [1, 'a,b', 'c,d,e'],
    [2, 'f,g', 'h,i,j'],
  ]);
});

test('quoted fields keep delimiters, quotes and line ends; rows count as a spreadsheet counts them', async () => {
  const { table } = await readCsv('a,b\r\n"x,\r\n""y""",2\r\n\r\n,\r\n"",  \r\nlast,"3"');
  expect(table).toEqual([
    [1, 'a', 'b'],
    [2, 'x,\r\n"y"', '2'],
    [5, null, '  '],
    [6, 'last', '3'],
  ]);
});

test('ragged rows keep what they have', async () => {
  expect((await readCsv('a,b,c\n1\n1,2,3,4,5\n,,3\n')).table).toEqual([
    [1, 'a', 'b', 'c'],
    [2, '1'],
    [3, '1', '2', '3', '4', '5'],
    [4, null, null, '3'],
  ]);
});

test('a quotation mark inside an unquoted field stands for itself and eats nothing', async () => {
  const { table, notes } = await readCsv('id,pipe\n1,5" pipe\n2,"ACME" Insurance\n3,plain\n4,6"\n');
  expect(table).toEqual([
    [1, 'id', 'pipe'],
    [2, '1', '5" pipe'],
    [3, '2', '"ACME" Insurance'],
    [4, '3', 'plain'],
    [5, '4', '6"'],
  ]);
  expect(notes[1]).toBe('quotes-in-fields 2');
});

test('spaces around quoted fields are left out, with a note', async () => {
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
])('%s is refused', async (_what, content, message) => {
  await expect(readCsv(content)).rejects.toThrow(message);
});

test("Excel's way to keep leading zeros is undone", async () => {
  const { table, notes } = await readCsv('policy,zip\n="00123",="02139"\n"=""00124""",=A1\n');
  expect(table).toEqual([
    [1, 'policy', 'zip'],
    [2, '00123', '02139'],
    [3, '00124', '=A1'],
  ]);
  expect(notes).toHaveLength(1);
});

test('NUL characters are left out, with a note', async () => {
  const { table, notes } = await readCsv(`a,b\n1,x\0y\n${'2,z\n'.repeat(20)}3,\0\n`);
  expect(table[1]).toEqual([2, '1', 'xy']);
  expect(notes[1]).toBe('nul-characters 2');
});

test('cells, columns and rows beyond a limit are refused', async () => {
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

test('single bytes in UTF-8 that are not are read as windows-1252, and the rows are named', async () => {
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
  expect(notes).toEqual(['text-format UTF-8 ","', 'bytes-not-utf8 3 UTF-8 windows-1252 3 7']);
});

test('windows-1252 stays that where two of its letters happen to look like UTF-8', async () => {
  const { table, notes } = await readCsv(Buffer.from('n\nCAF\xC9\x92S\nM\xFCller\nK\xF6ln\n', 'latin1'));
  expect(table).toEqual([
    [1, 'n'],
    [2, 'CAFÉ’S'],
    [3, 'Müller'],
    [4, 'Köln'],
  ]);
  expect(notes).toEqual(['text-format windows-1252 ","']);
});

test('a byte that is not UTF-8 is told apart from a character that chunks cut in two', async () => {
  for (const filling of [64 * 1024 - 3, 64 * 1024 - 2, 64 * 1024 - 1, 64 * 1024]) {
    const bytes = Buffer.concat([
      Buffer.from(`é\n${'x'.repeat(filling - 3)}`),
      Buffer.from('😀€é\nM'),
      Buffer.of(0xfc),
      Buffer.from('ller é\n'),
    ]);
    const { table, notes } = await readCsv(bytes);
    expect(table[1]).toEqual([2, `${'x'.repeat(filling - 3)}😀€é`]);
    expect(table[2]).toEqual([3, 'Müller é']);
    expect(notes[1]).toBe('bytes-not-utf8 1 UTF-8 windows-1252 3');
  }
});

test('letters that another program has lost are named', async () => {
  expect((await readCsv('a\nM\uFFFDller\nx\n\uFFFD\n')).notes[1]).toBe('letters-lost "\uFFFD" 2 2 4');
  const halfPair = Buffer.from('\uFEFFa\nx\uD83D!\n', 'utf16le');
  expect((await readCsv(halfPair)).notes[1]).toBe('letters-lost "\uFFFD" 2');
});

test('the end-of-file mark of DOS is no row', async () => {
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
])('a lone carriage return between two whole records ends the first, in a file with %s', async (_what, end) => {
  const content = ['a,b,c,d', '1,2,3,4\r5,6,7,8', '9,"x\ry",11,12'].join(end);
  const { table, notes } = await readCsv(content + end);
  expect(table).toEqual([
    [1, 'a', 'b', 'c', 'd'],
    [2, '1', '2', '3', '4'],
    [3, '5', '6', '7', '8'],
    [4, '9', 'x\ry', '11', '12'],
  ]);
  expect(notes[1]).toBe('lone-returns 3');
  expect(await remarksOf(content)).toEqual([]);
});

test('a file of lone carriage returns with one line feed is read by both', async () => {
  expect((await readCsv('a,b,c,d\r1,2,3,4\r5,6,7,8\r\n9,10,11,12\r')).table).toHaveLength(4);
});

test('a lone carriage return in the middle of a record belongs to its cell', async () => {
  const content = 'a,b,c,d\n1,2\rx,3,4\n5,6,7,8\ry\n\r9,10,11,12\r\n';
  expect((await readCsv(content)).table.slice(1)).toEqual([
    [2, '1', '2\rx', '3', '4'],
    [3, '5', '6', '7', '8\ry'],
    [4, '\r9', '10', '11', '12'],
  ]);
  expect(await remarksOf(content)).toEqual([]);
});

test('where a lone carriage return may end a record or not, the row is in doubt', async () => {
  expect(await remarksOf('a,b,c,d\n1,2,3,4\rp,q\n5,6,7,8\n')).toMatchObject([
    { rowNumber: 2, kind: 'doubt', column: 3, rule: 'perhaps-two-rows', message: expect.stringContaining('"p,q"') },
  ]);
  // The first cell may be a title, or the beginning of a number.
  expect(await remarksOf('a,b,c,d\nHX\r5,6,7,8\n5,6,7,8\n')).toMatchObject([
    { rowNumber: 2, column: 0, kind: 'doubt' },
    { rowNumber: 3, column: 0, kind: 'doubt' },
  ]);
});

test('lone carriage returns are judged alike wherever chunks cut', async () => {
  for (const filling of [64 * 1024 - 12, 64 * 1024 - 11, 64 * 1024 - 10, 64 * 1024 - 9, 64 * 1024 - 8]) {
    const { table } = await readCsv(`a,b,c\n${'x'.repeat(filling)},2,3\r4,5,6\n7,"8\r",\r\n\n`);
    expect(table.slice(2)).toEqual([
      [3, '4', '5', '6'],
      [4, '7', '8\r'],
    ]);
  }
});

test.each([
  ['last', '1,2,3,4,"n\n1,2,3,4,n\n1,2,3,4,m"', '2 lines'],
  ['in the middle', '1,2,"n,4,5\n1,2,m",4,5', 'a line'],
])('a file with a quoted field that swallows rows is refused: %s', async (_what, content, lines) => {
  const message = new RegExp(`with a quotation mark in row 3 and closes it only ${lines} further down.*: "1,2,`);
  await expect(readCsv(`a,b,c,d,e\n1,2,3,4,5\n${content}\n1,2,3,4,5\n`)).rejects.toThrow(message);
});

test('a note of several lines with some commas is a note', async () => {
  expect(
    await remarksOf('a,b,c,d,e\n1,2,3,4,"call first, then come\nside door, code 1,2\n, dog"\n1,"x, y\nz",3,4,5\n'),
  ).toEqual([]);
});

test('a quoted field that goes on after its closing quotation mark is named, and in doubt where it may have been cut', async () => {
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

test('a NUL that was left out is a repair of its cell', async () => {
  expect(await remarksOf(`a,b\nSpring\0field,"x ""\0"\n1,2\n${'3,4\n'.repeat(20)}p\0,\0q\0`)).toMatchObject([
    { rowNumber: 2, kind: 'repair', column: 0, held: 'Spring␀field' },
    { rowNumber: 2, kind: 'repair', column: 1, held: 'x "␀' },
    { rowNumber: 24, kind: 'repair', column: 0, held: 'p␀' },
    { rowNumber: 24, kind: 'repair', column: 1, held: '␀q␀' },
  ]);
});

test('few UTF-8 characters in windows-1252, and few other bytes in UTF-8, are read by what they are, with a warning on their rows', async () => {
  const mixed = Buffer.concat([
    Buffer.from('n,m\nJosé '),
    Buffer.from('N\xFA\xF1ez,x\nM\xFCller,CAF\xC9\x92S\n', 'latin1'),
  ]);
  const { table, notes } = await readCsv(mixed);
  expect(table.slice(1)).toEqual([
    [2, 'José Núñez', 'x'],
    [3, 'Müller', 'CAFÉ’S'],
  ]);
  expect(notes).toEqual(['text-format windows-1252 ","', 'letters-utf8 1 UTF-8 2']);
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
