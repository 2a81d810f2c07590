import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readOrders } from '../../../src/intake/read-orders.ts';
import { parseConfig } from '../../../src/ops/config.ts';
import { intakeSettings, settingsFor } from '../../../src/submit/hold.ts';
import { PACKAGE_ROOT } from '../../support/command-line.ts';

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
      hold: { maxWrongPercent: null, changedLayout: true }
    lee: { hold: { maxTimesUsualRows: 3 } }
    empty:
`;

function settings(sender: string) {
  return settingsFor(intakeSettings(parseConfig(CONFIG, 'config.yaml').intake), sender);
}

test('what a sender has of its own goes over the general settings, and the rest stays', () => {
  const general = {
    headers: { Ref: 'inspectionNumber', Where: 'city' },
    values: { HO3: 'Homeowners Insurance', '4pt': '4-Point', Ext: 'Exterior' },
    dateOrder: 'mdy',
    unreadableOptional: 'reject',
    hold: { maxWrongPercent: 20, maxDuplicatePercent: null, changedLayout: false, maxTimesUsualRows: null },
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
    hold: { maxWrongPercent: null, maxDuplicatePercent: null, changedLayout: true, maxTimesUsualRows: null },
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
])('%s is a mistake, and said where', (config, problem) => {
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

test('a sender’s word becomes the listed value, in the field that lists it, with a repair each time', async () => {
  const { intake } = parseConfig(
    readFileSync(join(PACKAGE_ROOT, 'templates/intake-values.yaml'), 'utf8'),
    'intake-values.yaml',
  );
  const options = { ...settingsFor(intakeSettings(intake), ''), today: '2026-10-15' };
  const outcomes = await collected(
    (await readOrders(inMemorySource({ S: [HEADERS, ROW, ROW, ROW.with(2, 'Condo')] }), 'orders.xlsx', options)).rows(),
  );
  const order = {
    kind: 'order',
    payload: {
      serviceName: '4-Point',
      policyType: 'Homeowners Insurance',
      houseType: 'Residential Condo',
      supplementalServices: ['Wildfire', 'RC Report'],
      city: 'Tampa',
    },
    repairs: expect.arrayContaining([
      expect.objectContaining({
        field: 'policyType',
        held: 'ho-3',
        sent: 'Homeowners Insurance',
        why: expect.stringContaining('intake.values') as string,
      }),
    ]) as unknown,
  };
  expect(outcomes).toMatchObject([
    order,
    order,
    { kind: 'rejection', problems: [{ rule: 'value-not-listed', field: 'policyType' }] },
  ]);
  expect(outcomes.map(({ repairs }) => repairs.length)).toEqual([4, 4, 3]);
});

test('without the config no word is guessed', async () => {
  const [outcome] = await collected(
    (
      await readOrders(inMemorySource({ S: [HEADERS, ROW] }), 'orders.xlsx', { headers: {}, today: '2026-10-15' })
    ).rows(),
  );
  expect(outcome?.kind).toBe('rejection');
});
