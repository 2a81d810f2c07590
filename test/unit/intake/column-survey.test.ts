import { expect, test } from 'vitest';
import type { RowOutcome } from '../../../src/domain/row.ts';
import { type IntakeOptions, readSource } from '../../../src/intake/read-orders.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const HEADERS = [
  'Policy #',
  'Address',
  'City',
  'ST',
  'Zip',
  'Service',
  'Policy Type',
  'House Type',
  'Named Insured',
  'Insured Phone',
  'Insured Email',
];
const ROW: readonly CellLike[] = [
  'HO-1',
  '118 Oak Ridge Ln',
  'Tampa',
  'FL',
  '33609',
  '4-Point',
  'Homeowners Insurance',
  'Residential Condo',
  'Marisol Vega',
  '813-555-0142',
  'm@example.com',
];

/** What each cell of a column comes to, with the column read as a whole, and how often the sheet was read. */
type Field = 'policyEffectiveDate' | 'dwellingCoverage' | 'contentCoverage';

async function column(header: string, held: readonly CellLike[], field: Field, options: Partial<IntakeOptions> = {}) {
  const source = inMemorySource({ Orders: [[...HEADERS, header], ...held.map((cell) => [...ROW, cell])] });
  const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-10-15', ...options });
  const outcomes = await collected(reading.rows());
  return {
    came: outcomes.map((outcome) => cameTo(outcome, field)),
    reads: source.reads,
    notes: reading.notes.map(codeAndFacts),
  };
}

function cameTo(outcome: RowOutcome, field: Field): string {
  if (outcome.kind === 'rejection') return outcome.problems.map(({ rule }) => rule).join(' ');
  return [String(outcome.payload[field]), ...outcome.warnings.map(({ rule }) => rule)].join(' ');
}

const date = (iso: string): CellLike => ({ kind: 'date', iso, raw: '46086' });

test('reads 250,000 as thousands, unless its column has decimal commas', async () => {
  const comma = ['325.000,00', '1.250,50', '98.000,00'];
  expect((await column('Cov A', ['250.000', ...comma], 'dwellingCoverage')).came).toEqual([
    'amount-ambiguous',
    '325000',
    '1250.5 amount-unusual',
    '98000',
  ]);
  expect((await column('Cov A', ['250.000', '325.000,00'], 'dwellingCoverage')).came).toEqual([
    'amount-ambiguous',
    '325000',
  ]);
  expect((await column('Cov A', ['250.000', '325,000.00', '9500.5'], 'dwellingCoverage')).came).toEqual([
    'amount-ambiguous',
    '325000',
    '9500.5',
  ]);
  expect((await column('Cov A', ['250,000', ...comma], 'dwellingCoverage')).came[0]).toBe('amount-ambiguous');
  expect((await column('Cov A', ['250,000', '$325,000'], 'dwellingCoverage')).came).toEqual(['250000', '325000']);
});

test('reads or rejects one amount with the other decimal mark alone', async () => {
  const thousands = Array.from({ length: 99 }, (_, place) => `$${String(200 + place)},000`);
  const sent = thousands.map((text) => `${text.slice(1, 4)}000`);
  expect((await column('Cov A', [...thousands, '350.000,00'], 'dwellingCoverage')).came).toEqual([...sent, '350000']);
  expect((await column('Cov A', ['$250,00', ...thousands], 'dwellingCoverage')).came).toEqual([
    'amount-ambiguous',
    ...sent,
  ]);
  expect((await column('Cov C', ['$1,250'], 'contentCoverage')).came).toEqual(['1250']);
});

// At least three dates must be clear.
test('reads dates by nine in ten clear ones, else by header', async () => {
  const clear = (count: number, form: (day: number) => string): string[] =>
    Array.from({ length: count }, (_, place) => form(13 + place));
  const dayFirst = (day: number): string => `${String(day)}/05/2026`;
  const monthFirst = (day: number): string => `05/${String(day)}/2026`;
  const first = async (held: readonly string[], header = 'Eff Date'): Promise<string | undefined> =>
    (await column(header, ['03/05/2026', ...held], 'policyEffectiveDate')).came[0];
  expect(await first(clear(3, dayFirst))).toBe('2026-05-03');
  expect(await first(clear(2, dayFirst))).toBe('date-ambiguous');
  expect(await first([...clear(9, dayFirst), '05/25/2026'])).toBe('2026-05-03');
  expect(await first([...clear(8, dayFirst), '05/25/2026'])).toBe('date-ambiguous');
  expect(await first(clear(3, monthFirst))).toBe('2026-03-05');
  expect(await first([...clear(9, monthFirst), '25/05/2026'])).toBe('2026-03-05');
  expect(await first(clear(3, (day) => `${String(day)}.05.2026`))).toBe('2026-05-03');
  expect(await first([], 'Eff Date (DD/MM/YYYY)')).toBe('2026-05-03');
  expect(await first(['05/25/2026'], 'Eff Date (DD/MM/YYYY)')).toBe('2026-05-03 date-order-contradicted');
  expect((await column('Eff Date', ['03.05.2026'], 'policyEffectiveDate')).came).toEqual(['date-ambiguous']);
});

test('rejects one mistyped date alone and reads the others month first', async () => {
  const held = Array.from({ length: 29 }, (_, place) => `12/0${String(1 + (place % 9))}/2026`);
  const { came } = await column('Eff Date', [...held, '13/12/2026'], 'policyEffectiveDate');
  expect(came).toEqual([
    ...held.map((text) => `2026-12-${text.slice(3, 5)} date-order-contradicted`),
    'date-against-column',
  ]);
});

test('rejects ambiguous dates if two others contradict the usual reading', async () => {
  const held = [...Array.from({ length: 20 }, () => '12/01/2026'), '12/14/2026', '12/15/2026', '12/16/2026'];
  const { came } = await column('Eff Date', [...held, '17/12/2026', '18/12/2026'], 'policyEffectiveDate');
  expect(came.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'date-ambiguous'));
  expect(came.slice(20)).toEqual(['14', '15', '16', '17', '18'].map((day) => `2026-12-${day}`));
});

test('reads undecided dates month first with a note, unless configured', async () => {
  const alone = await column('Eff Date', ['12/01/2026', '12/02/2026'], 'policyEffectiveDate');
  expect(alone).toMatchObject({
    came: ['2026-12-01', '2026-12-02'],
    notes: [expect.stringMatching(/^dates-month-first "Orders" [A-Z] "Eff Date" 2$/)],
  });
  expect((await column('Eff Date', ['12/01/2026'], 'policyEffectiveDate', { dateOrder: 'dmy' })).came).toEqual([
    '2026-01-12',
  ]);
  expect(await column('Eff Date', ['12/01/2026'], 'policyEffectiveDate', { dateOrder: 'mdy' })).toMatchObject({
    came: ['2026-12-01'],
    notes: [],
  });
});

test('takes day-first dates and decimal commas as signs of another country', async () => {
  const of = async (header: string, held: readonly string[]): Promise<string | undefined> => {
    const source = inMemorySource({
      Orders: [[...HEADERS, 'Eff Date', header], ...held.map((cell) => [...ROW, '12/01/2026', cell])],
    });
    const [outcome] = await collected(
      (await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-10-15' })).rows(),
    );
    return outcome === undefined ? undefined : cameTo(outcome, 'policyEffectiveDate').split(' ')[0];
  };
  expect(await of('Due date', ['11/30/2026', '11/29/2026', '11/28/2026'])).toBe('2026-12-01');
  expect(await of('Due date', ['30/11/2026', '29/11/2026', '28/11/2026'])).toBe('date-ambiguous');
  expect(await of('Cov A', ['1.250.000', '325.000,00', '98.000,00'])).toBe('date-ambiguous');
});

test('keeps a text doubtful in the corrections workbook', async () => {
  const source = inMemorySource({
    Orders: [
      ['_row', ...HEADERS, 'Eff Date'],
      [`${'a'.repeat(12)} Orders 4`, ...ROW, '12/01/2026'],
      [`${'a'.repeat(12)} Orders 5`, ...ROW, '13/12/2026'],
    ],
  });
  const outcomes = await collected(
    (await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-10-15' })).rows(),
  );
  expect(outcomes.map((outcome) => cameTo(outcome, 'policyEffectiveDate'))).toEqual([
    'date-ambiguous',
    'date-against-column',
  ]);
});

test('rejects real dates that Excel may have read month first', async () => {
  expect(
    (await column('Eff Date', [date('2026-03-05'), '25/05/2026', date('2026-06-06')], 'policyEffectiveDate')).came,
  ).toEqual(['date-ambiguous', '2026-05-25', '2026-06-06']);
  expect(
    (await column('Eff Date', [date('2026-03-05'), '25/05/2026', date('2026-06-26')], 'policyEffectiveDate')).came,
  ).toEqual(['2026-03-05 date-perhaps-swapped', '2026-05-25', '2026-06-26']);
  expect((await column('Eff Date', [date('2026-03-05'), '05/25/2026'], 'policyEffectiveDate')).came).toEqual([
    '2026-03-05',
    '2026-05-25',
  ]);
});

test('rejects one mistyped text among real dates alone', async () => {
  const swappable = Array.from({ length: 12 }, (_, place) => date(`2026-11-0${String(1 + (place % 9))}`));
  const { came } = await column('Eff Date', [...swappable, '13/11/2026'], 'policyEffectiveDate');
  expect(came.map((one) => one.split(' ')[1] ?? one)).toEqual([
    ...swappable.map(() => 'date-perhaps-swapped'),
    'date-against-column',
  ]);
  const typed = [date('2026-11-20'), date('2026-11-21'), date('2026-11-22')];
  expect(
    (await column('Eff Date', [...swappable.slice(0, 9), ...typed], 'policyEffectiveDate')).came.some((one) =>
      one.includes(' '),
    ),
  ).toBe(false);
});

test('counts the majority over the whole column, however long', async () => {
  const clear = Array.from({ length: 3 }, (_, place) => `${String(20 + place)}/05/2026`);
  const { came } = await column(
    'Eff Date',
    ['03/05/2026', ...Array.from({ length: 6000 }, () => '2026-03-05'), ...clear],
    'policyEffectiveDate',
  );
  expect(came[0]).toBe('2026-05-03');
  const amounts = await column(
    'Cov A',
    ['250,000', ...Array.from({ length: 1500 }, () => '250000'), '1.250.000', '325.000,00', '98.000,00'],
    'dwellingCoverage',
  );
  expect(amounts.came[0]).toBe('amount-ambiguous');
});

test('reads a sheet again only if a cell needs its column', async () => {
  const header = 1;
  const rows = 1;
  const preview = 1;
  expect((await column('Eff Date', ['2026-03-05', '20260305', 'March 5, 2026'], 'policyEffectiveDate')).reads).toBe(
    header + rows,
  );
  expect((await column('Eff Date', [date('2026-03-05'), date('2026-04-05')], 'policyEffectiveDate')).reads).toBe(
    header + rows + preview,
  );
  expect((await column('Cov A', ['250000', '$251,000.00', '1,250,000'], 'dwellingCoverage')).reads).toBe(header + rows);
  expect((await column('Cov A', ['250,000', '251,000'], 'dwellingCoverage')).reads).toBe(header + rows + 1);
});
