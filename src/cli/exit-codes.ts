import { LEFT_OUT } from '../intake/readers/row-source.ts';
import { CommanderError } from 'commander';
import { diskFull, ExplainedError, messageOf } from '../domain/errors.ts';
import type { OrderCounts } from '../ledger/orders.ts';
import { hasCode } from '../ops/system.ts';
import type { RecoverReport } from '../recover/recover-run.ts';
import type { UpdateOutcome, UpdateReport } from '../update/update-run.ts';
import type { CensusLine } from '../verify/count-service.ts';
import type { Accent } from './terminal.ts';

// How a command ends. Every room reports outcomes; this file alone says which exit code they come to, and main.ts alone sets it.

/** DESIGN: Exit codes. */
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

/** The signals that ask a run to stop. */
export type StoppedBy = 'SIGINT' | 'SIGTERM';

let heard: StoppedBy | null = null;

/** The signal that this process was asked to stop with, and null for a command that begins: what fails from then on fails because of it. */
export function noteStop(by: StoppedBy | null): void {
  heard = by;
}

/** What holds at the end of a command; nothing means that all is done. */
interface Ending {
  readonly stoppedBy?: StoppedBy | null;
  readonly fault?: boolean;
  readonly usage?: boolean;
  readonly workLeft?: boolean;
  /** There is something for people to see to. */
  readonly news?: boolean;
}

/** Where several hold: stopped, then 1 before 2 before 4 before 3. */
export function exitCodeOf({
  stoppedBy = null,
  fault = false,
  usage = false,
  workLeft = false,
  news = false,
}: Ending): number {
  if (stoppedBy !== null) return EXIT[stoppedBy];
  if (fault) return EXIT.fault;
  if (usage) return EXIT.usage;
  if (workLeft) return EXIT.workLeft;
  return news ? EXIT.news : EXIT.done;
}

/** What `submit`, `collect` and `run` came to. */
export interface RunOutcome {
  readonly command: 'submit' | 'collect' | 'run';
  readonly stoppedBy: StoppedBy | null;
  /** Faults of the program over single files. */
  readonly faults: readonly unknown[];
  /** Why a part of the run ended early, each as a sentence. */
  readonly endedEarly: readonly string[];
  /** Updates whose outcome is not known. */
  readonly openUpdates: number;
  readonly orders: Pick<OrderCounts, 'submitting' | 'unresolved' | 'held'>;
  /** Whether there are orders that the next run can send. */
  readonly canSend: boolean;
  readonly files: readonly { readonly outcome: string }[];
  /** Projects whose files the next run should go on fetching. */
  readonly leftToFetch: number;
  /** What nobody was told yet. */
  readonly news: readonly unknown[];
  /** Files that wait for a person. */
  readonly heldFiles: readonly unknown[];
}

export function exitCodeOfRun(outcome: RunOutcome): number {
  const { stoppedBy, faults, endedEarly, openUpdates, leftToFetch, news, orders, heldFiles } = outcome;
  return exitCodeOf({
    stoppedBy,
    fault: faults.length > 0,
    workLeft: endedEarly.length > 0 || openUpdates > 0 || leftToFetch > 0 || leavesOrders(outcome),
    news: news.length > 0 || orders.held > 0 || heldFiles.length > 0,
  });
}

function leavesOrders({ command, orders, canSend, files }: RunOutcome): boolean {
  if (command === 'collect') return false;
  // One that another host is still sending may come into doubt.
  return (
    canSend || orders.submitting > 0 || orders.unresolved > 0 || files.some(({ outcome }) => outcome === 'settling')
  );
}

/** Whether all is done, and people were told what there is for them; otherwise the next run goes on, and tells them. */
export function isDone(exitCode: number): boolean {
  return exitCode === EXIT.done || exitCode === EXIT.news;
}

/** `cancel`, `receive`, `amend`: what an earlier run had left open counts too. */
export function exitCodeOfUpdates(
  reports: readonly Pick<UpdateReport, 'outcome'>[],
  stoppedBy: StoppedBy | null,
): number {
  const some = (...outcomes: readonly UpdateOutcome[]): boolean =>
    reports.some(({ outcome }) => outcomes.includes(outcome));
  return exitCodeOf({ stoppedBy, workLeft: some('unresolved', 'waiting'), news: some('rejected', 'refused') });
}

/** `recover`: an order that was not found is searched for once more by the next run. */
export function exitCodeOfRecovery(
  { inDoubt, held, archive }: Pick<RecoverReport, 'inDoubt' | 'held' | 'archive'>,
  stoppedBy: StoppedBy | null,
): number {
  return exitCodeOf({
    stoppedBy,
    workLeft: inDoubt > 0,
    news: held + archive.unreadable.length + archive.ofOthers.length > 0,
  });
}

/** `verify`: 0 only where the books balance. What could not be told is told by the next census; a difference, or an order that is held, waits for a person. */
export function exitCodeOfCensus(lines: readonly CensusLine[], stoppedBy: StoppedBy | null): number {
  return exitCodeOf({
    stoppedBy,
    workLeft: lines.some(({ mark, isForPerson }) => mark === '!' && isForPerson !== true),
    news: lines.some(({ mark }) => mark !== '='),
  });
}

/** `check`: whether something would go back to its sender. */
export function exitCodeOfCheck(
  files: readonly {
    readonly outcome: string;
    readonly rows: { readonly rejected: number };
    readonly notes?: readonly string[];
  }[],
): number {
  return exitCodeOf({
    news: files.some(
      ({ outcome, rows, notes = [] }) =>
        outcome === 'unreadable' || rows.rejected > 0 || notes.some((note) => note.includes(LEFT_OUT)),
    ),
  });
}

/** `rehearse`: as `check`, and as its runs where one did not come to its end. */
export function exitCodeOfRehearsal(
  runs: readonly { readonly exitCode: number }[],
  files: Parameters<typeof exitCodeOfCheck>[0],
  refused: number,
): number {
  const cutShort = runs.find(({ exitCode }) => !isDone(exitCode));
  return cutShort?.exitCode ?? (refused > 0 ? EXIT.news : exitCodeOfCheck(files));
}

/** `doctor`: a problem is something to set right before a run. */
export function exitCodeOfDoctor(
  findings: readonly { readonly state: 'ok' | 'warning' | 'problem'; readonly isAway?: boolean }[],
): number {
  const problems = findings.filter(({ state }) => state === 'problem');
  return exitCodeOf({ usage: problems.some(({ isAway }) => isAway !== true), workLeft: problems.length > 0 });
}

/** What a command threw, or what the command line was refused for. `failure` as `explainedIn` gives it, where it does. */
export function exitCodeOfFailure(failure: unknown): number {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (heard !== null) return EXIT[heard];
  if (!(failure instanceof ExplainedError)) return EXIT.fault;
  return { usage: EXIT.usage, 'work-left': EXIT.workLeft, locked: EXIT.locked, 'lost-place': EXIT.workLeft }[
    failure.kind
  ];
}

/** What a command came to: `main.ts` prints it and sets the exit code, nobody else does. */
export interface CommandResult {
  readonly exitCode: number;
  /** For people, on stdout; ends without a line break. */
  readonly text: string;
  /** What of it stands out on a terminal. */
  readonly accents?: readonly Accent[];
  /** The one document of `--json`. */
  readonly json: unknown;
  /** The same in pieces, instead of `json`, where it is too large to stand in memory. */
  readonly jsonText?: () => Iterable<string> | AsyncIterable<string>;
}

/** A result whose document ends with its exit code. */
export function endedWith(exitCode: number, text: string, json: object): CommandResult {
  return { exitCode, text, json: { ...json, exitCode } };
}

/** The same where all is done. */
export function done(text: string, json: object): CommandResult {
  return endedWith(EXIT.done, text, json);
}

/**
 * The ExplainedError in what was thrown, however deep: what is closed on the way out may fail too, and then hides the first failure. A full
 * disk outranks all else, because it is what made the rest fail. What this user may not read or write is the user's to mend.
 */
export function explainedIn(thrown: unknown): ExplainedError | null {
  const all = failuresIn(thrown);
  const full = all.find((failure) => hasCode(failure, 'ENOSPC', 'EDQUOT', 'EFBIG'));
  if (full !== undefined) return diskFull(messageOf(full), thrown);
  const first = all.find((failure) => !(failure instanceof SuppressedError));
  if (first instanceof Error && 'path' in first && hasCode(first, 'EACCES', 'EPERM', 'EROFS')) {
    return new ExplainedError('file-not-accessible', `A file cannot be read or written: ${messageOf(first)}.`, {
      kind: 'usage',
      hint: 'Run it as the user that the nightly run has, where the disk can be written. Nothing that was on record is lost.',
      cause: thrown,
    });
  }
  return first instanceof ExplainedError ? first : null;
}

function failuresIn(thrown: unknown, depth = 0): readonly unknown[] {
  if (!(thrown instanceof Error) || depth > 10) return [thrown];
  const inside = [
    ...(thrown instanceof AggregateError ? (thrown.errors as unknown[]) : []),
    ...(thrown instanceof SuppressedError ? [thrown.suppressed as unknown, thrown.error as unknown] : []),
    thrown.cause,
  ];
  return [
    thrown,
    ...inside.flatMap((each) => (each === undefined || each === null ? [] : failuresIn(each, depth + 1))),
  ];
}
