import { hash as digest } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import {
  fieldForAll,
  type GivenAnswer,
  type GivenWords,
  type KnownLayout,
  layoutId,
  type LayoutAnswer,
  type LayoutQuestion,
  lacksAnswer,
  nameOfAsked,
  readingOf,
} from '../domain/layout.ts';
import { formatList, quoted } from '../domain/cells.ts';
import { note, type SheetLayout } from '../domain/row.ts';
import { fieldNamed } from '../intake/fields.ts';
import type { FileWorker } from '../intake/read-orders.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { Ledger, LayoutRecord } from '../ledger/ledger.ts';
import type { TakeInLedger } from '../ledger/scratch-ledger.ts';
import { makeFolder, moveToFreeName, sha256OfFile, temporaryName } from '../ops/durable-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import type { Workspace } from '../ops/workspace.ts';
import { withoutEnding } from './corrections.ts';
import {
  archiveClaimedFile,
  claimFile,
  type ClaimedFile,
  copyUnderHash,
  type FilingContext,
  pathIn,
  recordWithoutRows,
  senderFolder,
  type SentFile,
  displayName,
  type Snapshot,
  fileResult,
} from './claimed-files.ts';
import { clearHeldPages, commandLine, putOnHold, waitingFiles } from './hold.ts';
import { noteFor, sentence } from '../domain/sentences.ts';

// docs/decisions/0021

const FILES_LOOKED_AT = 50;

export async function knownLayouts(sender: string, ledger: Pick<TakeInLedger, 'layoutsOf' | 'acceptedLayouts'>) {
  const asked = await ledger.layoutsOf(sender);
  const names = new Set(asked.filter(isOpenOrForgotten).map(({ layout }) => layout));
  const accepted = (await ledger.acceptedLayouts(sender, FILES_LOOKED_AT)).map((layout): KnownLayout => {
    const { known: columns, ...headers } = readingOf(layout);
    return { by: 'accepted', ...headers, columns, words: [] };
  });
  const known = new Map(accepted.toReversed().map((layout) => [layoutId(layout.keys), layout]));
  return [
    ...asked.map(({ keys, columns, words, file }): KnownLayout => ({
      by: 'confirmed',
      keys,
      columns,
      words,
      file: sender === '' ? file : undefined,
    })),
    ...[...known].flatMap(([name, layout]) => (names.has(name) ? [] : [layout])),
  ];
}

function isOpenOrForgotten({ question, answeredAt }: LayoutRecord) {
  return question === null ? answeredAt === null : question.columns.length > 0;
}

function tokenOf({ sender, layout }: Pick<LayoutRecord, 'sender' | 'layout'>) {
  return digest('sha256', JSON.stringify([sender, layout])).slice(0, 16);
}

type AskContext = Pick<FilingContext, 'ledger' | 'workspace'>;

interface WritingContext extends Pick<AskContext, 'workspace'> {
  readonly files: Pick<FileWorker, 'read'>;
}

/** Asks only new questions. Returns the workbook's path in the workspace. */
export async function askAbout(
  { name, sender }: SentFile,
  hash: string,
  questions: readonly LayoutQuestion[],
  { ledger, workspace, files }: AskContext & WritingContext,
) {
  const before = await ledger.layoutsOf(sender);
  const asked = questions.map((question) => before.find((record) => isAsked(question, record)));
  const [first] = asked;
  const isThere = asked.every((record) => record !== undefined) && (await exists(first?.workbook ?? null, workspace));
  const workbook = isThere
    ? (first?.workbook ?? '')
    : await writeQuestion({ name, sender }, hash, questions, { workspace, files });
  const ids = isThere
    ? asked.flatMap((record) => record?.id ?? [])
    : await Promise.all(
        questions.map((question) =>
          ledger.askLayout({ sender, file: displayName({ name, sender }), question, workbook }),
        ),
      );
  await ledger.waitForLayouts(hash, ids);
  // A wider question replaces an open one of the same layout, but not one that still asks about another layout.
  const stillAsking = before.flatMap((one) => (one.question === null || ids.includes(one.id) ? [] : one.workbook));
  for (const record of before)
    if (ids.includes(record.id) && ![workbook, ...stillAsking].includes(record.workbook))
      await putWorkbookAway(record, workspace);
  return workbook;
}

function isAsked({ layout, columns }: LayoutQuestion, record: LayoutRecord) {
  const { question } = record;
  return (
    record.layout === layout &&
    question !== null &&
    columns.every(({ key }) => question.columns.some((known) => known.key === key))
  );
}

async function exists(path: string | null, { root }: Workspace) {
  return path !== null && (await lstat(join(root, path)).catch(() => null)) !== null;
}

/**
 * `corrections/smith/november - please confirm.xlsx`. One that asks the same stays: somebody may have begun to answer
 * in it.
 */
export async function writeQuestion(
  { name, sender }: SentFile,
  hash: string,
  questions: readonly LayoutQuestion[],
  { workspace, files }: WritingContext,
) {
  const there = await placeOfQuestion({ name, sender }, workspace);
  if (await asksTheSame(there, sender, questions, files)) return pathIn(workspace, there);
  const building = temporaryName(join(workspace.state, 'corrections', `${hash}-question.xlsx`));
  await makeFolder(dirname(building));
  const { writeQuestionWorkbook } = await import('../intake/layout/question-workbook.ts');
  await writeQuestionWorkbook(
    building,
    questions.map((question) => ({
      ...question,
      sender,
      file: displayName({ name, sender }),
      token: tokenOf({ sender, layout: question.layout }),
    })),
  );
  return pathIn(workspace, await moveToFreeName(building, dirname(there), basename(there)));
}

async function placeOfQuestion({ name, sender }: SentFile, { corrections }: Workspace) {
  const title = `${safeFileName(withoutEnding(name).base)} - please confirm.xlsx`;
  return join(await senderFolder(corrections, sender), title);
}

async function asksTheSame(
  path: string,
  sender: string,
  questions: readonly LayoutQuestion[],
  files: Pick<FileWorker, 'read'>,
) {
  try {
    await using reading = await files.read(path, basename(path), { headers: {}, today: '' });
    const { answers } = reading;
    return (
      answers?.length === questions.length &&
      questions.every(({ layout, columns }) => {
        const token = tokenOf({ sender, layout });
        const answer = answers.find((one) => one.token === token);
        return answer !== undefined && columns.every(({ key }) => key in answer.columns);
      })
    );
  } catch {
    return false;
  }
}

/** The limit, in `held_files.limits`, of a file that waits for an answer. */
export const NEW_LAYOUT = 'newLayout';

export async function filesToApprove(workspace: Workspace, ledger: Pick<Ledger, 'findHeld'>) {
  const files = [];
  for (const file of await waitingFiles(workspace)) {
    const known = await ledger.findHeld(await sha256OfFile(file.path).catch(() => ''));
    if (known?.limits.includes(NEW_LAYOUT) !== true) files.push(file);
  }
  return files;
}

export async function holdForAnswer(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  questions: readonly LayoutQuestion[],
  context: FilingContext & WritingContext,
) {
  const workbook = await askAbout(claimed, snapshot.hash, questions, context);
  const name = displayName(claimed);
  const why = `${workbook} asks about ${formatAsked(questions)}.`;
  const fills = questions.some(lacksAnswer);
  const command = confirmCommandLine(name, context.workspace.root);
  const heldAs = await putOnHold(claimed, snapshot, { limits: [NEW_LAYOUT], reasons: [why] }, context, (place) =>
    sentence('answer-awaited', {
      name,
      why,
      choice: fills ? '.' : `, or accept its proposals:\n  ${command}`,
      folder: posix.dirname(place),
    }),
  );
  const waits = noteFor(fills ? 'layout-asked/fill' : 'layout-asked/file', { why, command, heldAs });
  return fileResult('to-confirm', name, [waits], { corrections: workbook });
}

function formatAsked(questions: readonly LayoutQuestion[]) {
  return formatList(questions.flatMap(({ columns }) => columns.map(nameOfAsked)));
}

export function composeQuestionNote(questions: readonly LayoutQuestion[], workbook: string) {
  return noteFor('layout-asked/columns', { workbook, columns: formatAsked(questions) });
}

export function confirmCommandLine(file: string, workspace: string) {
  return commandLine('confirm', file, '--as-proposed', workspace);
}

export const RECEIPT_DROPPED = note('receipt-dropped', 'It is a receipt: nothing in it is ordered.');

/** A workbook without answers is taken for a receipt. Throws UnreadableFileError if an answer cannot be used. */
export async function takeAnswers(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  answers: readonly GivenAnswer[],
  context: FilingContext,
) {
  const name = displayName(claimed);
  const isReceipt = answers.length === 0;
  const outcome = isReceipt
    ? RECEIPT_DROPPED
    : note('layout-answered', await recordAnswers(answers, { from: claimed.sender, by: name }, context));
  await archiveClaimedFile(claimed, snapshot, await recordWithoutRows(claimed, snapshot.hash, context.ledger), context);
  return fileResult('processed', name, [outcome], isReceipt ? {} : { isAnswer: true });
}

/**
 * Returns a sentence for people. `from`: the sender of the workbook's folder; empty for the inbox itself, which may
 * answer for every sender.
 */
export async function recordAnswers(
  answers: readonly GivenAnswer[],
  { from, by }: Readonly<{ from: string; by: string }>,
  context: AskContext,
) {
  const { ledger, workspace } = context;
  const records = await ledger.layoutsOnRecord();
  // Few runs ask: the words of all headers take a while to load.
  const { useOf } = await import('../intake/header/name-parts.ts');
  const pairs = answers.map((given) => {
    const { token, asked } = given;
    const record = records.find((one) => tokenOf(one) === token) ?? null;
    const isWhole = asked !== null && tokenOf({ sender: asked.sender, layout: layoutId(asked.keys) }) === token;
    const about = record ?? (isWhole ? { ...asked, columns: asked.known, question: null } : null);
    if (about === null) throw new UnreadableFileError('answer-to-nothing', sentence('answer-to-nothing'));
    if (from !== '' && about.sender !== from)
      throw new UnreadableFileError('answer-of-another-sender', sentence('answer-of-another-sender'));
    return { record, asked, columns: completeAnswer(about, given, useOf) };
  });
  for (const { record, asked, columns } of pairs) {
    if (record !== null) await answerLayout(record, columns, by, context);
    else if (asked !== null) {
      const question = { ...asked, layout: layoutId(asked.keys), columns: [] };
      const id = await ledger.askLayout({ sender: asked.sender, file: asked.file, question, workbook: null });
      await ledger.answerLayout(id, { columns, by });
      // `check` wrote its workbook: no record names it.
      const file = { name: posix.basename(asked.file), sender: asked.sender };
      const workbook = pathIn(workspace, await placeOfQuestion(file, workspace));
      if (!records.some((other) => other.workbook === workbook))
        await putWorkbookAway({ ...file, workbook }, workspace);
    }
  }
  const count = pairs.reduce((sum, { columns }) => sum + Object.keys(columns).length, 0);
  return `${count === 1 ? '1 answer applies' : `${count} answers apply`} to later files of this layout.`;
}

function completeAnswer(
  { keys, columns, question }: Pick<LayoutRecord, 'keys' | 'columns' | 'question'>,
  given: GivenAnswer,
  use: (key: string, field: string) => string,
) {
  const missing = question?.columns.find(({ key }) => !(key in given.columns));
  if (missing !== undefined)
    throw new UnreadableFileError(
      'answer-not-taken',
      sentence('answer-not-taken/incomplete', { header: missing.header }),
    );
  const isOfAll = (key: string) => fieldForAll(key) !== undefined;
  const own = Object.entries(given.columns).filter(([key]) => keys.includes(key) || isOfAll(key));
  const whole = Object.entries({ ...columns, ...Object.fromEntries(own) });
  const sent = whole.flatMap(([key, field]) => (field === null || isOfAll(key) ? [] : [{ key, field }]));
  const twice = [...Map.groupBy(sent, ({ key, field }) => use(key, field)).values()].find(({ length }) => length > 1);
  if (twice !== undefined) {
    const header = (wanted: string) => question?.columns.find(({ key }) => key === wanted)?.header ?? wanted;
    const columns = formatList(twice.map(({ key }) => quoted(header(key))));
    throw new UnreadableFileError(
      'answer-not-taken',
      sentence('answer-not-taken/twice', { columns, field: fieldNamed(twice[0]?.field)?.title ?? '' }),
    );
  }
  return Object.fromEntries(own);
}

export async function answerLayout(
  { id, workbook, sender }: LayoutRecord,
  columns: LayoutAnswer['columns'],
  by: string,
  { ledger, workspace }: AskContext,
) {
  await ledger.answerLayout(id, { columns, by });
  await putWorkbookAway({ workbook, sender }, workspace);
}

async function putWorkbookAway({ workbook, sender }: Pick<LayoutRecord, 'workbook' | 'sender'>, workspace: Workspace) {
  if (!(await exists(workbook, workspace)) || workbook === null) return;
  const folder = await senderFolder(join(workspace.corrections, 'done'), sender);
  await moveToFreeName(join(workspace.root, workbook), folder, basename(workbook));
}

/** The open questions, each with the files in `held/` that its answer frees. */
export async function questionsWithFiles({ ledger, workspace }: AskContext) {
  const open = await ledger.openQuestions();
  if (open.length === 0) return [];
  const waiting = await Promise.all(
    (await waitingFiles(workspace)).map(async (file) => ({
      name: displayName(file),
      ids: await ledger.layoutsAwaitedBy(await sha256OfFile(file.path).catch(() => '')),
    })),
  );
  return open.map((record) => {
    const files = waiting.flatMap(({ name, ids }) => (ids.includes(record.id) ? [name] : []));
    return { ...record, files: [...new Set([record.file, ...files])] };
  });
}

/** The folder of a file as `displayName` names it; empty for the inbox itself. */
export function senderOfFile(file: string) {
  return file.includes('/') ? posix.dirname(file) : '';
}

/** To remember for the sender of the corrected file; null without any, or from another sender's folder. */
export function wordsToLearn(claimed: SentFile, { file, words }: GivenWords, [layout]: readonly SheetLayout[]) {
  const sender = senderOfFile(file);
  if (words.length === 0 || layout === undefined || (claimed.sender !== '' && claimed.sender !== sender)) return null;
  return { sender, file, layout, words, by: displayName(claimed) };
}

/** Moves held files to `processing/`, and a copy of archived ones, whose open rows are read again. */
export async function releaseAnswered({ ledger, workspace }: AskContext) {
  const waits = await ledger.layoutWaits();
  const open = new Set(waits.flatMap(({ hash, isOpen }) => (isOpen ? [hash] : [])));
  const done = new Set(waits.flatMap(({ hash, isOpen }) => (isOpen ? [] : [hash])));
  for (const file of await waitingFiles(workspace)) {
    const hash = await sha256OfFile(file.path).catch(() => '');
    const isForAnswer = done.has(hash) || (await ledger.findHeld(hash))?.limits.includes(NEW_LAYOUT) === true;
    if (!isForAnswer || open.has(hash)) continue;
    if ((await claimFile(file, workspace)) !== null) await clearHeldPages(file);
  }
  for (const hash of done) {
    const recorded = (await ledger.readingsOf(hash)).find(({ archivedAs }) => archivedAs !== null);
    if (recorded !== undefined && (await exists(recorded.archivedAs, workspace)))
      await copyUnderHash(
        await senderFolder(workspace.processing, recorded.sender),
        join(workspace.root, recorded.archivedAs ?? ''),
        basename(recorded.name),
      );
    await ledger.endLayoutWait(hash);
  }
}
