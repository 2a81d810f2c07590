import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative } from 'node:path';
import type { Problem, SheetLayout } from '../domain/row.ts';
import { changesColumns, type LayoutChange, layoutChanges, stableName } from '../intake/layout-changes.ts';
import type { IntakeOptions } from '../intake/read-orders.ts';
import type { EarlierFile } from '../ledger/files.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NewRow } from '../ledger/rows.ts';
import type { Config } from '../ops/config.ts';
import { moveWithPage, sha256OfFile } from '../ops/durable-files.ts';
import { type DroppedFile, listDropped } from '../ops/inbox.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import type { Workspace } from '../ops/workspace.ts';
import {
  claim,
  type ClaimedFile,
  containingFaults,
  type FilingContext,
  NO_ROWS,
  putIntoInbox,
  senderFolder,
  senderOf,
  shownAs,
  type Snapshot,
  type Taken,
} from './file-moves.ts';

// When a file waits for a person: what its sender's settings allow, how it compares with the sender's files before, the page beside it in held/, and how
// it is let through.

/** How files are read, and when one waits for a person: the config's `intake`. */
export interface IntakeSettings extends Pick<IntakeOptions, 'headers' | 'values' | 'dateOrder' | 'unreadableOptional'> {
  readonly hold: HoldLimits;
  /** What is different for one sender, by the name of its folder. */
  readonly senders?: Config['intake']['senders'];
}

/** The config's `intake`, as files are read with it. */
export function intakeSettings({ headers, values, ...settings }: Config['intake']): IntakeSettings {
  return { ...settings, headers: Object.fromEntries(headers), values: Object.fromEntries(values) };
}

/** What holds for the files of one sender: its own settings over the general ones. */
export function settingsFor(
  { headers, values, dateOrder, unreadableOptional, hold, senders }: IntakeSettings,
  sender: string,
): Omit<IntakeSettings, 'senders'> {
  const general = { headers, values, dateOrder, unreadableOptional, hold };
  const own = sender === '' ? undefined : [...(senders ?? [])].find(([folder]) => sameFolder(folder, sender))?.[1];
  if (own === undefined) return general;
  const limits = Object.fromEntries(Object.entries(own.hold).filter(([, limit]) => limit !== undefined));
  return {
    ...general,
    headers: { ...headers, ...Object.fromEntries(own.headers) },
    values: { ...values, ...Object.fromEntries(own.values) },
    dateOrder: own.dateOrder ?? dateOrder,
    hold: { ...hold, ...limits },
  };
}

/** A folder is the same to people however its letters are written. */
function sameFolder(folder: string, sender: string): boolean {
  return safeFileName(folder).toLowerCase() === safeFileName(sender).toLowerCase();
}

/** A file beside those that its sender sent before. */
export interface Comparison {
  /** What makes later files of this kind known as such; null for a corrections workbook, whose layout is ours and whose rows are few. */
  readonly kind: string | null;
  /** The latest file of this kind, or null for the first. */
  readonly before: EarlierFile | null;
  readonly changes: readonly LayoutChange[];
  /** How many rows such files usually hold; null for the first. */
  readonly usualRows: number | null;
}

/** How many earlier files say what is usual. */
const USUAL_OF_FILES = 10;

/**
 * Compares a file with the sender's latest one of the same kind: of the same folder and the same stable part of the name; in a named
 * sender's folder, where that name is new, with the sender's latest file whatever its name.
 */
export async function compareWithEarlier(
  { name, sender }: Pick<ClaimedFile, 'name' | 'sender'>,
  layouts: readonly SheetLayout[],
  ledger: Pick<Ledger, 'filesLike'>,
): Promise<Comparison> {
  if (layouts.some(({ keyColumn }) => keyColumn !== undefined))
    return { kind: null, before: null, changes: [], usualRows: null };
  const kind = stableName(name);
  const earlier = await ledger.filesLike({ sender, kind }, USUAL_OF_FILES);
  const before = earlier[0] ?? null;
  return {
    kind,
    before,
    changes: before === null ? [] : layoutChanges(before.layouts, layouts),
    usualRows: usualRows(earlier),
  };
}

/** The median of the files before. */
function usualRows(earlier: readonly EarlierFile[]): number | null {
  const counts = earlier
    .map(({ rows }) => rows)
    .filter((rows) => rows > 0)
    .toSorted((a, b) => a - b);
  return counts[Math.floor(counts.length / 2)] ?? null;
}

/** The differences, `atMost` so many, as one text that says what they are differences from; null where there are none. */
export function layoutChangesInWords(
  { before, changes }: Comparison,
  atMost = Number.POSITIVE_INFINITY,
): string | null {
  if (before === null || changes.length === 0) return null;
  const told = changes.slice(0, atMost).map(({ sentence }) => sentence);
  const more = changes.length > atMost ? ` And ${changes.length - atMost} more differences.` : '';
  return `The layout is not that of the file before (${before.name}). ${told.join(' ')}${more}`;
}

/** The config's `intake.hold`: when a file waits for a person. */
export interface HoldLimits {
  readonly maxWrongPercent: number | null;
  readonly maxDuplicatePercent: number | null;
  readonly changedLayout: boolean;
  readonly maxTimesUsualRows: number | null;
}

/** A limit that a file broke. */
export interface HoldReason {
  readonly limit: keyof HoldLimits;
  /** A whole sentence with the numbers, without details of people. */
  readonly sentence: string;
  /** Rows or columns that show it: for the page beside the file, and for nobody else. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 10;
/** Files that small are never far more than usual. */
const ROWS_FEW = 5;

type CountedRow = Pick<NewRow, 'outcome' | 'record' | 'problems'>;

/** Counts a file's rows by what a limit can be about; keeps the first few as examples. */
export class RowCount {
  rows = 0;
  wrong = 0;
  duplicate = 0;
  /** Those that are tied to an order which was on record already. */
  repeats = 0;
  readonly wrongExamples: string[] = [];
  readonly duplicateExamples: string[] = [];

  add(row: CountedRow): void {
    this.rows += 1;
    if (row.outcome === 'repeat') this.repeats += 1;
    const repeat = row.problems.find(({ rule }) => rule.startsWith('repeat') || rule === 'duplicate');
    if (row.outcome === 'repeat' || (row.outcome === 'rejection' && repeat !== undefined)) {
      this.duplicate += 1;
      addExample(this.duplicateExamples, row, repeat);
    } else if (row.outcome === 'rejection') {
      this.wrong += 1;
      addExample(
        this.wrongExamples,
        row,
        row.problems.find(({ severity }) => severity === 'error'),
      );
    }
  }
}

function addExample(examples: string[], { record }: CountedRow, problem: Problem | undefined): void {
  if (examples.length < EXAMPLES_MAX)
    examples.push(`${record.place.sheet} row ${record.place.rowNumber}: ${problem?.message ?? ''}`);
}

/** Which limits a file breaks: none, and it is put on record. A corrections workbook breaks none: it holds what was wrong before. */
export function reasonsToHold(
  limits: HoldLimits,
  count: RowCount,
  { kind, changes, usualRows }: Omit<Comparison, 'before'>,
): readonly HoldReason[] {
  if (kind === null) return [];
  const reasons: HoldReason[] = [];
  if (isMoreThan(limits.maxWrongPercent, count.wrong, count.rows)) {
    reasons.push({
      limit: 'maxWrongPercent',
      sentence: `${share(count.wrong, count.rows, 'wrong')}; ${allowed(limits.maxWrongPercent)}`,
      examples: count.wrongExamples,
    });
  }
  if (isMoreThan(limits.maxDuplicatePercent, count.duplicate, count.rows)) {
    const sentence = `${share(count.duplicate, count.rows, 'ordered already or in it twice')}; ${allowed(limits.maxDuplicatePercent)}`;
    reasons.push({ limit: 'maxDuplicatePercent', sentence, examples: count.duplicateExamples });
  }
  const changed = changes.filter(changesColumns);
  if (limits.changedLayout && changed.length > 0) {
    const sentence = `The columns are not those of this sender's file before: ${changed.length} ${changed.length === 1 ? 'difference' : 'differences'}.`;
    reasons.push({ limit: 'changedLayout', sentence, examples: changed.map((change) => change.sentence) });
  }
  if (
    limits.maxTimesUsualRows !== null &&
    usualRows !== null &&
    count.rows >= ROWS_FEW &&
    count.rows > limits.maxTimesUsualRows * usualRows
  ) {
    const times = `${tenth(count.rows / usualRows)} times as many`;
    const sentence = `The file has ${count.rows} rows, ${times} as the ${usualRows} that this sender's files usually have; up to ${limits.maxTimesUsualRows} times are let through.`;
    reasons.push({ limit: 'maxTimesUsualRows', sentence, examples: [] });
  }
  return reasons;
}

/** One row alone is a slip, not a sign that the file is the wrong one; unless nothing at all is let through. */
function isMoreThan(maxPercent: number | null, some: number, all: number): boolean {
  if (maxPercent === null || some === 0) return false;
  return some * 100 > maxPercent * all && (some > 1 || maxPercent === 0);
}

function share(some: number, all: number, what: string): string {
  return `${some} of ${all} rows ${some === 1 ? 'is' : 'are'} ${what} (${tenth((some * 100) / all)} %)`;
}

function allowed(maxPercent: number | null): string {
  return `up to ${maxPercent ?? 100} % are let through.`;
}

function tenth(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** What ends the name of a file that lets the one beside it through. */
const APPROVAL_ENDING = '.approve';

/** The command that frees a held file; `heldAs` is its path in the workspace, made of safe names. */
export function approveCommandLine(heldAs: string, workspace: string): string {
  return `inspection-batch approve "${heldAs}" --workspace ${shellWord(workspace)}`;
}

/** The page beside a held file: which limits it broke, examples, and the two ways to let it through. */
function holdPage(file: {
  readonly name: string;
  readonly heldAs: string;
  readonly workspace: string;
  readonly reasons: readonly HoldReason[];
}): string {
  const why = file.reasons.flatMap(({ limit, sentence, examples }) => [
    `- ${sentence} (intake.hold.${limit} in config.yaml)`,
    ...examples.map((example) => `    ${example}`),
  ]);
  return [
    `${file.name} is held: nothing in it was ordered, and nothing of it is on record.`,
    '',
    'Why',
    ...why,
    '',
    'If the file is right as it is',
    `  ${approveCommandLine(file.heldAs, file.workspace)}`,
    `or put an empty file named "${posix.basename(file.heldAs)}${APPROVAL_ENDING}" beside it, here in ${posix.dirname(file.heldAs)}/.`,
    'The next run takes it in. That holds for this content alone: a file that is changed afterwards is judged again.',
    '',
    'If it is not',
    '  Delete it here, and drop the right file in the inbox.',
    '',
  ].join('\n');
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Moves a file that broke a limit to `held/<sender>/`, beside the page of reasons; nothing of it is on record. The same content that
 * waits there already is not put there twice.
 */
export async function holdFile(
  claimed: ClaimedFile,
  snapshot: Snapshot,
  reasons: readonly HoldReason[],
  { ledger, workspace, log }: FilingContext,
): Promise<Taken> {
  const name = shownAs(claimed);
  const before = await ledger.findHeld(snapshot.hash);
  const waiting = before?.heldAs ?? null;
  let heldAs: string;
  if (waiting !== null && (await holdsContent(join(workspace.root, waiting), snapshot.hash))) {
    heldAs = waiting;
    await rm(claimed.path);
  } else {
    const folder = await senderFolder(workspace.held, claimed.sender);
    const pathOf = (placed: string): string => relative(workspace.root, join(folder, placed)).replaceAll('\\', '/');
    const moved = await moveWithPage(claimed.path, folder, claimed.name, (placed) =>
      holdPage({ name, heldAs: pathOf(placed), workspace: workspace.root, reasons }),
    );
    heldAs = pathOf(basename(moved));
  }
  const sentences = reasons.map(({ sentence }) => sentence);
  await ledger.recordHeld({ hash: snapshot.hash, name, heldAs, reasons: sentences });
  log.warn('file held', { limits: reasons.map(({ limit }) => limit).join(' ') });
  const reason = `${sentences.join(' ')} It waits in ${heldAs}: nothing in it was ordered. To let it through: ${approveCommandLine(heldAs, workspace.root)}`;
  return { report: { name, outcome: 'held', rows: NO_ROWS, corrections: null, reason }, repeats: 0 };
}

async function holdsContent(path: string, hash: string): Promise<boolean> {
  return (await sha256OfFile(path).catch(() => '')) === hash;
}

/** A file in `held/`. */
export interface WaitingFile extends ClaimedFile, DroppedFile {
  /** Its path relative to the workspace. */
  readonly heldAs: string;
}

/** The files that wait in `held/`, without the pages beside them and the approvals. */
export async function waitingFiles({ root, held }: Workspace): Promise<readonly WaitingFile[]> {
  const { files } = await listDropped(held);
  const paths = new Set(files.map(({ path }) => path));
  // A text file may be a held file or the page of one: the held one has a page of its own.
  const isHeld = ({ path, name }: (typeof files)[number]): boolean =>
    !isApproval(name) && (!name.toLowerCase().endsWith('.txt') || paths.has(`${path}.txt`));
  return files.filter(isHeld).map((file) => ({
    ...file,
    sender: senderOf(file.folder),
    heldAs: relative(root, file.path).replaceAll('\\', '/'),
  }));
}

/** Puts on record that a person lets a held file through, as it is now. Returns the hash that the approval is bound to. */
export async function approve(file: WaitingFile, ledger: Ledger): Promise<string> {
  const hash = await sha256OfFile(file.path);
  await ledger.approveContent(hash, shownAs(file));
  return hash;
}

/** Moves a held file back to the inbox and takes its page away. Returns its new path. */
export async function backToInbox(file: WaitingFile, workspace: Workspace): Promise<string> {
  const moved = await putIntoInbox(file.path, workspace, file.sender, file.name);
  await clearBeside(file);
  return moved;
}

async function clearBeside(file: WaitingFile): Promise<void> {
  for (const beside of [`${file.path}.txt`, ...approvalsOf(file)]) await rm(beside, { force: true });
}

/**
 * Moves every held file that a person lets through to `processing/`: on record, by `approve`, or by a `<name>.approve` beside it. What is
 * there is judged by its content once more when it is taken in.
 */
export async function releaseApproved({
  ledger,
  workspace,
}: {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
}): Promise<readonly Taken[]> {
  const kept: Taken[] = [];
  for (const file of await waitingFiles(workspace)) {
    const left = await containingFaults(shownAs(file), async () => {
      if (await hasApprovalBeside(file)) {
        await approve(file, ledger);
        for (const path of approvalsOf(file)) await rm(path, { force: true });
      }
      const known = await ledger.findHeld(await sha256OfFile(file.path));
      if (known === null || known.approvedAt === null) return null;
      if ((await claim(file, workspace)) !== null) await clearBeside(file);
      return null;
    });
    if (left !== null) kept.push(left);
  }
  await removeStaleApprovals(workspace);
  return kept;
}

/** Editors that know nothing of such an ending add their own. */
function approvalsOf({ path }: WaitingFile): readonly string[] {
  return [`${path}${APPROVAL_ENDING}`, `${path}${APPROVAL_ENDING}.txt`];
}

function isApproval(name: string): boolean {
  return name.endsWith(APPROVAL_ENDING) || name.endsWith(`${APPROVAL_ENDING}.txt`);
}

async function hasApprovalBeside(file: WaitingFile): Promise<boolean> {
  const beside = new Set(await readdir(dirname(file.path)));
  return approvalsOf(file).some((path) => beside.has(path.slice(dirname(path).length + 1)));
}

/** One whose file is gone must not let another of that name through some day. */
async function removeStaleApprovals({ held }: Workspace): Promise<void> {
  const { files } = await listDropped(held);
  // On some shares a name is the same however its letters are written.
  const named = new Set(files.map(({ path }) => path.toLowerCase()));
  for (const { path, name } of files) {
    const about = join(dirname(path), name.replace(/\.approve(\.txt)?$/, ''));
    if (isApproval(name) && !named.has(about.toLowerCase())) await rm(path, { force: true });
  }
}
