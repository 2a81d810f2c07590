import { join } from 'node:path';
import { RemoteFolder, SftpAway, type SftpTarget } from '../collect/sftp/remote-folder.ts';
import { clearTaken, type SftpTaken, takeInSftp } from '../collect/sftp/sftp-run.ts';
import type { Config } from '../ops/config.ts';
import { loadSftpAccess } from '../ops/environment.ts';
import { systemClock, systemSleep } from '../ops/system.ts';
import type { RunSession } from './run-session.ts';

/** What a run took from the SFTP folder, and why it ended early; null where there is no such folder. */
export interface SftpIntake {
  readonly taken: SftpTaken;
  readonly stopped: string | null;
}

const NOTHING: SftpTaken = { sets: [], left: [], stored: 0 };
const LISTED_MAX = 20;

/** The folder of `collect.sftp` with what it is entered with; null where none is set. Throws ExplainedError (2). */
export async function sftpTargetOf(workspaceDir: string, config: Config): Promise<SftpTarget | null> {
  const { sftp } = config.collect;
  return sftp === null ? null : { ...sftp, privateKey: undefined, ...(await loadSftpAccess(workspaceDir, config, process.env)) };
}

/** Takes in what the service delivered into `collect.sftp`. A server that is away costs the run nothing but an exit code. */
export async function takeInFromSftp(session: RunSession): Promise<SftpIntake | null> {
  const { sftp, ledger, log, workspace, config, client, pace } = session;
  if (sftp === null) return null;
  try {
    await using folder = await RemoteFolder.open(sftp, pace.signal);
    const store = join(workspace.state, 'downloads', client.account);
    const taken = await takeInSftp({ ledger, folder, log, clock: systemClock, sleep: systemSleep, signal: pace.signal, root: workspace.root, store, settleMs: config.intake.settleSeconds * 1000 });
    return { taken, stopped: null };
  } catch (failure) {
    return { taken: NOTHING, stopped: reasonOf(failure, session) };
  }
}

/** After the delivery is published: moves or deletes what it holds, which tells the service that it was received. Gives why it could not, or null. */
export async function clearSftp(intake: SftpIntake | null, session: RunSession): Promise<string | null> {
  const { sftp, ledger, log, config, pace, workspace } = session;
  if (sftp === null || intake === null || intake.taken.sets.length === 0) return null;
  try {
    await using folder = await RemoteFolder.open(sftp, pace.signal);
    const cleared = await clearTaken(intake.taken.sets, { ledger, folder, log, root: workspace.root, afterwards: config.collect.sftp?.afterwards ?? 'move' });
    log.info('SFTP folder cleared', { files: cleared });
    return null;
  } catch (failure) {
    return reasonOf(failure, session);
  }
}

/** What stays in the folder, for a person. */
export function leftInSftp({ taken: { left } }: SftpIntake): readonly string[] {
  if (left.length === 0) return [];
  const lines = left.slice(0, LISTED_MAX).map(({ name, why }) => `  ${name}: ${why}`);
  const more = left.length > LISTED_MAX ? [`  … and ${left.length - LISTED_MAX} more`] : [];
  return [[`Left in the SFTP folder:`, ...lines, ...more].join('\n')];
}

function reasonOf(failure: unknown, { log }: RunSession): string {
  if (!(failure instanceof SftpAway)) throw failure;
  log.warn('SFTP intake stopped', { reason: failure.message });
  return failure.message;
}
