/** Writes a styled table with the writer of the results workbook. Arguments: path, rows, columns. */
import { writeWorkbook } from '../../src/results/xlsx/write-workbook.ts';
import type { TableCell, SheetColumn } from '../../src/results/workbook.ts';
import { argument, report } from '../measure/subject.ts';
import { tableText } from '../words.ts';

const [rows, columns] = [Number(argument(1)), Number(argument(2))];

await report(async () => {
  await writeWorkbook(argument(0), { title: 'Bench', writtenAt: Date.UTC(2026, 0, 1) }, async (workbook) => {
    const titles = Array.from({ length: columns }, (_, column): SheetColumn => ({
      title: `Column ${column + 1}`,
      width: 14,
    }));
    const sheet = workbook.sheet({ name: 'Results', kind: 'table', columns: titles, frozenColumns: 1 });
    for (let row = 0; row < rows; row += 1) await sheet.row(titles.map((_, column) => cellAt(row, column)));
  });
  return { rows };
});

/** Texts, percentages, dates and words in turn, as in a row of results. */
function cellAt(row: number, column: number): TableCell {
  switch (column % 4) {
    case 0:
      return { value: tableText(row, column), format: 'text' };
    case 1:
      return { value: ((row + column) % 100) / 100, format: 'percent' };
    case 2:
      return { value: 46_000 + ((row + column) % 700), format: 'date' };
    default:
      return { value: (row + column) % 2 === 0 ? 'Yes' : 'No', format: 'word' };
  }
}
