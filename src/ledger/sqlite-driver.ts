import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { diskFull, sqliteCodeOf, usageErrorOf, workLeftErrorOf } from '../domain/errors.ts';
import {
  jobEndedError,
  type CommitWatch,
  LastCommit,
  ledgerTooNew,
  NO_COMMIT_WATCH,
  type OpenPurpose,
  SCRATCH_IDS_FROM,
  storable,
} from './driver.ts';
import { migrationsOfSqlite, versionOfProgram } from './migrations.ts';
import { ORDERS_WITHOUT_SUBJECT, subjectOf } from './subject-keys.ts';
import { type JobInProgress, WriteQueue } from './write-queue.ts';
import type { Driver, SqlRow, SqlValue, Writes } from './store.ts';

const IO_ERROR = 10;
const DAMAGED = new Set([11, 26]);
const FULL = 13;
/** Another user's file or folder, or a read-only disk. */
const CLOSED_TO_US = new Set([3, 8, 14]);

export function catchDiskFaults<T>(path: string, work: () => T) {
  try {
    return work();
  } catch (failure) {
    throw explainDiskFault(path, failure);
  }
}

export function explainDiskFault(path: string, failure: unknown) {
  const code = sqliteCodeOf(failure);
  if (code === null || !(failure instanceof Error)) return failure;
  if (CLOSED_TO_US.has(code)) return usageErrorOf('ledger-not-writable', { path, message: failure.message }, failure);
  if (DAMAGED.has(code)) return ledgerDamaged(path, failure.message, failure);
  if (code === FULL || (code === IO_ERROR && isFull(path))) return diskFull(`the ledger ${path} cannot grow`, failure);
  return code === IO_ERROR ? usageErrorOf('ledger-disk-fails', { path, message: failure.message }, failure) : failure;
}

export function isDamaged(failure: unknown) {
  return DAMAGED.has(sqliteCodeOf(failure) ?? 0);
}

/** Only the file, without locks or companion files; nobody may write it. */
export function openImmutable(path: string) {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

/** Without rights to create files next to it, as SQLite must, the file alone is complete if there is no `-wal`. */
export function openToRead(path: string) {
  const opened = new DatabaseSync(path, { timeout: 10_000 });
  try {
    opened.exec('SELECT 1 FROM sqlite_schema');
    return opened;
  } catch (failure) {
    opened.close();
    const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (!CLOSED_TO_US.has(sqliteCodeOf(failure) ?? 0) || walBytes > 0) throw failure;
    return openImmutable(path);
  }
}

export function ledgerDamaged(path: string, what: string, cause?: unknown) {
  return usageErrorOf('ledger-damaged', { path, what }, cause);
}

const LITTLE_BYTES = 1_000_000;

/** SQLite reports some writes to a full disk as input/output errors. */
function isFull(path: string) {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < LITTLE_BYTES;
  } catch {
    return false;
  }
}

const THROWN_AWAY =
  'PRAGMA temp_store = MEMORY; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;';
const PRAGMAS: Readonly<Record<OpenPurpose, string>> = {
  record:
    'PRAGMA temp_store = MEMORY; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -32000;',
  look: 'PRAGMA query_only = ON;',
  scratch: THROWN_AWAY,
  rehearsal: THROWN_AWAY,
};

/** Under no account, so that higher ids follow. */
const SCRATCH_BEGINS = `
  INSERT INTO files (id, account, hash, name, run, recorded_at, layouts, notes, rows_accepted, rows_rejected) VALUES (${SCRATCH_IDS_FROM}, '', '', '', '', 0, '[]', '[]', 0, 0);
  INSERT INTO orders (id, account, identity, address_key, state, payload, payload_hash, allow_duplication, run, created_at, updated_at) VALUES (${SCRATCH_IDS_FROM}, '', '', '', 'abandoned', '{}', '', 0, '', 0, 0);
  INSERT INTO rows (id, file_id, sheet, row_number, outcome, record, problems, repairs, summary) VALUES (${SCRATCH_IDS_FROM}, ${SCRATCH_IDS_FROM}, '', 0, 'repeat', '{}', '[]', '[]', '{}');`;

const SCRATCH_INDEXES = new Set([
  'orders_one_living',
  'orders_by_address',
  'orders_by_policy',
  'orders_by_subject',
  'rows_by_file',
  'rows_by_order',
]);

const IN_MEMORY = ':memory:';

let migratedImage: Uint8Array | null = null;

export function isOfThisVersion(path: string) {
  return catchDiskFaults(path, () => {
    using database = openToRead(path);
    return versionOf(database, path) === versionOfProgram();
  });
}

export function versionOf(database: DatabaseSync, path: string) {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (version <= versionOfProgram()) return version;
  throw ledgerTooNew(path);
}

type Statements = ReturnType<typeof statementsOn>;

function statementsOn(database: DatabaseSync, path: string) {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const asking =
    <T>(ask: (statement: StatementSync, values: ReturnType<typeof storable>[]) => T) =>
    (sql: string, ...values: SqlValue[]) =>
      catchDiskFaults(path, () => ask(prepare(sql), values.map(storable)));
  return {
    database,
    all: asking((statement, values) => statement.all(...values) as SqlRow[]),
    get: asking((statement, values) => statement.get(...values) as SqlRow | undefined),
    run: asking((statement, values) => {
      const { changes, lastInsertRowid } = statement.run(...values);
      return { changes: Number(changes), lastId: Number(lastInsertRowid) };
    }),
    close: () => {
      prepared.clear();
      database.close();
    },
  };
}

function openTurn(statements: Statements, job: JobInProgress): Writes {
  const isJob = statements.database.isTransaction;
  /** After a full disk undid the transaction, each statement would be its own. */
  const open = () => {
    if (job.isOver || (isJob && !statements.database.isTransaction)) throw jobEndedError();
    return statements;
  };
  return {
    query: async (sql, ...values) => open().all(sql, ...values),
    get: async (sql, ...values) => open().get(sql, ...values),
    run: async (sql, ...values) => open().run(sql, ...values).changes,
    insert: async (sql, ...values) => open().run(sql, ...values).lastId,
    insertAll: async (sql, rows) => {
      open();
      let last = 0;
      for (const values of rows) last = statements.run(sql, ...values).lastId;
      return last;
    },
    nextId: async (table) => Number(open().get(`SELECT coalesce(max(id), 0) + 1 AS id FROM ${table}`)?.['id']),
  };
}

export class SqliteDriver implements Driver, Disposable {
  readonly #statements;
  readonly #queue = new WriteQueue({
    transaction: (work) => this.#inTurn(() => this.#inTransaction(work)),
    using: (work) => this.#using(work),
    savepoint: (sql) => this.#statements.run(sql),
  });
  #latest = Promise.resolve();
  readonly #watch;
  readonly #lastCommit;

  /** Throws ExplainedError (exit code 2) if the file is damaged, the disk is full, or a newer version wrote it. */
  constructor(path: string, watch: CommitWatch = NO_COMMIT_WATCH, openedFor: OpenPurpose = 'record') {
    this.#watch = watch;
    this.#lastCommit = new LastCommit(watch);
    this.#statements = catchDiskFaults(path, () => {
      const database = openedFor === 'look' ? openToRead(path) : new DatabaseSync(path);
      database.exec(`PRAGMA busy_timeout = 10000; ${PRAGMAS[openedFor]}`);
      return statementsOn(database, path);
    });
    if (openedFor !== 'look') catchDiskFaults(path, () => migrate(this.#statements, path, openedFor));
  }

  readonly query: Driver['query'] = (sql, ...values) => this.#inTurn(async () => this.#statements.all(sql, ...values));

  readonly get: Driver['get'] = (sql, ...values) => this.#inTurn(async () => this.#statements.get(sql, ...values));

  readonly read: Driver['read'] = (work) => this.#inTurn(() => this.#using(work));

  readonly write: Driver['write'] = (work) => this.#queue.write(work);

  readonly writeExclusively: Driver['writeExclusively'] = (work) => this.#queue.writeExclusively(work);

  async close() {
    await this.#queue.settled();
    await this.#latest;
    this[Symbol.dispose]();
  }

  async compact() {
    await this.#inTurn(async () => {
      this.#statements.run('VACUUM');
      if (this.#statements.get('PRAGMA wal_checkpoint(TRUNCATE)')?.['busy'] !== 0)
        throw workLeftErrorOf('ledger-in-use/read');
    });
  }

  [Symbol.dispose]() {
    this.#queue.close();
    this.#statements.close();
  }

  async #inTurn<T>(work: () => Promise<T>) {
    this.#queue.mustBeOutside();
    const turn = this.#latest.then(work);
    const ended = () => {};
    this.#latest = turn.then(ended, ended);
    return turn;
  }

  async #using<T>(work: (db: Writes) => Promise<T>) {
    return this.#queue.inJob((job) => work(openTurn(this.#statements, job)));
  }

  /** The generation advances within the transaction; the watch is notified after the commit. */
  async #inTransaction<T>(work: () => Promise<T>) {
    const advance = 'UPDATE lineage SET generation = max(generation + 1, ?) RETURNING generation';
    try {
      this.#statements.run('BEGIN IMMEDIATE');
      this.#lastCommit.mustBeIn(this.#statements.get('SELECT generation FROM lineage'));
      const result = await work();
      const moved = this.#statements.get(advance, this.#watch.now());
      this.#statements.run('COMMIT');
      this.#lastCommit.moveTo(moved);
      return result;
    } catch (failure) {
      this.#rollBack();
      throw failure;
    }
  }

  /** Never throws: the jobs must learn of their failure. */
  #rollBack() {
    try {
      if (this.#statements.database.isTransaction) this.#statements.run('ROLLBACK');
    } catch {
      // Closed, or the disk fails: nothing was committed.
    }
  }
}

function migrate(statements: Statements, path: string, openedFor: OpenPurpose) {
  const { database } = statements;
  if (path === IN_MEMORY && migratedImage !== null) database.deserialize(migratedImage);
  for (const { number, sql } of migrationsOfSqlite(versionOf(database, path))) {
    database.exec('BEGIN IMMEDIATE');
    if (versionOf(database, path) < number) {
      database.exec(sql);
      database.exec(`PRAGMA user_version = ${number}`);
    }
    database.exec('COMMIT');
  }
  fillSubjectKeys(statements);
  if (path === IN_MEMORY) migratedImage ??= database.serialize();
  if (openedFor === 'scratch') dropIndexes(statements);
  if (openedFor !== 'record') database.exec(SCRATCH_BEGINS);
}

function fillSubjectKeys(statements: Statements) {
  for (let orders = statements.all(ORDERS_WITHOUT_SUBJECT); orders.length > 0;) {
    statements.run('BEGIN IMMEDIATE');
    for (const { id, key } of orders.map(subjectOf))
      statements.run('UPDATE orders SET subject_key = ? WHERE id = ? AND subject_key IS NULL', key, id);
    statements.run('COMMIT');
    orders = statements.all(ORDERS_WITHOUT_SUBJECT);
  }
}

function dropIndexes({ database }: Statements) {
  const indexes = database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('orders', 'rows', 'steps')`,
    )
    .all();
  for (const { name } of indexes) if (!SCRATCH_INDEXES.has(String(name))) database.exec(`DROP INDEX ${String(name)}`);
}
