import type { Writes } from './driver.ts';
import type { OrderMove } from './orders.ts';
import { similarOrderIds } from './similar-orders.ts';
import { addStep, type Store } from './store.ts';

type Attempt = Readonly<{
  actor: string;
  idBound: string;
  payload: object;
  payloadHash: string;
}>;

function beginAttempt(store: Store<Writes>, orderId: number, attempt: Attempt) {
  return recordAttempt(store, orderId, attempt, store.clock.now(), `AND NOT EXISTS (${similarOrderIds('id < ?2', 1)})`);
}

/** `sentAt`: the earliest time of sending. `which`: another condition. False if the order was not ready for it. */
export async function recordAttempt(
  store: Store<Writes>,
  orderId: number,
  attempt: Attempt,
  sentAt: number,
  which = '',
) {
  const { actor, idBound, payload, payloadHash } = attempt;
  const took =
    (await store.driver.run(
      `UPDATE orders SET state = 'submitting', attempts = attempts + 1, id_bound = coalesce(id_bound, ?3), code = NULL, reason = NULL, updated_at = ?4
     WHERE id = ?2 AND account = ?1 AND state = 'ready' ${which}`,
      store.account,
      orderId,
      BigInt(idBound),
      store.clock.now(),
    )) > 0;
  if (!took) return false;
  await Promise.all([
    store.driver.run(
      `INSERT INTO attempts (order_id, number, run, actor, payload, payload_hash, sent_at)
       SELECT id, attempts, ?, ?, ?, ?, ? FROM orders WHERE id = ?
       ON CONFLICT (order_id, number) DO UPDATE SET run = excluded.run, sent_at = excluded.sent_at, answered_at = NULL, outcome = NULL, detail = NULL`,
      store.run ?? '',
      actor,
      payload,
      payloadHash,
      sentAt,
      orderId,
    ),
    addStep(store, 'order', orderId, 'sending', { actor, idBound, payloadHash }),
  ]);
  return true;
}

export function recordAnswer({ driver, clock }: Store<Writes>, orderId: number, move: OrderMove) {
  return driver.run(
    `UPDATE attempts SET answered_at = ?1, outcome = ?2, detail = ?3
     WHERE order_id = ?4 AND number = (SELECT max(number) FROM attempts WHERE order_id = ?4)`,
    clock.now(),
    move.to === 'unresolved' && move.answered409 ? 'duplicate' : move.to,
    'reason' in move ? move.reason : null,
    orderId,
  );
}

export const attemptVerbs = {
  writes: {
    /** ready → submitting, with the attempt. False if it was not ready, or must wait. */
    beginAttempt,
  },
};
