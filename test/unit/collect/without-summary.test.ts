import { expect, test } from 'vitest';
import { judgeMissingSummary } from '../../../src/collect/fetch-project.ts';

test.each<[string | null, string, string]>([
  ['Inspection Closeout Report', 'Returned to Client', 'allowed'],
  ['Some Report', 'closed out', 'allowed'],
  ['Full-scope Underwriting Report', 'Returned to Client', 'wrong'],
  ['Roof-only Underwriting Report', 'Client Received', 'wrong'],
  ['Some Report', 'Returned to Client', 'doubtful'],
  [null, 'Returned to Client', 'doubtful'],
])('withoutSummary for type %s and status %s: %s', (type, status, expected) => {
  expect(judgeMissingSummary(type, status)).toBe(expected);
});
