import type { Ledger } from '../../src/ledger/ledger.ts';

/** When a process is to die, counted in effects: writes of the ledger, requests, and whatever else goes through `effect`. */
export interface CrashPoint {
  readonly at: number;
  readonly when: 'before' | 'after';
  /** Only effects of this name count. What goes on side by side has another order in every run: there a place among all effects says nothing. */
  readonly of?: string;
}

/** Each effect of a run as a place to die at, by what it is and how many like it came before. */
export function placesOf(effects: readonly string[]): readonly Required<Pick<CrashPoint, 'at' | 'of'>>[] {
  return effects.map((of, index) => ({ of, at: effects.slice(0, index + 1).filter((name) => name === of).length }));
}

/** Looking changes nothing: no need to die there. */
export const LOOKS: ReadonlySet<string> = new Set<string & keyof Ledger>([
  'findFile',
  'findFileByHashStart',
  'filesNamedLike',
  'ordersOnRecord',
  'placesOfOrders',
  'knownProjects',
  'rejectedRows',
  'rowsAndLater',
  'latestOpenRows',
  'placesOf',
  'readingsOf',
  'archivedSince',
  'filesToCorrect',
  'rowsToCorrect',
  'correctionsOf',
  'order',
  'projectsAtAddress',
  'ordersIn',
  'orderCounts',
  'projectsOfOtherOrders',
  'hadUnknownAttempt',
  'orderBefore',
  'ordersWithNoneBefore',
  'undecidedLike',
  'projectMadeSince',
  'highestProjectId',
  'sendingRuns',
  'followedProjects',
  'artifactsOf',
  'projectCounts',
  'statusCounts',
  'projectsForResults',
  'notOrdered',
  'ordersToHandOver',
  'somethingToHandOver',
  'newestIds',
  'deliveredProjects',
  'findOrders',
  'findRejections',
  'storyOf',
  'amendedDetails',
  'amendedDetailsByProject',
  'amendedWithoutOrder',
  'decisionsOn',
  'openUpdates',
  'updatesOf',
  'projectsNamed',
  'projectWithDelivery',
  'lastRuns',
  'latestOrders',
  'findFiles',
  'rowsOf',
  'watchedProjects',
  'closeouts',
  'usualDurations',
  'nightCounts',
  'endedProjects',
  'waitingRows',
  'openRowsOf',
  'workbooksDone',
  'wasWorkbook',
  'openNews',
  'lastReportedAt',
  'filesToArchive',
  'orderedProjects',
  'lowestIdBound',
  'ordersLike',
  'countedFiles',
  'storedArtifacts',
  'deliveriesOnRecord',
  'contradictions',
]);

/** A ledger whose every verb goes through `around`. */
export function ledgerThrough(ledger: Ledger, around: (name: string, call: () => unknown) => unknown): Ledger {
  return new Proxy(ledger, {
    get: (target, name) => {
      const held: unknown = Reflect.get(target, name);
      if (typeof held !== 'function') return held;
      const verb = held as (...values: unknown[]) => unknown;
      return (...values: unknown[]): unknown => around(String(name), () => verb.apply(target, values));
    },
  });
}

/** Never settles: what a dead process was waiting for. */
export const NEVER = new Promise<never>(() => {});

/**
 * One life of the process. Once it is dead none of its calls settles and nothing more is written or sent for it; what it had asked of the
 * service goes its own way.
 */
export class Session {
  readonly died: Promise<void>;
  /** Names of the effects so far, in order. */
  readonly effects: string[] = [];
  readonly #crash: CrashPoint | null;
  readonly #onEffect: (count: number) => void;
  #die: () => void = () => {};
  #dead = false;

  constructor(crash: CrashPoint | null, onEffect: (count: number) => void = () => {}) {
    this.#crash = crash;
    this.#onEffect = onEffect;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get isDead(): boolean {
    return this.#dead;
  }

  /** Something that changes the world, and that the process may die right before or right after. */
  async effect<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#dead) return NEVER;
    const number = this.effects.push(name);
    this.#onEffect(number);
    const dies = this.#isAt(name) ? this.#crash?.when : null;
    if (dies === 'before') return this.#kill();
    const result = await work();
    if (this.#dead) return NEVER;
    return dies === 'after' ? this.#kill() : result;
  }

  /** The ledger as this process has it. */
  ledger(ledger: Ledger): Ledger {
    return ledgerThrough(ledger, (name, call) => {
      if (this.#dead) return NEVER;
      return LOOKS.has(name) ? call() : this.effect(`ledger ${name}`, async () => call());
    });
  }

  /** Whether the last effect, of this name, is the one to die at. */
  #isAt(name: string): boolean {
    const { at, of } = this.#crash ?? {};
    return of === undefined
      ? this.effects.length === at
      : of === name && this.effects.filter((other) => other === of).length === at;
  }

  /** Ends this life at once. */
  kill(): void {
    this.#dead = true;
    this.#die();
  }

  #kill(): Promise<never> {
    this.kill();
    return NEVER;
  }
}
