import { CANCELABLE_STATUSES } from '../../contract/document.ts';
import { date, text, time, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import { addressOf, KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS } from './project-columns.ts';
import type { ResultsInput } from '../model.ts';
import type { WorkbookWriter } from '../workbook-writer.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const GRAVE_DAYS = 7;

const COLUMNS = [
  { title: 'Due date', width: 13, note: 'Due date of the order.' },
  { title: 'Days late', width: 10, note: 'Days since the due date, on the day the workbook was written.' },
  { title: 'Status', width: 20 },
  { title: 'Status since', width: 17, note: 'When the status was first seen, UTC.' },
  {
    title: 'Why',
    width: 48,
    note: 'The project’s stage, how long it has been there, how long that usually takes, and when it was ordered.',
  },
  { title: 'What can be done', width: 34 },
  { title: 'Service', width: 20 },
  { title: 'Insured', width: 18 },
  { title: 'Property', width: 28 },
];

/** The sheet `Overdue`: the longest overdue first. Left out if empty. */
export async function writeOverdue(
  workbook: WorkbookWriter,
  { overview }: Pick<ResultsInput, 'overview'>,
): Promise<void> {
  if (overview.overdue.length === 0) return;
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.overdue,
    kind: 'table',
    frozenColumns: KEY_COLUMN_COUNT,
    columns: [...KEY_SHEET_COLUMNS, ...COLUMNS],
    tabColour: 'C00000',
  });
  for await (const { projectId, order, dueDate, status, statusAt, why } of overview.overdue) {
    const daysLate = (Date.parse(overview.today) - Date.parse(dueDate)) / DAY_MS;
    await sheet.row([
      text(projectId),
      text(order.policyNumber ?? ''),
      text(order.inspectionNumber ?? ''),
      date(dueDate),
      { value: daysLate, format: 'number', emphasis: daysLate >= GRAVE_DAYS ? 'alarm' : 'warning' },
      text(status),
      time(statusAt),
      wrapped(why),
      wrapped(
        CANCELABLE_STATUSES.includes(status)
          ? `Ask the service, or cancel it: inspection-batch cancel ${projectId}`
          : 'Ask the service when the report will come.',
      ),
      text(order.serviceName),
      wrapped(order.insuredName),
      wrapped(addressOf(order)),
    ]);
  }
}
