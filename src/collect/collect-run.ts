import { join } from 'node:path';
import pLimit from 'p-limit';
import { diskFull, messageOf, hasCode, isSystemError, nullIfMissing } from '../domain/errors.ts';
import type { Fleet } from '../domain/ports.ts';
import { isClosedOutStatus, isSettledProblem } from '../domain/project.ts';
import type { FollowedStatus, ProjectRecord } from '../ledger/ledger.ts';
import { makeFolder, syncFolder } from '../ops/durable-files.ts';
import { checkStoredFiles, wereAllHere } from '../ops/stored-files.ts';
import { OutageWatch, readOrThrow, type ApiAccess, ServiceUnavailable } from '../service/reads.ts';
import {
  type CollectContext,
  type CollectPlan,
  type MissingFiles,
  noteAfterRecheck,
  planCollect,
  judgeFetch,
} from './collect-plan.ts';
import { fetchProject, offersNewFiles } from './fetch-project.ts';
import { cannotStore, StorageError, isDiskFull } from './project-files.ts';
import { sweepStatuses } from './sweep.ts';

export type CollectReport = Readonly<ReturnType<typeof emptyReport>>;

export function emptyReport(stopped: string | null) {
  return { changedStatuses: 0, collected: 0, left: 0, forPerson: 0, stopped };
}

export async function collectProjects(context: CollectContext) {
  const meant = async () =>
    (await context.ledger.followedProjects()).filter(({ id }) => context.onlyProjects?.has(id) ?? true);
  const sweep = await sweepStatuses(await meant(), context);
  const plan = planCollect(await meant(), rulesOf(context, context.recheckSince));
  context.log.info('collection planned', { projects: plan.waiting.length, rechecks: plan.rechecks.length });
  const fetched =
    sweep.stopped !== null && context.signal.aborted
      ? emptyReport(null)
      : await (context.fleet === undefined ? fetchAll(plan, context) : fetchTogether(plan, context, context.fleet));
  return { ...fetched, changedStatuses: sweep.changed.length, stopped: joined(sweep.stopped, fetched.stopped) };
}

function rulesOf({ clock, retryNights }: CollectContext, recheckSince?: number) {
  return { now: clock.now(), retryNights, recheckSince };
}

function joined(...reasons: readonly (string | null)[]) {
  return [...new Set(reasons)].filter((reason) => reason !== null).join(' ') || null;
}

export async function fetchLostFiles(projectIds: ReadonlySet<string>, context: CollectContext) {
  const lost = (await context.ledger.followedProjects()).filter(({ id, hasLost }) => hasLost && projectIds.has(id));
  const { waiting } = planCollect(lost, rulesOf(context));
  context.log.warn('stored files are not as recorded', { projects: projectIds.size, fetchedAgain: waiting.length });
  return waiting.length === 0 ? emptyReport(null) : fetchAll({ waiting, rechecks: [] }, context);
}

export function addReports(before: CollectReport | null, after: CollectReport) {
  if (before === null) return after;
  return {
    changedStatuses: before.changedStatuses + after.changedStatuses,
    collected: before.collected + after.collected,
    left: before.left + after.left,
    forPerson: before.forPerson + after.forPerson,
    stopped: joined(before.stopped, after.stopped),
  };
}

type ProjectPage = Readonly<{
  ids: readonly string[];
  recheckSince: number | null;
}>;

async function fetchTogether({ waiting, rechecks }: CollectPlan, context: CollectContext, fleet: Fleet) {
  const ids = [...waiting, ...rechecks].map(({ id }) => id);
  const size = fleet.pageSize(ids.length);
  const pages = Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ({
    ids: ids.slice(at * size, (at + 1) * size),
    recheckSince: context.recheckSince ?? null,
  }));
  let stopped: string | null = null;
  const fetchHere = projectFetcher(context, ids.length);
  const work = async (page: ProjectPage) => {
    const report = await fetchHere(page);
    stopped ??= report.stopped;
    return report;
  };
  const outcomes = await fleet.share('projects', pages, work);
  let all = emptyReport(null);
  for (const [at, page] of pages.entries()) {
    const outcome = outcomes[at] ?? { ...emptyReport('lost'), left: page.ids.length };
    if (outcome.stopped === null || stopped !== null) all = addReports(all, outcome);
    // Another host fetched the other projects.
    else all = addReports(addReports(all, { ...outcome, left: 0 }), await work(page));
  }
  return { ...all, stopped };
}

export function projectFetcher(context: CollectContext, total: number): (page: ProjectPage) => Promise<CollectReport> {
  let done = 0;
  return async ({ ids, recheckSince }) => {
    const plan = planCollect(await context.ledger.followedProjects(ids), rulesOf(context, recheckSince ?? undefined));
    return fetchAll(plan, { ...context, onProgress: () => context.onProgress('fetching', ++done, total) });
  };
}

/** Each uses up to two sockets and a file: at most 64 handles. */
const PARTS_AT_ONCE_MAX = 10;

async function fetchAll({ waiting, rechecks }: CollectPlan, context: CollectContext) {
  const { ledger, signal, maxConcurrency, fleet } = context;
  try {
    await makeFolder(context.store);
  } catch (failure) {
    return emptyReport(reasonOf(failure));
  }
  const atOnce = Math.min(fleet?.atOnce(maxConcurrency) ?? maxConcurrency, PARTS_AT_ONCE_MAX);
  const parts = pLimit(atOnce);
  const outage = new OutageWatch(context);
  const counts = emptyReport(null);
  const unanswered: Readonly<{ project: FollowedStatus; reason: string }>[] = [];
  let done = 0;
  let notReached = 0;
  let stopped = null as string | null;
  let lastReason = '';

  /** After a fault no project begins, but waits for those in progress: nothing may run when the ledger closes. */
  const all = async (fetches: readonly Promise<void>[]) => {
    const fail = (fault: unknown) => {
      stopped ??= messageOf(fault);
      throw fault;
    };
    const ended = await Promise.allSettled(fetches.map((fetching) => fetching.catch(fail)));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  const isOver = async () => {
    if (await outage.isOut()) stopped ??= lastReason;
    return stopped !== null;
  };
  const progress = () => context.onProgress('fetching', ++done, waiting.length + rechecks.length);
  const noteFailure = (reason: string, failure: unknown) => {
    notReached += 1;
    lastReason = reason;
    if (failure instanceof ServiceUnavailable) outage.failed(failure);
    if (signal.aborted || isDiskFull(failure)) stopped ??= reason;
  };
  const noteFetchFailed = ({ id }: FollowedStatus, reason: string) =>
    ledger.markCollectionProblem(id, { code: 'fetch-failed', text: `${reason} The next run tries again.` });

  const fetchOne = async (project: FollowedStatus) => {
    if (await isOver()) {
      notReached += 1;
      return;
    }
    try {
      const fetched = await fetchProject(project, context, parts);
      context.log.info('project fetched', { project: project.id, outcome: fetched.kind });
      outage.answered();
      if (fetched.kind === 'complete') counts.collected += 1;
      else await noteMissing(project, fetched, context, counts);
    } catch (failure) {
      const reason = reasonOf(failure);
      noteFailure(reason, failure);
      const isUnanswered = failure instanceof ServiceUnavailable && project.status !== 'Client Received';
      if (isUnanswered) unanswered.push({ project, reason });
      else if (!signal.aborted) await noteFetchFailed(project, reason);
    }
    progress();
  };
  const recheck = async (project: FollowedStatus) => {
    if (await isOver()) return;
    try {
      const isMore = await offersNewFiles(project.id, context);
      outage.answered();
      if (isMore) return await fetchOne(project);
    } catch (failure) {
      noteFailure(reasonOf(failure), failure);
    }
    progress();
  };

  const limit = pLimit(atOnce);
  await all(waiting.map((project) => limit(() => fetchOne(project))));
  await all(rechecks.map((project) => limit(() => recheck(project))));
  const hasEnded = await isOver();
  // If the service answers otherwise, these nights count: else one project would leave each night unfinished.
  if (unanswered.length > 0 && !signal.aborted) {
    const isOut = hasEnded || (await outage.confirm());
    if (!isOut) notReached -= unanswered.length;
    for (const { project, reason: what } of unanswered)
      await (isOut
        ? noteFetchFailed(project, what)
        : noteMissing(
            project,
            { kind: 'incomplete', lacks: [{ name: 'an answer', what, isVital: true }] },
            context,
            counts,
          ));
  }
  const why = stopped === null ? null : `${stopped} Not fetched: ${notReached} project(s).`;
  return { ...counts, left: counts.left + notReached, stopped: why };
}

async function noteMissing(
  project: FollowedStatus,
  missing: MissingFiles,
  { ledger, retryNights }: CollectContext,
  counts: { collected: number; left: number; forPerson: number },
) {
  const rechecked = noteAfterRecheck(project, missing);
  if (rechecked !== null) {
    if (rechecked.note !== null) await ledger.markCollectionProblem(project.id, rechecked.note);
    return;
  }
  const { nights } = await ledger.recordFetch(project.id, missing.kind);
  const judged = { ...project, isWaived: await isWaived(project, ledger) };
  const { outcome, problem, isLeft, forPerson } = judgeFetch(judged, missing, nights, retryNights);
  if (outcome !== 'complete' && outcome !== missing.kind) await ledger.recordFetch(project.id, outcome);
  // In one commit, so that a collected project never lacks its note.
  await Promise.all([
    outcome === 'complete' && ledger.markCollected(project.id),
    problem === null
      ? outcome === 'nothing-offered' && ledger.clearCollectionProblem(project.id)
      : ledger.markCollectionProblem(project.id, problem),
    forPerson && ledger.addNews('files-missing', project.id, project.statusAt),
    // No report came that could give a reason.
    missing.kind === 'nothing-offered' &&
      project.collectedAt === null &&
      isClosedOutStatus(project.status) &&
      nights >= retryNights &&
      ledger.recordCloseout(project.id, []),
  ]);
  counts.collected += Number(outcome === 'complete');
  counts.left += Number(isLeft);
  counts.forPerson += Number(forPerson);
}

async function isWaived({ id, status }: FollowedStatus, ledger: CollectContext['ledger']) {
  if (status !== 'Client Received') return false;
  const updates = await ledger.updatesOf(id);
  return updates.some(({ request, state }) => state === 'done' && request.kind === 'receive' && request.withoutFiles);
}

function reasonOf(failure: unknown) {
  const cause = failure instanceof StorageError ? failure.cause : failure;
  if (hasCode(cause, 'ENOSPC', 'EDQUOT', 'EFBIG')) throw diskFull(messageOf(cause), failure);
  if (failure instanceof ServiceUnavailable || failure instanceof StorageError) return failure.message;
  if (isSystemError(failure)) return cannotStore(failure);
  throw failure;
}

/**
 * Call only after their delivery is published: the service then stops offering the files. A GET settles a doubtful PUT.
 * Returns how many.
 */
export async function acknowledgeDelivered(delivered: ReadonlySet<string>, context: CollectContext) {
  const projects = (await context.ledger.followedProjects()).filter(
    ({ id, status, collectedAt, problemCode }) =>
      delivered.has(id) && status === 'Returned to Client' && collectedAt !== null && isSettledProblem(problemCode),
  );
  // A run killed while it replaced deliveries/index.html may have left the folder's names unsynced.
  if (projects.length > 0) await nullIfMissing(syncFolder(join(context.root, 'deliveries')));
  let received = 0;
  let stopped: string | null = null;
  const acknowledgeOne = async (project: ProjectRecord) => {
    if (stopped !== null || context.signal.aborted) return;
    try {
      if ((await filesAreThere(project.id, context)) && (await acknowledge(project, context))) received += 1;
    } catch (failure) {
      if (!(failure instanceof ServiceUnavailable)) throw failure;
      stopped ??= failure.message;
    }
  };
  await pLimit(context.maxConcurrency).map(projects, acknowledgeOne);
  if (stopped !== null) context.log.warn('acknowledging stopped', { reason: stopped });
  return received;
}

async function filesAreThere(projectId: string, context: Pick<CollectContext, 'ledger' | 'root' | 'log'>) {
  const files = await context.ledger.filesOf(projectId);
  const lost = await checkStoredFiles(files, context);
  for (const [{ path }, problem] of lost)
    context.log.warn('not acknowledged: a file is not as recorded any more', { project: projectId, path, problem });
  return wereAllHere(files, lost);
}

async function acknowledge(
  { id, status: before, statusAt }: ProjectRecord,
  context: ApiAccess<'putStatus' | 'getStatus'> & Pick<CollectContext, 'ledger'>,
) {
  const { client, ledger } = context;
  await ledger.noteStep('project', id, 'acknowledging');
  const answer = await client.putStatus(id, { value: 'Client Received' });
  const status =
    answer.kind === 'ok' ? answer.value.status : (await readOrThrow(() => client.getStatus(id), context))?.status;
  if (status === undefined) return false;
  await ledger.recordStatuses([{ id, status }]);
  if (status === before && answer.kind !== 'transient') {
    const reason = 'message' in answer ? answer.message : status;
    await ledger.noteStep('project', id, 'not acknowledged', { reason });
    // Once for each return.
    await ledger.addNews('update-refused', id, statusAt);
  }
  return status === 'Client Received';
}
