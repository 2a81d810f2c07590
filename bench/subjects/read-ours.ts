/** Reads every row of a file with our reader. */
import { openSpreadsheet } from '../../src/intake/readers/open-spreadsheet.ts';
import { argument, report } from '../measure/subject.ts';

await report(async () => {
  await using source = await openSpreadsheet(argument(0), 'rows.xlsx');
  let rows = 0;
  let cells = 0;
  let replaced = 0;
  for await (const row of source.rows(0)) {
    rows += 1;
    for (const cell of row.cells) {
      if (cell === undefined) continue;
      cells += 1;
      if (cell.kind === 'text' && cell.text.includes('\uFFFD')) replaced += 1;
    }
  }
  return { rows, cells, replaced };
});
