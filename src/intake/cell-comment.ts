import type { Cell as WrittenCell } from 'exceljs';
import { visible } from '../domain/text.ts';
import { FONT, writtenText } from './written-cell.ts';

/** How many characters of a comment stand on one line of its box. */
const LINE_LENGTH = 44;

/** A comment's box beside its cell, in columns and rows from 0; fractions are parts of them. */
interface Anchor {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** exceljs writes every box in one size, unless its comment's model has an anchor, which its types leave out. */
interface Comment {
  readonly model: object;
}

/**
 * Puts a comment on a cell, in a box that is large enough for it.
 * @param widthOf the width of a column by its index from 0, in characters.
 */
export function addComment(cell: WrittenCell, lines: readonly string[], widthOf: (index: number) => number): void {
  const text = writtenText(visible(lines.join('\n')));
  cell.note = { texts: [{ text, font: { name: FONT, size: 10 } }], margins: { insetmode: 'custom', inset: [0.1, 0.1, 0.1, 0.1] }, editAs: 'absolute' };
  const anchor = boxBeside(Number(cell.col) - 1, Number(cell.row) - 1, text, widthOf);
  const holder = cell as unknown as { _comment: Comment };
  const { model } = holder._comment;
  holder._comment = { ...holder._comment, model: { ...model, anchor } };
}

function boxBeside(column: number, row: number, text: string, widthOf: (index: number) => number): Anchor {
  const left = column + 1.15;
  let right = left;
  for (let characters = LINE_LENGTH; characters > 0; ) {
    const width = widthOf(Math.floor(right));
    const room = width * (Math.floor(right) + 1 - right);
    if (room >= characters) {
      right += characters / width;
      break;
    }
    characters -= room;
    right = Math.floor(right) + 1;
  }
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / (LINE_LENGTH - 4))), 0);
  const top = Math.max(0, row - 0.5);
  return { left, right, top, bottom: top + lines * 0.95 + 0.8 };
}
