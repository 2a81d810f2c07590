import { upperFirst } from '../../domain/text.ts';
import { directionOf, isStated } from '../attention/judge.ts';
import { type Change, changeCell } from '../changes.ts';
import { FIXED_SHEETS, type TableCell, text, time, wrapped } from '../workbook.ts';
import type { EarlierReports, JudgedProject } from '../model.ts';
import { column, type Table } from './table.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS } from './shared-columns.ts';

export const EARLIER_MATCH: Readonly<Record<EarlierReports['known'], string>> = {
  address: 'same address',
  policy: 'same policy number',
  version: 'earlier report of this project',
};

interface ChangedAttribute extends Pick<JudgedProject, 'project' | 'riskChanges'> {
  readonly change: Change;
}

export function* changedAttributes({ project, changes, riskChanges }: JudgedProject) {
  for (const change of changes) yield { project, riskChanges, change };
  for (const riskChange of riskChanges) {
    const [path = ''] = riskChange.paths;
    const compared = isStated(riskChange) ? { ...project, earlier: null } : project;
    if (changes.some((change) => isAbout(change, riskChange.paths))) continue;
    const [before, now] =
      riskChange.weight > 0 || isStated(riskChange) ? [undefined, riskChange.reason] : [riskChange.reason, undefined];
    const change = { path, title: 'By the attention rules', attribute: undefined, key: null, counted: false };
    yield { project: compared, riskChanges: [riskChange], change: { ...change, before, now } };
  }
}

function isAbout({ path, attribute }: Change, paths: readonly string[]) {
  return paths.includes(path) || paths.includes(attribute?.path ?? '');
}

export const CHANGES_TABLE: Table<ChangedAttribute> = {
  name: FIXED_SHEETS.changes,
  frozenColumns: KEY_COLUMNS.length,
  tabColor: 'BF8F00',
  printedTo: 'Better or worse',
  columns: [
    ...KEY_COLUMNS,
    ...HOUSE_COLUMNS,
    column('Attribute', 36, wrapped, ({ change }) => change.title),
    column('Before', 40, lines, ({ change }) => changeCell(change.before, change)),
    column('Now', 40, lines, ({ change }) => changeCell(change.now, change)),
    column('Better or worse', 14, text, ({ change, riskChanges }) =>
      upperFirst(directionOf(riskChanges.filter(({ paths }) => isAbout(change, paths))) ?? ''),
    ),
    column('Previous report: project ID', 14, text, ({ project }) => project.earlier?.projectId),
    column('Previous report: collected', 17, time, ({ project }) => project.earlier?.at ?? null),
    column('Matched by', 28, text, ({ project: { earlier } }) =>
      earlier === null ? 'the report itself compares' : EARLIER_MATCH[earlier.known],
    ),
    column('Source', 50, text, ({ change }) => change.path),
  ],
};

function lines(cell: TableCell | undefined): TableCell | undefined {
  return cell?.format === 'text' ? { ...cell, format: 'wrapped' } : cell;
}
