import { expect, test } from 'vitest';
import { ORDER_FIELDS } from '../../../src/intake/fields.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';

const FIELDS = ORDER_FIELDS.filter(({ required, name }) => required || name === 'policyNumber');

/** Columns of exports that no order takes, next to all that an order needs, and with a value of their own. */
test.each([
  ['PREM', '1,240.00'],
  ['Total Prem', '1240'],
  ['POLID', '88121'],
  ['AGTCITY', 'Miami'],
  ['AGTADDR', '9 Elm St'],
  ['MAILCITY', 'Miami'],
  ['City (from Agents)', 'Miami'],
  ['Phone (from Agents)', '305-555-0100'],
  ['Mortgagee.City', 'Miami'],
  ['CTY', 'Hillsborough'],
  ['CLMNO', '1'],
  ['LOCNO', '1'],
])('readOrders does not take %s %s for a value of the order', async (header, value) => {
  const rows = [
    [...FIELDS.map(({ title }) => title), header],
    [...FIELDS.map(({ example }) => example), value],
  ];
  const reading = await readSource(inMemorySource({ S: rows }), 'orders.xlsx', {
    headers: {},
    today: '2026-11-01',
  });
  const [outcome] = await collected(reading.rows());
  expect(outcome).toMatchObject({ kind: 'order', warnings: [] });
  expect(outcome?.kind === 'order' && outcome.payload).toEqual(
    Object.fromEntries(FIELDS.map(({ name, example }) => [name, example])),
  );
});
