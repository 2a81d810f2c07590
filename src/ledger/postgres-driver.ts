import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { ExplainedError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { AskedThread, sessionsOf } from './asked-thread.ts';
import { type CommitWatch, type Driver, LastCommit, NOBODY_WATCHES, type SqlRow, type SqlValue } from './driver.ts';
import { away, explained, type Trouble } from './postgres-failures.ts';
import type { Answer, Fate, Outcome, Request, Statement, Transaction } from './postgres-thread.ts';
import { ORDERS_WITHOUT_SUBJECT, subjectOf } from './subject-keys.ts';
import { type WriteJob, WriteQueue } from './write-queue.ts';

/** A database, and one workspace's schema in it. */
export interface PostgresTarget {
  /** `postgres://…`, perhaps with a password. */
  readonly url: string;
  /** At most 63 lower case letters, digits and underscores. */
  readonly schema: string;
}

const MIGRATIONS = new URL('./migrations/', import.meta.url);
const BASELINE = new URL('./migrations/postgres/0015-first.sql', import.meta.url);
const BASELINE_VERSION = 15;

function versionOfProgram(): number {
  return Number(laterMigrations().at(-1)?.slice(0, 4) ?? BASELINE_VERSION);
}

function laterMigrations(): readonly string[] {
  return readdirSync(new URL('./postgres/', MIGRATIONS))
    .filter((name) => /^\d{4}-.*\.sql$/.test(name) && Number(name.slice(0, 4)) > BASELINE_VERSION)
    .toSorted();
}

const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS float8) AS now';
/** `server` tells a promoted server from the previous one, which may have used the same numbers. */
const BEGUN = `SELECT CAST(pg_current_xact_id() AS text) AS id, CAST(pg_postmaster_start_time() AS text) AS server, ${NOW}`;

const LINEAGE = { text: 'SELECT generation FROM lineage', name: 'lineage' };
const SNAPSHOT: Transaction = { id: '', server: '' };

/** The advisory lock key of this schema and `purpose`, as text. All schemas of a database share one key space. */
export function advisoryKeyOf(schema: string, purpose: string): string {
  return createHash('sha256').update(`inspection-batch ${purpose} ${schema}`).digest().readBigInt64BE().toString();
}

const SENT_TOGETHER = 50;
const AHEAD_MAX = 2000;
const IDS_MAX = 500;
/** How long beginning a transaction may block this process. */
const TRY_MS = 3000;
/** Divides by zero, and so fails, if nothing changed. */
const mustTouch = (change: string): string =>
  `WITH touched AS (${change} RETURNING 1) SELECT 1 / count(*) AS touched FROM touched`;
const INSERT_INTO = /^INSERT INTO (\w+) \(([^)]*)\)\s+VALUES \(/;

/** Two connections: one for writing, one for reading. */
export class PostgresDriver implements Driver {
  readonly #thread: AskedThread;
  readonly #watch: CommitWatch;
  readonly #lastCommit: LastCommit;
  readonly #target: PostgresTarget;
  readonly #prepared = new Map<string, Pick<Statement, 'name' | 'text'>>();
  readonly #queue = new WriteQueue({
    together: (jobs) => this.#commitTogether(jobs),
    alone: (work) => this.#commitAlone(work),
  });
  /** Sent with the next statement, or when there are many. */
  #ahead: Statement[] = [];
  #sentAhead = 0;
  /** Unanswered statements of earlier jobs in the commit; Infinity if any failure undoes all. */
  #ofEarlierJobs = Infinity;
  #transaction: Transaction | null = null;
  /** Ids reserved for this transaction by table, not all used yet. */
  readonly #ids = new Map<string, { readonly free: number[]; given: number }>();
  /** Database time minus the time since this process began. */
  #aheadMs = 0;
  #isThere = true;
  /**
   * Whether this transaction assumes that changes of one row succeed; `wrong` after any failure: only without
   * assumptions is the cause known.
   */
  #guess: 'none' | 'done' | 'wrong' = 'none';
  #broken: Error | null = null;

  private constructor(target: PostgresTarget, watch: CommitWatch, readOnly: boolean) {
    this.#target = target;
    this.#watch = watch;
    this.#lastCommit = new LastCommit(watch);
    this.#thread = new AskedThread(target, readOnly);
  }

  /**
   * Creates and migrates the schema, except for `look`. Throws ExplainedError (exit code 2; 4 if the database is away).
   */
  static async open(
    target: PostgresTarget,
    watch: CommitWatch = NOBODY_WATCHES,
    openedFor: 'record' | 'look' = 'record',
  ): Promise<PostgresDriver> {
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(target.schema))
      throw new ExplainedError('schema-name-wrong', `"${target.schema}" cannot be the name of a ledger's schema.`, {
        kind: 'usage',
        hint: 'Use lowercase letters, digits, and underscores in ?schema=.',
      });
    const driver = new PostgresDriver(target, watch, openedFor === 'look');
    try {
      await driver.#migrate(openedFor);
    } catch (failure) {
      await driver.#thread.end();
      throw failure;
    }
    return driver;
  }

  /** The database's time at its last write plus the time since, so that hosts with different clocks agree. */
  get clock(): Clock {
    return { now: () => Math.round(performance.now() + this.#aheadMs) };
  }

  /** False if nothing existed and it was opened only to look. */
  get isThere(): boolean {
    return this.#isThere;
  }

  #setClock(row: SqlRow | undefined): void {
    this.#aheadMs = Number(row?.['now']) - performance.now();
  }

  query(sql: string, ...values: SqlValue[]): SqlRow[] {
    return [...this.#ask(sql, values).rows];
  }

  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#ask(sql, values).rows[0];
  }

  run(sql: string, ...values: SqlValue[]): void {
    if (this.#transaction === null) throw new Error('a change outside a transaction');
    if (this.#broken !== null) throw this.#broken;
    this.#ahead.push(this.#statement(sql, values));
    if (this.#ahead.length < SENT_TOGETHER) return;
    this.#thread.sendAhead(this.#ahead);
    this.#sentAhead += this.#ahead.length;
    this.#ahead = [];
    if (this.#sentAhead >= AHEAD_MAX) this.#answered([]);
  }

  change(sql: string, ...values: SqlValue[]): number {
    return this.#ask(sql, values).count;
  }

  changeOne(sql: string, ...values: SqlValue[]): boolean {
    if (this.#guess === 'none') return this.change(sql, ...values) > 0;
    this.run(mustTouch(sql), ...values);
    return true;
  }

  insert(sql: string, ...values: SqlValue[]): number {
    const [, table = ''] = INSERT_INTO.exec(sql) ?? [];
    const id = this.#nextId(table);
    this.run(
      sql.replace(
        INSERT_INTO,
        (_found, _table, columns: string) => `INSERT INTO ${table} (id, ${columns}) VALUES (?, `,
      ),
      id,
      ...values,
    );
    return id;
  }

  /** Reserves more ids the more a transaction inserts, and returns unused ones: nobody else reserves any meanwhile. */
  #nextId(table: string): number {
    const ids = this.#ids.get(table) ?? { free: [], given: 0 };
    this.#ids.set(table, ids);
    if (ids.free.length === 0) {
      const count = Math.min(ids.given * 4 || 1, IDS_MAX);
      const rows = this.query(
        'SELECT nextval(pg_get_serial_sequence(CAST(? AS text), ?)) AS id FROM generate_series(1, ?)',
        table,
        'id',
        count,
      );
      ids.free.push(...rows.map((row) => Number(row['id'])).toSorted((a, b) => b - a));
      ids.given += count;
    }
    const id = ids.free.pop();
    if (id === undefined) throw new Error(`${table} hands out no ids`);
    return id;
  }

  isShared(): boolean {
    return (
      this.get(
        `SELECT 1 AS found FROM pg_stat_activity WHERE starts_with(application_name, ?) AND application_name <> current_setting('application_name')`,
        sessionsOf(this.#target.schema),
      ) !== undefined
    );
  }

  write<T>(work: () => T): Promise<T> {
    return this.#queue.write(work);
  }

  writeExclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.writeExclusively(work);
  }

  async compact(): Promise<void> {
    await this.#queue.settled();
    const tables = this.query('SELECT tablename FROM pg_tables WHERE schemaname = ?', this.#target.schema);
    for (const { tablename } of tables)
      await this.#later({ kind: 'ask', on: 'writing', statements: [{ text: `VACUUM (FULL) "${String(tablename)}"` }] });
  }

  async close(): Promise<void> {
    await this.#queue.settled();
    this.#queue.close();
    await this.#thread.end();
  }

  #ask(sql: string, values: readonly SqlValue[]): Outcome {
    return lastOf(this.#answered([this.#statement(sql, values)]));
  }

  /** Blocks until these and all earlier statements are answered. */
  #answered(statements: readonly Statement[]): readonly Outcome[] {
    if (this.#broken !== null) throw this.#broken;
    const all = [...this.#ahead, ...statements];
    this.#ahead = [];
    try {
      return this.#outcomes(
        this.#thread.ask({ kind: 'ask', on: this.#transaction === null ? 'reading' : 'writing', statements: all }),
      );
    } finally {
      this.#sentAhead = 0;
      if (this.#ofEarlierJobs !== Infinity) this.#ofEarlierJobs = 0;
    }
  }

  #statement(sql: string, values: readonly SqlValue[]): Statement {
    return { ...this.#prepare(sql), values: values.map(storable) };
  }

  async #later(request: Request): Promise<readonly Outcome[]> {
    return this.#outcomes(await this.#thread.later(request));
  }

  /** `isOfTransaction`: a failure outside the transaction must not repeat a commit. */
  #outcomes(answer: Answer, isOfTransaction = this.#transaction !== null): readonly Outcome[] {
    if ('outcomes' in answer) return answer.outcomes;
    if ('fate' in answer) return [];
    const failure = explained(answer.trouble);
    const isWrongGuess = isOfTransaction && this.#guess !== 'none' && !answer.trouble.isBroken;
    if (isWrongGuess) this.#guess = 'wrong';
    // A job that fails after its success was assumed cannot be undone alone.
    if (
      this.#transaction !== null &&
      (answer.trouble.isBroken || isWrongGuess || (answer.trouble.at ?? 0) < this.#ofEarlierJobs)
    )
      this.#broken = failure;
    throw failure;
  }

  #prepare(sql: string): Pick<Statement, 'name' | 'text'> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = { text: inPostgres(sql), name: `s${this.#prepared.size}` };
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  /**
   * Takes the writers' lock, so that all commits are visible and nobody else commits. Blocks briefly if it is free,
   * which is faster than a turn of the event loop; waits for another host without blocking. Throws ExplainedError (2)
   * if the latest commit is missing: a new connection reached a database that went back.
   */
  async #begin(isSetUp = true): Promise<void> {
    this.#forget();
    const values = [advisoryKeyOf(this.#target.schema, 'writers')];
    const known = isSetUp ? [{ text: BEGUN, name: 'known' }, LINEAGE] : [{ text: BEGUN }];
    const tried = this.#thread.ask({
      kind: 'ask',
      on: 'writing',
      patienceMs: TRY_MS,
      statements: [
        { text: 'BEGIN' },
        { text: 'SELECT pg_try_advisory_xact_lock($1) AS taken', name: 'try', values },
        ...known,
      ],
    });
    const isTaken = 'outcomes' in tried && tried.outcomes[1]?.rows[0]?.['taken'] === 1;
    const outcomes = isTaken
      ? tried.outcomes
      : await this.#later({
          kind: 'begin',
          statements: [
            { text: 'ROLLBACK' },
            { text: 'BEGIN' },
            { text: 'SELECT pg_advisory_xact_lock($1)', values },
            ...known,
          ],
        });
    const [began, lineage] = outcomes.slice(-known.length).map(({ rows }) => rows[0]);
    this.#setClock(began);
    this.#transaction = { id: String(began?.['id']), server: String(began?.['server']) };
    if (isSetUp) this.#lastCommit.mustBeIn(lineage);
  }

  /** `work` reads one instant and cannot write; blocks nobody. */
  async inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    await this.#later({ kind: 'begin', statements: [{ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' }] });
    this.#transaction = SNAPSHOT;
    try {
      return await work();
    } finally {
      await this.#rollBack();
    }
  }

  /** Fulfills when the server has synced it. The commit itself advances the generation; the watch is called after. */
  async #commit(): Promise<void> {
    if (this.#broken !== null) throw this.#broken;
    const transaction = this.#transaction ?? SNAPSHOT;
    const unused = [...this.#ids].flatMap(([table, { free }]) =>
      free.length === 0
        ? []
        : [{ text: `SELECT setval(pg_get_serial_sequence($1, 'id'), $2, false)`, values: [table, Math.min(...free)] }],
    );
    const statements = [
      ...this.#ahead,
      ...unused,
      {
        text: 'UPDATE lineage SET generation = greatest(generation + 1, $1) RETURNING generation',
        name: 'generation',
        values: [this.#watch.now()],
      },
      { text: 'COMMIT' },
    ];
    this.#ahead = [];
    // Later questions are outside the transaction.
    this.#transaction = null;
    const answer = await this.#thread.later({ kind: 'ask', on: 'writing', statements });
    let generation: SqlRow | undefined;
    if ('trouble' in answer && answer.trouble.isBroken) {
      await this.#mustHaveCommitted(transaction, answer.trouble);
      generation = this.#generation();
    } else {
      const outcomes = this.#outcomes(answer, true);
      if (lastOf(outcomes).command !== 'COMMIT') throw new Error('the database took the transaction back');
      generation = outcomes.at(-2)?.rows[0];
    }
    this.#lastCommit.moveTo(generation);
  }

  /** Undefined if it cannot be read: the commit is valid, and the watch sees it with the next one. */
  #generation(): SqlRow | undefined {
    try {
      return this.get('SELECT generation FROM lineage');
    } catch {
      return undefined;
    }
  }

  /** The connection broke before the commit's answer: only the server knows. */
  async #mustHaveCommitted(transaction: Transaction, trouble: Trouble): Promise<void> {
    const answer = await this.#thread.later({ kind: 'fate', transaction });
    const fate: Fate = 'fate' in answer ? answer.fate : 'unknown';
    if (fate === 'committed') return;
    throw away(
      fate === 'aborted' ? trouble.message : `${trouble.message}, and whether the last step is on record is not known`,
    );
  }

  async #commitTogether(jobs: readonly WriteJob[]): Promise<void> {
    this.#guess = 'done';
    let failures = await this.#tryTogether(jobs);
    if (this.#wasWrong()) failures = await this.#tryTogether(jobs);
    for (const [index, job] of jobs.entries()) job.settle(failures[index]);
  }

  #wasWrong(): boolean {
    const was = this.#guess;
    this.#guess = 'none';
    return was === 'wrong';
  }

  async #tryTogether(jobs: readonly WriteJob[]): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    try {
      await this.#begin();
      for (const [index, job] of jobs.entries()) {
        if (jobs.length === 1) this.#alone(job.work);
        else failures[index] = this.#safely(job.work);
      }
      await this.#commit();
    } catch (failure) {
      await this.#rollBack();
      jobs.forEach((_job, index) => {
        failures[index] ??= failure;
      });
    }
    return failures;
  }

  #alone(work: () => void): void {
    try {
      work();
    } catch (failure) {
      this.#mustBeOnlyThisJob();
      throw failure;
    }
  }

  /** Returns the job's failure after undoing it; undefined without one. Throws if the transaction cannot continue. */
  #safely(work: () => void): unknown {
    const savepoint = { text: 'SAVEPOINT job' };
    this.#ofEarlierJobs = this.#sentAhead + this.#ahead.length;
    this.#ahead.push(savepoint);
    try {
      work();
      if (this.#ahead.at(-1) === savepoint) this.#ahead.pop();
      else this.#ahead.push({ text: 'RELEASE job' });
      return undefined;
    } catch (failure) {
      this.#mustBeOnlyThisJob();
      if (this.#ahead.at(-1) === savepoint) this.#ahead.pop();
      else this.#ahead.push({ text: 'ROLLBACK TO job' }, { text: 'RELEASE job' });
      return failure ?? new Error('unknown failure');
    }
  }

  /**
   * Throws if an earlier job in this commit failed too (the savepoint may be its own), or if this job trusted a wrong
   * assumption, which a rollback to the savepoint would hide.
   */
  #mustBeOnlyThisJob(): void {
    try {
      if (this.#sentAhead + this.#ahead.length > 0) this.#answered([]);
    } catch {
      // Failures of the job's own statements end with it.
    }
    if (this.#broken !== null) throw this.#broken;
  }

  async #commitAlone<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.#begin();
      const result = await work();
      await this.#commit();
      return result;
    } catch (failure) {
      await this.#rollBack();
      throw failure;
    }
  }

  #forget(): void {
    this.#broken = null;
    this.#ahead = [];
    this.#sentAhead = 0;
    this.#ofEarlierJobs = Infinity;
    this.#ids.clear();
  }

  async #rollBack(): Promise<void> {
    const isOver = this.#transaction === null;
    this.#transaction = null;
    this.#forget();
    if (!isOver) await this.#thread.later({ kind: 'ask', on: 'writing', statements: [{ text: 'ROLLBACK' }] });
  }

  /** Locks the schema against other migrations. */
  async #migrate(openedFor: 'record' | 'look'): Promise<void> {
    const { schema } = this.#target;
    const on = 'writing' as const;
    if (openedFor === 'record') await this.#begin(false);
    else await this.#later({ kind: 'begin', onlyLooks: true, statements: [{ text: 'BEGIN' }] });
    this.#setClock(lastOf(await this.#later({ kind: 'ask', on, statements: [{ text: `SELECT ${NOW}` }] })).rows[0]);
    const [found] = await this.#later({
      kind: 'ask',
      on,
      statements: [{ text: 'SELECT to_regclass($1) IS NOT NULL AS is_there', values: [`"${schema}".ledger_version`] }],
    });
    const isThere = found?.rows[0]?.['is_there'] === 1;
    const version = isThere
      ? Number(
          lastOf(await this.#later({ kind: 'ask', on, statements: [{ text: 'SELECT version FROM ledger_version' }] }))
            .rows[0]?.['version'],
        )
      : 0;
    mustBeKnown(version, openedFor, schema);
    this.#isThere = isThere || openedFor === 'record';
    const steps: Statement[] =
      isThere || openedFor === 'look'
        ? []
        : [{ text: `CREATE SCHEMA IF NOT EXISTS "${schema}"` }, { text: readFileSync(BASELINE, 'utf8') }];
    for (const name of openedFor === 'look'
      ? []
      : laterMigrations().filter((each) => Number(each.slice(0, 4)) > version)) {
      steps.push(
        { text: readFileSync(new URL(`./postgres/${name}`, MIGRATIONS), 'utf8') },
        { text: `UPDATE ledger_version SET version = ${Number(name.slice(0, 4))}` },
      );
    }
    if (steps.length > 0) await this.#later({ kind: 'ask', on, statements: steps });
    if (openedFor === 'record') await this.#fillSubjectKeys();
    await this.#later({ kind: 'ask', on, statements: [{ text: 'COMMIT' }] });
    this.#transaction = null;
  }

  async #fillSubjectKeys(): Promise<void> {
    const on = 'writing' as const;
    for (;;) {
      const { rows } = lastOf(await this.#later({ kind: 'ask', on, statements: [{ text: ORDERS_WITHOUT_SUBJECT }] }));
      if (rows.length === 0) return;
      const text = 'UPDATE orders SET subject_key = $1 WHERE id = $2';
      const statements = rows.map(subjectOf).map(({ id, key }) => ({ text, values: [key, id] }));
      await this.#later({ kind: 'ask', on, statements });
    }
  }
}

function mustBeKnown(version: number, openedFor: 'record' | 'look', schema: string): void {
  const own = versionOfProgram();
  if (version > own)
    throw new ExplainedError(
      'ledger-too-new',
      `The ledger in schema ${schema} was written by a newer version of inspection-batch.`,
      {
        kind: 'usage',
        hint: 'Install that version, or a newer one; nothing was changed.',
      },
    );
  if (openedFor === 'look' && version > 0 && version < own) {
    throw new ExplainedError(
      'ledger-too-old',
      `The ledger in schema ${schema} was written by an earlier version of inspection-batch.`,
      {
        kind: 'usage',
        hint: 'The next `inspection-batch run` sets it up.',
      },
    );
  }
}

function lastOf(outcomes: readonly Outcome[]): Outcome {
  const last = outcomes.at(-1);
  if (last === undefined) throw new Error('the database gave no answer');
  return last;
}

/** Converts SQL to PostgreSQL: numbered parameters, no planner hints, LIKE in any case. */
function inPostgres(sql: string): string {
  let unnumbered = 0;
  return sql
    .replaceAll(/'[^']*'|\?(\d*)/g, (found, number: string | undefined) =>
      number === undefined ? found : `$${number === '' ? ++unnumbered : number}`,
    )
    .replaceAll(/ INDEXED BY \w+| NOT INDEXED/g, '')
    .replaceAll(' CROSS JOIN ', ' JOIN ')
    .replaceAll(' LIKE ', ' ILIKE ');
}

/** PostgreSQL stores no NUL in text. JSON escapes it and keeps it. */
function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value;
}
