import { planSheets } from './corrections-plan.ts';
import type { Corrections } from './corrections-plan.ts';
import { writeProblems } from './corrections-problems.ts';
import { writeRowsToFix } from './corrections-sheet.ts';
import { CORRECTIONS_MARK, LISTS_SHEET, PROBLEMS_SHEET } from './own-sheets.ts';
import { addLists } from './template-lists.ts';

export type { Corrections } from './corrections-plan.ts';

/**
 * Writes a workbook with just the rows to fix, in the sender's own layout: wrong cells coloured, with a comment that says what to do and
 * a drop-down where there are choices; repaired cells in another colour; a sheet of all problems with links to their cells; a hidden key
 * for each row, by which it is known when the workbook comes back. Write to a temporary name: the file is not whole before the promise
 * is fulfilled.
 */
export async function writeCorrectionsWorkbook(path: string, corrections: Corrections): Promise<void> {
  const { default: exceljs } = await import('exceljs');
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ filename: path, useStyles: true, useSharedStrings: true });
  workbook.creator = 'inspection-batch';
  const plans = await planSheets(corrections, [PROBLEMS_SHEET, LISTS_SHEET]);
  for (const plan of plans) await writeRowsToFix(workbook, plan, corrections);
  await writeProblems(workbook, plans, corrections);
  addLists(workbook, CORRECTIONS_MARK);
  await workbook.commit();
}
