import pLimit from 'p-limit';
import { STATUS_LENGTH_MAX } from '../contract/document.ts';
import { PROJECT_NOT_KNOWN } from '../domain/project-status.ts';
import type { ProjectRecord } from '../ledger/projects.ts';
import { OddAnswer, Outage, readOrAway, ServiceAway } from '../service/reads.ts';
import type { CollectParts } from './parts.ts';
import { type Evidence, firstAbove, learn, nextAsk, planSweep } from './sweep-plan.ts';

interface Seen {
  readonly id: string;
  readonly status: string;
}

/** What a sweep came to. */
export interface Sweep {
  /** Ids of the projects whose status changed. */
  readonly changed: readonly string[];
  /** Why some could not be asked for, or null. */
  readonly stopped: string | null;
}

/**
 * Brings the statuses of the followed projects up to date by sweeping search; what the sweep does not show is asked for singly, and
 * absence is never a conclusion. What was seen is on record, also where the service went away on the way.
 */
export async function sweepStatuses(followed: readonly ProjectRecord[], parts: CollectParts): Promise<Sweep> {
  const ids = followed.map((project) => project.id);
  parts.log.info('sweep planned', { projects: ids.length, requests: planSweep(ids).length });
  const changed: string[] = [];
  const record = async (seen: readonly Seen[]): Promise<void> => {
    changed.push(...(await parts.ledger.recordStatuses(seen)));
  };
  try {
    const unseen = await sweepPages(ids, parts, record);
    return { changed, stopped: await askSingly(unseen, parts, record) };
  } catch (failure) {
    if (!(failure instanceof ServiceAway)) throw failure;
    return { changed, stopped: failure.message };
  }
}

/** Gives the ids that no page showed, and those for which no page is worth while. Throws ServiceAway. */
async function sweepPages(ids: readonly string[], parts: CollectParts, record: (seen: readonly Seen[]) => Promise<void>): Promise<readonly string[]> {
  const unseen = new Set(ids);
  let evidence: Evidence | null = null;
  for (let index = 0; index < ids.length; ) {
    const ask = nextAsk(ids, index, evidence ?? FIRST);
    if (ask.kind === 'singly') {
      index += 1;
      continue;
    }
    const { startId, limit } = ask;
    const page = (await readOrAway(() => parts.client.searchProjects({ startId, limit }), parts).catch((failure: unknown) => nothingUnlessOut(failure, parts))) ?? [];
    if (page.length === 0) break;
    const seen: Seen[] = [];
    let last = BigInt(startId);
    for (const item of page) {
      if (BigInt(item.id) > last) last = BigInt(item.id);
      if (typeof item.status === 'string' && item.status !== '' && item.status.length <= STATUS_LENGTH_MAX && unseen.delete(item.id)) seen.push({ id: item.id, status: item.status });
    }
    await record(seen);
    evidence = learn(evidence, startId, last, seen.length);
    index = firstAbove(ids, index, last);
    parts.onProgress(ids.length - unseen.size, ids.length);
  }
  return [...unseen];
}

/** A search that cannot be used shows nothing: each is asked for by itself, while the service is there. */
async function nothingUnlessOut(failure: unknown, parts: CollectParts): Promise<null> {
  if (failure instanceof ServiceAway && !(await new Outage(parts).confirm())) return null;
  throw failure;
}

/** Before anything is known, a page is the better guess. */
const FIRST: Evidence = { reach: 0n, lonePages: 0 };

/** Asks for each by itself. One that gets no answer does not hold up the others: it keeps its status until the next run. */
async function askSingly(ids: readonly string[], parts: CollectParts, record: (seen: readonly Seen[]) => Promise<void>): Promise<string | null> {
  const limit = pLimit(parts.maxConcurrency);
  const outage = new Outage(parts);
  let failed = 0;
  let reason = '';
  const ask = async (id: string): Promise<void> => {
    if ((await outage.isOut()) || (failed > 0 && parts.signal.aborted)) {
      failed += 1;
      return;
    }
    try {
      const answer = await readOrAway(() => parts.client.getStatus(id), parts);
      outage.answered();
      if (answer === null) await parts.ledger.markCollectionProblem(id, PROJECT_NOT_KNOWN);
      else await record([{ id, status: answer.status }]);
    } catch (failure) {
      if (!(failure instanceof ServiceAway)) throw failure;
      failed += 1;
      reason = failure.message;
      outage.failed(failure);
      if (failure instanceof OddAnswer) await parts.ledger.markCollectionProblem(id, `Its status cannot be read. ${reason} The next run tries again.`);
    }
  };
  await Promise.all(ids.map((id) => limit(ask, id)));
  return failed === 0 ? null : `${reason} Statuses not seen: ${failed}.`;
}
