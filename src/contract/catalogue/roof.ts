import type { SummaryAttribute } from '../catalogue-types.ts';
import { attributesOf, CONDITIONS, DIRECTIONS, dynamic, imagesOf, nullable } from './attribute-builders.ts';

const { text, number, boolean, texts, percentages, objects } = attributesOf('Roof', 'summary.roof');
const comparison = attributesOf('Roof comparison', '');
const spans = ['less than 1 year', '1 ~ 5 years', '5 - 10 years'];

/** Document: Report summary, **roof**. */
export const ROOF_ATTRIBUTES: readonly SummaryAttribute[] = [
  text('estAge', 'estimated age', 'Estimated age of the roof.', { ...dynamic, values: spans }),
  text('estLife', 'estimated life left', 'Estimated remaining life of the roof.', { ...dynamic, values: spans }),
  text('overallCondition', 'overall condition', 'Overall condition of the roof.', { ...dynamic, values: CONDITIONS }),
  percentages('geometry', 'geometry', 'Share of the roof by shape.', { unit: 'percent', keys: ['Flat', 'Gable', 'Hip'] }),
  texts('comments', 'comments', 'Comments on the roof.'),
  percentages('material', 'material', 'Share of the roof by material.', {
    unit: 'percent',
    keys: [
      'CompositeShingles', 'BuildupRoofNoGravel', 'ClayConcreteTiles', 'LightMetalPanels', 'SinglePlyMembrane', 'SinglePlyMembraneBallasted',
      'Slate', 'StandingSeamMetalRoof', 'WoodenShingles', 'Metal', 'ModifiedBitumen',
    ],
  }),
  texts('coveringMaterial', 'covering material', 'Materials that cover the roof.', {
    values: [
      'Asphalt', 'Modified Bitumen', 'Aluminum', 'Built-Up', 'Clay Tile', 'Concrete Tile', 'Slate', 'Copper', 'Steel', 'Metal',
      'Standing Seam Metal', 'Solar Tiles', 'Rubber', 'Wood', 'Other', 'Unknown',
    ],
  }),
  boolean('hasSolarPanel', 'solar panel', 'There are solar panels on the roof.'),
  boolean('hasCurlingShingles', 'curling shingles', 'Shingles curl.'),
  boolean('hasGranularLoss', 'granular loss', 'Shingles have lost granules.'),
  boolean('hasMissingDamagedShingles', 'missing or damaged shingles', 'Shingles are missing or damaged.'),
  boolean('hasPatchedAreas', 'patched areas', 'The roof is patched.'),
  boolean('hasTarp', 'tarp', 'A tarp lies on the roof.'),
  boolean('hasRoofDebris', 'debris', 'Debris lies on the roof.', nullable),
  boolean('hasMultiLayer', 'several layers', 'The roof has several layers.', nullable),
  boolean('hasHoles', 'holes', 'The roof has holes.', nullable),
  boolean('hasMissingDamagedMetalRoof', 'missing or damaged metal', 'Parts of a metal roof are missing or damaged.', nullable),
  number('chimneyCount', 'chimneys', 'Number of chimneys.', { ...nullable, unit: 'count' }),
  objects('comparison', 'comparison', 'What changed on each slope since the previous inspection.', {
    items: [
      comparison.text('direction', 'direction', 'Which slope.', { ...dynamic, values: DIRECTIONS }),
      comparison.text('change', 'change', 'What changed since the previous inspection.', {
        ...dynamic,
        values: [
          'No changes was noted.',
          'Slightly damage was noted on the slope.',
          'Moderately damage was noted on the slope.',
          'Significant damage was noted on the slope.',
          'Roof is completely replaced.',
          'Solar panels were noted on the slope.',
        ],
      }),
      comparison.text('comment', 'comment', 'Direction and change in one line: `<Direction> Slope: <change>`.'),
      imagesOf('Roof comparison'),
    ],
  }),
];
