import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { silentLog } from '../../../src/domain/ports.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { systemClock, systemRandom, systemSleep } from '../../../src/ops/system.ts';
import { createServiceClient } from '../../../src/service/client.ts';
import { type Ended, runToEnd, startCommand, type StartedCommand } from '../../support/command-line.ts';
import { attemptOf, newOrder, projectTie, recordOrders } from '../../support/order-factory.ts';
import { type ReportFault, type ReportService, startReportService } from '../../support/report-service.ts';
import { killOnce } from '../../support/sandbox-process.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

export interface SoakOptions {
  readonly reports: number;
  readonly bytes: number;
  readonly faultShare: number;
  readonly kills: number;
  /** 0 … 1, for the moments of the kills. */
  readonly random: () => number;
  readonly say?: (line: string) => void;
}

export interface SoakResult {
  readonly kills: number;
  /** How the runs ended that nobody killed, in order. */
  readonly exitCodes: readonly (number | null)[];
  /** Files under a final name that are not the service's, byte for byte; looked for after every kill and at the end. */
  readonly torn: readonly string[];
  /** Projects whose report is not on record in the end, or is another. */
  readonly missing: readonly string[];
  readonly bites: ReadonlyMap<ReportFault, number>;
  readonly requests: ReadonlyMap<string, number>;
  readonly authorizationAtStore: number;
  /** The most handles that a run had open; 0 where the system does not tell. */
  readonly handlesMax: number;
  /** The most memory that a run held, in MB: over its first and over its last third. */
  readonly peakMb: { readonly early: number; readonly late: number };
  /** What the last run printed. */
  readonly last: Ended;
}

/** Enough for every fault to heal: a file is tried three times in a run. */
const RUNS_MAX = 12;

/**
 * Collects so many reports from a service that gives some of them broken, by the built command, killed so many times on the way. The
 * workspace is given to `look` at the end.
 */
export async function collectSoak(
  options: SoakOptions,
  look: (workspace: TemporaryWorkspace, service: ReportService) => Promise<void> = async () => {},
): Promise<SoakResult> {
  const { reports, kills, random, say = () => {} } = options;
  await using service = await startReportService(options);
  await using workspace = await temporaryWorkspace({ env: envOf(service) });
  await recordProjects(workspace.path, service);
  const disk = new Disk(workspace.at('state/downloads'), service);
  const watch = new Watch();
  let killed = 0;
  while (killed < kills) {
    const moment = stored(service) + 1 + Math.floor(random() * ((2 * reports) / (kills + 1)));
    await using run = startCommand(['collect', '--workspace', workspace.path]);
    const watching = watch.follow(run);
    const died = await killOnce(() => stored(service) >= moment, run);
    await watching;
    if (!died) break;
    killed += 1;
    await disk.check();
    say(`kill ${killed}: ${disk.whole} whole files under a final name, ${disk.torn.length} torn`);
  }
  const exitCodes: (number | null)[] = [];
  let last = await runToEnd(['--version']);
  for (let run = 0; run < RUNS_MAX && exitCodes.at(-1) !== 0; run += 1) {
    await using started = startCommand(['collect', '--workspace', workspace.path, '--json']);
    const watching = watch.follow(started);
    last = await started.ended;
    await watching;
    exitCodes.push(last.code);
    await disk.check();
    say(`run ${run + 1} ended with ${String(last.code)}: ${disk.whole} whole files, ${disk.torn.length} torn`);
  }
  const missing = await missingReports(workspace.path, service);
  await look(workspace, service);
  const { bites, requests, authorizationAtStore } = service;
  return {
    kills: killed,
    exitCodes,
    torn: disk.torn,
    missing,
    bites,
    requests,
    authorizationAtStore,
    handlesMax: watch.handlesMax,
    peakMb: watch.peakMb,
    last,
  };
}

function stored({ requests }: ReportService): number {
  return requests.get('stored file') ?? 0;
}

function envOf({ baseUrl, credentials }: ReportService): string {
  const { clientId, clientSecret, username, password } = credentials;
  return Object.entries({
    BASE_URL: baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    USERNAME: username,
    PASSWORD: password,
  })
    .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
    .join('');
}

/** The ledger as a submission run would have left it: an order for each of the service's projects. */
async function recordProjects(workspace: string, service: ReportService): Promise<void> {
  await using ledger = await openLedger(workspace, service);
  await ledger.startRun('before', 'submit');
  const orders = service.projectIds.map((id) => newOrder({ inspectionNumber: id, policyNumber: `P-${id}` }));
  const ids = await recordOrders(ledger, orders);
  await Promise.all(ids.map((id) => ledger.beginAttempt(id, attemptOf())));
  await Promise.all(
    ids.map((id, index) =>
      ledger.moveOrder(id, 'submitting', {
        to: 'created',
        project: projectTie(service.projectIds[index] ?? ''),
        adopted: false,
      }),
    ),
  );
}

async function openLedger(workspace: string, { baseUrl, credentials }: ReportService): Promise<Ledger> {
  const { mkdir } = await import('node:fs/promises');
  await mkdir(join(workspace, 'state'), { recursive: true });
  const client = createServiceClient({
    baseUrl,
    ...credentials,
    clock: systemClock,
    sleep: systemSleep,
    random: systemRandom,
    log: silentLog,
  });
  client.close();
  return openSqliteLedger(join(workspace, 'state/ledger.sqlite'), { clock: systemClock, account: client.account });
}

async function missingReports(workspace: string, service: ReportService): Promise<readonly string[]> {
  await using ledger = await openLedger(workspace, service);
  const missing: string[] = [];
  for (const id of service.projectIds) {
    const report = (await ledger.artifactsOf(id)).find(({ kind }) => kind === 'report');
    const bytes = report === undefined ? null : await readFile(join(workspace, report.path)).catch(() => null);
    if (bytes === null || sha256(bytes) !== service.sha256Of(id)) missing.push(id);
  }
  return missing;
}

/** Looks at every file that has its final name, once each. */
class Disk {
  readonly torn: string[] = [];
  readonly #folder: string;
  readonly #service: ReportService;
  readonly #seen = new Set<string>();

  constructor(folder: string, service: ReportService) {
    this.#folder = folder;
    this.#service = service;
  }

  get whole(): number {
    return this.#seen.size - this.torn.length;
  }

  async check(): Promise<void> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const { name, parentPath } of entries.filter(
      (entry) => entry.isFile() && /^report-.*(?<!\.part)$/.test(entry.name),
    )) {
      const path = join(parentPath, name);
      if (this.#seen.has(path)) continue;
      this.#seen.add(path);
      if (sha256(await readFile(path)) !== this.#service.sha256Of(basename(dirname(path)))) this.torn.push(path);
    }
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What Linux tells of a process while it runs. */
class Watch {
  handlesMax = 0;
  readonly #megabytes: number[] = [];

  async follow(run: Pick<StartedCommand, 'pid' | 'isOver'>): Promise<void> {
    while (!run.isOver) {
      const handles = await readdir(`/proc/${run.pid}/fd`).catch(() => []);
      this.handlesMax = Math.max(this.handlesMax, handles.length);
      const status = await readFile(`/proc/${run.pid}/status`, 'utf8').catch(() => '');
      const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
      if (kilobytes !== undefined) this.#megabytes.push(Number(kilobytes) / 1024);
      await pause(20);
    }
  }

  get peakMb(): { readonly early: number; readonly late: number } {
    const third = Math.ceil(this.#megabytes.length / 3);
    return { early: Math.max(...this.#megabytes.slice(0, third)), late: Math.max(...this.#megabytes.slice(-third)) };
  }
}
