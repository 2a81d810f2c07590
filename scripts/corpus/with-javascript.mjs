// Files written by the other JavaScript libraries.
import { writeFileSync } from 'node:fs';
import { at, column, expect, FIELDS, KEYED, load, NAMES, pathOf, save, sure, table, versionOf } from './corpus.mjs';

const by = (name) => `${name} ${versionOf(name)} (scripts/corpus/with-javascript.mjs)`;

async function withExceljs() {
  const ExcelJS = load('exceljs');
  const made = by('exceljs');
  const bookOf = (rows, options = {}) => {
    const book = new ExcelJS.Workbook();
    Object.assign(book.properties, options);
    const sheet = book.addWorksheet('Orders');
    for (const row of rows) sheet.addRow(row);
    return { book, sheet };
  };
  const write = async (name, { book }, expected) => {
    await book.xlsx.writeFile(pathOf(name));
    expect(name, { made, ...expected });
  };
  await write('exceljs-plain.xlsx', bookOf(table()), { what: 'every field of six orders', rows: sure() });
  await write('exceljs-1904.xlsx', bookOf(table(), { date1904: true }), { what: 'days counted from 1904', rows: sure() });

  const rich = bookOf(table(['Vega', 'Novak'], KEYED));
  rich.sheet.getCell(`${column(KEYED, 'insuredName')}2`).value = { richText: [{ text: 'Marisol ' }, { font: { bold: true }, text: 'Vega' }] };
  rich.sheet.getCell(`${column(KEYED, 'insuredEmail')}2`).value = { text: 'marisol.vega@example.com', hyperlink: 'mailto:marisol.vega@example.com' };
  rich.sheet.getCell(`${column(KEYED, 'insuredEmail')}3`).value = { text: { richText: [{ text: 'jan' }, { text: '@example.com' }] }, hyperlink: 'mailto:jan@example.com' };
  rich.sheet.getCell('A2').note = 'Call Dana';
  await write('exceljs-rich-text-and-links.xlsx', rich, { what: 'rich text, links, a note', fields: KEYED, rows: sure(['Vega', 'Novak']) });

  const shared = bookOf(table(['Vega', 'Okafor', 'Novak', 'Chen'], KEYED));
  const place = column(KEYED, 'policyNumber');
  shared.sheet.getCell(`${place}2`).value = { formula: '"S-"&ROW()', result: 'S-2', shareType: 'shared', ref: `${place}2:${place}4` };
  shared.sheet.getCell(`${place}3`).value = { sharedFormula: `${place}2`, result: 'S-3' };
  shared.sheet.getCell(`${place}4`).value = { sharedFormula: `${place}2` };
  shared.sheet.getCell(`${column(KEYED, 'city')}5`).value = { error: '#NAME?' };
  await write('exceljs-shared-formulas.xlsx', shared, {
    what: 'a formula shared by three cells, one of them without its value; an error', fields: KEYED,
    rows: [{ at: at(2), is: 'Vega', with: { policyNumber: 'S-2' } }, { at: at(3), is: 'Okafor', with: { policyNumber: 'S-3' } }, { at: at(4), problems: [`cell-formula-without-value in ${place}4`] }, { at: at(5), problems: [`cell-error in ${column(KEYED, 'city')}5`] }],
  });

  for (const [name, useSharedStrings] of [['exceljs-stream.xlsx', false], ['exceljs-stream-shared.xlsx', true]]) {
    const stream = new ExcelJS.stream.xlsx.WorkbookWriter({ filename: pathOf(name), useSharedStrings, useStyles: true });
    const sheet = stream.addWorksheet('Orders', { views: [{ state: 'frozen', ySplit: 1 }] });
    for (const row of table()) {
      const added = sheet.addRow(row);
      added.eachCell((cell) => {
        if (cell.value instanceof Date) cell.numFmt = 'dd-mmm-yyyy';
      });
      added.commit();
    }
    await stream.commit();
    expect(name, { made, what: `exceljs's streaming writer, texts ${useSharedStrings ? 'shared' : 'in the cells'}`, rows: sure() });
  }
}

async function withOthers() {
  const { default: writeXlsxFile } = await import(load.resolve('write-excel-file/node'));
  const cells = table().map((row) => row.map((value) => (value === null ? null : { value, ...(value instanceof Date ? { type: Date, format: 'mm/dd/yyyy' } : {}) })));
  const written = await writeXlsxFile(cells, { sheet: 'Orders' });
  if (typeof written?.toFile === 'function') await written.toFile(pathOf('write-excel-file.xlsx'));
  else if (written !== undefined) writeFileSync(pathOf('write-excel-file.xlsx'), Buffer.from(await (written.toBuffer?.() ?? written)));
  expect('write-excel-file.xlsx', { made: by('write-excel-file'), what: 'every field of six orders', rows: sure() });

  const Populate = load('xlsx-populate');
  const populated = async () => {
    const book = await Populate.fromBlankAsync();
    book.sheet(0).name('Orders');
    for (const [down, row] of table().entries()) {
      for (const [right, value] of row.entries()) {
        if (value === null) continue;
        const cell = book.sheet(0).row(down + 1).cell(right + 1).value(value);
        if (value instanceof Date) cell.style('numberFormat', 'd mmm yyyy');
      }
    }
    return book;
  };
  await (await populated()).toFileAsync(pathOf('xlsx-populate.xlsx'));
  expect('xlsx-populate.xlsx', { made: by('xlsx-populate'), what: 'every field of six orders', rows: sure() });
  await (await populated()).toFileAsync(pathOf('xlsx-populate-password.xlsx'), { password: 'secret' });
  expect('xlsx-populate-password.xlsx', { made: by('xlsx-populate'), what: 'a workbook with a password', unreadable: 'is protected by a password' });

  const excel4node = load('excel4node');
  const four = new excel4node.Workbook();
  const fourSheet = four.addWorksheet('Orders');
  for (const [down, row] of table().entries()) {
    for (const [right, value] of row.entries()) {
      const cell = fourSheet.cell(down + 1, right + 1);
      if (value instanceof Date) cell.date(value).style({ numberFormat: 'yyyy-mm-dd' });
      else if (typeof value === 'number') cell.number(value);
      else if (value !== null) cell.string(value);
    }
  }
  writeFileSync(pathOf('excel4node.xlsx'), await four.writeToBuffer());
  expect('excel4node.xlsx', { made: by('excel4node'), what: 'every field of six orders', rows: sure() });

  const { writeXlsx } = await import(load.resolve('hucre'));
  save('hucre.xlsx', await writeXlsx({ sheets: [{ name: 'Orders', rows: table() }] }));
  expect('hucre.xlsx', { made: by('hucre'), what: 'every field of six orders', rows: sure() });

  const { stringify } = load('csv-stringify/sync');
  save('csv-stringify.tsv', stringify(table(NAMES, FIELDS, false), { delimiter: '\t', bom: true, record_delimiter: 'windows' }));
  expect('csv-stringify.tsv', { made: by('csv-stringify'), what: 'tabs, a byte order mark', rows: sure(NAMES, 2, null) });

  const Papa = load('papaparse');
  save('papaparse.csv', Papa.unparse(table(NAMES, FIELDS, false), { escapeFormulae: false, newline: '\n' }));
  expect('papaparse.csv', { made: by('papaparse'), what: 'a CSV', rows: sure(NAMES, 2, null) });
}

await withExceljs();
await withOthers();
