import { expect, test } from 'vitest';
import { type MadeWorkbook, readMade, sheetXml } from '../../../../support/made-files.ts';

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

const RELATIONSHIPS =
  '<Relationships><Relationship Id="rId1" Type="x/hyperlink" Target="mailto:maria@x.com?subject=Order" TargetMode="External"/>' +
  '<Relationship Id="rId2" Type="x/hyperlink" Target="https://x.com/" TargetMode="External"/></Relationships>';

test.each([
  ['', 'r:id'],
  ['<mergeCells count="1"><mergeCell ref="D1:D2"/></mergeCells>', 'r:id'],
  ['', 'rel:id'],
])('adds the email address of a link to its row (%s %s)', async (before, id) => {
  const links = `<hyperlinks><hyperlink ref="A1" ${id}="rId1"/><hyperlink ${id}='rId2' ref='B1'/><hyperlink ref="C9" ${id}="rId1"/></hyperlinks>`;
  const sheet = sheetXml(
    '<row r="1"><c r="A1" t="inlineStr"><is><t>Maria</t></is></c><c r="B1" t="inlineStr"><is><t>site</t></is></c></row>',
  ).replace('</sheetData>', () => `</sheetData>${before}${links}`);
  const { remarks } = await firstRow({
    sheet: sheet.replace('<worksheet ', () => '<worksheet xmlns:r="r" xmlns:rel="r" '),
    parts: { 'xl/worksheets/_rels/sheet1.xml.rels': RELATIONSHIPS },
  });
  expect(remarks).toEqual([{ kind: 'link', column: 0, address: 'maria@x.com' }]);
});

test('adds the email address of a HYPERLINK formula to its row', async () => {
  const rows =
    '<row r="1"><c r="A1" t="str"><f>HYPERLINK("mailto:maria%40x.com","Maria")</f><v>Maria</v></c>' +
    '<c r="B1" t="str"><f>HYPERLINK("https://x.com","Site")</f><v>Site</v></c></row>';
  expect(await firstRow({ rows })).toEqual({
    texts: ['Maria', 'Site'],
    remarks: [{ kind: 'link', column: 0, address: 'maria@x.com' }],
  });
});
