import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import { writeCorrectionsWorkbook } from '../../../src/intake/corrections/corrections.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

const PLACES = ['Street address', 'City', 'State', 'ZIP code'];

/** A list of one row for each of the lines, whose places are in the given columns. */
async function read(
  headers: readonly string[],
  lines: readonly (readonly string[])[],
  policyTypes: readonly string[] = [],
) {
  const others = Object.entries({ 'Policy number': '', ...ORDER_COLUMNS }).filter(
    ([header]) => !PLACES.includes(header),
  );
  const rows = lines.map((line, at) => [
    ...others.map(([header, held]) =>
      header === 'Policy number' ? `HO-000${at}` : header === 'Policy type' ? (policyTypes[at] ?? held) : held,
    ),
    ...line,
  ]);
  const source = inMemorySource({ Orders: [[...others.map(([header]) => header), ...headers], ...rows] });
  const reading = await readSource(source, 'list.csv', { headers: {}, today: '2026-11-01' });
  const outcomes = await collected(reading.rows());
  const sent = outcomes.map((outcome) => {
    if (outcome.kind !== 'order') return outcome.problems.map(({ rule, field }) => `${rule} ${field}`).join(', ');
    const { streetAddress, city, state, zipcode } = outcome.payload;
    return [streetAddress, city, state, zipcode].join(' | ');
  });
  return { asked: reading.questions, sent, reading, outcomes };
}

test.each([
  ['Property address', '1581 Dogwood Dr, Tucson, AZ 85718, USA'],
  ['Address of property to be inspected (street, city, state, zip)', '1581 Dogwood Dr, Tucson, AZ, 85718'],
  ['What is the property address? (street, city, state, ZIP code)', '1581 Dogwood Dr, Tucson, AZ 85718'],
  ['Location Address', '1581 Dogwood Dr\nTucson, AZ 85718'],
])('reads the whole address under %s without a question', async (header, address) => {
  const { asked, sent } = await read([header], [[address], [address], ['12 Elm St']]);
  expect(asked).toEqual([]);
  expect(sent).toEqual([
    '1581 Dogwood Dr | Tucson | AZ | 85718',
    '1581 Dogwood Dr | Tucson | AZ | 85718',
    'required-empty city, required-empty state, required-empty zipcode',
  ]);
});

test('says which address lacks a part', async () => {
  const whole = '1581 Dogwood Dr, Tucson, AZ 85718';
  const { outcomes } = await read(['Address'], [[whole], [whole], ['12 Elm St, Mesa, AZ'], ['']]);
  const said = outcomes.slice(2).map((row) => row.kind === 'rejection' && row.problems.at(-1)?.message);
  expect(said).toEqual([expect.stringContaining('12 Elm St, Mesa, AZ'), expect.not.stringContaining('Mesa')]);
});

test('reads the state from the column of cities', async () => {
  const lines = ['Tucson, AZ', 'Phoenix, AZ', 'Washington'].map((city) => ['1581 Dogwood Dr', city, '85718']);
  const { asked, sent } = await read(['Address', 'City', 'Zip'], lines);
  expect([asked, sent]).toEqual([
    [],
    ['1581 Dogwood Dr | Tucson | AZ | 85718', '1581 Dogwood Dr | Phoenix | AZ | 85718', 'required-empty state'],
  ]);
});

test.each([
  [['Address'], ['1581 Dogwood Dr, Tucson, AZ 85718']],
  [
    ['Address', 'City', 'Zip'],
    ['1581 Dogwood Dr', 'Tucson, AZ', '85718'],
  ],
])('adds no column to the workbook of rows to fix for what %j hold', async (headers, line) => {
  const { reading, outcomes } = await read(headers, [line, line], ['Boats']);
  const path = join(await mkdtemp(join(tmpdir(), 'address-')), 'fix.xlsx');
  const rows = async function* () {
    yield* await Promise.resolve(outcomes.filter((outcome) => outcome.kind === 'rejection'));
  };
  const file = { name: 'list.csv', hash: 'ab'.repeat(32) };
  await writeCorrectionsWorkbook(path, { file, layouts: reading.layouts, rows });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const written = workbook.getWorksheet('Orders')?.getRow(1).values;
  expect(PLACES.map((title) => Array.isArray(written) && written.includes(title) && !headers.includes(title))).toEqual(
    PLACES.map(() => false),
  );
  await rm(join(path, '..'), { recursive: true });
});
