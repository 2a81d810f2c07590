import type { NightFigures } from './delivery.ts';
import type { OrderPayload } from './row.ts';
/** The document names no initial status. */
export const STATUS_NOT_SEEN = 'not yet known';

/** The document mentions `closed out` only in passing, so its spelling is uncertain. */
export function isClosedOutStatus(status: string): boolean {
  return /\bclosed[\s_-]?out\b|^close[\s_-]?out$/i.test(status);
}

/** Why files of a project are not all here (docs/messages.md). */
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

export interface CollectionProblem {
  readonly code: ProblemCode;
  readonly text: string;
  /** The files, such as `image I1`. */
  readonly lacking?: readonly string[];
}

/** True if no file is outstanding. */
export function isSettledProblem(code: ProblemCode | null): boolean {
  return code === null || code === 'complete-but-lacking';
}

export interface ResultColumn {
  /** The list with its own sheet, such as `summary.interior.appliances[].recallData`; empty for the sheet Results. */
  readonly list: string;
  readonly path: string;
  /** The catalogue's attribute if `path` is below it by a key; otherwise null. */
  readonly keyedBy: string | null;
  readonly title: string;
  readonly group: string;
  readonly sheet: string;
}

/** On the sheet Attention; empty if left empty. */
export interface Decision {
  readonly decision: string;
  readonly by: string;
  readonly notes: string;
}

/** Begins the outcome of the latest decision on record about a house. */
export const IN_FORCE = 'In force';
/** A decision on record that was taken back. */
export const CLEARED = '(cleared)';

/** A decision on record about a house; a later one about it may have replaced it. */
export interface DecidedHouse extends Decision {
  readonly projectId: string;
  readonly order: OrderPayload;
  /** The project's status now. */
  readonly status: string;
  /** When it was taken in, epoch ms. */
  readonly at: number;
  readonly file: string;
  readonly isLatest: boolean;
  /** Why the house needed a look when it was decided; null if that is not on record. */
  readonly reasons: readonly string[] | null;
}

/** The words of a decision, unless `results.decisions` has others. */
export const DECISIONS = ['Accept', 'Re-inspect', 'Repair', 'Non-renew'];

export interface NightCounts {
  /** Epoch ms; null for the first delivery. */
  readonly since: number | null;
  readonly ordered: number;
  readonly returned: number;
  readonly collected: number;
  readonly wentBack: number;
  /** Accepted rows that replaced ones that had gone back. */
  readonly fixed: number;
  readonly changed: number;
  readonly canceled: number;
  readonly closedOut: number;
  readonly decided: number;
}

export type AttentionLevel = 'High' | 'Medium' | 'Low';

/** A house that a delivery asked to decide. */
export interface UndecidedHouse {
  readonly projectId: string;
  readonly level: AttentionLevel;
  readonly points: number;
  /** When it was first asked, epoch ms. */
  readonly since: number;
}

export interface HouseInBrief {
  readonly projectId: string;
  readonly property: string;
  readonly insuredName: string;
  readonly why: string;
}

export interface NightInNumbers extends NightCounts, Pick<NightFigures, 'high' | 'overdue'> {
  /** To decide first, also those of earlier nights. */
  readonly riskiest: readonly HouseInBrief[];
  /** Houses rated High without a decision, also those of earlier nights. */
  readonly undecided: number;
  /** Orders that a person decides. */
  readonly held: number;
  readonly longestOverdue: readonly HouseInBrief[];
  /** Since the last delivery, the first few. */
  readonly closeouts: readonly HouseInBrief[];
}
