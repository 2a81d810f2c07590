import type { AttentionLevel } from '../../domain/project.ts';
import { formatCount } from '../../domain/text.ts';
import { GRAVE_WEIGHT } from '../attention/judge.ts';
import { attributeCells } from '../cell-values.ts';
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
  date,
  money,
  digits,
  text,
  time,
  wrapped,
} from '../workbook.ts';
import type { OrderPayload } from '../../domain/row.ts';
import { sentence } from '../../domain/sentences.ts';
import type { JudgedProject, ResultProject, ResultReport, SurveyedProject } from '../model.ts';
import { dateOf, day } from '../html/markup.ts';
import { earlierPhotos } from '../photos.ts';
import { cellColumn, type Column, column, type Table } from './table.ts';

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

interface OfProject {
  readonly project: Pick<ResultProject, 'projectId' | 'order'>;
}

export const NUMBER_COLUMNS = [
  ordered('Policy number', 18, text, 'policyNumber'),
  ordered('Inspection number', 20, text, 'inspectionNumber'),
];

export const TERM_COLUMNS = [
  ordered('Policy type', 28, text, 'policyType'),
  ordered('House type', 24, text, 'houseType'),
  ordered('Effective date', 13, date, 'policyEffectiveDate'),
  ordered('Due date', 13, date, 'dueDate'),
];

export const KEY_COLUMNS: readonly Column<OfProject>[] = groupColumns('Order', [
  column('Project ID', 13, text, ({ project }) => project.projectId),
  ...NUMBER_COLUMNS,
]);

export const NEW_COLUMN: Column<SurveyedProject> = column('New', 8, yesOrNo, ({ project }) => project.isNew);

export const PROPERTY_COLUMN: Column<OfProject> = {
  ...cellColumn('Property', 40, ({ project }: OfProject) => ({
    value: addressOf(project.order),
    format: 'wrapped',
    link: PAGE_FILE,
    anchor: `p${project.projectId}`,
  })),
  group: 'Order',
};

export const HOUSE_COLUMNS: readonly Column<OfProject>[] = groupColumns('Order', [
  ordered('Insured', 18, wrapped, 'insuredName'),
  PROPERTY_COLUMN,
]);

export const PAGE_FILE = 'report.html';

const EMPHASIS = { High: 'alarm', Medium: 'warning', Low: undefined } as const;

export function levelCell(value: AttentionLevel | null): TableCell | undefined {
  return value === null ? undefined : { value, format: 'word', emphasis: EMPHASIS[value] };
}

export const PROJECT_COLUMNS: readonly Column<JudgedProject>[] = groupColumns('Order', [
  ...KEY_COLUMNS,
  NEW_COLUMN,
  ordered('Insured', 24, text, 'insuredName'),
  cellColumn('Report', 30, reportCell),
  cellColumn('Photos', 12, photosCell),
  column('Attention points', 11, count, ({ points }) => points || undefined),
  column('Status', 20, text, ({ project }) => project.status),
  column('Status since', 17, time, ({ project }) => project.statusAt),
  ordered('Street', 28, text, 'streetAddress'),
  ordered('City', 18, text, 'city'),
  ordered('State', 8, text, 'state'),
  ordered('ZIP', 12, text, 'zipcode'),
  ordered('Service', 24, text, 'serviceName'),
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
  ordered('Renewal', 10, yesOrNo, 'isRenewal'),
  ordered('Coverage A', 14, money, 'dwellingCoverage'),
  ordered('Coverage B', 14, money, 'otherStructureCoverage'),
  ordered('Coverage C', 14, money, 'contentCoverage'),
  ordered('Ordered living area', 12, count, 'carrierProvidedLivingArea'),
  ordered('Ordered year built', 11, digits, 'yearBuilt'),
  ordered('Agent', 24, text, 'agentName'),
  ordered('Agent phone', 18, text, 'agentPhone'),
  ordered('Agent email', 28, text, 'agentEmail'),
  ordered('Insured by', 24, text, 'insuredBy'),
  ordered('Division', 18, text, 'division'),
  column('Supplemental services', 30, text, ({ project }) => project.order.supplementalServices?.join('; ')),
  ordered('Note', 40, singleLine, 'note'),
  column('Replaced by', 14, text, 'replacedBy'),
  column('Reports disagree on', 40, singleLine, ({ disagreements }) =>
    disagreements.map(describeDisagreement).join('\n'),
  ),
  column('Level', 10, levelCell, 'level'),
]);

export function addressOf({ streetAddress, city, state, zipcode }: OrderPayload) {
  return `${streetAddress}, ${city}, ${state} ${zipcode}`;
}

/** `project 100151 (4-Point) for this house has been outstanding since Nov 9, 2026`; empty without one. */
export function describeOut({ stillOut, decidedBefore: before, project: { laterInspection: later } }: JudgedProject) {
  const out = stillOut.map(({ projectId, serviceName, since, ended }) => {
    const project = sentence('report/for-house', { projectId, serviceName });
    if (since === null) return `${project} is outstanding`;
    if (ended === undefined) return sentence('report/outstanding', { project, day: day(since) });
    // The inspection before is this one.
    return `${project} was ${ended.kind} on ${day(since)}: ${ended.reason.replace(/\.(?: Same house .*)?$/s, '')}`;
  });
  const newer = later && sentence('report/later', { ...later, day: day(later.at) });
  const decided =
    before &&
    `decided ${before.decision}${before.by && ` by ${before.by}`} on ${day(before.at)} for project ${before.projectId}`;
  return [decided, newer, ...out].filter(Boolean).join('; ');
}

/** `new business, effective Nov 28, 2026`, as far as the order says. */
export function renewalLabel({ isRenewal, policyEffectiveDate: date }: OrderPayload) {
  const business = isRenewal === undefined ? '' : isRenewal ? 'renewal' : 'new business';
  return [business, date && `effective ${dateOf(date)}`].filter(Boolean).join(', ');
}

export function reportCell({ reports }: SurveyedProject): TableCell | undefined {
  const stored = reports.find(isStored);
  return stored && reportLink(stored);
}

function isStored({ path }: ResultReport) {
  return path !== null;
}

export function reportLink({ type, path }: ResultReport): TableCell {
  return { value: type || 'Report', format: 'text', link: path ?? undefined };
}

export function photosCell(judged: SurveyedProject): TableCell | undefined {
  const { project } = judged;
  const count = formatCount(project.photoCount - earlierPhotos(judged).size, 'photo');
  const path = project.photosPath ?? project.photos[0]?.path;
  if (path === undefined) return project.photoCount === 0 ? undefined : text(count);
  return { value: count, format: 'text', link: path };
}

function furtherReportsCell({ reports }: SurveyedProject): TableCell | undefined {
  const shown = reports.find(isStored) ?? reports[0];
  const further = reports.filter((report) => report !== shown);
  if (further.length === 0) return undefined;
  const link = further.find(isStored)?.path ?? undefined;
  return { value: further.map(({ type }) => type || 'Report').join('; '), format: 'text', link };
}

interface Ordered {
  readonly project: Pick<ResultProject, 'order'>;
}

export function ordered<Key extends keyof OrderPayload>(
  title: string,
  width: number,
  shownAs: (value: OrderPayload[Key]) => TableCell | undefined,
  key: Key,
): Column<Ordered> {
  return column(title, width, shownAs, ({ project }: Ordered) => project.order[key]);
}

export function groupColumns<Row>(group: string, columns: readonly Column<Row>[]) {
  return columns.map((one) => ({ ...one, group }));
}
