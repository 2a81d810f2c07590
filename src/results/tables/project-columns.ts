import { GRAVE_WEIGHT } from '../attention/judge.ts';
import { attributeCells, choice, clipped, count, date, money, text, time, wrapped } from '../cells.ts';
import { disagreementInWords } from '../changes.ts';
import { type AttributeColumn, attributeColumns, COLUMN_WIDTH_MAX, FIXED_SHEETS, type Layout } from '../columns.ts';
import type { OrderPayload } from '../../domain/row.ts';
import type { JudgedProject, ResultReport, SurveyedProject } from '../model.ts';
import type { Cell, Emphasis, SheetColumn, SheetOptions } from '../workbook-writer.ts';

/** The sheet `Results`: one row per project. */
export function resultsSheetOptions(layout: Layout): SheetOptions {
  return {
    name: FIXED_SHEETS.results,
    kind: 'table',
    frozenColumns: KEY_COLUMN_COUNT,
    columns: [
      ...PROJECT_COLUMNS.map((column) => ({ ...column, note: column.meaning })),
      ...foldable(attributeColumns(layout, ({ group }) => group)),
    ],
    tabColour: '2F5597',
    printedColumns: 1 + PROJECT_COLUMNS.findIndex(({ title }) => title === LAST_PRINTED),
  };
}

const LAST_PRINTED = 'ZIP';

/** Each group folds under its first column. */
function foldable(columns: readonly SheetColumn[]): readonly SheetColumn[] {
  return columns.map((column, index) => ({
    ...column,
    foldable: index > 0 && columns[index - 1]?.group === column.group,
  }));
}

/** A project's row; marks cells that caused findings. */
export function resultsRow(judged: JudgedProject, layout: Layout): (Cell | undefined)[] {
  const marks = new Map<string, Emphasis>();
  for (const { paths, weight } of judged.findings) {
    for (const path of paths)
      if (marks.get(path) !== 'alarm') marks.set(path, weight >= GRAVE_WEIGHT ? 'alarm' : 'warning');
  }
  const dress = (cell: Cell, { path, key, attribute }: AttributeColumn): Cell => {
    const emphasis =
      marks.get(path) ??
      (key !== null && judged.record.values.get(path)?.leaf === true ? marks.get(attribute?.path ?? '') : undefined);
    const long =
      cell.format === 'text' &&
      typeof cell.value === 'string' &&
      (cell.value.length > COLUMN_WIDTH_MAX || cell.value.includes('\n'));
    return { ...cell, emphasis, format: long ? 'clipped' : cell.format };
  };
  return [...PROJECT_COLUMNS.map(({ cell }) => cell(judged)), ...attributeCells(judged.record, layout, dress)];
}

interface ProjectColumn extends SheetColumn {
  readonly meaning: string;
  readonly type: string;
  readonly cell: (judged: SurveyedProject) => Cell | undefined;
}

const KEY_COLUMNS: readonly ProjectColumn[] = [
  column('Project ID', 13, 'text', 'The service’s ID for the project.', ({ project }) => text(project.projectId)),
  column('Policy number', 18, 'text', 'Policy number of the order.', ({ project }) =>
    text(project.order.policyNumber ?? ''),
  ),
  column('Inspection number', 20, 'text', 'Inspection number of the order.', ({ project }) =>
    text(project.order.inspectionNumber ?? ''),
  ),
];

export const NEW_COLUMN: ProjectColumn = column(
  'New',
  8,
  'boolean',
  'Yes if a report came since your last delivery: no earlier workbook has shown it.',
  ({ project }) => choice(project.isNew),
);

/** From order and ledger, before the attributes. */
export const PROJECT_COLUMNS: readonly ProjectColumn[] = [
  ...KEY_COLUMNS,
  NEW_COLUMN,
  column('Insured', 24, 'text', 'Name of the insured.', ({ project }) => text(project.order.insuredName)),
  column(
    'Report',
    30,
    'link',
    'Opens the report in the delivery; if there are several, the newest one, and of one inspection the fullest.',
    reportCell,
  ),
  column('Photos', 12, 'link', 'Opens the folder of its photos in the delivery.', photosCell),
  column(
    'Attention points',
    11,
    'number',
    'How urgently the house needs a look; the reasons are on the sheet Attention.',
    ({ points }) => (points === 0 ? undefined : count(points)),
  ),
  column('Status', 20, 'text', 'Status of the project at the service.', ({ project }) => text(project.status)),
  column('Status since', 17, 'time', 'When the status was first seen.', ({ project }) => time(project.statusAt)),
  column('Street', 28, 'text', 'Street of the property.', ({ project }) => text(project.order.streetAddress)),
  column('City', 18, 'text', 'City of the property.', ({ project }) => text(project.order.city)),
  column('State', 8, 'text', 'State of the property.', ({ project }) => text(project.order.state)),
  column('ZIP', 12, 'text', 'ZIP code as ordered.', ({ project }) => text(project.order.zipcode)),
  column('Service', 24, 'text', 'The service that was ordered.', ({ project }) => text(project.order.serviceName)),
  column('Policy type', 28, 'text', 'Policy type of the order.', ({ project }) => text(project.order.policyType)),
  column('House type', 24, 'text', 'House type of the order.', ({ project }) => text(project.order.houseType)),
  column('Effective date', 13, 'date', 'Policy effective date of the order.', ({ project }) =>
    date(project.order.policyEffectiveDate),
  ),
  column('Due date', 13, 'date', 'Due date of the order.', ({ project }) => date(project.order.dueDate)),
  column('Ordered', 17, 'time', 'When the order was put on record.', ({ project }) => time(project.orderedAt)),
  column('Returned', 17, 'time', 'When the project was seen as returned.', ({ project }) => time(project.returnedAt)),
  column('Collected', 17, 'time', 'When its files were saved to disk.', ({ project }) => time(project.collectedAt)),
  column(
    'Linked',
    9,
    'boolean',
    'Yes if no new project was created: the service already had one for this order, and the row is tied to it.',
    ({ project }) => choice(project.linked),
  ),
  column('Further reports', 30, 'link', 'Types of the other reports; opens the first of them.', furtherReportsCell),
  column('Problems', 40, 'text', 'What went wrong with it; the next run tries again.', ({ project }) =>
    text(project.problems.join('; ')),
  ),
  column('File', 30, 'text', 'The file it was ordered with.', ({ project }) => text(project.source?.file ?? '')),
  column('Sheet', 16, 'text', 'The sheet of that file.', ({ project }) => text(project.source?.sheet ?? '')),
  column('Row', 8, 'number', 'The row of that sheet.', ({ project }) =>
    project.source === null ? undefined : count(project.source.rowNumber),
  ),
  ordered(
    'Renewal',
    10,
    'boolean',
    'Yes for a renewal, No for new business; empty if the order does not say.',
    renewalCell,
  ),
  ordered(
    'Coverage A',
    14,
    'number',
    'Coverage A of the order (dwelling), in dollars.',
    ({ dwellingCoverage: amount }) => money(amount),
  ),
  ordered(
    'Coverage B',
    14,
    'number',
    'Coverage B of the order (other structures), in dollars.',
    ({ otherStructureCoverage: amount }) => money(amount),
  ),
  ordered(
    'Coverage C',
    14,
    'number',
    'Coverage C of the order (contents), in dollars.',
    ({ contentCoverage: amount }) => money(amount),
  ),
  ordered(
    'Ordered living area',
    12,
    'number',
    'Living area as ordered, in square feet.',
    ({ carrierProvidedLivingArea: area }) => (area === undefined ? undefined : count(area)),
  ),
  ordered('Ordered year built', 11, 'number', 'Year built as ordered.', ({ yearBuilt }) =>
    yearBuilt === undefined ? undefined : { value: yearBuilt, format: 'number' },
  ),
  ordered('Agent', 24, 'text', 'Name of the agent.', ({ agentName }) => text(agentName ?? '')),
  ordered('Agent phone', 18, 'text', 'Phone number of the agent.', ({ agentPhone }) => text(agentPhone ?? '')),
  ordered('Agent email', 28, 'text', 'Email address of the agent.', ({ agentEmail }) => text(agentEmail ?? '')),
  ordered('Insured by', 24, 'text', 'Insurance carrier named in the order.', ({ insuredBy }) => text(insuredBy ?? '')),
  ordered('Division', 18, 'text', 'Division named in the order.', ({ division }) => text(division ?? '')),
  ordered('Supplemental services', 30, 'text', 'Supplemental services of the order.', ({ supplementalServices = [] }) =>
    text(supplementalServices.join('; ')),
  ),
  ordered('Note', 40, 'text', 'Note of the order.', ({ note }) => clipped(note ?? '')),
  column(
    'Replaced by',
    14,
    'text',
    'Project ID of a later inspection of the same house by the same service: that one counts on Attention and Roofs.',
    ({ replacedBy }) => text(replacedBy ?? ''),
  ),
  column(
    'Reports disagree on',
    40,
    'text',
    'Where several reports of the project assessed something differently: the value shown here, and that of the others. The sheet Reports has all of them.',
    ({ disagreements }) => clipped(disagreements.map(disagreementInWords).join('\n')),
  ),
];

/** Yes for a renewal, No for new business; empty if unknown. */
export function renewalCell({ isRenewal }: OrderPayload): Cell | undefined {
  return isRenewal === undefined ? undefined : choice(isRenewal);
}

export const KEY_COLUMN_COUNT = KEY_COLUMNS.length;

export function keyCells(judged: SurveyedProject): (Cell | undefined)[] {
  return KEY_COLUMNS.map(({ cell }) => cell(judged));
}

export const KEY_SHEET_COLUMNS: readonly ProjectColumn[] = KEY_COLUMNS;

export const HOUSE_COLUMNS: readonly ProjectColumn[] = [
  column('Insured', 18, 'text', 'Name of the insured.', ({ project }) => wrapped(project.order.insuredName)),
  column('Property', 28, 'text', 'Address of the property.', propertyCell),
];

export function houseCells(judged: SurveyedProject): (Cell | undefined)[] {
  return HOUSE_COLUMNS.map(({ cell }) => cell(judged));
}

export function propertyCell({ project }: Pick<SurveyedProject, 'project'>): Cell | undefined {
  return wrapped(addressOf(project.order));
}

export function addressOf({ streetAddress, city, state, zipcode }: OrderPayload): string {
  return `${streetAddress}, ${city}, ${state} ${zipcode}`;
}

/** Links the newest stored report; of one inspection's reports, the most complete. */
export function reportCell({ reports }: Pick<SurveyedProject, 'reports'>): Cell | undefined {
  const report = leading(reports);
  return report === undefined ? undefined : linkTo(report);
}

function leading(reports: SurveyedProject['reports']): SurveyedProject['reports'][number] | undefined {
  const [newest, ...others] = reports.filter(({ path }) => path !== null);
  if (newest?.inspectedAt == null) return newest;
  const sameInspection = others.filter(({ inspectedAt }) => inspectedAt === newest.inspectedAt);
  return [newest, ...sameInspection].toSorted((a, b) => b.record.values.size - a.record.values.size)[0];
}

/** Linked if the file is in the delivery. */
export function linkTo({ type, path }: ResultReport): Cell {
  return { value: type === '' ? 'Report' : type, format: 'text', link: path ?? undefined };
}

export function photosCell({ project }: Pick<SurveyedProject, 'project'>): Cell | undefined {
  const path = project.photosPath ?? project.photos[0]?.path;
  if (path === undefined) return project.photoCount === 0 ? undefined : text(photosText(project.photoCount));
  return { value: photosText(project.photoCount), format: 'text', link: path };
}

function photosText(photoCount: number): string {
  return photoCount === 1 ? '1 photo' : `${photoCount} photos`;
}

function furtherReportsCell({ reports }: SurveyedProject): Cell | undefined {
  const shown = leading(reports) ?? reports[0];
  const further = reports.filter((report) => report !== shown);
  if (further.length === 0) return undefined;
  const link = further.find(({ path }) => path !== null)?.path ?? undefined;
  return { value: further.map(({ type }) => (type === '' ? 'Report' : type)).join('; '), format: 'text', link };
}

function ordered(
  title: string,
  width: number,
  type: string,
  meaning: string,
  cell: (order: OrderPayload) => Cell | undefined,
): ProjectColumn {
  return column(title, width, type, meaning, ({ project }) => cell(project.order));
}

function column(
  title: string,
  width: number,
  type: string,
  meaning: string,
  cell: ProjectColumn['cell'],
): ProjectColumn {
  return { title, width, type, meaning, group: 'Order', cell };
}
