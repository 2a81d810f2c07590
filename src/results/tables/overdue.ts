import { CANCELABLE_STATUSES, SELF_INSPECTION_SERVICE_NAMES } from '../../contract/document.ts';
import type { OrderPayload } from '../../domain/row.ts';
import { sentence } from '../../domain/sentences.ts';
import { FIXED_SHEETS, count, date, DAY_MS, text, time, wrapped } from '../workbook.ts';
import { type HouseCounts, sortCounts } from '../house-counts.ts';
import type { OverdueProject, OverdueProjects } from '../model.ts';
import { cellColumn, column, type Table } from './table.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS, orderColumn } from './shared-columns.ts';

const GRAVE_DAYS = 7;

export async function* overdueRows(projects: OverdueProjects) {
  for await (const project of projects) yield { project };
}

export async function countByAgent<Late>(
  all: Iterable<Late> | AsyncIterable<Late>,
  agentOfOne: (late: Late) => string | null,
) {
  const counts = new Map<string, number>();
  for await (const late of all) {
    const agent = agentOfOne(late);
    if (agent !== null) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  return sortCounts(counts);
}

export function agentOf({ agentName }: Pick<OrderPayload, 'agentName'>) {
  return agentName ?? 'no agent named';
}

export function isForInsured({ status, order }: OverdueProject) {
  return CANCELABLE_STATUSES.includes(status) && SELF_INSPECTION_SERVICE_NAMES.includes(order.serviceName);
}

export function overdueTable(today: string, counts: HouseCounts): Table<{ readonly project: OverdueProject }> {
  const ofAgent = new Map(counts.overdueByAgent.map(({ name, count: late }) => [name, late]));
  return {
    name: FIXED_SHEETS.overdue,
    frozenColumns: HOUSE_COLUMNS.length,
    tabColor: 'C00000',
    printedTo: 'Agent phone',
    columns: [
      ...HOUSE_COLUMNS,
      column('Due date', 13, date, ({ project }) => project.dueDate),
      cellColumn('Days late', 10, ({ project: { dueDate } }) => {
        const days = (Date.parse(today) - Date.parse(dueDate)) / DAY_MS;
        return { value: days, format: 'number', emphasis: days >= GRAVE_DAYS ? 'alarm' : 'warning' };
      }),
      column('Why', 48, wrapped, ({ project }) => project.why),
      column('What can be done', 34, wrapped, ({ project }) => {
        if (isForInsured(project)) return sentence('overdue/insured');
        return sentence(CANCELABLE_STATUSES.includes(project.status) ? 'overdue/service' : 'overdue/ask');
      }),
      orderColumn('Insured phone', 18, text, 'insuredPhone'),
      orderColumn('Agent', 22, wrapped, 'agentName'),
      orderColumn('Agent phone', 18, text, 'agentPhone'),
      column('Status', 20, text, ({ project }) => project.status),
      column('Status since', 17, time, ({ project }) => project.statusAt),
      orderColumn('Service', 20, wrapped, 'serviceName'),
      ...KEY_COLUMNS,
      orderColumn('Agent email', 28, text, 'agentEmail'),
      column('Overdue at this agent', 12, count, ({ project }) => ofAgent.get(agentOf(project.order))),
    ],
  };
}
