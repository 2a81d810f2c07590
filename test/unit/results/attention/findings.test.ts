import { expect, test } from 'vitest';
import { SUMMARY_CATALOGUE } from '../../../../src/contract/summary-catalogue.ts';
import { ExplainedError } from '../../../../src/domain/errors.ts';
import { findingsOf, pathsOf } from '../../../../src/results/attention/judge.ts';
import { loadAttentionRules, parseCondition, readAttentionRules } from '../../../../src/results/attention/rules.ts';
import { flattenSummary } from '../../../../src/results/flatten.ts';
import { fullSummary } from '../../../support/full-summary.ts';

const RULES = await loadAttentionRules(null);
const findings = (summary: Record<string, unknown>, rules = RULES) => findingsOf(flattenSummary({ id: 'R', summary }), rules);
const rule = (when: string, more = '') => readAttentionRules(`rules:\n  - when: ${JSON.stringify(when)}\n    weight: 10\n    because: It is so\n${more}`, 'a.yaml');
const holds = (when: string, summary: Record<string, unknown>): boolean => findings(summary, rule(when)).length > 0;

test('the rules that come with the program rest on attributes of the document, or on facts of the order', () => {
  const known = new Set(SUMMARY_CATALOGUE.map(({ path }) => path));
  const facts = new Set(['status', 'overdue']);
  const asked = RULES.flatMap(({ condition }) => pathsOf(condition));
  const unknown = asked.filter((path) => !known.has(`summary.${path}`) && !facts.has(path) && path !== 'interior.appliances.recallData');
  expect(unknown).toEqual([]);
  expect(asked.length).toBeGreaterThan(60);
});

test('in a summary where all is true, silent are only the rules that ask for a bad word, an open recall, or what the order says', () => {
  const fired = new Set(findingsOf(flattenSummary(fullSummary()), RULES).map(({ rule: when }) => when));
  const silent = RULES.map(({ when }) => when).filter((when) => !fired.has(when) && !/"(Poor|Fair|Closeout)"/.test(when));
  expect(silent).toEqual([
    'status is "closed out"',
    'overdue is yes',
    'roof.estLife is "1 ~ 5 years"',
    'any roof.comparison where change contains "Significant"',
    'any roof.comparison where change contains "Moderate"',
    'exterior.hasSwimmingPool is yes and bldg.hasFence is no',
    'exterior.hasSwimmingPool is yes and exterior.hasPoolSelfLatchingGate is no',
    'any exterior.comparison where change contains "Significant"',
    'any exterior.comparison where change contains "Moderate"',
    'interior.floorplan.hasDamage is yes',
    'any interior.appliances.recallData where (customerRecallStatus is not "FIXED" or customerRecallStatus is absent)',
  ]);
});

test('the gravest finding comes first, in words, with the attribute and its value', () => {
  const found = findings({ exterior: { hasDogPresent: true, hasTrampoline: false }, roof: { hasTarp: true, overallCondition: 'poor' }, risk: { forSale: null } });
  expect(found.map(({ reason, weight }) => [reason, weight])).toEqual([
    ['The roof is in no good condition (Roof: overall condition = poor)', 30],
    ['A tarp lies on the roof (Roof: tarp = Yes)', 30],
    ['A dog was present (Exterior: dog present = Yes)', 10],
  ]);
});

test('lists are looked into: changes for the worse, open recalls, damaged rooms', () => {
  const found = findings({
    roof: { comparison: [{ direction: 'Front', change: 'No changes was noted.' }, { direction: 'Rear', change: 'Significant damage was noted on the slope.', comment: 'Rear Slope: worse' }] },
    interior: {
      appliances: [{ brand: 'B', productType: 'Dishwasher', recallData: [{ recallNumber: '7', customerRecallStatus: 'FIXED' }, { recallNumber: '8' }] }],
      floorplan: { hasDamage: { attic: true, kitchen: false } },
    },
  });
  expect(found.map(({ reason }) => reason)).toEqual([
    'A slope got worse since the previous inspection (Roof: comparison = Rear Slope: worse)',
    'An appliance has a recall that is not fixed (Interior: appliances = B Dishwasher 8)',
    'Rooms are damaged (Interior: damage = attic)',
  ]);
});

test('values of another type than the document’s make no finding and no fault', () => {
  expect(findings({ roof: { hasTarp: 'yes', overallCondition: 3, comparison: 'x' }, closeoutReasons: 'text', risk: { hazardScore: '9' } })).toEqual([]);
});

test.each([
  ['roof.estLife is "LESS than 1 year"', { roof: { estLife: 'less than 1 year' } }, true],
  ['risk.hazardScore > 7', { risk: { hazardScore: 7 } }, false],
  ['risk.hazardScore >= 7', { risk: { hazardScore: 7 } }, true],
  ['summary.yearBuilt < 1940', { yearBuilt: 1925 }, true],
  ['risk.forSale is not assessed', { risk: { forSale: null } }, true],
  ['risk.forSale is not assessed', { risk: {} }, false],
  ['risk.forSale is absent', { risk: {} }, true],
  ['risk.forSale is no', { risk: { forSale: null } }, false],
  ['closeoutReasons has entries', { closeoutReasons: [] }, false],
  ['roof.material.Slate > 50', { roof: { material: { Slate: 60 } } }, true],
  ['interior.floorplan.hasDamage is yes', { interior: { floorplan: { hasDamage: { attic: false } } } }, false],
  ['roof.estAge is not "5 - 10 years"', { roof: { estAge: null } }, false],
  ['exterior.petType is one of "Cats", "Birds"', { exterior: { petType: ['Dog - Boxer', 'cats'] } }, true],
  ['risk.vacant is yes and (risk.rental is yes or risk.forSale is yes)', { risk: { vacant: true, rental: false, forSale: true } }, true],
  ['risk.vacant is yes and (risk.rental is yes or risk.forSale is yes)', { risk: { vacant: true, rental: false, forSale: false } }, false],
  ['newAttribute.notInTheDocument is "x \\"y\\""', { newAttribute: { notInTheDocument: 'X "Y"' } }, true],
])('%s', (when, summary, expected) => {
  expect(holds(when, summary)).toBe(expected);
});

test('a weight may count what was found, up to a limit', () => {
  const text = (weight: string) => `rules:\n  - when: any factors\n    weight: ${weight}\n    because: Hazards\n`;
  const factors = { factors: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] };
  expect(findings(factors, readAttentionRules(text('3 each, at most 15'), 'a.yaml'))[0]?.weight).toBe(9);
  expect(findings(factors, readAttentionRules(text('3 each, at most 5'), 'a.yaml'))[0]?.weight).toBe(5);
});

test('every problem of a rules file is told at once, with its line', () => {
  const text = ['rules:', '  - when: roof.hasTarp', '    weight: 10', '    because: x', '  - when: roof.hasTarp is yes', '    weight: heavy', '    because: x', '  - wen: a', '  - when: a is "b" c', '    weight: 1', '    because: x', ''].join('\n');
  expect(() => readAttentionRules(text, 'mine.yaml')).toThrow(ExplainedError);
  expect(() => readAttentionRules(text, 'mine.yaml')).toThrow(
    /line 2: the condition “roof\.hasTarp” needs “is”[^]*line 5: its weight is not[^]*line 8: the key wen is not known[^]*line 9: the condition “a is "b" c” has “c” where it should end/,
  );
  expect(() => readAttentionRules('rules', 'mine.yaml')).toThrow('no list named “rules”');
  expect(() => readAttentionRules('rules: [', 'mine.yaml')).toThrow(/line \d/);
});

test('a condition that cannot be read says what is missing', () => {
  expect(() => parseCondition('roof.hasTarp is')).toThrow('needs a value, at its end');
  expect(() => parseCondition('(a is yes')).toThrow('a bracket that is not closed');
  expect(() => parseCondition('a > "x"')).toThrow('needs a number');
  expect(() => parseCondition('a is ‘x’')).toThrow('double quotes');
});
