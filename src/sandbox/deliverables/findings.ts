import { SeededRandom } from '../seeded-random.ts';
import { houseOf, styleOf } from './house-styles.ts';
import type { Inspection } from './inspection.ts';

/** A hazard that an inspector may find. */
interface Hazard {
  /** The document shows no names of factors: these are plausible ones. */
  readonly name: string;
  readonly text: string;
  /** The attribute that is true when it was found. */
  readonly flag: string;
  readonly component: string | null;
  readonly directed: boolean;
  readonly recommendation: string;
}

/** A hazard that was found, and where. */
interface Finding {
  readonly hazard: Hazard;
  readonly direction: string | null;
}

/** What several attributes of a summary must agree about. All of it is drawn once an inspection. */
export interface HouseFacts {
  /** 0 excellent … 4 poor. */
  readonly grade: number;
  readonly yearBuilt: number;
  /** Square feet. */
  readonly livingArea: number;
  readonly stories: number;
  readonly pools: number;
  readonly dogs: number;
  readonly business: string;
  /** Null where nobody looked. */
  readonly waterBody: string | null;
  readonly garage: string;
  readonly findings: readonly Finding[];
  /** The year plumbing, electric system and heating were updated; null where they are original. */
  readonly updated: Readonly<Record<string, number | null>>;
}

const HAZARDS: readonly Hazard[] = [
  hazard('ROOF_MISSING_SHINGLES', 'Missing or damaged shingles', 'roof.hasMissingDamagedShingles', 'Roof', true, 'Replace the missing shingles.'),
  hazard('ROOF_TARP', 'Tarp on the roof', 'roof.hasTarp', 'Roof', true, 'Repair the roof under the tarp.'),
  hazard('ROOF_GRANULAR_LOSS', 'Granular loss on the shingles', 'roof.hasGranularLoss', 'Roof', true, 'Have the roof evaluated by a roofer.'),
  hazard('TREE_LIMBS_OVERHANGING', 'Tree limbs reach the building', 'exterior.hasTreeLimbs', 'Roof', true, 'Cut the limbs back from the building.'),
  hazard('STAIRS_WITHOUT_HANDRAILS', 'Stairs without handrails', 'exterior.hasStairsWithoutHandRails', 'Stairs', true, 'Fit handrails.'),
  hazard('YARD_DEBRIS', 'Debris in the yard', 'exterior.hasYardDebris', null, false, 'Clear the yard.'),
  hazard('POOL_WITHOUT_FENCE', 'Pool without a fence', 'exterior.hasPoolWithoutFence', 'Pool', false, 'Fence the pool.'),
  hazard('SIDING_DAMAGE', 'Damaged siding', 'exterior.hasSidingDamage', 'Siding', true, 'Repair the siding.'),
  hazard('FOUNDATION_CRACKS', 'Cracks in the foundation', 'bldg.hasFoundationCracks', 'Foundation', true, 'Have the foundation evaluated.'),
  hazard('VISIBLE_LEAKS', 'Visible leak', 'interior.hasVisibleLeaks', 'Plumbing', false, 'Repair the leak.'),
  hazard('INELIGIBLE_PANEL', 'Ineligible electrical panel', 'interior.electric.hasIneligiblePanel', 'Electrical panel', false, 'Replace the panel.'),
  hazard('OLD_WATER_HEATER', 'Water heater older than 15 years', 'interior.plumbing.hasOldWaterHeater', 'Water heater', false, 'Replace the water heater.'),
];

/** Attributes that are true just where the hazard was found. */
export const HAZARD_FLAGS: ReadonlySet<string> = new Set(HAZARDS.map(({ flag }) => flag));

function hazard(name: string, text: string, flag: string, component: string | null, directed: boolean, recommendation: string): Hazard {
  return { name, text, flag: `summary.${flag}`, component, directed, recommendation };
}

export const SYSTEMS = ['plumbing', 'electric', 'heatingCooling'] as const;
export const DIRECTIONS = ['Front', 'Right', 'Rear', 'Left'] as const;

/** Draws what the inspector found; `sees` tells which attributes the report's template holds. */
export function houseFactsOf(inspection: Inspection, sees: (path: string) => boolean): HouseFacts {
  const random = new SeededRandom(inspection.seed, 'facts', inspection.key);
  const { request } = inspection.project;
  // The photos show it.
  const house = houseOf(styleOf(inspection));
  const grade = Math.min(4, Math.floor(random.next() ** 1.4 * 5));
  const pools = random.chance(0.2) ? random.integer(1, 2) : 0;
  const findings = random
    .sample(HAZARDS, grade + random.integer(0, 1))
    .filter(({ flag, name }) => sees(flag) && (pools > 0 || name !== 'POOL_WITHOUT_FENCE'))
    .map((found): Finding => ({ hazard: found, direction: found.directed ? random.pick(DIRECTIONS) : null }));
  const yearBuilt = request.yearBuilt ?? random.integer(1935, 2022);
  return {
    grade,
    pools,
    yearBuilt,
    updated: Object.fromEntries(SYSTEMS.map((system) => [system, random.chance(0.4) ? random.integer(Math.min(yearBuilt, 2020), 2024) : null])),
    findings,
    livingArea: request.carrierProvidedLivingArea ?? random.integer(90, 420) * 10,
    stories: house.stories,
    dogs: random.chance(0.25) ? random.integer(1, 3) : 0,
    business: random.chance(0.9) ? 'None observed' : random.pick(['Farming', 'Gardening', 'Professional Services', 'Day Care']),
    waterBody: random.chance(0.6) ? random.pick(['None observed', 'None observed', 'None observed', null]) : random.pick(['Lake', 'River', 'Creek', 'Ocean', 'Pond', 'Bay', 'Bayou', 'Gully']),
    garage: house.garage ? 'Attached' : random.pick(['Detached', 'Built-in', 'Carport', 'None']),
  };
}
