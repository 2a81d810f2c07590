import type { ReportSummary } from '../contract/document.ts';
import { closeoutReasonsOf } from '../domain/closeout.ts';
import type { FinishedProject, NightFigures } from '../domain/delivery.ts';
import {
  type AttentionLevel,
  type DecidedHouse,
  type Decision,
  isClosedOutStatus,
  type NightCounts,
  type ResultColumn,
  type UndecidedHouse,
} from '../domain/project.ts';
import { houseKey } from '../domain/identity.ts';
import type { OrderedElsewhere, OrderPayload, Repair, RowPlace, RowSummary } from '../domain/row.ts';
import { comparableLetters } from '../domain/text.ts';
import {
  decidingFinding,
  type Finding,
  findingsOf,
  sortFindings,
  sumPoints,
  type RankedHouse,
  Ranking,
  suggestionSentence,
  changesInReport,
  riskChangesBetween,
  worseFirst,
} from './attention/judge.ts';
import type { AttentionConfig } from './attention/rules.ts';
import { date } from './workbook.ts';
import { changesBetween, disagreementsBetween } from './changes.ts';
import type { ColumnChoice } from './column-choice.ts';
import { type FlatRecord, type Leaf, mergeReports } from './flatten.ts';

/** Epoch milliseconds. Paths are relative to the delivery folder, with forward slashes. */
type EpochMs = number;

export type ResultReport = Readonly<{
  id: string;
  type: string;
  path: string | null;
  summary: ReportSummary | null;
  recordedAt?: EpochMs;
}>;

export type ResultPhoto = Readonly<{
  id: string;
  path: string;
  description?: string;
  /** A JPEG of THUMBNAIL's size, or twice as wide and high; null if impossible. */
  thumbnail?: (times?: 1 | 2) => Promise<Uint8Array | null>;
}>;

export const THUMBNAIL = { width: 160, height: 120 } as const;

export type ResultProject = Readonly<{
  projectId: string;
  order: OrderPayload;
  status: string;
  statusAt: EpochMs | null;
  orderedAt: EpochMs | null;
  returnedAt: EpochMs | null;
  collectedAt: EpochMs | null;
  linked: boolean;
  source: RowPlace | null;
  reports: readonly ResultReport[];
  /** The folder of photos, or the first photo. */
  photosPath: string | null;
  photoCount: number;
  photos: readonly ResultPhoto[];
  problems: readonly string[];
  /** Why it was canceled or closed out, and where its house was inspected since. */
  ending?: string | undefined;
  laterInspection?: Readonly<{ projectId: string; serviceName: string; at: EpochMs }> | undefined;
  earlier: EarlierReports | null;
  /** A report came since the last delivery of results. */
  isNew: boolean;
  /** Comes back in a nightly delivery, without a new report. */
  isShownAgain?: boolean;
  /** Complete, canceled or closed out since the last delivery that showed it. */
  finishedAt?: EpochMs | null;
  decision: Decision | null;
  /** If an earlier delivery asked to decide it, and nobody has; the level that it keeps, if any. */
  waiting: (Pick<UndecidedHouse, 'since'> & { readonly level: AttentionLevel | null }) | null;
}>;

export type EarlierReports = Readonly<{
  /** Another project, or the same one for replaced reports. */
  projectId: string;
  at: EpochMs;
  known: 'address' | 'policy' | 'version';
  /** Absent for the same project. */
  serviceName?: string | undefined;
  reports: readonly ResultReport[];
}>;

/**
 * Rejected, refused and held rows come every night until fixed, dropped again, dismissed or resolved; duplicates and
 * abandoned orders come once.
 */
export type NotOrderedRow = RowPlace &
  RowSummary &
  Readonly<{
    kind: 'rejection' | 'refusal' | 'duplicate' | 'held' | 'given up';
    /** When it went back or was held; for a closed row, when its file came. */
    openSince: EpochMs;
    sender: string | null;
    /** Relative to the workspace. */
    corrections: string | null;
    /** No earlier delivery showed it like this. */
    isNew: boolean;
    reasons: readonly string[];
    /** A repeat that may ask for another inspection, or whose project has ended. */
    mayBeWanted?: boolean;
    projectId: string | null;
    /** Of an open row. */
    orderedElsewhere?: OrderedElsewhere | undefined;
  }>;

export function isOpen({ kind }: Pick<NotOrderedRow, 'kind'>) {
  return kind !== 'duplicate' && kind !== 'given up';
}

/** `today`: `YYYY-MM-DD`. A due date that is none is not past. */
export function isPastDue(row: NotOrderedRow, today: string) {
  return !row.orderedElsewhere && isOpen(row) && date(row.dueDate)?.format === 'date' && (row.dueDate ?? '') < today;
}

export type EndedProjects = Readonly<{
  kind: 'canceled' | 'closed out';
  /** In the service's words, else ours. */
  reason: string;
  /** With the service's words in quotation marks, among words of ours. */
  quoted?: string;
  /** Nothing to do: canceled at a person's request, inspected or ordered again, or decided. */
  isSettled?: boolean | undefined;
  projects: readonly Readonly<{
    projectId: string;
    order: OrderPayload;
    at: EpochMs;
    decision?: Decision | undefined;
  }>[];
}>;

/** The longest overdue first; may be read lazily. */
export type OverdueProjects = { readonly length: number } & (Iterable<OverdueProject> | AsyncIterable<OverdueProject>);

export type OverdueProject = Readonly<{
  projectId: string;
  order: OrderPayload;
  /** `YYYY-MM-DD`. */
  dueDate: string;
  status: string;
  statusAt: EpochMs;
  why: string;
}>;

/** A delivery of results; `night` is null for those of earlier versions. */
export type NightOnRecord = Readonly<{
  publishedAt: EpochMs;
  night: Pick<NightFigures, 'newReports' | 'high'> | null;
}>;

export type Counted = Readonly<{
  name: string;
  count: number;
}>;

export type ResultsOverview = Readonly<{
  today: string;
  night: NightCounts;
  /** Canceled or closed out since the last delivery, the largest first. */
  ended: readonly EndedProjects[];
  /** Ended earlier and still open. */
  stillEnded: readonly EndedProjects[];
  openRows: number;
  byStatus: readonly Counted[];
  outstandingByAge: readonly Counted[];
  files: readonly Readonly<{
    file: string;
    outcome: string;
    read: number;
    accepted: number;
    rejected: number;
  }>[];
  overdue: OverdueProjects;
  needsPerson: readonly ActionItem[];
}>;

export type ActionItem = Readonly<Record<'title' | 'detail', string>>;

export type ResultsInput = Readonly<{
  run: string;
  writtenAt: EpochMs;
  /** Called twice, with the same order. */
  projects: () => AsyncIterable<ResultProject>;
  notOrdered: () => AsyncIterable<NotOrderedRow>;
  /** All on record, the newest first. */
  decisions?: readonly DecidedHouse[];
  /** The deliveries on record, the newest first. */
  nights?: readonly NightOnRecord[];
  decisionWords?: readonly string[] | undefined;
  overview: ResultsOverview;
  onFinished?: ((project: FinishedProject, at: EpochMs) => void) | undefined;
  earlierColumns: readonly ResultColumn[];
  /** Null: all. */
  columns: ColumnChoice | null;
  thumbnails: Readonly<{ perProject: number; inAll: number }>;
  attention: AttentionConfig;
  notice?: string | undefined;
}>;

export type OrderLine = Readonly<{
  state: 'created' | 'linked' | 'skipped' | 'refused' | 'unresolved' | 'waiting' | 'held';
  reason: string | null;
  projectId: string | null;
  source: RowPlace;
  order: OrderPayload;
  repairs: readonly Repair[];
  inspectionCode: string | null;
  inspectionLink: string | null;
}>;

export interface OrdersInput extends Pick<ResultsInput, 'run' | 'writtenAt' | 'notice'> {
  readonly orders: () => AsyncIterable<OrderLine>;
}

/** A project as the first pass over all projects finds it, before levels are given. */
export type SurveyedProject = Omit<Readonly<ReturnType<typeof surveyProject>>, 'kept'> & {
  /**
   * The project of a later inspection by the same service in this delivery, which counts instead. Null during the
   * survey.
   */
  readonly replacedBy: string | null;
};

export interface JudgedProject extends SurveyedProject {
  /** If it has a report: other projects of its house that have none yet, or ended without an inspection since. */
  readonly stillOut: readonly ProjectOut[];
  /** Null below `Low`. */
  readonly level: AttentionLevel | null;
}

/** `since` it was ordered, or ended. */
type ProjectOut = Readonly<{
  projectId: string;
  serviceName: string;
  since: EpochMs | null;
  ended?: Pick<EndedProjects, 'kind' | 'reason'>;
}>;

/** Call `survey` first. Each pass rebuilds the records: a million do not fit into memory. */
export class JudgedProjects implements AsyncIterable<JudgedProject> {
  readonly #input;
  readonly #decisions;
  readonly #ranking;
  #replaced: ReadonlyMap<string, string> = new Map();
  readonly #out = new Map<string, readonly ProjectOut[]>();

  constructor(input: ResultsInput) {
    this.#input = input;
    this.#decisions = decisionsByHouse(input);
    this.#ranking = new Ranking(input.attention.levels);
    for (const { projects, ...ended } of [...input.overview.ended, ...input.overview.stillEnded])
      for (const { projectId, order, at } of projects) this.#addOut(order, { projectId, since: at, ended });
  }

  /** `takeBack` gets the results of replaced projects. */
  async survey<Seen>(see: (surveyed: SurveyedProject) => Seen, takeBack: (seen: Seen) => void) {
    // A project without an inspection replaces nothing.
    const reported = new Map<string, RankedHouse & Readonly<{ service: string; seen: Seen }>>();
    const later = [];
    for await (const project of this.#input.projects()) {
      const { kept, ...surveyed } = surveyProject(project, this.#input, this.#decisions);
      const { points, action, reports, isInspected } = surveyed;
      const seen = see({ ...surveyed, replacedBy: null });
      const isRanked = isInspected && !project.isShownAgain;
      const house = { points, action, isInspected, isRanked, kept };
      this.#ranking.add(house);
      const { projectId, order, earlier } = project;
      const service = order.serviceName;
      if (isOut(project)) this.#addOut(order, { projectId, since: project.orderedAt });
      if (reports.length > 0) reported.set(projectId, { ...house, service, seen });
      if (isInspected && earlier?.known === 'address') later.push({ earlier: earlier.projectId, projectId, service });
    }
    this.#replaced = new Map(
      later
        .filter(({ earlier, service }) => reported.get(earlier)?.service === service)
        .map(({ earlier, projectId }) => [earlier, projectId]),
    );
    for (const [id, house] of reported) {
      if (!this.#replaced.has(id)) continue;
      this.#ranking.remove(house);
      takeBack(house.seen);
    }
  }

  #addOut(order: OrderPayload, out: Omit<ProjectOut, 'serviceName'>) {
    const house = houseKey(order);
    this.#out.set(house, [...this.#outAt(house), { ...out, serviceName: order.serviceName }]);
  }

  #outAt(house: string) {
    return this.#out.get(house) ?? [];
  }

  get levels() {
    return this.#ranking.counts;
  }

  async *[Symbol.asyncIterator]() {
    for await (const project of this.#input.projects()) {
      const { kept, ...surveyed } = surveyProject(project, this.#input, this.#decisions);
      const replacedBy = this.#replaced.get(project.projectId) ?? null;
      yield {
        ...surveyed,
        replacedBy,
        stillOut:
          surveyed.reports.length === 0
            ? []
            : this.#outAt(houseKey(project.order)).filter(
                ({ projectId, since, ended }) =>
                  projectId !== project.projectId && (!ended || Number(since) > Number(project.returnedAt)),
              ),
        level: replacedBy === null ? (kept ?? this.#ranking.levelOf(surveyed.points, surveyed.action)) : null,
      };
    }
  }
}

function surveyProject(
  project: ResultProject,
  { attention, overview: { today } }: ResultsInput,
  decisions: ReturnType<typeof decisionsByHouse>,
) {
  const { record, reports } = mergeReports(project.reports);
  const closedOut = closeoutReasonsOf(project.reports.map(closeoutFacts), project.status);
  const isLate = isOverdue(project, today);
  const judged = closedOut === null ? findingsOf(record, attention.rules, projectValues(project, isLate)) : [];
  const findings = sortFindings(
    project.order.isRenewal === false ? judged.map((finding) => forNewBusiness(finding, attention)) : judged,
  );
  const before = closedOut === null ? comparableRecord(project.earlier) : null;
  const deciding = decidingFinding(findings);
  return {
    project,
    record,
    /** The newest first. */
    reports,
    disagreements: disagreementsBetween(record, reports.length < 2 ? [] : reports.map((report) => report.record)),
    findings,
    points: sumPoints(findings),
    action: deciding?.action ?? null,
    actionReason: deciding?.reason ?? null,
    suggestion: deciding && suggestionSentence(deciding),
    /** Why it was closed out, if it was; then nothing is judged. */
    closedOut,
    changes: before === null ? [] : changesSince(project, before, record),
    isOverdue: isLate,
    isCompared: before !== null,
    riskChanges: worseFirst([
      ...changesInReport(findings, closedOut === null ? findingsOf(record, attention.improvements) : []),
      ...(before === null ? [] : riskChangesBetween(before, record, attention.rules)),
    ]),
    decidedBefore: decidedBefore(project, decisions),
    isInspected: record.values.size > 0 && closedOut === null,
    kept: closedOut === null && !project.isNew ? (project.waiting?.level ?? null) : null,
  };
}

/** By house: the decisions in force, the latest first. */
function decisionsByHouse({ decisions = [] }: ResultsInput) {
  return Map.groupBy(
    decisions.filter(({ isLatest, decision }) => isLatest && decision !== ''),
    ({ order }) => houseKey(order),
  );
}

/** The latest decision about another inspection of the house, for the same insured. This one is to be decided anyway. */
function decidedBefore({ projectId, order, decision }: ResultProject, decisions: ReturnType<typeof decisionsByHouse>) {
  if (decision?.decision) return null;
  const isAboutThis = (one: DecidedHouse) =>
    one.projectId !== projectId && comparableLetters(one.order.insuredName) === comparableLetters(order.insuredName);
  return decisions.get(houseKey(order))?.find(isAboutThis) ?? null;
}

/** Only a policy in force can be renewed or not. */
function forNewBusiness(finding: Finding, { newBusiness }: AttentionConfig) {
  return { ...finding, action: finding.action && (newBusiness[finding.action] ?? finding.action) };
}

/** An inspection of another kind does not look for everything that the earlier one listed. */
function changesSince({ order, earlier }: ResultProject, before: FlatRecord, now: FlatRecord) {
  const isSameService = order.serviceName === (earlier?.serviceName ?? order.serviceName);
  return changesBetween(before, now).filter((change) => isSameService || !Array.isArray(change.before));
}

function comparableRecord(earlier: EarlierReports | null) {
  if (earlier === null || closeoutReasonsOf(earlier.reports.map(closeoutFacts), '') !== null) return null;
  return mergeReports(earlier.reports).record;
}

function closeoutFacts({ type, summary }: ResultReport) {
  return { type, summary: summary?.summary };
}

const DONE = new Set(['Returned to Client', 'Client Received', 'Receive Error', 'Project Canceled']);

function projectValues({ order, status }: ResultProject, isLate: boolean) {
  return new Map<string, Leaf>([
    ['status', status],
    ['overdue', isLate],
    ['serviceName', order.serviceName],
    ['policyType', order.policyType],
    ['houseType', order.houseType],
    ['state', order.state],
  ]);
}

function isOverdue(project: ResultProject, today: string) {
  return project.order.dueDate !== undefined && project.order.dueDate < today && isOut(project);
}

function isOut({ status, returnedAt }: ResultProject) {
  return returnedAt === null && !DONE.has(status) && !isClosedOutStatus(status);
}
