import { basename, dirname, join, resolve } from 'node:path';
import { access } from 'node:fs/promises';
import { isBefore } from 'date-fns/isBefore';
import { parse as parseTime } from 'date-fns/parse';
import { acknowledgeDelivered } from '../collect/acknowledge.ts';
import { collectProjects, type CollectReport } from '../collect/collect-run.ts';
import type { CollectParts } from '../collect/parts.ts';
import { deliver, type Delivery } from '../deliver/deliver.ts';
import { ExplainedError } from '../domain/errors.ts';
import type { DroppedFile } from '../intake/inbox.ts';
import { createProgress } from '../ops/progress.ts';
import { systemClock, systemRandom, systemSleep } from '../ops/system-clock.ts';
import { createPacer } from '../service/pacer.ts';
import { writeAllPendingCorrections } from '../submit/corrections.ts';
import type { OrderingRules } from '../submit/row-decision.ts';
import { submitOrders, type SubmitReport } from '../submit/submit-run.ts';
import { type FileReport, type TakenIn, takeInInbox, takeInNamed } from '../submit/take-in.ts';
import { type CommandResult, exitCodeOf } from './result.ts';
import { openRunSession, type RunSession } from './run-session.ts';
import { describeRun, type RunSummary } from './run-summary.ts';
import { listenForStop, type StopSignal } from './stop-signal.ts';

export interface RunOptions {
  readonly workspace: string;
  /** `submit` with files named; otherwise the inbox. */
  readonly files?: readonly string[];
  /** `collect --all`: the workbook over every project on record. */
  readonly all?: boolean;
}

interface Outcome {
  readonly taken: TakenIn;
  readonly submitted: SubmitReport | null;
  readonly collected: CollectReport | null;
  readonly delivery: Delivery | null;
}

/** `submit`, `collect` and `run`: one session, one summary. */
export async function runCommand(command: RunSummary['command'], options: RunOptions): Promise<CommandResult & { readonly json: RunSummary }> {
  using stop = listenForStop();
  const named = await namedFiles(options.files ?? []);
  await using session = await openRunSession(options.workspace, command, stop.signal);
  const taken = command === 'collect' ? { files: [], repeats: 0 } : await takeIn(named, session, stop);
  const submitted = command === 'collect' ? null : await submit(session, stop);
  const collected = command === 'submit' ? null : await collect(session, stop);
  const handedOver = await deliver(
    { ...session, clock: systemClock },
    {
      orders: submitted !== null,
      results: collected !== null,
      all: options.all === true,
      files: taken.files.map((file) => ({ file: file.name, outcome: file.outcome, ...file.rows })),
    },
  );
  if (collected !== null && handedOver !== null && session.config.collect.markReceived && session.away === null) {
    await acknowledgeDelivered(new Set(handedOver.projectIds), collectParts(session, stop, () => {}));
  }
  return await finish(command, session, { taken, submitted, collected, delivery: handedOver?.delivery ?? null }, stop);
}

/** Files named on the command line must exist before anything begins. */
async function namedFiles(paths: readonly string[]): Promise<readonly DroppedFile[]> {
  const missing: string[] = [];
  for (const path of paths) await access(path).catch(() => missing.push(path));
  if (missing.length > 0) throw new ExplainedError(`There is no such file: ${missing.join(', ')}`, { exitCode: 2 });
  return paths.map((path) => ({ path: resolve(path), name: basename(path) }));
}

async function takeIn(named: readonly DroppedFile[], session: RunSession, stop: StopSignal): Promise<TakenIn> {
  const { config, workspace, ledger, log } = session;
  const parts = {
    ledger,
    workspace,
    log,
    clock: systemClock,
    sleep: systemSleep,
    signal: stop.signal,
    rules: orderingRules(session),
    headers: Object.fromEntries(config.intake.headers),
    settleMs: config.intake.settleSeconds * 1000,
  };
  if (named.length === 0) return takeInInbox(parts);
  const outside = named.filter((file) => dirname(file.path) !== workspace.inbox);
  const inside = named.filter((file) => dirname(file.path) === workspace.inbox);
  const fromOutside = await takeInNamed(outside, parts);
  if (inside.length === 0) return fromOutside;
  const fromInbox = await takeInInbox({ ...parts, only: new Set(inside.map((file) => file.name)) });
  return { files: [...fromOutside.files, ...fromInbox.files], repeats: fromOutside.repeats + fromInbox.repeats };
}

function orderingRules({ config }: RunSession): OrderingRules {
  return { onDuplicate: config.submit.onDuplicate, whenNoKey: config.submit.whenNoKey };
}

async function submit(session: RunSession, stop: StopSignal): Promise<SubmitReport> {
  const { ledger, client, log, config, environment } = session;
  if (session.away !== null) return { created: 0, linked: 0, skipped: 0, refused: 0, stopped: session.away };
  const finishBy = finishByToday(config.run.finishBy);
  // Whoever waits for the service to take more is woken when the time is over.
  const signal = finishBy === null ? stop.signal : AbortSignal.any([stop.signal, AbortSignal.timeout(finishBy - systemClock.now())]);
  const world = { clock: systemClock, sleep: systemSleep, random: systemRandom, log, signal };
  const progress = createProgress(process.stderr, 'Ordering');
  try {
    return await submitOrders({
      ...world,
      ledger,
      client,
      pacer: createPacer({ ...world, maxConcurrency: config.submit.maxConcurrency }),
      rules: orderingRules(session),
      quarantineMs: config.submit.quarantineSeconds * 1000,
      maxConcurrency: config.submit.maxConcurrency,
      actor: environment.username,
      finishBy,
      onProgress: (done, total) => progress.update(done, total),
    });
  } finally {
    progress.done();
    await writeAllPendingCorrections(session);
  }
}

/** `HH:MM` as the next such time from now. */
function finishByToday(time: string | null): number | null {
  if (time === null) return null;
  const now = systemClock.now();
  const today = parseTime(time, 'HH:mm', now);
  return isBefore(today, now) ? today.getTime() + 24 * 60 * 60 * 1000 : today.getTime();
}

async function collect(session: RunSession, stop: StopSignal): Promise<CollectReport> {
  if (session.away !== null) return { changedStatuses: 0, collected: 0, stopped: session.away };
  const progress = createProgress(process.stderr, 'Collecting');
  try {
    return await collectProjects(collectParts(session, stop, (done, total) => progress.update(done, total)));
  } finally {
    progress.done();
  }
}

function collectParts(session: RunSession, stop: StopSignal, onProgress: CollectParts['onProgress']): CollectParts {
  const { ledger, client, log, workspace, config } = session;
  return {
    ledger,
    client,
    log,
    onProgress,
    clock: systemClock,
    sleep: systemSleep,
    random: systemRandom,
    signal: stop.signal,
    root: workspace.root,
    store: join(workspace.state, 'downloads', client.account),
    images: config.collect.images,
    maxConcurrency: config.submit.maxConcurrency,
  };
}

async function finish(command: RunSummary['command'], session: RunSession, outcome: Outcome, stop: StopSignal): Promise<CommandResult & { readonly json: RunSummary }> {
  const { ledger, run, log } = session;
  const counts = await ledger.orderCounts();
  const projects = await ledger.projectCounts();
  const { submitted, collected, delivery } = outcome;
  const { files, repeats } = outcome.taken;
  const stopped = [...new Set([submitted?.stopped ?? null, collected?.stopped ?? null])].filter((reason) => reason !== null);
  const exitCode =
    stop.exitCode ??
    exitCodeOf({
      workLeft: stopped.length > 0 || leavesWork(command, counts, files) || (collected !== null && projects.returned > 0),
      rowsForPeople: (submitted?.refused ?? 0) > 0 || counts.held > 0 || files.some((file) => file.rows.rejected > 0 || file.outcome === 'unreadable'),
    });
  const summary: RunSummary = {
    run,
    command,
    startedAt: new Date(session.startedAt).toISOString(),
    finishedAt: new Date(systemClock.now()).toISOString(),
    exitCode,
    files,
    orders: {
      created: submitted?.created ?? 0,
      linked: submitted?.linked ?? 0,
      skipped: (submitted?.skipped ?? 0) + repeats,
      refused: submitted?.refused ?? 0,
      unresolved: counts.unresolved,
      waiting: counts.ready + counts.held,
    },
    projects,
    delivery,
  };
  await ledger.finishRun(run, exitCode, summary);
  log.info('run finished', { run, exitCode, ...summary.orders, ...summary.projects });
  return { exitCode, json: summary, text: describeRun(summary, stopped) };
}

function leavesWork(command: RunSummary['command'], counts: { readonly ready: number; readonly unresolved: number }, files: readonly FileReport[]): boolean {
  if (command === 'collect') return false;
  return counts.ready + counts.unresolved > 0 || files.some((file) => file.outcome === 'settling');
}
