import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExplainedError } from '../../src/domain/errors.ts';
import { type Fleet, type PageOutcome, silentLog } from '../../src/domain/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { createLedger } from '../../src/ledger/open-ledger.ts';
import { ensureWorkspace, workspaceAt } from '../../src/ops/workspace.ts';
import { checkBeforeSending, recoverLedger } from '../../src/upkeep/recover-run.ts';
import { SeededRandom } from '../../src/sandbox/seeded-random.ts';
import { guardWriteRequests } from '../../src/service/exchange.ts';
import { createPacer } from '../../src/service/pacer.ts';
import { ServiceUnavailable } from '../../src/service/reads.ts';
import { repeatRead } from '../../src/service/retry.ts';
import { type OrderPage, orderSender, type SubmitContext, submitOrders } from '../../src/submit/submit-run.ts';
import { deskInThisProcess } from '../support/desk-in-this-process.ts';
import { NO_LIMITS } from '../support/run-bench.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import { FailingOverDriver, type Failover } from './failing-over.ts';
import { away, type Result, World } from './run-schedule.ts';
import { QUARANTINE_MS, type Night, type Schedule, scheduleOf } from './schedule.ts';
import { ledgerThrough, LOOKS, NEVER } from './session.ts';
import { simulatedClient } from './simulated-client.ts';
import { BASE_URL, type Caller } from './simulated-service.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** As src/fleet has them: a host that was silent for so long is given up by the database's server, and sends nothing itself long before. */
const PING_EVERY_MS = 5 * SECOND;
const SENDS_NOTHING_AFTER_MS = 10 * SECOND;
const GIVEN_UP_AFTER_MS = 20 * SECOND;

/** What strikes a host right before or after one of its effects. */
interface Fate {
  readonly at: number;
  readonly when: 'before' | 'after';
  /** Frozen: it does nothing for a time, then goes on as if nothing had been. Cut off: for a time it reaches the service, and not the database. */
  readonly kind: 'killed' | 'frozen' | 'cut off';
  readonly forMs: number;
}

interface FleetRates {
  readonly hosts: number;
  /** Of writes of the ledger: that they come to nothing, and that they are on record and the connection is cut before the answer. */
  readonly failed: number;
  readonly cut: number;
  /** Of pages: that another host is given the same one. */
  readonly twice: number;
}

/** In a part of the schedules the database fails over. */
function failoverOf(seed: string): Failover | null {
  const draw = new SeededRandom(seed, 'failover');
  return draw.chance(0.2) ? { heard: draw.integer(3, draw.pick([20, 60])), lost: draw.integer(1, 15) } : null;
}

/**
 * Runs the schedule of a seed with several hosts on one ledger, some of which are killed, frozen and cut off, then some nights without faults. Where the
 * database fails over to a replica that lags, it is recovered before the next night.
 */
export async function runFleet(seed: string, quietNights = 4): Promise<Result> {
  const schedule = scheduleOf(seed);
  const clock = createVirtualClock();
  let world: FleetWorld | null = null;
  const driver = new FailingOverDriver(clock, failoverOf(seed), () => world?.failOver());
  const ledger = createLedger(driver, { clock, account: 'simulation' });
  await ledger.moveOn('simulation', clock.now());
  try {
    world = new FleetWorld(schedule, clock, ledger, driver);
    for (const foreign of schedule.before) world.service.hold(foreign);
    for (const night of schedule.nights) await world.night(night);
    world.faults.end();
    world.isQuiet = true;
    driver.settle();
    await clock.advance(40 * HOUR);
    // After a recovery the first one only waits for the quarantine.
    for (let night = 0; night < quietNights + (driver.hasFailedOver ? 1 : 0); night += 1)
      await world.night({ afterMs: 24 * HOUR, files: [], crash: null, stopAt: null, foreign: [] });
    return await world.result();
  } finally {
    await ledger[Symbol.asyncDispose]();
  }
}

async function lookedBefore(context: SubmitContext): ReturnType<typeof checkBeforeSending> {
  return checkBeforeSending(context).catch((failure: unknown) => {
    if (!(failure instanceof ServiceUnavailable)) throw failure;
    return { stopped: failure.message };
  });
}

/** Pages that a run hands out. */
interface Offer {
  readonly entries: { readonly page: OrderPage; owners: Host[]; outcome: PageOutcome | null; isDone: boolean }[];
  readonly gaveUp: Set<Host>;
  isWithdrawn: boolean;
}

class FleetWorld extends World {
  isQuiet = false;
  readonly #driver: FailingOverDriver;
  readonly #draw: SeededRandom;
  readonly #rates: FleetRates;
  /** All there ever were. */
  readonly #hosts: Host[] = [];
  #workers: Host[] = [];
  readonly #contexts = new Map<Host, SubmitContext>();
  readonly #struck = new Map<string, number>();
  #offers: Offer[] = [];
  /** Whose night it is. */
  #holder: Host | null = null;

  constructor(schedule: Schedule, clock: VirtualClock, ledger: Ledger, driver: FailingOverDriver) {
    super(schedule, clock, ledger);
    this.#driver = driver;
    this.#draw = new SeededRandom(schedule.seed, 'fleet');
    this.#rates = {
      hosts: this.#draw.integer(2, 4),
      failed: this.#draw.pick([0, 0, 0.01, 0.05]),
      cut: this.#draw.pick([0, 0, 0.01, 0.05]),
      twice: this.#draw.pick([0, 0.2]),
    };
  }

  /** All hosts for one night: the first runs it, the others work along, and take over where it fails. */
  override async night({ afterMs, files, foreign }: Night): Promise<void> {
    await this.clock.advance(afterMs);
    this.nights += 1;
    for (const [index, rows] of files.entries())
      this.files.push({ hash: `night ${this.nights} file ${index}`, rows, outcomes: undefined });
    this.service.expect(foreign);
    if (!(await this.clock.drive(this.#isRecovered()))) return;
    const night = { isOver: false };
    const runs = this.#newHost(`night ${this.nights}`);
    this.#workers = this.#workers.filter(({ isGivenUp }) => !isGivenUp);
    while (!this.isQuiet && this.#workers.length + 1 < this.#rates.hosts)
      this.#workers.push(this.#newHost(`night ${this.nights} worker ${this.#workers.length}`));
    const hosts = [runs, ...this.#workers];
    const lives = hosts.map(async (host) => {
      try {
        await Promise.race([host.died, this.#live(host, night, host === runs)]);
        // A worker lives on, and helps in the next night too.
        if (host !== runs && this.#holder !== host) return;
      } catch (failure) {
        // What a host that was given up runs into is for nobody to mend.
        if (!host.isGivenUp && !(failure instanceof ExplainedError))
          this.faulty.push(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
      }
      host.isDone = true;
    });
    const isOver = async (): Promise<void> => {
      while (!hosts.every((host) => host.isGivenUp || (night.isOver && !host.isAtWork))) await this.clock.sleep(SECOND);
    };
    await this.clock.drive(Promise.race([Promise.all(lives), isOver()]));
    night.isOver = true;
    this.#holder = null;
  }

  /** Whatever went on at the database has ended with the primary: no host that was there sends anything more. */
  failOver(): void {
    this.#count('failovers');
    for (const host of this.#hosts) host.endSession();
    this.watch.restarted();
  }

  /** As `recover` does, where the ledger is older than its workspace. False where the service was away. */
  async #isRecovered(): Promise<boolean> {
    const { mark } = this.#driver;
    const generation = await this.#driver.generation();
    if (generation < mark) {
      this.#driver.mark = generation;
      await this.ledger.beginRecovery(generation);
      await this.ledger.moveOn('simulation', Math.max(this.clock.now(), mark + 1));
    }
    const recovery = await this.ledger.latestRecovery();
    if (recovery === null || recovery.endedAt !== null) return true;
    const host = new Host(`recover ${this.nights}`, this.clock, null, { failed: 0, cut: 0 }, this.#draw, () => {});
    const context = await this.#contextOf(host);
    await this.#recoverDead(context.ledger);
    await this.takeIn(context.ledger);
    // Nothing lies in it: what is archived in a simulation is known to it.
    await using folder = await mkdtempDisposable(join(tmpdir(), 'simulated-workspace-'));
    const workspace = workspaceAt(folder.path);
    await ensureWorkspace(workspace);
    try {
      const { adopted } = await recoverLedger(recovery, {
        ...context,
        ledger: this.ledger,
        workspace,
        root: workspace.root,
        store: workspace.root,
        accounts: [],
        files: deskInThisProcess,
        headers: {},
        hold: NO_LIMITS,
        settleMs: 0,
        images: 'none',
        retryNights: 1,
        onProgress: () => {},
      });
      this.wasRecovered = true;
      this.#count('recoveries');
      this.#count('adopted by recoveries', adopted);
      return true;
    } catch (failure) {
      if (!(failure instanceof ServiceUnavailable)) throw failure;
      return false;
    } finally {
      host.isDone = true;
    }
  }

  #count(what: string, by = 1): void {
    this.#struck.set(what, (this.#struck.get(what) ?? 0) + by);
  }

  override async result(): Promise<Result> {
    for (const order of await this.ledger.ordersIn('submitting', 0, 1000))
      this.faulty.push(`order ${order.id} is being sent for ever`);
    const { counts, ...result } = await super.result();
    return { ...result, counts: new Map([...counts, ...this.#struck]) };
  }

  #newHost(name: string): Host {
    const draw = this.#draw;
    const fate: Fate | null =
      this.isQuiet || draw.chance(0.3)
        ? null
        : {
            at: draw.integer(1, draw.pick([8, 20, 50])),
            when: draw.pick(['before', 'after']),
            kind: draw.pick(['killed', 'frozen', 'frozen', 'cut off']),
            forMs: draw.pick([8, 15, 30, 90, 420, 3600, 90_000]) * SECOND,
          };
    const rates = this.isQuiet ? { failed: 0, cut: 0 } : this.#rates;
    const host = new Host(name, this.clock, fate, rates, draw, (what) => this.#count(what));
    this.#hosts.push(host);
    return host;
  }

  async #live(host: Host, night: { isOver: boolean }, isFirst: boolean): Promise<void> {
    const context = this.#contexts.get(host) ?? (await this.#contextOf(host));
    this.#contexts.set(host, context);
    if (isFirst) await this.#runNight(host, context, night);
    let send: { readonly offer: Offer; readonly page: ReturnType<typeof orderSender> } | undefined;
    while (!night.isOver && !host.isGivenUp) {
      if (this.#holder?.isGivenUp ?? true) await this.#runNight(host, context, night);
      const offer = this.#offers.find(
        (other) =>
          !other.isWithdrawn && !other.gaveUp.has(host) && other.entries.some(({ owners }) => owners.length === 0),
      );
      if (offer === undefined) {
        await host.sleep(SECOND);
        continue;
      }
      if (send?.offer !== offer) send = { offer, page: orderSender(context, 0) };
      await this.#take(host, offer, send.page);
    }
  }

  async #runNight(host: Host, context: SubmitContext, night: { isOver: boolean }): Promise<void> {
    if (night.isOver || host.isGivenUp || this.#holder?.isGivenUp === false) return;
    this.#holder = host;
    await this.#recoverDead(context.ledger);
    const isAway = await away(() => repeatRead(() => context.client.searchProjects({ limit: 1 }), context));
    await this.takeIn(context.ledger);
    if (!isAway && (await lookedBefore(context)) === null) await submitOrders(context);
    await context.ledger.finishRun(host.name, 0, {});
    if (this.#holder === host) night.isOver = true;
  }

  async #recoverDead(ledger: Ledger): Promise<number> {
    const gone = new Set(this.#hosts.filter(({ isGivenUp }) => isGivenUp));
    const runs = (await ledger.sendingRuns()).filter((run) => [...gone].some(({ name }) => name === run));
    if (runs.length === 0) return 0;
    const recovered = await ledger.recoverInterrupted(runs);
    this.watch.restarted(gone);
    this.#count('orders of hosts that were given up', recovered);
    return recovered;
  }

  async #take(host: Host, offer: Offer, send: (page: OrderPage) => Promise<PageOutcome>): Promise<void> {
    const entry = offer.entries.find(({ owners }) => owners.length === 0);
    if (entry === undefined) return;
    if (!this.#draw.chance(this.#rates.twice) || this.isQuiet) entry.owners.push(host);
    else this.#count('pages given out twice');
    host.isAtWork = true;
    const outcome = await send(entry.page);
    // What it could not put on record, since the database was away, is in doubt.
    await this.#contexts.get(host)?.ledger.recoverInterrupted([host.name]);
    host.isAtWork = false;
    if (!entry.owners.includes(host)) return;
    entry.isDone = true;
    entry.outcome = outcome;
    if (outcome.stopped !== null) offer.gaveUp.add(host);
  }

  #fleetOf(host: Host, ledger: Ledger): Fleet {
    return {
      atOnce: (own) => own,
      pageSize: (items) => Math.max(1, Math.ceil(items / 5)),
      share: async (_kind, pages, work) => {
        const offer: Offer = {
          entries: pages.map((page) => ({
            page: page as unknown as OrderPage,
            owners: [],
            outcome: null,
            isDone: false,
          })),
          gaveUp: new Set(),
          isWithdrawn: false,
        };
        this.#offers = [offer];
        while (offer.entries.some(({ owners }) => owners.length === 0) && !offer.gaveUp.has(host))
          await this.#take(host, offer, work as unknown as (page: OrderPage) => Promise<PageOutcome>);
        offer.isWithdrawn = true;
        while (
          offer.entries.some(
            ({ isDone, owners }) =>
              !isDone && owners.some((owner) => owner !== host && !owner.isGivenUp && !owner.isDone),
          )
        )
          await host.sleep(SECOND);
        return offer.entries.map(({ outcome }) => outcome as never);
      },
      recoverInterrupted: () => this.#recoverDead(ledger),
    };
  }

  async #contextOf(host: Host): Promise<SubmitContext> {
    const { maxConcurrency, rules } = this.schedule;
    const { clock } = this;
    const world = {
      clock,
      sleep: host.sleep,
      random: () => this.random.next(),
      log: silentLog,
      signal: new AbortController().signal,
    };
    const transport = this.service.connect(host);
    const guarded = guardWriteRequests(() => host.maySend, {
      ...transport,
      exchange: (request) => transport.exchange(request),
    });
    const client = simulatedClient(
      { ...transport, exchange: (request) => host.effect(() => guarded.exchange(request)) },
      BASE_URL,
      world,
    );
    const own = createLedger(this.#driver, { clock, account: 'simulation' });
    // A worker is a run too: what it sends is its own.
    await own.startRun(host.name, 'worker');
    const ledger = host.ledger(own);
    const beforeSend = async (): Promise<void> => {
      if (!host.maySend) throw new ExplainedError('code-of-a-test', 'This host was given up.', { kind: 'lost-place' });
    };
    return {
      ...world,
      ledger,
      client,
      pacer: createPacer({ ...world, maxConcurrency, beforeSend }),
      rules,
      quarantineMs: QUARANTINE_MS,
      maxConcurrency,
      actor: 'us',
      finishBy: null,
      onProgress: () => {},
      fleet: this.#fleetOf(host, ledger),
    };
  }
}

/** One life of a host, as it is and as the database's server sees it. */
class Host implements Caller {
  readonly name: string;
  readonly died: Promise<void>;
  isDone = false;
  isAtWork = false;
  readonly #clock: VirtualClock;
  readonly #fate: Fate | null;
  readonly #rates: Pick<FleetRates, 'failed' | 'cut'>;
  readonly #draw: SeededRandom;
  readonly #count: (what: string) => void;
  #die: () => void = () => {};
  #isDead = false;
  #effects = 0;
  #frozenUntil = 0;
  #cutUntil = 0;
  /** The last ping that was answered, while none is; null while all is well. */
  #silentSince: number | null = null;
  #isEnded = false;
  #hasSession = true;

  constructor(
    name: string,
    clock: VirtualClock,
    fate: Fate | null,
    rates: Pick<FleetRates, 'failed' | 'cut'>,
    draw: SeededRandom,
    count: (what: string) => void,
  ) {
    this.name = name;
    this.#clock = clock;
    this.#fate = fate;
    this.#rates = rates;
    this.#draw = draw;
    this.#count = count;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** The server has ended its session: others take over. */
  get isGivenUp(): boolean {
    this.#isEnded ||=
      this.#isDead ||
      this.isDone ||
      (this.#silentSince !== null && this.#clock.now() - this.#silentSince >= GIVEN_UP_AFTER_MS);
    return this.#isEnded;
  }

  /** The server is gone, and the host's place with it. */
  endSession(): void {
    this.#isEnded = true;
    this.#hasSession = false;
  }

  /** What the host itself knows. */
  get maySend(): boolean {
    if (!this.#hasSession) return false;
    return this.#silentSince === null || this.#clock.now() - this.#silentSince <= SENDS_NOTHING_AFTER_MS;
  }

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    await this.#clock.sleep(ms, signal);
    await this.#thaw();
  };

  /** Something that changes the world, before or after which the host may be struck. */
  async effect<T>(work: () => Promise<T>): Promise<T> {
    await this.#thaw();
    this.#effects += 1;
    const strikes = this.#effects === this.#fate?.at ? this.#fate : null;
    if (strikes?.when === 'before') await this.#strike(strikes);
    const result = await work();
    if (strikes?.when === 'after') await this.#strike(strikes);
    await this.#thaw();
    return result;
  }

  /** The ledger as this host has it. */
  ledger(ledger: Ledger): Ledger {
    return ledgerThrough(ledger, (name, call) =>
      LOOKS.has(name) ? this.#look(call) : this.effect(() => this.#write(call)),
    );
  }

  async #look(look: () => unknown): Promise<unknown> {
    await this.#thaw();
    if (this.#clock.now() < this.#cutUntil) throw this.#away();
    return look();
  }

  async #write(change: () => unknown): Promise<unknown> {
    if (this.#clock.now() < this.#cutUntil) throw this.#away();
    if (this.#draw.chance(this.#rates.failed)) {
      this.#count('writes that failed');
      throw this.#away();
    }
    const result = await change();
    if (!this.#draw.chance(this.#rates.cut)) return result;
    this.#count('writes whose answer was cut off');
    throw this.#away();
  }

  #away(): ExplainedError {
    return new ExplainedError('code-of-a-test', 'The database is away.', { kind: 'work-left' });
  }

  async #thaw(): Promise<void> {
    if (this.#isDead) return NEVER;
    while (this.#clock.now() < this.#frozenUntil) await this.#clock.sleep(this.#frozenUntil - this.#clock.now());
  }

  async #strike({ kind, forMs }: Fate): Promise<void> {
    this.#count(`hosts ${kind}`);
    const now = this.#clock.now();
    const lastPing = now - this.#draw.integer(0, PING_EVERY_MS);
    if (kind === 'killed') {
      this.#isDead = true;
      this.#die();
      return NEVER;
    }
    this.#silentSince = lastPing;
    if (kind === 'frozen') this.#frozenUntil = now + forMs;
    else this.#cutUntil = now + forMs;
    void this.#clock.sleep(forMs).then(async () => {
      // The next ping is answered, unless the session is over.
      await this.#clock.sleep(50);
      if (!this.isGivenUp) this.#silentSince = null;
    });
    await this.#thaw();
  }
}
