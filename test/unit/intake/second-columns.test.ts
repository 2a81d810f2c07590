import { expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

type Columns = Readonly<Record<string, string | readonly string[]>>;

const NUMBERS = ['HO-0048211', 'HO-0048212', 'HO-0048213', 'HO-0048214'];
const ORDERS: Columns = { ...ORDER_COLUMNS, 'Policy number': NUMBERS };

/** Reads four orders with other columns in place of some of theirs; what is sent of each, or the rules that it breaks. */
async function read(field: string, without: readonly string[], added: Columns) {
  const kept = Object.entries(ORDERS).filter(([header]) => !without.includes(header));
  const columns = [...Object.entries(added), ...kept];
  const cellOf = (held: string | readonly string[], at: number) => (typeof held === 'string' ? held : (held[at] ?? ''));
  const rows = NUMBERS.map((_, at) => columns.map(([, held]) => cellOf(held, at) || undefined));
  const sheet = inMemorySource({ S: [columns.map(([header]) => header), ...rows] });
  const reading = await readSource(sheet, 'orders.xlsx', { headers: {}, today: '2026-11-01' });
  const outcomes = await collected(reading.rows());
  const sent = outcomes.map((outcome) =>
    outcome.kind === 'order'
      ? (outcome.payload as Record<string, unknown>)[field]
      : outcome.problems.flatMap(({ severity, rule }) => (severity === 'error' ? rule : [])).join(' '),
  );
  const asked = reading.questions.flatMap(({ columns: some }) => some.map(({ header }) => header));
  return { asked, sent };
}

const FIRST = ['Pat', 'Ana', 'Li', 'Joe'];
const LAST = ['Example', 'Lopez', 'Wei', 'Marsh'];
const WHOLE = ['Pat Example', 'Ana Lopez', 'Li Wei', 'Joe Marsh'];

test.each([
  ['Insured Name - First Name', 'Insured Name - Last Name'],
  ["Insured's Name - First Name", "Insured's Name - Last Name"],
  ['Name - First', 'Name - Last'],
  ['Name (First)', 'Name (Last)'],
  ['Full Name - First Name', 'Full Name - Last Name'],
  ['Policyholder Name - First Name', 'Policyholder Name - Last Name'],
  ['Ins First Name', 'Ins Last Name'],
  ['PNI First Name', 'PNI Last Name'],
  ['Member First Name', 'Member Last Name'],
  ['Member First', 'Member Last'],
  ['PartyFirstName', 'PartyLastName'],
  ['Rancher First Name', 'Rancher Surname'],
  ['First (Applicant)', 'Last (Applicant)'],
])("joins %s and %s to the insured's name", async (first, last) => {
  expect(await read('insuredName', ['Insured name'], { [first]: FIRST, [last]: LAST })).toEqual({
    asked: [],
    sent: WHOLE,
  });
});

test.each(['Spouse Name', 'Agent Name', 'Co-Insured Name', 'Inspector Name', 'Business Name'])(
  "never takes the parts of a %s for the insured's",
  async (whose) => {
    const parts = { [`${whose} - First Name`]: FIRST, [`${whose} - Last Name`]: LAST };
    expect((await read('insuredName', [], parts)).sent).toEqual(NUMBERS.map(() => 'Marisol Vega'));
    expect((await read('insuredName', ['Insured name'], parts)).sent).not.toContain('Pat Example');
  },
);

test.each([
  ['Tenant First Name', 'Tenant Last Name'],
  ['Realtor First', 'Realtor Last'],
  ['Ordered By First Name', 'Ordered By Last Name'],
  ['Party First Name', 'Spouse Last Name'],
])('does not take %s and %s for the insured', async (first, last) => {
  const { sent } = await read('insuredName', ['Insured name'], { [first]: FIRST, [last]: LAST });
  expect(sent).toEqual(NUMBERS.map(() => 'required-column-missing'));
});

test('does not take dates under First Call and Last Call for a name', async () => {
  const { sent } = await read('insuredName', ['Insured name'], {
    'First Call': '11/01/2026',
    'Last Call': '11/02/2026',
  });
  expect(sent).toEqual(NUMBERS.map(() => 'required-column-missing'));
});

const PHONES = ['813-555-0101', '', '', '813-555-0104'];
const CELLS = ['813-555-0201', '813-555-0202', '813-555-0203', ''];

test.each([
  'Cell',
  'Mobile',
  'Cell Phone',
  'Business Phone',
  'Evening Phone',
  'Phone 2',
  'Alternate Phone',
  'Alt Phone',
])('sends Phone, and where it is blank %s', async (header) => {
  expect(await read('insuredPhone', ['Insured phone'], { [header]: CELLS, Phone: PHONES })).toEqual({
    asked: [],
    sent: ['813-555-0101', '813-555-0202', '813-555-0203', '813-555-0104'],
  });
});

test.each(['Carrier', 'Company', 'Previous Carrier', 'Occupancy'])(
  'still reads Phone and Cell next to %s without a question',
  async (header) => {
    const { asked } = await read('insuredPhone', ['Insured phone'], {
      Phone: PHONES,
      Cell: CELLS,
      [header]: 'Gulf Mutual',
    });
    expect(asked).toEqual([]);
  },
);

test.each(['Contact', 'Agent', 'Tenant', 'Property Manager', 'Mortgagee', 'Spouse Name'])(
  'asks whose Phone and Cell are next to %s',
  async (header) => {
    const { asked } = await read('insuredPhone', ['Insured phone'], {
      [header]: WHOLE,
      Phone: PHONES,
      Cell: CELLS,
    });
    expect(asked).toEqual(expect.arrayContaining(['Phone', 'Cell']));
  },
);

test.each(['Email 2', 'Alternate Email', 'Secondary Email Address'])(
  'sends Email, and where it is blank %s',
  async (header) => {
    const emails = { Email: ['a@example.com', ''], [header]: ['b@example.com', 'c@example.com', 'd@example.com'] };
    expect(await read('insuredEmail', ['Insured email'], emails)).toEqual({
      asked: [],
      sent: ['a@example.com', 'c@example.com', 'd@example.com', 'required-empty'],
    });
  },
);

test.each([
  ['insuredEmail', 'Insured email', 'm@example.com', 'Alternate Email'],
  ['insuredPhone', 'Insured phone', '813-555-0142', 'Alternate Phone'],
  ['insuredPhone', 'Insured phone', '813-555-0142', 'Phone 2'],
])('sends the %s of %s alone, %s, next to %s', async (field, title, held, header) => {
  const value = title === 'Insured email' ? 'b@example.com' : '813-555-0202';
  expect(await read(field, [], { [header]: value })).toEqual({ asked: [], sent: NUMBERS.map(() => held) });
  const asked = await read(field, [title], { [header]: value });
  expect(asked.asked).toEqual([header]);
  const agents = { Agent: 'Dana Whitlock', [`Agent ${title.slice(8)}`]: value, [header]: value };
  expect((await read(field, [], agents)).sent).toEqual(NUMBERS.map(() => held));
});

const FIRM = 'Oyster House LLC';
const PEOPLE = { 'First Name': ['Pat', 'Ana', '', 'Joe'], 'Last Name': ['Example', 'Lopez', '', 'Marsh'] };

test.each([
  'Business Name',
  'Commercial Name',
  'Firm Name',
  'Entity Name',
  'Client Business Name',
  'Company Name',
  'DBA',
])('sends the name under %s where no person is named', async (header) => {
  expect(await read('insuredName', ['Insured name'], { ...PEOPLE, [header]: ['', '', FIRM] })).toEqual({
    asked: [],
    sent: ['Pat Example', 'Ana Lopez', FIRM, 'Joe Marsh'],
  });
});

test.each(['Business Phone', 'Business Type', 'Company Code', 'Account #', 'Agency Name'])(
  'never sends %s for a name',
  async (header) => {
    const { sent } = await read('insuredName', ['Insured name'], { ...PEOPLE, [header]: ['', '', FIRM] });
    expect(sent[2]).toBe('required-empty');
  },
);

test.each([
  ['Company', 'Gulf Mutual'],
  ['DBA', FIRM],
])('sends the person next to %s', async (header, held) => {
  const names = { 'First Name': FIRST, 'Last Name': LAST, [header]: held };
  expect(await read('insuredName', ['Insured name'], names)).toEqual({ asked: [], sent: WHOLE });
});

test('sends a row back that names a person and a business', async () => {
  const names = { 'First Name': FIRST, 'Last Name': LAST, 'Business Name': ['', '', FIRM] };
  expect(await read('insuredName', ['Insured name'], names)).toEqual({
    asked: [],
    sent: ['Pat Example', 'Ana Lopez', 'columns-disagree', 'Joe Marsh'],
  });
});

test('asks whether persons or businesses are insured if most rows name both', async () => {
  const names = { 'First Name': FIRST, 'Last Name': LAST, 'Business Name': FIRM };
  expect((await read('insuredName', ['Insured name'], names)).asked).toEqual([
    'First Name',
    'Last Name',
    'Business Name',
  ]);
});

test.each(['Mail', 'Mail Address'])('reads %s over e-mail addresses as the email', async (header) => {
  const sent = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'];
  expect(await read('insuredEmail', ['Insured email'], { [header]: sent })).toEqual({ asked: [], sent });
  const streets = { [header]: ['9 Mail Rd', '8 Mail Rd', 'PO Box 5', '7 Mail Rd'] };
  expect((await read('streetAddress', [], streets)).sent).toEqual(NUMBERS.map(() => ORDERS['Street address']));
});

test('never sends a company for the insured if no row names a person', async () => {
  const names = { 'First Name': [], 'Last Name': [], Company: 'Gulf Mutual' };
  expect((await read('insuredName', ['Insured name'], names)).sent).toEqual(NUMBERS.map(() => 'required-empty'));
});
