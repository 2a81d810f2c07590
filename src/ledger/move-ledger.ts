import { createHash } from 'node:crypto';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { usageErrorOf, workLeftErrorOf } from '../domain/errors.ts';
import { runAndUndo } from './driver.ts';
import { PostgresDriver, type PostgresTarget } from './postgres-driver.ts';
import { SqliteDriver } from './sqlite-driver.ts';
import type { Driver, Reads, SqlRow, Writes } from './store.ts';

type Column = Readonly<{
  name: string;
  type: string;
}>;

type Table = Readonly<{
  name: string;
  columns: readonly Column[];
  key: readonly Column[];
}>;

const ROWS_AT_ONCE = 400;

/** Into an empty schema. Throws ExplainedError (2, nothing changed; 4 if the database is away). */
export async function copyToPostgres(path: string, target: PostgresTarget) {
  await using closing = new AsyncDisposableStack();
  const to = closing.adopt(await PostgresDriver.open(target), (driver) => driver.close());
  if (
    (await to.get('SELECT 1 FROM lineage UNION ALL SELECT 1 FROM runs UNION ALL SELECT 1 FROM files LIMIT 1')) !==
    undefined
  )
    throw usageErrorOf('schema-not-empty', { schema: target.schema });
  const from = closing.adopt(new SqliteDriver(path), (driver) => driver.close());
  return await runAndUndo(
    (work) => from.writeExclusively<never>(work),
    async (db: Writes) => (await copyAll(db, to, db, to)).counts,
  );
}

/**
 * As of one instant, into a new file. `alone` excludes writers, whose writes would be lost. Throws ExplainedError (2; 4
 * if the database is away or in use).
 */
export async function copyFromPostgres(target: PostgresTarget, path: string, alone = false) {
  await using closing = new AsyncDisposableStack();
  const from = closing.adopt(await PostgresDriver.open(target, undefined, 'look'), (driver) => driver.close());
  const to = closing.adopt(new SqliteDriver(path), (driver) => driver.close());
  if (alone) await mustBeAlone(from);
  const copied = await from.inSnapshot((db) => copyAll(db, to, to, db));
  if (alone) await mustBeAlone(from);
  await to.compact();
  await to.query('PRAGMA journal_mode = DELETE');
  return copied;
}

async function mustBeAlone(from: PostgresDriver) {
  if (await from.isShared()) throw workLeftErrorOf('ledger-in-use/open');
}

async function copyAll(from: Reads, to: Driver, sqlite: Reads, postgres: Reads) {
  const tables = await tablesOf(sqlite, postgres);
  return to.writeExclusively(async (db) => {
    const there: Record<string, Sum> = {};
    for (const table of tables) there[table.name] = await readAll(from, table, (rows) => put(db, table, rows));
    const here: Record<string, Sum> = {};
    for (const table of tables) here[table.name] = await readAll(db, table);
    const odd = tables.filter(({ name }) => there[name]?.hash !== here[name]?.hash).map(({ name }) => name);
    if (odd.length > 0) throw usageErrorOf('ledger-copy-differs', { odd: odd.join(', ') });
    // The commit will advance it.
    await db.run('UPDATE lineage SET generation = generation - 1');
    if (to === postgres) for (const table of tables) await setNextIds(db, table);
    const countsOf = (sums: Record<string, Sum>) =>
      Object.fromEntries(Object.entries(sums).map(([name, { count }]) => [name, count]));
    return { found: 'ok', counts: countsOf(there), copied: countsOf(here) };
  });
}

async function tablesOf(sqlite: Reads, postgres: Reads) {
  const withRowid = await postgres.query(
    `SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'rowid'`,
  );
  const names = await sqlite.query(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid`,
  );
  const tables = [];
  for (const name of names.map((row) => String(row['name']))) {
    const columns = (await sqlite.query('SELECT name, type, pk FROM pragma_table_info(?)', name)).map((row) => ({
      name: String(row['name']),
      type: String(row['type']),
      pk: Number(row['pk']),
    }));
    if (withRowid.some((row) => row['table_name'] === name)) {
      const rowid = { name: 'rowid', type: 'INTEGER' };
      tables.push({ name, columns: [rowid, ...columns], key: [rowid] });
      continue;
    }
    tables.push({ name, columns, key: columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk) });
  }
  return tables;
}

type Sum = Readonly<{
  count: number;
  hash: string;
}>;

async function readAll(db: Reads, table: Table, each: (rows: readonly SqlRow[]) => Promise<unknown> = async () => {}) {
  const { name, columns, key } = table;
  const selected = columns
    .map((column) => (column.type === 'INTEGER' ? `CAST(${column.name} AS TEXT) AS ${column.name}` : column.name))
    .join(', ');
  const order = `ORDER BY ${key.map((column) => `${name}.${column.name}`).join(', ')} LIMIT ${ROWS_AT_ONCE}`;
  const behind = `WHERE (${key.map((column) => column.name).join(', ')}) > (${key.map(() => '?').join(', ')})`;
  const hash = createHash('sha256');
  let count = 0;
  for (let rows = await db.query(`SELECT ${selected} FROM ${name} ${order}`); rows.length > 0;) {
    for (const row of rows) hash.update(JSON.stringify(columns.map((column) => kept(row[column.name]))));
    await each(rows);
    count += rows.length;
    await turnOfEventLoop();
    const last = rows.at(-1) ?? {};
    rows =
      rows.length < ROWS_AT_ONCE
        ? []
        : await db.query(
            `SELECT ${selected} FROM ${name} ${behind} ${order}`,
            ...key.map((column) => valueOf(column, last[column.name])),
          );
  }
  return { count, hash: hash.digest('hex') };
}

const kept = (value: SqlRow[string] | undefined) =>
  typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : (value ?? null);

function valueOf({ type }: Column, value: SqlRow[string] | undefined) {
  return type === 'INTEGER' && typeof value === 'string' ? BigInt(value) : (value ?? null);
}

function put(db: Writes, { name, columns }: Table, rows: readonly SqlRow[]) {
  const one = `(${columns.map(() => '?').join(', ')})`;
  return db.run(
    `INSERT INTO ${name} (${columns.map((column) => column.name).join(', ')}) VALUES ${rows.map(() => one).join(', ')}`,
    ...rows.flatMap((row) => columns.map((column) => valueOf(column, row[column.name]))),
  );
}

async function setNextIds(db: Writes, { name, key }: Table) {
  const [{ name: id, type } = { name: '', type: '' }] = key;
  if (key.length !== 1 || (id !== 'id' && id !== 'rowid') || type !== 'INTEGER') return;
  await db.query(
    `SELECT setval(pg_get_serial_sequence(CAST(? AS text), CAST(? AS text)), greatest((SELECT max(${id}) FROM ${name}), 1), EXISTS (SELECT 1 FROM ${name}))`,
    name,
    id,
  );
}
