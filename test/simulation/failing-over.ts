import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/domain/ports.ts';
import { ExplainedError } from '../../src/domain/errors.ts';
import type { CommitWatch } from '../../src/ledger/driver.ts';
import { SqliteDriver } from '../../src/ledger/sqlite-driver.ts';
import type { Driver, Reads, SqlRow, SqlValue, Writes } from '../../src/ledger/store.ts';

/** The replica hears of so many commits; so many more come before it is promoted. */
export interface Failover {
  readonly heard: number;
  readonly lost: number;
}

/** The database of all hosts, with what their workspace remembers of it. It may fail over to a replica that lags: then it goes back by its last commits. */
export class FailingOverDriver implements Driver {
  /** The generation of the latest commit that was noted in the workspace. */
  mark = 0;
  readonly #clock: Clock;
  #plan: Failover | null;
  readonly #onFailover: () => void;
  #current: SqliteDriver;
  #folder: string | null = null;
  /** Ends before the next commit. */
  #copied: Promise<unknown> = Promise.resolve();
  #commits = 0;
  #isOver = false;
  /** Transactions that go on over several turns. */
  #open = 0;

  constructor(clock: Clock, plan: Failover | null, onFailover: () => void) {
    this.#clock = clock;
    this.#plan = plan;
    this.#onFailover = onFailover;
    this.#current = new SqliteDriver(':memory:', this.#watch());
  }

  /** From here on it stays. */
  settle(): void {
    this.#plan = null;
  }

  get hasFailedOver(): boolean {
    return this.#isOver;
  }

  async generation(): Promise<number> {
    return Number((await this.get('SELECT generation FROM lineage'))?.['generation'] ?? 0);
  }

  query(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    return this.#current.query(sql, ...values);
  }

  get(sql: string, ...values: SqlValue[]): Promise<SqlRow | undefined> {
    return this.#current.get(sql, ...values);
  }

  read<T>(work: (db: Reads) => Promise<T>): Promise<T> {
    return this.#current.read(work);
  }

  async write<T>(work: (db: Writes) => Promise<T>): Promise<T> {
    const driver = await this.#connected();
    return driver.write((db) => {
      if (driver !== this.#current)
        throw new ExplainedError('code-of-a-test', 'The database is away.', { kind: 'work-left' });
      return work(db);
    });
  }

  async writeExclusively<T>(work: (db: Writes) => Promise<T>): Promise<T> {
    const driver = await this.#connected();
    this.#open += 1;
    try {
      return await driver.writeExclusively(work);
    } finally {
      this.#open -= 1;
    }
  }

  compact(): Promise<void> {
    return this.#current.compact();
  }

  async close(): Promise<void> {
    await this.#current.close();
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true });
  }

  async #connected(): Promise<SqliteDriver> {
    await this.#copied;
    const { heard, lost } = this.#plan ?? { heard: Infinity, lost: 0 };
    if (!this.#isOver && this.#open === 0 && this.#folder !== null && this.#commits >= heard + lost) {
      this.#isOver = true;
      this.#current = new SqliteDriver(join(this.#folder, 'replica.sqlite'), this.#watch());
      this.#onFailover();
      await this.#current.query('PRAGMA synchronous = OFF');
    }
    return this.#current;
  }

  #watch(): CommitWatch {
    const isLost = this.#isOver;
    return {
      now: () => this.#clock.now(),
      witnessed: () => this.mark,
      committed: (generation) => {
        // What the primary still does is nothing to anybody.
        if (isLost !== this.#isOver) return;
        this.mark = Math.max(this.mark, generation);
        this.#commits += 1;
        if (this.#commits !== this.#plan?.heard) return;
        this.#folder = mkdtempSync(join(tmpdir(), 'replica-'));
        this.#copied = this.#current.query('VACUUM INTO ?', join(this.#folder, 'replica.sqlite'));
      },
    };
  }
}
