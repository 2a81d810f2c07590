import { afterEach, expect, test, vi } from 'vitest';
import { nextTime } from '../../../src/night/paced-client.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** In 2026: New York from 2 to 3 on March 8, and from 2 back to 1 on November 1; Berlin from 2 to 3 on March 29, and from 3 back to 2 on October 25. */
test.each([
  [
    'America/New_York',
    'the first of the repeated times',
    '2026-11-01T00:50:00-04:00',
    '01:45',
    '2026-11-01T01:45:00-04:00',
  ],
  [
    'America/New_York',
    'the second, once the first is over',
    '2026-11-01T01:50:00-04:00',
    '01:45',
    '2026-11-01T01:45:00-05:00',
  ],
  [
    'America/New_York',
    'the second, in the repeated hour',
    '2026-11-01T01:30:00-05:00',
    '01:45',
    '2026-11-01T01:45:00-05:00',
  ],
  [
    'America/New_York',
    'the next day, once both are over',
    '2026-11-01T01:46:00-05:00',
    '01:45',
    '2026-11-02T01:45:00-05:00',
  ],
  ['America/New_York', 'this very minute', '2026-11-01T01:45:00-05:00', '01:45', '2026-11-01T01:45:00-05:00'],
  [
    'America/New_York',
    'the beginning of the repeated hour',
    '2026-11-01T01:30:00-04:00',
    '01:00',
    '2026-11-01T01:00:00-05:00',
  ],
  [
    'America/New_York',
    'an evening before the change',
    '2026-10-31T22:00:00-04:00',
    '01:30',
    '2026-11-01T01:30:00-04:00',
  ],
  ['America/New_York', 'a time behind the change', '2026-11-01T01:30:00-05:00', '06:00', '2026-11-01T06:00:00-05:00'],
  [
    'America/New_York',
    'a skipped time, before the change',
    '2026-03-08T01:50:00-05:00',
    '02:30',
    '2026-03-08T03:30:00-04:00',
  ],
  [
    'America/New_York',
    'a skipped time, behind the change',
    '2026-03-08T03:10:00-04:00',
    '02:30',
    '2026-03-08T03:30:00-04:00',
  ],
  [
    'America/New_York',
    'the day after the skipped time, as it stands',
    '2026-03-08T04:00:00-04:00',
    '02:30',
    '2026-03-09T02:30:00-04:00',
  ],
  [
    'America/New_York',
    'a skipped time, from the evening before',
    '2026-03-07T22:00:00-05:00',
    '02:30',
    '2026-03-08T03:30:00-04:00',
  ],
  ['America/New_York', 'a day of 23 hours', '2026-03-08T00:30:00-05:00', '00:15', '2026-03-09T00:15:00-04:00'],
  [
    'Europe/Berlin',
    'the second, in the repeated hour',
    '2026-10-25T02:10:00+01:00',
    '02:30',
    '2026-10-25T02:30:00+01:00',
  ],
  [
    'Europe/Berlin',
    'the first of the repeated times',
    '2026-10-25T01:10:00+02:00',
    '02:30',
    '2026-10-25T02:30:00+02:00',
  ],
  [
    'Europe/Berlin',
    'a skipped time, before the change',
    '2026-03-29T01:50:00+01:00',
    '02:15',
    '2026-03-29T03:15:00+02:00',
  ],
  [
    'Europe/Berlin',
    'an evening that looks past midnight',
    '2026-06-10T23:00:00+02:00',
    '05:00',
    '2026-06-11T05:00:00+02:00',
  ],
  [
    'Australia/Lord_Howe',
    'the second, where half an hour is repeated',
    '2026-04-05T01:35:00+10:30',
    '01:45',
    '2026-04-05T01:45:00+10:30',
  ],
])('nextTime in %s: %s', (zone, _what, now, time, expected) => {
  vi.stubEnv('TZ', zone);
  expect(new Date(nextTime(time, Date.parse(now))).toISOString()).toBe(new Date(expected).toISOString());
});
