import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import { addressKey, contentReference, identityOf, isCommercial, subjectKey } from '../domain/identity.ts';
import { hasDetails, type OrderPayload } from '../domain/row.ts';
import { sentence } from '../domain/sentences.ts';
import type { OrderLookup, OrderRecord, RepeatReason } from '../ledger/ledger.ts';
import { isScratch } from '../ledger/scratch-ledger.ts';
import { repeatNewsSubject } from '../ledger/store.ts';
import {
  hasKeyOf,
  isAtHouseOf,
  isDifferentInspection,
  type NumbersDifference,
  numbersDifference,
  payloadsOf,
} from './same-order.ts';
import { describeIdentity, describeOrder } from './describe-order.ts';
import { type DatedOrder, latestOf, repeatOrRenewal, termOf } from './repeat-or-renewal.ts';
import { fold } from './order-and-project.ts';

export type RepeatedOrder = Readonly<{
  order: OrderRecord;
  /** False: only the address is the same, in a commercial row. */
  sameIdentity: boolean;
}>;

export type ExistingOrder = Readonly<{
  repeated: RepeatedOrder;
  why: string;
  news?: RepeatNews | undefined;
  /** The renewed term's date; null for a repeat. */
  renewal: string | null;
  /** False if only house, service and insured match. */
  isKnownByNumbers: boolean;
}>;

export type RepeatNews = Readonly<{ subject: string; rule: string }>;

export type LookupRules = Readonly<{
  renewalAfterDays: number | null;
  /** The service compares only orders since then. */
  windowStart: number;
}>;

export function findExisting(payload: OrderPayload, rules: LookupRules, ledger: OrderLookup) {
  const subject = subjectKey(payload);
  const among = (orders: readonly OrderRecord[]) => existingAmong(payload, orders, rules, ledger);
  const same = among(ledger.ordersOf({ identity: identityOf(payload), subjectKey: subject }));
  if (same?.renewal === null) return same;
  // Its renewal may have been ordered with other numbers. An order known only by its house is never renewed.
  const ofSubject = among(
    ledger.ordersOfSubject(subject).filter((order) => {
      const difference = numbersDifference(payload, order, ledger);
      const isRecent = order.createdAt >= rules.windowStart;
      return (
        difference === 'spelling' || (difference === 'lacking' && (isRecent || isOfTerm(payload, order, rules, ledger)))
      );
    }),
  );
  if (ofSubject?.renewal === null) return ofSubject;
  const neighbor = isCommercial(payload) ? ledger.findOrderAtAddress(addressKey(payload), rules.windowStart) : null;
  if (neighbor === null) return same;
  const isForOthers =
    hasDetails(neighbor.payload) && DETAILS.some((field) => fold(payload[field]) !== fold(neighbor.payload[field]));
  return {
    repeated: { order: neighbor, sameIdentity: false },
    why: sentence(isForOthers ? 'repeat/address-of-others' : 'repeat/address', {
      order: describeOrder(neighbor, ledger),
    }),
    ...(isForOthers && {
      news: newsOn(neighbor, 'same-address', contentReference({ identity: identityOf(payload), payload })),
    }),
    renewal: null,
    isKnownByNumbers: true,
  };
}

/** At any age: a list may lose or gain a column of numbers or dates. A date a term after an undated order is another. */
function isOfTerm(payload: OrderPayload, order: OrderRecord, { renewalAfterDays }: LookupRules, ledger: OrderLookup) {
  const date = termOf(payload) ?? '';
  const isLater =
    renewalAfterDays !== null && date !== '' && differenceInCalendarDays(date, order.createdAt) >= renewalAfterDays;
  const isPolicy = ({ policyNumber, policyEffectiveDate }: OrderPayload) =>
    policyNumber &&
    policyNumber === payload.policyNumber &&
    !(payload.policyEffectiveDate && (policyEffectiveDate || isLater));
  return payloadsOf(order, ledger).some((one) => isPolicy(one) || termOf(one) === date);
}

function newsOn({ id }: OrderRecord, reason: RepeatReason, again?: string) {
  return { subject: repeatNewsSubject(id, reason, again), rule: `repeat-${reason}` };
}

const DETAILS = ['insuredName', 'policyNumber', 'inspectionNumber', 'serviceName'] as const;

/** Orders for another inspection count only if there are no others. */
function existingAmong(
  payload: OrderPayload,
  orders: readonly OrderRecord[],
  { renewalAfterDays, windowStart }: LookupRules,
  ledger: OrderLookup,
) {
  if (orders.length === 0) return null;
  const identity = identityOf(payload);
  const own = orders.filter((order) => !isDifferentInspection(payload, order, ledger));
  const candidates = (own.length > 0 ? own : orders).map((order) => ({
    order,
    dates: payloadsOf(order, ledger),
    // Living orders first; among them, those with the row's own identity.
    rank: (ledger.endOfProject(order.projectId) === null ? 0 : 2) + (order.identity === identity ? 0 : 1),
  }));
  const [first, ...rest] = candidates.toSorted((one, other) => one.rank - other.rank);
  if (first === undefined) return null;
  const found = repeatOrRenewal(payload, [first, ...rest], renewalAfterDays);
  const { order, dates } = found.of;
  const isKnownByNumbers = hasKeyOf(payload, order, ledger);
  const numbers = isKnownByNumbers ? null : (numbersDifference(payload, order, ledger) ?? 'lacking');
  const isInWindow = order.createdAt >= windowStart;
  const report =
    found.kind === 'renewal'
      ? undefined
      : newsOf(payload, { order, dates, isSame: found.isSame, numbers, isInWindow }, ledger);
  const what = isKnownByNumbers
    ? describeIdentity(payload)
    : `This service for this insured at this address, with ${numbers === 'spelling' ? 'the same numbers in another spelling' : 'numbers or a date on only one side'},`;
  const why = [
    `${what} ${isScratch(order) ? 'is already listed' : 'is already on record'}: ${describeOrder(order, ledger)}.`,
    isInWindow ? '' : sentence('repeat/unseen'),
    report?.words ?? '',
  ];
  return {
    repeated: { order, sameIdentity: true },
    why: why.filter((words) => words !== '').join(' '),
    news: report && newsOn(order, report.reason, report.date),
    renewal: found.kind === 'renewal' ? found.date : null,
    isKnownByNumbers,
  };
}

type RepeatReport = Readonly<{
  reason: RepeatReason;
  words: string;
  /** Another date is reported again. */
  date?: string;
}>;

function newsOf(
  payload: OrderPayload,
  repeat: DatedOrder &
    Readonly<{ order: OrderRecord; isSame: boolean; numbers: NumbersDifference | null; isInWindow: boolean }>,
  ledger: OrderLookup,
): RepeatReport | undefined {
  const { order } = repeat;
  const end = ledger.endOfProject(order.projectId);
  if (end !== null) return { reason: end, words: sentence('repeat/ended', { end: ENDED[end] }) };
  if (hasDetails(order.payload) && !isAtHouseOf(payload, order, ledger))
    return {
      reason: 'other-house',
      words: sentence('repeat/house'),
      date: contentReference([addressKey(payload)]),
    };
  if (repeat.numbers === 'spelling') return { reason: 'other-spelling', words: sentence('repeat/spelling') };
  if (repeat.numbers === 'lacking') return { reason: 'without-numbers', words: sentence('repeat/lacking') };
  if (asksAgain(payload, order, ledger))
    return {
      reason: 'finished',
      words: sentence('repeat/finished'),
      date: contentReference([payload.dueDate, payload.note]),
    };
  const date = termOf(payload);
  if (date === null) return repeat.isInWindow ? undefined : { reason: 'undated', words: sentence('repeat/undated') };
  if (repeat.isSame) return undefined;
  const was = latestOf(repeat) || 'not dated';
  return {
    reason: 'other-date',
    date,
    words: sentence('repeat/date', { date, was }),
  };
}

/** With a later due date or another note, a row may ask for a second inspection after the first one's report. */
function asksAgain({ dueDate, note }: OrderPayload, order: OrderRecord, ledger: OrderLookup) {
  if (!FINISHED.has(ledger.statusOfProject(order.projectId) ?? '') || !hasDetails(order.payload)) return false;
  return payloadsOf(order, ledger).every(
    ({ dueDate: was, note: before }) => (dueDate && was && dueDate > was) || (note && fold(note) !== fold(before)),
  );
}

const FINISHED = new Set(['Returned to Client', 'Client Received']);

const ENDED = {
  canceled: 'That project was canceled',
  'closed-out': 'That project was closed out without an inspection',
  'given-up': 'That project was given up and is no longer followed',
};
