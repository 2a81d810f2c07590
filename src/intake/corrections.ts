import { planSheets } from './corrections-plan.ts';
import type { Corrections } from './corrections-plan.ts';
import { writeProblems } from './corrections-problems.ts';
import { type CorrectionsForm, writeRowsToFix } from './corrections-sheet.ts';
import { CORRECTIONS_MARK, LISTS_SHEET, PROBLEMS_SHEET } from './own-sheets.ts';
import { addLists } from './template-lists.ts';

export type { Corrections, RowToFix } from './corrections-plan.ts';
export type { CorrectionsForm } from './corrections-sheet.ts';

/** Of columns that no field is known for, those further right are left out. */
const OTHER_COLUMNS_MAX = { styled: 1_000, plain: 100 } as const;

/**
 * Writes a workbook with just the rows to fix, in the sender's own layout: wrong cells coloured, with a comment that says what to do and
 * a drop-down where there are choices; repaired cells in another colour; a sheet of all problems with links to their cells; a hidden key
 * for each row, by which it is known when the workbook comes back. The plain form has the rows, their keys, and beside each what to fix.
 * Write to a temporary name: the file is not whole before the promise is fulfilled.
 */
export async function writeCorrectionsWorkbook(path: string, corrections: Corrections, form: CorrectionsForm = 'styled'): Promise<void> {
  const { default: exceljs } = await import('exceljs');
  const isStyled = form === 'styled';
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ filename: path, useStyles: true, useSharedStrings: isStyled });
  workbook.creator = 'inspection-batch';
  const plans = await planSheets(corrections, [PROBLEMS_SHEET, LISTS_SHEET], OTHER_COLUMNS_MAX[form]);
  await writeRowsToFix(workbook, plans, corrections, form);
  if (isStyled) await writeProblems(workbook, plans, corrections);
  addLists(workbook, CORRECTIONS_MARK);
  await workbook.commit();
}
