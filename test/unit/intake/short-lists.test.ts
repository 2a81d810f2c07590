import { describe, expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';

type Rows = readonly (readonly CellLike[])[];

async function read(sheets: Readonly<Record<string, Rows>>, name = 'november.xlsx') {
  await using reading = await readSource(inMemorySource(sheets), name, { headers: {}, today: '2026-11-01' });
  const rows = await collected(reading.rows());
  return {
    rows,
    notes: reading.notes.map(({ code }) => code),
    fields: reading.layouts.map(({ columns }) => columns.map(({ field }) => field)),
    asked: reading.questions.flatMap(({ columns }) => columns.map(({ key, proposal }) => [key, proposal])),
    sent: rows.map((row) => (row.kind === 'order' ? row.payload : row.problems.map(({ rule }) => rule))),
  };
}

const PEOPLE = ['Ann Lee', 'Bo Ruiz', 'Cy Moss', 'Di Hart'];
const COMPACT = PEOPLE.map((name, at) => [
  `${name}\n(614) 263-232${at}\n${name.split(' ')[0]}@example.com`,
  `${at + 1} Oak Ln\nDublin, OH 43017`,
  `OHM6612${at}`,
  `12/1${at}/2026`,
  at % 2 === 0 ? 'Self ext' : 'Self 4pt',
  'Single family',
]);

describe('readSource', () => {
  test('reads a header row of short headers by the values below it', async () => {
    const { fields, asked, rows } = await read({
      S: [['Insured / contact', 'Property', 'Policy', 'Eff', 'Self insp', 'Dwelling'], ...COMPACT],
    });
    expect(fields).toEqual([
      ['insuredPhone', 'streetAddress', 'policyNumber', 'policyEffectiveDate', 'serviceName', 'houseType'],
    ]);
    expect(asked).toEqual([['=policyType=', 'Homeowners Insurance']]);
    expect(rows).toHaveLength(PEOPLE.length);
  });

  test('reads plain values below short headers', async () => {
    const { fields } = await read({
      S: [
        ['Insured', 'Property address', 'Policy', 'Inspection', 'Form', 'Dwelling type'],
        ...PEOPLE.map((name, at) => [name, `${at} Oak Ln`, `OHM6612${at}`, 'Exterior', 'HO3', 'Condo']),
      ],
    });
    expect(fields).toEqual([
      ['insuredName', 'streetAddress', 'policyNumber', 'serviceName', 'policyType', 'houseType'],
    ]);
  });

  test.each([
    ['orders', COMPACT],
    [
      'claims',
      [['Policy No', 'Insured', 'Date of loss', 'Cause'], ...PEOPLE.map((name) => ['P-1', name, '1/2/26', 'Wind'])],
    ],
    [
      'people',
      [['Name', 'Title', 'Phone', 'E-mail'], ...PEOPLE.map((name) => [name, 'CSR', '813-555-0142', 'a@b.co'])],
    ],
  ])('finds no header row in %s without one', async (_, rows) => {
    await expect(read({ S: rows })).rejects.toThrow('no header row');
  });
});

describe('a list of a clerk', () => {
  const ORDERS = (at: number, more: Readonly<Record<string, string>> = {}) => ({
    ...ORDER_COLUMNS,
    'Policy number': `HO-00${at}`,
    'Street address': `${at} Oak Ln`,
    ...more,
  });
  const table = (rows: readonly Readonly<Record<string, string>>[], left: readonly string[] = []): Rows => {
    const headers = Object.keys(rows[0] ?? {}).filter((header) => !left.includes(header));
    return [headers, ...rows.map((row) => headers.map((header) => row[header] ?? ''))];
  };
  const four = (more: (at: number) => Readonly<Record<string, string>>, left: readonly string[] = []) =>
    table(
      [1, 2, 3, 4].map((at) => ORDERS(at, more(at))),
      left,
    );

  test('has codes under Bldg that repeat, which are no part of the street', async () => {
    const rows = four((at) => ({ Bldg: at % 2 === 0 ? 'D1' : 'D2' }), ['House type']);
    const { fields, asked } = await read({ S: rows });
    expect(fields.flat().filter((field) => field === 'streetAddress')).toHaveLength(1);
    expect(asked).toContainEqual(['bldg', 'houseType']);
  });

  test('has buildings under Bldg # and at one street', async () => {
    const numbered = await read({ S: four(() => ({ 'Bldg #': '1' })) });
    const complex = await read({ S: four((at) => ({ 'Street address': '1 Oak Ln', Bldg: at < 3 ? 'A' : 'B' })) });
    expect(numbered.sent[0]).toMatchObject({ streetAddress: '1 Oak Ln, Bldg 1' });
    expect(complex.sent[0]).toMatchObject({ streetAddress: '1 Oak Ln, Bldg A' });
  });

  test.each([
    ['exterior w/ RC', ['RC Report']],
    ['Ext with rc + wildfire', ['RC Report', 'Wildfire']],
    ['Exterior', undefined],
  ])('orders a service with others: %s', async (service, supplementalServices) => {
    const { sent } = await read({ S: four(() => ({ Service: service })) });
    expect(sent[0]).toMatchObject({ serviceName: 'Exterior', ...(supplementalServices && { supplementalServices }) });
  });

  test.each(['exterior w/ drone', 'exterior w/o RC', 'exterior w/ 4-Point'])('sends back %s', async (service) => {
    expect((await read({ S: four(() => ({ Service: service })) })).sent[0]).toEqual(['value-not-listed']);
  });

  test('repeats its policies on a sheet without addresses, which orders nothing', async () => {
    const policies = [1, 2, 3, 4].map((at) => [`HO-00${at}`, 'Marisol Vega', 'MA', '11/4/2026', 1200]);
    const headers = ['Policy number', 'Insured name', 'State', 'Effective date', 'Premium'];
    const { rows, notes } = await read({ Premium: [headers, ...policies], Orders: four(() => ({})) });
    expect(rows).toHaveLength(4);
    expect(notes).toContain('rows-on-other-sheet');
  });

  test('has a policy on such a sheet only, which comes back', async () => {
    const headers = ['Policy number', 'Insured name', 'State', 'Effective date'];
    const other = ['HO-9', 'Ann Lee', 'MA', '11/4/2026'];
    expect((await read({ Premium: [headers, other], Orders: four(() => ({})) })).rows).toHaveLength(5);
  });

  test.each(['Thank you! - Marcy Dunn, CSR, 727-555-0199', '2026-12-03 to 2027-01-20', 'Subtotal HO3: 4 policies'])(
    'ends with %s',
    async (last) => {
      for (const header of ['Insured name', 'Effective date', 'Policy number']) {
        const [headers = [], ...rows] = four(() => ({ 'Effective date': '11/4/2026' }));
        const line = headers.map((one) => (one === header ? last : ''));
        expect((await read({ S: [headers, ...rows, line] })).rows).toHaveLength(4);
      }
    },
  );

  test('says in its last lines what is the same for all', async () => {
    const [headers = [], ...rows] = four(() => ({}), ['Policy type', 'House type']);
    const line = headers.map((_, at) => (at === 0 ? 'All are HO-3, single family, owner occupied.' : ''));
    const { asked } = await read({ S: [headers, ...rows, line] });
    expect(asked.map(([, proposal]) => proposal)).toEqual(['Homeowners Insurance', 'Residential Single Family']);
  });

  test('has one house type if all are farms', async () => {
    const { asked } = await read({ S: four(() => ({}), ['Policy type', 'House type']) }, 'Farm surveys.xlsx');
    expect(asked.map(([, proposal]) => proposal)).toEqual(['Farm & Ranch Insurance', 'Other']);
  });

  test('repeats its header without counting it as a row', async () => {
    const [headers = [], ...rows] = four(() => ({}), ['Service']);
    const title = (text: string) => headers.map((_, at) => (at === 0 ? text : ''));
    await using reading = await readSource(
      inMemorySource({
        S: [title('EXTERIORS'), headers, ...rows.slice(0, 2), title('4 POINTS'), headers, ...rows.slice(2)],
      }),
      'november.xlsx',
      { headers: {}, today: '2026-11-01' },
    );
    expect(reading.questions[0]?.columns.map(({ letter }) => letter)).toContain('rows below 4 POINTS (2)');
  });
});
