import { mkdir, rm, stat } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { format } from 'date-fns/format';
import { DUPLICATE_WINDOW_DAYS } from '../contract/project.ts';
import type { Clock, Log, Sleep } from '../domain/ports.ts';
import type { RowOutcome, SheetLayout } from '../domain/row.ts';
import { type DroppedFile, listDropped, settle } from '../intake/inbox.ts';
import { type IntakeOptions, readOrderFile } from '../intake/read-file.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { FileRecord, FileTransaction, Ledger, NewRow, RowSummary } from '../ledger/ledger.ts';
import { copyDurably, moveWithoutOverwriting, sha256OfFile, writeFileDurably } from '../ops/atomic-files.ts';
import type { Workspace } from '../ops/workspace.ts';
import { writePendingCorrections } from './corrections.ts';
import { decideRow, type OrderingRules } from './row-decision.ts';

/** What became of a file, for the run's summary. */
export interface FileReport {
  readonly name: string;
  readonly outcome: 'processed' | 'already-processed' | 'unreadable' | 'settling';
  readonly rows: { readonly read: number; readonly accepted: number; readonly rejected: number };
  /** Relative to the workspace. */
  readonly corrections: string | null;
  readonly reason: string | null;
}

/** What a run took in. */
export interface TakenIn {
  readonly files: readonly FileReport[];
  /** Accepted rows that are tied to an order which was on record already. */
  readonly repeats: number;
}

export interface TakeInParts {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly rules: OrderingRules;
  readonly headers: IntakeOptions['headers'];
  readonly settleMs: number;
  /** Only files of these names; all of the inbox when it is left out. */
  readonly only?: ReadonlySet<string>;
}

const NO_ROWS = { read: 0, accepted: 0, rejected: 0 };
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Takes in what people dropped: settled → claimed → snapshotted under its content's hash → all rows on record in one transaction →
 * corrections written → archived (RELIABILITY: Files). Every step can be repeated after a crash.
 */
export async function takeInInbox(parts: TakeInParts): Promise<TakenIn> {
  const { workspace, signal, only } = parts;
  const taken: Taken[] = [];
  for (const claimed of await listDropped(workspace.processing)) taken.push(await takeInClaimed(claimed, parts));
  const dropped = (await listDropped(workspace.inbox)).filter((file) => only === undefined || only.has(file.name));
  const { settled, settling } = await settleUnlessStopped(dropped, parts);
  for (const file of settled) {
    if (signal.aborted) break;
    const path = await moveWithoutOverwriting(file.path, workspace.processing, file.name);
    taken.push(await takeInClaimed({ path, name: file.name }, parts));
  }
  for (const { name } of settling) {
    const reason = 'It is still being written; the next run takes it in.';
    taken.push({ report: { name, outcome: 'settling', rows: NO_ROWS, corrections: null, reason }, repeats: 0 });
  }
  return summed(taken);
}

interface Taken {
  readonly report: FileReport;
  readonly repeats: number;
}

function summed(taken: readonly Taken[]): TakenIn {
  return { files: taken.map(({ report }) => report), repeats: taken.reduce((sum, { repeats }) => sum + repeats, 0) };
}

async function settleUnlessStopped(files: readonly DroppedFile[], parts: TakeInParts): ReturnType<typeof settle> {
  return settle(files, parts.settleMs, parts, parts.signal).catch((failure: unknown) => {
    if (parts.signal.aborted) return { settled: [], settling: files };
    throw failure;
  });
}

/** Takes in files that somebody named; they stay where they are, a copy is archived. */
export async function takeInNamed(files: readonly DroppedFile[], parts: TakeInParts): Promise<TakenIn> {
  const taken: Taken[] = [];
  for (const file of files) {
    const path = join(parts.workspace.processing, `${(await sha256OfFile(file.path)).slice(0, 12)} ${file.name}`);
    await copyDurably(file.path, path);
    taken.push(await takeInClaimed({ path, name: file.name }, parts));
  }
  return summed(taken);
}

async function takeInClaimed(claimed: DroppedFile, parts: TakeInParts): Promise<Taken> {
  const { ledger, workspace } = parts;
  const snapshot = await takeSnapshot(claimed, workspace);
  const known = await ledger.findFile(snapshot.hash);
  if (known !== null && known.archivedAs !== null) {
    return { report: await alreadyProcessed(claimed, snapshot.path, known, parts), repeats: 0 };
  }
  try {
    const { recorded, repeats } = known === null ? await recordRows(claimed.name, snapshot, parts) : { recorded: known, repeats: 0 };
    await writePendingCorrections(parts, recorded);
    const rows = { read: recorded.rowsAccepted + recorded.rowsRejected, accepted: recorded.rowsAccepted, rejected: recorded.rowsRejected };
    const corrections = await ledger.correctionsOf(recorded.id);
    await archive(claimed, snapshot, recorded, parts);
    parts.log.info('file recorded', { file: recorded.id, ...rows });
    return { report: { name: claimed.name, outcome: 'processed', rows, corrections, reason: null }, repeats };
  } catch (failure) {
    if (!(failure instanceof UnreadableFileError)) throw failure;
    return { report: await unreadable(claimed, snapshot.path, failure.message, parts), repeats: 0 };
  }
}

interface Snapshot {
  readonly path: string;
  readonly hash: string;
}

/** Only the snapshot is parsed: whoever still has the dropped file open can change that one, but not this. */
async function takeSnapshot(claimed: DroppedFile, workspace: Workspace): Promise<Snapshot> {
  await mkdir(join(workspace.state, 'snapshots'), { recursive: true });
  const copy = join(workspace.state, 'snapshots', `taking${extname(claimed.name)}`);
  await copyDurably(claimed.path, copy);
  const hash = await sha256OfFile(copy);
  const path = join(workspace.state, 'snapshots', `${hash}${extname(claimed.name)}`);
  await copyDurably(copy, path);
  await rm(copy);
  return { path, hash };
}

async function recordRows(name: string, snapshot: Snapshot, parts: TakeInParts): Promise<{ recorded: FileRecord; repeats: number }> {
  const now = parts.clock.now();
  await using reading = await readOrderFile(snapshot.path, name, { headers: parts.headers, today: format(now, 'yyyy-MM-dd') });
  const { layouts, notes } = reading;
  const windowStart = now - DUPLICATE_WINDOW_DAYS * DAY_MS;
  let repeats = 0;
  const recorded = await parts.ledger.recordFile({ hash: snapshot.hash, name, layouts, notes }, async (transaction) => {
    for await (const outcome of reading.rows()) {
      const row = decidedRow(outcome, transaction, parts.rules, windowStart, layouts);
      transaction.addRow(row);
      if (row.outcome === 'repeat') repeats += 1;
    }
  });
  return { recorded, repeats };
}

/** What a row of the file becomes on record; a new order is put there with it. */
export function decidedRow(
  outcome: RowOutcome,
  transaction: FileTransaction,
  rules: OrderingRules,
  windowStart: number,
  layouts: readonly SheetLayout[],
): NewRow {
  const { record, repairs } = outcome;
  const common = { record, repairs, summary: summaryOf(outcome, layouts) };
  if (outcome.kind === 'rejection') return { ...common, outcome: 'rejection', orderId: null, problems: outcome.problems };
  const decision = decideRow(outcome, rules, windowStart, transaction);
  switch (decision.kind) {
    case 'order': {
      const orderId = transaction.addOrder(decision.order);
      const problems = [...outcome.warnings, ...decision.warnings];
      return { ...common, outcome: 'order', orderId, problems, repairs: [...repairs, ...decision.repairs] };
    }
    case 'repeat': {
      const note = { severity: 'warning', rule: 'repeat', field: null, column: null, cell: null, value: '', message: decision.why } as const;
      return { ...common, outcome: 'repeat', orderId: decision.of.id, problems: [...outcome.warnings, note] };
    }
    case 'rejection':
      return { ...common, outcome: 'rejection', orderId: null, problems: [...decision.problems, ...outcome.warnings] };
  }
}

function summaryOf(outcome: RowOutcome, layouts: readonly SheetLayout[]): RowSummary {
  const layout = layouts.find((candidate) => candidate.sheet === outcome.record.place.sheet);
  const held = (field: keyof RowSummary): string => {
    if (outcome.kind === 'order') return outcome.payload[field] ?? '';
    const column = layout?.columns.find((candidate) => candidate.field === field);
    const cell = column === undefined ? undefined : outcome.record.cells[column.index];
    if (cell === undefined) return '';
    return cell.kind === 'text' ? cell.text : cell.kind === 'number' || cell.kind === 'date' ? cell.raw : '';
  };
  return {
    policyNumber: held('policyNumber'),
    inspectionNumber: held('inspectionNumber'),
    insuredName: held('insuredName'),
    streetAddress: held('streetAddress'),
  };
}

/** Moves the original into the archive; where it was written to meanwhile, the snapshot goes there and the file back to the inbox. */
async function archive(claimed: DroppedFile, snapshot: Snapshot, recorded: FileRecord, { ledger, workspace, clock }: TakeInParts): Promise<void> {
  const folder = await archiveFolder(workspace, clock);
  const unchanged = (await sha256OfFile(claimed.path)) === snapshot.hash;
  const archived = await moveWithoutOverwriting(unchanged ? claimed.path : snapshot.path, folder, claimed.name);
  await ledger.markArchived(recorded.id, slashes(relative(workspace.root, archived)));
  if (unchanged) await rm(snapshot.path, { force: true });
  else await moveWithoutOverwriting(claimed.path, workspace.inbox, claimed.name);
}

/** `archive/YYYY/MM/DD`, of today. */
async function archiveFolder({ archive: root }: Workspace, clock: Clock): Promise<string> {
  const folder = join(root, format(clock.now(), 'yyyy/MM/dd'));
  await mkdir(folder, { recursive: true });
  return folder;
}

async function alreadyProcessed(claimed: DroppedFile, snapshotPath: string, known: FileRecord, parts: TakeInParts): Promise<FileReport> {
  const { workspace, ledger, clock } = parts;
  await rm(snapshotPath, { force: true });
  await moveWithoutOverwriting(claimed.path, await archiveFolder(workspace, clock), claimed.name);
  await ledger.noteStep('file', String(known.id), 'came again', { name: claimed.name });
  return {
    name: claimed.name,
    outcome: 'already-processed',
    rows: NO_ROWS,
    corrections: await ledger.correctionsOf(known.id),
    reason:
      `The same content was taken in on ${format(known.recordedAt, 'yyyy-MM-dd HH:mm')} as ${known.name}: ` +
      `${known.rowsAccepted} rows accepted, ${known.rowsRejected} rejected. Nothing was done again.`,
  };
}

async function unreadable(claimed: DroppedFile, snapshotPath: string, reason: string, { workspace, log }: TakeInParts): Promise<FileReport> {
  const { size } = await stat(claimed.path);
  const moved = await moveWithoutOverwriting(claimed.path, workspace.unreadable, claimed.name);
  await writeFileDurably(`${moved}.txt`, `${claimed.name} could not be read, and nothing in it was ordered.\n\n${reason}\n`);
  await rm(snapshotPath, { force: true });
  log.warn('file unreadable', { bytes: size });
  return { name: claimed.name, outcome: 'unreadable', rows: NO_ROWS, corrections: null, reason };
}

function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}
