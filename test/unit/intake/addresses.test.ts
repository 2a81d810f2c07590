import { expect, test } from 'vitest';
import type { RowOutcome } from '../../../src/domain/row.ts';
import { addressIn, isLocationNumber, placeIn, saysInstead } from '../../../src/intake/values/address-text.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readOrders } from '../../../src/intake/read-orders.ts';

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
    (await readOrders(inMemorySource({ S: rows }), 'orders.csv', { headers: {}, today: '2026-10-15' })).rows(),
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

test.each(SECOND)(
  'beside an address, %s leaves it where it is blank, the same or a number, is ordered where it is whole, and sends the row back else',
  async (second) => {
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
  },
);

test.each(['Second Location', 'Additional Location', 'Inspection Site', 'Property', 'Location Description'])(
  'beside an address, %s is another one only where it holds a street',
  async (second) => {
    expect(await sent(`Address|City|State|Zip|${second}`, `${A}|9 Elm St`)).toBe(TWO);
    expect(await sent(`Address|City|State|Zip|${second}`, `${A}|Beachfront`)).toBe(A);
  },
);

test('both addresses are shown', async () => {
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
])('%s: %s', async (headers, cells, expected) => {
  expect(await sent(headers, cells)).toBe(expected);
});

test('where the mailing address alone is left, it is ordered with a warning', async () => {
  expect(await read('Mailing Address|City|State|Zip|Location', `${A}|same`)).toMatchObject({
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
])('no part of the street is left out: %s: %s', async (headers, cells, street) => {
  expect((await sent(headers, cells)).split('|')[0]).toBe(street);
});

test('each part that is put together is on record', async () => {
  expect(
    (await read('House #|Street Direction|Street|City|State|Zip', '118|N|Oak Ridge Ln|Tampa|FL|33609')).repairs,
  ).toMatchObject([
    {
      field: 'streetAddress',
      sent: '118 N Oak Ridge Ln',
      why: 'put together from G2 "118", H2 "N" and I2 "Oak Ridge Ln"',
    },
  ]);
  expect((await read('Address|City|State|Zip|Zip+4', '118 Oak Ridge Ln|Tampa|FL|33609|1204')).repairs).toMatchObject([
    { field: 'zipcode', sent: '33609-1204', why: 'put together from "33609" and "1204"' },
  ]);
});

test.each<[string, string, string]>([
  ['Address', '118 Oak Ridge Ln, Tampa, FL 33609', A],
  ['Full Property Address', '118 Oak Ridge Ln, Tampa FL 33609', A],
  ['Location', '118 Oak Ridge Ln\nTampa, FL 33609', A],
  [
    'Property Address',
    '118 Oak Ridge Ln, Unit 4, Tampa, Florida 33609-1204, USA',
    '118 Oak Ridge Ln, Unit 4|Tampa|FL|33609-1204',
  ],
  ['Address|Unit #', '118 Oak Ridge Ln, Tampa, FL 33609|4', '118 Oak Ridge Ln, Unit 4|Tampa|FL|33609'],
  ['Address', '118 Oak Ridge Ln Tampa FL 33609', 'back: address-not-split'],
  ['Address', '118 Oak Ridge Ln, Apt 4 Tampa FL 33609', 'back: address-not-split'],
  ['Address', '118 Oak Ridge Ln, Tampa, TX 33609', 'back: address-not-split'],
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
])('addresses with several parts in a cell: %s: %s', async (headers, cells, expected) => {
  expect(await sent(headers, cells)).toBe(expected);
  const outcome = await read(headers, cells);
  expect(outcome.kind === 'rejection' || outcome.repairs.length > 0).toBe(true);
});

test('what cannot be told for certain is not taken apart', () => {
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
  expect(['same street, rear house', 'TBD', '9 Elm St'].map(saysInstead)).toEqual([undefined, undefined, undefined]);
  expect(['1', 'Loc #2', 'Prem 1 Bldg 2', '3 of 4', '12 Premises Road'].map(isLocationNumber)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});
