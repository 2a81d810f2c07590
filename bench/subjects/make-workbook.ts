/** Makes a workbook of N rows × 32 columns with shared strings: texts with characters of several bytes, numbers and dates. */
import exceljs from 'exceljs';
import { argument, report } from '../measure/subject.ts';
import { CODES, NAMES, STREETS } from '../words.ts';

const TEXTS_OF_THEIR_OWN = 8;
const REPEATED_TEXTS = 14;
const NUMBERS = 7;
const DATES = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

await report(async () => {
  const rows = Number(argument(1));
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({
    filename: argument(0),
    useSharedStrings: true,
    useStyles: true,
  });
  const sheet = workbook.addWorksheet('Orders');
  const titles = Array.from(
    { length: TEXTS_OF_THEIR_OWN + REPEATED_TEXTS + NUMBERS + DATES },
    (_, column) => `Column ${column + 1}`,
  );
  sheet.addRow(titles).commit();
  for (let row = 0; row < rows; row += 1) sheet.addRow(cellsOf(row)).commit();
  await workbook.commit();
  return { rows };
});

function cellsOf(row: number): (string | number | Date)[] {
  return [
    ...Array.from(
      { length: TEXTS_OF_THEIR_OWN },
      (_, column) => `${row} ${nth(STREETS, row + column)}, ${nth(NAMES, row * 7 + column)}`,
    ),
    ...Array.from({ length: REPEATED_TEXTS }, (_, column) =>
      column % 2 === 0 ? nth(NAMES, row + column) : nth(CODES, row * 3 + column),
    ),
    ...Array.from({ length: NUMBERS }, (_, column) => (row * 37 + column * 1009) % 1_000_000),
    ...Array.from({ length: DATES }, (_, column) => new Date(Date.UTC(2026, 0, 1) + ((row + column) % 700) * DAY_MS)),
  ];
}

function nth(words: readonly string[], place: number): string {
  return words[place % words.length] ?? '';
}
