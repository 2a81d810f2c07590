import { type JudgedProject, type ResultProject, type ResultReport, type SurveyedProject } from '../model.ts';
import { type TableCell, yesOrNo, date, text, wrapped } from '../workbook.ts';
import type { AttentionLevel } from '../../domain/project.ts';
import { formatCount } from '../../domain/text.ts';
import type { OrderPayload } from '../../domain/row.ts';
import { sentence } from '../../domain/sentences.ts';
import { dateOf, day } from '../html/markup.ts';
import { earlierPhotos } from '../photos.ts';
import { type Column, column, cellColumn } from './table.ts';

// Columns and cells that several lists have.

interface OfProject {
  readonly project: Pick<ResultProject, 'projectId' | 'order'>;
}

export const NUMBER_COLUMNS = [
  orderColumn('Policy number', 18, text, 'policyNumber'),
  orderColumn('Inspection number', 20, text, 'inspectionNumber'),
];

export const TERM_COLUMNS = [
  orderColumn('Policy type', 28, text, 'policyType'),
  orderColumn('House type', 24, text, 'houseType'),
  orderColumn('Effective date', 13, date, 'policyEffectiveDate'),
  orderColumn('Due date', 13, date, 'dueDate'),
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
  orderColumn('Insured', 18, wrapped, 'insuredName'),
  PROPERTY_COLUMN,
]);

export const PAGE_FILE = 'report.html';

const EMPHASIS = { High: 'alarm', Medium: 'warning', Low: undefined } as const;

export function levelCell(value: AttentionLevel | null): TableCell | undefined {
  return value === null ? undefined : { value, format: 'word', emphasis: EMPHASIS[value] };
}

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

export function isStored({ path }: ResultReport) {
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

interface Ordered {
  readonly project: Pick<ResultProject, 'order'>;
}

export function orderColumn<Key extends keyof OrderPayload>(
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
