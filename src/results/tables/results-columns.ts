import { GRAVE_WEIGHT } from '../attention/judge.ts';
import { attributeCells } from '../table-cells.ts';
import { describeDisagreement } from '../changes.ts';
import { type AttributeColumn, attributeColumns, COLUMN_WIDTH_MAX, type Layout } from './report-columns.ts';
import {
  FIXED_SHEETS,
  type TableCell,
  type Emphasis,
  type SheetColumn,
  yesOrNo,
  singleLine,
  count,
  money,
  digits,
  text,
  time,
} from '../workbook.ts';
import type { JudgedProject, SurveyedProject } from '../model.ts';
import { cellColumn, type Column, column, type Table } from './table.ts';
import {
  KEY_COLUMNS,
  groupColumns,
  levelCell,
  NEW_COLUMN,
  orderColumn,
  photosCell,
  reportCell,
  isStored,
  TERM_COLUMNS,
} from './shared-columns.ts';

export function resultsTable(layout: Layout): Table<JudgedProject> {
  return {
    name: FIXED_SHEETS.results,
    frozenColumns: KEY_COLUMNS.length,
    tabColor: '2F5597',
    printedTo: 'ZIP',
    columns: PROJECT_COLUMNS,
    attributes: {
      columns: foldable(attributeColumns(layout, ({ group }) => group)),
      cells: (judged) => markedCells(judged, layout),
    },
  };
}

function foldable(columns: readonly SheetColumn[]) {
  return columns.map((column, index) => ({
    ...column,
    foldable: index > 0 && columns[index - 1]?.group === column.group,
  }));
}

function markedCells(judged: JudgedProject, layout: Layout) {
  const marks = new Map<string, Emphasis>();
  for (const { paths, weight } of judged.findings) {
    for (const path of paths)
      if (marks.get(path) !== 'alarm') marks.set(path, weight >= GRAVE_WEIGHT ? 'alarm' : 'warning');
  }
  const dress = (cell: TableCell, { path, key, attribute }: AttributeColumn) => {
    const emphasis =
      marks.get(path) ??
      (key !== null && judged.record.values.get(path)?.leaf === true ? marks.get(attribute?.path ?? '') : undefined);
    const long =
      cell.format === 'text' &&
      typeof cell.value === 'string' &&
      (cell.value.length > COLUMN_WIDTH_MAX || cell.value.includes('\n'));
    return { ...cell, emphasis, format: long ? 'single line' : cell.format };
  };
  return attributeCells(judged.record, layout, dress);
}

export const PROJECT_COLUMNS: readonly Column<JudgedProject>[] = groupColumns('Order', [
  ...KEY_COLUMNS,
  NEW_COLUMN,
  orderColumn('Insured', 24, text, 'insuredName'),
  cellColumn('Report', 30, reportCell),
  cellColumn('Photos', 12, photosCell),
  column('Attention points', 11, count, ({ points }) => points || undefined),
  column('Status', 20, text, ({ project }) => project.status),
  column('Status since', 17, time, ({ project }) => project.statusAt),
  orderColumn('Street', 28, text, 'streetAddress'),
  orderColumn('City', 18, text, 'city'),
  orderColumn('State', 8, text, 'state'),
  orderColumn('ZIP', 12, text, 'zipcode'),
  orderColumn('Service', 24, text, 'serviceName'),
  ...TERM_COLUMNS,
  column('Ordered', 17, time, ({ project }) => project.orderedAt),
  column('Returned', 17, time, ({ project }) => project.returnedAt),
  column('Collected', 17, time, ({ project }) => project.collectedAt),
  column('Linked', 9, yesOrNo, ({ project }) => project.linked),
  cellColumn('Further reports', 30, furtherReportsCell),
  column('Problems', 40, text, ({ project }) => project.problems.join('; ')),
  column('File', 30, text, ({ project }) => project.source?.file),
  column('Sheet', 16, text, ({ project }) => project.source?.sheet),
  column('Row', 8, count, ({ project }) => project.source?.rowNumber),
  orderColumn('Renewal', 10, yesOrNo, 'isRenewal'),
  orderColumn('Coverage A', 14, money, 'dwellingCoverage'),
  orderColumn('Coverage B', 14, money, 'otherStructureCoverage'),
  orderColumn('Coverage C', 14, money, 'contentCoverage'),
  orderColumn('Ordered living area', 12, count, 'carrierProvidedLivingArea'),
  orderColumn('Ordered year built', 11, digits, 'yearBuilt'),
  orderColumn('Agent', 24, text, 'agentName'),
  orderColumn('Agent phone', 18, text, 'agentPhone'),
  orderColumn('Agent email', 28, text, 'agentEmail'),
  orderColumn('Insured by', 24, text, 'insuredBy'),
  orderColumn('Division', 18, text, 'division'),
  column('Supplemental services', 30, text, ({ project }) => project.order.supplementalServices?.join('; ')),
  orderColumn('Note', 40, singleLine, 'note'),
  column('Replaced by', 14, text, 'replacedBy'),
  column('Reports disagree on', 40, singleLine, ({ disagreements }) =>
    disagreements.map(describeDisagreement).join('\n'),
  ),
  column('Level', 10, levelCell, 'level'),
]);

function furtherReportsCell({ reports }: SurveyedProject): TableCell | undefined {
  const shown = reports.find(isStored) ?? reports[0];
  const further = reports.filter((report) => report !== shown);
  if (further.length === 0) return undefined;
  const link = further.find(isStored)?.path ?? undefined;
  return { value: further.map(({ type }) => type || 'Report').join('; '), format: 'text', link };
}
