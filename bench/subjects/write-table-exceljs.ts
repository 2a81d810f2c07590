/** Writes the same table with exceljs's streaming writer alone: styles by column, frozen panes, a filter. Arguments: path, rows, columns. */
import exceljs from 'exceljs';
import { argument, report } from '../measure/subject.ts';
import { tableText } from '../words.ts';

const [rows, columns] = [Number(argument(1)), Number(argument(2))];
const STYLES = [
  { alignment: { vertical: 'top' } },
  { numFmt: '0%' },
  { numFmt: 'yyyy-mm-dd' },
  { alignment: { horizontal: 'center' } },
] as const;

await report(async () => {
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({
    filename: argument(0),
    useSharedStrings: false,
    useStyles: true,
  });
  const sheet = workbook.addWorksheet('Results', { views: [{ state: 'frozen', xSplit: 1, ySplit: 1 }] });
  sheet.columns = Array.from({ length: columns }, (_, column) => ({
    header: `Column ${column + 1}`,
    width: 14,
    style: STYLES[column % 4] ?? {},
  }));
  sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: rows + 1, column: columns } };
  for (let row = 0; row < rows; row += 1)
    sheet.addRow(Array.from({ length: columns }, (_, column) => valueAt(row, column))).commit();
  await workbook.commit();
  return { rows };
});

function valueAt(row: number, column: number): string | number {
  switch (column % 4) {
    case 0:
      return tableText(row, column);
    case 1:
      return ((row + column) % 100) / 100;
    case 2:
      return 46_000 + ((row + column) % 700);
    default:
      return (row + column) % 2 === 0 ? 'Yes' : 'No';
  }
}
