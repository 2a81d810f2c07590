import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import { errorBodyOf, OptionProblem } from './refusal.ts';
import { repeatEvery } from './virtual-clock.ts';

/** A killed process loses at most this much of the counts. */
const FLUSH_MS = 1000;

const APPLICATION_ID = 0x49425358;
const SCHEMA_VERSION = 3;

/**
 * `place` counts projects from 0; IDs follow from it. Texts from clients are kept as JSON, so that every character
 * survives. `status` holds until `nextMoveAt`.
 */
const SCHEMA = `
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE project (
    place INTEGER PRIMARY KEY,
    actor TEXT NOT NULL,
    createdAt REAL NOT NULL,
    bundled INTEGER NOT NULL DEFAULT 0,
    inspectionNumber TEXT NOT NULL,
    policyNumber TEXT NOT NULL,
    policyEffectiveDate TEXT NOT NULL,
    insuredBy TEXT NOT NULL,
    address TEXT NOT NULL,
    serviceName TEXT NOT NULL,
    status TEXT NOT NULL,
    nextMoveAt REAL,
    request TEXT NOT NULL,
    statusesSet TEXT NOT NULL DEFAULT '[]',
    updates TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX byCreation ON project (createdAt);
  CREATE INDEX byInspectionNumber ON project (inspectionNumber);
  CREATE INDEX byPolicyNumber ON project (policyNumber);
  CREATE INDEX byAddress ON project (address);
  CREATE INDEX byStatus ON project (status);
  CREATE INDEX byNextMove ON project (nextMoveAt) WHERE nextMoveAt IS NOT NULL;
  CREATE TABLE token (
    token TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    expiresAt REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX byExpiry ON token (expiresAt);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

export type Row = Readonly<Record<string, SQLOutputValue>>;

/**
 * All state of a sandbox, in memory or in a SQLite file (docs/decisions/0006). The writes of one turn are committed
 * together: a transaction is always open. Throws OptionProblem if the file cannot be used.
 */
export function openStateDatabase(path?: string) {
  const statements = new Map<string, StatementSync>();
  const kept = new Map<string, () => unknown>();
  let committedChanges = 0;
  let underWay: Promise<void> | undefined;
  let flushes: { stop(): void } | undefined;
  const isFile = path !== undefined;
  const database = isFile ? openDatabase(path) : new DatabaseSync(':memory:');
  database.exec(isFile ? 'BEGIN' : SCHEMA);

  function get(sql: string, values: readonly SQLInputValue[] = []) {
    return statement(sql).get(...values);
  }

  function run(sql: string, values: readonly SQLInputValue[]) {
    statement(sql).run(...values);
  }

  function setValue(name: string, value: unknown) {
    run(
      `INSERT INTO setting (name, value) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value`,
      [name, JSON.stringify(value)],
    );
  }

  function flush() {
    for (const [name, read] of kept) setValue(name, read());
    commit();
  }

  function commit() {
    try {
      database.exec('COMMIT');
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK');
      database.exec('BEGIN');
      committedChanges = changes();
    }
  }

  function changes() {
    return Number(get('SELECT total_changes() AS changes')?.['changes']);
  }

  function statement(sql: string) {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    get,
    all(sql: string, values: readonly SQLInputValue[] = []) {
      return statement(sql).all(...values);
    },
    run,
    insert(table: string, row: Readonly<Record<string, SQLInputValue>>) {
      const names = Object.keys(row);
      const marks = names.map(() => '?').join(', ');
      run(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`, Object.values(row));
    },
    value(name: string): unknown {
      const row = get('SELECT value FROM setting WHERE name = ?', [name]);
      return row && JSON.parse(String(row['value']));
    },
    setValue,
    keep(name: string, read: () => unknown) {
      kept.set(name, read);
    },
    /** Fulfills when all changes so far are recorded; undefined if they are. Rejects with SQLite's failure. */
    committed() {
      if (!isFile || changes() === committedChanges) return undefined;
      underWay ??= new Promise(setImmediate).then(() => {
        underWay = undefined;
        commit();
      });
      return underWay;
    },
    flushRegularly(onFault: (thrown: unknown) => void) {
      if (!isFile) return;
      flushes = repeatEvery(FLUSH_MS, () => Promise.resolve().then(flush).catch(onFault));
    },
    close() {
      if (!database.isOpen) return;
      flushes?.stop();
      try {
        if (isFile) flush();
      } finally {
        database.close();
      }
    },
  };
}

export type StateDatabase = ReturnType<typeof openStateDatabase>;

function openDatabase(path: string) {
  let database: DatabaseSync | undefined;
  try {
    // It holds tokens and the key of signed URLs. SQLite gives its other files the same mode.
    if (!existsSync(path)) closeSync(openSync(path, 'ax', 0o600));
    database = new DatabaseSync(path);
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA busy_timeout = 500; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;',
    );
    database.exec('BEGIN IMMEDIATE');
    ensureSchema(database, path);
    database.exec('COMMIT');
    for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
    return database;
  } catch (failure) {
    database?.close();
    if (failure instanceof OptionProblem || !(failure instanceof Error)) throw failure;
    const isBusy = 'errcode' in failure && (Number(failure.errcode) & 0xff) === 5;
    throw new OptionProblem(isBusy ? 'data-file-busy' : 'data-file', { path, why: failure.message });
  }
}

function ensureSchema(database: DatabaseSync, path: string) {
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  if (pragma('application_id') === APPLICATION_ID && pragma('user_version') === SCHEMA_VERSION) return;
  if (database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] !== 0)
    throw new OptionProblem('data-file-version', { path });
  database.exec(SCHEMA);
}

/**
 * Attach before the faults: a restart must lose nothing that a client knows. A failed commit answers 500 and calls
 * `onFault`.
 */
export function attachCommits(
  app: FastifyInstance,
  data: Pick<StateDatabase, 'committed'>,
  onFault: (thrown: unknown) => void,
) {
  app.addHook('onSend', async (_request, reply, payload) => {
    try {
      await data.committed();
      return payload;
    } catch (failure) {
      onFault(failure);
      reply.code(500).type('application/json');
      return errorBodyOf('Internal error.');
    }
  });
}
