import type { Clock } from '../domain/ports.ts';

/** Project ids exceed numbers. Objects and lists are stored as JSON; a Set is neither. */
export type SqlValue = string | number | bigint | object | null;

/** Project ids are selected as text. */
export type SqlRow = Record<string, string | number | null>;

/** Its SQL is common to SQLite and PostgreSQL (docs/decisions/0010). */
export interface Reads {
  query(sql: string, ...values: SqlValue[]): Promise<SqlRow[]>;
  get(sql: string, ...values: SqlValue[]): Promise<SqlRow | undefined>;
}

/** What a job uses. Statements asked for together are sent together, in their order. */
export interface Writes extends Reads {
  /** Returns how many rows changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
  insert(sql: string, ...values: SqlValue[]): Promise<number>;
  /** Runs an `INSERT … VALUES (?, …)` for each row, in their order. Returns the last new id. */
  insertAll(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number>;
  /** The id of the next row: no other host adds rows in this transaction. */
  nextId(table: 'orders' | 'rows'): Promise<number>;
}

/** The database under the ledger (docs/decisions/0020). Outside a job, it shows what is committed. */
export interface Driver extends Reads {
  /** Runs `work` on a fixed state: on SQLite, no job runs between its queries. */
  read<T>(work: (db: Reads) => Promise<T>): Promise<T>;
  /**
   * Runs `work` as a job, in a transaction, after all earlier jobs; fulfills when synced. Jobs of one turn share a
   * commit; one that throws undoes only itself. Asking the driver anything except through `db` throws.
   */
  write<T>(work: (db: Writes) => Promise<T>): Promise<T>;
  /** Runs `work` in a separate transaction; it may take long. */
  writeExclusively<T>(work: (db: Writes) => Promise<T>): Promise<T>;
  compact(): Promise<void>;
  close(): Promise<void>;
}

export type StepSubject = 'file' | 'order' | 'project' | 'delivery' | 'run';

/** Only reads, unless it is a `Job`; `Store<Driver>` makes its own jobs. */
export interface Store<D extends Reads = Reads> {
  readonly driver: D;
  readonly clock: Clock;
  readonly account: string;
  run: string | null;
}

export type Job = Store<Writes>;

export function inJob<T>(store: Store<Driver>, work: (job: Job) => Promise<T>) {
  return store.driver.write((db) => work({ ...store, driver: db }));
}

/** The first parameter is the account. */
export async function listOf<T>(
  { driver, account }: Store,
  read: (row: SqlRow) => T,
  sql: string,
  ...values: SqlValue[]
) {
  return (await driver.query(sql, account, ...values)).map((row) => read(row));
}

export async function firstOf<T>(
  { driver, account }: Store,
  read: (row: SqlRow) => T,
  sql: string,
  ...values: SqlValue[]
) {
  const row = await driver.get(sql, account, ...values);
  return row === undefined ? null : read(row);
}

export async function hasRow({ driver, account }: Store, from: string, condition: string, ...values: SqlValue[]) {
  const found = await driver.get(
    `SELECT 1 FROM ${from} WHERE account = ? AND ${condition} LIMIT 1`,
    account,
    ...values,
  );
  return found !== undefined;
}

/** In this account. Returns how many rows were added. */
export function insertRecord({ driver, account }: Job, table: string, record: SqlRecord, onConflict = '') {
  return driver.run(...insertInto(table, { account, ...record }, onConflict));
}

/** False if a record with this key exists, which stays. */
export async function insertIfAbsent(store: Job, table: string, record: SqlRecord) {
  return (await insertRecord(store, table, record, 'ON CONFLICT DO NOTHING')) > 0;
}

/** Replaces the record with this key, or adds it. */
export function replaceIn(store: Job, table: string, key: SqlRecord, record: SqlRecord) {
  const keys = ['account', ...Object.keys(key).map(columnOf)].join(', ');
  const changes = Object.keys(record)
    .map(columnOf)
    .map((column) => `${column} = excluded.${column}`);
  return insertRecord(store, table, { ...key, ...record }, `ON CONFLICT (${keys}) DO UPDATE SET ${changes.join(', ')}`);
}

export function updateIn({ driver }: Job, table: string, id: SqlValue, record: SqlRecord) {
  const changes = Object.keys(record).map((field) => `${columnOf(field)} = ?`);
  return driver.run(`UPDATE ${table} SET ${changes.join(', ')} WHERE id = ?`, ...Object.values(record), id);
}

export const INSERT_STEPS = 'INSERT INTO steps (account, at, run, subject, subject_id, event, detail)';

/** `condition` (SQL): adds the step only if it holds. */
export async function addStep(
  { driver, clock, account, run }: Job,
  subject: StepSubject,
  subjectId: string | number,
  event: string,
  detail?: Readonly<Record<string, unknown>>,
  condition = '',
  values: readonly SqlValue[] = [],
) {
  await driver.run(
    `${INSERT_STEPS} ${condition === '' ? 'VALUES (?, ?, ?, ?, ?, ?, ?)' : `SELECT ?, ?, ?, ?, ?, ?, ? WHERE ${condition}`}`,
    account,
    clock.now(),
    run,
    subject,
    String(subjectId),
    event,
    detail ?? null,
    ...values,
  );
}

export async function redeliverProject(store: Job, projectId: string) {
  await changeProject(store, projectId, 'handed_over_in = NULL');
}

/** `change` follows SET, `condition` AND; `values` are for both. Returns whether the project met the condition. */
export async function changeProject(
  { driver, account }: Job,
  projectId: string,
  change: string,
  values: readonly SqlValue[] = [],
  condition = 'TRUE',
) {
  const update = `UPDATE projects SET ${change} WHERE account = ? AND id = ? AND ${condition}`;
  return (await driver.run(update, ...values, account, BigInt(projectId))) > 0;
}

/** Adds nothing if a person canceled the project here. */
export async function addCancellationNews(store: Job, projectId: string, status: string) {
  if (status !== 'Project Canceled') return;
  const canceledHere = `project_id = ? AND kind = 'cancel' AND state <> 'refused'`;
  if (!(await hasRow(store, 'updates', canceledHere, BigInt(projectId))))
    await addNews(store, 'project-canceled', projectId);
}

export function returnTimeOf(status: string, now: number) {
  return status === 'Returned to Client' ? now : null;
}

/** Others can write between the batches. */
export async function* inBatches<T>(
  read: (row: SqlRow) => T | Promise<T>,
  batchAfter: (after: number) => Promise<readonly SqlRow[]>,
  key = 'id',
) {
  for (let after = 0; ;) {
    const rows = await batchAfter(after);
    for (const row of rows) yield await read(row);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = Number(last[key]);
  }
}

/** Its parameter: a JSON array of numbers or digits. */
export const idsIn = (parameter: string) => `(SELECT CAST(value AS BIGINT) FROM json_each(${parameter}))`;

export const AMONG_IDS = idsIn('?');

/** Joins the rows of `table`, which have a project, with `projects` (or its alias). */
export const ofProject = (table: string, projects = 'projects') =>
  `${table}.account = ${projects}.account AND ${table}.project_id = ${projects}.id`;

const columnOf = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export type SqlRecord = Readonly<Record<string, SqlValue>>;

export function insertInto(table: string, record: SqlRecord, onConflict = ''): [sql: string, ...values: SqlValue[]] {
  const columns = Object.keys(record).map(columnOf);
  return [
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ${onConflict}`.trimEnd(),
    ...Object.values(record),
  ];
}

type Column = SqlRow[string] | undefined;

// Only this program writes the database, so the types that a caller names are right.
/* oxlint-disable typescript/no-unnecessary-type-parameters */

export const jsonOf = <T = unknown>(value: Column) => JSON.parse(String(value)) as T;

export const textOf = <T extends string = string>(value: Column) => String(value ?? '') as T;

/* oxlint-enable typescript/no-unnecessary-type-parameters */

/** Reads a project ID: digits. */
export const idOf = (value: Column) => textOf(value);

export const isTrue = (value: Column) => value === 1;

export const orNull =
  <T>(read: (value: Column) => T) =>
  (value: Column) =>
    value == null ? null : read(value);

export const textOrNull = orNull(textOf);

export const idOrNull = orNull(idOf);

export const numberOrNull = orNull(Number);

export type YieldedBy<Source extends (...given: never[]) => AsyncIterable<unknown>> = Readonly<
  ReturnType<Source> extends AsyncIterable<infer Item> ? Item : never
>;

type ColumnReaders = Readonly<Record<string, (value: Column) => unknown>>;

/**
 * Reads a row into an object, whose type it declares: `sentAt` is the column `sent_at`. `select` begins its statement,
 * with `prefix` before each column.
 */
export function rowReaderOf<Fields extends ColumnReaders>(prefix: string, fields: Fields) {
  const columns = Object.entries(fields).map(([field, read]) => ({ field, column: columnOf(field), read }));
  const selected = columns.map(({ column, read }) => {
    const name = `${prefix}${column}`;
    return read === idOf || read === idOrNull ? `CAST(${name} AS TEXT) AS ${column}` : name;
  });
  const from = (row: SqlRow) => {
    const found: Record<string, unknown> = {};
    for (const { field, column, read } of columns) found[field] = read(row[column]);
    return found as { readonly [Field in keyof Fields]: ReturnType<Fields[Field]> };
  };
  return Object.assign(from, { select: `SELECT ${selected.join(', ')}` });
}

export const rowReader = <Fields extends ColumnReaders>(fields: Fields) => rowReaderOf('', fields);

type Verb<D extends Reads> = (store: Store<D>, ...said: never[]) => unknown;
type Verbs<D extends Reads> = Readonly<Record<string, Verb<D>>>;
type ToRead<A> =
  A extends Promise<readonly (infer T)[]>
    ? Promise<readonly T[]>
    : A extends AsyncGenerator<infer T>
      ? AsyncIterable<T>
      : A;
type Bound<V> = V extends (store: never, ...said: infer S) => infer A ? (...said: S) => ToRead<A> : never;

export type VerbGroup = Readonly<{
  reads?: Verbs<Reads>;
  writes?: Verbs<Writes>;
  /** Read in batches, or make their own transactions. */
  own?: Verbs<Driver>;
}>;

type BoundVerbs<V> = { readonly [K in keyof V]: Bound<V[K]> };
export type BoundVerbGroup<G extends VerbGroup> = BoundVerbs<G['reads']> &
  BoundVerbs<G['writes']> &
  BoundVerbs<G['own']>;

export function bindGroup<G extends VerbGroup>(store: Store<Driver>, { reads = {}, writes = {}, own = {} }: G) {
  const bound = <D extends Reads>(verbs: Verbs<D>, call: (work: (db: D) => Promise<unknown>) => unknown) =>
    Object.entries(verbs).map(
      ([name, verb]) =>
        [name, (...said: never[]) => call(async (db) => verb({ ...store, driver: db }, ...said))] as const,
    );
  return Object.fromEntries([
    ...bound(reads, (work) => store.driver.read(work)),
    ...bound(writes, (work) => store.driver.write(work)),
    ...Object.entries(own).map(([name, verb]) => [name, (...said: never[]) => verb(store, ...said)] as const),
  ]) as BoundVerbGroup<G>;
}

/**
 * News for people. `subject`: the id of a file, layout, order or project; an unreadable file's name; a sentence about
 * an omitted sheet, a corrections workbook without its file, decisions on unknown projects, a file of two senders or a changed answer; a repeat's order and reason (`repeatNewsSubject`); empty for `still-open`.
 */
export type NewsKind =
  | 'rows-went-back'
  | 'order-refused'
  | 'linked-to-other-service'
  | 'project-canceled'
  | 'closed-out'
  | 'files-missing'
  | 'project-not-known'
  | 'file-unreadable'
  | 'known-content'
  | 'sheet-left-out'
  | 'original-not-dropped'
  | 'layout-asked'
  | 'layout-answer-changed'
  | 'projects-unknown'
  | 'update-refused'
  | 'repeat-not-ordered'
  | 'still-open';

export type News = ReturnType<typeof newsFrom>;

/** Equal unreported news counts once; with `since` (epoch ms), any of this subject since then. */
export async function addNews(store: Job, kind: NewsKind, subject: string | number, since = Infinity) {
  const news = { kind, subject: String(subject), at: store.clock.now(), run: store.run };
  const before = 'kind = ? AND subject = ? AND at >= ?';
  if (since < Infinity && (await hasRow(store, 'news', before, kind, news.subject, since))) return;
  await insertIfAbsent(store, 'news', news);
}

export type RepeatReason =
  | 'canceled'
  | 'closed-out'
  | 'given-up'
  | 'undated'
  | 'other-date'
  | 'other-house'
  | 'other-spelling'
  | 'finished'
  | 'without-numbers'
  | 'same-address';

/** `date`: the row's, if another date makes new news. */
export function repeatNewsSubject(orderId: number, reason: RepeatReason, date = '') {
  return `${orderId} ${reason} ${date}`.trimEnd();
}

export function parseRepeatNewsSubject(subject: string) {
  const [orderId, reason, date = ''] = subject.split(' ');
  return { orderId: Number(orderId), reason: reason as RepeatReason, date };
}

const newsFrom = rowReader({ id: Number, kind: textOf<NewsKind>, subject: textOf, at: Number, run: textOrNull });

function openNews(store: Store) {
  return listOf(store, newsFrom, `${newsFrom.select} FROM news WHERE account = ? AND told_at IS NULL ORDER BY id`);
}

async function markReported(store: Job, ids: readonly number[]) {
  await markReportedWhere(store, 'news', `id IN ${AMONG_IDS}`, ids);
}

/** `which`: an SQL condition with `value`; `more`: further columns to set. */
export async function markReportedWhere(
  { driver, account, clock, run }: Job,
  table: 'news' | 'outbox',
  which: string,
  value: SqlValue,
  more = '',
) {
  const update = `UPDATE ${table} SET told_at = ?, told_in = ?${more} WHERE account = ? AND ${which} AND told_at IS NULL`;
  await driver.run(update, clock.now(), run, account, value);
}

function lastReportedAt(store: Store, kind: NewsKind) {
  const latest = 'SELECT max(told_at) AS told_at FROM news WHERE account = ? AND kind = ?';
  return firstOf(store, (row) => numberOrNull(row['told_at']), latest, kind);
}

export const newsVerbs = {
  reads: { openNews, lastReportedAt },
  writes: {
    /** The first run that ends well reports it once. */
    addNews,
    markReported,
  },
};
