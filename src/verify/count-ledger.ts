import type { OrderRecord, OrderState } from '../ledger/order-record.ts';
import type { CensusLine } from './census.ts';
import type { CensusParts } from './parts.ts';

const BATCH = 500;
/** Orders without a project. Those with one are counted beside the service. */
const STATES = ['ready', 'submitting', 'unresolved', 'held', 'skipped', 'refused', 'abandoned'] as const satisfies readonly OrderState[];

/** The ledger against itself: orders that have no project, updates that are open, and pages that contradict each other. */
export async function* countLedger({ ledger }: CensusParts): AsyncIterable<CensusLine> {
  for (const state of STATES) {
    for (let after = 0; ; ) {
      const orders = await ledger.ordersIn(state, after, BATCH);
      for (const order of orders) if (order.projectId === null) yield { about: 'order', id: String(order.id), ...standing(order, state) };
      const last = orders.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
  }
  for (const { projectId, request } of await ledger.openUpdates()) {
    yield { mark: '!', about: 'update', id: projectId, detail: `whether its ${request.kind} was done is not known; the next run settles it` };
  }
  for (const { about, id, what } of await ledger.contradictions()) yield { mark: '*', about, id, detail: what };
}

function standing({ id }: OrderRecord, state: (typeof STATES)[number]): Pick<CensusLine, 'mark' | 'detail'> {
  switch (state) {
    case 'ready':
      return { mark: '=', detail: 'it was not sent yet; the next run sends it' };
    case 'submitting':
    case 'unresolved':
      return { mark: '!', detail: 'whether it has a project is not known; the next run searches for it' };
    case 'held':
      return { mark: '!', detail: `a person has to decide: inspection-batch resolve ${id} --adopt ID | --resubmit | --abandon` };
    case 'skipped':
      return { mark: '=', detail: 'a repeat; it has no project of its own' };
    case 'refused':
      return { mark: '=', detail: 'the service refused it; it has no project' };
    case 'abandoned':
      return { mark: '=', detail: 'given up; it has no project' };
  }
}
