import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import { describeOrderedElsewhere } from '../../domain/row.ts';
import { formatCount } from '../../domain/text.ts';
import { tableCellText } from '../workbook.ts';
import type { HouseCounts } from '../house-counts.ts';
import { isOpen, isPastDue, type NotOrderedRow, type ResultsInput } from '../model.ts';
import { endedProjects, endedTable } from '../tables/ended.ts';
import { notOrderedTable } from '../tables/not-ordered.ts';
import { overdueRows, overdueTable } from '../tables/overdue.ts';
import type { Table } from '../tables/table.ts';
import { dateOf, foldedTable, type ListCell, renderSection } from './markup.ts';

const pageListData = z.strictObject({
  title: z.string(),
  what: z.string(),
  one: z.enum(['project', 'row']),
  /** By term: a column of the table, or null for a text of the page's own. */
  columns: z.record(z.string(), z.string().nullable()),
});

const pageLists = templateData('page/lists', z.record(z.enum(['overdue', 'ended', 'back']), pageListData));

type Agent = Partial<Record<'agentName' | 'agentPhone' | 'agentEmail', string | undefined>>;

export function agentInWords({ agentName, agentPhone, agentEmail }: Agent) {
  return [agentName, agentPhone, agentEmail].filter(Boolean).join(', ');
}

const LISTED_MAX = 1000;

export async function renderLists(
  { overview, notOrdered, writtenAt }: ResultsInput,
  houses: ReadonlySet<string>,
  counts: HouseCounts,
) {
  const { overdue } = overview;
  const all = [
    await pageList(
      'overdue',
      overdueTable(overview.today, counts),
      overdueRows(overdue),
      houses,
      { Agent: ({ project: { order } }) => agentInWords(order) },
      overdue.length,
    ),
    await pageList('ended', endedTable(), endedProjects(overview), houses, {
      What: ({ kind }) => kind,
      New: ({ isNew }) => (isNew ? 'new' : ''),
    }),
    await pageList('back', notOrderedTable(writtenAt), pastDueFirst(notOrdered, overview.today), houses, {
      Insured: ({ insuredName, insuredPhone }) => [insuredName, insuredPhone].filter(Boolean).join(', '),
      Agent: agentInWords,
      'What is wrong': ({ reasons }) => reasons.join(' '),
      Due: (row) => {
        const due = dateOf(row.dueDate);
        if (row.orderedElsewhere) return `${due}; ${describeOrderedElsewhere(row.orderedElsewhere)}`;
        return isPastDue(row, overview.today) ? { alarm: `${due}, past due` } : due;
      },
      New: ({ isNew }) => (isNew ? 'new' : ''),
      Where: ({ file, rowNumber }) => `${file}, row ${rowNumber}`,
      'Policy or inspection': ({ policyNumber, inspectionNumber }) => policyNumber || inspectionNumber,
    }),
  ];
  return all.join('');
}

/** Counts the rows if `length` is absent. */
async function pageList<Row>(
  list: keyof ReturnType<typeof pageLists>,
  table: Table<Row>,
  rows: Iterable<Row> | AsyncIterable<Row>,
  houses: ReadonlySet<string>,
  own: Readonly<Record<string, (row: Row) => ListCell>>,
  length?: number,
) {
  const { title, what, one, columns } = pageLists()[list];
  const shown = [];
  const cells = Object.entries(columns).map(([term, column]) => own[term] ?? columnText(table, column ?? term));
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
      ? `The first ${shown.length.toLocaleString('en-US')} of ${all.toLocaleString('en-US')}: all are in the workbook, on sheet ${table.name}.`
      : '';
  const heading = `${formatCount(all, one)} ${what}`;
  return renderSection(`${list}-head`, title, foldedTable(heading, Object.keys(columns), shown, houses, cut));
}

function columnText<Row>({ name, columns }: Table<Row>, title: string): (row: Row) => string {
  const column = columns.find((candidate) => candidate.title === title);
  if (column === undefined) throw new Error(`the list ${name} has no column ${title}`);
  return (row) => {
    const cell = column.cell(row);
    if (cell === undefined) return '';
    const text = tableCellText(cell);
    return cell.format === 'date' || cell.format === 'time' ? dateOf(text.slice(0, 10)) : text;
  };
}

async function* pastDueFirst(rows: () => AsyncIterable<NotOrderedRow>, today: string) {
  for (const isFirst of [true, false])
    for await (const row of rows()) if (isOpen(row) && isPastDue(row, today) === isFirst) yield row;
}
