import { baseIdentity } from '../domain/identity.ts';
import { sentence } from '../domain/sentences.ts';
import { recordAttempt, moveOrder } from './order-moves.ts';
import { LIVING, type OrderReason } from './orders.ts';
import { WITH_FILE } from './rows.ts';
import {
  addStep,
  firstOf,
  listOf,
  type Store,
  idOrNull,
  isTrue,
  jsonOf,
  numberOrNull,
  rowReader,
  textOf,
  type Job,
  type Driver,
  type SqlRow,
} from './store.ts';

/** Nothing is sent before it ends. */
export type Recovery = ReturnType<typeof recoveryFrom>;

const recoveryFrom = rowReader({
  beganAt: Number,
  /** The old ledger's generation; 0 for a lost one. */
  oldSince: Number,
  /**
   * Projects above `gapFrom` and up to `gapTo` may belong to lost orders. Digits; null until known (`gapTo`: when all
   * earlier requests have appeared).
   */
  gapFrom: idOrNull,
  gapTo: idOrNull,
  endedAt: numberOrNull,
});

const namedFrom = rowReader({ id: Number, fileId: Number, orderId: numberOrNull, isWrittenBack: isTrue });

async function moveOn(store: Store<Driver>, workspace: string, atLeast: number) {
  await store.driver.write((db) =>
    db.run(
      `INSERT INTO lineage (one, workspace, generation) VALUES (1, ?1, ?2)
       ON CONFLICT (one) DO UPDATE SET workspace = excluded.workspace,
         generation = CASE WHEN excluded.generation > lineage.generation THEN excluded.generation ELSE lineage.generation END`,
      workspace,
      atLeast,
    ),
  );
  return (await lineage(store))?.generation ?? atLeast;
}

async function noteGap({ driver, account }: Job, gap: { readonly from: string } | { readonly to: string }) {
  const [column, id] = 'from' in gap ? ['gap_from', gap.from] : ['gap_to', gap.to];
  await driver.run(
    `UPDATE recoveries SET ${column} = ? WHERE id = (SELECT max(id) FROM recoveries WHERE account = ?)`,
    BigInt(id),
    account,
  );
}

async function endRecovery({ driver, account, clock }: Job) {
  await driver.run('UPDATE recoveries SET ended_at = ? WHERE account = ? AND ended_at IS NULL', clock.now(), account);
}

async function doubtReadyOrders(store: Job, idBound: string, why: OrderReason) {
  const ready = `SELECT id FROM orders WHERE account = ? AND state = 'ready'`;
  let doubted = 0;
  for (const id of await listOf(store, (row) => Number(row['id']), ready))
    if (await doubtOrder(store, id, idBound, why)) doubted += 1;
  return doubted;
}

function rowNamed(store: Store, hashStart: string, sheet: string, rowNumber: number) {
  return firstOf(
    store,
    namedFrom,
    `SELECT rows.id, rows.file_id, rows.order_id, rows.corrections IS NOT NULL AS is_written_back FROM rows ${WITH_FILE}
     WHERE files.account = ? AND files.hash >= ? AND files.hash < ? AND rows.sheet = ? AND rows.row_number = ? ORDER BY files.hash LIMIT 1`,
    hashStart,
    `${hashStart}g`,
    sheet,
    rowNumber,
  );
}

async function lineage({ driver }: Store) {
  return lineageFrom(await driver.get('SELECT workspace, generation FROM lineage'));
}

/** `generation`: of the latest commit, or more: it never goes back. */
export function lineageFrom(row: SqlRow | undefined) {
  return row === undefined ? null : { workspace: String(row['workspace']), generation: Number(row['generation']) };
}

async function beginRecovery(store: Job, oldSince: number) {
  const accounts = new Set([
    store.account,
    ...(await store.driver.query('SELECT DISTINCT account FROM orders')).map((row) => String(row['account'])),
  ]);
  for (const each of accounts) {
    await store.driver.run(
      `INSERT INTO recoveries (account, began_at, old_since) SELECT ?1, ?2, ?3
       WHERE NOT EXISTS (SELECT 1 FROM recoveries WHERE account = ?1 AND ended_at IS NULL)`,
      each,
      store.clock.now(),
      oldSince,
    );
  }
  const recovery = await latestRecovery(store);
  if (recovery === null) throw new Error('the recovery is not on record right after it was put there');
  return recovery;
}

function latestRecovery(store: Store) {
  return firstOf(
    store,
    recoveryFrom,
    `${recoveryFrom.select} FROM recoveries WHERE account = ? ORDER BY id DESC LIMIT 1`,
  );
}

/** Not if a later order of the identity got its project: the doubt is over. */
const GIVEN_UP_IN_DOUBT = `SELECT id, identity FROM orders
  WHERE account = ? AND state = 'abandoned' AND EXISTS (SELECT 1 FROM attempts WHERE order_id = orders.id AND outcome = 'unresolved')
    AND NOT EXISTS (SELECT 1 FROM orders AS later WHERE later.account = orders.account AND later.identity = orders.identity AND later.id > orders.id
      AND later.${LIVING} AND later.state IN ('created', 'linked', 'skipped'))`;
const PLACED_LIKE = `SELECT placed.id, placed.identity FROM json_each(?) AS wanted CROSS JOIN orders AS placed
  ON placed.account = ? AND placed.identity >= wanted.value AND placed.identity < wanted.value || '$'
  WHERE placed.${LIVING} AND placed.id BETWEEN ? AND ?`;

/**
 * Holds the orders of this range that repeat one abandoned in doubt: a second project may come of it, and no search can
 * show that.
 */
export async function holdAbandonedOrders(store: Job, { first, last }: { first: number; last: number }) {
  const gone = new Map(
    await listOf(
      store,
      (row) => [baseIdentity(textOf(row['identity'])), Number(row['id'])] as const,
      GIVEN_UP_IN_DOUBT,
    ),
  );
  if (gone.size === 0) return;
  for (const placed of await store.driver.query(PLACED_LIKE, [...gone.keys()], store.account, first, last)) {
    const before = gone.get(baseIdentity(String(placed['identity'])));
    if (before === undefined) continue;
    await moveOrder(store, Number(placed['id']), 'ready', {
      to: 'held',
      code: 'another-order-abandoned',
      reason: sentence('another-order-abandoned', { before }),
    });
  }
}

const readyFrom = rowReader({ payload: jsonOf<object>, payloadHash: textOf, createdAt: Number });

/** An attempt with unknown outcome: it may have been sent at any time after the order came. */
async function doubtOrder(store: Job, orderId: number, idBound: string, why: OrderReason) {
  const ready = `${readyFrom.select} FROM orders WHERE account = ? AND id = ? AND state = 'ready'`;
  const order = await firstOf(store, readyFrom, ready, orderId);
  if (order === null) return false;
  const { createdAt, ...sent } = order;
  if (!(await recordAttempt(store, orderId, { actor: '', idBound, ...sent }, createdAt))) return false;
  await addStep(store, 'order', orderId, 'doubted', { ...why });
  return moveOrder(store, orderId, 'submitting', { to: 'unresolved', ...why, uncertainSince: store.clock.now() });
}

export const recoveryVerbs = {
  reads: {
    lineage,
    latestRecovery,
    rowNamed,
  },
  writes: {
    /** For all accounts; continues an open one. */
    beginRecovery,
    noteGap,
    endRecovery,
    /** They may have been sent after this copy was made. Returns how many. */
    doubtReadyOrders,
    doubtOrder,
  },
  own: {
    /** Returns the generation, which is `atLeast` or later. */
    moveOn,
  },
};
