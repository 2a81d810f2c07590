import { expect, test } from 'vitest';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readOrders } from '../../../src/intake/read-orders.ts';

const HEADERS = [
  'Policy #',
  'Insured name',
  'Insured phone',
  'Insured email',
  'Address',
  'City',
  'State',
  'Zip',
  'Service',
  'Policy type',
  'House type',
  'Cov A',
  'Row',
];

/** What becomes of one row below the header: rejected, or the note about it. */
async function outcomeOf(cells: Readonly<Record<string, string | number>>): Promise<string> {
  const row = HEADERS.map((header) => cells[header]);
  const reading = await readOrders(inMemorySource({ S: [['Orders for November'], HEADERS, row] }), 'orders.xlsx', {
    headers: {},
    today: '2026-10-15',
  });
  const outcomes = await collected(reading.rows());
  return outcomes[0]?.kind ?? reading.notes.find((note) => note.includes('row 3')) ?? 'lost';
}

test.each([
  [{ 'House type': 'Page 1 of 3' }],
  [{ 'Insured name': 'Agency: Smith & Sons' }],
  [{ 'Insured name': 'Subtotal Smith & Sons', City: 2, 'Cov A': 800_000 }],
  [{ 'Insured name': '*** END OF REPORT ***' }],
  [{ 'Insured name': '# of orders: 3' }],
  [{ 'Insured name': '3 rows selected.' }],
  [{ 'Insured name': '-----', City: '-----' }],
  [{ 'Insured name': 'Orders for November' }],
  [{ 'Policy #': 'RENEWALS' }],
  [{ Row: 17 }],
])('%o holds no order', async (cells) => {
  expect(await outcomeOf(cells)).toMatch(/row 3 is no order/);
});

test.each([
  [{ 'Policy #': 'TOTAL ', Service: '6 orders', 'Cov A': 2_100_000 }],
  [{ 'Policy #': 'Total', 'Insured name': '3 orders' }],
])('%o is a total', async (cells) => {
  expect(await outcomeOf(cells)).toMatch(/row 3 is a total/);
});

test.each([
  [{ 'Policy #': 'Total', 'Insured name': '3 Brothers LLC' }],
  [{ 'Insured name': 'Total Wine LLC' }],
  [{ 'Insured name': 'RENEWALS' }],
  [{ 'Insured name': 'Agency: Smith', City: 'Tampa' }],
  [{ 'Policy #': 'HO-1' }],
  [{ 'Policy #': 'TBD' }],
  [{ Address: '7 Elm Street' }],
  [{ 'Insured name': 'Subtotal Smith', Address: '7 Elm Street' }],
])('%o may be an order and goes back', async (cells) => {
  expect(await outcomeOf(cells)).toBe('rejection');
});
