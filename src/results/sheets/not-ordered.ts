import { count, text, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import type { NotOrderedRow } from '../model.ts';
import type { WorkbookWriter } from '../workbook-writer.ts';

const KINDS: Readonly<Record<NotOrderedRow['kind'], string>> = { rejection: 'Rejection', refusal: 'Refusal', duplicate: 'Duplicate', held: 'Held' };

/** The sheet `Not ordered`: every row that led to no project of its own, and why. */
export async function writeNotOrdered(workbook: WorkbookWriter, rows: AsyncIterable<NotOrderedRow>): Promise<void> {
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.notOrdered,
    kind: 'table',
    frozenColumns: 1,
    columns: [
      { title: 'Kind', width: 12, note: 'Rejection: the row breaks a rule and is in a corrections workbook. Refusal: the service refused it. Duplicate: it was ordered already. Held: a person has to decide.' },
      { title: 'Why', width: 80 },
      { title: 'File', width: 32 },
      { title: 'Sheet', width: 16 },
      { title: 'Row', width: 8, note: 'The row of that sheet in the file as it was dropped.' },
      { title: 'Policy number', width: 18 },
      { title: 'Inspection number', width: 20 },
      { title: 'Insured', width: 24 },
      { title: 'Street', width: 28 },
      { title: 'Existing project ID', width: 14, note: 'The project that a duplicate stands for.' },
    ],
    tabColour: 'BF8F00',
  });
  for await (const row of rows) {
    await sheet.row([
      { value: KINDS[row.kind], format: 'text', emphasis: row.kind === 'duplicate' ? undefined : 'warning' },
      wrapped(row.reasons.join('\n')),
      wrapped(row.file),
      text(row.sheet),
      count(row.rowNumber),
      text(row.policyNumber),
      text(row.inspectionNumber),
      wrapped(row.insuredName),
      wrapped(row.streetAddress),
      text(row.projectId ?? ''),
    ]);
  }
}
