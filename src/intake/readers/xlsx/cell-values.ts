/* What a cell of a worksheet holds: its type, its number format, its date. */

import type { Cell } from '../../../domain/row.ts';
import type { Reading } from '../row-source.ts';
import { unescapeCharacters } from './plain-xml.ts';
import { readXmlPart } from './xml-feed.ts';
import type { SharedStrings } from './shared-strings.ts';
import { strikes, type TextRun } from './text-runs.ts';

/** What the cells of a workbook refer to. */
export interface CellContext {
  /** Undefined where the workbook has no table of them. */
  readonly sharedStrings: SharedStrings | undefined;
  readonly formats: CellFormats;
  readonly date1904: boolean;
}

/** A cell as its XML has it. */
export interface RawCell {
  /** The `t` attribute; `n` where there is none. */
  readonly type: string;
  /** The style's index. */
  readonly style: number;
  /** The text of `<v>`; undefined where there is no such element. */
  readonly value: string | undefined;
  /** The text of `<is>`, runs joined; undefined where there is no such element. */
  readonly inline: string | undefined;
  /** The runs of `<is>`; left out where it has none. */
  readonly runs?: readonly TextRun[] | undefined;
  /** Undefined where the cell holds no formula. */
  readonly formula: string | undefined;
}

/** The runs of a cell's text; undefined where it has none, or where none of them could be struck through. */
export function runsOf(raw: RawCell, { sharedStrings }: CellContext): readonly TextRun[] | undefined {
  return raw.type === 's' ? sharedStrings?.runs.get(Number(raw.value)) : raw.runs;
}

/** The e-mail address of a formula such as `HYPERLINK("mailto:maria@x.com","Maria")`; undefined for any other. */
export function mailOfFormula(formula: string | undefined): string | undefined {
  return formula === undefined ? undefined : mailOfLink(/^\s*HYPERLINK\(\s*"([^"]*)"/i.exec(formula)?.[1] ?? '');
}

/** The e-mail address of a link's target; undefined where it leads to something else. */
export function mailOfLink(target: string): string | undefined {
  let plain = target;
  try {
    plain = decodeURIComponent(target);
  } catch {
    // A sign of per cent that stands for itself.
  }
  return /^mailto:([^?\s]+@[^?\s]+)/i.exec(plain)?.[1];
}

/** The error code of a cell whose text is not in the workbook's table: such a file was broken by whatever wrote it. */
const MISSING_TEXT = '#MISSING-TEXT!';

/** What a cell holds; undefined where it is empty. */
export function cellOf(raw: RawCell, context: CellContext): Cell | undefined {
  const value = raw.value ?? '';
  if (raw.inline !== undefined && (raw.type === 'inlineStr' || value === '')) return textCell(raw.inline);
  if (value === '' && raw.formula !== undefined && !(raw.type === 'str' && raw.value !== undefined)) {
    return { kind: 'formula', formula: raw.formula };
  }
  switch (raw.type) {
    case 's':
      return value.trim() === '' ? undefined : sharedTextCell(Number(value), context);
    case 'b':
      return booleanCell(value);
    case 'e':
      return value === '' ? undefined : { kind: 'error', code: value };
    case 'd':
      return dateCell(value);
    case 'n':
    case '':
      return numberCell(value, context.formats[raw.style] ?? GENERAL, context.date1904);
    default:
      // `str`, `inlineStr` with a `<v>`, and types that nobody has thought of yet.
      return textCell(value);
  }
}

/** The cell of a shared string. */
export function sharedTextCell(index: number, context: CellContext): Cell | undefined {
  const cell = context.sharedStrings?.cell(index) ?? (context.sharedStrings === undefined ? 'missing' : undefined);
  return cell === 'missing' ? { kind: 'error', code: MISSING_TEXT } : cell;
}

function textCell(escaped: string): Cell | undefined {
  return escaped === '' ? undefined : { kind: 'text', text: unescapeCharacters(escaped) };
}

function booleanCell(value: string): Cell | undefined {
  const word = value.trim();
  if (word === '1' || word === 'true') return { kind: 'boolean', value: true };
  if (word === '0' || word === 'false') return { kind: 'boolean', value: false };
  return textCell(value);
}

function dateCell(value: string): Cell | undefined {
  const iso = isoOfDateText(value);
  return iso === undefined ? textCell(value) : { kind: 'date', iso, raw: value };
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The cell of a number as the file spells it: a date where its format shows one, text where it is none. */
export function numberCell(value: string, format: NumberFormat, date1904: boolean): Cell | undefined {
  const raw = value.trim();
  if (raw === '') return undefined;
  const number = Number(raw);
  if (!Number.isFinite(number) || !NUMBER.test(raw)) return textCell(value);
  const iso =
    format.shows === 'number' || (format.shows === 'time' && number < 1) ? undefined : isoOfSerial(number, date1904);
  if (iso !== undefined)
    return format.code === undefined ? { kind: 'date', iso, raw } : { kind: 'date', iso, raw, format: format.code };
  return plainNumberCell(number, raw, format, date1904);
}

/** The cell of a number that its format shows as one. */
export function plainNumberCell(value: number, raw: string, { code }: NumberFormat, date1904: boolean): Cell {
  const cell =
    code === undefined
      ? ({ kind: 'number', value, raw } as const)
      : ({ kind: 'number', value, raw, format: code } as const);
  return date1904 ? { ...cell, date1904 } : cell;
}

/** The number format of each cell style, by the style's index, and whether it strikes the cell through. */
export type CellFormats = readonly NumberFormat[];

/** Reads which number format each cell style has. */
export async function readCellFormats(
  chunks: AsyncIterable<Uint8Array>,
  partName: string,
  reading: Reading,
): Promise<CellFormats> {
  const custom = new Map<number, NumberFormat>();
  const cells: { readonly formatId: number; readonly fontId: number }[] = [];
  const struckFonts = new Set<number>();
  let fonts = 0;
  let list = '';
  await readXmlPart(
    chunks,
    (name, attributes, depth) => {
      if (depth === 1) list = name;
      if (depth === 3 && list === 'fonts' && strikes(name, attributes)) struckFonts.add(fonts - 1);
      if (depth !== 2) return;
      if (list === 'fonts' && name === 'font') fonts += 1;
      if (list === 'numFmts' && name === 'numFmt')
        custom.set(Number(attributes['numFmtId']), formatOfCode(attributes['formatCode'] ?? ''));
      if (list === 'cellXfs' && name === 'xf')
        cells.push({ formatId: Number(attributes['numFmtId'] ?? 0), fontId: Number(attributes['fontId'] ?? 0) });
    },
    partName,
    reading,
  );
  const known = new Map<number, NumberFormat>();
  return cells.map(({ formatId: id, fontId }) => {
    const format = known.get(id) ?? custom.get(id) ?? (id === 0 ? GENERAL : builtInFormat(id));
    known.set(id, format);
    return struckFonts.has(fontId) ? { ...format, struck: true } : format;
  });
}

/** What a cell's style makes of a number. */
export interface NumberFormat {
  /** The format's code; undefined for General and for the built-in date formats that differ by language. */
  readonly code: string | undefined;
  /** `date` and `time` show a moment, `time` without a day; `number` is everything else, durations such as `[h]:mm` included. */
  readonly shows: 'number' | 'date' | 'time';
  /** True where its font strikes the cell through. */
  readonly struck?: true;
}

/** The built-in formats that every language shares, by id. */
const BUILT_IN_CODES: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0;-$#,##0',
  6: '$#,##0;[Red]-$#,##0',
  7: '$#,##0.00;-$#,##0.00',
  8: '$#,##0.00;[Red]-$#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0;-#,##0',
  38: '#,##0;[Red]-#,##0',
  39: '#,##0.00;-#,##0.00',
  40: '#,##0.00;[Red]-#,##0.00',
  41: '_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-',
  42: '_-$* #,##0_-;-$* #,##0_-;_-$* "-"_-;_-@_-',
  43: '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-',
  44: '_-$* #,##0.00_-;-$* #,##0.00_-;_-$* "-"??_-;_-@_-',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
};

export const GENERAL: NumberFormat = { code: undefined, shows: 'number' };

/** A built-in format by its id. Ids that stand for nothing known are General, as in Excel. */
export function builtInFormat(id: number): NumberFormat {
  const code = BUILT_IN_CODES[id];
  if (code !== undefined) return formatOfCode(code);
  // East Asian dates; their codes differ by the language of the Excel that wrote them.
  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return { code: undefined, shows: 'date' };
  return GENERAL;
}

/** A format by its code, such as `yyyy-mm-dd;@`. */
export function formatOfCode(code: string): NumberFormat {
  // The first section is the one for positive numbers, and every date is one.
  const section = withoutLiterals(code).split(';', 1)[0] ?? '';
  if (/^(?:general|standard)?$/i.test(section.trim()))
    return /[;"\\[]/.test(code) ? { code, shows: 'number' } : GENERAL;
  return { code, shows: whatSectionShows(section) };
}

/** Quoted text, `\x` (a literal), `_x` (a space as wide as x), `*x` (a fill), and brackets other than elapsed time. */
function withoutLiterals(code: string): string {
  return code.replace(/"[^"]*"?|[\\_*][\s\S]?|\[(?!(?:h+|m+|s+)\])[^\]]*\]?/gi, '');
}

function whatSectionShows(section: string): NumberFormat['shows'] {
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'number';
  const letters = section.replace(/general|standard/gi, '').replace(/E[+-]/gi, '');
  // A digit's place beside a letter, as in `CHF 0.00`, means that the letter is a careless literal. Fractions of seconds are the exception.
  if (/[#?0]/.test(letters.replace(/s\.0+/gi, 's'))) return 'number';
  if (/[ydgeb]/i.test(letters) || /m{3,}/i.test(letters)) return 'date';
  if (/[hs]|a\/p|am\/pm/i.test(letters)) return 'time';
  return /m/i.test(letters) ? 'date' : 'number';
}

const MS_PER_DAY = 86_400_000;
const SECONDS_PER_DAY = 86_400;
/** 9999-12-31, the last day that Excel knows. */
const LAST_SERIAL_1900 = 2_958_465;
const DAYS_BETWEEN_SYSTEMS = 1462;
/** How far below a whole second a serial number may be that means it. */
const FLOATING_ERROR_SECONDS = 0.001;

/**
 * The wall-clock moment of a serial number: `2026-03-05`, or `2026-03-05T14:30:00` where it has a time, cut to the second as in dates written as
 * text: the last half second before midnight belongs to its day.
 * Undefined where there is none: below the first day, beyond year 9999, and for 60, which Excel shows as 1900-02-29, a day that never was.
 * @param date1904 whether days count from 1904-01-01, as in workbooks from old Macs.
 */
export function isoOfSerial(serial: number, date1904: boolean): string | undefined {
  const seconds = Math.floor(serial * SECONDS_PER_DAY + FLOATING_ERROR_SECONDS);
  const day = Math.floor(seconds / SECONDS_PER_DAY) + (date1904 ? DAYS_BETWEEN_SYSTEMS : 0);
  if (!(serial >= 0) || day < 1 || day === 60 || day > LAST_SERIAL_1900) return undefined;
  // Excel takes 1900 for a leap year, so serials before its 29 February count from a day later.
  const dayMs = Date.UTC(1899, 11, day < 60 ? 31 : 30) + day * MS_PER_DAY;
  const secondOfDay = seconds - Math.floor(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  const iso = new Date(dayMs + secondOfDay * 1000).toISOString();
  return secondOfDay === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** The wall-clock moment of a `t="d"` cell, in the same form; undefined where its text is no such moment. */
export function isoOfDateText(text: string): string | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/.exec(
    text.trim(),
  );
  const [, date, hour = '00', minute = '00', second = '00'] = match ?? [];
  if (date === undefined) return undefined;
  const iso = `${date}T${hour}:${minute}:${second}`;
  const time = new Date(`${iso}Z`);
  // A day that is not in the calendar, such as 02-30, comes back as another one or as none.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== iso) return undefined;
  return iso.endsWith('T00:00:00') ? date : iso;
}
