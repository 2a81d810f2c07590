import { CLEARED, type DecidedHouse, IN_FORCE } from '../../domain/project.ts';
import { text, time, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../sheet-names.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS } from './project-columns.ts';
import { column, type Table } from './table.ts';

type Decided = { readonly project: Pick<DecidedHouse, 'projectId' | 'order'> } & Omit<
  DecidedHouse,
  'projectId' | 'order'
>;

export function* decidedHouses(decisions: readonly DecidedHouse[]): Generator<Decided> {
  for (const { projectId, order, ...decision } of decisions) yield { project: { projectId, order }, ...decision };
}

export const DECIDED: Table<Decided> = {
  name: FIXED_SHEETS.decisions,
  frozenColumns: HOUSE_COLUMNS.length,
  tabColor: '548235',
  columns: [
    ...HOUSE_COLUMNS,
    column('Decision', 18, text, ({ decision }) => (decision === '' ? CLEARED : decision)),
    column('By', 14, text, ({ by }) => by),
    column('Notes', 36, wrapped, ({ notes }) => notes),
    column('When', 17, time, ({ at }) => at),
    column('Outcome', 34, wrapped, ({ isLatest, status }) =>
      isLatest ? `${IN_FORCE}; the project is now "${status}"` : 'Replaced by a later one',
    ),
    ...KEY_COLUMNS,
    column('File', 28, wrapped, ({ file }) => file),
  ],
};
