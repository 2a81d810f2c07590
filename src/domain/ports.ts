// The outside world, handed in everywhere, so that a simulation can hand in another one.

/** The time. */
export interface Clock {
  /** Milliseconds since the UNIX epoch. */
  now(): number;
}

/** Waits `ms` milliseconds, or until the signal aborts: then it rejects with the signal's reason. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** The result of `work`, or a rejection with the signal's reason as soon as that aborts: then nobody waits for the work any more. */
export async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}

/** A number in [0, 1). */
export type Random = () => number;

/** What a log line may carry: identifiers and counts, never people's details, secrets or signed URLs. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** From the most lines to the fewest. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The run's log: one JSON line a call. */
export interface Log {
  /** What only somebody who looks for a fault wants to read, such as every request. Not written unless asked for. */
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** A log that keeps nothing, for tests and for commands that are not runs. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** What a person may have to wait for, as a terminal names it. */
export type LongStep = 'reading' | 'ordering' | 'asking' | 'fetching' | 'copying' | 'writing' | 'packing' | 'counting';

/** Hears how far a long step has come. `total` is 0 where it is not known; it may grow. */
export type OnProgress = (step: LongStep, done: number, total: number) => void;

/** What every room of a run is handed. Each room adds what else it needs: the ledger, the client, its settings. */
export interface RunContext {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Log;
  /** Aborts when the run must end: nothing new is begun then, what is in flight is finished. */
  readonly signal: AbortSignal;
}

/** What a run learnt about the pace that the service can take: the next run begins with it. */
export interface PaceHint {
  /** The rate at which the service asked for fewer, in requests a second; null where it never did. */
  readonly ratePerSecond: number | null;
  /** How many requests at once it took; null if it took as many as we wanted. */
  readonly concurrency: number | null;
}

/** What came of a page, at whichever host: why the host stopped there, or null where all of the page was done. */
export interface PageOutcome {
  readonly stopped: string | null;
}

/**
 * The hosts that share a run's work. It is handed out in pages that name ids only: what is true of them stands in the ledger, and whatever changes it
 * names the state that it expects. So no order of a page that is done twice is placed twice. But while anybody is at a page, the ledger still changes:
 * nothing is handed over before.
 */
export interface Fleet {
  /** How many orders or projects a page best holds, of so many in all. */
  pageSize(items: number): number;
  /** How many requests this host may have in flight, of the `own` that it may by itself. */
  atOnce(own: number): number;
  /**
   * Hands out pages and works along, by `work`, until none is left and no living host is at one any more. Gives what came of each: null where it was
   * lost with its host, or not begun. A host that stopped takes no page for some minutes; where this one stops, the rest is withdrawn. A run that was
   * asked to stop does not wait for the others without end.
   */
  share<Page extends object, Outcome extends PageOutcome>(
    kind: PageKind,
    pages: readonly Page[],
    work: (page: Page) => Promise<Outcome>,
  ): Promise<readonly (Outcome | null)[]>;
  /** What hosts that have died were sending is in doubt from now on. Returns how many orders. */
  recoverInterrupted(): Promise<number>;
}

export type PageKind = 'orders' | 'projects';
