import type { SQLInputValue } from 'node:sqlite';
import type { CreateProjectRequest, UpdateProjectRequest } from '../contract/document.ts';
import { type Row, openStateDatabase, type StateDatabase } from './data-file.ts';
import { findDuplicate, keysOf } from './duplicates.ts';
import { progressPlan, type ProgressPlan, type ProgressRules } from './progress.ts';

type SetStatus = Readonly<{
  status: string;
  at: number;
  by: 'client' | 'control' | 'sftp';
  actor?: string;
  comment?: string | undefined;
}>;

type MadeUpdate = UpdateProjectRequest &
  Readonly<{
    at: number;
    actor: string;
  }>;

export type Project = Readonly<{
  index: number;
  id: bigint;
  actor: string;
  createdAt: number;
  request: CreateProjectRequest;
  policyNumber: string | undefined;
  policyEffectiveDate: string | undefined;
  bundled: boolean;
  statusesSet: readonly SetStatus[];
  updates: readonly MadeUpdate[];
}>;

type SearchedText = 'status' | 'policyNumber' | 'inspectionNumber' | 'serviceName';

export interface ProjectSearch extends Readonly<Partial<Record<SearchedText, string | undefined>>> {
  /** Inclusive. */
  readonly createdFrom?: number | undefined;
  /** Exclusive. */
  readonly createdBefore?: number | undefined;
  readonly startId: bigint;
  readonly limit: number;
  readonly includeBundles: boolean;
}

type ProjectStoreOptions = Readonly<{
  rules: ProgressRules;
  firstId: bigint;
  clock: { now(): number };
  keylessAreDuplicates?: boolean;
  database?: StateDatabase;
}>;

export class ProjectStore {
  readonly #options;
  readonly #database;
  #nextMoveAt = -Infinity;

  constructor({ database = openStateDatabase(), ...options }: ProjectStoreOptions) {
    this.#options = options;
    this.#database = database;
  }

  get size() {
    return Number(this.#database.get('SELECT coalesce(max(place) + 1, 0) AS size FROM project')?.['size']);
  }

  duplicateOf(request: CreateProjectRequest, actor: string, knownUntil = Number.MAX_SAFE_INTEGER) {
    const { clock, keylessAreDuplicates = false } = this.#options;
    const found = findDuplicate(this.#database, request, { actor, now: clock.now(), knownUntil, keylessAreDuplicates });
    return found && { rule: found.rule, project: this.#at(found.place) };
  }

  create(request: CreateProjectRequest, actor: string) {
    const place = this.size;
    const createdAt = this.#options.clock.now();
    const plan = this.planOf({ id: this.#options.firstId + BigInt(place), request });
    const { status, nextMoveAt } = positionIn(plan, createdAt, createdAt);
    this.#database.insert('project', {
      place,
      actor,
      createdAt,
      ...keysOf(request),
      serviceName: request.serviceName,
      status,
      nextMoveAt,
      request: JSON.stringify(request),
    });
    this.#nextMoveAt = Math.min(this.#nextMoveAt, nextMoveAt ?? Infinity);
    return this.#at(place);
  }

  find(id: bigint) {
    const place = id - this.#options.firstId;
    return place < 0n ? undefined : this.#found(place);
  }

  all() {
    return this.#database.all('SELECT * FROM project ORDER BY place').map((row) => this.#read(row));
  }

  update({ index }: Project, changes: UpdateProjectRequest, actor: string) {
    const { request, updates: before } = this.#at(index);
    const made: MadeUpdate = { at: this.#options.clock.now(), actor, ...changes };
    // An undefined field does not outlive the text, and must not change the keys either.
    const text = JSON.stringify([...before, made]);
    const updates = JSON.parse(text) as MadeUpdate[];
    const { policyNumber, policyEffectiveDate } = keysOf({ ...request, ...valuesOf({ request, updates }) });
    return this.#change(index, { updates: text, policyNumber, policyEffectiveDate });
  }

  setBundled({ index }: Project, bundled: boolean) {
    return this.#change(index, { bundled: Number(bundled) });
  }

  statusOf(project: Project) {
    const set = project.statusesSet.at(-1)?.status;
    return set ?? positionIn(this.planOf(project), project.createdAt, this.#options.clock.now()).status;
  }

  setStatus({ index }: Project, status: string, by: SetStatus['by'], more: Pick<SetStatus, 'actor' | 'comment'> = {}) {
    const set: SetStatus = { status, at: this.#options.clock.now(), by, ...more };
    const statusesSet = JSON.stringify([...this.#at(index).statusesSet, set]);
    return this.#change(index, { status, nextMoveAt: null, statusesSet });
  }

  planOf({ id, request: { serviceName, inspectionNumber } }: Pick<Project, 'id' | 'request'>) {
    return progressPlan(this.#options.rules, { id, serviceName, inspectionNumber });
  }

  search(query: ProjectSearch) {
    if (query.status !== undefined) this.#moveOn();
    const start = query.startId - this.#options.firstId;
    const conditions: [string, SQLInputValue | undefined][] = [
      ['place >= ?', start > 0n ? start : undefined],
      ['place >= ?', query.createdFrom && this.#firstCreatedFrom(query.createdFrom)],
      ['place < ?', query.createdBefore && this.#firstCreatedFrom(query.createdBefore)],
      ['status = ?', query.status],
      ['serviceName = ?', query.serviceName],
      ['policyNumber = ?', query.policyNumber && JSON.stringify(query.policyNumber)],
      ['inspectionNumber = ?', query.inspectionNumber && JSON.stringify(query.inspectionNumber)],
      ['bundled <= ?', query.includeBundles ? undefined : 0],
    ];
    const chosen = conditions.filter(([, value]) => value !== undefined) as [string, SQLInputValue][];
    const where = chosen.map(([text]) => ` AND ${text}`).join('');
    const sql = `SELECT * FROM project WHERE TRUE${where} ORDER BY place LIMIT ?`;
    return this.#database.all(sql, [...chosen.map(([, value]) => value), query.limit]).map((row) => this.#read(row));
  }

  #firstCreatedFrom(time: number) {
    const first = 'SELECT place FROM project WHERE createdAt >= ? ORDER BY createdAt, place LIMIT 1';
    return Number(this.#database.get(first, [time])?.['place'] ?? this.size);
  }

  #moveOn() {
    const now = this.#options.clock.now();
    if (now < this.#nextMoveAt) return;
    for (const row of this.#database.all('SELECT * FROM project WHERE nextMoveAt <= ?', [now])) {
      const project = this.#read(row);
      const { status, nextMoveAt } = positionIn(this.planOf(project), project.createdAt, now);
      this.#change(project.index, { status, nextMoveAt });
    }
    const next = this.#database.get('SELECT min(nextMoveAt) AS next FROM project WHERE nextMoveAt IS NOT NULL');
    this.#nextMoveAt = Number(next?.['next'] ?? Infinity);
  }

  #change(index: number, values: Readonly<Record<string, SQLInputValue>>) {
    const set = Object.keys(values).map((name) => `${name} = ?`);
    this.#database.run(`UPDATE project SET ${set.join(', ')} WHERE place = ?`, [...Object.values(values), index]);
    return this.#at(index);
  }

  #at(index: number) {
    const project = this.#found(index);
    if (project === undefined) throw new RangeError(`no project at place ${index}`);
    return project;
  }

  #found(place: SQLInputValue) {
    const row = this.#database.get('SELECT * FROM project WHERE place = ?', [place]);
    return row && this.#read(row);
  }

  #read(row: Row) {
    const index = Number(row['place']);
    const [request, statusesSet, updates] = ['request', 'statusesSet', 'updates'].map((name) =>
      JSON.parse(String(row[name])),
    ) as [CreateProjectRequest, SetStatus[], MadeUpdate[]];
    return {
      index,
      id: this.#options.firstId + BigInt(index),
      actor: String(row['actor']),
      createdAt: Number(row['createdAt']),
      bundled: row['bundled'] === 1,
      request,
      statusesSet,
      updates,
      ...valuesOf({ request, updates }),
    };
  }
}

function valuesOf({ request, updates }: Pick<Project, 'request' | 'updates'>) {
  const { policyNumber, policyEffectiveDate } = Object.assign({}, request, ...updates) as CreateProjectRequest;
  return { policyNumber, policyEffectiveDate };
}

function positionIn({ moves }: ProgressPlan, createdAt: number, now: number) {
  const next = moves.findIndex(({ afterMs }, index) => index > 0 && createdAt + afterMs > now);
  const nextMove = moves[next];
  return {
    status: moves.at(next === -1 ? -1 : next - 1)?.status ?? '',
    nextMoveAt: nextMove === undefined ? null : createdAt + nextMove.afterMs,
  };
}
