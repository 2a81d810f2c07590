import { ExplainedError } from '../domain/errors.ts';

/** A parameter. Project ids are bigints: they exceed numbers. */
export type SqlValue = string | number | bigint | null;

/** A result row. Project ids are selected as text. */
export type SqlRow = Record<string, string | number | null>;

/** The database under the ledger. Its SQL is common to SQLite and PostgreSQL where possible (docs/decisions/0010). */
export interface Driver {
  query(sql: string, ...values: SqlValue[]): SqlRow[];
  get(sql: string, ...values: SqlValue[]): SqlRow | undefined;
  /**
   * Runs a change; only inside `write` or `writeExclusively`. A remote database is not awaited: an error may surface at
   * a later statement and fails the whole commit.
   */
  run(sql: string, ...values: SqlValue[]): void;
  change(sql: string, ...values: SqlValue[]): number;
  /**
   * Like `run` for at most one row; returns whether it changed. A remote database assumes success, and `write` repeats
   * its work if that was wrong, so the work must be repeatable.
   */
  changeOne(sql: string, ...values: SqlValue[]): boolean;
  /** Like `run` for an insert; returns the new id. */
  insert(sql: string, ...values: SqlValue[]): number;
  /**
   * Runs `work` in a transaction; fulfills when synced. Jobs of one turn share a commit; a job that throws undoes only
   * itself.
   */
  write<T>(work: () => T): Promise<T>;
  /** Runs asynchronous `work` in its own transaction. It must not wait for another write. */
  writeExclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Rewrites the database without deleted content. */
  compact(): Promise<void>;
  /** Waits for all writes, then closes. */
  close(): Promise<void>;
}

/** Learns of every commit. Each advances the ledger's generation, a time in ms that never goes back (`recovery.ts`). */
export interface CommitWatch {
  now(): number;
  /** The commit is synced. Not called without a generation. */
  committed(generation: number): void;
  /** The latest generation noted by any process of the workspace; 0 if none. */
  witnessed(): number;
}

/**
 * `record`: synced commits. `look`: no writes, no migration. `scratch`: a throwaway file without sync; its rows may
 * reference another ledger's, and its ids start at SCRATCH_IDS_FROM. `rehearsal`: the same for a whole night.
 */
export type OpenedFor = 'record' | 'look' | 'scratch' | 'rehearsal';

export const SCRATCH_IDS_FROM = 2 ** 48;

export const NOBODY_WATCHES: CommitWatch = { now: () => 0, committed() {}, witnessed: () => 0 };

/**
 * The latest known commit of any process. A ledger without it went back in time (a lagging replica, a restored backup):
 * lost orders would be ordered again.
 */
export class LastCommit {
  readonly #watch: CommitWatch;
  #generation = 0;

  constructor(watch: CommitWatch) {
    this.#watch = watch;
  }

  /**
   * `lineage`: its row, in a transaction that excludes other commits. Throws ExplainedError (exit code 2) if the ledger
   * went back.
   */
  mustBeIn(lineage: SqlRow | undefined): void {
    const found = Number(lineage?.['generation'] ?? 0);
    if (found < Math.max(this.#generation, this.#watch.witnessed())) throw wentBack();
    this.#generation = found;
  }

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

/** For a list of ids: a parameter with a JSON array of numbers or digits. */
export const AMONG_IDS = '(SELECT CAST(value AS BIGINT) FROM json_each(?))';

// Only this program writes JSON columns, so the types are right.

export const jsonOf = (value: SqlRow[string] | undefined): unknown => JSON.parse(String(value));

export const textOf = (value: SqlRow[string] | undefined): string => String(value ?? '');

export const textOrNull = (value: SqlRow[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

export const numberOrNull = (value: SqlRow[string] | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);
