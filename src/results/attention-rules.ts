import { type AttentionRule, textOf, whenAnyKey, whenItem, whenText, whenWeighed, whenYes } from './attention.ts';

const CONDITION_WEIGHTS = { Poor: 30, Fair: 8, Closeout: 20 };

/** A hazard score counts as it is, up to this: the document gives it no scale. */
const HAZARD_SCORE_WEIGHT_MAX = 40;

/** What makes a house risky, part by part. The order is that of equal weights in a house's reasons. */
export const ATTENTION_RULES: readonly AttentionRule[] = [
  whenWeighed('closed-out', 'summary.closeoutReasons', 'The inspection was closed out', (leaf) => (Array.isArray(leaf) && leaf.length > 0 ? 40 : 0)),
  whenWeighed('hazard-score', 'summary.risk.hazardScore', 'Hazards were counted', (leaf) =>
    typeof leaf === 'number' && leaf > 0 ? Math.min(HAZARD_SCORE_WEIGHT_MAX, leaf) : 0,
  ),
  whenText('risk-condition', 'summary.risk.overallCondition', CONDITION_WEIGHTS, 'The risk as a whole is in no good condition'),
  whenText('building-condition', 'summary.bldg.overallCondition', CONDITION_WEIGHTS, 'The building is in no good condition'),
  whenText('roof-condition', 'summary.roof.overallCondition', CONDITION_WEIGHTS, 'The roof is in no good condition'),
  whenText('interior-condition', 'summary.interior.overallCondition', CONDITION_WEIGHTS, 'The interior is in no good condition'),
  whenText('roof-life', 'summary.roof.estLife', { 'less than 1 year': 30, '1 ~ 5 years': 15 }, 'The roof has little life left'),
  whenYes('vacant', 'summary.risk.vacant', 30, 'The house is vacant'),
  whenYes('roof-tarp', 'summary.roof.hasTarp', 30, 'A tarp lies on the roof'),
  whenYes('roof-holes', 'summary.roof.hasHoles', 30, 'The roof has holes'),
  whenYes('ineligible-panel', 'summary.interior.electric.hasIneligiblePanel', 30, 'The electric panel is ineligible'),
  whenYes('visible-leaks', 'summary.interior.hasVisibleLeaks', 25, 'Leaks are visible inside'),
  whenYes('pool-without-fence', 'summary.exterior.hasPoolWithoutFence', 25, 'A pool has no fence'),

  whenYes('roof-shingles', 'summary.roof.hasMissingDamagedShingles', 20, 'Shingles are missing or damaged'),
  whenYes('roof-metal', 'summary.roof.hasMissingDamagedMetalRoof', 20, 'Parts of the metal roof are missing or damaged'),
  whenYes('roof-curling', 'summary.roof.hasCurlingShingles', 10, 'Shingles curl'),
  whenYes('roof-granular-loss', 'summary.roof.hasGranularLoss', 8, 'Shingles have lost granules'),
  whenYes('roof-patched', 'summary.roof.hasPatchedAreas', 8, 'The roof is patched'),
  whenYes('roof-layers', 'summary.roof.hasMultiLayer', 6, 'The roof has several layers'),
  whenItem('roof-change', 'summary.roof.comparison', 'A slope got worse since the previous inspection', worseSide),

  whenYes('interior-damage', 'summary.interior.hasExistingDamage', 20, 'There is damage inside'),
  whenAnyKey('room-damage', 'summary.interior.floorplan.hasDamage', 10, 'Rooms are damaged'),
  whenYes('ineligible-plumbing', 'summary.interior.plumbing.hasIneligiblePlumbing', 20, 'The plumbing is ineligible'),
  whenYes('galvanized-pipes', 'summary.interior.plumbing.hasGalvanizedPipes', 12, 'There are galvanized pipes'),
  whenYes('poor-water-heater', 'summary.interior.plumbing.hasPoorWaterHeaterCondition', 10, 'The water heater is in poor condition'),
  whenYes('old-water-heater', 'summary.interior.plumbing.hasOldWaterHeater', 8, 'The water heater is older than 15 years'),
  whenYes('no-shutoff-valve', 'summary.interior.plumbing.noShutoffValve', 5, 'The plumbing has no shutoff valve'),
  whenYes('wood-stove', 'summary.interior.heatingCooling.hasWoodStove', 10, 'There is a wood stove'),
  whenYes('space-heater', 'summary.interior.heatingCooling.hasSpaceHeater', 6, 'There is a space heater'),
  whenItem('open-recall', 'summary.interior.appliances', 'An appliance has a recall that is not fixed', openRecall),

  whenYes('building-damage', 'summary.bldg.exteriorDamage', 15, 'The building is damaged outside'),
  whenYes('foundation-cracks', 'summary.bldg.hasFoundationCracks', 20, 'The foundation is cracked'),
  whenYes('non-permanent-foundation', 'summary.bldg.hasNonPermanentFoundation', 20, 'The foundation is not permanent'),
  whenYes('over-water', 'summary.bldg.constructionOverWater', 20, 'The building stands over water'),
  whenYes('unconventional-construction', 'summary.bldg.hasUnconventionalConstruction', 15, 'The construction is unconventional'),
  whenYes('under-construction', 'summary.bldg.underConstruction', 12, 'The building is under construction'),
  whenYes('under-renovation', 'summary.bldg.underRenovation', 10, 'The building is under renovation'),
  whenYes('rotting-decking', 'summary.bldg.hasRottingDecking', 12, 'Decking is rotting'),
  whenYes('rail-spacing', 'summary.bldg.hasImproperRailsSpacing', 10, 'Rails are spaced improperly'),
  whenYes('sidewalk', 'summary.bldg.hasSidewalkHazard', 8, 'The sidewalk is a hazard'),

  whenYes('ineligible-siding', 'summary.exterior.hasIneligibleSidingMaterial', 20, 'The siding is ineligible'),
  whenYes('water-damage', 'summary.exterior.hasWaterDamage', 15, 'There is water damage outside'),
  whenYes('masonry', 'summary.exterior.hasCompromisedMasonry', 15, 'Masonry is compromised'),
  whenYes('unsafe-tree', 'summary.exterior.hasUnsafeTreeCondition', 15, 'A tree is unsafe'),
  whenYes('siding-damage', 'summary.exterior.hasSidingDamage', 12, 'The siding is damaged'),
  whenYes('wall-cracks', 'summary.exterior.hasWallCracks', 12, 'Walls are cracked'),
  whenYes('pests', 'summary.exterior.hasPestActivity', 12, 'There are signs of pests'),
  whenYes('pool-latch', 'summary.exterior.hasPoolWithoutSelfLatchingGate', 12, 'A pool has no self-latching gate'),
  whenYes('unfenced-pond', 'summary.exterior.hasUnfencedPond', 12, 'A pond has no fence'),
  whenYes('stairs', 'summary.exterior.hasStairsWithoutHandRails', 12, 'Stairs have no handrails'),
  whenYes('dog', 'summary.exterior.hasDogPresent', 10, 'A dog was present'),
  whenYes('trampoline', 'summary.exterior.hasTrampoline', 10, 'There is a trampoline'),
  whenYes('window-damage', 'summary.exterior.hasWindowDamage', 10, 'Windows are damaged'),
  whenYes('chimney-damage', 'summary.exterior.hasChimneyDamage', 10, 'A chimney is damaged'),
  whenYes('diving-board', 'summary.exterior.hasDivingBoardOrSlide', 8, 'A pool has a diving board or slide'),
  whenYes('tree-limbs', 'summary.exterior.hasTreeLimbs', 8, 'Tree limbs reach the building'),
  whenYes('discarded-vehicles', 'summary.exterior.hasDiscardedVehicles', 8, 'Discarded vehicles stand on the property'),
  whenYes('yard-debris', 'summary.exterior.hasYardDebris', 6, 'Debris lies in the yard'),
  whenItem('exterior-change', 'summary.exterior.comparison', 'An elevation got worse since the previous inspection', worseSide),

  whenYes('inaccessible', 'summary.risk.inaccessible', 15, 'The property could not be reached'),
  whenYes('business', 'summary.risk.hasBusinessOperation', 10, 'A business is run on the property'),
  whenYes('isolated', 'summary.risk.isolatedDwelling', 8, 'The dwelling stands isolated'),
  whenYes('seasonal', 'summary.risk.seasonalDwelling', 8, 'The dwelling is used for a season only'),
  whenText('near-water', 'summary.risk.waterBody.distance', { 'less than 500 ft': 8 }, 'Water is near'),
  whenWeighed('factors', 'summary.factors', 'Hazards are listed on the sheet Factors', (leaf) => (typeof leaf === 'number' ? Math.min(15, leaf * 3) : 0)),
];

function worseSide(item: Parameters<typeof textOf>[0]) {
  const change = textOf(item, 'change');
  const weight = /^significant/i.test(change) ? 20 : /^moderate/i.test(change) ? 10 : 0;
  return weight === 0 ? null : { weight, value: textOf(item, 'comment') || `${textOf(item, 'direction')}: ${change}` };
}

function openRecall(item: Parameters<typeof textOf>[0]) {
  const recalls = item.lists.get('recallData')?.items ?? [];
  const open = recalls.filter((recall) => textOf(recall, 'customerRecallStatus').toUpperCase() !== 'FIXED');
  if (open.length === 0) return null;
  const numbers = open.map((recall) => textOf(recall, 'recallNumber')).filter((number) => number !== '');
  return { weight: 12, value: [textOf(item, 'brand'), textOf(item, 'productType'), ...numbers].filter((part) => part !== '').join(' ') };
}
