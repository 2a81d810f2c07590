import { existsSync, statSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { messageOf } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { INSPECTED, inspectionFrom, type LedgerInspection } from './accounts.ts';
import type { SqlRow } from './store.ts';
import {
  explainDiskFault,
  catchDiskFaults,
  isDamaged,
  isOfThisVersion,
  openImmutable,
  openToRead,
  versionOf,
} from './sqlite-driver.ts';
import { openSqliteLedger } from './open-ledger.ts';

/** `quick` reads every page; `whole` also compares indexes with tables. */
export type ReadDepth = 'header' | 'quick' | 'whole';

/** Changes nothing. Throws ExplainedError (exit code 2) if a newer version wrote it, or the disk fails. */
export function inspectLedgerFile(path: string, depth: ReadDepth): LedgerInspection {
  if (!existsSync(path)) return { kind: 'missing' };
  if (statSync(path).size === 0 && !existsSync(`${path}-wal`)) return { kind: 'empty' };
  try {
    return look(path, depth);
  } catch (failure) {
    if (isDamaged(failure)) return { kind: 'damaged', what: messageOf(failure) };
    throw explainDiskFault(path, failure);
  }
}

function look(path: string, depth: ReadDepth): LedgerInspection {
  using database = openToRead(path);
  const has = (table: string) =>
    database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table) !== undefined;
  if (!has('files')) return { kind: 'empty' };
  versionOf(database, path);
  if (depth !== 'header') {
    const found = database.prepare(depth === 'quick' ? 'PRAGMA quick_check(1)' : 'PRAGMA integrity_check(1)').get();
    const what = String(Object.values(found ?? {})[0]);
    if (what !== 'ok') return { kind: 'damaged', what };
  }
  return inspectionFrom(INSPECTED.map(([table, sql]) => (has(table) ? (database.prepare(sql).all() as SqlRow[]) : [])));
}

/** The generation in the file without its `-wal`; 0 if none, null if unknown (half written). */
export function generationBelowWal(path: string) {
  try {
    using database = openImmutable(path);
    return Number(database.prepare('SELECT generation FROM lineage').get()?.['generation'] ?? 0);
  } catch (failure) {
    return messageOf(failure).startsWith('no such table') ? 0 : null;
  }
}

/** If an earlier version wrote it, migrates a copy at `copyTo`. */
export async function openLedgerReadOnly(
  path: string,
  options: Readonly<{ clock: Clock; account: string }>,
  copyTo: string,
) {
  if (isOfThisVersion(path)) return openSqliteLedger(path, { ...options, openedFor: 'look' });
  await backUpLedgerFile(path, copyTo);
  return openSqliteLedger(copyTo, options);
}

export function mergeWal(path: string) {
  catchDiskFaults(path, () => {
    using database = new DatabaseSync(path, { timeout: 10_000 });
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  });
}

/** Copies the ledger as of one instant, while others write. `found`: `ok` if the copy is intact. */
export async function backUpLedgerFile(from: string, to: string) {
  using source = catchDiskFaults(from, () => new DatabaseSync(from, { timeout: 10_000, readOnly: true }));
  // A transaction, and a backup through its connection, read one instant.
  const counts = catchDiskFaults(from, () => {
    source.exec('BEGIN');
    return countTables(source);
  });
  await backup(source, to).catch((failure: unknown) => {
    throw explainDiskFault(to, failure);
  });
  source.exec('ROLLBACK');
  using copy = new DatabaseSync(to, { timeout: 10_000 });
  copy.exec('PRAGMA journal_mode = DELETE');
  return {
    found: String(copy.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']),
    counts,
    copied: countTables(copy),
  };
}

const COPIES_MAX = 3;

/** Where reading cannot create files: byte by byte with its `-wal`, or by `backUpLedgerFile` during writes. */
export async function copyForReading(from: string, to: string) {
  for (let copies = 0; copies < COPIES_MAX && existsSync(from); copies += 1) {
    if (await copiedBytes(from, to)) return;
    for (const ending of FILES_OF_LEDGER) await rm(`${to}${ending}`, { force: true });
  }
  if (existsSync(from)) await backUpLedgerFile(from, to);
}

const FILES_OF_LEDGER = ['', '-wal'];

async function copiedBytes(from: string, to: string) {
  const standing = () =>
    FILES_OF_LEDGER.map((ending) => {
      const found = statSync(`${from}${ending}`, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? null : [found.size, found.mtimeNs, found.ino].join(':');
    });
  const before = standing();
  for (const [index, ending] of FILES_OF_LEDGER.entries()) {
    if (before[index] !== null) await copyFile(`${from}${ending}`, `${to}${ending}`).catch(() => {});
  }
  return before.join(' ') === standing().join(' ');
}

function countTables(database: DatabaseSync) {
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`)
    .all();
  return Object.fromEntries(
    tables.map(({ name }) => [
      String(name),
      Number(database.prepare(`SELECT count(*) AS n FROM "${String(name)}"`).get()?.['n']),
    ]),
  );
}
