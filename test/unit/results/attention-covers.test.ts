import { expect, test } from 'vitest';
import { SUMMARY_CATALOG } from '../../../src/contract/summary-attributes.ts';
import { pathsOf } from '../../../src/results/attention/condition.ts';
import { findingsOf } from '../../../src/results/attention/judge.ts';
import { loadAttention } from '../../../src/results/attention/rules.ts';
import { flattenSummary } from '../../../src/results/flatten.ts';

const { rules: RULES } = await loadAttention(null);

test.each([
  ['Unsatisfactory', 20],
  ['UNSATISFACTORY', 20],
  ['Not Satisfactory', 20],
  ['not satisfied', 20],
  ['No', 20],
  ['Poor', 20],
  ['Bad', 20],
  ['Unacceptable', 20],
  [false, 20],
  ['Closeout', null],
  ['Fair', 6],
  ['Marginal', 6],
  ['Satisfactory', null],
  ['Yes', null],
  ['Good', null],
  ['Excellent', null],
  ['Average', null],
  [true, null],
  [null, null],
])('weighs the exterior condition %j as %j', (overallCondition, weight) => {
  const found = findingsOf(flattenSummary({ id: 'R', summary: { exterior: { overallCondition } } }), RULES);
  expect(found.map((finding) => finding.weight)).toEqual(weight === null ? [] : [weight]);
});

test('lists every defect of a pool, and its missing barrier once', () => {
  const exterior = {
    hasPoolWithoutFence: true,
    hasPoolWithoutSelfLatchingGate: true,
    hasHighAboveGroundPoolWithFixedLadder: true,
    hasDivingBoardOrSlide: true,
  };
  const found = findingsOf(flattenSummary({ id: 'R', summary: { exterior } }), RULES);
  expect(found.map(({ reason }) => /fence|ladder|diving/.exec(reason)?.[0])).toEqual(['fence', 'ladder', 'diving']);
});

/** What no value of makes a house ask for an underwriter's eye: who, where, how large, of what kind, what is good to have, and what other attributes say. */
const NO_BAD_VALUE: ReadonlySet<string> = new Set([
  'project.*',
  'yearBuilt',
  'lotSize',
  'livingArea',
  'addlStructures',
  'hazards',
  'recommendations',
  'history',
  'hover.hoverTla',
  'closeoutReasons',
  'risk.areaEconomy',
  'risk.neighborhood',
  'risk.gatedCommunity',
  'risk.locatedOnPavedRoad',
  'risk.rental',
  'risk.forSale',
  'risk.businessOperation',
  'risk.hasCrops',
  'risk.hasHorses',
  'risk.waterBody.type',
  'bldg.construction',
  'bldg.foundation',
  'bldg.dwellingType',
  'bldg.garage',
  'bldg.hvac',
  'bldg.numStories',
  'bldg.windProtections',
  'bldg.hurricaneStraps',
  'bldg.manufacturedOrMobileHome',
  'bldg.designatedHistoricHome',
  'bldg.isDeveloperSpeculation',
  'bldg.architecturalStyle',
  'bldg.garageCapacity',
  'roof.geometry',
  'roof.material',
  'roof.coveringMaterial',
  'roof.estAge',
  'roof.comments',
  'roof.hasSolarPanel',
  'roof.chimneyCount',
  'exterior.hasShutters',
  'exterior.siding',
  'exterior.hasPorch',
  'exterior.hasPoolCage',
  'exterior.hasDogSign',
  'exterior.hasWatercraft',
  'exterior.hasPlaySwingSet',
  'exterior.hasBasketballHoop',
  'exterior.hasATV',
  'exterior.hasDirtBike',
  'exterior.hasPropaneOrFuelTank',
  'exterior.hasAwning',
  'exterior.numDogPresent',
  'exterior.pet',
  'exterior.poolCount',
  'exterior.pool',
  'exterior.comments',
  'interior.plumbing.isUpdated',
  'interior.plumbing.yearUpdated',
  'interior.plumbing.systemUpdateStatus',
  'interior.electric.panelBrand',
  'interior.electric.isUpdated',
  'interior.electric.yearUpdated',
  'interior.electric.systemUpdateStatus',
  'interior.heatingCooling.isUpdated',
  'interior.heatingCooling.yearUpdated',
  'interior.heatingCooling.systemUpdateStatus',
  'interior.floorplan.room',
  'interior.waterHeater.serialNumber',
  'interior.waterHeater.age',
  'interior.burglarAlarm.hasCentralBurglarAlarm',
  'interior.fireAlarm.hasCentralFireAlarm',
  'interior.comments',
  'community.*',
  'fireProtection.*',
]);

test('covers every attribute of the document by a rule or NO_BAD_VALUE', () => {
  const asked = RULES.flatMap(({ condition }) => pathsOf(condition));
  const isSeen = (path: string): boolean => asked.some((one) => one === path || one.startsWith(`${path}.`));
  const paths = SUMMARY_CATALOG.map(({ path }) => path.replace(/^summary\./, ''));
  const isNeutral = (path: string): boolean =>
    NO_BAD_VALUE.has(path) || NO_BAD_VALUE.has(`${path.split('.')[0] ?? ''}.*`);
  expect(paths.filter((path) => !isSeen(path) && !isNeutral(path))).toEqual([]);
  expect(paths.filter((path) => isSeen(path) && isNeutral(path))).toEqual([]);
});
