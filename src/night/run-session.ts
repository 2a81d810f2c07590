import { resolve } from 'node:path';
import { ExplainedError, isOfKind, messageOf, stackOf, workLeftError, usageErrorOf } from '../domain/errors.ts';
import type { Clock, LogFields, RunContext } from '../domain/ports.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import { escapeInvisible } from '../domain/text.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openRunLog } from '../ops/log.ts';
import type { RunLock } from '../ops/run-lock.ts';
import { SYSTEM, newRunId, systemClock } from '../ops/system.ts';
import { ensureWorkspace, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { removeOldLogs } from '../upkeep/prune.ts';
import { type GuardedLedger, openGuardedLedger } from '../upkeep/guarded-ledger.ts';
import { loadColumnChoice } from '../results/column-choice.ts';
import { accountNamed, createServiceClient, type ServiceClient } from '../service/client.ts';
import { repeatRead } from '../service/retry.ts';
import { finishInterrupted } from '../submit/finish-interrupted.ts';
import { exitCodeOfFailure, explainedIn } from './exit-codes.ts';
import { IsolatedFileWorker } from './isolated-file-worker.ts';
import { nextTime, openPacedClient, pacedService } from './paced-client.ts';
import { NIGHT_COMMANDS, openWorkQueue, leaseSettledWorkspace, leaseWorkspace } from './workspace-lease.ts';
import { progressBar } from './progress-bar.ts';
import { loadSettings } from './settings.ts';
import { listenForStop, type StopSignal } from './stop-signal.ts';
import { openNotifier, notifyFailure } from './notify-run.ts';

export type RunSession = Readonly<Awaited<ReturnType<typeof openSession>>>;

export type LedgerOpener = (
  workspace: Workspace,
  options: Readonly<{ clock: Clock; account: ServiceAccount }>,
) => Promise<GuardedLedger>;

type SessionParts = Readonly<{
  openLedger?: LedgerOpener | undefined;
  clock?: Clock | undefined;
  /** Notify people and monitoring of the end (docs/notifications.md). */
  notifies?: boolean;
  /** A worker takes no lock and is not a run itself. */
  role?: 'run' | 'worker';
  stop?: StopSignal;
}>;

/** Unless killed, records the run's end in the ledger and the log. Throws ExplainedError (2, 5). */
export async function inRunSession<T>(
  workspaceDir: string,
  command: string,
  work: (session: RunSession, stop: StopSignal) => Promise<T>,
  parts: SessionParts = {},
) {
  using own = parts.stop === undefined ? listenForStop() : null;
  const stop = (parts.stop ?? own) as StopSignal;
  const workspace = workspaceAt(workspaceDir);
  await ensureWorkspace(workspace);
  await using opened = new AsyncDisposableStack();
  const began = await begin(workspace, command, parts, opened);
  return await recordingFailure(began, async () => work(await openSession(began, stop.signal, parts, opened), stop));
}

type RunUnderWay = Awaited<ReturnType<typeof begin>>;

export async function finishRun(
  session: Pick<RunUnderWay, 'run' | 'ledger' | 'clock' | 'workspace' | 'metricsFile'> & Pick<RunContext, 'log'>,
  exitCode: number,
  summary: unknown,
  fields: LogFields = {},
) {
  const { run, ledger, log, clock, workspace, metricsFile } = session;
  await ledger?.finishRun(run, exitCode, summary);
  if (metricsFile !== null && ledger !== null) {
    const { writeMetrics } = await import('./metrics.ts');
    await writeMetrics(metricsFile, { ledger, workspace, clock }).catch((failure: unknown) =>
      log.warn('metrics were not written', { reason: messageOf(failure) }),
    );
  }
  log.info('run finished', { run, exitCode, ...fields });
}

/** A lost lock is the reason given, whatever failed because of it. */
async function recordingFailure<T>(began: RunUnderWay, work: () => Promise<T>) {
  const { run, log } = began;
  try {
    return await work();
  } catch (failure) {
    let cause = explainedIn(failure) ?? (await lossOf(began.lock)) ?? failure;
    const explained = cause instanceof ExplainedError ? { code: cause.code, reason: cause.message } : null;
    log.error('run failed', { run, reason: stackOf(cause), ...explained });
    // The first failure is reported, unless the ledger went back, which needs a person.
    await finishRun(began, exitCodeOfFailure(cause), null).catch((worse: unknown) => {
      if (explainedIn(worse)?.kind === 'usage') cause = worse;
      log.info('run finished', { run, exitCode: exitCodeOfFailure(cause), reason: messageOf(worse) });
    });
    await notifyFailure(began, cause, exitCodeOfFailure(cause));
    throw cause;
  }
}

async function lossOf(lock: RunLock) {
  return lock.check('now').then(
    () => null,
    (loss: unknown) => (loss instanceof ExplainedError ? loss : null),
  );
}

async function begin(
  workspace: Workspace,
  command: string,
  { clock = systemClock, notifies = false, role = 'run' }: SessionParts,
  opened: AsyncDisposableStack,
) {
  const run = newRunId(clock);
  const place = opened.use(await leaseWorkspace(workspace, { command, run, role: roleOf(command, role) }));
  const startedAt = clock.now();
  const log = opened.use(openRunLog(workspace.logs, run, clock));
  const notifier = notifies ? await openNotifier(workspace, clock) : null;
  for (const secret of notifier?.secrets ?? []) log.registerSecret(secret);
  notifier?.began();
  const { lock } = place;
  const later = { metricsFile: null as string | null, ledger: null as Ledger | null };
  return { run, command, startedAt, workspace, clock, log, notifier, place, lock, ...later };
}

function roleOf(command: string, role: 'run' | 'worker') {
  return role === 'run' && !NIGHT_COMMANDS.has(command) ? 'command' : role;
}

/** Tries the credentials before the inbox is touched. */
async function openSession(
  began: RunUnderWay,
  signal: AbortSignal,
  { openLedger = openGuardedLedger, role = 'run', notifies = false }: SessionParts,
  opened: AsyncDisposableStack,
) {
  const { run, command, startedAt, workspace, log, notifier } = began;
  const { environment, level, secrets, ...settings } = await loadSettings(workspace);
  const { config } = settings;
  for (const secret of secrets) log.registerSecret(secret);
  log.setLevel(level);
  for (const warning of [...environment.warnings, ...(notifier?.problems ?? [])])
    process.stderr.write(`${escapeInvisible(warning)}\n`);
  if (notifies && config.metrics.textfile !== null)
    began.metricsFile = resolve(workspace.root, config.metrics.textfile);
  const unpaced = createServiceClient({
    ...environment,
    ...systemWorld(began, signal),
    maxConcurrency: settings.maxConcurrency,
    maySend: () => began.place.host?.isSure ?? true,
  });
  opened.defer(() => unpaced.close());
  const { ledger } = opened.use(
    await openLedger(workspace, { clock: began.clock, account: accountNamed(environment) }),
  );
  const settled = await leaseSettledWorkspace(began.place, workspace, { command, run, role: roleOf(command, role) });
  if (settled !== null) began.place = opened.use(settled);
  const { lock, host } = began.place;
  if (role === 'run') await ledger.startRun(run, command);
  else ledger.workAs(run);
  Object.assign(began, { lock, ledger });
  const world = { ...systemWorld({ ...began, clock: ledger.clock }, signal), onProgress: progressBar.update };
  const columns = await loadColumnChoice(settings.columnsFile, await ledger.resultColumns());
  // A worker serves many runs, each with its own end.
  const finishBy =
    role === 'worker' || config.run.finishBy === null ? null : nextTime(config.run.finishBy, world.clock.now());
  const queue = { ...world, ledger, config, account: ledger.account, finishBy };
  const fleet = host === null ? undefined : opened.use(await openWorkQueue(host, queue));
  log.info('run started', { run, command });
  const files = new IsolatedFileWorker(signal, log, progressBar.update);
  const store = resolve(workspace.state, 'downloads', ledger.account);
  const records = { ledger, workspace, root: workspace.root, store, files, lock, fleet };
  if (role === 'run') await goOnFrom({ ...world, ...records, config });
  const away = await reasonForBeingAway(unpaced, world);
  /** A worker's pages belong to runs with other end times. */
  const openPace = (until: number | null) =>
    openPacedClient({
      ...world,
      client: unpaced,
      ledger,
      maxConcurrency: settings.maxConcurrency,
      finishBy: until,
      beforeSend: () => lock.check(),
    });
  const pace = opened.use(await openPace(finishBy));
  return {
    ...world,
    ...records,
    ...settings,
    ...pacedService(pace),
    columns,
    openPace,
    away,
    run,
    command,
    startedAt,
    notifier,
    metricsFile: began.metricsFile,
  };
}

function systemWorld({ clock, log }: Pick<RunContext, 'clock' | 'log'>, signal: AbortSignal) {
  return { ...SYSTEM, clock, log, signal };
}

async function goOnFrom(session: Pick<RunSession, 'ledger' | 'workspace' | 'clock' | 'log' | 'config' | 'fleet'>) {
  const { ledger, log, config, fleet } = session;
  const interrupted = await (fleet ?? ledger).recoverInterrupted();
  if (interrupted > 0) log.info('orders came into doubt', { interrupted });
  const [, before] = await ledger.lastRuns(2);
  if (before?.finishedAt === null) log.warn('the run before was killed', { killed: before.run });
  await removeOldLogs(config.retention.logsDays, session).catch((failure: unknown) =>
    log.warn('old logs were not removed', { reason: messageOf(failure) }),
  );
  await finishInterrupted(session);
}

const FIRST_ANSWER_MS_MAX = 60_000;

/** Refused credentials or a wrong address stop everything (exit code 2). */
async function reasonForBeingAway(client: ServiceClient, context: RunContext) {
  try {
    const outcome = await repeatRead(() => client.searchProjects({ limit: 1 }), {
      ...context,
      deadline: context.clock.now() + FIRST_ANSWER_MS_MAX,
    });
    switch (outcome.kind) {
      case 'ok':
        return null;
      case 'transient':
        return outcome.status === 429 ? null : `The service is unavailable: ${outcome.reason}.`;
      case 'not-found':
      case 'refused':
        throw notTheService(404, outcome.message);
      case 'stop':
        throw notTheService(outcome.status, outcome.message);
    }
  } catch (failure) {
    if (isOfKind(failure, 'work-left')) return failure.message;
    if (context.signal.aborted) return 'The run was asked to stop.';
    throw failure;
  }
}

function notTheService(status: number, message: string) {
  return usageErrorOf('search-refused', { status, message });
}

/** Throws ExplainedError (4). */
export function requireService({ away }: RunSession, nothing: string) {
  if (away !== null) throw workLeftError('service-unavailable', `${away} ${nothing}`, 'Run the command again later.');
}
