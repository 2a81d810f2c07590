import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import { FIXED_SHEETS, yesOrNo, text, time, wrapped } from '../workbook.ts';
import type { EndedProjects, ResultsOverview } from '../model.ts';
import { decideColumns } from './attention.ts';
import { column, type Table } from './table.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS, orderColumn } from './shared-columns.ts';

export type CanceledProject = EndedProjects['projects'][number] & Pick<EndedProjects, 'reason'>;

type EndedProject = Pick<EndedProjects, 'kind' | 'reason' | 'isSettled'> &
  Readonly<{
    project: EndedProjects['projects'][number];
    isNew: boolean;
  }>;

const causes = templateData('workbook/endings', z.array(z.strictObject({ says: z.string(), first: z.string() })));

export const ENDED = { canceled: 'canceled by the service', 'closed out': 'closed out without an inspection' };

export function firstStepAfterEnding({ kind, reason }: Pick<EndedProjects, 'kind' | 'reason'>) {
  return causes().find(({ says }) => new RegExp(says, 'i').test(`${kind}: ${reason}`))?.first ?? '';
}

export function* endedProjects({ ended, stillEnded }: ResultsOverview, canceled: readonly CanceledProject[] = []) {
  const listed = new Set<string>();
  const others = canceled.map(
    (one) => ({ kind: 'canceled', reason: one.reason, isSettled: undefined, projects: [one] }) as const,
  );
  for (const group of [...ended, ...stillEnded, ...others])
    for (const project of group.projects) {
      const end = `${group.kind} ${project.projectId}`;
      if (listed.has(end)) continue;
      listed.add(end);
      yield { ...group, project, isNew: ended.includes(group) };
    }
}

export function endedTable(decisionWords?: readonly string[]): Table<EndedProject> {
  return {
    name: FIXED_SHEETS.ended,
    frozenColumns: HOUSE_COLUMNS.length,
    tabColor: '7F7F7F',
    printedTo: 'Agent phone',
    columns: [
      ...HOUSE_COLUMNS,
      column('What happened', 14, text, ({ kind }) => (kind === 'canceled' ? 'Canceled' : 'Closed out')),
      column('New', 8, yesOrNo, 'isNew'),
      column('Reason', 48, wrapped, 'reason'),
      column('What to do', 40, wrapped, (ended) => {
        if (ended.isSettled || ended.project.decision?.decision) return 'Nothing.';
        return ended.isSettled === undefined ? '' : `${firstStepAfterEnding(ended)} Then close the case.`;
      }),
      orderColumn('Insured phone', 18, text, 'insuredPhone'),
      orderColumn('Agent', 22, wrapped, 'agentName'),
      orderColumn('Agent phone', 18, text, 'agentPhone'),
      ...decideColumns(decisionWords),
      column('When', 17, time, ({ project }) => project.at),
      orderColumn('Service', 24, text, 'serviceName'),
      ...KEY_COLUMNS,
    ],
  };
}
