import { choice, text, time, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import type { EndedProjects, ResultsOverview } from '../model.ts';
import type { WorkbookWriter } from '../workbook-writer.ts';
import { addressOf, KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS } from './project-columns.ts';

const COLUMNS = [
  {
    title: 'What happened',
    width: 14,
    note: 'Canceled: at the service, not by us. Closed out: no inspection could take place.',
  },
  {
    title: 'New',
    width: 8,
    note: 'Yes if it happened since your last delivery. A closed-out project stays here until it is canceled, received, or given up.',
  },
  { title: 'Reason', width: 48, note: 'In the service’s words.' },
  { title: 'When', width: 17, note: 'When it was first seen, UTC.' },
  { title: 'Insured', width: 22 },
  { title: 'Property', width: 32 },
  { title: 'Service', width: 24 },
  { title: 'Agent', width: 22 },
];

/** The sheet `Ended`: projects canceled or closed out by the service. Left out if empty. */
export async function writeEnded(
  workbook: WorkbookWriter,
  { ended, closedOut }: Pick<ResultsOverview, 'ended' | 'closedOut'>,
): Promise<void> {
  if (ended.length + closedOut.length === 0) return;
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.ended,
    kind: 'table',
    frozenColumns: KEY_COLUMN_COUNT,
    columns: [...KEY_SHEET_COLUMNS, ...COLUMNS],
    tabColour: '7F7F7F',
  });
  const isTold = new Set(ended.flatMap(({ projects }) => projects.map(({ projectId }) => projectId)));
  const write = async ({ kind, reason, projects }: EndedProjects, isNew: boolean): Promise<void> => {
    for (const { projectId, order, at } of projects) {
      if (!isNew && isTold.has(projectId)) continue;
      await sheet.row([
        text(projectId),
        text(order.policyNumber ?? ''),
        text(order.inspectionNumber ?? ''),
        text(kind === 'canceled' ? 'Canceled' : 'Closed out'),
        choice(isNew),
        wrapped(reason),
        time(at),
        wrapped(order.insuredName),
        wrapped(addressOf(order)),
        text(order.serviceName),
        wrapped(order.agentName ?? ''),
      ]);
    }
  };
  for (const group of ended) await write(group, true);
  for (const group of closedOut) await write(group, false);
}
