import pLimit from 'p-limit';
import { SEARCH_LIMIT_MAX, STATUS_LENGTH_MAX } from '../contract/document.ts';
import type { OnProgress } from '../domain/ports.ts';
import type { Ledger, ProjectRecord, ShownStatus } from '../ledger/ledger.ts';
import { MalformedResponse, OutageWatch, readOrThrow, type ApiAccess, ServiceUnavailable } from '../service/reads.ts';
import type { CollectContext } from './collect-plan.ts';

type SweepEvidence = Readonly<{
  /** The distance from a page's first id to its last. */
  reach: bigint;
  /** The number of consecutive pages with at most one followed project. */
  lonePages: number;
}>;

const SINGLY_MAX = 2;
/** After this many, a page for probably one project costs too much. */
const LONE_PAGES_MAX = 3;

/**
 * Ids ascend. A page begins at the next unseen id, so gaps are free: ⌈N/500⌉ requests for close ids, at most N for any.
 */
export function nextRequest(
  ids: readonly string[],
  index: number,
  { reach, lonePages }: SweepEvidence,
): Readonly<{ kind: 'page'; startId: string; limit: number } | { kind: 'singly'; id: string }> {
  const id = ids[index] ?? '';
  const next = ids[index + 1];
  const isAlone = next === undefined || (lonePages >= LONE_PAGES_MAX && BigInt(next) - BigInt(id) > reach);
  return ids.length <= SINGLY_MAX || isAlone
    ? { kind: 'singly', id }
    : { kind: 'page', startId: id, limit: SEARCH_LIMIT_MAX };
}

export function firstIndexAbove(ids: readonly string[], index: number, id: bigint) {
  let place = index;
  while (place < ids.length && BigInt(ids[place] ?? '') <= id) place += 1;
  return place;
}

export function nextEvidence(before: SweepEvidence, startId: string, last: bigint, shown: number) {
  return { reach: last - BigInt(startId), lonePages: shown > 1 ? 0 : before.lonePages + 1 };
}

interface SweepContext
  extends ApiAccess<'searchProjects' | 'getStatus'>, Pick<CollectContext, 'log' | 'maxConcurrency' | 'onProgress'> {
  readonly ledger: Pick<Ledger, 'recordStatuses' | 'markCollectionProblem' | 'shownAsReopened'>;
}

type Recording = (seen: readonly ShownStatus[]) => Promise<void>;

export type SweepResult = Readonly<Awaited<ReturnType<typeof sweepStatuses>>>;

/** Absence from the search proves nothing. Records everything seen even if the service goes away. */
export async function sweepStatuses(followed: readonly ProjectRecord[], context: SweepContext) {
  const ids = followed.map(({ id }) => id);
  context.log.info('sweep planned', { projects: ids.length });
  const changed: string[] = [];
  const record: Recording = async (seen) => {
    changed.push(...(await context.ledger.recordStatuses(seen)));
  };
  try {
    const unseen = await sweepPages(ids, context, record);
    const onProgress: OnProgress = (step, done) =>
      context.onProgress(step, ids.length - unseen.length + done, ids.length);
    return { changed, stopped: await askSingly(unseen, { ...context, onProgress }, record) };
  } catch (failure) {
    if (!(failure instanceof ServiceUnavailable)) throw failure;
    return { changed, stopped: failure.message };
  }
}

/** Returns the projects that no page showed, or that need no page. Throws ServiceUnavailable. */
async function sweepPages(ids: readonly string[], context: SweepContext, record: Recording) {
  const unseen = new Set(ids);
  let evidence: SweepEvidence = { reach: 0n, lonePages: 0 };
  for (let index = 0; index < ids.length;) {
    const ask = nextRequest(ids, index, evidence);
    if (ask.kind === 'singly') {
      index += 1;
      continue;
    }
    const { startId, limit } = ask;
    const read = readOrThrow(() => context.client.searchProjects({ startId, limit }), context);
    const page = await read.catch((failure: unknown) => nothingUnlessOut(failure, context));
    if (!page?.length) break;
    const seen: ShownStatus[] = [];
    const others: ShownStatus[] = [];
    let last = BigInt(startId);
    for (const { id, status } of page) {
      if (BigInt(id) > last) last = BigInt(id);
      if (status && status.length <= STATUS_LENGTH_MAX) (unseen.delete(id) ? seen : others).push({ id, status });
    }
    await record(seen);
    // A search may lag behind our own update.
    for (const id of await context.ledger.shownAsReopened(others)) unseen.add(id);
    evidence = nextEvidence(evidence, startId, last, seen.length);
    index = firstIndexAbove(ids, index, last);
    context.onProgress('asking', ids.length - unseen.size, ids.length);
  }
  return [...unseen];
}

/** An unusable search answer shows nothing; if the service is there, projects are then asked singly. */
async function nothingUnlessOut(failure: unknown, service: ApiAccess<'searchProjects'>) {
  if (failure instanceof ServiceUnavailable && !(await new OutageWatch(service).confirm())) return null;
  throw failure;
}

/** One without an answer keeps its status and does not stop the others. */
async function askSingly(ids: readonly string[], context: SweepContext, record: Recording) {
  const outage = new OutageWatch(context);
  let asked = 0;
  let failed = 0;
  let reason = '';
  const ask = async (id: string) => {
    if ((await outage.isOut()) || (failed > 0 && context.signal.aborted)) {
      failed += 1;
      return;
    }
    try {
      const answer = await readOrThrow(() => context.client.getStatus(id), context);
      outage.answered();
      if (answer === null)
        await context.ledger.markCollectionProblem(id, {
          code: 'project-not-known',
          text: 'The service does not know this project (404).',
        });
      else await record([{ id, status: answer.status }]);
    } catch (failure) {
      if (!(failure instanceof ServiceUnavailable)) throw failure;
      failed += 1;
      reason = failure.message;
      outage.failed(failure);
      if (failure instanceof MalformedResponse)
        await context.ledger.markCollectionProblem(id, {
          code: 'status-not-readable',
          text: `Its status cannot be read. ${reason} The next run tries again.`,
        });
    }
    context.onProgress('asking', ++asked, ids.length);
  };
  await pLimit(context.maxConcurrency).map(ids, ask);
  return failed === 0 ? null : `${reason} Statuses not seen: ${failed}.`;
}
