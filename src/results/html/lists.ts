import { formatCount } from '../../domain/text.ts';
import { shownText } from '../cells.ts';
import { isOpen, type NotOrderedRow, type ResultsInput } from '../model.ts';
import { ENDED, endedProjects } from '../tables/ended.ts';
import { notOrderedTable } from '../tables/not-ordered.ts';
import { overdueRows, overdueTable } from '../tables/overdue.ts';
import type { Table } from '../tables/table.ts';
import type { Cell } from '../workbook-writer.ts';
import { dateOf, foldedTable, renderSection } from './markup.ts';

/** `column`: a title in the table, or a text of the page's own. */
type PageColumn<Row> = readonly [term: string, column: string | ((row: Row) => string)];

interface PageList<Row> {
  readonly id: string;
  readonly title: string;
  /** After the number of rows: `past the due date`. */
  readonly what: string;
  readonly one: 'project' | 'row';
  readonly table: Table<Row>;
  readonly columns: readonly PageColumn<Row>[];
}

const LISTED_MAX = 1000;

export async function lists(
  { overview, notOrdered, writtenAt }: Pick<ResultsInput, 'overview' | 'notOrdered' | 'writtenAt'>,
  houses: ReadonlySet<string>,
): Promise<string> {
  const { overdue, ended } = overview;
  return [
    await pageList(
      {
        id: 'overdue-head',
        title: 'Overdue',
        what: 'past the due date and not back yet',
        one: 'project',
        table: overdueTable(overview.today, []),
        columns: [
          ['Insured', 'Insured'],
          ['House', 'Property'],
          ['Due', 'Due date'],
          ['Status', 'Status'],
          ['Why it is late', 'Why'],
          ['Agent', 'Agent'],
          ['Agent phone', 'Agent phone'],
          ['Policy', 'Policy number'],
          ['Project', 'Project ID'],
        ],
      },
      overdueRows(overdue),
      houses,
      overdue.length,
    ),
    await pageList(
      {
        id: 'ended-head',
        title: 'Canceled or closed out since the last delivery',
        what: 'without an inspection',
        one: 'project',
        table: ENDED,
        columns: [
          ['Insured', 'Insured'],
          ['House', 'Property'],
          ['What', ({ kind }) => kind],
          ['Reason', 'Reason'],
          ['When', 'When'],
          ['Policy', 'Policy number'],
          ['Project', 'Project ID'],
        ],
      },
      endedProjects({ ended, closedOut: [] }),
      houses,
    ),
    await pageList(
      {
        id: 'back-head',
        title: 'Not ordered yet',
        what: 'went back or wait for a decision',
        one: 'row',
        table: notOrderedTable(writtenAt),
        columns: [
          ['Insured', 'Insured'],
          ['House', 'Street'],
          ['What is wrong', ({ reasons }) => reasons.join(' ')],
          ['Since', 'Open since'],
          ['New', ({ isNew }) => (isNew ? 'new' : '')],
          ['Sender', 'Sender'],
          ['Agent', 'Agent'],
          ['Where', ({ file, rowNumber }) => `${file}, row ${rowNumber}`],
          ['Policy or inspection', ({ policyNumber, inspectionNumber }) => policyNumber || inspectionNumber],
          ['Corrections workbook', 'Corrections workbook'],
        ],
      },
      openOnly(notOrdered()),
      houses,
    ),
  ].join('');
}

/** Counts the rows if `length` is absent. */
async function pageList<Row>(
  { id, title, what, one, table, columns }: PageList<Row>,
  rows: Iterable<Row> | AsyncIterable<Row>,
  houses: ReadonlySet<string>,
  length?: number,
) {
  const shown: (readonly string[])[] = [];
  const cells = columns.map(([, column]) => (typeof column === 'string' ? columnText(table, column) : column));
  let read = 0;
  for await (const row of rows) {
    read += 1;
    if (shown.length < LISTED_MAX) shown.push(cells.map((textOf) => textOf(row)));
    else if (length !== undefined) break;
  }
  const all = length ?? read;
  if (all === 0) return '';
  const cut =
    all > shown.length
      ? `The first ${shown.length.toLocaleString('en-US')} of ${all.toLocaleString('en-US')}: the sheet ${table.name} of the workbook has all of them.`
      : '';
  const terms = columns.map(([term]) => term);
  return renderSection(id, title, foldedTable(`${formatCount(all, one)} ${what}`, terms, shown, houses, cut));
}

function columnText<Row>({ name, columns }: Table<Row>, title: string): (row: Row) => string {
  const column = columns.find((candidate) => candidate.title === title);
  if (column === undefined) throw new Error(`the list ${name} has no column ${title}`);
  return (row) => textOnPage(column.cell(row));
}

/** Dates in words, without the time of day. */
function textOnPage(cell: Cell | undefined) {
  if (cell === undefined) return '';
  const text = shownText(cell);
  return cell.format === 'date' || cell.format === 'time' ? dateOf(text.slice(0, 10)) : text;
}

async function* openOnly(rows: AsyncIterable<NotOrderedRow>) {
  for await (const row of rows) if (isOpen(row)) yield row;
}
