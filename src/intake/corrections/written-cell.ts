import type { Cell as WrittenCell, CellErrorValue, CellValue, Style } from 'exceljs';
import { cellText, type Cell } from '../../domain/cells.ts';
import { escapeInvisible } from '../../domain/text.ts';
import type { FieldKind, OrderField } from '../fields.ts';

export const FONT = 'Calibri';
export const BOLD = { name: FONT, size: 11, bold: true };

/** Numbers typed into these columns must stay text. */
export const TEXT_KINDS: ReadonlySet<FieldKind> = new Set(['id', 'zip', 'phone']);

export const FILLS = {
  header: 'FFE3E8EE',
  added: 'FFFFD8A8',
  error: 'FFFFC9C9',
  warning: 'FFFFF3BF',
  repaired: 'FFE7F5FF',
} as const;

export async function newWorkbook(path: string, useSharedStrings: boolean) {
  const { default: WorkbookWriter } = await import('exceljs/lib/stream/xlsx/workbook-writer.js');
  const workbook = new WorkbookWriter({ filename: path, useStyles: true, useSharedStrings });
  workbook.creator = 'inspection-batch';
  return workbook;
}

export function underlineLink(cell: WrittenCell) {
  cell.font = { name: FONT, size: 11, underline: true, color: { argb: 'FF1C5D99' } };
}

const LINK_TEXT_MAX = 255;

/** A formula, because Excel allows only 65,530 links per sheet. */
export function linkFormula(sheet: string, address: string, text: string) {
  const inFormula = (part: string) => part.replaceAll('"', '""');
  const shown = visibleText(text).slice(0, LINK_TEXT_MAX / 2);
  const target = `#'${sheet.replaceAll("'", "''")}'!${address}`;
  return { formula: `HYPERLINK("${inFormula(target)}","${inFormula(shown)}")`, result: shown };
}

export function paint(cell: WrittenCell, color: string) {
  cell.style = { ...cell.style, fill: { type: 'pattern', pattern: 'solid', fgColor: { argb: color } } };
}

const TEXT_LENGTH_MAX = 32_767;
const ERRORS = new Set(['#N/A', '#REF!', '#NAME?', '#DIV/0!', '#NULL!', '#VALUE!', '#NUM!']);

/** Text that a spreadsheet returns unchanged: no escapes, no bare carriage returns, within a cell's limit. */
export function writtenText(text: string) {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/_x(?=[0-9A-Fa-f]{4}_)/g, '_x005F_x')
    .slice(0, TEXT_LENGTH_MAX);
}

export function visibleText(text: string) {
  return writtenText(escapeInvisible(text));
}

/** Never a formula, so that text beginning with `=` stays text. */
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
      // Written as text, an unknown error code would be read as a value next time.
      return { value: { error: isErrorCode(cell.code) ? cell.code : '#VALUE!' }, style: {} };
    case 'formula':
      // A formula's text would be read as a value too, and an empty cell would be ordered without it.
      return { value: field === undefined ? writtenText(cellText(cell)) : { error: '#N/A' }, style: textStyle };
  }
}

function isErrorCode(code: string): code is CellErrorValue['error'] {
  return ERRORS.has(code);
}

/** exceljs writes the wall-clock time in UTC. Spreadsheets have no days before 1900. */
function writtenDate(iso: string, format: string | undefined) {
  const at = Date.parse(iso.includes('T') ? `${iso.replace(/Z$/, '')}Z` : `${iso}T00:00:00Z`);
  if (Number.isNaN(at) || iso < '1900-03-01') return { value: iso, style: {} };
  const midnight = at % 86_400_000 === 0;
  return { value: new Date(at), style: { numFmt: format ?? (midnight ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm') } };
}

const LINE_LENGTH = 44;

/** exceljs sizes a comment only with an anchor, which its types omit. */
interface Comment {
  readonly model: object;
}

export function addComment(cell: WrittenCell, lines: readonly string[], widthOf: (index: number) => number) {
  const text = visibleText(lines.join('\n'));
  cell.note = {
    texts: [{ text, font: { name: FONT, size: 10 } }],
    margins: { insetmode: 'custom', inset: [0.1, 0.1, 0.1, 0.1] },
    editAs: 'absolute',
  };
  const anchor = boxBeside(Number(cell.col) - 1, Number(cell.row) - 1, text, widthOf);
  const holder = cell as unknown as { _comment: Comment };
  holder._comment = { ...holder._comment, model: { ...holder._comment.model, anchor } };
}

function boxBeside(column: number, row: number, text: string, widthOf: (index: number) => number) {
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
