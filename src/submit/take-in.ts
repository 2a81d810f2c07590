import { basename, join, resolve } from 'node:path';
import { messageOf } from '../domain/errors.ts';
import { holdsFile } from '../domain/layout.ts';
import type { RunContext } from '../domain/ports.ts';
import { note, type Note } from '../domain/row.ts';
import { noteFor } from '../domain/sentences.ts';
import { DECISIONS_FILE_CODE } from '../intake/own-workbooks.ts';
import { UNREAD_ORDERS, UnreadableFileError } from '../intake/readers/row-source.ts';
import type { Ledger, FileRecord } from '../ledger/ledger.ts';
import { moveToFreeName, sha256OfFile } from '../ops/durable-files.ts';
import { ExternalStopError } from '../ops/guarded-process.ts';
import {
  DECISIONS_FOLDER,
  type DroppedFile,
  listDropped,
  awaitSettled,
  type InboxReport,
  watchFiles,
} from '../ops/list-inbox.ts';
import type { RunLock } from '../ops/run-lock.ts';
import { inboxProblem, type Workspace } from '../ops/workspace.ts';
import {
  askAbout,
  composeQuestionNote,
  holdForAnswer,
  recordAnswers,
  releaseAnswered,
  takeAnswers,
} from './ask-layout.ts';
import { retireCorrections, withoutEnding, writeLostCorrections, writePendingCorrections } from './corrections.ts';
import {
  alreadyProcessed,
  archiveClaimedFile,
  claimFile,
  claimCopy,
  claimLeftover,
  type ClaimedFile,
  containingFaults,
  describeTakenIn,
  dropSnapshot,
  finishMoves,
  removeEmptyFolder,
  returnGrown,
  leftForNextRun,
  inboxName,
  senderFolder,
  setFileAside,
  displayName,
  type Snapshot,
  STILL_WRITTEN,
  type FileResult,
  fileResult,
  takeSnapshot,
} from './claimed-files.ts';
import { holdFile, isNewsNote, ORIGINAL_NOT_DROPPED, releaseApproved } from './hold.ts';
import { type RecordContext, recordRows, type RowListener } from './record-rows.ts';

export type TakeInReport = Readonly<Awaited<ReturnType<typeof takeInInbox>>>;

export type FileNotes = Readonly<{ name: string; notes: readonly Note[] }>;

export function notesOnReport({ name, code, reason }: InboxReport) {
  return { name, notes: [note(code, reason)] };
}

export type TakeInContext = RecordContext &
  Pick<RunContext, 'sleep' | 'log' | 'signal'> &
  Readonly<{
    ledger: Ledger;
    workspace: Workspace;
    settleMs: number;
    /** A frozen host may wake after another took over. */
    lock?: Pick<RunLock, 'check'>;
    /** Paths of the files to take in; absent: the whole inbox. */
    only?: ReadonlySet<string>;
  }>;

/** Takes in the inbox (README.md, 1). A fault of one file does not stop the others. */
export async function takeInInbox(context: TakeInContext) {
  const { workspace, signal, only } = context;
  await finishMoves(workspace);
  const grown = await returnGrown(context);
  const taken = [...(await releaseApproved(context)), ...(await takeInReleased(context))];
  const { files, closed, odd, inboxAway } = await lookIntoInbox(context);
  const { settled, settling } = await settleUnlessStopped(
    files.filter((file) => only === undefined || only.has(file.path)),
    context,
  );
  const isUnchanged = await watchFiles(settled);
  // A workbook by `check` corrects a file that may not be on record yet.
  for (const file of settled.toSorted((a, b) => withoutEnding(a.name).rounds - withoutEnding(b.name).rounds)) {
    if (signal.aborted) break;
    if (await isUnchanged(file))
      taken.push(...(await takeInOne(inboxName(file), context, () => claimFile(file, workspace))));
    else taken.push(leftForNextRun(inboxName(file), STILL_WRITTEN));
  }
  if (taken.some(({ isAnswer }) => isAnswer)) taken.push(...(await takeInReleased(context)));
  for (const file of settling) taken.push(leftForNextRun(inboxName(file), STILL_WRITTEN));
  for (const { name, code, reason } of closed) taken.push(leftForNextRun(name, note(code, reason)));
  const sum = summed(taken, await retireCorrections(context));
  return { ...sum, notes: [...sum.notes, ...[...grown, ...odd].map(notesOnReport)], inboxAway };
}

async function takeInReleased(context: TakeInContext) {
  await releaseAnswered(context);
  const { files } = await listDropped(context.workspace.processing);
  return takeInEach(files, (left) => takeInOne(inboxName(left), context, () => claimLeftover(left)));
}

/** Leaves the originals. */
export async function takeInNamed(paths: readonly string[], context: TakeInContext) {
  const taken = await takeInEach(paths, (path) =>
    takeInOne(basename(path), context, () => claimCopy(resolve(path), context.workspace)),
  );
  if (taken.some(({ isAnswer }) => isAnswer)) taken.push(...(await takeInReleased(context)));
  return { ...summed(taken, await retireCorrections(context)), inboxAway: null };
}

async function takeInEach<From>(from: readonly From[], takeIn: (one: From) => Promise<readonly FileResult[]>) {
  return (await Array.fromAsync(from, takeIn)).flat();
}

function summed(taken: readonly FileResult[], moved: ReadonlyMap<string, string>) {
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

async function lookIntoInbox({ workspace, only }: TakeInContext) {
  const nothing = { files: [], closed: [], odd: [] };
  const problem = await inboxProblem(workspace);
  if (problem !== null) return { ...nothing, inboxAway: problem };
  try {
    const dropped = await listDropped(workspace.inbox);
    const isMeant = ({ name }: { name: string }) => only === undefined || only.has(join(workspace.inbox, name));
    return {
      files: dropped.files,
      closed: dropped.closed.filter(isMeant),
      odd: dropped.odd.filter(isMeant),
      inboxAway: null,
    };
  } catch (failure) {
    return { ...nothing, inboxAway: `The inbox ${workspace.inbox} cannot be listed: ${messageOf(failure)}` };
  }
}

export async function settleUnlessStopped(
  files: readonly DroppedFile[],
  context: Pick<TakeInContext, 'settleMs' | 'clock' | 'sleep' | 'signal'>,
) {
  return awaitSettled(files, context.settleMs, context, context.signal).catch((failure: unknown) => {
    if (context.signal.aborted) return { settled: [], settling: files };
    throw failure;
  });
}

/**
 * As the file was then; moves, holds and writes nothing. `context.clock` is at the time of archiving. Null if all of
 * its content is already recorded.
 */
export async function takeInArchived(
  file: ClaimedFile & Readonly<{ hash: string; archivedAs: string }>,
  context: TakeInContext,
) {
  const readings = await context.ledger.readingsOf(file.hash);
  const { file: recorded, isKnown, answers } = await recordRows(file, file, context, { isArchived: true, readings });
  if (answers !== null) await recordAnswers(answers, { from: file.sender, by: displayName(file) }, context);
  if (isKnown) return null;
  if (recorded === null) throw new Error('a file was held without a limit');
  await context.ledger.markArchived(recorded.id, file.archivedAs);
  return recorded;
}

/**
 * On a scratch ledger: moves, holds and writes nothing. Already recorded content adds nothing. Throws
 * UnreadableFileError.
 */
export async function takeInDry(file: ClaimedFile, context: RecordContext, hear: RowListener) {
  const hash = await sha256OfFile(file.path).catch(() => '');
  const readings = await context.ledger.readingsOf(hash);
  const content = { path: file.path, hash };
  // Reports no row before it is clear that a run would read them again.
  const isKnown =
    readings.length > 0 && (await recordRows(file, content, context, { readings, isRehearsed: true })).isKnown;
  const taken = await recordRows(file, content, context, isKnown ? { hear, isRehearsed: true } : { readings, hear });
  return { hash, before: readings[0] ?? null, ...taken, isKnown };
}

async function takeInOne(name: string, context: TakeInContext, claimIt: () => Promise<ClaimedFile | null>) {
  await context.lock?.check('now');
  const one = await containingFaults(name, async () => {
    const claimed = await claimIt();
    if (claimed === null) return null;
    const taken = await takeInClaimed(claimed, context);
    await removeEmptyFolder(claimed, context.workspace);
    return taken;
  });
  return one === null ? [] : [one];
}

async function takeInClaimed(claimed: ClaimedFile, context: TakeInContext) {
  let snapshot: Snapshot | null = null;
  try {
    snapshot = await takeSnapshot(claimed, context.workspace);
    const readings = await context.ledger.readingsOf(snapshot.hash);
    const interrupted = readings.find(({ archivedAs }) => archivedAs === null);
    if (interrupted !== undefined)
      return await finishRecorded(claimed, snapshot, { file: interrupted, repeats: 0, remarks: [] }, context);
    const { file, reasons, repeats, isKnown, questions, answers } = await recordRows(claimed, snapshot, context, {
      readings,
    });
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
    if (file !== null && known !== undefined) await retireCorrections(context);
    if (file !== null) {
      const again = known === undefined ? null : noteFor('read-again', { before: describeTakenIn(known) });
      const asks =
        questions.length === 0
          ? null
          : composeQuestionNote(questions, await askAbout(claimed, snapshot.hash, questions, context));
      const remarks = [again, asks].filter((one) => one !== null);
      return await finishRecorded(claimed, snapshot, { file, repeats, remarks }, context);
    }
    const held = await holdFile(claimed, snapshot, reasons, context);
    await dropSnapshot(snapshot);
    return held;
  } catch (failure) {
    if (failure instanceof ExternalStopError || (context.signal.aborted && failure === context.signal.reason))
      return leftForNextRun(displayName(claimed), noteFor('run-stopped/taking-in'));
    if (!(failure instanceof UnreadableFileError)) throw failure;
    const taken =
      failure.code === DECISIONS_FILE_CODE
        ? await leaveToDecisions(claimed, context.workspace)
        : await setFileAside(claimed, failure, context);
    if (snapshot !== null) await dropSnapshot(snapshot);
    return taken;
  }
}

async function leaveToDecisions(claimed: ClaimedFile, { processing }: Workspace) {
  await moveToFreeName(claimed.path, await senderFolder(processing, DECISIONS_FOLDER), claimed.name);
  return fileResult('processed', displayName(claimed), [noteFor('holds-decisions')]);
}

async function writeLost(context: TakeInContext, readings: readonly FileRecord[]) {
  let wrote = false;
  for (const file of readings) wrote = (await writeLostCorrections(context, file)) || wrote;
  return wrote;
}

async function finishRecorded(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  { file, repeats, remarks }: Readonly<{ file: FileRecord; repeats: number; remarks: readonly Note[] }>,
  context: TakeInContext,
) {
  await writePendingCorrections(context, file);
  const rows = {
    read: file.rowsAccepted + file.rowsRejected,
    accepted: file.rowsAccepted,
    rejected: file.rowsRejected,
  };
  const corrections = await context.ledger.correctionsOf(file.id);
  for (const { code, text } of file.notes)
    if (isNewsNote(code)) await context.ledger.addNews(code, `${file.name}: ${text}`);
  await archiveClaimedFile(claimed, snapshot, file, context);
  context.log.info('file recorded', { file: file.id, ...rows });
  const reasons = [
    rows.read === 0 ? note('no-rows', 'It has no rows of data below its header.') : null,
    ...file.notes.filter(({ code }) => NEEDS_A_LOOK.has(code)),
    ...remarks,
  ].filter((reason) => reason !== null);
  const notes = file.notes.filter((one) => !reasons.includes(one));
  return fileResult('processed', displayName(claimed), reasons, { rows, corrections, repeats, notes });
}

const NEEDS_A_LOOK = new Set([...UNREAD_ORDERS, ORIGINAL_NOT_DROPPED, 'ordered-under-another-number']);
