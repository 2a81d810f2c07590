import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

interface Write {
  readonly statement: StatementSync;
  readonly values: readonly SQLInputValue[];
}

/**
 * Collects writes and commits all of one turn together. What could not be committed is kept and tried again with the next commit: memory
 * has it already, and the file must not miss it.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  #pending: Write[] = [];
  #underWay: Promise<void> | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Adds a write to the next commit. */
  add(statement: StatementSync, ...values: SQLInputValue[]): void {
    this.#pending.push({ statement, values });
  }

  /** Fulfils once everything added so far is committed; undefined where it is. Rejects with what SQLite throws. */
  committed(): Promise<void> | undefined {
    if (this.#pending.length === 0) return undefined;
    // After the turn's other requests have been handled: they share the commit.
    this.#underWay ??= new Promise(setImmediate).then(() => {
      this.#underWay = undefined;
      this.commitNow();
    });
    return this.#underWay;
  }

  /** Commits at once. Throws what SQLite throws; then nothing of it is in the file, and all of it is kept. */
  commitNow(): void {
    if (this.#pending.length === 0) return;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const { statement, values } of this.#pending) statement.run(...values);
      this.#database.exec('COMMIT');
      this.#pending = [];
    } catch (failure) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw failure;
    }
  }
}
