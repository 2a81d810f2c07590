import { identityWithoutRepeat } from '../domain/identity.ts';
import type { Note, SheetLayout } from '../domain/row.ts';
import { jsonOf, numberOrNull, type SqlRow, textOf, textOrNull } from './driver.ts';
import { lookupIn, type OrderLookup, type WentBackLookup } from './lookups.ts';
import { addNews, addStep, type Store, tellOnce } from './store.ts';
import { findOrder, type NewOrder, type OrderRecord } from './orders.ts';
import { holdWhatWasGivenUp } from './recovery.ts';
import { addChanges, markCorrectedBy, type NewRow } from './rows.ts';
import { addIdentity, identitiesBeside } from './updates.ts';

export interface FileKind {
  /** The inbox folder; empty if unnamed. */
  readonly sender: string;
  readonly kind: string;
}

export interface EarlierFile {
  readonly kind: string;
  readonly name: string;
  readonly recordedAt: number;
  readonly rows: number;
  readonly layouts: readonly SheetLayout[];
}

export interface HeldFile {
  /** SHA-256; an approval is for this content. */
  readonly hash: string;
  readonly name: string;
  /** Relative to the workspace; null if approved without being held. */
  readonly heldAs: string | null;
  /** The broken keys of `intake.hold`. */
  readonly limits: readonly string[];
  /** In sentences, without personal details. */
  readonly reasons: readonly string[];
  readonly approvedAt: number | null;
}

export interface FileRecord {
  readonly id: number;
  readonly hash: string;
  readonly name: string;
  readonly sender: string;
  readonly recordedAt: number;
  readonly rowsAccepted: number;
  readonly rowsRejected: number;
  /** Relative to the workspace; null until archived. */
  readonly archivedAs: string | null;
  readonly layouts: readonly SheetLayout[];
  readonly notes: readonly Note[];
}

export interface NewFile {
  readonly hash: string;
  /** Default: now. */
  readonly recordedAt?: number;
  readonly name: string;
  readonly sender?: string;
  readonly kind?: FileKind['kind'];
  readonly layouts: readonly SheetLayout[];
  readonly notes: readonly Note[];
}

export interface FileTransaction extends OrderLookup, WentBackLookup {
  addOrder(order: NewOrder): number;
  addIdentity(identity: string, order: OrderRecord): void;
  addRow(row: NewRow): number;
  /** A note that only the rows revealed. */
  addNote(note: Note): void;
}

export function fileFrom(row: SqlRow): FileRecord {
  return {
    id: Number(row['id']),
    hash: textOf(row['hash']).split(' ')[0] ?? '',
    name: textOf(row['name']),
    sender: textOf(row['sender']),
    recordedAt: Number(row['recorded_at']),
    rowsAccepted: Number(row['rows_accepted']),
    rowsRejected: Number(row['rows_rejected']),
    archivedAs: textOrNull(row['archived_as']),
    layouts: jsonOf(row['layouts']) as SheetLayout[],
    // Before there were codes, a note was its text.
    notes: (jsonOf(row['notes']) as (Note | string)[]).map((one) =>
      typeof one === 'string' ? { code: 'earlier-version', text: one } : one,
    ),
  };
}

function findFile({ driver, account }: Store, hash: string): FileRecord | null {
  const row = driver.get('SELECT * FROM files WHERE account = ? AND hash = ?', account, hash);
  return row === undefined ? null : fileFrom(row);
}

/** A range, since `hash LIKE` would scan all files. */
function readingsOf({ driver, account }: Store, hash: string): readonly FileRecord[] {
  return driver
    .query(
      'SELECT * FROM files WHERE account = ? AND (hash = ? OR (hash >= ? AND hash < ?)) ORDER BY id',
      account,
      hash,
      `${hash} `,
      `${hash}!`,
    )
    .map(fileFrom);
}

async function recordFile(
  store: Store,
  file: NewFile,
  fill: (transaction: FileTransaction) => Promise<unknown>,
): Promise<FileRecord> {
  const { driver, clock } = store;
  const recordedAt = file.recordedAt ?? clock.now();
  return driver.writeExclusively(async () => {
    const fileId = driver.insert(
      'INSERT INTO files (account, hash, name, sender, kind, run, recorded_at, layouts, notes, rows_accepted, rows_rejected) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)',
      store.account,
      file.hash,
      file.name,
      file.sender ?? '',
      file.kind ?? null,
      store.run ?? '',
      recordedAt,
      JSON.stringify(file.layouts),
      JSON.stringify(file.notes),
    );
    const counts = { accepted: 0, rejected: 0 };
    const placed = { first: 0, last: 0 };
    const notes = [...file.notes];
    await fill({
      ...lookupIn(store),
      addOrder: (order) => {
        placed.last = addOrder(store, order, recordedAt);
        placed.first ||= placed.last;
        return placed.last;
      },
      addIdentity: (identity, { id }) => addIdentity(store, identity, id),
      addRow: (row) => {
        if (row.outcome === 'rejection') counts.rejected += 1;
        else counts.accepted += 1;
        return addRow(store, fileId, row, recordedAt);
      },
      addNote: (note) => void notes.push(note),
    });
    driver.run(
      'UPDATE files SET rows_accepted = ?, rows_rejected = ?, notes = ? WHERE id = ?',
      counts.accepted,
      counts.rejected,
      JSON.stringify(notes),
      fileId,
    );
    if (placed.last > 0) {
      noteAccepted(store, placed);
      holdWhatWasGivenUp(store, placed);
    }
    addStep(store, 'file', fileId, 'recorded', { name: file.name, hash: file.hash, ...counts });
    if (counts.rejected > 0) addNews(store, 'rows-went-back', fileId);
    const recorded = findFile(store, file.hash);
    if (recorded === null) throw new Error('the file is not on record right after it was put there');
    return recorded;
  });
}

const REHEARSED = new Error('rehearsed');

async function rehearseFile(store: Store, fill: (transaction: FileTransaction) => Promise<unknown>): Promise<void> {
  const file = { hash: 'rehearsal', name: '', layouts: [], notes: [] };
  await recordFile(store, file, async (transaction) => {
    await fill(transaction);
    throw REHEARSED;
  }).catch((failure: unknown) => {
    if (failure !== REHEARSED) throw failure;
  });
}

/** Records the first step of all the file's orders at once. By id: by account, SQLite would scan all orders. */
function noteAccepted(
  { driver, clock, account, run }: Store,
  { first, last }: { readonly first: number; readonly last: number },
): void {
  driver.run(
    `INSERT INTO steps (account, at, run, subject, subject_id, event, detail)
     SELECT account, ?, ?, 'order', CAST(id AS TEXT), 'accepted', NULL FROM orders NOT INDEXED WHERE account = ? AND id BETWEEN ? AND ? ORDER BY id`,
    clock.now(),
    run,
    account,
    first,
    last,
  );
}

function addOrder(store: Store, order: NewOrder, createdAt: number): number {
  const id = insertOrder(store, order, createdAt);
  // A dry run lacks the renewed orders.
  const renewed = order.renews === null ? null : findOrder(store, order.renews);
  if (renewed !== null) {
    const own = identityWithoutRepeat(order.identity);
    for (const identity of [identityWithoutRepeat(renewed.identity), ...identitiesBeside(store, renewed.id)])
      if (identity !== own) addIdentity(store, identity, id);
  }
  return id;
}

function insertOrder(store: Store, order: NewOrder, createdAt: number): number {
  return store.driver.insert(
    `INSERT INTO orders (account, identity, address_key, policy_key, state, payload, payload_hash, allow_duplication, row_wish, reference, run, created_at, updated_at, renews, subject_key)
     VALUES (?, ?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    store.account,
    order.identity,
    order.addressKey,
    order.policyKey,
    JSON.stringify(order.payload),
    order.payloadHash,
    order.allowDuplication ? 1 : 0,
    order.rowWish === null ? null : Number(order.rowWish),
    order.reference,
    store.run ?? '',
    createdAt,
    createdAt,
    order.renews,
    order.subjectKey,
  );
}

function addRow(store: Store, fileId: number, row: NewRow, recordedAt: number): number {
  const rowId = store.driver.insert(
    'INSERT INTO rows (file_id, sheet, row_number, outcome, order_id, record, problems, repairs, summary, open_since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    fileId,
    row.record.place.sheet,
    row.record.place.rowNumber,
    row.outcome,
    row.orderId,
    JSON.stringify(row.corrects === undefined ? row.record : { ...row.record, corrects: row.corrects }),
    JSON.stringify(row.problems),
    JSON.stringify(row.repairs),
    JSON.stringify(row.summary),
    row.outcome === 'rejection' ? recordedAt : null,
  );
  if (row.corrects !== undefined) markCorrectedBy(store, row.corrects, rowId);
  if (row.changes !== undefined && row.orderId !== null) addChanges(store, rowId, row.orderId, row.changes);
  if (row.news !== undefined) tellOnce(store, 'repeat-not-ordered', row.news);
  return rowId;
}

function filesToArchive({ driver, account }: Store): readonly FileRecord[] {
  return driver
    .query('SELECT * FROM files WHERE account = ? AND archived_as IS NULL ORDER BY id', account)
    .map(fileFrom);
}

function markArchived(store: Store, fileId: number, archivedAs: string): void {
  store.driver.run('UPDATE files SET archived_as = ? WHERE id = ?', archivedAs, fileId);
  addStep(store, 'file', fileId, 'archived', { as: archivedAs });
}

function rowCounts({ driver, account }: Store): { readonly read: number; readonly accepted: number } {
  const row = driver.get(
    'SELECT coalesce(sum(rows_accepted), 0) AS accepted, coalesce(sum(rows_rejected), 0) AS rejected FROM files WHERE account = ?',
    account,
  );
  const accepted = Number(row?.['accepted'] ?? 0);
  return { read: accepted + Number(row?.['rejected'] ?? 0), accepted };
}

function filesLike(store: Store, { sender, kind }: FileKind, limit: number): readonly EarlierFile[] {
  const { driver, account } = store;
  const columns = 'name, kind, recorded_at, rows_accepted + rows_rejected AS rows, layouts';
  const alike = driver.query(
    `SELECT ${columns} FROM files WHERE account = ? AND sender = ? AND kind = ? ORDER BY id DESC LIMIT ?`,
    account,
    sender,
    kind,
    limit,
  );
  if (alike.length > 0 || sender === '') return alike.map(earlierFileFrom);
  return driver
    .query(
      `SELECT ${columns} FROM files WHERE account = ? AND sender = ? AND kind IS NOT NULL ORDER BY id DESC LIMIT ?`,
      account,
      sender,
      limit,
    )
    .map(earlierFileFrom);
}

function recordHeld(
  store: Store,
  held: Pick<HeldFile, 'hash' | 'name' | 'limits' | 'reasons'> & { readonly heldAs: string },
): void {
  store.driver.run(
    `INSERT INTO held_files (account, hash, name, held_at, held_as, limits, reasons) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, hash) DO UPDATE SET name = excluded.name, held_at = excluded.held_at, held_as = excluded.held_as, limits = excluded.limits, reasons = excluded.reasons`,
    store.account,
    held.hash,
    held.name,
    store.clock.now(),
    held.heldAs,
    JSON.stringify(held.limits),
    JSON.stringify(held.reasons),
  );
  addStep(store, 'file', held.hash, 'held', {
    name: held.name,
    as: held.heldAs,
    limits: held.limits,
    reason: held.reasons.join(' '),
  });
}

function approveContent(store: Store, hash: string, name: string): void {
  store.driver.run(
    `INSERT INTO held_files (account, hash, name, reasons, approved_at) VALUES (?, ?, ?, '[]', ?)
     ON CONFLICT (account, hash) DO UPDATE SET approved_at = coalesce(held_files.approved_at, excluded.approved_at)`,
    store.account,
    hash,
    name,
    store.clock.now(),
  );
  addStep(store, 'file', hash, 'approved', { name });
}

function findHeld({ driver, account }: Store, hash: string): HeldFile | null {
  const row = driver.get('SELECT * FROM held_files WHERE account = ? AND hash = ?', account, hash);
  if (row === undefined) return null;
  return {
    hash,
    name: String(row['name']),
    heldAs: textOrNull(row['held_as']),
    limits: jsonOf(row['limits']) as string[],
    reasons: jsonOf(row['reasons']) as string[],
    approvedAt: numberOrNull(row['approved_at']),
  };
}

function earlierFileFrom(row: SqlRow): EarlierFile {
  return {
    name: String(row['name']),
    kind: String(row['kind']),
    recordedAt: Number(row['recorded_at']),
    rows: Number(row['rows']),
    layouts: jsonOf(row['layouts']) as SheetLayout[],
  };
}

export const fileVerbs = {
  reads: { findFile, readingsOf, filesLike, filesToArchive, findHeld, rowCounts },
  writes: { markArchived, recordHeld, approveContent },
  own: { recordFile, rehearseFile },
};
