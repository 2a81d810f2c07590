import type { OrderRecord } from '../ledger/order-record.ts';
import { findProjects } from './find-projects.ts';
import type { SubmitParts } from './parts.ts';
import { afterDuplicate, afterSearch } from './submit-plan.ts';
import type { Tally } from './tally.ts';

const BATCH = 200;

/** Searches for the project of every unresolved order, and frees those whose doubt is settled. Returns how many became ready again. */
export async function settleUnresolved(parts: SubmitParts, tally: Tally): Promise<number> {
  let freed = 0;
  for (let after = 0; !parts.signal.aborted; ) {
    const orders = await parts.ledger.ordersIn('unresolved', after, BATCH);
    for (const order of orders) {
      if (parts.signal.aborted) return freed;
      const findings = await findProjects(order, parts, { alsoByAddress: false });
      if (findings.kind === 'away') {
        parts.log.warn('settling stopped: the service did not answer', { order: order.id });
        return freed;
      }
      const move = afterSearch(order, findings, parts.quarantineMs);
      if (move === null) continue;
      if (!(await parts.ledger.moveOrder(order.id, 'unresolved', move))) continue;
      tally.add(move);
      if (move.to === 'ready') freed += 1;
    }
    const last = orders.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  return freed;
}

/** A create was answered 409: looks for whose project stands there, and moves the order accordingly. */
export async function settleDuplicate(order: OrderRecord, parts: SubmitParts): Promise<ReturnType<typeof afterDuplicate>> {
  const findings = await findProjects(order, parts, { alsoByAddress: true });
  return afterDuplicate(order, findings, parts.rules.onDuplicate, parts.clock.now());
}
