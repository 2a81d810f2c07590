import { CLEARED, type DecidedHouse, IN_FORCE } from '../../domain/project.ts';
import { FIXED_SHEETS, text, time, wrapped } from '../workbook.ts';
import { column, type Table } from './table.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS } from './shared-columns.ts';

/**
 * `decisions`: the newest first. A note alone decides nothing. `fresh`: by project, the reasons of houses decided since
 * the last delivery.
 */
export function decidedHouses(decisions: readonly DecidedHouse[], fresh: ReadonlyMap<string, readonly string[]>) {
  return decisions.map((one, index) => ({
    ...one,
    project: one,
    decision:
      one.decision ||
      (one.notes &&
      !decisions.slice(index + 1).some(({ projectId, decision }) => projectId === one.projectId && decision)
        ? ''
        : CLEARED),
    reasons: one.reasons ?? fresh.get(one.projectId) ?? null,
  }));
}

export const DECIDED_TABLE: Table<ReturnType<typeof decidedHouses>[number]> = {
  name: FIXED_SHEETS.decisions,
  frozenColumns: HOUSE_COLUMNS.length,
  tabColor: '548235',
  columns: [
    ...HOUSE_COLUMNS,
    column('Decision', 18, text, 'decision'),
    column('By', 14, text, 'by'),
    column('Notes', 36, wrapped, 'notes'),
    column('When', 17, time, 'at'),
    column('Outcome', 34, wrapped, ({ isLatest, status }) =>
      isLatest ? `${IN_FORCE}; the project is now ${status}` : 'Replaced by a later one',
    ),
    ...KEY_COLUMNS,
    column('File', 28, wrapped, 'file'),
    column('Reasons at that time', 44, wrapped, ({ reasons }) => reasons?.join('; ')),
  ],
};
