import { PROJECT_STATUSES } from '../contract/document.ts';
import type { Fleet, OnProgress, RunContext } from '../domain/ports.ts';
import {
  type CollectionProblem,
  isSettledProblem,
  NEXT_RUN_RETRIES,
  type ProblemCode,
  STATUS_NOT_SEEN,
} from '../domain/project.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, FetchRecord, FollowedStatus, ProjectRecord } from '../ledger/ledger.ts';
import type { ApiAccess } from '../service/reads.ts';

/** Other listed statuses have nothing to fetch; an unknown one may mean anything. */
const DELIVERABLE = new Set(['Returned to Client', 'Client Received', 'Receive Error']);
const NOTHING_YET = new Set([STATUS_NOT_SEEN, ...PROJECT_STATUSES.filter((status) => !DELIVERABLE.has(status))]);

const SELDOM_MS = 7 * 24 * 60 * 60 * 1000;
const SLACK_MS = 60 * 60 * 1000;

/** Every run checks this long whether the list of reports has grown. */
const RECHECK_MS = 3 * 24 * 60 * 60 * 1000;
const RECHECKS_MAX = 500;

type FetchNeed = Readonly<
  | { kind: 'nothing' }
  /** `promised`: the document says that there are files; otherwise only the answer shows it. */
  | { kind: 'fetch'; promised: boolean }
  | { kind: 'recheck' }
>;

type Known = Pick<FollowedStatus, 'status' | 'statusAt' | 'collectedAt' | 'problemCode' | 'fetch' | 'hasLost'>;

/** `recheckSince` (epoch ms): a person wants changes since then checked again. */
type PlanRules = Readonly<{
  now: number;
  retryNights: number;
  recheckSince?: number | undefined;
}>;

/**
 * An unlisted status such as `closed out` may have deliverables, and so may a project received before its files came:
 * the document ends the offer, but only the answer shows it.
 */
export function fetchNeed(project: Known, rules: PlanRules): FetchNeed {
  const { status, collectedAt, fetch } = project;
  const { now, retryNights } = rules;
  // In rework, the service may still offer the returned files.
  if (NOTHING_YET.has(status) && !(project.hasLost && collectedAt !== null)) return { kind: 'nothing' };
  if (collectedAt !== null) return needOfCollected(project, collectedAt, rules);
  const promised = status === 'Returned to Client';
  const isSeldom = !promised && fetch?.outcome === 'nothing-offered' && fetch.nights >= retryNights;
  return isSeldom && now - fetch.lastNightAt < SELDOM_MS - SLACK_MS ? { kind: 'nothing' } : { kind: 'fetch', promised };
}

function needOfCollected(
  { status, statusAt, problemCode, hasLost }: Known,
  collectedAt: number,
  { now, recheckSince }: PlanRules,
): FetchNeed {
  if (hasLost) return { kind: 'fetch', promised: true };
  if (status === 'Client Received') return { kind: 'nothing' };
  if (!isSettledProblem(problemCode) && problemCode !== 'project-not-known') return { kind: 'fetch', promised: true };
  const isWanted = recheckSince !== undefined && Math.max(statusAt, collectedAt) >= recheckSince;
  const isFresh = status === 'Returned to Client' && now - collectedAt <= RECHECK_MS + SLACK_MS;
  return { kind: isWanted || isFresh ? 'recheck' : 'nothing' };
}

export type CollectPlan = Readonly<ReturnType<typeof planCollect>>;

/** Limits the rechecks, unless a person asked for them (`recheckSince`). */
export function planCollect(followed: readonly FollowedStatus[], rules: PlanRules) {
  const needing = (kind: FetchNeed['kind']) => followed.filter((project) => fetchNeed(project, rules).kind === kind);
  const rechecks = needing('recheck').toSorted((a, b) => (b.collectedAt ?? 0) - (a.collectedAt ?? 0));
  return {
    waiting: needing('fetch'),
    rechecks: rules.recheckSince === undefined ? rechecks.slice(0, RECHECKS_MAX) : rechecks,
  };
}

export type MissingFile = Readonly<{
  name: string;
  what: string;
  /** Other parts are given up after enough nights. */
  isVital: boolean;
}>;

export type MissingFiles =
  /** `lost`: changed stored files. */
  Readonly<
    { kind: 'nothing-offered'; lost: readonly MissingFile[] } | { kind: 'incomplete'; lacks: readonly MissingFile[] }
  >;

type FetchVerdict = Readonly<{
  /** `complete`: only dispensable parts are missing; a note names them. */
  outcome: FetchRecord['outcome'] | 'complete';
  problem: CollectionProblem | null;
  isLeft: boolean;
  forPerson: boolean;
}>;

/**
 * After `retryNights`, runs still ask, but a person is informed, and dispensable parts become a note. Only the service
 * ends this, by listing nothing for a received project. `isWaived`: received without its files.
 */
export function judgeFetch(
  project: Pick<ProjectRecord, 'status'> & { readonly isWaived?: boolean },
  missing: MissingFiles,
  nights: number,
  retryNights: number,
): FetchVerdict {
  const isReceived = project.status === 'Client Received';
  const over = (outcome: FetchVerdict['outcome'], problem: FetchVerdict['problem'], forPerson = true) => ({
    outcome,
    problem,
    isLeft: false,
    forPerson,
  });
  if (isReceived && project.isWaived === true) return over('ended', null, false);
  const isRetried = nights < retryNights;
  const nightly = isRetried ? NEXT_RUN_RETRIES : sentence('files-incomplete/nights', { nights });
  if (missing.kind === 'incomplete') {
    const { lacks } = missing;
    if (!isRetried && !lacks.some(({ isVital }) => isVital)) return over('complete', noteOnMissing(lacks));
    return {
      outcome: isReceived && !isRetried ? 'ended' : 'incomplete',
      problem: problemOf('files-incomplete', nightly, lacks),
      isLeft: isRetried,
      forPerson: !isRetried,
    };
  }
  const { kind: outcome, lost } = missing;
  const lostFiles = (ending: string) => (lost.length === 0 ? null : problemOf('stored-files-lost', ending, lost));
  if (isReceived) return over('ended', lostFiles(sentence('stored-files-lost')) ?? problemOf('received-elsewhere'));
  if (project.status === 'Returned to Client') {
    const problem = lostFiles(nightly) ?? problemOf('no-report-yet', sentence('no-report-yet', { nightly }));
    return { outcome, problem, isLeft: isRetried, forPerson: !isRetried };
  }
  return over(outcome, lostFiles(''), false);
}

function problemOf(code: ProblemCode, ending = sentence(code), files: readonly MissingFile[] = []) {
  const text = [...files.map(({ what }) => what), ending].join(' ').trim();
  return { code, text, lacking: files.map(({ name }) => name) };
}

export function noteOnMissing(files: readonly MissingFile[]) {
  const { text, ...problem } = problemOf('complete-but-lacking', '', files);
  return { ...problem, text: sentence('complete-but-lacking', { text }) };
}

/**
 * The note on a complete project after a recheck that found no other file missing; null: unchanged.
 * Stored files stay if the service lists nothing.
 */
export function noteAfterRecheck(
  { collectedAt, problemCode, lacking }: Pick<ProjectRecord, 'collectedAt' | 'problemCode' | 'lacking'>,
  missing: MissingFiles,
) {
  if (collectedAt === null || !isSettledProblem(problemCode)) return null;
  if (missing.kind === 'nothing-offered') return missing.lost.length === 0 ? { note: null } : null;
  return missing.lacks.every(({ name, isVital }) => !isVital && lacking.includes(name))
    ? { note: noteOnMissing(missing.lacks) }
    : null;
}

export type CollectContext = ApiAccess &
  RunContext &
  Readonly<{
    ledger: Ledger;
    /** Paths in the ledger are relative to it. */
    root: string;
    /** The folder of downloaded files: absolute, inside `root`. */
    store: string;
    images: 'all' | 'referenced' | 'none';
    reports?: 'full' | 'compressed';
    retryNights: number;
    /** Default: the last nights. */
    recheckSince?: number | undefined;
    onlyProjects?: ReadonlySet<string>;
    maxConcurrency: number;
    onProgress: OnProgress;
    fleet?: Fleet | undefined;
  }>;
