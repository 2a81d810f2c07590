import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import type { Dates } from './order-and-project.ts';

// docs/repeats-and-renewals.md

export function termOf({ policyEffectiveDate, dueDate }: Dates) {
  return policyEffectiveDate || dueDate || null;
}

type RepeatOrRenewal<Order> =
  /** `isSame`: the same dates, or none on either side. */
  Readonly<{ kind: 'repeat'; of: Order; isSame: boolean } | { kind: 'renewal'; of: Order; date: string }>;

export interface DatedOrder {
  readonly dates: readonly Dates[];
}

/**
 * A row with the dates of any of the orders repeats it, however old. A row dated `renewalAfterDays` or more after the
 * newest is a renewal (null: never). Anything in between is a repeat.
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
  return date !== null &&
    after !== '' &&
    renewalAfterDays !== null &&
    differenceInCalendarDays(date, after) >= renewalAfterDays
    ? { kind: 'renewal', of: newest, date }
    : { kind: 'repeat', of: newest, isSame: false };
}

/** The empty text if no date is known. */
export function latestOf({ dates }: DatedOrder) {
  return dates.map((each) => termOf(each) ?? '').reduce((one, other) => (other > one ? other : one), '');
}
