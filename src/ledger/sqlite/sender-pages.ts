import type { SheetLayout } from '../../domain/row.ts';
import type { EarlierFile, FileKind, HeldFile, SenderBook } from '../files.ts';
import { addStep, type Book } from '../store.ts';
import type { SqlRow } from '../driver.ts';

export function senderBookIn(book: Book): SenderBook {
  const { connection } = book;
  return {
    filesLike: async (like, limit) => filesLike(book, like, limit),
    recordHeld: (held) => connection.write(() => recordHeld(book, held)),
    approveContent: (hash, name) => connection.write(() => approveContent(book, hash, name)),
    findHeld: async (hash) => findHeld(book, hash),
  };
}

function filesLike(book: Book, { sender, kind }: FileKind, limit: number): readonly EarlierFile[] {
  const { connection, account } = book;
  const columns = 'name, recorded_at, rows_accepted + rows_rejected AS rows, layouts';
  const alike = connection.all(`SELECT ${columns} FROM files WHERE account = ? AND sender = ? AND kind = ? ORDER BY id DESC LIMIT ?`, account, sender, kind, limit);
  if (alike.length > 0 || sender === '') return alike.map(earlierFileFrom);
  return connection
    .all(`SELECT ${columns} FROM files WHERE account = ? AND sender = ? AND kind IS NOT NULL ORDER BY id DESC LIMIT ?`, account, sender, limit)
    .map(earlierFileFrom);
}

function recordHeld(book: Book, held: { readonly hash: string; readonly name: string; readonly heldAs: string; readonly reasons: readonly string[] }): void {
  book.connection.run(
    `INSERT INTO held_files (account, hash, name, held_at, held_as, reasons) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, hash) DO UPDATE SET name = excluded.name, held_at = excluded.held_at, held_as = excluded.held_as, reasons = excluded.reasons`,
    book.account,
    held.hash,
    held.name,
    book.clock.now(),
    held.heldAs,
    JSON.stringify(held.reasons),
  );
  addStep(book, 'file', held.hash, 'held', { name: held.name, as: held.heldAs, reason: held.reasons.join(' ') });
}

function approveContent(book: Book, hash: string, name: string): void {
  book.connection.run(
    `INSERT INTO held_files (account, hash, name, reasons, approved_at) VALUES (?, ?, ?, '[]', ?)
     ON CONFLICT (account, hash) DO UPDATE SET approved_at = coalesce(approved_at, excluded.approved_at)`,
    book.account,
    hash,
    name,
    book.clock.now(),
  );
  addStep(book, 'file', hash, 'approved', { name });
}

function findHeld({ connection, account }: Book, hash: string): HeldFile | null {
  const row = connection.get('SELECT * FROM held_files WHERE account = ? AND hash = ?', account, hash);
  if (row === undefined) return null;
  return {
    hash,
    name: String(row['name']),
    heldAs: typeof row['held_as'] === 'string' ? row['held_as'] : null,
    reasons: JSON.parse(String(row['reasons'])) as string[],
    approvedAt: typeof row['approved_at'] === 'number' ? row['approved_at'] : null,
  };
}

function earlierFileFrom(row: SqlRow): EarlierFile {
  return {
    name: String(row['name']),
    recordedAt: Number(row['recorded_at']),
    rows: Number(row['rows']),
    layouts: JSON.parse(String(row['layouts'])) as SheetLayout[],
  };
}
