import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';

// Decides whether a row repeats or renews an order of its identity (docs/repeats-and-renewals.md); pure.

export type Dates = { readonly [Name in 'policyEffectiveDate' | 'dueDate']?: string | null | undefined };

/** The date of a term: the effective date, else the due date. */
export function termOf({ policyEffectiveDate, dueDate }: Dates): string | null {
  return policyEffectiveDate || dueDate || null;
}

/** A row among the orders of its identity. */
export type RepeatOrRenewal<Order> =
  /** `isSame`: the same dates, or none on both sides. */
  | { readonly kind: 'repeat'; readonly of: Order; readonly isSame: boolean }
  | { readonly kind: 'renewal'; readonly of: Order; readonly date: string };

/** An order of the identity, with ordered and amended dates. */
export interface DatedOrder {
  readonly dates: readonly Dates[];
}

/**
 * A row with the same dates as any of the orders is a repeat of that one, however old. One that is dated `renewalAfterDays` or more after the newest of
 * them is a renewal (null: none ever is). Everything in between is a repeat as well. Of several orders that fit, the first is taken.
 */
export function repeatOrRenewal<Order extends DatedOrder>(
  row: Dates,
  orders: readonly [Order, ...Order[]],
  renewalAfterDays: number | null,
): RepeatOrRenewal<Order> {
  const date = termOf(row);
  const same = orders.find(({ dates }) => dates.some((each) => termOf(each) === date));
  if (same !== undefined) return { kind: 'repeat', of: same, isSame: true };
  const newest = orders.reduce((one, other) => (latestOf(other) > latestOf(one) ? other : one));
  const after = latestOf(newest);
  return date !== null && after !== '' && renewalAfterDays !== null && daysBetween(after, date) >= renewalAfterDays
    ? { kind: 'renewal', of: newest, date }
    : { kind: 'repeat', of: newest, isSame: false };
}

function latestOf({ dates }: DatedOrder): string {
  return dates.map((each) => termOf(each) ?? '').reduce((one, other) => (other > one ? other : one), '');
}

function daysBetween(from: string, to: string): number {
  return differenceInCalendarDays(to, from);
}

/** Dates that differ by so much are of two terms: nothing is corrected so far. Shorter than any term, longer than any correction. */
const TERM_DAYS_MIN = 150;

/** Whether two dates are surely of different terms. An empty one says nothing. */
export function areTermsApart(one: string, other: string): boolean {
  const days = one === '' || other === '' ? 0 : Math.abs(daysBetween(one.slice(0, 10), other.slice(0, 10)));
  return days >= TERM_DAYS_MIN;
}

/** Whether an order and a project are of different terms: last year's project, with the same number, is not this year's. */
export function isOfAnotherTerm(order: Dates, project: Dates): boolean {
  return (['policyEffectiveDate', 'dueDate'] as const).some((field) =>
    areTermsApart((order[field] ?? '').trim(), (project[field] ?? '').trim()),
  );
}
