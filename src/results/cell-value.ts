import type { AttributeUnit, SummaryAttribute } from '../contract/catalogue-types.ts';
import type { Leaf, Scalar } from './flatten.ts';
import type { AttributeColumn } from './layout.ts';
import type { Cell, CellFormat } from './workbook-writer.ts';

const DAY_MS = 86_400_000;
/** Excel's day 0 for every date from March 1900 on, and the years it shows. */
const SERIAL_EPOCH_MS = Date.UTC(1899, 11, 30);
const FIRST_MS = Date.UTC(1900, 2, 1);
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Not assessed: the attribute is in the template, and its value is null. */
const NOT_ASSESSED = '–';

/** A list that is there and has no entry. */
const NONE = 'none';

export function text(value: string): Cell | undefined {
  return value === '' ? undefined : { value, format: 'text' };
}

export function wrapped(value: string): Cell | undefined {
  return value === '' ? undefined : { value, format: 'wrapped' };
}

export function count(value: number): Cell {
  return { value, format: 'grouped' };
}

/** Yes or No. */
export function choice(value: boolean): Cell {
  return { value: yesNo(value), format: 'word' };
}

/** A moment as a UTC wall clock, to the minute; empty for null. */
export function time(epochMs: number | null): Cell | undefined {
  return epochMs === null || !(epochMs >= FIRST_MS && epochMs <= LAST_MS) ? undefined : { value: serial(epochMs), format: 'time' };
}

/** A `YYYY-MM-DD` that exists as a date, anything else as the text it is. */
export function date(iso: string | undefined): Cell | undefined {
  if (iso === undefined || iso === '') return undefined;
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(iso);
  const ms = parts === null ? Number.NaN : Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  const exists = ms >= FIRST_MS && ms <= LAST_MS && new Date(ms).toISOString().startsWith(iso);
  return exists ? { value: serial(ms), format: 'date' } : text(iso);
}

/** The value of an attribute as a cell of its column. A value of another type than the catalogue's stands as it came. */
export function attributeCell(leaf: Leaf, column: Pick<AttributeColumn, 'attribute' | 'key' | 'counted'>): Cell | undefined {
  if (isList(leaf)) return { value: leaf.length === 0 ? NONE : leaf.map(scalarText).join('; '), format: 'text' };
  if (leaf === null) return { value: NOT_ASSESSED, format: dashFormat(column.attribute) };
  if (typeof leaf === 'boolean') return choice(leaf);
  if (typeof leaf === 'number') return numberCell(leaf, column);
  if (typeof leaf === 'string') return column.attribute?.unit === 'date' ? date(leaf) : text(leaf);
  return text(leaf.toString());
}

/** The dash stands where the column's values stand. */
function dashFormat(attribute: SummaryAttribute | undefined): CellFormat {
  switch (attribute?.type) {
    case 'boolean':
    case 'flags':
      return 'word';
    case 'number':
    case 'percentages':
    case 'counts':
    case 'objects':
      return attribute.unit === 'epoch seconds' ? 'text' : 'number';
    case 'text':
    case 'texts':
    case 'details':
    case undefined:
      return 'text';
  }
}

/** A value in words, for reasons and lists. */
export function leafText(leaf: Leaf): string {
  return isList(leaf) ? leaf.map(scalarText).join('; ') : scalarText(leaf);
}

function isList(leaf: Leaf): leaf is readonly Scalar[] {
  return Array.isArray(leaf);
}

function scalarText(value: Scalar): string {
  if (value === null) return NOT_ASSESSED;
  return typeof value === 'boolean' ? yesNo(value) : value.toString();
}

function yesNo(value: boolean): string {
  return value ? 'Yes' : 'No';
}

function numberCell(value: number, { attribute, counted }: Pick<AttributeColumn, 'attribute' | 'counted'>): Cell | undefined {
  if (!Number.isFinite(value)) return text(String(value));
  if (counted) return count(value);
  if (attribute?.type === 'percentages') return percentCell(value);
  if (attribute?.path === 'project.address.zipcode') return { value, format: 'zip' };
  if (attribute?.unit === 'epoch seconds') return time(value * 1000) ?? { value, format: 'number' };
  return { value, format: Number.isInteger(value) && isGrouped(attribute?.unit) ? 'grouped' : 'number' };
}

function isGrouped(unit: AttributeUnit | undefined): boolean {
  return unit === 'sq ft' || unit === 'count';
}

/** 40 means 40 %, and is stored as 0.4. */
function percentCell(value: number): Cell {
  return { value: Number((value / 100).toPrecision(15)), format: Number.isInteger(value) ? 'percent' : 'fraction of a percent' };
}

function serial(epochMs: number): number {
  return (epochMs - SERIAL_EPOCH_MS) / DAY_MS;
}

/** Milliseconds since the UNIX epoch of the moment that a cell shows as a date or time. */
export function momentOf(excelSerial: number): number {
  return Math.round(excelSerial * DAY_MS) + SERIAL_EPOCH_MS;
}
