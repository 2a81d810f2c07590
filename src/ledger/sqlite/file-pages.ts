import { houseKey } from '../../domain/identity.ts';
import type { RowPlace } from '../../domain/row.ts';
import type { FileRecord, FileTransaction, NewFile } from '../files.ts';
import type { OrderLookup, WentBackLookup } from '../lookups.ts';
import type { NewRow, StoredRow } from '../rows.ts';
import type { NewOrder } from '../orders.ts';
import { addStep, type Book } from '../store.ts';
import { addChanges } from './change-pages.ts';
import { forgottenKey, keyWhenForgotten } from './forgotten-keys.ts';
import { findProject } from './hand-over-pages.ts';
import { fileFrom, ORDER_COLUMNS, orderFrom, ROW_COLUMNS, rowFrom } from './mapping.ts';
import { amendedDetails } from './update-pages.ts';
import { addNews } from './news-pages.ts';
import { markCorrectedBy, wentBackIn } from './went-back-pages.ts';

const BATCH = 500;

export function findFile({ connection, account }: Book, hash: string): FileRecord | null {
  const row = connection.get('SELECT * FROM files WHERE account = ? AND hash = ?', account, hash);
  return row === undefined ? null : fileFrom(row);
}

export async function recordFile(
  book: Book,
  file: NewFile,
  fill: (transaction: FileTransaction) => Promise<void>,
): Promise<FileRecord> {
  const { connection, clock } = book;
  const recordedAt = file.recordedAt ?? clock.now();
  return connection.writeExclusively(async () => {
    const fileId = connection.insert(
      'INSERT INTO files (account, hash, name, sender, kind, run, recorded_at, layouts, notes, rows_accepted, rows_rejected) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)',
      book.account,
      file.hash,
      file.name,
      file.sender ?? '',
      file.kind ?? null,
      book.run ?? '',
      recordedAt,
      JSON.stringify(file.layouts),
      JSON.stringify(file.notes),
    );
    const counts = { accepted: 0, rejected: 0 };
    const notes = [...file.notes];
    await fill({
      ...lookupIn(book),
      addOrder: (order) => addOrder(book, order, recordedAt),
      addRow: (row) => {
        if (row.outcome === 'rejection') counts.rejected += 1;
        else counts.accepted += 1;
        addRow(book, fileId, row);
      },
      addNote: (note) => void notes.push(note),
    });
    connection.run('UPDATE files SET rows_accepted = ?, rows_rejected = ?, notes = ? WHERE id = ?', counts.accepted, counts.rejected, JSON.stringify(notes), fileId);
    addStep(book, 'file', fileId, 'recorded', { name: file.name, hash: file.hash, ...counts });
    if (counts.rejected > 0) addNews(book, 'rows-went-back', fileId);
    const recorded = findFile(book, file.hash);
    if (recorded === null) throw new Error('the file is not on record right after it was put there');
    return recorded;
  });
}

export function lookupIn(book: Book): OrderLookup & WentBackLookup {
  return {
    ...wentBackIn(book),
    findLivingOrder: (identity) => findLivingOrder(book, identity),
    findOrderAtAddress: (addressKey, since) => findOrderAtAddress(book, addressKey, since),
    findOrderOfPolicy: (policyKey) => findOrderOfPolicy(book, policyKey),
    findOrderOfPolicyAt: (policyKey, house) => findOrderOfPolicyAt(book, policyKey, house),
    placeOfOrder: (order) => placeOfOrder(book, order.id),
    statusOfProject: (projectId) => findProject(book, projectId)?.status ?? null,
    amendedPolicy: (projectId) => amendedDetails(book, projectId),
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

function findLivingOrder(book: Book, identity: string) {
  const { connection, account } = book;
  const row = connection.get(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND identity IN (?, ?) AND state NOT IN ('refused', 'abandoned')`,
    account,
    identity,
    keyWhenForgotten(identity),
  );
  // One whose details are forgotten answers to the identity that it had.
  return row === undefined ? findAmendedOrder(book, identity) : { ...orderFrom(row), identity };
}

/** An order whose project was amended to this policy. */
function findAmendedOrder({ connection, account }: Book, identity: string) {
  const row = connection.get(
    `SELECT ${ORDER_COLUMNS} FROM orders JOIN amended_identities ON amended_identities.order_id = orders.id
     WHERE amended_identities.account = ? AND amended_identities.identity IN (?, ?) AND state NOT IN ('refused', 'abandoned') ORDER BY orders.id DESC LIMIT 1`,
    account,
    identity,
    keyWhenForgotten(identity),
  );
  return row === undefined ? null : orderFrom(row);
}

function findOrderAtAddress({ connection, account }: Book, addressKey: string, since: number) {
  const row = connection.get(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND address_key IN (?, ?) AND created_at >= ? AND state NOT IN ('refused', 'abandoned')
     ORDER BY id DESC LIMIT 1`,
    account,
    addressKey,
    forgottenKey(addressKey),
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

/** Houses of one policy are few: they are looked through. */
function findOrderOfPolicyAt({ connection, account }: Book, policyKey: string, house: Parameters<OrderLookup['findOrderOfPolicyAt']>[1]) {
  const rows = connection.all(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE account = ? AND policy_key = ? AND state NOT IN ('refused', 'abandoned')
       AND coalesce(json_extract(payload, '$.inspectionNumber'), '') = '' AND json_extract(payload, '$.serviceName') = ? ORDER BY id DESC LIMIT ${HOUSES_MAX}`,
    account,
    policyKey,
    house.serviceName,
  );
  const key = houseKey(house);
  return rows.map(orderFrom).find(({ payload }) => houseKey(payload) === key) ?? null;
}

const HOUSES_MAX = 500;

function addOrder(book: Book, order: NewOrder, createdAt: number): number {
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
    createdAt,
    createdAt,
  );
  addStep(book, 'order', id, 'accepted');
  return id;
}

function addRow(book: Book, fileId: number, row: NewRow): void {
  const rowId = book.connection.insert(
    'INSERT INTO rows (file_id, sheet, row_number, outcome, order_id, record, problems, repairs, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    fileId,
    row.record.place.sheet,
    row.record.place.rowNumber,
    row.outcome,
    row.orderId,
    JSON.stringify(row.corrects === undefined ? row.record : { ...row.record, corrects: row.corrects }),
    JSON.stringify(row.problems),
    JSON.stringify(row.repairs),
    JSON.stringify(row.summary),
  );
  if (row.corrects !== undefined) markCorrectedBy(book, row.corrects, rowId);
  if (row.changes !== undefined && row.orderId !== null) addChanges(book, rowId, row.orderId, row.changes);
}

export function filesToArchive({ connection, account }: Book): readonly FileRecord[] {
  return connection.all('SELECT * FROM files WHERE account = ? AND archived_as IS NULL ORDER BY id', account).map(fileFrom);
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

export function rowCounts({ connection, account }: Book): { readonly read: number; readonly accepted: number } {
  const row = connection.get('SELECT coalesce(sum(rows_accepted), 0) AS accepted, coalesce(sum(rows_rejected), 0) AS rejected FROM files WHERE account = ?', account);
  const accepted = Number(row?.['accepted'] ?? 0);
  return { read: accepted + Number(row?.['rejected'] ?? 0), accepted };
}
