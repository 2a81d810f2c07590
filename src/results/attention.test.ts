import { expect, test } from 'vitest';
import { SUMMARY_CATALOGUE } from '../contract/summary-catalogue.ts';
import { findingsOf } from './attention.ts';
import { ATTENTION_RULES } from './attention-rules.ts';
import { flattenSummary } from './flatten.ts';
import { fullSummary } from './full-summary.fixture.ts';

const findings = (summary: Record<string, unknown>) => findingsOf(flattenSummary({ id: 'R', summary }), ATTENTION_RULES);

test('rules have names of their own and rest on attributes of the document', () => {
  const names = ATTENTION_RULES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const known = new Set(SUMMARY_CATALOGUE.map(({ path }) => path));
  const fired = findingsOf(flattenSummary(fullSummary()), ATTENTION_RULES);
  expect(fired.filter(({ path }) => !known.has(path))).toEqual([]);
  // In a summary where all is true, silent are only the rules that ask for a bad word, a damaged room, an open recall.
  const silent = names.filter((name) => !fired.some(({ rule }) => rule === name));
  expect(silent).toEqual(['risk-condition', 'building-condition', 'roof-condition', 'interior-condition', 'roof-change', 'room-damage', 'open-recall', 'exterior-change']);
});

test('the gravest finding comes first, in words, with the attribute and its value', () => {
  const found = findings({ exterior: { hasDogPresent: true, hasTrampoline: false }, roof: { hasTarp: true, overallCondition: 'poor' }, risk: { forSale: null } });
  expect(found.map(({ rule, weight }) => [rule, weight])).toEqual([
    ['roof-condition', 30],
    ['roof-tarp', 30],
    ['dog', 10],
  ]);
  expect(found[1]?.reason).toBe('A tarp lies on the roof (Roof: tarp = Yes)');
});

test('lists are looked into: changes for the worse, open recalls, damaged rooms', () => {
  const found = findings({
    roof: { comparison: [{ direction: 'Front', change: 'No changes was noted.' }, { direction: 'Rear', change: 'Significant damage was noted on the slope.' }] },
    interior: {
      appliances: [{ brand: 'B', productType: 'Dishwasher', recallData: [{ recallNumber: '7', customerRecallStatus: 'FIXED' }, { recallNumber: '8' }] }],
      floorplan: { hasDamage: { attic: true, kitchen: false } },
    },
  });
  expect(found.map(({ reason }) => reason)).toEqual([
    'A slope got worse since the previous inspection (Roof: comparison = Rear: Significant damage was noted on the slope.)',
    'An appliance has a recall that is not fixed (Interior: appliances = B Dishwasher 8)',
    'Rooms are damaged (Interior: damage = attic)',
  ]);
});

test('values of another type than the document’s make no finding and no fault', () => {
  expect(findings({ roof: { hasTarp: 'yes', overallCondition: 3, comparison: 'x' }, closeoutReasons: 'text', risk: { hazardScore: '9' } })).toEqual([]);
});
