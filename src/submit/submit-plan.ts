import type { ProjectDetail } from '../contract/project.ts';
import { identityKind } from '../domain/identity.ts';
import { STATUS_NOT_SEEN } from '../domain/project-status.ts';
import type { OrderMove, OrderRecord, ProjectTie } from '../ledger/order-record.ts';
import type { CreateOutcome } from '../service/outcome.ts';
import type { OnDuplicate } from './row-decision.ts';

/** After so many attempts without a known outcome, a person has to look. */
const ATTEMPTS_MAX = 5;

/** What the answer to a create means for its order. */
export type AfterAnswer =
  | { readonly kind: 'move'; readonly move: OrderMove }
  /** 409: evidence, not failure; a search has to show whose project stands there. */
  | { readonly kind: 'look' }
  /** Nothing was handled; the order goes back and may be sent again when the pacer lets it. */
  | { readonly kind: 'again'; readonly move: OrderMove; readonly why: 'away' | 'throttled' }
  /** It is about us, not about the row: nothing more is sent. */
  | { readonly kind: 'stop'; readonly move: OrderMove; readonly reason: string };

/** Decides from an answer where its order goes (RELIABILITY: an order's states). `now` is when the answer came, or was given up. */
export function afterAnswer(outcome: CreateOutcome, now: number): AfterAnswer {
  switch (outcome.kind) {
    case 'created':
      return { kind: 'move', move: { to: 'created', project: tieTo(outcome.project), adopted: false } };
    case 'refused':
      return { kind: 'move', move: { to: 'refused', reason: outcome.message } };
    case 'unknown':
      return { kind: 'move', move: { to: 'unresolved', reason: outcome.reason, uncertainSince: now } };
    case 'duplicate':
      return { kind: 'look' };
    case 'not-sent':
      return { kind: 'again', why: 'away', move: { to: 'ready', reason: `Not sent: ${outcome.reason}`, attemptUsed: false } };
    case 'throttled':
      return { kind: 'again', why: 'throttled', move: { to: 'ready', reason: 'The service asked for a slower pace (429).', attemptUsed: false } };
    case 'stop': {
      const reason = `The service answered ${outcome.status}: ${outcome.message}`;
      const move: OrderMove = outcome.notCreated ? { to: 'ready', reason, attemptUsed: false } : { to: 'unresolved', reason, uncertainSince: now };
      return { kind: 'stop', reason, move };
    }
  }
}

/** A project found by a search, read in detail. */
export interface Candidate {
  readonly detail: ProjectDetail;
  readonly status: string | null;
}

/** What a search for an order's project brought. */
export type Findings =
  | { readonly kind: 'away'; readonly reason: string }
  | {
      readonly kind: 'looked';
      /** When the search began: what was sent before it and is not found may still come. */
      readonly startedAt: number;
      /** Projects that are this order, to the detail, and that no other order holds. */
      readonly ours: readonly Candidate[];
      /** Projects that stand in its way by the service's duplicate rules. */
      readonly others: readonly Candidate[];
    };

/** Decides where an order in doubt goes after a search; null: it stays unresolved. */
export function afterSearch(order: OrderRecord, findings: Findings, quarantineMs: number): OrderMove | null {
  if (findings.kind === 'away') return null;
  const ours = adoption(findings.ours);
  if (ours !== null) return ours;
  if (findings.startedAt - (order.uncertainSince ?? findings.startedAt) < quarantineMs) return null;
  if (order.attempts >= ATTEMPTS_MAX) {
    return { to: 'held', reason: `After ${order.attempts} attempts it is still not known whether the service took the order.` };
  }
  return { to: 'ready', reason: 'Searched for and not found after the quarantine: it was not created.', attemptUsed: true };
}

/** What decides about a 409 besides the order and the search. */
export interface DuplicateGrounds {
  readonly onDuplicate: OnDuplicate;
  /** Another order, the same to the letter, is under way: a project that looks like ours may be that one's. */
  readonly contested: boolean;
  /** An attempt before this one had no known outcome: the project that the service means may be ours. */
  readonly everUnknown: boolean;
  /** After such an attempt: the id of a newer project that nobody holds and that resembles this order, though it is told otherwise than it was sent. */
  readonly mayBeOwn: string | null;
  readonly now: number;
}

/**
 * Decides where an order goes whose create was answered 409, after a search. A project that is ours to the letter, and newer than all that
 * stood there before, is ours also after a first attempt: whatever stands between us and the service may deliver a request twice.
 */
export function afterDuplicate(order: OrderRecord, findings: Findings, { onDuplicate, contested, everUnknown, mayBeOwn, now }: DuplicateGrounds): OrderMove {
  const inDoubt = { to: 'unresolved', uncertainSince: now, answered409: true } as const;
  if (findings.kind === 'away') {
    return { ...inDoubt, reason: `The service says that the project exists (409); looking for it failed: ${findings.reason}` };
  }
  const ours = adoption(findings.ours);
  if (ours !== null && !contested) return ours;
  if (ours !== null && order.attempts > 1) {
    return { ...inDoubt, reason: 'A project like this order stands there (409), but another order that is the same is under way.' };
  }
  const newest = [...findings.others, ...findings.ours].toSorted((a, b) => (BigInt(a.detail.id) < BigInt(b.detail.id) ? 1 : -1))[0];
  if (newest === undefined) return notVisible(order, everUnknown) ?? { ...inDoubt, reason: 'The service says that the project exists already (409); no search shows it yet.' };
  const wish = order.rowWish === false && onDuplicate === 'create' ? 'link' : onDuplicate;
  if (mayBeOwn !== null && wish !== 'link') {
    return { to: 'held', reason: `The service says that it is a duplicate (409). Project ${mayBeOwn}, made after the order's first attempt, whose outcome is not known, may be its own, though the service tells it otherwise than it was sent.` };
  }
  const reason = `The service says that it is a duplicate (409) of project ${newest.detail.id}, which stood there already.`;
  switch (wish) {
    case 'link':
      return { to: 'linked', project: tieTo(newest.detail, newest.status), reason };
    case 'skip':
      return { to: 'skipped', reason };
    case 'reject':
      return { to: 'refused', reason: `${reason} If a second inspection is wanted, put Yes under "Allow duplicate".` };
    case 'create':
      return { to: 'ready', reason, attemptUsed: true, allowDuplication: true };
  }
}

function adoption(ours: readonly Candidate[]): OrderMove | null {
  const [first, second] = ours;
  if (first === undefined) return null;
  if (second === undefined) return { to: 'created', project: tieTo(first.detail, first.status), adopted: true };
  const ids = ours.map((candidate) => candidate.detail.id).join(', ');
  return { to: 'held', reason: `More than one project is this order to the letter: ${ids}. Adopt one of them, and cancel the others if they should not be.` };
}

/** Null: it stays in doubt. */
function notVisible(order: OrderRecord, everUnknown: boolean): OrderMove | null {
  // The quarantine is over since the attempt before, each attempt was answered, and still nothing like it is to be seen: with neither number
  // the service has compared nothing with nothing (READING 4). After an unknown outcome the 409 may well be about a project of ours that no
  // search shows yet: then it is never overridden, and a person looks after one more quarantine.
  if (order.attempts > (everUnknown ? 2 : 1) && identityKind(order.payload) === 'address') {
    const reason = 'The service says that it is a duplicate (409), but the order has no number to compare, and no project like it is to be found.';
    return everUnknown || order.rowWish === false ? { to: 'held', reason } : { to: 'ready', reason, attemptUsed: true, allowDuplication: true };
  }
  if (order.attempts >= ATTEMPTS_MAX) {
    return { to: 'held', reason: 'The service says that the project exists already (409), but no search shows it.' };
  }
  return null;
}

function tieTo(detail: ProjectDetail, status: string | null = null): ProjectTie {
  return {
    projectId: detail.id,
    status: status ?? STATUS_NOT_SEEN,
    inspectionCode: detail.inspectionCode || null,
    inspectionLink: detail.inspectionLink || null,
  };
}
