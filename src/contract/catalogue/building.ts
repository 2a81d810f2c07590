import type { SummaryAttribute } from '../catalogue-types.ts';
import { attributesOf, CONDITIONS, dynamic, nullable } from './attribute-builders.ts';

const { text, number, boolean, texts } = attributesOf('Building', 'summary.bldg');

/** Document: Report summary, **bldg**. */
export const BUILDING_ATTRIBUTES: readonly SummaryAttribute[] = [
  text('overallCondition', 'overall condition', 'Overall condition of the building.', { ...dynamic, values: CONDITIONS }),
  text('construction', 'construction', 'How the building is constructed.', {
    ...dynamic,
    values: ['Frame', 'Concrete Block', 'Steel Frame', 'Brick/Stone/Masonry Veneer', 'Fire Resistive', 'Pre-engineered'],
  }),
  boolean('constructionOverWater', 'over water', 'Partially or completely built over water.'),
  text('dwellingType', 'dwelling type', 'Kind of dwelling.', {
    ...dynamic,
    values: [
      'Single Family Detached', 'Single Family Attached', 'Duplex', 'Triplex', 'Town Home', 'Row Home', 'Multi Family Home', '2 Family Home',
      '3 Family Home', '4 Family Home', 'Mobile Home', 'Condominium', 'Condominium Detached',
    ],
  }),
  text('garage', 'garage', 'Kind of garage.', { ...dynamic, values: ['Attached', 'Detached', 'Built-in', 'Carport', 'None'] }),
  text('hvac', 'HVAC', 'Heating, ventilation and air conditioning.', {
    ...dynamic,
    values: ['Central', 'Window Unit', 'Split Unit', 'Baseboard heating', 'Gas forced air heating'],
  }),
  number('numStories', 'stories', 'Stories of the main dwelling.', { unit: 'count' }),
  texts('windProtections', 'wind protections', 'Protections against wind; absent or null when none was observed.', {
    ...nullable,
    values: [
      'None observed', 'Impact resistant door', 'High impact glass', 'Roof/shingles securing', 'High-profile garage door', 'Siding protection',
      'Insulating Concrete Forms (ICFs)',
    ],
  }),
  boolean('hurricaneStraps', 'hurricane straps', 'Hurricane straps are fitted.'),
  text('foundation', 'foundation', 'Kind of foundation.', {
    ...dynamic,
    values: ['Concrete Slab', 'Slab on Grade', 'Crawl Space - Open', 'Crawl Space - Closed', 'Pier & Beam', 'Elevated Pier', 'Basement'],
  }),
  text('manufacturedOrMobileHome', 'manufactured or mobile home', 'Whether it is a manufactured or mobile home.'),
  boolean('designatedHistoricHome', 'historic home', 'The house is designated historic.'),
  boolean('exteriorDamage', 'exterior damage', 'The building is damaged outside.'),
  boolean('hasFoundationCracks', 'foundation cracks', 'Cracks in the foundation were observed.', nullable),
  boolean('hasFence', 'fence', 'There is a fence.', nullable),
  boolean('underConstruction', 'under construction', 'The building is under construction.', nullable),
  boolean('underRenovation', 'under renovation', 'The building is under renovation.', nullable),
  boolean('isDeveloperSpeculation', 'developer speculation', 'The building was built by a developer on speculation.', nullable),
  boolean('hasSidewalkHazard', 'sidewalk hazard', 'The sidewalk is a hazard.', nullable),
  boolean('hasImproperRailsSpacing', 'improper rail spacing', 'The rails are spaced improperly.', nullable),
  boolean('hasRottingDecking', 'rotting decking', 'Decking is rotting.', nullable),
  boolean('hasUnconventionalConstruction', 'unconventional construction', 'The building is constructed in an unconventional way.', nullable),
  boolean('hasCloggedGutters', 'clogged gutters', 'Gutters are clogged.', nullable),
  boolean('hasNonPermanentFoundation', 'non-permanent foundation', 'The foundation is not permanent.', nullable),
  boolean('hasImproperGutterDischarge', 'improper gutter discharge', 'Gutters discharge improperly.', nullable),
  text('architecturalStyle', 'architectural style', 'Style of the building.', {
    ...nullable,
    ...dynamic,
    values: [
      'BiLevel', 'TriLevel', 'Bungalow', 'Condo', 'Single-Wide', 'Multi-Wide', 'Multi Wide Starter Home', 'Single Wide Starter Home', 'Cape Cod',
      'Colonial', 'Ranch', 'Raised Ranch', 'Townhouse - End Unit', 'Townhouse - Interior Unit', 'Victorian', 'Contemporary',
    ],
  }),
  number('garageCapacity', 'garage capacity', 'Vehicles the garage holds.', { ...nullable, unit: 'count' }),
];
