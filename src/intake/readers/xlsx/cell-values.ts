import { getFormatInfo, isValidFormat } from 'numfmt';
import { z } from 'zod';
import type { Cell } from '../../../domain/cells.ts';
import type { Package } from './package.ts';
import type { SharedStrings } from './shared-strings.ts';
import { vocabulary } from '../../vocabulary.ts';
import { isStrikeOn, type TextRun, unescapeCharacters } from './text-runs.ts';
import { readXmlPart } from './xml-part.ts';

export type CellContext = Readonly<{
  sharedStrings: SharedStrings | undefined;
  formats: readonly NumberFormat[];
  date1904: boolean;
}>;

export type RawCell = Readonly<{
  /** The `t` attribute; default `n`. */
  type: string;
  style: number;
  value?: string | undefined;
  inline?: string | undefined;
  runs?: TextRun[];
  formula?: string;
}>;

export function runsOf(raw: RawCell, { sharedStrings }: CellContext) {
  return raw.type === 's' ? sharedStrings?.runs.get(Number(raw.value)) : raw.runs;
}

export function percentDecoded(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MISSING_TEXT = '#MISSING-TEXT!';

export function cellOf(raw: RawCell, context: CellContext): Cell | undefined {
  const value = raw.value ?? '';
  if (raw.inline !== undefined && (raw.type === 'inlineStr' || value === '')) return textCell(raw.inline);
  if (value === '' && raw.formula !== undefined && !(raw.type === 'str' && raw.value !== undefined))
    return { kind: 'formula', formula: raw.formula };
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
      return textCell(value);
  }
}

function sharedTextCell(index: number, context: CellContext): Cell | undefined {
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

function numberCell(value: string, format: NumberFormat, date1904: boolean): Cell | undefined {
  const raw = value.trim();
  if (raw === '') return undefined;
  const number = Number(raw);
  if (!Number.isFinite(number) || !NUMBER.test(raw)) return textCell(value);
  const iso =
    format.shows === 'number' || (format.shows === 'time' && number < 1) ? undefined : isoOfSerial(number, date1904);
  if (iso !== undefined) return { kind: 'date', iso, raw, format: format.code };
  return { kind: 'number', value: number, raw, format: format.code, date1904: date1904 || undefined };
}

export async function readCellFormats(pack: Package, partName: string) {
  const custom = new Map<number, NumberFormat>();
  const cells: (readonly number[])[] = [];
  const fills: (string | undefined)[] = [];
  const struckFonts = new Set<number>();
  let fonts = 0;
  let list = '';
  await readXmlPart(pack, partName, (name, attributes, depth) => {
    if (depth === 1) list = name;
    if (depth === 3 && list === 'fonts' && isStrikeOn(name, attributes)) struckFonts.add(fonts - 1);
    if (depth === 4 && list === 'fills' && name === 'fgColor')
      fills[fills.length - 1] = Object.values(attributes).join();
    if (depth !== 2) return;
    if (list === 'fills') fills.push(undefined);
    if (list === 'fonts' && name === 'font') fonts += 1;
    if (list === 'numFmts' && name === 'numFmt')
      custom.set(Number(attributes['numFmtId']), formatOfCode(attributes['formatCode'] ?? ''));
    if (list === 'cellXfs' && name === 'xf')
      cells.push(['numFmtId', 'fontId', 'fillId'].map((id) => Number(attributes[id] ?? 0)));
  });
  const known = new Map<number, NumberFormat>();
  return cells.map(([id = 0, fontId = 0, fillId = 0]) => {
    const format = known.get(id) ?? custom.get(id) ?? (id === 0 ? GENERAL : builtInFormat(id));
    known.set(id, format);
    return { ...format, struck: struckFonts.has(fontId), fill: fills[fillId] };
  });
}

type NumberFormat = Readonly<{
  /** Undefined for General, and for built-in date formats that differ by language. */
  code: string | undefined;
  /** `time` is without a day; `number` is everything else, even durations (`[h]:mm`). */
  shows: 'number' | 'date' | 'time';
  struck?: boolean;
  fill?: string | undefined;
}>;

const codes = vocabulary('number-formats', z.record(z.string(), z.string()));

const GENERAL: NumberFormat = { code: undefined, shows: 'number' };

/** Unknown ids are General, as in Excel. */
export function builtInFormat(id: number): NumberFormat {
  const code = codes()[id];
  if (code !== undefined) return formatOfCode(code);
  // East Asian dates, which differ by language.
  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return { code: undefined, shows: 'date' };
  return GENERAL;
}

const SHOWS: Readonly<Record<string, NumberFormat['shows']>> = { date: 'date', datetime: 'date', time: 'time' };

export function formatOfCode(code: string): NumberFormat {
  if (/^(?:general|standard)?$/i.test(code.trim())) return GENERAL;
  if (!isValidFormat(code)) return { code, shows: looksLikeDate(code) ? 'date' : 'number' };
  const { type } = getFormatInfo(code);
  return { code, shows: /\[(?:h+|m+|s+)\]/i.test(code) ? 'number' : (SHOWS[type] ?? 'number') };
}

function looksLikeDate(code: string) {
  const letters = code.replace(/"[^"]*"?|[\\_*][\s\S]?|\[[^\]]*\]?/g, '');
  return /[yd]|m{3}/i.test(letters) && !/[#?0]/.test(letters);
}

const MS_PER_DAY = 86_400_000;
const SECONDS_PER_DAY = 86_400;
const LAST_SERIAL_1900 = 2_958_465;
const DAYS_BETWEEN_SYSTEMS = 1462;
const FLOATING_ERROR_SECONDS = 0.001;

/** Wall-clock time, cut to seconds. Undefined before the first day, after year 9999, and for 60 (1900-02-29, which did not exist). */
export function isoOfSerial(serial: number, date1904: boolean) {
  const seconds = Math.floor(serial * SECONDS_PER_DAY + FLOATING_ERROR_SECONDS);
  const day = Math.floor(seconds / SECONDS_PER_DAY) + (date1904 ? DAYS_BETWEEN_SYSTEMS : 0);
  if (!(serial >= 0) || day < 1 || day === 60 || day > LAST_SERIAL_1900) return undefined;
  // Excel treats 1900 as a leap year.
  const dayMs = Date.UTC(1899, 11, day < 60 ? 31 : 30) + day * MS_PER_DAY;
  const secondOfDay = seconds - Math.floor(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  const iso = new Date(dayMs + secondOfDay * 1000).toISOString();
  return secondOfDay === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}

export function isoOfDateText(text: string) {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/.exec(
    text.trim(),
  );
  const [, date, hour = '00', minute = '00', second = '00'] = match ?? [];
  if (date === undefined) return undefined;
  const iso = `${date}T${hour}:${minute}:${second}`;
  const time = new Date(`${iso}Z`);
  // A date such as 02-30 becomes another day, or none.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== iso) return undefined;
  return iso.endsWith('T00:00:00') ? date : iso;
}
