import type { ReportSummary } from '../contract/document.ts';
import { closeoutReasonsOf } from '../domain/closeout.ts';
import { type Decision, isClosedOut, type ResultColumn } from '../domain/project.ts';
import type { OrderPayload, Repair } from '../domain/row.ts';
import {
  type AttentionLevel,
  decidingFinding,
  type Finding,
  findingsOf,
  pointsIn,
  type ProjectValues,
  type RankedHouse,
  Ranking,
  suggestionOf,
} from './attention/judge.ts';
import type { Action, Attention } from './attention/rules.ts';
import { type Change, changesBetween, type Disagreement, disagreementsBetween } from './changes.ts';
import type { ColumnChoice } from './column-choice.ts';
import { type FlatRecord, type Leaf, mergeReports, type ReadReport } from './flatten.ts';

/** Times are milliseconds since the UNIX epoch; paths are relative to the delivery folder, with forward slashes. */
type EpochMs = number;

/** Where a row stood when it was dropped. */
export interface SourcePlace {
  readonly file: string;
  readonly sheet: string;
  readonly rowNumber: number;
}

export interface ResultReport {
  readonly id: string;
  readonly type: string;
  /** The report's file in the delivery, or null when there is none. */
  readonly path: string | null;
  readonly summary: ReportSummary | null;
}

export interface ResultPhoto {
  readonly id: string;
  /** The photo in the delivery. */
  readonly path: string;
  /** What the service said of it, such as `Front Elevation`. */
  readonly description?: string;
  /** Makes a JPEG of THUMBNAIL's size; null where it cannot be made. */
  readonly thumbnail?: () => Promise<Uint8Array | null>;
}

/** In pixels. */
export const THUMBNAIL = { width: 160, height: 120 } as const;

/** A project as the ledger and its artifacts know it. */
export interface ResultProject {
  readonly projectId: string;
  readonly order: OrderPayload;
  /** The service's word, listed in the document or not. */
  readonly status: string;
  readonly statusAt: EpochMs | null;
  readonly orderedAt: EpochMs | null;
  readonly returnedAt: EpochMs | null;
  readonly collectedAt: EpochMs | null;
  /** True where the order was tied to a project that already existed. */
  readonly linked: boolean;
  readonly source: SourcePlace | null;
  /** As the service lists them. */
  readonly reports: readonly ResultReport[];
  /** The folder of photos, or the first photo. */
  readonly photosPath: string | null;
  readonly photoCount: number;
  readonly photos: readonly ResultPhoto[];
  /** What went wrong with it, in words, such as a broken report that the next run fetches again. */
  readonly problems: readonly string[];
  /** The previous reports; null where there are none. */
  readonly earlier: EarlierReports | null;
  /** Whether a report of it came after the last delivery of results: no workbook before this one has shown it. */
  readonly isNew: boolean;
  /** What an underwriter decided; null where nobody did. */
  readonly decision: Decision | null;
}

/** The reports on the same house that came before. */
export interface EarlierReports {
  /** The project they are of: another one, or the same for reports that were replaced. */
  readonly projectId: string;
  /** When they were safe on disk. */
  readonly at: EpochMs;
  /** How they are known to belong together. */
  readonly known: 'address' | 'policy' | 'version';
  readonly reports: readonly ResultReport[];
}

/**
 * A row that led to no project of its own. Rejections, refusals and what is held come every night until they are fixed, dropped again, dismissed
 * or resolved; duplicates and orders that somebody gave up once.
 */
export interface NotOrderedRow {
  readonly kind: 'rejection' | 'refusal' | 'duplicate' | 'held' | 'given up';
  /** When it went back, or was held; of one that is not open, when its file came. */
  readonly openSince: EpochMs;
  /** The sender whose folder the file came in; null where nobody was named. */
  readonly sender: string | null;
  /** The corrections workbook that holds it, relative to the workspace; null where none does. */
  readonly corrections: string | null;
  /** Whether no delivery of results before this one has shown it as it is. */
  readonly isNew: boolean;
  readonly file: string;
  readonly sheet: string;
  readonly rowNumber: number;
  readonly policyNumber: string;
  readonly inspectionNumber: string;
  readonly insuredName: string;
  readonly streetAddress: string;
  /** The agent that the row names, if it does. */
  readonly agentName?: string | undefined;
  readonly reasons: readonly string[];
  /** The project a duplicate stands for, where it is known. */
  readonly projectId: string | null;
}

/** Whether a row waits for somebody. */
export function isOpen({ kind }: NotOrderedRow): boolean {
  return kind !== 'duplicate' && kind !== 'given up';
}

/** What has happened since the last delivery of results. Houses that changed are not counted here: `JudgedProject.changes` of those that are new tells them. */
export interface NightOverview {
  /** When that delivery was published; null where this is the first. */
  readonly since: EpochMs | null;
  /** Projects that were ordered, or tied to a row because they stood there. */
  readonly ordered: number;
  /** Projects that the service returned. */
  readonly returned: number;
  /** Projects whose reports were collected. */
  readonly collected: number;
  /** Rows that went back to their senders. */
  readonly wentBack: number;
  /** Rows that had gone back and came again, fixed. */
  readonly fixed: number;
  /** Rows that came again after they were ordered, with other details. */
  readonly changed: number;
  /** Projects canceled by somebody else than us. */
  readonly canceled: number;
  /** Projects closed out without an inspection. */
  readonly closedOut: number;
  /** Projects with a new decision. */
  readonly decided: number;
}

/** Projects that came to their end without an inspection, for one reason. */
export interface EndedProjects {
  readonly kind: 'canceled' | 'closed out';
  /** In the service's words; a sentence of ours where it gave none. */
  readonly reason: string;
  readonly projects: readonly { readonly projectId: string; readonly order: OrderPayload; readonly at: EpochMs }[];
}

/** Projects that are not back though their due date is over, the longest overdue first; they need not stand in memory. */
export type OverdueProjects = { readonly length: number } & (Iterable<OverdueProject> | AsyncIterable<OverdueProject>);

export interface OverdueProject {
  readonly projectId: string;
  readonly order: OrderPayload;
  /** `YYYY-MM-DD`. */
  readonly dueDate: string;
  readonly status: string;
  readonly statusAt: EpochMs;
  readonly why: string;
}

export interface ResultsOverview {
  /** The local day, `YYYY-MM-DD`: a due date before it is over. */
  readonly today: string;
  /** The night apart from the totals. */
  readonly night: NightOverview;
  /** What the service canceled or closed out since the last delivery of results, told once: the most projects first. */
  readonly ended: readonly EndedProjects[];
  /** All that was closed out and that nobody has dealt with, new or not. */
  readonly closedOut: readonly EndedProjects[];
  /** How many rows are open, new or not: they went back, or are held. */
  readonly openRows: number;
  /** From rows to received, over all that is on record: each count is part of the one before. */
  readonly stages: readonly { readonly name: string; readonly count: number }[];
  readonly byStatus: readonly { readonly status: string; readonly count: number }[];
  /** How old the outstanding projects are: `under 3 days`, `3 to 7 days`, … in the order to show. */
  readonly outstandingByAge: readonly { readonly age: string; readonly count: number }[];
  /** The files of this run. */
  readonly files: readonly {
    readonly file: string;
    readonly outcome: string;
    readonly read: number;
    readonly accepted: number;
    readonly rejected: number;
  }[];
  /** All there are, whatever the workbook shows. */
  readonly overdue: OverdueProjects;
  /** Held and unresolved orders, held files: what a person must do, and the command for it. */
  readonly needsPerson: readonly { readonly title: string; readonly detail: string; readonly command: string }[];
}

export interface ResultsInput {
  readonly run: string;
  readonly writtenAt: EpochMs;
  /** Called twice; each call starts from the first project, in the same order. */
  readonly projects: () => AsyncIterable<ResultProject>;
  readonly notOrdered: () => AsyncIterable<NotOrderedRow>;
  readonly overview: ResultsOverview;
  /** The columns that earlier workbooks had, in their order. */
  readonly earlierColumns: readonly ResultColumn[];
  /** Which columns are shown; null: all. */
  readonly columns: ColumnChoice | null;
  /** How many thumbnails a project may have on the sheet Photos, and how many there may be in all. */
  readonly thumbnails: { readonly perProject: number; readonly inAll: number };
  /** What makes a house ask for attention. */
  readonly attention: Attention;
  /** What whoever opens it must know first. */
  readonly notice?: string | undefined;
}

/** An order as a submission run left it. */
export interface OrderLine {
  readonly state: 'created' | 'linked' | 'skipped' | 'refused' | 'unresolved' | 'waiting' | 'held';
  /** Why it stands so, in words; null where there is nothing to say. */
  readonly reason: string | null;
  readonly projectId: string | null;
  readonly source: SourcePlace;
  readonly order: OrderPayload;
  readonly repairs: readonly Repair[];
  /** For self-inspections: what somebody must send to the insured. */
  readonly inspectionCode: string | null;
  readonly inspectionLink: string | null;
}

export interface OrdersInput {
  readonly run: string;
  readonly writtenAt: EpochMs;
  readonly notice?: string | undefined;
  readonly orders: () => AsyncIterable<OrderLine>;
}

/** A project of the delivery, its reports made one, and what the attention rules find in it. */
export interface SurveyedProject {
  readonly project: ResultProject;
  readonly record: FlatRecord;
  /** Each with its own values, the newest first. */
  readonly reports: readonly ReadReport<ResultReport>[];
  /** On what they disagree. */
  readonly disagreements: readonly Disagreement[];
  /** What the attention rules find in it, the heaviest first. */
  readonly findings: readonly Finding[];
  /** Attention points, a whole number: in each category the heaviest finding in full, the others a tenth. */
  readonly points: number;
  /** What the rules suggest; null where they suggest nothing. */
  readonly action: Action | null;
  /** The reason of the finding that suggests it. */
  readonly actionReason: string | null;
  /** Both in words: `non-renew, because vacant`. */
  readonly suggestion: string | null;
  /** Why the inspection was closed out, where it was: there is nothing to judge then. Null where it was not. */
  readonly closedOut: readonly string[] | null;
  /** What differs from the previous reports. */
  readonly changes: readonly Change[];
  /** The project of a later inspection of the same house by the same service, where this delivery shows one: that one counts. Null during the survey. */
  readonly replacedBy: string | null;
}

/** The same beside all the others: what workbook, page and formats are written from. Its findings stand in the order to tell them. */
export interface JudgedProject extends SurveyedProject {
  /** Null where the house is not worth a line on Attention. */
  readonly level: AttentionLevel | null;
}

type Verdict = Omit<SurveyedProject, 'replacedBy'> & {
  readonly isInspected: boolean;
};

/**
 * Every project of the delivery, judged: first `survey`, which puts all of them beside each other, then the walks. Each walk makes the records anew and judges them
 * again: of a million projects neither they nor what was found in them fits into memory.
 */
export class JudgedProjects implements AsyncIterable<JudgedProject> {
  readonly #input: ResultsInput;
  readonly #ranking: Ranking;
  /** The later project of each that another one takes the place of. */
  #replaced: ReadonlyMap<string, string> = new Map();

  constructor(input: ResultsInput) {
    this.#input = input;
    this.#ranking = new Ranking(input.attention.levels);
  }

  /** Judges each project, shows it to `see`, and then puts all of them beside each other. `takeBack` gets what `see` made of those whose place another one takes. */
  async survey<Seen>(see: (surveyed: SurveyedProject) => Seen, takeBack: (seen: Seen) => void): Promise<void> {
    // One without a report is nobody's earlier inspection.
    const reported = new Map<string, RankedHouse & { readonly service: string; readonly seen: Seen }>();
    const later: { readonly earlier: string; readonly projectId: string; readonly service: string }[] = [];
    for await (const project of this.#input.projects()) {
      const { isInspected, ...surveyed } = this.#surveyed(project);
      const { findings, points, reports } = surveyed;
      const seen = see({ ...surveyed, replacedBy: null });
      const house = {
        points,
        rules: findings.map(({ rule }) => rule),
        isInspected,
      };
      this.#ranking.add(house);
      const {
        projectId,
        order: { serviceName: service },
        earlier,
      } = project;
      if (reports.length > 0) reported.set(projectId, { ...house, service, seen });
      if (earlier?.known === 'address') later.push({ earlier: earlier.projectId, projectId, service });
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

  /** The project that takes the place of another; null where none does, or before `survey`. */
  replacementOf(projectId: string): string | null {
    return this.#replaced.get(projectId) ?? null;
  }

  /** How many projects have each level. */
  get levels(): Readonly<Record<AttentionLevel, number>> {
    return this.#ranking.counts;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JudgedProject> {
    for await (const project of this.#input.projects()) {
      const { isInspected: _isInspected, ...surveyed } = this.#surveyed(project);
      const replacedBy = this.replacementOf(project.projectId);
      yield {
        ...surveyed,
        findings: this.#ranking.inOrder(surveyed.findings),
        replacedBy,
        level: replacedBy === null ? this.#ranking.levelOf(surveyed.points) : null,
      };
    }
  }

  #surveyed(project: ResultProject): Verdict {
    const { record, reports } = mergeReports(project.reports);
    const {
      attention,
      overview: { today },
    } = this.#input;
    const closedOut = closeoutReasonsOf(
      project.reports.map(({ type, summary }) => ({ type, summary: summary?.summary })),
      project.status,
    );
    const findings = closedOut === null ? findingsOf(record, attention.rules, projectValues(project, today)) : [];
    const changes =
      project.earlier === null ? [] : changesBetween(mergeReports(project.earlier.reports).record, record);
    const deciding = decidingFinding(findings);
    return {
      project,
      record,
      reports,
      disagreements:
        reports.length < 2
          ? []
          : disagreementsBetween(
              record,
              reports.map((report) => report.record),
            ),
      findings,
      points: pointsIn(findings),
      action: deciding?.action ?? null,
      actionReason: deciding?.reason ?? null,
      suggestion: deciding === null ? null : suggestionOf(deciding),
      closedOut,
      changes,
      isInspected: record.values.size > 0 && closedOut === null,
    };
  }
}

/** Statuses after which a due date no longer matters. */
const DONE: ReadonlySet<string> = new Set([
  'Returned to Client',
  'Client Received',
  'Receive Error',
  'Project Canceled',
]);

/** What a rule may ask about an order and its project. */
function projectValues(project: ResultProject, today: string): ProjectValues {
  const { order, status } = project;
  return new Map<string, Leaf>([
    ['status', status],
    ['overdue', isOverdue(project, today)],
    ['serviceName', order.serviceName],
    ['policyType', order.policyType],
    ['houseType', order.houseType],
    ['state', order.state],
  ]);
}

/** The due date has passed, and the project is not at its end. */
function isOverdue(
  { order, status, returnedAt }: Pick<ResultProject, 'order' | 'status' | 'returnedAt'>,
  today: string,
): boolean {
  return (
    order.dueDate !== undefined &&
    returnedAt === null &&
    !DONE.has(status) &&
    !isClosedOut(status) &&
    order.dueDate < today
  );
}
