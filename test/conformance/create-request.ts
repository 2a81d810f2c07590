import { expect } from 'vitest';
import type { TestClient } from '../support/sandbox/test-client.ts';
import type { Row } from './row.ts';
import { created, type Fields, only, refused } from './steps.ts';

/** A line of the document's table of create fields. */
interface Field {
  readonly sentence: string;
  readonly name: string;
  readonly required?: true;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
  /** What else must be said for a good value to be good. */
  readonly beside?: (value: unknown) => Fields;
}

const SERVICE_NAMES = [
  'Roof Only',
  'Exterior',
  '4-Point',
  'Premium 4-Point',
  'High Value Premium 4-point',
  'Snap360',
  'Photo Only Inspection',
  'Self Exterior Underwriting',
  'Self 4-Point Underwriting',
];
const HOUSE_TYPES: Readonly<Record<string, readonly string[]>> = {
  'Commercial Property Insurance': ['Habitational', 'Restaurant', 'Garage', 'Gas Station', 'General Commercial'],
  'Homeowners Insurance': [
    'Residential Single Family',
    'Residential Condo',
    'Residential Townhouse',
    'Residential Multi Family',
    'Mobile Home',
    'Other',
  ],
  'Farm & Ranch Insurance': ['Other'],
};
const DAYS = {
  good: ['2026-09-01', '2028-02-29'],
  bad: ['09/01/2026', '2026-9-1', '2026-02-29', '2026-13-01', '2026-09-01T00:00:00Z', '', 20_260_901],
};
const TEXTS = { good: ['A-17', 'Größe "7" <&> 日本'], bad: [7, true, ['A'], { a: 1 }] };
const NUMBERS = { good: [0, 250_000, 1234.5], bad: ['250000', true, [1], {}] };

const FIELDS: readonly Field[] = [
  {
    sentence: 'streetAddress | string, min length 1 | yes | Street part of the property address.',
    name: 'streetAddress',
    required: true,
    good: ['1', '12 Oak Street, Apt. 4'],
    bad: ['', 12, {}],
  },
  {
    sentence: 'city | string, min length 1 | yes |',
    name: 'city',
    required: true,
    good: ['Y', 'Winston-Salem'],
    bad: ['', 1, []],
  },
  {
    sentence: 'state | string, min length 1 | yes | Two letters representing a US state.',
    name: 'state',
    required: true,
    good: ['MA', 'FL', 'DC'],
    bad: ['', 'ma', 'M', 'XX', 'Massachusetts', 25],
  },
  {
    sentence: 'zipcode | string, min length 1 | yes |',
    name: 'zipcode',
    required: true,
    good: ['02139', '02139-4307'],
    bad: ['', 2139],
  },
  {
    sentence: 'country | string | no | Default `US`. Only US is currently supported.',
    name: 'country',
    good: ['US'],
    bad: ['CA', 'us', 'USA', 1],
  },
  {
    sentence:
      'serviceName | string enum, min length 1 | yes | `Roof Only`, `Exterior`, `4-Point`, `Premium 4-Point`, `High Value Premium 4-point`, `Snap360`, `Photo Only Inspection`, `Self Exterior Underwriting`, `Self 4-Point Underwriting`.',
    name: 'serviceName',
    required: true,
    good: SERVICE_NAMES,
    bad: ['', '4-point', '4-Point Self', 'High Value Premium 4-Point', 'Anything', 4],
  },
  {
    sentence:
      'policyType | string enum | yes | `Commercial Property Insurance`, `Homeowners Insurance`, `Farm & Ranch Insurance`.',
    name: 'policyType',
    required: true,
    good: Object.keys(HOUSE_TYPES),
    bad: ['', 'Homeowners', 'farm & ranch insurance', 1],
    beside: (value) => ({ houseType: HOUSE_TYPES[String(value)]?.[0] }),
  },
  {
    sentence: 'houseType | string | yes | Allowed values depend on policyType (table below).',
    name: 'houseType',
    required: true,
    good: HOUSE_TYPES['Homeowners Insurance'] ?? [],
    bad: ['', 'Restaurant', 'Castle', 1],
  },
  {
    sentence: 'insuredName | string | yes |',
    name: 'insuredName',
    required: true,
    good: ['Ann Lee', ''],
    bad: [7, {}],
  },
  {
    sentence: 'insuredPhone | string | yes |',
    name: 'insuredPhone',
    required: true,
    good: ['(617) 555-0100', ''],
    bad: [6_175_550_100],
  },
  {
    sentence: 'insuredEmail | string | yes |',
    name: 'insuredEmail',
    required: true,
    good: ['ann@insured.example', ''],
    bad: [7, []],
  },
  { sentence: 'dueDate | string, date `YYYY-MM-DD` | no | Due date for completion.', name: 'dueDate', ...DAYS },
  { sentence: 'policyEffectiveDate | string, date `YYYY-MM-DD` | no |', name: 'policyEffectiveDate', ...DAYS },
  { sentence: 'policyNumber | string | no |', name: 'policyNumber', ...TEXTS },
  { sentence: 'inspectionNumber | string | no |', name: 'inspectionNumber', ...TEXTS },
  {
    sentence: 'yearBuilt | integer (int32) | no | Four-digit year.',
    name: 'yearBuilt',
    good: [1700, 1987, 2026],
    bad: ['1987', 1987.5, 87, 12_026, 2 ** 31],
  },
  ...['agentName', 'agentPhone', 'agentEmail'].map((name): Field => ({
    sentence: 'agentName, agentPhone, agentEmail | string | no |',
    name,
    ...TEXTS,
  })),
  {
    sentence: 'insuredBy | string | no | Insurance company name; appears in request samples and in responses.',
    name: 'insuredBy',
    ...TEXTS,
  },
  { sentence: 'note | string | no | Description or attention notes.', name: 'note', ...TEXTS },
  {
    sentence: 'isRenewal | boolean | no | Whether the policy is new or a renewal.',
    name: 'isRenewal',
    good: [true, false],
    bad: ['true', 1, 'yes'],
  },
  {
    sentence: 'supplementalServices | array of string enum | no | Items: `RC Report`, `Sinkhole`, `Wildfire`.',
    name: 'supplementalServices',
    good: [[], ['RC Report'], ['RC Report', 'Sinkhole', 'Wildfire']],
    bad: ['Sinkhole', ['Flood'], [1], [['Sinkhole']]],
  },
  {
    sentence: 'division | string | no | Any string is accepted as a division key; no pre-configuration is required.',
    name: 'division',
    good: ['north', '', '§ 7 / ünï', 'x'.repeat(300)],
    bad: [7, ['north']],
  },
  {
    sentence: 'dwellingCoverage | number (double) | no | Coverage of the physical structure.',
    name: 'dwellingCoverage',
    ...NUMBERS,
  },
  {
    sentence:
      'otherStructureCoverage | number (double) | no | Coverage of other structures (detached garages, sheds, pools).',
    name: 'otherStructureCoverage',
    ...NUMBERS,
  },
  {
    sentence: 'contentCoverage | number (double) | no | Coverage of personal belongings.',
    name: 'contentCoverage',
    ...NUMBERS,
  },
  {
    sentence: 'carrierProvidedLivingArea | number (double) | no | Total living area in Sq.Ft.',
    name: 'carrierProvidedLivingArea',
    ...NUMBERS,
  },
];

const shown = (values: readonly unknown[]): string =>
  values
    .slice(0, 3)
    .map((value) => JSON.stringify(typeof value === 'string' && value.length > 32 ? `${value.slice(0, 31)}…` : value))
    .join(', ');

const valuesSuchAs = (values: readonly unknown[]): string =>
  values.length === 1 ? `the value ${shown(values)}` : `${values.length} values such as ${shown(values)}`;

function fieldRow(field: Field): Row {
  const { sentence, name, required, good, bad } = field;
  return {
    id: `create.${name}`,
    sentence,
    fact: `returns ${valuesSuchAs(good.toReversed())}; refuses ${required ? 'its absence and ' : ''}${bad.length} such as ${shown(bad)}`,
    check: (client) => checkField(client, field),
  };
}

async function checkField(client: TestClient, { name, required, good, bad, beside }: Field): Promise<void> {
  for (const value of good) {
    const detail = await created(client, { ...beside?.(value), [name]: value });
    expect({ name, value: detail[name] }).toEqual({ name, value });
    expect(only(await client.call('GET', `/v1/project/${String(detail.id)}`))[name]).toEqual(value);
  }
  for (const value of bad) await refused(client, { ...beside?.(good[0]), [name]: value });
  if (required) await refused(client, { [name]: undefined });
  else await created(client, { [name]: undefined });
}

/** A line of the document's table of house types. */
function houseTypeRow(policyType: string, houseTypes: readonly string[]): Row {
  return {
    id: `create.houseType.${policyType.split(' ')[0]?.toLowerCase() ?? ''}`,
    sentence: `${policyType} | ${houseTypes.map((houseType) => `\`${houseType}\``).join(', ')}`,
    fact: 'accepts each of these, and refuses every other house type',
    async check(client) {
      for (const houseType of new Set(Object.values(HOUSE_TYPES).flat())) {
        if (houseTypes.includes(houseType))
          expect(await created(client, { policyType, houseType })).toMatchObject({ policyType, houseType });
        else await refused(client, { policyType, houseType });
      }
    },
  };
}

/** Document: Project (create request). */
export const CREATE_REQUEST: readonly Row[] = [
  ...FIELDS.map(fieldRow),
  {
    id: 'create.country.default',
    sentence: 'Default `US`.',
    fact: 'returns US for a project ordered without country',
    async check(client) {
      const { id, country } = await created(client);
      expect([country, only(await client.call('GET', `/v1/project/${String(id)}`)).country]).toEqual(['US', 'US']);
    },
  },
  {
    id: 'create.allowDuplication',
    sentence: 'allowDuplication | boolean | no | Default `true`. See duplicate rules in Errors.',
    fact: 'allows a duplicate unless false, and never returns the field',
    async check(client) {
      // False is answered 409; another type is refused.
      const same = { inspectionNumber: 'A-1' };
      const ids = [
        await created(client, same),
        await created(client, same),
        await created(client, { ...same, allowDuplication: true }),
      ].map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
      expect(
        (await client.call('POST', '/v1/project', { ...(await requestOf(client)), allowDuplication: false })).status,
      ).toBe(409);
      for (const value of ['false', 0]) await refused(client, { allowDuplication: value });
      expect(await created(client, { allowDuplication: true })).not.toHaveProperty('allowDuplication');
    },
  },
  ...Object.entries(HOUSE_TYPES).map(([policyType, houseTypes]) => houseTypeRow(policyType, houseTypes)),
];

/** The first project's request, as it was sent. */
async function requestOf(client: TestClient): Promise<Fields> {
  const { projects } = (await client.control('GET', '/projects')).body as { projects: { request: Fields }[] };
  return projects[0]?.request ?? {};
}
