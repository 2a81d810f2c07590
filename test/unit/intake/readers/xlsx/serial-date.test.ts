import { expect, test } from 'vitest';
import { isoOfDateText, isoOfSerial } from '../../../../../src/intake/readers/xlsx/cell-values.ts';

test.each([
  [46086, '2026-03-05'],
  [46086.604166666664, '2026-03-05T14:30:00'],
  [46086.99999999, '2026-03-06'],
  [46402.99999421297, '2027-01-15T23:59:59'],
  [46402.99999884259, '2027-01-15T23:59:59'],
  [46402.99999998842, '2027-01-15T23:59:59'],
  [1, '1900-01-01'],
  [59, '1900-02-28'],
  [61, '1900-03-01'],
  [2958465, '9999-12-31'],
])('isoOfSerial reads serial %d as %s', (serial, iso) => {
  expect(isoOfSerial(serial, false)).toBe(iso);
});

test.each([-1, 0, 0.5, 60, 60.25, 2958466, Number.NaN, Number.POSITIVE_INFINITY])(
  'isoOfSerial refuses serial %d',
  (serial) => {
    expect(isoOfSerial(serial, false)).toBeUndefined();
  },
);

test('isoOfSerial counts days of the 1904 system from zero', () => {
  expect(isoOfSerial(0, true)).toBe('1904-01-01');
  expect(isoOfSerial(44624, true)).toBe('2026-03-05');
  expect(isoOfSerial(-1, true)).toBeUndefined();
});

test('isoOfSerial gives consecutive days from 1900-03-01 on', () => {
  const dayOf = (serial: number): number => Date.parse(isoOfSerial(serial, false) ?? '') / 86_400_000;
  const serials = Array.from({ length: 80_000 - 62 }, (_, index) => 62 + index);
  expect(serials.filter((serial) => dayOf(serial) - dayOf(serial - 1) !== 1)).toEqual([]);
});

test('isoOfDateText takes wall-clock time and refuses impossible dates', () => {
  expect(isoOfDateText('2026-03-05')).toBe('2026-03-05');
  expect(isoOfDateText('2026-03-05T00:00:00.000Z')).toBe('2026-03-05');
  expect(isoOfDateText('2026-03-05T14:30:00')).toBe('2026-03-05T14:30:00');
  expect(isoOfDateText('2027-01-15T23:59:59.999')).toBe(isoOfSerial(46402.99999998842, false));
  expect(isoOfDateText('2026-02-30')).toBeUndefined();
  expect(isoOfDateText('14:30:00')).toBeUndefined();
  expect(isoOfDateText('2026-03-05T25:00:00')).toBeUndefined();
});
