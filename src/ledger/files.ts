import type { Note, SheetLayout } from '../domain/row.ts';
import {
  addStep,
  insertRecord,
  firstOf,
  listOf,
  replaceIn,
  type Store,
  updateIn,
  jsonOf,
  numberOrNull,
  rowReader,
  textOf,
  textOrNull,
  type Job,
  type SqlValue,
} from './store.ts';

type FileSeries = Readonly<{
  /** The inbox folder; empty if unnamed. */
  sender: string;
  kind: string;
}>;

export type HeldFile = ReturnType<typeof heldFrom>;

export type NewFile = Readonly<{
  hash: string;
  recordedAt?: number;
  name: string;
  sender?: string;
  kind?: FileSeries['kind'];
  layouts: readonly SheetLayout[];
  notes: readonly Note[];
}>;

export type FileRecord = ReturnType<typeof fileFrom>;

export const fileFrom = rowReader({
  id: Number,
  hash: (value) => textOf(value).split(' ')[0] ?? '',
  name: textOf,
  sender: textOf,
  recordedAt: Number,
  rowsAccepted: Number,
  rowsRejected: Number,
  archivedAs: textOrNull,
  layouts: jsonOf<readonly SheetLayout[]>,
  // Before there were codes, a note was its text.
  notes: (value) =>
    jsonOf<(Note | string)[]>(value).map((one) =>
      typeof one === 'string' ? { code: 'earlier-version', text: one } : one,
    ),
});

export function findFile(store: Store, hash: string) {
  return firstOf(store, fileFrom, 'SELECT * FROM files WHERE account = ? AND hash = ?', hash);
}

/** Another account's too: the archive is theirs together. */
async function isFileOfAnyAccount({ driver }: Store, hash: string) {
  return (await driver.get('SELECT 1 FROM files WHERE hash = ?', hash)) !== undefined;
}

export function filesWhere(store: Store, rest: string, ...values: SqlValue[]) {
  return listOf(store, fileFrom, `SELECT * FROM files WHERE account = ? AND ${rest}`, ...values);
}

function readingsOf(store: Store, hash: string) {
  return filesWhere(store, '(hash = ? OR (hash >= ? AND hash < ?)) ORDER BY id', hash, `${hash} `, `${hash}!`);
}

const namedFrom = rowReader({ id: Number, hash: textOf, name: textOf });

export function findFileByHashStart(store: Store, hashStart: string) {
  return firstOf(
    store,
    rowReader({ id: Number, hash: textOf }),
    // Hex digits sort before g.
    'SELECT id, hash FROM files WHERE account = ? AND hash >= ? AND hash < ? ORDER BY hash LIMIT 1',
    hashStart,
    `${hashStart}g`,
  );
}

export function filesNamedLike(store: Store, nameStart: string, limit: number) {
  return listOf(
    store,
    namedFrom,
    `SELECT id, hash, name FROM files
     WHERE account = ?1 AND (substr(name, 1, length(?2)) = ?2 OR (sender <> '' AND substr(name, length(sender) + 2, length(?2)) = ?2)) ORDER BY id DESC LIMIT ?3`,
    nameStart,
    limit,
  );
}

function filesToArchive(store: Store) {
  return filesWhere(store, 'archived_as IS NULL ORDER BY id');
}

function archivedSince(store: Store, since: number) {
  return listOf(
    store,
    (row) => ({ ...fileFrom(row), bytes: Number(row['bytes']) }),
    `SELECT files.*, json_extract(steps.detail, '$.bytes') AS bytes
     FROM files JOIN steps ON steps.subject = 'file' AND steps.subject_id = CAST(files.id AS TEXT) AND steps.event = 'archived'
     WHERE files.account = ? AND files.recorded_at >= ? ORDER BY files.id`,
    since,
  );
}

async function markArchived(store: Job, fileId: number, archivedAs: string, bytes = 0) {
  await updateIn(store, 'files', fileId, { archivedAs });
  await addStep(store, 'file', fileId, 'archived', { as: archivedAs, bytes });
}

async function filesLike(store: Store, { sender, kind }: FileSeries, limit: number) {
  const latest = (which: string, ...kinds: readonly string[]) =>
    listOf(
      store,
      earlierFileFrom,
      `SELECT name, kind, rows_accepted + rows_rejected AS rows
       FROM files WHERE account = ? AND sender = ? AND ${which} ORDER BY id DESC LIMIT ?`,
      sender,
      ...kinds,
      limit,
    );
  const alike = await latest('kind = ?', kind);
  return alike.length > 0 || sender === '' ? alike : latest('kind IS NOT NULL');
}

async function recordHeld(
  store: Job,
  { hash, name, limits, reasons, heldAs }: Omit<HeldFile, 'heldAs' | 'approvedAt'> & { readonly heldAs: string },
) {
  await replaceIn(store, 'held_files', { hash }, { name, heldAt: store.clock.now(), heldAs, limits, reasons });
  await addStep(store, 'file', hash, 'held', { name, as: heldAs, limits, reason: reasons.join(' ') });
}

async function approveContent(store: Job, hash: string, name: string) {
  const approved = { hash, name, reasons: [], approvedAt: store.clock.now() };
  const keepingFirst =
    'ON CONFLICT (account, hash) DO UPDATE SET approved_at = coalesce(held_files.approved_at, excluded.approved_at)';
  await insertRecord(store, 'held_files', approved, keepingFirst);
  await addStep(store, 'file', hash, 'approved', { name });
}

function findHeld(store: Store, hash: string) {
  return firstOf(store, heldFrom, 'SELECT * FROM held_files WHERE account = ? AND hash = ?', hash);
}

const heldFrom = rowReader({
  /** An approval is for this content. */
  hash: textOf,
  name: textOf,
  /** Null if approved without being held. */
  heldAs: textOrNull,
  /** The broken keys of `intake.hold`. */
  limits: jsonOf<readonly string[]>,
  /** The reasons hold no personal details. */
  reasons: jsonOf<readonly string[]>,
  approvedAt: numberOrNull,
});

const earlierFileFrom = rowReader({
  name: textOf,
  kind: textOf,
  rows: Number,
});

export const fileVerbs = {
  reads: {
    findFile,
    findFileByHashStart,
    isFileOfAnyAccount,
    readingsOf,
    /** Files of the same kind; for a named sender without any, that sender's latest file. */
    filesLike,
    filesNamedLike,
    filesToArchive,
    /** `bytes`: the file's size then; 0 if not known. */
    archivedSince,
    findHeld,
  },
  writes: {
    markArchived,
    /** An earlier approval stays. */
    recordHeld,
    approveContent,
  },
};
