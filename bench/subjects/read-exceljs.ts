/** Reads every row of a workbook with exceljs's streaming reader. */
import exceljs from 'exceljs';
import { argument, report } from '../measure/subject.ts';

await report(async () => {
  const reader = new exceljs.stream.xlsx.WorkbookReader(argument(0), {
    worksheets: 'emit',
    sharedStrings: 'cache',
    styles: 'cache',
    hyperlinks: 'ignore',
    entries: 'ignore',
  });
  let rows = 0;
  let cells = 0;
  let replaced = 0;
  for await (const sheet of reader) {
    for await (const row of sheet) {
      rows += 1;
      row.eachCell(({ value }) => {
        cells += 1;
        if (typeof value === 'string' && value.includes('\uFFFD')) replaced += 1;
      });
    }
  }
  return { rows, cells, replaced };
});
