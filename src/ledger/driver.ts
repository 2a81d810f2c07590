import { ExplainedError } from '../domain/errors.ts';

/** A value as a statement takes it. Ids of projects are bigints: they can be larger than a number holds. */
export type SqlValue = string | number | bigint | null;

/** A row as a query gives it. Ids of projects are selected as text. */
export type SqlRow = Record<string, string | number | null>;

/**
 * The database under the ledger: everything that the groups know of it. Their SQL keeps to what SQLite and PostgreSQL share where that costs
 * nothing (docs/decisions/0010), so that a second database is a second driver.
 */
export interface Driver {
  query(sql: string, ...values: SqlValue[]): SqlRow[];
  /** The first row of a query. */
  get(sql: string, ...values: SqlValue[]): SqlRow | undefined;
  /**
   * Runs a change. Only inside `write` or `writeExclusively`. Where the database is elsewhere nothing waits for it: what is wrong with it may come
   * out with a later statement, and then the whole commit fails.
   */
  run(sql: string, ...values: SqlValue[]): void;
  /** Like `run`, and says how many rows it touched. */
  change(sql: string, ...values: SqlValue[]): number;
  /**
   * Like `run`, for a change that touches one row, or none where things are not as expected: whether it did. Where the database is elsewhere it is
   * taken for done, and `write` does its work again if it was not; so that must be work that can be done twice.
   */
  changeOne(sql: string, ...values: SqlValue[]): boolean;
  /** Like `run`, for an insert: the new row's id. Its table hands out ids, and names none in the statement. */
  insert(sql: string, ...values: SqlValue[]): number;
  /**
   * Does `work` in a transaction and fulfils once it is synced to disk. Everything asked for in the same turn shares one commit;
   * a job that throws undoes only itself.
   */
  write<T>(work: () => T): Promise<T>;
  /** Does asynchronous `work` in a transaction of its own, in its turn. It must not wait for another write, which would wait for it. */
  writeExclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Rewrites the database without what was overwritten or deleted in it. */
  compact(): Promise<void>;
  /** Waits until everything asked for is written, and lets the database go. */
  close(): Promise<void>;
}

/** Is told of every commit. Each moves the ledger's generation on: a time in ms that never goes back (`recovery.ts`). */
export interface CommitWatch {
  now(): number;
  /** The commit is synced. Not called for a ledger that has no generation yet. */
  committed(generation: number): void;
  /** The generation of the latest commit that any process of the workspace noted; 0 where nobody did. */
  witnessed(): number;
}

/**
 * What a database file is opened for. `record`: every commit is synced. `look`: nothing can be written, nothing is migrated. `scratch`: a file that
 * is thrown away: nothing is synced, its rows may name rows of another ledger, and its ids begin at SCRATCH_IDS_FROM. `rehearsal`: the same, and a whole
 * night runs on it, not only a take-in.
 */
export type OpenedFor = 'record' | 'look' | 'scratch' | 'rehearsal';

/** An id from here on is that of a scratch ledger, and never that of a ledger which is kept. */
export const SCRATCH_IDS_FROM = 2 ** 48;

export const NOBODY_WATCHES: CommitWatch = { now: () => 0, committed() {}, witnessed: () => 0 };

/**
 * The latest commit that a process knows of, its own or another's. A ledger without it went back in time under the process: a replica that lagged was
 * promoted, or a backup put in its place. Whatever was committed since is forgotten there, and would be ordered again.
 */
export class LastCommit {
  readonly #watch: CommitWatch;
  #generation = 0;

  constructor(watch: CommitWatch) {
    this.#watch = watch;
  }

  /** `lineage`: its row as a transaction finds it, in which nobody else can commit. Throws ExplainedError (exit code 2) where the ledger went back. */
  mustBeIn(lineage: SqlRow | undefined): void {
    const found = Number(lineage?.['generation'] ?? 0);
    if (found < Math.max(this.#generation, this.#watch.witnessed())) throw wentBack();
    this.#generation = found;
  }

  /** `lineage`: its row as the commit left it. */
  moveTo(lineage: SqlRow | undefined): void {
    if (lineage === undefined) return;
    this.#generation = Number(lineage['generation']);
    this.#watch.committed(this.#generation);
  }
}

function wentBack(): ExplainedError {
  return new ExplainedError(
    'ledger-older',
    'The ledger has gone back in time: it lacks what this workspace put on record last, such as after a failover to a replica that lagged. Nothing more was sent.',
    {
      kind: 'usage',
      hint: 'Run `inspection-batch recover`: it reads archive/ and asks the service what was ordered since, and only then lets orders go.',
    },
  );
}

/** Of a list of ids: a parameter, JSON of numbers or digits. */
export const AMONG_IDS = '(SELECT CAST(value AS BIGINT) FROM json_each(?))';

// What a column holds. JSON is written by this program only: read back, it has the type it was written with.

export const jsonOf = (value: SqlRow[string] | undefined): unknown => JSON.parse(String(value));

export const textOf = (value: SqlRow[string] | undefined): string => String(value ?? '');

export const textOrNull = (value: SqlRow[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

export const numberOrNull = (value: SqlRow[string] | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);
