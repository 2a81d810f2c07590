import { expect, test } from 'vitest';
import { closeoutReasonsOf } from './closeout.ts';

test.each<[string, unknown, string, readonly string[] | null]>([
  ['reasons in the summary', ['Cancellation is confirmed.', ' ', 'Cancellation is confirmed.'], 'Full-scope Underwriting Report', ['Cancellation is confirmed.']],
  ['a closeout report without reasons', undefined, 'Inspection Closeout Report', []],
  ['a closeout report with null', null, 'Inspection Closeout Report', []],
  ['an ordinary report with an empty list', [], 'Full-scope Underwriting Report', null],
  ['an ordinary report', undefined, 'Roof-only Underwriting Report', null],
  ['something else under that name', 'text', 'Roof-only Underwriting Report', null],
])('%s', (_what, closeoutReasons, type, expected) => {
  expect(closeoutReasonsOf([{ type }], [{ summary: { closeoutReasons } }, { summary: null }])).toEqual(expected);
});
