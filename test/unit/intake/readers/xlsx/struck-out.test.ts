import { expect, test } from 'vitest';
import { type MadeWorkbook, readMade } from '../../../../support/made-files.ts';

const STRUCK = '<rPr><strike/></rPr>';
const PLAIN = '<rPr><b/></rPr>';
/** A cell style of this number is struck through. */
const STYLES =
  '<styleSheet><fonts><font/><font><strike/></font></fonts><cellXfs><xf fontId="0"/><xf fontId="1"/></cellXfs></styleSheet>';

async function firstRow(made: MadeWorkbook) {
  const [row] = await readMade({ ...made, parts: { 'xl/styles.xml': STYLES, ...made.parts } });
  return { texts: row?.cells.map((cell) => (cell?.kind === 'text' ? cell.text : cell)), remarks: row?.remarks ?? [] };
}

/** A row of three texts, of which the first is made of these runs: once in the table of texts, once in the cell. */
async function bothWays(runs: string, style = '0') {
  const others = '<c t="inlineStr"><is><t>b</t></is></c><c t="inlineStr"><is><t>c</t></is></c>';
  const shared = await firstRow({
    strings: `<si>${runs}</si>`,
    rows: `<row r="1"><c r="A1" s="${style}" t="s"><v>0</v></c>${others}</row>`,
  });
  const inline = await firstRow({
    rows: `<row r="1"><c r="A1" s="${style}" t="inlineStr"><is>${runs}</is></c>${others}</row>`,
  });
  expect(inline).toEqual(shared);
  return shared;
}

test('reads the rest of a cell struck out in part', async () => {
  const runs = `<r>${STRUCK}<t xml:space="preserve">110 Oak Ridge Ln </t></r><r>${PLAIN}<t>118 Oak Ridge Ln</t></r>`;
  expect(await bothWays(runs)).toEqual({
    texts: ['118 Oak Ridge Ln', 'b', 'c'],
    remarks: [{ kind: 'struck', column: 0, text: '110 Oak Ridge Ln', whole: false }],
  });
  const middle = `<r><t xml:space="preserve">12 </t></r><r><rPr><strike val="1"/></rPr><t>Oak </t></r><r><t>Elm St</t></r>`;
  expect((await bothWays(middle)).texts).toEqual(['12 Elm St', 'b', 'c']);
});

test('marks a cell as struck out if all its runs are', async () => {
  const remarks = [{ kind: 'struck', column: 0, text: 'one two', whole: true }];
  const runs = `<r>${STRUCK}<t xml:space="preserve">one </t></r><r>${STRUCK}<t>two</t></r>`;
  expect(await bothWays(runs)).toEqual({ texts: ['one two', 'b', 'c'], remarks });
  expect(await bothWays('<r><t xml:space="preserve">one </t></r><r><t>two</t></r>', '1')).toEqual({
    texts: ['one two', 'b', 'c'],
    remarks,
  });
});

test('gives a run without a font the font of its cell', async () => {
  const runs = `<r><t xml:space="preserve">one </t></r><r>${PLAIN}<t>two</t></r>`;
  expect(await bothWays(runs, '1')).toEqual({
    texts: ['two', 'b', 'c'],
    remarks: [{ kind: 'struck', column: 0, text: 'one', whole: false }],
  });
  expect(await bothWays(runs)).toEqual({ texts: ['one two', 'b', 'c'], remarks: [] });
  expect(await bothWays(`<r><rPr><strike val="0"/></rPr><t>one</t></r><r>${PLAIN}<t>two</t></r>`)).toEqual({
    texts: ['onetwo', 'b', 'c'],
    remarks: [],
  });
});
