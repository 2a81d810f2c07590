import pLimit, { type LimitFunction } from 'p-limit';
import type { FollowedStatus } from '../ledger/collect-book.ts';
import { ServiceAway } from '../service/read-or-away.ts';
import { type Missing, needOf, verdictOn } from './collect-plan.ts';
import { CannotStore } from './download.ts';
import { fetchProject } from './fetch-project.ts';
import type { CollectParts } from './parts.ts';
import { sweepStatuses } from './sweep.ts';

/** What a follow-up run brought home. */
export interface CollectReport {
  readonly changedStatuses: number;
  readonly collected: number;
  /** Projects whose files the next run should go on fetching. */
  readonly left: number;
  /** Projects whose files do not come and that a person should look at. */
  readonly forPerson: number;
  /** Why it ended before everything was asked for, or null. */
  readonly stopped: string | null;
}

/** What a follow-up run that could not begin came to. */
export function notCollected(stopped: string): CollectReport {
  return { changedStatuses: 0, collected: 0, left: 0, forPerson: 0, stopped };
}

/** Sweeps the statuses of all followed projects and fetches what was returned. What does not come is left for the next run. */
export async function collectProjects(parts: CollectParts): Promise<CollectReport> {
  const sweep = await sweepStatuses(await parts.ledger.followedProjects(), parts);
  const now = parts.clock.now();
  const followed = await parts.ledger.followedProjects();
  const waiting = followed.filter((project) => needOf(project, now, parts.patienceNights).kind === 'fetch');
  const fetched = sweep.stopped !== null && parts.signal.aborted ? { collected: 0, left: 0, forPerson: 0, stopped: null } : await new Fetching(waiting, parts).run();
  const stopped = [...new Set([sweep.stopped, fetched.stopped])].filter((reason) => reason !== null);
  return { changedStatuses: sweep.changed.length, ...fetched, stopped: stopped.length === 0 ? null : stopped.join(' ') };
}

/** So many projects in a row that could not be fetched mean that the service is away, and not that something is wrong with each. */
const FAILURES_IN_A_ROW_MAX = 5;
/** Each takes up to two sockets and a file on disk: with idle sockets, the database and the log no more than 64 handles are open. */
const FILES_AT_ONCE_MAX = 10;

/** The fetching of one run. */
class Fetching {
  readonly #projects: readonly FollowedStatus[];
  readonly #parts: CollectParts;
  readonly #files: LimitFunction;
  #collected = 0;
  #left = 0;
  #forPerson = 0;
  #done = 0;
  #failuresInARow = 0;
  #notReached = 0;
  #stopped: string | null = null;

  constructor(projects: readonly FollowedStatus[], parts: CollectParts) {
    this.#projects = projects;
    this.#parts = parts;
    this.#files = pLimit(this.#atOnce);
  }

  async run(): Promise<Omit<CollectReport, 'changedStatuses'>> {
    const limit = pLimit(this.#atOnce);
    await Promise.all(this.#projects.map((project) => limit(() => this.#fetch(project))));
    const stopped = this.#stopped === null ? null : `${this.#stopped} Not fetched: ${this.#notReached} project(s).`;
    return { collected: this.#collected, left: this.#left + this.#notReached, forPerson: this.#forPerson, stopped };
  }

  get #atOnce(): number {
    return Math.min(this.#parts.maxConcurrency, FILES_AT_ONCE_MAX);
  }

  async #fetch(project: FollowedStatus): Promise<void> {
    const { ledger, log, signal } = this.#parts;
    if (this.#stopped !== null) {
      this.#notReached += 1;
      return;
    }
    try {
      const fetched = await fetchProject(project, this.#parts, this.#files);
      log.info('project fetched', { project: project.id, outcome: fetched.kind });
      this.#failuresInARow = 0;
      if (fetched.kind === 'complete') this.#collected += 1;
      else await this.#noteMissing(project, fetched);
    } catch (failure) {
      const reason = reasonOf(failure);
      this.#failuresInARow += 1;
      this.#notReached += 1;
      if (signal.aborted || failure instanceof CannotStore || this.#failuresInARow >= FAILURES_IN_A_ROW_MAX) this.#stopped ??= reason;
      if (!signal.aborted) await ledger.markCollectionProblem(project.id, `${reason} The next run tries again.`);
    }
    this.#parts.onProgress(++this.#done, this.#projects.length);
  }

  /** Counts the night, and says what follows from it. */
  async #noteMissing(project: FollowedStatus, missing: Missing): Promise<void> {
    const { ledger, patienceNights } = this.#parts;
    const { nights } = await ledger.recordFetch(project.id, missing.kind);
    const verdict = verdictOn(project, missing, nights, patienceNights);
    if (verdict.outcome !== missing.kind) await ledger.recordFetch(project.id, verdict.outcome);
    if (verdict.problem !== null) await ledger.markCollectionProblem(project.id, verdict.problem);
    if (verdict.isLeft) this.#left += 1;
    if (verdict.forPerson) this.#forPerson += 1;
  }
}

/** Why the run ended early; a fault of the program is thrown on. */
function reasonOf(failure: unknown): string {
  if (failure instanceof ServiceAway || failure instanceof CannotStore) return failure.message;
  throw failure;
}
