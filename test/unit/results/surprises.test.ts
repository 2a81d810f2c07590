import { expect, test } from 'vitest';
import { flattenSummary } from '../../../src/results/flatten.ts';
import { fullSummary } from '../../support/full-summary.ts';
import { SurpriseCollector } from '../../../src/results/tables/surprises.ts';

function surprisesOf(...summaries: readonly Record<string, unknown>[]) {
  const collector = new SurpriseCollector();
  for (const [index, summary] of summaries.entries())
    collector.add(`P${index + 1}`, flattenSummary({ id: 'R', ...summary }));
  return collector.all.map(({ kind, path, came, projects, projectId }) => [kind, path, came, projects, projectId]);
}

test('finds nothing in a summary as documented', () => {
  expect(surprisesOf(fullSummary())).toEqual([]);
});

test('reports each unlisted attribute, type, or value once, with its projects', () => {
  const odd = {
    summary: {
      roof: { hasTarp: 'yes', green: 3 },
      exterior: { pool: [{ size: 'Giant' }, { size: 'Giant' }] },
      risk: { hazardScore: '7', vacant: null },
    },
  };
  expect(surprisesOf(odd, odd, { summary: { roof: { hasTarp: 1 } } })).toEqual([
    ['different type', 'summary.risk.hazardScore', '7', 2, 'P1'],
    ['different type', 'summary.risk.vacant', '–', 2, 'P1'],
    ['different type', 'summary.roof.hasTarp', 'yes', 2, 'P1'],
    ['different type', 'summary.roof.hasTarp', '1', 1, 'P3'],
    ['not in the document', 'summary.roof.green', '3', 2, 'P1'],
    ['unlisted value', 'summary.exterior.pool[].size', 'Giant', 2, 'P1'],
  ]);
});

test('accepts lists and keys that may grow', () => {
  expect(
    surprisesOf({ summary: { roof: { estLife: 'forever', material: { Thatch: 100 } }, exterior: { pool: null } } }),
  ).toEqual([]);
});

test('accepts values beyond documented examples, but not beyond closed lists', () => {
  expect(
    surprisesOf({
      summary: {
        addlStructures: ['Sauna'],
        exterior: { petType: ['Dog - Corgi'], pool: [{ type: 'Pond' }] },
        bldg: { windProtections: ['Moat'] },
        roof: { coveringMaterial: ['Thatch'] },
        interior: {
          appliances: [{ productType: 'Wine Cooler', recallData: [{ customerRecallStatus: 'OPEN' }] }],
        },
        hover: { hoverTla: [{ attachedStructures: { attachedPorches: { count: 1 } } }] },
      },
    }).map(([kind, path]) => [kind, path]),
  ).toEqual([
    ['unlisted value', 'summary.bldg.windProtections'],
    ['unlisted value', 'summary.exterior.pool[].type'],
    ['unlisted value', 'summary.roof.coveringMaterial'],
  ]);
});
