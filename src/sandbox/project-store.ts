import type { CreateProjectRequest, UpdateProjectRequest } from '../contract/document.ts';
import { DuplicateIndex, type DuplicateRule, keysOf, type ProjectKeys } from './duplicates.ts';
import { progressPlan, type ProgressPlan, type ProgressRules } from './progress.ts';
import { StatusBoard } from './status-board.ts';

/** Ends the planned progress. */
export interface SetStatus {
  readonly status: string;
  /** Epoch ms. */
  readonly at: number;
  readonly by: 'client' | 'control' | 'sftp';
  readonly actor?: string | undefined;
  readonly comment?: string | undefined;
}

export interface MadeUpdate extends UpdateProjectRequest {
  /** Epoch ms. */
  readonly at: number;
  readonly actor: string;
}

/** Shared by most projects. */
export const NONE: readonly never[] = [];

export interface Project {
  /** In order of creation, from 0. */
  readonly index: number;
  readonly id: bigint;
  readonly actor: string;
  /** Epoch ms, sandbox time. */
  readonly createdAt: number;
  /** As sent; parsed on each call. */
  readonly request: CreateProjectRequest;
  /** Updates change it. */
  readonly policyNumber: string | undefined;
  readonly policyEffectiveDate: string | undefined;
  readonly bundled: boolean;
  /** Oldest first. */
  readonly statusesSet: readonly SetStatus[];
  /** Oldest first. */
  readonly updates: readonly MadeUpdate[];
}

export interface ProjectQuery {
  readonly status?: string | undefined;
  readonly policyNumber?: string | undefined;
  readonly inspectionNumber?: string | undefined;
  readonly serviceName?: string | undefined;
  /** Epoch ms, inclusive. */
  readonly createdFrom?: number | undefined;
  /** Epoch ms, exclusive. */
  readonly createdBefore?: number | undefined;
  readonly startId: bigint;
  readonly limit: number;
  readonly includeBundles: boolean;
}

export interface ProjectRecord extends Pick<
  Project,
  'index' | 'actor' | 'createdAt' | 'bundled' | 'statusesSet' | 'updates'
> {
  readonly keys: ProjectKeys;
  /** As JSON. */
  readonly requestText: string;
}

/** Takes every change of the store at once; the next commit writes it to disk. */
export interface ProjectJournal {
  created(record: ProjectRecord): void;
  /** The project's keys after an update. `number`: the update's number within the project, from 1. */
  updated(index: number, keys: ProjectKeys, update: MadeUpdate, number: number): void;
  bundled(index: number, bundled: boolean): void;
  /** `number`: the status's number within the project, from 1. */
  statusSet(index: number, set: SetStatus, number: number): void;
}

export interface ProjectStoreOptions {
  readonly rules: ProgressRules;
  readonly firstId: bigint;
  readonly clock: { now(): number };
  /** Two orders with neither number are duplicates (READING 4). */
  readonly keylessAreDuplicates?: boolean | undefined;
  readonly journal?: ProjectJournal | undefined;
}

export class ProjectStore {
  readonly #projects: StoredProject[] = [];
  readonly #index: DuplicateIndex;
  readonly #board = new StatusBoard();
  readonly #rules: ProgressRules;
  readonly #firstId: bigint;
  readonly #clock: { now(): number };
  readonly #journal: ProjectJournal | undefined;

  constructor({ rules, firstId, clock, keylessAreDuplicates = false, journal }: ProjectStoreOptions) {
    this.#rules = rules;
    this.#firstId = firstId;
    this.#clock = clock;
    this.#journal = journal;
    this.#index = new DuplicateIndex(keylessAreDuplicates);
  }

  get size(): number {
    return this.#projects.length;
  }

  /** A request's duplicate by the document's rules, if any. `knownUntil` (epoch ms): ignores projects created later. */
  duplicateOf(
    request: CreateProjectRequest,
    actor: string,
    knownUntil = Number.POSITIVE_INFINITY,
  ): { readonly rule: DuplicateRule; readonly project: Project } | undefined {
    const now = this.#clock.now();
    const end = knownUntil < now ? this.#firstCreated((at) => at > knownUntil) : this.#projects.length;
    const found = this.#index.find(request, actor, { now, end, at: (index) => this.#at(index) });
    return found === undefined ? undefined : { rule: found.rule, project: this.#at(found.place) };
  }

  create(request: CreateProjectRequest, actor: string): Project {
    const record = {
      index: this.#projects.length,
      actor,
      createdAt: this.#clock.now(),
      bundled: false,
      statusesSet: NONE,
      updates: NONE,
      keys: keysOf(request),
      requestText: JSON.stringify(request),
    };
    this.#journal?.created(record);
    return this.#add(record);
  }

  /** Restores a recorded project; call in order of creation, before anything else. Throws RangeError on a gap. */
  restore(record: ProjectRecord): void {
    if (record.index !== this.#projects.length)
      throw new RangeError(`the record goes on with place ${record.index} after ${this.#projects.length} projects`);
    this.#add(record);
  }

  find(id: bigint): Project | undefined {
    const index = id - this.#firstId;
    return index >= 0n && index < BigInt(this.#projects.length) ? this.#projects[Number(index)] : undefined;
  }

  all(): readonly Project[] {
    return this.#projects;
  }

  /** Document: Project update request: an empty string clears, an absent field stays. */
  update({ index }: Project, changes: UpdateProjectRequest, actor: string): void {
    const project = this.#at(index);
    const { policyNumber = project.policyNumber, policyEffectiveDate = project.policyEffectiveDate } = changes;
    this.#index.changePolicyNumber(index, project.policyNumber, policyNumber);
    project.policyNumber = policyNumber;
    project.policyEffectiveDate = policyEffectiveDate;
    const update: MadeUpdate = { at: this.#clock.now(), actor, ...changes };
    project.updates = [...project.updates, update];
    this.#journal?.updated(
      index,
      { ...keysOf(project.request), policyNumber, policyEffectiveDate },
      update,
      project.updates.length,
    );
  }

  setBundled({ index }: Project, bundled: boolean): void {
    const project = this.#at(index);
    project.bundled = bundled;
    this.#board.setBundled(index, bundled);
    this.#journal?.bundled(index, bundled);
  }

  statusOf(project: Project): string {
    return this.#board.statusAt(project.index, this.#clock.now());
  }

  setStatus(
    { index }: Project,
    status: string,
    by: SetStatus['by'],
    more: Pick<SetStatus, 'actor' | 'comment'> = {},
  ): void {
    const project = this.#at(index);
    const set: SetStatus = { status, at: this.#clock.now(), by, ...more };
    project.statusesSet = [...project.statusesSet, set];
    this.#board.set(index, status);
    this.#journal?.statusSet(index, set, project.statusesSet.length);
  }

  planOf({ id, request: { serviceName, inspectionNumber } }: Project): ProgressPlan {
    return progressPlan(this.#rules, { id, serviceName, inspectionNumber });
  }

  /** Projects that match, by id ascending (document: Search query parameters). */
  search(query: ProjectQuery): Project[] {
    const now = this.#clock.now();
    const first = Math.max(this.#indexFrom(query.startId), this.#firstCreatedFrom(query.createdFrom));
    const end = query.createdBefore === undefined ? this.#projects.length : this.#firstCreatedFrom(query.createdBefore);
    const found: Project[] = [];
    if (query.limit === 0) return found;
    for (const index of this.#matching(query, first, end, now)) {
      found.push(this.#at(index));
      if (found.length === query.limit) break;
    }
    return found;
  }

  /** Places of matches in [first, end), ascending, from the narrowest index that has them all. */
  *#matching(query: ProjectQuery, first: number, end: number, now: number): Generator<number> {
    const { inspectionNumber, policyNumber } = query;
    if (inspectionNumber === undefined && policyNumber === undefined) {
      for (
        let index = this.#board.next(query, first, end, now);
        index < end;
        index = this.#board.next(query, index + 1, end, now)
      )
        yield index;
      return;
    }
    const keyed =
      inspectionNumber === undefined
        ? this.#index.byPolicyNumber.within(policyNumber ?? '', first, end)
        : this.#index.byInspectionNumber.within(inspectionNumber, first, end);
    for (const index of keyed) {
      const agrees =
        inspectionNumber === undefined || policyNumber === undefined || this.#at(index).policyNumber === policyNumber;
      if (agrees && this.#board.next(query, index, index + 1, now) === index) yield index;
    }
  }

  #indexFrom(startId: bigint): number {
    const offset = startId - this.#firstId;
    if (offset <= 0n) return 0;
    return offset > BigInt(this.#projects.length) ? this.#projects.length : Number(offset);
  }

  /** The first place created at `time` or later: creation times ascend. */
  #firstCreatedFrom(time: number | undefined): number {
    return time === undefined ? 0 : this.#firstCreated((at) => at >= time);
  }

  #firstCreated(inTime: (at: number) => boolean): number {
    let [low, high] = [0, this.#projects.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (inTime(this.#at(middle).createdAt)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #add(record: ProjectRecord): Project {
    const { index, actor, createdAt, statusesSet, bundled, keys } = record;
    const { inspectionNumber, serviceName } = keys;
    const project = new StoredProject(this.#firstId + BigInt(index), record);
    this.#projects.push(project);
    this.#index.add(index, actor, keys);
    const set = statusesSet.at(-1);
    const moves =
      set === undefined
        ? progressPlan(this.#rules, { id: project.id, serviceName, inspectionNumber }).moves
        : [{ afterMs: 0, status: set.status }];
    this.#board.add(
      moves.map(({ afterMs, status }) => ({ at: createdAt + afterMs, status })),
      serviceName,
      bundled,
    );
    return project;
  }

  #at(index: number): StoredProject {
    const project = this.#projects[index];
    if (project === undefined) throw new RangeError(`no project at place ${index}`);
    return project;
  }
}

/** Keeps the request as text, in a third of the memory. */
export class StoredProject implements Project {
  readonly index: number;
  readonly id: bigint;
  readonly actor: string;
  readonly createdAt: number;
  policyNumber: string | undefined;
  policyEffectiveDate: string | undefined;
  bundled: boolean;
  statusesSet: readonly SetStatus[];
  updates: readonly MadeUpdate[];
  readonly #requestText: string;

  constructor(id: bigint, record: ProjectRecord) {
    this.index = record.index;
    this.id = id;
    this.actor = record.actor;
    this.createdAt = record.createdAt;
    this.policyNumber = record.keys.policyNumber;
    this.policyEffectiveDate = record.keys.policyEffectiveDate;
    this.bundled = record.bundled;
    this.statusesSet = record.statusesSet;
    this.updates = record.updates;
    this.#requestText = record.requestText;
  }

  get request(): CreateProjectRequest {
    return JSON.parse(this.#requestText) as CreateProjectRequest;
  }
}
