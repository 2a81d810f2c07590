import { hostname } from 'node:os';
import type { Delivery } from '../results/deliver/deliver.ts';
import { ExplainedError } from '../domain/errors.ts';
import type { Clock, Log } from '../domain/ports.ts';
import type { NightInNumbers } from '../domain/project.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, ProjectCounts } from '../ledger/ledger.ts';
import { type RunEnd, Notifier } from '../notify/notifier.ts';
import { loadConfig } from '../ops/config.ts';
import { loadNotifySecrets } from '../ops/environment.ts';
import { createRedactor } from '../ops/redactor.ts';
import type { Workspace } from '../ops/workspace.ts';
import type { FileReport } from '../submit/claimed-files.ts';
import { EXIT, type StoppedBy } from './exit-codes.ts';
import { describeNews } from './news.ts';

export async function openNotifier(workspace: Workspace, clock: Clock) {
  const targets = await loadNotifyTargets(workspace);
  return targets === null ? null : new Notifier({ ...targets, clock, host: hostname() });
}

/** Null if config.yaml names nobody to notify or cannot be read. */
export async function loadNotifyTargets({ root }: Workspace) {
  const config = await loadConfig(root).catch(() => null);
  if (config === null) return null;
  const { mail, webhook, command, ping } = config.notify;
  if ([mail, webhook, command, ...Object.values(ping)].every((one) => one === null)) return null;
  // The command must not get our own credentials.
  const given = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('INSPECTION_'),
  );
  return {
    notify: config.notify,
    secrets: await loadNotifySecrets(root, config),
    root,
    commandEnvironment: Object.fromEntries(given),
  };
}

export type RunSummary = Readonly<{
  run: string;
  command: 'submit' | 'collect' | 'run';
  startedAt: string;
  finishedAt: string;
  exitCode: number;
  files: readonly FileReport[];
  orders: Readonly<Record<'created' | 'linked' | 'skipped' | 'refused' | 'unresolved' | 'waiting', number>>;
  projects: ProjectCounts;
  delivery: Delivery | null;
}>;

type NotifyingRun = Readonly<{
  run: string;
  notifier: Notifier | null;
  ledger: Ledger;
  log: Log;
  clock: Clock;
}>;

type RunFacts = Readonly<{
  night: NightInNumbers | null;
  stopped: readonly string[];
  faults: number;
  openUpdates: number;
  leftToFetch: number;
}>;

export function endOfRun(summary: RunSummary, facts: RunFacts, at: number): RunEnd {
  const { run, command, exitCode, delivery, projects } = summary;
  const { night: counts } = facts;
  // `collect --all` also delivers without news.
  const night =
    counts === null || delivery === null || NEW.every((count) => counts[count] === 0)
      ? null
      : { ...counts, run, at, folder: delivery.folder, outstanding: projects.outstanding };
  return { run, exitCode, summary, trouble: troubleIn(summary, facts), night, lookedIntoInbox: command !== 'collect' };
}

/** What is still open (`overdue`, `undecided` …) is no news. */
const NEW = [
  'ordered',
  'returned',
  'collected',
  'wentBack',
  'fixed',
  'changed',
  'canceled',
  'closedOut',
  'decided',
] as const;

/** A settling file needs nobody: the next run takes it in. */
function troubleIn(
  { run, exitCode, files, orders }: RunSummary,
  { stopped, faults, openUpdates, leftToFetch }: RunFacts,
) {
  const isLeft = exitCode === EXIT.workLeft;
  const parts = { ...orders, faults, run, leftToFetch, openUpdates };
  const counts: readonly (readonly [boolean, string])[] = [
    [faults > 0, 'trouble/faults'],
    [isLeft && orders.unresolved > 0, 'trouble/unresolved'],
    [isLeft && orders.waiting > 0, 'trouble/waiting'],
    [isLeft && leftToFetch > 0, 'trouble/files'],
    [isLeft && openUpdates > 0, 'trouble/updates'],
  ];
  const filesThat = (fate: string, words: string) =>
    files.filter(({ outcome }) => outcome === fate).map(({ name, reason }) => `${name} ${words}: ${reason ?? ''}`);
  return [
    ...(exitCode === EXIT.fault || isLeft ? stopped : []),
    ...counts.flatMap(([holds, code]) => (holds ? [sentence(code, parts)] : [])),
    ...filesThat('unreadable', 'could not be read, and is in unreadable/'),
    ...filesThat('held', 'is held until somebody approves it'),
  ];
}

const STOPPED_NOTIFY_MS_MAX = 10_000;

/** The end must be on record. `stop`: the signal, if any, that stopped the run or still may. */
export async function notifyEnd(
  { notifier, ledger, log, run, clock }: NotifyingRun,
  end: RunEnd,
  stop: Readonly<{ signal: AbortSignal; by: StoppedBy | null }>,
) {
  await notifier?.notify(end, ledger, {
    log,
    signal: stop.by === null ? stop.signal : AbortSignal.timeout(STOPPED_NOTIFY_MS_MAX),
    newsInWords: (news) => describeNews(news, { run, now: clock.now(), ledger }),
  });
}

/**
 * `ledger` is null if not open yet. A lock that another run holds needs nobody; a lost place does: perhaps no other
 * host took over.
 */
export async function notifyFailure(
  failed: Omit<NotifyingRun, 'ledger'> & Readonly<{ ledger: Ledger | null; command: string }>,
  failure: unknown,
  exitCode: number,
) {
  const { run, command, notifier, ledger, log, clock } = failed;
  if (notifier === null || notifier.hasNotified || exitCode === EXIT.locked) return;
  const redactor = createRedactor();
  for (const secret of notifier.secrets) redactor.registerSecret(secret);
  const isExplained = failure instanceof ExplainedError;
  const message = isExplained ? redactor.redact(failure.message) : 'A fault of the program.';
  const hint = isExplained ? (failure.hint ?? null) : sentence('trouble/again', { run });
  const error = { code: isExplained ? failure.code : 'fault', message, hint };
  const summary = { run, command, finishedAt: new Date(clock.now()).toISOString(), exitCode, error };
  const trouble = hint === null ? [message] : [message, hint];
  const end: RunEnd = { run, exitCode, summary, trouble, night: null, lookedIntoInbox: false };
  const runs = await ledger?.lastRuns(1).catch(() => null);
  if (ledger === null || runs === null) return notifier.notifyAtOnce(end, log);
  await notifier.note(end, ledger, { log });
  await notifyEnd({ ...failed, ledger }, end, { signal: new AbortController().signal, by: null });
}
