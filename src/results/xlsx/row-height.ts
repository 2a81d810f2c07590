import type { Cell, SheetColumn } from '../workbook-writer.ts';

/** In points; 409 is the most Excel takes. */
const LINE_HEIGHT = 15;
const ROW_HEIGHT_MAX = 409;
/** Widths count digits; most letters are narrower. */
const CHARACTERS_PER_WIDTH = 1.1;

/** The height of a row in points; undefined where one line is enough. Programs differ in whether they fit a row to its text: the row says it itself. */
export function rowHeight(cells: readonly (Cell | undefined)[], columns: readonly SheetColumn[]): number | undefined {
  let most = 1;
  let clipped = false;
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index];
    if (cell === undefined || typeof cell.value !== 'string') continue;
    if (cell.format === 'clipped') clipped = true;
    if (cell.format !== 'wrapped') continue;
    const width = (columns[index]?.width ?? 10) * CHARACTERS_PER_WIDTH;
    const lines = cell.value.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
    most = Math.max(most, lines);
  }
  if (most > 1) return Math.min(ROW_HEIGHT_MAX, most * LINE_HEIGHT);
  return clipped ? LINE_HEIGHT : undefined;
}
