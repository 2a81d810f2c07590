import { expect, test } from 'vitest';
import { closeoutReasonsOf } from '../../../src/domain/closeout.ts';

const FULL = 'Full-scope Underwriting Report';
const CLOSEOUT = 'Inspection Closeout Report';
const DENIED = 'Inspection was denied by the insured.';
const INSPECTED = { risk: { overallCondition: 'Good', vacant: false }, roof: { overallCondition: 'Poor' } };

const report = (type: string | null, summary: object | null = null) => ({ type, summary: summary as never });
const reasonsOf = (...reports: ReturnType<typeof report>[]) => closeoutReasonsOf(reports, 'Returned to Client');

test.each<[string, ReturnType<typeof report>, readonly string[] | null]>([
  ['reasons and nothing inspected', report(FULL, { closeoutReasons: [DENIED, ' ', DENIED] }), [DENIED]],
  ['reasons on a fully inspected house', report(FULL, { ...INSPECTED, closeoutReasons: [DENIED] }), null],
  ['reasons and one hazard', report(FULL, { hazards: ['Tarp'], closeoutReasons: [DENIED] }), null],
  [
    'reasons and what is known without an inspection',
    report(FULL, {
      closeoutReasons: [DENIED],
      yearBuilt: 1990,
      risk: { overallCondition: 'Poor', inaccessible: true, neighborhood: 'Rural', waterBody: { type: 'Lake' } },
      fireProtection: { code: 3 },
      roof: { overallCondition: null, comments: ['Not seen.'], material: {} },
      exterior: { petType: [], pool: null, overallCondition: '' },
      factors: [],
    }),
    [DENIED],
  ],
  ['an empty list of reasons', report(FULL, { closeoutReasons: [] }), null],
  ['null for reasons', report(FULL, { closeoutReasons: null }), null],
  ['a text for reasons', report(FULL, { closeoutReasons: 'text' }), null],
  ['the condition Closeout', report(FULL, { risk: { overallCondition: 'Closeout' } }), []],
  ['a closeout report', report(CLOSEOUT, { closeoutReasons: null }), []],
  ['a closeout report without a summary', report(CLOSEOUT), []],
  ['a closeout report with a stray value', report(CLOSEOUT, { bldg: { numStories: 1 } }), []],
  ['an ordinary report', report('Roof-only Underwriting Report', INSPECTED), null],
  ['a report without a type', report(null), null],
])('closeoutReasonsOf for %s', (_what, one, expected) => {
  expect(reasonsOf(one)).toEqual(expected);
});

test('closeoutReasonsOf is null for a closeout report with an inspected house', () => {
  const closeout = report(CLOSEOUT, { closeoutReasons: [DENIED] });
  expect(reasonsOf(closeout, report(FULL, INSPECTED))).toBeNull();
  expect(reasonsOf(closeout, report(FULL, { yearBuilt: 1990 }))).toEqual([DENIED]);
});

test('closeoutReasonsOf keeps a closed-out project unless a report inspected it', () => {
  expect(closeoutReasonsOf([], 'closed out')).toEqual([]);
  expect(closeoutReasonsOf([report(FULL, { closeoutReasons: [] })], 'closed out')).toEqual([]);
  expect(closeoutReasonsOf([report(FULL, INSPECTED)], 'closed out')).toBeNull();
});
