// Workbooks with columns that can be read two ways, and with rows that somebody struck out, by exceljs.
import { at, expect, KEYED, load, ORDERS, pathOf, TITLES, versionOf } from './corpus.mjs';

const ExcelJS = load('exceljs');
const made = `exceljs ${versionOf('exceljs')} (scripts/corpus/unclear-columns.mjs)`;

/** A row of Vega's for each value under the field's header; every row has a policy number of its own. */
function bookOf(field, values) {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet('Orders');
  const fields = [field, ...KEYED.filter((one) => one !== field)];
  sheet.addRow(fields.map((one) => TITLES[one]));
  for (const [place, value] of values.entries()) sheet.addRow([value, ...fields.slice(1).map((one) => (one === 'policyNumber' ? `N-${place}` : ORDERS.Vega[one]))]);
  return { book, sheet, fields };
}

const write = async (name, { book, fields }, expected) => {
  await book.xlsx.writeFile(pathOf(name));
  expect(name, { made, fields, ...expected });
};
const day = (iso) => new Date(`${iso}T00:00:00Z`);
const sent = (place, field, value, more = {}) => ({ at: at(2 + place), is: 'Vega', with: { policyNumber: `N-${place}`, [field]: value }, ...more });
const DATE = 'policyEffectiveDate';

const november = Array.from({ length: 12 }, (_, place) => `2026-11-0${1 + (place % 9)}`).filter((iso) => iso !== '2026-11-11');
await write('exceljs-dates-and-one-mistyped.xlsx', bookOf(DATE, [...november.map(day), '13/11/2026']), {
  what: 'real dates and one text that can only have the day first: it goes back alone',
  rows: [...november.map((iso, place) => sent(place, DATE, iso, { warnings: ['date-perhaps-swapped'] })), { at: at(2 + november.length), problems: [`date-against-column in A${2 + november.length}`] }],
});
await write('exceljs-dates-swapped.xlsx', bookOf(DATE, [day('2026-03-11'), '25/11/2026', '26/11/2026', '27/11/2026', day('2026-11-11')]), {
  what: 'texts with the day first beside a real date that Excel made of 11/03',
  rows: [
    { at: at(2), problems: ['date-ambiguous in A2'] },
    ...['25', '26', '27'].map((one, place) => sent(1 + place, DATE, `2026-11-${one}`, { repairs: { [DATE]: `${one}/11/2026 -> 2026-11-${one}` } })),
    sent(4, DATE, '2026-11-11'),
  ],
});
await write('exceljs-dates-in-digits.xlsx', bookOf(DATE, [11_252_026, 11_262_026, 11_272_026, 11_052_026, 46_331]), {
  what: 'dates typed as digits, which Excel took for numbers, and a count of days',
  rows: [['11252026', '2026-11-25'], ['11262026', '2026-11-26'], ['11272026', '2026-11-27'], ['11052026', '2026-11-05'], ['46331', '2026-11-05']].map(([held, iso], place) => sent(place, DATE, iso, { repairs: { [DATE]: `${held} -> ${iso}` } })),
});
const macBook = bookOf(DATE, [day('2026-11-05'), 44_869, 11_272_026]);
macBook.book.properties.date1904 = true;
await write('exceljs-1904-bare-days.xlsx', macBook, {
  what: 'a count of days from 1904 without a date format, and a date typed as digits',
  rows: [sent(0, DATE, '2026-11-05'), sent(1, DATE, '2026-11-05', { repairs: { [DATE]: '44869 -> 2026-11-05' } }), sent(2, DATE, '2026-11-27', { repairs: { [DATE]: '11272026 -> 2026-11-27' } })],
});
const amounts = ['$210,000', '$220,000', '$230,000', '$240,000', '$250,00', '350.000,00'];
await write('exceljs-amounts-mistyped.xlsx', bookOf('dwellingCoverage', amounts), {
  what: 'amounts as texts: one lacks a digit and goes back, one is European and can be nothing else',
  rows: [
    ...['210', '220', '230', '240'].map((one, place) => sent(place, 'dwellingCoverage', Number(one) * 1000, { repairs: { dwellingCoverage: `$${one},000 -> ${one}000` } })),
    { at: at(6), problems: ['amount-ambiguous in A6'] },
    sent(5, 'dwellingCoverage', 350_000, { repairs: { dwellingCoverage: '350.000,00 -> 350000' } }),
  ],
});
const struck = bookOf('note', ['First', 'Second', 'Third', 'Fourth']);
struck.sheet.getRow(3).eachCell((cell) => {
  cell.font = { strike: true };
});
struck.sheet.getRow(4).font = { italic: true };
struck.sheet.getCell('A5').font = { strike: true };
await write('exceljs-rows-struck-out.xlsx', struck, {
  what: 'a row that is struck through goes back; a cell that is is not sent',
  rows: [sent(0, 'note', 'First'), { at: at(3), problems: ['row-struck-out in A3'] }, sent(2, 'note', 'Third'), sent(3, 'note', null, { warnings: ['cell-struck-out'] })],
});
const partly = bookOf('note', ['First', 'Second']);
const street = partly.fields.indexOf('streetAddress') + 1;
partly.sheet.getRow(2).getCell(street).value = { richText: [{ font: { strike: true }, text: '110 Oak Ridge Ln ' }, { text: ORDERS.Vega.streetAddress }] };
await write('exceljs-struck-in-part.xlsx', partly, {
  what: 'a street of which the first half is struck through',
  rows: [sent(0, 'note', 'First', { warnings: ['cell-struck-out-in-part'] }), sent(1, 'note', 'Second')],
});
const linked = bookOf('note', ['First', 'Second']);
const email = linked.fields.indexOf('insuredEmail') + 1;
linked.sheet.getRow(2).getCell(email).value = { text: 'Maria', hyperlink: 'mailto:maria@x.com' };
linked.sheet.getRow(3).getCell(email).value = { formula: 'HYPERLINK("mailto:maria@x.com","Maria")', result: 'Maria' };
await write('exceljs-mail-links.xlsx', linked, {
  what: 'names that are links to e-mail addresses',
  rows: [2, 3].map((row) => ({ at: `Orders ${row}`, problems: [`required-placeholder in L${row}`] })),
});
const dollars = bookOf('dwellingCoverage', [350_000, 350_000, 350_000, 350_000, 0]);
for (const [place, format] of ['[$$-409]#,##0', '"C$"#,##0', '[$CA$-1009]#,##0.00', '[$$-1009]#,##0', '"$"#,##0'].entries()) dollars.sheet.getCell(`A${2 + place}`).numFmt = format;
await write('exceljs-other-dollars.xlsx', dollars, {
  what: "amounts in the number formats of Canada's dollar, and a zero",
  rows: [
    sent(0, 'dwellingCoverage', 350_000),
    ...[1, 2, 3].map((place) => ({ at: at(2 + place), problems: [`amount-currency in A${2 + place}`] })),
    sent(4, 'dwellingCoverage', null, { repairs: { dwellingCoverage: '0 -> ' }, warnings: ['amount-zero'] }),
  ],
});
const others = bookOf('note', ['First']);
for (const name of ['Cancelled', 'Do Not Order', 'Archive']) {
  const sheet = others.book.addWorksheet(name);
  others.sheet.eachRow((row) => sheet.addRow(row.values.slice(1)));
}
await write('exceljs-sheets-of-others.xlsx', others, {
  what: 'sheets whose names say that their rows are not to be ordered',
  notes: ['Cancelled', 'Do Not Order', 'Archive'].map((name) => `Sheet "${name}" LOOKS LIKE ORDERS (1 row`),
  rows: [sent(0, 'note', 'First')],
});
