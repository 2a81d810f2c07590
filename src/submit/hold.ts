import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import type { Problem, SheetLayout } from '../domain/row.ts';
import { describeRows } from '../intake/sheet-notes.ts';
import { noteFor, sentence } from '../domain/sentences.ts';
import type { IntakeOptions } from '../intake/read-orders.ts';
import { SHEET_LEFT_OUT } from '../intake/readers/row-source.ts';
import { stableName } from '../intake/stable-name.ts';
import type { Ledger, HeldFile, NewRow } from '../ledger/ledger.ts';
import { medianOf } from '../ledger/projects.ts';
import type { Config } from '../ops/config.ts';
import { moveWithReason, sha256OfFile } from '../ops/durable-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import { type DroppedFile, listDropped } from '../ops/list-inbox.ts';
import type { Workspace } from '../ops/workspace.ts';
import {
  claimFile,
  type ClaimedFile,
  containingFaults,
  type FilingContext,
  pathIn,
  putIntoInbox,
  senderFolder,
  type SentFile,
  senderOf,
  displayName,
  type Snapshot,
  type FileResult,
  fileResult,
} from './claimed-files.ts';

export type IntakeSettings = Pick<
  IntakeOptions,
  'headers' | 'values' | 'dateOrder' | 'unreadableOptional' | 'hiddenRows' | 'skipSheets'
> &
  Readonly<{
    hold: HoldLimits;
    newLayout?: Config['intake']['newLayout'] | undefined;
    senders?: Config['intake']['senders'];
  }>;

export function intakeSettings({ headers, values, ...settings }: Config['intake']): IntakeSettings {
  return { ...settings, headers: Object.fromEntries(headers), values: Object.fromEntries(values) };
}

export function settingsFor(
  { headers, values, dateOrder, unreadableOptional, hiddenRows, skipSheets, newLayout, hold, senders }: IntakeSettings,
  sender: string,
) {
  const general = { headers, values, dateOrder, unreadableOptional, hiddenRows, skipSheets, newLayout, hold };
  const nameOf = (folder: string) => safeFileName(folder).toLowerCase();
  const own = sender && [...(senders ?? [])].find(([folder]) => nameOf(folder) === nameOf(sender))?.[1];
  if (!own) return general;
  return {
    ...general,
    headers: { ...headers, ...Object.fromEntries(own.headers) },
    values: { ...values, ...Object.fromEntries(own.values) },
    dateOrder: own.dateOrder ?? dateOrder,
    hold: { ...hold, ...Object.fromEntries(Object.entries(own.hold).filter(([, limit]) => limit !== undefined)) },
  };
}

export type FileComparison = Readonly<{
  /** Null for a corrections workbook, which has our own layout. */
  kind: string | null;
  usualRows: number | null;
}>;

const USUAL_OF_FILES = 10;

/**
 * With the sender's latest files of its kind (folder and stable part of the name) or, for a new name in a sender's
 * folder, with that sender's latest files.
 */
export async function compareWithEarlier(
  { name, sender }: SentFile,
  layouts: readonly SheetLayout[],
  ledger: Pick<Ledger, 'filesLike'>,
) {
  if (layouts.some(({ keyColumn }) => keyColumn !== undefined)) return { kind: null, usualRows: null };
  const kind = stableName(name);
  const earlier = await ledger.filesLike({ sender, kind }, USUAL_OF_FILES);
  return { kind, usualRows: medianOf(earlier.map(({ rows }) => rows).filter((rows) => rows > 0)) };
}

export const ORIGINAL_NOT_DROPPED = 'original-not-dropped';

/** Such a note on a file makes a run end with 3. */
export function isNewsNote(code: string): code is typeof SHEET_LEFT_OUT | typeof ORIGINAL_NOT_DROPPED {
  return code === SHEET_LEFT_OUT || code === ORIGINAL_NOT_DROPPED;
}

/** `missingOriginals`: the names of files not on record whose rows a corrections workbook holds. */
export function notesOnRows(
  { underAnotherNumber: [row, ...others], dismissed }: RowCount,
  missingOriginals: ReadonlySet<string>,
) {
  return [
    ...(dismissed === 0 ? [] : [noteFor('rows-dismissed-before', { rows: describeRows(dismissed) })]),
    ...(row === undefined
      ? []
      : [noteFor('ordered-under-another-number', { rows: describeRows(others.length + 1), row })]),
    ...[...missingOriginals].map((file) => noteFor(ORIGINAL_NOT_DROPPED, { file })),
  ];
}

export type HoldLimits = Config['intake']['hold'];

export type HoldReason = Readonly<{ limit: keyof HoldLimits; sentence: string; examples: readonly string[] }>;

const EXAMPLES_MAX = 10;
const ROWS_FEW = 5;

const WITHDRAWN = new Set(['row-withdrawn', 'row-on-record', 'row-struck-out', 'row-hidden']);

type CountedRow = Pick<NewRow, 'outcome' | 'record' | 'problems' | 'dismissedIn'>;

export class RowCount {
  rows = 0;
  /** Without withdrawn rows. */
  wrong = 0;
  duplicate = 0;
  repeats = 0;
  readonly wrongExamples: string[] = [];
  readonly duplicateExamples: string[] = [];
  readonly underAnotherNumber: number[] = [];
  dismissed = 0;

  add(row: CountedRow) {
    this.rows += 1;
    if (row.dismissedIn !== undefined) {
      this.dismissed += 1;
      return;
    }
    if (row.outcome === 'order' && row.problems.some(({ rule }) => rule === 'policy-ordered-under-another-number'))
      this.underAnotherNumber.push(row.record.place.rowNumber);
    if (row.outcome === 'repeat') this.repeats += 1;
    const repeat = row.problems.find(({ rule }) => rule.startsWith('repeat') || rule === 'duplicate');
    if (row.outcome === 'repeat' || (row.outcome === 'rejection' && repeat !== undefined)) {
      this.duplicate += 1;
      addExample(this.duplicateExamples, row, repeat);
    } else if (row.outcome === 'rejection' && !row.problems.some(({ rule }) => WITHDRAWN.has(rule))) {
      this.wrong += 1;
      addExample(
        this.wrongExamples,
        row,
        row.problems.find(({ severity }) => severity === 'error'),
      );
    }
  }
}

function addExample(examples: string[], { record }: CountedRow, problem: Problem | undefined) {
  if (examples.length < EXAMPLES_MAX)
    examples.push(`${record.place.sheet} row ${record.place.rowNumber}: ${problem?.message ?? ''}`);
}

/** None for a corrections workbook: its rows were wrong before. */
export function reasonsToHold(limits: HoldLimits, count: RowCount, { kind, usualRows }: FileComparison) {
  if (kind === null) return [];
  const reasons: HoldReason[] = [];
  for (const [limit, some, what, examples] of [
    ['maxWrongPercent', count.wrong, 'wrong', count.wrongExamples],
    ['maxDuplicatePercent', count.duplicate, 'already ordered, or in it twice', count.duplicateExamples],
  ] as const) {
    const max = limits[limit];
    if (!isMoreThan(max, some, count.rows)) continue;
    const share = `${some} of ${count.rows} rows ${some === 1 ? 'is' : 'are'} ${what} (${tenth((some * 100) / count.rows)}%)`;
    reasons.push({ limit, sentence: `${share}; up to ${max ?? 100}% are let through.`, examples });
  }
  if (
    limits.maxTimesUsualRows !== null &&
    usualRows !== null &&
    count.rows >= ROWS_FEW &&
    count.rows > limits.maxTimesUsualRows * usualRows
  ) {
    const times = tenth(count.rows / usualRows);
    const parts = { rows: count.rows, times, usualRows, limit: limits.maxTimesUsualRows };
    reasons.push({ limit: 'maxTimesUsualRows', sentence: sentence('file-held/rows', parts), examples: [] });
  }
  return reasons;
}

/** One row may be a slip. */
function isMoreThan(maxPercent: number | null, some: number, all: number) {
  if (maxPercent === null || some === 0) return false;
  return some * 100 > maxPercent * all && (some > 1 || maxPercent === 0);
}

function tenth(value: number) {
  return String(Math.round(value * 10) / 10);
}

const APPROVAL_ENDING = '.approve';

export function approveCommandLine(heldAs: string, workspace: string) {
  return commandLine('approve', heldAs, '', workspace);
}

export function commandLine(command: string, file: string, flags: string, workspace: string) {
  return `inspection-batch ${command} "${file}" ${flags === '' ? '' : `${flags} `}--workspace ${shellWord(workspace)}`;
}

function holdPage(name: string, heldAs: string, workspace: string, reasons: readonly HoldReason[]) {
  const why = reasons.flatMap(({ limit, sentence: reason, examples }) => [
    `- ${reason} (intake.hold.${limit} in config.yaml)`,
    ...examples.map((example) => `    ${example}`),
  ]);
  return sentence('file-held', {
    name,
    why: why.join('\n'),
    command: approveCommandLine(heldAs, workspace),
    mark: `"${posix.basename(heldAs)}${APPROVAL_ENDING}"`,
    folder: posix.dirname(heldAs),
  });
}

function shellWord(text: string) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export async function holdFile(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  reasons: readonly HoldReason[],
  context: FilingContext,
) {
  const { root } = context.workspace;
  const name = displayName(claimed);
  const sentences = reasons.map(({ sentence }) => sentence);
  const limits = reasons.map(({ limit }) => limit);
  const heldAs = await putOnHold(claimed, snapshot, { limits, reasons: sentences }, context, (place) =>
    holdPage(name, place, root, reasons),
  );
  const reason = sentence('file-held/waits', {
    why: sentences.join(' '),
    heldAs,
    command: approveCommandLine(heldAs, root),
  });
  const held = fileResult('held', name, []);
  return { ...held, report: { ...held.report, codes: limits, reason } };
}

/**
 * Moves nothing if the same content is held already; an original that was changed meanwhile goes back to the inbox.
 * Returns the path in the workspace.
 */
export async function putOnHold(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  why: Pick<HeldFile, 'limits' | 'reasons'>,
  { ledger, workspace, log }: FilingContext,
  pageFor: (heldAs: string) => string,
) {
  const waiting = (await ledger.findHeld(snapshot.hash))?.heldAs ?? null;
  let heldAs: string;
  if (waiting !== null && (await holdsContent(join(workspace.root, waiting), snapshot.hash))) {
    heldAs = waiting;
    if (await holdsContent(claimed.path, snapshot.hash)) await rm(claimed.path);
    else await putIntoInbox(claimed.path, workspace, claimed.sender, claimed.name);
  } else {
    const folder = await senderFolder(workspace.held, claimed.sender);
    const moved = await moveWithReason(claimed.path, folder, claimed.name, (placed) =>
      pageFor(pathIn(workspace, join(folder, placed))),
    );
    heldAs = pathIn(workspace, moved);
  }
  await ledger.recordHeld({ hash: snapshot.hash, name: displayName(claimed), heldAs, ...why });
  log.warn('file held', { limits: why.limits.join(' ') });
  return heldAs;
}

async function holdsContent(path: string, hash: string) {
  return (await sha256OfFile(path).catch(() => '')) === hash;
}

export interface WaitingFile extends ClaimedFile, DroppedFile {
  readonly heldAs: string;
}

export async function waitingFiles(workspace: Workspace) {
  const { files } = await listDropped(workspace.held);
  const paths = new Set(files.map(({ path }) => path));
  // A text file may be a page; only a held file has one.
  const isHeld = ({ path, name }: (typeof files)[number]) =>
    !isApproval(name) && (!name.toLowerCase().endsWith('.txt') || paths.has(`${path}.txt`));
  return files
    .filter(isHeld)
    .map((file) => ({ ...file, sender: senderOf(file.folder), heldAs: pathIn(workspace, file.path) }));
}

export async function approveHeldFile(file: WaitingFile, ledger: Ledger) {
  const hash = await sha256OfFile(file.path);
  await ledger.approveContent(hash, displayName(file));
  return hash;
}

export async function returnToInbox(file: WaitingFile, workspace: Workspace) {
  const moved = await putIntoInbox(file.path, workspace, file.sender, file.name);
  await clearHeldPages(file);
  return moved;
}

export async function clearHeldPages(file: WaitingFile) {
  for (const path of [`${file.path}.txt`, ...approvalsOf(file)]) await rm(path, { force: true });
}

/** Approved by the command or a `<name>.approve` file. The content is judged again when it is taken in. */
export async function releaseApproved({ ledger, workspace }: Pick<FilingContext, 'ledger' | 'workspace'>) {
  const kept: FileResult[] = [];
  for (const file of await waitingFiles(workspace)) {
    const left = await containingFaults(displayName(file), async () => {
      if (await hasApprovalBeside(file)) {
        await approveHeldFile(file, ledger);
        for (const path of approvalsOf(file)) await rm(path, { force: true });
      }
      const known = await ledger.findHeld(await sha256OfFile(file.path));
      if (known === null || known.approvedAt === null) return null;
      if ((await claimFile(file, workspace)) !== null) await clearHeldPages(file);
      return null;
    });
    if (left !== null) kept.push(left);
  }
  await removeStaleApprovals(workspace);
  return kept;
}

function approvalsOf({ path }: WaitingFile) {
  return [`${path}${APPROVAL_ENDING}`, `${path}${APPROVAL_ENDING}.txt`];
}

function isApproval(name: string) {
  return name.endsWith(APPROVAL_ENDING) || name.endsWith(`${APPROVAL_ENDING}.txt`);
}

async function hasApprovalBeside(file: WaitingFile) {
  const names = new Set(await readdir(dirname(file.path)));
  return approvalsOf(file).some((path) => names.has(basename(path)));
}

/** An approval whose held file is gone must not approve a later file of that name. */
async function removeStaleApprovals({ held }: Workspace) {
  const { files } = await listDropped(held);
  // On some shares names ignore case.
  const named = new Set(files.map(({ path }) => path.toLowerCase()));
  for (const { path, name } of files) {
    const about = join(dirname(path), name.replace(/\.approve(\.txt)?$/, ''));
    if (isApproval(name) && !named.has(about.toLowerCase())) await rm(path, { force: true });
  }
}
