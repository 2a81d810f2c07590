import { messageOf } from '../domain/errors.ts';
import type { Writes } from './driver.ts';

export interface WriteJob {
  readonly work: (db: Writes) => Promise<void>;
  /** Called with `undefined` when synced, or with the failure. */
  readonly settle: (failure: unknown) => void;
}

/** Both fulfill when everything is settled, and never reject. */
export interface Committer {
  /** In one commit; a job that throws undoes only itself. */
  together(jobs: readonly WriteJob[]): Promise<void>;
  alone<T>(work: (db: Writes) => Promise<T>): Promise<T>;
}

type Queued =
  | { readonly kind: 'shared'; readonly job: WriteJob }
  | { readonly kind: 'exclusive'; readonly work: () => Promise<void> };

/** Queues all writes. Jobs of one turn share a commit. */
export class WriteQueue {
  readonly #committer: Committer;
  readonly #queue: Queued[] = [];
  #draining: Promise<void> | null = null;
  #isClosed = false;

  constructor(committer: Committer) {
    this.#committer = committer;
  }

  write<T>(work: (db: Writes) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const settle = (failure: unknown): void => {
        if (failure === undefined) resolve(result);
        else reject(failure instanceof Error ? failure : new Error(messageOf(failure)));
      };
      const job = {
        work: async (db: Writes): Promise<void> => {
          result = await work(db);
        },
        settle,
      };
      this.#add({ kind: 'shared', job });
    });
  }

  writeExclusively<T>(work: (db: Writes) => Promise<T>): Promise<T> {
    return this.between(() => this.#committer.alone(work));
  }

  /** Runs `work` while no job runs. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) =>
      this.#add({ kind: 'exclusive', work: () => work().then(resolve, reject) }),
    );
  }

  async settled(): Promise<void> {
    while (this.#draining !== null) await this.#draining;
  }

  close(): void {
    this.#isClosed = true;
  }

  #add(queued: Queued): void {
    if (this.#isClosed) throw new Error('the ledger is closed');
    this.#queue.push(queued);
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    await new Promise(setImmediate);
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.kind === 'exclusive') {
        await next.work();
        continue;
      }
      const together = [next.job];
      for (let [beside] = this.#queue; beside?.kind === 'shared'; [beside] = this.#queue) {
        together.push(beside.job);
        this.#queue.shift();
      }
      await this.#committer.together(together);
    }
    this.#draining = null;
  }
}
