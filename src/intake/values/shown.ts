import type { Cell } from '../../domain/row.ts';
import { cellText } from '../cells.ts';
import { shownDate } from './date-display.ts';
import { numberDisplay } from './number-display.ts';

/** What a spreadsheet shows for a cell: by its number format, where it has one that is understood. */
export function shownText(cell: Cell | undefined): string {
  switch (cell?.kind) {
    case 'number':
      return (cell.format === undefined ? undefined : numberDisplay(cell.value, cell.format)?.text) ?? cellText(cell);
    case 'date':
      return cell.format === undefined ? cellText(cell) : shownDate(cell.iso, cell.format);
    case 'text':
    case 'boolean':
    case 'error':
    case 'formula':
    case undefined:
      return cellText(cell);
  }
}

/** `"3/5/2026"`, or `"5-Mar" (2026-03-05)` where the cell shows something other than what it holds. */
export function shownAndHeld(cell: Cell): string {
  const [shown, held] = [shownText(cell), cellText(cell)];
  return shown === held ? `"${held}"` : `"${shown}" (it holds ${held})`;
}
