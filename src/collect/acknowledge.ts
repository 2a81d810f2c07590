import type { ProjectRecord } from '../ledger/ledger.ts';
import type { CollectParts } from './parts.ts';
import { readOrAway, ServiceAway } from '../service/read-or-away.ts';

/**
 * Marks delivered projects `Client Received` (RELIABILITY: Collection). To be called only when the delivery that holds them is
 * published: afterwards the service no longer offers the files (READING 8). A doubtful PUT is settled by a GET. Returns how many.
 */
export async function acknowledgeDelivered(delivered: ReadonlySet<string>, parts: CollectParts): Promise<number> {
  let received = 0;
  for (const project of await parts.ledger.followedProjects()) {
    if (parts.signal.aborted) return received;
    if (!delivered.has(project.id) || !mayAcknowledge(project)) continue;
    try {
      if (await acknowledge(project.id, parts)) received += 1;
    } catch (failure) {
      if (!(failure instanceof ServiceAway)) throw failure;
      parts.log.warn('acknowledging stopped', { reason: failure.message });
      return received;
    }
  }
  return received;
}

/** Only what was returned and is safe on disk, whole. */
function mayAcknowledge(project: ProjectRecord): boolean {
  return project.status === 'Returned to Client' && project.collectedAt !== null && project.problem === null;
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
