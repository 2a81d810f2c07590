import { expect, test } from 'vitest';
import type { RowOutcome } from '../domain/row.ts';
import { collected, inMemorySource } from './in-memory-source.ts';
import type { CellLike } from './in-memory-source.ts';
import { readOrders } from './read-orders.ts';

const HEADERS = ['Policy #', 'Address', 'City', 'ST', 'Zip', 'Service', 'Policy Type', 'House Type', 'Named Insured', 'Insured Phone', 'Insured Email'];
const ROW: readonly CellLike[] = ['HO-1', '118 Oak Ridge Ln', 'Tampa', 'FL', '33609', '4-Point', 'Homeowners Insurance', 'Residential Condo', 'Marisol Vega', '813-555-0142', 'm@example.com'];

/** What each cell of a column comes to, with the column read as a whole, and how often the sheet was read. */
async function column(header: string, held: readonly CellLike[], field: 'policyEffectiveDate' | 'dwellingCoverage') {
  const source = inMemorySource({ Orders: [[...HEADERS, header], ...held.map((cell) => [...ROW, cell])] });
  const reading = await readOrders(source, 'orders.xlsx', { headers: {}, today: '2026-10-15' });
  const outcomes = await collected(reading.rows());
  return { came: outcomes.map((outcome) => cameTo(outcome, field)), reads: source.reads };
}

function cameTo(outcome: RowOutcome, field: 'policyEffectiveDate' | 'dwellingCoverage'): string {
  if (outcome.kind === 'rejection') return outcome.problems.map(({ rule }) => rule).join(' ');
  return [String(outcome.payload[field]), ...outcome.warnings.map(({ rule }) => rule)].join(' ');
}

const date = (iso: string): CellLike => ({ kind: 'date', iso, raw: '46086' });

test('250.000 and 250,000 are decided by the other amounts of their column', async () => {
  expect((await column('Cov A', ['250.000', '325.000,00'], 'dwellingCoverage')).came).toEqual(['250000', '325000']);
  expect((await column('Cov A', ['250.000', '325,000.00', '9500.5'], 'dwellingCoverage')).came).toEqual(['amount-ambiguous', '325000', '9500.5']);
  expect((await column('Cov A', ['250.000', '325.000,00', '325,000.00'], 'dwellingCoverage')).came).toEqual(['amount-ambiguous', '325000', '325000']);
  expect((await column('Cov A', ['250,000', '325.000,00'], 'dwellingCoverage')).came).toEqual(['amount-ambiguous', '325000']);
  expect((await column('Cov A', ['250,000', '$325,000'], 'dwellingCoverage')).came).toEqual(['250000', '325000']);
});

test('dotted dates are decided by their column as slashes are, or by what the header asks for', async () => {
  expect((await column('Eff Date', ['03.05.2026', '25.05.2026'], 'policyEffectiveDate')).came).toEqual(['2026-05-03', '2026-05-25']);
  expect((await column('Eff Date', ['03.05.2026', '05/25/2026'], 'policyEffectiveDate')).came).toEqual(['2026-03-05', '2026-05-25']);
  expect((await column('Eff Date', ['03.05.2026'], 'policyEffectiveDate')).came).toEqual(['date-ambiguous']);
  expect((await column('Eff Date (DD/MM/YYYY)', ['03.05.2026'], 'policyEffectiveDate')).came).toEqual(['2026-05-03']);
  expect((await column('Eff Date (DD/MM/YYYY)', ['03/05/2026', '05/25/2026'], 'policyEffectiveDate')).came).toEqual(['date-ambiguous', '2026-05-25']);
});

test('real dates that Excel may have read month first go back, though the telling text stands below them', async () => {
  expect((await column('Eff Date', [date('2026-03-05'), '25/05/2026', date('2026-06-06')], 'policyEffectiveDate')).came).toEqual(['date-ambiguous', '2026-05-25', '2026-06-06']);
  expect((await column('Eff Date', [date('2026-03-05'), '25/05/2026', date('2026-06-26')], 'policyEffectiveDate')).came).toEqual(['2026-03-05 date-perhaps-swapped', '2026-05-25', '2026-06-26']);
  expect((await column('Eff Date', [date('2026-03-05'), '05/25/2026'], 'policyEffectiveDate')).came).toEqual(['2026-03-05', '2026-05-25']);
});

test('a sheet of plain dates and amounts is not read again', async () => {
  const header = 1;
  const rows = 1;
  const preview = 1;
  expect((await column('Eff Date', ['2026-03-05', '20260305', '25/05/2026'], 'policyEffectiveDate')).reads).toBe(header + rows);
  expect((await column('Eff Date', [date('2026-03-05'), date('2026-04-05')], 'policyEffectiveDate')).reads).toBe(header + rows + preview);
  expect((await column('Cov A', ['250,000', '251,000'], 'dwellingCoverage')).reads).toBe(header + rows + preview);
});
