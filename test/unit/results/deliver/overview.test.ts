import { afterEach, expect, test, vi } from 'vitest';
import { NEXT_RUN_RETRIES } from '../../../../src/domain/project.ts';
import type { RunOnRecord } from '../../../../src/ledger/history.ts';
import type { WatchedProject } from '../../../../src/ledger/followed-projects.ts';
import type { Closeout, UsualDuration } from '../../../../src/ledger/projects.ts';
import { newOrder } from '../../../support/order-factory.ts';
import { summarizeNotes, judgeWatchedProjects, type ProjectNotes } from '../../../../src/results/deliver/overview.ts';

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-03-10T12:00:00Z');
const USUAL: UsualDuration = {
  status: 'Assigned to Pilot',
  stays: 20,
  stayMs: 2 * DAY,
  returns: 20,
  toReturnMs: 5 * DAY,
};

function watched(
  id: string,
  changes: Partial<WatchedProject['project']> = {},
  dueDate: string | null = null,
): WatchedProject {
  const project = {
    id,
    status: 'Assigned to Pilot',
    statusAt: NOW - DAY,
    inspectionCode: null,
    inspectionLink: null,
    firstSeenAt: 0,
    returnedAt: null,
    collectedAt: null,
    problem: null,
    problemCode: null,
    lacking: [],
    fetch: null,
    hasLost: false,
    ...changes,
  };
  return {
    project,
    orderId: Number(id) + 1000,
    isOrderedHere: true,
    order: newOrder({ streetAddress: `${id} Oak Street`, ...(dueDate === null ? {} : { dueDate }) }).payload,
  };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The run going on, which began ten minutes ago, and those before it. */
function runsEvery(ms: number, count = 10): readonly RunOnRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    run: `run-${index}`,
    command: 'run',
    startedAt: NOW - 10 * MINUTE - index * ms,
    finishedAt: null,
    exitCode: null,
  }));
}

/** How many projects were read, call by call. */
let reads: number[] = [];

function notes(
  projects: readonly WatchedProject[],
  stays: readonly UsualDuration[] = [USUAL],
  closeouts: readonly Closeout[] = [],
  runs: readonly RunOnRecord[] = runsEvery(DAY),
): Promise<ProjectNotes> {
  reads = [];
  async function* watchedProjects(ids?: readonly string[]): AsyncIterable<WatchedProject> {
    const call = reads.push(0) - 1;
    for (const one of projects.filter(({ project }) => ids?.includes(project.id) ?? true)) {
      reads[call] = (reads[call] ?? 0) + 1;
      yield one;
    }
  }
  return judgeWatchedProjects(
    {
      watchedProjects,
      usualDurations: async () => stays,
      closeouts: async () => closeouts,
      lastRuns: async () => runs,
    },
    NOW,
  );
}

const ids = (items: AsyncIterable<{ readonly project: string }>): Promise<readonly string[]> =>
  Array.fromAsync(items, ({ project }) => project);

test('calls a status slow after twice the median plus a day', async () => {
  const projects = [
    watched('1', { statusAt: NOW - 3.9 * DAY }),
    watched('2', { statusAt: NOW - 4.1 * DAY }),
    watched('3', { statusAt: NOW - 30 * DAY }),
    watched('4', { statusAt: NOW - 90 * DAY, returnedAt: NOW - 80 * DAY }),
  ];
  expect(await ids((await notes(projects)).slow)).toEqual(['3', '2']);
  const quick = { ...USUAL, stayMs: HOUR };
  expect(
    await ids(
      (
        await notes(
          [watched('1', { statusAt: NOW - 20 * HOUR }), watched('2', { statusAt: NOW - 26 * HOUR })],
          [quick],
          [],
          runsEvery(30 * MINUTE),
        )
      ).slow,
    ),
  ).toEqual(['2']);
});

test('draws nothing from few stays or from another status', async () => {
  expect((await notes([watched('1', { statusAt: 0 })], [{ ...USUAL, stays: 7 }])).slow).toHaveLength(0);
  expect((await notes([watched('1', { statusAt: 0, status: 'Project Rework' })])).slow).toHaveLength(0);
});

// At risk: the usual way takes longer or, if unknown, the date is near.
test('calls a due date overdue the next day, at risk before', async () => {
  const projects = [
    watched('1', {}, '2026-03-09'),
    watched('2', {}, '2026-03-10'),
    watched('3', {}, '2026-03-13'),
    watched('4', {}, '2026-03-15'),
    watched('5', { returnedAt: 1 }, '2026-03-01'),
    watched('6'),
    watched('7', { status: 'Client Received' }, '2026-03-01'),
    watched('8', { status: 'Image Uploaded' }, '2026-03-11'),
  ];
  // One day in a status from which it takes five: four are left, until the 14th at noon.
  const [usual, unknown] = [await notes(projects), await notes(projects, [])];
  expect([await ids(usual.overdue), await ids(usual.atRisk)]).toEqual([['1'], ['2', '3']]);
  expect((await usual.atRisk.first(1))[0]?.expectedAt).toBe(NOW + 4 * DAY);
  expect([await ids(unknown.overdue), await ids(unknown.atRisk)]).toEqual([['1'], ['2', '3']]);
});

test('takes the local day for due dates and skips closed-out projects', async () => {
  const projects = [
    watched('1', {}, '2026-03-09'),
    watched('2', {}, '2026-03-10'),
    watched('3', { status: 'Closed Out' }, '2026-03-01'),
  ];
  for (const [zone, today, overdue] of [
    ['Pacific/Kiritimati', '2026-03-11', ['1', '2']],
    ['Pacific/Niue', '2026-03-10', ['1']],
  ] as const) {
    vi.stubEnv('TZ', zone);
    const said = await notes(projects);
    expect([zone, said.today, await ids(said.overdue)]).toEqual([zone, today, overdue]);
  }
});

test('explains an overdue project: progress, time in status, order date', async () => {
  const projects = [
    watched('1', { statusAt: NOW - 3 * DAY, firstSeenAt: Date.UTC(2026, 1, 20) }, '2026-03-01'),
    watched('2', { status: 'Image Uploaded', firstSeenAt: NOW - DAY }, '2026-03-02'),
    watched('3', { status: 'Project Rework', firstSeenAt: Date.UTC(2026, 1, 20) }, '2026-03-03'),
    watched('4', { status: 'odd', firstSeenAt: NOW - DAY }, '2026-03-09'),
  ];
  expect(await Array.fromAsync((await notes(projects)).overdue, ({ why }) => why)).toEqual([
    expect.stringMatching(/: Assigned to Pilot .*\b3 days\b.*\b2 days\. Ordered 19 days/),
    expect.stringMatching(/: Image Uploaded .*\b24 h\. Ordered 24 h ago, .*\bdue date/),
    expect.stringMatching(/: Project Rework .*\b24 h\. Ordered 19 days/),
    expect.stringMatching(/^odd .*\b24 h\. Ordered 24 h ago\.$/),
  ]);
});

test('gives no age to a status or project first seen last night', async () => {
  const [now, old] = [NOW - 5 * MINUTE, Date.UTC(2026, 1, 20)];
  const projects = [
    watched('1', { statusAt: now, firstSeenAt: old }, '2026-03-01'),
    watched('2', { statusAt: now, firstSeenAt: now }, '2026-03-02'),
    { ...watched('3', { statusAt: now, firstSeenAt: now }, '2026-03-03'), isOrderedHere: false },
    { ...watched('4', { statusAt: old, firstSeenAt: old }, '2026-03-04'), isOrderedHere: false },
    watched('5', { statusAt: NOW - 25 * MINUTE, firstSeenAt: old }, '2026-03-05'),
  ];
  expect(await Array.fromAsync((await notes(projects, [])).overdue, ({ why }) => why)).toEqual([
    expect.stringMatching(/: Assigned to Pilot, .*\blast night\. Ordered 19 days/),
    expect.stringMatching(/: Assigned to Pilot, .*\blast night\. Ordered last night, .*\bdue date/),
    expect.stringMatching(/: Assigned to Pilot, .*\blast night\. Followed .*\blast night\.$/),
    expect.stringMatching(/: Assigned to Pilot .*\b19 days\. Followed .*\b19 days\.$/),
    expect.stringMatching(/: Assigned to Pilot .*\ban hour\. Ordered 19 days/),
  ]);
});

test('ignores a median of too few stays or within a run interval', async () => {
  const late = watched('1', { statusAt: NOW - 30 * DAY, firstSeenAt: NOW - 30 * DAY }, '2026-03-01');
  const week = { ...USUAL, stayMs: 7 * DAY, toReturnMs: 7 * DAY };
  for (const [stay, runs] of [
    [week, runsEvery(7 * DAY, 3)],
    [{ ...USUAL, returns: 7 }, runsEvery(DAY, 1)],
  ] as const) {
    const { overdue, slow } = await notes([late], [stay], [], runs);
    expect([slow.length, (await overdue.first(1))[0]]).toMatchObject([
      0,
      { expectedAt: null, why: expect.stringMatching(/: Assigned to Pilot .*\b30 days\. Ordered 30 days/) as string },
    ]);
  }
  const { overdue } = await notes([late], [{ ...week, returns: 7 }]);
  expect((await overdue.first(1))[0]).toMatchObject({
    expectedAt: null,
    why: expect.stringContaining('usually 7 days'),
  });
});

test('lists missing files, but not of closeouts, with a reason and a command', async () => {
  const closeout: Closeout = {
    projectId: '7',
    order: newOrder({ streetAddress: '7 Oak Street' }).payload,
    reasons: ['Pilot was denied on location.'],
    askedAt: null,
    inspectedBefore: null,
    inspectedSince: null,
    orderedSince: null,
    isOvertaken: false,
    at: 0,
  };
  const fetch = { outcome: 'nothing-offered', nights: 1, lastNightAt: 0 } as const;
  const { withoutFiles } = await notes(
    [
      watched('5', { problem: 'Not available (404).' }),
      watched('6', { status: 'closed out', fetch }),
      watched('7', { problem: null }),
      watched('8', { status: 'Waiting for Weather', fetch }),
      watched('9', { problem: `Not available (404). ${NEXT_RUN_RETRIES}` }),
    ],
    [],
    [closeout],
  );
  expect(withoutFiles).toEqual([
    {
      title: 'Ann Lee, 5 Oak Street, Cambridge MA (project 5), Assigned to Pilot',
      detail: 'Not available (404).',
      command: 'inspection-batch resolve 1005 --give-up',
    },
    {
      title: 'Ann Lee, 6 Oak Street, Cambridge MA (project 6), closed out',
      detail: expect.stringContaining('offers no report'),
      command: 'inspection-batch resolve 1006 --give-up',
    },
    expect.objectContaining({ command: 'inspection-batch run' }),
  ]);
});

test('summarizeNotes joins many late or slow projects into one line each', async () => {
  const many = Array.from({ length: 40 }, (_, index) =>
    watched(String(index), { statusAt: NOW - 30 * DAY }, '2026-03-01'),
  );
  const [overdue, slow, ...rest] = await summarizeNotes(await notes(many));
  expect([overdue?.title, slow?.title, rest]).toEqual([
    '40 projects overdue',
    expect.stringMatching(/^40 .*\busual$/),
    [],
  ]);
  expect(overdue?.detail).toMatch(
    /^Ann Lee, 0 Oak Street, Cambridge MA \(project 0\), due Mar 1, 2026, Assigned to Pilot; .*\b28 more\.$/,
  );
  expect(slow?.detail).toContain('for 30 days, usually 2 days');
});

test('reads overdue projects once, and each list only as needed', async () => {
  const many = Array.from({ length: 1200 }, (_, index) =>
    watched(
      String(index),
      { firstSeenAt: NOW - (index < 700 ? 1 : 4) * DAY },
      index % 2 === 0 ? '2026-03-02' : '2026-03-01',
    ),
  );
  const { overdue, outstandingDays } = await notes(many);
  expect([overdue.length, [...outstandingDays], reads]).toEqual([
    1200,
    [
      [1, 700],
      [4, 500],
    ],
    [1200],
  ]);
  expect((await overdue.first(3)).map(({ project }) => project)).toEqual(['1', '3', '5']);
  expect(reads).toEqual([1200, 3]);
  // Those that come first in a list: no more are read than one batch.
  for await (const { project } of overdue) if (project === '1') break;
  expect(reads).toEqual([1200, 3, 500]);
});
