import { describe, expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

const ORDER: Readonly<Record<string, string>> = { ...ORDER_COLUMNS, 'Policy number': 'HO-0048213' };

/** Reads an order under other headers, with further columns behind: `Header|value`. */
async function read(headers: Readonly<Record<string, string>>, ...more: readonly string[]) {
  const columns = [
    ...Object.entries(ORDER).map(([title, held]) => [headers[title] ?? title, held]),
    ...more.map((column) => column.split('|')),
  ];
  const sheet = { S: [columns.map(([header]) => header), columns.map(([, held]) => held)] };
  const reading = await readSource(inMemorySource(sheet), 'orders.xlsx', { headers: {}, today: '2026-11-01' });
  const [outcome] = await collected(reading.rows());
  const asked = reading.questions.flatMap(({ columns }) => columns.map(({ header, proposal }) => [header, proposal]));
  return { asked, sent: outcome?.kind === 'order' ? (outcome.payload as Record<string, unknown>) : undefined };
}

const STREET = ORDER['Street address'] ?? '';

describe('the only address', () => {
  test.each(['Farm Address', 'Rental Address', 'Job Address', 'Cottage Address', 'Garaging Address'])(
    'is read under %s, which names the house',
    async (header) => {
      const { asked, sent } = await read({ 'Street address': header });
      expect([asked, sent?.['streetAddress']]).toEqual([[], STREET]);
    },
  );

  test.each(['Lake', 'Beach', 'Summer', 'Winter place', 'Farm'])(
    'is proposed with its other parts under the word %s',
    async (word) => {
      const { asked } = await read({
        'Street address': `${word} Address`,
        City: `${word} City`,
        State: `${word} State`,
        'ZIP code': `${word} Zip`,
      });
      expect(asked.map(([, proposal]) => proposal)).toEqual(['city', 'state', 'zipcode']);
    },
  );

  test.each(['Employer', 'Billing', 'Previous', 'Owner'])('is not read under the word %s', async (word) => {
    const headers = { 'Street address': `${word} Address`, City: `${word} City`, State: `${word} State` };
    expect((await read({ ...headers, 'ZIP code': `${word} Zip` })).sent?.['city']).toBeUndefined();
  });

  test.each(['Unit Address', 'Borrower Address', 'Owner Address', 'Client Address', "Client's address"])(
    'is asked about under %s',
    async (header) => {
      const { asked } = await read({ 'Street address': header });
      expect(asked).toEqual([[header, 'streetAddress']]);
    },
  );

  test.each(['Insured Address', 'Homeowner Address', 'Policyholder Address', 'Address'])(
    'is read under %s as before',
    async (header) => {
      const { asked, sent } = await read({ 'Street address': header });
      expect([asked, sent?.['streetAddress']]).toEqual([[], STREET]);
    },
  );

  test.each(['Mailing Address', 'Billing Address', 'Correspondence Address'])('is none under %s', async (header) => {
    const { asked, sent } = await read({ 'Street address': header });
    expect([asked.filter(([, proposal]) => proposal !== null), sent]).toEqual([[], undefined]);
  });
});

describe('another address next to the house', () => {
  test.each(['Owner Address', 'Cabin Address', 'Mailing Address'])(
    'is neither asked about nor sent under %s',
    async (header) => {
      const { asked, sent } = await read({}, `${header}|9 Elm St`);
      expect([asked, sent?.['streetAddress']]).toEqual([[], STREET]);
    },
  );

  test('is the house under Rental Address next to a mailing address', async () => {
    const { asked, sent } = await read({ 'Street address': 'Rental Address' }, 'Mailing Address|9 Elm St');
    expect([asked, sent?.['streetAddress']]).toEqual([[], STREET]);
  });

  test.each(['Rental Address', 'Garaging Address'])('is never ordered in silence under %s', async (header) => {
    const { sent } = await read({ 'Street address': 'Address' }, `${header}|9 Elm St`);
    expect(sent).toBeUndefined();
  });

  test.each(['Address', 'Property Address'])('is not asked about under Unit Address next to %s', async (header) => {
    const { asked, sent } = await read({ 'Street address': header }, 'Unit Address|Unit 5');
    expect([asked, sent?.['streetAddress']]).toEqual([[], STREET]);
  });

  test.each(['Rental Address', 'Job Address'])('may be the same house under %s', async (header) => {
    const { asked, sent } = await read({}, `${header}|${STREET}`);
    expect([asked, sent?.['streetAddress']]).toEqual([[], STREET]);
  });
});

describe('readOrders', () => {
  test.each([
    ['Insured email', 'INSURED_EMAIL_ID', 'insuredEmail'],
    ['Insured email', 'Borrower Email', 'insuredEmail'],
    ['Insured phone', 'Borrower Phone', 'insuredPhone'],
    ['Insured phone', 'Teléfono / Phone', 'insuredPhone'],
    ['ZIP code', 'Property Address - Postal / Zip Code', 'zipcode'],
    ['House type', '# Fam', 'houseType'],
    ['Policy type', 'Coverage Part', 'policyType'],
  ])('reads for %s the header %s without a question', async (title, header, field) => {
    const { asked, sent } = await read({ [title]: header });
    expect([asked, sent?.[field] !== undefined]).toEqual([[], true]);
  });

  test.each([
    ['COVA_AMT', 'dwellingCoverage'],
    ['COVB_AMT', 'otherStructureCoverage'],
    ['COVC_AMT', 'contentCoverage'],
    ['Cont Limit', 'contentCoverage'],
    ['Oth Str Limit', 'otherStructureCoverage'],
    ['Limits / Building', 'dwellingCoverage'],
    ['Limits / Contents', 'contentCoverage'],
  ])('reads amounts under %s as %s', async (header, field) => {
    const { asked, sent } = await read({}, `${header}|250000`);
    expect([asked, sent?.[field]]).toEqual([[], 250_000]);
  });

  test.each(['COVD_AMT', 'Cont Date', 'Limits', 'Coverage Part Limit', 'Loan ID'])(
    'does not read amounts under %s',
    async (header) => {
      const { sent } = await read({}, `${header}|250000`);
      expect(Object.values(sent ?? {})).not.toContain(250_000);
    },
  );

  test.each([
    ['RC Rpt', 'Y', ['RC Report']],
    ['RC?', '-', undefined],
    ['Need RC?', 'Yes', ['RC Report']],
    ['RC?', 'pending', undefined],
    ['RC Received', 'Y', undefined],
    ['RC Score', 'Y', undefined],
  ])('reads under %s the value %s as %j', async (header, held, services) => {
    const { sent } = await read({}, `${header}|${held}`);
    expect(sent?.['supplementalServices']).toEqual(services);
  });

  test('reads yes and no under RC? although one cell holds a dash', async () => {
    const titles = [...Object.keys(ORDER), 'RC?'];
    const rows = ['Y', '-', '–', 'no'].map((said, at) => [
      ...Object.entries(ORDER).map(([title, held]) => (title === 'Policy number' ? `HO-${at}` : held)),
      said,
    ]);
    const reading = await readSource(inMemorySource({ S: [titles, ...rows] }), 'orders.xlsx', {
      headers: {},
      today: '2026-11-01',
    });
    const outcomes = await collected(reading.rows());
    expect(
      outcomes.map((outcome) => (outcome.kind === 'order' ? outcome.payload.supplementalServices : outcome.problems)),
    ).toEqual([['RC Report'], undefined, undefined, undefined]);
  });
});

describe('the only column that fits', () => {
  test.each([
    ['Street address', 'Lake Address'],
    ['Street address', 'Jobsite Address'],
    ['Street address', 'Home Address'],
    ['Insured name', 'Party Name'],
    ['Insured phone', 'PartyPhone'],
    ['Insured phone', 'Survey Contact Phone'],
    ['Insured email', 'Primary Contact: Email'],
    ['Policy number', 'New Policy Number'],
    ['Policy number', 'Certificate / Policy No'],
    ['Policy type', 'Policy Title'],
    ['House type', 'Construction Use'],
    ['Street address', 'Property Address (short text)'],
    ['City', 'City (short text)'],
    ['Insured phone', 'Insured Phone (phone)'],
    ['Insured email', 'Insured Email (email)'],
    ['Policy number', 'Policy # (number)'],
    ['Service', 'Inspection Ordered As'],
  ])('is read as %s under %s', async (title, header) => {
    const { asked, sent } = await read({ [title]: header });
    expect([asked, sent]).toEqual([[], (await read({})).sent]);
  });

  test.each([
    ['Street address', 'Unit Address'],
    ['Insured name', 'Tenant Name'],
    ['Insured phone', 'Realtor Phone'],
    ['Insured phone', 'Office Phone'],
    ['Policy number', 'Prior Policy Number'],
    ['Policy type', 'Expiring Form'],
    ['Policy type', 'Companion Policy'],
    ['Service', 'Last Inspection Type'],
  ])('is asked about as %s under %s', async (title, header) => {
    expect((await read({ [title]: header })).asked).toContainEqual([header, expect.any(String)]);
  });

  test.each(['Mortgagee Phone', 'Agent Phone'])('is never the insured’s phone under %s', async (header) => {
    expect((await read({ 'Insured phone': header })).sent).toBeUndefined();
  });

  test.each([
    ['Line Effective', '12/10/2026', []],
    ['EffectiveDate_c', '12/10/2026', []],
    ['Inception Date', '12/10/2026', []],
    ['Cancellation Effective', '', []],
    ['Canc Eff Date', '', []],
    ['Line Effective', '', []],
  ] as const)('%s over "%s" asks about %j', async (header, date, asked) => {
    const found = await read({}, `${header}|${date}`);
    expect([found.asked, found.sent?.['policyEffectiveDate'] ?? '']).toEqual([asked, date === '' ? '' : '2026-12-10']);
  });

  test.each([
    ['Transaction Effective', 'policyEffectiveDate'],
    ['Line Effective/Change', 'policyEffectiveDate'],
    ['Endorsement Effective', null],
  ])('is asked about under %s, as %s', async (header, proposal) => {
    const { asked, sent } = await read({}, `${header}|12/10/2026`);
    expect([asked, sent?.['policyEffectiveDate'] ?? null]).toEqual([[[header, proposal]], null]);
  });

  test.each(['Date added', 'Vacant Since'])('is no effective date under %s', async (header) => {
    const { asked, sent } = await read({}, `${header}|12/10/2026`);
    expect([asked, sent?.['policyEffectiveDate'] ?? null]).toEqual([[], null]);
  });

  test.each([
    ['Master Company|Citizens', 'insuredBy', 'Citizens'],
    ['PersPropLimit|150,000', 'contentCoverage', 150_000],
    ['Building|525,000', 'dwellingCoverage', 525_000],
    ['Wildfire Add-On|Yes', 'supplementalServices', ['Wildfire']],
    ['Transaction|New Business', 'isRenewal', false],
    ['Agency|USI', 'agentName', 'USI'],
    ['Agency|00417', 'agentName', undefined],
    ['Agent|LP', 'agentName', undefined],
    ['Expiring Cov A|350,000', 'dwellingCoverage', undefined],
    ['Land Value|350,000', 'dwellingCoverage', undefined],
    ['Expiring Carrier|Citizens', 'insuredBy', undefined],
    ['Wildfire Score|Yes', 'supplementalServices', undefined],
    ['CO|01', 'insuredBy', undefined],
    ['Carrier|USAA', 'insuredBy', 'USAA'],
    ['NB_RNL_IND|R', 'isRenewal', true],
    ['Special instructions (gate codes, dogs, etc.)|Gate 4471', 'note', 'Gate 4471'],
    ['Notes (internal)|Watch the agent', 'note', undefined],
    ['When does the policy start?|12/10/2026', 'policyEffectiveDate', '2026-12-10'],
  ] as const)('%s gives %s %j', async (column, field, value) => {
    const { asked, sent } = await read({}, column);
    expect([asked, sent?.[field] ?? undefined]).toEqual([[], value]);
  });

  test('is the effective date, not the inception date next to it', async () => {
    const { asked, sent } = await read({}, 'Inception Date|11/01/2026', 'Effective Date|12/10/2026');
    expect([asked, sent?.['policyEffectiveDate']]).toEqual([[], '2026-12-10']);
  });

  test('is the account next to its own phone', async () => {
    const { asked, sent } = await read({ 'Insured name': 'Account', 'Insured phone': 'Account Phone' });
    expect([asked, sent?.['insuredName']]).toEqual([[], ORDER['Insured name']]);
  });

  test('is the new policy number, not an old carrier’s', async () => {
    const { asked, sent } = await read({ 'Policy number': 'New Policy Number' }, 'Citizens Policy Number|01219730');
    expect([asked, sent?.['policyNumber']]).toEqual([[], 'HO-0048213']);
  });

  test.each([
    ['Street address', 'Vacant Property', 'streetAddress'],
    ['Street address', 'Street address of the home to be inspected', 'streetAddress'],
  ] as const)('reads %s under %s', async (title, header, field) => {
    const { asked, sent } = await read({ [title]: header });
    expect([asked, sent?.[field]]).toEqual([[], ORDER[title]]);
  });

  test('is a number with a blank under Policy', async () => {
    const { 'Policy number': _, ...order } = ORDER;
    const rows = [
      [...Object.keys(order), 'Policy'],
      [...Object.values(order), 'NE 204-5511'],
    ];
    const reading = await readSource(inMemorySource({ S: rows }), 'a.xlsx', { headers: {}, today: '2026-11-01' });
    const [first] = await collected(reading.rows());
    expect(first?.kind === 'order' && first.payload.policyNumber).toBe('NE 204-5511');
  });

  test('is proposed as the city under CTY', async () => {
    expect((await read({ City: 'CTY' })).asked).toEqual([['CTY', 'city']]);
  });

  test.each([
    [{ 'Insured phone': 'Primary Phone', 'Insured name': 'Primary Named Insured' }, ['Producer Name|Dana'], []],
    [{ 'Insured phone': 'Phone' }, ['Producer Name|Dana'], []],
  ])('is the insured’s phone in %j before %j', async (headers, more, expected) => {
    expect((await read(headers, ...more)).asked).toEqual(expected);
  });

  test('reads renewals from a column of transactions', async () => {
    const titles = [...Object.keys(ORDER), 'Transaction Type'];
    const rows = ['Renewal', 'New', 'Endorsement'].map((said) => [...Object.values(ORDER), said]);
    const reading = await readSource(inMemorySource({ S: [titles, ...rows] }), 'a.xlsx', {
      headers: {},
      today: '2026-11-01',
    });
    const outcomes = await collected(reading.rows());
    const sent = outcomes.map((one) => (one.kind === 'order' ? one.payload.isRenewal : one.kind));
    expect(sent).toEqual([true, false, undefined]);
  });

  test('is the agent’s under Name and Phone of an agency', async () => {
    const titles = [...Object.keys(ORDER), 'Name', 'Phone'];
    const above = titles.map((title) => (title === 'Name' ? 'AGENCY' : title === 'Insured name' ? 'INSURED' : ''));
    const row = [...Object.values(ORDER), 'Hill Country Ins', '512-555-0144'];
    const reading = await readSource(inMemorySource({ S: [above, titles, row] }), 'a.xlsx', {
      headers: {},
      today: '2026-11-01',
    });
    const [first] = await collected(reading.rows());
    expect(first).toMatchObject({ payload: { agentName: 'Hill Country Ins', agentPhone: '512-555-0144' } });
  });
});
