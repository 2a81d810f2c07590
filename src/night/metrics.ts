import { chmod, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { OpenMetricsContentType } from 'prom-client';
import type { Clock } from '../domain/ports.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, RunOnRecord } from '../ledger/ledger.ts';
import { writeDurably } from '../ops/durable-files.ts';
import type { Workspace } from '../ops/workspace.ts';
import { ledgerPlaceOf } from '../upkeep/ledger-place.ts';
import { isDone } from './exit-codes.ts';

type MetricsContext = Readonly<{
  ledger: Ledger;
  workspace: Workspace;
  clock: Clock;
}>;

const RUNS_READ = 500;
const UNRESOLVED_READ = 1000;

/** For node_exporter's user. */
const MODE = 0o644;

/** OpenMetrics, in one rename, without personal details (docs/deployment.md). Throws file system errors. */
export async function writeMetrics(path: string, context: MetricsContext) {
  const { Gauge, Registry } = await import('prom-client');
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  registry.setDefaultLabels({ workspace: basename(context.workspace.root) });
  for (const [metric, label, values] of await metricsOf(context)) {
    const name = `inspection_batch_${metric}`;
    const help = sentence(`metric/${metric}`);
    const gauge = new Gauge({ name, help, labelNames: label === null ? [] : [label], registers: [registry] });
    for (const [of, value] of values) gauge.set(label === null ? {} : { [label]: of }, value);
  }
  await writeDurably(path, await registry.metrics());
  await chmod(path, MODE);
}

type Values = readonly (readonly [string, number])[];
type Metric = readonly [name: string, label: 'command' | 'state' | 'host' | null, values: Values];

async function metricsOf({ ledger, workspace, clock }: MetricsContext) {
  const runs = (await ledger.lastRuns(RUNS_READ)).filter(
    ({ command, finishedAt }) => ['run', 'submit', 'collect'].includes(command) && finishedAt !== null,
  );
  const ofEach = (value: (run: RunOnRecord) => number, from = runs) => [
    ...new Map(from.toReversed().map((run) => [run.command, value(run)])),
  ];
  const seconds = (ms: number | null) => (ms ?? 0) / 1000;
  const unresolved = await ledger.ordersIn('unresolved', 0, UNRESOLVED_READ);
  const oldest = Math.min(clock.now(), ...unresolved.map(({ uncertainSince }) => uncertainSince ?? clock.now()));
  const wentBack = (await ledger.waitingRows()).reduce((sum, { rows }) => sum + rows, 0);
  const place = await ledgerPlaceOf(workspace, null);
  const hosts = await ledger.hosts();
  const ended = ofEach(({ finishedAt }) => seconds(finishedAt));
  const succeeded = ofEach(
    ({ finishedAt }) => seconds(finishedAt),
    runs.filter(({ exitCode }) => isDone(exitCode ?? 1)),
  );
  const lasted = ofEach(({ startedAt, finishedAt }) => seconds((finishedAt ?? startedAt) - startedAt));
  const ledgerBytes: Values = place.kind === 'sqlite' ? [['', (await stat(place.path)).size]] : [];
  const seen = [...new Map(hosts.map(({ host, seenAt }) => [host, seconds(seenAt)]))];
  const metrics: readonly Metric[] = [
    ['run_exit_code', 'command', ofEach(({ exitCode }) => exitCode ?? 1)],
    ['run_finished_timestamp_seconds', 'command', ended],
    ['run_duration_seconds', 'command', lasted],
    ['run_success_timestamp_seconds', 'command', succeeded],
    ['orders', 'state', Object.entries(await ledger.orderCounts())],
    ['projects', 'state', Object.entries(await ledger.projectCounts())],
    ['rows_rejected', null, [['', wentBack]]],
    ['oldest_unresolved_age_seconds', null, [['', seconds(clock.now() - oldest)]]],
    ['ledger_bytes', null, ledgerBytes],
    ['host_seen_timestamp_seconds', 'host', seen],
  ];
  return hosts.length === 0 ? metrics.slice(0, -1) : metrics;
}
