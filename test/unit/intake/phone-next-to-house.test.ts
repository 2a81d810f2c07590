import { expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
import { inMemorySource } from '../../support/in-memory-source.ts';

const BEFORE = ['Policy #', 'Client Name', 'ICO'];
const HOUSE = ['Prop Addr 1', 'Prop City', 'Prop St', 'Prop Zip'];
const REACHED = ['Home Phone', 'Email'];

test.each([
  ['the house', [...BEFORE, ...HOUSE, ...REACHED, 'Producer'], 'insuredPhone', 'insuredEmail'],
  ['the house, first', [...HOUSE, ...REACHED, ...BEFORE, 'Producer'], 'insuredPhone', 'insuredEmail'],
  ['the house, after the agent', ['Producer', ...BEFORE, ...HOUSE, 'Phone', 'Email'], null, null],
  ['a column between', [...HOUSE, 'Prem', 'Phone', 'Email', 'Producer', ...BEFORE], null, null],
])('reads a phone and e-mail right behind %s', async (_place, headers, ...fields) => {
  const row = headers.map((header) => (header === 'Prop Zip' ? '33609' : header));
  const reading = await readSource(inMemorySource({ S: [headers, row] }), 'a.csv', {
    headers: {},
    today: '2026-11-01',
  });
  const columns = reading.layouts[0]?.columns ?? [];
  const own = columns.filter(({ header }) => /Phone|Email/.test(header)).map(({ field }) => field);
  expect(own).toEqual(fields);
});
