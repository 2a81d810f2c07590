import { expect, test } from 'vitest';
import type { FileArrival } from '../../../src/ledger/outbox.ts';
import { describeSilence, findSilentSenders } from '../../../src/notify/silent-senders.ts';

/** Sunday, November 22, 2026, local time; days before it count backwards. */
function at(daysBefore: number, time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(2026, 10, 22 - daysBefore, hours, minutes).getTime();
}

/** On every day of so many weeks back that is no weekend, at this time. */
function weekdays(time: string, from: number, to = 1): readonly FileArrival[] {
  const days = Array.from({ length: from - to + 1 }, (_, index) => from - index).filter(
    (day) => ![0, 6].includes(new Date(at(day, time)).getDay()),
  );
  return days.map((day) => ({ sender: 'agency-a', at: at(day, time) }));
}

const FRIDAY = 2;
const THURSDAY = 3;

test('findSilentSenders reports a missing weekday sender after its usual time', () => {
  const arrivals = weekdays('17:50', 30, THURSDAY + 2);
  expect(findSilentSenders(arrivals, at(FRIDAY, '17:30'))).toEqual([]);
  const [silent] = findSilentSenders(arrivals, at(FRIDAY, '18:05'));
  expect(silent).toEqual({ sender: 'agency-a', usuallyBy: '18:00', lastAt: at(THURSDAY + 2, '17:50') });
  expect(silent && describeSilence(silent)).toMatch(/^agency-a .* 18:00, .* Tuesday, November 17\.$/);
});

test('findSilentSenders counts a night that ends minutes earlier than the others', () => {
  expect(findSilentSenders(weekdays('02:07', 30, THURSDAY), at(FRIDAY, '02:01'))).toHaveLength(1);
});

test('findSilentSenders expects nothing on weekends from a weekday sender', () => {
  const arrivals = weekdays('17:50', 30);
  expect(findSilentSenders(arrivals, at(1, '23:00'))).toEqual([]);
  expect(findSilentSenders(arrivals, at(0, '23:00'))).toEqual([]);
});

test('findSilentSenders accepts a file at any time today', () => {
  expect(
    findSilentSenders(
      [...weekdays('17:50', 30, THURSDAY), { sender: 'agency-a', at: at(FRIDAY, '06:00') }],
      at(FRIDAY, '23:00'),
    ),
  ).toEqual([]);
});

test.each([
  [2, 0],
  [3, 1],
  [4, 1],
])('silentSenders with files on %i of four Fridays reports %i', (weeks, missed) => {
  const arrivals = Array.from({ length: weeks }, (_, week) => ({
    sender: 'weekly',
    at: at(FRIDAY + 7 * (week + 1), '09:00'),
  }));
  expect(findSilentSenders(arrivals, at(FRIDAY, '12:00'))).toHaveLength(missed);
});

test('findSilentSenders keeps the usual time after one late night', () => {
  const arrivals = [...weekdays('17:50', 30, THURSDAY + 1), { sender: 'agency-a', at: at(THURSDAY, '23:40') }];
  expect(findSilentSenders(arrivals, at(FRIDAY, '18:05'))).toMatchObject([{ usuallyBy: '18:00' }]);
});

test('findSilentSenders takes the first file of a day in any order', () => {
  const times = ['09:00', '17:00'];
  const arrivals = [7, 14, 21, 28].flatMap((days) =>
    times.map((time) => ({ sender: 'agency-a', at: at(FRIDAY + days, time) })),
  );
  for (const listed of [arrivals, arrivals.toReversed()])
    expect(findSilentSenders(listed, at(FRIDAY, '10:00'))).toMatchObject([{ usuallyBy: '09:00' }]);
});

test('findSilentSenders takes the time by which nine in ten had come', () => {
  const times = ['08:00', '11:00', '07:00', '10:00'];
  const arrivals = times.map((time, week) => ({ sender: 'weekly', at: at(FRIDAY + 7 * (week + 1), time) }));
  expect(findSilentSenders(arrivals, at(FRIDAY, '12:00'))).toMatchObject([{ usuallyBy: '11:00' }]);
});

test('findSilentSenders reports a sender fifteen minutes before its usual time', () => {
  const arrivals = weekdays('17:50', 30, THURSDAY);
  expect(findSilentSenders(arrivals, at(FRIDAY, '17:34'))).toEqual([]);
  expect(findSilentSenders(arrivals, at(FRIDAY, '17:35'))).toHaveLength(1);
});

test('findSilentSenders never expects a file after the last minute of the day', () => {
  expect(findSilentSenders(weekdays('23:50', 30, THURSDAY), at(FRIDAY, '23:59'))).toMatchObject([
    { usuallyBy: '23:59' },
  ]);
});

test('findSilentSenders accepts a file whose recorded time is ahead of this clock', () => {
  const arrivals = [...weekdays('17:50', 30, THURSDAY), { sender: 'agency-a', at: at(FRIDAY, '18:06') }];
  expect(findSilentSenders(arrivals, at(FRIDAY, '18:05'))).toEqual([]);
});
