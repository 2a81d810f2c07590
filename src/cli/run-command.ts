import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  acknowledgeDelivered,
  bothOf,
  collectProjects,
  type CollectReport,
  fetchLost,
  notCollected,
} from '../collect/collect-run.ts';
import type { CollectContext } from '../collect/collect-plan.ts';
import { clearSftp, type SftpIntake, takeInFromSftp } from '../collect/sftp/sftp-run.ts';
import { deliver, type DeliverContext, type Delivery, type NightInNumbers } from '../results/deliver/deliver.ts';
import { messageOf, usageError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderCounts } from '../ledger/orders.ts';
import type { ProjectCounts } from '../ledger/projects.ts';
import { lookBeforeSending } from '../upkeep/recover-run.ts';
import { ServiceAway } from '../service/reads.ts';
import { writeAllPendingCorrections } from '../submit/corrections.ts';
import type { FileReport } from '../submit/file-moves.ts';
import { intakeSettings, type WaitingFile, waitingFiles } from '../submit/hold.ts';
import { type DecisionsTakenIn, takeInDecisions } from '../submit/decisions.ts';
import { type SubmitContext, submitOrders, type SubmitReport } from '../submit/submit-run.ts';
import { type FileNotes, takeInInbox, takeInNamed, type TakeInContext, type TakenIn } from '../submit/take-in.ts';
import { settleOpenUpdates, type UpdateReport } from '../update/update-run.ts';
import { FilesApart } from '../night/files-apart.ts';
import type { CommandResult } from './command-result.ts';
import { exitCodeOfRun, isDone } from '../night/exit-codes.ts';
import { changedEntries, changedInWords, newsInWords, newsToTell } from '../night/news.ts';
import { finishRun, inRunSession, type OpenLedger, type RunSession, type StopSignal } from '../night/run-session.ts';
import { endOfRun, tellEnd } from '../night/telling.ts';
import { progressBar } from '../night/progress-bar.ts';
import { type Accent, table } from './terminal.ts';
import { updateTable } from './update-commands.ts';

export interface RunOptions {
  readonly workspace: string;
  readonly files?: readonly string[];
  /** `collect --all`: the workbook has every recorded project. */
  readonly all?: boolean;
  /** `collect --since`: the workbook has every project that changed since then; epoch ms. */
  readonly since?: number | undefined;
  readonly clock?: Clock;
  /** False: nobody is notified, whatever config.yaml says. */
  readonly tells?: boolean;
  readonly openLedger?: OpenLedger;
  /** At the top of the delivery. */
  readonly notice?: string;
}

interface Outcome {
  readonly taken: TakenIn;
  readonly submitted: SubmitReport | null;
  readonly collected: CollectReport | null;
  readonly delivery: Delivery | null;
  readonly night: NightInNumbers | null;
  readonly updates: readonly UpdateReport[];
  readonly decided: DecisionsTakenIn;
  readonly sftp: SftpIntake | null;
  readonly notCleared: string | null;
  readonly notDelivered: string | null;
}

const OTHERS_AT_WORK = 'Nothing was handed over, since another host is still at work. The next run does it.';

/** Runs `submit`, `collect` or `run`: one session, one summary. */
export async function runCommand(
  command: RunSummary['command'],
  options: RunOptions,
): Promise<CommandResult & { readonly json: RunSummary }> {
  const named = await namedFiles(options.files ?? []);
  return inRunSession(options.workspace, command, (session, stop) => runIn(session, stop, command, named, options), {
    clock: options.clock,
    tells: options.tells !== false,
    openLedger: options.openLedger,
  });
}

async function runIn(
  session: RunSession,
  stop: StopSignal,
  command: RunSummary['command'],
  named: readonly string[],
  options: RunOptions,
): Promise<CommandResult & { readonly json: RunSummary }> {
  const updates = session.away === null ? await settleOpenUpdates(session) : [];
  const taken =
    command === 'collect' ? NOTHING_TAKEN : await takeIn(named, session, stop).finally(() => progressBar.end());
  const faults: unknown[] = [];
  const submitted = command === 'collect' ? null : await submit(session, faults);
  let collected = command === 'submit' ? null : await collect(session, options.all === true ? 0 : options.since);
  const sftp =
    command === 'submit' || session.sftp === null
      ? null
      : await takeInFromSftp(session.sftp, {
          ...collectContext(session),
          settleMs: session.config.intake.settleSeconds * 1000,
        });
  const decided = command === 'submit' ? NOTHING_DECIDED : await takeInDecisions(takeInContext(session, stop.signal));
  await session.lock.check();
  const fetchAgain = async (projectIds: ReadonlySet<string>): Promise<void> => {
    collected = bothOf(collected, await fetchLost(projectIds, collectContext(session)));
  };
  const delivering = { ...deliverContext(session), fetchAgain: session.away === null ? fetchAgain : undefined };
  const notDelivered = (await session.fleet?.othersDone()) === false ? OTHERS_AT_WORK : null;
  const handedOver =
    notDelivered !== null
      ? null
      : await deliver(delivering, {
          orders: submitted !== null,
          results: collected !== null,
          all: options.all === true,
          since: options.since,
          files: taken.files.map((file) => ({ file: file.name, outcome: file.outcome, ...file.rows })),
          notice: options.notice,
        });
  progressBar.end();
  if (collected !== null && session.config.collect.markReceived && session.away === null) {
    // Also what a killed run delivered but did not acknowledge.
    await acknowledgeDelivered(await session.ledger.deliveredProjects(), collectContext(session));
  }
  const notCleared =
    sftp === null || session.sftp === null
      ? null
      : await clearSftp(sftp, session.sftp, {
          ...session,
          afterwards: session.config.collect.sftp?.afterwards ?? 'move',
        });
  return await finish(
    command,
    session,
    {
      taken: { ...taken, faults: [...taken.faults, ...faults, ...decided.faults] },
      submitted,
      collected,
      delivery: handedOver?.delivery ?? null,
      night: handedOver?.night ?? null,
      updates,
      decided,
      sftp,
      notCleared,
      notDelivered,
    },
    stop,
  );
}

function deliverContext(session: RunSession): DeliverContext {
  const { thumbnailsPerProject, thumbnailsMax, formats, archiveMaxMegabytes } = session.config.results;
  const archiveBytesMax = archiveMaxMegabytes === null ? null : archiveMaxMegabytes * 1_000_000;
  return {
    ...session,
    onProgress: progressBar.update,
    thumbnails: { perProject: thumbnailsPerProject, inAll: thumbnailsMax },
    formats,
    archiveBytesMax,
  };
}

async function namedFiles(paths: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const path of paths) await access(path).catch(() => missing.push(path));
  if (missing.length > 0) throw usageError('file-not-found', `There is no such file: ${missing.join(', ')}`);
  return paths.map((path) => resolve(path));
}

const NOTHING_TAKEN: TakenIn = { files: [], repeats: 0, notes: [], faults: [], inboxAway: null };

async function takeIn(named: readonly string[], session: RunSession, stop: StopSignal): Promise<TakenIn> {
  const { workspace } = session;
  const parts = takeInContext(session, stop.signal);
  if (named.length === 0) return takeInInbox(parts);
  const isInInbox = (path: string): boolean =>
    dirname(path) === workspace.inbox || dirname(dirname(path)) === workspace.inbox;
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

const NOTHING_DECIDED: DecisionsTakenIn = { notes: [], faults: [] };

export function takeInContext(session: RunSession, signal: AbortSignal): TakeInContext {
  const { config, log } = session;
  const files = new FilesApart(signal, log, progressBar.update);
  return {
    ...session,
    files,
    signal,
    rules: config.submit,
    ...intakeSettings(config.intake),
    settleMs: config.intake.settleSeconds * 1000,
  };
}

async function submit(session: RunSession, faults: unknown[]): Promise<SubmitReport> {
  const notYet = session.away === null ? await lookFirst(session) : { stopped: session.away };
  if (notYet !== null) return { created: 0, linked: 0, skipped: 0, refused: 0, ...notYet };
  try {
    return await submitOrders(submitContext(session, (done, total) => progressBar.update('ordering', done, total)));
  } finally {
    progressBar.end();
    // Even after a stop: people must learn what the service refused.
    faults.push(
      ...(await writeAllPendingCorrections({
        ...session,
        files: new FilesApart(new AbortController().signal, session.log),
      })),
    );
  }
}

export function submitContext(session: RunSession, onProgress: SubmitContext['onProgress'] = () => {}): SubmitContext {
  const { config, environment, pace } = session;
  const quarantineMs = config.submit.quarantineSeconds * 1000;
  return {
    ...session,
    pacer: pace.creates,
    rules: config.submit,
    quarantineMs,
    actor: environment.username,
    finishBy: pace.finishBy,
    onProgress,
  };
}

/** Why nothing may be sent yet after a recovery, or null. */
async function lookFirst(session: RunSession): ReturnType<typeof lookBeforeSending> {
  try {
    return await lookBeforeSending({ ...session, quarantineMs: session.config.submit.quarantineSeconds * 1000 });
  } catch (failure) {
    if (failure instanceof ServiceAway) return { stopped: failure.message };
    throw failure;
  }
}

async function collect(session: RunSession, recheckSince: number | undefined): Promise<CollectReport> {
  if (session.away !== null) return notCollected(session.away);
  return collectProjects({ ...collectContext(session), recheckSince }).finally(() => progressBar.end());
}

export function collectContext(session: RunSession): CollectContext {
  const { ledger, workspace, config } = session;
  const { images, reports, patienceNights } = config.collect;
  return {
    ...session,
    onProgress: progressBar.update,
    store: join(workspace.state, 'downloads', ledger.account),
    images,
    reports,
    patienceNights,
  };
}

async function finish(
  command: RunSummary['command'],
  session: RunSession,
  outcome: Outcome,
  stop: StopSignal,
): Promise<CommandResult & { readonly json: RunSummary }> {
  const { ledger, run, log } = session;
  const counts = await ledger.orderCounts();
  const projects = await ledger.projectCounts();
  const { submitted, collected, delivery } = outcome;
  const { files, repeats, notes: fileNotes, faults, inboxAway } = outcome.taken;
  for (const fault of faults)
    log.error('a file brought about a fault of the program', {
      story: fault instanceof Error ? (fault.stack ?? fault.message) : messageOf(fault),
    });
  const news = await newsToTell(ledger, session.clock.now(), session.config.run.remindAfterDays);
  const waiting = command === 'collect' ? [] : await waitingFiles(session.workspace);
  const stopped = [
    ...new Set([
      inboxAway,
      submitted?.stopped ?? null,
      collected?.stopped ?? null,
      outcome.sftp?.stopped ?? null,
      outcome.notCleared,
      outcome.notDelivered,
    ]),
  ].filter((reason) => reason !== null);
  const openUpdates = (await ledger.openUpdates()).length;
  const leftToFetch = collected?.left ?? 0;
  const exitCode = exitCodeOfRun({
    command,
    stoppedBy: stop.by,
    faults,
    endedEarly: stopped,
    openUpdates,
    orders: counts,
    canSend: await canSend(ledger, counts),
    files,
    leftToFetch,
    news,
    heldFiles: waiting,
  });
  const summary: RunSummary = {
    run,
    command,
    startedAt: new Date(session.startedAt).toISOString(),
    finishedAt: new Date(session.clock.now()).toISOString(),
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
  const told = isDone(exitCode) ? news : [];
  const toTell = await newsInWords(told, { run, now: session.clock.now(), ledger });
  const fields = { ...summary.orders, ...summary.projects, stopped: stopped.length === 0 ? null : stopped.join(' ') };
  const end = endOfRun(
    summary,
    { night: outcome.night, stopped, faults: faults.length, openUpdates, leftToFetch },
    session.clock.now(),
  );
  await session.teller?.note(end, ledger, session);
  await Promise.all([finishRun(session, exitCode, summary, fields), ledger.markTold(told.map(({ id }) => id))]);
  await tellEnd(session, end, stop);
  const changed = command === 'collect' ? [] : await changedNotes(session);
  const updates =
    outcome.updates.length === 0 ? [] : [`What an earlier run left open:\n${updateTable(outcome.updates)}`];
  const decided = outcome.decided.notes.flatMap(({ name, notes: told }) =>
    told.map(({ text }) => `Decisions  ${name}: ${text}`),
  );
  const notes = [
    ...stopped,
    ...decided,
    ...toTell.map((line) => `For you    ${line}`),
    ...(outcome.sftp === null ? [] : leftInSftp(outcome.sftp)),
    ...updates,
    ...(waiting.length === 0 ? [] : [heldInWords(waiting)]),
    ...changed,
  ];
  return { exitCode, json: summary, text: describeRun(summary, fileNotes, notes), accents: ACCENTS };
}

const BATCH = 500;

/** Whether the next run can send a ready order. An order behind a held one waits for the same person. */
export async function canSend(ledger: Ledger, { ready, held }: OrderCounts): Promise<boolean> {
  if (ready === 0 || held === 0) return ready > 0;
  for (let after = 0; ;) {
    const ids = (await ledger.ordersIn('ready', after, BATCH)).map(({ id }) => id);
    const last = ids.at(-1);
    if (last === undefined) return false;
    if ((await ledger.ordersWithNoneBefore(ids)).size > 0) return true;
    after = last;
  }
}

const LEFT_LISTED_MAX = 20;

function leftInSftp({ taken: { left } }: SftpIntake): readonly string[] {
  if (left.length === 0) return [];
  const lines = left.slice(0, LEFT_LISTED_MAX).map(({ name, why }) => `  ${name}: ${why}`);
  const more = left.length > LEFT_LISTED_MAX ? [`  … and ${left.length - LEFT_LISTED_MAX} more`] : [];
  return [[`Left in the SFTP folder:`, ...lines, ...more].join('\n')];
}

function heldInWords(waiting: readonly WaitingFile[]): string {
  const files = waiting.length === 1 ? '1 file waits' : `${waiting.length} files wait`;
  return `${files} in held/ for a person: ${waiting.map(({ heldAs }) => heldAs).join(', ')}. \`inspection-batch status\` says why, and how to let it through.`;
}

const CHANGED_LISTED_MAX = 10;

async function changedNotes({ ledger, startedAt }: RunSession): Promise<readonly string[]> {
  const entries = await changedEntries(ledger, CHANGED_LISTED_MAX + 1, startedAt);
  const lines = entries.slice(0, CHANGED_LISTED_MAX).map((entry) => `Changed after ordering: ${changedInWords(entry)}`);
  return entries.length > CHANGED_LISTED_MAX
    ? [...lines, 'More orders came again changed: `inspection-batch status` lists them.']
    : lines;
}

const ACCENTS: readonly Accent[] = [
  [/^(?:Orders|Projects|Wrote|Decisions)(?=  )/gm, 'bold'],
  [/^File  .*$|^How they were read:$/gm, 'bold'],
  [/^For you(?=  )|^\d+ files? waits? in held\//gm, ['bold', 'yellow']],
  [/^The service is away\b.*$|^The time given by run\.finishBy is over\b.*$/gm, 'red'],
];

export interface RunSummary {
  readonly run: string;
  readonly command: 'submit' | 'collect' | 'run';
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly files: readonly FileReport[];
  readonly orders: {
    readonly created: number;
    readonly linked: number;
    readonly skipped: number;
    readonly refused: number;
    readonly unresolved: number;
    readonly waiting: number;
  };
  readonly projects: ProjectCounts;
  readonly delivery: Delivery | null;
}

export function describeRun(summary: RunSummary, fileNotes: readonly FileNotes[], notes: readonly string[]): string {
  const { files, orders, projects, delivery } = summary;
  const parts: string[] = [];
  if (files.length > 0) {
    const rows = files.map((file) => [
      file.name,
      file.outcome,
      String(file.rows.read),
      String(file.rows.accepted),
      String(file.rows.rejected),
      file.corrections ?? '',
    ]);
    parts.push(table(['File', 'Outcome', 'Rows', 'Accepted', 'Rejected', 'Corrections workbook'], rows));
    const reasons = files.filter((file) => file.reason !== null).map((file) => `  ${file.name}: ${file.reason ?? ''}`);
    if (reasons.length > 0) parts.push(reasons.join('\n'));
    const told = fileNotes.flatMap(notesOfFile);
    if (told.length > 0) parts.push(`How they were read:\n${told.join('\n')}`);
  }
  const lines: string[] = [];
  if (summary.command !== 'collect') lines.push(`Orders    ${countsInWords(orders)}`);
  lines.push(`Projects  ${countsInWords(projects)}`);
  lines.push(...notes);
  if (delivery === null) lines.push(...(notes.includes(OTHERS_AT_WORK) ? [] : ['Nothing new to hand over.']));
  else
    for (const path of [delivery.workbook, delivery.orders, delivery.archive, delivery.report])
      if (path !== null) lines.push(`Wrote     ${path}`);
  parts.push(lines.join('\n'));
  return parts.join('\n\n');
}

const NOTES_TOLD = 8;

function notesOfFile({ name, notes }: FileNotes): readonly string[] {
  const more = notes.length - NOTES_TOLD;
  return [
    ...notes.slice(0, NOTES_TOLD).map(({ text }) => `  ${name}: ${text}`),
    ...(more > 0 ? [`  ${name}: ${more} more notes: inspection-batch status "${name}"`] : []),
  ];
}

function countsInWords(counts: object): string {
  return Object.entries(counts)
    .map(([name, count]) => `${String(count)} ${name}`)
    .join(', ');
}
