export type Cell = Readonly<
  | { kind: 'text'; text: string }
  | {
      kind: 'number';
      value: number;
      /** The file's digits, such as `1E+15` or `02139`. */
      raw: string;
      /** The number format, such as `00000` or `0.00E+00`; undefined for General. */
      format?: string | undefined;
      date1904?: true | undefined;
    }
  /** A number shown by a date format, or a `t="d"` cell. `iso` is wall-clock: `2026-03-05` or `2026-03-05T14:30:00`. */
  | {
      kind: 'date';
      iso: string;
      raw: string;
      format?: string | undefined;
    }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'error'; code: string }
  | { kind: 'formula'; formula: string }
>;

export type NumberCell = Extract<Cell, { kind: 'number' }>;
export type DateCell = Extract<Cell, { kind: 'date' }>;

/** Numbers with the file's digits, dates as `YYYY-MM-DD`. */
export function cellText(cell: Cell | undefined) {
  if (cell === undefined) return '';
  switch (cell.kind) {
    case 'text':
      return cell.text;
    case 'number':
      return cell.raw;
    case 'date':
      return cell.iso.replace(/T00:00:00(\.0+)?$/, '');
    case 'boolean':
      return cell.value ? 'TRUE' : 'FALSE';
    case 'error':
      return cell.code;
    case 'formula':
      return cell.formula.startsWith('=') ? cell.formula : `=${cell.formula}`;
  }
}

const BLANK = /^(?:[\s\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f)*$/u;

export function isBlank(cell: Cell | undefined): cell is undefined | { kind: 'text'; text: string } {
  if (cell === undefined) return true;
  if (cell.kind !== 'text') return false;
  const first = cell.text.codePointAt(0) ?? 0;
  return !(first > 32 && first < 127) && BLANK.test(cell.text);
}

const LETTERS: string[] = [];

/** 0 is A, 26 is AA. */
export function columnLetters(index: number): string {
  return (LETTERS[index] ??=
    index < 26
      ? String.fromCodePoint(65 + index)
      : columnLetters(Math.floor(index / 26) - 1) + columnLetters(index % 26));
}

export function columnIndex(letters: string) {
  return Array.from(letters.toUpperCase()).reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

export function cellAddress(columnIndex: number, rowNumber: number) {
  return `${columnLetters(columnIndex)}${rowNumber}`;
}

const SHEET_NAME_LENGTH_MAX = 31;

/**
 * Valid and unused: at most 31 characters, none of `[ ] : * ? / \\`, no apostrophe at its ends, not `History`, not in
 * `taken` (lower case). `instead` replaces an empty name or `History`; `numbered` distinguishes repeats.
 */
export function sheetName(
  wanted: string,
  taken: ReadonlySet<string>,
  { instead, numbered }: { instead: string; numbered: (number: number) => string },
) {
  const clean = wanted
    .slice(0, 1000)
    .replaceAll(/[[\]:*?/\\\p{Cc}]+/gu, ' ')
    .replace(/^[\s']+|(?<![\s'])[\s']+$/g, '');
  const base = clean === '' || clean.toLowerCase() === 'history' ? instead : clean;
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : numbered(number);
    const name =
      base
        .slice(0, SHEET_NAME_LENGTH_MAX - ending.length)
        .toWellFormed()
        .trim() + ending;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

export function quoted(text: string, lengthMax = 60) {
  const short = text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text;
  return `"${short}"`;
}

export function columnLabel({ index, header }: { index: number; header: string }) {
  return `${columnLetters(index)} ${quoted(header)}`;
}

export function formatList(items: readonly string[], joiner: 'and' | 'or' = 'and') {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${joiner} ${items.at(-1) ?? ''}`;
}
