import {
  attributesOf,
  CONDITIONS,
  DIRECTIONS,
  dynamic,
  examples,
  imagesOf,
  nullable,
  SIZES,
  type SummaryAttribute,
} from './attribute.ts';

const building = attributesOf('Building', 'summary.bldg');

/** Document: Report summary, **bldg**. */
export const BUILDING_ATTRIBUTES: readonly SummaryAttribute[] = [
  building.text('overallCondition', 'overall condition', 'Overall condition of the building.', {
    ...dynamic,
    values: CONDITIONS,
  }),
  building.text('construction', 'construction', 'How the building is constructed.', {
    ...dynamic,
    values: [
      'Frame',
      'Concrete Block',
      'Steel Frame',
      'Brick/Stone/Masonry Veneer',
      'Fire Resistive',
      'Pre-engineered',
    ],
  }),
  building.boolean('constructionOverWater', 'over water', 'Partially or completely built over water.'),
  building.text('dwellingType', 'dwelling type', 'Kind of dwelling.', {
    ...dynamic,
    values: [
      'Single Family Detached',
      'Single Family Attached',
      'Duplex',
      'Triplex',
      'Town Home',
      'Row Home',
      'Multi Family Home',
      '2 Family Home',
      '3 Family Home',
      '4 Family Home',
      'Mobile Home',
      'Condominium',
      'Condominium Detached',
    ],
  }),
  building.text('garage', 'garage', 'Kind of garage.', {
    ...dynamic,
    values: ['Attached', 'Detached', 'Built-in', 'Carport', 'None'],
  }),
  building.text('hvac', 'HVAC', 'Heating, ventilation and air conditioning.', {
    ...dynamic,
    values: ['Central', 'Window Unit', 'Split Unit', 'Baseboard heating', 'Gas forced air heating'],
  }),
  building.number('numStories', 'stories', 'Stories of the main dwelling.', { unit: 'count' }),
  building.texts(
    'windProtections',
    'wind protections',
    'Protections against wind; absent or null when none was observed.',
    {
      ...nullable,
      values: [
        'None observed',
        'Impact resistant door',
        'High impact glass',
        'Roof/shingles securing',
        'High-profile garage door',
        'Siding protection',
        'Insulating Concrete Forms (ICFs)',
      ],
    },
  ),
  building.boolean('hurricaneStraps', 'hurricane straps', 'Hurricane straps are fitted.'),
  building.text('foundation', 'foundation', 'Kind of foundation.', {
    ...dynamic,
    values: [
      'Concrete Slab',
      'Slab on Grade',
      'Crawl Space - Open',
      'Crawl Space - Closed',
      'Pier & Beam',
      'Elevated Pier',
      'Basement',
    ],
  }),
  building.text(
    'manufacturedOrMobileHome',
    'manufactured or mobile home',
    'Whether it is a manufactured or mobile home.',
  ),
  building.boolean('designatedHistoricHome', 'historic home', 'The house is designated historic.'),
  building.boolean('exteriorDamage', 'exterior damage', 'The building is damaged outside.'),
  building.boolean('hasFoundationCracks', 'foundation cracks', 'Cracks in the foundation were observed.', nullable),
  building.boolean('hasFence', 'fence', 'There is a fence.', nullable),
  building.boolean('underConstruction', 'under construction', 'The building is under construction.', nullable),
  building.boolean('underRenovation', 'under renovation', 'The building is under renovation.', nullable),
  building.boolean(
    'isDeveloperSpeculation',
    'developer speculation',
    'The building was built by a developer on speculation.',
    nullable,
  ),
  building.boolean('hasSidewalkHazard', 'sidewalk hazard', 'The sidewalk is a hazard.', nullable),
  building.boolean('hasImproperRailsSpacing', 'improper rail spacing', 'The rails are spaced improperly.', nullable),
  building.boolean('hasRottingDecking', 'rotting decking', 'Decking is rotting.', nullable),
  building.boolean(
    'hasUnconventionalConstruction',
    'unconventional construction',
    'The building is constructed in an unconventional way.',
    nullable,
  ),
  building.boolean('hasCloggedGutters', 'clogged gutters', 'Gutters are clogged.', nullable),
  building.boolean(
    'hasNonPermanentFoundation',
    'non-permanent foundation',
    'The foundation is not permanent.',
    nullable,
  ),
  building.boolean(
    'hasImproperGutterDischarge',
    'improper gutter discharge',
    'Gutters discharge improperly.',
    nullable,
  ),
  building.text('architecturalStyle', 'architectural style', 'Style of the building.', {
    ...nullable,
    ...dynamic,
    values: [
      'BiLevel',
      'TriLevel',
      'Bungalow',
      'Condo',
      'Single-Wide',
      'Multi-Wide',
      'Multi Wide Starter Home',
      'Single Wide Starter Home',
      'Cape Cod',
      'Colonial',
      'Ranch',
      'Raised Ranch',
      'Townhouse - End Unit',
      'Townhouse - Interior Unit',
      'Victorian',
      'Contemporary',
    ],
  }),
  building.number('garageCapacity', 'garage capacity', 'Vehicles the garage holds.', { ...nullable, unit: 'count' }),
];

const roof = attributesOf('Roof', 'summary.roof');
const spans = ['less than 1 year', '1 ~ 5 years', '5 - 10 years'];

/** Document: Report summary, **roof**. */
export const ROOF_ATTRIBUTES: readonly SummaryAttribute[] = [
  roof.text('estAge', 'estimated age', 'Estimated age of the roof.', { ...dynamic, values: spans }),
  roof.text('estLife', 'estimated life left', 'Estimated remaining life of the roof.', { ...dynamic, values: spans }),
  roof.text('overallCondition', 'overall condition', 'Overall condition of the roof.', {
    ...dynamic,
    values: CONDITIONS,
  }),
  roof.percentages('geometry', 'geometry', 'Share of the roof by shape.', {
    unit: 'percent',
    keys: ['Flat', 'Gable', 'Hip'],
  }),
  roof.texts('comments', 'comments', 'Comments on the roof.'),
  roof.percentages('material', 'material', 'Share of the roof by material.', {
    unit: 'percent',
    keys: [
      'CompositeShingles',
      'BuildupRoofNoGravel',
      'ClayConcreteTiles',
      'LightMetalPanels',
      'SinglePlyMembrane',
      'SinglePlyMembraneBallasted',
      'Slate',
      'StandingSeamMetalRoof',
      'WoodenShingles',
      'Metal',
      'ModifiedBitumen',
    ],
  }),
  roof.texts('coveringMaterial', 'covering material', 'Materials that cover the roof.', {
    values: [
      'Asphalt',
      'Modified Bitumen',
      'Aluminum',
      'Built-Up',
      'Clay Tile',
      'Concrete Tile',
      'Slate',
      'Copper',
      'Steel',
      'Metal',
      'Standing Seam Metal',
      'Solar Tiles',
      'Rubber',
      'Wood',
      'Other',
      'Unknown',
    ],
  }),
  roof.boolean('hasSolarPanel', 'solar panel', 'There are solar panels on the roof.'),
  roof.boolean('hasCurlingShingles', 'curling shingles', 'Shingles curl.'),
  roof.boolean('hasGranularLoss', 'granular loss', 'Shingles have lost granules.'),
  roof.boolean('hasMissingDamagedShingles', 'missing or damaged shingles', 'Shingles are missing or damaged.'),
  roof.boolean('hasPatchedAreas', 'patched areas', 'The roof is patched.'),
  roof.boolean('hasTarp', 'tarp', 'A tarp lies on the roof.'),
  roof.boolean('hasRoofDebris', 'debris', 'Debris lies on the roof.', nullable),
  roof.boolean('hasMultiLayer', 'several layers', 'The roof has several layers.', nullable),
  roof.boolean('hasHoles', 'holes', 'The roof has holes.', nullable),
  roof.boolean(
    'hasMissingDamagedMetalRoof',
    'missing or damaged metal',
    'Parts of a metal roof are missing or damaged.',
    nullable,
  ),
  roof.number('chimneyCount', 'chimneys', 'Number of chimneys.', { ...nullable, unit: 'count' }),
  comparisonOf(roof, 'Roof comparison', 'Slope', [
    'No changes was noted.',
    'Slightly damage was noted on the slope.',
    'Moderately damage was noted on the slope.',
    'Significant damage was noted on the slope.',
    'Roof is completely replaced.',
    'Solar panels were noted on the slope.',
  ]),
];

const exterior = attributesOf('Exterior', 'summary.exterior');
const pool = attributesOf('Pool', '');

/** The parts of an elevation that a change is noted on. */
const TARGETS = ['siding', 'door', 'window', 'foundation', 'soffit'];

const COMPARISON_CHANGES = [
  'No changes was noted.',
  ...['Slightly', 'Moderately', 'Significant'].flatMap((degree) =>
    TARGETS.map((target) => `${degree} damage was noted on the ${target}.`),
  ),
  'Roof is completely replaced.',
  ...TARGETS.map((target) => `Solar panels were noted on the ${target}.`),
];

/** Document: Report summary, **exterior**. */
export const EXTERIOR_ATTRIBUTES: readonly SummaryAttribute[] = [
  exterior.text('overallCondition', 'overall condition', 'Whether the overall condition outside is satisfactory.'),
  exterior.percentages('siding', 'siding', 'Share of the siding by material.', {
    unit: 'percent',
    keys: [
      'BrickVeneer',
      'Wood',
      'HardiePlank',
      'Stucco',
      'ConcreteBlock',
      'WoodShake',
      'Aluminum',
      'Vinyl',
      'Metal',
      'Log',
      'Asbestos',
      'StoneVeneer',
      'VinylShake',
      'HardiePanel',
      'HardieShingle',
    ],
  }),
  exterior.boolean('hasShutters', 'shutters', 'There are shutters.'),
  exterior.boolean('hasPorch', 'porch', 'There is a porch.'),
  exterior.boolean('hasStairsWithoutHandRails', 'stairs without handrails', 'Stairs lack handrails.'),
  exterior.boolean('hasYardDebris', 'yard debris', 'Debris lies in the yard.'),
  exterior.boolean('hasDiscardedVehicles', 'discarded vehicles', 'Discarded vehicles stand on the property.'),
  exterior.boolean('hasTreeLimbs', 'tree limbs', 'Tree limbs reach the building.'),
  exterior.boolean('hasPoolWithoutFence', 'pool without fence', 'There is a pool without a fence.'),
  exterior.boolean('hasDogPresent', 'dog present', 'A dog was present.'),
  exterior.boolean('hasSidingDamage', 'siding damage', 'The siding is damaged.', nullable),
  exterior.boolean('hasWallCracks', 'wall cracks', 'Walls are cracked.', nullable),
  exterior.boolean('hasPealingPaint', 'peeling paint', 'Paint is peeling.', nullable),
  exterior.boolean('hasWindowDamage', 'window damage', 'Windows are damaged.', nullable),
  exterior.boolean('hasWaterDamage', 'water damage', 'There is water damage outside.', nullable),
  exterior.boolean('hasChimneyDamage', 'chimney damage', 'A chimney is damaged.', nullable),
  exterior.boolean('hasMildewOrMoss', 'mildew or moss', 'Mildew or moss grows on the building.', nullable),
  exterior.boolean('hasPoolCage', 'pool cage', 'A pool has a cage.', nullable),
  exterior.boolean('hasDivingBoardOrSlide', 'diving board or slide', 'A pool has a diving board or slide.', nullable),
  exterior.boolean('hasDogSign', 'dog sign', 'There are signs of a dog.', nullable),
  exterior.boolean('hasPestActivity', 'pest activity', 'There are signs of pests.', nullable),
  exterior.boolean('hasTrampoline', 'trampoline', 'There is a trampoline.', nullable),
  exterior.boolean('hasWatercraft', 'watercraft', 'There is a watercraft.', nullable),
  exterior.boolean('hasPlaySwingSet', 'play or swing set', 'There is a play or swing set.', nullable),
  exterior.boolean('hasTreeHouse', 'tree house', 'There is a tree house.', nullable),
  exterior.boolean('hasBasketballHoop', 'basketball hoop', 'There is a basketball hoop.', nullable),
  exterior.boolean('hasATV', 'ATV', 'There is an all-terrain vehicle.', nullable),
  exterior.boolean(
    'hasSkateboardOrBikeRamp',
    'skateboard or bike ramp',
    'There is a skateboard or bike ramp.',
    nullable,
  ),
  exterior.boolean('hasDirtBike', 'dirt bike', 'There is a dirt bike.', nullable),
  exterior.boolean('hasPropaneOrFuelTank', 'propane or fuel tank', 'There is a propane or fuel tank.', nullable),
  exterior.boolean('hasSwimmingPool', 'swimming pool', 'There is a swimming pool.', nullable),
  exterior.boolean('hasAwning', 'awning', 'There is an awning.', nullable),
  exterior.boolean('isEIFS', 'EIFS', 'EIFS construction (synthetic stucco) done before 2000.', nullable),
  exterior.boolean(
    'hasPoolSelfLatchingGate',
    'self-latching pool gate',
    'The pool has a self-latching gate.',
    nullable,
  ),
  exterior.boolean('hasAdjacentStructureRisk', 'adjacent structure risk', 'An adjacent structure is a risk.', nullable),
  exterior.boolean(
    'hasHighAboveGroundPoolWithFixedLadder',
    'high above-ground pool with fixed ladder',
    'A high above-ground pool has a fixed ladder.',
    nullable,
  ),
  exterior.boolean('hasUnfencedPond', 'unfenced pond', 'There is a pond without a fence.', nullable),
  exterior.boolean(
    'hasPoolWithoutSelfLatchingGate',
    'pool without self-latching gate',
    'There is a pool without a self-latching gate.',
    nullable,
  ),
  exterior.boolean('hasCompromisedMasonry', 'compromised masonry', 'Masonry is compromised.', nullable),
  exterior.boolean('hasUnsafeTreeCondition', 'unsafe tree', 'A tree is in an unsafe condition.', nullable),
  exterior.boolean(
    'hasIneligibleSidingMaterial',
    'ineligible siding',
    'The siding is of an ineligible material.',
    nullable,
  ),
  exterior.boolean('hasDoorDamage', 'door damage', 'Doors are damaged.', nullable),
  exterior.number('numDogPresent', 'dogs', 'Number of dogs.', { unit: 'count' }),
  exterior.texts('petType', 'pet types', 'Kinds of pets, dogs with their breed.', {
    ...examples,
    values: [
      'Dog - Labrador Retriever',
      'Dog - German Shepherd',
      'Dog - Golden Retriever',
      'Dog - Beagle',
      'Dog - Bulldog',
      'Dog - Yorkshire Terrier',
      'Dog - Boxer',
      'Dog - Poodle',
      'Dog - Rottweiler',
      'Dog - Dachshunds',
      'Cats',
      'Birds',
    ],
  }),
  exterior.counts('pet', 'pets', 'Number of pets by kind.', { unit: 'count', keys: ['dog', 'cat', 'horse', 'other'] }),
  exterior.number('poolCount', 'pools', 'Number of pools.', { ...nullable, unit: 'count' }),
  exterior.objects('pool', 'pool list', 'Each pool.', {
    ...nullable,
    items: [
      pool.text('type', 'type', 'Kind of pool.', {
        ...nullable,
        values: [
          'In-ground, Attached Pool',
          'In-ground, Detached Pool',
          'Above Ground, Attached Pool',
          'Above Ground, Detached Pool',
        ],
      }),
      pool.text('size', 'size', 'Size of the pool.', { ...nullable, values: SIZES }),
      pool.boolean('hasCage', 'cage', 'The pool has a cage.', nullable),
      pool.text('cageSize', 'cage size', 'Size of the cage.', { ...nullable, values: SIZES }),
    ],
  }),
  exterior.texts('comments', 'comments', 'Comments on the exterior.'),
  comparisonOf(exterior, 'Exterior comparison', 'Elevation', COMPARISON_CHANGES),
];

/** What changed on each side since the previous inspection, for renewals: the slopes of a roof, the elevations of a house. */
function comparisonOf(
  { objects }: typeof roof,
  group: string,
  side: 'Slope' | 'Elevation',
  changes: readonly string[],
): SummaryAttribute {
  const { text } = attributesOf(group, '');
  return objects(
    'comparison',
    'comparison',
    `What changed on each ${side.toLowerCase()} since the previous inspection.`,
    {
      items: [
        text('direction', 'direction', `Which ${side.toLowerCase()}.`, { ...dynamic, values: DIRECTIONS }),
        text('change', 'change', 'What changed since the previous inspection.', { ...dynamic, values: changes }),
        text('comment', 'comment', `Direction and change in one line: \`<Direction> ${side}: <change>\`.`),
        imagesOf(group),
      ],
    },
  );
}
