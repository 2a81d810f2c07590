import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Driver } from '../../src/ledger/store.ts';
import { runFleet } from './fleet.ts';
import type { Counts } from './oracle.ts';
import { runSchedule } from './run-schedule.ts';
import { scheduleOf } from './schedule.ts';

/** A schedule that ended otherwise than promised. */
export interface Failing {
  readonly seed: string;
  readonly violations: readonly string[];
}

export interface CampaignReport {
  readonly schedules: number;
  readonly failing: readonly Failing[];
  /** What happened over all schedules, by name: what was created, which faults have bitten. */
  readonly counts: Readonly<Record<string, number>>;
  /** Of all threads together. */
  readonly processorSeconds: number;
}

/** Seeds `from`, `from` + `step`, … below `end`. */
export interface Share {
  readonly from: number;
  readonly end: number;
  readonly step: number;
  /** End with the first schedule that fails. */
  readonly untilFailing: boolean;
  /** Several hosts share each schedule. */
  readonly fleet: boolean;
  /** The PostgreSQL server that holds the ledgers; null for SQLite in memory. */
  readonly postgres?: string | null;
}

/** Runs a share of the seeds in this thread. */
export async function runShare({
  from,
  end,
  step,
  untilFailing,
  fleet,
  postgres = null,
}: Share): Promise<CampaignReport> {
  const database = postgres === null ? null : await openDatabase(postgres, `simulation_${from}`);
  const before = process.threadCpuUsage();
  const counts: Counts = new Map();
  const failing: Failing[] = [];
  let schedules = 0;
  for (let seed = from; seed < end; seed += step) {
    const result = await (fleet ? runFleet(String(seed)) : runSchedule(scheduleOf(String(seed)), { database }));
    schedules += 1;
    for (const [name, count] of result.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    if (result.violations.length === 0) continue;
    failing.push({ seed: String(seed), violations: result.violations });
    if (untilFailing) break;
  }
  await database?.close();
  const { user, system } = process.threadCpuUsage(before);
  return { schedules, failing, counts: Object.fromEntries(counts), processorSeconds: (user + system) / 1e6 };
}

async function openDatabase(url: string, schema: string): Promise<Driver> {
  const { PostgresDriver } = await import('../../src/ledger/postgres-driver.ts');
  return PostgresDriver.open({ url, schema });
}

/** Runs the seeds `from` … `from + count - 1` on so many threads; by default one for each processor. */
export async function runCampaign(
  from: number,
  count: number,
  { threads = availableParallelism(), untilFailing = false, fleet = false, postgres = null as string | null } = {},
): Promise<CampaignReport> {
  const shares = Array.from({ length: threads }, (_, index): Share => ({
    from: from + index,
    end: from + count,
    step: threads,
    untilFailing,
    fleet,
    postgres,
  }));
  // One more thread would read all sources again.
  return added(await Promise.all(shares.map(threads === 1 ? runShare : runInThread)));
}

async function runInThread(share: Share): Promise<CampaignReport> {
  const worker = new Worker(new URL('./campaign-worker.ts', import.meta.url), { workerData: share });
  const [report] = (await once(worker, 'message')) as [CampaignReport];
  await worker.terminate();
  return report;
}

/** Several reports as one. */
export function added(reports: readonly CampaignReport[]): CampaignReport {
  const counts: Record<string, number> = {};
  for (const report of reports)
    for (const [name, count] of Object.entries(report.counts)) counts[name] = (counts[name] ?? 0) + count;
  return {
    schedules: reports.reduce((sum, { schedules }) => sum + schedules, 0),
    failing: reports.flatMap(({ failing }) => failing).toSorted((a, b) => Number(a.seed) - Number(b.seed)),
    counts: Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    processorSeconds: reports.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0),
  };
}
