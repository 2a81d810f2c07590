import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { SeededRandom } from '../../../src/sandbox/seeded-random.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { takeInInbox } from '../../../src/submit/take-in.ts';
import { CreateWatch } from '../../simulation/create-watch.ts';
import { FaultPlan } from '../../simulation/faults.ts';
import { Session } from '../../simulation/session.ts';
import { simulatedClient } from '../../simulation/simulated-client.ts';
import { BASE_URL, SimulatedService } from '../../simulation/simulated-service.ts';
import { rowCounts } from '../../support/on-record.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { inProof } from '../../support/proof-size.ts';
import { type LedgerBench, submitContext, takeInContext } from '../../support/run-bench.ts';
import { createVirtualClock, VIRTUAL_START_MS } from '../../support/virtual-clock.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const NIGHTS = 60;
const QUARANTINE_MS = 300_000;

/** One house of the sender's book. What is to become of its rows follows from these words alone. */
interface House {
  readonly number: number;
  /** By what its rows can be told: two of them hold the date, one never has any. */
  readonly kind: 'number' | 'number and due date' | 'policy' | 'policy and due date' | 'nothing' | 'undated';
  readonly firstNight: number;
  /** Its first row lacks the city, until so many nights later. */
  readonly isWrongFor: number;
  /** Its first project is canceled in this night, by hand. */
  readonly canceledIn: number | null;
  /** It is renewed a year later. */
  readonly isRenewed: boolean;
}

const KINDS = ['number', 'number and due date', 'policy', 'policy and due date', 'nothing', 'undated'] as const;
const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const nightAt = (night: number): number => VIRTUAL_START_MS + night * WEEK_MS;

function bookOf(random: SeededRandom): readonly House[] {
  return Array.from({ length: 24 }, (_, index) => {
    const firstNight = random.integer(1, index < 14 ? 6 : 40);
    return {
      number: 100 + index,
      kind: KINDS[index % KINDS.length] ?? 'number',
      firstNight,
      isWrongFor: random.chance(0.25) ? random.integer(1, 3) : 0,
      canceledIn: random.chance(0.2) ? firstNight + random.integer(5, 9) : null,
      isRenewed: index < 14 && random.chance(0.8),
    };
  });
}

/** The night in which a house's second term is listed first: 44 weeks are 308 days. */
const renewalNight = ({ firstNight }: House): number => firstNight + 44;
const termOf = ({ kind }: House, from: number, year: number): string =>
  kind === 'undated' ? '' : isoDay(nightAt(from) + (30 + year * 365) * DAY_MS);

/** Every create carries the house and its term in the phone number, which no comparison of the program looks at. */
const phoneOf = (house: House, year: number): string => `813555${year}${house.number}`;

function rowOf(house: House, year: number): OrderPayload {
  const { number, kind } = house;
  const date = termOf(house, house.firstNight, year);
  const dates = kind.endsWith('due date') ? { dueDate: date } : date === '' ? {} : { policyEffectiveDate: date };
  return orderPayload({
    ...dates,
    // The second year's list is typed by somebody else.
    streetAddress: year === 0 ? `${number} Oak Lane` : `${number} OAK LN`,
    insuredName: `Insured ${number}`,
    insuredPhone: phoneOf(house, year),
    ...(kind.startsWith('number') ? { inspectionNumber: `I-${number}` } : {}),
    ...(kind.startsWith('policy') ? { policyNumber: `P-${number}` } : {}),
  });
}

/** The whole book, as it is exported every week. */
function listOf(book: readonly House[], night: number): readonly Readonly<Record<string, string>>[] {
  return book.flatMap((house) => {
    const texts = (year: number) =>
      Object.fromEntries(Object.entries(rowOf(house, year)).map(([field, value]) => [field, String(value)]));
    const first = night < house.firstNight + house.isWrongFor ? { ...texts(0), city: '' } : texts(0);
    const rows = night < house.firstNight ? [] : [first];
    // The newest terms stand on top in every other week.
    if (!house.isRenewed || night < renewalNight(house)) return rows;
    return night % 2 === 0 ? [texts(1), ...rows] : [...rows, texts(1)];
  });
}

/** What has to come of the book after all nights, from the book alone. */
function expected(book: readonly House[]) {
  const projects = book.flatMap((house) => [
    phoneOf(house, 0),
    // Without a date nobody can tell a second term: it is told, once, and not ordered.
    ...(house.isRenewed && house.kind !== 'undated' ? [phoneOf(house, 1)] : []),
  ]);
  const told = book.flatMap((house) => {
    const ordered = house.firstNight + house.isWrongFor;
    const isCanceled = house.canceledIn !== null && house.canceledIn > ordered;
    const undated = house.kind === 'undated' ? ['undated'] : [];
    // Canceled before its 30 days are over, it is no more told as undated.
    return (
      isCanceled
        ? ['canceled', ...(undated.length > 0 && (house.canceledIn ?? 0) >= ordered + 5 ? undated : [])]
        : undated
    ).map((reason) => `${house.number} ${reason}`);
  });
  return { projects: projects.toSorted(), told: told.toSorted() };
}

test.each(Array.from({ length: inProof({ share: 1, whole: 10 }) }, (_, index) => `book ${index + 1}`))(
  'run orders each project once over 60 weekly nights, %s',
  { timeout: 300_000 },
  async (seed) => {
    // The list is cumulative, with renewals, corrections, cancellations, faults and kills.
    const random = new SeededRandom(seed, 'book');
    const book = bookOf(random);
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sixty-nights-'));
    const workspace = workspaceAt(folder.path);
    await ensureWorkspace(workspace);
    const clock = createVirtualClock();
    await using ledger = openSqliteLedger(':memory:', { clock, account: 'simulation' });
    const watch = new CreateWatch(clock, ledger, QUARANTINE_MS, () => false);
    const faults = new FaultPlan(seed, {
      creates: ['504 after', 'reset after', 'lost before', '429'],
      createRate: 0.15,
      reads: ['503'],
      readRate: 0.02,
    });
    const service = new SimulatedService(
      clock,
      seed,
      {
        firstId: 100_000n,
        latenessMsMax: 0,
        searchLagMsMax: 10_000,
        duplicateLagMs: 0,
        keylessAreDuplicates: false,
        searchItem: 'newer',
        absentInDetail: 'absent',
        pageMax: 500,
        latencyMsMax: 50,
      },
      faults,
      watch,
    );
    let dropped = 0;
    const told: string[] = [];
    for (let night = 1; night <= NIGHTS; night += 1) {
      await clock.advance(nightAt(night) - clock.now());
      const list = listOf(book, night);
      // Each export is a new file, by its content too.
      const fields = [...new Set(list.flatMap((row) => Object.keys(row))), 'Export'];
      const lines = [
        fields,
        ...list.map((row) =>
          fields.map((field) => row[field] ?? `week ${night}`.slice(0, field === 'Export' ? 10 : 0)),
        ),
      ].map((line) => line.join(','));
      if (list.length > 0) await writeFile(join(workspace.inbox, `list ${night}.csv`), lines.join('\n'));
      dropped += list.length;
      // Killed in some nights; the run after it, an hour later, ends.
      const kill = random.chance(0.25)
        ? { at: random.integer(2, 25), when: random.pick(['before', 'after'] as const) }
        : null;
      for (const crash of [kill, null, null]) {
        const session = new Session(crash);
        const world = {
          clock,
          sleep: clock.sleep,
          random: () => 0.5,
          log: silentLog,
          signal: new AbortController().signal,
        };
        const client = simulatedClient(service.connect(session), BASE_URL, world);
        const through = session.ledger(ledger);
        const bench: LedgerBench = { ledger, clock, folder: folder.path, [Symbol.asyncDispose]: async () => {} };
        watch.restarted();
        await clock.drive(
          Promise.race([
            (async () => {
              await through.startRun(`run ${night} ${clock.now()}`, 'run');
              await through.recoverInterrupted();
              await takeInInbox(takeInContext({ ...bench, ledger: through }, workspace));
              await submitOrders(submitContext({ ...bench, ledger: through, client }, { maxConcurrency: 2 }));
            })(),
            session.died,
          ]),
        );
        session.kill();
        await clock.advance(3_600_000);
      }
      for (const house of book) {
        if (house.canceledIn !== night) continue;
        const project = service.store.all().find(({ request }) => request.insuredPhone === phoneOf(house, 0));
        if (project !== undefined)
          await ledger.recordStatuses([{ id: String(project.id), status: 'Project Canceled' }]);
      }
      const news = await ledger.openNews();
      for (const { kind, subject } of news) {
        if (kind !== 'repeat-not-ordered') continue;
        const [order, reason] = subject.split(' ');
        told.push(`${(await ledger.order(Number(order)))?.payload.streetAddress.split(' ')[0] ?? ''} ${reason ?? ''}`);
      }
      await ledger.markReported(news.map(({ id }) => id));
    }
    const made = service.store.all().map(({ request }) => request.insuredPhone);
    const { projects, told: toTell } = expected(book);
    expect(made.toSorted()).toEqual(projects);
    expect(told.toSorted()).toEqual(toTell);
    expect(watch.violations).toEqual([]);
    // No row is lost: each of them is on record, and each order has a project of its own.
    const { read } = await rowCounts(ledger);
    expect(read).toBe(dropped);
    expect(await ledger.orderCounts()).toMatchObject({
      created: projects.length,
      ready: 0,
      unresolved: 0,
      held: 0,
      linked: 0,
    });
    expect(await ledger.contradictions()).toEqual([]);
    expect(await readdir(workspace.inbox)).toEqual([]);
    const renewals = (await ledger.ordersIn('created', 0, 1000)).filter(({ renews }) => renews !== null);
    expect(renewals.length).toBe(
      book.filter(({ isRenewed, kind }) => isRenewed && kind !== 'undated' && kind !== 'policy').length,
    );
  },
);
