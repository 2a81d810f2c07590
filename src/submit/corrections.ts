import { lstat, rm } from 'node:fs/promises';
import { basename, dirname, join, parse, relative } from 'node:path';
import { rowProblem } from '../domain/row.ts';
import type { FileWorker } from '../intake/read-orders.ts';
import type { Ledger, FileRecord, StoredRow } from '../ledger/ledger.ts';
import { exists, makeFolder, moveToFreeName, temporaryName } from '../ops/durable-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import { ProcessError } from '../ops/guarded-process.ts';
import { hasCode, isSystemError } from '../domain/errors.ts';
import type { Workspace } from '../ops/workspace.ts';
import { type FilingContext, pathIn, senderFolder } from './claimed-files.ts';

type CorrectionsContext = Readonly<{ ledger: Ledger; workspace: Workspace; files: FileWorker }>;

/** Returns the faults of single files. */
export async function writeAllPendingCorrections(context: CorrectionsContext) {
  const faults = [];
  for (const file of await context.ledger.filesToCorrect()) {
    try {
      await writePendingCorrections(context, file);
    } catch (failure) {
      if (!(failure instanceof ProcessError)) throw failure;
      faults.push(failure);
    }
  }
  return faults;
}

/** The next run repeats it after a crash. */
export async function writePendingCorrections(context: CorrectionsContext, file: FileRecord) {
  const { ledger, workspace, files } = context;
  const ids = [];
  let refusals = 0;
  for await (const row of ledger.rowsToCorrect(file.id)) {
    ids.push(row.id);
    if (row.refusal !== null) refusals += 1;
  }
  if (ids.length === 0) return;
  const building = temporaryName(join(workspace.state, 'corrections', `${file.hash}.xlsx`));
  await makeFolder(dirname(building));
  await files.writeCorrections(
    building,
    {
      file: { name: file.name, hash: file.hash },
      layouts: file.layouts,
      rows: () => problemsOf(ledger.rowsToCorrect(file.id)),
    },
    ids.length,
  );
  const folder = await senderFolder(workspace.corrections, file.sender);
  const written = await placeCorrections(building, folder, file.name, refusals === ids.length ? 'refused' : 'to fix');
  await ledger.markCorrected(file.id, ids, pathIn(workspace, written));
  await rm(building, { force: true });
}

/** Returns true if an open row's workbook was missing or empty. */
export async function writeLostCorrections(context: CorrectionsContext, file: FileRecord) {
  let lost = 0;
  for (const { fileId, corrections } of await context.ledger.waitingRows()) {
    if (fileId !== file.id || corrections === null) continue;
    const found = await lstat(join(context.workspace.root, corrections)).catch(() => null);
    if (found !== null && found.size > 0) continue;
    await context.ledger.markWorkbookLost(file.id, corrections);
    lost += 1;
  }
  if (lost > 0) await writePendingCorrections(context, file);
  return lost > 0;
}

const ENDING = /(?<!\s)\s+-\s+(?:to fix|refused)(?:\s+(?<round>\d{1,2}))?(?:\s*\(\d{1,4}\))*$/i;

/** `base`: the name without folder, extension and our endings. */
export function withoutEnding(fileName: string) {
  let base = parse(fileName).name;
  let rounds = 0;
  for (let found = ENDING.exec(base); found !== null; found = ENDING.exec(base)) {
    base = base.slice(0, found.index);
    rounds += Number(found.groups?.['round'] ?? 1);
  }
  return { base, rounds };
}

type Kind = 'to fix' | 'refused';

/** `a - to fix 2.xlsx` for `a - to fix.xlsx`. `taken`: how many names of the kind are. */
export function correctionsName(fileName: string, kind: Kind, taken = 0) {
  const { base, rounds } = withoutEnding(fileName);
  const number = rounds + taken;
  return `${safeFileName(base)} - ${kind}${number === 0 ? '' : ` ${number + 1}`}.xlsx`;
}

export async function placeCorrections(building: string, folder: string, fileName: string, kind: Kind) {
  let taken = 0;
  while (await exists(join(folder, correctionsName(fileName, kind, taken)))) taken += 1;
  return moveToFreeName(building, folder, correctionsName(fileName, kind, taken));
}

/**
 * Those without open rows; missing ones went into the inbox or the archive. Returns old path → new path, relative to
 * the workspace.
 */
export async function retireCorrections({ ledger, workspace, log }: Omit<FilingContext, 'clock'>) {
  const paths = new Map<string, string>();
  const done = join(workspace.corrections, 'done');
  for (const { id, path, isReplaced } of await ledger.workbooksDone()) {
    const from = join(workspace.root, path);
    const folder = join(done, relative(workspace.corrections, dirname(from)));
    const liesHere = from.startsWith(join(workspace.corrections, '/')) && !from.startsWith(join(done, '/'));
    const isToMove = liesHere && !isReplaced && (await lstat(from).catch(() => null))?.isFile() === true;
    try {
      if (isToMove) await makeFolder(folder);
      const moved = isToMove ? pathIn(workspace, await moveToFreeName(from, folder, basename(from))) : null;
      await ledger.markWorkbookDone(id, moved);
      if (moved !== null) paths.set(path, moved);
    } catch (failure) {
      if (!isSystemError(failure) || hasCode(failure, 'ENOSPC', 'EDQUOT')) throw failure;
      log.warn('a corrections workbook that is done could not be moved', {
        workbook: id,
        code: (failure as NodeJS.ErrnoException).code,
      });
    }
  }
  return paths;
}

async function* problemsOf(rows: AsyncIterable<StoredRow & { readonly refusal: string | null }>) {
  for await (const { record, problems, repairs, refusal } of rows) {
    yield {
      record,
      repairs,
      problems:
        refusal === null
          ? problems
          : [rowProblem('error', 'refused-by-the-service', `The service refused this order: ${refusal}`), ...problems],
    };
  }
}
