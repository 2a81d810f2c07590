import type { ProjectRecord } from '../ledger/ledger.ts';
import { planSweep } from './collect-plan.ts';
import type { CollectParts } from './parts.ts';
import { readOrAway } from '../service/read-or-away.ts';

interface Seen {
  readonly id: string;
  readonly status: string;
}

/**
 * Brings the statuses of the followed projects up to date by sweeping search; what the sweep does not show is asked for singly, and
 * absence is never a conclusion. Returns the ids whose status changed. Throws ServiceAway; what was seen until then is on record.
 */
export async function sweepStatuses(followed: readonly ProjectRecord[], parts: CollectParts): Promise<readonly string[]> {
  const plan = planSweep(followed);
  const changed: string[] = [];
  const record = async (seen: readonly Seen[]): Promise<void> => {
    changed.push(...(await parts.ledger.recordStatuses(seen)));
  };
  const unseen = plan.kind === 'singly' ? plan.ids : await sweepPages(plan.ids, plan.limit, parts, record);
  for (const id of unseen) {
    const answer = await readOrAway(() => parts.client.getStatus(id), parts);
    if (answer === null) await parts.ledger.markCollectionProblem(id, 'The service does not know this project (404).');
    else await record([{ id, status: answer.status }]);
  }
  return changed;
}

/** Pages that begin at the next id not seen yet: never more than one a followed project, and ⌈N/500⌉ where they lie close. */
async function sweepPages(ids: readonly string[], limit: number, parts: CollectParts, record: (seen: readonly Seen[]) => Promise<void>): Promise<string[]> {
  const unseen = new Set(ids);
  for (let next = ids[0]; next !== undefined; ) {
    const startId = next;
    const page = (await readOrAway(() => parts.client.searchProjects({ startId, limit }), parts)) ?? [];
    const seen: Seen[] = [];
    let last = BigInt(startId);
    for (const item of page) {
      if (BigInt(item.id) > last) last = BigInt(item.id);
      if (typeof item.status === 'string' && unseen.delete(item.id)) seen.push({ id: item.id, status: item.status });
    }
    await record(seen);
    if (page.length === 0) break;
    next = ids.find((id) => BigInt(id) > last);
    parts.onProgress(ids.length - unseen.size, ids.length);
  }
  return [...unseen];
}
