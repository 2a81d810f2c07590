import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../domain/ports.ts';
import { holdsNothingUp } from '../../domain/project-status.ts';
import { checkStoredFiles, wereAllHere } from '../../ops/stored-files.ts';
import { type RemoteFolder, SftpRefused } from './remote-folder.ts';
import { isSame, type TakenSet } from './take-in.ts';

/** The folder below the delivery folder that taken files are moved into. */
const TAKEN_FOLDER = 'taken';

export interface ClearParts {
  readonly ledger: Ledger;
  readonly folder: RemoteFolder;
  readonly log: Log;
  readonly afterwards: 'move' | 'delete';
  readonly root: string;
}

/**
 * Moves or deletes what was taken, once the delivery that holds it is published. To the service that means `Client Received` (document:
 * Events, 4), after which it offers a project's files no more: so only what is here whole, photos included, and handed over as it stands.
 * A file that was replaced meanwhile stays for the next run. Returns how many files went. Throws SftpAway.
 */
export async function clearTaken(sets: readonly TakenSet[], parts: ClearParts): Promise<number> {
  const { ledger, folder, log, afterwards } = parts;
  const delivered = await ledger.deliveredProjects();
  let cleared = 0;
  for (const { projectId, files } of sets) {
    if (!delivered.has(projectId) || !(await isSafe(projectId, parts))) continue;
    const now = await Promise.all(files.map(({ name }) => folder.find(name)));
    if (!files.every((file, index) => isSame(file, now[index] ?? null))) continue;
    await ledger.noteStep('project', projectId, 'clearing the SFTP folder', { files: files.map(({ name }) => name), how: afterwards });
    try {
      for (const { name } of files) {
        await (afterwards === 'move' ? folder.moveInto(TAKEN_FOLDER, name) : folder.remove(name));
        cleared += 1;
      }
    } catch (failure) {
      if (!(failure instanceof SftpRefused)) throw failure;
      log.warn('a file stays in the SFTP folder', { project: projectId, reason: failure.message });
    }
  }
  return cleared;
}

/** Nothing can be lost any more: all of it is here as recorded, or the service has ended its offer already. */
async function isSafe(projectId: string, { ledger, root }: ClearParts): Promise<boolean> {
  const files = await ledger.filesOf(projectId);
  if (!wereAllHere(files, await checkStoredFiles(files, { ledger, root }))) return false;
  const project = (await ledger.projectWithDelivery(projectId))?.project;
  if (project === undefined) return false;
  const isEnded = project.status === 'Client Received' || project.status === 'Project Canceled';
  return isEnded || (project.collectedAt !== null && holdsNothingUp(project.problem));
}
