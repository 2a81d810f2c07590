import { directionOf } from '../attention/judge.ts';
import { upperFirst } from './attribute-columns.ts';
import { type Change, changeCell } from '../changes.ts';
import { text, time, wrapped } from '../cell-values.ts';
import { FIXED_SHEETS } from '../sheet-names.ts';
import type { EarlierReports, JudgedProject } from '../model.ts';
import type { TableCell } from '../workbook-types.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS } from './results-columns.ts';
import { column, type Table } from './table.ts';

export const KNOWN_BY: Readonly<Record<EarlierReports['known'], string>> = {
  address: 'same address',
  policy: 'same policy number',
  version: 'earlier report of this project',
};

interface ChangedAttribute extends Pick<JudgedProject, 'project' | 'turns'> {
  readonly change: Change;
  readonly earlier: EarlierReports;
}

export const CHANGES_TABLE: Table<ChangedAttribute> = {
  name: FIXED_SHEETS.changes,
  frozenColumns: KEY_COLUMNS.length,
  tabColor: 'BF8F00',
  printedTo: 'Now',
  columns: [
    ...KEY_COLUMNS,
    ...HOUSE_COLUMNS,
    column('Attribute', 36, wrapped, ({ change }) => change.title),
    column('Before', 40, lines, ({ change }) => changeCell(change.before, change)),
    column('Now', 40, lines, ({ change }) => changeCell(change.now, change)),
    column('Previous report: project ID', 14, text, ({ earlier }) => earlier.projectId),
    column('Previous report: collected', 17, time, ({ earlier }) => earlier.at),
    column('Matched by', 28, text, ({ earlier }) => KNOWN_BY[earlier.known]),
    column('Source', 50, text, ({ change }) => change.path),
    column('Better or worse', 14, text, ({ change: { path, attribute }, turns }) =>
      upperFirst(
        directionOf(turns.filter(({ paths }) => paths.includes(path) || paths.includes(attribute?.path ?? ''))) ?? '',
      ),
    ),
  ],
};

function lines(cell: TableCell | undefined): TableCell | undefined {
  return cell?.format === 'text' ? { ...cell, format: 'wrapped' } : cell;
}
