import { stat } from 'node:fs/promises';
import { messageOf } from '../domain/errors.ts';
import { formatCount } from '../domain/text.ts';
import type { RunContext } from '../domain/ports.ts';
import { note } from '../domain/row.ts';
import type { FileWorker } from '../intake/read-orders.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { DecisionsResult } from '../ledger/ledger.ts';
import { ExternalStopError } from '../ops/guarded-process.ts';
import { listDropped } from '../ops/list-inbox.ts';
import { inboxProblem } from '../ops/workspace.ts';
import {
  archiveClaimedFile,
  archiveAgain,
  claimFile,
  claimLeftover,
  type ClaimedFile,
  containingFaults,
  dropSnapshot,
  type FilingContext,
  removeEmptyFolder,
  leftForNextRun,
  inboxName,
  recordWithoutRows,
  setFileAside,
  displayName,
  STILL_WRITTEN,
  fileResult,
  takeSnapshot,
} from './claimed-files.ts';
import { notesOnReport, settleUnlessStopped } from './take-in.ts';

// docs/decisions/0012. They hold up no delivery.

export type DecisionsContext = FilingContext &
  Pick<RunContext, 'sleep' | 'signal'> &
  Readonly<{ settleMs: number; files: Pick<FileWorker, 'readDecisions'> }>;

export type DecisionsReport = Readonly<Awaited<ReturnType<typeof takeInDecisions>>>;

/** Takes in workbooks and files of decisions. Each step can be repeated after a kill. */
export async function takeInDecisions(context: DecisionsContext) {
  const { workspace, signal } = context;
  const taken = [];
  const left = await oldestFirst((await listDropped(workspace.processing, 'decisions')).files);
  for (const file of left) taken.push(await takeOne(inboxName(file), context, () => claimLeftover(file)));
  const { files, closed, odd } = await listedIn(context);
  const { settled, settling } = await settleUnlessStopped(files, context);
  for (const file of await oldestFirst(settled))
    if (!signal.aborted) taken.push(await takeOne(inboxName(file), context, () => claimFile(file, workspace)));
  const notTaken = [
    ...settling.map((file) => ({ name: inboxName(file), code: STILL_WRITTEN.code, reason: STILL_WRITTEN.text })),
    ...closed,
    ...odd,
  ];
  const done = taken.filter((one) => one !== null);
  return {
    notes: [
      ...done.map(({ report: { name, codes, reason }, notes = [] }) => ({
        name,
        notes: reason === null ? notes : [note(codes[0] ?? '', reason), ...notes],
      })),
      ...notTaken.map(notesOnReport),
    ],
    faults: done.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
  };
}

/** Sorted by the time when they were saved: the latest decision counts, and file names do not show it. */
async function oldestFirst<F extends { readonly path: string }>(files: readonly F[]) {
  const saved = await Promise.all(
    files.map(async (file) => ({ file, at: (await stat(file.path).catch(() => null))?.mtimeMs ?? 0 })),
  );
  return saved.toSorted((a, b) => a.at - b.at).map(({ file }) => file);
}

async function listedIn({ workspace, log }: DecisionsContext) {
  const nothing = { files: [], closed: [], odd: [] };
  if ((await inboxProblem(workspace)) !== null) return nothing;
  return listDropped(workspace.inbox, 'decisions').catch((failure: unknown) => {
    log.warn('the folder of decisions cannot be listed', { why: messageOf(failure) });
    return nothing;
  });
}

function takeOne(name: string, context: DecisionsContext, claiming: () => Promise<ClaimedFile | null>) {
  return containingFaults(name, async () => {
    const claimed = await claiming();
    if (claimed === null) return null;
    try {
      return await takeClaimed(claimed, context);
    } catch (failure) {
      if (failure instanceof ExternalStopError || context.signal.aborted)
        return leftForNextRun(name, note('run-stopped', 'The run was stopped; the next one takes it in.'));
      if (!(failure instanceof UnreadableFileError)) throw failure;
      return await setFileAside(claimed, failure, context, 'no decision in it was taken');
    } finally {
      await removeEmptyFolder(claimed, context.workspace);
    }
  });
}

async function takeClaimed(claimed: ClaimedFile, context: DecisionsContext) {
  const { ledger, workspace, log, files } = context;
  const name = displayName(claimed);
  const snapshot = await takeSnapshot(claimed, workspace);
  try {
    const taken = await ledger.recordDecisions({ file: name, ...(await files.readDecisions(snapshot.path, name)) });
    const notes = notesOnDecisions(taken);
    const file = await recordWithoutRows(claimed, snapshot.hash, ledger);
    if (file.archivedAs === null) await archiveClaimedFile(claimed, snapshot, file, context);
    else await archiveAgain(claimed, snapshot, context);
    for (const { code, text } of notes)
      if (code === PROJECTS_UNKNOWN) await ledger.addNews(PROJECTS_UNKNOWN, `${name}: ${text}`);
    log.info('decisions taken in', { taken: taken.taken, unknown: taken.unknown.length });
    return fileResult('processed', name, [], { notes });
  } finally {
    await dropSnapshot(snapshot);
  }
}

/** Returns how many were new. Throws UnreadableFileError. */
export async function takeInArchivedDecisions(
  file: ClaimedFile & Readonly<{ hash: string; archivedAs: string; archivedAt: number }>,
  { ledger, files }: DecisionsContext,
) {
  const name = displayName(file);
  const { taken } = await ledger.recordDecisions({
    file: name,
    ...(await files.readDecisions(file.path, name)),
    takenInAt: file.archivedAt,
  });
  await ledger.markArchived((await recordWithoutRows(file, file.hash, ledger, file.archivedAt)).id, file.archivedAs);
  return taken;
}

const NAMED_MAX = 5;
const PROJECTS_UNKNOWN = 'projects-unknown';

function notesOnDecisions({ taken, ...projects }: DecisionsResult) {
  const about = (code: string, what: string, ids: readonly string[]) => {
    const more = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : '';
    const names = `${ids.length === 1 ? 'project' : 'projects'} ${ids.slice(0, NAMED_MAX).join(', ')}${more}`;
    return ids.length === 0 ? [] : [note(code, `${what}: ${names}.`)];
  };
  return [
    taken === 0
      ? note('no-new-decision', 'It holds no new decision.')
      : note('decisions-taken', `${formatCount(taken, 'decision')} recorded, notes included.`),
    ...about('decisions-replaced', 'Replaces another person’s decision', projects.replaced),
    ...about('decisions-superseded', 'Not taken, because it was replaced since', projects.superseded),
    ...about(PROJECTS_UNKNOWN, 'No such project is on record, so not recorded', projects.unknown),
  ];
}
