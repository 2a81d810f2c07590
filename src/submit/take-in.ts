import { basename, join, resolve } from 'node:path';
import { format } from 'date-fns/format';
import { DUPLICATE_WINDOW_DAYS } from '../contract/document.ts';
import { messageOf } from '../domain/errors.ts';
import type { Clock, Log, Sleep } from '../domain/ports.ts';
import type { RowOutcome } from '../domain/row.ts';
import { visibleLine } from '../domain/text.ts';
import { type FileDesk, LOUD } from '../intake/read-orders.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { FileRecord } from '../ledger/files.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { StoppedFromOutside } from '../ops/guarded-process.ts';
import { type Dropped, type DroppedFile, listDropped, settle } from '../ops/inbox.ts';
import { inboxProblem, type Workspace } from '../ops/workspace.ts';
import { writePendingCorrections } from './corrections.ts';
import { alreadyProcessed, archive, claim, claimCopy, claimedBefore, type ClaimedFile, containingFaults, dropSnapshot, type FileReport, finishMoves, leaveProcessing, leftForNextRun, nameOf, setAside, shownAs, type Snapshot, type Taken, takeSnapshot } from './file-moves.ts';
import { compareWithEarlier, holdFile, type HoldLimits, type HoldReason, type IntakeSettings, layoutChangesInWords, reasonsToHold, releaseApproved, RowCount, settingsFor } from './hold.ts';
import { KnownRows } from './known-rows.ts';
import { decidedRow, type OrderingRules } from './row-decision.ts';

/** What a run took in. */
export interface TakenIn {
  readonly files: readonly FileReport[];
  /** Accepted rows that are tied to an order which was on record already. */
  readonly repeats: number;
  /** What a person should know of how each file was read. */
  readonly notes: readonly FileNotes[];
  /** Faults of the program that one file brought about: the others were taken in all the same. */
  readonly faults: readonly unknown[];
  /** Why the inbox could not be read at all, such as a share that is not mounted; or null. */
  readonly inboxAway: string | null;
}

export interface FileNotes {
  readonly name: string;
  readonly notes: readonly string[];
}

export interface TakeInParts extends IntakeSettings {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  /** Where files are read and corrections are written. */
  readonly files: FileDesk;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly rules: OrderingRules;
  readonly settleMs: number;
  /** Only the files at these paths; all of the inbox when it is left out. */
  readonly only?: ReadonlySet<string>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Takes in what people dropped: settled → claimed → snapshotted under its content's hash → all rows on record in one transaction, unless
 * the file is held → corrections written → archived (RELIABILITY: Files). Every step can be repeated after a crash, and a fault of one
 * file does not stop the others.
 */
export async function takeInInbox(parts: TakeInParts): Promise<TakenIn> {
  const { workspace, signal, only } = parts;
  await finishMoves(workspace);
  const taken: Taken[] = [...(await releaseApproved(parts))];
  for (const left of (await listDropped(workspace.processing)).files) add(taken, await takeInOne(nameOf(left), parts, () => claimedBefore(left)));
  const { files, closed, odd, inboxAway } = await lookIntoInbox(parts);
  const { settled, settling } = await settleUnlessStopped(files.filter((file) => only === undefined || only.has(file.path)), parts);
  for (const file of settled) {
    if (signal.aborted) break;
    add(taken, await takeInOne(nameOf(file), parts, () => claim(file, workspace)));
  }
  for (const file of settling) taken.push(leftForNextRun(nameOf(file), 'It is still being written; the next run takes it in.'));
  for (const { name, reason } of closed) taken.push(leftForNextRun(name, reason));
  const sum = summed(taken);
  return { ...sum, notes: [...sum.notes, ...odd.map(({ name, reason }) => ({ name, notes: [reason] }))], inboxAway };
}

/** Takes in files that somebody named; they stay where they are, a copy is archived. */
export async function takeInNamed(paths: readonly string[], parts: TakeInParts): Promise<TakenIn> {
  const taken: Taken[] = [];
  for (const path of paths) add(taken, await takeInOne(basename(path), parts, () => claimCopy(resolve(path), parts.workspace)));
  return { ...summed(taken), inboxAway: null };
}

function add(taken: Taken[], one: Taken | null): void {
  if (one !== null) taken.push(one);
}

function summed(taken: readonly Taken[]): Omit<TakenIn, 'inboxAway'> {
  return {
    files: taken.map(({ report }) => report),
    repeats: taken.reduce((sum, { repeats }) => sum + repeats, 0),
    notes: taken.flatMap(({ report, notes = [] }) => (notes.length === 0 ? [] : [{ name: report.name, notes }])),
    faults: taken.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
  };
}

/** A share that is not mounted, or does not answer, is not an empty inbox. */
async function lookIntoInbox({ workspace, only }: TakeInParts): Promise<Dropped & Pick<TakenIn, 'inboxAway'>> {
  const problem = await inboxProblem(workspace);
  if (problem !== null) return { files: [], closed: [], odd: [], inboxAway: problem };
  try {
    const dropped = await listDropped(workspace.inbox);
    const isMeant = ({ name }: { readonly name: string }): boolean => only === undefined || only.has(join(workspace.inbox, name));
    return { files: dropped.files, closed: dropped.closed.filter(isMeant), odd: dropped.odd.filter(isMeant), inboxAway: null };
  } catch (failure) {
    return { files: [], closed: [], odd: [], inboxAway: `The inbox ${workspace.inbox} cannot be listed: ${messageOf(failure)}` };
  }
}

async function settleUnlessStopped(files: readonly DroppedFile[], parts: TakeInParts): ReturnType<typeof settle> {
  return settle(files, parts.settleMs, parts, parts.signal).catch((failure: unknown) => {
    if (parts.signal.aborted) return { settled: [], settling: files };
    throw failure;
  });
}

/** Puts a file that lies in the archive on record again, as it was then: nothing of it is moved, held or written. `parts.clock` tells the time it was archived. */
export async function takeInArchived(file: ClaimedFile & { readonly hash: string; readonly archivedAs: string }, parts: TakeInParts): Promise<FileRecord> {
  const recording = await recordRows(file, file, parts, true);
  if (recording.kind === 'held') throw new Error('a file was held without a limit');
  await parts.ledger.markArchived(recording.file.id, file.archivedAs);
  return recording.file;
}

async function takeInOne(name: string, parts: TakeInParts, claimIt: () => Promise<ClaimedFile | null>): Promise<Taken | null> {
  return containingFaults(name, async () => {
    const claimed = await claimIt();
    if (claimed === null) return null;
    const taken = await takeInClaimed(claimed, parts);
    await leaveProcessing(claimed, parts.workspace);
    return taken;
  });
}

async function takeInClaimed(claimed: ClaimedFile, parts: TakeInParts): Promise<Taken> {
  let snapshot: Snapshot | null = null;
  try {
    snapshot = await takeSnapshot(claimed, parts.workspace);
    const known = await parts.ledger.findFile(snapshot.hash);
    if (known !== null && known.archivedAs !== null) return await alreadyProcessed(claimed, snapshot, known, parts);
    const recording: Recording = known === null ? await recordRows(claimed, snapshot, parts) : { kind: 'recorded', file: known, repeats: 0, changes: null };
    switch (recording.kind) {
      case 'recorded':
        return await finishRecorded(claimed, snapshot, recording, parts);
      case 'held': {
        const held = await holdFile(claimed, snapshot, recording.reasons, parts);
        await dropSnapshot(snapshot);
        return held;
      }
    }
  } catch (failure) {
    if (failure instanceof StoppedFromOutside || (parts.signal.aborted && failure === parts.signal.reason)) {
      return leftForNextRun(shownAs(claimed), 'The run was stopped while it was taken in; the next run goes on with it.');
    }
    if (!(failure instanceof UnreadableFileError)) throw failure;
    const taken = await setAside(claimed, failure.message, parts);
    if (snapshot !== null) await dropSnapshot(snapshot);
    return taken;
  }
}

/** What is on record goes back to its sender where it must, and the original into the archive. */
async function finishRecorded(claimed: ClaimedFile, snapshot: Snapshot, { file, repeats, changes }: Recorded, parts: TakeInParts): Promise<Taken> {
  await writePendingCorrections(parts, file);
  const rows = { read: file.rowsAccepted + file.rowsRejected, accepted: file.rowsAccepted, rejected: file.rowsRejected };
  const corrections = await parts.ledger.correctionsOf(file.id);
  await archive(claimed, snapshot, file, parts);
  parts.log.info('file recorded', { file: file.id, ...rows });
  const reasons = [rows.read === 0 ? 'It holds no row of data: nothing stands below its header.' : null, ...file.notes.filter((note) => note.includes(LOUD)), changes].filter((reason) => reason !== null);
  const reason = reasons.length === 0 ? null : reasons.join(' ');
  return { report: { name: shownAs(claimed), outcome: 'processed', rows, corrections, reason }, repeats, notes: file.notes };
}

interface Recorded {
  readonly kind: 'recorded';
  readonly file: FileRecord;
  readonly repeats: number;
  /** How its layout differs from the sender's file before, in words; null where it does not. */
  readonly changes: string | null;
}

/** More would hide the other files of the night; `check` tells all of them. */
const CHANGES_TOLD = 5;

/** A file's rows are all on record, or none of them is. */
type Recording = Recorded | { readonly kind: 'held'; readonly reasons: readonly HoldReason[] };

/** Thrown inside the transaction that puts a file on record, to take all of it back. */
class HeldBack extends Error {
  readonly reasons: readonly HoldReason[];

  constructor(reasons: readonly HoldReason[]) {
    super('held back');
    this.reasons = reasons;
  }
}

const NO_LIMITS: HoldLimits = { maxWrongPercent: null, maxDuplicatePercent: null, changedLayout: false, maxTimesUsualRows: null };

async function recordRows(claimed: ClaimedFile, snapshot: Snapshot, parts: TakeInParts, isArchived = false): Promise<Recording> {
  const { ledger } = parts;
  const now = parts.clock.now();
  const name = shownAs(claimed);
  const { hold, ...settings } = settingsFor(parts, claimed.sender);
  await using reading = await parts.files.read(snapshot.path, visibleLine(claimed.name), { ...settings, today: format(now, 'yyyy-MM-dd') });
  const { layouts } = reading;
  const windowStart = now - DUPLICATE_WINDOW_DAYS * DAY_MS;
  const comparison = await compareWithEarlier(claimed, layouts, ledger);
  const kind = comparison.kind === null ? {} : { kind: comparison.kind };
  const note = layoutChangesInWords(comparison);
  const isApproved = ((await ledger.findHeld(snapshot.hash))?.approvedAt ?? null) !== null;
  const count = new RowCount();
  let repeats = 0;
  try {
    const file = await ledger.recordFile({ hash: snapshot.hash, recordedAt: now, name, sender: claimed.sender, ...kind, layouts, notes: [] }, async (transaction) => {
      const knownRows = new KnownRows(transaction, { name, hash: snapshot.hash }, parts.rules.onDuplicate);
      for await (const outcome of reading.rows()) {
        const row = knownRows.recognise(decidedRow(placedIn(outcome, name), transaction, parts.rules, windowStart, layouts));
        transaction.addRow(row);
        count.add(row);
        if (row.outcome === 'repeat') repeats += 1;
      }
      const reasons = isApproved ? [] : reasonsToHold(isArchived ? NO_LIMITS : hold, count, comparison);
      if (reasons.length > 0) throw new HeldBack(reasons);
      for (const each of note === null ? reading.notes : [...reading.notes, note]) transaction.addNote(each);
    });
    return { kind: 'recorded', file, repeats, changes: layoutChangesInWords(comparison, CHANGES_TOLD) };
  } catch (failure) {
    if (failure instanceof HeldBack) return { kind: 'held', reasons: failure.reasons };
    throw failure;
  }
}

/** The row under the name by which people know its file: with the sender's folder. */
function placedIn(outcome: RowOutcome, file: string): RowOutcome {
  const { record } = outcome;
  return { ...outcome, record: { ...record, place: { ...record.place, file } } };
}
