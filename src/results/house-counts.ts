import { CONDITION_GRADES } from '../contract/summary-attributes.ts';
import { countIn, directionSince } from './attention/judge.ts';
import type { Action } from './attention/rules.ts';
import { titleOfCode } from './tables/report-columns.ts';
import type { FlatRecord } from './flatten.ts';
import type { Counted, SurveyedProject } from './model.ts';
import type { CanceledProject } from './tables/ended.ts';
import { hasRoof } from './tables/roofs.ts';

interface Tally {
  readonly hazards: readonly string[];
  readonly roof: string;
  houses: number;
}

const KINDS_MAX = 12;
const NOT_ASSESSED = 'not assessed';
const NO_REPORT = 'no report yet';
export const ROOF_CONDITIONS: readonly string[] = CONDITION_GRADES.toReversed();
const UNKNOWN = [NOT_ASSESSED, NO_REPORT];

export class HouseCounts {
  all = 0;
  inspected = 0;
  /** With a report since the last delivery. */
  fresh = 0;
  closedOut = 0;
  changed = 0;
  /** By the attention rules and by what reports say: each house counts once. */
  worse = 0;
  better = 0;
  withRoofs = 0;
  withThumbnails = 0;
  withSeveralReports = 0;
  overdueByAgent: readonly Counted[] = [];
  /** Rows that were not ordered. */
  pastDueByAgent: readonly Counted[] = [];
  readonly canceled: CanceledProject[] = [];
  readonly #tallies = new Map<string, Tally>();
  readonly #suggested = new Map<Action, number>();

  add(surveyed: SurveyedProject) {
    const { project, record, reports, action, changes, riskChanges, closedOut } = surveyed;
    this.all += 1;
    if (surveyed.isInspected) this.inspected += 1;
    if (project.isNew) this.fresh += 1;
    if (project.isNew && closedOut !== null) this.closedOut += 1;
    if (changes.length > 0 || riskChanges.length > 0) this.changed += 1;
    const direction = directionSince(riskChanges);
    if (direction !== undefined) this[direction] += 1;
    if (action !== null) countIn(this.#suggested, action);
    if (hasRoof(surveyed)) this.withRoofs += 1;
    if (project.photos.some(({ thumbnail }) => thumbnail !== undefined)) this.withThumbnails += 1;
    if (reports.length > 1) this.withSeveralReports += 1;
    const { projectId, order, status, statusAt, ending: reason = '', decision } = project;
    if (status === 'Project Canceled')
      this.canceled.push({ projectId, order, at: statusAt ?? 0, decision: decision ?? undefined, reason });
    const hazards = hazardsOf(record);
    const roof = roofConditionOf(surveyed);
    const key = JSON.stringify([hazards, roof]);
    const tally = this.#tallies.get(key) ?? { hazards, roof, houses: 0 };
    this.#tallies.set(key, tally);
    tally.houses += 1;
    return { tally, action, direction };
  }

  get rowsPastDue() {
    return this.pastDueByAgent.reduce((sum, { count }) => sum + count, 0);
  }

  suggested(action: Action) {
    return this.#suggested.get(action) ?? 0;
  }

  remove({ tally, action, direction }: ReturnType<HouseCounts['add']>) {
    tally.houses -= 1;
    if (action !== null) countIn(this.#suggested, action, -1);
    if (direction !== undefined) this[direction] -= 1;
  }

  get #shown() {
    return [...this.#tallies.values()].filter(({ houses }) => houses > 0);
  }

  get hazards() {
    return byNumber(this.#shown, ({ hazards }) => hazards).slice(0, KINDS_MAX);
  }

  get roofConditions() {
    const conditions = byNumber(this.#shown, ({ roof }) => [roof].filter(Boolean));
    if (conditions.every(({ name }) => UNKNOWN.includes(name))) return [];
    return conditions.toSorted((a, b) => placeOf(a) - placeOf(b)).slice(0, KINDS_MAX);
  }
}

export function hazardsOf({ lists }: FlatRecord) {
  const kinds = (lists.get('summary.factors')?.items ?? []).map(
    (item) => attributeText(item, 'name') || attributeText(item, 'component') || attributeText(item, 'text'),
  );
  return [...new Set(kinds.filter(Boolean).map(titleOfCode))];
}

/** Empty if no report will come. */
export function roofConditionOf({ record, project }: SurveyedProject) {
  if (record.values.size === 0) return project.status === 'Project Canceled' ? '' : NO_REPORT;
  return attributeText(record, 'summary.roof.overallCondition') || NOT_ASSESSED;
}

function placeOf({ name }: Counted) {
  if (UNKNOWN.includes(name)) return ROOF_CONDITIONS.length + 1 + UNKNOWN.indexOf(name);
  return ROOF_CONDITIONS.includes(name) ? ROOF_CONDITIONS.indexOf(name) : ROOF_CONDITIONS.length;
}

export function attributeText(record: FlatRecord, path: string) {
  const leaf = record.values.get(path)?.leaf;
  return typeof leaf === 'string' ? leaf : '';
}

function byNumber(tallies: readonly Tally[], namesOf: (tally: Tally) => readonly string[]) {
  const counts = new Map<string, number>();
  for (const tally of tallies) for (const name of namesOf(tally)) countIn(counts, name, tally.houses);
  return sortCounts(counts);
}

/** The largest first. */
export function sortCounts(counts: ReadonlyMap<string, number>) {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}
