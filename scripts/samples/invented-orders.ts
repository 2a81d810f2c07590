/** Orders for invented people at invented addresses: phone numbers are 555-01xx, e-mail addresses end in example.com. */
import { HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, SERVICE_NAMES } from '../../src/contract/document.ts';
import type { FieldName } from '../../src/intake/fields.ts';

export type SampleValue = string | number | boolean | undefined;
/** A row before it is written in one sender's manner. Dates are `YYYY-MM-DD`. */
export type SampleOrder = Readonly<Partial<Record<FieldName, SampleValue>>>;

/** Numbers in [0, 1) that are the same each time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const FIRST_NAMES = [
  'Marisol',
  'Desmond',
  'Priya',
  'Walter',
  'Ingrid',
  'Tomás',
  'Keisha',
  'Hiroshi',
  'Colleen',
  'Ahmed',
  'Beatriz',
  'Owen',
  'Renée',
  'Samuel',
  'Lucinda',
  'Nikolai',
  'Abigail',
  'Darnell',
  'Mei',
  'Francesca',
];
const LAST_NAMES = [
  'Vega',
  'Okafor',
  'Raman',
  'Lindqvist',
  'Hobbs',
  'Ortiz',
  'Whitaker',
  'Tanaka',
  "O'Rourke",
  'Haddad',
  'Castellanos',
  'Pruitt',
  'Beaulieu',
  'Greenberg',
  'Moss',
  'Petrov',
  'Thornhill',
  'Baptiste',
  'Chen',
  'Marchetti',
];
const STREETS = [
  'Oak Ridge Ln',
  'Harbor View Dr',
  'Maple St',
  'Old Mill Rd',
  'Sycamore Ave',
  'Cypress Point Blvd',
  'Pine Hollow Ct',
  'Meadowlark Way',
  'Chestnut St',
  'County Road 12',
  'Lakeshore Dr',
  'Washington Ave',
];
const COMPANIES = ['Bayline Mutual', 'Granite State Casualty', 'Pelican Property & Casualty', 'Prairie Farm Mutual'];
const AGENTS = ['Dana Whitlock', 'Luis Carrera', 'Joan Pettibone'];
const BUSINESSES = [
  'Harborside Diner LLC',
  'Castellano Auto Repair',
  'Quick Stop Fuel #12',
  'Lakeview Apartments LP',
  'Old Mill Antiques',
];
const NOTES = [
  'Gate code 4410; two dogs.',
  'Call a day ahead.',
  'Insured works nights: after 3 pm, please.',
  '- key under the mat -',
  'Photos of the "new" roof, please',
  undefined,
  undefined,
  undefined,
];

interface Place {
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
}

/** Places in the South and the Midwest. */
export const PLACES: readonly Place[] = [
  { city: 'Tampa', state: 'FL', zipcode: '33609' },
  { city: 'Orlando', state: 'FL', zipcode: '32801' },
  { city: 'Naples', state: 'FL', zipcode: '34102' },
  { city: 'Houston', state: 'TX', zipcode: '77008' },
  { city: 'Austin', state: 'TX', zipcode: '78704' },
  { city: 'New Orleans', state: 'LA', zipcode: '70115' },
  { city: 'Savannah', state: 'GA', zipcode: '31401' },
  { city: 'Charleston', state: 'SC', zipcode: '29403' },
  { city: 'Tulsa', state: 'OK', zipcode: '74104' },
  { city: 'Des Moines', state: 'IA', zipcode: '50312' },
  { city: 'Boulder', state: 'CO', zipcode: '80302' },
  { city: 'Sacramento', state: 'CA', zipcode: '95816' },
];

/** Places in the Northeast, whose ZIP codes begin with a zero. */
export const ZERO_PLACES: readonly Place[] = [
  { city: 'Cambridge', state: 'MA', zipcode: '02139' },
  { city: 'Worcester', state: 'MA', zipcode: '01602' },
  { city: 'Hartford', state: 'CT', zipcode: '06105' },
  { city: 'Newark', state: 'NJ', zipcode: '07104' },
  { city: 'Portland', state: 'ME', zipcode: '04102' },
  { city: 'Concord', state: 'NH', zipcode: '03301' },
  { city: 'Providence', state: 'RI', zipcode: '02906' },
  { city: 'Burlington', state: 'VT', zipcode: '05401' },
];

/** Every pair of policy type and house type. */
const PAIRS = POLICY_TYPES.flatMap((policyType) =>
  HOUSE_TYPES_BY_POLICY_TYPE[policyType].map((houseType) => ({ policyType, houseType })),
);

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

/** A day so many days after October 1, 2026. */
function dayAfterOctober(days: number): string {
  return new Date(Date.UTC(2026, 9, 1 + days)).toISOString().slice(0, 10);
}

export interface Sender {
  readonly seed: number;
  readonly places: readonly Place[];
  /** The beginnings of the inspection and the policy numbers. */
  readonly inspectionPrefix: string;
  readonly policyNumber: (count: number) => string | number;
}

/** So many good orders: all services, policy types and house types in turn. */
export function inventOrders(count: number, { seed, places, inspectionPrefix, policyNumber }: Sender): SampleOrder[] {
  const random = seeded(seed);
  const pick = <Item>(items: readonly Item[]): Item => {
    const index = Math.floor(random() * items.length);
    for (const [position, item] of items.entries()) if (position === index) return item;
    throw new Error('nothing to pick from');
  };
  return Array.from({ length: count }, (_, index) => {
    const { policyType, houseType } = PAIRS[index % PAIRS.length] ?? pick(PAIRS);
    const commercial = policyType === 'Commercial Property Insurance';
    const first = pick(FIRST_NAMES);
    const last = pick(LAST_NAMES);
    const mailbox = `${first}.${last}`
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z.]/g, '');
    const coverage = 5000 * (30 + Math.floor(random() * 120));
    const agent = pick(AGENTS);
    const days = 20 + Math.floor(random() * 110);
    return {
      inspectionNumber: `${inspectionPrefix}${pad(20_400 + index, 5)}`,
      policyNumber: policyNumber(index),
      policyEffectiveDate: dayAfterOctober(days),
      insuredBy: pick(COMPANIES),
      division: pick(['Gulf Coast', 'Northeast', 'Plains', undefined]),
      serviceName: SERVICE_NAMES[index % SERVICE_NAMES.length],
      policyType,
      houseType,
      streetAddress: `${String(100 + Math.floor(random() * 8900))} ${pick(STREETS)}`,
      ...pick(places),
      insuredName: commercial ? pick(BUSINESSES) : `${first} ${last}`,
      insuredPhone: `${pick(['813', '617', '504', '512'])}-555-01${pad(Math.floor(random() * 100), 2)}`,
      insuredEmail: `${mailbox}@example.com`,
      dueDate: dayAfterOctober(days + 14),
      yearBuilt: 1925 + Math.floor(random() * 98),
      carrierProvidedLivingArea: 10 * (90 + Math.floor(random() * 260)),
      dwellingCoverage: coverage,
      otherStructureCoverage: coverage / 10,
      contentCoverage: coverage / 2,
      isRenewal: random() < 0.4,
      supplementalServices: pick(['RC Report', 'Wildfire', 'RC Report, Sinkhole', undefined, undefined]),
      agentName: agent,
      agentPhone: '813-555-0170',
      agentEmail: `${agent.split(' ')[0]?.toLowerCase() ?? ''}@example.com`,
      note: pick(NOTES),
    };
  });
}
