import { describe, expect, test } from 'vitest';
import type { RowOutcome } from '../../../src/domain/row.ts';
import {
  addressIn,
  isLocationNumber,
  placeIn,
  referredAddress,
  namesTwoHouses,
} from '../../../src/intake/values/address-text.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const REST = {
  Service: '4-Point',
  'Policy type': 'Homeowners Insurance',
  'House type': 'Residential Condo',
  Insured: 'Marisol Vega',
  'Insured phone': '813-555-0142',
  'Insured email': 'm@example.com',
};
const A = '118 Oak Ridge Ln|Tampa|FL|33609';
const B = '9 Elm St|Orlando|FL|32801';

/** One row, headers and cells separated by bars, behind the other columns of an order. */
async function read(headers: string, cells: string): Promise<RowOutcome> {
  const rows = [
    [...Object.keys(REST), ...headers.split('|')],
    [...Object.values(REST), ...cells.split('|')],
  ].map((row) => row.map((cell) => (cell === '' ? undefined : cell)));
  const [outcome] = await collected(
    (await readSource(inMemorySource({ S: rows }), 'orders.csv', { headers: {}, today: '2026-10-15' })).rows(),
  );
  if (outcome === undefined) throw new Error('there is no row');
  return outcome;
}

/** The address that is sent, `street|city|state|ZIP code`; or the rules that the row breaks. */
async function sent(headers: string, cells: string): Promise<string> {
  const outcome = await read(headers, cells);
  if (outcome.kind === 'rejection')
    return `back: ${outcome.problems
      .filter(({ severity }) => severity === 'error')
      .map(({ rule }) => rule)
      .join(' ')}`;
  const { streetAddress, city, state, zipcode } = outcome.payload;
  return [streetAddress, city, state, zipcode].join('|');
}

const TWO = 'back: two-addresses';
const SECOND = [
  'Location 1 Address',
  'Property Location',
  'Physical Location (if different)',
  'Risk Location',
  'Location',
  'Loc Addr',
  'Premises',
  'Site address',
  'Inspection Address',
  'Dwelling Address',
  'Address of Property',
  'Loss Location',
  'Physical Address if different from mailing',
  'Situs',
];

// Blank, equal, or a number changes nothing; a whole address is ordered; any other text sends the row back.
test.each(SECOND)('compares %s with the main address: same, whole, or in doubt', async (second) => {
  const headers = `Address|City|State|Zip|${second}`;
  for (const nothing of [
    '',
    'Same',
    'SAME AS ABOVE',
    'same as insured address',
    'N/A',
    '-',
    '1',
    'Loc 1',
    '118 Oak Ridge Lane',
    '118 Oak Ridge Ln, Tampa, FL 33609',
    '118 OAK RIDGE LN TAMPA FL 33609',
  ])
    expect([nothing, await sent(headers, `${A}|${nothing}`)]).toEqual([nothing, A]);
  expect(await sent(headers, `${A}|9 Elm St, Orlando, FL 32801`)).toBe(B);
  for (const other of [
    '9 Elm St',
    '118 Oak Ridge Ct',
    '9 Elm St, Orlando, FL',
    '9 Elm St Orlando FL 32801',
    '9 Elm St, Orlando, GA 32801',
    '118 Oak Ridge Ln, Unit 7',
  ])
    expect([other, await sent(headers, `${A}|${other}`)]).toEqual([other, TWO]);
  expect(await sent(headers, `|Tampa|FL|33609|9 Elm St`)).toBe(TWO);
  expect(await sent(`Mailing Address|City|State|Zip|${second}`, `${A}|9 Elm St`)).toBe(TWO);
  expect(await sent(`${second}|Mailing Address|City|State|Zip`, `9 Elm St|${A}`)).toBe(TWO);
  expect(await sent(`Home Address|City|State|Zip|${second}`, `${A}|9 Elm St`)).toBe(TWO);
  expect(await sent(`Mailing Address|City|State|Zip|${second}`, `${A}|9 Elm St, Orlando, FL 32801`)).toBe(B);
  expect(await sent(`Address|City|State|Zip|${second}|City|State|Zip`, `${A}|${B}`)).toBe(B);
});

test('reads the parts of a premise', async () => {
  const headers = 'Mailing Address|City|State|Zip|Premise Address 1|Premise City|Premise State|Premise Zip';
  expect(await sent(headers, `${A}|${B}`)).toBe(B);
});

test.each(['Second Location', 'Additional Location', 'Inspection Site', 'Property', 'Location Description'])(
  'treats %s as a second address only if it has a street',
  async (second) => {
    expect(await sent(`Address|City|State|Zip|${second}`, `${A}|9 Elm St`)).toBe(TWO);
    expect(await sent(`Address|City|State|Zip|${second}`, `${A}|Beachfront`)).toBe(A);
  },
);

test('shows both addresses', async () => {
  const outcome = await read('Address|City|State|Zip|Risk Location', `${A}|9 Elm St`);
  expect(outcome.kind === 'rejection' && outcome.problems).toMatchObject([
    {
      rule: 'two-addresses',
      cell: 'K2',
      message: expect.stringMatching(
        /K2 under "Risk Location" holds "9 Elm St" and G2 under "Address" holds "118 Oak Ridge Ln, Tampa, FL, 33609"/,
      ) as string,
    },
  ]);
});

test.each<[string, string, string]>([
  ['Mailing Address|City|State|Zip|Location', `${A}|Same as mailing`, A],
  ['Mailing Address|City|State|Zip|Location', `${A}|`, A],
  ['Mailing Address|City|State|Zip', A, 'back: required-column-missing'],
  ['Address|City|State|Zip', '|Tampa|FL|33609', 'back: required-empty'],
  ['Address|City|State|Zip', 'Same as mailing|Tampa|FL|33609', 'back: value-elsewhere'],
  [
    'Mailing Address|Mailing City|Mailing State|Mailing Zip|Property Address|Property City|Property State|Property Zip',
    `${A}|Same as mailing|||`,
    A,
  ],
  [
    'Mailing Address|Mailing City|Mailing State|Mailing Zip|Property Address|Property City|Property State|Property Zip',
    `${A}|${B}`,
    B,
  ],
  [
    'Mailing Address|Mailing City|Mailing State|Mailing Zip|Property Address|Property City|Property State|Property Zip',
    `${A}|9 Elm St|Orlando|FL|`,
    TWO,
  ],
  ['Address|City|State|Zip|Mailing Address|Mailing City|Mailing State|Mailing Zip', `${A}|${B}`, A],
  [
    'Address|City|State|Zip|Mailing Address|Mailing City|Mailing State|Mailing Zip|Property Location',
    `${A}|${B}|Same as mailing`,
    TWO,
  ],
  ['Address|City|State|Zip|Agency Address|City|State|Zip', `${A}|${B}`, A],
  ['Insured Address|Insured City|Insured State|Insured Zip|Location Address|City|State|Zip', `${A}|same|||`, A],
  ['Insured Address|Insured City|Insured State|Insured Zip|Location Address|City|State|Zip', `${A}|${B}`, B],
  ['Address|Location|City|State|Zip', '118 Oak Ridge Ln|9 Elm St|Tampa|FL|33609', TWO],
  ['Address|Location|City|State|Zip', '118 Oak Ridge Ln||Tampa|FL|33609', A],
  ['Street Address|Property Address|City|State|Zip', '|118 Oak Ridge Ln|Tampa|FL|33609', A],
  ['Property Address|Mailing Address|City|State|Zip', '9 Elm St|118 Oak Ridge Ln|Tampa|FL|33609', TWO],
  ['Mailing Address|Property Address|City|State|Zip', '9 Elm St|118 Oak Ridge Ln|Tampa|FL|33609', A],
  [
    'Location 1 Address|Location 1 City|Location 1 State|Location 1 Zip|Location 2 Address|Location 2 City|Location 2 State|Location 2 Zip',
    `${A}|${B}`,
    TWO,
  ],
  [
    'Location 1 Address|Location 1 City|Location 1 State|Location 1 Zip|Location 2 Address|Location 2 City|Location 2 State|Location 2 Zip',
    `${A}||||`,
    A,
  ],
  ['Address|City|State|Zip|Risk State', `${A}|GA`, 'back: columns-disagree'],
  ['Address|City|State|Zip|Risk State|Risk Zip', `${A}||33609`, A],
  ['Address|City|State|Zip|Property Location', `${A}|TBD`, 'back: required-placeholder'],
])('reads %s: %s', async (headers, cells, expected) => {
  expect(await sent(headers, cells)).toBe(expected);
});

test('orders the mailing address with a warning if there is no other', async () => {
  expect(await read('Mailing Address|City|State|Zip|Location', `${A}|same`)).toMatchObject({
    kind: 'order',
    warnings: [{ rule: 'mailing-address-ordered' }],
  });
  expect(await read('Mail Address|Mail City|Mail St|Mail Zip|Loc Address|Loc City', `${A}|SAME|`)).toMatchObject({
    kind: 'order',
    warnings: [{ rule: 'mailing-address-ordered' }],
  });
  expect(await read('Address|City|State|Zip|Location', `${A}|Beachfront`)).toMatchObject({
    kind: 'order',
    warnings: [{ rule: 'location-not-sent' }],
  });
});

test.each<[string, string, string]>([
  ['House #|Street Direction|Street|City|State|Zip', '118|N|Oak Ridge Ln|Tampa|FL|33609', '118 N Oak Ridge Ln'],
  ['House #|Street Direction|Street|City|State|Zip', '118||Oak Ridge Ln|Tampa|FL|33609', '118 Oak Ridge Ln'],
  ['House #|Street Direction|Street|City|State|Zip', '118|N|118 N Oak Ridge Ln|Tampa|FL|33609', '118 N Oak Ridge Ln'],
  ['House #|Street Direction|Street|City|State|Zip', '118|N|9 Oak Ridge Ln|Tampa|FL|33609', 'back: columns-disagree'],
  [
    'St No|Pre Dir|St Name|St Type|Post Dir|Unit Type|Unit #|City|State|Zip',
    '118|N|Oak Ridge|Ln|SW|Apt|4|Tampa|FL|33609',
    '118 N Oak Ridge Ln SW, Apt 4',
  ],
  [
    'House Number|Street Name|Suffix|Apt|City|State|Zip',
    '118|Oak Ridge|Lane|4B|Tampa|FL|33609',
    '118 Oak Ridge Lane, Apt 4B',
  ],
  ['House Number|Street Name|Suffix|City|State|Zip', '118|Oak Ridge Ln|Ln|Tampa|FL|33609', '118 Oak Ridge Ln'],
  ['Number|Street|City|State|Zip', '118|Oak Ridge Ln|Tampa|FL|33609', '118 Oak Ridge Ln'],
  ['Address|Building|Unit|City|State|Zip', '118 Oak Ridge Ln|B|4|Tampa|FL|33609', '118 Oak Ridge Ln, Bldg B, Unit 4'],
  ['Address|Bldg #|City|State|Zip', '118 Oak Ridge Ln|2|Tampa|FL|33609', '118 Oak Ridge Ln, Bldg 2'],
  ['Address|Bldg|City|State|Zip', '118 Oak Ridge Ln|A|Tampa|FL|33609', '118 Oak Ridge Ln, Bldg A'],
  ['Address|Bldg|City|State|Zip', '118 Oak Ridge Ln|2|Tampa|FL|33609', '118 Oak Ridge Ln, Bldg 2'],
  ['Address|Bldg|City|State|Zip', '118 Oak Ridge Ln|SF|Tampa|FL|33609', '118 Oak Ridge Ln'],
  ['Address|City|State|Zip|Unit', '118 Oak Ridge Ln|Tampa|FL|33609|4B', '118 Oak Ridge Ln, Unit 4B'],
  ['Address|City|State|Zip|Lot #', '118 Oak Ridge Ln|Tampa|FL|33609|17', '118 Oak Ridge Ln, Lot 17'],
  [
    'Address|Address 2|Address 3|City|State|Zip',
    '118 Oak Ridge Ln|Bldg 3|Floor 2|Tampa|FL|33609',
    '118 Oak Ridge Ln, Bldg 3, Floor 2',
  ],
  ['Address|Address 2|City|State|Zip', '118 Oak Ridge Ln|9 Elm St|Tampa|FL|33609', 'back: columns-disagree'],
  ['Address|Address 2|City|State|Zip', '118 Oak Ridge Ln|Tampa, FL 33609|Tampa|FL|33609', '118 Oak Ridge Ln'],
  [
    'Property Address|City|State|Zip|Mailing Address|Mailing City|Mailing State|Mailing Zip|Unit',
    `${A}|${B}|4B`,
    'back: unit-not-certain',
  ],
  [
    'Property Address|City|State|Zip|Mailing Address|Mailing City|Mailing State|Mailing Zip|Unit',
    `${A}|${B}|`,
    '118 Oak Ridge Ln',
  ],
])('puts all parts of the street together: %s: %s', async (headers, cells, street) => {
  expect((await sent(headers, cells)).split('|')[0]).toBe(street);
});

test('sends five digits of the ZIP code, without a column of the last four', async () => {
  const outcome = await read('Address|City|State|Zip|Zip+4', '118 Oak Ridge Ln|Tampa|FL|33609|1204');
  expect(outcome).toMatchObject({ kind: 'order', payload: { zipcode: '33609' }, repairs: [] });
});

test('records each part that it puts together', async () => {
  expect(
    (await read('House #|Street Direction|Street|City|State|Zip', '118|N|Oak Ridge Ln|Tampa|FL|33609')).repairs,
  ).toMatchObject([
    {
      field: 'streetAddress',
      sent: '118 N Oak Ridge Ln',
      why: 'put together from G2 "118", H2 "N" and I2 "Oak Ridge Ln"',
    },
  ]);
});

test.each<[string, string, string]>([
  ['Address', '118 Oak Ridge Ln, Tampa, FL 33609', A],
  ['Full Property Address', '118 Oak Ridge Ln, Tampa FL 33609', A],
  ['Location', '118 Oak Ridge Ln\nTampa, FL 33609', A],
  // As forms write it
  ['Address', 'Street Address: 118 Oak Ridge Ln\nCity: Tampa\nState: Florida\nZip Code: 33609', A],
  ['Address', 'Street Address: 118 Oak Ridge Ln City: Tampa State / Province: FL Postal / Zip Code: 33609', A],
  [
    'Address',
    'Street Address: 118 Oak Ridge Ln\nStreet Address Line 2: Apt 4\nCity: Tampa\nState: FL\nZip: 33609\nCountry: United States',
    '118 Oak Ridge Ln, Apt 4|Tampa|FL|33609',
  ],
  [
    'Property Address',
    '118 Oak Ridge Ln, Unit 4, Tampa, Florida 33609-1204, USA',
    '118 Oak Ridge Ln, Unit 4|Tampa|FL|33609-1204',
  ],
  ['Address|Unit #', '118 Oak Ridge Ln, Tampa, FL 33609|4', '118 Oak Ridge Ln, Unit 4|Tampa|FL|33609'],
  ['Address', '118 Oak Ridge Ln Tampa FL 33609', 'back: address-not-split'],
  ['Address', '118 Oak Ridge Ln, Apt 4 Tampa FL 33609', 'back: address-not-split'],
  ['Address', '118 Oak Ridge Ln, Tampa, TX 33609', 'back: address-not-split'],
  ['Address', '118 Oak Ridge Ln, Tampa, Hillsborough, FL 33609', 'back: address-not-split'],
  ['Address', 'Bob Lee, 118 Oak Ridge Ln, Tampa, FL 33609', 'back: address-not-split'],
  ['Address', '118 Oak Ridge Ln, Tampa, Hillsborough County, FL 33609', '118 Oak Ridge Ln|Tampa|FL|33609'],
  ['Address', '118 Oak Ridge Ln, Unit B, FL 33609', 'back: address-not-split'],
  ['Address|City|State|Zip', '118 Oak Ridge Ln Tampa FL 33609|Tampa|FL|33609', A],
  ['Address|City|State|Zip', '118 Oak Ridge Ln, Tampa, FL 33609|||', A],
  ['Address|City|State|Zip', '118 Oak Ridge Ln, Orlando, FL 32801|Tampa|FL|33609', 'back: columns-disagree'],
  ['Address|City, State Zip', '118 Oak Ridge Ln|Tampa, FL 33609', A],
  ['Address|City State Zip', '118 Oak Ridge Ln|Tampa FL 33609', A],
  ['Address|City/State/Zip', '118 Oak Ridge Ln|Tampa 3360', 'back: address-not-split'],
  ['Address|City, ST|Zip', '118 Oak Ridge Ln|Tampa, FL|33609', A],
  ['Address|City|State/Zip', '118 Oak Ridge Ln|Tampa|FL 33609', A],
  ['Address|City|State|Zip', '118 Oak Ridge Ln|Tampa|FL|FL 33609', A],
  ['Address|City|State|Zip', '118 Oak Ridge Ln|Tampa|FL|GA 30301', 'back: columns-disagree'],
  ['Address|City|State|Zip', '118 Oak Ridge Ln|Tampa|Florida (FL)|33609', A],
  ['Address|City|State|Zip', '118 Oak Ridge Ln|Tampa|FL - Florida|33609', A],
  ['Address|City|State|Zip', '118 Oak Ridge Ln|Tampa|Florida (GA)|33609', 'back: state-unknown'],
  ['Address|City|State|Zip', '118 Oak Ridge Ln|Tampa, FL|FL|33609', A],
  ['Address|City|State|Zip', '118 Oak Ridge Ln|Tampa, GA|FL|33609', 'back: columns-disagree'],
])('reads several parts of an address from a cell: %s: %s', async (headers, cells, expected) => {
  expect(await sent(headers, cells)).toBe(expected);
  const outcome = await read(headers, cells);
  expect(outcome.kind === 'rejection' || outcome.repairs.length > 0).toBe(true);
});

test('addressIn and placeIn leave text undivided unless certain', () => {
  expect(
    ['118 Oak Ridge Ln', 'County Road 12345', '9 Ware St, Apt 4', '100 Main St, Rear, Washington', '12 Washington'].map(
      addressIn,
    ),
  ).toEqual(Array.from({ length: 5 }, () => undefined));
  expect(['Tampa', 'Port Washington', 'TX 33609', 'Apt 4, FL 33609'].map(placeIn)).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  expect(addressIn('10 Elm St, Charleston, West Virginia 25301')).toMatchObject({
    street: '10 Elm St',
    city: 'Charleston',
    state: 'WV',
    zipcode: '25301',
  });
  expect(addressIn('9 Ware St, Cambridge, MA 2139')).toMatchObject({ city: 'Cambridge', zipcode: '02139' });
  expect(['same street, rear house', 'TBD', '9 Elm St'].map(referredAddress)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(['1', 'Loc #2', 'Prem 1 Bldg 2', '3 of 4', '12 Premises Road'].map(isLocationNumber)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

describe('readOrders: a second person in the address', () => {
  test.each([
    'Insured 2',
    'Insured2',
    'Insured (2)',
    'Named Insured 2',
    'Primary Insured 2',
    'Applicant 2',
    'Owner 2',
    'Owner 3',
    'Policyholder 2',
    'Homeowner 2',
    'Customer 2',
    'Client 2',
    'Insured line 2',
    'Insured Name 2',
    'Co-Insured',
    'Co Applicant',
    'Co-Applicant 2',
    'Spouse',
    'Second Named Insured',
    'Additional Insured',
    'Mortgagee 2',
    'Agent 2',
    'Contact 2',
    'Tenant',
    'Insured Direction',
    '2',
    'Line 2',
  ])('keeps %s out of the street', async (person) => {
    for (const [headers, cells] of [
      [`Street address|${person}|City|State|Zip`, '118 Oak Ridge Ln|Juan Vega|Tampa|FL|33609'],
      [`${person}|Street address|City|State|Zip`, 'Juan Vega|118 Oak Ridge Ln|Tampa|FL|33609'],
      [`Street address|City|State|Zip|Agent|${person}`, `${A}|Ann Lee|Juan Vega`],
    ] as const) {
      // Behind the street `2` and `Line 2` are its own second line.
      if (/^(?:2|Line 2)$/.test(person) && headers.startsWith(`Street address|${person}`)) continue;
      expect([headers, await sent(headers, cells)]).toEqual([headers, A]);
    }
  });

  test('suggests a fix for a second insured', async () => {
    const rows = [[...Object.keys(REST), 'Address', 'City', 'State', 'Zip', 'Insured 2', 'Co-Applicant'], []];
    const reading = await readSource(inMemorySource({ S: rows }), 'orders.csv', {
      headers: {},
      today: '2026-10-15',
    });
    expect(reading.notes.map(codeAndFacts)).toEqual([
      'column-unknown "S" K "Insured 2"',
      'column-unknown "S" L "Co-Applicant"',
    ]);
  });

  test('adds a name suffix to the name, not to the street', async () => {
    expect(await read('Address|City|State|Zip|Insured Suffix', `${A}|Jr`)).toMatchObject({
      payload: { streetAddress: '118 Oak Ridge Ln' },
    });
    const headers = ['Service', 'Policy type', 'House type', 'Insured', 'Insured Suffix', 'Insured phone'];
    const cells = ['4-Point', 'Homeowners Insurance', 'Residential Condo', 'Marisol Vega', 'Jr', '813-555-0142'];
    const rows = [
      [...headers, 'Insured email', 'Address', 'City', 'State', 'Zip'],
      [...cells, 'm@example.com', ...A.split('|')],
    ];
    const reading = await readSource(inMemorySource({ S: rows }), 'orders.csv', {
      headers: {},
      today: '2026-10-15',
    });
    expect(await collected(reading.rows())).toMatchObject([
      { kind: 'order', payload: { insuredName: 'Marisol Vega Jr', streetAddress: '118 Oak Ridge Ln' } },
    ]);
  });

  test.each([
    ['Address|Address 2|City|State|Zip', '118 Oak Ridge Ln|Apt 4|Tampa|FL|33609'],
    ['Address|2|City|State|Zip', '118 Oak Ridge Ln|Apt 4|Tampa|FL|33609'],
    ['Street|Line 2|City|State|Zip', '118 Oak Ridge Ln|Apt 4|Tampa|FL|33609'],
    ['Insured Address|Insured Address 2|City|State|Zip', '118 Oak Ridge Ln|Apt 4|Tampa|FL|33609'],
    ['Insured Address|Insured Unit|City|State|Zip', '118 Oak Ridge Ln|Apt 4|Tampa|FL|33609'],
  ])('adds the second line of an address: %s', async (headers, cells) => {
    expect(await sent(headers, cells)).toBe('118 Oak Ridge Ln, Apt 4|Tampa|FL|33609');
  });
});

describe('readOrders: a second address', () => {
  test.each([
    'Dwelling Location (if not the same)',
    'Physical address if different',
    'Risk address (if other than mailing)',
    'Inspection location if different from above',
    'Location address if not same',
    'Insured location, if not the above',
    'Property Location if not same as mailing',
    'Address of dwelling if different',
    'Address to be inspected',
    'Location to inspect',
    'Location of dwelling',
    'Dwelling Address (only if different)',
    'Physical location unless same',
    'Risk addr - if diff',
    'Physical addr (diff)',
    'Phys Addr',
    'If different, property address',
    'Property address (blank if same as mailing)',
    'Location (leave blank if same)',
    'Loc. of risk (if not same as above)',
    'Dwelling Location (overrides street)',
    'Property (if different)',
    'Insured Premises',
    'Physical',
  ])('never overlooks one under %s', async (second) => {
    const headers = `Street address|City|State|Zip|${second}`;
    for (const nothing of [
      '',
      'Same',
      'n/a',
      'same as above',
      '118 Oak Ridge Lane',
      '118 Oak Ridge Ln, Tampa, FL 33609',
    ])
      expect([nothing, await sent(headers, `${A}|${nothing}`)]).toEqual([nothing, A]);
    expect(await sent(headers, `${A}|9 Elm St`)).toBe(TWO);
    expect(await sent(`Street|${second}|City|State|Zip`, '118 Oak Ridge Ln|9 Elm St|Tampa|FL|33609')).toBe(TWO);
    expect([TWO, B]).toContain(await sent(headers, `${A}|9 Elm St, Orlando, FL 32801`));
  });

  test.each([
    'Alternate address',
    'Other address',
    'Second address',
    'Actual address',
    'Correct address',
    'New address',
    'Location 2',
    'Second Location',
    'Subject property',
    'Address correction',
    'Where to go',
  ])('rejects a row with one under %s, even a whole one', async (second) => {
    const headers = `Street address|City|State|Zip|${second}`;
    expect(await sent(headers, `${A}|9 Elm St, Orlando, FL 32801`)).toBe(TWO);
    expect(await sent(headers, `${A}|9 Elm St`)).toBe(TWO);
    expect(await sent(headers, `${A}|`)).toBe(A);
    expect(await sent(headers, `${A}|same`)).toBe(A);
  });

  test.each([
    ['Building description', '2 story frame house, 3 acres'],
    ['Dwelling notes', '1 loop road in front'],
    ['Lender', 'First Bank ISAOA, 1 Bank St, Tampa, FL 33601'],
    ['Agency address', '9 Elm St, Orlando, FL 32801'],
    ['Mortgagee address', '9 Elm St, Orlando, FL 32801'],
    ['Additional Insured Address', '9 Elm St, Orlando, FL 32801'],
    ['Prior address', '9 Elm St, Orlando, FL 32801'],
    ['Home address', '9 Elm St, Orlando, FL 32801'],
  ])('finds none under %s', async (header, cell) => {
    expect(await sent(`Street address|City|State|Zip|${header}`, `${A}|${cell}`)).toBe(A);
  });

  test('never mixes a mailing address in parentheses with another', async () => {
    for (const headers of ['Address (Mailing)|City|State|Zip|Location', 'Address - Mailing|City|State|Zip|Location']) {
      expect(await sent(headers, `${A}|9 Elm St`)).toBe(TWO);
      expect(await sent(headers, `${A}|9 Elm St, Orlando, FL 32801`)).toBe(B);
    }
  });
});

describe('readOrders: two houses in one cell', () => {
  test.each([
    '12 Main St, Tampa, FL 33609; 14 Main St, Tampa, FL 33609',
    '12 Main St, Tampa, FL 33609\n14 Main St, Tampa, FL 33609',
    '12 Main St and 14 Main St',
    '12 Main St & 14 Main St',
    '12 Main St / 14 Main St',
    '12 Main St or 14 Main St',
    '12 Main St, 14 Main St',
    '12 Main St\n14 Main St',
    '12 Main St; 9 Elm Ave',
    '12 Broadway & 14 Broadway',
    '100-102 Main St; 200 Oak Ave',
    '12 Main St, Tampa, FL 33609; 14 Main St',
  ])('rejects %s', async (street) => {
    expect(await sent('Address|City|State|Zip', `${street}|Tampa|FL|33609`)).toMatch(/^back: street-two-houses/);
  });

  test.each([
    '12 & 14 Main St',
    '12 and 14 Main St',
    '12 Main St, Units 4 and 5',
    '12 Main St Unit 4 & 5',
    '12, 14 Main St',
  ])('orders %s with a warning', async (street) => {
    const outcome = await read('Address|City|State|Zip', `${street}|Tampa|FL|33609`);
    expect(outcome).toMatchObject({ kind: 'order', warnings: [{ rule: 'street-two-houses' }] });
  });

  test.each([
    '12-14 Main St',
    '12 1/2 Main St',
    '9 Main St & 5th Ave',
    '100 Main St & 5th Ave',
    '100 Main St, 2nd Floor',
    '118 Oak Ridge Ln\nUnit 4',
    '12 Rock and Roll Blvd',
    '2 Hill and Dale Rd',
    '9 Elm St, Lot 4',
  ])('takes %s as one house', async (street) => {
    const outcome = await read('Address|City|State|Zip', `${street}|Tampa|FL|33609`);
    expect(outcome).toMatchObject({ kind: 'order', warnings: [] });
  });
});

test('twoHouses reads a street of thirty thousand characters quickly', () => {
  for (const text of ['1 '.repeat(16_000), '1'.repeat(32_000), ' '.repeat(32_000), '12 Main St; '.repeat(2600)])
    namesTwoHouses(text);
  expect(namesTwoHouses('12 Main St; 14 Main St; '.repeat(1300))).toBe('sure');
});

describe('readOrders: the unit', () => {
  const BACK = 'back: columns-disagree';
  const NO_UNIT = 'back: unit-not-certain';
  test.each([
    ['118 Oak Ridge Ln Unit 4', '5', BACK],
    ['118 Oak Ridge Ln, Apt 4', 'Unit 5', BACK],
    ['118 Oak Ridge Ln #4', '5', BACK],
    ['Unit 4, 118 Oak Ridge Ln', '5', BACK],
    ['118 Oak Ridge Ln Unit 4', '4', '118 Oak Ridge Ln Unit 4'],
    ['118 Oak Ridge Ln Unit 4', 'Apt 4', '118 Oak Ridge Ln Unit 4'],
    ['118 Oak Ridge Ln #4', 'Unit 4', '118 Oak Ridge Ln #4'],
    ['118 Oak Ridge Ln Unit 04', '4', '118 Oak Ridge Ln Unit 04'],
    ['118 Oak Ridge Ln, Bldg 2', '4', '118 Oak Ridge Ln, Bldg 2, Unit 4'],
    ['118 Oak Ridge Ln Bldg 3', 'Bldg 3 Apt 5', '118 Oak Ridge Ln Bldg 3, Bldg 3 Apt 5'],
    ['118 Oak Ridge Ln Bldg 3 Apt 5', 'Bldg 3 Apt 5', '118 Oak Ridge Ln Bldg 3 Apt 5'],
    ['118 Oak Ridge Ln Unit 4-B', '4-C', BACK],
    ['118 Oak Ridge Ln Unit 4-B', '4-B', '118 Oak Ridge Ln Unit 4-B'],
    ['118 Oak Ridge Ln', 'Carriage House', '118 Oak Ridge Ln, Unit Carriage House'],
    ['118 Oak Ridge Ln', 'Upper unit', '118 Oak Ridge Ln, Unit Upper unit'],
    ['118 Oak Ridge Ln', '4 units', NO_UNIT],
    ['118 Oak Ridge Ln', 'All', NO_UNIT],
    ['118 Oak Ridge Ln', 'Rear', '118 Oak Ridge Ln, Unit Rear'],
    ['118 Oak Ridge Ln', 'B', '118 Oak Ridge Ln, Unit B'],
    ['118 Oak Ridge Ln', 'Owner occupied', NO_UNIT],
    ['118 Oak Ridge Ln', 'Tenant', NO_UNIT],
    ['118 Oak Ridge Ln', '0', NO_UNIT],
    ['118 Oak Ridge Ln', 'Unit 0', NO_UNIT],
    ['118 Oak Ridge Ln', '000', NO_UNIT],
    ['118 Oak Ridge Ln', 'No', '118 Oak Ridge Ln'],
    ['118 Oak Ridge Ln', 'none', '118 Oak Ridge Ln'],
  ])('compares %s with %s', async (street, unit, expected) => {
    expect((await sent('Address|Unit|City|State|Zip', `${street}|${unit}|Tampa|FL|33609`)).split('|')[0]).toBe(
      expected,
    );
  });

  test('rejects a row with two different units', async () => {
    expect(await sent('Address|Address 2|Unit|City|State|Zip', '118 Oak Ridge Ln|Apt 4|5|Tampa|FL|33609')).toBe(BACK);
    expect(await sent('Address|Building|City|State|Zip', '118 Oak Ridge Ln Bldg 2|3|Tampa|FL|33609')).toBe(BACK);
    expect(
      await sent('Address|Address 2|City|State|Zip', '118 Oak Ridge Ln Unit 4|Unit 4 Bay Villas|Tampa|FL|33609'),
    ).toBe('118 Oak Ridge Ln Unit 4, Unit 4 Bay Villas|Tampa|FL|33609');
  });
});

test.each(['Address: 118 Oak Ridge Ln', '12 City: State Rd', '12 Elm St, State: FL', '9 City Hall Rd: Zip 2 State: B'])(
  'takes no label out of the street %s',
  async (street) => {
    expect(await sent('Address|City|State|Zip', `${street}|Tampa|FL|33609`)).toBe(`${street}|Tampa|FL|33609`);
  },
);

test.each([
  'Various (3 buildings)',
  'Various',
  'Multiple locations',
  'Multiple buildings on site',
  'Several',
  'See attached schedule',
  'TBD',
  '3 locations',
  '2 buildings - see schedule',
  'All locations',
  'Schedule on file',
  'SOV attached',
  'Scattered sites',
])('rejects a street that is no street: %s', async (street) => {
  expect(await sent('Address|City|State|Zip', `${street}|Tampa|FL|33609`)).toMatch(/^back: /);
});

test.each([
  ['Washington', 'D.C.', '20001', 'DC'],
  ['Washington', 'District of Columbia', '20001', 'DC'],
  ['Washington', 'DC', '20001', 'DC'],
  ['WASHINGTON', 'dist. of columbia', '20001', 'DC'],
  ['Washington', 'Pennsylvania', '15301', 'PA'],
  ['Delaware', 'Ohio', '43015', 'OH'],
  ['Delaware', 'OH', '43015', 'OH'],
  ['Nevada', 'Missouri', '64772', 'MO'],
  ['Kansas', 'Oklahoma', '74347', 'OK'],
  ['Kansas', 'OK', '74347', 'OK'],
  ['California', 'Maryland', '20619', 'MD'],
  ['New York', 'New York', '10001', 'NY'],
  ['NEW YORK', 'N.Y.', '10001', 'NY'],
  ['Wyoming', 'Mich.', '49509', 'MI'],
  ['Indiana', 'Pennsylvania', '15701', 'PA'],
  ['Oregon', 'Wis', '53575', 'WI'],
  ['Florida', 'New York', '10921', 'NY'],
  ['Virginia', 'Minn.', '55792', 'MN'],
  ['Maryland', 'NEW YORK', '12116', 'NY'],
])('accepts a city named like a state: %s, %s', async (city, state, zipcode, code) => {
  expect(await sent('Address|City|State|Zip', `118 Oak Ridge Ln|${city}|${state}|${zipcode}`)).toBe(
    `118 Oak Ridge Ln|${city}|${code}|${zipcode}`,
  );
  expect(await sent('Address|City|State|Zip', `118 Oak Ridge Ln, Apt 4|${city}|${state}|${zipcode}`)).toBe(
    `118 Oak Ridge Ln, Apt 4|${city}|${code}|${zipcode}`,
  );
  expect(await sent('Address|City, State|Zip', `118 Oak Ridge Ln|${city}, ${state}|${zipcode}`)).toBe(
    `118 Oak Ridge Ln|${city}|${code}|${zipcode}`,
  );
  expect(await sent('Property Address', `118 Oak Ridge Ln, ${city}, ${state} ${zipcode}`)).toBe(
    `118 Oak Ridge Ln|${city}|${code}|${zipcode}`,
  );
});

test('readSource reads a Unit column in which some cells name no unit', async () => {
  const rows = ['1', '2', 'N/A', 'Owner occupied', '4 units'].map((unit) => [
    ...Object.values(REST),
    '118 Oak Ridge Ln',
    'Tampa',
    'FL',
    '33609',
    'Joan',
    unit,
  ]);
  const headers = [...Object.keys(REST), 'Address', 'City', 'State', 'Zip', 'Agent name', 'Unit'];
  const reading = await readSource(inMemorySource({ S: [headers, ...rows] }), 'o.csv', {
    headers: {},
    today: '2026-10-15',
  });
  const streets = (await collected(reading.rows())).map((row) =>
    row.kind === 'order' ? row.payload.streetAddress : row.problems.map(({ rule }) => rule).join(),
  );
  expect(streets).toEqual([
    '118 Oak Ridge Ln, Unit 1',
    '118 Oak Ridge Ln, Unit 2',
    '118 Oak Ridge Ln',
    'unit-not-certain',
    'unit-not-certain',
  ]);
});
