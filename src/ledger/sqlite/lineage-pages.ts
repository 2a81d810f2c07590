import type { Lineage, LineageBook, Recovery } from '../recovery.ts';
import { addStep, type Book } from '../store.ts';
import { moveOrder, noteAttempt } from './order-pages.ts';

export function lineageBookIn(book: Book): LineageBook {
  const { connection } = book;
  return {
    lineage: async () => lineage(book),
    moveOn: async (workspace, atLeast) => {
      await connection.write(() => {
        connection.run(
          `INSERT INTO lineage (one, workspace, generation) VALUES (1, ?1, ?2)
           ON CONFLICT (one) DO UPDATE SET workspace = excluded.workspace, generation = max(generation, excluded.generation)`,
          workspace,
          atLeast,
        );
      });
      return lineage(book)?.generation ?? atLeast;
    },
    beginRecovery: (oldSince) => connection.write(() => beginRecovery(book, oldSince)),
    latestRecovery: async () => latestRecovery(book),
    noteGap: (gap) =>
      connection.write(() => {
        const [column, id] = 'from' in gap ? ['gap_from', gap.from] : ['gap_to', gap.to];
        connection.run(`UPDATE recoveries SET ${column} = ? WHERE id = (SELECT max(id) FROM recoveries WHERE account = ?)`, BigInt(id), book.account);
      }),
    endRecovery: () =>
      connection.write(() => {
        connection.run('UPDATE recoveries SET ended_at = ? WHERE account = ? AND ended_at IS NULL', book.clock.now(), book.account);
      }),
    doubtReadyOrders: (idBound, reason) =>
      connection.write(() => {
        const ready = connection.all(`SELECT id FROM orders WHERE account = ? AND state = 'ready'`, book.account);
        return ready.filter(({ id }) => doubtOrder(book, Number(id), idBound, reason)).length;
      }),
    doubtOrder: (orderId, idBound, reason) => connection.write(() => doubtOrder(book, orderId, idBound, reason)),
    refuseForgotten: (orderId, reason) =>
      connection.write(() => connection.get(`SELECT 1 AS found FROM orders WHERE id = ? AND state = 'unresolved'`, orderId) !== undefined && moveOrder(book, orderId, 'unresolved', { to: 'refused', reason })),
    rowNamed: async (hashStart, sheet, rowNumber) => {
      // Hex digits end before the letter g.
      const row = connection.get(
        `SELECT rows.id, rows.file_id, rows.order_id, rows.corrections FROM rows JOIN files ON files.id = rows.file_id
         WHERE files.account = ? AND files.hash >= ? AND files.hash < ? AND rows.sheet = ? AND rows.row_number = ? LIMIT 1`,
        book.account,
        hashStart,
        `${hashStart}g`,
        sheet,
        rowNumber,
      );
      if (row === undefined) return null;
      return { id: Number(row['id']), fileId: Number(row['file_id']), orderId: row['order_id'] === null ? null : Number(row['order_id']), isWrittenBack: row['corrections'] !== null };
    },
    isFileOfOtherAccount: async (hash) => connection.get('SELECT 1 AS found FROM files WHERE hash = ? AND account <> ?', hash, book.account) !== undefined,
  };
}

function lineage({ connection }: Book): Lineage | null {
  const row = connection.get('SELECT workspace, generation FROM lineage');
  return row === undefined ? null : { workspace: String(row['workspace']), generation: Number(row['generation']) };
}

function beginRecovery(book: Book, oldSince: number): Recovery {
  const { connection, account, clock } = book;
  const accounts = new Set([account, ...connection.all('SELECT DISTINCT account FROM orders').map((row) => String(row['account']))]);
  for (const each of accounts) {
    connection.run(
      `INSERT INTO recoveries (account, began_at, old_since) SELECT ?1, ?2, ?3
       WHERE NOT EXISTS (SELECT 1 FROM recoveries WHERE account = ?1 AND ended_at IS NULL)`,
      each,
      clock.now(),
      oldSince,
    );
  }
  const recovery = latestRecovery(book);
  if (recovery === null) throw new Error('the recovery is not on record right after it was put there');
  return recovery;
}

function latestRecovery({ connection, account }: Book): Recovery | null {
  const row = connection.get(
    `SELECT began_at, old_since, CAST(gap_from AS TEXT) AS gap_from, CAST(gap_to AS TEXT) AS gap_to, ended_at
     FROM recoveries WHERE account = ? ORDER BY id DESC LIMIT 1`,
    account,
  );
  if (row === undefined) return null;
  const { gap_from: from, gap_to: to, ended_at: endedAt } = row;
  return {
    beganAt: Number(row['began_at']),
    oldSince: Number(row['old_since']),
    gapFrom: typeof from === 'string' ? from : null,
    gapTo: typeof to === 'string' ? to : null,
    endedAt: typeof endedAt === 'number' ? endedAt : null,
  };
}

/** On record as an attempt that nobody knows the outcome of, since that is what it may have been: at some time after the order came. */
function doubtOrder(book: Book, orderId: number, idBound: string, reason: string): boolean {
  const row = book.connection.get(`SELECT payload, payload_hash, created_at FROM orders WHERE id = ? AND account = ? AND state = 'ready'`, orderId, book.account);
  if (row === undefined) return false;
  const attempt = { actor: '', idBound, payload: JSON.parse(String(row['payload'])) as object, payloadHash: String(row['payload_hash']) };
  if (!noteAttempt(book, orderId, attempt, Number(row['created_at']))) return false;
  addStep(book, 'order', orderId, 'doubted', { reason });
  return moveOrder(book, orderId, 'submitting', { to: 'unresolved', reason, uncertainSince: book.clock.now() });
}
