import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import { format } from 'date-fns/format';
import { propertyOf } from '../../domain/identity.ts';
import { describeOrderedElsewhere } from '../../domain/row.ts';
import { upperFirst } from '../../domain/text.ts';
import { sentence } from '../../domain/sentences.ts';
import { FIXED_SHEETS, yesOrNo, count, date, text, time, wrapped } from '../workbook.ts';
import { isOpen, isPastDue, type NotOrderedRow } from '../model.ts';
import { cellColumn, column, type Table } from './table.ts';

const KINDS: Readonly<Record<NotOrderedRow['kind'], string>> = {
  rejection: 'Rejection',
  refusal: 'Refusal',
  duplicate: 'Duplicate',
  held: 'Held',
  'given up': 'Given up',
};

const GRAVE_DAYS = 7;

export function notOrderedTable(writtenAt: number): Table<NotOrderedRow> {
  const today = format(writtenAt, 'yyyy-MM-dd');
  return {
    name: FIXED_SHEETS.notOrdered,
    frozenColumns: 1,
    tabColor: 'BF8F00',
    printedTo: 'Agent',
    columns: [
      cellColumn('Kind', 12, (row) => ({
        value: KINDS[row.kind],
        format: 'text',
        emphasis: isOpen(row) ? 'warning' : undefined,
      })),
      column('New', 8, yesOrNo, 'isNew'),
      cellColumn('Days open', 9, (row) => {
        const days = Math.max(0, differenceInCalendarDays(writtenAt, row.openSince));
        return isOpen(row)
          ? { value: days, format: 'number', emphasis: days >= GRAVE_DAYS ? 'alarm' : undefined }
          : undefined;
      }),
      column('Why', 56, wrapped, ({ reasons }) => reasons.join('\n')),
      column('Next step', 40, wrapped, nextStep),
      cellColumn('Due date', 13, (row) => {
        const cell = date(row.dueDate);
        return cell && { ...cell, emphasis: isPastDue(row, today) ? 'alarm' : undefined };
      }),
      column('Corrections workbook', 36, wrapped, 'corrections'),
      column('Policy number', 18, text, 'policyNumber'),
      column('Inspection number', 20, text, 'inspectionNumber'),
      column('Insured', 24, wrapped, 'insuredName'),
      column('Agent', 20, wrapped, 'agentName'),
      column('Agent phone', 18, text, 'agentPhone'),
      column('Insured phone', 18, text, 'insuredPhone'),
      column('Property', 28, wrapped, propertyOf),
      column('Sender', 18, text, 'sender'),
      column('File', 32, wrapped, 'file'),
      column('Sheet', 16, text, 'sheet'),
      column('Row', 8, count, 'rowNumber'),
      column('Open since', 17, time, 'openSince'),
      column('Existing project ID', 14, text, 'projectId'),
    ],
  };
}

/** As of now: the reasons of a repeat are as of the night when it came. */
function nextStep({ kind, corrections, projectId, mayBeWanted, orderedElsewhere }: NotOrderedRow) {
  if (orderedElsewhere !== undefined && isOpen({ kind }))
    return sentence('not-ordered/elsewhere', { elsewhere: upperFirst(describeOrderedElsewhere(orderedElsewhere)) });
  switch (kind) {
    case 'rejection':
    case 'refusal':
      return sentence(corrections === null ? 'not-ordered/later' : 'not-ordered/fix');
    case 'duplicate':
      if (mayBeWanted) return sentence('ended/reorder');
      return sentence('not-ordered/covered', {
        covered: projectId === null ? 'its order is on record' : `project ${projectId} covers it`,
      });
    case 'held':
      return sentence('not-ordered/decide');
    case 'given up':
      return sentence('not-ordered/given-up');
  }
}
