import type { AttributeType, AttributeUnit, SummaryAttribute } from '../contract/summary-attributes.ts';
import { escapeInvisible } from '../domain/text.ts';
import type { AttributeColumn, AttributeColumns } from './tables/report-columns.ts';
import { type FlatRecord, isList, type Leaf, type Scalar } from './flatten.ts';
import type { TableCell, CellFormat } from './workbook-types.ts';

export const DAY_MS = 86_400_000;
/** Of Excel's dates from March 1900. */
const SERIAL_EPOCH_MS = Date.UTC(1899, 11, 30);
const FIRST_MS = Date.UTC(1900, 2, 1);
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const NOT_ASSESSED = '–';

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

export type ShownAs = Pick<AttributeColumn, 'attribute' | 'key' | 'counted'>;

/** Keeps a value of an unexpected type. */
export function attributeCell(leaf: Leaf, column: ShownAs): TableCell | undefined {
  if (isList(leaf)) return { value: leaf.length === 0 ? 'none' : leafText(leaf), format: 'text' };
  if (leaf === null) return { value: NOT_ASSESSED, format: dashFormat(column.attribute) };
  if (typeof leaf === 'boolean') return yesOrNo(leaf);
  if (typeof leaf === 'number') return numberCell(leaf, column);
  if (typeof leaf === 'string') return column.attribute?.unit === 'date' ? date(leaf) : text(leaf);
  return text(leaf.toString());
}

const NUMBERS: ReadonlySet<unknown> = new Set<AttributeType>(['number', 'percentages', 'counts', 'objects']);

function dashFormat(attribute: SummaryAttribute | undefined) {
  if (attribute?.type === 'boolean' || attribute?.type === 'flags') return 'word';
  return NUMBERS.has(attribute?.type) && attribute?.unit !== 'epoch seconds' ? 'number' : 'text';
}

export function leafText(leaf: Leaf) {
  return isList(leaf) ? leaf.map(scalarText).join('; ') : scalarText(leaf);
}

function scalarText(value: Scalar) {
  if (value === null) return NOT_ASSESSED;
  if (typeof value === 'boolean') return yesNo(value);
  return typeof value === 'number' ? String(withoutNoise(value)) : value.toString();
}

function yesNo(value: boolean) {
  return value ? 'Yes' : 'No';
}

function numberCell(value: number, { attribute, counted }: ShownAs): TableCell | undefined {
  if (!Number.isFinite(value)) return text(String(value));
  if (counted) return count(value);
  if (attribute?.type === 'percentages') return percent(value);
  if (attribute?.path === 'project.address.zipcode') return { value, format: 'zip' };
  if (attribute?.unit === 'epoch seconds') return time(value * 1000) ?? { value, format: 'number' };
  return {
    value: withoutNoise(value),
    format: Number.isInteger(value) && GROUPED.has(attribute?.unit) ? 'grouped' : 'number',
  };
}

const GROUPED: ReadonlySet<unknown> = new Set<AttributeUnit>(['sq ft', 'count']);

function withoutNoise(value: number) {
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
export function tableCellText({ value, format }: Pick<TableCell, 'value' | 'format'>) {
  if (typeof value === 'string') return value;
  if (format === 'date') return isoTimeOf(value).slice(0, 10);
  if (format === 'time') return isoTimeOf(value).replace('.000Z', 'Z');
  if (format === 'percent' || format === 'fraction of a percent') return `${withoutNoise(value * 100)}%`;
  return format === 'zip' ? String(value).padStart(5, '0') : String(value);
}

export function attributeCells(
  record: FlatRecord,
  { columns, spilled }: AttributeColumns,
  dress: (cell: TableCell, column: AttributeColumn) => TableCell,
) {
  const cells = columns.map((column) => {
    const value = record.values.get(column.path);
    const cell = value && attributeCell(value.leaf, { ...column, counted: value.counted });
    return cell && dress(cell, column);
  });
  if (spilled.length === 0) return cells;
  const further = spilled.flatMap(({ path }) => {
    const value = record.values.get(path);
    return value === undefined ? [] : [`${path} = ${leafText(value.leaf)}`];
  });
  return [...cells, text(further.join('; '))];
}
