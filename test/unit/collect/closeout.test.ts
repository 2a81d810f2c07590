import { expect, test } from 'vitest';
import { closeoutReasonsOf, withoutSummary } from '../../../src/collect/fetch-project.ts';

test.each<[string, unknown, string, readonly string[] | null]>([
  [
    'reasons in the summary',
    ['Cancellation is confirmed.', ' ', 'Cancellation is confirmed.'],
    'Full-scope Underwriting Report',
    ['Cancellation is confirmed.'],
  ],
  ['a closeout report without reasons', undefined, 'Inspection Closeout Report', []],
  ['a closeout report with null', null, 'Inspection Closeout Report', []],
  ['an ordinary report with an empty list', [], 'Full-scope Underwriting Report', null],
  ['an ordinary report', undefined, 'Roof-only Underwriting Report', null],
  ['something else under that name', 'text', 'Roof-only Underwriting Report', null],
])('%s', (_what, closeoutReasons, type, expected) => {
  expect(closeoutReasonsOf([{ type }], [{ summary: { closeoutReasons } }, { summary: null }])).toEqual(expected);
});

test.each<[string | null, string, string]>([
  ['Inspection Closeout Report', 'Returned to Client', 'allowed'],
  ['Some Report', 'closed out', 'allowed'],
  ['Full-scope Underwriting Report', 'Returned to Client', 'wrong'],
  ['Roof-only Underwriting Report', 'Client Received', 'wrong'],
  ['Some Report', 'Returned to Client', 'doubtful'],
  [null, 'Returned to Client', 'doubtful'],
])('a report of type %s, %s, without a summary: %s', (type, status, expected) => {
  expect(withoutSummary(type, status)).toBe(expected);
});
