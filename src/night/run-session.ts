import { resolve } from 'node:path';
import { addDays } from 'date-fns/addDays';
import { addMinutes } from 'date-fns/addMinutes';
import { format } from 'date-fns/format';
import { parse as parseTime } from 'date-fns/parse';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { Clock, LogFields, LogLevel, RunContext } from '../domain/ports.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import { visible } from '../domain/text.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PaceKind } from '../ledger/settings.ts';
import { type Config, loadConfig } from '../ops/config.ts';
import {
  loadEnvironment,
  loadLedgerUrl,
  loadLogLevel,
  loadSftpTarget,
  type ServiceEnvironment,
  type SftpTarget,
} from '../ops/environment.ts';
import { openRunLog } from '../ops/log.ts';
import { newRunId, systemClock, systemRandom, systemSleep } from '../ops/system.ts';
import type { WorkQueue } from '../fleet/work-queue.ts';
import type { RunLock } from '../ops/run-lock.ts';
import { ensureWorkspace, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { removeOldLogs } from '../upkeep/prune.ts';
import { type GuardedLedger, openGuardedLedger } from '../upkeep/guarded-ledger.ts';
import { type Attention, loadAttention } from '../results/attention/rules.ts';
import { type ColumnChoice, loadColumnChoice } from '../results/column-choice.ts';
import { accountNamed, createServiceClient, type ServiceClient } from '../service/client.ts';
import { paceOfRead } from '../service/outcome.ts';
import { createPacer, pacedReads, type Pacer } from '../service/pacer.ts';
import { repeatRead, RetryBudget } from '../service/retry.ts';
import type { Teller } from '../notify/tell.ts';
import { finishInterrupted } from '../submit/finish-interrupted.ts';
import { EXIT, exitCodeOfFailure, explainedIn, noteStop, type StoppedBy } from './exit-codes.ts';
import { NIGHTLY, openWorkQueue, placeSettledSince, takePlace } from './place.ts';
import { openTeller, tellFailure } from './telling.ts';
import { progressBar } from './progress-bar.ts';

/** Everything a run works with; built only here. */
export interface RunSession extends RunContext, AsyncDisposable {
  readonly run: string;
  readonly startedAt: number;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly attention: Attention;
  readonly columns: ColumnChoice | null;
  readonly environment: ServiceEnvironment;
  readonly sftp: SftpTarget | null;
  readonly lock: RunLock;
  readonly ledger: Ledger;
  /** Its reads are paced. */
  readonly client: ServiceClient;
  readonly retryBudget: RetryBudget;
  readonly pace: RunPace;
  /** For a worker's pages, whose run ends at another time. */
  readonly openPace: (finishBy: number | null) => Promise<RunPace>;
  /** Paths in the ledger are relative to it. */
  readonly root: string;
  readonly maxConcurrency: number;
  readonly away: string | null;
  readonly teller: Teller | null;
  /** Absolute. */
  readonly metricsFile: string | null;
  /** Undefined with SQLite. */
  readonly fleet: WorkQueue | undefined;
}

interface SessionParts {
  readonly openLedger?: OpenLedger | undefined;
  readonly clock?: Clock | undefined;
  /** Whether people and monitoring are notified of the end (docs/notifications.md): for nightly runs only. */
  readonly tells?: boolean;
  /** A worker takes no lock and is no run of its own. */
  readonly role?: 'run' | 'worker';
  readonly stop?: StopSignal;
}

/**
 * Does a command's work as a run. Unless killed, records its end in the ledger and the log. Throws ExplainedError (2,
 * 5).
 */
export async function inRunSession<T>(
  workspaceDir: string,
  command: string,
  work: (session: RunSession, stop: StopSignal) => Promise<T>,
  parts: SessionParts = {},
): Promise<T> {
  using own = parts.stop === undefined ? listenForStop() : null;
  const stop = parts.stop ?? (own as StopSignal);
  await using session = await openRunSession(workspaceDir, command, stop.signal, parts);
  return await orFailed({ ...session, command }, () => work(session, stop));
}

type RunUnderWay = Pick<RunSession, 'run' | 'log' | 'lock' | 'teller' | 'clock' | 'workspace' | 'metricsFile'> & {
  readonly ledger: Ledger | null;
  readonly command: string;
};

export async function finishRun(
  { run, ledger, log, clock, workspace, metricsFile }: Omit<RunUnderWay, 'lock' | 'teller' | 'command'>,
  exitCode: number,
  summary: unknown,
  fields: LogFields = {},
): Promise<void> {
  await ledger?.finishRun(run, exitCode, summary);
  if (metricsFile !== null && ledger !== null) {
    const { writeMetrics } = await import('./metrics.ts');
    await writeMetrics(metricsFile, { ledger, workspace, clock }).catch((failure: unknown) =>
      log.warn('metrics were not written', { reason: messageOf(failure) }),
    );
  }
  log.info('run finished', { run, exitCode, ...fields });
}

/** Records the end of a failed run. A lost lock is the failure to report: another run has the files. */
async function orFailed<T>(session: RunUnderWay, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    let told = explainedIn(failure) ?? (await lossOf(session.lock)) ?? failure;
    session.log.error('run failed', {
      run: session.run,
      ...(told instanceof ExplainedError && { code: told.code }),
      reason:
        told instanceof Error && !(told instanceof ExplainedError) ? (told.stack ?? told.message) : messageOf(told),
    });
    // The first failure is still the one to report, but the ledger that went back needs a person.
    await finishRun(session, exitCodeOfFailure(told), null).catch((worse: unknown) => {
      if (explainedIn(worse)?.kind === 'usage') told = worse;
      session.log.info('run finished', {
        run: session.run,
        exitCode: exitCodeOfFailure(told),
        reason: messageOf(worse),
      });
    });
    await tellFailure(session, told, exitCodeOfFailure(told));
    throw told;
  }
}

async function lossOf(lock: RunLock): Promise<ExplainedError | null> {
  return lock.check('now').then(
    () => null,
    (loss: unknown) => (loss instanceof ExplainedError ? loss : null),
  );
}

/**
 * Opens a run: lock, log, configuration, credentials, ledger, recovery after an interrupted run, and one request that
 * tries the credentials before the inbox is touched. Throws ExplainedError (2, 5).
 */
async function openRunSession(
  workspaceDir: string,
  command: string,
  signal: AbortSignal,
  { openLedger = openGuardedLedger, clock = systemClock, tells = false, role = 'run' }: SessionParts,
): Promise<RunSession> {
  const workspace = workspaceAt(workspaceDir);
  await ensureWorkspace(workspace);
  await using opened = new AsyncDisposableStack();
  const run = newRunId(clock, systemRandom);
  const wanted = { command, run, role: role === 'run' && !NIGHTLY.has(command) ? ('command' as const) : role };
  let place = opened.use(await takePlace(workspace, wanted));
  const startedAt = clock.now();
  const log = opened.use(openRunLog(workspace.logs, run, clock));
  const teller = tells ? await openTeller(workspace, clock) : null;
  for (const secret of teller?.secrets ?? []) log.registerSecret(secret);
  teller?.began();
  const known = { run, command, log, lock: place.lock, clock, teller, workspace };
  const { config, environment, sftp, attention, level } = await orFailed(
    { ...known, metricsFile: null, ledger: null },
    () => loadSettings(workspace),
  );
  const metricsFile = tells ? inWorkspace(workspace, config.metrics.textfile) : null;
  const underWay = { ...known, metricsFile };
  for (const secret of [
    ...(await ledgerSecrets(workspace)),
    environment.clientSecret,
    environment.password,
    ...(sftp?.password === undefined ? [] : [sftp.password]),
  ])
    log.registerSecret(secret);
  log.setLevel(level);
  for (const warning of [...environment.warnings, ...(teller?.problems ?? [])])
    process.stderr.write(`${visible(warning)}\n`);
  const own = { clock, sleep: systemSleep, random: systemRandom, log, signal };
  const { maxConcurrency } = config.submit;
  const unpaced = createServiceClient({
    ...environment,
    ...own,
    maxConcurrency,
    maySend: () => place.host?.isSure ?? true,
  });
  opened.defer(() => unpaced.close());
  const { ledger } = opened.use(
    await orFailed({ ...underWay, ledger: null }, () =>
      openLedger(workspace, { clock, account: accountNamed(environment) }),
    ),
  );
  const settled = await placeSettledSince(place, workspace, wanted);
  if (settled !== null) place = opened.use(settled);
  const { lock, host } = place;
  if (role === 'run') await ledger.startRun(run, command);
  else ledger.workAs(run);
  return await orFailed({ ...underWay, lock, ledger }, async () => {
    const context = { ...own, clock: ledger.clock };
    const columns = await loadColumnChoice(
      inWorkspace(workspace, config.results.columns),
      await ledger.resultColumns(),
    );
    // A worker lives for many nights; each run's pages name that run's end.
    const finishBy =
      role === 'worker' || config.run.finishBy === null ? null : nextTime(config.run.finishBy, ledger.clock.now());
    const fleet =
      host === null
        ? undefined
        : opened.use(await openWorkQueue(host, { ...context, ledger, config, account: ledger.account, finishBy }));
    log.info('run started', { run, command });
    if (role === 'run') await goOnFrom({ ledger, workspace, clock, log, config, fleet });
    const away = await reasonForBeingAway(unpaced, context);
    const openPace = (until: number | null): Promise<RunPace> =>
      openRunPace({
        ...context,
        client: unpaced,
        ledger,
        maxConcurrency,
        finishBy: until,
        beforeSend: () => lock.check(),
      });
    const pace = opened.use(await openPace(finishBy));
    const { client, retryBudget } = pace;
    const resources = opened.move();
    const dispose = (): Promise<void> => resources.disposeAsync();
    return {
      ...context,
      fleet,
      signal: pace.signal,
      run,
      startedAt,
      workspace,
      root: workspace.root,
      config,
      attention,
      columns,
      environment,
      sftp,
      lock,
      ledger,
      client,
      retryBudget,
      maxConcurrency,
      pace,
      openPace,
      away,
      teller,
      metricsFile,
      [Symbol.asyncDispose]: dispose,
    };
  });
}

async function goOnFrom({
  ledger,
  workspace,
  clock,
  log,
  config,
  fleet,
}: Pick<RunSession, 'ledger' | 'workspace' | 'clock' | 'log' | 'config' | 'fleet'>): Promise<void> {
  const interrupted = await (fleet ?? ledger).recoverInterrupted();
  if (interrupted > 0) log.info('orders came into doubt', { interrupted });
  const [, before] = await ledger.lastRuns(2);
  if (before?.finishedAt === null) log.warn('the run before was killed', { killed: before.run });
  await removeOldLogs(config.retention.logsDays, { ledger, workspace, clock }).catch((failure: unknown) =>
    log.warn('old logs were not removed', { reason: messageOf(failure) }),
  );
  await finishInterrupted({ ledger, workspace, clock, log });
}

async function loadSettings(
  workspace: Workspace,
): Promise<Pick<RunSession, 'config' | 'attention' | 'environment' | 'sftp'> & { readonly level: LogLevel }> {
  const config = await loadConfig(workspace.root);
  return {
    config,
    level: await loadLogLevel(workspace.root, config, process.env),
    attention: await loadAttention(inWorkspace(workspace, config.results.attention)),
    environment: await loadEnvironment(workspace.root, config, process.env),
    sftp: await loadSftpTarget(workspace.root, config, process.env),
  };
}

async function ledgerSecrets({ root }: Workspace): Promise<readonly string[]> {
  const url = await loadLedgerUrl(root);
  return url === null ? [] : [url, decodeURIComponent(new URL(url).password)].filter((secret) => secret !== '');
}

function inWorkspace({ root }: Workspace, path: string | null): string | null {
  return path === null ? null : resolve(root, path);
}

export type OpenLedger = (
  workspace: Workspace,
  options: { readonly clock: Clock; readonly account: ServiceAccount },
) => Promise<GuardedLedger>;

const FIRST_ANSWER_MS_MAX = 60_000;

/** One small search. Refused credentials or a wrong address stop everything (exit code 2). */
async function reasonForBeingAway(client: ServiceClient, context: RunContext): Promise<string | null> {
  try {
    const outcome = await repeatRead(() => client.searchProjects({ limit: 1 }), {
      ...context,
      deadline: context.clock.now() + FIRST_ANSWER_MS_MAX,
    });
    switch (outcome.kind) {
      case 'ok':
        return null;
      case 'transient':
        // The pacer finds its limit.
        if (outcome.status === 429) return null;
        return `The service is away: ${outcome.reason}.`;
      case 'not-found':
      case 'refused':
        throw notTheService(404, outcome.message);
      case 'stop':
        throw notTheService(outcome.status, outcome.message);
    }
  } catch (failure) {
    if (failure instanceof ExplainedError && failure.kind === 'work-left') return failure.message;
    if (context.signal.aborted) return 'The run was asked to stop.';
    throw failure;
  }
}

function notTheService(status: number, message: string): ExplainedError {
  return new ExplainedError('search-refused', `The service answered a search with ${status}: ${message}`, {
    kind: 'usage',
    hint: 'Check INSPECTION_BASE_URL, and that this user may search projects. The inbox was not touched.',
  });
}

/** On SIGINT or SIGTERM nothing new begins, requests in flight finish, and the exit code shows it. */
export interface StopSignal extends Disposable {
  readonly signal: AbortSignal;
  readonly by: StoppedBy | null;
}

/** Listens until disposed. A second signal ends the process at once. */
export function listenForStop(): StopSignal {
  const controller = new AbortController();
  let by: StoppedBy | null = null;
  noteStop(null);
  const stop = (signal: NodeJS.Signals): void => {
    const stoppedBy = signal === 'SIGINT' ? signal : 'SIGTERM';
    if (by !== null) process.exit(EXIT[stoppedBy]);
    by = stoppedBy;
    noteStop(by);
    progressBar.say('Stopping: what is in flight is finished first. (Once more to stop at once.)');
    controller.abort(new Error('The run was asked to stop.'));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    get by() {
      return by;
    },
    [Symbol.dispose]() {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

/** Disposing saves the learned speed for the next run. */
export interface RunPace extends AsyncDisposable {
  /** Epoch ms after which nothing new is sent, or null. */
  readonly finishBy: number | null;
  /** Aborts when the run is stopped or its time is over; the reason is a sentence. */
  readonly signal: AbortSignal;
  readonly creates: Pacer;
  readonly client: ServiceClient;
  readonly retryBudget: RetryBudget;
}

interface PaceContext extends RunContext {
  /** Not paced yet. */
  readonly client: ServiceClient;
  readonly ledger: Ledger;
  readonly maxConcurrency: number;
  readonly finishBy: number | null;
  readonly beforeSend: () => Promise<void>;
}

export async function openRunPace(context: PaceContext): Promise<RunPace> {
  const { client, ledger, finishBy } = context;
  const ending = new AbortController();
  const closing = new AbortController();
  if (finishBy !== null) void endAt(finishBy, ending, closing.signal, context);
  const signal = AbortSignal.any([context.signal, ending.signal]);
  const outage = { since: null };
  const pacerOf = async (kind: PaceKind): Promise<Pacer> =>
    createPacer({
      ...context,
      signal,
      outage,
      hint: await ledger.paceHint(kind),
      probe: async () => paceOfRead(await client.searchProjects({ limit: 1 })),
    });
  const pacers = { create: await pacerOf('create'), read: await pacerOf('read') };
  return {
    finishBy,
    signal,
    creates: pacers.create,
    client: pacedReads(client, pacers.read, signal),
    retryBudget: new RetryBudget(),
    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const kind of ['create', 'read'] as const) {
        const { learnt } = pacers[kind];
        if (learnt !== null) await ledger.keepPaceHint(kind, learnt);
      }
    },
  };
}

/**
 * The next local `HH:MM`. A time in the hour that autumn repeats comes twice; a time in the hour that spring skips
 * comes as long after the change as it is past that hour.
 */
export function nextTime(time: string, now: number): number {
  const coming = [0, 1].flatMap((days) => onDay(time, addDays(now, days))).find((at) => at >= now);
  return coming ?? parseTime(time, 'HH:mm', addDays(now, 2)).getTime();
}

/** In autumn. */
const SET_BACK_MINUTES = [30, 60, 120] as const;

function onDay(time: string, day: Date): readonly number[] {
  const first = parseTime(time, 'HH:mm', day);
  const again = SET_BACK_MINUTES.map((minutes) => addMinutes(first, minutes)).filter(
    (later) => format(later, 'HH:mm') === time,
  );
  return [first, ...again].map((at) => at.getTime());
}

/** Follows the wall clock, even if it is set or the machine sleeps. */
async function endAt(
  finishBy: number,
  ending: AbortController,
  closed: AbortSignal,
  { clock, sleep }: RunContext,
): Promise<void> {
  try {
    for (let left = finishBy - clock.now(); left > 0; left = finishBy - clock.now())
      await sleep(Math.min(left, 60_000), closed);
  } catch {
    return;
  }
  ending.abort(new Error('The time given by run.finishBy is over; what was not reached waits for the next run.'));
}
