import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  acknowledgeDelivered,
  addReports,
  collectProjects,
  fetchLostFiles,
  emptyReport,
} from '../collect/collect-run.ts';
import { clearSftp, takeInFromSftp } from '../collect/sftp/sftp-run.ts';
import { deliver } from '../results/deliver/deliver.ts';
import { writeReceipts } from '../results/deliver/receipts.ts';
import { stackOf, usageErrorOf } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, OrderCounts } from '../ledger/ledger.ts';
import { orderBatches } from '../ledger/orders.ts';
import { checkBeforeSending } from '../upkeep/recover-run.ts';
import { ServiceUnavailable } from '../service/reads.ts';
import { writeAllPendingCorrections } from '../submit/corrections.ts';
import { filesToApprove } from '../submit/ask-layout.ts';
import { type DecisionsReport, takeInDecisions } from '../submit/decisions.ts';
import { submitOrders } from '../submit/submit-run.ts';
import { takeInInbox, takeInNamed, type TakeInContext, type TakeInReport } from '../submit/take-in.ts';
import { settleOpenUpdates } from '../update/update-run.ts';
import { exitCodeOfRun, isDone } from './exit-codes.ts';
import { IsolatedFileWorker } from './isolated-file-worker.ts';
import { changedEntries, describeChanges, describeNews, pendingNews } from './news.ts';
import { progressBar } from './progress-bar.ts';
import { finishRun, inRunSession, type LedgerOpener, type RunSession } from './run-session.ts';
import type { StopSignal } from './stop-signal.ts';
import { endOfRun, type RunSummary, notifyEnd } from './notify-run.ts';

export type { RunSummary } from './notify-run.ts';

export type RunOptions = Readonly<{
  workspace: string;
  files?: readonly string[];
  all?: boolean;
  /** The workbook has every project that changed since. */
  since?: number | undefined;
  clock?: Clock;
  notifies?: boolean;
  openLedger?: LedgerOpener;
  notice?: string;
  /** What was not printed is reported again by the next run. */
  print?: (ended: EndedRun) => Promise<void>;
}>;

export type EndedRun = Readonly<Awaited<ReturnType<typeof finish>>>;

export const NO_DELIVERY_YET = sentence('run/first-host');

export async function run(command: RunSummary['command'], options: RunOptions) {
  const named = await namedFiles(options.files ?? []);
  return inRunSession(
    options.workspace,
    command,
    async (session, stop) => {
      const steps = await takeSteps(session, stop, command, named, options).finally(() => progressBar.end());
      return await finish(command, session, steps, stop, options.print);
    },
    { clock: options.clock, notifies: options.notifies !== false, openLedger: options.openLedger },
  );
}

async function takeSteps(
  session: RunSession,
  stop: StopSignal,
  command: RunSummary['command'],
  named: readonly string[],
  { all = false, since, notice }: RunOptions,
) {
  const { away, ledger, lock } = session;
  const submits = command !== 'collect';
  const collects = command !== 'submit';
  // Intake does not use the service, so `finishBy` does not stop it.
  const intake = { ...session, signal: stop.signal };
  const updates = away === null ? await settleOpenUpdates(session) : [];
  const taken = submits ? await takeIn(named, intake) : NOTHING_TAKEN;
  const faults: unknown[] = [];
  const submitted = submits ? await submit(session, faults) : null;
  let collected = collects ? await collect(session, all ? 0 : since) : null;
  const sftp = collects && session.sftp !== null ? await takeInFromSftp(session.sftp, session) : null;
  const decided = collects ? await takeInDecisions(intake) : NOTHING_DECIDED;
  await lock.check();
  const fetchAgain = async (projectIds: ReadonlySet<string>) => {
    collected = addReports(collected, await fetchLostFiles(projectIds, session));
  };
  const notDelivered = (await session.fleet?.othersDone()) === false ? NO_DELIVERY_YET : null;
  const files = taken.files.map((file) => ({ file: file.name, outcome: file.outcome, ...file.rows }));
  const delivered =
    notDelivered === null
      ? await deliver(
          { ...session, fetchAgain: away === null ? fetchAgain : undefined },
          { orders: submits, results: collects, all, since, files, notice },
        )
      : null;
  // Includes deliveries that a killed run did not acknowledge.
  if (collects && session.config.collect.markReceived && away === null)
    await acknowledgeDelivered(await ledger.deliveredProjects(), session);
  if (notDelivered === null && !stop.signal.aborted) await writeReceipts(session);
  return {
    updates,
    taken: { ...taken, faults: [...taken.faults, ...faults, ...decided.faults] },
    submitted,
    collected,
    sftp,
    decided,
    delivery: delivered?.delivery ?? null,
    night: delivered?.night ?? null,
    notDelivered,
    notCleared: sftp === null || session.sftp === null ? null : await clearSftp(sftp, session.sftp, session),
  };
}

async function namedFiles(paths: readonly string[]) {
  const missing: string[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => missing.push(path));
    if (typeof found === 'object' && found.isDirectory()) throw usageErrorOf('not-a-file/named-folder', { path });
  }
  if (missing.length > 0) throw usageErrorOf('file-not-found/named', { missing: missing.join(', ') });
  return paths.map((path) => resolve(path));
}

const NOTHING_TAKEN: TakeInReport = { files: [], repeats: 0, notes: [], faults: [], inboxAway: null };

async function takeIn(named: readonly string[], parts: TakeInContext) {
  const { workspace } = parts;
  if (named.length === 0) return takeInInbox(parts);
  const isInInbox = (path: string) => dirname(path) === workspace.inbox || dirname(dirname(path)) === workspace.inbox;
  const inside = named.filter(isInInbox);
  const fromOutside = await takeInNamed(
    named.filter((path) => !isInInbox(path)),
    parts,
  );
  if (inside.length === 0) return fromOutside;
  const fromInbox = await takeInInbox({ ...parts, only: new Set(inside) });
  return {
    ...fromInbox,
    files: [...fromOutside.files, ...fromInbox.files],
    repeats: fromOutside.repeats + fromInbox.repeats,
    notes: [...fromOutside.notes, ...fromInbox.notes],
    faults: [...fromOutside.faults, ...fromInbox.faults],
  };
}

const NOTHING_DECIDED: DecisionsReport = { notes: [], faults: [] };

async function submit(session: RunSession, faults: unknown[]) {
  const notYet = session.away === null ? await lookFirst(session) : { stopped: session.away };
  if (notYet !== null) return { created: 0, linked: 0, skipped: 0, refused: 0, ...notYet };
  try {
    return await submitOrders(session);
  } finally {
    // Even after a stop: senders must learn what the service refused.
    const files = new IsolatedFileWorker(new AbortController().signal, session.log);
    faults.push(...(await writeAllPendingCorrections({ ...session, files })));
  }
}

async function lookFirst(session: RunSession) {
  return checkBeforeSending(session).catch((failure: unknown) => {
    if (failure instanceof ServiceUnavailable) return { stopped: failure.message };
    throw failure;
  });
}

async function collect(session: RunSession, recheckSince: number | undefined) {
  return session.away === null ? collectProjects({ ...session, recheckSince }) : emptyReport(session.away);
}

type Steps = Awaited<ReturnType<typeof takeSteps>>;

async function finish(
  command: RunSummary['command'],
  session: RunSession,
  steps: Steps,
  stop: StopSignal,
  print: ((ended: EndedRun) => Promise<void>) | undefined,
) {
  const { ledger, run, clock, log } = session;
  for (const fault of steps.taken.faults) log.error('a file caused a fault of the program', { story: stackOf(fault) });
  const state = await stateAtEnd(command, session, steps);
  const { orders, news, heldFiles, stopped, openUpdates, leftToFetch } = state;
  const exitCode = exitCodeOfRun({ ...state, command, stoppedBy: stop.by });
  const summary = summarize(command, session, steps, state, exitCode);
  const openBefore = await rowsOpenBefore(session, news);
  const newsLines = await describeNews(news, { run, now: clock.now(), ledger });
  const facts = { night: steps.night, stopped, faults: state.faults.length, openUpdates, leftToFetch };
  const end = endOfRun(summary, facts, clock.now());
  await session.notifier?.note(end, ledger, session);
  // Otherwise the next run reports it again: cron may show nobody the output of this one.
  const reported = isDone(exitCode) ? news.map(({ id }) => id) : [];
  const fields = {
    ...summary.orders,
    ...summary.projects,
    stopped: stopped.length === 0 ? null : stopped.join(' '),
  };
  await finishRun(session, exitCode, summary, fields);
  await notifyEnd(session, end, stop);
  const ended = {
    ...steps,
    summary,
    stopped,
    news: newsLines,
    openBefore,
    heldFiles,
    readyOrders: orders.ready,
    leftToFetch,
    changed: command === 'collect' ? [] : await changedNotes(session),
  };
  await print?.(ended);
  await ledger.markReported(reported);
  return ended;
}

async function stateAtEnd(
  command: RunSummary['command'],
  { ledger, clock, config, workspace }: RunSession,
  { submitted, collected, sftp, taken, notCleared, notDelivered }: Steps,
) {
  const orders = await ledger.orderCounts();
  const reasons = [taken.inboxAway, submitted?.stopped, collected?.stopped, sftp?.stopped, notCleared, notDelivered];
  return {
    orders,
    projects: await ledger.projectCounts(),
    canSend: await canSend(ledger, orders),
    news: await pendingNews(ledger, clock.now(), config.run.remindAfterDays),
    heldFiles: command === 'collect' ? [] : await filesToApprove(workspace, ledger),
    openUpdates: (await ledger.openUpdates()).length,
    leftToFetch: collected?.left ?? 0,
    files: taken.files,
    faults: taken.faults,
    stopped: [...new Set(reasons)].filter((reason) => reason != null),
  };
}

function summarize(
  command: RunSummary['command'],
  { run, startedAt, clock }: RunSession,
  { submitted, taken, delivery }: Steps,
  { orders, projects, files }: Awaited<ReturnType<typeof stateAtEnd>>,
  exitCode: number,
): RunSummary {
  return {
    run,
    command,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(clock.now()).toISOString(),
    exitCode,
    files,
    orders: {
      created: submitted?.created ?? 0,
      linked: submitted?.linked ?? 0,
      skipped: (submitted?.skipped ?? 0) + taken.repeats,
      refused: submitted?.refused ?? 0,
      unresolved: orders.unresolved,
      waiting: orders.ready + orders.held,
    },
    projects,
    delivery,
  };
}

/** How many rows earlier runs sent back, if the news of this run does not repeat them. */
async function rowsOpenBefore({ ledger, startedAt }: RunSession, news: Awaited<ReturnType<typeof pendingNews>>) {
  if (news.some(({ kind }) => kind === 'still-open')) return 0;
  return (await ledger.waitingRows())
    .filter(({ fileId, since }) => since < startedAt && news.every(({ subject }) => subject !== String(fileId)))
    .reduce((sum, { rows }) => sum + rows, 0);
}

/** False if each ready order waits for a held one, and so for a person. */
export async function canSend(ledger: Ledger, { ready, held }: OrderCounts) {
  if (ready === 0 || held === 0) return ready > 0;
  for await (const orders of orderBatches(ledger, 'ready'))
    if ((await ledger.ordersWithNoneBefore(orders.map(({ id }) => id))).size > 0) return true;
  return false;
}

const CHANGED_LISTED_MAX = 10;

async function changedNotes({ ledger, startedAt }: RunSession) {
  const entries = await changedEntries(ledger, CHANGED_LISTED_MAX + 1, startedAt);
  const lines = entries.map((entry) => `Changed after ordering: ${describeChanges(entry)}`);
  if (lines.length > CHANGED_LISTED_MAX) lines[CHANGED_LISTED_MAX] = sentence('news/more-changed');
  return lines;
}
