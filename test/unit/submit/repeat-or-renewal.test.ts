import { expect, test } from 'vitest';
import { type DatedOrder, repeatOrRenewal } from '../../../src/submit/repeat-or-renewal.ts';
import { type Dates, isOtherTerm } from '../../../src/submit/order-and-project.ts';

const effective = (policyEffectiveDate: string): Dates => ({ policyEffectiveDate });
const due = (dueDate: string): Dates => ({ dueDate });

/** By what a row is compared: its dates, those of each order, and what it is beside them (the index of the order). */
const CASES: readonly [string, Dates, readonly (readonly Dates[])[], string][] = [
  ['the same effective date', effective('2026-11-01'), [[effective('2026-11-01')]], 'repeat of 0, the same'],
  [
    'the same one of several',
    effective('2026-11-01'),
    [[effective('2027-11-01')], [effective('2026-11-01')]],
    'repeat of 1, the same',
  ],
  ['no dates on both sides', {}, [[{}]], 'repeat of 0, the same'],
  ['no date beside a dated order', {}, [[effective('2026-11-01')]], 'repeat of 0, another date'],
  ['a date beside an order without one', effective('2027-11-01'), [[{}]], 'repeat of 0, another date'],
  ['a year later', effective('2027-11-01'), [[effective('2026-11-01')]], 'renewal of 0'],
  ['300 days later', effective('2027-08-28'), [[effective('2026-11-01')]], 'renewal of 0'],
  ['299 days later', effective('2027-08-27'), [[effective('2026-11-01')]], 'repeat of 0, another date'],
  ['earlier', effective('2025-11-01'), [[effective('2026-11-01')]], 'repeat of 0, another date'],
  [
    'a year after two of one date',
    effective('2027-11-01'),
    [[effective('2026-11-01')], [effective('2026-11-01')]],
    'renewal of 0',
  ],
  [
    'a year after the first, not after the newest',
    effective('2027-11-01'),
    [[effective('2026-11-01')], [effective('2027-10-01')]],
    'repeat of 1, another date',
  ],
  ['a third year', effective('2028-11-01'), [[effective('2026-11-01')], [effective('2027-11-01')]], 'renewal of 1'],
  ['due dates a year apart', due('2027-11-01'), [[due('2026-11-01')]], 'renewal of 0'],
  [
    'the effective date outranks the due date',
    { ...effective('2026-11-01'), ...due('2028-01-01') },
    [[effective('2026-11-01')]],
    'repeat of 0, the same',
  ],
  ['a due date after an effective date', due('2027-12-01'), [[effective('2026-11-01')]], 'renewal of 0'],
  [
    'an empty effective date is none',
    { ...effective(''), ...due('2027-11-01') },
    [[due('2026-11-01')]],
    'renewal of 0',
  ],
  [
    'the date that it was amended to',
    effective('2027-11-01'),
    [[effective('2026-11-01'), effective('2027-11-01')]],
    'repeat of 0, the same',
  ],
  [
    'a year after the amended date',
    effective('2028-11-01'),
    [[effective('2026-11-01'), effective('2027-11-01')]],
    'renewal of 0',
  ],
  [
    'a year after the old date, not the amended',
    effective('2027-11-01'),
    [[effective('2026-11-01'), effective('2027-03-01')]],
    'repeat of 0, another date',
  ],
  ['an undated order beside a dated one', effective('2027-11-01'), [[{}], [effective('2026-11-01')]], 'renewal of 1'],
];

test.each(CASES)('repeatOrRenewal: %s', (_what, row, orders, expected) => {
  const [first, ...rest] = orders.map((dates, index): DatedOrder & { readonly index: number } => ({ dates, index }));
  if (first === undefined) throw new Error('no order');
  const found = repeatOrRenewal(row, [first, ...rest], 300);
  const told = found.kind === 'repeat' ? `, ${found.isSame ? 'the same' : 'another date'}` : '';
  expect(`${found.kind} of ${found.of.index}${told}`).toBe(expected);
  expect(repeatOrRenewal(row, [first, ...rest], null).kind).toBe('repeat');
});

test.each<[string, Dates, Dates, boolean]>([
  ['the same date', effective('2026-11-01'), effective('2026-11-01T00:00:00Z'), false],
  ['a corrected date', effective('2026-11-01'), effective('2026-12-15'), false],
  ['a year apart', effective('2027-11-01'), effective('2026-11-01'), true],
  ['due dates a year apart', due('2027-11-01'), due('2026-11-01'), true],
  ['a date that the service does not show', due('2027-11-01'), {}, false],
  ['what is no date', due('2027-11-01'), due('soon'), false],
  ['dates of two kinds', due('2027-11-01'), effective('2026-11-01'), false],
])('isOtherTerm: %s', (_what, order, project, expected) => {
  expect(isOtherTerm(order, project)).toBe(expected);
});
