import { PROJECT_STATUSES } from '../contract/status.ts';
import { STATUS_NOT_SEEN } from '../domain/project-status.ts';
import type { FetchRecord } from '../ledger/collect-book.ts';
import type { ProjectRecord } from '../ledger/ledger.ts';

/** Before these statuses end there is nothing to fetch; listed ones only: an unknown status may mean anything (READING 9). */
const DELIVERABLE: ReadonlySet<string> = new Set(['Returned to Client', 'Client Received', 'Receive Error']);
const NOTHING_YET: ReadonlySet<string> = new Set([STATUS_NOT_SEEN, ...PROJECT_STATUSES.filter((status) => !DELIVERABLE.has(status))]);

/** Where nothing is promised and nothing came in so many nights, it is asked for seldom. */
const SELDOM_MS = 7 * 24 * 60 * 60 * 1000;
/** Runs do not begin at the same second each night. */
const SLACK_MS = 60 * 60 * 1000;

/** What a project needs from a follow-up run, by its status. */
export type Need =
  | { readonly kind: 'nothing' }
  /** `promised`: the document promises deliverables; otherwise they may be there, and only the service's answer tells. */
  | { readonly kind: 'fetch'; readonly promised: boolean };

/**
 * Decides what to fetch: `Returned to Client` promises deliverables. An unlisted status such as `closed out` may have some, and so may a
 * project that was received before its files were here: the document ends the offer, but nobody knows before asking.
 */
export function needOf(project: Pick<ProjectRecord, 'status' | 'collectedAt'> & { readonly fetch: FetchRecord | null }, now: number, patienceNights: number): Need {
  const { status, collectedAt, fetch } = project;
  if (collectedAt !== null || NOTHING_YET.has(status)) return { kind: 'nothing' };
  const promised = status === 'Returned to Client';
  const isSeldom = !promised && fetch?.outcome === 'nothing-offered' && fetch.nights >= patienceNights;
  return isSeldom && now - fetch.lastNightAt < SELDOM_MS - SLACK_MS ? { kind: 'nothing' } : { kind: 'fetch', promised };
}

/** What became of asking for a project's files, where they are not all here. */
export type Missing =
  /** No report was listed. */
  | { readonly kind: 'nothing-offered' }
  /** Something is listed that did not come whole; in words. */
  | { readonly kind: 'incomplete'; readonly problem: string };

/** What follows from that. */
export interface Verdict {
  readonly outcome: FetchRecord['outcome'];
  /** What a person reads; null where there is nothing to say. */
  readonly problem: string | null;
  /** The next run should go on with it: work is left. */
  readonly isLeft: boolean;
  /** A person should look at it: waiting longer is not likely to help. */
  readonly forPerson: boolean;
}

/**
 * What to make of files that did not come, in the so-manieth night in which they were asked for. For `patienceNights` they are left for the
 * next run; from then on they are still asked for, but a person is told. Only the service's own answer ends the asking: nothing listed for a
 * project that it calls received.
 */
export function verdictOn(project: Pick<ProjectRecord, 'status'>, missing: Missing, nights: number, patienceNights: number): Verdict {
  const isReceived = project.status === 'Client Received';
  const isPatient = nights < patienceNights;
  const nightly = isPatient ? 'The next run tries again.' : `It was asked for in ${nights} nights, and still is: ask the service for it, or give the project up.`;
  if (missing.kind === 'incomplete') {
    return { outcome: isReceived && !isPatient ? 'ended' : 'incomplete', problem: `${missing.problem} ${nightly}`, isLeft: isPatient, forPerson: !isPatient };
  }
  if (isReceived) return { outcome: 'ended', problem: RECEIVED_ELSEWHERE, isLeft: false, forPerson: true };
  if (project.status === 'Returned to Client') {
    return { outcome: 'nothing-offered', problem: `The project is returned, but the service offers no report yet. ${nightly}`, isLeft: isPatient, forPerson: !isPatient };
  }
  return { outcome: 'nothing-offered', problem: null, isLeft: false, forPerson: false };
}

const RECEIVED_ELSEWHERE = 'It was marked as received before its files were fetched here, and the service offers them no more: take them from where it was received, or ask the service.';
