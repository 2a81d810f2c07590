import { momentOf } from './cell-value.ts';
import type { Cell } from './workbook-writer.ts';

/** A cell as plain text: what the workbook shows, with dates and times in ISO 8601 (times in UTC), and no separators in numbers. */
export function shownText({ value, format }: Pick<Cell, 'value' | 'format'>): string {
  if (typeof value === 'string') return value;
  if (format === 'date') return new Date(momentOf(value)).toISOString().slice(0, 10);
  if (format === 'time') return new Date(momentOf(value)).toISOString().replace('.000Z', 'Z');
  if (format === 'percent' || format === 'fraction of a percent') return `${Number((value * 100).toPrecision(15))}%`;
  return format === 'zip' ? String(value).padStart(5, '0') : String(value);
}
