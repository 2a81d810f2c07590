export interface Clock {
  /** Epoch ms. */
  now(): number;
}

/** Rejects with the signal's reason if it aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Rejects with the signal's reason once it aborts. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined) {
  if (signal === undefined) return work;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}

export type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** In [0, 1). */
export type Random = () => number;

/** IDs and counts, never personal details, secrets or signed URLs. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type Log = Readonly<Record<LogLevel, (event: string, fields?: LogFields) => void>>;

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export type LongStep = 'reading' | 'ordering' | 'asking' | 'fetching' | 'copying' | 'writing' | 'packing' | 'counting';

/** `total` is 0 if unknown, and may grow. */
export type OnProgress = (step: LongStep, done: number, total: number) => void;

export type RunContext = Readonly<{
  clock: Clock;
  sleep: Sleep;
  random: Random;
  log: Log;
  /** Aborts when the run must end: nothing new starts, work in flight finishes. */
  signal: AbortSignal;
}>;

export type PaceHint = Readonly<{
  /** Requests per second at which the service throttled; null if it never did. */
  ratePerSecond: number | null;
  /** Requests at once that it could take; null: no limit found. */
  concurrency: number | null;
}>;

/** Why its host stopped, or null if all was done. */
export interface PageOutcome {
  readonly stopped: string | null;
}

/**
 * The hosts that share a run's work. Pages name IDs only; the ledger has the truth, and each change names the state
 * that it expects. So a page done twice places no order twice. The ledger may change until no host works on a page:
 * hand nothing over before.
 */
export interface Fleet {
  pageSize(items: number): number;
  atOnce(own: number): number;
  /**
   * Hands out pages and works on them too, until none is left and no living host works on one. Returns each page's
   * outcome: null if lost with its host, or not started. A host that stopped takes no page for some minutes. If this
   * one stops, the remaining pages are withdrawn. A run that was asked to stop waits for others only for a limited
   * time.
   */
  share<Page extends object, Outcome extends PageOutcome>(
    kind: PageKind,
    pages: readonly Page[],
    work: (page: Page) => Promise<Outcome>,
  ): Promise<readonly (Outcome | null)[]>;
  /** Marks orders that dead hosts were sending as in doubt. Returns their number. */
  recoverInterrupted(): Promise<number>;
}

export type PageKind = 'orders' | 'projects';
