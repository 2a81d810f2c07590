import { describe, expect, test } from 'vitest';
import type { NightInNumbers } from '../../../src/domain/project.ts';
import { endOfRun, type RunSummary } from '../../../src/night/notify-run.ts';
import { QUIET_NIGHT } from '../../support/full-summary.ts';

const STILL_OPEN: NightInNumbers = {
  ...QUIET_NIGHT,
  high: 0,
  overdue: 1,
  undecided: 1,
  held: 1,
  riskiest: [],
  longestOverdue: [],
  pastDueRows: [],
  closeouts: [],
};

const { since: _since, ...NOTHING_NEW } = QUIET_NIGHT;
const COUNTS = Object.keys(NOTHING_NEW);

function nightAfter(night: NightInNumbers) {
  const summary = {
    run: 'R',
    command: 'collect',
    exitCode: 0,
    files: [],
    orders: {},
    projects: { outstanding: 3 },
    delivery: { folder: 'deliveries/R' },
  } as unknown as RunSummary;
  return endOfRun(summary, { night, stopped: [], faults: 0, openUpdates: 0, leftToFetch: 0 }, 0).night;
}

describe('endOfRun', () => {
  test('mails no night if nothing is new', () => {
    expect(nightAfter(STILL_OPEN)).toBeNull();
  });

  test.each(COUNTS)('has a night to mail if %s is its only new count', (count) => {
    expect(nightAfter({ ...STILL_OPEN, [count]: 1 })).toMatchObject({ [count]: 1, outstanding: 3 });
  });
});
