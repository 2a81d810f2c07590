import { relative } from 'node:path';
import { ExplainedError } from '../domain/errors.ts';
import type { Workspace } from '../ops/workspace.ts';
import { type LedgerInRecovery, openForRecovery } from '../recover/guarded-ledger.ts';
import { recoverLedger, type RecoverReport } from '../recover/recover-run.ts';
import { ServiceAway } from '../service/reads.ts';
import { type CommandResult, exitCodeOfRecovery } from './exit-codes.ts';
import { collectContext, takeInContext } from './run-command.ts';
import { finishRun, inRunSession, type RunSession, type StopSignal } from './run-session.ts';
import { createProgress } from './terminal.ts';

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
  const json = { run: session.run, ...report, kept, exitCode };
  await finishRun(session, exitCode, json);
  return { exitCode, json, text: inWords(report, kept) };
}

async function recovered(session: RunSession, accounts: LedgerInRecovery['accounts'], signal: AbortSignal): Promise<RecoverReport> {
  const progress = createProgress(process.stderr, 'Looking');
  try {
    if (session.away !== null) throw new ServiceAway(session.away);
    const recovery = await session.ledger.latestRecovery();
    if (recovery === null) throw new Error('no recovery is on record');
    const onProgress = (done: number, total: number): void => progress.update(done, total);
    return await recoverLedger(recovery, { ...takeInContext(session, signal), ...collectContext(session, onProgress), signal: session.signal, accounts });
  } catch (failure) {
    if (!(failure instanceof ServiceAway)) throw failure;
    throw new ExplainedError(`The ledger is not recovered yet: ${failure.message} Nothing was sent.`, { kind: 'work-left', hint: 'Run `inspection-batch recover` again later: it goes on from here. Until then no run sends anything.', cause: failure });
  } finally {
    progress.done();
  }
}

function inWords({ oldSince, archive, adopted, amended, received, inDoubt, held }: RecoverReport, kept: string | null): string {
  return [
    oldSince === 0 ? 'The ledger was made anew.' : `The ledger was as of ${new Date(oldSince).toISOString()}.`,
    `From archive/: ${archive.files} files with ${archive.rows} rows that it did not know.`,
    `From the service: ${adopted} orders found their projects, ${amended} projects were amended, ${received} received projects have their files here.`,
    ...(inDoubt === 0 ? [] : [`${inDoubt} orders were not found. Each is searched for once more, and sent only when the quarantine is over.`]),
    ...(held === 0 ? [] : [`${held} orders wait for a person: \`inspection-batch status\` says why.`]),
    ...archive.unreadable.map((name) => `Not to be read any more: ${name}`),
    ...archive.ofOthers.map((name) => `Of another account, left alone: ${name}`),
    ...(kept === null ? [] : [`What stood in the ledger's place is kept in ${kept}.`]),
    'Runs go on as before.',
  ].join('\n');
}
