import { openToRead, SqliteDriver } from '../../src/ledger/sqlite-driver.ts';

/** Of the latest run in a ledger, so that a test opens it without credentials. */
export function latestAccount(path: string): string | null {
  new SqliteDriver(path)[Symbol.dispose]();
  using database = openToRead(path);
  const row = database.prepare('SELECT account FROM runs ORDER BY started_at DESC, rowid DESC LIMIT 1').get();
  return row === undefined ? null : String(row['account']);
}
