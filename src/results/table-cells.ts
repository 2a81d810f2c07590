import type { AttributeType, AttributeUnit, SummaryAttribute } from '../contract/summary-attributes.ts';
import type { AttributeColumn, AttributeColumns } from './tables/report-columns.ts';
import { type FlatRecord, isList, type Leaf, type Scalar } from './flatten.ts';
import { type TableCell, yesOrNo, count, date, time, text, percent, yesNo, withoutNoise } from './workbook.ts';

const NOT_ASSESSED = '–';

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
