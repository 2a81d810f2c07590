/* What a spreadsheet shows for a cell: numbers and dates under their formats. */

import { cellText } from '../../domain/cells.ts';
import type { Cell } from '../../domain/row.ts';

/** What a spreadsheet shows for a cell: by its number format, where it has one that is understood. */
export function shownText(cell: Cell | undefined): string {
  switch (cell?.kind) {
    case 'number':
      return numberShown(cell)?.text ?? cellText(cell);
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

/** The time that a program's format shows behind every date. */
const MIDNIGHT = / 0?0:00(?::00)?$/;

/** `"3/5/2026"`, or `"5-Mar" (2026-03-05)` where the cell shows something other than what it holds. */
export function shownAndHeld(cell: Cell): string {
  const held = cellText(cell);
  const shown = cell.kind === 'date' ? shownText(cell).replace(MIDNIGHT, '') : shownText(cell);
  return shown === held ? `"${held}"` : `"${shown}" (it holds ${held})`;
}

/** How a spreadsheet shows a number under a number format. */
export interface NumberDisplay {
  readonly text: string;
  /** The number is dressed as an amount: thousands, decimals, percent, a currency, or in scientific form. What a name looks like has none of them. */
  readonly amount: boolean;
  readonly scientific: boolean;
  readonly percent: boolean;
  /** How many thousands it is divided by: 1 for `#,##0,`. */
  readonly thousands: number;
  /** Decimals shown. */
  readonly decimals: number;
  /** The fixed text shown around the digits: `$`, `k`, `HO-`. */
  readonly literals: string;
}

type Part =
  | { readonly kind: 'whole' | 'decimal'; readonly place: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'point' }
  | { readonly kind: 'general' };

/** One section of a format, taken apart. */
interface Section {
  readonly parts: readonly Part[];
  readonly condition: { readonly operator: string; readonly limit: number } | undefined;
  readonly grouped: boolean;
  readonly thousands: number;
  readonly percents: number;
  readonly scientific: boolean;
  readonly decimals: number;
  readonly literals: string;
  readonly amount: boolean;
}

/** A spreadsheet keeps and shows 15 digits of a number; what stood after them is gone. */
export const DIGITS_KEPT = 15;

const TOKEN =
  /"([^"]*)"?|\\([\s\S])|_[\s\S]|\*[\s\S]|\[([^\]]*)\]?|(general|standard)|(E[+-])|([0#?])|([.,%])|([\s\S])/gi;
const CONDITION = /^(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)$/;

function sectionsOf(format: string): string[] {
  return format.match(/(?:"[^"]*"?|\\[\s\S]?|\[[^\]]*\]?|[^;"\\[])+|(?<=^|;)(?=;|$)/g) ?? [];
}

/** Undefined for what is neither digits nor fixed text: fractions, and text formats. */
function readSection(text: string): Section | undefined {
  const parts: Part[] = [];
  let [condition, scientific, decimals, grouped, commas, percents]: [
    Section['condition'],
    boolean,
    boolean,
    boolean,
    number,
    number,
  ] = [undefined, false, false, false, 0, 0];
  for (const [whole, quotedText, escaped, bracket, general, exponent, place, mark, other] of text.matchAll(TOKEN)) {
    if (place !== undefined) {
      if (scientific) continue;
      if (!decimals && commas > 0) [grouped, commas] = [true, 0];
      parts.push({ kind: decimals ? 'decimal' : 'whole', place });
    } else if (mark === '.') {
      decimals = true;
      parts.push({ kind: 'point' });
    } else if (mark === ',') commas += 1;
    else if (exponent !== undefined) scientific = true;
    else if (general !== undefined) parts.push({ kind: 'general' });
    else if (bracket !== undefined) {
      const [, operator, limit] = CONDITION.exec(bracket) ?? [];
      if (operator !== undefined) condition = { operator, limit: Number(limit) };
      const symbol = /^\$([^-]*)/.exec(bracket)?.[1] ?? '';
      if (symbol !== '') parts.push({ kind: 'literal', text: symbol });
    } else if (mark === '%') {
      percents += 1;
      parts.push({ kind: 'literal', text: '%' });
    } else if (other === '/' || other === '@') return undefined;
    else if (!/^[_*]./s.test(whole)) parts.push({ kind: 'literal', text: quotedText ?? escaped ?? other ?? '' });
  }
  const literals = parts.flatMap((part) => (part.kind === 'literal' ? [part.text] : [])).join('');
  const places = parts.filter(({ kind }) => kind === 'decimal').length;
  return {
    parts,
    condition,
    grouped,
    thousands: commas,
    percents,
    scientific,
    literals,
    decimals: parts.some(({ kind }) => kind === 'general') ? DIGITS_KEPT : places,
    amount: grouped || commas > 0 || places > 0 || percents > 0 || scientific || /[$€£¥₹]/.test(literals),
  };
}

function holds(value: number, { operator, limit }: NonNullable<Section['condition']>): boolean {
  switch (operator) {
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
    case '=':
      return value === limit;
    default:
      return value !== limit;
  }
}

/** The section for a value, and whether the section itself says that the value is below zero. */
function sectionFor(value: number, sections: readonly Section[]): { section: Section | undefined; signed: boolean } {
  if (sections.some(({ condition }) => condition !== undefined)) {
    return {
      section: sections.find(({ condition }) => condition === undefined || holds(value, condition)),
      signed: false,
    };
  }
  if (value < 0 && sections.length > 1) return { section: sections[1], signed: true };
  return { section: value === 0 && sections.length > 2 ? sections[2] : sections[0], signed: false };
}

/** The whole digits, each at its place from the right; the first place takes those that are too many. */
function digitsInPlaces(digits: string, places: readonly string[], grouped: boolean): string[] {
  return places.map((place, index) => {
    const fromRight = places.length - index;
    const held =
      index === 0
        ? digits.slice(0, Math.max(0, digits.length - fromRight + 1))
        : digits.slice(-fromRight, digits.length - fromRight + 1);
    const shown = held !== '' && digits.length >= fromRight ? held : place === '0' ? '0' : place === '?' ? ' ' : '';
    if (!grouped || !/\d/.test(shown)) return shown;
    const afterLast = fromRight - 1;
    return shown.replace(/\d/g, (digit, at: number) => {
      const after = afterLast + shown.length - 1 - at;
      return after > 0 && after % 3 === 0 ? `${digit},` : digit;
    });
  });
}

function shownBy(section: Section, magnitude: number): string {
  const wholePlaces = section.parts.flatMap((part) => (part.kind === 'whole' ? [part.place] : []));
  const decimalPlaces = section.parts.flatMap((part) => (part.kind === 'decimal' ? [part.place] : []));
  const scaled = (magnitude * 100 ** section.percents) / 1000 ** section.thousands;
  const [mantissa = '', exponent] = (
    section.scientific ? scaled.toExponential(decimalPlaces.length) : scaled.toFixed(decimalPlaces.length)
  ).split('e');
  const [whole = '', decimals = ''] = mantissa.split('.');
  const digits = digitsInPlaces(whole === '0' ? '' : whole, wholePlaces, section.grouped);
  const kept = decimals.replace(/(?<!0)0+$/, '').length;
  let [wholeAt, decimalAt] = [0, 0];
  const shown = section.parts.map((part): string => {
    switch (part.kind) {
      case 'literal':
        return part.text;
      case 'general':
        return String(Number(magnitude.toPrecision(DIGITS_KEPT)));
      case 'point':
        return '.';
      case 'whole':
        wholeAt += 1;
        return digits[wholeAt - 1] ?? '';
      case 'decimal':
        decimalAt += 1;
        return part.place === '#' && decimalAt > kept ? '' : (decimals[decimalAt - 1] ?? '');
    }
  });
  const power = exponent === undefined ? '' : `E${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
  return `${shown.join('')}${power}`.trim();
}

const FORMATS_KEPT_MAX = 1000;
const readFormats = new Map<string, readonly Section[] | undefined>();

function readFormat(format: string): readonly Section[] | undefined {
  if (readFormats.has(format)) return readFormats.get(format);
  // A fourth section is for text.
  const sections = sectionsOf(format).slice(0, 3).map(readSection);
  const read = sections.every((section) => section !== undefined) ? sections : undefined;
  if (readFormats.size >= FORMATS_KEPT_MAX) readFormats.clear();
  readFormats.set(format, read);
  return read;
}

/** How the spreadsheet shows a number cell; undefined where it has no format, or one that is not understood. */
export function numberShown({ value, format }: Extract<Cell, { kind: 'number' }>): NumberDisplay | undefined {
  return format === undefined ? undefined : numberDisplay(value, format);
}

/** How a spreadsheet shows a number; undefined for formats that are not understood, such as fractions. */
export function numberDisplay(value: number, format: string): NumberDisplay | undefined {
  const sections = readFormat(format);
  if (sections === undefined || !Number.isFinite(value) || Math.abs(value) >= 1e21) return undefined;
  const { section, signed } = sectionFor(value, sections);
  if (section === undefined) return undefined;
  return {
    // Few ask for it.
    get text() {
      return `${value < 0 && !signed ? '-' : ''}${shownBy(section, Math.abs(value))}`;
    },
    amount: section.amount,
    scientific: section.scientific,
    percent: section.percents > 0,
    thousands: section.thousands,
    decimals: section.decimals,
    literals: section.literals,
  };
}

export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DATE_TOKEN = /"([^"]*)"?|\\([\s\S])|[_*][\s\S]|\[[^\]]*\]?|(am\/pm|a\/p)|(y+|m+|d+|h+|s+)|([\s\S])/gi;

/** How a spreadsheet shows a wall-clock moment (`2026-03-05` or `2026-03-05T14:30:00`) under a date format such as `m/d/yyyy`. */
export function shownDate(iso: string, format: string): string {
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00'] =
    /^(\d+)-(\d+)-(\d+)(?:T(\d+):(\d+)(?::(\d+))?)?/.exec(iso) ?? [];
  const twelve = /am\/pm|a\/p/i.test(format);
  const tokens = [...(format.split(';')[0] ?? '').matchAll(DATE_TOKEN)];
  const unit = (at: number): string => tokens[at]?.[4]?.[0]?.toLowerCase() ?? '';
  const besides = (at: number, step: number): string => {
    let next = at + step;
    while (tokens[next] !== undefined && unit(next) === '') next += step;
    return unit(next);
  };
  const padded = (held: string, length: number): string => (length > 1 ? held.padStart(2, '0') : String(Number(held)));
  const name = (names: readonly string[], index: number, length: number): string =>
    length > 3 ? (names[index] ?? '') : (names[index] ?? '').slice(0, 3);
  return tokens
    .map(([whole, quotedText, escaped, half, run, other], at) => {
      if (half !== undefined) return Number(hour) < 12 ? 'AM' : 'PM';
      if (run === undefined) return quotedText ?? escaped ?? (/^[_*[]/.test(whole) ? '' : (other ?? ''));
      switch (unit(at)) {
        case 'y':
          return run.length > 2 ? year : year.slice(-2);
        case 'd':
          return run.length > 2
            ? name(DAY_NAMES, new Date(`${iso.slice(0, 10)}T00:00:00Z`).getUTCDay(), run.length)
            : padded(day, run.length);
        case 'h':
          return padded(twelve ? String(Number(hour) % 12 || 12) : hour, run.length);
        case 's':
          return padded(second, run.length);
        default:
          if (run.length < 3 && (besides(at, -1) === 'h' || besides(at, 1) === 's')) return padded(minute, run.length);
          return run.length > 2 ? name(MONTH_NAMES, Number(month) - 1, run.length) : padded(month, run.length);
      }
    })
    .join('')
    .trim();
}
