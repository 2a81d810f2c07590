import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const MIGRATIONS = new URL('../../src/ledger/migrations/', import.meta.url);

export function migrationsOfSqlite(): readonly string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
}

/** Makes a ledger as a version of the program with so many migrations left it, with what `sql` puts into it. */
export function ledgerOfVersion(version: number, path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF');
  const done = migrationsOfSqlite().slice(0, version);
  for (const name of done) database.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'));
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA user_version = ${String(Number(done.at(-1)?.slice(0, 4) ?? 0))}; ${sql}`,
  );
}
