import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf } from '../domain/errors.ts';
import type { Writes } from './store.ts';

export interface JobInProgress {
  readonly isOver: boolean;
}

interface Transactions {
  /** Undoes everything if `work` throws. Fulfills when synced. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  using<T>(work: (db: Writes) => Promise<T>): Promise<T>;
  /** Throws if the transaction is gone. */
  savepoint(sql: 'SAVEPOINT job' | 'ROLLBACK TO job' | 'RELEASE job'): void;
}

type Job = Readonly<{
  work: (db: Writes) => Promise<void>;
  /** `undefined` when synced, else the failure. */
  settle: (failure: unknown) => void;
}>;

/** A function has the database to itself. */
type Queued = Job | (() => Promise<void>);

/** One after the other. Jobs of one turn share a commit; one that throws undoes only itself. */
export class WriteQueue {
  readonly #transactions;
  readonly #jobs = new AsyncLocalStorage<JobInProgress>();
  readonly #queue: Queued[] = [];
  #draining: Promise<void> | null = null;
  #isClosed = false;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  write<T>(work: (db: Writes) => Promise<T>) {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const settle = (failure: unknown) => {
        if (failure === undefined) resolve(result);
        else reject(failure instanceof Error ? failure : new Error(messageOf(failure)));
      };
      this.#add({ work: async (db) => void (result = await work(db)), settle });
    });
  }

  writeExclusively<T>(work: (db: Writes) => Promise<T>) {
    return this.between(() => this.#transactions.transaction(() => this.#transactions.using(work)));
  }

  between<T>(work: () => Promise<T>) {
    return new Promise<T>((resolve, reject) => this.#add(() => work().then(resolve, reject)));
  }

  /** Knows from then on what `work` asks for, in all that it starts. */
  async inJob<T>(work: (job: JobInProgress) => Promise<T>) {
    const job = { isOver: false };
    try {
      return await this.#jobs.run(job, work, job);
    } finally {
      job.isOver = true;
    }
  }

  /** A job that asks its own ledger for another job would wait for its own end. */
  mustBeOutside() {
    if (this.#jobs.getStore()?.isOver === false)
      throw new Error('a job must use its own transaction: the ledger would wait for the end of the job');
  }

  async settled() {
    while (this.#draining !== null) await this.#draining;
  }

  close() {
    this.#isClosed = true;
  }

  #add(queued: Queued) {
    this.mustBeOutside();
    if (this.#isClosed) throw new Error('the ledger is closed');
    this.#queue.push(queued);
    this.#draining ??= this.#drain();
  }

  async #drain() {
    await new Promise(setImmediate);
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (typeof next === 'function') {
        await next();
        continue;
      }
      const together = [next];
      for (let [waiting] = this.#queue; typeof waiting === 'object'; [waiting] = this.#queue) {
        together.push(waiting);
        this.#queue.shift();
      }
      await this.#commit(together);
    }
    this.#draining = null;
  }

  async #commit(jobs: readonly Job[]) {
    const failures: unknown[] = [];
    const [first, ...others] = jobs;
    await this.#transactions
      .transaction(async () => {
        if (first !== undefined && others.length === 0) await this.#transactions.using(first.work);
        else for (const [index, job] of jobs.entries()) failures[index] = await this.#undoingOnly(job);
      })
      .catch((failure: unknown) => {
        for (const index of jobs.keys()) failures[index] ??= failure;
      });
    for (const [index, job] of jobs.entries()) job.settle(failures[index]);
  }

  async #undoingOnly(job: Job) {
    this.#transactions.savepoint('SAVEPOINT job');
    let failed: unknown;
    try {
      await this.#transactions.using(job.work);
    } catch (failure) {
      failed = failure ?? new Error('unknown failure');
      try {
        this.#transactions.savepoint('ROLLBACK TO job');
      } catch {
        // A full disk undid the whole transaction, not only this job.
        throw failed;
      }
    }
    this.#transactions.savepoint('RELEASE job');
    return failed;
  }
}
