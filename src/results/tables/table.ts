import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import { type ResultPhoto, THUMBNAIL } from '../model.ts';
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
} from '../workbook.ts';

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
