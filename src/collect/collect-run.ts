import pLimit from 'p-limit';
import type { ProjectRecord } from '../ledger/ledger.ts';
import { needOf } from './collect-plan.ts';
import { fetchProject } from './fetch-project.ts';
import type { CollectParts } from './parts.ts';
import { ServiceAway } from '../service/read-or-away.ts';
import { sweepStatuses } from './sweep.ts';

/** What a follow-up run brought home. */
export interface CollectReport {
  readonly changedStatuses: number;
  readonly collected: number;
  /** Why it ended before everything was asked for, or null. */
  readonly stopped: string | null;
}

/** Sweeps the statuses of all followed projects and fetches what was returned. What does not come is left for the next run. */
export async function collectProjects(parts: CollectParts): Promise<CollectReport> {
  let changedStatuses = 0;
  let stopped: string | null = null;
  try {
    changedStatuses = (await sweepStatuses(await parts.ledger.followedProjects(), parts)).length;
  } catch (failure) {
    stopped = reasonOf(failure);
  }
  const waiting = (await parts.ledger.followedProjects()).filter((project) => needOf(project).kind === 'fetch');
  if (stopped !== null) return { changedStatuses, collected: 0, stopped };
  const fetched = await fetchAll(waiting, parts);
  return { changedStatuses, ...fetched };
}

/** So many projects in a row that could not be fetched mean that the service is away, and not that something is wrong with each. */
const FAILURES_IN_A_ROW_MAX = 5;

async function fetchAll(projects: readonly ProjectRecord[], parts: CollectParts): Promise<{ collected: number; stopped: string | null }> {
  const limit = pLimit(parts.maxConcurrency);
  let collected = 0;
  let done = 0;
  let failuresInARow = 0;
  let stopped: string | null = null;
  const fetchOne = async (project: ProjectRecord): Promise<void> => {
    if (stopped !== null) return;
    try {
      if (await fetchAndRecord(project, parts)) collected += 1;
      failuresInARow = 0;
    } catch (failure) {
      const reason = reasonOf(failure);
      failuresInARow += 1;
      if (parts.signal.aborted || failuresInARow >= FAILURES_IN_A_ROW_MAX) stopped ??= reason;
      if (!parts.signal.aborted) await parts.ledger.markCollectionProblem(project.id, `${reason} The next run tries again.`);
    }
    parts.onProgress(++done, projects.length);
  };
  await Promise.all(projects.map((project) => limit(fetchOne, project)));
  return { collected, stopped };
}

async function fetchAndRecord(project: ProjectRecord, { ledger, log, ...rest }: CollectParts): Promise<boolean> {
  const fetched = await fetchProject(project, { ledger, log, ...rest });
  log.info('project fetched', { project: project.id, outcome: fetched.kind });
  const need = needOf(project);
  switch (fetched.kind) {
    case 'complete':
      await ledger.markCollected(project.id);
      return true;
    case 'incomplete':
      await ledger.markCollectionProblem(project.id, `${fetched.problem} The next run tries again.`);
      return false;
    case 'nothing-offered':
      if (need.kind === 'fetch' && need.expected) {
        await ledger.markCollectionProblem(project.id, 'The project is returned, but the service offers no report yet. The next run tries again.');
      }
      return false;
  }
}

/** Why the run ended early; a fault of the program is thrown on. */
function reasonOf(failure: unknown): string {
  if (failure instanceof ServiceAway) return failure.message;
  throw failure;
}
