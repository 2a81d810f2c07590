import { hash, randomUUID } from 'node:crypto';
import { clearInterval, setInterval } from 'node:timers';
import { usageErrorOf } from '../domain/errors.ts';
import { type CommitWatch, LastCommit, ledgerTooNew, NO_COMMIT_WATCH, jobEndedError, storable } from './driver.ts';
import { migrationsOfPostgres, versionOfProgram } from './migrations.ts';
import {
  Connection,
  QueryError,
  RECONNECT_MS,
  type PostgresStatement,
  failureIn,
  retryWhileUnavailable,
  type Reply,
} from './postgres-connection.ts';
import { databaseUnavailable, explainDatabaseFailure } from './postgres-failures.ts';
import { ORDERS_WITHOUT_SUBJECT, subjectOf } from './subject-keys.ts';
import { WriteQueue, type JobInProgress } from './write-queue.ts';
import type { Driver, Reads, SqlRow, SqlValue, Writes } from './store.ts';

export type PostgresTarget = Readonly<{
  url: string;
  schema: string;
}>;

const NO_VERSION = -1;

const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS float8) AS now';
/** A promoted `server` may have reused its predecessor's numbers. */
const BEGUN = `SELECT CAST(pg_current_xact_id() AS text) AS id, CAST(pg_postmaster_start_time() AS text) AS server, ${NOW}`;

const LINEAGE = { text: 'SELECT generation FROM lineage', name: 'lineage' };
const MOVE_GENERATION = 'UPDATE lineage SET generation = greatest(generation + 1, $1) RETURNING generation';

/** Another host may be taking in a large file. The server gives up before this (`lock_timeout`). */
const BEGIN_MS = 660_000;
/** The server ends idle transactions, so one that waits for the program is kept alive. */
const KEEP_ALIVE_MS = 8_000;

/** All schemas of a database share one key space. */
export function advisoryKeyOf(schema: string, purpose: string) {
  return hash('sha256', `inspection-batch ${purpose} ${schema}`, 'buffer').readBigInt64BE().toString();
}

/** A session name has at most 63 characters. */
const sessionsOf = (schema: string) => `inspection-batch ${hash('sha256', schema).slice(0, 8)} `;

/** Limits a frozen host's lock to half a minute. */
function sessionOf(schema: string, readOnly: boolean) {
  return `SET search_path = "${schema}"; SET synchronous_commit = on; SET idle_in_transaction_session_timeout = '30s'; SET lock_timeout = '10min';
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET tcp_user_timeout = '25s';
    SET standard_conforming_strings = on; SET client_min_messages = warning; SET default_transaction_isolation = 'read committed';
    SET default_transaction_read_only = ${readOnly ? 'on' : 'off'}`;
}

type Begun = Readonly<{
  id: string;
  server: string;
}>;

/** One connection for jobs, one for what is read outside them. */
export class PostgresDriver implements Driver {
  readonly #target;
  readonly #watch;
  readonly #lastCommit;
  readonly #name;
  readonly #writing;
  readonly #reading;
  readonly #prepare = preparedStatements();
  readonly #queue = new WriteQueue({
    transaction: (work) => this.#inTransaction(work),
    using: (work) => this.#using(work),
    savepoint: (sql) => this.#send(sql),
  });
  #aheadMs = 0;
  #isThere = true;

  private constructor(target: PostgresTarget, watch: CommitWatch, readOnly: boolean) {
    this.#target = target;
    this.#watch = watch;
    this.#lastCommit = new LastCommit(watch);
    this.#name = `${sessionsOf(target.schema)}${randomUUID()}`;
    const options = { url: target.url, name: this.#name, session: sessionOf(target.schema, readOnly) };
    this.#writing = new Connection(options);
    this.#reading = new Connection(options);
  }

  /** Creates or migrates the schema, except for `look`. Throws as `openPostgresLedger`. */
  static async open(
    target: PostgresTarget,
    watch: CommitWatch = NO_COMMIT_WATCH,
    openedFor: 'record' | 'look' = 'record',
  ) {
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(target.schema))
      throw usageErrorOf('schema-name-wrong', { name: `"${target.schema}"` });
    const isToLook = openedFor === 'look';
    const driver = new PostgresDriver(target, watch, isToLook);
    try {
      await driver.#migrate(isToLook);
    } catch (failure) {
      await driver.#end();
      throw explainFailure(failure);
    }
    return driver;
  }

  /** The database's, so that hosts with different clocks agree. */
  get clock() {
    return { now: () => Math.round(performance.now() + this.#aheadMs) };
  }

  get isThere() {
    return this.#isThere;
  }

  readonly query: Driver['query'] = async (sql, ...values) => (await this.#look(this.#prepare(sql, values))).rows;

  readonly get: Driver['get'] = async (sql, ...values) => (await this.query(sql, ...values))[0];

  readonly read: Driver['read'] = (work) => work(this);

  readonly write: Driver['write'] = (work) => this.#queue.write(work);

  readonly writeExclusively: Driver['writeExclusively'] = (work) => this.#queue.writeExclusively(work);

  inSnapshot<T>(work: (db: Reads) => Promise<T>) {
    return this.#queue.between(async () => {
      await this.#begin([{ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' }]).catch(rethrownInWords);
      try {
        return await this.#using(work);
      } finally {
        await this.#rollBack();
      }
    });
  }

  async isShared() {
    const other = await this.get(
      `SELECT 1 FROM pg_stat_activity WHERE starts_with(application_name, ?) AND application_name <> current_setting('application_name')`,
      sessionsOf(this.#target.schema),
    );
    return other !== undefined;
  }

  async compact() {
    const tables = await this.query('SELECT tablename FROM pg_tables WHERE schemaname = ?', this.#target.schema);
    await this.#queue
      .between(async () => {
        await this.#writing.open();
        for (const { tablename } of tables) await this.#writing.ask({ text: `VACUUM (FULL) "${tablename}"` });
      })
      .catch(rethrownInWords);
  }

  async close() {
    await this.#queue.settled();
    this.#queue.close();
    await this.#end();
  }

  async #end() {
    await Promise.all([this.#writing.end(), this.#reading.end()]);
  }

  /** Asks again on a new connection: it changes nothing. */
  async #look(statement: PostgresStatement) {
    this.#queue.mustBeOutside();
    const ask = async () => {
      await this.#reading.open();
      return this.#reading.ask(statement);
    };
    return ask()
      .catch((failure: unknown) => {
        if (!(failure instanceof QueryError) || !failure.trouble.isBroken) throw failure;
        this.#reading.drop();
        return ask();
      })
      .catch(rethrownInWords);
  }

  /** Repeats while the database is away: a failure left nothing. */
  async #begin(statements: readonly PostgresStatement[], patienceMs = RECONNECT_MS) {
    return retryWhileUnavailable(async () => {
      await this.#writing.open();
      try {
        return await this.#writing.askAll(statements, BEGIN_MS);
      } catch (failure) {
        this.#writing.drop();
        throw failure;
      }
    }, patienceMs);
  }

  /**
   * The writers' lock makes all commits visible, and nobody else commits. Throws ExplainedError (2) if the latest
   * commit is missing: a new connection reached a database that went back.
   */
  async #beginWriting() {
    let [begun, lineage] = await this.#lock();
    if (!this.#lastCommit.isIn(lineage)) {
      // Old if this process was frozen since, and other hosts wrote meanwhile.
      this.#writing.drop();
      [begun, lineage] = await this.#lock();
    }
    this.#setClock(begun);
    this.#lastCommit.mustBeIn(lineage);
    return { id: String(begun?.['id']), server: String(begun?.['server']) };
  }

  async #lock() {
    const lock = [advisoryKeyOf(this.#target.schema, 'writers')];
    const outcomes = await this.#begin([
      { text: 'BEGIN' },
      { text: 'SELECT pg_advisory_xact_lock($1)', name: 'lock', values: lock },
      { text: BEGUN, name: 'begun' },
      LINEAGE,
    ]).catch(rethrownInWords);
    return outcomes.slice(2).map(({ rows }) => rows[0]);
  }

  #setClock(row: SqlRow | undefined) {
    this.#aheadMs = Number(row?.['now']) - performance.now();
  }

  async #using<T>(work: (db: Writes) => Promise<T>) {
    const ask = (statement: PostgresStatement) => this.#writing.ask(statement).catch(rethrownInWords);
    const keeper = setInterval(() => {
      if (this.#writing.idleMs >= KEEP_ALIVE_MS) this.#send('SELECT 1');
    }, KEEP_ALIVE_MS / 4);
    try {
      return await this.#queue.inJob((job) => work(openPostgresJob(ask, this.#prepare, job)));
    } finally {
      clearInterval(keeper);
    }
  }

  /** A failure lets the transaction fail. */
  #send(text: string) {
    this.#writing.ask({ text }).catch(() => {});
  }

  /** Fulfills when the server has synced it. The commit itself advances the generation; the watch is called after. */
  async #commit(begun: Begun) {
    const [moved, done] = await Promise.allSettled([
      this.#writing.ask({ text: MOVE_GENERATION, name: 'generation', values: [this.#watch.now()] }),
      this.#writing.ask({ text: 'COMMIT' }),
    ]);
    if (done.status === 'rejected') {
      const trouble = failureIn(done.reason);
      if (!trouble.isBroken) throw explainDatabaseFailure(trouble);
      // The connection broke before the answer: only the server knows.
      const fate = await this.#fateOf(begun);
      if (fate === 'aborted') throw databaseUnavailable(trouble.message);
      if (fate === 'unknown')
        throw databaseUnavailable(`${trouble.message}, and it is unknown whether the last step is on record`);
      // If it cannot be read, the watch sees it with the next commit.
      this.#lastCommit.moveTo(await this.get(LINEAGE.text).catch(() => undefined));
      return;
    }
    if (moved.status === 'rejected') throw explainFailure(moved.reason);
    if (done.value.command !== 'COMMIT') throw new Error('the database rolled the transaction back');
    this.#lastCommit.moveTo(moved.value.rows[0]);
  }

  /**
   * First ends our sessions at the server, so that the transaction is decided. A promoted or restarted server may lack
   * it, and have reused its number.
   */
  async #fateOf({ id, server }: Begun) {
    this.#writing.drop();
    return retryWhileUnavailable(async () => {
      await this.#writing.open();
      const [, status] = await this.#writing.askAll([
        {
          text: 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL',
          values: [this.#name],
        },
        {
          text: 'SELECT pg_xact_status(CAST($1 AS xid8)) AS status WHERE CAST(pg_postmaster_start_time() AS text) = $2',
          values: [id, server],
        },
      ]);
      const known = status?.rows[0]?.['status'];
      if (known === 'in progress')
        throw new QueryError({ message: 'the transaction is in progress', code: null, isBroken: true });
      return known === 'committed' || known === 'aborted' ? known : 'unknown';
    }).catch(() => 'unknown' as const);
  }

  async #rollBack() {
    await this.#writing.ask({ text: 'ROLLBACK' }).catch(() => this.#writing.drop());
  }

  async #inTransaction<T>(work: () => Promise<T>) {
    try {
      const begun = await this.#beginWriting();
      const result = await work();
      await this.#commit(begun);
      return result;
    } catch (failure) {
      await this.#rollBack();
      throw failure;
    }
  }

  async #migrate(isToLook: boolean) {
    const { schema } = this.#target;
    const lock = { text: 'SELECT pg_advisory_xact_lock($1)', values: [advisoryKeyOf(schema, 'writers')] };
    await this.#begin(isToLook ? [{ text: 'BEGIN' }] : [{ text: 'BEGIN' }, lock], isToLook ? 0 : RECONNECT_MS);
    const ask = async (text: string, ...values: SqlValue[]) => (await this.#writing.ask({ text, values })).rows[0];
    this.#setClock(await ask(`SELECT ${NOW}`));
    const isThere =
      (await ask('SELECT to_regclass($1) IS NOT NULL AS is_there', `"${schema}".ledger_version`))?.['is_there'] === 1;
    const version = isThere ? Number((await ask('SELECT version FROM ledger_version'))?.['version']) : NO_VERSION;
    mustBeKnown(version, isToLook, schema);
    this.#isThere = isThere || !isToLook;
    if (!isToLook) {
      if (!isThere) await ask(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
      for (const { number, sql } of migrationsOfPostgres(version)) {
        await ask(sql);
        await ask(`UPDATE ledger_version SET version = ${number}`);
      }
      await this.#fillSubjectKeys();
    }
    await ask('COMMIT');
  }

  async #fillSubjectKeys() {
    for (;;) {
      const { rows } = await this.#writing.ask({ text: ORDERS_WITHOUT_SUBJECT });
      if (rows.length === 0) return;
      const text = 'UPDATE orders SET subject_key = $1 WHERE id = $2';
      await this.#writing.askAll(rows.map(subjectOf).map(({ id, key }) => ({ text, values: [key, id] })));
    }
  }
}

function explainFailure(failure: unknown) {
  return failure instanceof QueryError ? explainDatabaseFailure(failure.trouble) : failure;
}

function rethrownInWords(failure: unknown): never {
  throw explainFailure(failure);
}

function mustBeKnown(version: number, isToLook: boolean, schema: string) {
  const own = versionOfProgram();
  if (version > own) throw ledgerTooNew(`in schema ${schema}`);
  if (isToLook && version > 0 && version < own) throw usageErrorOf('ledger-too-old', { schema });
}

const ROWS_AT_ONCE = 500;
const PARAMETERS_MAX = 60_000;

type Prepare = (sql: string, values: readonly SqlValue[]) => PostgresStatement;

/** Gives each statement a name, so that a connection prepares it only once. */
function preparedStatements(): Prepare {
  const prepared = new Map<string, PostgresStatement>();
  return (sql, values) => {
    const statement = prepared.get(sql) ?? { text: inPostgres(sql), name: `s${prepared.size}` };
    prepared.set(sql, statement);
    return { ...statement, values: values.map(withoutNul) };
  };
}

function openPostgresJob(ask: (statement: PostgresStatement) => Promise<Reply>, prepare: Prepare, job: JobInProgress) {
  const send = (statement: PostgresStatement) => {
    if (job.isOver) throw jobEndedError();
    return ask(statement);
  };
  const outcomeOf = (sql: string, values: readonly SqlValue[]) => send(prepare(sql, values));
  const db: Writes = {
    query: async (sql, ...values) => (await outcomeOf(sql, values)).rows,
    get: async (sql, ...values) => (await outcomeOf(sql, values)).rows[0],
    run: async (sql, ...values) => (await outcomeOf(sql, values)).count,
    insert: async (sql, ...values) => Number((await outcomeOf(`${sql} RETURNING id`, values)).rows[0]?.['id']),
    insertAll: async (sql, rows) => {
      const columns = rows[0]?.length ?? 1;
      const at = sql.lastIndexOf('VALUES');
      const atOnce = Math.min(ROWS_AT_ONCE, Math.floor(PARAMETERS_MAX / columns));
      const outcomes = [];
      for (let from = 0; from < rows.length; from += atOnce) {
        const part = rows.slice(from, from + atOnce);
        const places = part.map(
          (_row, row) =>
            `(${Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`).join(', ')})`,
        );
        const text = `${sql.slice(0, at)}VALUES ${places.join(', ')} RETURNING id`;
        outcomes.push(send({ text, values: part.flat().map(withoutNul) }));
      }
      return Number((await Promise.all(outcomes)).at(-1)?.rows.at(-1)?.['id'] ?? 0);
    },
    nextId: async (table) => {
      const row = await db.get(
        'SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence(CAST(? AS text), CAST(? AS text)) AS regclass)), 0) + 1 AS id',
        table,
        'id',
      );
      return Number(row?.['id']);
    },
  };
  return db;
}

function inPostgres(sql: string) {
  let unnumbered = 0;
  return sql
    .replaceAll(/'[^']*'|\?(\d*)/g, (found, number: string | undefined) =>
      number === undefined ? found : `$${number === '' ? ++unnumbered : number}`,
    )
    .replaceAll(/ INDEXED BY \w+| NOT INDEXED/g, '')
    .replaceAll(' CROSS JOIN ', ' JOIN ')
    .replaceAll(' LIKE ', ' ILIKE ');
}

/** PostgreSQL stores no NUL in text. */
function withoutNul(value: SqlValue) {
  const stored = storable(value);
  return typeof stored === 'string' && stored.includes('\0') ? stored.replaceAll('\0', '\u{FFFD}') : stored;
}
