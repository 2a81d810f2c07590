import { PROJECT_STATUSES } from '../contract/document.ts';
import type { Fleet, OnProgress, RunContext } from '../domain/ports.ts';
import { completeBut, holdsNothingUp, isCompleteBut, PROJECT_NOT_KNOWN, STATUS_NOT_SEEN } from '../domain/project.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { FetchRecord, FollowedStatus, ProjectRecord } from '../ledger/projects.ts';
import type { ServiceClient } from '../service/client.ts';
import type { RetryBudget } from '../service/retry.ts';

/** Before these statuses end there is nothing to fetch; listed ones only: an unknown status may mean anything (READING 9). */
const DELIVERABLE: ReadonlySet<string> = new Set(['Returned to Client', 'Client Received', 'Receive Error']);
const NOTHING_YET: ReadonlySet<string> = new Set([
  STATUS_NOT_SEEN,
  ...PROJECT_STATUSES.filter((status) => !DELIVERABLE.has(status)),
]);

/** Files that nobody promised, and that did not come for `patienceNights`, are asked for this seldom. */
const SELDOM_MS = 7 * 24 * 60 * 60 * 1000;
/** Runs do not begin at the same second each night. */
const SLACK_MS = 60 * 60 * 1000;

/** For this long after a project's files were fetched, every run checks whether its list of reports has grown. */
const RECHECK_MS = 3 * 24 * 60 * 60 * 1000;
/** At most this many such checks a run, the latest first: each costs a request. */
const RECHECKS_MAX = 500;

/** What a project needs from a follow-up run, by its status. */
export type Need =
  | { readonly kind: 'nothing' }
  /** `promised`: the document promises deliverables; otherwise they may be there, and only the service's answer tells. */
  | { readonly kind: 'fetch'; readonly promised: boolean }
  /** Its files are here; the service may list others by now. */
  | { readonly kind: 'recheck' };

/** What `needOf` goes by. */
type Known = Pick<FollowedStatus, 'status' | 'statusAt' | 'collectedAt' | 'problem' | 'fetch' | 'hasLost'>;

/** `recheckSince`: a person wants what changed since then checked again, however long ago it was collected. */
export interface PlanRules {
  readonly now: number;
  readonly patienceNights: number;
  readonly recheckSince?: number | undefined;
}

/**
 * Decides what to fetch: `Returned to Client` promises deliverables. An unlisted status such as `closed out` may have some, and so may a
 * project that was received before its files were here: the document ends the offer, but nobody knows before asking.
 */
export function needOf(project: Known, rules: PlanRules): Need {
  const { status, collectedAt, fetch } = project;
  const { now, patienceNights } = rules;
  // In rework, the service may still offer what was returned.
  if (NOTHING_YET.has(status) && !(project.hasLost && collectedAt !== null)) return { kind: 'nothing' };
  if (collectedAt !== null) return needOfCollected(project, collectedAt, rules);
  const promised = status === 'Returned to Client';
  const isSeldom = !promised && fetch?.outcome === 'nothing-offered' && fetch.nights >= patienceNights;
  return isSeldom && now - fetch.lastNightAt < SELDOM_MS - SLACK_MS ? { kind: 'nothing' } : { kind: 'fetch', promised };
}

function needOfCollected(
  { status, statusAt, problem, hasLost }: Known,
  collectedAt: number,
  { now, recheckSince }: PlanRules,
): Need {
  if (hasLost) return { kind: 'fetch', promised: true };
  if (status === 'Client Received') return { kind: 'nothing' };
  // A later check found something that did not come.
  if (!holdsNothingUp(problem) && problem !== PROJECT_NOT_KNOWN) return { kind: 'fetch', promised: true };
  const isWanted = recheckSince !== undefined && Math.max(statusAt, collectedAt) >= recheckSince;
  const isFresh = status === 'Returned to Client' && now - collectedAt <= RECHECK_MS + SLACK_MS;
  return { kind: isWanted || isFresh ? 'recheck' : 'nothing' };
}

/** What a follow-up run asks for once the statuses are seen. */
export interface CollectPlan {
  readonly waiting: readonly FollowedStatus[];
  /** A request each, where nothing is new. */
  readonly rechecks: readonly FollowedStatus[];
}

/** Sorts followed projects by what they need. Checks that the run makes by itself are limited; those that a person asked for are not. */
export function planCollect(followed: readonly FollowedStatus[], rules: PlanRules): CollectPlan {
  const needing = (kind: Need['kind']): readonly FollowedStatus[] =>
    followed.filter((project) => needOf(project, rules).kind === kind);
  const rechecks = needing('recheck').toSorted((a, b) => (b.collectedAt ?? 0) - (a.collectedAt ?? 0));
  return {
    waiting: needing('fetch'),
    rechecks: rules.recheckSince === undefined ? rechecks.slice(0, RECHECKS_MAX) : rechecks,
  };
}

/** Something that is listed and did not come. */
export interface Lack {
  /** A sentence. */
  readonly what: string;
  /** Without it a project is never complete. Anything else is done without, once it was asked for in enough nights. */
  readonly isVital: boolean;
}

/** What became of asking for a project's files, where they are not all here. */
export type Missing =
  /** No report was listed; `lost` are sentences on what was here and is not as recorded any more. */
  | { readonly kind: 'nothing-offered'; readonly lost: readonly string[] }
  /** Something is listed that did not come whole. */
  | { readonly kind: 'incomplete'; readonly lacks: readonly Lack[] };

/** What follows from that. */
export interface Verdict {
  /** `complete`: what lacks can be done without, and the problem is a note of that. */
  readonly outcome: FetchRecord['outcome'] | 'complete';
  /** What a person reads; null where there is nothing to say. */
  readonly problem: string | null;
  /** The next run should go on with it: work is left. */
  readonly isLeft: boolean;
  /** A person should look at it: waiting longer is not likely to help. */
  readonly forPerson: boolean;
}

/**
 * What follows when files did not come, after they were asked for in this many nights. For `patienceNights` they are left for the next run.
 * From then on they are still asked for, but a person is told, and what the project can do without becomes a note that holds nothing up. Only
 * the service itself ends the asking, by listing nothing for a project that it calls received. `isWaived`: a person received the project here
 * and said that its files are not wanted.
 */
export function verdictOn(
  project: Pick<ProjectRecord, 'status'> & { readonly isWaived?: boolean },
  missing: Missing,
  nights: number,
  patienceNights: number,
): Verdict {
  const isReceived = project.status === 'Client Received';
  if (isReceived && project.isWaived === true)
    return { outcome: 'ended', problem: null, isLeft: false, forPerson: false };
  const isPatient = nights < patienceNights;
  const nightly = isPatient
    ? 'The next run tries again.'
    : `It was asked for in ${nights} nights, and still is: ask the service for it, or give the project up.`;
  if (missing.kind === 'incomplete') {
    const lacking = missing.lacks.map(({ what }) => what);
    if (!isPatient && !missing.lacks.some(({ isVital }) => isVital))
      return { outcome: 'complete', problem: completeBut(lacking), isLeft: false, forPerson: true };
    return {
      outcome: isReceived && !isPatient ? 'ended' : 'incomplete',
      problem: `${lacking.join(' ')} ${nightly}`,
      isLeft: isPatient,
      forPerson: !isPatient,
    };
  }
  const lost = missing.lost.join(' ');
  if (isReceived)
    return {
      outcome: 'ended',
      problem: lost === '' ? RECEIVED_ELSEWHERE : `${lost} ${LOST_FOR_GOOD}`,
      isLeft: false,
      forPerson: true,
    };
  if (project.status === 'Returned to Client') {
    const what = lost === '' ? 'The project is returned, but the service offers no report yet.' : lost;
    return { outcome: 'nothing-offered', problem: `${what} ${nightly}`, isLeft: isPatient, forPerson: !isPatient };
  }
  return { outcome: 'nothing-offered', problem: lost === '' ? null : lost, isLeft: false, forPerson: false };
}

/**
 * The note that a collected project keeps when a later check misses nothing beyond it; null where more is missing. What is here stays, even if
 * the service lists nothing any more.
 */
export function noteThatStands(
  { collectedAt, problem }: Pick<ProjectRecord, 'collectedAt' | 'problem'>,
  missing: Missing,
): { readonly note: string | null } | null {
  if (collectedAt === null || !holdsNothingUp(problem)) return null;
  if (missing.kind === 'nothing-offered') return missing.lost.length === 0 ? { note: problem } : null;
  const lacking = missing.lacks.map(({ what }) => what);
  return isCompleteBut(problem) && lacking.every((what) => problem?.includes(what))
    ? { note: completeBut(lacking) }
    : null;
}

const LOST_FOR_GOOD =
  'The project is received, and the service offers its files no more: an earlier delivery may hold it, or ask the service.';
const RECEIVED_ELSEWHERE =
  'It was marked as received before its files were fetched here, and the service offers them no more: take them from where it was received, or ask the service.';

/** What a follow-up run is given. */
export interface CollectContext extends RunContext {
  readonly ledger: Ledger;
  readonly client: ServiceClient;
  /** What the repeats of all reads draw on together. */
  readonly retryBudget?: RetryBudget | undefined;
  /** The workspace's root: paths in the ledger are relative to it. */
  readonly root: string;
  /** Where verified files are kept, an absolute path inside the root. */
  readonly store: string;
  readonly images: 'all' | 'referenced' | 'none';
  /** Which of a report's files, where there are two; the full one by default. */
  readonly reports?: 'full' | 'compressed' | undefined;
  /** For so many nights files that do not come are left for the next run; from then on a person is told. */
  readonly patienceNights: number;
  /** Collected projects that changed since then (ms since the epoch) are listed again, however long ago; by default only those of the last nights. */
  readonly recheckSince?: number | undefined;
  /** Of all projects that are followed, only these; each of them is listed again. */
  readonly onlyProjects?: ReadonlySet<string> | undefined;
  readonly maxConcurrency: number;
  readonly onProgress: OnProgress;
  /** Left out where this host works alone. */
  readonly fleet?: Fleet | undefined;
}
