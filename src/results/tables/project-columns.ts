import { GRAVE_WEIGHT } from '../attention/judge.ts';
import { attributeCells, choice, clipped, count, date, money, plain, text, time, wrapped } from '../cells.ts';
import { describeDisagreement } from '../changes.ts';
import {
  type AttributeColumn,
  attributeColumns,
  COLUMN_WIDTH_MAX,
  FIXED_SHEETS,
  type Layout,
} from '../attribute-columns.ts';
import type { OrderPayload } from '../../domain/row.ts';
import type { JudgedProject, ResultProject, ResultReport, SurveyedProject } from '../model.ts';
import type { Cell, Emphasis, SheetColumn } from '../workbook-writer.ts';
import { type Column, column, type Table } from './table.ts';

export function resultsTable(layout: Layout): Table<JudgedProject> {
  return {
    name: FIXED_SHEETS.results,
    frozenColumns: KEY_COLUMNS.length,
    tabColour: '2F5597',
    printedTo: 'ZIP',
    columns: PROJECT_COLUMNS.map((column) => ({ ...column, note: column.meaning })),
    attributes: {
      columns: foldable(attributeColumns(layout, ({ group }) => group)),
      cells: (judged) => markedCells(judged, layout),
    },
  };
}

/** Each group folds under its first column. */
function foldable(columns: readonly SheetColumn[]): readonly SheetColumn[] {
  return columns.map((column, index) => ({
    ...column,
    foldable: index > 0 && columns[index - 1]?.group === column.group,
  }));
}

function markedCells(judged: JudgedProject, layout: Layout): (Cell | undefined)[] {
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
  return attributeCells(judged.record, layout, dress);
}

/** As the sheet `Fields` names them; the others are texts. */
const TYPES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [linked, 'link'],
  [choice, 'boolean'],
  [count, 'number'],
  [plain, 'number'],
  [money, 'number'],
  [date, 'date'],
  [time, 'time'],
]);

interface ProjectColumn<Row = SurveyedProject> extends Column<Row> {
  readonly meaning: string;
  readonly type: string;
}

interface OfProject {
  readonly project: Pick<ResultProject, 'projectId' | 'order'>;
}

export const KEY_COLUMNS: readonly ProjectColumn<OfProject>[] = [
  explained('Project ID', 13, text, ({ project }) => project.projectId, 'The service’s ID for the project.'),
  ordered('Policy number', 18, text, 'policyNumber', 'Policy number of the order.'),
  ordered('Inspection number', 20, text, 'inspectionNumber', 'Inspection number of the order.'),
];

export const NEW_COLUMN: ProjectColumn = explained(
  'New',
  8,
  choice,
  ({ project }) => project.isNew,
  'Yes if a report came since your last delivery: no earlier workbook has shown it.',
);

export const PROPERTY_COLUMN: ProjectColumn<OfProject> = explained(
  'Property',
  28,
  wrapped,
  ({ project }) => addressOf(project.order),
  'Address of the property.',
);

export const HOUSE_COLUMNS: readonly ProjectColumn<OfProject>[] = [
  ordered('Insured', 18, wrapped, 'insuredName', 'Name of the insured.'),
  PROPERTY_COLUMN,
];

/** They name a house; the address opens it on the page. */
export const NAMED_HOUSE: readonly Column<OfProject>[] = HOUSE_COLUMNS.map((shown) =>
  shown === PROPERTY_COLUMN
    ? {
        ...shown,
        width: 40,
        cell: ({ project }) => ({
          value: addressOf(project.order),
          format: 'wrapped',
          link: PAGE,
          anchor: `p${project.projectId}`,
        }),
      }
    : shown,
);

export const PAGE = 'report.html';

export const RENEWAL_MEANING = 'Yes for a renewal, No for new business; empty if the order does not say.';

export const PROJECT_COLUMNS: readonly ProjectColumn[] = [
  ...KEY_COLUMNS,
  NEW_COLUMN,
  ordered('Insured', 24, text, 'insuredName', 'Name of the insured.'),
  explained(
    'Report',
    30,
    linked,
    reportCell,
    'Opens the report in the delivery; if there are several, the newest one, and of one inspection the fullest.',
  ),
  explained('Photos', 12, linked, photosCell, 'Opens the folder of its photos in the delivery.'),
  explained(
    'Attention points',
    11,
    count,
    ({ points }) => points || undefined,
    'How urgently the house needs a look; the reasons are on the sheet Attention.',
  ),
  explained('Status', 20, text, ({ project }) => project.status, 'Status of the project at the service.'),
  explained('Status since', 17, time, ({ project }) => project.statusAt, 'When the status was first seen.'),
  ordered('Street', 28, text, 'streetAddress', 'Street of the property.'),
  ordered('City', 18, text, 'city', 'City of the property.'),
  ordered('State', 8, text, 'state', 'State of the property.'),
  ordered('ZIP', 12, text, 'zipcode', 'ZIP code as ordered.'),
  ordered('Service', 24, text, 'serviceName', 'The service that was ordered.'),
  ordered('Policy type', 28, text, 'policyType', 'Policy type of the order.'),
  ordered('House type', 24, text, 'houseType', 'House type of the order.'),
  ordered('Effective date', 13, date, 'policyEffectiveDate', 'Policy effective date of the order.'),
  ordered('Due date', 13, date, 'dueDate', 'Due date of the order.'),
  explained('Ordered', 17, time, ({ project }) => project.orderedAt, 'When the order was put on record.'),
  explained('Returned', 17, time, ({ project }) => project.returnedAt, 'When the project was seen as returned.'),
  explained('Collected', 17, time, ({ project }) => project.collectedAt, 'When its files were saved to disk.'),
  explained(
    'Linked',
    9,
    choice,
    ({ project }) => project.linked,
    'Yes if no new project was created: the service already had one for this order, and the row is tied to it.',
  ),
  explained('Further reports', 30, linked, furtherReportsCell, 'Types of the other reports; opens the first of them.'),
  explained(
    'Problems',
    40,
    text,
    ({ project }) => project.problems.join('; '),
    'What went wrong with it; the next run tries again.',
  ),
  explained('File', 30, text, ({ project }) => project.source?.file, 'The file it was ordered with.'),
  explained('Sheet', 16, text, ({ project }) => project.source?.sheet, 'The sheet of that file.'),
  explained('Row', 8, count, ({ project }) => project.source?.rowNumber, 'The row of that sheet.'),
  ordered('Renewal', 10, choice, 'isRenewal', RENEWAL_MEANING),
  ordered('Coverage A', 14, money, 'dwellingCoverage', 'Coverage A of the order (dwelling), in dollars.'),
  ordered('Coverage B', 14, money, 'otherStructureCoverage', 'Coverage B of the order (other structures), in dollars.'),
  ordered('Coverage C', 14, money, 'contentCoverage', 'Coverage C of the order (contents), in dollars.'),
  ordered('Ordered living area', 12, count, 'carrierProvidedLivingArea', 'Living area as ordered, in square feet.'),
  ordered('Ordered year built', 11, plain, 'yearBuilt', 'Year built as ordered.'),
  ordered('Agent', 24, text, 'agentName', 'Name of the agent.'),
  ordered('Agent phone', 18, text, 'agentPhone', 'Phone number of the agent.'),
  ordered('Agent email', 28, text, 'agentEmail', 'Email address of the agent.'),
  ordered('Insured by', 24, text, 'insuredBy', 'Insurance carrier named in the order.'),
  ordered('Division', 18, text, 'division', 'Division named in the order.'),
  explained(
    'Supplemental services',
    30,
    text,
    ({ project }) => project.order.supplementalServices?.join('; '),
    'Supplemental services of the order.',
  ),
  ordered('Note', 40, clipped, 'note', 'Note of the order.'),
  explained(
    'Replaced by',
    14,
    text,
    ({ replacedBy }) => replacedBy,
    'Project ID of a later inspection of the same house by the same service: that one counts on Attention and Roofs.',
  ),
  explained(
    'Reports disagree on',
    40,
    clipped,
    ({ disagreements }) => disagreements.map(describeDisagreement).join('\n'),
    'Where several reports of the project assessed something differently: the value shown here, and that of the others. The sheet Reports has all of them.',
  ),
];

export function addressOf({ streetAddress, city, state, zipcode }: OrderPayload): string {
  return `${streetAddress}, ${city}, ${state} ${zipcode}`;
}

/** The newest stored report; of one inspection's reports, the most complete. */
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

type Shown<Value> = (value: Value) => Cell | undefined;

function linked(cell: Cell | undefined): Cell | undefined {
  return cell;
}

function explained<Row, Value>(
  title: string,
  width: number,
  shownAs: Shown<Value>,
  value: (row: Row) => Value,
  meaning: string,
): ProjectColumn<Row> {
  return { ...orderColumn(title, width, shownAs, value), meaning, type: TYPES.get(shownAs) ?? 'text' };
}

function ordered<Key extends keyof OrderPayload>(
  title: string,
  width: number,
  shownAs: Shown<OrderPayload[Key]>,
  key: Key,
  meaning: string,
): ProjectColumn<OfProject> {
  return explained(title, width, shownAs, ({ project }) => project.order[key], meaning);
}

export function orderColumn<Row, Value>(
  title: string,
  width: number,
  shownAs: Shown<Value>,
  value: (row: Row) => Value,
  note?: string,
): Column<Row> {
  return { ...column(title, width, shownAs, value, note), group: 'Order' };
}
