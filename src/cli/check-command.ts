import { existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, parse, relative } from 'node:path';
import { format } from 'date-fns/format';
import { DUPLICATE_WINDOW_DAYS } from '../contract/project.ts';
import { ExplainedError } from '../domain/errors.ts';
import type { Problem, Repair, RowRecord, SheetLayout } from '../domain/row.ts';
import { writeCorrectionsWorkbook } from '../intake/corrections.ts';
import { readOrderFile } from '../intake/read-file.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { FileTransaction, Ledger, OrderLookup } from '../ledger/ledger.ts';
import type { OrderRecord } from '../ledger/order-record.ts';
import { latestAccount, openSqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts';
import { moveWithoutOverwriting } from '../ops/atomic-files.ts';
import { loadConfig, type Config } from '../ops/config.ts';
import { systemClock } from '../ops/system-clock.ts';
import { workspaceAt, type Workspace } from '../ops/workspace.ts';
import { decidedRow } from '../submit/take-in.ts';
import { type CommandResult, exitCodeOf } from './result.ts';

interface CheckedRow {
  readonly sheet: string;
  readonly row: number;
  readonly problems: readonly Problem[];
}

interface CheckedFile {
  readonly name: string;
  readonly outcome: 'checked' | 'unreadable';
  readonly rows: { readonly read: number; readonly accepted: number; readonly rejected: number };
  /** Relative to the workspace. */
  readonly corrections: string | null;
  readonly reason: string | null;
  readonly notes: readonly string[];
  /** Rows with anything to say, errors and warnings. */
  readonly problems: readonly CheckedRow[];
  readonly repairs: readonly (Repair & { readonly sheet: string; readonly row: number })[];
}

interface RejectedRow {
  readonly record: RowRecord;
  readonly problems: readonly Problem[];
  readonly repairs: readonly Repair[];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A dry run: reads and validates, compares with the ledger, writes the corrections workbooks, sends nothing and records nothing. */
export async function checkCommand(paths: readonly string[], workspaceDir: string): Promise<CommandResult> {
  const missing: string[] = [];
  for (const path of paths) await access(path).catch(() => missing.push(path));
  if (missing.length > 0) throw new ExplainedError(`There is no such file: ${missing.join(', ')}`, { exitCode: 2 });
  const workspace = workspaceAt(workspaceDir);
  const config = await loadConfig(workspace.root);
  await using scratch = openSqliteLedger(':memory:', { clock: systemClock, account: '' });
  await using ledger = openForLooking(workspace);
  const files: CheckedFile[] = [];
  // Tonight's files are rehearsed in memory: a check never makes a run wait.
  await scratch.rehearseFile(async (transaction) => {
    const rehearsal = ledger === null ? transaction : inFrontOf(transaction, ledger.lookup);
    for (const path of paths) files.push(await checkFile(path, config, workspace, rehearsal));
  });
  const exitCode = exitCodeOf({ workLeft: false, rowsForPeople: files.some((file) => file.outcome === 'unreadable' || file.rows.rejected > 0) });
  return { exitCode, json: { files, exitCode }, text: files.map(describeFile).join('\n\n') };
}

/** The workspace's ledger where there is one, so that repeats of what is on record are seen. */
function openForLooking(workspace: Workspace): Ledger | null {
  const path = join(workspace.state, 'ledger.sqlite');
  const account = existsSync(path) ? latestAccount(path) : null;
  return account === null ? null : openSqliteLedger(path, { clock: systemClock, account });
}

/** Looks among tonight's rows first, then among those on record. */
function inFrontOf(tonight: FileTransaction, onRecord: OrderLookup): FileTransaction {
  const old = new WeakSet<OrderRecord>();
  const asOld = (order: OrderRecord | null): OrderRecord | null => {
    if (order !== null) old.add(order);
    return order;
  };
  return {
    ...tonight,
    findLivingOrder: (identity) => tonight.findLivingOrder(identity) ?? asOld(onRecord.findLivingOrder(identity)),
    findOrderAtAddress: (addressKey, since) => tonight.findOrderAtAddress(addressKey, since) ?? asOld(onRecord.findOrderAtAddress(addressKey, since)),
    findOrderOfPolicy: (policyKey) => tonight.findOrderOfPolicy(policyKey) ?? asOld(onRecord.findOrderOfPolicy(policyKey)),
    placeOfOrder: (order) => (old.has(order) ? onRecord : tonight).placeOfOrder(order),
  };
}

async function checkFile(path: string, config: Config, workspace: Workspace, transaction: FileTransaction): Promise<CheckedFile> {
  const name = basename(path);
  const now = systemClock.now();
  try {
    await using reading = await readOrderFile(path, name, { headers: Object.fromEntries(config.intake.headers), today: format(now, 'yyyy-MM-dd') });
    const rows = { read: 0, accepted: 0, rejected: 0 };
    const problems: CheckedRow[] = [];
    const repairs: (Repair & { sheet: string; row: number })[] = [];
    const rejected: RejectedRow[] = [];
    for await (const outcome of reading.rows()) {
      const row = decidedRow(outcome, transaction, config.submit, now - DUPLICATE_WINDOW_DAYS * DAY_MS, reading.layouts);
      // A repeat may be of an order that only the workspace's ledger knows.
      transaction.addRow({ ...row, orderId: row.outcome === 'order' ? row.orderId : null });
      const place = { sheet: row.record.place.sheet, row: row.record.place.rowNumber };
      rows.read += 1;
      if (row.outcome === 'rejection') {
        rows.rejected += 1;
        rejected.push({ record: row.record, problems: row.problems, repairs: row.repairs });
      } else rows.accepted += 1;
      if (row.problems.length > 0) problems.push({ ...place, problems: row.problems });
      repairs.push(...row.repairs.map((repair) => ({ ...repair, ...place })));
    }
    const corrections = rejected.length === 0 ? null : await writeCorrections(name, reading.layouts, rejected, workspace);
    return { name, outcome: 'checked', rows, corrections, reason: null, notes: reading.notes, problems, repairs };
  } catch (failure) {
    if (!(failure instanceof UnreadableFileError)) throw failure;
    const rows = { read: 0, accepted: 0, rejected: 0 };
    return { name, outcome: 'unreadable', rows, corrections: null, reason: failure.message, notes: [], problems: [], repairs: [] };
  }
}

async function writeCorrections(
  name: string,
  layouts: readonly SheetLayout[],
  rejected: readonly RejectedRow[],
  workspace: Workspace,
): Promise<string> {
  const building = await mkdtemp(join(tmpdir(), 'inspection-batch-'));
  try {
    const path = join(building, 'corrections.xlsx');
    await writeCorrectionsWorkbook(path, {
      file: name,
      layouts,
      rows: async function* rows() {
        yield* rejected;
      },
    });
    await mkdir(workspace.corrections, { recursive: true });
    const written = await moveWithoutOverwriting(path, workspace.corrections, `${parse(name).name} - to fix.xlsx`);
    return relative(workspace.root, written).replaceAll('\\', '/');
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** More than these would scroll away on a terminal; the corrections workbook holds all of them. */
const LISTED_MAX = 60;

function describeFile(file: CheckedFile): string {
  if (file.outcome === 'unreadable') return `${file.name}: unreadable\n  ${file.reason ?? ''}`;
  const { read, accepted, rejected } = file.rows;
  const lines = [`${file.name}: ${read} rows read, ${accepted} can be ordered, ${rejected} to fix; ${file.repairs.length} values repaired`];
  lines.push(...file.notes.map((note) => `  note: ${note}`));
  const problems = file.problems.flatMap((row) => row.problems.map((problem) => `  ${placeOf(row, problem)}  ${problem.severity}: ${problem.message}`));
  lines.push(...problems.slice(0, LISTED_MAX));
  if (problems.length > LISTED_MAX) lines.push(`  … and ${problems.length - LISTED_MAX} more; --json lists all of them.`);
  if (file.corrections !== null) lines.push(`  The rows to fix are in ${file.corrections}: fix them there and drop that file in the inbox.`);
  return lines.join('\n');
}

function placeOf(row: CheckedRow, problem: Problem): string {
  return problem.cell === null ? `${row.sheet} row ${row.row}` : `${row.sheet} ${problem.cell}`;
}
