import { statSync } from 'node:fs';
import { access, constants, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { format } from 'date-fns/format';
import { messageOf, usageErrorOf, workLeftErrorOf } from '../domain/errors.ts';
import { backUpLedgerFile } from '../ledger/ledger-file.ts';
import { makeFolder, replaceDurably, sha256OfFile, syncFolder } from '../ops/durable-files.ts';
import { isDatabaseUrl, loadLedgerUrl } from '../ops/environment.ts';
import { OpenLedgerMark, readLedgerMark } from '../ops/ledger-mark.ts';
import { acquireRunLock } from '../ops/run-lock.ts';
import { systemClock } from '../ops/system.ts';
import { nothingOnRecord, type Workspace, workspaceAt } from '../ops/workspace.ts';
import {
  type LedgerInRecovery,
  ledgerCondition,
  openForRecovery,
  ledgerError,
  setLedgerAside,
} from '../upkeep/guarded-ledger.ts';
import { type LedgerPlace, ledgerPathOf, openAt, placeInDatabase, placeOnMark } from '../upkeep/ledger-place.ts';
import { recoverLedger, type RecoverReport } from '../upkeep/recover-run.ts';
import { ServiceUnavailable } from '../service/reads.ts';
import { pathIn } from '../submit/claimed-files.ts';
import { success } from './terminal.ts';
import { refuseExisting } from './init-command.ts';
import { exitCodeOfRecovery } from '../night/exit-codes.ts';
import { lockWorkspace } from '../night/workspace-lease.ts';
import type { StopSignal } from '../night/stop-signal.ts';
import { finishRun, inRunSession, type RunSession } from '../night/run-session.ts';
import { progressBar } from '../night/progress-bar.ts';
import { sentence } from '../domain/sentences.ts';

/** Works during a run. The copy has its name only after a full check. */
export async function backupCommand(to: string | undefined, workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  const { place, look, problem } = await ledgerCondition(workspace, 'header');
  // A copy would hide that the ledger is out of date.
  if (problem !== null) throw ledgerError(problem);
  if (look.kind !== 'there') throw nothingOnRecord(workspace);
  const path = targetOf(to, workspace);
  await makeWritable(dirname(path));
  const { orders = 0, projects = 0, files = 0 } = await copyChecked(place, path);
  const { size: bytes } = await stat(path);
  const inside = pathIn(workspace, path);
  const shown = inside.startsWith('..') ? path : inside;
  const text = sentence('ledger/copied', { shown, orders, projects, files });
  return success(text, { file: shown, bytes, sha256: await sha256OfFile(path), orders, projects, files });
}

async function makeWritable(folder: string) {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (failure) {
    throw usageErrorOf('backup-not-writable', { folder, failure: messageOf(failure) }, failure);
  }
}

/** Never inside `state/`, which could be lost with the ledger. */
function targetOf(to: string | undefined, workspace: Workspace) {
  const name = `ledger-${format(systemClock.now(), 'yyyyMMdd-HHmmss')}.sqlite`;
  const given = resolve(to ?? join(workspace.root, 'backups'));
  // A missing folder (an unmounted disk) must not become a file.
  const there = statSync(given, { throwIfNoEntry: false });
  const isFile = there === undefined ? to?.endsWith('.sqlite') === true : !there.isDirectory();
  const path = isFile ? given : join(given, name);
  if (!relative(workspace.state, path).startsWith('..')) throw usageErrorOf('backup-inside-state', { path });
  refuseExisting(path, sentence('ledger/existing'));
  return path;
}

function copyChecked(place: LedgerPlace, path: string, alone = false) {
  return replaceDurably(path, async (partial) => {
    const { found, counts, copied } =
      place.kind === 'sqlite'
        ? await backUpLedgerFile(place.path, partial)
        : await (await import('../ledger/move-ledger.ts')).copyFromPostgres(place.target, partial, alone);
    const odd = Object.keys(counts).filter((table) => counts[table] !== copied[table]);
    if (found !== 'ok' || odd.length > 0) {
      const what = found === 'ok' ? `rows of ${odd.join(', ')} are missing` : found;
      throw usageErrorOf('backup-differs', { what });
    }
    return counts;
  });
}

/**
 * The old ledger is kept and marked as old: a run that finds only that one sends nothing. Throws ExplainedError (2; 4
 * if the database is unavailable; 5).
 */
export async function moveCommand(to: string | undefined, workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  await using locks = new AsyncDisposableStack();
  locks.use(await acquireRunLock(workspace.state, { clock: systemClock, command: 'ledger move' }));
  const move = await ledgerToMove(workspace, to);
  const { from, target } = move;
  // A run on another host ignores the file's lock.
  if (from.kind === 'postgres') locks.use(await lockWorkspace(workspace, 'ledger move'));
  const counts = await movedTo(target, from, workspace);
  await noteMove(workspace, move);
  const { orders = 0, projects = 0, files = 0 } = counts;
  const next = target.kind === 'sqlite' ? sentence('ledger/unset-url') : sentence('ledger/set-url');
  const text = sentence('ledger/moved', { name: target.name, orders, projects, files, before: from.name, next });
  return success(text, { from: from.name, to: target.name, orders, projects, files });
}

async function ledgerToMove(workspace: Workspace, to: string | undefined) {
  const mark = await readLedgerMark(workspace);
  if (mark === null || mark === 'damaged') throw nothingOnRecord(workspace);
  if (to !== undefined && URL.parse(to)?.password) throw usageErrorOf('password-on-command-line');
  const url = (to === 'sqlite' ? undefined : to) ?? (await loadLedgerUrl(workspace.root));
  if (url === null || !isDatabaseUrl(url)) throw usageErrorOf('no-database-named');
  const file: LedgerPlace = { kind: 'sqlite', name: ledgerPathOf(workspace), path: ledgerPathOf(workspace) };
  const database = placeInDatabase(url, mark.workspace);
  const [from, target] = to === 'sqlite' ? [database, file] : [file, database];
  const { look, problem } = await ledgerCondition(workspace, 'quick', undefined, from);
  if (problem !== null) throw ledgerError(problem);
  if (look.kind !== 'there' || look.lineage === null) throw usageErrorOf('nothing-on-record/move', { name: from.name });
  return { from, target, mark };
}

async function movedTo(target: LedgerPlace, from: LedgerPlace, workspace: Workspace) {
  const { copyToPostgres } = await import('../ledger/move-ledger.ts');
  if (from.kind === 'sqlite' && target.kind === 'postgres') return copyToPostgres(from.path, target.target);
  const fresh = join(workspace.state, '.moved.sqlite');
  await rm(fresh, { force: true });
  const counts = await copyChecked(from, fresh, true);
  await setLedgerAside(ledgerPathOf(workspace));
  await rename(fresh, ledgerPathOf(workspace));
  await syncFolder(workspace.state);
  return counts;
}

/** The ledger first: earlier versions must see the old one as old. */
async function noteMove(workspace: Workspace, { target, mark }: Awaited<ReturnType<typeof ledgerToMove>>) {
  await using ledger = await openAt(target, { clock: systemClock, account: mark.accounts.at(-1)?.account ?? '' });
  const generation = await ledger.moveOn(mark.workspace, Math.max(systemClock.now(), mark.generation + 1));
  const moved = { ...mark, generation, base: 0, closed: null, ledger: placeOnMark(target) };
  (await OpenLedgerMark.open(workspace, moved)).close(null);
}

/**
 * Sends nothing, and no run sends anything before it succeeds. Throws ExplainedError (2; 4 if the service is
 * unavailable).
 */
export async function recoverCommand(from: string | undefined, workspaceDir: string) {
  const found: { ledger: LedgerInRecovery | null } = { ledger: null };
  const openLedger = async (workspace: Workspace, options: Parameters<typeof openForRecovery>[2]) => {
    found.ledger = await openForRecovery(workspace, from, options);
    return found.ledger;
  };
  return inRunSession(workspaceDir, 'recover', (session, stop) => recover(session, stop, found.ledger), { openLedger });
}

async function recover(session: RunSession, stop: StopSignal, found: LedgerInRecovery | null) {
  const report = await recovered(session, found?.accounts ?? []);
  const exitCode = exitCodeOfRecovery(report, stop.by);
  const kept = found?.kept ? pathIn(session.workspace, found.kept) : null;
  const oldSince = report.oldSince === 0 ? null : new Date(report.oldSince).toISOString();
  const json = { run: session.run, ...report, oldSince, kept, exitCode };
  await finishRun(session, exitCode, json);
  return { exitCode, json, text: describeRecovery(report, kept) };
}

async function recovered(session: RunSession, accounts: LedgerInRecovery['accounts']) {
  try {
    if (session.away !== null) throw new ServiceUnavailable(session.away);
    const recovery = await session.ledger.latestRecovery();
    if (recovery === null) throw new Error('no recovery is on record');
    return await recoverLedger(recovery, { ...session, accounts });
  } catch (failure) {
    if (!(failure instanceof ServiceUnavailable)) throw failure;
    throw workLeftErrorOf('recovery-unfinished', { failure: failure.message }, failure);
  } finally {
    progressBar.end();
  }
}

function describeRecovery(report: RecoverReport, kept: string | null) {
  const { oldSince, archive, adopted, amended, received, inDoubt, held } = report;
  const decisions = archive.decisions === 0 ? '' : `, and ${archive.decisions} decisions of underwriters`;
  return [
    oldSince === 0 ? 'A new ledger was made.' : `The ledger was as of ${new Date(oldSince).toISOString()}.`,
    sentence('ledger/archive', { files: archive.files, rows: archive.rows, decisions }),
    sentence('ledger/recovered', { adopted, amended, received }),
    ...(inDoubt === 0 ? [] : [sentence('ledger/in-doubt', { inDoubt })]),
    ...(held === 0 ? [] : [sentence('ledger/held', { held })]),
    ...archive.unreadable.map((name) => `No longer readable: ${name}`),
    ...archive.ofOthers.map((name) => `Of another account, skipped: ${name}`),
    ...(kept === null ? [] : [`The previous ledger is kept in ${kept}.`]),
    'Runs continue as before.',
  ].join('\n');
}
