import pLimit from 'p-limit';
import { holdsNothingUp } from '../domain/project.ts';
import type { ProjectRecord } from '../ledger/projects.ts';
import { checkStoredFiles, wereAllHere } from '../ops/stored-files.ts';
import type { CollectParts } from './collect-context.ts';
import { readOrAway, ServiceAway } from '../service/reads.ts';

/**
 * Marks delivered projects `Client Received` (RELIABILITY: Collection). To be called only when the delivery that holds them is
 * published: afterwards the service no longer offers the files (READING 8). A doubtful PUT is settled by a GET. Returns how many.
 */
export async function acknowledgeDelivered(delivered: ReadonlySet<string>, parts: CollectParts): Promise<number> {
  const projects = (await parts.ledger.followedProjects()).filter((project) => delivered.has(project.id) && mayAcknowledge(project));
  const limit = pLimit(parts.maxConcurrency);
  let received = 0;
  let stopped: string | null = null;
  const acknowledgeOne = async ({ id }: ProjectRecord): Promise<void> => {
    if (stopped !== null || parts.signal.aborted) return;
    try {
      if ((await filesAreThere(id, parts)) && (await acknowledge(id, parts))) received += 1;
    } catch (failure) {
      if (!(failure instanceof ServiceAway)) throw failure;
      stopped ??= failure.message;
    }
  };
  await Promise.all(projects.map((project) => limit(acknowledgeOne, project)));
  if (stopped !== null) parts.log.warn('acknowledging stopped', { reason: stopped });
  return received;
}

/** Only what was returned and is safe on disk, whole. */
function mayAcknowledge(project: ProjectRecord): boolean {
  return project.status === 'Returned to Client' && project.collectedAt !== null && holdsNothingUp(project.problem);
}

/**
 * Somebody may have cleared up meanwhile, or a disk may have failed, and this is the last moment at which the service would give a file again:
 * the next run fetches it.
 */
async function filesAreThere(projectId: string, parts: CollectParts): Promise<boolean> {
  const files = await parts.ledger.filesOf(projectId);
  const lost = await checkStoredFiles(files, parts);
  for (const [{ path }, problem] of lost) parts.log.warn('not acknowledged: a file is not as recorded any more', { project: projectId, path, problem });
  return wereAllHere(files, lost);
}

async function acknowledge(id: string, parts: CollectParts): Promise<boolean> {
  const { client, ledger } = parts;
  await ledger.noteStep('project', id, 'acknowledging');
  const answer = await client.putStatus(id, { value: 'Client Received' });
  const status = answer.kind === 'ok' ? answer.value.status : (await readOrAway(() => client.getStatus(id), parts))?.status;
  if (status === undefined) return false;
  await ledger.recordStatuses([{ id, status }]);
  return status === 'Client Received';
}
