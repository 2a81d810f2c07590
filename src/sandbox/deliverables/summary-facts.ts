import type { SummaryAttribute } from '../../contract/catalogue-types.ts';
import { SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { DIRECTIONS, HAZARD_FLAGS, SYSTEMS, type HouseFacts } from './findings.ts';
import type { Inspection } from './inspection.ts';
import type { ImageOffer } from './offer.ts';
import { itemOf, type Drawing } from './summary-values.ts';

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
