import { basename, join, resolve } from 'node:path';
import { format } from 'date-fns/format';
import { DUPLICATE_WINDOW_DAYS } from '../contract/document.ts';
import { batchesOf } from '../domain/batches.ts';
import { messageOf } from '../domain/errors.ts';
import { holdsFile } from '../domain/layout.ts';
import type { Clock, RunContext } from '../domain/ports.ts';
import { note, type Note, type RowOutcome, type SheetLayout } from '../domain/row.ts';
import { visibleLine } from '../domain/text.ts';
import type { FileDesk, FileReading } from '../intake/read-orders.ts';
import { LEFT_OUT, UNREAD_ORDERS, UnreadableFileError } from '../intake/readers/row-source.ts';
import type { FileRecord } from '../ledger/files.ts';
import type { FileTransaction } from '../ledger/file-transaction.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NewRow } from '../ledger/rows.ts';
import { type TakeInLedger, withoutDetails } from '../ledger/scratch-ledger.ts';
import { sha256OfFile } from '../ops/durable-files.ts';
import { StoppedFromOutside } from '../ops/guarded-process.ts';
import { type Dropped, type DroppedFile, listDropped, settle, type Told } from '../ops/inbox.ts';
import type { RunLock } from '../ops/run-lock.ts';
import { inboxProblem, type Workspace } from '../ops/workspace.ts';
import {
  askAbout,
  askedInWords,
  holdForAnswer,
  knownLayouts,
  recordAnswers,
  releaseAnswered,
  takeAnswers,
} from './ask-layout.ts';
import { putAwayDone, writeLostCorrections, writePendingCorrections } from './corrections.ts';
import {
  alreadyProcessed,
  archive,
  claim,
  claimCopy,
  claimedBefore,
  type ClaimedFile,
  containingFaults,
  dropSnapshot,
  type FileReport,
  finishMoves,
  leaveProcessing,
  leftForNextRun,
  nameOf,
  setAside,
  shownAs,
  type Snapshot,
  STILL_WRITTEN,
  type Taken,
  takenAs,
  takeSnapshot,
} from './file-moves.ts';
import {
  compareWithEarlier,
  type Comparison,
  holdFile,
  type HoldReason,
  type IntakeSettings,
  layoutChangesInWords,
  reasonsToHold,
  releaseApproved,
  RowCount,
  settingsFor,
} from './hold.ts';
import { KnownRows } from './known-rows.ts';
import { hasOpenRows, nameOfReading, ReadAgain } from './read-again.ts';
import { decidedRow, type OrderingRules, type RowDecision, rowKeysOf, summaryOf } from './row-decision.ts';

export interface TakenIn {
  readonly files: readonly FileReport[];
  readonly repeats: number;
  readonly notes: readonly FileNotes[];
  /** Of single files. */
  readonly faults: readonly unknown[];
  /** An unmounted share, for example. */
  readonly inboxAway: string | null;
}

export interface FileNotes {
  readonly name: string;
  readonly notes: readonly Note[];
}

export function notesOnTold({ name, code, reason }: Told): FileNotes {
  return { name, notes: [note(code, reason)] };
}

export interface TakeInContext extends RecordContext, Pick<RunContext, 'sleep' | 'log' | 'signal'> {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  readonly settleMs: number;
  /** Checked before each file: a frozen host may wake after another took over. */
  readonly lock?: Pick<RunLock, 'check'>;
  /** Absent: the whole inbox. */
  readonly only?: ReadonlySet<string>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Takes in dropped files: settled → claimed → snapshotted under the content's hash → all rows recorded in one
 * transaction, unless the file is held → corrections written → archived (RELIABILITY: Files). Every step can be
 * repeated after a crash; a fault of one file does not stop the others.
 */
export async function takeInInbox(context: TakeInContext): Promise<TakenIn> {
  const { workspace, signal, only } = context;
  await finishMoves(workspace);
  const taken: Taken[] = [...(await releaseApproved(context)), ...(await takeInReleased(context))];
  const { files, closed, odd, inboxAway } = await lookIntoInbox(context);
  const { settled, settling } = await settleUnlessStopped(
    files.filter((file) => only === undefined || only.has(file.path)),
    context,
  );
  for (const file of settled) {
    if (signal.aborted) break;
    add(taken, await takeInOne(nameOf(file), context, () => claim(file, workspace)));
  }
  if (taken.some(({ isAnswer }) => isAnswer)) taken.push(...(await takeInReleased(context)));
  for (const file of settling) taken.push(leftForNextRun(nameOf(file), STILL_WRITTEN));
  for (const { name, code, reason } of closed) taken.push(leftForNextRun(name, note(code, reason)));
  const sum = summed(taken, await putAwayDone(context));
  return { ...sum, notes: [...sum.notes, ...odd.map(notesOnTold)], inboxAway };
}

/** Takes in what waited for answers, and what a killed run left. */
async function takeInReleased(context: TakeInContext): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  await releaseAnswered(context);
  for (const left of (await listDropped(context.workspace.processing)).files)
    add(taken, await takeInOne(nameOf(left), context, () => claimedBefore(left)));
  return taken;
}

/** Takes in named files: archives a copy and leaves the original. */
export async function takeInNamed(paths: readonly string[], context: TakeInContext): Promise<TakenIn> {
  const taken: Taken[] = [];
  for (const path of paths)
    add(taken, await takeInOne(basename(path), context, () => claimCopy(resolve(path), context.workspace)));
  if (taken.some(({ isAnswer }) => isAnswer)) taken.push(...(await takeInReleased(context)));
  return { ...summed(taken, await putAwayDone(context)), inboxAway: null };
}

function add(taken: Taken[], one: Taken | null): void {
  if (one !== null) taken.push(one);
}

/** @param moved new paths of workbooks that this run finished. */
function summed(taken: readonly Taken[], moved: ReadonlyMap<string, string>): Omit<TakenIn, 'inboxAway'> {
  return {
    files: taken.map(({ report }) => ({
      ...report,
      corrections: moved.get(report.corrections ?? '') ?? report.corrections,
    })),
    repeats: taken.reduce((sum, { repeats }) => sum + repeats, 0),
    notes: taken.flatMap(({ report, notes = [] }) => (notes.length === 0 ? [] : [{ name: report.name, notes }])),
    faults: taken.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
  };
}

async function lookIntoInbox({ workspace, only }: TakeInContext): Promise<Dropped & Pick<TakenIn, 'inboxAway'>> {
  const problem = await inboxProblem(workspace);
  if (problem !== null) return { files: [], closed: [], odd: [], inboxAway: problem };
  try {
    const dropped = await listDropped(workspace.inbox);
    const isMeant = ({ name }: { readonly name: string }): boolean =>
      only === undefined || only.has(join(workspace.inbox, name));
    return {
      files: dropped.files,
      closed: dropped.closed.filter(isMeant),
      odd: dropped.odd.filter(isMeant),
      inboxAway: null,
    };
  } catch (failure) {
    return {
      files: [],
      closed: [],
      odd: [],
      inboxAway: `The inbox ${workspace.inbox} cannot be listed: ${messageOf(failure)}`,
    };
  }
}

async function settleUnlessStopped(files: readonly DroppedFile[], context: TakeInContext): ReturnType<typeof settle> {
  return settle(files, context.settleMs, context, context.signal).catch((failure: unknown) => {
    if (context.signal.aborted) return { settled: [], settling: files };
    throw failure;
  });
}

/**
 * Records an archived file again as it was then; moves, holds and writes nothing. `context.clock` is at the time of
 * archiving. Null if all of its content is already recorded.
 */
export async function takeInArchived(
  file: ClaimedFile & { readonly hash: string; readonly archivedAs: string },
  context: TakeInContext,
): Promise<FileRecord | null> {
  const readings = await context.ledger.readingsOf(file.hash);
  const { file: recorded, isKnown, answers } = await recordRows(file, file, context, { isArchived: true, readings });
  if (answers !== null) await recordAnswers(answers, { from: file.sender, by: shownAs(file) }, context);
  if (isKnown) return null;
  if (recorded === null) throw new Error('a file was held without a limit');
  await context.ledger.markArchived(recorded.id, file.archivedAs);
  return recorded;
}

/**
 * Takes in a file as a run would, but on a scratch ledger: moves, holds and writes nothing, and reports each row to
 * `hear`. Already recorded content adds nothing. Throws UnreadableFileError.
 */
export async function takeInDry(file: ClaimedFile, context: RecordContext, hear: RowListener): Promise<DryTaken> {
  const hash = await sha256OfFile(file.path).catch(() => '');
  const readings = await context.ledger.readingsOf(hash);
  const content = { path: file.path, hash };
  // Reports no row before it is clear that a run would read them again.
  const isKnown =
    readings.length > 0 && (await recordRows(file, content, context, { readings, isRehearsed: true })).isKnown;
  const taken = await recordRows(file, content, context, isKnown ? { hear, isRehearsed: true } : { readings, hear });
  return { hash, before: readings[0] ?? null, ...taken, isKnown };
}

async function takeInOne(
  name: string,
  context: TakeInContext,
  claimIt: () => Promise<ClaimedFile | null>,
): Promise<Taken | null> {
  await context.lock?.check('now');
  return containingFaults(name, async () => {
    const claimed = await claimIt();
    if (claimed === null) return null;
    const taken = await takeInClaimed(claimed, context);
    await leaveProcessing(claimed, context.workspace);
    return taken;
  });
}

async function takeInClaimed(claimed: ClaimedFile, context: TakeInContext): Promise<Taken> {
  let snapshot: Snapshot | null = null;
  try {
    snapshot = await takeSnapshot(claimed, context.workspace);
    const readings = await context.ledger.readingsOf(snapshot.hash);
    const interrupted = readings.find(({ archivedAs }) => archivedAs === null);
    if (interrupted !== undefined)
      return await finishRecorded(claimed, snapshot, { file: interrupted, repeats: 0, told: [] }, context);
    const { file, reasons, repeats, comparison, isKnown, questions, answers } = await recordRows(
      claimed,
      snapshot,
      context,
      { readings },
    );
    if (answers !== null) return await takeAnswers(claimed, snapshot, answers, context);
    if (questions.some(holdsFile)) {
      const waits = await holdForAnswer(claimed, snapshot, questions, context);
      await dropSnapshot(snapshot);
      return waits;
    }
    const [known] = readings;
    if (isKnown && known !== undefined)
      return await alreadyProcessed(claimed, snapshot, known, await writeLost(context, readings), context);
    // The new reading takes the name of the done workbook.
    if (file !== null && known !== undefined) await putAwayDone(context);
    if (file !== null) {
      const changes = known === undefined ? layoutChangesInWords(comparison, CHANGES_TOLD) : readAgainInWords(known);
      const asks =
        questions.length === 0
          ? null
          : askedInWords(questions, await askAbout(claimed, snapshot.hash, questions, context));
      const told = [changes, asks].filter((one) => one !== null);
      return await finishRecorded(claimed, snapshot, { file, repeats, told }, context);
    }
    const held = await holdFile(claimed, snapshot, reasons, context);
    await dropSnapshot(snapshot);
    return held;
  } catch (failure) {
    if (failure instanceof StoppedFromOutside || (context.signal.aborted && failure === context.signal.reason)) {
      return leftForNextRun(
        shownAs(claimed),
        note('run-stopped', 'The run was stopped while it was taken in; the next run goes on with it.'),
      );
    }
    if (!(failure instanceof UnreadableFileError)) throw failure;
    const taken = await setAside(claimed, failure, context);
    if (snapshot !== null) await dropSnapshot(snapshot);
    return taken;
  }
}

function readAgainInWords({ name, recordedAt }: FileRecord): Note {
  return note(
    'read-again',
    `The same content was taken in on ${format(recordedAt, 'yyyy-MM-dd HH:mm')} as ${name}: the rows of it that waited were read again, with today's settings.`,
  );
}

async function writeLost(context: TakeInContext, readings: readonly FileRecord[]): Promise<boolean> {
  let wrote = false;
  for (const file of readings) wrote = (await writeLostCorrections(context, file)) || wrote;
  return wrote;
}

async function finishRecorded(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  { file, repeats, told }: Recorded,
  context: TakeInContext,
): Promise<Taken> {
  await writePendingCorrections(context, file);
  const rows = {
    read: file.rowsAccepted + file.rowsRejected,
    accepted: file.rowsAccepted,
    rejected: file.rowsRejected,
  };
  const corrections = await context.ledger.correctionsOf(file.id);
  for (const { code, text } of file.notes)
    if (code === LEFT_OUT) await context.ledger.addNews(LEFT_OUT, `${file.name}: ${text}`);
  await archive(claimed, snapshot, file, context);
  context.log.info('file recorded', { file: file.id, ...rows });
  const reasons = [
    rows.read === 0 ? note('no-rows', 'It holds no row of data: nothing stands below its header.') : null,
    ...file.notes.filter(({ code }) => UNREAD_ORDERS.includes(code)),
    ...told,
  ].filter((reason) => reason !== null);
  return takenAs('processed', shownAs(claimed), reasons, { rows, corrections, repeats, notes: file.notes });
}

interface Recorded {
  readonly file: FileRecord;
  readonly repeats: number;
  readonly told: readonly Note[];
}

const CHANGES_TOLD = 5;

export interface RecordContext extends IntakeSettings {
  readonly ledger: TakeInLedger;
  readonly files: FileDesk;
  readonly clock: Clock;
  readonly rules: OrderingRules;
}

/** A recorded row as read, and its decision; null if the row is wrong. */
export interface HeardRow {
  readonly row: NewRow;
  readonly read: RowOutcome;
  readonly decision: RowDecision | null;
}

/** Receives the rows in batches. It asks `transaction`, not the ledger, which would answer after the file's end. */
export type RowListener = (rows: readonly HeardRow[], transaction: FileTransaction) => Promise<void>;

/** All rows are recorded, or none. */
export interface RecordedRows {
  readonly file: FileRecord | null;
  readonly reasons: readonly HoldReason[];
  readonly repeats: number;
  readonly comparison: Comparison;
  readonly layouts: readonly SheetLayout[];
  readonly notes: readonly Note[];
  /** Nothing in the file would change the record. */
  readonly isKnown: boolean;
  /** What a person has to say; if it holds the file, nothing was recorded. */
  readonly questions: FileReading['questions'];
  readonly columnMap: FileReading['columnMap'];
  readonly answers: FileReading['answers'];
}

export interface DryTaken extends RecordedRows {
  readonly hash: string;
  /** The first record of the same content; null if new. */
  readonly before: FileRecord | null;
}

interface RecordOptions {
  /** Taken in before: no limit holds it. */
  readonly isArchived?: boolean;
  /** Earlier records of its content: only open rows are read again. */
  readonly readings?: readonly FileRecord[];
  readonly isRehearsed?: boolean;
  readonly hear?: RowListener;
}

const HELD_BACK = new Error('held back');
const UNCHANGED = new Error('unchanged');

/** Of known content, records only open rows, and only if one would change. */
async function recordRows(
  claimed: Pick<ClaimedFile, 'name' | 'sender'>,
  content: Snapshot,
  context: RecordContext,
  options: RecordOptions = {},
): Promise<RecordedRows> {
  const { readings = [] } = options;
  if (readings.length === 0) return recordReading(claimed, content, context, options);
  if (!(await hasOpenRows(readings, context.ledger))) return ON_RECORD;
  return recordReading(claimed, content, context, options).catch((failure: unknown) => {
    // It was readable once; its record stays.
    if (failure instanceof UnreadableFileError) return ON_RECORD;
    throw failure;
  });
}

async function recordReading(
  claimed: Pick<ClaimedFile, 'name' | 'sender'>,
  content: Snapshot,
  context: RecordContext,
  options: RecordOptions,
): Promise<RecordedRows> {
  const { ledger, rules } = context;
  const { readings = [] } = options;
  const now = context.clock.now();
  const name = shownAs(claimed);
  const { hold, ...settings } = settingsFor(context, claimed.sender);
  await using reading = await context.files.read(content.path, visibleLine(claimed.name), {
    ...settings,
    knownLayouts: await knownLayouts(claimed.sender, ledger),
    today: format(now, 'yyyy-MM-dd'),
  });
  const { layouts, answers, columnMap } = reading;
  if (answers !== null) return { ...ON_RECORD, answers };
  if (options.isArchived !== true && reading.questions.some(holdsFile)) {
    const { questions, notes } = reading;
    return { ...ON_RECORD, isKnown: false, layouts, notes, questions, columnMap };
  }
  const windowStart = now - DUPLICATE_WINDOW_DAYS * DAY_MS;
  const comparison = await compareWithEarlier(claimed, layouts, ledger);
  const kind = comparison.kind === null ? {} : { kind: comparison.kind };
  const isApproved = ((await ledger.findHeld(content.hash))?.approvedAt ?? null) !== null;
  const count = new RowCount();
  const layoutNote = layoutChangesInWords(comparison);
  let reasons: readonly HoldReason[] = [];
  const fill = async (file: FileTransaction): Promise<void> => {
    const transaction = options.hear === undefined ? file : withoutDetails(file);
    const knownRows = new KnownRows(
      transaction,
      { name, hash: nameOfReading(content.hash, readings) },
      rules.onDuplicate === 'link' || rules.onDuplicate === 'skip',
    );
    const again = readings.length === 0 ? null : await ReadAgain.read(readings, transaction);
    for await (const batch of batchesOf(reading.rows(), ROWS_AT_ONCE)) {
      await transaction.expect(batch.flatMap((read) => (read.kind === 'order' ? [rowKeysOf(read)] : [])));
      await knownRows.expect(
        batch.map((read) => {
          const layout = layouts.find(({ sheet }) => sheet === read.record.place.sheet);
          return { record: read.record, summary: summaryOf(read, layout) };
        }),
      );
      const heard: HeardRow[] = [];
      for (const read of batch) {
        const before = again?.at(read.record.place) ?? null;
        if (before === 'done') {
          count.rows += 1;
          continue;
        }
        const decided = decidedRow(placedIn(read, name), transaction, rules, windowStart, layouts, knownRows);
        const row =
          again !== null && before !== null ? again.inPlaceOf(before, decided) : knownRows.recognise(decided.row);
        if (again !== null && before === null) again.hasChanged = true;
        transaction.addRow(row);
        count.add(row);
        if (options.hear !== undefined) heard.push({ row, read, decision: decided.decision });
      }
      await options.hear?.(heard, transaction);
    }
    if (again?.hasChanged === false) throw UNCHANGED;
    reasons = isApproved || options.isArchived === true ? [] : reasonsToHold(hold, count, comparison);
    if (reasons.length > 0) throw HELD_BACK;
    for (const one of layoutNote === null ? reading.notes : [...reading.notes, layoutNote]) transaction.addNote(one);
  };
  const recording =
    options.isRehearsed === true
      ? ledger.rehearseFile(fill).then(() => null)
      : ledger.recordFile(
          {
            hash: nameOfReading(content.hash, readings),
            recordedAt: now,
            name,
            sender: claimed.sender,
            ...(readings.length === 0 ? kind : {}),
            layouts,
            notes: [],
          },
          fill,
        );
  let isKnown = false;
  const file = await recording.catch((failure: unknown) => {
    isKnown = failure === UNCHANGED;
    if (failure === HELD_BACK || isKnown) return null;
    throw failure;
  });
  const { questions, notes } = reading;
  return { file, reasons, repeats: count.repeats, comparison, layouts, notes, isKnown, questions, columnMap, answers };
}

const ON_RECORD: RecordedRows = {
  file: null,
  reasons: [],
  repeats: 0,
  comparison: { kind: null, before: null, changes: [], usualRows: null },
  layouts: [],
  notes: [],
  isKnown: true,
  questions: [],
  columnMap: [],
  answers: null,
};

const ROWS_AT_ONCE = 500;

function placedIn(outcome: RowOutcome, file: string): RowOutcome {
  const { record } = outcome;
  return record.place.file === file ? outcome : { ...outcome, record: { ...record, place: { ...record.place, file } } };
}
