import { expect, test } from 'vitest';
import { PROJECT_STATUSES } from '../contract/status.ts';
import { needOf, verdictOn } from './collect-plan.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const PATIENCE = 5;
const PROMISED = { kind: 'fetch', promised: true };
const POSSIBLE = { kind: 'fetch', promised: false };
const NOTHING = { kind: 'nothing' };

test.each<[string, object]>([
  ...PROJECT_STATUSES.filter((status) => !['Returned to Client', 'Client Received', 'Receive Error'].includes(status)).map((status) => [status, NOTHING] as [string, object]),
  ['not yet known', NOTHING],
  ['Returned to Client', PROMISED],
  ['Client Received', POSSIBLE],
  ['Receive Error', POSSIBLE],
  ['closed out', POSSIBLE],
  ['Waiting for Weather', POSSIBLE],
  ['returned to client', POSSIBLE],
])('what a project that is "%s" needs', (status, expected) => {
  expect(needOf({ status, collectedAt: null, fetch: null }, 0, PATIENCE)).toEqual(expected);
  expect(needOf({ status, collectedAt: 1, fetch: null }, 0, PATIENCE)).toEqual(NOTHING);
});

test('where nothing is promised and nothing was offered for some nights, it is asked for once a week; what is promised, every night', () => {
  const fetch = { outcome: 'nothing-offered', nights: PATIENCE, lastNightAt: 0 } as const;
  const need = (status: string, now: number, nights: number) => needOf({ status, collectedAt: null, fetch: { ...fetch, nights } }, now, PATIENCE).kind;
  expect([need('Waiting for Weather', DAY, PATIENCE - 1), need('Waiting for Weather', DAY, PATIENCE), need('Waiting for Weather', 6.5 * DAY, PATIENCE)]).toEqual(['fetch', 'nothing', 'nothing']);
  // Cron does not start at the same second every night.
  expect(need('Waiting for Weather', 7 * DAY - 5 * 60_000, PATIENCE)).toBe('fetch');
  expect(need('Returned to Client', DAY, 50)).toBe('fetch');
});

const BROKEN = { kind: 'incomplete', problem: 'The file came broken.' } as const;
const NONE = { kind: 'nothing-offered' } as const;

test('what does not come is work left for some nights, and then a person\'s; it is never concluded', () => {
  for (const missing of [BROKEN, NONE]) {
    for (const nights of [1, 4]) {
      expect(verdictOn({ status: 'Returned to Client' }, missing, nights, PATIENCE)).toMatchObject({ outcome: missing.kind, isLeft: true, forPerson: false, problem: expect.stringContaining('The next run tries again.') });
    }
    for (const nights of [5, 60]) {
      expect(verdictOn({ status: 'Returned to Client' }, missing, nights, PATIENCE)).toMatchObject({ outcome: missing.kind, isLeft: false, forPerson: true, problem: expect.stringContaining(`${nights} nights`) });
    }
  }
});

test('a project that was received elsewhere is at an end when the service says that it offers nothing, and a person is told', () => {
  expect(verdictOn({ status: 'Client Received' }, NONE, 1, PATIENCE)).toMatchObject({ outcome: 'ended', isLeft: false, forPerson: true, problem: expect.stringContaining('offers them no more') });
  expect(verdictOn({ status: 'Client Received' }, BROKEN, 1, PATIENCE)).toMatchObject({ outcome: 'incomplete', isLeft: true });
  expect(verdictOn({ status: 'Client Received' }, BROKEN, 5, PATIENCE)).toMatchObject({ outcome: 'ended', forPerson: true });
});

test('an unlisted status that offers nothing promises nothing', () => {
  expect(verdictOn({ status: 'Waiting for Weather' }, NONE, 9, PATIENCE)).toEqual({ outcome: 'nothing-offered', problem: null, isLeft: false, forPerson: false });
});
