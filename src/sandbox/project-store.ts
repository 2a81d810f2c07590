import type { CreateProjectRequest, UpdateProjectRequest } from '../contract/project.ts';
import { DuplicateIndex, type DuplicateRule } from './duplicate-index.ts';
import { FIRST_STATUS, plannedAt, progressPlan, type ProgressPlan, type ProgressRules } from './progress.ts';
import { StatusBoard } from './status-board.ts';

/** A status that somebody set: it ends the project's own course. */
export interface SetStatus {
  readonly status: string;
  /** Milliseconds since the UNIX epoch. */
  readonly at: number;
  readonly by: 'client' | 'control';
  readonly comment?: string | undefined;
}

/** A project as the sandbox keeps it. */
export interface Project {
  /** Its place in the order of creation, from 0. */
  readonly index: number;
  readonly id: bigint;
  readonly actor: string;
  /** Milliseconds since the UNIX epoch, in sandbox time. */
  readonly createdAt: number;
  /** As it was sent. */
  readonly request: CreateProjectRequest;
  /** As it stands now: updates change these two. */
  policyNumber: string | undefined;
  policyEffectiveDate: string | undefined;
  /** True for projects that belong to a bundle. */
  bundled: boolean;
  /** What was set, oldest first. */
  readonly statusesSet: SetStatus[];
}

/** A search, its parameters checked. */
export interface ProjectQuery {
  readonly status?: string | undefined;
  readonly policyNumber?: string | undefined;
  readonly inspectionNumber?: string | undefined;
  readonly serviceName?: string | undefined;
  /** Milliseconds since the UNIX epoch: inclusive. */
  readonly createdFrom?: number | undefined;
  /** Milliseconds since the UNIX epoch: exclusive. */
  readonly createdBefore?: number | undefined;
  readonly startId: bigint;
  readonly limit: number;
  readonly includeBundles: boolean;
}

/** Every project, in memory, by id and by the keys that searches and duplicate checks use. */
export class ProjectStore {
  readonly #projects: Project[] = [];
  readonly #duplicates = new DuplicateIndex();
  readonly #byPolicyNumber = new Map<string, Set<number>>();
  readonly #byInspectionNumber = new Map<string, Set<number>>();
  readonly #board: StatusBoard;
  readonly #rules: ProgressRules;
  readonly #firstId: bigint;
  readonly #clock: { now(): number };

  constructor(rules: ProgressRules, firstId: bigint, clock: { now(): number }) {
    this.#rules = rules;
    this.#firstId = firstId;
    this.#clock = clock;
    this.#board = new StatusBoard((index) => this.#presentStatus(index));
  }

  get size(): number {
    return this.#projects.length;
  }

  /** The duplicate that the document's rules find for a request, if any. */
  duplicateOf(request: CreateProjectRequest, actor: string): { readonly rule: DuplicateRule; readonly project: Project } | undefined {
    const found = this.#duplicates.find(request, actor, this.#clock.now(), (index) => this.#at(index).createdAt);
    return found === undefined ? undefined : { rule: found.rule, project: this.#at(found.index) };
  }

  create(request: CreateProjectRequest, actor: string): Project {
    const index = this.#projects.length;
    const { policyNumber, policyEffectiveDate, inspectionNumber } = request;
    const project: Project = {
      index,
      id: this.#firstId + BigInt(index),
      actor,
      createdAt: this.#clock.now(),
      request,
      policyNumber,
      policyEffectiveDate,
      bundled: false,
      statusesSet: [],
    };
    this.#projects.push(project);
    this.#duplicates.add(project);
    if (policyNumber) addTo(this.#byPolicyNumber, policyNumber, index);
    if (inspectionNumber) addTo(this.#byInspectionNumber, inspectionNumber, index);
    // The course is drawn when somebody first asks for the status, not while the create is being answered.
    this.#board.set(index, FIRST_STATUS, 0);
    return project;
  }

  find(id: bigint): Project | undefined {
    const index = id - this.#firstId;
    return index >= 0n && index < BigInt(this.#projects.length) ? this.#projects[Number(index)] : undefined;
  }

  all(): readonly Project[] {
    return this.#projects;
  }

  /** Document: Project update request: an empty string clears, an absent field stays. */
  update(project: Project, changes: UpdateProjectRequest): void {
    this.#duplicates.removePolicy(project);
    if (project.policyNumber) this.#byPolicyNumber.get(project.policyNumber)?.delete(project.index);
    project.policyNumber = changes.policyNumber ?? project.policyNumber;
    project.policyEffectiveDate = changes.policyEffectiveDate ?? project.policyEffectiveDate;
    if (project.policyNumber) addTo(this.#byPolicyNumber, project.policyNumber, project.index);
    this.#duplicates.addPolicy(project);
  }

  statusOf(project: Project): string {
    return this.#board.statusAt(project.index, this.#clock.now());
  }

  setStatus(project: Project, status: string, by: SetStatus['by'], comment?: string): void {
    project.statusesSet.push({ status, at: this.#clock.now(), by, comment });
    this.#board.set(project.index, status, Number.POSITIVE_INFINITY);
  }

  planOf(project: Project): ProgressPlan {
    const { serviceName, inspectionNumber } = project.request;
    return progressPlan(this.#rules, { id: project.id, serviceName, inspectionNumber });
  }

  /** Projects that match, by id ascending (document: Search query parameters). */
  search(query: ProjectQuery): Project[] {
    const now = this.#clock.now();
    const first = Math.max(this.#indexFrom(query.startId), this.#firstCreatedFrom(query.createdFrom));
    const end = query.createdBefore === undefined ? this.#projects.length : this.#firstCreatedFrom(query.createdBefore);
    const found: Project[] = [];
    if (query.limit === 0) return found;
    for (const index of this.#candidates(query, first, end, now)) {
      const project = this.#at(index);
      if (!this.#matches(project, query, now)) continue;
      found.push(project);
      if (found.length === query.limit) break;
    }
    return found;
  }

  /** Places from `first` below `end`, ascending, by the narrowest way that leads to all that match. */
  *#candidates(query: ProjectQuery, first: number, end: number, now: number): Generator<number> {
    const keyed = this.#keyed(query);
    if (keyed !== undefined) {
      yield* [...keyed].filter((index) => index >= first && index < end).toSorted((a, b) => a - b);
      return;
    }
    let index = first;
    while (index < end) {
      if (query.status !== undefined) index = this.#board.next(query.status, index, end, now);
      if (index < end) yield index;
      index += 1;
    }
  }

  #keyed(query: ProjectQuery): Iterable<number> | undefined {
    if (query.inspectionNumber !== undefined) return this.#byInspectionNumber.get(query.inspectionNumber) ?? [];
    if (query.policyNumber !== undefined) return this.#byPolicyNumber.get(query.policyNumber) ?? [];
    return undefined;
  }

  #matches(project: Project, query: ProjectQuery, now: number): boolean {
    return (
      (query.policyNumber === undefined || project.policyNumber === query.policyNumber) &&
      (query.inspectionNumber === undefined || project.request.inspectionNumber === query.inspectionNumber) &&
      (query.serviceName === undefined || project.request.serviceName === query.serviceName) &&
      (query.includeBundles || !project.bundled) &&
      (query.status === undefined || this.#board.statusAt(project.index, now) === query.status)
    );
  }

  #indexFrom(startId: bigint): number {
    const offset = startId - this.#firstId;
    if (offset <= 0n) return 0;
    return offset > BigInt(this.#projects.length) ? this.#projects.length : Number(offset);
  }

  /** The first place whose project was created at `time` or later: creation times ascend with the ids. */
  #firstCreatedFrom(time: number | undefined): number {
    if (time === undefined) return 0;
    let [low, high] = [0, this.#projects.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle).createdAt < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #presentStatus(index: number): { status: string; changesAt: number } {
    const project = this.#at(index);
    const set = project.statusesSet.at(-1);
    if (set !== undefined) return { status: set.status, changesAt: Number.POSITIVE_INFINITY };
    const { move, nextAfterMs } = plannedAt(this.planOf(project), this.#clock.now() - project.createdAt);
    return { status: move.status, changesAt: project.createdAt + nextAfterMs };
  }

  #at(index: number): Project {
    const project = this.#projects[index];
    if (project === undefined) throw new RangeError(`no project at place ${index}`);
    return project;
  }
}

function addTo(map: Map<string, Set<number>>, key: string, index: number): void {
  const held = map.get(key);
  if (held === undefined) map.set(key, new Set([index]));
  else held.add(index);
}
