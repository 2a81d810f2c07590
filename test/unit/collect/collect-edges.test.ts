import { describe, expect, test } from 'vitest';
import { describeLacking } from '../../../src/domain/project.ts';
import type { FollowedStatus } from '../../../src/ledger/followed-projects.ts';
import { type Missing, needOf, keptNote, planCollect, verdictOn } from '../../../src/collect/collect-plan.ts';

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
  fetch: null,
  hasLost: false,
};

describe('needOf', () => {
  const need = (changes: Partial<FollowedStatus>, recheckSince?: number) =>
    needOf({ ...PROJECT, ...changes }, { now: NOW, patienceNights: PATIENCE, recheckSince });

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
    expect(need({ problem: 'Broken.', collectedAt: 0 })).toEqual({ kind: 'fetch', promised: true });
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
  const { rechecks } = planCollect(followed, { now: NOW, patienceNights: PATIENCE });
  expect(rechecks.map(({ id }) => id)).toEqual(['1', '2', '3']);
});

describe('verdictOn', () => {
  const LOST = { kind: 'nothing-offered', lost: ['It is gone.'] } as const;
  const INCOMPLETE: Missing = {
    kind: 'incomplete',
    lacks: [
      { what: 'An image.', isVital: false },
      { what: 'A report.', isVital: true },
    ],
  };

  test.each(['Client Received', 'Returned to Client', 'closed out'])('%s: names lost files first', (status) => {
    expect(verdictOn({ status }, LOST, 1, PATIENCE).problem).toMatch(/^It is gone\./);
  });

  test.each(['Client Received', 'Returned to Client'])('%s: says something else when nothing was lost', (status) => {
    const problem = verdictOn({ status }, { kind: 'nothing-offered', lost: [] }, 1, PATIENCE).problem;
    expect(problem).toMatch(/\w/);
    expect(problem).not.toMatch(/^ /);
  });

  test('names everything that is missing', () => {
    expect(verdictOn({ status: 'Returned to Client' }, INCOMPLETE, 1, PATIENCE).problem).toMatch(
      /^An image\. A report\. /,
    );
  });

  test('waits for one vital file among others', () => {
    expect(verdictOn({ status: 'Returned to Client' }, INCOMPLETE, PATIENCE, PATIENCE)).toMatchObject({
      outcome: 'incomplete',
      forPerson: true,
    });
  });

  test('ends a received project whose files are not wanted', () => {
    const waived = { outcome: 'ended', problem: null, isLeft: false, forPerson: false };
    expect(verdictOn({ status: 'Client Received', isWaived: true }, INCOMPLETE, 1, PATIENCE)).toEqual(waived);
    expect(verdictOn({ status: 'Returned to Client', isWaived: true }, INCOMPLETE, 1, PATIENCE).outcome).toBe(
      'incomplete',
    );
    expect(verdictOn({ status: 'Client Received', isWaived: false }, INCOMPLETE, 1, PATIENCE).outcome).toBe(
      'incomplete',
    );
  });
});

describe('noteThatStands', () => {
  const NOTHING: Missing = { kind: 'nothing-offered', lost: [] };
  const lacking = (...whats: readonly string[]): Missing => ({
    kind: 'incomplete',
    lacks: whats.map((what) => ({ what, isVital: false })),
  });
  const note = (problem: string | null, missing: Missing, collectedAt: number | null = NOW) =>
    keptNote({ collectedAt, problem }, missing);
  const NOTE = describeLacking(['An image.', 'A photo.']);

  test('keeps no note for a project never collected', () => {
    expect(note(null, NOTHING, null)).toBeNull();
  });

  test('does not take an earlier problem for a note', () => {
    expect(note('Broken.', NOTHING)).toBeNull();
  });

  test('keeps the note when the service no longer lists anything', () => {
    expect(note(NOTE, NOTHING)).toEqual({ note: NOTE });
    expect(note(null, NOTHING)).toEqual({ note: null });
  });

  test('drops the note when a file is lost', () => {
    expect(note(NOTE, { kind: 'nothing-offered', lost: ['It is gone.'] })).toBeNull();
  });

  test('keeps only the missing files that are still missing', () => {
    expect(note(NOTE, lacking('An image.'))).toEqual({ note: describeLacking(['An image.']) });
    expect(note(NOTE, lacking('An image.', 'A photo.'))).toEqual({ note: NOTE });
  });

  test('drops the note when something else is missing', () => {
    expect(note(NOTE, lacking('An image.', 'A report.'))).toBeNull();
    expect(note(null, lacking('An image.'))).toBeNull();
  });
});
