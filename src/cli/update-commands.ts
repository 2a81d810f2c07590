import { stat } from 'node:fs/promises';
import { format } from 'date-fns/format';
import { COMMENT_LENGTH_MAX, isoDate } from '../contract/document.ts';
import { ExplainedError, usageError } from '../domain/errors.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { UpdateKind, UpdateRequest } from '../ledger/updates.ts';
import { systemClock } from '../ops/system.ts';
import { nameFromText, type WantedUpdate } from '../update/find-project.ts';
import { CLEAR_WORD } from '../update/read-update-file.ts';
import { runUpdates, settleOpenUpdates, type UpdateOutcome, type UpdateReport } from '../update/update-run.ts';
import { FilesApart } from './files-apart.ts';
import { type CommandResult, exitCodeOfUpdates } from './exit-codes.ts';
import { finishRun, inRunSession, type RunSession, type StopSignal } from './run-session.ts';
import { table } from './terminal.ts';

/** What `cancel`, `receive` and `amend` are given. */
export interface UpdateCommand {
  readonly kind: UpdateKind;
  /** Files, project ids, policy or inspection numbers. */
  readonly named: readonly string[];
  /** What is asked of each project that is named on the command line; null where only files may be named. */
  readonly request: UpdateRequest | null;
  readonly comment: string | undefined;
  readonly withoutFiles: boolean;
  readonly dryRun: boolean;
  readonly workspace: string;
}

/** The `--json` document of the three commands. */
export interface UpdateSummary {
  readonly run: string;
  readonly command: UpdateKind;
  readonly dryRun: boolean;
  readonly exitCode: number;
  readonly counts: Readonly<Record<UpdateOutcome, number>>;
  readonly updates: readonly UpdateReport[];
  /** What an earlier run had left open. */
  readonly settled: readonly UpdateReport[];
}

/** Sends updates under the run lock: first what an earlier run left open, then what is asked for. Throws ExplainedError (2, 4, 5). */
export async function updateCommand(command: UpdateCommand): Promise<CommandResult & { readonly json: UpdateSummary }> {
  if ((command.comment?.length ?? 0) > COMMENT_LENGTH_MAX) throw usageError(`The comment has ${command.comment?.length ?? 0} characters; ${COMMENT_LENGTH_MAX} are allowed.`);
  const { files, names } = await sorted(command);
  return inRunSession(command.workspace, command.kind, (session, stop) => update(command, files, names, session, stop));
}

async function update(command: UpdateCommand, files: readonly string[], names: readonly WantedUpdate[], session: RunSession, stop: StopSignal): Promise<CommandResult & { readonly json: UpdateSummary }> {
  const { run, away } = session;
  if (away !== null) throw new ExplainedError(`${away} Nothing was sent.`, { kind: 'work-left', hint: 'Run the command again later.' });
  const wanted = [...(await wantedIn(files, command, session, stop.signal)), ...names];
  const settled = command.dryRun ? [] : await settleOpenUpdates(session);
  const updates = await runUpdates(wanted, session, { dryRun: command.dryRun });
  const exitCode = exitCodeOfUpdates([...settled, ...updates], stop.by);
  const summary: UpdateSummary = { run, command: command.kind, dryRun: command.dryRun, exitCode, counts: countsOf(updates), updates, settled };
  await finishRun(session, exitCode, { command: summary.command, dryRun: summary.dryRun, counts: summary.counts });
  return { exitCode, json: summary, text: inWords(summary) };
}

/** A name that is also the name of a file means the file. */
async function sorted({ named, request }: UpdateCommand): Promise<{ readonly files: readonly string[]; readonly names: readonly WantedUpdate[] }> {
  const files: string[] = [];
  const names: WantedUpdate[] = [];
  for (const text of named) {
    const found = await stat(text).catch(() => null);
    if (found?.isDirectory() === true) throw usageError(`${text} is a folder; name a file, or a project.`);
    if (found !== null) files.push(text);
    else if (/\.(?:xlsx|xlsm|csv|tsv|txt)$/i.test(text)) throw usageError(`There is no such file: ${text}`);
    else if (request === null) throw usageError(`There is no such file: ${text}. To amend one project, say what is new with --policy-number or --effective-date.`);
    else names.push({ names: [nameFromText(text)], request, source: null, problems: [] });
  }
  return { files, names };
}

async function wantedIn(files: readonly string[], { kind, comment, withoutFiles }: UpdateCommand, { config, log }: RunSession, signal: AbortSignal): Promise<readonly WantedUpdate[]> {
  const headers = Object.fromEntries(config.intake.headers);
  const today = format(systemClock.now(), 'yyyy-MM-dd');
  const wanted: WantedUpdate[] = [];
  try {
    const desk = new FilesApart(signal, log);
    for (const file of files) wanted.push(...(await desk.readUpdates(file, { kind, headers, today, comment, withoutFiles })));
  } catch (failure) {
    if (signal.aborted) return [];
    if (!(failure instanceof UnreadableFileError)) throw failure;
    throw new ExplainedError(failure.message, { kind: 'usage', hint: 'Nothing was sent.', cause: failure });
  }
  return wanted;
}

function countsOf(updates: readonly UpdateReport[]): Readonly<Record<UpdateOutcome, number>> {
  const counts = { done: 0, already: 0, 'would-send': 0, rejected: 0, refused: 0, unresolved: 0, waiting: 0 };
  for (const { outcome } of updates) counts[outcome] += 1;
  return counts;
}

function inWords({ updates, settled, counts, dryRun }: UpdateSummary): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  const parts = [
    ...(settled.length === 0 ? [] : [`What an earlier run left open:\n${updateTable(settled)}`]),
    ...(updates.length === 0 ? [] : [updateTable(updates)]),
    `${dryRun ? 'Dry run, nothing was sent: ' : ''}${some.length === 0 ? 'nothing to do' : some.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}.`,
  ];
  return parts.join('\n\n');
}

/** Updates as a table for people. */
export function updateTable(reports: readonly UpdateReport[]): string {
  const rows = reports.map((report) => [
    report.source === null ? report.named : `${report.source.file} row ${report.source.rowNumber}`,
    report.project ?? '',
    report.property ?? '',
    report.before ?? '',
    report.outcome,
    report.after ?? '',
    report.reason ?? '',
  ]);
  return table(['Asked for', 'Project', 'Property', 'Before', 'Outcome', 'Now', 'Why'], rows);
}

export interface CancelFlags {
  readonly workspace: string;
  readonly comment?: string;
  readonly dryRun?: boolean;
}

/** Cancels projects: only those that are not yet inspected (document: States and transitions). */
export async function cancelCommand(named: readonly string[], { workspace, comment, dryRun }: CancelFlags): Promise<CommandResult> {
  const request = comment === undefined ? { kind: 'cancel' as const } : { kind: 'cancel' as const, comment };
  return updateCommand({ kind: 'cancel', named, request, comment, withoutFiles: false, dryRun: dryRun === true, workspace });
}

export interface ReceiveFlags {
  readonly workspace: string;
  readonly comment?: string;
  readonly withoutFiles?: boolean;
  readonly dryRun?: boolean;
}

/** Marks projects `Client Received`: only those that are returned, and whose files are safe here unless a person says otherwise. */
export async function receiveCommand(named: readonly string[], { workspace, comment, withoutFiles = false, dryRun }: ReceiveFlags): Promise<CommandResult> {
  const request = { kind: 'receive' as const, withoutFiles, ...(comment === undefined ? {} : { comment }) };
  return updateCommand({ kind: 'receive', named, request, comment, withoutFiles, dryRun: dryRun === true, workspace });
}

export interface AmendFlags {
  readonly workspace: string;
  readonly policyNumber?: string;
  readonly effectiveDate?: string;
  readonly dryRun?: boolean;
}

/** Changes the policy number and effective date of projects, the two fields that can be changed (document: Project update request). */
export async function amendCommand(named: readonly string[], { workspace, policyNumber, effectiveDate, dryRun }: AmendFlags): Promise<CommandResult> {
  const number = valueOf(policyNumber);
  const date = valueOf(effectiveDate);
  if (date !== undefined && date !== '' && !isoDate.safeParse(date).success) {
    throw usageError(`"${date}" is no date. Write it as YYYY-MM-DD, such as 2026-11-05.`);
  }
  const saysWhat = number !== undefined || date !== undefined;
  const request = { kind: 'amend' as const, ...(number === undefined ? {} : { policyNumber: number }), ...(date === undefined ? {} : { policyEffectiveDate: date }) };
  return updateCommand({ kind: 'amend', named, request: saysWhat ? request : null, comment: undefined, withoutFiles: false, dryRun: dryRun === true, workspace });
}

/** An empty text is more often a slip of a script than a wish to clear the field: for that there is a word. */
function valueOf(flag: string | undefined): string | undefined {
  if (flag === undefined) return undefined;
  const text = flag.trim();
  if (text === '') throw usageError(`An empty value changes nothing. To clear the field, write "${CLEAR_WORD}".`);
  return text.toLowerCase() === CLEAR_WORD ? '' : text;
}
