import { DIRECTIONS } from '../../contract/summary-catalogue.ts';
import { attributeAt } from '../../contract/summary-catalogue.ts';
import { SeededRandom } from '../seeded-random.ts';
import { type Hazard, inspectionData } from './inspection-data.ts';
import { type ImageOffer, type Inspection, picturedHouseOf } from './inspection.ts';
import { type Drawing, itemOf } from './summary-values.ts';

interface Finding {
  readonly hazard: Hazard;
  readonly direction: string | null;
}

interface Pool {
  readonly aboveGround: boolean | null;
  readonly caged: boolean | null;
}

/** Facts that several attributes must agree on. They belong to the house; only findings belong to an inspection. */
export interface InspectedHouse {
  /** 0 excellent … 4 poor. */
  readonly grade: number;
  readonly yearBuilt: number;
  readonly livingArea: number;
  readonly stories: number;
  readonly pools: readonly Pool[];
  readonly hasFence: boolean | null;
  readonly dogs: number;
  readonly cats: number;
  readonly business: string;
  readonly waterBody: string | null;
  readonly garage: string;
  readonly findings: readonly Finding[];
  readonly updated: Readonly<Record<string, number | null>>;
}

const SYSTEMS = ['plumbing', 'electric', 'heatingCooling'] as const;

export function inspectedHouseOf(inspection: Inspection, sees: (path: string) => boolean): InspectedHouse {
  const random = new SeededRandom(inspection.seed, 'facts', inspection.house);
  const { request } = inspection.project;
  const pictured = picturedHouseOf(inspection);
  const grade = Math.min(4, Math.floor(random.next() ** 1.4 * 5));
  const perhaps = (share: number): boolean | null => (random.chance(0.12) ? null : random.chance(share));
  const hasFence = perhaps(0.6);
  const pools =
    hasFence !== null && random.chance(0.2)
      ? Array.from({ length: random.integer(1, 2) }, (): Pool => ({ aboveGround: perhaps(0.25), caged: perhaps(0.3) }))
      : [];
  const kept = random
    .sample(inspectionData().hazards, grade + random.integer(0, 1))
    .map((found): Finding => ({ hazard: found, direction: found.directed ? random.pick(DIRECTIONS) : null }));
  const yearBuilt = request.yearBuilt ?? random.integer(1935, 2022);
  const house = {
    grade,
    pools,
    hasFence,
    yearBuilt,
    updated: Object.fromEntries(
      SYSTEMS.map((system) => [system, random.chance(0.4) ? random.integer(Math.min(yearBuilt, 2020), 2024) : null]),
    ),
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
  return {
    ...house,
    findings: [...poolFindings(house), ...seenThisTime(kept, inspection)].filter(({ hazard: { flag } }) => sees(flag)),
  };
}

export function hasTarp(inspection: Inspection): boolean {
  return inspectedHouseOf(inspection, () => true).findings.some(({ hazard: { name } }) => name === 'ROOF_TARP');
}

function poolFindings({ pools, hasFence }: Pick<InspectedHouse, 'pools' | 'hasFence'>): Finding[] {
  return hasFence === false && pools.some(({ caged }) => caged !== true)
    ? [{ hazard: inspectionData().poolWithoutFence, direction: null }]
    : [];
}

function seenThisTime(kept: readonly Finding[], { seed, key }: Inspection): Finding[] {
  const random = new SeededRandom(seed, 'since', key);
  const left = kept.filter(() => random.chance(0.85));
  const hazard = random.pick(inspectionData().hazards);
  const isNew = random.chance(0.2) && left.every((finding) => finding.hazard !== hazard);
  return isNew ? [...left, { hazard, direction: hazard.directed ? random.pick(DIRECTIONS) : null }] : left;
}

export interface ValueSource {
  readonly inspection: Inspection;
  readonly house: InspectedHouse;
  readonly images: readonly ImageOffer[];
  readonly random: SeededRandom;
}

/** Undefined if the ZIP code is no number. */
export function zipNumberOf({ zipcode }: { readonly zipcode: string }): number | undefined {
  const digits = /^\d{1,5}\b/.exec(zipcode)?.[0];
  return digits === undefined ? undefined : Number(digits);
}

type GivenValue = (source: ValueSource) => unknown;

const order = (source: ValueSource) => source.inspection.project.request;
const image = ({ images }: ValueSource, direction: string | null, component?: string | null): { id: string }[] => {
  const shown = images.find(({ view }) =>
    component === 'Roof' ? view.shows === 'roof' : view.direction === direction,
  );
  return [shown ?? images[0]].flatMap((offer) => (offer === undefined ? [] : [{ id: offer.id }]));
};

/** Document: the ZIP code is a Number. */
const PROJECT_VALUES: Record<string, GivenValue> = {
  'project.id': ({ inspection }) => inspection.project.id,
  'project.inspectionNumber': (source) => order(source).inspectionNumber ?? '',
  'project.serviceName': (source) => order(source).serviceName,
  'project.insuredName': (source) => order(source).insuredName,
  'project.inspectionTime': ({ inspection }) => inspection.visit.inspectedAt,
  'project.completionTime': ({ inspection: { visit }, random }) =>
    visit.inspectedAt + Math.ceil(random.next() * (visit.returnedAt - visit.inspectedAt)),
  'project.policyNumber': ({ inspection }) => inspection.project.policyNumber ?? '',
  'project.supplementalServices': (source) => order(source).supplementalServices ?? [],
  'project.isRenewal': (source) => order(source).isRenewal ?? null,
  'project.address.streetAddress': (source) => order(source).streetAddress,
  'project.address.city': (source) => order(source).city,
  'project.address.state': (source) => order(source).state,
  'project.address.country': () => 'US',
  'project.address.zipcode': (source) => zipNumberOf(order(source)),
};

const POOL_VALUES: Record<string, GivenValue> = {
  hasSwimmingPool: ({ house }) => (house.hasFence === null ? null : house.pools.length > 0),
  poolCount: ({ house }) => house.pools.length || null,
  hasPoolCage: atPool(({ house }) => house.pools.some(({ caged }) => caged === true)),
  hasDivingBoardOrSlide: atPool(() => undefined),
  hasPoolSelfLatchingGate: atPool(({ house }) => (house.hasFence === true ? house.grade < 3 : null)),
  hasPoolWithoutSelfLatchingGate: atPool(({ house }) => house.hasFence === true && house.grade >= 3),
  hasHighAboveGroundPoolWithFixedLadder: atPool(
    ({ house }) => house.grade > 1 && house.pools.some(({ aboveGround }) => aboveGround === true),
  ),
};

function atPool(value: GivenValue): GivenValue {
  return (source) => (source.house.pools.length === 0 ? null : value(source));
}

const DOGS = (attributeAt('summary.exterior.petType')?.values ?? []).filter((kind) => kind.startsWith('Dog'));

const WIND_PROTECTIONS = (attributeAt('summary.bldg.windProtections')?.values ?? []).filter(
  (value) => value !== 'None observed',
);

function observed(found: readonly string[]): readonly string[] | null {
  return found.length === 0 ? null : found;
}

const HOUSE_VALUES: Record<string, GivenValue> = {
  'summary.yearBuilt': ({ house }) => house.yearBuilt,
  'summary.livingArea': ({ house }) => house.livingArea,
  'summary.hazards': ({ house }) => house.findings.map(({ hazard }) => hazard.text),
  'summary.risk.overallCondition': ({ inspection }) => (inspection.closeout ? 'Closeout' : undefined),
  'summary.risk.inaccessible': ({ inspection }) => inspection.closeout,
  'summary.risk.businessOperation': ({ house }) => house.business,
  'summary.risk.hasBusinessOperation': ({ house }) => house.business !== 'None observed',
  'summary.risk.hazardScore': ({ house }) => (house.findings.length === 0 ? undefined : house.findings.length * 1.5),
  'summary.risk.waterBody.type': ({ house }) => house.waterBody,
  'summary.risk.waterBody.distance': ({ house }) =>
    house.waterBody === 'None observed' || house.waterBody === null ? null : undefined,
  'summary.bldg.numStories': ({ house }) => house.stories,
  'summary.bldg.garage': ({ house }) => house.garage,
  'summary.bldg.garageCapacity': ({ house }) => (house.garage === 'None' ? null : house.stories),
  'summary.bldg.windProtections': ({ house, random }) =>
    observed(random.sample(WIND_PROTECTIONS, house.grade > 2 ? 0 : random.integer(0, 2))),
  'summary.bldg.manufacturedOrMobileHome': (source) => (order(source).houseType === 'Mobile Home' ? 'Yes' : 'No'),
  'summary.bldg.dwellingType': (source) => inspectionData().dwellingTypes[order(source).houseType],
  'summary.exterior.overallCondition': ({ house }) => (house.grade < 3 ? 'Satisfactory' : 'Unsatisfactory'),
  'summary.fireProtection.code': ({ random }) => (random.chance(0.1) ? null : random.integer(1, 10)),
  'summary.fireProtection.nearestFireStation.title': ({ random }) => `Fire Station ${random.integer(1, 40)}`,
  'summary.fireProtection.nearestFireStation.type': ({ random }) => random.pick(['Career', 'Volunteer', 'Combination']),
  'summary.bldg.hasFence': ({ house }) => house.hasFence,
  'summary.exterior.hasUnfencedPond': ({ house }) =>
    house.hasFence === null ? null : house.waterBody === 'Pond' && !house.hasFence,
  'summary.exterior.hasDogPresent': ({ house }) => house.dogs > 0,
  'summary.exterior.numDogPresent': ({ house }) => house.dogs,
  'summary.exterior.hasDogSign': ({ house, random }) =>
    house.hasFence === null ? null : random.chance(house.dogs > 0 ? 0.5 : 0.02),
  'summary.exterior.petType': ({ house, random }) => [
    ...random.sample(DOGS, house.dogs),
    ...(house.cats > 0 ? ['Cats'] : []),
  ],
  'summary.exterior.pet': ({ house }) => ({ dog: house.dogs, cat: house.cats }),
  'summary.interior.floorplan.room': ({ house }) => ({
    bedroom: 1 + house.stories,
    bathroom: house.stories,
    closet: 2,
    kitchen: 1,
  }),
  ...Object.fromEntries(SYSTEMS.flatMap(updateValues)),
  ...Object.fromEntries(Object.entries(POOL_VALUES).map(([name, value]) => [`summary.exterior.${name}`, value])),
};

function updateValues(system: string): [string, GivenValue][] {
  return [
    [`summary.interior.${system}.isUpdated`, ({ house }) => house.updated[system] !== null],
    [`summary.interior.${system}.yearUpdated`, ({ house }) => house.updated[system]],
    [
      `summary.interior.${system}.systemUpdateStatus`,
      ({ house, random }) =>
        house.updated[system] === null
          ? random.pick(['Original', 'Original', 'Unknown'])
          : random.pick(['Partially Updated', 'Fully Updated']),
    ],
  ];
}

const LIST_VALUES: Record<
  string,
  (source: ValueSource, items: (given: Record<string, unknown>) => Record<string, unknown>) => unknown
> = {
  'summary.recommendations': (source, item) =>
    source.house.findings.map(({ hazard, direction }) =>
      item({ text: hazard.recommendation, image: image(source, direction, hazard.component) }),
    ),
  'summary.factors': (source, item) =>
    source.house.findings.map(({ hazard: { name, text, component }, direction }) =>
      item({
        name,
        text: direction === null ? text : `${text}, ${direction}`,
        direction,
        component,
        location: component === null ? 'N/A' : [component, direction].filter((part) => part !== null).join(' - '),
        image: direction === null ? null : image(source, direction, component),
      }),
    ),
  'summary.roof.comparison': (source, item) => comparison(source, item, 'Slope', ROOF_CHANGES),
  'summary.exterior.comparison': (source, item) => comparison(source, item, 'Elevation', EXTERIOR_CHANGES),
  'summary.exterior.pool': ({ house, random }, item) =>
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
  'summary.history': (source, item) => [
    item({ policyNumber: source.inspection.project.policyNumber ?? '', image: image(source, null) }),
  ],
  'summary.interior.appliances': ({ random, inspection }, item) =>
    random
      .sample(APPLIANCES, random.integer(1, 4))
      .map((productType) => item({ productType, ...applianceAge(inspection, random) })),
  'summary.hover.hoverTla': ({ house }, item) => {
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

const listed = (path: string, field: string): readonly string[] =>
  attributeAt(path)?.items?.find((part) => part.path === field)?.values ?? [];
const ROOF_CHANGES = listed('summary.roof.comparison', 'change').slice(1);
const EXTERIOR_CHANGES = listed('summary.exterior.comparison', 'change').slice(1);
const APPLIANCES = listed('summary.interior.appliances', 'productType');
const POOL_TYPES = listed('summary.exterior.pool', 'type');

/** Only renewals have a comparison; each item shows its side now and before. */
function comparison(
  source: ValueSource,
  item: (given: Record<string, unknown>) => Record<string, unknown>,
  side: string,
  changes: readonly string[],
): unknown {
  if (order(source).isRenewal !== true) return [];
  const { random, house, images } = source;
  return DIRECTIONS.map((direction) => {
    const change = random.chance(0.15 * house.grade) ? random.pick(changes) : 'No changes was noted.';
    const shown = images.filter(({ view }) => view.shows === direction.toLowerCase()).map(({ id }) => ({ id }));
    return item({ direction, change, comment: `${direction} ${side}: ${change}`, image: shown });
  });
}

let hazardFlags: ReadonlySet<string> | undefined;

function isHazardFlag(path: string): boolean {
  const { hazards, poolWithoutFence } = inspectionData();
  hazardFlags ??= new Set([...hazards, poolWithoutFence].map(({ flag }) => flag));
  return hazardFlags.has(path);
}

export function givenValue(path: string, source: ValueSource, drawing: Pick<Drawing, 'random' | 'grade'>): unknown {
  const given = PROJECT_VALUES[path] ?? HOUSE_VALUES[path];
  if (given !== undefined) return given(source);
  if (isHazardFlag(path)) return source.house.findings.some(({ hazard }) => hazard.flag === path);
  const list = LIST_VALUES[path];
  const attribute = attributeAt(path);
  if (list === undefined || attribute === undefined) return undefined;
  return list(source, (given) => itemOf(attribute, { ...drawing, given: (part) => given[part] }));
}
