import { expect, test } from 'vitest';
import { SUMMARY_CATALOG } from '../../../../src/contract/summary-attributes.ts';
import { ExplainedError } from '../../../../src/domain/errors.ts';
import { parseCondition, pathsOf } from '../../../../src/results/attention/condition.ts';
import { decidingFinding, findingsOf, sumPoints } from '../../../../src/results/attention/judge.ts';
import { ACTIONS, loadAttention, readAttention } from '../../../../src/results/attention/rules.ts';
import { flattenSummary } from '../../../../src/results/flatten.ts';
import { fullSummary } from '../../../support/full-summary.ts';

const ATTENTION = await loadAttention(null);
const RULES = ATTENTION.rules;
const readRules = (text: string, name = 'a.yaml') => readAttention(text, name, ATTENTION).rules;
const findings = (summary: Record<string, unknown>, rules = RULES) =>
  findingsOf(flattenSummary({ id: 'R', summary }), rules);
const rule = (when: string, more = '') =>
  readRules(`rules:\n  - when: ${JSON.stringify(when)}\n    weight: 10\n    because: It is so\n${more}`);
const holds = (when: string, summary: Record<string, unknown>): boolean => findings(summary, rule(when)).length > 0;

test('built-in rules use only attributes of the document or order facts', () => {
  const known = new Set(SUMMARY_CATALOG.map(({ path }) => path));
  const facts = new Set(['status', 'overdue']);
  const asked = RULES.flatMap(({ condition }) => pathsOf(condition));
  const unknown = asked.filter(
    (path) => !known.has(`summary.${path}`) && !facts.has(path) && path !== 'interior.appliances.recallData',
  );
  expect(unknown).toEqual([]);
  expect(asked.length).toBeGreaterThan(60);
});

// Except the rules that need a bad word, an open recall, or a fact of the order.
test('finds something with each built-in rule in a summary of true values', () => {
  const record = flattenSummary(fullSummary());
  const silent = RULES.filter((one) => findingsOf(record, [one]).length === 0).map(({ when }) => when);
  expect(silent.filter((when) => !/"(Poor|Fair)"/.test(when))).toEqual([
    'overdue is yes',
    'roof.estLife is "1 ~ 5 years"',
    'any roof.comparison where change contains "Significant"',
    'any roof.comparison where change contains "Moderate"',
    'interior.floorplan.hasDamage is yes',
    'any exterior.comparison where change contains "Significant"',
    'any exterior.comparison where change contains "Moderate"',
    'any interior.appliances.recallData where (customerRecallStatus is not "FIXED" or customerRecallStatus is absent)',
  ]);
});

test('begins each built-in reason with its category', () => {
  for (const { category, because, action } of RULES) {
    expect(because.toLowerCase()).toMatch(new RegExp(`^${category}: [^(]`));
    expect(action === null || ACTIONS.includes(action)).toBe(true);
  }
});

test('findingsOf puts the heaviest finding first, its source apart', () => {
  const found = findings({
    exterior: { hasDogPresent: true, hasTrampoline: false },
    roof: { hasTarp: true, overallCondition: 'poor' },
    risk: { forSale: null },
  });
  expect(found).toMatchObject([
    { category: 'roof', weight: 38, points: 38, source: 'summary.roof.hasTarp = Yes' },
    { category: 'roof', weight: 30, points: 3, source: 'summary.roof.overallCondition = poor' },
    { category: 'liability', weight: 8, points: 8, source: 'summary.exterior.hasDogPresent = Yes' },
  ]);
  expect(sumPoints(found)).toBe(49);
});

test('findingsOf checks each part of a condition once at any depth', () => {
  const depth = 12;
  const when = `${Array.from({ length: depth }, (_, index) => `status is "${index}" or (`).join('')}status is "last"${')'.repeat(depth)}`;
  let asked = 0;
  const values = new (class extends Map<string, string> {
    override get(key: string): string | undefined {
      asked += 1;
      return super.get(key);
    }
  })([['status', 'none of them']]);
  expect([findingsOf(flattenSummary({ id: 'R', summary: {} }), rule(when), values), asked]).toEqual([[], depth + 1]);
});

test('findingsOf joins several attributes about one thing into one finding', () => {
  const dog = { hasDogPresent: true, numDogPresent: 2, petType: ['Dog - Beagle', 'Dog - Rottweiler'] };
  expect(findings({ exterior: dog })).toMatchObject([
    { category: 'liability', reason: expect.stringContaining('(Dog - Rottweiler)') as string },
  ]);
  const pool = {
    hasSwimmingPool: true,
    hasPoolWithoutFence: true,
    hasPoolSelfLatchingGate: false,
    hasPoolWithoutSelfLatchingGate: true,
  };
  expect(
    findings({
      bldg: { hasFence: false },
      exterior: pool,
      factors: [{ name: 'POOL_WITHOUT_FENCE', text: 'Pool without a fence' }],
    }),
  ).toMatchObject([{ category: 'liability', points: 28 }]);
  const shingles = { name: 'ROOF_MISSING_SHINGLES', text: 'Missing or damaged shingles, Rear' };
  const listed = { hazards: ['Missing or damaged shingles'], factors: [shingles], risk: { hazardScore: 1.5 } };
  expect(sumPoints(findings({ ...listed, roof: { hasMissingDamagedShingles: true } }))).toBe(25);
  expect(findings(listed)).toMatchObject([{ category: 'roof', points: 25 }]);
});

test('findingsOf counts unnamed hazards only without other findings', () => {
  const factors = [{ name: 'UNHEARD_OF', text: 'Something odd' }];
  expect(findings({ factors, risk: { hazardScore: 1.5 } }).map(({ reason, weight }) => [reason, weight])).toEqual([
    ['Building: hazards (Something odd)', 5],
  ]);
  expect(findings({ factors, roof: { hasHoles: true } }).map(({ reason }) => reason)).toEqual(['Roof: holes']);
});

// A further defect never makes the action milder.
test('decidingFinding takes the strictest grave finding, else the heaviest', () => {
  const suggested = (summary: Record<string, unknown>) => {
    const deciding = decidingFinding(findings(summary));
    return deciding === null ? null : [deciding.action, ...deciding.paths];
  };
  const poor = { risk: { overallCondition: 'Poor' } };
  expect(suggested(poor)).toEqual(['non-renew', 'summary.risk.overallCondition']);
  expect(suggested({ ...poor, roof: { hasTarp: true } })).toEqual(suggested(poor));
  expect(suggested({ exterior: { hasDogPresent: true }, interior: { hasVisibleLeaks: true } })?.[0]).toBe(
    'recommend repairs',
  );
  expect(suggested({ exterior: { hasDogPresent: true } })).toBeNull();
});

test('findingsOf believes a report that denies a pool without a fence', () => {
  const weights = (exterior: object) =>
    findings({ bldg: { hasFence: false }, exterior: { hasSwimmingPool: true, ...exterior } }).map(
      ({ weight }) => weight,
    );
  expect(weights({ hasPoolWithoutFence: false })).toEqual([]);
  expect(weights({ hasPoolWithoutFence: null })).toEqual([28]);
  expect(weights({})).toEqual([28]);
});

test('findingsOf searches lists: worse changes, open recalls, damaged rooms', () => {
  const found = findings({
    roof: {
      comparison: [
        { direction: 'Front', change: 'No changes was noted.' },
        { direction: 'Rear', change: 'Significant damage was noted on the slope.', comment: 'Rear Slope: worse' },
      ],
    },
    interior: {
      appliances: [
        {
          brand: 'B',
          productType: 'Dishwasher',
          recallData: [{ recallNumber: '7', customerRecallStatus: 'FIXED' }, { recallNumber: '8' }],
        },
      ],
      floorplan: { hasDamage: { attic: true, kitchen: false } },
    },
  });
  expect(found).toMatchObject([
    { category: 'roof', reason: expect.stringContaining('(Rear Slope: worse)') as string },
    { category: 'building', reason: expect.stringContaining('(attic)') as string },
    { category: 'fire', reason: expect.stringContaining('(B Dishwasher 8)') as string },
  ]);
});

test('readAttention completes an earlier file from rules on the same attributes', () => {
  const old = [
    'rules:',
    '  - when: roof.hasTarp is yes',
    '    weight: 30',
    '    because: Tarp',
    '  - when: newOnes.thing is yes',
    '    weight: 5',
    '    because: A new thing',
    '',
  ].join('\n');
  const read = readAttention(old, 'old.yaml', ATTENTION);
  expect(read.levels).toEqual(ATTENTION.levels);
  expect(read.rules.map(({ category, because, action, about }) => [category, because, action, about])).toEqual([
    ['roof', 'Tarp', 're-inspect', 'tarp'],
    ['building', 'A new thing', null, 'A new thing'],
  ]);
});

test('findingsOf ignores values of another type', () => {
  expect(
    findings({
      roof: { hasTarp: 'yes', overallCondition: 3, comparison: 'x' },
      closeoutReasons: 'text',
      risk: { hazardScore: '9' },
    }),
  ).toEqual([]);
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
  [
    'risk.vacant is yes and (risk.rental is yes or risk.forSale is yes)',
    { risk: { vacant: true, rental: false, forSale: true } },
    true,
  ],
  [
    'risk.vacant is yes and (risk.rental is yes or risk.forSale is yes)',
    { risk: { vacant: true, rental: false, forSale: false } },
    false,
  ],
  ['newAttribute.notInTheDocument is "x \\"y\\""', { newAttribute: { notInTheDocument: 'X "Y"' } }, true],
])('findingsOf judges %s', (when, summary, expected) => {
  expect(holds(when, summary)).toBe(expected);
});

test('findingsOf multiplies a weight by a count up to a limit', () => {
  const text = (weight: string) => `rules:\n  - when: any factors\n    weight: ${weight}\n    because: Hazards\n`;
  const factors = { factors: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] };
  expect(findings(factors, readRules(text('3 each, at most 15')))[0]?.weight).toBe(9);
  expect(findings(factors, readRules(text('3 each, at most 5')))[0]?.weight).toBe(5);
});

test('readAttention reports every problem at once with its line', () => {
  const text = [
    'rules:',
    '  - when: roof.hasTarp',
    '    weight: 10',
    '    because: x',
    '  - when: roof.hasTarp is yes',
    '    weight: heavy',
    '    because: x',
    '  - wen: a',
    '  - when: a is "b" c',
    '    weight: 1',
    '    because: x',
    '',
  ].join('\n');
  expect(() => readRules(text, 'mine.yaml')).toThrow(ExplainedError);
  expect(() => readRules(text, 'mine.yaml')).toThrow(
    /line 2: .*“roof\.hasTarp”[^]*line 5: .*weight[^]*line 8: .*\bwen\b[^]*line 9: .*“a is "b" c” .*“c”/,
  );
  const wrong =
    'rules:\n  - { when: a is yes, weight: 1, because: x, category: roofs }\n  - { when: a is yes, weight: 1, because: x, action: cancel }\nlevels: { high: { points: 9, share: 10, always: 1 }, medium: 3 }\n';
  expect(() => readRules(wrong)).toThrow(/line 2: .*category.* roof, [^]*line 3: .*action[^]*line 4: .*\bhigh\b/);
  expect(() => readRules('rules', 'mine.yaml')).toThrow('no list named “rules”');
  expect(() => readRules('rules: [', 'mine.yaml')).toThrow(/line \d/);
});

test('parseCondition names the missing part of an unreadable condition', () => {
  expect(() => parseCondition('roof.hasTarp is')).toThrow(/\bvalue\b/);
  expect(() => parseCondition('(a is yes')).toThrow(/\bbracket\b/);
  expect(() => parseCondition('a > "x"')).toThrow('needs a number');
  expect(() => parseCondition('a is ‘x’')).toThrow('double quotes');
});
