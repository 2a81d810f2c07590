import type { Host, HostRole } from '../fleet/hosts.ts';
import type { WorkQueueOptions } from '../fleet/work-queue.ts';
import { usageErrorOf, workLeftErrorOf } from '../domain/errors.ts';
import type { Config } from '../ops/config.ts';
import { loadLedgerUrl } from '../ops/environment.ts';
import { readLedgerMark } from '../ops/ledger-mark.ts';
import { acquireRunLock } from '../ops/run-lock.ts';
import { newRunId, systemClock, systemSleep } from '../ops/system.ts';
import type { Workspace } from '../ops/workspace.ts';
import { ledgerPlaceOf } from '../upkeep/ledger-place.ts';

// The only host with SQLite, one of several with PostgreSQL.

type WorkspaceLease = Awaited<ReturnType<typeof leaseWorkspace>>;

export const NIGHT_COMMANDS: ReadonlySet<string> = new Set(['run', 'submit', 'collect']);

type PlaceOptions = Readonly<{
  command: string;
  run: string;
  role: HostRole;
}>;

/**
 * Throws ExplainedError: `locked` if another run has the workspace, `usage` for a worker without anything to share,
 * `work-left` if the database is away.
 */
export async function leaseWorkspace(workspace: Workspace, { command, run, role }: PlaceOptions) {
  const target = await targetOf(workspace);
  if (target === null) {
    if (role === 'worker' || role === 'standby') throw await noFleet(workspace, role);
    const lock = await acquireRunLock(workspace.state, { clock: systemClock, command });
    return { lock, host: null, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
  }
  const { Host } = await import('../fleet/hosts.ts');
  await using opened = new AsyncDisposableStack();
  const host = opened.use(await Host.open({ target, run, role, command, clock: systemClock, sleep: systemSleep }));
  // A worker's lock only shows that the worker is alive.
  const lock = role === 'run' || role === 'command' ? opened.use(await host.takeNight()) : host.ownLife();
  const resources = opened.move();
  return { lock, host, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Opening the ledger has just settled the schema. Throws as `leaseWorkspace`. */
export async function leaseSettledWorkspace({ host }: WorkspaceLease, workspace: Workspace, options: PlaceOptions) {
  return host === null && (await targetOf(workspace)) !== null ? leaseWorkspace(workspace, options) : null;
}

export async function lockWorkspace(workspace: Workspace, command: string) {
  return leaseWorkspace(workspace, { command, run: newRunId(systemClock), role: 'command' });
}

interface QueueContext extends Pick<WorkQueueOptions, 'sleep' | 'log' | 'signal' | 'ledger' | 'account' | 'finishBy'> {
  readonly config: Config;
}

export async function openWorkQueue(host: Host, { config, ...context }: QueueContext) {
  const { WorkQueue: Queue } = await import('../fleet/work-queue.ts');
  return Queue.open({ ...context, host, target: host.target, atOnceOfAll: config.submit.maxConcurrencyOfAllHosts });
}

async function targetOf(workspace: Workspace) {
  const url = await loadLedgerUrl(workspace.root);
  const found = await readLedgerMark(workspace);
  const mark = found === 'damaged' ? null : found;
  if (url === null || (mark === null && !new URL(url).searchParams.has('schema'))) return null;
  const place = await ledgerPlaceOf(workspace, mark);
  return place.kind === 'postgres' ? place.target : null;
}

async function noFleet(workspace: Workspace, role: HostRole) {
  if ((await loadLedgerUrl(workspace.root)) !== null) return workLeftErrorOf('nothing-on-record/hosts');
  const what =
    role === 'worker'
      ? '`inspection-batch worker` shares the work of several hosts'
      : '`run --standby` continues the run of a dead host';
  return usageErrorOf('ledger-in-a-file', { what });
}
