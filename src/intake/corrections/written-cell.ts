import type { Cell as WrittenCell, CellErrorValue, CellValue, Style } from 'exceljs';
import { cellText } from '../../domain/cells.ts';
import type { Cell } from '../../domain/row.ts';
import { visible } from '../../domain/text.ts';
import type { FieldKind, OrderField } from '../fields.ts';

/** Named wherever a font is set: without a name, programs choose one of their own. */
export const FONT = 'Calibri';

/** Columns in which a number typed anew must stay the text it is. */
export const TEXT_KINDS: ReadonlySet<FieldKind> = new Set(['id', 'zip', 'phone']);

/** As wide as what usually stands in a column of this kind, in characters. */
const WIDTHS: Readonly<Record<FieldKind, number>> = {
  text: 22,
  id: 18,
  zip: 12,
  state: 14,
  country: 10,
  date: 14,
  year: 11,
  enum: 27,
  list: 24,
  boolean: 11,
  money: 15,
  area: 15,
  phone: 17,
  email: 30,
};

/** The width of a column, in characters. */
export function columnWidth(header: string, field: OrderField | undefined): number {
  return Math.min(40, Math.max(header.length + 4, field === undefined ? 14 : WIDTHS[field.kind]));
}

/** Gives a cell a background colour. */
export function paint(cell: WrittenCell, colour: string): void {
  cell.style = { ...cell.style, fill: { type: 'pattern', pattern: 'solid', fgColor: { argb: colour } } };
}

const TEXT_LENGTH_MAX = 32_767;
const ERRORS: ReadonlySet<string> = new Set(['#N/A', '#REF!', '#NAME?', '#DIV/0!', '#NULL!', '#VALUE!', '#NUM!']);

/** A text that a spreadsheet gives back as it is: no escapes read into it, no bare carriage returns, not longer than a cell. */
export function writtenText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/_x(?=[0-9A-Fa-f]{4}_)/g, '_x005F_x')
    .slice(0, TEXT_LENGTH_MAX);
}

/** What is written for a cell: its value as it was, and its format. Always a plain value, so that text which begins with `=` stays text. */
export function writtenCell(
  cell: Cell | undefined,
  field: OrderField | undefined,
): { value: CellValue; style: Partial<Style> } {
  const textStyle: Partial<Style> = field !== undefined && TEXT_KINDS.has(field.kind) ? { numFmt: '@' } : {};
  if (cell === undefined) return { value: null, style: textStyle };
  switch (cell.kind) {
    case 'text':
      return { value: writtenText(cell.text), style: textStyle };
    case 'number':
      return { value: cell.value, style: cell.format === undefined ? textStyle : { numFmt: cell.format } };
    case 'date':
      return writtenDate(cell.iso, cell.format);
    case 'boolean':
      return { value: cell.value, style: {} };
    case 'error':
      // As text, a code that exceljs cannot write would pass for a value the next time.
      return { value: { error: isErrorCode(cell.code) ? cell.code : '#VALUE!' }, style: {} };
    case 'formula':
      // So would the formula's text in a column of ours, and an empty cell would be ordered without: the error waits for the value itself.
      return { value: field === undefined ? writtenText(cellText(cell)) : { error: '#N/A' }, style: textStyle };
  }
}

function isErrorCode(code: string): code is CellErrorValue['error'] {
  return ERRORS.has(code);
}

/** Wall-clock time as exceljs writes it: as UTC. Spreadsheets know no day before 1900. */
function writtenDate(iso: string, format: string | undefined): { value: CellValue; style: Partial<Style> } {
  const at = Date.parse(iso.includes('T') ? `${iso.replace(/Z$/, '')}Z` : `${iso}T00:00:00Z`);
  if (Number.isNaN(at) || iso < '1900-03-01') return { value: iso, style: {} };
  const midnight = at % 86_400_000 === 0;
  return { value: new Date(at), style: { numFmt: format ?? (midnight ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm') } };
}

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
  cell.note = {
    texts: [{ text, font: { name: FONT, size: 10 } }],
    margins: { insetmode: 'custom', inset: [0.1, 0.1, 0.1, 0.1] },
    editAs: 'absolute',
  };
  const anchor = boxBeside(Number(cell.col) - 1, Number(cell.row) - 1, text, widthOf);
  const holder = cell as unknown as { _comment: Comment };
  const { model } = holder._comment;
  holder._comment = { ...holder._comment, model: { ...model, anchor } };
}

function boxBeside(column: number, row: number, text: string, widthOf: (index: number) => number): Anchor {
  const left = column + 1.15;
  let right = left;
  for (let characters = LINE_LENGTH; characters > 0;) {
    const width = widthOf(Math.floor(right));
    const room = width * (Math.floor(right) + 1 - right);
    if (room >= characters) {
      right += characters / width;
      break;
    }
    characters -= room;
    right = Math.floor(right) + 1;
  }
  const lines = text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / (LINE_LENGTH - 4))), 0);
  const top = Math.max(0, row - 0.5);
  return { left, right, top, bottom: top + lines * 0.95 + 0.8 };
}
