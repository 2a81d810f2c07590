import type { SummaryAttribute } from '../catalogue-types.ts';
import { attributesOf, DIRECTIONS, dynamic, imagesOf, nullable, SIZES } from './attribute-builders.ts';

const { text, number, boolean, texts, percentages, counts, objects } = attributesOf('Exterior', 'summary.exterior');
const pool = attributesOf('Pool', '');
const comparison = attributesOf('Exterior comparison', '');

/** The parts of an elevation that a change is noted on. */
const TARGETS = ['siding', 'door', 'window', 'foundation', 'soffit'];

const COMPARISON_CHANGES = [
  'No changes was noted.',
  ...['Slightly', 'Moderately', 'Significant'].flatMap((degree) => TARGETS.map((target) => `${degree} damage was noted on the ${target}.`)),
  'Roof is completely replaced.',
  ...TARGETS.map((target) => `Solar panels were noted on the ${target}.`),
];

/** Document: Report summary, **exterior**. */
export const EXTERIOR_ATTRIBUTES: readonly SummaryAttribute[] = [
  text('overallCondition', 'overall condition', 'Whether the overall condition outside is satisfactory.'),
  percentages('siding', 'siding', 'Share of the siding by material.', {
    unit: 'percent',
    keys: [
      'BrickVeneer', 'Wood', 'HardiePlank', 'Stucco', 'ConcreteBlock', 'WoodShake', 'Aluminum', 'Vinyl', 'Metal', 'Log', 'Asbestos', 'StoneVeneer',
      'VinylShake', 'HardiePanel', 'HardieShingle',
    ],
  }),
  boolean('hasShutters', 'shutters', 'There are shutters.'),
  boolean('hasPorch', 'porch', 'There is a porch.'),
  boolean('hasStairsWithoutHandRails', 'stairs without handrails', 'Stairs lack handrails.'),
  boolean('hasYardDebris', 'yard debris', 'Debris lies in the yard.'),
  boolean('hasDiscardedVehicles', 'discarded vehicles', 'Discarded vehicles stand on the property.'),
  boolean('hasTreeLimbs', 'tree limbs', 'Tree limbs reach the building.'),
  boolean('hasPoolWithoutFence', 'pool without fence', 'There is a pool without a fence.'),
  boolean('hasDogPresent', 'dog present', 'A dog was present.'),
  boolean('hasSidingDamage', 'siding damage', 'The siding is damaged.', nullable),
  boolean('hasWallCracks', 'wall cracks', 'Walls are cracked.', nullable),
  boolean('hasPealingPaint', 'peeling paint', 'Paint is peeling.', nullable),
  boolean('hasWindowDamage', 'window damage', 'Windows are damaged.', nullable),
  boolean('hasWaterDamage', 'water damage', 'There is water damage outside.', nullable),
  boolean('hasChimneyDamage', 'chimney damage', 'A chimney is damaged.', nullable),
  boolean('hasMildewOrMoss', 'mildew or moss', 'Mildew or moss grows on the building.', nullable),
  boolean('hasPoolCage', 'pool cage', 'A pool has a cage.', nullable),
  boolean('hasDivingBoardOrSlide', 'diving board or slide', 'A pool has a diving board or slide.', nullable),
  boolean('hasDogSign', 'dog sign', 'There are signs of a dog.', nullable),
  boolean('hasPestActivity', 'pest activity', 'There are signs of pests.', nullable),
  boolean('hasTrampoline', 'trampoline', 'There is a trampoline.', nullable),
  boolean('hasWatercraft', 'watercraft', 'There is a watercraft.', nullable),
  boolean('hasPlaySwingSet', 'play or swing set', 'There is a play or swing set.', nullable),
  boolean('hasTreeHouse', 'tree house', 'There is a tree house.', nullable),
  boolean('hasBasketballHoop', 'basketball hoop', 'There is a basketball hoop.', nullable),
  boolean('hasATV', 'ATV', 'There is an all-terrain vehicle.', nullable),
  boolean('hasSkateboardOrBikeRamp', 'skateboard or bike ramp', 'There is a skateboard or bike ramp.', nullable),
  boolean('hasDirtBike', 'dirt bike', 'There is a dirt bike.', nullable),
  boolean('hasPropaneOrFuelTank', 'propane or fuel tank', 'There is a propane or fuel tank.', nullable),
  boolean('hasSwimmingPool', 'swimming pool', 'There is a swimming pool.', nullable),
  boolean('hasAwning', 'awning', 'There is an awning.', nullable),
  boolean('isEIFS', 'EIFS', 'EIFS construction (synthetic stucco) done before 2000.', nullable),
  boolean('hasPoolSelfLatchingGate', 'self-latching pool gate', 'The pool has a self-latching gate.', nullable),
  boolean('hasAdjacentStructureRisk', 'adjacent structure risk', 'An adjacent structure is a risk.', nullable),
  boolean('hasHighAboveGroundPoolWithFixedLadder', 'high above-ground pool with fixed ladder', 'A high above-ground pool has a fixed ladder.', nullable),
  boolean('hasUnfencedPond', 'unfenced pond', 'There is a pond without a fence.', nullable),
  boolean('hasPoolWithoutSelfLatchingGate', 'pool without self-latching gate', 'There is a pool without a self-latching gate.', nullable),
  boolean('hasCompromisedMasonry', 'compromised masonry', 'Masonry is compromised.', nullable),
  boolean('hasUnsafeTreeCondition', 'unsafe tree', 'A tree is in an unsafe condition.', nullable),
  boolean('hasIneligibleSidingMaterial', 'ineligible siding', 'The siding is of an ineligible material.', nullable),
  boolean('hasDoorDamage', 'door damage', 'Doors are damaged.', nullable),
  number('numDogPresent', 'dogs', 'Number of dogs.', { unit: 'count' }),
  texts('petType', 'pet types', 'Kinds of pets, dogs with their breed.', {
    values: [
      'Dog - Labrador Retriever', 'Dog - German Shepherd', 'Dog - Golden Retriever', 'Dog - Beagle', 'Dog - Bulldog', 'Dog - Yorkshire Terrier',
      'Dog - Boxer', 'Dog - Poodle', 'Dog - Rottweiler', 'Dog - Dachshunds', 'Cats', 'Birds',
    ],
  }),
  counts('pet', 'pets', 'Number of pets by kind.', { unit: 'count', keys: ['dog', 'cat', 'horse', 'other'] }),
  number('poolCount', 'pools', 'Number of pools.', { ...nullable, unit: 'count' }),
  objects('pool', 'pool list', 'Each pool.', {
    ...nullable,
    items: [
      pool.text('type', 'type', 'Kind of pool.', {
        ...nullable,
        values: ['In-ground, Attached Pool', 'In-ground, Detached Pool', 'Above Ground, Attached Pool', 'Above Ground, Detached Pool'],
      }),
      pool.text('size', 'size', 'Size of the pool.', { ...nullable, values: SIZES }),
      pool.boolean('hasCage', 'cage', 'The pool has a cage.', nullable),
      pool.text('cageSize', 'cage size', 'Size of the cage.', { ...nullable, values: SIZES }),
    ],
  }),
  texts('comments', 'comments', 'Comments on the exterior.'),
  objects('comparison', 'comparison', 'What changed on each elevation since the previous inspection.', {
    items: [
      comparison.text('direction', 'direction', 'Which elevation.', { ...dynamic, values: DIRECTIONS }),
      comparison.text('change', 'change', 'What changed since the previous inspection.', { ...dynamic, values: COMPARISON_CHANGES }),
      comparison.text('comment', 'comment', 'Direction and change in one line: `<Direction> Elevation: <change>`.'),
      imagesOf('Exterior comparison'),
    ],
  }),
];
