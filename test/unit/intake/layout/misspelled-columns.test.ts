import { describe, expect, test } from 'vitest';
import type { KnownLayout } from '../../../../src/domain/layout.ts';
import { readSource } from '../../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../../support/order-columns.ts';

const NUMBER = { 'Policy number': 'HO-0048213', 'Effective date': '12/05/2026' };

type Columns = Readonly<Record<string, string | readonly string[]>>;

/** Reads two orders with these columns behind the ones that each order needs. */
async function read(more: Columns, knownLayouts: readonly KnownLayout[] = []) {
  const columns: Columns = { ...ORDER_COLUMNS, ...more };
  const rows = [0, 1].map((at) => Object.values(columns).map((held) => (typeof held === 'string' ? held : held[at])));
  const source = inMemorySource({ S: [Object.keys(columns), ...rows] });
  const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-11-01', knownLayouts });
  const outcomes = await collected(reading.rows());
  const asked = reading.questions.flatMap(({ columns: some }) => some);
  return {
    asked: asked.map(({ header, proposal }) => [header, proposal]),
    holds: asked.map(({ holds }) => holds),
    sent: outcomes.map((outcome) => (outcome.kind === 'order' ? outcome.payload : undefined)),
  };
}

describe('readOrders', () => {
  test.each([['A100', 'A101'], ['12345', '12346'], ['P1', 'P2'], 'HO-0048213'])(
    'asks about Polciy Nmber over %j, and the file waits',
    async (...held) => {
      const { asked, holds } = await read({ 'Polciy Nmber': held.flat() });
      expect([asked, holds]).toEqual([[['Polciy Nmber', 'policyNumber']], [true]]);
    },
  );

  test.each([
    ['Inspction Numbr', ['77123', '77124'], 'inspectionNumber', true],
    ['Inspction Numbr', ['IN1', 'IN2'], 'inspectionNumber', true],
    ['Suplemental Services', 'Wildfire', 'supplementalServices', false],
    ['Insurence Company', 'Acme Mutual', 'insuredBy', false],
    ['Alow Duplicate', 'Yes', 'allowDuplication', false],
    ['Deadlin', '12/20/2026', 'dueDate', false],
    ['Yaer Built', '1987', 'yearBuilt', false],
  ])('asks about %s over %j', async (header, held, field, holds) => {
    expect(await read({ ...NUMBER, [header]: held })).toMatchObject({ asked: [[header, field]], holds: [holds] });
  });

  test('asks about an effective date next to inspection numbers', async () => {
    const { asked } = await read({ 'Inspection number': ['IN-1', 'IN-2'], 'Efective Dte': '12/05/2026' });
    expect(asked).toEqual([['Efective Dte', 'policyEffectiveDate']]);
  });

  test('asks about both numbers at once', async () => {
    const { asked } = await read({ 'Polciy Nmber': ['A100', 'A101'], 'Inspction Numbr': ['77123', '77124'] });
    expect(asked).toEqual([
      ['Polciy Nmber', 'policyNumber'],
      ['Inspction Numbr', 'inspectionNumber'],
    ]);
  });

  test.each([
    ['Premum', '1200'],
    ['Premium', '1200'],
    ['Producer Code', 'A12'],
    ['Phone 2', '813-555-0170'],
    ['Insured Name 2', 'Ann Vega'],
    ['Coverage D', '5000'],
    ['Completed by', 'Sam'],
    ['Inspector Number', 'A17'],
    ['Inspection Date', '10/20/2026'],
    ['County', 'Hillsborough'],
    ['Policy Fee', '25'],
    ['Policy Term', '12'],
    ['Polciy Nmber', 'HO-0048213'],
    ['Deadlin', ''],
  ])('asks nothing about %s over %j next to a policy number', async (header, held) => {
    expect((await read({ ...NUMBER, [header]: held })).asked).toEqual([]);
  });

  test('reads Due by date as the due date', async () => {
    const { asked, sent } = await read({ ...NUMBER, 'Due by date': '12/20/2026' });
    expect([asked, sent[0]?.dueDate]).toEqual([[], '2026-12-20']);
  });

  test.each([
    ['A100', 'A101'],
    ['P1', 'P2'],
    ['CA-1', 'CA-2'],
    ['12345', '12346'],
  ])('reads Policy over %s and %s as the policy number', async (...held) => {
    const { asked, sent } = await read({ Policy: held });
    expect([asked, sent.map((one) => one?.policyNumber)]).toEqual([[], held]);
  });

  test.each([
    ['A100', 'A100'],
    ['1', '2'],
    ['HO 12345', 'HO 12346'],
  ])('asks about Policy over %s and %s', async (...held) => {
    expect(await read({ Policy: held })).toMatchObject({ asked: [['Policy', 'policyNumber']], holds: [true] });
  });

  test.each([
    ['HO-3', 'DP-3'],
    ['Homeowners', 'Homeowners'],
    ['Active', 'Renewal'],
  ])('takes Policy over %s and %s for no number', async (...held) => {
    expect((await read({ Policy: held })).asked).toEqual([]);
  });

  test('asks about an unknown column that a known layout was read without', async () => {
    const columns = { 'Polciy Nmber': ['HO-4471902', 'HO-4471903'] };
    const keys = Object.keys({ ...ORDER_COLUMNS, ...columns }).map((header) =>
      header.toLowerCase().replaceAll(' ', ''),
    );
    const accepted: KnownLayout = { by: 'accepted', keys, columns: { polciynmber: null }, words: [] };
    expect((await read(columns, [accepted])).asked).toEqual([['Polciy Nmber', 'policyNumber']]);
  });

  test('asks nothing about a column that a person said is not sent', async () => {
    const columns = { 'Polciy Nmber': ['HO-4471902', 'HO-4471903'] };
    const keys = Object.keys({ ...ORDER_COLUMNS, ...columns }).map((header) =>
      header.toLowerCase().replaceAll(' ', ''),
    );
    const confirmed: KnownLayout = { by: 'confirmed', keys, columns: { polciynmber: null }, words: [] };
    expect((await read(columns, [confirmed])).asked).toEqual([]);
  });
});
