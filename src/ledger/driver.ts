import { usageErrorOf } from '../domain/errors.ts';
import type { SqlRow, SqlValue } from './store.ts';

export function storable(value: SqlValue) {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

export const jobEndedError = () => new Error('a statement after the end of its job');

/** Each commit advances the ledger's generation, a time in ms that never goes back (`recovery.ts`). */
export interface CommitWatch {
  now(): number;
  committed(generation: number): void;
  /** The latest that any process of the workspace saw; 0 if none. */
  witnessed(): number;
}

/**
 * `record`: synced commits. `look`: no writes, no migration. `scratch`: a throwaway file without sync; its rows may
 * reference another ledger's, and its ids start at SCRATCH_IDS_FROM. `rehearsal`: the same for a whole night.
 */
export type OpenPurpose = 'record' | 'look' | 'scratch' | 'rehearsal';

export const SCRATCH_IDS_FROM = 2 ** 48;

export const NO_COMMIT_WATCH: CommitWatch = { now: () => 0, committed() {}, witnessed: () => 0 };

/** A ledger without the latest known commit went back in time: its lost orders would be ordered again. */
export class LastCommit {
  readonly #watch;
  #generation = 0;

  constructor(watch: CommitWatch) {
    this.#watch = watch;
  }

  /** Call in a transaction that excludes other commits. Throws ExplainedError (exit code 2) if the ledger went back. */
  mustBeIn(lineage: SqlRow | undefined) {
    if (!this.isIn(lineage)) throw usageErrorOf('ledger-older');
    this.#generation = generationIn(lineage);
  }

  isIn(lineage: SqlRow | undefined) {
    return generationIn(lineage) >= Math.max(this.#generation, this.#watch.witnessed());
  }

  moveTo(lineage: SqlRow | undefined) {
    if (lineage === undefined) return;
    this.#generation = Number(lineage['generation']);
    this.#watch.committed(this.#generation);
  }
}

function generationIn(lineage: SqlRow | undefined) {
  return Number(lineage?.['generation'] ?? 0);
}

export function ledgerTooNew(ledger: string) {
  return usageErrorOf('ledger-too-new', { ledger });
}

/** Runs `work` in a job, undoes the job, and returns what `work` returned. */
export async function runAndUndo<Given, T>(
  job: (work: (given: Given) => Promise<never>) => Promise<unknown>,
  work: (given: Given) => Promise<T>,
) {
  const found: { result?: T } = {};
  const takenBack = new Error('taken back');
  await job(async (given) => {
    found.result = await work(given);
    throw takenBack;
  }).catch((failure: unknown) => {
    if (failure !== takenBack) throw failure;
  });
  return found.result as T;
}
