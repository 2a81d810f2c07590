import { expect, test } from 'vitest';
import type { Cell } from '../../../../src/domain/cells.ts';
import { fieldNamed } from '../../../../src/intake/fields.ts';
import { coerce } from '../../../../src/intake/values/coerce.ts';
import {
  type CoercionContext,
  type ColumnEvidence,
  type DateOrder,
  NO_EVIDENCE,
  type DateReading,
  type ProofCell,
} from '../../../../src/intake/values/coercion.ts';
import { dateEvidence, isAmbiguousDate } from '../../../../src/intake/values/date.ts';

const text = (held: string): Cell => ({ kind: 'text', text: held });
const number = (raw: string, format?: string): Cell => ({
  kind: 'number',
  value: Number(raw),
  raw,
  ...(format === undefined ? {} : { format }),
});
const date = (iso: string): Cell => ({ kind: 'date', iso, raw: '46086' });

const CONTEXT: Omit<CoercionContext, 'field'> = {
  evidence: NO_EVIDENCE,
  corrected: false,
  state: undefined,
  today: '2026-10-15',
};

function settled(reading: DateOrder | 'open', witnesses: Partial<Record<DateOrder, ProofCell>> = {}): DateReading {
  return { reading: reading === 'open' ? undefined : reading, by: 'column', contradicted: false, witnesses };
}

/** `=value` as it is, `~value` repaired, `!rule` wrong, `` empty, `~` empty with a repair, `?` undecided. */
function outcome(fieldName: string, cell: Cell, state?: string, dateOrder: DateOrder | 'open' = 'open'): string {
  const field = fieldNamed(fieldName);
  if (field === undefined) throw new Error(`no field ${fieldName}`);
  const read = coerce(cell, { ...CONTEXT, field, state, evidence: { ...NO_EVIDENCE, dates: settled(dateOrder) } });
  switch (read.kind) {
    case 'empty':
      return read.why === undefined ? '' : '~';
    case 'value':
      return `${read.why === undefined ? '=' : '~'}${typeof read.value === 'string' ? read.value : JSON.stringify(read.value)}`;
    case 'undecided':
      return '?';
    case 'wrong':
      return `!${read.rule}`;
  }
}

test.each<[Cell, string | undefined, string]>([
  [text('33609'), 'FL', '=33609'],
  [text(' 33609-1204 '), 'FL', '~33609-1204'],
  [number('33609'), undefined, '=33609'],
  [number('2139'), 'MA', '~02139'],
  [text('2139'), 'MA', '~02139'],
  [text('2139'), 'FL', '!zipcode-lost-zero'],
  [text('2139'), undefined, '?'],
  [number('501'), 'NY', '~00501'],
  [number('926'), 'PR', '~00926'],
  [number('021390001'), 'MA', '~02139-0001'],
  [number('21390001'), 'MA', '~02139-0001'],
  [text('2139-0001'), 'MA', '~02139-0001'],
  [text('336091204'), 'FL', '~33609-1204'],
  [text('33609 1204'), 'FL', '~33609-1204'],
  [text('33609-'), 'FL', '~33609'],
  [text('33609.0'), 'FL', '~33609'],
  [text('2139.0'), 'MA', '~02139'],
  [number('2139', '00000'), 'MA', '~02139'],
  [text('K1A 0B1'), 'NY', '!zipcode-format'],
  [number('336091'), 'FL', '!zipcode-format'],
  [number('33609.5'), 'FL', '!zipcode-format'],
  [date('2026-03-05'), 'FL', '!cell-became-date'],
])('reads ZIP code %o in %s as %s', (cell, state, expected) => {
  expect(outcome('zipcode', cell, state)).toBe(expected);
});

test.each<[string, string]>([
  ['MA', '=MA'],
  ['ma', '~MA'],
  ['M.A.', '~MA'],
  ['Massachusetts', '~MA'],
  ['mass.', '~MA'],
  ['district of columbia', '~DC'],
  ['West Virginia', '~WV'],
  ['W. Virginia', '~WV'],
  ['N. Hampshire', '~NH'],
  ['Penna.', '~PA'],
  ['Calif.', '~CA'],
  ['ZZ', '!state-unknown'],
  ['Masachusets', '!state-unknown'],
  ['constructor', '!state-unknown'],
])('reads state %s as %s', (held, expected) => {
  expect(outcome('state', text(held))).toBe(expected);
});

test.each<[Cell, DateOrder | 'open', string]>([
  [text('2026-03-05'), 'open', '=2026-03-05'],
  [number('19999'), 'open', '!date-format'],
  [number('20000'), 'open', '~1954-10-03'],
  [text('2026/3/5'), 'open', '~2026-03-05'],
  [text('20260305'), 'open', '~2026-03-05'],
  [text('2026-03-05T00:00:00'), 'open', '~2026-03-05'],
  [text('2026-03-05 14:30'), 'open', '~2026-03-05'],
  [text('3/25/2026'), 'open', '~2026-03-25'],
  [text('25/3/2026'), 'open', '~2026-03-25'],
  [text('03/03/2026'), 'open', '~2026-03-03'],
  [text('03/05/2026'), 'month first', '~2026-03-05'],
  [text('03/05/2026'), 'day first', '~2026-05-03'],
  [text('03/05/2026'), 'open', '!date-ambiguous'],
  [text('3-5-26'), 'month first', '~2026-03-05'],
  [text('3/5/2026 12:00:00 AM'), 'month first', '~2026-03-05'],
  [text('05.03.2026'), 'month first', '~2026-05-03'],
  [text('25.03.2026'), 'open', '~2026-03-25'],
  [text('5.3.26'), 'day first', '~2026-03-05'],
  [text('5.3.26'), 'open', '!date-ambiguous'],
  [text('27-01-15'), 'open', '!date-ambiguous'],
  [text('27/01/15'), 'month first', '!date-ambiguous'],
  [text('26.12.05'), 'open', '!date-ambiguous'],
  [text('25/12/26'), 'open', '!date-ambiguous'],
  [text('25/12/26'), 'day first', '~2026-12-25'],
  [text('15/12/26'), 'open', '~2026-12-15'],
  [text('12/25/26'), 'open', '~2026-12-25'],
  [text('26-05-26'), 'open', '~2026-05-26'],
  [text('27-01-2015'), 'open', '~2015-01-27'],
  [text('03.25.2026'), 'open', '~2026-03-25'],
  [text('March 5, 2026'), 'open', '~2026-03-05'],
  [text('Thursday, March 5th, 2026'), 'open', '~2026-03-05'],
  [text('5-Mar-26'), 'open', '~2026-03-05'],
  [text('5 March 2026'), 'open', '~2026-03-05'],
  [text('Sept. 5, 2026'), 'open', '~2026-09-05'],
  [text('1/31/69'), 'open', '~1969-01-31'],
  [date('2026-03-05'), 'open', '=2026-03-05'],
  [date('2026-03-05T00:00:00'), 'open', '=2026-03-05'],
  [date('2026-03-05T14:30:00'), 'open', '~2026-03-05'],
  [number('46086'), 'open', '~2026-03-05'],
  [{ kind: 'number', value: 44_624.5, raw: '44624.5', date1904: true }, 'open', '~2026-03-05'],
  [number('20260305'), 'open', '~2026-03-05'],
  [number('12'), 'open', '!date-format'],
  [text('2026-02-30'), 'open', '!date-no-such-day'],
  [text('13/13/2026'), 'open', '!date-no-such-day'],
  [text('Mar-26'), 'open', '!date-format'],
  [text('ASAP'), 'open', '!date-format'],
  [text('N/A'), 'open', '~'],
  [text('  '), 'open', ''],
])('reads date %o with %s as %s', (cell, order, expected) => {
  expect(outcome('policyEffectiveDate', cell, undefined, order)).toBe(expected);
});

test('mentions in a repair that the workbook counts from 1904', () => {
  const field = fieldNamed('policyEffectiveDate');
  if (field === undefined) throw new Error('no such field');
  expect(coerce({ kind: 'number', value: 44_624, raw: '44624', date1904: true }, { ...CONTEXT, field })).toMatchObject({
    why: expect.stringContaining('1904'),
  });
});

test.each<[Cell, string]>([
  [text('HO-0048213'), '=HO-0048213'],
  [text('0048213'), '=0048213'],
  [number('48213'), '=48213'],
  [number('48213', '00000000'), '~00048213'],
  [number('48213', '"HO-"0000000'), '~HO-0048213'],
  [number('123456', '00-0000'), '~12-3456'],
  [number('48213', '#,##0'), '~48213'],
  [number('123456789012345'), '=123456789012345'],
  [number('1234567890123456'), '!id-lost-digits'],
  [number('1E+15'), '!id-lost-digits'],
  [number('1.2345678E7'), '~12345678'],
  [number('48213.0'), '~48213'],
  [number('0'), '!id-placeholder'],
  [text('48213.0'), '~48213'],
  [text('1234567890123456.0'), '!id-lost-digits'],
  [text('1234567890123450000'), '=1234567890123450000'],
  [text('HO–0048213'), '~HO-0048213'],
  [text('“HO-7”'), '~HO-7'],
  [text(' HO-7'), '~HO-7'],
  [number('15000000000', '0.00E+00'), '!id-lost-digits'],
  [text('1.23457E+11'), '!id-lost-digits'],
  [text('12E45'), '=12E45'],
  [number('12.5'), '!id-not-whole'],
  [date('2026-03-05'), '!cell-became-date'],
  [text('TBD'), '~'],
  [text('temp'), '!id-placeholder'],
  [text('TEST'), '!id-placeholder'],
  [text('xxx'), '!id-placeholder'],
  [text('000'), '!id-placeholder'],
  [text('N/A'), '~'],
  [text('AB\u00a012'), '~AB 12'],
])('reads policy number %o as %s', (cell, expected) => {
  expect(outcome('policyNumber', cell)).toBe(expected);
});

test.each<[string, Cell, string]>([
  ['dwellingCoverage', text('250000'), '=250000'],
  ['dwellingCoverage', text('$250,000'), '~250000'],
  ['dwellingCoverage', text('$ 1,250,000.50'), '~1250000.5'],
  ['dwellingCoverage', text('USD 90000'), '~90000'],
  ['dwellingCoverage', text('250.000,00'), '~250000'],
  ['dwellingCoverage', text('1.250.000'), '~1250000'],
  ['dwellingCoverage', text('250000,50'), '~250000.5'],
  ['dwellingCoverage', text("250'000"), '~250000'],
  ['dwellingCoverage', text('250.000'), '!amount-ambiguous'],
  ['dwellingCoverage', text('250k'), '~250000'],
  ['dwellingCoverage', text('($500)'), '!amount-negative'],
  ['dwellingCoverage', text('lots'), '!amount-format'],
  ['dwellingCoverage', text('€250000'), '!amount-format'],
  ['dwellingCoverage', number('-1'), '!amount-negative'],
  ['dwellingCoverage', text('-'), '~'],
  ['carrierProvidedLivingArea', text('1,800 sq ft'), '~1800'],
  ['carrierProvidedLivingArea', text('1800SF'), '~1800'],
  ['carrierProvidedLivingArea', text('180 m2'), '!amount-format'],
  ['yearBuilt', number('1987'), '=1987'],
  ['yearBuilt', text('1987.0'), '~1987'],
  ['yearBuilt', number('2026'), '=2026'],
  ['yearBuilt', number('2027'), '!year-built-future'],
  ['yearBuilt', text("'87"), '!year-four-digits'],
  ['yearBuilt', number('31048'), '!year-four-digits'],
  ['isRenewal', text('Yes'), '=true'],
  ['isRenewal', text('n'), '~false'],
  ['isRenewal', text('X'), '~true'],
  ['isRenewal', number('0'), '~false'],
  ['isRenewal', text('New business'), '~false'],
  ['isRenewal', text('maybe'), '!not-yes-or-no'],
  ['isRenewal', { kind: 'boolean', value: true }, '=true'],
  ['allowDuplication', text('Renewal'), '!not-yes-or-no'],
  ['serviceName', text('4-Point'), '=4-Point'],
  ['serviceName', text('4 point'), '~4-Point'],
  ['serviceName', text('ROOF ONLY'), '~Roof Only'],
  ['serviceName', text('4‑Point'), '~4-Point'],
  ['serviceName', text('Roof cert'), '!value-not-listed'],
  ['policyType', text('Farm and Ranch Insurance'), '!value-not-listed'],
  ['supplementalServices', text('RC Report, Sinkhole'), '=["RC Report","Sinkhole"]'],
  ['supplementalServices', text('wildfire;rc report'), '~["Wildfire","RC Report"]'],
  ['supplementalServices', text('Wildfire; Flood'), '!value-not-listed'],
  ['supplementalServices', text('None'), '~'],
  ['country', text('US'), '=US'],
  ['country', text('U.S.A.'), '~US'],
  ['country', text('Canada'), '!country-us-only'],
  ['insuredPhone', number('6175550123'), '=6175550123'],
  ['insuredPhone', text('(617) 555-0123 x4'), '=(617) 555-0123 x4'],
  ['agentPhone', text('n/a'), '~'],
  ['agentName', text('N/A'), '~'],
  ['insuredEmail', text('none'), '!required-placeholder'],
  ['insuredEmail', text('no email'), '!required-placeholder'],
  ['insuredEmail', text('Unknown'), '!required-placeholder'],
  ['insuredEmail', text('to be collected by the agent'), '=to be collected by the agent'],
  ['insuredEmail', text('nora@example.com'), '=nora@example.com'],
  ['insuredEmail', text('pat@example.com.'), '~pat@example.com'],
  ['insuredEmail', text('mailto:pat@example.com,;'), '~pat@example.com'],
  ['insuredEmail', text('a@example.com; b@example.com;'), '=a@example.com; b@example.com;'],
  ['agentEmail', text('no e-mail'), '~'],
  ['insuredPhone', text('none'), '!required-placeholder'],
  ['insuredPhone', text('N/A'), '!required-placeholder'],
  ['insuredPhone', text('-'), '!required-placeholder'],
  ['insuredPhone', text('TBD'), '!required-placeholder'],
  ['insuredPhone', text('see notes'), '=see notes'],
  ['inspectionNumber', text('TBD'), '~'],
  ['inspectionNumber', text('New Order'), '~'],
  ['inspectionNumber', text('see notes'), '~'],
  ['inspectionNumber', text('pending'), '~'],
  ['inspectionNumber', text('?'), '~'],
  ['inspectionNumber', text('x'), '~'],
  ['inspectionNumber', text('New Order 2'), '=New Order 2'],
  ['inspectionNumber', text('0'), '!id-placeholder'],
  ['policyNumber', text('New'), '!id-placeholder'],
  ['note', { kind: 'boolean', value: true }, '~TRUE'],
  ['insuredName', { kind: 'boolean', value: true }, '!cell-holds-boolean'],
  ['note', text('dog\r\nin\u00a0yard'), '=dog\r\nin\u00a0yard'],
  ['note', text(' dog\nin yard\n'), '~dog\nin yard'],
  ['agentName', text('Dana\nWhitlock'), '~Dana Whitlock'],
  ['note', text('two  spaces'), '=two  spaces'],
  ['note', date('2026-03-05'), '~2026-03-05'],
  ['note', text('TBD'), '=TBD'],
  ['insuredName', text('Marisol\u200b Vega '), '~Marisol Vega'],
  ['insuredName', text('O’Brien'), '=O’Brien'],
  ['insuredName', text('TBD'), '!required-placeholder'],
  ['streetAddress', text('N/A'), '!required-placeholder'],
  ['streetAddress', text('same as above'), '!value-ditto'],
  ['city', text('#REF!'), '!cell-error'],
  ['city', text('="Tampa"'), '~Tampa'],
  ['city', text('Miami,'), '~Miami'],
  ['zipcode', text('="33609"'), '~33609'],
  ['zipcode', text("'33609"), '~33609'],
  ['zipcode', text('３３６０９'), '~33609'],
  ['zipcode', text('33609\u20131204'), '~33609-1204'],
  ['zipcode', text('\u202d33609\u202c'), '~33609'],
  ['zipcode', number('2139', '00000'), '~02139'],
  ['zipcode', number('21390001', '00000-0000'), '~02139-0001'],
  ['insuredPhone', number('8135550142', '[<=9999999]###-####;(###) ###-####'), '~(813) 555-0142'],
  ['insuredPhone', number('18135550142'), '=18135550142'],
  ['insuredPhone', number('1234567890123456'), '!phone-format'],
  ['insuredPhone', text('8.13555E+09'), '!phone-lost-digits'],
  ['insuredPhone', text('8135550142.0'), '~8135550142'],
  ['insuredEmail', text('mailto:m@example.com'), '~m@example.com'],
  ['division', number('7', '000'), '~007'],
  ['division', number('12.50', '0.00'), '=12.50'],
  ['yearBuilt', text('unknown'), '~'],
  ['dueDate', text('TBD'), '~'],
  ['policyEffectiveDate', text('TBD'), '!id-placeholder'],
  ['isRenewal', text('NB'), '~false'],
  ['isRenewal', text('1.0'), '~true'],
  ['isRenewal', text('TRUE'), '=true'],
  ['supplementalServices', text('Wildfire\nSinkhole'), '~["Wildfire","Sinkhole"]'],
  ['supplementalServices', text('rc report and wildfire'), '~["RC Report","Wildfire"]'],
  ['serviceName', text(' ４－Ｐｏｉｎｔ '), '~4-Point'],
  ['carrierProvidedLivingArea', text('2,400 sq. ft.'), '~2400'],
  ['dwellingCoverage', text('9'.repeat(400)), '!amount-too-long'],
  ['dwellingCoverage', number('1e300'), '!amount-too-long'],
  ['dwellingCoverage', number('0.1', '0%'), '!amount-percent'],
  ['dwellingCoverage', number('250000', '[$€-407] #,##0'), '!amount-currency'],
  ['dwellingCoverage', number('250', '0",000"'), '!amount-display'],
  ['dwellingCoverage', number('250000', '#,##0,"K"'), '~250000'],
  ['dwellingCoverage', number('250000', '_($* #,##0_);_($* (#,##0);_($* "-"_);_(@_)'), '=250000'],
  ['dwellingCoverage', number('249999.6', '$#,##0'), '~249999.6'],
  ['dwellingCoverage', number('250000.00000000003'), '~250000'],
  ['streetAddress', text('=1+1'), '==1+1'],
  ['policyNumber', text('4411\n4412'), '!id-several'],
  ['policyNumber', text('TW-99\r\nTW-100 '), '!id-several'],
  ['policyNumber', text('HO-1234567\n'), '~HO-1234567'],
  ['city', { kind: 'error', code: '#N/A' }, '!cell-error'],
  ['city', { kind: 'formula', formula: 'VLOOKUP(A1,B:C,2)' }, '!cell-formula-without-value'],
])('reads %s %o as %s', (field, cell, expected) => {
  expect(outcome(field, cell)).toBe(expected);
});

test('suggests the nearest value for one outside the list', () => {
  const field = fieldNamed('policyType');
  if (field === undefined) throw new Error('policyType is a field');
  const read = coerce(text('Homeowners Insurence'), { ...CONTEXT, field });
  expect(read).toMatchObject({
    kind: 'wrong',
    message: expect.stringContaining(' "Homeowners Insurance"? ') as string,
  });
});

test('rejects an ambiguous date with both of its readings', () => {
  const field = fieldNamed('dueDate');
  if (field === undefined) throw new Error('dueDate is a field');
  const read = coerce(text('03/05/2026'), { ...CONTEXT, field, evidence: NO_EVIDENCE });
  expect(read).toMatchObject({ message: expect.stringContaining('March 5, 2026 or May 3, 2026') as string });
});

function read(fieldName: string, cell: Cell, evidence: Partial<ColumnEvidence> = {}, corrected = false) {
  const field = fieldNamed(fieldName);
  if (field === undefined) throw new Error(`no field ${fieldName}`);
  return coerce(cell, { ...CONTEXT, field, corrected, evidence: { ...NO_EVIDENCE, ...evidence } });
}

test.each([
  ['250.000', true, 'amount-ambiguous'],
  ['250.000', false, 'amount-ambiguous'],
  ['250,000', true, 'amount-ambiguous'],
  ['250,000', false, '250000'],
  ['$1.250,00', false, '1250'],
])('reads %s in a column with decimal commas (%s) as %s', (held, hasCommas, expected) => {
  const found = read('dwellingCoverage', text(held), { hasCommas });
  expect(found.kind === 'value' ? String(found.value) : found.kind === 'wrong' && found.rule).toBe(expected);
});

// Unless its day is beyond 12 or a person has looked at it.
test('doubts a real date among day-first texts', () => {
  const dates = settled('open', { 'day first': { text: '25/05/2026', rowNumber: 9 } });
  const message = 'row 9 of the same column holds the text "25/05/2026", day first';
  expect(read('dueDate', date('2026-03-05'), { dates, realDates: 'doubtful' })).toMatchObject({
    kind: 'wrong',
    rule: 'date-ambiguous',
    message: expect.stringContaining(message) as string,
  });
  expect(read('dueDate', date('2026-03-05'), { dates, realDates: 'perhaps swapped' })).toMatchObject({
    kind: 'value',
    value: '2026-03-05',
    warning: { rule: 'date-perhaps-swapped' },
  });
  expect(read('dueDate', date('2026-03-12'), { dates, realDates: 'doubtful' })).toMatchObject({
    kind: 'wrong',
    rule: 'date-ambiguous',
  });
  for (const [cell, corrected] of [
    [date('2026-03-13'), false],
    [date('2026-03-25'), false],
    [date('2026-05-05'), false],
    [date('2026-03-05'), true],
  ] as const) {
    expect(read('dueDate', cell, { dates, realDates: 'doubtful' }, corrected)).toEqual({
      kind: 'value',
      value: cell.kind === 'date' ? cell.iso : '',
    });
  }
});

test('shows the display of an accidental date', () => {
  expect(read('policyNumber', { kind: 'date', iso: '2026-03-05', raw: '46086', format: 'd-mmm' })).toMatchObject({
    message: expect.stringContaining('"5-Mar" (it holds 2026-03-05)') as string,
  });
});

// Rounded: 16 digits that end in zeros.
test('leaves out an unknown value and questions a rounded long number', () => {
  expect(read('dwellingCoverage', text('TBD'))).toMatchObject({ kind: 'empty', warning: { rule: 'value-not-known' } });
  expect(read('policyNumber', text('1234567890123450000'))).toMatchObject({
    kind: 'value',
    warning: { rule: 'id-perhaps-lost-digits' },
  });
});

test.each([
  ['policyType', 'Homeowner Insurence', 'Homeowners Insurance'],
  ['policyType', 'Commercial', 'Commercial Property Insurance'],
  ['serviceName', 'HV Premium', 'High Value Premium 4-point'],
  ['serviceName', 'Premium', 'Premium 4-Point'],
  ['houseType', 'LRO', 'General Commercial'],
  ['houseType', 'Residental Condo', 'Residential Condo'],
])('suggests for %s %s the fix %s, without making it', (field, held, likely) => {
  expect(read(field, text(held))).toMatchObject({
    kind: 'wrong',
    rule: 'value-not-listed',
    message: expect.stringMatching(new RegExp(`^"${held}" .*"${likely}"\\?`)) as string,
  });
});

// Both readings are named, and the date is no evidence for its column.
test('rejects a date whose year may be first or last', () => {
  expect(read('dueDate', text('27-01-15'))).toMatchObject({
    message: expect.stringContaining('January 15, 2027 or January 27, 2015') as string,
  });
  expect([isAmbiguousDate('27-01-15', CONTEXT.today), isAmbiguousDate('15-01-27', CONTEXT.today)]).toEqual([
    true,
    false,
  ]);
  expect([dateEvidence('27-01-15', CONTEXT.today), dateEvidence('15-01-27', CONTEXT.today)]).toEqual([
    undefined,
    'day first',
  ]);
});

test.each<[string, Cell, RegExp]>([
  ['policyNumber', text('\u202eHO557'), /^invisible characters were removed$/],
  ['policyNumber', text(' HO557 '), /^spaces around it were removed$/],
  ['policyNumber', text('\ufeff HO557'), /^spaces around it were removed; invisible characters were removed$/],
  ['streetAddress', text('１００ Main St'), /^wide characters became plain ones$/],
  ['dueDate', number('0.1277777777777778', 'h:mm'), /holds a time of day, not a date/],
  [
    'policyNumber',
    { kind: 'date', iso: '2026-03-05', raw: '46086', format: 'yyyy\\-mm\\-dd h:mm:ss' },
    /shows the date "2026-03-05", perhaps/,
  ],
])('describes the repair of %s %o', (fieldName, cell, said) => {
  const field = fieldNamed(fieldName);
  const read = field === undefined ? undefined : coerce(cell, { ...CONTEXT, field });
  expect(read?.kind === 'wrong' ? read.message : read?.kind === 'value' ? read.why : undefined).toMatch(said);
});

test('makes wide digits plain only in a street', () => {
  expect([outcome('streetAddress', text('１００ O’Brien St')), outcome('insuredName', text('Ｌee'))]).toEqual([
    '~100 O’Brien St',
    '=Ｌee',
  ]);
});

test.each<[string, Cell, string]>([
  ['dwellingCoverage', number('350000', '"C$"#,##0'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$CA$-1009]#,##0.00'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$$-1009]#,##0.00'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$$-en-CA]#,##0.00'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$A$]#,##0'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '#,##0 "CDN"'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$CAD] #,##0'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$€-2] #,##0'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$£-809]#,##0'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$R$-416] #,##0'), '!amount-currency'],
  ['dwellingCoverage', number('350000', '[$$-409]#,##0'), '=350000'],
  ['dwellingCoverage', number('350000', '[$$-en-US]#,##0'), '=350000'],
  ['dwellingCoverage', number('350000', '"US$"#,##0'), '=350000'],
  ['dwellingCoverage', number('350000', '[$US$-409]#,##0'), '=350000'],
  ['dwellingCoverage', number('350000', '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)'), '=350000'],
  ['dwellingCoverage', number('350000', '"Cov "$#,##0'), '=350000'],
  ['dwellingCoverage', text('CAD 350,000'), '!amount-format'],
  ['dwellingCoverage', text('€350.000'), '!amount-format'],
  ['dwellingCoverage', text('C$350,000'), '!amount-format'],
  ['dwellingCoverage', text('US$350,000'), '~350000'],
  ['dwellingCoverage', text('$0'), '~'],
  ['dwellingCoverage', text('00000'), '~'],
  ['dwellingCoverage', text('$0.00'), '~'],
  ['dwellingCoverage', number('0'), '~'],
  ['dwellingCoverage', number('0', '"$"#,##0'), '~'],
  ['carrierProvidedLivingArea', number('0'), '~'],
  ['carrierProvidedLivingArea', text('0 sq ft'), '~'],
  ['contentCoverage', text('$0'), '~0'],
  ['contentCoverage', number('0'), '=0'],
])('reads cell %s %o as %s', (field, cell, expected) => {
  expect(outcome(field, cell)).toBe(expected);
});

test('rejects an amount in another currency, and warns of a zero', () => {
  const field = fieldNamed('dwellingCoverage');
  if (field === undefined) throw new Error('no such field');
  expect(coerce(number('350000', '[$$-1009]#,##0'), { ...CONTEXT, field })).toMatchObject({
    rule: 'amount-currency',
    message: expect.stringMatching(/"\$350,000".* 350000\b/),
  });
  expect(coerce(text('CAD 350,000'), { ...CONTEXT, field })).toMatchObject({
    rule: 'amount-format',
    message: expect.stringContaining(' currency '),
  });
  expect(coerce(text('$0'), { ...CONTEXT, field })).toMatchObject({
    kind: 'empty',
    warning: { rule: 'amount-zero', message: expect.stringContaining('"$0"') },
  });
});

test.each<[string, string, string]>([
  ['insuredName', 'Smith &amp; Sons', '~Smith & Sons'],
  ['insuredName', 'Pat O&#39;Brien', "~Pat O'Brien"],
  ['insuredName', 'Pat O&#x2019;Brien', '~Pat O’Brien'],
  ['insuredName', 'Ann &quot;Bo&quot; Hill', '~Ann "Bo" Hill'],
  ['insuredName', 'Ann&nbsp;Hill', '~Ann Hill'],
  ['insuredName', 'Smith &amp;amp; Sons', '~Smith & Sons'],
  ['insuredName', 'AT&T', '=AT&T'],
  ['insuredName', 'Smith & Sons; Co', '=Smith & Sons; Co'],
  ['insuredName', 'A &#0; B &#xD800; C', '=A &#0; B &#xD800; C'],
  ['policyType', 'Farm &amp; Ranch Insurance', '~Farm & Ranch Insurance'],
  ['note', 'Dogs &amp; cats', '~Dogs & cats'],
  ['insuredEmail', 'Maria <maria@x.com>', '~maria@x.com'],
  ['insuredEmail', '"Lopez, Maria" <maria@x.com>', '~maria@x.com'],
  ['insuredEmail', '<maria@x.com>', '~maria@x.com'],
  ['insuredEmail', 'Maria (maria@x.com)', '~maria@x.com'],
  ['insuredEmail', 'maria@x.com <mailto:maria@x.com>', '~maria@x.com'],
  ['insuredEmail', 'Maria &lt;maria@x.com&gt;', '~maria@x.com'],
  ['insuredEmail', 'mailto:maria@x.com?subject=Order', '~maria@x.com'],
  ['insuredEmail', 'ann@x.com <maria@x.com>', '=ann@x.com <maria@x.com>'],
  ['insuredEmail', 'Maria <maria@x.com>; Jo <jo@x.com>', '=Maria <maria@x.com>; Jo <jo@x.com>'],
])('reads text %s %s as %s', (field, held, expected) => {
  expect(outcome(field, text(held))).toBe(expected);
});

test.each<[string, string, string]>([
  ['agentPhone', 'No phone number provided', 'empty'],
  ['agentEmail', 'no e-mail address available', 'empty'],
  ['agentName', '-'.repeat(25), 'empty'],
  ['policyNumber', '-'.repeat(25), 'empty'],
  ['insuredPhone', 'No phone number provided', 'wrong'],
  ['policyNumber', '#'.repeat(26), 'wrong'],
])('reads the long placeholder of %s %s as %s', (field, held, kind) => {
  expect(read(field, text(held))).toMatchObject({ kind });
});
