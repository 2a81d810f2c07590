import { describe, expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

const ORDER: Readonly<Record<string, string>> = { ...ORDER_COLUMNS, 'Policy number': 'HO-0048213' };
const ROWS = 4;

type Columns = Readonly<Record<string, readonly string[]>>;

/** Reads a table of orders without some of its columns, and with others behind them. */
async function read(without: readonly string[], more: Columns) {
  const columns = [
    ...Object.entries(ORDER).flatMap(([title, held]) =>
      without.includes(title)
        ? []
        : [
            [
              title,
              Array.from({ length: ROWS }, (_, at) => (title === 'Policy number' ? `${held}${at}` : held)),
            ] as const,
          ],
    ),
    ...Object.entries(more),
  ];
  const rows = Array.from({ length: ROWS }, (_, at) => columns.map(([, held]) => held[at] ?? ''));
  const source = inMemorySource({ S: [columns.map(([header]) => header), ...rows] });
  const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-11-01' });
  const outcomes = await collected(reading.rows());
  const asked = reading.questions
    .flatMap(({ columns: all }) => all.filter(({ code }) => code !== 'value-for-all'))
    .map(({ header, proposal }) => [header, proposal]);
  return {
    asked: Object.fromEntries(asked) as Record<string, string | null>,
    missing: reading.questions.flatMap(({ missing }) => missing),
    sent: outcomes.map((outcome) => (outcome.kind === 'order' ? (outcome.payload as Record<string, unknown>) : null)),
  };
}

const NAMES = ['Ann Lee', 'Raul Vega', 'Ruth Bader', 'Kim Olson'];
const KINDS = ['Exterior only', '4-Point (interior & exterior)', 'Roof only', 'Exterior'];
const SAME = Array.from({ length: ROWS }, () => 'Dana Whitfield');
const NUMBERS = ['SPX627264', 'SPX627339', 'SPX627367', 'SPX627401'];

describe('of two columns for one field', () => {
  test.each([
    [{ 'Lead: Policy Number': ['HO', 'HO', 'DP', 'HO'], 'Old: Policy Number': NUMBERS }, 'Old: Policy Number'],
    [{ 'Lead: Policy Number': NUMBERS, 'Old: Policy Number': ['HO', 'HO', 'DP', 'HO'] }, 'Lead: Policy Number'],
    [{ 'Lead: Policy Number': ['1', '2', '3', '4'], 'Old: Policy Number': NUMBERS }, 'Old: Policy Number'],
  ])('the one with numbers is proposed (%#)', async (more, proposed) => {
    const { asked } = await read(['Policy number'], more);
    expect(Object.entries(asked).filter(([, field]) => field === 'policyNumber')).toEqual([[proposed, 'policyNumber']]);
  });

  test('the first is proposed if both hold numbers', async () => {
    const { asked } = await read(['Policy number'], { 'Lead: Policy Number': NUMBERS, 'Old: Policy Number': NUMBERS });
    expect(asked).toEqual({ 'Lead: Policy Number': 'policyNumber', 'Old: Policy Number': null });
  });

  test('that are both read, the one with numbers is proposed', async () => {
    const { asked } = await read(['Policy number'], { 'Policy #': ['HO', 'HO', 'DP', 'HO'], 'Policy No': NUMBERS });
    expect(asked).toEqual({ 'Policy #': null, 'Policy No': 'policyNumber' });
  });
});

describe('for the insured', () => {
  test('no column is proposed that holds one name in every row', async () => {
    const { asked, missing } = await read(['Insured name'], { 'Ticket owner': SAME });
    expect([asked, missing]).toEqual([{ 'Ticket owner': null }, ['Insured name']]);
  });

  test.each(['Deal Owner 1', 'Park', 'Community'])('a column of names under %s is only proposed', async (header) => {
    const { asked, sent } = await read(['Insured name'], { [header]: NAMES });
    expect([asked, sent[0]?.['insuredName']]).toEqual([{ [header]: 'insuredName' }, undefined]);
  });

  test('a contact is asked about next to the titles of deals', async () => {
    const deals = NAMES.map((name) => `${name} - Home`);
    const { asked } = await read(['Insured name'], { 'Deal Name': deals, 'Contact Name': NAMES });
    expect(Object.keys(asked)).toContain('Contact Name');
  });

  test('an account is read next to the owner of its record', async () => {
    const { asked, sent } = await read(['Insured name'], { 'Account Name': NAMES, Owner: SAME });
    expect([asked, sent.map((one) => one?.['insuredName'])]).toEqual([{}, NAMES]);
  });

  test('both are asked about if owners differ', async () => {
    const { asked } = await read(['Insured name'], { 'Account Name': NAMES, Owner: NAMES.toReversed() });
    expect(asked).toEqual({ 'Account Name': 'insuredName', Owner: null });
  });

  test('the only owner is read, even of all houses', async () => {
    const { asked, sent } = await read(['Insured name'], { Owner: SAME });
    expect([asked, sent[0]?.['insuredName']]).toEqual([{}, 'Dana Whitfield']);
  });

  test('a contact is asked about next to names of locations', async () => {
    const places = ['Summit Partners', 'Belmont Gardens', 'Casa Verde', 'Elm Court'];
    const { asked, missing } = await read(['Insured name'], { 'Location Name': places, 'Contact Name': NAMES });
    expect([asked, missing]).toEqual([{ 'Location Name': 'insuredName', 'Contact Name': null }, []]);
  });

  test.each([['Company Name'], ['Account'], ['DBA'], ['Property Name']])(
    'a contact is asked about next to %s',
    async (header) => {
      const firms = ['Summit Partners', 'Belmont Gardens', 'Casa Verde', 'Elm Court'];
      const { sent } = await read(['Insured name'], { [header]: firms, 'Contact Name': NAMES });
      expect(sent[0]?.['insuredName']).not.toBe('Ann Lee');
    },
  );

  test.each([['Location ID'], ['Agency Code'], ['Form Version']])('a contact is read next to %s', async (header) => {
    const { asked, sent } = await read(['Insured name'], { [header]: ['A1', 'A2', 'A3', 'A4'], 'Contact Name': NAMES });
    expect([asked, sent[0]?.['insuredName']]).toEqual([{}, 'Ann Lee']);
  });
});

test.each([['Ticket ID'], ['Case Number'], ['Record #']])(
  'numbers under %s are not proposed as coverage',
  async (header) => {
    const { asked } = await read([], { [header]: ['1880714', '1880715', '1880716', '1880717'] });
    expect(asked).toEqual({});
  },
);

test('amounts under an unknown header are still proposed as coverage', async () => {
  const { asked } = await read([], { 'Bldg RCV': ['350000', '290000', '410000', '385000'] });
  expect(asked).toEqual({ 'Bldg RCV': 'dwellingCoverage' });
});

test.each([['Asset City'], ['Home City']])('a city is proposed for %s', async (header) => {
  const { asked } = await read(['City'], { [header]: ['Tampa', 'Tampa', 'Tampa', 'Tampa'] });
  expect(asked).toEqual({ [header]: 'city' });
});

test.each([['Capacity'], ['Agent City'], ['Lender City']])('no city is proposed for %s', async (header) => {
  const { asked } = await read(['City'], { [header]: ['Tampa', 'Tampa', 'Tampa', 'Tampa'] });
  expect(Object.values(asked)).not.toContain('city');
});

test.each([
  ['Bldg', ['SF', 'SF', 'MH', 'SF'], 'Residential Single Family'],
  ['Farm Type', ['Barn', 'Barn', 'Barn', 'Barn'], undefined],
])('reads kinds of houses under %s', async (header, held, first) => {
  const { asked, sent } = await read(['House type'], { [header]: held });
  expect([asked, sent[0]?.['houseType']]).toEqual([{}, first ?? 'Other']);
});

test.each([
  ['A', 'B', 'C', 'A'],
  ['1', '2', '3', '4'],
  ['Bldg 2', 'Bldg 3', 'Bldg 1', 'Bldg 2'],
])('reads units under Bldg: %s', async (...held) => {
  const { sent } = await read([], { Bldg: held });
  expect(sent[0]?.['streetAddress']).toContain(held[0]);
});

test.each([
  ['Policy number', 'Binder #', NUMBERS, 'policyNumber'],
  ['Policy number', 'Policy number (if issued)', NUMBERS, 'policyNumber'],
  ['Policy number', 'HO6 Policy #', NUMBERS, 'policyNumber'],
  ['Insured name', 'Borrower Name', NAMES, 'insuredName'],
  ['Service', 'Survey Type', ['External survey', '4-point survey', 'Exterior', 'Exterior'], 'serviceName'],
  ['Policy type', 'Program', ['Lender Placed Dwelling', 'REO Dwelling', 'HO3', 'MHO3'], 'policyType'],
  ['Service', 'What kind of inspection do you need?', KINDS, 'serviceName'],
  ['House type', 'Families', ['1 Family', '2 Family', '1 Family', '1 Family'], 'houseType'],
  ['House type', 'Occupancy Description', ['Single Family', 'Condo', 'Condo', 'Condo'], 'houseType'],
  ['House type', 'What type of dwelling is it?', ['Condo', 'Condo', 'Condo', 'Condo'], 'houseType'],
  ['Service', 'What do you need?', ['4-Point', 'Exterior', 'Exterior', 'Exterior'], 'serviceName'],
  ['Service', 'Request Type', ['NB Exterior', 'Renewal Exterior', 'New Business 4-Point', 'Exterior'], 'serviceName'],
  ['Policy type', 'LOB', ['Personal - Dwelling Fire', 'Dwelling Special', 'MDP-1', 'HO3'], 'policyType'],
  ['House type', 'Dwelling Use', ['Single Family', 'Duplex', 'Condo', 'Garden Style Condo'], 'houseType'],
  ['Insured phone', 'Phone - Home', ['813-555-0143', '', '', ''], 'insuredPhone'],
  ['Insured phone', 'Phone (Primary)', ['813-555-0143', '', '', ''], 'insuredPhone'],
  ['Insured email', 'Email (Primary)', ['a@x.com', '', '', ''], 'insuredEmail'],
  ['Service', 'Activity Description', ['Order exterior inspection', 'Exterior', 'Exterior', 'Exterior'], 'serviceName'],
  ['House type', 'Property Use/Type', ['Condo', 'Condo', 'Condo', 'Condo'], 'houseType'],
  ['', 'Requested Effective Date', ['01/11/2027', '', '', ''], 'policyEffectiveDate'],
  ['', 'Certificate Eff Date', ['01/11/2027', '', '', ''], 'policyEffectiveDate'],
  ['', 'Period Effective Date', ['01/11/2027', '', '', ''], 'policyEffectiveDate'],
  ['', 'Term Start Date', ['01/11/2027', '', '', ''], 'policyEffectiveDate'],
  ['', 'Outbuildings', ['15400', '', '', ''], 'otherStructureCoverage'],
  ['', 'Ticket Due Date', ['2026-12-11', '', '', ''], 'dueDate'],
  ['', 'Model Year', ['2019', '', '', ''], 'yearBuilt'],
  ['', 'Sum Insured', ['350000', '', '', ''], 'dwellingCoverage'],
  ['', 'TIV Building', ['350000', '', '', ''], 'dwellingCoverage'],
  ['', 'MGA/Carrier', ['Citizens', '', '', ''], 'insuredBy'],
  ['', 'Property: Year Built', ['2019', '', '', ''], 'yearBuilt'],
  ['', 'InspectionOrder.DueDate', ['2026-12-11', '', '', ''], 'dueDate'],
])('reads for %s the column %s', async (title, header, held, field) => {
  const { asked, sent } = await read([title], { [header]: held });
  expect([asked, sent[0]?.[field]]).toEqual([{}, expect.anything()]);
});

test('takes over policies under their new number', async () => {
  const { asked, sent } = await read(['Policy number'], {
    'Citizens Policy Number': ['04623064', '04623145', '04623175', '04623180'],
    'Assumed Policy Number': NUMBERS,
    'Assumption Effective Date': ['01/28/2027', '01/23/2027', '01/15/2027', '01/11/2027'],
  });
  expect([asked, sent.map((one) => one?.['policyNumber'])]).toEqual([{}, NUMBERS]);
});

test('reads an address whose cell labels its parts', async () => {
  const whole = 'Street Address: 527 Mockingbird Ln\nCity: Hartford\nState: Connecticut\nZip Code: 06103';
  const { sent } = await read(['City', 'State', 'ZIP code', 'Street address'], {
    Address: [whole, whole, whole, whole],
  });
  expect(sent[0]).toMatchObject({
    streetAddress: '527 Mockingbird Ln',
    city: 'Hartford',
    state: 'CT',
    zipcode: '06103',
  });
});

describe('a word next to a row', () => {
  const SOLD = ['Sold', 'Sold', 'SOLD 11/20', 'Sold'];

  test.each([
    [{ Status: SOLD }],
    [{ 'Policy Status': SOLD, Notes: ['New home', 'sold by Ann', '', ''] }],
    [{ Status: SOLD, 'Sold Date': ['11/20/2026', '', '', ''] }],
    [{ 'Lead Status': ['Closed - policy bound', 'Closed - Bound', 'Sold', ''] }],
    [{ RecType: ['D', 'D', 'D', 'D'] }],
    [{ 'Paperless Opt Out': ['Y', 'Y', 'N', ''], 'Opt Out': ['N', 'N', '', 'No'] }],
  ])('that withdraws none lets all be ordered (%#)', async (more) => {
    const { sent } = await read([], more);
    expect(sent).not.toContain(null);
  });

  test.each([
    ['Sold next to another status', { Status: ['Sold', 'Active', 'Sold', 'Sold'] }],
    ['Sold behind other statuses', { Status: ['Active', 'Active', 'Active', 'Sold'] }],
    ['Sold, said of houses,', { 'Property Status': SOLD }],
    ['Sold next to a note about the sale', { Status: SOLD, Notes: ['', '', 'House sold 11/2', ''] }],
    ['Sold next to a buyer', { Status: SOLD, Buyer: NAMES }],
    ['Sold in two rows only', { Status: ['Sold', '', '', 'Sold'] }],
    ['a sale in notes', { Notes: ['House sold', 'House sold', 'House sold', 'House sold'] }],
    ['a code among others', { RecType: ['A', 'A', 'D', 'A'] }],
    ['a deletion in every row', { Status: ['Deleted', 'Deleted', 'Deleted', 'Deleted'] }],
    ['a lost lead', { 'Lead Status': ['Closed - lost', 'Closed - lost', 'Closed - lost', 'Closed - lost'] }],
    ['a yes under Opt Out', { 'Opt Out': ['N', 'N', 'Y', 'N'] }],
  ])('%s goes back', async (_, more) => {
    expect((await read([], more)).sent).toContain(null);
  });
});

const PHONES = ['813-555-0101', '813-555-0102', '813-555-0103', '813-555-0104'];
const EMAILS = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'];

describe('the only column whose values have the form of a field', () => {
  test.each([
    ['Insured name', 'Task Name', NAMES, 'insuredName'],
    ['Insured name', 'Party', NAMES, 'insuredName'],
    ['Insured name', 'Title', NAMES, 'insuredName'],
    ['Insured phone', 'Home #', PHONES, 'insuredPhone'],
    ['Insured phone', 'Best Cell to Schedule', PHONES, 'insuredPhone'],
    ['Insured email', 'E-mail for scheduling', EMAILS, 'insuredEmail'],
  ] as const)('is proposed as %s under %s', async (title, header, held, field) => {
    expect((await read([title], { [header]: held })).asked).toEqual({ [header]: field });
  });

  test.each([
    ['Insured email', 'Requested By Email', EMAILS],
    ['Insured email', 'Underwriter E-mail', EMAILS],
    ['Insured email', 'Notify', EMAILS],
    ['Insured name', 'Assigned To', NAMES],
    ['Insured email', 'E-mail for scheduling', ['a@example.com', 'b@example.com', 'a@example.com', 'b@example.com']],
    ['Insured phone', 'Realtor Cell', PHONES],
    ['Insured phone', 'Fax Phone', PHONES],
    ['Insured phone', 'Loan', ['8135550101', '8135550102', '8135550103', '8135550104']],
  ])('is not read as %s under %s', async (title, header, held) => {
    expect((await read([title], { [header]: held })).sent[0]).toBeNull();
  });

  test.each([
    { 'Best Cell to Schedule': PHONES, 'Cell of House': PHONES.toReversed() },
    { 'Best Cell to Schedule': PHONES, Agent: SAME, Phone: PHONES.toReversed() },
  ])('is not read next to another that may have it (%#)', async (more) => {
    expect((await read(['Insured phone'], more)).sent[0]).toBeNull();
  });

  test('next to an agent is read with the other column of its contact', async () => {
    const { asked, sent } = await read(['Insured phone', 'Insured email'], {
      Agent: SAME,
      'Agent Email': EMAILS.toReversed(),
      'Inspection Contact': NAMES,
      'Contact Phone': PHONES,
      'Contact Email': EMAILS,
    });
    expect([asked, sent[0]?.['insuredPhone'], sent[0]?.['insuredEmail']]).toEqual([{}, PHONES[0], EMAILS[0]]);
  });

  test.each([
    ['Dwelling', ['Farmhouse', 'Farmhouse', 'Victorian', 'Log']],
    ['Description of Risk', ['Farm Dwelling', 'Farm Dwelling', 'Cabin', 'Farm Dwelling']],
  ])('of houses is the house type under %s, and goes back in unlisted words', async (header, held) => {
    const farm = Array.from({ length: ROWS }, () => 'Farm & Ranch');
    const { asked, sent } = await read(['House type', 'Policy type'], { 'Policy type': farm, [header]: held });
    expect([asked, sent]).toEqual([{}, held.map(() => null)]);
  });

  test('of amounts is the coverage under Dwelling', async () => {
    const { asked, sent } = await read([], { Dwelling: ['350000', '410000', 'TBD', '288000'] });
    expect([asked, sent[0]?.['dwellingCoverage']]).toEqual([{}, 350_000]);
  });
});

test.each([
  ['Condo', 'Residential Condo'],
  ['MH', 'Double Wide'],
  ['Mobile Home', 'Mobile Home'],
  ['Manufactured Housing', 'Mobile Home'],
  ['Seasonal', 'Single Family'],
  ['Property', 'Single Family'],
  ['Property', 'Restaurant'],
  ['Commercial', 'Office'],
  ['Mobile Home', 'Residential Single Family'],
  ['Mobile Home', 'Other'],
  ['Property', 'Other'],
  ['Umbrella', 'Residential Single Family'],
  ['Flood', 'Mobile Home'],
  ['CONDOMINIUM', 'Condo unit'],
  ['Condo', 'Habitational'],
  ['Condo', 'Residential Single Family'],
  ['Commercial', 'Residential Condo'],
  ['Condo Association', 'Residential Condo'],
])('gives back the policy type %s, whatever the house: %s', async (type, house) => {
  const same = (text: string): readonly string[] => Array.from({ length: ROWS }, () => text);
  const { sent } = await read(['Policy type', 'House type'], { 'Policy type': same(type), 'House type': same(house) });
  expect(sent[0]).toBeNull();
});

test.each([
  ['Coverage', ['HO-3', 'HO-3', 'DP-3', 'HO-6'], 'Homeowners Insurance'],
  ['Coverage Type', ['Homeowners', 'Dwelling Fire', 'HO3', 'HO5'], 'Homeowners Insurance'],
  ['Coverage', ['350000', '290000', '410000', '385000'], undefined],
  ['Coverage', ['Full', 'Full', 'Basic', 'Full'], undefined],
  ['Coverage Notes', ['HO-3', 'HO-3', 'DP-3', 'HO-6'], undefined],
])('reads the policy type under %s over %j as %s', async (header, held, expected) => {
  const { sent } = await read(['Policy type'], { [header]: held });
  expect(sent[0]?.['policyType']).toBe(expected);
});

describe('who fills in a form', () => {
  const MAILS = ['a@x.com', 'b@x.com', 'c@x.com', 'd@x.com'];

  test.each([
    ['Your email', MAILS],
    ['Your name', NAMES],
  ])('is not sent under %s', async (header, held) => {
    const { asked, sent } = await read([], { Agent: SAME, [header]: held });
    expect([asked, sent[0]]).toMatchObject([{}, { agentName: SAME[0], insuredEmail: ORDER['Insured email'] }]);
    expect(sent[0]?.['agentEmail']).toBeUndefined();
  });

  test.each([
    ['Insured email', 'Your email', MAILS],
    ['Insured name', 'Your name', NAMES],
  ])('is not proposed for %s', async (title, header, held) => {
    const { asked } = await read([title], { [header]: held });
    expect(Object.values(asked).filter((proposal) => proposal !== null)).toEqual([]);
  });
});

describe('the only address', () => {
  const setOf = (word: string): Columns => ({
    [`${word} Address`]: ['12 Elm St', '14 Elm St', '16 Elm St', '18 Elm St'],
    [`${word} City`]: ['Tampa', 'Tampa', 'Tampa', 'Tampa'],
    [`${word} State`]: ['FL', 'FL', 'FL', 'FL'],
    [`${word} Zip`]: ['33609', '33609', '33609', '33609'],
  });
  const NONE = ['Street address', 'City', 'State', 'ZIP code'];

  test('is read under Premise', async () => {
    const { asked, sent } = await read(NONE, { ...setOf('Premise'), 'Apt #': ['4', '', '', ''] });
    expect([asked, sent[1]]).toMatchObject([{}, { streetAddress: '14 Elm St', city: 'Tampa', zipcode: '33609' }]);
  });

  test.each(['Home', 'Asset', 'Collateral', 'House', 'Rental', 'Seasonal Home'])(
    'is proposed under %s',
    async (word) => {
      const { asked, sent } = await read(NONE, setOf(word));
      expect([asked, sent[1]]).toEqual([
        { [`${word} City`]: 'city', [`${word} State`]: 'state', [`${word} Zip`]: 'zipcode' },
        null,
      ]);
    },
  );

  test.each([
    ['Home', setOf('Mailing')],
    ['Home', setOf('Rental')],
    ['Owner', {}],
    ['Work', {}],
    ['Prior', {}],
  ])('is asked about under %s with %j', async (word, more) => {
    const { sent } = await read(NONE, { ...setOf(word), ...more });
    expect(sent[0]).toBeNull();
  });
});

test.each([
  ['Insured phone', 'Insp Contact Phone', 'insuredPhone', ['813-555-0143', '', '', '']],
  ['Insured email', 'Insp Contact Email', 'insuredEmail', ['a@x.com', '', '', '']],
])('reads for %s the column %s', async (title, header, field, held) => {
  const { asked, sent } = await read([title], { [header]: held, 'Insp Contact': NAMES });
  expect([asked, sent[0]?.[field], sent[0]?.['insuredName']]).toEqual([{}, held[0], ORDER['Insured name']]);
});

test.each(['Space/Lot', 'Unit or Lot', 'Park Space', 'Condo Unit'])('joins %s to the street', async (header) => {
  const { sent } = await read([], { [header]: ['Lot 114', '115', '', 'Lot 2'], 'Lot Size': ['1', '2', '1', '1'] });
  const street = ORDER['Street address'] ?? '';
  expect(sent.map((one) => one?.['streetAddress'])).toEqual([
    expect.stringMatching(/Lot 114$/),
    expect.stringMatching(/115$/),
    street,
    expect.stringMatching(/Lot 2$/),
  ]);
});

test('puts together the names of a form', async () => {
  const { asked, sent } = await read(['Insured name'], {
    'Insured Name - First Name': ['Ann', 'Raul', 'Ruth', 'Kim'],
    'Insured Name - Last Name': ['Lee', 'Vega', 'Bader', 'Olson'],
  });
  expect([asked, sent.map((one) => one?.['insuredName'])]).toEqual([{}, NAMES]);
});

describe('for a required field over words that are not listed', () => {
  const UNLISTED = ['Lender Placed Dwelling', 'REO Preferred', 'Lender Placed Dwelling', 'Legacy Elite'];

  test.each([
    ['Policy type', 'Program', 'policyType'],
    ['Policy type', 'Coverage Line', 'policyType'],
    ['House type', 'Occupancy', 'houseType'],
  ])('the only column that could name it is proposed: %s, %s', async (title, header, field) => {
    expect((await read([title], { [header]: UNLISTED })).asked).toEqual({ [header]: field });
  });

  test.each(['Construction Type', 'Roof Type', 'Protection Class', 'Business', 'Order', 'Underwriter'])(
    'no %s is',
    async (header) => {
      expect((await read(['House type'], { [header]: UNLISTED })).asked).toEqual({ [header]: null });
    },
  );

  test('one over words of its kind is, if one of them is listed', async () => {
    expect((await read(['House type'], { Style: ['Single', '2-family', 'Single', 'Single'] })).asked).toEqual({
      Style: 'houseType',
    });
    expect((await read(['House type'], { Style: ['Single', 'Single', 'Single', 'Single'] })).asked).toEqual({
      Style: null,
    });
  });

  test('neither of two columns is', async () => {
    const { asked } = await read(['Policy type'], { Program: UNLISTED, Line: UNLISTED.toReversed() });
    expect(asked).toEqual({ Program: null, Line: null });
  });
});

describe('phone and email', () => {
  const without = ['Insured phone', 'Insured email', 'Street address', 'City', 'State', 'ZIP code'];
  const contacts = {
    Phone: ['813-555-0101', '813-555-0102', '813-555-0103', '813-555-0104'],
    Email: NAMES.map((name) => `${name.replace(' ', '.')}@example.com`),
  };
  const house = {
    'Location Address': NUMBERS.map((_, at) => `${at + 1}18 Oak Ridge Ln`),
    City: NAMES.map(() => 'Tampa'),
    State: NAMES.map(() => 'FL'),
    Zip: NAMES.map(() => '33609'),
  };

  test("are proposed as the insured's behind the house", async () => {
    const { asked } = await read(without, { Agent: SAME, ...house, ...contacts });
    expect(asked).toEqual({ Phone: 'insuredPhone', Email: 'insuredEmail' });
  });

  test("are proposed as the agent's directly behind the agent", async () => {
    const { asked } = await read(without, { ...house, Agent: SAME, ...contacts });
    expect(asked).toEqual({ Phone: 'agentPhone', Email: 'agentEmail' });
  });
});

test.each(['Home Value', 'House Value', 'Structure Value', 'Amount of Insurance'])(
  'reads %s as the dwelling coverage only if no other column has it',
  async (header) => {
    const held = ['350,000', '410,000', '288,000', '500,000'];
    const { asked, sent } = await read([], { [header]: held });
    expect([asked, sent[0]?.['dwellingCoverage']]).toEqual([{}, 350_000]);
    const { sent: both } = await read([], { [header]: held, 'Cov A': held.map(() => '300,000') });
    expect(both[0]?.['dwellingCoverage']).toBe(300_000);
  },
);

test.each(['Estimated Value', 'RCV'])('asks whether %s is the dwelling coverage', async (header) => {
  const { asked, sent } = await read([], { [header]: ['350,000', '410,000', '288,000', '500,000'] });
  expect([asked, sent[0]?.['dwellingCoverage']]).toEqual([{ [header]: 'dwellingCoverage' }, undefined]);
});

test.each(['Description of Risk', 'Risk Description'])('reads %s as the house type', async (header) => {
  const { asked, sent } = await read(['House type'], { [header]: ['Single Family', 'Condo', 'Townhouse', 'Duplex'] });
  expect([asked, sent[1]?.['houseType']]).toEqual([{}, 'Residential Condo']);
});

test.each(['7 records', '12 rows', 'Rows: 4', 'Records: 4'])(
  'takes %s below the table for no order',
  async (footer) => {
    const source = inMemorySource({ S: [Object.keys(ORDER), Object.values(ORDER), [], [footer]] });
    const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-11-01' });
    expect((await collected(reading.rows())).map(({ kind }) => kind)).toEqual(['order']);
  },
);

describe('for the effective date', () => {
  const without = ['Effective date'];
  const dates = ['12/15/2026', '12/16/2026', '12/17/2026', '12/18/2026'];

  test.each(['Bound Eff Date', 'Bind Effective Date'])('%s is read', async (header) => {
    const { asked, sent } = await read(without, { [header]: dates });
    expect([asked, sent[0]?.['policyEffectiveDate']]).toEqual([{}, '2026-12-15']);
  });

  test('a column is proposed whose header says that it is one', async () => {
    expect((await read(without, { 'Rewrite Eff Dt': dates })).asked).toEqual({
      'Rewrite Eff Dt': 'policyEffectiveDate',
    });
  });

  test.each(['Original Eff Dt', 'Commission Eff Dt', 'Roof Effective Date', 'X-Date', 'Sale Date', 'Closing Date'])(
    'no %s is',
    async (header) => {
      expect((await read(without, { [header]: dates })).asked).toEqual({});
    },
  );
});

describe('one column for each service', () => {
  test('are read from the marks below their names', async () => {
    const marks = { '4-Point': ['X', '', '', ''], Exterior: ['', 'x', '', 'X'], 'Roof Only': ['', '', '', 'X'] };
    const { asked, sent } = await read(['Service'], marks);
    expect([asked, sent.map((one) => one?.['serviceName'])]).toEqual([
      {},
      ['4-Point', 'Exterior', undefined, undefined],
    ]);
  });

  test('are no services next to the service', async () => {
    const marks = { Exterior: ['X', 'X', 'X', 'X'], 'Roof Only': ['X', 'X', 'X', 'X'] };
    expect((await read([], marks)).sent.map((one) => one?.['serviceName'])).toEqual(Array(ROWS).fill('4-Point'));
    const { sent } = await read(['Service'], { Inspection: Array<string>(ROWS).fill('4pt'), ...marks });
    expect(sent.map((one) => one?.['serviceName'])).toEqual(Array(ROWS).fill('4-Point'));
  });

  test.each([{ Exterior: ['X', 'X', 'X', 'X'] }, { Roof: ['Metal', 'Tile'], Exterior: ['Brick', 'Wood'] }])(
    'are asked about unless several are marked (%#)',
    async (more) => {
      expect((await read(['Service'], more)).asked).toEqual(
        Object.fromEntries(Object.keys(more).map((one) => [one, null])),
      );
    },
  );
});

test.each([
  ['Structure', 'Farm Dwelling'],
  ['Building', 'Farm Dwelling'],
])('proposes %s as the house type over words that are not listed', async (header, held) => {
  expect((await read(['House type'], { [header]: Array<string>(ROWS).fill(held) })).asked).toEqual({
    [header]: 'houseType',
  });
});

test.each([
  ['House type', 'Property Use', ['Single Family', 'Townhouse', 'Duplex', 'Condo'], 'houseType'],
  ['House type', 'DwellingUsageType', ['Single Family', 'Townhouse', 'Duplex', 'Condo'], 'houseType'],
  ['Policy number', 'Master Policy #', NUMBERS, 'policyNumber'],
  ['Insured name', 'Association', NAMES, 'insuredName'],
  ['Insured name', 'Associated Contact', NAMES, 'insuredName'],
  ['Insured name', 'Unit Owner', NAMES, 'insuredName'],
  ['Insured phone', 'Best phone number for insured', ['813-555-0101'], 'insuredPhone'],
  ['-', 'Approx Sq Ft', ['2100', '1800'], 'carrierProvidedLivingArea'],
  ['-', 'Year', ['1987', '2003', '1956', '2024'], 'yearBuilt'],
  ['-', 'Cov A TIV', ['350,000', '410,000'], 'dwellingCoverage'],
  ['-', 'Renewal Cov A', ['350,000', '410,000'], 'dwellingCoverage'],
  ['-', 'UPP', ['150,000', '110,000'], 'contentCoverage'],
  ['-', 'UW Deadline', ['12/15/2026', '12/16/2026'], 'dueDate'],
  ['Insured name', 'Insured (Last, First)', ['Lee, Ann'], 'insuredName'],
  ['Insured phone', 'Callback Number', ['813-555-0101'], 'insuredPhone'],
  ['Insured phone', 'Home', ['813-555-0101', '(813) 555-0102', '8135550103', ''], 'insuredPhone'],
  ['House type', 'Home', ['Single Family', 'Condo', 'Duplex', 'Townhouse'], 'houseType'],
  ['Insured phone', 'Site Contact Phone', ['813-555-0101'], 'insuredPhone'],
  ['Effective date', 'Policy Begin Date', ['12/15/2026'], 'policyEffectiveDate'],
  ['Effective date', 'Coverage Effective', ['12/15/2026'], 'policyEffectiveDate'],
])('reads %s from %s without a question', async (title, header, held, field) => {
  const { asked, sent } = await read([title], { [header]: held });
  expect(asked).toEqual({});
  expect(sent[0]?.[field] ?? null).not.toBeNull();
});

test.each(['2026', '2027'])('takes no column Year of %s for the year of building', async (year) => {
  expect((await read([], { Year: Array<string>(ROWS).fill(year) })).sent[0]?.['yearBuilt']).toBeUndefined();
});

describe('next to an agent', () => {
  const agent = { Agent: SAME };
  const phones = ['813-555-0101', '813-555-0102', '813-555-0103', '813-555-0104'];

  test.each(['Customer', 'Client Name', 'Account Name'])('the phone of the %s is the insured’s', async (header) => {
    const phone = `${header.replace(' Name', '')} Phone`;
    const { asked, sent } = await read(['Insured name', 'Insured phone'], {
      [header]: NAMES,
      ...agent,
      [phone]: phones,
    });
    expect([asked, sent.map((one) => one?.['insuredPhone'])]).toEqual([{}, phones]);
  });

  test.each(['Customer', 'Name', 'Contact Name', 'Client'])(
    'the phone right of the %s is the insured’s',
    async (header) => {
      const { asked, sent } = await read(['Insured name', 'Insured phone'], {
        [header]: NAMES,
        Phone: phones,
        ...agent,
      });
      expect([asked, sent.map((one) => one?.['insuredPhone'])]).toEqual([{}, phones]);
    },
  );

  test.each(['Client Phone', 'Phone', 'Account Phone'])('%s may be another’s', async (header) => {
    const { asked } = await read(['Insured phone'], { ...agent, [header]: phones });
    expect(Object.keys(asked)).toEqual([header]);
  });
});

test('takes the title of the file next to its page number for no order', async () => {
  const title = 'Property Locations Needing Inspection';
  const columns = Object.keys(ORDER);
  const rows = [[title], columns, Object.values(ORDER), [title, '', '', 'Page 2 of 2'], Object.values(ORDER)];
  const reading = await readSource(inMemorySource({ S: rows }), 'orders.xlsx', { headers: {}, today: '2026-11-01' });
  expect((await collected(reading.rows())).map(({ kind }) => kind)).toEqual(['order', 'order']);
});

test('asks for no service from a column that says whether one is ordered', async () => {
  const { asked, sent } = await read([], { 'Insp Ordered?': ['N', 'N', 'Y', 'N'] });
  expect([asked, sent.map((one) => one !== null)]).toEqual([{}, [true, true, false, true]]);
});

test.each(['Unit #/Apt #', 'Apt #/Unit #', 'Unit # or Apt #'])('joins %s to the street', async (header) => {
  const { sent } = await read([], { [header]: ['Apt 4', '', '7', ''] });
  expect(sent.map((one) => /4|7/.test(String(one?.['streetAddress'])))).toEqual([true, false, true, false]);
});

test.each([
  ['1 mi N of church', true],
  ['0.5 miles past the bridge', true],
  ['12 Mile Marker Rd', false],
  ['4 Mill Rd', false],
])('warns that %s has no house number: %s', async (street, isWarned) => {
  const columns = { ...ORDER, 'Street address': street };
  const source = inMemorySource({ S: [Object.keys(columns), Object.values(columns)] });
  const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-11-01' });
  const [outcome] = await collected(reading.rows());
  const rules = outcome?.kind === 'order' ? outcome.warnings.map(({ rule }) => rule) : [];
  expect(rules.includes('street-without-number')).toBe(isWarned);
});

test.each(['C', 'Cont', 'Premium'])('never proposes %s as the dwelling coverage', async (header) => {
  expect((await read([], { [header]: ['150,000', '110,000', '88,000', '120,000'] })).asked).toEqual({});
});

test.each(['Contract', 'Cert'])('proposes %s over numbers as the policy number', async (header) => {
  expect((await read(['Policy number'], { [header]: NUMBERS })).asked).toEqual({ [header]: 'policyNumber' });
});
