import type { ProjectDetail } from '../contract/document.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { ordersInState } from '../ledger/orders.ts';
import { isNewerThanFirstAttempt, isSameOrder, resembles } from '../submit/order-and-project.ts';
import { reasonFor } from '../domain/sentences.ts';

/**
 * An order in doubt compares a project with its request: after an amendment it would not find it and would be sent
 * again.
 */
export async function reasonNotToAmend(
  project: ProjectDetail,
  ledger: Pick<Ledger, 'projectsOfOtherOrders' | 'ordersIn'>,
) {
  if ((await ledger.projectsOfOtherOrders(0, [project.id])).size > 0) return null;
  for (const state of ['submitting', 'unresolved', 'held'] as const) {
    for await (const order of ordersInState(state, ledger)) {
      // An order held without an attempt may have been sent by a lost ledger.
      if (!isNewerThanFirstAttempt(order, project) || !(resembles(order, project) || isSameOrder(order, project)))
        continue;
      return reasonFor('maybe-of-an-order', { order: order.id, state, project: project.id });
    }
  }
  return null;
}
