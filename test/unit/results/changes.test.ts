import { expect, test } from 'vitest';
import { describeChange, changesBetween } from '../../../src/results/changes.ts';
import { flattenSummary } from '../../../src/results/flatten.ts';

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
  ).toEqual([
    'Roof: overall condition: Good → Poor',
    'Roof: tarp: No → Yes',
    'Risk: for sale: – → No',
    'Risk: hazard score: 3 → –',
  ]);
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
  expect(told({ hazards: [], factors: null }, { hazards: ['b'], factors: [{}, {}] })).toEqual([
    'Property: hazards: none → b',
    'Findings: factors: – → 2',
  ]);
});

test('cuts long texts in changeInWords', () => {
  const [change = ''] = told({ oddity: 'x'.repeat(500) }, { oddity: 'y' });
  expect(change).toBe(`Property: oddity: ${'x'.repeat(80)}… → y`);
});
