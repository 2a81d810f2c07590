import { attributeAt, DIRECTIONS } from '../../contract/summary-attributes.ts';
import { SeededRandom } from '../seeded-random.ts';
import { type Hazard, inspectionData } from './inspection-data.ts';
import { type ImageOffer, type Inspection, sampleHouseFor } from './inspection.ts';
import { drawItem, type DrawContext } from './summary-values.ts';

type Finding = Readonly<{
  hazard: Hazard;
  direction: string | null;
}>;

type InspectedHouse = Readonly<ReturnType<typeof inspectedHouseOf>>;

const SYSTEMS = ['plumbing', 'electric', 'heatingCooling'] as const;

export function inspectedHouseOf(inspection: Inspection, sees: (path: string) => boolean) {
  const random = new SeededRandom(inspection.seed, 'facts', inspection.house);
  const { request } = inspection.project;
  const pictured = sampleHouseFor(inspection);
  const grade = Math.min(4, Math.floor(random.next() ** 1.4 * 5));
  const perhaps = (share: number) => (random.chance(0.12) ? null : random.chance(share));
  const hasFence = perhaps(0.6);
  const pools =
    hasFence !== null && random.chance(0.2)
      ? Array.from({ length: random.integer(1, 2) }, () => ({ aboveGround: perhaps(0.25), caged: perhaps(0.3) }))
      : [];
  const kept = random
    .sample(inspectionData().hazards, grade + random.integer(0, 1))
    .map((found) => ({ hazard: found, direction: found.directed ? random.pick(DIRECTIONS) : null }));
  const yearBuilt = request.yearBuilt ?? random.integer(1935, 2022);
  const house = {
    grade,
    pools,
    hasFence,
    yearBuilt,
    updated: SYSTEMS.map((system) => {
      return [system, random.chance(0.4) ? random.integer(Math.min(yearBuilt, 2020), 2024) : null] as const;
    }),
    livingArea: request.carrierProvidedLivingArea ?? random.integer(90, 420) * 10,
    stories: pictured.stories,
    dogs: random.chance(0.25) ? random.integer(1, 3) : 0,
    cats: random.integer(0, 2),
    business: random.chance(0.9)
      ? 'None observed'
      : random.pick(['Farming', 'Gardening', 'Professional Services', 'Day Care']),
    waterBody: random.chance(0.6)
      ? random.pick(['None observed', 'None observed', 'None observed', null])
      : random.pick(['Lake', 'River', 'Creek', 'Ocean', 'Pond', 'Bay', 'Bayou', 'Gully']),
    garage: pictured.garage ? 'Attached' : random.pick(['Detached', 'Built-in', 'Carport', 'None']),
  };
  const findings: readonly Finding[] = [
    ...(hasFence === false && pools.some(({ caged }) => caged !== true)
      ? [{ hazard: inspectionData().poolWithoutFence, direction: null }]
      : []),
    ...seenThisTime(kept, inspection),
  ];
  return { ...house, findings: findings.filter(({ hazard: { flag } }) => sees(flag)) };
}

export function hasTarp(inspection: Inspection) {
  return inspectedHouseOf(inspection, () => true).findings.some(({ hazard: { name } }) => name === 'ROOF_TARP');
}

function seenThisTime(kept: readonly Finding[], { seed, key }: Inspection) {
  const random = new SeededRandom(seed, 'since', key);
  const left = kept.filter(() => random.chance(0.85));
  const hazard = random.pick(inspectionData().hazards);
  const isNew = random.chance(0.2) && left.every((finding) => finding.hazard !== hazard);
  return isNew ? [...left, { hazard, direction: hazard.directed ? random.pick(DIRECTIONS) : null }] : left;
}

type ValueSource = Readonly<{
  inspection: Inspection;
  house: InspectedHouse;
  images: readonly ImageOffer[];
}>;

export function zipNumberOf({ zipcode }: { zipcode: string }) {
  const digits = /^\d{1,5}\b/.exec(zipcode)?.[0];
  return digits === undefined ? undefined : Number(digits);
}

function image(images: readonly ImageOffer[], direction: string | null, component?: string | null) {
  const shown = images.find(({ view }) =>
    component === 'Roof' ? view.shows === 'roof' : view.direction === direction,
  );
  const offer = shown ?? images[0];
  return offer === undefined ? [] : [{ id: offer.id }];
}

type Values = Readonly<Record<string, unknown>>;

export function knownValues(source: ValueSource) {
  const { hazards, poolWithoutFence } = inspectionData();
  const { findings } = source.house;
  return {
    ...Object.fromEntries(
      [...hazards, poolWithoutFence].map(({ flag }) => [flag, findings.some(({ hazard }) => hazard.flag === flag)]),
    ),
    ...projectValues(source.inspection),
    ...houseValues(source),
    ...under('summary.exterior', poolValues(source.house)),
  };
}

function under(path: string, values: Values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${path}.${name}`, value]));
}

/** Document: the ZIP code is a Number. */
function projectValues({ project, visit }: Inspection) {
  const { request } = project;
  const { streetAddress, city, state } = request;
  return under('project', {
    id: project.id,
    inspectionNumber: request.inspectionNumber ?? '',
    serviceName: request.serviceName,
    insuredName: request.insuredName,
    inspectionTime: visit.inspectedAt,
    completionTime: (random: SeededRandom) =>
      visit.inspectedAt + Math.ceil(random.next() * (visit.returnedAt - visit.inspectedAt)),
    policyNumber: project.policyNumber ?? '',
    supplementalServices: request.supplementalServices ?? [],
    isRenewal: request.isRenewal ?? null,
    ...under('address', { streetAddress, city, state, country: 'US', zipcode: zipNumberOf(request) }),
  });
}

function poolValues({ pools, hasFence, grade }: InspectedHouse) {
  const hasPool = pools.length > 0;
  return {
    hasSwimmingPool: hasFence === null ? null : hasPool,
    poolCount: pools.length || null,
    hasPoolCage: hasPool ? pools.some(({ caged }) => caged === true) : null,
    hasDivingBoardOrSlide: hasPool ? undefined : null,
    hasPoolSelfLatchingGate: hasPool && hasFence === true ? grade < 3 : null,
    hasPoolWithoutSelfLatchingGate: hasPool ? hasFence === true && grade >= 3 : null,
    hasHighAboveGroundPoolWithFixedLadder: hasPool
      ? grade > 1 && pools.some(({ aboveGround }) => aboveGround === true)
      : null,
  };
}

const NONE = 'None observed';
const DOGS = (attributeAt('summary.exterior.petType')?.values ?? []).filter((kind) => kind.startsWith('Dog'));
const WIND_PROTECTIONS = (attributeAt('summary.bldg.windProtections')?.values ?? []).filter((value) => value !== NONE);

function houseValues({ inspection, house }: ValueSource) {
  const { findings, grade, hasFence, dogs, cats, stories, garage, business, waterBody } = house;
  const { houseType } = inspection.project.request;
  return under('summary', {
    yearBuilt: house.yearBuilt,
    livingArea: house.livingArea,
    hazards: findings.map(({ hazard }) => hazard.text),
    ...under('risk', {
      overallCondition: inspection.closeout ? 'Closeout' : undefined,
      inaccessible: inspection.closeout,
      businessOperation: business,
      hasBusinessOperation: business !== NONE,
      hazardScore: findings.length === 0 ? undefined : findings.length * 1.5,
      'waterBody.type': waterBody,
      'waterBody.distance': waterBody === NONE || waterBody === null ? null : undefined,
    }),
    ...under('bldg', {
      numStories: stories,
      garage,
      garageCapacity: garage === 'None' ? null : stories,
      /** Document: "Absent or null when none observed." */
      windProtections: (random: SeededRandom) => {
        const found = random.sample(WIND_PROTECTIONS, grade > 2 ? 0 : random.integer(0, 2));
        return found.length === 0 ? null : found;
      },
      manufacturedOrMobileHome: houseType === 'Mobile Home' ? 'Yes' : 'No',
      dwellingType: inspectionData().dwellingTypes[houseType],
      hasFence,
    }),
    ...under('exterior', {
      overallCondition: grade < 3 ? 'Satisfactory' : 'Unsatisfactory',
      hasUnfencedPond: hasFence === null ? null : waterBody === 'Pond' && !hasFence,
      hasDogPresent: dogs > 0,
      numDogPresent: dogs,
      hasDogSign: (random: SeededRandom) => (hasFence === null ? null : random.chance(dogs > 0 ? 0.5 : 0.02)),
      petType: (random: SeededRandom) => [...random.sample(DOGS, dogs), ...(cats > 0 ? ['Cats'] : [])],
      pet: { dog: dogs, cat: cats },
    }),
    ...under('fireProtection', {
      code: (random: SeededRandom) => (random.chance(0.1) ? null : random.integer(1, 10)),
      'nearestFireStation.title': (random: SeededRandom) => `Fire Station ${random.integer(1, 40)}`,
      'nearestFireStation.type': (random: SeededRandom) => random.pick(['Career', 'Volunteer', 'Combination']),
    }),
    'interior.floorplan.room': { bedroom: 1 + stories, bathroom: stories, closet: 2, kitchen: 1 },
    ...Object.assign({}, ...house.updated.map(([system, year]) => under(`interior.${system}`, updateValues(year)))),
  });
}

function updateValues(year: number | null) {
  return {
    isUpdated: year !== null,
    yearUpdated: year,
    systemUpdateStatus: (random: SeededRandom) =>
      random.pick(year === null ? ['Original', 'Original', 'Unknown'] : ['Partially Updated', 'Fully Updated']),
  };
}

type Draw = Readonly<{ random: SeededRandom; item: (given: Values) => Record<string, unknown> }>;

const LIST_VALUES: Record<string, (source: ValueSource, draw: Draw) => unknown> = {
  'summary.recommendations': ({ house, images }, { item }) =>
    house.findings.map(({ hazard, direction }) =>
      item({ text: hazard.recommendation, image: image(images, direction, hazard.component) }),
    ),
  'summary.factors': ({ house, images }, { item }) =>
    house.findings.map(({ hazard: { name, text, component }, direction }) =>
      item({
        name,
        text: direction === null ? text : `${text}, ${direction}`,
        direction,
        component,
        location: component === null ? 'N/A' : [component, direction].filter((part) => part !== null).join(' - '),
        image: direction === null ? null : image(images, direction, component),
      }),
    ),
  'summary.roof.comparison': (source, draw) => comparison(source, draw, 'Slope', ROOF_CHANGES),
  'summary.exterior.comparison': (source, draw) => comparison(source, draw, 'Elevation', EXTERIOR_CHANGES),
  'summary.exterior.pool': ({ house }, { random, item }) =>
    house.pools.length === 0
      ? null
      : house.pools.map(({ aboveGround, caged }) =>
          item({
            type:
              aboveGround === null
                ? null
                : random.pick(POOL_TYPES.filter((type) => type.startsWith('Above') === aboveGround)),
            hasCage: caged,
            cageSize: caged === true ? undefined : null,
          }),
        ),
  'summary.history': ({ inspection, images }, { item }) => [
    item({ policyNumber: inspection.project.policyNumber ?? '', image: image(images, null) }),
  ],
  'summary.interior.appliances': ({ inspection }, { random, item }) =>
    random
      .sample(APPLIANCES, random.integer(1, 4))
      .map((productType) => item({ productType, ...applianceAge(inspection, random) })),
  'summary.hover.hoverTla': ({ house }, { item }) => {
    const area = Math.round(house.livingArea / house.stories);
    const entities = Array.from({ length: house.stories }, (_, index) => ({
      area,
      identifier: `FL-${index + 1}`,
      label: index === 0 ? 'First floor' : null,
      measured: index === 0,
      floor: index + 1,
    }));
    return [
      item({
        'livingAreas.floors.entities': entities,
        'livingAreas.floors.totalArea': area * house.stories,
        'attachedStructures.attachedGarages':
          house.garage === 'Attached' ? { identifier: 'GR-1', area: 420, measured: true } : {},
      }),
    ];
  },
};

function applianceAge({ visit }: Inspection, random: SeededRandom) {
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

const listed = (path: string, field: string) =>
  attributeAt(path)?.items?.find((part) => part.path === field)?.values ?? [];
const ROOF_CHANGES = listed('summary.roof.comparison', 'change').slice(1);
const EXTERIOR_CHANGES = listed('summary.exterior.comparison', 'change').slice(1);
const APPLIANCES = listed('summary.interior.appliances', 'productType');
const POOL_TYPES = listed('summary.exterior.pool', 'type');

function comparison(
  { inspection, house, images }: ValueSource,
  { random, item }: Draw,
  side: string,
  changes: readonly string[],
): unknown {
  if (inspection.project.request.isRenewal !== true) return [];
  return DIRECTIONS.map((direction) => {
    const change = random.chance(0.15 * house.grade) ? random.pick(changes) : 'No changes was noted.';
    const shown = images.filter(({ view }) => view.shows === direction.toLowerCase()).map(({ id }) => ({ id }));
    return item({ direction, change, comment: `${direction} ${side}: ${change}`, image: shown });
  });
}

export function inventAttributeValue(
  path: string,
  source: ValueSource,
  given: Values,
  drawing: Pick<DrawContext, 'random' | 'grade'>,
) {
  const { random } = drawing;
  if (path in given) {
    const value = given[path];
    return typeof value === 'function' ? (value as (random: SeededRandom) => unknown)(random) : value;
  }
  const attribute = attributeAt(path);
  if (attribute === undefined) return undefined;
  const item = (held: Values) => drawItem(attribute, { ...drawing, given: (part) => held[part] });
  return LIST_VALUES[path]?.(source, { random, item });
}
