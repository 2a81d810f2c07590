import { mayMove, type OrderMove, type OrderRecord, type OrderState, type ProjectLink } from './orders.ts';
import {
  insertIfAbsent,
  addNews,
  addStep,
  listOf,
  returnTimeOf,
  type Store,
  addCancellationNews,
  AMONG_IDS,
  rowReader,
  textOf,
  type Job,
  type SqlValue,
} from './store.ts';
import { sentence } from '../domain/sentences.ts';
import { similarOrderIds } from './similar-orders.ts';

const WITHOUT_OWN_PROJECT: ReadonlySet<OrderMove['to']> = new Set([
  'refused',
  'held',
  'skipped',
  'linked',
  'abandoned',
]);

/** Ignores late results of a run that another host took over: the order may already be sent again. */
const OF_THIS_RUN =
  'AND EXISTS (SELECT 1 FROM attempts WHERE order_id = orders.id AND number = orders.attempts AND run = ?)';

/** Another host may have settled the attempt and sent the order again. */
const OF_THIS_ATTEMPT = 'AND attempts = ?';

/** No order adopts a project of another, and no create was answered with the ID of another's. */
const WITH_PROJECT_OF_ITS_OWN = `AND NOT EXISTS (SELECT 1 FROM orders AS other
  WHERE other.account = orders.account AND other.project_id = ? AND other.id <> orders.id AND (? = 1 OR other.state = 'created'))`;

async function move(store: Job, order: number | Pick<OrderRecord, 'id' | 'attempts'>, from: OrderState, to: OrderMove) {
  const [id, which, ...values]: readonly [number, string, ...SqlValue[]] =
    typeof order === 'object'
      ? [order.id, OF_THIS_ATTEMPT, order.attempts]
      : from === 'submitting'
        ? [order, OF_THIS_RUN, store.run ?? '']
        : [order, ''];
  if (to.to !== 'created') return moveOrder(store, id, from, to, which, values);
  const ofItsOwn = [BigInt(to.project.projectId), to.adopted ? 1 : 0];
  return moveOrder(store, id, from, to, `${which} ${WITH_PROJECT_OF_ITS_OWN}`, [...values, ...ofItsOwn]);
}

export async function moveOrder(
  store: Job,
  orderId: number,
  from: OrderState,
  to: OrderMove,
  which = '',
  values: readonly SqlValue[] = [],
) {
  if (!mayMove(from, to.to)) throw new Error(`an order never goes from ${from} to ${to.to}`);
  const now = store.clock.now();
  // If the machine slept, the caller's time is too early: a request may have left until now.
  const move = to.to === 'unresolved' ? { ...to, uncertainSince: Math.max(to.uncertainSince, now) } : to;
  if (!(await changeState(store, orderId, from, move, which, values))) return false;
  const follows = [];
  if ('project' in move) follows.push(followProject(store, orderId, move.project));
  if (from === 'held' || WITHOUT_OWN_PROJECT.has(move.to)) follows.push(listRowsAgain(store, orderId, move));
  if (from === 'submitting') follows.push(recordAnswer(store, orderId, move));
  if (move.to === 'refused') follows.push(addNews(store, 'order-refused', orderId));
  if (move.to === 'linked' && move.code === 'duplicate-linked-to-other-service')
    follows.push(addNews(store, 'linked-to-other-service', move.project.projectId));
  const { to: reached, ...said } = move;
  const detail = 'project' in said ? { ...said, project: said.project.projectId } : said;
  await Promise.all([...follows, addStep(store, 'order', orderId, reached, detail)]);
  return true;
}

async function changeState(
  { driver, clock, account }: Job,
  orderId: number,
  from: OrderState,
  move: OrderMove,
  which: string,
  values: readonly SqlValue[],
) {
  const changed = await driver.run(
    `UPDATE orders SET state = ?, project_id = coalesce(?, project_id), code = ?, reason = ?, uncertain_since = ?, attempts = attempts - ?,
       allow_duplication = CASE WHEN ? = 1 THEN 1 ELSE allow_duplication END, updated_at = ?, handed_over_in = NULL
     WHERE id = ? AND account = ? AND state = ? ${which}`,
    move.to,
    'project' in move ? BigInt(move.project.projectId) : null,
    'code' in move ? move.code : null,
    'reason' in move ? move.reason : null,
    move.to === 'unresolved' ? move.uncertainSince : null,
    move.to === 'ready' && !move.attemptUsed ? 1 : 0,
    move.to === 'ready' && move.allowDuplication ? 1 : 0,
    clock.now(),
    orderId,
    account,
    from,
    ...values,
  );
  return changed > 0;
}

/** The last delivery showed its rows differently. */
function listRowsAgain({ driver, clock }: Job, orderId: number, { to }: OrderMove) {
  // Open until somebody acts.
  const isForSomebody = to === 'refused' || to === 'held';
  return driver.run(
    `UPDATE rows SET handed_over_in = NULL, open_since = CASE WHEN outcome = 'order' THEN ? ELSE open_since END WHERE order_id = ?`,
    isForSomebody ? clock.now() : null,
    orderId,
  );
}

async function followProject(
  store: Job,
  orderId: number,
  { projectId, status, inspectionCode, inspectionLink }: ProjectLink,
) {
  const now = store.clock.now();
  const isNew = 'NOT EXISTS (SELECT 1 FROM projects WHERE account = ? AND id = ?)';
  const id = BigInt(projectId);
  const seen = { status, statusAt: now, inspectionCode, inspectionLink, firstSeenAt: now };
  await Promise.all([
    addStep(store, 'project', projectId, 'followed', { status, order: orderId }, isNew, [store.account, id]),
    insertIfAbsent(store, 'projects', { id, ...seen, returnedAt: returnTimeOf(status, now) }),
    addCancellationNews(store, projectId, status),
  ]);
}

const interruptedFrom = rowReader({ id: Number, run: textOf });

function interrupted(store: Store) {
  return listOf(
    store,
    interruptedFrom,
    `SELECT orders.id, attempts.run FROM orders LEFT JOIN attempts ON attempts.order_id = orders.id AND attempts.number = orders.attempts WHERE orders.account = ? AND orders.state = 'submitting'`,
  );
}

async function sendingRuns(store: Store) {
  return [...new Set((await interrupted(store)).map(({ run }) => run))];
}

async function recoverInterrupted(store: Job, runs?: readonly string[]) {
  const now = store.clock.now();
  const theirs = (await interrupted(store)).filter(({ run }) => runs?.includes(run) ?? true);
  for (const { id } of theirs) {
    await moveOrder(store, id, 'submitting', {
      to: 'unresolved',
      code: 'program-ended',
      reason: sentence('program-ended'),
      uncertainSince: now,
    });
  }
  return theirs.length;
}

async function projectsOfOtherOrders(store: Store, orderId: number, projectIds: readonly string[], since = 0) {
  const others = await listOf(
    store,
    (row) => textOf(row['project_id']),
    `SELECT CAST(project_id AS TEXT) AS project_id FROM orders WHERE account = ? AND project_id IN ${AMONG_IDS} AND id <> ? AND updated_at >= ?`,
    projectIds,
    orderId,
    since,
  );
  return new Set(others);
}

export const orderMoveVerbs = {
  reads: {
    /** Projects of other orders that moved at or after `since`. */
    projectsOfOtherOrders,
    sendingRuns,
  },
  writes: {
    /** ready → submitting, with the attempt. False if it was not ready, or must wait. */
    beginAttempt,
    /**
     * False without change if it was in another state, another run sends it, or the project is another order's. Given
     * `attempts`, also if an attempt was made since.
     */
    moveOrder: move,
    /** After a crash: `submitting` orders (of these runs) become `unresolved`. Returns how many. */
    recoverInterrupted,
  },
};

type Attempt = Readonly<{
  actor: string;
  idBound: string;
  payload: object;
  payloadHash: string;
}>;

function beginAttempt(store: Job, orderId: number, attempt: Attempt) {
  return recordAttempt(store, orderId, attempt, store.clock.now(), `AND NOT EXISTS (${similarOrderIds('id < ?2', 1)})`);
}

/** `sentAt`: the earliest time of sending. `which`: another condition. False if the order was not ready for it. */
export async function recordAttempt(store: Job, orderId: number, attempt: Attempt, sentAt: number, which = '') {
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

function recordAnswer({ driver, clock }: Job, orderId: number, move: OrderMove) {
  return driver.run(
    `UPDATE attempts SET answered_at = ?1, outcome = ?2, detail = ?3
     WHERE order_id = ?4 AND number = (SELECT max(number) FROM attempts WHERE order_id = ?4)`,
    clock.now(),
    move.to === 'unresolved' && move.answered409 ? 'duplicate' : move.to,
    'reason' in move ? move.reason : null,
    orderId,
  );
}
