import { AsyncLocalStorage } from 'node:async_hooks';

export interface JobInProgress {
  readonly isOver: boolean;
}

/** A job that asks its own ledger for another job would wait for its own end. */
export class NestedJobGuard {
  readonly #jobs = new AsyncLocalStorage<JobInProgress>();

  async run<T>(work: (job: JobInProgress) => Promise<T>) {
    const job = { isOver: false };
    try {
      return await this.#jobs.run(job, work, job);
    } finally {
      job.isOver = true;
    }
  }

  /** Throws until the job is over, in all that it started. */
  mustBeOutside() {
    if (this.#jobs.getStore()?.isOver === false)
      throw new Error('a job must use its own transaction: the ledger would wait for the end of the job');
  }
}
