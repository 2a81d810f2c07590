import { expect, test } from 'vitest';
import { PROJECT_STATUSES } from '../../../src/contract/document.ts';
import type { FollowedStatus } from '../../../src/ledger/followed-projects.ts';
import { noteOnMissing, fetchNeed, planCollect, judgeFetch } from '../../../src/collect/collect-plan.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const PATIENCE = 5;
const PROMISED = { kind: 'fetch', promised: true };
const POSSIBLE = { kind: 'fetch', promised: false };
const NOTHING = { kind: 'nothing' };

test.each<[string, object]>([
  ...PROJECT_STATUSES.filter(
    (status) => !['Returned to Client', 'Client Received', 'Receive Error'].includes(status),
  ).map((status) => [status, NOTHING] as [string, object]),
  ['not yet known', NOTHING],
  ['Returned to Client', PROMISED],
  ['Client Received', POSSIBLE],
  ['Receive Error', POSSIBLE],
  ['closed out', POSSIBLE],
  ['Waiting for Weather', POSSIBLE],
  ['returned to client', POSSIBLE],
])('needOf: a project that is "%s"', (status, expected) => {
  const project = { status, statusAt: 0, problemCode: null, fetch: null };
  expect(fetchNeed({ ...project, collectedAt: null, hasLost: false }, { now: 0, retryNights: PATIENCE })).toEqual(
    expected,
  );
  expect(fetchNeed({ ...project, collectedAt: 0, hasLost: false }, { now: 5 * DAY, retryNights: PATIENCE })).toEqual(
    NOTHING,
  );
});

test('fetchNeed fetches lost files of a collected project, even during rework', () => {
  const project = { ...COLLECTED, hasLost: true };
  const need = (changes: Partial<FollowedStatus>) =>
    fetchNeed({ ...project, ...changes }, { now: 9 * DAY, retryNights: PATIENCE }).kind;
  expect([need({ status: 'Project Rework' }), need({ status: 'Assigned to Pilot' })]).toEqual(['fetch', 'fetch']);
  expect([
    need({ status: 'Project Rework', hasLost: false }),
    need({ status: 'Project Rework', collectedAt: null }),
  ]).toEqual(['nothing', 'nothing']);
});

test('fetchNeed asks weekly for unpromised files, nightly for promised ones', () => {
  const fetch = { outcome: 'nothing-offered', nights: PATIENCE, lastNightAt: 0 } as const;
  const need = (status: string, now: number, nights: number) =>
    fetchNeed(
      { status, statusAt: 0, problemCode: null, collectedAt: null, fetch: { ...fetch, nights }, hasLost: false },
      { now, retryNights: PATIENCE },
    ).kind;
  expect([
    need('Waiting for Weather', DAY, PATIENCE - 1),
    need('Waiting for Weather', DAY, PATIENCE),
    need('Waiting for Weather', 6.5 * DAY, PATIENCE),
  ]).toEqual(['fetch', 'nothing', 'nothing']);
  // Cron does not start at the same second every night.
  expect(need('Waiting for Weather', 7 * DAY - 5 * 60_000, PATIENCE)).toBe('fetch');
  expect(need('Returned to Client', DAY, 50)).toBe('fetch');
});

const COLLECTED: FollowedStatus = {
  id: '1',
  status: 'Returned to Client',
  statusAt: 0,
  inspectionCode: null,
  inspectionLink: null,
  firstSeenAt: 0,
  returnedAt: 0,
  collectedAt: 0,
  problem: null,
  problemCode: null,
  lacking: [],
  fetch: null,
  hasLost: false,
};

test('fetchNeed rechecks a collected project for three nights, longer on request', () => {
  const need = (changes: Partial<FollowedStatus>, now: number, recheckSince?: number) =>
    fetchNeed({ ...COLLECTED, ...changes }, { now, retryNights: PATIENCE, recheckSince }).kind;
  expect([need({}, DAY), need({}, 3 * DAY), need({}, 4 * DAY)]).toEqual(['recheck', 'recheck', 'nothing']);
  expect([need({}, 40 * DAY, 0), need({}, 40 * DAY, DAY), need({ status: 'closed out' }, 40 * DAY, 0)]).toEqual([
    'recheck',
    'nothing',
    'recheck',
  ]);
  expect([
    need({ status: 'closed out' }, DAY),
    need({ status: 'Client Received' }, DAY, 0),
    need({ status: 'Project Rework' }, DAY, 0),
  ]).toEqual(['nothing', 'nothing', 'nothing']);
  expect([
    need({ problemCode: 'files-incomplete' }, 40 * DAY),
    need({ problemCode: 'complete-but-lacking' }, 40 * DAY),
    need({ problemCode: 'project-not-known' }, 40 * DAY),
  ]).toEqual(['fetch', 'nothing', 'nothing']);
});

test('planCollect limits automatic rechecks to the 500 latest, requested ones never', () => {
  const followed = Array.from({ length: 600 }, (_, index) => ({ ...COLLECTED, id: String(index), collectedAt: index }));
  const { rechecks, waiting } = planCollect(followed, { now: DAY, retryNights: PATIENCE });
  expect([waiting.length, rechecks.length, rechecks[0]?.id, rechecks.at(-1)?.id]).toEqual([0, 500, '599', '100']);
  expect(planCollect(followed, { now: DAY, retryNights: PATIENCE, recheckSince: 0 }).rechecks).toHaveLength(600);
});

const BROKEN = { kind: 'incomplete', lacks: [{ name: 'report R1', what: 'Broken.', isVital: true }] } as const;
const NONE = { kind: 'nothing-offered', lost: [] } as const;

test('judgeFetch leaves missing files to a person after some nights', () => {
  for (const missing of [BROKEN, NONE]) {
    for (const nights of [1, 4]) {
      expect(judgeFetch({ status: 'Returned to Client' }, missing, nights, PATIENCE)).toMatchObject({
        outcome: missing.kind,
        isLeft: true,
        forPerson: false,
        problem: { text: expect.stringContaining(' next run ') },
      });
    }
    for (const nights of [5, 60]) {
      expect(judgeFetch({ status: 'Returned to Client' }, missing, nights, PATIENCE)).toMatchObject({
        outcome: missing.kind,
        isLeft: false,
        forPerson: true,
        problem: { text: expect.stringContaining(`${nights} nights`) },
      });
    }
  }
});

test('judgeFetch ends a project received elsewhere that offers nothing more', () => {
  expect(judgeFetch({ status: 'Client Received' }, NONE, 1, PATIENCE)).toMatchObject({
    outcome: 'ended',
    isLeft: false,
    forPerson: true,
    problem: { code: 'received-elsewhere' },
  });
  expect(judgeFetch({ status: 'Client Received' }, BROKEN, 1, PATIENCE)).toMatchObject({
    outcome: 'incomplete',
    isLeft: true,
  });
  expect(judgeFetch({ status: 'Client Received' }, BROKEN, 5, PATIENCE)).toMatchObject({
    outcome: 'ended',
    forPerson: true,
  });
});

test('judgeFetch expects nothing from an unlisted status that offers nothing', () => {
  expect(judgeFetch({ status: 'Waiting for Weather' }, NONE, 9, PATIENCE)).toEqual({
    outcome: 'nothing-offered',
    problem: null,
    isLeft: false,
    forPerson: false,
  });
});

test('judgeFetch turns a missing optional file into a note after some nights', () => {
  const missing = {
    kind: 'incomplete',
    lacks: [{ name: 'image I1', what: 'No image I1.', isVital: false }],
  } as const;
  expect(judgeFetch({ status: 'Returned to Client' }, missing, 4, PATIENCE)).toMatchObject({
    outcome: 'incomplete',
    isLeft: true,
    forPerson: false,
  });
  expect(judgeFetch({ status: 'Returned to Client' }, missing, 5, PATIENCE)).toEqual({
    outcome: 'complete',
    problem: noteOnMissing(missing.lacks),
    isLeft: false,
    forPerson: true,
  });
  const both = { kind: 'incomplete', lacks: [...missing.lacks, ...BROKEN.lacks] } as const;
  expect(judgeFetch({ status: 'Returned to Client' }, both, 5, PATIENCE)).toMatchObject({
    outcome: 'incomplete',
    forPerson: true,
    problem: { text: expect.stringContaining('No image I1. Broken.') },
  });
});

test('judgeFetch ends a project received here without its files, silently', () => {
  for (const missing of [NONE, BROKEN]) {
    expect(judgeFetch({ status: 'Client Received', isWaived: true }, missing, 1, PATIENCE)).toEqual({
      outcome: 'ended',
      problem: null,
      isLeft: false,
      forPerson: false,
    });
  }
  expect(judgeFetch({ status: 'Returned to Client', isWaived: true }, BROKEN, 1, PATIENCE)).toMatchObject({
    isLeft: true,
  });
});
