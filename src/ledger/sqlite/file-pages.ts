import type { RowPlace, SheetLayout } from '../../domain/row.ts';
import type { FileRecord, FileTransaction, NewRow, OrderLookup, StoredRow } from '../ledger.ts';
import type { NewOrder } from '../order-record.ts';
import { addStep, type Book } from './book.ts';
import { fileFrom, ORDER_COLUMNS, orderFrom, ROW_COLUMNS, rowFrom } from './mapping.ts';

const BATCH = 500;

export function findFile({ connection, account }: Book, hash: string): FileRecord | null {
  const row = connection.get('SELECT * FROM files WHERE account = ? AND hash = ?', account, hash);
  return row === undefined ? null : fileFrom(row);
}

export async function recordFile(
  book: Book,
  file: { hash: string; name: string; layouts: readonly SheetLayout[]; notes: readonly string[] },
  fill: (transaction: FileTransaction) => Promise<void>,
): Promise<FileRecord> {
  const { connection, clock } = book;
  return connection.writeExclusively(async () => {
    const fileId = connection.insert(
      'INSERT INTO files (account, hash, name, run, recorded_at, layouts, notes, rows_accepted, rows_rejected) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)',
      book.account,
      file.hash,
      file.name,
      book.run ?? '',
      clock.now(),
      JSON.stringify(file.layouts),
      JSON.stringify(file.notes),
    );
    const counts = { accepted: 0, rejected: 0 };
    await fill({
      ...lookupIn(book),
      addOrder: (order) => addOrder(book, order),
      addRow: (row) => {
        if (row.outcome === 'rejection') counts.rejected += 1;
        else counts.accepted += 1;
        addRow(book, fileId, row);
      },
    });
    connection.run('UPDATE files SET rows_accepted = ?, rows_rejected = ? WHERE id = ?', counts.accepted, counts.rejected, fileId);
    addStep(book, 'file', fileId, 'recorded', { name: file.name, hash: file.hash, ...counts });
    const recorded = findFile(book, file.hash);
    if (recorded === null) throw new Error('the file is not on record right after it was put there');
    return recorded;
  });
}

export function lookupIn(book: Book): OrderLookup {
  return {
    findLivingOrder: (identity) => findLivingOrder(book, identity),
    findOrderAtAddress: (addressKey, since) => findOrderAtAddress(book, addressKey, since),
    findOrderOfPolicy: (policyKey) => findOrderOfPolicy(book, policyKey),
    placeOfOrder: (order) => placeOfOrder(book, order.id),
  };
}

function placeOfOrder({ connection, account }: Book, orderId: number): RowPlace | null {
  const row = connection.get(
    `SELECT json_extract(rows.record, '$.place') AS place FROM rows JOIN files ON files.id = rows.file_id
     WHERE files.account = ? AND rows.order_id = ? AND rows.outcome = 'order' ORDER BY rows.id LIMIT 1`,
    account,
    orderId,
  );
  return row === undefined ? null : (JSON.parse(String(row['place'])) as RowPlace);
}

/** Ends a rehearsal: thrown to take everything back. */
const REHEARSED = new Error('rehearsed');

export async function rehearseFile(book: Book, fill: (transaction: FileTransaction) => Promise<void>): Promise<void> {
  const file = { hash: 'rehearsal', name: '', layouts: [], notes: [] };
  await recordFile(book, file, async (transaction) => {
    await fill(transaction);
    throw REHEARSED;
  }).catch((failure: unknown) => {
    if (failure !== REHEARSED) throw failure;
  });
}

function findLivingOrder({ connection, account }: Book, identity: string) {
  const row = connection.get(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND identity = ? AND state NOT IN ('refused', 'abandoned')`,
    account,
    identity,
  );
  return row === undefined ? null : orderFrom(row);
}

function findOrderAtAddress({ connection, account }: Book, addressKey: string, since: number) {
  const row = connection.get(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND address_key = ? AND created_at >= ? AND state NOT IN ('refused', 'abandoned')
     ORDER BY id DESC LIMIT 1`,
    account,
    addressKey,
    since,
  );
  return row === undefined ? null : orderFrom(row);
}

function findOrderOfPolicy({ connection, account }: Book, policyKey: string) {
  const row = connection.get(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND policy_key = ? AND state NOT IN ('refused', 'abandoned') ORDER BY id DESC LIMIT 1`,
    account,
    policyKey,
  );
  return row === undefined ? null : orderFrom(row);
}

function addOrder(book: Book, order: NewOrder): number {
  const now = book.clock.now();
  const id = book.connection.insert(
    `INSERT INTO orders (account, identity, address_key, policy_key, state, payload, payload_hash, allow_duplication, row_wish, reference, run, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?, ?)`,
    book.account,
    order.identity,
    order.addressKey,
    order.policyKey,
    JSON.stringify(order.payload),
    order.payloadHash,
    order.allowDuplication ? 1 : 0,
    order.rowWish === null ? null : Number(order.rowWish),
    order.reference,
    book.run ?? '',
    now,
    now,
  );
  addStep(book, 'order', id, 'accepted');
  return id;
}

function addRow(book: Book, fileId: number, row: NewRow): void {
  book.connection.run(
    'INSERT INTO rows (file_id, sheet, row_number, outcome, order_id, record, problems, repairs, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    fileId,
    row.record.place.sheet,
    row.record.place.rowNumber,
    row.outcome,
    row.orderId,
    JSON.stringify(row.record),
    JSON.stringify(row.problems),
    JSON.stringify(row.repairs),
    JSON.stringify(row.summary),
  );
}

export function markArchived(book: Book, fileId: number, archivedAs: string): void {
  book.connection.run('UPDATE files SET archived_as = ? WHERE id = ?', archivedAs, fileId);
  addStep(book, 'file', fileId, 'archived', { as: archivedAs });
}

const WENT_BACK = `rows.corrections IS NULL AND (rows.outcome = 'rejection' OR (rows.outcome = 'order' AND orders.state = 'refused'))`;

export function filesToCorrect({ connection, account }: Book): readonly FileRecord[] {
  return connection
    .all(
      `SELECT * FROM files WHERE account = ? AND id IN (
         SELECT rows.file_id FROM rows WHERE rows.corrections IS NULL AND rows.outcome = 'rejection'
         UNION
         SELECT rows.file_id FROM orders JOIN rows ON rows.order_id = orders.id
         WHERE orders.state = 'refused' AND rows.outcome = 'order' AND rows.corrections IS NULL)
       ORDER BY id`,
      account,
    )
    .map(fileFrom);
}

export async function* rowsToCorrect({ connection }: Book, fileId: number): AsyncIterable<StoredRow & { readonly refusal: string | null }> {
  for (let after = 0; ; ) {
    const rows = connection.all(
      `SELECT ${ROW_COLUMNS}, CASE WHEN orders.state = 'refused' THEN orders.reason END AS refusal
       FROM rows JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id
       WHERE rows.file_id = ? AND rows.id > ? AND ${WENT_BACK} ORDER BY rows.id LIMIT ${BATCH}`,
      fileId,
      after,
    );
    for (const row of rows) {
      const refusal = row['refusal'];
      yield { ...rowFrom(row), refusal: typeof refusal === 'string' ? refusal : null };
    }
    if (rows.length < BATCH) return;
    after = Number(rows.at(-1)?.['id']);
  }
}

export function markCorrected(book: Book, fileId: number, rowIds: readonly number[], corrections: string): void {
  for (const id of rowIds) book.connection.run('UPDATE rows SET corrections = ? WHERE id = ? AND file_id = ?', corrections, id, fileId);
  addStep(book, 'file', fileId, 'corrections written', { corrections, rows: rowIds.length });
}

export function correctionsOf({ connection }: Book, fileId: number): string | null {
  const row = connection.get(
    `SELECT json_extract(detail, '$.corrections') AS corrections FROM steps
     WHERE subject = 'file' AND subject_id = ? AND event = 'corrections written' ORDER BY id DESC LIMIT 1`,
    String(fileId),
  );
  return row === undefined ? null : String(row['corrections']);
}
