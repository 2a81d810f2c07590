import { describe, expect, test } from 'vitest';
import type { ProblemCode } from '../../../src/domain/project.ts';
import type { FollowedStatus } from '../../../src/ledger/followed-projects.ts';
import {
  noteOnMissing,
  type MissingFiles,
  fetchNeed,
  noteAfterRecheck,
  planCollect,
  judgeFetch,
} from '../../../src/collect/collect-plan.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const NOW = 100 * DAY;
const PATIENCE = 5;

const PROJECT: FollowedStatus = {
  id: '1',
  status: 'Returned to Client',
  statusAt: NOW,
  inspectionCode: null,
  inspectionLink: null,
  firstSeenAt: 0,
  returnedAt: 0,
  collectedAt: NOW,
  problem: null,
  problemCode: null,
  lacking: [],
  fetch: null,
  hasLost: false,
};

describe('fetchNeed', () => {
  const need = (changes: Partial<FollowedStatus>, recheckSince?: number) =>
    fetchNeed({ ...PROJECT, ...changes }, { now: NOW, retryNights: PATIENCE, recheckSince });

  test.each([
    [7 * DAY - HOUR - 1, 'nothing'],
    [7 * DAY - HOUR, 'fetch'],
  ])('after nothing was offered %i ms ago: %s', (ms, kind) => {
    const fetch = { outcome: 'nothing-offered', nights: PATIENCE, lastNightAt: NOW - ms } as const;
    expect(need({ status: 'closed out', collectedAt: null, fetch }).kind).toBe(kind);
  });

  test('fetches an incomplete project every night', () => {
    const fetch = { outcome: 'incomplete', nights: PATIENCE, lastNightAt: NOW } as const;
    expect(need({ status: 'closed out', collectedAt: null, fetch })).toEqual({ kind: 'fetch', promised: false });
  });

  test('fetches lost files at any status and age', () => {
    expect(need({ hasLost: true, collectedAt: 0, statusAt: 0 })).toEqual({ kind: 'fetch', promised: true });
    expect(need({ hasLost: true, status: 'Client Received' })).toEqual({ kind: 'fetch', promised: true });
  });

  test('fetches again when a later check found files missing', () => {
    expect(need({ problemCode: 'files-incomplete', collectedAt: 0 })).toEqual({ kind: 'fetch', promised: true });
  });

  test.each([
    [3 * DAY + HOUR, 'recheck'],
    [3 * DAY + HOUR + 1, 'nothing'],
  ])('after collection %i ms ago: %s', (ms, kind) => {
    expect(need({ collectedAt: NOW - ms }).kind).toBe(kind);
  });

  test('counts from the later of the status and the collection', () => {
    const long = NOW - 50 * DAY;
    expect(need({ collectedAt: long, statusAt: NOW }, NOW).kind).toBe('recheck');
    expect(need({ collectedAt: NOW, statusAt: long, status: 'closed out' }, NOW).kind).toBe('recheck');
    expect(need({ collectedAt: long, statusAt: long }, NOW).kind).toBe('nothing');
  });
});

test('planCollect checks the latest collected projects first', () => {
  const followed = [3, 1, 2].map((day) => ({ ...PROJECT, id: String(day), collectedAt: NOW - day * HOUR }));
  const { rechecks } = planCollect(followed, { now: NOW, retryNights: PATIENCE });
  expect(rechecks.map(({ id }) => id)).toEqual(['1', '2', '3']);
});

describe('judgeFetch', () => {
  const GONE = { name: 'stored report R1', what: 'It is gone.', isVital: false };
  const LOST = { kind: 'nothing-offered', lost: [GONE] } as const;
  const INCOMPLETE: MissingFiles = {
    kind: 'incomplete',
    lacks: [
      { name: 'image I1', what: 'An image.', isVital: false },
      { name: 'report R1', what: 'A report.', isVital: true },
    ],
  };
  const problem = (status: string, missing: MissingFiles) => judgeFetch({ status }, missing, 1, PATIENCE).problem;

  test.each(['Client Received', 'Returned to Client', 'closed out'])('%s: names lost files first', (status) => {
    expect(problem(status, LOST)).toEqual({
      code: 'stored-files-lost',
      text: expect.stringMatching(/^It is gone\./) as string,
      lacking: ['stored report R1'],
    });
  });

  test('adds no space to the words about lost files', () => {
    expect(problem('closed out', LOST)?.text).toBe('It is gone.');
  });

  test.each([
    ['Client Received', 'received-elsewhere'],
    ['Returned to Client', 'no-report-yet'],
  ])('%s: says something else when nothing was lost', (status, code) => {
    expect(problem(status, { kind: 'nothing-offered', lost: [] })).toEqual({
      code,
      text: expect.stringMatching(/^\w/) as string,
      lacking: [],
    });
  });

  test('names everything that is missing', () => {
    expect(problem('Returned to Client', INCOMPLETE)).toEqual({
      code: 'files-incomplete',
      text: expect.stringMatching(/^An image\. A report\. /) as string,
      lacking: ['image I1', 'report R1'],
    });
  });

  test('waits for one vital file among others', () => {
    expect(judgeFetch({ status: 'Returned to Client' }, INCOMPLETE, PATIENCE, PATIENCE)).toMatchObject({
      outcome: 'incomplete',
      forPerson: true,
    });
  });

  test('ends a received project whose files nobody wants', () => {
    const waived = { outcome: 'ended', problem: null, isLeft: false, forPerson: false };
    expect(judgeFetch({ status: 'Client Received', isWaived: true }, INCOMPLETE, 1, PATIENCE)).toEqual(waived);
    expect(judgeFetch({ status: 'Returned to Client', isWaived: true }, INCOMPLETE, 1, PATIENCE).outcome).toBe(
      'incomplete',
    );
    expect(judgeFetch({ status: 'Client Received', isWaived: false }, INCOMPLETE, 1, PATIENCE).outcome).toBe(
      'incomplete',
    );
  });
});

describe('noteAfterRecheck', () => {
  const NOTHING: MissingFiles = { kind: 'nothing-offered', lost: [] };
  const file = (name: string) => ({ name, what: `No ${name}.`, isVital: false });
  const lacking = (...names: readonly string[]): MissingFiles => ({ kind: 'incomplete', lacks: names.map(file) });
  const note = (problemCode: ProblemCode | null, missing: MissingFiles, collectedAt: number | null = NOW) => {
    const noted = problemCode === 'complete-but-lacking' ? ['image I1', 'image I2'] : [];
    return noteAfterRecheck({ collectedAt, problemCode, lacking: noted }, missing);
  };

  test('keeps no note for a project never collected', () => {
    expect(note(null, NOTHING, null)).toBeNull();
  });

  test('does not take an earlier problem for a note', () => {
    expect(note('files-incomplete', NOTHING)).toBeNull();
  });

  test('changes nothing when the service no longer lists anything', () => {
    expect(note('complete-but-lacking', NOTHING)).toEqual({ note: null });
    expect(note(null, NOTHING)).toEqual({ note: null });
  });

  test('drops the note when a file is lost', () => {
    expect(note('complete-but-lacking', { kind: 'nothing-offered', lost: [file('stored report R1')] })).toBeNull();
  });

  test.each([[['image I1']], [['image I1', 'image I2']]])('keeps only missing files that still are: %j', (names) => {
    expect(note('complete-but-lacking', lacking(...names))).toEqual({ note: noteOnMissing(names.map(file)) });
  });

  test('drops the note when something else is missing', () => {
    expect(note('complete-but-lacking', lacking('image I1', 'report R2'))).toBeNull();
    expect(note(null, lacking('image I1'))).toBeNull();
  });

  test('drops the note when a noted file arrived damaged', () => {
    const damaged = { ...file('image I1'), isVital: true };
    expect(note('complete-but-lacking', { kind: 'incomplete', lacks: [damaged] })).toBeNull();
  });
});

describe('noteOnMissing', () => {
  test('names the files in words and for programs', () => {
    const { code, text, lacking } = noteOnMissing([{ name: 'image I1', what: 'No image I1.', isVital: false }]);
    expect([code, text.endsWith(': No image I1.'), lacking]).toEqual(['complete-but-lacking', true, ['image I1']]);
  });
});
