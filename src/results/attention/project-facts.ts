import type { Leaf } from '../flatten.ts';
import type { ResultProject } from '../results-input.ts';
import type { ProjectFacts } from './judge.ts';

/** Statuses after which a due date no longer matters. */
const DONE: ReadonlySet<string> = new Set(['Returned to Client', 'Client Received', 'Receive Error', 'Project Canceled', 'closed out']);

/** What a rule may ask about an order and its project. */
export function projectFacts(project: ResultProject, now: number): ProjectFacts {
  const { order, status } = project;
  return new Map<string, Leaf>([
    ['status', status],
    ['overdue', isOverdue(project, now)],
    ['serviceName', order.serviceName],
    ['policyType', order.policyType],
    ['houseType', order.houseType],
    ['state', order.state],
  ]);
}

/** The due date has passed, and the project is not at its end. */
function isOverdue({ order, status, returnedAt }: Pick<ResultProject, 'order' | 'status' | 'returnedAt'>, now: number): boolean {
  return order.dueDate !== undefined && returnedAt === null && !DONE.has(status) && order.dueDate < new Date(now).toISOString().slice(0, 10);
}
