import { CANCELABLE_STATUSES } from '../../contract/document.ts';
import { isCompleteBut } from '../../domain/project-status.ts';
import type { ProjectRecord } from '../../ledger/projects.ts';
import type { OrderRecord } from '../../ledger/orders.ts';
import type { UpdateRecord } from '../../ledger/updates.ts';
import { localTime } from './local-time.ts';

/** What the next step hangs on besides the order. */
export interface NextGrounds {
  readonly project: ProjectRecord | null;
  readonly updates: readonly UpdateRecord[];
  readonly quarantineMs: number;
  /** The order that a ready one waits for. */
  readonly before?: OrderRecord | null;
}

/** What will happen next to an order, and what a person can do, in sentences. */
export function whatIsNext(order: OrderRecord, grounds: NextGrounds): string {
  const open = grounds.updates.find(({ state }) => state === 'open');
  const first = open === undefined ? '' : `whether its ${open.request.kind} was done is not known: the next run settles that first. Then `;
  return `${first}${nextOf(order, grounds)}`;
}

function nextOf(order: OrderRecord, { project, quarantineMs, before = null }: NextGrounds): string {
  switch (order.state) {
    case 'ready':
      return before === null ? 'the next submission run sends it.' : `it waits for order ${before.id}, which has the same key and is ${before.state}.`;
    case 'submitting':
      return 'it is being sent, or a run was killed while it was: the next run searches for it before anything is sent again.';
    case 'unresolved':
      return `the next run searches for it; ${notBefore(order, quarantineMs)}`;
    case 'created':
    case 'linked':
      return project === null ? 'follow-up runs collect its status and its report.' : nextOfProject(project);
    case 'held':
      return `a person decides (${order.reason ?? ''}): ${resolveLine(order)}`;
    case 'refused':
      return 'its row is in a corrections workbook; fixed and dropped in the inbox, it becomes a new order.';
    case 'skipped':
      return 'nothing: it is a repeat.';
    case 'abandoned':
      return 'nothing: a person gave it up.';
  }
}

/** Which command frees a held order. */
export function resolveLine({ id }: Pick<OrderRecord, 'id'>): string {
  return `inspection-batch resolve ${id} --adopt ID | --resubmit | --abandon`;
}

/** An order in doubt is sent again only after the quarantine, and a search that found nothing. */
function notBefore({ uncertainSince }: OrderRecord, quarantineMs: number): string {
  return uncertainSince === null ? 'it is sent again only after that.' : `not before ${localTime(uncertainSince + quarantineMs)} is it sent again, and only if it is not found.`;
}

function nextOfProject(project: ProjectRecord): string {
  const { id, status, collectedAt, returnedAt, problem } = project;
  switch (status) {
    case 'Project Canceled':
      return 'nothing: it is canceled. To order it again, put Yes under "Allow duplicate" in its row.';
    case 'Client Received':
      if (collectedAt !== null) return 'nothing: it is received.';
      return problem === null ? 'the next follow-up run asks whether its files are still offered.' : `nothing by itself (${problem})`;
    case 'Receive Error':
      return 'a person looks at it on the service’s platform: it was marked as an error there. Follow-up runs go on asking for its status.';
    default:
      break;
  }
  if (problem !== null && !isCompleteBut(problem)) return `the next follow-up run tries again (${problem})`;
  if (collectedAt !== null) return `nothing has to: its files are here. \`inspection-batch receive ${id}\` marks it as received, unless collect.markReceived does.`;
  if (returnedAt !== null || status === 'Returned to Client') return 'the next follow-up run fetches its report.';
  const mayCancel = CANCELABLE_STATUSES.includes(status) ? ` Until it is inspected, \`inspection-batch cancel ${id}\` cancels it.` : '';
  return `follow-up runs ask for its status, and fetch its report once it is returned.${mayCancel}`;
}
