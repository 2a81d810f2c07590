import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import {
  type ResultPhoto,
  THUMBNAIL,
  type JudgedProject,
  type ResultProject,
  type ResultReport,
  type SurveyedProject,
} from '../model.ts';
import {
  type TableCell,
  type SheetColumn,
  type SheetOptions,
  type WorkbookWriter,
  yesOrNo,
  count,
  date,
  money,
  digits,
  time,
  text,
  wrapped,
} from '../workbook.ts';
import type { AttentionLevel } from '../../domain/project.ts';
import { formatCount } from '../../domain/text.ts';
import type { OrderPayload } from '../../domain/row.ts';
import { sentence } from '../../domain/sentences.ts';
import { dateOf, day } from '../html/markup.ts';
import { earlierPhotos } from '../photos.ts';

type Cells = readonly (TableCell | undefined)[];

export type Column<Row> = SheetColumn &
  Readonly<{
    /** On the sheet Fields. */
    type: string;
    cell: (row: Row) => TableCell | undefined;
  }>;

/** `width` in characters. */
export function column<Row, Value>(
  title: string,
  width: number,
  shownAs: (value: Value) => TableCell | undefined,
  value: ((row: Row) => Value) | KeyOf<Row, Value>,
): Column<Row> {
  const valueOf = typeof value === 'function' ? value : (row: Row) => row[value] as Value;
  return { title, width, type: TYPES.get(shownAs) ?? 'text', cell: (row) => shownAs(valueOf(row)) };
}

type KeyOf<Row, Value> = { [Key in keyof Row]-?: Row[Key] extends Value ? Key : never }[keyof Row];

function asIs(cell: TableCell | undefined) {
  return cell;
}

const TYPES = new Map<unknown, string>([
  [asIs, 'link'],
  [yesOrNo, 'boolean'],
  [count, 'number'],
  [digits, 'number'],
  [money, 'number'],
  [date, 'date'],
  [time, 'time'],
]);

export function cellColumn<Row>(title: string, width: number, cell: Column<Row>['cell']): Column<Row> {
  return column(title, width, asIs, cell);
}

const notes = templateData('workbook/notes', z.record(z.string(), z.record(z.string(), z.string())));

export function notesOf(sheet: string) {
  return notes()[sheet] ?? {};
}

export type Table<Row> = Omit<SheetOptions, 'kind' | 'columns' | 'printedColumns'> &
  Readonly<{
    columns: readonly Column<Row>[];
    /** Attributes of the reports, after `columns`. */
    attributes?: Readonly<{ columns: readonly SheetColumn[]; cells: (row: Row) => Cells }>;
    /** The title of the last printed column; default: all. */
    printedTo?: string;
  }>;

function openTable<Row>(workbook: WorkbookWriter, { columns, attributes, printedTo, ...options }: Table<Row>) {
  return workbook.sheet({
    ...options,
    kind: 'table',
    columns: [
      ...columns.map((each) => ({ note: notesOf(options.name)[each.title], ...each })),
      ...(attributes?.columns ?? []),
    ],
    printedColumns: printedTo === undefined ? undefined : 1 + columns.findIndex(({ title }) => title === printedTo),
  });
}

function cellsOf<Row>({ columns, attributes }: Table<Row>, row: Row) {
  const cells = columns.map(({ cell }) => cell(row));
  return attributes === undefined ? cells : [...cells, ...attributes.cells(row)];
}

export function tableWriter<Row>(workbook: WorkbookWriter, table: Table<Row>): (row: Row) => Promise<void> {
  const sheet = openTable(workbook, table);
  return (row) => sheet.row(cellsOf(table, row));
}

export async function writeTable<Row>(
  workbook: WorkbookWriter,
  table: Table<Row>,
  rows: Iterable<Row> | AsyncIterable<Row>,
) {
  const write = tableWriter(workbook, table);
  for await (const row of rows) await write(row);
}

type Pictures = Readonly<{
  column: number;
  perRow: number;
  inAll: number;
  caption: (photo: ResultPhoto) => TableCell | undefined;
}>;

/** In points: a picture and a caption. */
const PICTURE_ROW_HEIGHT = (THUMBNAIL.height * 3) / 4 + 18;
/** Seven pixels per character. */
export const PICTURE_COLUMN_WIDTH = Math.ceil(THUMBNAIL.width / 7) + 1;

/** Keeps its rows as cells until `finish`, which writes those of the highest rank first. */
export class RankedTable<Row> {
  readonly #table;
  readonly #sheet;
  readonly #pictures;
  readonly #rows: Readonly<{ rank: number; cells: Cells; photos: readonly ResultPhoto[] }>[] = [];
  #made = 0;

  constructor(workbook: WorkbookWriter, table: Table<Row>, pictures: Pictures | null = null) {
    this.#table = table;
    this.#sheet = openTable(workbook, table);
    this.#pictures = pictures;
  }

  add(row: Row, rank: number, photos: readonly ResultPhoto[] = []) {
    this.#rows.push({ rank, cells: cellsOf(this.#table, row), photos });
  }

  async finish() {
    for (const [index, { cells, photos }] of this.#rows.toSorted((a, b) => b.rank - a.rank).entries()) {
      const captions = this.#pictures === null ? [] : await this.#show(photos, index + 1, this.#pictures);
      const all = cells.toSpliced(this.#pictures?.column ?? 0, captions.length, ...captions);
      await this.#sheet.row(all, captions.length === 0 ? undefined : PICTURE_ROW_HEIGHT);
    }
  }

  async #show(photos: readonly ResultPhoto[], row: number, { column, perRow, inAll, caption }: Pictures) {
    const captions = [];
    for (const photo of photos) {
      if (captions.length >= perRow || this.#made >= inAll) break;
      const bytes = await photo.thumbnail?.();
      if (bytes == null) continue;
      this.#sheet.picture({
        bytes,
        row,
        column: column + captions.length,
        ...THUMBNAIL,
        description: photo.description || 'photo',
        link: photo.path,
      });
      captions.push(caption(photo));
      this.#made += 1;
    }
    return captions;
  }
}

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
