import { CommanderError } from 'commander';
import type { Note } from '../domain/row.ts';
import { diskFull, ExplainedError, messageOf, hasCode, usageErrorOf } from '../domain/errors.ts';
import type { OrderCounts } from '../ledger/ledger.ts';
import { isNewsNote } from '../submit/hold.ts';
import type { RecoverReport } from '../upkeep/recover-run.ts';
import type { UpdateOutcome, UpdateReport } from '../update/update-run.ts';
import type { CensusLine } from '../upkeep/compare-with-service.ts';

export const EXIT = {
  done: 0,
  fault: 1,
  usage: 2,
  news: 3,
  workLeft: 4,
  locked: 5,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export type StoppedBy = 'SIGINT' | 'SIGTERM';

let heard: StoppedBy | null = null;

export function noteStop(by: StoppedBy | null) {
  heard = by;
}

const BY_WEIGHT = ['fault', 'usage', 'workLeft', 'news'] as const;

interface Ending extends Readonly<Partial<Record<(typeof BY_WEIGHT)[number], boolean>>> {
  readonly stoppedBy?: StoppedBy | null;
}

/** If several apply: stopped, then 1 before 2 before 4 before 3. */
export function exitCodeOf({ stoppedBy = null, ...ending }: Ending) {
  return EXIT[stoppedBy ?? BY_WEIGHT.find((name) => ending[name] === true) ?? 'done'];
}

export type RunOutcome = Readonly<{
  command: 'submit' | 'collect' | 'run';
  stoppedBy: StoppedBy | null;
  faults: readonly unknown[];
  stopped: readonly string[];
  openUpdates: number;
  orders: Pick<OrderCounts, 'submitting' | 'unresolved' | 'held'>;
  canSend: boolean;
  files: readonly { readonly outcome: string }[];
  leftToFetch: number;
  news: readonly unknown[];
  heldFiles: readonly unknown[];
}>;

export function exitCodeOfRun(run: RunOutcome) {
  const { submitting, unresolved, held } = run.orders;
  // Another host may leave an order in doubt.
  const leavesOrders =
    run.canSend || submitting + unresolved > 0 || run.files.some(({ outcome }) => outcome === 'settling');
  return exitCodeOf({
    stoppedBy: run.stoppedBy,
    fault: run.faults.length > 0,
    workLeft: run.stopped.length + run.openUpdates + run.leftToFetch > 0 || (run.command !== 'collect' && leavesOrders),
    news: run.news.length + held + run.heldFiles.length > 0,
  });
}

/** If false, the next run continues and reports. */
export function isDone(exitCode: number) {
  return exitCode === EXIT.done || exitCode === EXIT.news;
}

export function exitCodeOfUpdates(reports: readonly Pick<UpdateReport, 'outcome'>[], stoppedBy: StoppedBy | null) {
  const some = (...outcomes: readonly UpdateOutcome[]) => reports.some(({ outcome }) => outcomes.includes(outcome));
  return exitCodeOf({ stoppedBy, workLeft: some('unresolved', 'waiting'), news: some('rejected', 'refused') });
}

/** The next run searches again for orders that were not found. */
export function exitCodeOfRecovery(
  { inDoubt, held, archive }: Pick<RecoverReport, 'inDoubt' | 'held' | 'archive'>,
  stoppedBy: StoppedBy | null,
) {
  return exitCodeOf({
    stoppedBy,
    workLeft: inDoubt > 0,
    news: held + archive.unreadable.length + archive.ofOthers.length > 0,
  });
}

/** A next census may resolve an unknown; a difference or held order waits for a person. */
export function exitCodeOfCensus(lines: readonly CensusLine[], stoppedBy: StoppedBy | null) {
  return exitCodeOf({
    stoppedBy,
    workLeft: lines.some(({ mark, isForPerson }) => mark === '!' && isForPerson !== true),
    news: lines.some(({ mark }) => mark !== '='),
  });
}

type FileOutcome = Readonly<{
  outcome: string;
  rows: { readonly rejected: number };
  notes?: readonly Note[];
}>;

export function exitCodeOfCheck(files: readonly FileOutcome[]) {
  const isNews = ({ outcome, rows, notes = [] }: FileOutcome) =>
    ['unreadable', 'to-confirm'].includes(outcome) || rows.rejected > 0 || notes.some(({ code }) => isNewsNote(code));
  return exitCodeOf({ news: files.some(isNews) });
}

export function exitCodeOfRehearsal(
  runs: readonly { readonly exitCode: number }[],
  files: readonly FileOutcome[],
  refused: number,
) {
  return runs.find(({ exitCode }) => !isDone(exitCode))?.exitCode ?? (refused > 0 ? EXIT.news : exitCodeOfCheck(files));
}

export function exitCodeOfDoctor(
  findings: readonly Readonly<{ state: 'ok' | 'warning' | 'problem'; isAway?: boolean }>[],
) {
  const problems = findings.filter(({ state }) => state === 'problem');
  return exitCodeOf({ usage: problems.some(({ isAway }) => isAway !== true), workLeft: problems.length > 0 });
}

export function exitCodeOfFailure(failure: unknown) {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (heard !== null) return EXIT[heard];
  if (!(failure instanceof ExplainedError)) return EXIT.fault;
  const { usage, locked, workLeft } = EXIT;
  return { usage, 'work-left': workLeft, locked, 'lost-place': workLeft }[failure.kind];
}

/**
 * At any depth. A full disk, which causes other failures, comes first; then access problems, which the user can fix.
 */
export function explainedIn(thrown: unknown) {
  const all = failuresIn(thrown);
  const full = all.find((failure) => hasCode(failure, 'ENOSPC', 'EDQUOT', 'EFBIG'));
  if (full !== undefined) return diskFull(messageOf(full), thrown);
  if (all.some((failure) => hasCode(failure, 'ENOENT') && (failure as NodeJS.ErrnoException).syscall === 'uv_cwd'))
    return usageErrorOf('no-current-folder');
  const first = all.find((failure) => !(failure instanceof SuppressedError));
  if (first instanceof Error && 'path' in first && hasCode(first, 'EACCES', 'EPERM', 'EROFS'))
    return usageErrorOf('file-not-accessible/any', { message: messageOf(first) }, thrown);
  return first instanceof ExplainedError ? first : null;
}

function failuresIn(thrown: unknown, depth = 0): readonly unknown[] {
  if (!(thrown instanceof Error) || depth > 10) return [thrown];
  const inside: readonly unknown[] = [
    ...(thrown instanceof AggregateError ? thrown.errors : []),
    ...(thrown instanceof SuppressedError ? [thrown.suppressed, thrown.error] : []),
    thrown.cause,
  ];
  return [thrown, ...inside.flatMap((each) => (each == null ? [] : failuresIn(each, depth + 1)))];
}
