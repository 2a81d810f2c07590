import type { ProjectDetail } from '../contract/document.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { ordersInState } from '../ledger/orders.ts';
import { isNewerThanFirstAttempt, isSameOrder, resembles } from '../submit/order-and-project.ts';

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
      const reason = `It may be the project of order ${order.id} (${order.state}), which would then not find it and be sent again. If it is, run \`inspection-batch resolve ${order.id} --adopt ${project.id}\` first.`;
      return { code: 'maybe-of-an-order', reason };
    }
  }
  return null;
}
