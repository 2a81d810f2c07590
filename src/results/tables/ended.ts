import { choice, text, time, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../sheet-names.ts';
import type { EndedProjects, ResultsOverview } from '../model.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS } from './project-columns.ts';
import { column, type Table } from './table.ts';

type EndedProject = Pick<EndedProjects, 'kind' | 'reason'> & {
  readonly project: EndedProjects['projects'][number];
  readonly isNew: boolean;
};

/** New ones, then those that are still open. */
export function* endedProjects({
  ended,
  closedOut,
}: Pick<ResultsOverview, 'ended' | 'closedOut'>): Generator<EndedProject> {
  const listed = new Set<string>();
  for (const { kind, reason, projects } of ended)
    for (const project of projects) {
      listed.add(project.projectId);
      yield { project, kind, reason, isNew: true };
    }
  for (const { kind, reason, projects } of closedOut)
    for (const project of projects) if (!listed.has(project.projectId)) yield { project, kind, reason, isNew: false };
}

export const ENDED: Table<EndedProject> = {
  name: FIXED_SHEETS.ended,
  frozenColumns: KEY_COLUMNS.length,
  tabColor: '7F7F7F',
  columns: [
    ...KEY_COLUMNS,
    column('What happened', 14, text, ({ kind }) => (kind === 'canceled' ? 'Canceled' : 'Closed out')),
    column('New', 8, choice, ({ isNew }) => isNew),
    column('Reason', 48, wrapped, ({ reason }) => reason),
    column('When', 17, time, ({ project }) => project.at),
    ...HOUSE_COLUMNS,
    column('Service', 24, text, ({ project }) => project.order.serviceName),
    column('Agent', 22, wrapped, ({ project }) => project.order.agentName),
  ],
};
