import { describe, expect, test } from 'vitest';
import type { Cell } from '../../../src/domain/cells.ts';
import type { RowOutcome } from '../../../src/domain/row.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';

const ORDER = {
  Service: '4-Point',
  'Policy type': 'Homeowners Insurance',
  'House type': 'Residential Condo',
  Insured: 'Marisol Vega',
  'Insured phone': '813-555-0142',
  'Insured email': 'm@example.com',
  Address: '118 Oak Ridge Ln',
  City: 'Tampa',
  State: 'FL',
  Zip: '33609',
};

/** One row with one more column. */
async function read(header: string, cell: Cell | string, unreadableOptional?: 'warn' | 'reject'): Promise<RowOutcome> {
  const held: Record<string, Cell | string> = { ...ORDER, [header]: cell };
  const source = inMemorySource({ S: [Object.keys(held), Object.values(held)] });
  const options = { headers: {}, today: '2026-10-15', unreadableOptional };
  const [outcome] = await collected((await readSource(source, 'orders.csv', options)).rows());
  if (outcome === undefined) throw new Error('there is no row');
  return outcome;
}

const NOT_READ: readonly (readonly [header: string, cell: Cell | string, rule: string])[] = [
  ['Year built', 'about 1987', 'year-four-digits'],
  ['Year built', '87', 'year-four-digits'],
  ['Year built', '1987/2005', 'year-four-digits'],
  ['Living area', '2,400 SF incl. garage', 'amount-format'],
  ['Living area', '250 m2', 'amount-format'],
  ['Cov B', '10% of A', 'amount-format'],
  ['Cov C', 'see policy', 'amount-format'],
  ['Renewal', 'maybe', 'not-yes-or-no'],
  ['Agent', { kind: 'error', code: '#REF!' }, 'cell-error'],
  ['Agent phone', '#N/A', 'cell-error'],
  ['Agent email', 'same as above', 'value-ditto'],
  ['Division', { kind: 'error', code: '#NAME?' }, 'cell-error'],
  ['Notes', { kind: 'error', code: '#VALUE!' }, 'cell-error'],
];

describe('readOrders: an unreadable optional cell', () => {
  test.each(NOT_READ)('leaves the cell out of the order: %s %s', async (header, cell, rule) => {
    const outcome = await read(header, cell);
    expect(outcome).toMatchObject({ kind: 'order', warnings: [{ severity: 'warning', rule, cell: 'K2' }] });
    const { warnings, payload } = outcome.kind === 'order' ? outcome : { warnings: [], payload: {} };
    const [warning] = warnings;
    expect(warning?.message).toMatch(/^[^:]+ \(K2\): .*out of the order\.$/);
    expect(Object.keys(payload)).not.toContain(warning?.field);
  });

  test.each(NOT_READ)('rejects the row if the config says reject: %s %s', async (header, cell, rule) => {
    expect(await read(header, cell, 'reject')).toMatchObject({ kind: 'rejection', problems: [{ rule }] });
  });
});

test.each<[string, Cell | string]>([
  ['Dwelling coverage', 'see policy'],
  ['Effective date', 'soon-ish'],
  ['Due date', '13/45/2026'],
  ['Policy number', '1.23E+15'],
  ['Inspection number', { kind: 'error', code: '#REF!' }],
  ['Carrier', { kind: 'error', code: '#REF!' }],
  ['Supplemental services', 'RC Report, Plumbing'],
  ['Country', 'Canada'],
  ['Allow duplicate', 'maybe'],
])('keeps %s strict', async (header, cell) => {
  expect(await read(header, cell)).toMatchObject({ kind: 'rejection' });
});

test('shows the cell as a warning in a row rejected anyway', async () => {
  const held = { ...ORDER, City: '', 'Year built': 'about 1987' };
  const source = inMemorySource({ S: [Object.keys(held), Object.values(held).map((text) => text || undefined)] });
  const reading = await readSource(source, 'orders.csv', { headers: {}, today: '2026-10-15' });
  expect(await collected(reading.rows())).toMatchObject([
    {
      kind: 'rejection',
      problems: [
        { severity: 'error', rule: 'required-empty' },
        { severity: 'warning', rule: 'year-four-digits' },
      ],
    },
  ]);
});

const date = (iso: string, format: string, raw: string): Cell => ({ kind: 'date', iso, format, raw });

test.each<[string, Cell | string, string, unknown]>([
  ['Year built', '1,987', 'yearBuilt', 1987],
  ['Year built', '1/1/1987', 'yearBuilt', 1987],
  ['Year built', '1987-01-01', 'yearBuilt', 1987],
  ['Living area', '2,400 SF (heated)', 'carrierProvidedLivingArea', 2400],
  ['Living area', '2400 sq ft heated', 'carrierProvidedLivingArea', 2400],
  ['Living area', '2,400 (living)', 'carrierProvidedLivingArea', 2400],
  ['Living area', '2,400 sq. ft. living area', 'carrierProvidedLivingArea', 2400],
  ['Renewal', '☑', 'isRenewal', true],
  ['Renewal', '✅', 'isRenewal', true],
  ['Renewal', '✔️', 'isRenewal', true],
  ['Renewal', '✓', 'isRenewal', true],
  ['Renewal', '[x]', 'isRenewal', true],
  ['Renewal', '☐', 'isRenewal', false],
  ['Renewal', '[ ]', 'isRenewal', false],
  ['Renewal', 'x', 'isRenewal', true],
])('reads a clear value: %s %s', async (header, cell, field, sent) => {
  const outcome = await read(header, cell);
  expect(outcome).toMatchObject({ kind: 'order', warnings: [], repairs: [{ field, cell: 'K2' }] });
  expect(outcome.kind === 'order' && outcome.payload).toMatchObject({ [field]: sent });
});

test.each<[string, Cell | string]>([
  // A date, and not a year.
  ['Year built', date('1987-01-01', 'yyyy', '31778')],
  // The same cell was typed as 1987 under a date format, or is a day of 1905.
  ['Year built', date('1905-06-09', 'm/d/yyyy', '1987')],
  ['Year built', date('1905-06-09', 'yyyy', '1987')],
  ['Year built', date('2026-10-12', 'd-mmm', '46307')],
  ['Year built', '1.987'],
  // Programs write these for no date at all.
  ['Year built', '1/1/1900'],
  ['Year built', date('1900-01-01', 'm/d/yyyy', '1')],
  ['Year built', '1970-01-01'],
  ['Living area', '2,400 SF (unheated)'],
  ['Living area', '2,400 (total)'],
  ['Renewal', '✗'],
])('guesses nothing: %s %s', async (header, cell) => {
  const outcome = await read(header, cell);
  expect(outcome).toMatchObject({ kind: 'order', repairs: [{ sent: '' }], warnings: [{ cell: 'K2' }] });
});
