import { expect, test } from 'vitest';
import { PROJECT_STATUSES } from '../contract/status.ts';
import type { ProjectRecord } from '../ledger/ledger.ts';
import { needOf, planSweep } from './collect-plan.ts';

const project = (id: string): ProjectRecord => ({
  id, status: 'Project Created', statusAt: 0, inspectionCode: null, inspectionLink: null, firstSeenAt: 0, returnedAt: null, collectedAt: null, problem: null,
});

test('a few projects are asked for singly, more of them by pages of the largest size', () => {
  expect(planSweep([])).toEqual({ kind: 'singly', ids: [] });
  expect(planSweep(['11', '12'].map(project))).toEqual({ kind: 'singly', ids: ['11', '12'] });
  expect(planSweep(['11', '12', '13'].map(project))).toEqual({ kind: 'pages', ids: ['11', '12', '13'], limit: 500 });
});

const PROMISED = { kind: 'fetch', expected: true };
const POSSIBLE = { kind: 'fetch', expected: false };
const NOTHING = { kind: 'nothing' };

test.each<[string, object]>([
  ...PROJECT_STATUSES.filter((status) => status !== 'Returned to Client' && status !== 'Client Received').map((status) => [status, NOTHING] as [string, object]),
  ['not yet known', NOTHING],
  ['Returned to Client', PROMISED],
  ['closed out', POSSIBLE],
  ['Waiting for Weather', POSSIBLE],
  ['returned to client', POSSIBLE],
])('what a project that is "%s" needs', (status, expected) => {
  expect(needOf({ status, collectedAt: null })).toEqual(expected);
  expect(needOf({ status, collectedAt: 1 })).toEqual(NOTHING);
});
