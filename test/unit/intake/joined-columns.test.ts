import { expect, test } from 'vitest';
import type { RowOutcome } from '../../../src/domain/row.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readSource } from '../../../src/intake/read-orders.ts';

type Cells = Readonly<Record<string, string>>;

const ORDER: Cells = {
  'Policy #': 'HO-1',
  'Effective date': '2026-11-01',
  Service: '4-Point',
  'Policy type': 'Homeowners Insurance',
  'House type': 'Residential Condo',
  Address: '7 Elm Street',
  City: 'Tampa',
  State: 'FL',
  Zip: '33609',
  'Insured name': 'Pat Example',
  'Insured phone': '813-555-0142',
  'Insured email': 'p@example.com',
};

/** An order in which some columns are left out and others added in their place. */
async function read(without: readonly string[], added: Cells): Promise<RowOutcome | undefined> {
  const kept = Object.entries(ORDER).filter(([header]) => !without.includes(header));
  const at = kept.findIndex(([header]) => header === 'City');
  const cells = kept.toSpliced(at, 0, ...Object.entries(added));
  const reading = await readSource(
    inMemorySource({
      Orders: [cells.map(([header]) => header), cells.map(([, text]) => (text === '' ? undefined : text))],
    }),
    'orders.xlsx',
    { headers: {}, today: '2026-10-15' },
  );
  return (await collected(reading.rows()))[0];
}

async function sent(
  field: 'insuredName' | 'agentName' | 'streetAddress' | 'insuredPhone',
  without: readonly string[],
  added: Cells,
): Promise<unknown> {
  const outcome = await read(without, added);
  return outcome?.kind === 'order' ? outcome.payload[field] : outcome?.problems.map(({ message }) => message).join(' ');
}

test("joins first and last name to the insured's name", async () => {
  const outcome = await read(['Insured name'], { 'Last Name': 'Example', 'First Name': 'Pat', MI: 'Q' });
  expect(outcome).toMatchObject({ kind: 'order', payload: { insuredName: 'Pat Q Example' } });
  expect(outcome?.repairs).toMatchObject([
    { field: 'insuredName', sent: 'Pat Q Example', why: 'put together from G2 "Example", H2 "Pat" and I2 "Q"' },
  ]);
  expect(
    await sent('insuredName', ['Insured name'], { 'Insured First Name': '', 'Insured Last Name': 'Acme LLC' }),
  ).toBe('Acme LLC');
  expect(await sent('agentName', [], { 'Agent First Name': 'Dana', 'Agent Last Name': 'Whitlock' })).toBe(
    'Dana Whitlock',
  );
  expect(await sent('insuredName', ['Insured name'], { 'First Name': '', 'Last Name': '' })).toMatch(
    /^Insured name .*empty/,
  );
  expect(await sent('insuredName', ['Insured name'], { 'First Name': 'Pat', 'Last Name': '#REF!' })).toMatch(
    /^Insured name \(H2\): .*#REF!/,
  );
});

test.each(['Contact', 'Primary Contact', 'Borrower'])(
  "never takes the names of the %s for the insured's",
  async (whose) => {
    const names = { [`${whose} First Name`]: 'Pat', [`${whose} Last Name`]: 'Example' };
    expect(await sent('insuredName', ['Insured name'], names)).toMatch(/^Insured name: /);
    expect(await sent('insuredName', [], { ...names, [`${whose} Last Name`]: 'Other' })).toBe('Pat Example');
  },
);

test('adds an apartment in the next column to the street', async () => {
  expect(await sent('streetAddress', [], { 'Address 2': 'Apt 4B' })).toBe('7 Elm Street, Apt 4B');
  expect(await sent('streetAddress', [], { 'Unit #': '4B' })).toBe('7 Elm Street, Unit 4B');
  expect(await sent('streetAddress', [], { Unit: '4B' })).toBe('7 Elm Street, Unit 4B');
  expect(await sent('streetAddress', [], { 'Apt/Suite': '#4' })).toBe('7 Elm Street, #4');
  expect(await sent('streetAddress', [], { Suite: 'N/A' })).toBe('7 Elm Street');
  expect(await sent('streetAddress', ['Address'], { Address: '7 Elm St Apt 4B', Apt: '4B' })).toBe('7 Elm St Apt 4B');
  expect(await sent('streetAddress', ['Address'], { Address: '', Apt: '4B' })).toMatch(
    /^Street address \([A-Z]2\): .*empty/,
  );
});

test('does not take a business unit for an apartment', async () => {
  expect(await sent('streetAddress', ['Zip'], { Zip: '33609', Unit: 'Gulf Coast' })).toBe('7 Elm Street');
});

test('joins house number and street name and rejects contradictions', async () => {
  expect(await sent('streetAddress', ['Address'], { 'Street No': '7', 'Street Name': 'Elm Street' })).toBe(
    '7 Elm Street',
  );
  expect(await sent('streetAddress', ['Address'], { 'House #': '7', Street: '42nd Street', Unit: '2' })).toBe(
    '7 42nd Street, Unit 2',
  );
  expect(await sent('streetAddress', [], { 'Street No': '7' })).toBe('7 Elm Street');
  expect(await sent('streetAddress', [], { 'Street No': '9' })).toMatch(/contradict each other/);
});

test.each([
  ['before', { 'Street No': '7', 'Street Direction': 'N', 'Street Name': 'N Elm Street' }, '7 N Elm Street'],
  ['behind', { 'Street No': '7', 'Street Name': 'Elm St NW', 'Post Direction': 'NW' }, '7 Elm St NW'],
  ['behind alone', { 'Street No': '7', 'Street Name': 'Elm St', 'Post Direction': 'NW' }, '7 Elm St NW'],
])('writes a direction once: %s the name', async (_where, added, street) => {
  expect(await sent('streetAddress', ['Address'], added)).toBe(street);
});

test('rejects a house number with a letter that contradicts its column', async () => {
  const outcome = await read(['Address'], { 'Street No': '7', 'Street Name': '9A Elm Street' });
  expect(outcome?.kind === 'rejection' && outcome.problems).toMatchObject([{ rule: 'columns-disagree' }]);
});

test("sends the first filled of the insured's phones", async () => {
  const phones = { 'Home Phone': '813-555-0001', 'Cell Phone': '813-555-0002', 'Work Phone': '813-555-0003' };
  expect(await sent('insuredPhone', ['Insured phone'], phones)).toBe('813-555-0002');
  expect(await sent('insuredPhone', ['Insured phone'], { ...phones, 'Cell Phone': '' })).toBe('813-555-0001');
});

test('reads a last column of units despite one odd cell', async () => {
  const row = (unit: string): string[] => [...Object.values(ORDER), unit];
  const reading = await readSource(
    inMemorySource({ Orders: [[...Object.keys(ORDER), 'Unit'], row('5'), row('Apt 6'), row('Owner occupied')] }),
    'orders.xlsx',
    { headers: {}, today: '2026-10-15' },
  );
  const outcomes = await collected(reading.rows());
  expect(
    outcomes.map((outcome) =>
      outcome.kind === 'order' ? outcome.payload.streetAddress : outcome.problems.map(({ rule }) => rule).join(),
    ),
  ).toEqual(['7 Elm Street, Unit 5', '7 Elm Street, Apt 6', 'unit-not-certain']);
});

test.each<[Cells, readonly string[] | undefined]>([
  [{ 'RC Report': 'X' }, ['RC Report']],
  [{ RCReport: 'TRUE', Wildfire: 'FALSE', Sinkhole: 'Yes' }, ['RC Report', 'Sinkhole']],
  [{ 'Wildfire?': 'Y', 'Supplemental services': 'RC Report' }, ['Wildfire', 'RC Report']],
  [{ Wildfire: 'No', 'RC Report': '' }, undefined],
  [{ 'RC Report (Y/N)': 'Y' }, ['RC Report']],
  [{ Wildfire: '35' }, undefined],
])('joins columns of supplemental services: %o', async (columns, services) => {
  const outcome = await read([], columns);
  expect(outcome).toMatchObject({ kind: 'order' });
  expect(outcome?.kind === 'order' && outcome.payload.supplementalServices).toEqual(services);
});
