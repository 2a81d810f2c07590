// Files written by SheetJS. Its dates are local: run with TZ=UTC.
import { at, column, expect, FIELDS, KEYED, load, save, sure, table, versionOf } from './corpus.mjs';

const XLSX = load('xlsx');
const made = `SheetJS (xlsx) ${versionOf('xlsx')} (scripts/corpus/with-sheetjs.mjs)`;

const sheetOf = (rows, options = {}) => XLSX.utils.aoa_to_sheet(rows, options);
function bookOf(sheets) {
  const book = XLSX.utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) XLSX.utils.book_append_sheet(book, sheet, name);
  return book;
}
function write(name, book, options, expected) {
  save(name, XLSX.write(book, { type: 'buffer', bookType: 'xlsx', ...options }));
  expect(name, { made, ...expected });
}
const plain = () => bookOf({ Orders: sheetOf(table()) });

write('sheetjs-plain.xlsx', plain(), {}, { what: 'every field of six orders; texts stand in the cells (t="str")', rows: sure() });
write('sheetjs-shared-strings.xlsx', plain(), { bookSST: true, compression: true }, { what: 'texts in a table of shared strings', rows: sure() });
write('sheetjs-iso-dates.xlsx', bookOf({ Orders: sheetOf(table(), { cellDates: true }) }), { cellDates: true }, { what: 'dates as t="d" cells', rows: sure() });
write('sheetjs-macro.xlsm', plain(), { bookType: 'xlsm' }, { what: 'a workbook for macros, without any', rows: sure() });
write('sheetjs-from-json.xlsx', bookOf({ Sheet1: XLSX.utils.json_to_sheet(table().slice(1).map((row) => Object.fromEntries(row.flatMap((value, index) => (value === null ? [] : [[table()[0][index], value]]))))) }), {}, { what: 'from objects, keys as headers', rows: sure(undefined, 2, 'Sheet1') });

const formulas = sheetOf(table(['Vega', 'Okafor', 'Novak'], KEYED));
const city = column(KEYED, 'city');
formulas[`${city}2`] = { t: 's', v: 'Tampa', f: 'PROPER("tampa")' };
formulas[`${city}3`] = { t: 'e', v: 42, f: 'NA()' };
formulas[`${column(KEYED, 'zipcode')}4`] = { t: 'n', v: 85041, f: '85000+41' };
formulas[`${column(KEYED, 'insuredEmail')}4`].l = { Target: 'mailto:jan@example.com' };
formulas['!merges'] = [XLSX.utils.decode_range('A10:C10')];
write('sheetjs-formulas.xlsx', bookOf({ Orders: formulas }), {}, {
  what: 'formulas with values, an error among them, a link, a merged cell', fields: KEYED,
  rows: [{ at: at(2), is: 'Vega' }, { at: at(3), problems: [`cell-error in ${city}3`] }, { at: at(4), is: 'Novak' }],
});

const from = sheetOf([]);
XLSX.utils.sheet_add_aoa(from, table(['Chen', 'Tanaka']), { origin: 'D9' });
write('sheetjs-from-d9.xlsx', bookOf({ Empty: sheetOf([]), 'Orders & more': from }), {}, { what: 'a table that begins in D9 of a second sheet', notes: ['"Empty" is empty'], rows: sure(['Chen', 'Tanaka'], 10, 'Orders & more') });

write('sheetjs-hidden.xlsx', (() => {
  const book = bookOf({ Orders: sheetOf(table(['Vega'])), Secret: sheetOf(table(['Novak'])) });
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 2 }] };
  return book;
})(), {}, { what: 'a very hidden sheet of orders', notes: ['"Secret" is hidden'], rows: sure(['Vega']) });

const texts = () => bookOf({ Orders: sheetOf(table(['Vega', 'Okafor', 'Novak'], KEYED, false)) });
const three = ['Vega', 'Okafor', 'Novak'];
write('sheetjs.csv', texts(), { bookType: 'csv' }, { what: 'a CSV', fields: KEYED, rows: sure(three, 2, null) });
write('sheetjs-utf16.txt', texts(), { bookType: 'txt' }, { what: 'UTF-16 and tabs', fields: KEYED, notes: ['UTF-16'], rows: sure(three, 2, null) });
save('sheetjs-semicolon-crlf.csv', XLSX.utils.sheet_to_csv(sheetOf(table(undefined, FIELDS, false)), { FS: ';', RS: '\r\n', forceQuotes: true }));
expect('sheetjs-semicolon-crlf.csv', { made, what: 'semicolons, quotation marks everywhere', rows: sure(undefined, 2, null) });

write('sheetjs.xlsb', plain(), { bookType: 'xlsb' }, { what: 'a binary workbook', notes: ['read through a converter'], rows: sure() });
write('sheetjs-biff8.xls', plain(), { bookType: 'biff8' }, { what: 'Excel 97-2003', notes: ['read through a converter'], rows: sure() });
write('sheetjs-biff5.xls', plain(), { bookType: 'biff5' }, { what: 'Excel 5', unreadable: 'is an Excel 5.0 or 95 workbook (.xls)' });
write('sheetjs-biff2.xls', plain(), { bookType: 'biff2' }, { what: 'Excel 2', unreadable: 'is a very old kind of spreadsheet' });
write('sheetjs-xml-2003.xls', plain(), { bookType: 'xlml' }, { what: 'an XML Spreadsheet 2003 under the name of an .xls', notes: ['read through a converter'], rows: sure() });
write('sheetjs-web-page.xls', plain(), { bookType: 'html' }, { what: 'a web page under the name of an .xls', notes: ['read through a converter'], rows: sure(undefined, 2, 'Sheet1').map((row, index) => ({ ...row, repairs: [{"policyEffectiveDate": "11/1/26 -> 2026-11-01", "dueDate": "11/20/26 -> 2026-11-20"}, {"policyEffectiveDate": "12/13/26 -> 2026-12-13"}, {"policyEffectiveDate": "10/31/26 -> 2026-10-31"}, {"policyEffectiveDate": "1/1/27 -> 2027-01-01", "dueDate": "12/1/26 -> 2026-12-01"}, undefined, undefined][index] })) });
write('sheetjs.ods', plain(), { bookType: 'ods' }, { what: 'an OpenDocument spreadsheet', notes: ['read through a converter'], rows: sure().map((row, index) => ({ ...row, repairs: [{"policyEffectiveDate": "46327 -> 2026-11-01", "dueDate": "46346 -> 2026-11-20"}, {"policyEffectiveDate": "46369 -> 2026-12-13"}, {"policyEffectiveDate": "46326 -> 2026-10-31"}, {"policyEffectiveDate": "46388 -> 2027-01-01", "dueDate": "46357 -> 2026-12-01"}, undefined, undefined][index] })) });
write('sheetjs.fods', plain(), { bookType: 'fods' }, { what: 'a flat OpenDocument spreadsheet', notes: ['read through a converter'], rows: sure().map((row, index) => ({ ...row, repairs: [{"policyEffectiveDate": "46327 -> 2026-11-01", "dueDate": "46346 -> 2026-11-20"}, {"policyEffectiveDate": "46369 -> 2026-12-13"}, {"policyEffectiveDate": "46326 -> 2026-10-31"}, {"policyEffectiveDate": "46388 -> 2027-01-01", "dueDate": "46357 -> 2026-12-01"}, undefined, undefined][index] })) });
write('sheetjs.slk', plain(), { bookType: 'sylk' }, { what: 'a SYLK file', unreadable: 'is a very old kind of spreadsheet' });
