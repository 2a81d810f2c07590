import { expect, test } from 'vitest';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import { parseConfig } from '../../../src/ops/config.ts';
import { intakeSettings, settingsFor } from '../../../src/submit/hold.ts';

const CONFIG = `
intake:
  headers: { Ref: inspectionNumber, Where: city }
  values: { HO3: Homeowners Insurance, 4pt: 4-Point, Ext: Exterior }
  dateOrder: mdy
  unreadableOptional: reject
  hold: { maxWrongPercent: 20 }
  senders:
    Smith Agency:
      headers: { Ref: policyNumber }
      values: { Ext: Self Exterior Underwriting, DP-3: Homeowners Insurance }
      dateOrder: dmy
      hold: { maxWrongPercent: null, maxDuplicatePercent: 30 }
    lee: { hold: { maxTimesUsualRows: 3 } }
    empty:
`;

function settings(sender: string) {
  return settingsFor(intakeSettings(parseConfig(CONFIG, 'config.yaml').intake), sender);
}

test("settingsFor puts a sender's settings over the general ones", () => {
  const general = {
    headers: { Ref: 'inspectionNumber', Where: 'city' },
    values: { HO3: 'Homeowners Insurance', '4pt': '4-Point', Ext: 'Exterior' },
    dateOrder: 'mdy',
    unreadableOptional: 'reject',
    hiddenRows: 'ask',
    skipSheets: [],
    newLayout: 'ask',
    hold: { maxWrongPercent: 20, maxDuplicatePercent: null, maxTimesUsualRows: null },
  };
  expect([settings(''), settings('somebody'), settings('empty')]).toEqual([general, general, general]);
  expect(settings('smith agency')).toEqual({
    headers: { Ref: 'policyNumber', Where: 'city' },
    values: {
      HO3: 'Homeowners Insurance',
      '4pt': '4-Point',
      Ext: 'Self Exterior Underwriting',
      'DP-3': 'Homeowners Insurance',
    },
    dateOrder: 'dmy',
    unreadableOptional: 'reject',
    hiddenRows: 'ask',
    skipSheets: [],
    newLayout: 'ask',
    hold: { maxWrongPercent: null, maxDuplicatePercent: 30, maxTimesUsualRows: null },
  });
  expect(settings('lee')).toEqual({ ...general, hold: { ...general.hold, maxTimesUsualRows: 3 } });
});

test.each([
  [
    'intake: { values: { HO3: Homeowner } }',
    /line 1: intake.values.HO3 is "Homeowner"; allowed: a sender’s word and the value that the service lists.*Homeowners Insurance/,
  ],
  [
    'intake: { senders: { smith: { values: { x: y } } } }',
    /intake.senders.smith.values.x is "y"; allowed: a sender’s word/,
  ],
  [
    'intake: { senders: { smith: { header: {} } } }',
    /intake.senders.smith.header is not a known key; the nearest is intake.senders.smith.headers/,
  ],
  ['intake: { senders: { smith: { settleSeconds: 3 } } }', /intake.senders.smith.settleSeconds is not a known key/],
  [
    'intake: { senders: { smith: { dateOrder: ymd } } }',
    /intake.senders.smith.dateOrder is "ymd"; allowed: one of auto, mdy, dmy/,
  ],
  [
    'intake: { senders: { smith: { headers: { Ref: nothing } } } }',
    /intake.senders.smith.headers.Ref is "nothing"; allowed/,
  ],
  [
    'intake: { senders: { smith: { hold: { maxWrongPercent: 101 } } } }',
    /intake.senders.smith.hold.maxWrongPercent is 101; allowed: a number from 0 to 100/,
  ],
  ['intake: { senders: [smith] }', /intake.senders is \["smith"\]; allowed: the name of a sender/],
])('parseConfig refuses %s', (config, problem) => {
  expect(() => parseConfig(config, 'config.yaml')).toThrow(problem);
});

const HEADERS = [
  'Policy #',
  'Service',
  'Policy type',
  'House type',
  'Supplemental services',
  'Insured',
  'Insured phone',
  'Insured email',
  'Address',
  'City',
  'State',
  'Zip',
];
const ROW = [
  'HO-1',
  '4 PT',
  'ho-3',
  'Condo',
  'Brush; RC Report',
  'Marisol Vega',
  '813-555-0142',
  'm@example.com',
  '118 Oak Ridge Ln',
  'Tampa',
  'FL',
  '33609',
];

const ORDER = {
  serviceName: '4-Point',
  policyType: 'Homeowners Insurance',
  houseType: 'Residential Condo',
  supplementalServices: ['Wildfire', 'RC Report'],
  city: 'Tampa',
};

async function read(rows: readonly (readonly string[])[], values: Readonly<Record<string, string>>) {
  const options = { headers: {}, values, today: '2026-10-15' };
  return collected((await readSource(inMemorySource({ S: [HEADERS, ...rows] }), 'orders.xlsx', options)).rows());
}

test('readOrders reads usual words of agencies by default, each a repair', async () => {
  expect(await read([ROW, ROW.with(2, 'Commercial')], {})).toMatchObject([
    {
      kind: 'order',
      payload: ORDER,
      repairs: [
        { field: 'policyType', held: 'ho-3', sent: 'Homeowners Insurance' },
        { field: 'serviceName', held: '4 PT', sent: '4-Point' },
        { field: 'houseType', held: 'Condo', sent: 'Residential Condo' },
        { field: 'supplementalServices', held: 'Brush; RC Report', sent: 'Wildfire, RC Report' },
      ],
    },
    { kind: 'rejection', problems: [{ rule: 'value-not-listed', field: 'policyType' }] },
  ]);
});

test("readOrders reads a sender's word first, in the field of its value", async () => {
  const values = { Commercial: 'Homeowners Insurance', '4pt': 'Premium 4-Point' };
  expect(await read([ROW.with(2, 'Commercial'), ROW.with(3, 'Commercial')], values)).toMatchObject([
    {
      kind: 'order',
      payload: { ...ORDER, serviceName: 'Premium 4-Point' },
      repairs: expect.arrayContaining([
        expect.objectContaining({ field: 'policyType', why: expect.stringContaining('intake.values') as string }),
      ]) as unknown,
    },
    { kind: 'rejection', problems: [{ rule: 'value-not-listed', field: 'houseType' }] },
  ]);
});
