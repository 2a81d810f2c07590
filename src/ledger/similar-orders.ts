import { orderFrom } from './orders.ts';
import { listOf, type Store } from './store.ts';

async function orderBefore(store: Store, orderId: number) {
  return (await withKeyOf(store, orderId, 'id < ?2', 1))[0] ?? null;
}

async function ordersWithNoneBefore(store: Store, orderIds: readonly number[]) {
  const found = await listOf(
    store,
    ({ id }) => Number(id),
    `SELECT asked.id FROM orders AS asked WHERE asked.account = ?1 AND asked.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?2)) AND NOT EXISTS (${similarOrderIds('id < asked.id', 1, 'asked.id')})`,
    orderIds,
  );
  return new Set(found);
}

function undecidedLike(store: Store, orderId: number) {
  return withKeyOf(store, orderId, `id <> ?2 AND state <> 'ready'`, UNDECIDED_MAX);
}

const UNDECIDED_MAX = 200;
/** Must equal the condition of the indexes of open orders. */
const OPEN = `state IN ('ready', 'submitting', 'unresolved', 'held')`;

/** Orders that the service could confuse with this one (document: Errors, rules 2 to 4). The latest first. */
function withKeyOf(store: Store, orderId: number, condition: string, limit: number) {
  return listOf(
    store,
    orderFrom,
    `${orderFrom.select} FROM orders WHERE id IN (${similarOrderIds(condition, limit)}) ORDER BY id DESC LIMIT ${limit}`,
    orderId,
  );
}

export function similarOrderIds(condition: string, limit: number, orderId = '?2') {
  const number = `json_extract(payload, '$.inspectionNumber')`;
  const commercial = `json_extract(payload, '$.policyType') = 'Commercial Property Insurance'`;
  const own = (key: 'number' | 'policy_key' | 'address_key' | 'is_commercial') => `(SELECT ${key} FROM own)`;
  const latest = (index: string, key: string) =>
    `SELECT * FROM (SELECT id FROM orders INDEXED BY ${index} WHERE account = ?1 AND ${OPEN} AND ${condition} AND ${key} ORDER BY id DESC LIMIT ${limit}) AS latest`;
  return `WITH own AS (SELECT nullif(${number}, '') AS number, policy_key, address_key, CASE WHEN ${commercial} THEN 1 ELSE 0 END AS is_commercial FROM orders WHERE id = ${orderId} AND account = ?1)
    ${latest('orders_open_by_number', `${number} = ${own('number')}`)}
    UNION ${latest('orders_open_by_policy', `policy_key = ${own('policy_key')} AND (${own('number')} IS NULL OR ${number} IS NULL)`)}
    UNION ${latest('orders_open_by_address', `address_key = ${own('address_key')} AND (${own('is_commercial')} = 1 OR ${commercial} OR (${own('number')} IS NULL AND ${own('policy_key')} IS NULL AND ${number} IS NULL AND policy_key IS NULL))`)}`;
}

export const similarOrderVerbs = {
  reads: {
    /** The nearest earlier open order that shares a key. Until it is closed, this order waits. */
    orderBefore,
    /** This never changes, since ids ascend. */
    ordersWithNoneBefore,
    undecidedLike,
  },
};
