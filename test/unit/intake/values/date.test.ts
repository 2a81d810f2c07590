import { describe, expect, test } from 'vitest';
import type { Cell } from '../../../../src/domain/cells.ts';
import { type CoercionContext, type DateReading, NO_EVIDENCE } from '../../../../src/intake/values/coercion.ts';
import {
  coerceDateCell,
  coerceDateNumber,
  coerceDateText,
  dateEvidence,
  isAmbiguousDate,
  isSwappableDate,
  yearsAway,
} from '../../../../src/intake/values/date.ts';
import { coercionInShort, numberCell } from '../../../support/coercions.ts';

type Dates = DateReading;
type Context = Pick<CoercionContext, 'evidence' | 'corrected' | 'today'>;

const TODAY = '2026-10-15';
const UNKNOWN: Dates = { reading: undefined, by: 'column', contradicted: false, witnesses: {} };
const MONTH_FIRST: Dates = { ...UNKNOWN, reading: 'month first' };
const DAY_FIRST: Dates = { ...UNKNOWN, reading: 'day first' };

const contextOf = (dates: Dates, more: Partial<Context> = {}): Context => ({
  evidence: { ...NO_EVIDENCE, dates },
  corrected: false,
  today: TODAY,
  ...more,
});
const read = (text: string, dates = UNKNOWN, more: Partial<Context> = {}) =>
  coercionInShort(coerceDateText(text, contextOf(dates, more)));

describe('coerceDateText', () => {
  test.each([
    ['2026-03-05', '=2026-03-05'],
    ['2026-3-05', '~2026-03-05'],
    ['2026-03-5', '~2026-03-05'],
    ['2026/03/05', '~2026-03-05'],
    ['2026.03.05', '~2026-03-05'],
    ['2026-03/05', '!date-format'],
    ['2026-02-29', '!date-no-such-day'],
    ['2028-02-29', '=2028-02-29'],
    ['2026-13-01', '!date-no-such-day'],
    ['2026-00-10', '!date-no-such-day'],
    ['0999-03-05', '!date-no-such-day'],
    ['1000-03-05', '=1000-03-05'],
    ['12026-03-05', '!date-format'],
    ['2026-03-051', '!date-format'],
    ['20261305', '!date-format'],
    ['18991231', '!date-format'],
    ['20260305.0', '~2026-03-05'],
    ['202603051', '!date-format'],
    ['', '!date-format'],
  ])('reads the year first: %j as %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['Mar 5 26', '~2026-03-05'],
    ['March 5th, 2026', '~2026-03-05'],
    ['march-5-2026', '~2026-03-05'],
    ['Mar. 5, 2026', '~2026-03-05'],
    ['Sept 5, 2026', '~2026-09-05'],
    ['Sep 5, 2026', '~2026-09-05'],
    ['Septem 5, 2026', '~2026-09-05'],
    ['Ma 5, 2026', '!date-format'],
    ['Mars 5, 2026', '!date-format'],
    ['Septx 5, 2026', '!date-format'],
    ['March 5, 026', '!date-format'],
    ['March 32, 2026', '!date-no-such-day'],
    ['1st of March 2026', '~2026-03-01'],
    ['2nd March, 2026', '~2026-03-02'],
    ['3rd-Mar-26', '~2026-03-03'],
    ['5. March 2026', '~2026-03-05'],
    ['5Mar2026', '~2026-03-05'],
    ['5/Mar/2026', '~2026-03-05'],
    ['x5 March 2026', '!date-format'],
    ['5 March 2026x', '!date-format'],
  ])('reads the name of the month: %s as %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['Thursday 3/5/2026', '~2026-03-05'],
    ['Thu, 3/5/2026', '~2026-03-05'],
    ['Thurs. 3/5/2026', '~2026-03-05'],
    ['Sunday 3/5/2026', '~2026-05-03'],
    ['Monday 3/5/2026', '!date-weekday'],
    ['Monday 3/25/2026', '!date-weekday'],
    ['Friday, March 5, 2026', '!date-weekday'],
    ['Thursday, March 5, 2026', '~2026-03-05'],
    ['Thursday 2026-03-05', '~2026-03-05'],
    ['Thx 3/25/2026', '!date-format'],
    ['Th 3/25/2026', '!date-format'],
    ['Monday 13/13/2026', '!date-no-such-day'],
  ])('believes the day of the week: %s as %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test('rejects a date whose weekday contradicts its order of day and month', () => {
    const message = JSON.stringify(coerceDateText('Monday 3/5/2026', contextOf(UNKNOWN)));
    expect(message).toMatch(/not a Monday.*March 5, 2026.*Thursday/);
  });

  test.each([
    ['3/25/2026 12:00 AM', true],
    ['3/25/2026 12:00 a.m.', true],
    ['3/25/2026 0:00', true],
    ['3/25/2026 00:00:00', true],
    ['3/25/2026T00:00:00.000Z', true],
    ['3/25/2026, 00:00', true],
    ['3/25/2026 00:00 +0000', true],
    ['3/25/2026 12:00 PM', false],
    ['3/25/2026 12:00', false],
    ['3/25/2026 1:00 AM', false],
    ['3/25/2026 00:01', false],
    ['3/25/2026 00:00:01', false],
  ])('drops the time of %s; at midnight without a word: %s', (text, atMidnight) => {
    const [timed, plain] = [text, '3/25/2026'].map((one) => coerceDateText(one, contextOf(UNKNOWN)));
    expect(timed).toMatchObject({ kind: 'value', value: '2026-03-25' });
    expect(JSON.stringify(timed) === JSON.stringify(plain)).toBe(atMidnight);
  });

  test.each([
    ['3/25/2026 1:0', '!date-format'],
    ['3/25/20261:00', '!date-format'],
    ['3/25/2026 1:00 xm', '!date-format'],
    [`March${' '.repeat(88)}5, 2026`, '~2026-03-05'],
    [`March${' '.repeat(89)}5, 2026`, '!date-format'],
  ])('reads %j as %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['3/25/2026', UNKNOWN, '~2026-03-25'],
    ['25/3/2026', UNKNOWN, '~2026-03-25'],
    ['3 / 25 / 2026', UNKNOWN, '~2026-03-25'],
    ['3/25-2026', UNKNOWN, '!date-format'],
    ['3/25/026', UNKNOWN, '!date-format'],
    ['3/3/2026', UNKNOWN, '~2026-03-03'],
    ['3/5/2026', MONTH_FIRST, '~2026-03-05'],
    ['3/5/2026', DAY_FIRST, '~2026-05-03'],
    ['3/5/2026', UNKNOWN, '!date-ambiguous'],
    ['25/3/2026', MONTH_FIRST, '!date-against-column'],
    ['3/25/2026', DAY_FIRST, '!date-against-column'],
    ['25/3/2026', DAY_FIRST, '~2026-03-25'],
    ['3/3/2026', DAY_FIRST, '~2026-03-03'],
    ['3.5.2026', { ...MONTH_FIRST, by: 'usage' }, '!date-ambiguous'],
    ['3.5.2026', MONTH_FIRST, '~2026-03-05'],
    ['3/5/2026', { ...MONTH_FIRST, by: 'usage' }, '~2026-03-05'],
    ['27-01-15', DAY_FIRST, '~2015-01-27'],
    ['27-01-15', MONTH_FIRST, '!date-ambiguous'],
    ['12-01-15', MONTH_FIRST, '~2015-12-01'],
    ['37-01-15', UNKNOWN, '!date-no-such-day'],
    ['27-01-2015', UNKNOWN, '~2015-01-27'],
    ['16-01-15', UNKNOWN, '!date-ambiguous'],
    ['15-01-16', UNKNOWN, '~2016-01-15'],
    ['15-01-15', UNKNOWN, '~2015-01-15'],
  ] as const)('reads %s in a column %j as %s', (text, dates, expected) => {
    expect(read(text, dates)).toBe(expected);
  });

  test.each([
    ['25/3/2026', UNKNOWN, '!date-against-column'],
    ['25/3/2026', DAY_FIRST, '~2026-03-25'],
    ['3/25/2026', UNKNOWN, '~2026-03-25'],
    ['3/3/2026', UNKNOWN, '~2026-03-03'],
  ] as const)('reads %s in a corrections workbook %j as %s', (text, dates, expected) => {
    expect(read(text, dates, { corrected: true })).toBe(expected);
  });

  test.each([
    ['3/5/2026', '~2026-03-05 +date-order-contradicted'],
    ['3/25/2026', '~2026-03-25'],
    ['13/13/2026', '!date-no-such-day'],
  ])('warns in a contradicted column: %s as %s', (text, expected) => {
    expect(read(text, { ...MONTH_FIRST, contradicted: true })).toBe(expected);
  });

  test('quotes the cell that contradicts the column', () => {
    const witnesses = { 'day first': { text: '25/3/2026', rowNumber: 41 } } as const;
    const message = (dates: Dates) => JSON.stringify(coerceDateText('3/5/2026', contextOf(dates)));
    expect(message({ ...MONTH_FIRST, contradicted: true, witnesses })).toMatch(/\b41\b.*May 3, 2026/);
    expect(message({ ...DAY_FIRST, contradicted: true, witnesses })).not.toMatch(/\b41\b/);
    expect(message({ ...UNKNOWN, witnesses })).not.toMatch(/\b41\b/);
  });

  test('quotes both cells of a column without an order', () => {
    const monthFirst = { text: '3/25/2026', rowNumber: 41 };
    const dayFirst = { text: '25/3/2026', rowNumber: 42 };
    const dates = { ...UNKNOWN, witnesses: { 'month first': monthFirst, 'day first': dayFirst } };
    expect(JSON.stringify(coerceDateText('3/5/2026', contextOf(dates)))).toMatch(/\b41\b.*\b42\b/);
  });

  test.each([
    ['1/31/46', TODAY, '2046-01-31'],
    ['1/31/47', TODAY, '1947-01-31'],
    ['1/31/10', '2090-06-01', '2110-01-31'],
    ['1/31/11', '2090-06-01', '2011-01-31'],
    ['1/31/30', '2010-06-01', '2030-01-31'],
    ['1/31/31', '2010-06-01', '1931-01-31'],
  ])('reads the short year of %s on %s as %s', (text, today, expected) => {
    expect(read(text, UNKNOWN, { today })).toBe(`~${expected}`);
  });

  test.each([
    ['20000', '~1954-10-03'],
    ['19999', '!date-format'],
    ['80000', '~2119-01-11'],
    ['80001', '!date-format'],
    ['46086.0', '~2026-03-05'],
    ['46086.5', '!date-format'],
  ])('reads the serial number %s as %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });
});

describe('coerceDateNumber', () => {
  test.each([
    ['46086', '~2026-03-05'],
    ['46086.75', '~2026-03-05'],
    ['0.5', '!date-format'],
    ['0', '!date-format'],
    ['1', '!date-format'],
    ['20260305', '~2026-03-05'],
    ['5252026', '~2026-05-25'],
    ['20260305.0', '~2026-03-05'],
    ['202603', '!date-format'],
  ])('reads %s as %s', (raw, expected) => {
    expect(coercionInShort(coerceDateNumber(numberCell(raw), contextOf(UNKNOWN)))).toBe(expected);
  });

  test('counts from 1904 where the workbook does', () => {
    const cell = { ...numberCell('44624'), date1904: true } as const;
    expect(coercionInShort(coerceDateNumber(cell, contextOf(UNKNOWN)))).toBe('~2026-03-05');
  });

  test('notes a dropped time alone', () => {
    const [whole, timed] = ['46086', '46086.75'].map((raw) => coerceDateNumber(numberCell(raw), contextOf(UNKNOWN)));
    expect(JSON.stringify(timed)).not.toBe(JSON.stringify(whole));
  });
});

describe('isAmbiguousDate, dateEvidence', () => {
  test.each([
    ['3/5/2026', true, undefined],
    ['3/25/2026', false, 'month first'],
    ['25/3/2026', false, 'day first'],
    ['3/3/2026', false, undefined],
    ['13/13/2026', false, undefined],
    ['27-01-15', true, undefined],
    ['Thursday 3/5/2026', false, 'month first'],
    ['Sunday 3/5/2026', false, 'day first'],
    ['Monday 3/5/2026', true, undefined],
    ['Monday 3/25/2026', false, undefined],
    ['March 5, 2026', false, undefined],
    ['2026-03-05', false, undefined],
    ['soon', false, undefined],
  ])('%s: %s, %s', (text, isAmbiguous, evidence) => {
    expect([isAmbiguousDate(text, TODAY), dateEvidence(text, TODAY)]).toEqual([isAmbiguous, evidence]);
  });

  test.each([
    ['27-01-31', true],
    ['27-01-16', true],
    ['37-01-27', false],
    ['16-01-30', true],
    ['15-01-30', false],
  ])('takes a year first only ten years from today: %s, %s', (text, isAmbiguous) => {
    expect(isAmbiguousDate(text, TODAY)).toBe(isAmbiguous);
  });
});

describe('yearsAway', () => {
  test.each([
    ['2016-12-31', 10],
    ['2036-01-01', 10],
    ['2026-01-01', 0],
  ])('counts the calendar years to %s: %i', (iso, years) => {
    expect(yearsAway(iso, TODAY)).toBe(years);
  });
});

const dateCell = (iso: string): Extract<Cell, { kind: 'date' }> => ({ kind: 'date', iso, raw: '46086' });

describe('isSwappableDate', () => {
  test.each([
    ['2026-03-12', true],
    ['2026-03-13', false],
    ['2026-03-03', false],
  ])('says of %s: %s', (iso, expected) => {
    expect(isSwappableDate(dateCell(iso))).toBe(expected);
  });
});

describe('coerceDateCell', () => {
  const WITNESSED: Dates = { ...UNKNOWN, witnesses: { 'day first': { text: '25/05/2026', rowNumber: 9 } } };

  test.each([
    ['2026-03-05', '=2026-03-05'],
    ['2026-03-05T00:00:00', '=2026-03-05'],
    ['2026-03-05T00:00:00.000', '=2026-03-05'],
    ['2026-03-05T10:00:00', '~2026-03-05'],
    ['2026-02-30', '!date-no-such-day'],
    ['0999-02-03', '!date-no-such-day'],
  ])('reads %s as %s', (iso, expected) => {
    expect(coercionInShort(coerceDateCell(dateCell(iso), contextOf(UNKNOWN)))).toBe(expected);
  });

  test.each([
    ['sure', WITNESSED, '=2026-03-05'],
    ['doubtful', UNKNOWN, '=2026-03-05'],
    ['doubtful', WITNESSED, '!date-ambiguous'],
    ['perhaps swapped', WITNESSED, '=2026-03-05 +date-perhaps-swapped'],
  ] as const)('doubts a date next to day-first texts: %s', (realDates, dates, expected) => {
    const context = { evidence: { ...NO_EVIDENCE, dates, realDates }, corrected: false };
    expect(coercionInShort(coerceDateCell(dateCell('2026-03-05'), context))).toBe(expected);
  });

  test('proposes both days', () => {
    const evidence = { ...NO_EVIDENCE, dates: WITNESSED, realDates: 'doubtful' } as const;
    const message = JSON.stringify(coerceDateCell(dateCell('2026-03-05'), { evidence, corrected: false }));
    expect(message).toMatch(/May 3, 2026.*2026-03-05 or 2026-05-03/);
  });
});
