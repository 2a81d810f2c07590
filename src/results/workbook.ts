import { z } from 'zod';
import { templateData } from '../contract/template-data.ts';
import { sheetName } from '../domain/cells.ts';
import { escapeInvisible } from '../domain/text.ts';

export const CELL_FORMATS = [
  'text',
  'wrapped',
  'single line',
  'title',
  'heading',
  'note',
  /** For input, several lines. */
  'input',
  'caption',
  /** Centered: Yes, No, a dash. */
  'word',
  'number',
  'grouped',
  /** Grouped, left-aligned for pages. */
  'amount',
  /** A number. */
  'zip',
  'dollars',
  'dollars and cents',
  'percent',
  'fraction of a percent',
  /** An Excel serial number, UTC wall clock. */
  'date',
  'time',
] as const;

export type CellFormat = (typeof CELL_FORMATS)[number];

export type Emphasis = 'alarm' | 'warning';

/** Strings are always text, never formulas. */
export type TableCell = Readonly<{
  value: string | number;
  format: CellFormat;
  emphasis?: Emphasis | undefined;
  /** Relative to the delivery, forward slashes, not encoded. */
  link?: string | undefined;
  /** In the linked page; not in CSV. */
  anchor?: string;
  note?: string | undefined;
  /** A target in this workbook, instead of a link. */
  place?: Readonly<{ sheet: string; cell: string }> | undefined;
}>;

export type SheetColumn = Readonly<{
  title: string;
  /** In characters. */
  width: number;
  /** Neighbors of one group share a header color. */
  group?: string | undefined;
  note?: string | undefined;
  /** Folds under the nearest unfoldable column to its left. */
  foldable?: boolean;
  choices?: readonly string[];
  /** Draws a bar behind each share, from 0 to 1. */
  bar?: boolean;
  /** Color a cell whose whole text is one of them, ignoring case. */
  coloredWords?: readonly Readonly<{ word: string; emphasis: Emphasis }>[] | undefined;
}>;

export type SheetOptions = Readonly<{
  name: string;
  columns: readonly SheetColumn[];
  /** A table has a header row with filters and frozen panes; a page has none. */
  kind: 'table' | 'page';
  /** Stay visible and print on each page. */
  frozenColumns?: number;
  /** The first columns to print; default all. */
  printedColumns?: number | undefined;
  /** `RRGGBB`. */
  tabColor?: string | undefined;
}>;

export type Picture = Readonly<{
  /** Its upper left cell, from 0; a table's header is row 0. */
  row: number;
  column: number;
  width: number;
  height: number;
  bytes: Uint8Array;
  description: string;
  link?: string | undefined;
}>;

interface SheetWriter {
  /** `undefined` is an empty cell. The row fits its text and is at least `height` points high. */
  row(cells: readonly (TableCell | undefined)[], height?: number): Promise<void>;
  picture(picture: Picture): void;
  /** Draws a bar behind each number in a column of the last `rows`. */
  bars(column: number, rows: number): void;
  /** The rows after these are not printed. Of a page. */
  endOfPrint(): void;
}

/**
 * Sheets keep the order of their creation and may be written in parallel. A table that is too long for a sheet
 * continues on another one right after it.
 */
export interface WorkbookWriter {
  sheet(options: SheetOptions): SheetWriter;
}

export const FIXED_SHEETS = {
  overview: 'Overview',
  results: 'Results',
  reports: 'Reports',
  attention: 'Attention',
  decisions: 'Decisions',
  roofs: 'Roofs',
  overdue: 'Overdue',
  ended: 'Ended',
  portfolio: 'Portfolio',
  changes: 'Changes',
  photos: 'Photos',
  notOrdered: 'Not ordered',
  surprises: 'Surprises',
  fields: 'Fields',
} as const;

/** For each list of the document, by path and in order: its sheet, and the name of one entry. */
export const listSheets: () => Readonly<Record<string, Readonly<{ sheet: string; one: string }>>> = templateData(
  'workbook/list-sheets',
  z.record(z.string(), z.strictObject({ sheet: z.string(), one: z.string() })),
);

export function reservedSheetNames() {
  return new Set(
    [...Object.values(FIXED_SHEETS), ...Object.values(listSheets()).map(({ sheet }) => sheet)].map((name) =>
      name.toLowerCase(),
    ),
  );
}

/** Has no apostrophes, since link formulas contain it. Adds it to `taken` in lower case. */
export function validSheetName(wanted: string, taken: Set<string>) {
  const words = wanted.replaceAll(/['\s]+/g, ' ').trim();
  const name = sheetName(words, taken, {
    instead: words.toLowerCase() === 'history' ? `List ${words}` : 'List',
    numbered: (number) => ` ${number}`,
  });
  taken.add(name.toLowerCase());
  return name;
}

export const DAY_MS = 86_400_000;
/** Of Excel's dates from March 1900. */
const SERIAL_EPOCH_MS = Date.UTC(1899, 11, 30);
const FIRST_MS = Date.UTC(1900, 2, 1);
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Undefined for an empty text. */
export const text = textAs('text');
export const wrapped = textAs('wrapped');
export const singleLine = textAs('single line');

function textAs(format: CellFormat) {
  return (value: string | null | undefined) => (value ? { value, format } : undefined);
}

export const count = numberAs('grouped');
export const digits = numberAs('number');

function numberAs(format: CellFormat) {
  return (value: number | undefined) => (value === undefined ? undefined : { value, format });
}

export function money(value: number | undefined): TableCell | undefined {
  return value === undefined ? undefined : { value, format: Number.isInteger(value) ? 'dollars' : 'dollars and cents' };
}

export function yesOrNo(value: boolean | undefined): TableCell | undefined {
  return value === undefined ? undefined : { value: yesNo(value), format: 'word' };
}

/** UTC wall clock, to the minute. */
export function time(epochMs: number | null): TableCell | undefined {
  return epochMs === null || !(epochMs >= FIRST_MS && epochMs <= LAST_MS)
    ? undefined
    : { value: serial(epochMs), format: 'time' };
}

/** A real `YYYY-MM-DD` as a date, anything else as text. */
export function date(iso: string | undefined): TableCell | undefined {
  if (iso === undefined || iso === '') return undefined;
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(iso);
  const ms = parts === null ? Number.NaN : Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  const exists = ms >= FIRST_MS && ms <= LAST_MS && new Date(ms).toISOString().startsWith(iso);
  return exists ? { value: serial(ms), format: 'date' } : text(iso);
}

export function yesNo(value: boolean) {
  return value ? 'Yes' : 'No';
}

export function withoutNoise(value: number) {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

/** 40 means 40%; stored as 0.4. */
export function percent(value: number): TableCell {
  return { value: withoutNoise(value / 100), format: Number.isInteger(value) ? 'percent' : 'fraction of a percent' };
}

function serial(epochMs: number) {
  return (epochMs - SERIAL_EPOCH_MS) / DAY_MS;
}

function isoTimeOf(excelSerial: number) {
  return new Date(Math.round(excelSerial * DAY_MS) + SERIAL_EPOCH_MS).toISOString();
}

const CELL_TEXT_LENGTH_MAX = 32_767;

/** Control characters except tab and line feed, and characters that XML 1.0 cannot hold. */
const ILLEGAL = /[^\t\n\P{Cc}]|[\uFFFE\uFFFF]/gu;

/** Excel reads `_x0041_` as a character, so the underscore is escaped. */
const ESCAPE_LIKE = /_(?=x[0-9A-Fa-f]{4}_)/g;

export function legalText(text: string) {
  const legal = escapeInvisible(text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(ILLEGAL, ''));
  const escaped = legal.replaceAll(ESCAPE_LIKE, '_x005F_');
  if (escaped.length <= CELL_TEXT_LENGTH_MAX) return escaped;
  const note = ` … [cut here: the text has ${legal.length} characters]`;
  return escaped.slice(0, CELL_TEXT_LENGTH_MAX - note.length).toWellFormed() + note;
}

export function linkTarget(path: string) {
  return path
    .split('/')
    .map((step) => encodeURIComponent(step))
    .join('/');
}

/** Dates and times in ISO 8601 (UTC), numbers without separators. */
export function tableCellText({ value, format }: TableCell) {
  if (typeof value === 'string') return value;
  if (format === 'date') return isoTimeOf(value).slice(0, 10);
  if (format === 'time') return isoTimeOf(value).replace('.000Z', 'Z');
  if (format === 'percent' || format === 'fraction of a percent') return `${withoutNoise(value * 100)}%`;
  return format === 'zip' ? String(value).padStart(5, '0') : String(value);
}
