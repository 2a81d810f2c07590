import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FileReading, readOrderFile, readSource } from '../../../src/intake/read-orders.ts';
import { UnreadableFileError } from '../../../src/intake/readers/row-source.ts';
import { inMemorySource } from '../../support/in-memory-source.ts';

const OPTIONS = { headers: {}, today: '2026-10-15' };

/** Of the corpus: they bring about what its other files do. */
const FILES = `
csv-named-xlsx.xlsx
amounts-of-nothing.csv
blank.csv
csv-blank-beside-filled.csv
csv-damaged-encoding.csv
csv-dates-contradict.csv
csv-dates-month-first.csv
csv-dates-wrong.csv
csv-header-on-each-page.csv
csv-ids.csv
csv-location-numbers.csv
csv-mailing-then-location.csv
csv-nulls.csv
csv-one-cell-address.csv
csv-one-stray-byte.csv
csv-ragged.csv
csv-report.csv
csv-risk-whole.csv
csv-second-line-is-a-street.csv
csv-second-table-of-others.csv
csv-second-table.csv
csv-spaces-around.csv
csv-streets-of-several-houses.csv
csv-tables-side-by-side.csv
csv-two-houses-in-a-cell.csv
csv-unit-of-nobody.csv
csv-warnings.csv
csv-zips.csv
dates-in-many-spellings.csv
dates-month-first-and-one-against.csv
dates-one-mistyped.csv
doctype.xlsx
exceljs-dates-and-one-mistyped.xlsx
exceljs-other-dollars.xlsx
exceljs-rows-struck-out.xlsx
exceljs-sheets-of-others.xlsx
exceljs-struck-in-part.xlsx
flipped-bytes.xlsx
groups-over-names.xlsx
hidden-only.xlsx
hidden-under-a-merge.xlsx
letters-dos.csv
libreoffice-pipes.csv
lines-that-are-no-orders.csv
missing-sheet.xlsx
no-sheets.xlsx
numbers-that-became-dates.csv
ooxml-boolean-and-number-texts.xlsx
ooxml-shared-formulas.xlsx
open-quote.csv
openpyxl-hidden-sheets.xlsx
openpyxl-ids.xlsx
openpyxl-no-zip-column.xlsx
openpyxl-several-sheets.xlsx
openpyxl-spellings.xlsx
optional-ticked-boxes.csv
rows-taken-back.csv
separators.csv
services-two-in-a-cell.csv
sheetjs-biff2.xls
sheetjs-biff8.xls
sheetjs-formulas.xlsx
streets-that-are-none.csv
xlsx-populate-password.xlsx
xlsxwriter-hidden-first-sheet.xlsx
xlsxwriter-money.xlsx
zip-bomb.xlsx
`
  .trim()
  .split('\n')
  .map((file) => () => readOrderFile(join(import.meta.dirname, '../../corpus/files', file), file, OPTIONS));

const ORDER = {
  'Inspection number': 'A-1',
  'Policy number': 'P-1',
  'Effective date': '2026-11-01',
  'Street address': '9 Elm St',
  City: 'Tampa',
  State: 'FL',
  Zip: '33609',
  Country: 'US',
  'Insured name': 'Ann Lee',
  'Insured phone': '813-555-0142',
  'Insured email': 'ann@example.com',
  Service: '4-Point',
  'Policy type': 'Homeowners Insurance',
  'House type': 'Residential Single Family',
  'Cov A': 350_000,
  'Year built': 1990,
  'Due date': '2026-11-20',
};

/** Each changes one cell of an order. */
const CHANGES: readonly Readonly<Record<string, string | number>>[] = [
  { 'Cov A': '45%' },
  { 'Cov A': '3500000000000000000000' },
  { 'Cov A': '-5' },
  { City: '12345' },
  { City: 'Tampa #4' },
  { Country: 'Canada' },
  { 'Due date': '2062-01-01' },
  { 'Insured phone': 'call me' },
  { 'Insured phone': '8.135E+9' },
  { 'Insured name': '12345' },
  { 'Insured name': 'same as above' },
  { State: 'ZZ' },
  { 'Year built': 1600 },
  { 'Policy number': 'TBD' },
  { 'Inspection number': 'A'.repeat(300) },
  { 'Policy number': 'EXAMPLE-1' },
];

const MADE = async () =>
  readSource(
    inMemorySource({
      Orders: [Object.keys(ORDER), ...CHANGES.map((change) => Object.values({ ...ORDER, ...change }))],
    }),
    'orders.xlsx',
    OPTIONS,
  );

/** The first sentence of each code. */
async function sentences(readings: readonly (() => Promise<FileReading>)[]): Promise<string> {
  const found = new Map<string, string>();
  const add = (code: string, text: string): void => {
    if (!found.has(code)) found.set(code, text);
  };
  for (const open of readings) {
    try {
      await using reading = await open();
      for await (const row of reading.rows())
        for (const { rule, message } of row.kind === 'order' ? row.warnings : row.problems) add(rule, message);
      for (const { code, text } of reading.notes) add(code, text);
    } catch (thrown) {
      if (!(thrown instanceof UnreadableFileError)) throw thrown;
      add(thrown.code, thrown.message);
    }
  }
  return [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, sentence]) => `${code}\n  ${sentence}\n`)
    .join('');
}

test('readOrders writes the recorded sentences', async () => {
  await expect(await sentences([...FILES, MADE])).toMatchFileSnapshot('sentences.txt');
});
