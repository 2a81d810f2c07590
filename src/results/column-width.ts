import type { AttributeColumn } from './layout.ts';

const WIDTH_MIN = 10;
export const COLUMN_WIDTH_MAX = 44;
/** Room for the filter's button. */
const BUTTON = 3;

/** Wide enough for the values, and for a header of at most three lines. */
export function columnWidth({ title, longest, attribute }: Pick<AttributeColumn, 'title' | 'longest' | 'attribute'>): number {
  const header = Math.max(Math.ceil((title.length + 2) / 3) + BUTTON, ...title.split(' ').map((word) => word.length + BUTTON));
  const values = attribute?.unit === 'epoch seconds' ? 16 : longest;
  return Math.min(COLUMN_WIDTH_MAX, Math.max(WIDTH_MIN, header, values + 2));
}
