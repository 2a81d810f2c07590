import type { Driver, Reads, Writes } from '../../src/ledger/store.ts';

/** A driver whose database answers in real time: a virtual clock must not move while `isBusy`. */
export class WaitingDriver implements Driver {
  readonly #driver: Driver;
  #open = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  get isBusy(): boolean {
    return this.#open > 0;
  }

  query: Driver['query'] = (...asked) => this.#during(this.#driver.query(...asked));

  get: Driver['get'] = (...asked) => this.#during(this.#driver.get(...asked));

  read<T>(work: (db: Reads) => Promise<T>): Promise<T> {
    return this.#during(this.#driver.read(work));
  }

  write<T>(work: (db: Writes) => Promise<T>): Promise<T> {
    return this.#during(this.#driver.write(work));
  }

  writeExclusively<T>(work: (db: Writes) => Promise<T>): Promise<T> {
    return this.#during(this.#driver.writeExclusively(work));
  }

  compact(): Promise<void> {
    return this.#driver.compact();
  }

  /** The database stays open for the next schedule. */
  async close(): Promise<void> {}

  async #during<T>(asked: Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await asked;
    } finally {
      this.#open -= 1;
    }
  }
}
