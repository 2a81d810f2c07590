import pLimit from 'p-limit';
import { holdsNothingUp } from '../domain/project.ts';
import type { ProjectRecord } from '../ledger/projects.ts';
import { checkStoredFiles, wereAllHere } from '../ops/stored-files.ts';
import type { CollectContext } from './collect-context.ts';
import { readOrAway, ServiceAway } from '../service/reads.ts';

/**
 * Marks delivered projects `Client Received` (RELIABILITY: Collection). To be called only when the delivery that holds them is
 * published: afterwards the service no longer offers the files (READING 8). A doubtful PUT is settled by a GET. Returns how many.
 */
export async function acknowledgeDelivered(delivered: ReadonlySet<string>, context: CollectContext): Promise<number> {
  const projects = (await context.ledger.followedProjects()).filter((project) => delivered.has(project.id) && mayAcknowledge(project));
  const limit = pLimit(context.maxConcurrency);
  let received = 0;
  let stopped: string | null = null;
  const acknowledgeOne = async ({ id }: ProjectRecord): Promise<void> => {
    if (stopped !== null || context.signal.aborted) return;
    try {
      if ((await filesAreThere(id, context)) && (await acknowledge(id, context))) received += 1;
    } catch (failure) {
      if (!(failure instanceof ServiceAway)) throw failure;
      stopped ??= failure.message;
    }
  };
  await Promise.all(projects.map((project) => limit(acknowledgeOne, project)));
  if (stopped !== null) context.log.warn('acknowledging stopped', { reason: stopped });
  return received;
}

/** Only what was returned and is safe on disk, whole. */
function mayAcknowledge(project: ProjectRecord): boolean {
  return project.status === 'Returned to Client' && project.collectedAt !== null && holdsNothingUp(project.problem);
}

/** Somebody may have tidied up, or a disk failed, and this is the last moment at which the service still offers the files: then the next run fetches them. */
async function filesAreThere(projectId: string, context: CollectContext): Promise<boolean> {
  const files = await context.ledger.filesOf(projectId);
  const lost = await checkStoredFiles(files, context);
  for (const [{ path }, problem] of lost) context.log.warn('not acknowledged: a file is not as recorded any more', { project: projectId, path, problem });
  return wereAllHere(files, lost);
}

async function acknowledge(id: string, context: CollectContext): Promise<boolean> {
  const { client, ledger } = context;
  await ledger.noteStep('project', id, 'acknowledging');
  const answer = await client.putStatus(id, { value: 'Client Received' });
  const status = answer.kind === 'ok' ? answer.value.status : (await readOrAway(() => client.getStatus(id), context))?.status;
  if (status === undefined) return false;
  await ledger.recordStatuses([{ id, status }]);
  return status === 'Client Received';
}
