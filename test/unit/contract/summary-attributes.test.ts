import { describe, expect, test } from 'vitest';
import type { SummaryAttribute } from '../../../src/contract/summary-attributes.ts';
import { SUMMARY_CATALOG } from '../../../src/contract/summary-attributes.ts';

function withItems(
  attributes: readonly SummaryAttribute[],
  parent = '',
): { path: string; attribute: SummaryAttribute }[] {
  return attributes.flatMap((attribute) => {
    const path = `${parent}${attribute.path}`;
    return [{ path, attribute }, ...withItems(attribute.items ?? [], `${path}[].`)];
  });
}

const all = withItems(SUMMARY_CATALOG);
const at = (path: string) => all.find((entry) => entry.path === path)?.attribute;

/** `project`, `summary` for its top level, else the second segment of the path. */
const section = (path: string) => {
  const parts = path.split('.');
  if (parts[0] === 'project') return 'project';
  return parts.length === 2 ? 'summary' : (parts[1] ?? '');
};

describe('SUMMARY_CATALOG', () => {
  test('every section of the document has all its attributes', () => {
    const counts: Record<string, number> = {};
    for (const { path } of SUMMARY_CATALOG) counts[section(path)] = (counts[section(path)] ?? 0) + 1;
    expect(counts).toEqual({
      project: 14,
      summary: 9,
      risk: 18,
      bldg: 27,
      roof: 19,
      exterior: 49,
      interior: 29,
      community: 7,
      fireProtection: 5,
      hover: 1,
    });
  });

  test('every list of objects has all its item attributes', () => {
    const counts = Object.fromEntries(
      all
        .filter(({ attribute }) => attribute.type === 'objects')
        .map(({ path, attribute }) => [path, attribute.items?.length]),
    );
    expect(counts).toEqual({
      'summary.recommendations': 2,
      'summary.recommendations[].image': 1,
      'summary.roof.comparison': 4,
      'summary.roof.comparison[].image': 1,
      'summary.exterior.pool': 4,
      'summary.exterior.comparison': 4,
      'summary.exterior.comparison[].image': 1,
      'summary.interior.appliances': 13,
      'summary.interior.appliances[].recallData': 9,
      'summary.interior.appliances[].classActionLawsuit': 8,
      'summary.factors': 6,
      'summary.factors[].image': 1,
      'summary.history': 3,
      'summary.history[].image': 1,
      'summary.hover.hoverTla': 3,
      'summary.hover.hoverTla[].livingAreas.floors.entities': 5,
    });
  });

  test('paths and titles are unique', () => {
    const repeated = (texts: readonly string[]) => texts.filter((text, index) => texts.indexOf(text) !== index);
    expect(repeated(all.map(({ path }) => path))).toEqual([]);
    expect(repeated(all.map(({ attribute }) => attribute.title))).toEqual([]);
  });

  test('the number of nullable and dynamic attributes is the document’s', () => {
    const count = (wanted: (attribute: SummaryAttribute) => boolean, under: string) =>
      SUMMARY_CATALOG.filter((attribute) => attribute.path.startsWith(under) && wanted(attribute)).length;
    const nullable = (attribute: SummaryAttribute) => attribute.nullable;
    const dynamic = (attribute: SummaryAttribute) => attribute.dynamic;
    const sections = [
      'project.',
      'summary.risk.',
      'summary.bldg.',
      'summary.roof.',
      'summary.exterior.',
      'summary.interior.',
      'summary.community.',
      'summary.fireProtection.',
    ];
    expect(sections.map((under) => count(nullable, under))).toEqual([1, 7, 15, 5, 34, 10, 7, 1]);
    expect(sections.map((under) => count(dynamic, under))).toEqual([1, 6, 7, 3, 0, 4, 0, 0]);
  });

  test('values, keys, units and shapes are the document’s', () => {
    expect(at('project.inspectionTime')).toMatchObject({ type: 'number', unit: 'epoch seconds' });
    expect(at('summary.risk.overallCondition')?.values).toEqual([
      'Excellent',
      'Good',
      'Average',
      'Fair',
      'Poor',
      'Closeout',
    ]);
    expect(at('summary.bldg.dwellingType')?.values).toHaveLength(13);
    expect(at('summary.bldg.architecturalStyle')?.values).toHaveLength(16);
    expect(at('summary.bldg.windProtections')).toMatchObject({ type: 'texts', nullable: true });
    expect(at('summary.roof.geometry')).toMatchObject({
      type: 'percentages',
      unit: 'percent',
      keys: ['Flat', 'Gable', 'Hip'],
    });
    expect(at('summary.roof.material')?.keys).toHaveLength(11);
    expect(at('summary.roof.coveringMaterial')?.values).toHaveLength(16);
    expect(at('summary.exterior.siding')?.keys).toHaveLength(15);
    expect(at('summary.exterior.petType')?.values).toHaveLength(12);
    expect(at('summary.exterior.pet')).toMatchObject({ type: 'counts' });
    expect(at('summary.exterior.comparison[].change')?.values).toHaveLength(22);
    expect(at('summary.interior.floorplan.hasDamage')).toMatchObject({ type: 'flags' });
    expect(at('summary.interior.floorplan.hasDamage')?.keys).toHaveLength(13);
    expect(at('summary.closeoutReasons')?.values).toHaveLength(10);
    expect(at('summary.factors[].direction')?.nullable).toBe(true);
    expect(at('summary.history[].dateInspected')).toMatchObject({ type: 'text', unit: 'date' });
  });

  test('closed lists, and lists of examples, are the document’s', () => {
    const lists = all.filter(({ attribute: { values, dynamic } }) => values !== undefined && !dynamic);
    const pathsOf = (areExamples: boolean) =>
      lists.filter(({ attribute }) => (attribute.examples ?? false) === areExamples).map(({ path }) => path);
    expect({ examples: pathsOf(true), closed: pathsOf(false) }).toEqual({
      examples: [
        'summary.addlStructures',
        'summary.exterior.petType',
        'summary.interior.appliances[].productType',
        'summary.interior.appliances[].recallData[].customerRecallStatus',
      ],
      closed: [
        'summary.bldg.windProtections',
        'summary.roof.coveringMaterial',
        'summary.exterior.pool[].type',
        'summary.exterior.pool[].size',
        'summary.exterior.pool[].cageSize',
      ],
    });
  });
});
