import type { NightFigures } from './delivery.ts';
import type { OrderPayload } from './row.ts';
/** The document names no initial status. */
export const STATUS_NOT_SEEN = 'not yet known';

/** The document mentions `closed out` only in passing, so its spelling is uncertain. */
export function isClosedOutStatus(status: string) {
  return /\bclosed[\s_-]?out\b|^close[\s_-]?out$/i.test(status);
}

/** Why a project lacks files (docs/messages.md). */
export type ProblemCode =
  | 'complete-but-lacking'
  | 'earlier-version'
  | 'fetch-failed'
  | 'files-incomplete'
  | 'no-report-yet'
  | 'project-not-known'
  | 'received-elsewhere'
  | 'status-not-readable'
  | 'stored-files-lost';

export type CollectionProblem = Readonly<{
  code: ProblemCode;
  text: string;
  /** The missing files, such as `image I1`. */
  lacking?: readonly string[];
}>;

/** Ends the problem of a project that needs no person yet. */
export const NEXT_RUN_RETRIES = 'The next run tries again.';

/** True if no file is outstanding. */
export function isSettledProblem(code: ProblemCode | null) {
  return code === null || code === 'complete-but-lacking';
}

export type ResultColumn = Readonly<{
  /** The list with its own sheet, such as `summary.interior.appliances[].recallData`; empty for the sheet Results. */
  list: string;
  path: string;
  /** The path of the map if `path` is one key of a map; otherwise null. */
  keyedBy: string | null;
  title: string;
  group: string;
  sheet: string;
}>;

/** On the sheet Attention; empty if left empty. */
export type Decision = Readonly<{ decision: string; by: string; notes: string }>;

/** Begins the outcome of the latest decision on record about a house. */
export const IN_FORCE = 'Current';

/** Also as earlier versions wrote it. */
export function isInForce(outcome: string) {
  return /^(?:Current|In force)/.test(outcome);
}

export const CLEARED = '(cleared)';

/** A decision on record about a house; a later one about it may have replaced it. */
export type DecidedHouse = Decision &
  Readonly<{
    projectId: string;
    order: OrderPayload;
    status: string;
    /** When it was taken in, epoch ms. */
    at: number;
    file: string;
    isLatest: boolean;
    /** When it was decided; null if that is not on record. */
    reasons: readonly string[] | null;
  }>;

/** The words of a decision, unless `results.decisions` has others. */
export const DECISIONS = ['Accept', 'Re-inspect', 'Repair', 'Non-renew', 'Decline or cancel'];

export type NightCounts = Readonly<{
  /** Null for the first delivery. */
  since: number | null;
  ordered: number;
  returned: number;
  collected: number;
  wentBack: number;
  /** Accepted rows that replaced ones that had gone back. */
  fixed: number;
  changed: number;
  canceled: number;
  closedOut: number;
  decided: number;
}>;

export type AttentionLevel = 'High' | 'Medium' | 'Low';

export type UndecidedHouse = Readonly<{
  projectId: string;
  level: AttentionLevel;
  points: number;
  /** When it was first asked, epoch ms. */
  since: number;
}>;

export type HouseInBrief = Readonly<{ projectId: string; property: string; insuredName: string; why: string }>;

export type NightInNumbers = NightCounts &
  Pick<NightFigures, 'high' | 'overdue'> &
  Readonly<{
    /** To decide first, also those of earlier nights. */
    riskiest: readonly HouseInBrief[];
    /** Houses rated High without a decision, also those of earlier nights. */
    undecided: number;
    held: number;
    longestOverdue: readonly HouseInBrief[];
    /** Rows that were not ordered although their due date has passed, by agent. */
    pastDueRows: readonly Readonly<{ name: string; count: number }>[];
    /** Canceled or closed out since the last delivery, the first few. */
    closeouts: readonly HouseInBrief[];
  }>;
