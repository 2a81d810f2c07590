import { PgBoss } from 'pg-boss';
import { ExplainedError, messageOf, errorOf, usageErrorOf } from '../domain/errors.ts';
import type { Fleet, Log, PageKind, PageOutcome, Sleep } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PostgresTarget } from '../ledger/postgres-driver.ts';
import { failureOfQuery } from '../ledger/postgres-failures.ts';
import { startStopwatch, type Stopwatch } from '../ops/system.ts';
import type { Host } from './hosts.ts';

// It only distributes pages; the ledger knows which ones are done.

export type WorkQueueOptions = Readonly<{
  target: PostgresTarget;
  host: Host;
  ledger: Ledger;
  sleep: Sleep;
  log: Log;
  signal: AbortSignal;
  account: string;
  /** After this time (epoch ms) no host sends anything new for this run; null: no end, or a worker. */
  finishBy: number | null;
  /** Over all hosts; null: each host's own limit. */
  atOnceOfAll: number | null;
  everyMs?: number;
  lostMs?: number;
  stoppedMs?: number;
}>;

export type SharedRun = Readonly<{
  run: string;
  finishBy: number | null;
}>;

type Handed = SharedRun &
  Readonly<{
    kind: PageKind;
    account: string;
    page: object;
  }>;

export type PageWorks = Readonly<Record<PageKind, (page: never, of: SharedRun) => Promise<PageOutcome>>>;

const QUEUE = 'pages';
const PAGE_MAX = 200;
const PAGE_MIN = 10;
const PAGES_EACH = 8;
/** A page is lost when its host dies, not by time. */
const EXPIRE_S = 86_400;
const SIT_OUT_MS = 5 * 60_000;
/** Far below TimeoutStopSec in templates/systemd: delivery follows. */
const STOPPED_MS = 2 * 60_000;

export class WorkQueue implements Fleet, AsyncDisposable {
  readonly #boss;
  readonly #options;
  #living = 1;
  #stopping: Stopwatch | null = null;

  private constructor(options: WorkQueueOptions) {
    this.#options = { everyMs: 500, lostMs: 10_000, stoppedMs: STOPPED_MS, ...options };
    this.#boss = new PgBoss({
      connectionString: options.target.url,
      schema: queueSchema(options.target),
      application_name: 'inspection-batch queue',
      max: 2,
      supervise: false,
      schedule: false,
      registerInstance: false,
    });
    this.#boss.on('error', (failure) => options.log.warn('the queue has a problem', { reason: messageOf(failure) }));
  }

  /** Throws ExplainedError: `work-left` if the database cannot be reached, `usage` if its user lacks rights. */
  static async open(options: WorkQueueOptions) {
    const queue = new WorkQueue(options);
    try {
      await queue.#boss.start();
      await queue.#boss.createQueue(QUEUE, { retryLimit: 0, expireInSeconds: EXPIRE_S, retentionSeconds: EXPIRE_S });
      await queue.#countLiving();
    } catch (failure) {
      await queue[Symbol.asyncDispose]();
      throw cannotBeUsed(failure);
    }
    return queue;
  }

  pageSize(items: number) {
    return Math.max(PAGE_MIN, Math.min(PAGE_MAX, Math.ceil(items / (this.#living * PAGES_EACH))));
  }

  atOnce(own: number) {
    const { atOnceOfAll } = this.#options;
    return atOnceOfAll === null ? own : Math.max(1, Math.min(own, Math.floor(atOnceOfAll / this.#living)));
  }

  async recoverInterrupted() {
    const { ledger, host, log } = this.#options;
    await host.forgetOld();
    const dead = await host.deadAmong(await ledger.sendingRuns());
    const recovered = dead.length === 0 ? 0 : await ledger.recoverInterrupted(dead);
    if (recovered > 0) log.warn('a host died: its requests are in doubt', { hosts: dead.length, orders: recovered });
    return recovered;
  }

  async share<Page extends object, Outcome extends PageOutcome>(
    kind: PageKind,
    pages: readonly Page[],
    work: (page: Page) => Promise<Outcome>,
  ) {
    const { host, log, account, finishBy } = this.#options;
    // Includes what an earlier run left. Pages of living hosts stay: `othersDone` waits for them.
    await explain(this.#boss.deleteQueuedJobs(QUEUE));
    await explain(this.#boss.deleteStoredJobs(QUEUE));
    const jobs = pages.map((page) => ({ data: { kind, run: host.run, account, finishBy, page } }));
    const ids = (await explain(this.#boss.insert(QUEUE, jobs, { returnId: true }))) ?? [];
    try {
      for (let job = await this.#take(); job !== null; job = await this.#take()) {
        const outcome = await work(job.data.page as Page);
        await this.#complete(job.id, outcome);
        if (outcome.stopped !== null) break;
      }
    } catch (failure) {
      await this.#withdraw().catch((why: unknown) => log.warn('pages were not withdrawn', { reason: messageOf(why) }));
      throw failure;
    }
    await this.#withdraw();
    await this.othersDone();
    const done = new Map((await this.#jobs('completed')).map(({ id, output }) => [id, output as Outcome]));
    return ids.map((id) => done.get(id) ?? null);
  }

  /**
   * Waits until no living host works on a page of any run, because an earlier delivery could lack its records. False if
   * this run was stopped and another host still works after a while.
   */
  async othersDone() {
    const { host, sleep, signal, log, everyMs, lostMs, stoppedMs } = this.#options;
    const orphaned = new Map<string, Stopwatch>();
    for (let looks = 0; ; looks += 1) {
      await host.check();
      const active = await this.#jobs('active');
      if (active.length === 0) return true;
      if (looks === 0) log.info('waiting for other hosts', { pages: active.length });
      if (signal.aborted) this.#stopping ??= startStopwatch();
      if (this.#stopping !== null && this.#stopping() > stoppedMs) {
        log.warn('another host is still at work', { pages: active.length });
        return false;
      }
      const workedOn = new Set((await host.living()).map(({ workingOn }) => workingOn));
      for (const { id } of active) {
        if (workedOn.has(id)) orphaned.delete(id);
        else if (!orphaned.has(id)) orphaned.set(id, startStopwatch());
        else if ((orphaned.get(id)?.() ?? 0) > lostMs) {
          await explain(this.#boss.cancel(QUEUE, id));
          log.warn('a page was lost with its host', { page: id });
        }
      }
      await sleep(everyMs);
    }
  }

  /** Works on pages until `signal` aborts. Throws the work's failure, or if the database cannot be reached. */
  async serve(works: PageWorks) {
    const { host, signal, sleep, log, everyMs } = this.#options;
    const pause = (ms: number) => sleep(ms, signal).catch(() => {});
    while (!signal.aborted) {
      await host.check();
      const job = await this.#take();
      if (job === null) {
        await pause(everyMs);
        continue;
      }
      const { kind, run, finishBy, page } = job.data;
      const outcome = await works[kind](page as never, { run, finishBy });
      await this.#complete(job.id, outcome);
      await host.worksOn(null);
      log.info('page done', { page: job.id, kind, run, stopped: outcome.stopped });
      if (outcome.stopped !== null) await pause(SIT_OUT_MS);
    }
  }

  async [Symbol.asyncDispose]() {
    await this.#boss
      .stop({ graceful: false })
      .catch((failure: unknown) => this.#options.log.warn('the queue was not closed', { reason: messageOf(failure) }));
  }

  /** Throws ExplainedError (`usage`) if the page belongs to another account, which this ledger does not know. */
  async #take() {
    const { host, signal, account } = this.#options;
    if (signal.aborted) return null;
    const [job] = await explain(this.#boss.fetch<Handed>(QUEUE));
    if (job === undefined) return null;
    if (job.data.account !== account) {
      // The run's own host takes over lost pages.
      await explain(this.#boss.cancel(QUEUE, job.id));
      throw usageErrorOf('host-of-another-account');
    }
    await host.worksOn(job.id);
    await this.#countLiving();
    return job;
  }

  async #countLiving() {
    this.#living = Math.max(1, (await this.#options.host.living()).filter(({ role }) => role !== 'standby').length);
  }

  /** This run's pages only, not those of a run that replaced it. */
  async #withdraw() {
    const { host } = this.#options;
    await host.worksOn(null).catch(() => {});
    await host.check('now');
    await explain(this.#boss.deleteQueuedJobs(QUEUE));
  }

  /** Between pages this host sends nothing: an order still marked as being sent has an unrecorded outcome. */
  async #complete(id: string, outcome: PageOutcome) {
    const { ledger, host, log } = this.#options;
    const recovered = await ledger.recoverInterrupted([host.run]);
    if (recovered > 0) log.warn('outcomes could not be put on record', { orders: recovered });
    await explain(this.#boss.complete(QUEUE, id, outcome));
  }

  async #jobs(state: 'active' | 'completed') {
    const jobs = `SELECT id, output FROM "${queueSchema(this.#options.target)}".job WHERE name = $1 AND state = $2`;
    const { rows } = await explain(this.#boss.getDb().executeSql(jobs, [QUEUE, state]));
    return rows as { id: string; output: unknown }[];
  }
}

function explain<T>(answer: Promise<T>) {
  return answer.catch((failure: unknown) => {
    throw failureOfQuery(failure);
  });
}

function cannotBeUsed(failure: unknown) {
  const why = failureOfQuery(failure);
  const kind = why instanceof ExplainedError ? why.kind : 'work-left';
  const parts = { message: messageOf(failure) };
  return kind === 'usage'
    ? errorOf(kind, 'queue-not-usable/login', parts, failure)
    : errorOf(kind, 'queue-not-usable/away', parts, failure);
}

function queueSchema({ schema }: PostgresTarget) {
  return `${schema.slice(0, 45)}_work`;
}
