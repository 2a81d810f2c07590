import { describe, expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

const ORDER: Readonly<Record<string, string>> = { ...ORDER_COLUMNS, 'Policy number': 'HO-0048213', Note: '' };

type Changes = Readonly<Record<string, string | undefined>>;

/** Reads the order with other headers in place of its own, and the rows below it. */
async function read(headers: Changes, values: Changes = {}, below: readonly (readonly string[])[] = []) {
  const titles = Object.keys(ORDER);
  const row = titles.map((title) => values[title] ?? ORDER[title] ?? '');
  const sheet = { S: [titles.map((title) => headers[title] ?? title), row, ...below] };
  const reading = await readSource(inMemorySource(sheet), 'orders.xlsx', { headers: {}, today: '2026-11-01' });
  const outcomes = await collected(reading.rows());
  const asked = reading.questions.flatMap(({ columns }) => columns.map(({ header, proposal }) => [header, proposal]));
  const notes = reading.notes.map(({ text }) => text);
  return { asked, notes, outcomes, order: outcomes[0]?.kind === 'order' ? outcomes[0] : undefined };
}

describe('readOrders', () => {
  test('asks about misspelled headers instead of refusing the file', async () => {
    const { asked } = await read({
      'Insured name': 'Insurd Name',
      'Insured phone': 'Phne',
      'Insured email': 'Emial',
      'Street address': 'Adress',
      State: 'Sate',
      Service: 'Servise',
      'Policy type': 'Policy Tpye',
      'Policy number': 'Ref',
      Note: 'X',
    });
    expect(asked).toEqual([
      ['Insurd Name', 'insuredName'],
      ['Phne', 'insuredPhone'],
      ['Emial', 'insuredEmail'],
      ['Adress', 'streetAddress'],
      ['Sate', 'state'],
      ['Ref', 'policyNumber'],
    ]);
  });

  test('does not call an optional column confirmed that it asks about', async () => {
    const { asked, notes } = await read({ Note: 'Dweling coverage' }, { Note: '350000' });
    expect(asked).toEqual([['Dweling coverage', 'dwellingCoverage']]);
    expect(notes.filter((text) => text.includes('is not sent'))).toEqual([
      expect.stringContaining('nobody has answered'),
    ]);
  });

  test('asks about two ZIP columns that disagree next to a combined place', async () => {
    const headers = { 'Policy number': 'Zip', Note: 'City, State, Zip' };
    const { asked } = await read(headers, { 'Policy number': '10001', Note: 'Tampa, FL 33609' });
    expect(asked).toContainEqual(['Zip', null]);
  });

  test('asks about a policy number behind the name of another object', async () => {
    const { asked } = await read({ 'Policy number': 'Primary Campaign Source: Policy Number' });
    expect(asked).toEqual([['Primary Campaign Source: Policy Number', 'policyNumber']]);
  });

  test.each(['Cabin 2', 'Work'])('proposes the city with the words %s next to such a street', async (word) => {
    const { asked } = await read({
      'Street address': `${word} Address`,
      City: `${word} City`,
      State: `${word} State`,
      'ZIP code': `${word} Zip`,
    });
    expect(asked.filter(([, proposal]) => proposal !== 'streetAddress')).toEqual([
      [`${word} City`, 'city'],
      [`${word} State`, 'state'],
      [`${word} Zip`, 'zipcode'],
    ]);
  });

  test.each([
    ['Home Address', 'Birth City'],
    ['Home Address', 'Branch City'],
    ['Home Address', 'Home Base'],
    ['Home Address', 'Work City'],
  ])('next to %s proposes no %s', async (street, city) => {
    const { asked } = await read({ 'Street address': street, City: city });
    expect(asked.filter(([, proposal]) => proposal === 'city')).toEqual([]);
  });

  test('asks about it in a table with inspection numbers as well', async () => {
    const { asked } = await read(
      { 'Policy number': 'Lead: Policy Number', Note: 'Inspection number' },
      { Note: 'IN-20417' },
    );
    expect(asked).toEqual([['Lead: Policy Number', 'policyNumber']]);
  });

  test.each(['Inspection', 'Risk Details'])('reads kinds below the group %s without a question', async (group) => {
    const groups = { Name: 'Insured', 'Street address': 'Risk Location', Service: 'Policy', Form: group };
    const titles = ['Name', 'Phone', 'Email', ...Object.keys(ORDER).slice(3, 8), 'Form', 'Dwelling', 'Policy number'];
    const order = Object.values({ ...ORDER, 'Policy type': 'HO3', 'House type': 'Single Family', Note: undefined });
    const above = titles.map(
      (title) => Object.entries({ ...groups, 'Policy number': 'Numbers' }).find(([name]) => name === title)?.[1],
    );
    const source = inMemorySource({ S: [above, titles, order] });
    const reading = await readSource(source, 'a.xlsx', { headers: {}, today: '2026-11-01' });
    expect(reading.questions.flatMap(({ columns }) => columns.map(({ header }) => header))).toEqual([]);
  });

  test('does not propose a contact at the site as the insured', async () => {
    const { asked } = await read({ 'Insured name': 'Site Contact' });
    expect(asked.filter(([, proposal]) => proposal === 'insuredName')).toEqual([]);
  });

  test('asks about codes of two digits that could be the house type', async () => {
    const row = Object.values(ORDER).with(9, '1');
    const { asked } = await read({ 'House type': 'Dwl Cd' }, { 'House type': '2' }, [row, row]);
    expect(asked).toContainEqual(['Dwl Cd', null]);
  });

  test.each(['Inspection', 'Inspection needed', 'Survey Required', 'Which inspection do you need?'])(
    'reads services under %s without a question',
    async (header) => {
      const { asked, order } = await read({ Service: header });
      expect([asked, order?.payload.serviceName]).toEqual([[], '4-Point']);
    },
  );

  test('reads no Yes under Inspection needed as a service', async () => {
    const { outcomes } = await read({ Service: 'Inspection needed' }, { Service: 'Yes' });
    expect(outcomes[0]?.kind === 'rejection' && outcomes[0].problems.map(({ rule }) => rule)).toEqual([
      'required-column-missing',
    ]);
  });

  test.each([
    ['Original Effective Date', '01/15/2009'],
    ['Account #', 'AC4067'],
  ])('asks nothing about %s', async (header, held) => {
    const { asked } = await read({ Note: header, 'Policy number': 'Ref' }, { Note: held, 'Policy number': '' });
    expect(asked).toEqual([]);
  });

  test.each(['Cust No', 'Customer Number', 'File No', 'Parcel', 'TIV', 'Contents RCV'])(
    'does not propose the numbers under %s as coverage',
    async (header) => {
      expect((await read({ Note: header }, { Note: '97276' })).asked).toEqual([]);
    },
  );

  test("takes Home Phone for the insured's next to a producer", async () => {
    const { asked, order } = await read(
      { 'Insured phone': 'Home Phone', Note: 'Producer' },
      { 'Insured phone': '813-555-0143', Note: 'Dana Whitfield' },
    );
    expect([asked, order?.payload.insuredPhone]).toEqual([[], '813-555-0143']);
  });

  test('reads services under a header that names no field', async () => {
    expect((await read({ Service: 'Ordered' })).asked).toEqual([]);
  });

  test('leaves footers out of account where it asks', async () => {
    const { asked } = await read({ 'Policy number': 'Ref' }, {}, [['Bright Harbor'], ['Total customers: 1']]);
    expect(asked).toEqual([['Ref', 'policyNumber']]);
  });

  test('reads house types under Dwelling as the house type', async () => {
    const { order } = await read({ 'House type': 'Dwelling' }, { 'House type': 'SFR' });
    expect(order?.payload.houseType).toBe('Residential Single Family');
  });

  test('reads no Y or N under Insured as a name', async () => {
    const { order } = await read({ Note: 'Insured?' }, { Note: 'Y' });
    expect(order?.payload.insuredName).toBe('Marisol Vega');
  });

  test("proposes phone and email behind the agent as the agent's", async () => {
    const { asked } = await read(
      { 'Insured name': 'Agent', 'Insured phone': 'Phone', 'Insured email': 'Email', Note: 'Insured' },
      { Note: 'Marisol Vega' },
    );
    expect(asked).toEqual([
      ['Phone', 'agentPhone'],
      ['Email', 'agentEmail'],
    ]);
  });

  test("reads a phone after the agent as the agent's", async () => {
    const { order } = await read({ 'Policy number': 'Agent', Note: 'Phone' }, { Note: '813-555-0170' });
    expect(order?.payload).toMatchObject({ insuredPhone: '813-555-0142', agentPhone: '813-555-0170' });
  });

  test.each(['NULL', 'null'])('takes the note %s for none', async (text) => {
    expect((await read({}, { Note: text })).order?.payload.note).toBeUndefined();
  });

  test.each(['c/o Bob Smith, 118 Oak Ridge Ln', '118 Oak Ridge Ln, Gate code 4411', '118 Oak Ridge Ln, Attn: Payable'])(
    'warns of other text in the street %s',
    async (street) => {
      const { order } = await read({}, { 'Street address': street });
      expect(order?.warnings.map(({ rule }) => rule)).toEqual(['street-says-more']);
    },
  );

  test.each([
    'Total customers: 7',
    'Confidential Information - Do Not Distribute',
    'Inspections To Order',
    'Generated 11/24/2026 by AMS',
    'AMS360 - Page 1 of 1',
    'Record count: 8',
    'Gulf Coast Insurance',
    'Inspection Requests - December',
    'DECEMBER 2026',
    'Jan. 2027',
  ])('takes the line %s for no order', async (line) => {
    expect((await read({}, {}, [[line]])).outcomes).toHaveLength(1);
  });

  test('takes the trailer of a program with its count for no order', async () => {
    expect((await read({}, {}, [['TRAILER', '8']])).outcomes).toHaveLength(1);
  });

  test.each([['HO-3', 'Ruth Trailer'], ['Ruth Page'], ['December Smith'], ['May 2'], ['118 Oak Ridge Ln']])(
    'returns a row of only %s as one to fix',
    async (...cells) => {
      expect((await read({}, {}, [cells])).outcomes).toHaveLength(2);
    },
  );
});
