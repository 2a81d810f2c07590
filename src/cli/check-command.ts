import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, isSystemError, usageErrorOf } from '../domain/errors.ts';
import { holdsFile } from '../domain/layout.ts';
import { silentLog } from '../domain/ports.ts';
import { note } from '../domain/row.ts';
import type { RowToFix } from '../intake/corrections/sheet-plan.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { FileTransaction, FileRecord, NewRow } from '../ledger/ledger.ts';
import { isScratch, createScratchLedger } from '../ledger/scratch-ledger.ts';
import { loadConfig, type Config } from '../ops/config.ts';
import { listDropped } from '../ops/list-inbox.ts';
import { systemClock } from '../ops/system.ts';
import { TextSpool } from '../ops/text-spool.ts';
import { type Workspace, workspaceAt } from '../ops/workspace.ts';
import { placeCorrections } from '../submit/corrections.ts';
import { composeQuestionNote, RECEIPT_DROPPED, writeQuestion } from '../submit/ask-layout.ts';
import { DuplicateForecast, type RowForecast } from '../submit/duplicate-forecast.ts';
import {
  type ClaimedFile,
  describeTakenIn,
  pathIn,
  senderFolder,
  senderOf,
  displayName,
} from '../submit/claimed-files.ts';
import { intakeSettings } from '../submit/hold.ts';
import type { RecordContext, RowEvent } from '../submit/record-rows.ts';
import { sentence } from '../domain/sentences.ts';
import { takeInDry } from '../submit/take-in.ts';
import {
  type CheckedFile,
  checkedFilesJson,
  describeFile,
  forecastEntry,
  type ForecastLookup,
  ordersNamedIn,
  RowLines,
  UNREADABLE_FILE,
} from './check-report.ts';
import { fileAt, ledgerToAnswer, readToConfirm, recordConfirmation } from './confirm-command.ts';
import { askByKeys } from './confirm-keys.ts';
import { exitCodeOfCheck } from '../night/exit-codes.ts';
import { IsolatedFileWorker, rowsOfText } from '../night/isolated-file-worker.ts';
import { openDryLedger, openReadOnly } from '../night/dry-ledger.ts';
import { makeScratchFolder } from '../night/scratch.ts';

/** On a scratch ledger over the workspace's: sends and records nothing. */
export async function checkCommand(
  paths: readonly string[],
  workspaceDir: string,
  { withJson, confirms = false }: { withJson: boolean; confirms?: boolean },
) {
  const workspace = workspaceAt(workspaceDir);
  if (confirms) {
    await confirmByKeys(paths, workspace);
    return checkCommand(paths, workspaceDir, { withJson });
  }
  const toCheck = await filesToCheck(paths, workspace);
  using opened = new DisposableStack();
  const { signal } = opened.adopt(new AbortController(), (reading) => reading.abort());
  const files = new IsolatedFileWorker(signal, silentLog);
  for (const { path } of toCheck.slice(0, 1)) await files.expect(path);
  const config = await loadConfig(workspace.root);
  const { path: scratch } = opened.use(await makeScratchFolder());
  const now = systemClock.now();
  const clock = { now: () => now };
  await using onRecord = await openReadOnly(workspace, scratch);
  await using dry = openDryLedger(scratch, onRecord, 'scratch', clock);
  const context = {
    config,
    workspace,
    files,
    clock,
    ledger: createScratchLedger(dry, onRecord),
    forecast: new DuplicateForecast(onRecord, config.submit, now),
    isNew: onRecord === null,
    scratch,
    putAside: (name: string) => opened.use(new TextSpool(join(scratch, name))),
    withJson,
  };
  const checked: CheckedFile[] = [];
  for (const file of toCheck) checked.push(await checkFile(file, checked.length, context));
  const exitCode = exitCodeOfCheck(checked);
  const text = checked.map(describeFile).join('\n\n');
  const result = { exitCode, text, json: undefined };
  if (!withJson) return result;
  const kept = opened.move();
  const jsonText = function* () {
    using _ = kept;
    yield* checkedFilesJson(checked, exitCode);
  };
  return { ...result, jsonText };
}

async function confirmByKeys(paths: readonly string[], workspace: Workspace) {
  if (!process.stdin.isTTY) throw usageErrorOf('terminal-missing');
  const toCheck = await filesToCheck(paths, workspace);
  await using ledger = await ledgerToAnswer(workspace);
  for (const file of toCheck) {
    await using reading = await readToConfirm(file, { ledger, workspace });
    const said = [];
    for (const question of reading.questions) {
      const columns = await askByKeys(question, process.stdin, process.stderr);
      if (columns === null) return;
      said.push({ question, columns });
    }
    await recordConfirmation(file, said, ledger, 'check --confirm');
  }
}

/** A folder means the files that a run would take from it. Throws ExplainedError (2) if there are none. */
async function filesToCheck(paths: readonly string[], workspace: Workspace) {
  const missing = [];
  const empty = [];
  const files = new Map<string, ClaimedFile>();
  for (const given of paths) {
    const path = resolve(given);
    const found = await stat(path).catch(() => null);
    const add = (file: ClaimedFile) => files.set(file.path, file);
    if (found === null) missing.push(given);
    else if (found.isDirectory()) {
      const inside = (await listDropped(path)).files;
      if (inside.length === 0) empty.push(given);
      for (const file of inside) add({ ...fileAt(file.path, workspace), sender: senderOf(file.folder) });
    } else if (found.isFile()) add(fileAt(path, workspace));
    else throw usageErrorOf('not-a-file', { given });
  }
  if (missing.length > 0) throw usageErrorOf('file-not-found', { missing: missing.join(', ') });
  if (files.size === 0) throw usageErrorOf('no-file-in-folder', { empty: empty.join(', ') });
  return [...files.values()];
}

type CheckContext = Pick<RecordContext, 'files' | 'clock' | 'ledger'> &
  Readonly<{
    config: Config;
    workspace: Workspace;
    forecast: DuplicateForecast;
    /** Nothing has run yet, so no answer can be recorded. */
    isNew: boolean;
    scratch: string;
    putAside: (name: string) => TextSpool;
    withJson: boolean;
  }>;

function isAboutFolder(failure: unknown, folder: string) {
  return (
    failure instanceof Error &&
    'dest' in failure &&
    typeof failure.dest === 'string' &&
    dirname(failure.dest).startsWith(folder)
  );
}

async function checkFile(file: ClaimedFile, number: number, context: CheckContext) {
  const expected = context.forecast.count;
  try {
    return await checkRows(file, number, context);
  } catch (failure) {
    context.forecast.takeBack(expected);
    const unread = (code: string, reason: string) => ({
      ...UNREADABLE_FILE,
      name: displayName(file),
      codes: [code],
      reason,
    });
    if (failure instanceof UnreadableFileError) return unread(failure.code, failure.message);
    if (isSystemError(failure) && !isAboutFolder(failure, context.workspace.corrections))
      return unread('file-not-accessible', `It cannot be opened: ${messageOf(failure)}`);
    throw failure;
  }
}

function listRows(number: number, { config, forecast: forecasts, ...context }: CheckContext) {
  const putAside = (list: string) => context.putAside(`${number}-${list}`);
  const lists = context.withJson
    ? { forecast: putAside('forecast'), problems: putAside('problems'), repairs: putAside('repairs') }
    : null;
  const rows = { read: 0, accepted: 0, rejected: 0 };
  const found = { rows, lines: new RowLines(), lists, repaired: 0, rejected: null as TextSpool | null };

  async function hear(events: readonly RowEvent[], earlier: FileTransaction) {
    const valid = events.flatMap(({ read, decision }) =>
      read.kind === 'rejection' || decision === null ? [] : [[read, decision] as const],
    );
    await forecasts.expect(valid);
    const heard = events.map(({ row, read, decision }) => ({
      row,
      forecast:
        read.kind === 'rejection' || decision === null
          ? null
          : { decision, service: forecasts.answerTo(read, decision, row.orderId) },
    }));
    const places = await earlier.placesOfOrders(heard.flatMap(({ forecast }) => ordersNamedIn(forecast)));
    const lookup: ForecastLookup = {
      placeOfOrder: ({ id }) => places.get(id) ?? null,
      statusOfProject: (projectId) => earlier.statusOfProject(projectId),
    };
    for (const { row, forecast } of heard) add(row, forecast, lookup);
  }

  function add(row: NewRow, forecast: RowForecast | null, lookup: ForecastLookup) {
    const { record, outcome, problems, repairs } = row;
    rows.read += 1;
    if (row.dismissedIn !== undefined) return;
    rows[outcome === 'rejection' ? 'rejected' : 'accepted'] += 1;
    found.repaired += repairs.length;
    found.lines.add(row, forecast, config.submit, lookup);
    if (outcome === 'rejection') {
      found.rejected ??= putAside('rejected');
      found.rejected.append(JSON.stringify({ record, problems, repairs }));
    }
    if (lists === null) return;
    const place = { sheet: record.place.sheet, row: record.place.rowNumber };
    if (problems.length > 0) lists.problems.append(JSON.stringify({ ...place, problems }));
    for (const repair of repairs) lists.repairs.append(JSON.stringify({ ...repair, ...place }));
    if (forecast !== null)
      lists.forecast.append(JSON.stringify(forecastEntry(place, forecast, row, config.submit, lookup)));
  }

  return { found, hear };
}

async function checkRows(file: ClaimedFile, number: number, context: CheckContext): Promise<CheckedFile> {
  const { config, workspace, ledger, files, clock, scratch } = context;
  const name = displayName(file);
  const { found, hear } = listRows(number, context);
  const expected = context.forecast.count;
  const settings = { ...intakeSettings(config.intake), ledger, files, clock, rules: config.submit };
  const taken = await takeInDry(file, settings, hear);
  const { before, isKnown, hash, reasons, layouts, notes, questions, columnDescriptions, answers } = taken;
  if (answers?.length === 0) throw new UnreadableFileError(RECEIPT_DROPPED.code, RECEIPT_DROPPED.text);
  if (answers !== null) throw new UnreadableFileError('answer-to-a-question', sentence('answer-to-a-question'));
  if (taken.file === null) context.forecast.takeBack(expected);
  const why = reasons.map(({ sentence }) => sentence).join(' ');
  const held = note('would-be-held', sentence('would-be-held', { why }));
  const workbook = questions.length === 0 ? null : await writeQuestion(file, hash, questions, context);
  if (questions.some(holdsFile)) {
    context.forecast.takeBack(expected);
    return {
      ...UNREADABLE_FILE,
      name,
      outcome: 'to-confirm',
      corrections: workbook,
      codes: ['layout-asked'],
      columnDescriptions,
      notes,
      reason: sentence('layout-asked/check', {
        workbook: workbook ?? '',
        or: context.isNew ? '' : ', or here with --confirm',
      }),
    };
  }
  const { rejected, ...shown } = found;
  const writeCorrections = async (spool: TextSpool) => {
    const building = join(scratch, `${number}-corrections.xlsx`);
    const corrections = { file: { name, hash }, layouts, rows: () => rejectedRows(spool) };
    await files.writeCorrections(building, corrections, shown.rows.rejected);
    const folder = await senderFolder(workspace.corrections, file.sender);
    return pathIn(workspace, await placeCorrections(building, folder, file.name, 'to fix'));
  };
  return {
    ...shown,
    name,
    outcome: 'checked',
    columnDescriptions,
    corrections: isKnown ? null : rejected && (await writeCorrections(rejected)),
    codes: [],
    reason: null,
    notes: [
      ...notes,
      workbook === null ? null : composeQuestionNote(questions, workbook),
      before && cameBefore(before, isKnown),
      reasons.length === 0 ? null : held,
    ].filter((one) => one !== null),
  };
}

function cameBefore(before: FileRecord, isKnown: boolean) {
  const would = isKnown ? 'a run would do nothing with it' : sentence('check/taken-in');
  return note(
    isKnown ? 'known-content' : 'read-again',
    isScratch(before) ? `Its content is that of ${before.name}: ${would}.` : `${describeTakenIn(before)}: ${would}.`,
  );
}

async function* rejectedRows(spool: TextSpool) {
  for (const text of spool.texts()) yield* rowsOfText(`[${text}]`) as readonly RowToFix[];
}
