import { houseKey } from '../domain/identity.ts';
import type { AttentionLevel, NightCounts } from '../domain/project.ts';
import { sentence } from '../domain/sentences.ts';
import { formatCount } from '../domain/text.ts';
import { countIn, describeRiskChanges, GRAVE_WEIGHT, isStated } from './attention/judge.ts';
import type { HouseCounts } from './house-counts.ts';
import { day, dollars } from './html/markup.ts';
import type { JudgedProject, NightOnRecord, ResultProject } from './model.ts';
import { photosByRelevance, photosOfFinding, photosShowing, roofPhotos } from './photos.ts';
import { Portfolio } from './tables/portfolio.ts';
import { addressOf, describeOut } from './tables/shared-columns.ts';
import { roofAge, roofFindings, roofPoints } from './tables/roofs.ts';

const CASES_MAX = 5;
export const ROOFS_MAX = 10;
const REASONS_NAMED = 3;
const NOTICE_REASONS_MAX = 6;

export function houseInBrief({ projectId, order }: Pick<ResultProject, 'projectId' | 'order'>, why: string) {
  return { projectId, property: addressOf(order), insuredName: order.insuredName, why };
}

/** Of a new report; their counts add up to all new reports. */
export const OUTCOMES = ['High', 'Medium', 'Low', 'not flagged', 'closed out'] as const;

export function newReportOutcome({ project, level, closedOut }: JudgedProject) {
  return project.isNew ? (closedOut === null ? (level ?? 'not flagged') : 'closed out') : undefined;
}

export type WorstRoof = NonNullable<ReturnType<typeof roofOf>>;

export type Leader = Omit<WorstRoof, 'age'>;

export type OpenCase = ReturnType<typeof caseOf>;

/** `inspectedAt` is 0 without an inspection. */
type Visit = Readonly<{
  inspectedAt: number;
  risk: OpenCase | null;
  roof: WorstRoof | null;
}>;

export class Highlights {
  /** By house and service; a later inspection replaces an earlier one. */
  readonly #visits = new Map<string, Visit>();
  /** Since when replaced ones wait. */
  readonly #waiting = new Map<string, number>();
  readonly outcomes = new Map<(typeof OUTCOMES)[number], number>();
  readonly #portfolio = new Portfolio();
  readonly #writtenAt;

  constructor(writtenAt: number) {
    this.#writtenAt = writtenAt;
  }

  add(judged: JudgedProject) {
    this.#portfolio.add(judged);
    const { project, level } = judged;
    const outcome = newReportOutcome(judged);
    if (outcome !== undefined) countIn(this.outcomes, outcome);
    const isDecided = Boolean(project.decision?.decision);
    const visit = `${houseKey(project.order)}|${project.order.serviceName}`;
    const inspectedAt = judged.isInspected ? (project.returnedAt ?? 0) : 0;
    const before = this.#visits.get(visit);
    const since = project.waiting?.since ?? this.#waiting.get(visit) ?? null;
    if (judged.replacedBy !== null && since !== null) this.#waiting.set(visit, since);
    if (judged.replacedBy !== null || inspectedAt < (before?.inspectedAt ?? 0)) return;
    const risk = level === null || isDecided ? null : caseOf(judged, level, since);
    const roof = roofOf(judged);
    if (before === undefined && inspectedAt === 0 && risk === null && roof === null) return;
    this.#visits.set(visit, { inspectedAt, risk, roof });
  }

  get reports() {
    return this.#portfolio.reports;
  }

  /** `nights`: the earlier ones, the newest first. */
  portfolio(nights: readonly NightOnRecord[] = []) {
    const newReports = [...this.outcomes.values()].reduce((sum, count) => sum + count, 0);
    const tonight = { newReports, high: this.outcomes.get('High') ?? 0 };
    return this.#portfolio.groups([{ publishedAt: this.#writtenAt, night: tonight }, ...nights]);
  }

  /** Those rated High first, and of them the new ones. */
  get cases() {
    const leaders = this.#leaders(
      ({ risk }) => risk,
      CASES_MAX,
      ({ level, project }) => (level === 'High' ? 1 + Number(project.isNew) : 0),
    );
    return leaders.map((one) => ({ ...one, out: one.alsoOpen.reduce(withOpen, one.out) }));
  }

  get riskiest() {
    return this.cases.map((one) =>
      houseInBrief(one.project, [riskOf(one), one.reason, undecidedSince(one), one.out].filter(Boolean).join('; ')),
    );
  }

  /** To show again until they are decided: those rated High, and the cases' houses. Not what was delivered before this was kept. */
  get undecided() {
    const named = new Set(this.cases.flatMap((one) => [one, ...one.alsoOpen]).map(({ project }) => project.projectId));
    return [...this.#visits.values()].flatMap(({ risk }) => {
      if (risk === null) return [];
      const { level, rank: points, project } = risk;
      if (level !== 'High' && !named.has(risk.project.projectId) && project.waiting === null) return [];
      const since = risk.since ?? (project.isNew ? this.#writtenAt : null);
      return since === null ? [] : [{ projectId: project.projectId, level, points, since }];
    });
  }

  get roofs() {
    return this.#leaders(({ roof }) => roof, ROOFS_MAX);
  }

  #leaders<Ranked extends Leader>(
    of: (visit: Visit) => Ranked | null,
    max: number,
    first: (leader: Ranked) => number = () => 0,
  ) {
    const ranked = [...this.#visits.values()]
      .flatMap((visit) => of(visit) ?? [])
      .toSorted((a, b) => first(b) - first(a) || b.rank - a.rank);
    const houses = Map.groupBy(ranked, ({ project }) => houseKey(project.order));
    return [...houses.values()]
      .slice(0, max)
      .flatMap(([leader, ...alsoOpen]) => (leader === undefined ? [] : [{ ...leader, alsoOpen }]));
  }
}

function named({ projectId, order, isNew, waiting }: ResultProject) {
  return { projectId, order, isNew, waiting };
}

function withOpen(out: string, open: OpenCase) {
  const name = `project ${open.project.projectId} (${open.project.order.serviceName})`;
  const since = open.since === null ? '' : `, ${undecidedSince(open)}`;
  if (out.includes(name)) return out.replace(name, () => `${name}, which waits for a decision too${since}`);
  return [out, `the same house also waits for a decision on ${name}${since}`].filter(Boolean).join('; ');
}

function riskOf({ level, project: { order } }: OpenCase) {
  return [level, order.dwellingCoverage && `coverage A ${dollars(order.dwellingCoverage)}`].filter(Boolean).join(', ');
}

export function undecidedSince({ since }: OpenCase) {
  return since === null ? '' : `undecided since ${day(since)}`;
}

function caseOf(judged: JudgedProject, level: AttentionLevel, since: number | null) {
  const [reason = '', ...others] = judged.findings.slice(0, REASONS_NAMED).map((finding) => finding.reason);
  const further = judged.findings.length - REASONS_NAMED;
  return {
    project: named(judged.project),
    rank: judged.points,
    level,
    since,
    reason: judged.action === null ? reason : `${reason} → ${judged.action}`,
    others: [...others, ...(further > 0 ? [`${further} more`] : [])].join(' · '),
    riskChanges: sincePrevious(describeRiskChanges(judged.riskChanges.filter((one) => !isStated(one)))),
    out: describeOut(judged),
    notice: noticeOf(judged),
    ...photoOf(judged),
  };
}

function sincePrevious(riskChanges: string) {
  return riskChanges && `Since the previous report: ${riskChanges}`;
}

/** Of the deciding reason, else of another one, which is named: as the report lists it, whatever it shows. */
function photoOf(judged: JudgedProject) {
  const [photo] = photosByRelevance(judged);
  const about = photo && judged.findings.find((finding) => photosShowing(judged, finding).includes(photo));
  if (photo === undefined || (about !== undefined && about === judged.findings[0])) return { photo, shows: '' };
  if (about === undefined) return { photo, shows: sentence('case/photo-of-none') };
  const isListed = photosOfFinding(judged, about).includes(photo);
  return { photo, shows: sentence(isListed ? 'case/photo-of-reason' : 'case/photo-of-roof', { reason: about.reason }) };
}

function noticeOf({ project, findings, record, actionReason }: JudgedProject) {
  const at = record.values.get('project.inspectionTime')?.leaf;
  // The insured reads it: what was seen, rather than the inspector's rating, unless that decides.
  const seen = findings.filter(
    ({ paths, reason }) => reason === actionReason || !paths.includes('summary.risk.overallCondition'),
  );
  const grave = seen.filter(({ weight }) => weight >= GRAVE_WEIGHT);
  const found = [grave, seen, findings].find(({ length }) => length > 0)?.slice(0, NOTICE_REASONS_MAX) ?? [];
  const when = typeof at === 'number' && at > 0 && at < 1e11 ? ` on ${day(at * 1000)}` : '';
  const facts = [...Map.groupBy(found, ({ reason }) => /^\w+: /.exec(reason)?.[0] ?? '')].map(
    ([about, ones]) => about + ones.map(({ reason }) => reason.slice(about.length)).join('; '),
  );
  return `The inspection of ${addressOf(project.order)}${when} found: ${facts.join('. ')}.`;
}

function roofOf(judged: JudgedProject) {
  const [worst] = roofFindings(judged);
  return worst === undefined
    ? null
    : {
        project: named(judged.project),
        rank: roofPoints(judged),
        reason: worst.reason,
        age: roofAge(judged),
        photo: roofPhotos(judged)[0],
      };
}

export function describeSinceDelivery(night: NightCounts, { fresh, closedOut }: HouseCounts) {
  const reports = (word: string) =>
    closedOut === 0 ? `new ${word}` : sentence('night/reports', { word, inspected: fresh - closedOut, closedOut });
  const summary = [
    [night.ordered, 'ordered'],
    [fresh, reports('report'), reports('reports')],
    [night.returned - fresh, 'returned without a report yet'],
    [night.canceled, 'canceled'],
    [night.closedOut - closedOut, 'closed out without a report'],
    [night.wentBack, 'row went back to be fixed', 'rows went back to be fixed'],
    [night.fixed, 'row came back fixed', 'rows came back fixed'],
    [night.changed, 'changed after they were ordered'],
    [night.decided, 'project decided', 'projects decided'],
  ] as const;
  const happened = summary
    .filter(([count]) => count > 0)
    .map(([count, one, more = one]) => formatCount(count, one, more));
  const since = night.since === null ? 'This is the first delivery' : `Since your last delivery on ${day(night.since)}`;
  return `${since}: ${happened.join(', ') || sentence('night/nothing-new')}.`;
}
