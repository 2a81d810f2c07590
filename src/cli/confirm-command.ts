import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { localDay } from '../domain/day.ts';
import { formatList, quoted } from '../domain/cells.ts';
import { usageError, usageErrorOf } from '../domain/errors.ts';
import { proposedColumns, type LayoutAnswer, type LayoutQuestion } from '../domain/layout.ts';
import { silentLog } from '../domain/ports.ts';
import { escapeLine } from '../domain/text.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { IsolatedFileWorker } from '../night/isolated-file-worker.ts';
import { loadConfig } from '../ops/config.ts';
import { systemClock } from '../ops/system.ts';
import { nothingOnRecord, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { answerLayout, knownLayouts, questionsWithFiles, recordAnswers } from '../submit/ask-layout.ts';
import { type ClaimedFile, displayName, senderOf } from '../submit/claimed-files.ts';
import { intakeSettings, settingsFor } from '../submit/hold.ts';
import { ledgerCondition, ledgerError } from '../upkeep/guarded-ledger.ts';
import { openAt } from '../upkeep/ledger-place.ts';
import { success } from './terminal.ts';

type Question = Awaited<ReturnType<typeof questionsWithFiles>>[number];

/** Throws ExplainedError (2) if no question is open about the file. */
export async function confirmCommand(file: string, takesProposals: boolean, workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  await using ledger = await ledgerToAnswer(workspace);
  const context = { ledger, workspace };
  const asked = (await questionsWithFiles(context)).filter((record) => isNamed(record, file));
  if (takesProposals && asked.length > 0) {
    refuseIncomplete(asked.map(({ question }) => question));
    for (const record of asked)
      if (record.question !== null)
        await answerLayout(
          record,
          proposedColumns(record.question.columns),
          `${person()} (confirm --as-proposed)`,
          context,
        );
    return confirmed(file, asked);
  }
  const workbook = asked[0]?.workbook ?? null;
  const path = workbook === null ? resolve(file) : join(workspace.root, workbook);
  if ((await stat(path).catch(() => null)) === null) throw nothingAsked(file);
  try {
    const dropped = fileAt(path, workspace);
    await using reading = await readToConfirm(dropped, context);
    const { answers, questions } = reading;
    if (answers?.length) await recordAnswers(answers, { from: '', by: `${person()} (confirm)` }, context);
    else if (takesProposals && questions.length > 0) {
      refuseIncomplete(questions);
      await recordConfirmation(
        dropped,
        questions.map((question) => ({ question, columns: proposedColumns(question.columns) })),
        ledger,
        'confirm --as-proposed',
      );
    } else throw nothingAsked(file);
  } catch (failure) {
    if (failure instanceof UnreadableFileError) throw usageError('answer-not-taken', failure.message);
    throw failure;
  }
  return confirmed(file, asked);
}

function confirmed(file: string, asked: readonly Question[]) {
  const files = [...new Set(asked.flatMap((record) => record.files))];
  return success(sentence('confirm/confirmed', { files: files.join(', ') || file }), {
    confirmed: asked.map(({ id, sender, file: name, layout }) => ({ layout: id, sender, file: name, name: layout })),
  });
}

/** Throws ExplainedError (2) if the proposals leave a required field without a column and a value. */
function refuseIncomplete(questions: readonly (Pick<LayoutQuestion, 'missing'> | null)[]) {
  const missing = questions.flatMap((question) => question?.missing ?? []);
  if (missing.length === 0) return;
  throw usageErrorOf('answer-not-taken/missing', { fields: formatList(missing.map((title) => quoted(title))) });
}

function nothingAsked(file: string) {
  return usageErrorOf('nothing-to-confirm', { file });
}

function isNamed({ files, workbook, id }: Question, text: string) {
  if ([...files, ...files.map((file) => basename(file)), String(id)].includes(text)) return true;
  return workbook !== null && ([workbook, basename(workbook)].includes(text) || resolve(text).endsWith(`/${workbook}`));
}

/** Opens the workspace's ledger, even during a run. */
export async function ledgerToAnswer(workspace: Workspace) {
  const { place, account, problem } = await ledgerCondition(workspace, 'header');
  if (problem !== null) throw ledgerError(problem);
  if (account === null) throw nothingOnRecord(workspace);
  return openAt(place, { clock: systemClock, account });
}

function person() {
  try {
    return userInfo().username;
  } catch {
    return 'somebody';
  }
}

export function fileAt(path: string, workspace: Workspace) {
  const folder = dirname(path);
  const sender = dirname(folder) === workspace.inbox ? senderOf(basename(folder)) : '';
  return { path, name: escapeLine(basename(path)), sender };
}

/** Reads the file as a run would read it now. */
export async function readToConfirm(
  { path, name, sender }: ClaimedFile,
  { ledger, workspace }: Readonly<{ ledger: Ledger; workspace: Workspace }>,
) {
  const { intake } = await loadConfig(workspace.root);
  return new IsolatedFileWorker(new AbortController().signal, silentLog).read(path, name, {
    ...settingsFor(intakeSettings(intake), sender),
    knownLayouts: await knownLayouts(sender, ledger),
    today: localDay(systemClock.now()),
  });
}

export type ConfirmedLayout = Readonly<{ question: LayoutQuestion; columns: LayoutAnswer['columns'] }>;

export async function recordConfirmation(
  file: ClaimedFile,
  said: readonly ConfirmedLayout[],
  ledger: Ledger,
  how: string,
) {
  const asked = { sender: file.sender, file: displayName(file), workbook: null };
  for (const { question, columns } of said) {
    await ledger.answerLayout(await ledger.askLayout({ ...asked, question }), { columns, by: `${person()} (${how})` });
  }
}
