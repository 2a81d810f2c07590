import type { StoredArtifact } from './artifacts.ts';

/** What came of asking for a project's files: nothing was offered, something of it did not come whole, or it will not come any more. */
export type FetchOutcome = 'nothing-offered' | 'incomplete' | 'ended';

/** How asking for a project's files went since its status last changed. */
export interface FetchRecord {
  readonly outcome: FetchOutcome;
  /** Tries that lay at least half a day apart: a run that is started again at once is no further night. */
  readonly nights: number;
  /** Milliseconds since the epoch, of the last try that counted as a night. */
  readonly lastNightAt: number;
}

/** A project that is still followed; `fetch` is null where its files were not asked for since its status last changed. */
export interface FollowedStatus extends ProjectRecord {
  readonly fetch: FetchRecord | null;
  /** A file of it that should be on disk is not there as recorded. */
  readonly hasLost: boolean;
}

/** A followed project as people know it. */
export interface WatchedProject {
  readonly project: FollowedStatus;
  /** The first of its orders. */
  readonly orderId: number;
  /** Street, city and state. */
  readonly property: string;
  /** `YYYY-MM-DD`, or null. */
  readonly dueDate: string | null;
}

/** How long projects were in a status, as far as the ledger saw it. Times in ms; medians over the latest few hundred. */
export interface UsualStay {
  readonly status: string;
  /** How many stays that ended the median is of. */
  readonly stays: number;
  readonly stayMs: number;
  /** From the beginning of the status to the return of the project; null where none was seen to return. */
  readonly toReturnMs: number | null;
}

/** An inspection that did not take place. */
export interface Closeout {
  readonly projectId: string;
  readonly orderId: number;
  readonly property: string;
  readonly status: string;
  /** In the service's words; empty where it gave none. */
  readonly reasons: readonly string[];
}

/** What a follow-up run notes besides statuses and files. */
export interface CollectBook {
  /**
   * Projects still to be followed, in order of id: all but those that were canceled, given up by a person, or received. A project that was
   * received before its files were here, or whose files are not as recorded any more, is followed until the service has answered that it does
   * not offer them any more.
   */
  followedProjects(): Promise<readonly FollowedStatus[]>;
  /** The same with their orders. */
  watchedProjects(): Promise<readonly WatchedProject[]>;
  /** Puts a try that did not bring everything on record, and tells how many nights that makes. */
  recordFetch(projectId: string, outcome: FetchOutcome): Promise<FetchRecord>;
  /** The service offers this version still: what is on record needs no second download in this return of the project. */
  confirmArtifact(artifact: { readonly projectId: string; readonly kind: string; readonly serviceId: string; readonly version: number }): Promise<void>;
  /** What a comparison of a stored file with the record found: what is wrong, or null. The next delivery shows what changed by that. */
  recordOnDisk(artifact: StoredArtifact, problem: string | null): Promise<void>;
  /** Null: its reports say nothing of a closeout (any more). */
  recordCloseout(projectId: string, reasons: readonly string[] | null): Promise<void>;
  /** The latest first: those that the next delivery shows for the first time, or all of projects that are still followed. */
  closeouts(which: 'new' | 'open'): Promise<readonly Closeout[]>;
  usualStays(): Promise<readonly UsualStay[]>;
  /** A person stops following a project. False where it was not followed. */
  giveUpProject(projectId: string, reason: string): Promise<boolean>;
  /** Takes that back. False where it was not given up. */
  followAgain(projectId: string): Promise<boolean>;
}

/** A project as the ledger follows it. */
export interface ProjectRecord {
  readonly id: string;
  readonly status: string;
  readonly statusAt: number;
  readonly inspectionCode: string | null;
  readonly inspectionLink: string | null;
  readonly firstSeenAt: number;
  readonly returnedAt: number | null;
  readonly collectedAt: number | null;
  /** Why its files are not all here yet, or null. */
  readonly problem: string | null;
}

/** The books as they stand: every project is in exactly one of these. */
export interface ProjectCounts {
  readonly outstanding: number;
  readonly returned: number;
  readonly collected: number;
  readonly received: number;
  readonly canceled: number;
  readonly failed: number;
}
