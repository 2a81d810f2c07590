import { describe, expect, test } from 'vitest';
import { readXlsStrikes } from '../../../../src/intake/readers/xls-strikes.ts';

function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * numbers.length);
  for (const [at, number] of numbers.entries()) bytes.writeUInt16LE(number, 2 * at);
  return bytes;
}

function record(type: number, ...data: readonly Buffer[]): Buffer {
  const held = Buffer.concat(data);
  return Buffer.concat([words(type, held.length), held]);
}

const BOF = record(0x809, Buffer.alloc(16));
const EOF = record(0x0a);
const PLAIN = record(0x31, words(200, 0));
const STRUCK = record(0x31, words(200, 8));

/** A workbook of one sheet. The format 0 has the font 0; the format 1 the font 5, the fifth one. */
function workbook(fonts: readonly Buffer[], strings: readonly Buffer[], cells: readonly Buffer[]): Buffer {
  const formats = [record(0xe0, words(0, 0)), record(0xe0, words(5, 0))];
  const sheet = record(0x85, Buffer.alloc(6), Buffer.from([6, 0]), Buffer.from('Orders'));
  const globals = Buffer.concat([BOF, ...fonts, ...formats, sheet, ...strings, EOF]);
  globals.writeUInt32LE(globals.length, globals.indexOf('Orders') - 8);
  return Buffer.concat([globals, BOF, ...cells, EOF]);
}

const FONTS = [PLAIN, PLAIN, PLAIN, PLAIN, STRUCK];

function marksOf(fonts: readonly Buffer[], strings: readonly Buffer[], cells: readonly Buffer[]) {
  return Object.fromEntries(readXlsStrikes(workbook(fonts, strings, cells)).get('Orders') ?? []);
}

describe('xlsMarks', () => {
  test('finds the cells with a struck font', () => {
    const number = record(0x203, words(1, 2, 1), Buffer.alloc(8));
    const several = record(0xbd, words(2, 0, 0, 0, 0, 1, 0, 0, 1));
    expect(marksOf(FONTS, [], [number, several])).toEqual({
      C2: { isStruck: true },
      B3: { isStruck: true },
    });
  });

  test('counts a rich text within a cell as struck', () => {
    expect(marksOf(FONTS, [], [record(0xd6, words(0, 0, 0), Buffer.alloc(8))])).toEqual({ A1: { isStruck: true } });
  });

  test('finds nothing for a struck font that no cell has', () => {
    expect(marksOf(FONTS, [], [record(0x203, words(1, 2, 0), Buffer.alloc(8))])).toEqual({});
  });

  test('looks at nothing without a struck font', () => {
    expect(readXlsStrikes(workbook([PLAIN], [], []))).toEqual(new Map());
    expect(readXlsStrikes(Buffer.alloc(0))).toEqual(new Map());
  });

  test('skips the cells of a chart within the sheet', () => {
    const chart = [BOF, record(0x203, words(1, 2, 1), Buffer.alloc(8)), EOF];
    expect(marksOf(FONTS, [], chart)).toEqual({});
  });

  test('reads the runs of a text that continues in another record', () => {
    const text = Buffer.from('12 Wrong St 14 Right St', 'utf16le');
    const first = record(0xfc, words(1, 0, 2, 0), words(1), Buffer.from([0]), Buffer.from('A'));
    const rich = Buffer.concat([words(23), Buffer.from([9]), words(2), text.subarray(0, 10)]);
    const strings = [
      Buffer.concat([first.subarray(0, 2), words(first.length - 4 + rich.length), first.subarray(4), rich]),
      record(0x3c, Buffer.from([0]), Buffer.from('ong St 14 Right St'), words(0, 5)),
      record(0x3c, words(11, 0)),
    ];
    const cells = [record(0xfd, words(0, 0, 0, 0, 0)), record(0xfd, words(0, 1, 0, 1, 0))];
    expect(marksOf(FONTS, strings, cells)).toEqual({
      B1: {
        isStruck: false,
        runs: [
          { text: '', struck: undefined },
          { text: '12 Wrong St', struck: true },
          { text: ' 14 Right St', struck: false },
          { text: '', struck: undefined },
        ],
      },
    });
  });

  test('throws for shared texts that end too early', () => {
    const strings = [record(0xfc, words(2, 0, 2, 0), words(5), Buffer.from([0]), Buffer.from('A'))];
    expect(() => marksOf(FONTS, strings, [])).toThrow(RangeError);
  });
});
