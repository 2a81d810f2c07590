import { ExplainedError } from '../../src/domain/errors.ts';
import { identityKind } from '../../src/domain/identity.ts';
import { silentLog } from '../../src/domain/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Driver } from '../../src/ledger/store.ts';
import { createLedger } from '../../src/ledger/open-ledger.ts';
import { SqliteDriver } from '../../src/ledger/sqlite-driver.ts';
import { SeededRandom } from '../../src/sandbox/seeded-random.ts';
import { createPacer } from '../../src/service/pacer.ts';
import { repeatRead } from '../../src/service/retry.ts';
import { decideRow, rowKeysOf } from '../../src/submit/row-decision.ts';
import { submitOrders } from '../../src/submit/submit-run.ts';
import { newRow, validRow } from '../support/order-factory.ts';
import { createVirtualClock, VIRTUAL_START_MS, type VirtualClock } from '../support/virtual-clock.ts';
import { CreateWatch } from './create-watch.ts';
import { FaultPlan } from './faults.ts';
import { judge, type DroppedFile, type Judgement, type RowFate } from './oracle.ts';
import { QUARANTINE_MS, type Night, type Schedule, type SimulatedRow } from './schedule.ts';
import { Session } from './session.ts';
import { simulatedClient } from './simulated-client.ts';
import { BASE_URL, SimulatedService } from './simulated-service.ts';
import { WaitingDriver } from './waiting-driver.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** With the service well again, so many nights settle everything: to search, to send again, and twice more; a day apart, as cron does it. */
const QUIET_NIGHTS = 4;
const QUIET: Omit<Night, 'afterMs'> = { files: [], crash: null, stopAt: null, foreign: [] };

/** What came of a schedule; the same for the same schedule. */
export interface Result extends Judgement {
  /** Effects of each night, in order. */
  readonly effects: readonly (readonly string[])[];
}

/**
 * Runs all nights of a schedule against a service of its own, then some without faults, and judges by that service's list of projects. The ledger is in
 * `database`, which many schedules may share, else in memory.
 */
export async function runSchedule(
  schedule: Schedule,
  { quietNights = QUIET_NIGHTS, database = null as Driver | null } = {},
): Promise<Result> {
  // Time may pass while SQLite works, as on a slow disk.
  const waiting = database === null ? null : new WaitingDriver(database);
  const driver = waiting ?? new SqliteDriver(':memory:');
  const clock = createVirtualClock(VIRTUAL_START_MS, 3, () => waiting?.isBusy === true);
  await using ledger = createLedger(driver, { clock, account: `simulation ${schedule.seed}` });
  const world = new World(schedule, clock, ledger);
  for (const foreign of schedule.before) world.service.hold(foreign);
  for (const night of schedule.nights) await world.night(night);
  world.faults.end();
  // Whatever is still on its way arrives.
  await clock.advance(4 * HOUR);
  for (let night = 0; night < quietNights; night += 1) await world.night({ ...QUIET, afterMs: DAY });
  return await world.result();
}

interface File {
  readonly hash: string;
  readonly rows: readonly SimulatedRow[];
  outcomes: readonly RowFate[] | undefined;
}

export class World {
  readonly service: SimulatedService;
  readonly faults: FaultPlan;
  protected readonly schedule: Schedule;
  protected readonly clock: VirtualClock;
  protected readonly ledger: Ledger;
  protected readonly watch: CreateWatch;
  protected readonly random: SeededRandom;
  protected readonly files: File[] = [];
  readonly #effects: (readonly string[])[] = [];
  protected readonly faulty: string[] = [];
  protected crashes = 0;
  protected nights = 0;
  protected wasRecovered = false;

  constructor(schedule: Schedule, clock: VirtualClock, ledger: Ledger) {
    const { seed, rates, rules } = schedule;
    this.schedule = schedule;
    this.clock = clock;
    this.ledger = ledger;
    this.random = new SeededRandom(seed, 'runner');
    this.faults = new FaultPlan(seed, rates);
    const rows = new Map(schedule.nights.flatMap(({ files }) => files.flat()).map((row) => [row.tag, row]));
    const mayDuplicate = (tag: string): boolean => {
      const { payload, allowDuplication } = rows.get(tag) ?? {};
      // Compared with nothing, an order without a number is a duplicate of whatever has none.
      const comparedWithNothing =
        schedule.service.keylessAreDuplicates && payload !== undefined && identityKind(payload) === 'address';
      return (
        allowDuplication === true ||
        (allowDuplication === undefined && (rules.onDuplicate === 'create' || comparedWithNothing))
      );
    };
    this.watch = new CreateWatch(clock, ledger, QUARANTINE_MS, mayDuplicate);
    this.service = new SimulatedService(clock, seed, schedule.service, this.faults, this.watch);
  }

  /** One run of the program, as cron starts it, until its end or its death. */
  async night({ afterMs, files, crash, stopAt, foreign }: Night): Promise<void> {
    await this.clock.advance(afterMs);
    this.nights += 1;
    for (const [index, rows] of files.entries())
      this.files.push({ hash: `night ${this.nights} file ${index}`, rows, outcomes: undefined });
    this.service.expect(foreign);
    const stop = new AbortController();
    const session = new Session(crash, (count) => {
      if (count === stopAt) stop.abort(new Error('asked to stop'));
    });
    this.watch.restarted();
    try {
      await this.clock.drive(Promise.race([this.#run(session, stop.signal), session.died]));
    } catch (failure) {
      this.faulty.push(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
    }
    if (session.isDead) this.crashes += 1;
    session.kill();
    this.#effects.push(session.effects);
  }

  async result(): Promise<Result> {
    const judgement = await judge({
      ledger: this.ledger,
      projects: this.service.store.all(),
      files: this.files satisfies DroppedFile[],
      rules: this.schedule.rules,
      keylessAreDuplicates: this.schedule.service.keylessAreDuplicates,
      wasRecovered: this.wasRecovered,
    });
    const counts = new Map([
      ...judgement.counts,
      ...this.faults.bites,
      ['attempted', this.watch.attempts],
      ['crashes', this.crashes],
      ['duplicates sent again', this.watch.repeatedDuplicates],
      ['runs', this.nights],
    ]);
    const protocol = this.watch.violations.map((what) => `protocol: ${what}`);
    return {
      violations: [...judgement.violations, ...protocol, ...this.faulty.map((what) => `threw: ${what}`)],
      counts,
      effects: this.#effects,
    };
  }

  async #run(session: Session, signal: AbortSignal): Promise<void> {
    const { maxConcurrency, rules } = this.schedule;
    const clock = this.clock;
    const world = { clock, sleep: clock.sleep, random: () => this.random.next(), log: silentLog, signal };
    const transport = this.service.connect(session);
    const client = simulatedClient(
      {
        ...transport,
        exchange: (request) =>
          session.effect(`${request.method} ${request.url.pathname}`, () => transport.exchange(request)),
      },
      BASE_URL,
      world,
    );
    const ledger = session.ledger(this.ledger);
    const run = `${ledger.account}, run ${this.nights}`;
    await ledger.startRun(run, 'submit');
    await ledger.recoverInterrupted();
    const isAway = await away(() => repeatRead(() => client.searchProjects({ limit: 1 }), world));
    await this.takeIn(ledger);
    if (!isAway) {
      await submitOrders({
        ...world,
        ledger,
        client,
        pacer: createPacer({ ...world, maxConcurrency }),
        rules,
        quarantineMs: QUARANTINE_MS,
        maxConcurrency,
        actor: 'us',
        finishBy: null,
        onProgress: () => {},
      });
    }
    await ledger.finishRun(run, 0, {});
  }

  /** Rows as intake found them valid; from here on the program's own decisions are at work. */
  protected async takeIn(ledger: Ledger): Promise<void> {
    const windowStart = this.clock.now() - 30 * DAY;
    for (const file of this.files) {
      if ((await ledger.findFile(file.hash)) !== null) continue;
      await ledger.recordFile(
        { hash: file.hash, name: file.hash, sender: '', layouts: [], notes: [] },
        async (transaction) => {
          await transaction.expect(file.rows.map(({ payload }) => rowKeysOf(validRow(payload))));
          const outcomes = file.rows.map(({ payload, allowDuplication }): RowFate => {
            const decision = decideRow(
              { ...validRow(payload), allowDuplication },
              this.schedule.rules,
              windowStart,
              transaction,
            );
            switch (decision.kind) {
              case 'order':
                return { outcome: 'order', orderId: transaction.addOrder(decision.order) };
              case 'repeat':
                return { outcome: 'repeat', orderId: decision.of.order.id };
              case 'rejection':
                return { outcome: 'rejection', orderId: null };
            }
          });
          for (const [index, outcome] of outcomes.entries()) transaction.addRow(newRow(outcome, index + 2));
          file.outcomes = outcomes;
        },
      );
    }
  }
}

export async function away(look: () => Promise<{ readonly kind: string }>): Promise<boolean> {
  try {
    return (await look()).kind !== 'ok';
  } catch (failure) {
    if (failure instanceof ExplainedError || (failure instanceof Error && failure.message === 'asked to stop'))
      return true;
    throw failure;
  }
}
