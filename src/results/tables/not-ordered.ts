import { choice, count, text, time, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import { isOpen, type NotOrderedRow, type ResultsInput } from '../model.ts';
import type { WorkbookWriter } from '../workbook-writer.ts';

const KINDS: Readonly<Record<NotOrderedRow['kind'], string>> = {
  rejection: 'Rejection',
  refusal: 'Refusal',
  duplicate: 'Duplicate',
  held: 'Held',
  'given up': 'Given up',
};

const DAY_MS = 24 * 60 * 60 * 1000;
const GRAVE_DAYS = 7;

/** The sheet `Not ordered`: rows without their own project, with reasons. Open rows stay until handled. */
export async function writeNotOrdered(
  workbook: WorkbookWriter,
  { notOrdered, writtenAt }: Pick<ResultsInput, 'notOrdered' | 'writtenAt'>,
): Promise<void> {
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.notOrdered,
    kind: 'table',
    frozenColumns: 1,
    columns: [
      {
        title: 'Kind',
        width: 12,
        note: 'Rejection: the row breaks a rule and is in a corrections workbook. Refusal: the service refused it. Duplicate: it was ordered already. Held: a person has to decide. Given up: somebody decided against the order.',
      },
      {
        title: 'New',
        width: 8,
        note: 'Yes if no earlier workbook has shown it. What is open comes back every night until it is fixed, dropped again or dismissed.',
      },
      { title: 'Days open', width: 9, note: 'Whole days since the row went back or was held.' },
      { title: 'Why', width: 64 },
      {
        title: 'Corrections workbook',
        width: 36,
        note: 'The workbook to fix the row in. Then drop that workbook in the inbox.',
      },
      { title: 'Policy number', width: 18 },
      { title: 'Inspection number', width: 20 },
      { title: 'Insured', width: 24 },
      { title: 'Street', width: 28 },
      { title: 'Agent', width: 20, note: 'The agent that the row names.' },
      { title: 'Sender', width: 18, note: 'The folder of the inbox that the file came in.' },
      { title: 'File', width: 32 },
      { title: 'Sheet', width: 16 },
      { title: 'Row', width: 8, note: 'The row of that sheet in the file as it was dropped.' },
      { title: 'Open since', width: 17, note: 'When the row went back or was held, UTC.' },
      { title: 'Existing project ID', width: 14, note: 'The project that the duplicate row is tied to.' },
    ],
    tabColour: 'BF8F00',
    printedColumns: 10,
  });
  for await (const row of notOrdered()) {
    const open = isOpen(row);
    const days = Math.max(0, Math.floor((writtenAt - row.openSince) / DAY_MS));
    await sheet.row([
      { value: KINDS[row.kind], format: 'text', emphasis: open ? 'warning' : undefined },
      choice(row.isNew),
      open ? { value: days, format: 'number', emphasis: days >= GRAVE_DAYS ? 'alarm' : undefined } : undefined,
      wrapped(row.reasons.join('\n')),
      wrapped(row.corrections ?? ''),
      text(row.policyNumber),
      text(row.inspectionNumber),
      wrapped(row.insuredName),
      wrapped(row.streetAddress),
      wrapped(row.agentName ?? ''),
      text(row.sender ?? ''),
      wrapped(row.file),
      text(row.sheet),
      count(row.rowNumber),
      time(row.openSince),
      text(row.projectId ?? ''),
    ]);
  }
}
