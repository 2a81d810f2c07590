import { DatabaseSync } from 'node:sqlite';
import { migrationsOfSqlite as oneByOne, versionOfProgram as versionOfFolder } from '../../src/ledger/migrations.ts';

export { migrationsOfPostgres } from '../../src/ledger/migrations.ts';

let version: number | undefined;
let schema: string | undefined;

export const versionOfProgram: typeof versionOfFolder = () => (version ??= versionOfFolder());

/** Replaces ledger/migrations.ts in unit tests (vitest.config.ts): to make a new ledger step by step takes ten times as long, and each test has a new one. */
export const migrationsOfSqlite: typeof oneByOne = (after) =>
  after === 0
    ? [{ number: versionOfProgram(), sql: (schema ??= schemaNow()) }]
    : after === versionOfProgram()
      ? []
      : oneByOne(after);

/** What all steps come to: they put no row into a new ledger. */
function schemaNow(): string {
  using database = new DatabaseSync(':memory:');
  for (const { sql } of oneByOne(0)) database.exec(sql);
  return database
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, rowid`,
    )
    .all()
    .map(({ sql }) => `${String(sql)};`)
    .join('\n');
}
