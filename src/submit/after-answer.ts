import type { ProjectDetail } from '../contract/document.ts';
import { identityKind, isSameHouse } from '../domain/identity.ts';
import { isClosedOutStatus, STATUS_NOT_SEEN } from '../domain/project.ts';
import { codeOf, type Parts, sentence } from '../domain/sentences.ts';
import type { OrderMove, OrderReason, OrderRecord, ProjectLink } from '../ledger/ledger.ts';
import type { CreateOutcome } from '../service/outcome.ts';
import type { OnDuplicate } from './row-decision.ts';
import {
  foldField,
  hasInspectionNumberOf,
  isMarkedForAnother,
  isUnset,
  isSameInspection,
  isNewerThanFirstAttempt,
  mayBeLinked,
  rankByLikeness,
  resembles,
  isOtherTerm,
} from './order-and-project.ts';

// Only an order that was surely not handled goes back to `ready` (README.md, 3 and 4). After a 409, `create`, or an
// order without a comparable number, sends once more and allows a duplicate.

const ATTEMPTS_MAX = 5;

type AnswerDecision = Readonly<
  | { kind: 'move'; move: OrderMove }
  /** 409: a search must show whose project it is. The message may name it. */
  | { kind: 'look'; message: string }
  /** Not handled; may be sent again. */
  | { kind: 'again'; move: OrderMove; why: 'away' | 'throttled' }
  /** Our fault, not the row's: send nothing more. */
  | { kind: 'stop'; move: OrderMove; reason: string }
>;

export function decideAfterAnswer(outcome: CreateOutcome, now: number): AnswerDecision {
  switch (outcome.kind) {
    case 'created':
      return { kind: 'move', move: { to: 'created', project: linkToProject(outcome.project), adopted: false } };
    case 'refused':
      return { kind: 'move', move: { to: 'refused', code: 'service-refused', reason: outcome.message } };
    case 'unknown':
      return {
        kind: 'move',
        move: { to: 'unresolved', code: 'outcome-unknown', reason: outcome.reason, uncertainSince: now },
      };
    case 'duplicate':
      return { kind: 'look', message: outcome.message };
    case 'not-sent':
      return { kind: 'again', why: 'away', move: readyAgain('not-sent', `Not sent: ${outcome.reason}`) };
    case 'throttled':
      return {
        kind: 'again',
        why: 'throttled',
        move: readyAgain('service-throttled', 'The service asked for a slower pace (429).'),
      };
    case 'stop': {
      const reason = `The service answered ${outcome.status}: ${outcome.message}`;
      const move: OrderMove = outcome.notCreated
        ? readyAgain('run-stopped', reason)
        : { to: 'unresolved', code: 'outcome-unknown', reason, uncertainSince: now };
      return { kind: 'stop', reason, move };
    }
  }
}

export function readyAgain(code: OrderReason['code'], reason: string): OrderMove {
  return { to: 'ready', code, reason, attemptUsed: false };
}

export type Candidate = Readonly<{ detail: ProjectDetail; status: string | null }>;

export type SearchFindings =
  /** The service answers, but not usably about this order. */
  Readonly<
    | { kind: 'away'; reason: string; isMalformed?: true; startedAt?: number }
    | {
        kind: 'looked';
        /** When the search began: a project may appear later. */
        startedAt: number;
        /** They match this order, and belong to no other. */
        ours: readonly Candidate[];
        /** They block it by the duplicate rules. */
        others: readonly Candidate[];
      }
  >;

export type ResendRule = 'free' | 'later' | 'person';

const NIGHT_MS = 12 * 60 * 60 * 1000;
/** Three nights. */
const UNUSABLE_MS = 5 * NIGHT_MS;

function doubtMs({ uncertainSince }: Pick<OrderRecord, 'uncertainSince'>, at: number) {
  return at - (uncertainSince ?? at);
}

export function isSameNight(order: Pick<OrderRecord, 'uncertainSince'>, searchedAt: number) {
  return doubtMs(order, searchedAt) < NIGHT_MS;
}

export function resendTime(
  { uncertainSince, allowDuplication }: Pick<OrderRecord, 'uncertainSince' | 'allowDuplication'>,
  quarantineMs: number,
) {
  return uncertainSince === null
    ? null
    : uncertainSince + (allowDuplication ? Math.max(NIGHT_MS, quarantineMs) : quarantineMs);
}

/** Null: the order stays unresolved. */
export function decideAfterSearch(
  order: OrderRecord,
  findings: SearchFindings,
  quarantineMs: number,
  repeat: ResendRule = 'free',
): OrderMove | null {
  if (findings.kind === 'away')
    return doubtMs(order, findings.startedAt ?? 0) >= UNUSABLE_MS
      ? held('search-unusable', { why: findings.reason })
      : null;
  const ours = adoption(findings.ours);
  if (ours !== null) return ours;
  if (doubtMs(order, findings.startedAt) < quarantineMs || repeat === 'later') return null;
  if (order.attempts >= ATTEMPTS_MAX)
    return held(findings.others.length === 0 ? 'attempts-used-up' : 'attempts-used-up/shown', {
      attempts: order.attempts,
      names: namesOf(findings.others),
    });
  // The service refuses a second project only for a number of days, or not at all if the row allows a duplicate.
  const own = mayBeOwn(
    order,
    findings.others.filter(
      ({ detail }) =>
        order.allowDuplication ||
        (isSameInspection(order, detail, 'maybe') &&
          // A service may drop or cut the note.
          (order.reference === null
            ? Boolean(order.payload.inspectionNumber) && hasInspectionNumberOf(order.payload, detail)
            : !isMarkedForAnother(order.payload, detail))),
    ),
  );
  if (own !== null) return held('may-be-own-project/again', { own });
  if (repeat === 'person') return held('unproven');
  return { to: 'ready', code: 'not-found', reason: sentence('not-found'), attemptUsed: true };
}

function mayBeOwn(order: OrderRecord, others: readonly Candidate[]) {
  return (
    others.find(
      ({ detail }) =>
        isNewerThanFirstAttempt(order, detail) && resembles(order, detail) && !isOtherTerm(order.payload, detail),
    )?.detail.id ?? null
  );
}

export type DuplicateGrounds = Readonly<{
  onDuplicate: OnDuplicate;
  hadUnknownOutcome: boolean;
  taken: ReadonlySet<string>;
  contested: ReadonlySet<string>;
  now: number;
}>;

/**
 * A project that matches exactly and is newer than all known before is ours, even after the first attempt: a proxy may
 * deliver a request twice. Any other can be linked only if it is at the order's house and no other order claims it;
 * otherwise the row is rejected.
 */
export function decideAfterDuplicate(
  order: OrderRecord,
  findings: SearchFindings,
  grounds: DuplicateGrounds,
): OrderMove {
  const { onDuplicate, hadUnknownOutcome, taken, contested, now } = grounds;
  if (findings.kind === 'away') return staysInDoubt('duplicate-search-failed', now, { why: findings.reason });
  const ours = adoption(
    findings.ours.filter(
      ({ detail }) =>
        !contested.has(detail.id) &&
        (hadUnknownOutcome || isSameHouse(order.payload, detail) || order.reference !== null),
    ),
  );
  if (ours !== null) return ours;
  const ranked = rankByLikeness(order, [...findings.others, ...findings.ours]);
  const [likest] = ranked;
  if (likest === undefined) return notVisible(order, hadUnknownOutcome, now);
  const theirs = ranked.filter(({ detail }) => !taken.has(detail.id) && !contested.has(detail.id));
  const ties = theirs.filter(({ detail }) => mayBeLinked(order, detail));
  // The service may mean another project than the one that ended without an inspection.
  const living = ties.find(({ status }) => status !== 'Project Canceled' && !isClosedOutStatus(status ?? ''));
  const wish = order.rowWish === false && onDuplicate === 'create' ? 'link' : onDuplicate;
  const found: Duplicate = {
    order,
    hadUnknownOutcome,
    now,
    wish,
    isContested: contested.size > 0,
    own: hadUnknownOutcome ? mayBeOwn(order, theirs) : null,
    tie: living === undefined ? (ties.length === 0 ? 'none' : 'ended') : 'living',
    project: living ?? ties[0] ?? likest,
    isTaken: taken.has(likest.detail.id),
    names: namesOf(ranked),
  };
  return (DUPLICATES.find(({ when }) => when(found)) ?? REJECTED).move(found);
}

type Duplicate = Pick<DuplicateGrounds, 'hadUnknownOutcome' | 'now'> &
  Readonly<{
    order: OrderRecord;
    wish: OnDuplicate;
    /** Another order in doubt may have made a project found here. */
    isContested: boolean;
    own: string | null;
    /** Linked to a project that ended, the property would never be inspected. */
    tie: 'living' | 'ended' | 'none';
    /** To link to, or the most similar one. */
    project: Candidate;
    isTaken: boolean;
    names: string;
  }>;

type DuplicateRule = Readonly<{ when: (found: Duplicate) => boolean; move: (found: Duplicate) => OrderMove }>;

const mayBeSettled = ({ tie, wish }: Duplicate) => tie === 'living' && wish !== 'create';
const differsIn = (
  field: (typeof COMPARED_IN_WORDS)[number][0],
  { order: { payload }, project: { detail } }: Duplicate,
) => !isUnset(detail[field]) && foldField(payload, field) !== foldField(detail, field);
const existedAlready = (found: Duplicate) => {
  const { detail } = found.project;
  const others = COMPARED_IN_WORDS.filter(([field]) => differsIn(field, found)).map(
    ([field, name]) => `${name} "${detail[field]}"`,
  );
  const but = others.length === 0 ? '' : `, but with ${others.join(' and ')}`;
  return sentence('duplicate/existed', { project: detail.id, but });
};

const COMPARED_IN_WORDS = [
  ['serviceName', 'service'],
  ['insuredName', 'insured'],
  ['policyNumber', 'policy number'],
] as const;

/** The first rule that applies decides. Doubt comes first: it may hide a project of ours. */
const DUPLICATES: readonly DuplicateRule[] = [
  {
    when: (found) => found.isContested && !mayBeSettled(found),
    move: ({ now }) => staysInDoubt('duplicate-undecided', now),
  },
  {
    when: ({ own, tie, wish }) => own !== null && (wish !== 'link' || tie !== 'living'),
    move: ({ own }) => held('may-be-own-project/duplicate', { own: own ?? '' }),
  },
  {
    when: (found) => found.hadUnknownOutcome && !mayBeSettled(found),
    move: ({ names }) => held('duplicate-after-doubt', { names }),
  },
  {
    when: ({ wish }) => wish === 'create',
    move: ({ names }) => ({
      to: 'ready',
      ...because('duplicate-allowed', { names }),
      attemptUsed: true,
      allowDuplication: true,
    }),
  },
  { when: ({ tie }) => tie === 'none', move: notTied },
  {
    when: ({ tie }) => tie === 'ended',
    move: ({ project: { detail } }) => ({
      to: 'refused',
      ...because('duplicate-canceled', { project: detail.id }),
    }),
  },
  {
    when: ({ wish }) => wish === 'link',
    move: (found) => ({
      to: 'linked',
      project: linkToProject(found.project.detail, found.project.status),
      code: differsIn('serviceName', found) ? 'duplicate-linked-to-other-service' : 'duplicate-linked',
      reason: existedAlready(found),
    }),
  },
  {
    when: ({ wish }) => wish === 'skip',
    move: (found) => ({ to: 'skipped', code: 'duplicate-skipped', reason: existedAlready(found) }),
  },
];

const REJECTED: Pick<DuplicateRule, 'move'> = {
  move: (found) => ({
    to: 'refused',
    ...because('duplicate-rejected', { existed: existedAlready(found) }),
  }),
};

type SentenceCode = OrderReason['code'] | `${OrderReason['code']}/${string}`;

function because(code: SentenceCode, parts?: Parts) {
  return { code: codeOf(code) as OrderReason['code'], reason: sentence(code, parts) };
}

function held(code: SentenceCode, parts?: Parts): OrderMove {
  return { to: 'held', ...because(code, parts) };
}

function staysInDoubt(code: SentenceCode, now: number, parts?: Parts): OrderMove {
  return { to: 'unresolved', uncertainSince: now, answered409: true, ...because(code, parts) };
}

const SHOWN_MAX = 3;

function namesOf(ranked: readonly Candidate[]) {
  const shown = ranked.slice(0, SHOWN_MAX).map(({ detail: { id, serviceName, streetAddress, city, insuredName } }) => {
    return `project ${id} (${[serviceName, streetAddress, city].filter(Boolean).join(', ')}${insuredName ? `, of ${insuredName}` : ''})`;
  });
  return ranked.length > SHOWN_MAX ? `${shown.join(', ')} and ${ranked.length - SHOWN_MAX} more` : shown.join(', ');
}

function notTied({ order, project: { detail }, isTaken, names }: Duplicate): OrderMove {
  const code = isTaken
    ? 'duplicate-of-other-order'
    : !isSameHouse(order.payload, detail)
      ? 'duplicate-of-other-house'
      : isOtherTerm(order.payload, detail)
        ? 'duplicate-of-other-term'
        : 'duplicate-of-other-service';
  const reason = sentence('duplicate/not-linked', { names, why: sentence(code) });
  return { to: 'refused', code, reason };
}

function adoption(ours: readonly Candidate[]): OrderMove | null {
  const [first, second] = ours;
  if (first === undefined) return null;
  if (second === undefined) return { to: 'created', project: linkToProject(first.detail, first.status), adopted: true };
  return held('several-own-projects', { ids: ours.map(({ detail }) => detail.id).join(', ') });
}

function notVisible(order: OrderRecord, hadUnknownOutcome: boolean, now: number): OrderMove {
  // Nothing similar is visible after the quarantine: the service compared two empty numbers. After an unknown outcome
  // the 409 may mean a project of ours that no search shows yet, so it is never overridden; a person decides after
  // another quarantine.
  if (order.attempts > (hadUnknownOutcome ? 2 : 1) && identityKind(order.payload) === 'address') {
    return hadUnknownOutcome || order.rowWish === false
      ? held('duplicate-without-number')
      : { to: 'ready', ...because('duplicate-without-number'), attemptUsed: true, allowDuplication: true };
  }
  return order.attempts >= ATTEMPTS_MAX
    ? held('duplicate-not-visible')
    : staysInDoubt('duplicate-not-visible/yet', now);
}

export function linkToProject(detail: ProjectDetail, status: string | null = null): ProjectLink {
  return {
    projectId: detail.id,
    status: status ?? STATUS_NOT_SEEN,
    inspectionCode: detail.inspectionCode || null,
    inspectionLink: detail.inspectionLink || null,
  };
}
