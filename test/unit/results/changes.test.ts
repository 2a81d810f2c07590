import { describe, expect, test } from 'vitest';
import { describeTrend, directionOf, riskChangesBetween, worseFirst } from '../../../src/results/attention/judge.ts';
import { loadAttention } from '../../../src/results/attention/rules.ts';
import { type Change, changesBetween, describeDisagreement } from '../../../src/results/changes.ts';
import { flattenSummary } from '../../../src/results/flatten.ts';

const { rules } = await loadAttention(null);

/** `Roof: overall condition: Good → Poor`. */
function describeChange({ before, now, ...what }: Change): string {
  return describeDisagreement({ ...what, shown: before, others: [now] }).replace(
    / \(another report: (.*)\)$/s,
    ' → $1',
  );
}

function told(before: object, now: object): readonly string[] {
  const flat = (summary: object) =>
    flattenSummary({
      id: 'R',
      project: { id: Object.keys(summary).length, inspectionTime: 1 },
      summary: { ...summary },
    });
  return changesBetween(flat(before), flat(now)).map(describeChange);
}

test("describes a change with the column's words, before and now", () => {
  expect(
    told(
      { roof: { overallCondition: 'Good', hasTarp: false }, yearBuilt: 1990, risk: { forSale: null, hazardScore: 3 } },
      {
        roof: { overallCondition: 'Poor', hasTarp: true },
        yearBuilt: 1990,
        risk: { forSale: false, hazardScore: null },
      },
    ),
  ).toEqual(['Roof: overall condition: Good → Poor', 'Roof: tarp: No → Yes']);
});

test('ignores one-sided attributes, comments, images, and the inspection itself', () => {
  const comparison = (comment: string) => ({
    comments: [comment],
    comparison: [{ comment, image: [{ id: comment }] }],
    hasTarp: true,
  });
  expect(
    told(
      { roof: comparison('a'), history: [{}], livingArea: 5 },
      { roof: comparison('b'), history: [{}, {}], yearBuilt: 1990 },
    ),
  ).toEqual([]);
});

test('lists added and removed keys when both reports assess the attribute', () => {
  expect(told({ roof: { geometry: { Gable: 100 } } }, { roof: { geometry: { Hip: 33.5, Gable: 66.5 } } })).toEqual([
    'Roof: geometry, hip: nothing → 33.5%',
    'Roof: geometry, gable: 100% → 66.5%',
  ]);
  expect(told({ roof: { geometry: { Gable: 100 } } }, { roof: { geometry: null } })).toEqual([
    'Roof: geometry, gable: 100% → nothing',
  ]);
  expect(told({ roof: {} }, { roof: { geometry: { Gable: 100 } } })).toEqual([]);
});

test('compares lists regardless of order, lists of objects by length', () => {
  expect(
    told({ hazards: ['a', 'b'], factors: [{ text: 'x' }] }, { hazards: ['b', 'a'], factors: [{ text: 'y' }] }),
  ).toEqual([]);
  expect(
    told(
      { hazards: [], factors: [], exterior: { pool: [] } },
      { hazards: ['b'], factors: [{}], exterior: { pool: [{}, {}] } },
    ),
  ).toEqual(['Property: hazards: none → b', 'Exterior: pool list: 0 → 2']);
});

test('cuts long texts', () => {
  const [change = ''] = told({ oddity: 'x'.repeat(500) }, { oddity: 'y' });
  expect(change).toBe(`Property: oddity: ${'x'.repeat(80)}… → y`);
});

test('never cuts a text where the difference is', () => {
  const [change = ''] = told({ oddity: `${'x'.repeat(500)} old` }, { oddity: `${'x'.repeat(500)} new` });
  expect(change).toBe(`Property: oddity: …${'x'.repeat(19)} old → …${'x'.repeat(19)} new`);
});

describe('directionOf', () => {
  test.each([
    [[], undefined],
    [[1], 'worse'],
    [[-1], 'better'],
    [[1, -40], 'better'],
    [[40, -1], 'worse'],
    [[10, -4, -6], undefined],
  ] as const)('of weights %j is %s', (weights, direction) => {
    expect(directionOf(weights.map((weight) => ({ weight })))).toBe(direction);
  });
});

describe('riskChangesBetween', () => {
  const turns = (before: object, now: object): readonly string[] => {
    const [was, is] = [before, now].map((summary) => flattenSummary({ id: 'R', summary: { ...summary } }));
    return was === undefined || is === undefined
      ? []
      : worseFirst(riskChangesBetween(was, is, rules)).map(describeTrend);
  };

  test('puts first what got worse, the heaviest first', () => {
    expect(
      turns(
        {
          bldg: { hasFoundationCracks: false },
          exterior: { hasSidingDamage: true },
          roof: { overallCondition: 'Fair' },
        },
        {
          bldg: { hasFoundationCracks: true },
          exterior: { hasSidingDamage: false },
          roof: { overallCondition: 'Poor' },
        },
      ),
    ).toEqual(['+ building: foundation cracks', '+ roof: poor condition overall', '− building: damaged siding']);
  });

  test('leaves out what one of the reports does not assess', () => {
    expect(turns({ roof: { hasHoles: true } }, { roof: { hasHoles: null, hasTarp: true } })).toEqual([]);
  });

  test('leaves out comparisons, which speak of a change themselves', () => {
    const comparison = (change: string) => ({ roof: { comparison: [{ change }] } });
    expect(turns(comparison('No change'), comparison('Significant damage'))).toEqual([]);
  });
});
