import type { ProjectDetail } from '../contract/document.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { everyOrderIn, type OrderRecord } from '../ledger/orders.ts';
import { isSameOrder, resembles } from '../submit/same-order.ts';

/**
 * Why a project that no order has must not be amended now, or null: it may be that of an order in doubt, which looks for its project by what it
 * asked for, would no longer find it, and would be sent again.
 */
export async function whyNotAmended(
  project: ProjectDetail,
  ledger: Pick<Ledger, 'projectsOfOtherOrders' | 'ordersIn'>,
): Promise<string | null> {
  if ((await ledger.projectsOfOtherOrders(0, [project.id])).size > 0) return null;
  for (const state of ['submitting', 'unresolved', 'held'] as const) {
    for await (const order of everyOrderIn(state, ledger)) {
      if (!mayHave(order, project)) continue;
      return `It may be the project of order ${order.id}, which is ${order.state}: amended, it would not be found, and the order would be sent again. If it is, say \`inspection-batch resolve ${order.id} --adopt ${project.id}\` first.`;
    }
  }
  return null;
}

/** An order that is held without an attempt may have been sent by a ledger that was lost. */
function mayHave(order: OrderRecord, project: ProjectDetail): boolean {
  return BigInt(project.id) > BigInt(order.idBound ?? 0) && (resembles(order, project) || isSameOrder(order, project));
}
