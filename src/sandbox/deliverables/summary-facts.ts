import type { SummaryAttribute } from '../../contract/catalogue/attribute.ts';
import { SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import { SeededRandom } from '../seeded-random.ts';
import { houseOf, styleOf } from './photos.ts';
import type { ImageOffer, Inspection } from './inspection.ts';
import { type Drawing, itemOf } from './summary-values.ts';

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
const HAZARD_FLAGS: ReadonlySet<string> = new Set(HAZARDS.map(({ flag }) => flag));

function hazard(name: string, text: string, flag: string, component: string | null, directed: boolean, recommendation: string): Hazard {
  return { name, text, flag: `summary.${flag}`, component, directed, recommendation };
}

const SYSTEMS = ['plumbing', 'electric', 'heatingCooling'] as const;
const DIRECTIONS = ['Front', 'Right', 'Rear', 'Left'] as const;

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

/** What a given value is made from. */
export interface FactSource {
  readonly inspection: Inspection;
  readonly facts: HouseFacts;
  readonly images: readonly ImageOffer[];
  readonly random: SeededRandom;
}

type Fact = (source: FactSource) => unknown;

const order = (source: FactSource) => source.inspection.project.request;
const image = (source: FactSource, direction: string | null): { id: string }[] => {
  const shown = source.images.filter((offer) => direction === null || offer.view.direction === direction);
  return [...shown, ...source.images].slice(0, 1).map(({ id }) => ({ id }));
};

/** `project`: what the order says, in the summary's types (document: the ZIP code is a Number, READING 10). */
const PROJECT_FACTS: Record<string, Fact> = {
  'project.id': ({ inspection }) => inspection.project.id,
  'project.inspectionNumber': (source) => order(source).inspectionNumber ?? '',
  'project.serviceName': (source) => order(source).serviceName,
  'project.insuredName': (source) => order(source).insuredName,
  'project.inspectionTime': ({ inspection }) => inspection.visit.inspectedAt,
  'project.completionTime': ({ inspection: { visit }, random }) => visit.inspectedAt + Math.ceil(random.next() * (visit.returnedAt - visit.inspectedAt)),
  'project.policyNumber': ({ inspection }) => inspection.project.policyNumber ?? '',
  'project.supplementalServices': (source) => order(source).supplementalServices ?? [],
  'project.isRenewal': (source) => order(source).isRenewal ?? null,
  'project.address.streetAddress': (source) => order(source).streetAddress,
  'project.address.city': (source) => order(source).city,
  'project.address.state': (source) => order(source).state,
  'project.address.country': () => 'US',
  'project.address.zipcode': (source) => Number(/^\d{1,5}/.exec(order(source).zipcode)?.[0] ?? 0),
};

/** Not assessed where there is no pool. */
const POOL_FLAGS = ['hasPoolCage', 'hasDivingBoardOrSlide', 'hasPoolSelfLatchingGate', 'hasHighAboveGroundPoolWithFixedLadder', 'hasPoolWithoutSelfLatchingGate'];

/** Attributes that must agree with each other. */
const HOUSE_FACTS: Record<string, Fact> = {
  'summary.yearBuilt': ({ facts }) => facts.yearBuilt,
  'summary.livingArea': ({ facts }) => facts.livingArea,
  'summary.hazards': ({ facts }) => facts.findings.map(({ hazard }) => hazard.text),
  'summary.risk.overallCondition': ({ inspection }) => (inspection.closeout ? 'Closeout' : undefined),
  'summary.risk.inaccessible': ({ inspection }) => inspection.closeout,
  'summary.risk.businessOperation': ({ facts }) => facts.business,
  'summary.risk.hasBusinessOperation': ({ facts }) => facts.business !== 'None observed',
  'summary.risk.hazardScore': ({ facts }) => (facts.findings.length === 0 ? undefined : facts.findings.length * 1.5),
  'summary.risk.waterBody.type': ({ facts }) => facts.waterBody,
  'summary.risk.waterBody.distance': ({ facts }) => (facts.waterBody === 'None observed' || facts.waterBody === null ? null : undefined),
  'summary.bldg.numStories': ({ facts }) => facts.stories,
  'summary.bldg.garage': ({ facts }) => facts.garage,
  'summary.bldg.garageCapacity': ({ facts }) => (facts.garage === 'None' ? null : facts.stories),
  'summary.bldg.windProtections': ({ facts }) => (facts.grade > 2 ? null : undefined),
  'summary.bldg.manufacturedOrMobileHome': (source) => (order(source).houseType === 'Mobile Home' ? 'Yes' : 'No'),
  'summary.bldg.dwellingType': (source) => DWELLING_TYPES[order(source).houseType],
  'summary.exterior.overallCondition': ({ facts }) => (facts.grade < 3 ? 'Satisfactory' : 'Unsatisfactory'),
  'summary.fireProtection.code': ({ random }) => (random.chance(0.1) ? null : random.integer(1, 10)),
  'summary.fireProtection.nearestFireStation.title': ({ random }) => `Fire Station ${random.integer(1, 40)}`,
  'summary.fireProtection.nearestFireStation.type': ({ random }) => random.pick(['Career', 'Volunteer', 'Combination']),
  'summary.exterior.hasSwimmingPool': ({ facts }) => facts.pools > 0,
  'summary.exterior.poolCount': ({ facts }) => (facts.pools === 0 ? null : facts.pools),
  'summary.exterior.hasDogPresent': ({ facts }) => facts.dogs > 0,
  'summary.exterior.numDogPresent': ({ facts }) => facts.dogs,
  'summary.exterior.petType': ({ facts, random }) => random.sample(['Dog - Labrador Retriever', 'Dog - Beagle', 'Dog - Rottweiler'], facts.dogs),
  'summary.exterior.pet': ({ facts, random }) => ({ dog: facts.dogs, cat: random.integer(0, 2) }),
  'summary.interior.floorplan.room': ({ facts }) => ({ bedroom: 1 + facts.stories, bathroom: facts.stories, closet: 2, kitchen: 1 }),
  ...Object.fromEntries(SYSTEMS.flatMap(updateFacts)),
  ...Object.fromEntries(POOL_FLAGS.map((flag): [string, Fact] => [`summary.exterior.${flag}`, ({ facts }) => (facts.pools === 0 ? null : undefined)])),
};

/** Whether, when and how far a system was updated. */
function updateFacts(system: string): [string, Fact][] {
  return [
    [`summary.interior.${system}.isUpdated`, ({ facts }) => facts.updated[system] !== null],
    [`summary.interior.${system}.yearUpdated`, ({ facts }) => facts.updated[system]],
    [
      `summary.interior.${system}.systemUpdateStatus`,
      ({ facts, random }) => (facts.updated[system] === null ? random.pick(['Original', 'Original', 'Unknown']) : random.pick(['Partially Updated', 'Fully Updated'])),
    ],
  ];
}

const DWELLING_TYPES: Readonly<Record<string, string>> = {
  'Residential Single Family': 'Single Family Detached',
  'Residential Condo': 'Condominium',
  'Residential Townhouse': 'Town Home',
  'Residential Multi Family': 'Multi Family Home',
  'Mobile Home': 'Mobile Home',
};

/** The lists of objects whose items depend on what was found, or on which images there are. */
const LIST_FACTS: Record<string, (source: FactSource, items: (given: Record<string, unknown>) => Record<string, unknown>) => unknown> = {
  'summary.recommendations': (source, item) =>
    source.facts.findings.map(({ hazard, direction }) => item({ text: hazard.recommendation, image: image(source, direction) })),
  'summary.factors': (source, item) =>
    source.facts.findings.map(({ hazard: { name, text, component }, direction }) =>
      item({
        name,
        text: direction === null ? text : `${text}, ${direction}`,
        direction,
        component,
        location: component === null ? 'N/A' : [component, direction].filter((part) => part !== null).join(' - '),
        image: direction === null ? null : image(source, direction),
      }),
    ),
  'summary.roof.comparison': (source, item) => comparison(source, item, 'Slope', ROOF_CHANGES),
  'summary.exterior.comparison': (source, item) => comparison(source, item, 'Elevation', EXTERIOR_CHANGES),
  'summary.exterior.pool': ({ facts }, item) => (facts.pools === 0 ? null : Array.from({ length: facts.pools }, () => item({}))),
  'summary.history': (source, item) => [item({ policyNumber: source.inspection.project.policyNumber ?? '', image: image(source, null) })],
  'summary.interior.appliances': ({ random, inspection }, item) => random.sample(APPLIANCES, random.integer(1, 4)).map((productType) => item({ productType, ...applianceAge(inspection, random) })),
  'summary.hover.hoverTla': ({ facts }, item) => {
    const area = Math.round(facts.livingArea / facts.stories);
    const entities = Array.from({ length: facts.stories }, (_, index) => ({
      area,
      identifier: `FL-${index + 1}`,
      label: index === 0 ? 'First floor' : null,
      measured: index === 0,
      floor: index + 1,
    }));
    return [
      item({
        'livingAreas.floors.entities': entities,
        'livingAreas.floors.totalArea': area * facts.stories,
        'attachedStructures.attachedGarages': facts.garage === 'Attached' ? { identifier: 'GR-1', area: 420, measured: true } : {},
      }),
    ];
  },
};

const APPLIANCES = ['Air Conditioner', 'Clothes Dryer', 'Dishwasher', 'Furnace/Air Handler', 'Range / Stove / Oven', 'Refrigerator', 'Washing Machine'];

/** Year, age and life left agree; the older an appliance, the likelier it fails. */
function applianceAge({ visit }: Inspection, random: SeededRandom): Record<string, unknown> {
  const age = random.decimal(0.5, 18, 1);
  const failureRiskScore = Number((age / 2 + random.next()).toFixed(2));
  return {
    age,
    manufacturedYear: new Date(visit.inspectedAt * 1000).getUTCFullYear() - Math.ceil(age),
    remainingLife: Math.max(0, Number((16 - age).toFixed(1))),
    failureRiskScore,
    failureRiskScoreIfRecallFixed: Number((failureRiskScore * 0.6).toFixed(2)),
    subProductType: random.pick(['Standard', 'Compact', 'Built-in', 'Free-standing']),
  };
}

const attributes = new Map<string, SummaryAttribute>(SUMMARY_CATALOGUE.map((attribute) => [attribute.path, attribute]));

/** The first value listed is that nothing changed. */
const changesOf = (path: string): string[] => (attributes.get(path)?.items?.find((part) => part.path === 'change')?.values ?? []).slice(1);
const ROOF_CHANGES = changesOf('summary.roof.comparison');
const EXTERIOR_CHANGES = changesOf('summary.exterior.comparison');

/** Only renewals have a previous inspection to compare with; each item shows the current image and the previous one. */
function comparison(source: FactSource, item: (given: Record<string, unknown>) => Record<string, unknown>, side: string, changes: readonly string[]): unknown {
  if (order(source).isRenewal !== true) return [];
  const { random, facts, images } = source;
  return DIRECTIONS.map((direction) => {
    const change = random.chance(0.15 * facts.grade) ? random.pick(changes) : 'No changes was noted.';
    const current = image(source, direction);
    const previous = images.slice(-1).map(({ id }) => ({ id }));
    return item({ direction, change, comment: `${direction} ${side}: ${change}`, image: [...current, ...previous] });
  });
}

/** The value an attribute must have; undefined where it may be drawn. */
export function givenValue(path: string, source: FactSource, drawing: Pick<Drawing, 'random' | 'grade'>): unknown {
  const fact = PROJECT_FACTS[path] ?? HOUSE_FACTS[path];
  if (fact !== undefined) return fact(source);
  if (HAZARD_FLAGS.has(path)) return source.facts.findings.some(({ hazard }) => hazard.flag === path);
  const list = LIST_FACTS[path];
  const attribute = attributes.get(path);
  if (list === undefined || attribute === undefined) return undefined;
  return list(source, (given) => itemOf(attribute, { ...drawing, given: (part) => given[part] }));
}
