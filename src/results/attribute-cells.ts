import { attributeCell, leafText, text } from './cell-value.ts';
import { columnWidth } from './column-width.ts';
import type { FlatRecord } from './flatten.ts';
import { type AttributeColumn, SPILLED_TITLE, type TableLayout } from './layout.ts';
import type { Cell, SheetColumn } from './workbook-writer.ts';

/** Words of condition that colour their cells, whatever the rules of Attention say. */
const CONDITION_WORDS = [
  { word: 'Poor', emphasis: 'alarm' },
  { word: 'Fair', emphasis: 'warning' },
] as const;

/** More values than these are told on the sheet Fields only. */
const VALUES_IN_NOTE_MAX = 8;

/** What somebody sees who points at the header: meaning, unit, values, source. */
function headerNote({ attribute, path }: AttributeColumn): string {
  if (attribute === undefined) return `The service’s document does not list it; shown as it came.\nSource: ${path}`;
  const { meaning, unit, values = [] } = attribute;
  return [
    meaning,
    ...(unit === undefined ? [] : [`Unit: ${unit === 'epoch seconds' ? 'date and time, UTC' : unit}`]),
    ...(values.length > 0 && values.length <= VALUES_IN_NOTE_MAX ? [`Values: ${values.join('; ')}`] : []),
    `Source: ${path}`,
  ].join('\n');
}

/** The columns of a table's attributes, and the last one for what went beyond them. */
export function attributeColumns({ columns, spilled }: TableLayout, groupOf: (column: AttributeColumn) => string): SheetColumn[] {
  return [
    ...columns.map((column) => ({
      title: column.title,
      width: columnWidth(column),
      group: groupOf(column),
      note: headerNote(column),
      ...(column.attribute?.values?.includes('Poor') === true ? { colouredWords: CONDITION_WORDS } : {}),
    })),
    ...(spilled.length === 0 ? [] : [{ title: SPILLED_TITLE, width: 40, group: SPILLED_TITLE }]),
  ];
}

/** A record's cells in those columns; what is absent is empty. `dress` may change how a cell looks. */
export function attributeCells(
  record: FlatRecord,
  { columns, spilled }: TableLayout,
  dress: (cell: Cell, column: AttributeColumn) => Cell,
): (Cell | undefined)[] {
  const cells = columns.map((column) => {
    const value = record.values.get(column.path);
    const cell = value === undefined ? undefined : attributeCell(value.leaf, { ...column, counted: value.counted });
    return cell === undefined ? undefined : dress(cell, column);
  });
  if (spilled.length === 0) return cells;
  const further = spilled.flatMap(({ path }) => {
    const value = record.values.get(path);
    return value === undefined ? [] : [`${path} = ${leafText(value.leaf)}`];
  });
  return [...cells, text(further.join('; '))];
}
