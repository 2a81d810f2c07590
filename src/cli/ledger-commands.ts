import { existsSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { format } from 'date-fns/format';
import { ExplainedError, usageError } from '../domain/errors.ts';
import { copyLedger, type TableCounts } from '../ledger/ledger-file.ts';
import { sha256OfFile, syncFolder } from '../ops/durable-files.ts';
import { systemClock } from '../ops/system.ts';
import { type Workspace, workspaceAt } from '../ops/workspace.ts';
import { type LedgerInRecovery, ledgerPathOf, ledgerStanding, openForRecovery, refusal } from '../recover/guarded-ledger.ts';
import { recoverLedger, type RecoverReport } from '../recover/recover-run.ts';
import { ServiceAway } from '../service/reads.ts';
import { type CommandResult, done, exitCodeOfRecovery } from './exit-codes.ts';
import { collectContext, takeInContext } from './run-command.ts';
import { finishRun, inRunSession, type RunSession, type StopSignal } from './run-session.ts';
import { progressBar } from './terminal.ts';

/**
 * Copies the ledger, even during a run. The copy gets its name only after a full check found nothing wrong with it, and every table has as many
 * rows as the ledger had at that instant. Throws ExplainedError (2).
 */
export async function backupCommand(to: string | undefined, workspaceDir: string): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const { look, problem } = await ledgerStanding(workspace, 'header');
  // A copy of an outdated ledger would only hide that it is outdated.
  if (problem !== null) throw refusal(problem);
  if (look.kind !== 'there') throw usageError('Nothing is on record here yet.', 'Name the workspace with --workspace.');
  const path = targetOf(to, workspace);
  await mkdir(dirname(path), { recursive: true });
  const { orders = 0, projects = 0, files = 0 } = await copyChecked(ledgerPathOf(workspace), path);
  const { size: bytes } = await stat(path);
  const inside = relative(workspace.root, path);
  const shown = inside.startsWith('..') ? path : inside.replaceAll(sep, '/');
  const text = `Copied the ledger to ${shown}: ${orders} orders, ${projects} projects, ${files} files. The copy was checked, and is what the ledger is.`;
  return done(text, { file: shown, bytes, sha256: await sha256OfFile(path), orders, projects, files });
}

/** `to` is a new file or a folder. It must lie outside `state/`, so that ledger and copy are not lost together. */
function targetOf(to: string | undefined, workspace: Workspace): string {
  const name = `ledger-${format(systemClock.now(), 'yyyyMMdd-HHmmss')}.sqlite`;
  const given = resolve(to ?? join(workspace.root, 'backups'));
  const path = to === undefined || (existsSync(given) && statSync(given).isDirectory()) ? join(given, name) : given;
  if (!relative(workspace.state, path).startsWith('..')) throw usageError(`${path} is in state/, where the ledger itself is.`, 'Name a file outside it, best on another disk.');
  if (existsSync(path)) throw usageError(`${path} is there already.`, 'Name another file, or a folder: then the name is made of the time.');
  return path;
}

async function copyChecked(ledger: string, path: string): Promise<TableCounts> {
  const partial = join(dirname(path), `.ledger-${process.pid}-${systemClock.now()}.partial`);
  try {
    const { found, counts, copied } = await copyLedger(ledger, partial);
    const odd = Object.keys(counts).filter((table) => counts[table] !== copied[table]);
    if (found !== 'ok' || odd.length > 0) {
      const what = found === 'ok' ? `rows of ${odd.join(', ')} are missing` : found;
      throw usageError(`The copy is not what the ledger is, and was removed: ${what}.`, 'Run `inspection-batch doctor`: it reads every page of the ledger.');
    }
    await using file = await open(partial, 'r');
    await file.sync();
    await rename(partial, path);
    await syncFolder(dirname(path));
    return counts;
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * Brings an old or lost ledger up to date from the archive and the service; nothing is sent. Throws ExplainedError (2; 4 where the service is
 * away: until `recover` was run again, no run sends anything).
 */
export async function recoverCommand(from: string | undefined, workspaceDir: string): Promise<CommandResult> {
  const found: { ledger: LedgerInRecovery | null } = { ledger: null };
  const openLedger = async (workspace: Workspace, options: Parameters<typeof openForRecovery>[2]): Promise<LedgerInRecovery> => {
    found.ledger = await openForRecovery(workspace, from, options);
    return found.ledger;
  };
  return inRunSession(workspaceDir, 'recover', (session, stop) => recover(session, stop, found.ledger), { openLedger });
}

async function recover(session: RunSession, stop: StopSignal, found: LedgerInRecovery | null): Promise<CommandResult> {
  const report = await recovered(session, found?.accounts ?? [], stop.signal);
  const exitCode = exitCodeOfRecovery(report);
  const kept = found === null || found.kept === null ? null : relative(session.workspace.root, found.kept).replaceAll('\\', '/');
  // A ledger that was lost stood at no time at all.
  const oldSince = report.oldSince === 0 ? null : new Date(report.oldSince).toISOString();
  const json = { run: session.run, ...report, oldSince, kept, exitCode };
  await finishRun(session, exitCode, json);
  return { exitCode, json, text: inWords(report, kept) };
}

async function recovered(session: RunSession, accounts: LedgerInRecovery['accounts'], signal: AbortSignal): Promise<RecoverReport> {
  try {
    if (session.away !== null) throw new ServiceAway(session.away);
    const recovery = await session.ledger.latestRecovery();
    if (recovery === null) throw new Error('no recovery is on record');
    return await recoverLedger(recovery, { ...takeInContext(session, signal), ...collectContext(session), signal: session.signal, accounts });
  } catch (failure) {
    if (!(failure instanceof ServiceAway)) throw failure;
    throw new ExplainedError(`The ledger is not recovered yet: ${failure.message} Nothing was sent.`, { kind: 'work-left', hint: 'Run `inspection-batch recover` again later: it goes on from here. Until then no run sends anything.', cause: failure });
  } finally {
    progressBar.end();
  }
}

function inWords({ oldSince, archive, adopted, amended, received, inDoubt, held }: RecoverReport, kept: string | null): string {
  return [
    oldSince === 0 ? 'The ledger was made anew.' : `The ledger was as of ${new Date(oldSince).toISOString()}.`,
    `From archive/: ${archive.files} files with ${archive.rows} rows that it did not know${archive.decisions === 0 ? '' : `, and ${archive.decisions} decisions of underwriters`}.`,
    `From the service: ${adopted} orders found their projects, ${amended} projects were amended, ${received} received projects have their files here.`,
    ...(inDoubt === 0 ? [] : [`${inDoubt} orders were not found. Each is searched for once more, and sent only when the quarantine is over.`]),
    ...(held === 0 ? [] : [`${held} orders wait for a person: \`inspection-batch status\` says why.`]),
    ...archive.unreadable.map((name) => `Not to be read any more: ${name}`),
    ...archive.ofOthers.map((name) => `Of another account, left alone: ${name}`),
    ...(kept === null ? [] : [`What stood in the ledger's place is kept in ${kept}.`]),
    'Runs go on as before.',
  ].join('\n');
}
