import { PgBoss } from 'pg-boss';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { Fleet, Log, PageKind, PageOutcome, Sleep } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PostgresTarget } from '../ledger/postgres-driver.ts';
import { startStopwatch, type Stopwatch } from '../ops/system.ts';
import type { Host } from './hosts.ts';

// The work between hosts: pages, in a queue of pg-boss. It only spreads the work. What is done, and what is not, stands in the ledger.

export interface WorkQueueOptions {
  readonly target: PostgresTarget;
  readonly host: Host;
  readonly ledger: Ledger;
  readonly sleep: Sleep;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** How many requests all hosts together may have in flight; null: each as many as it may by itself. */
  readonly atOnceOfAll: number | null;
  /** How often it looks for work, and whether others are done, in ms. */
  readonly everyMs?: number;
  /** A page that no living host says it works on is lost after so long. */
  readonly lostMs?: number;
}

/** A page as it lies in the queue. */
interface Handed {
  readonly kind: PageKind;
  /** The run that handed it out. */
  readonly run: string;
  readonly page: object;
}

/** What a worker does with a page of each kind. `run` handed it out. */
export type PageWorks = Readonly<Record<PageKind, (page: never, run: string) => Promise<PageOutcome>>>;

const QUEUE = 'pages';
const PAGE_MAX = 200;
const PAGE_MIN = 10;
/** Pages a host is to have, so that none waits long for the last one. */
const PAGES_EACH = 8;
/** A day: whether a page is lost is told by its host's life, not by how long it takes. */
const EXPIRE_S = 86_400;
/** A worker that stopped, such as where it cannot reach the service, leaves the work to others for so long. */
const SIT_OUT_MS = 5 * 60_000;

/** One host's end of the queue. */
export class WorkQueue implements Fleet, AsyncDisposable {
  readonly #boss: PgBoss;
  readonly #options: WorkQueueOptions;
  readonly #everyMs: number;
  readonly #lostMs: number;
  #living = 1;

  private constructor(options: WorkQueueOptions) {
    const { target, everyMs = 500, lostMs = 10_000 } = options;
    this.#options = options;
    this.#everyMs = everyMs;
    this.#lostMs = lostMs;
    this.#boss = new PgBoss({ connectionString: target.url, schema: queueSchema(target), application_name: 'inspection-batch queue', max: 2, supervise: false, schedule: false, registerInstance: false });
    this.#boss.on('error', (failure) => options.log.warn('the queue has a problem', { reason: messageOf(failure) }));
  }

  /** Throws ExplainedError (`work-left`) where the database is away. */
  static async open(options: WorkQueueOptions): Promise<WorkQueue> {
    const queue = new WorkQueue(options);
    try {
      await queue.#boss.start();
      await queue.#boss.createQueue(QUEUE, { retryLimit: 0, expireInSeconds: EXPIRE_S, retentionSeconds: EXPIRE_S });
    } catch (failure) {
      await queue.#boss.stop({ graceful: false }).catch(() => {});
      throw new ExplainedError(`The queue of the ledger's database cannot be used: ${messageOf(failure)}.`, { kind: 'work-left', hint: 'Run it again when the database is back; the user of INSPECTION_LEDGER_URL must be allowed to create a schema once.', cause: failure });
    }
    return queue;
  }

  pageSize(items: number): number {
    return Math.max(PAGE_MIN, Math.min(PAGE_MAX, Math.ceil(items / (this.#living * PAGES_EACH))));
  }

  atOnce(own: number): number {
    const { atOnceOfAll } = this.#options;
    return atOnceOfAll === null ? own : Math.max(1, Math.min(own, Math.floor(atOnceOfAll / this.#living)));
  }

  async recoverInterrupted(): Promise<number> {
    const { ledger, host, log } = this.#options;
    await host.forgetOld();
    const dead = await host.deadAmong(await ledger.sendingRuns());
    const recovered = dead.length === 0 ? 0 : await ledger.recoverInterrupted(dead);
    if (recovered > 0) log.warn('a host died: what it was sending is in doubt', { hosts: dead.length, orders: recovered });
    return recovered;
  }

  async share<Page extends object, Outcome extends PageOutcome>(kind: PageKind, pages: readonly Page[], work: (page: Page) => Promise<Outcome>): Promise<readonly (Outcome | null)[]> {
    const { host, log } = this.#options;
    // Whatever an earlier run left: its pages name orders that are in the pages of this one as well.
    await this.#boss.deleteAllJobs(QUEUE);
    const data = pages.map((page): Handed => ({ kind, run: host.run, page }));
    const ids = (await this.#boss.insert(QUEUE, data.map((each) => ({ data: each })), { returnId: true })) ?? [];
    try {
      for (let job = await this.#take(); job !== null; job = await this.#take()) {
        const outcome = await work(job.data.page as Page);
        await this.#doubtLeftovers();
        await this.#boss.complete(QUEUE, job.id, outcome);
        if (outcome.stopped !== null) break;
      }
    } finally {
      await host.worksOn(null).catch(() => {});
      await this.#boss.deleteQueuedJobs(QUEUE);
    }
    const lost = await this.#othersDone();
    if (lost > 0) log.warn('pages were lost with their host', { pages: lost });
    const done = new Map((await this.#jobs('completed')).map(({ id, output }) => [id, output as Outcome]));
    return ids.map((id) => done.get(id) ?? null);
  }

  /** A worker's life: does whatever pages there are, until `signal` aborts. Throws what a page's work throws, and where the database is away. */
  async serve(works: PageWorks): Promise<void> {
    const { host, signal, sleep, log } = this.#options;
    const pause = (ms: number): Promise<void> => sleep(ms, signal).catch(() => {});
    while (!signal.aborted) {
      await host.check();
      const job = await this.#take();
      if (job === null) {
        await pause(this.#everyMs);
        continue;
      }
      const { kind, run, page } = job.data;
      const outcome = await works[kind](page as never, run);
      await this.#doubtLeftovers();
      await this.#boss.complete(QUEUE, job.id, outcome);
      await host.worksOn(null);
      log.info('page done', { page: job.id, kind, run, stopped: outcome.stopped });
      if (outcome.stopped !== null) await pause(SIT_OUT_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#boss.stop({ graceful: false });
  }

  async #take(): Promise<{ readonly id: string; readonly data: Handed } | null> {
    const { host, signal } = this.#options;
    if (signal.aborted) return null;
    const [job] = await this.#boss.fetch<Handed>(QUEUE);
    if (job === undefined) return null;
    await host.worksOn(job.id);
    this.#living = Math.max(1, (await host.living()).filter(({ role }) => role !== 'standby').length);
    return job;
  }

  /** Between two pages this host sends nothing: an order that is still being sent is one whose outcome could not be put on record. */
  async #doubtLeftovers(): Promise<void> {
    const { ledger, host, log } = this.#options;
    const recovered = await ledger.recoverInterrupted([host.run]);
    if (recovered > 0) log.warn('outcomes could not be put on record', { orders: recovered });
  }

  /** Waits until no living host is at a page. Returns how many pages were lost. */
  async #othersDone(): Promise<number> {
    const { host, sleep, signal } = this.#options;
    const nobodys = new Map<string, Stopwatch>();
    let lost = 0;
    for (;;) {
      await host.check();
      const active = await this.#jobs('active');
      if (active.length === 0 || signal.aborted) return lost;
      const workedOn = new Set((await host.living()).map(({ workingOn }) => workingOn));
      for (const { id } of active) {
        if (workedOn.has(id)) nobodys.delete(id);
        else if (!nobodys.has(id)) nobodys.set(id, startStopwatch());
        else if ((nobodys.get(id)?.() ?? 0) > this.#lostMs) {
          await this.#boss.cancel(QUEUE, id);
          lost += 1;
        }
      }
      await sleep(this.#everyMs, signal).catch(() => {});
    }
  }

  async #jobs(state: 'active' | 'completed'): Promise<readonly { readonly id: string; readonly output: unknown }[]> {
    const { rows } = await this.#boss.getDb().executeSql(`SELECT id, output FROM "${queueSchema(this.#options.target)}".job WHERE name = $1 AND state = $2`, [QUEUE, state]);
    return rows as { id: string; output: unknown }[];
  }
}

/** Beside the ledger's schema, and as many. */
function queueSchema({ schema }: PostgresTarget): string {
  return `${schema.slice(0, 45)}_work`;
}
