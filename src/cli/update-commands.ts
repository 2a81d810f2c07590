import { stat } from 'node:fs/promises';
import { localDay } from '../domain/day.ts';
import { COMMENT_LENGTH_MAX, isoDate } from '../contract/document.ts';
import { usageError, usageErrorOf } from '../domain/errors.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { UpdateKind, UpdateRequest } from '../ledger/ledger.ts';
import { systemClock } from '../ops/system.ts';
import { writeReceipts } from '../results/deliver/receipts.ts';
import { parseProjectReference } from '../update/find-project.ts';
import { CLEAR_WORD } from '../update/read-update-file.ts';
import { runUpdates, settleOpenUpdates, type UpdateReport } from '../update/update-run.ts';
import { IsolatedFileWorker } from '../night/isolated-file-worker.ts';
import { exitCodeOfUpdates } from '../night/exit-codes.ts';
import { finishRun, inRunSession, requireService, type RunSession } from '../night/run-session.ts';
import { countsInWords, tableOf } from './terminal.ts';

type UpdateFlags = Readonly<{
  workspace: string;
  comment?: string;
  withoutFiles?: boolean;
  policyNumber?: string;
  effectiveDate?: string;
  dryRun?: boolean;
}>;

/**
 * `named`: files, project ids, policy or inspection numbers. First finishes what an earlier run left open. Throws
 * ExplainedError (2, 4, 5).
 */
export async function updateCommand(kind: UpdateKind, named: readonly string[], flags: UpdateFlags) {
  const request = requestOf(kind, flags);
  const { comment = '' } = flags;
  if (comment.length > COMMENT_LENGTH_MAX)
    throw usageErrorOf('comment-too-long', { length: comment.length, max: COMMENT_LENGTH_MAX });
  const { files, names } = await sorted(named, request);
  return inRunSession(flags.workspace, kind, async (session, stop) => {
    requireService(session, 'Nothing was sent.');
    const wanted = [...(await wantedIn(files, kind, flags, session, stop.signal)), ...names];
    const dryRun = flags.dryRun === true;
    const settled = dryRun ? [] : await settleOpenUpdates(session);
    const updates = await runUpdates(wanted, session, { dryRun });
    if (!dryRun && stop.by === null) await writeReceipts(session);
    const exitCode = exitCodeOfUpdates([...settled, ...updates], stop.by);
    const counts = countsOf(updates);
    const summary = { run: session.run, command: kind, dryRun, exitCode, counts, updates, settled };
    await finishRun(session, exitCode, { command: kind, dryRun, counts });
    return { exitCode, json: summary, text: describeUpdates(summary) };
  });
}

function requestOf(kind: UpdateKind, { comment, withoutFiles = false, policyNumber, effectiveDate }: UpdateFlags) {
  const withComment = comment === undefined ? {} : { comment };
  switch (kind) {
    case 'cancel':
      return { kind, ...withComment };
    case 'receive':
      return { kind, withoutFiles, ...withComment };
    case 'amend': {
      const [number, date] = [valueOf(policyNumber), valueOf(effectiveDate)];
      if (date !== undefined && date !== '' && !isoDate.safeParse(date).success)
        throw usageErrorOf('not-a-date', { date });
      if (number === undefined && date === undefined) return null;
      return {
        kind,
        ...(number !== undefined && { policyNumber: number }),
        ...(date !== undefined && { policyEffectiveDate: date }),
      };
    }
  }
}

async function sorted(named: readonly string[], request: UpdateRequest | null) {
  const files = [];
  const names = [];
  for (const text of named) {
    const found = await stat(text).catch(() => null);
    if (found?.isDirectory()) throw usageErrorOf('not-a-file/folder', { text });
    if (found !== null) files.push(text);
    else if (/\.(?:xlsx|xlsm|csv|tsv|txt)$/i.test(text)) throw usageErrorOf('file-not-found/update', { text });
    else if (request === null) throw usageErrorOf('amendment-empty', { text });
    else names.push({ names: [parseProjectReference(text)], request, source: null, problems: [] });
  }
  return { files, names };
}

async function wantedIn(
  files: readonly string[],
  kind: UpdateKind,
  { comment, withoutFiles = false }: UpdateFlags,
  { config, log }: RunSession,
  signal: AbortSignal,
) {
  const headers = Object.fromEntries(config.intake.headers);
  const options = { kind, headers, today: localDay(systemClock.now()), comment, withoutFiles };
  const desk = new IsolatedFileWorker(signal, log);
  try {
    return (await Array.fromAsync(files, (file) => desk.readUpdates(file, options))).flat();
  } catch (failure) {
    if (signal.aborted) return [];
    if (!(failure instanceof UnreadableFileError)) throw failure;
    throw usageError('update-file-unusable', failure.message, 'Nothing was sent.', failure);
  }
}

function countsOf(updates: readonly UpdateReport[]) {
  const counts = { done: 0, already: 0, 'would-send': 0, rejected: 0, refused: 0, unresolved: 0, waiting: 0 };
  for (const { outcome } of updates) counts[outcome] += 1;
  return counts;
}

function describeUpdates({
  updates,
  settled,
  counts,
  dryRun,
}: Readonly<{ dryRun: boolean; counts: object } & Record<'updates' | 'settled', readonly UpdateReport[]>>) {
  return [
    ...(settled.length === 0 ? [] : [`Left open by an earlier run:\n${updateTable(settled)}`]),
    ...(updates.length === 0 ? [] : [updateTable(updates)]),
    `${dryRun ? 'Dry run, nothing was sent: ' : ''}${countsInWords(counts, 'nothing to do')}.`,
  ].join('\n\n');
}

export function updateTable(reports: readonly UpdateReport[]) {
  return tableOf(reports, {
    'Asked for': ({ source, named }) => (source === null ? named : `${source.file} row ${source.rowNumber}`),
    Project: 'project',
    Property: 'property',
    Before: 'before',
    Outcome: 'outcome',
    Now: 'after',
    Why: 'reason',
  });
}

/** An empty text may be a script's mistake, so a word clears the field. */
function valueOf(flag: string | undefined) {
  if (flag === undefined) return undefined;
  const text = flag.trim();
  if (text === '') throw usageErrorOf('amendment-empty/2', { CLEAR_WORD });
  return text.toLowerCase() === CLEAR_WORD ? '' : text;
}
