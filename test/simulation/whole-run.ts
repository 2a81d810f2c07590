import { createHash } from 'node:crypto';
import { deskInThisProcess } from '../support/desk-in-this-process.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { acknowledgeDelivered, collectProjects } from '../../src/collect/collect-run.ts';
import type { CollectContext } from '../../src/collect/collect-plan.ts';
import { deliver } from '../../src/results/deliver/deliver.ts';
import { silentLog } from '../../src/domain/ports.ts';
import type { ArtifactRecord } from '../../src/ledger/artifacts.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../src/ledger/open-ledger.ts';
import { ensureWorkspace, workspaceAt, type Workspace } from '../../src/ops/workspace.ts';
import { createPacer } from '../../src/service/pacer.ts';
import { finishInterrupted } from '../../src/submit/finish-interrupted.ts';
import { submitOrders } from '../../src/submit/submit-run.ts';
import { takeInInbox } from '../../src/submit/take-in.ts';
import { orderCsv } from '../support/order-csv.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import type { CrashReport } from './crash-points.ts';
import { CreateWatch } from './create-watch.ts';
import { withDeliverables } from './deliverables.ts';
import { FaultPlan, NO_FAULTS } from './faults.ts';
import { FileEffects } from './file-effects.ts';
import { QUARANTINE_MS } from './schedule.ts';
import { type CrashPoint, placesOf, Session } from './session.ts';
import { simulatedClient } from './simulated-client.ts';
import { BASE_URL, SimulatedService } from './simulated-service.ts';
import { NO_RULES } from '../support/full-summary.ts';

export interface WholeResult {
  readonly violations: readonly string[];
  /** The effects of the first run. */
  readonly effects: readonly string[];
}

const ROWS = 3;
const RUNS = 4;
const SERVICE = {
  firstId: 100_000n,
  latenessMsMax: 1000,
  searchLagMsMax: 0,
  duplicateLagMs: 0,
  keylessAreDuplicates: false,
  searchItem: 'newer',
  absentInDetail: 'null',
  pageMax: 500,
  latencyMsMax: 50,
} as const;

type Place = ReturnType<typeof placesOf>[number];

/** Kills the whole run at each of its effects, or at those that are chosen, in turn, and lets it finish. */
export async function enumerateWholeRun(
  whens: readonly CrashPoint['when'][],
  chosen: (places: readonly Place[]) => readonly Place[] = (places) => places,
): Promise<CrashReport> {
  const { effects, violations } = await wholeRun(null);
  const failing: { at: string; violations: readonly string[] }[] =
    violations.length > 0 ? [{ at: 'nowhere', violations }] : [];
  const places = failing.length > 0 ? [] : chosen(placesOf(effects));
  for (const place of places) {
    for (const when of whens) {
      const killed = await wholeRun({ ...place, when });
      if (killed.violations.length > 0)
        failing.push({ at: `${when} ${place.of}, number ${place.at} of these`, violations: killed.violations });
    }
  }
  return { effects: effects.length, kills: places.length * whens.length, failing };
}

/**
 * The whole nightly run over a workspace on disk, from the file in the inbox to `Client Received`: killed once where `crash` says, and
 * started again until it has nothing left to do. Projects are returned as soon as they are ordered.
 */
export async function wholeRun(crash: CrashPoint | null): Promise<WholeResult> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'whole-run-'));
  const workspace = workspaceAt(folder.path);
  await ensureWorkspace(workspace);
  await writeFile(
    join(workspace.inbox, 'orders.csv'),
    orderCsv(ROWS)
      .split('\n')
      .map((line, index) => line.replace('555-0100', `555-010${index}`))
      .join('\n'),
  );
  const clock = createVirtualClock();
  await using ledger = openSqliteLedger(':memory:', { clock, account: 'simulation' });
  await using files = new FileEffects(folder.path);
  const world = new WholeWorld(workspace, clock, ledger, files);
  for (let run = 1; run <= RUNS; run += 1) await world.run(run, run === 1 ? crash : null);
  return await world.result();
}

/** Ledger verbs that say that something on disk is safe: all of it, or the file that the verb names. */
const RELIES_ON_DISK: ReadonlySet<string> = new Set(['markArchived', 'markCorrected', 'recordDelivery', 'recordFile']);
const RELIES_ON_FILE = 'recordArtifact';

class WholeWorld {
  readonly #violations = new Set<string>();
  readonly #workspace: Workspace;
  readonly #clock: VirtualClock;
  readonly #ledger: Ledger;
  readonly #files: FileEffects;
  readonly #service: SimulatedService;
  readonly #watch: CreateWatch;
  #firstEffects: readonly string[] = [];

  constructor(workspace: Workspace, clock: VirtualClock, ledger: Ledger, files: FileEffects) {
    this.#workspace = workspace;
    this.#clock = clock;
    this.#ledger = ledger;
    this.#files = files;
    this.#watch = new CreateWatch(clock, ledger, QUARANTINE_MS, () => false);
    this.#service = new SimulatedService(
      clock,
      'whole run',
      SERVICE,
      new FaultPlan('whole run', NO_FAULTS),
      this.#watch,
    );
  }

  async run(number: number, crash: CrashPoint | null): Promise<void> {
    await this.#clock.advance(QUARANTINE_MS + 1000);
    const session = new Session(crash);
    this.#files.belongTo(session);
    this.#watch.restarted();
    try {
      await this.#clock.drive(Promise.race([this.#live(session, `run-${number}`), session.died]));
    } catch (failure) {
      this.#violations.add(`threw: ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}`);
    }
    this.#expect(crash === null || session.isDead, 'it was to be killed at an effect that did not come');
    session.kill();
    await this.#files.settled();
    if (number === 1) this.#firstEffects = session.effects;
  }

  async result(): Promise<WholeResult> {
    const { store } = this.#service;
    const { root, inbox, processing, archive } = this.#workspace;
    const projects = store.all();
    this.#expect(projects.length === ROWS, `${projects.length} projects for ${ROWS} rows`);
    this.#expect(
      new Set(projects.map(({ request }) => request.streetAddress)).size === projects.length,
      'two projects are of one row',
    );
    for (const project of projects)
      this.#expect(
        store.statusOf(project) === 'Client Received',
        `project ${project.id} is ${store.statusOf(project)} in the end`,
      );
    this.#expect(
      readdirSync(inbox).length + readdirSync(processing).length === 0,
      'the file is still in the inbox, or in processing',
    );
    const archived = readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.csv'),
    );
    this.#expect(archived.length === 1, `${archived.length} files are archived`);
    this.#expect(
      (await this.#ledger.filesToArchive()).length === 0,
      'the file is archived, and not on record as archived',
    );
    const leftovers = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.partial') || name.startsWith('state/snapshots/'),
    );
    this.#expect(leftovers.length === 0, `left behind: ${leftovers.join(', ')}`);
    const onRecord = new Set<string>();
    for (const { id } of projects) {
      const artifacts = await this.#ledger.artifactsOf(id.toString());
      this.#expect(
        artifacts.map(({ kind }) => kind).join(' ') === 'image report summary',
        `project ${id} has ${artifacts.length} files on record`,
      );
      for (const { path, sha256 } of artifacts) {
        onRecord.add(path);
        this.#expect(
          existsSync(join(root, path)) && sha256Of(join(root, path)) === sha256,
          `${path} is on record, and not on disk as recorded`,
        );
      }
    }
    const stored = readdirSync(join(root, 'state', 'downloads'), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile(),
    );
    for (const { parentPath, name } of stored)
      this.#expect(onRecord.has(relative(root, join(parentPath, name))), `${name} is on disk and not on record`);
    // Killed between a delivery and its record, a run leaves one that the next run makes again.
    const folders = (await this.#ledger.deliveriesOnRecord()).map(({ folder }) => join(root, folder));
    const delivered = folders
      .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      .filter((name) => name.endsWith('.pdf'));
    for (const { id } of projects)
      this.#expect(
        delivered.filter((name) => name.includes(id.toString())).length === 1,
        `the report of project ${id} is not in one delivery on record: ${delivered.join(', ')}`,
      );
    for (const what of this.#watch.violations) this.#violations.add(`protocol: ${what}`);
    return { violations: [...this.#violations], effects: this.#firstEffects };
  }

  async #live(session: Session, run: string): Promise<void> {
    const clock = this.#clock;
    const signal = new AbortController().signal;
    const world = { clock, sleep: clock.sleep, random: () => 0.5, log: silentLog, signal };
    const service = withDeliverables(this.#service, this.#service.connect(session), (id) => this.#received(id));
    const client = simulatedClient(
      {
        exchange: (request) =>
          session.effect(`${request.method} ${request.url.pathname}`, () => service.exchange(request)),
        open: (request) => session.effect(`open ${request.url.pathname}`, () => service.open(request)),
        close() {},
      },
      BASE_URL,
      world,
    );
    const ledger = this.#relying(session.ledger(this.#ledger));
    const parts = { ...world, ledger, client, workspace: this.#workspace };
    const rules = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 } as const;
    await ledger.startRun(run, 'run');
    await ledger.recoverInterrupted();
    await finishInterrupted(parts);
    const hold = { maxWrongPercent: null, maxDuplicatePercent: null, maxTimesUsualRows: null };
    const taken = await takeInInbox({ ...parts, files: deskInThisProcess, rules, hold, headers: {}, settleMs: 0 });
    await submitOrders({
      ...parts,
      pacer: createPacer({ ...world, maxConcurrency: 1 }),
      rules,
      quarantineMs: QUARANTINE_MS,
      maxConcurrency: 1,
      actor: 'us',
      finishBy: null,
      onProgress: () => {},
    });
    for (const project of this.#service.store.all()) {
      if (this.#service.store.statusOf(project) === 'Project Created')
        this.#service.store.setStatus(project, 'Returned to Client', 'control');
    }
    const { root, state } = this.#workspace;
    const collecting: CollectContext = {
      ...parts,
      root,
      store: join(state, 'downloads'),
      images: 'all',
      retryNights: 5,
      maxConcurrency: 4,
      onProgress: () => {},
    };
    await mkdir(collecting.store, { recursive: true });
    await collectProjects(collecting);
    const fileReports = taken.files.map((file) => ({ file: file.name, outcome: file.outcome, ...file.rows }));
    await deliver(
      { ...parts, run, attention: NO_RULES, columns: null, thumbnails: { perProject: 0, inAll: 0 }, formats: ['xlsx'] },
      { orders: true, results: true, all: false, files: fileReports },
    );
    await acknowledgeDelivered(await ledger.deliveredProjects(), collecting);
    await ledger.finishRun(run, 0, {});
  }

  /** Before the ledger says that something is safe on disk, it is. */
  #relying(ledger: Ledger): Ledger {
    return new Proxy(ledger, {
      get: (target, name) => {
        const held: unknown = Reflect.get(target, name);
        if (typeof held !== 'function') return held;
        return (...values: unknown[]): unknown => {
          // Beside this file others are on their way, and not yet safe.
          const folder =
            name === RELIES_ON_FILE
              ? dirname(join(this.#workspace.root, (values[0] as ArtifactRecord).path))
              : this.#workspace.root;
          if (name === RELIES_ON_FILE || RELIES_ON_DISK.has(String(name)))
            for (const risk of this.#files.atRisk(folder))
              this.#violations.add(`power cut at ${String(name)}: ${risk}`);
          return (held as (...values: unknown[]) => unknown).apply(target, values);
        };
      },
    });
  }

  /** Promise 3: at this moment a published delivery holds the project's report, whole and on disk. */
  #received(id: string): void {
    const { deliveries } = this.#workspace;
    const published = readdirSync(deliveries, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('.') && name.endsWith('.pdf'),
    );
    const report = published.find((name) => readFileSync(join(deliveries, name)).length > 0 && name.includes(id));
    this.#expect(
      report !== undefined,
      `project ${id} was received before a delivery held its report (${published.join(', ')})`,
    );
    for (const risk of this.#files.atRisk()) this.#violations.add(`power cut at Client Received of ${id}: ${risk}`);
  }

  #expect(holds: boolean, otherwise: string): void {
    if (!holds) this.#violations.add(otherwise);
  }
}

function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
