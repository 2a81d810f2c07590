import type { Note, SheetLayout } from '../domain/row.ts';
import { jsonOf, numberOrNull, reader, type SqlRow, textOf, textOrNull, type Writes } from './driver.ts';
import { addStep, type Store } from './store.ts';

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
  /** Null if approved without being held. */
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
  /** Null until archived. */
  readonly archivedAs: string | null;
  readonly layouts: readonly SheetLayout[];
  readonly notes: readonly Note[];
}

export interface NewFile {
  readonly hash: string;
  readonly recordedAt?: number;
  readonly name: string;
  readonly sender?: string;
  readonly kind?: FileKind['kind'];
  readonly layouts: readonly SheetLayout[];
  readonly notes: readonly Note[];
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

export async function findFile({ driver, account }: Store, hash: string): Promise<FileRecord | null> {
  const row = await driver.get('SELECT * FROM files WHERE account = ? AND hash = ?', account, hash);
  return row === undefined ? null : fileFrom(row);
}

/** A range, since `hash LIKE` would scan all files. */
async function readingsOf({ driver, account }: Store, hash: string) {
  return (
    await driver.query(
      'SELECT * FROM files WHERE account = ? AND (hash = ? OR (hash >= ? AND hash < ?)) ORDER BY id',
      account,
      hash,
      `${hash} `,
      `${hash}!`,
    )
  ).map(fileFrom);
}

export async function findFileByHashStart(
  { driver, account }: Store,
  hashStart: string,
): Promise<{ readonly id: number; readonly hash: string } | null> {
  // Hex digits sort before g.
  const row = await driver.get(
    'SELECT id, hash FROM files WHERE account = ? AND hash >= ? AND hash < ? ORDER BY hash LIMIT 1',
    account,
    hashStart,
    `${hashStart}g`,
  );
  return row === undefined ? null : { id: Number(row['id']), hash: String(row['hash']) };
}

export async function filesNamedLike(
  { driver, account }: Store,
  nameStart: string,
  limit: number,
): Promise<readonly { readonly id: number; readonly hash: string; readonly name: string }[]> {
  const rows = await driver.query(
    `SELECT id, hash, name FROM files
     WHERE account = ?1 AND (substr(name, 1, length(?2)) = ?2 OR (sender <> '' AND substr(name, length(sender) + 2, length(?2)) = ?2)) ORDER BY id DESC LIMIT ?3`,
    account,
    nameStart,
    limit,
  );
  return rows.map((row) => ({ id: Number(row['id']), hash: String(row['hash']), name: String(row['name']) }));
}

async function filesToArchive({ driver, account }: Store) {
  return (await driver.query('SELECT * FROM files WHERE account = ? AND archived_as IS NULL ORDER BY id', account)).map(
    fileFrom,
  );
}

async function markArchived(store: Store<Writes>, fileId: number, archivedAs: string) {
  await store.driver.run('UPDATE files SET archived_as = ? WHERE id = ?', archivedAs, fileId);
  await addStep(store, 'file', fileId, 'archived', { as: archivedAs });
}

async function rowCounts({ driver, account }: Store) {
  const row = await driver.get(
    'SELECT coalesce(sum(rows_accepted), 0) AS accepted, coalesce(sum(rows_rejected), 0) AS rejected FROM files WHERE account = ?',
    account,
  );
  const accepted = Number(row?.['accepted'] ?? 0);
  return { read: accepted + Number(row?.['rejected'] ?? 0), accepted };
}

async function filesLike(store: Store, { sender, kind }: FileKind, limit: number) {
  const { driver, account } = store;
  const columns = 'name, kind, recorded_at, rows_accepted + rows_rejected AS rows, layouts';
  const alike = await driver.query(
    `SELECT ${columns} FROM files WHERE account = ? AND sender = ? AND kind = ? ORDER BY id DESC LIMIT ?`,
    account,
    sender,
    kind,
    limit,
  );
  if (alike.length > 0 || sender === '') return alike.map(earlierFileFrom);
  return (
    await driver.query(
      `SELECT ${columns} FROM files WHERE account = ? AND sender = ? AND kind IS NOT NULL ORDER BY id DESC LIMIT ?`,
      account,
      sender,
      limit,
    )
  ).map(earlierFileFrom);
}

async function recordHeld(
  store: Store<Writes>,
  held: Pick<HeldFile, 'hash' | 'name' | 'limits' | 'reasons'> & { readonly heldAs: string },
) {
  await store.driver.run(
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
  await addStep(store, 'file', held.hash, 'held', {
    name: held.name,
    as: held.heldAs,
    limits: held.limits,
    reason: held.reasons.join(' '),
  });
}

async function approveContent(store: Store<Writes>, hash: string, name: string) {
  await store.driver.run(
    `INSERT INTO held_files (account, hash, name, reasons, approved_at) VALUES (?, ?, ?, '[]', ?)
     ON CONFLICT (account, hash) DO UPDATE SET approved_at = coalesce(held_files.approved_at, excluded.approved_at)`,
    store.account,
    hash,
    name,
    store.clock.now(),
  );
  await addStep(store, 'file', hash, 'approved', { name });
}

async function findHeld({ driver, account }: Store, hash: string) {
  const row = await driver.get('SELECT * FROM held_files WHERE account = ? AND hash = ?', account, hash);
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

const earlierFileFrom = reader<EarlierFile>({
  name: textOf,
  kind: textOf,
  recordedAt: Number,
  rows: Number,
  layouts: (value) => jsonOf(value) as SheetLayout[],
});

export const fileVerbs = {
  reads: {
    findFile,
    findFileByHashStart,
    readingsOf,
    /** The latest files of this kind; for a named sender without any, that sender's latest. */
    filesLike,
    filesNamedLike,
    filesToArchive,
    findHeld,
    rowCounts,
  },
  writes: {
    markArchived,
    /** An earlier approval stays. */
    recordHeld,
    approveContent,
  },
  own: {},
};
