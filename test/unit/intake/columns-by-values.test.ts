import { describe, expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

type Changes = Readonly<Record<string, string>>;

/** Reads an order with other headers in place of its own, and further columns. */
async function read(headers: Changes, values: Changes = {}, further: Changes = {}, newLayout?: 'go') {
  const titles = Object.keys(ORDER_COLUMNS);
  const header = [...titles.map((title) => headers[title] ?? title), ...Object.keys(further)];
  const row = [...titles.map((title) => values[title] ?? ORDER_COLUMNS[title] ?? ''), ...Object.values(further)];
  const options = { headers: {}, today: '2026-11-01', newLayout };
  const reading = await readSource(inMemorySource({ S: [header, row] }), 'orders.xlsx', options);
  const [first] = await collected(reading.rows());
  const asked = reading.questions
    .flatMap(({ columns }) => columns.filter(({ code }) => code !== 'value-for-all'))
    .map(({ header, proposal }) => [header, proposal]);
  return { asked, first, notes: reading.notes, payload: first?.kind === 'order' ? first.payload : undefined };
}

describe('readSource', () => {
  test.each([
    ['Service', 'Recommended Inspection', 'serviceName'],
    ['Service', 'Order Type', 'serviceName'],
    ['Policy type', 'Line', 'policyType'],
    ['Policy type', 'Type of Bus', 'policyType'],
    ['Policy type', 'ProductCode', 'policyType'],
    ['House type', 'Structure', 'houseType'],
    ['House type', 'Home Style', 'houseType'],
    ['House type', 'Bldg', 'houseType'],
    ['House type', 'Asset Type', 'houseType'],
  ] as const)('reads %s under %s without a question', async (title, header, field) => {
    const { asked, payload } = await read({ [title]: header });
    expect([asked, payload?.[field]]).toEqual([[], ORDER_COLUMNS[title]]);
  });

  test('asks about a header that says more than "kind"', async () => {
    expect((await read({ Service: 'Prior Inspection' })).asked).toEqual([['Prior Inspection', 'serviceName']]);
  });

  test('asks about two columns of house types', async () => {
    const { asked } = await read({ 'House type': 'Structure' }, {}, { Style: 'Residential Condo' });
    expect(asked).toEqual([
      ['Structure', 'houseType'],
      ['Style', null],
    ]);
  });

  test('reads a code as its field if its words are unknown', async () => {
    const { asked, first } = await read({ 'Policy type': 'LOB_CD' }, { 'Policy type': 'ZQ' });
    expect([asked, first?.kind === 'rejection' && first.problems.map(({ rule }) => rule)]).toEqual([
      [],
      ['value-not-listed'],
    ]);
  });

  test.each([
    ['TRAN_TYP_CD', 'RB', true],
    ['JobSubtype', 'Renewal', true],
    ['PLTRAN', 'NB', undefined],
    ['Trans', 'R', undefined],
  ])('reads %s = %s as renewal: %s', async (header, held, expected) => {
    expect((await read({}, {}, { [header]: held })).payload?.isRenewal).toBe(expected);
  });

  test.each([
    ['Renewal', '1/9/2027', '', { policyEffectiveDate: '2027-01-09' }],
    ['Renewal', '1/9/2027', '2026-12-01', { policyEffectiveDate: '2026-12-01' }],
    ['Renewal', 'Yes', '2026-12-01', { policyEffectiveDate: '2026-12-01', isRenewal: true }],
  ])('reads %s over %s next to the date "%s"', async (header, held, date, expected) => {
    const titles = Object.keys(ORDER_COLUMNS);
    const title = titles.find((one) => /effective/i.test(one)) ?? '';
    const further = { [header]: held, ...(date === '' || title !== '' ? {} : { 'Effective date': date }) };
    const { payload } = await read(
      date === '' && title !== '' ? { [title]: 'Our own' } : {},
      { [title]: date },
      further,
    );
    const { policyEffectiveDate, isRenewal } = payload ?? {};
    expect({ policyEffectiveDate, ...(isRenewal === undefined ? {} : { isRenewal }) }).toEqual(expected);
  });

  test('asks whether a case number is the number of the inspection', async () => {
    const { asked } = await read({}, {}, { 'Case Number': '00023978' });
    expect(asked.map(([header]) => header)).toEqual(['Case Number']);
  });

  test('reads a header that says "kind" by most of its values', async () => {
    const titles = Object.keys(ORDER_COLUMNS);
    const header = titles.map((title) => (title === 'Policy type' ? 'Product' : title));
    const row = (product: string) => titles.map((title) => (title === 'Policy type' ? product : ORDER_COLUMNS[title]));
    const rows = ['HO3', 'HO5', 'Zzyzx'].map(row);
    const options = { headers: {}, today: '2026-11-01' };
    const reading = await readSource(inMemorySource({ S: [header, ...rows] }), 'orders.xlsx', options);
    expect(reading.questions).toEqual([]);
    expect((await collected(reading.rows())).map(({ kind }) => kind)).toEqual(['order', 'order', 'rejection']);
  });

  test('orders no canceled row under a column of renewals', async () => {
    const titles = Object.keys(ORDER_COLUMNS);
    const row = titles.map((title) => ORDER_COLUMNS[title] ?? '');
    const sheet = [
      [...titles, 'Status'],
      ...Array.from({ length: 40 }, () => [...row, 'Renewal']),
      [...row, 'Cancelled'],
    ];
    const reading = await readSource(inMemorySource({ S: sheet }), 'o.xlsx', { headers: {}, today: '2026-11-01' });
    expect((await collected(reading.rows())).at(-1)?.kind).toBe('rejection');
  });

  test('lists all unread columns of words if a required field has none', async () => {
    const { asked } = await read({ Service: 'Kwx' }, { Service: 'ZQ' }, { Premium: '1200', 'Cust Ref': 'A' });
    expect(asked).toEqual([
      ['Kwx', null],
      ['Cust Ref', null],
    ]);
  });

  test('asks about no column if only numbers are unread', async () => {
    const { asked, first } = await read(
      { Service: 'Kwx' },
      { Service: '17' },
      { Premium: '1200', Printed: '11/02/2026' },
    );
    expect([asked, first?.kind]).toEqual([[], 'rejection']);
  });

  test('takes no column only because a field has none', async () => {
    const { notes } = await read({ Service: 'Kwx' }, { Service: 'ZQ' }, {}, 'go');
    expect(notes.filter(({ code }) => code === 'layout-taken-as-proposed')).toEqual([]);
  });

  test('proposes the primary phone behind a producer as the insured’s', async () => {
    const { asked } = await read(
      { 'Insured name': 'Producer', 'Insured phone': 'Primary Phone', 'Policy number': 'Account Name' },
      {},
      { 'Pol #': 'HO-0048213' },
    );
    expect(asked).toContainEqual(['Primary Phone', 'insuredPhone']);
  });

  test('never reads an ignored agency address’s city as the property’s', async () => {
    const { City, State, 'ZIP code': zip, ...rest } = ORDER_COLUMNS;
    const sheet = {
      S: [
        ['Agency Address', 'City', 'State', 'ZIP code', ...Object.keys(rest)],
        ['1 Agency Plaza', City ?? '', State ?? '', zip ?? '', ...Object.values(rest)],
      ],
    };
    const options = { headers: { 'Agency Address': 'ignore' }, today: '2026-11-01' };
    const reading = await readSource(inMemorySource(sheet), 'o.xlsx', options);
    const [first] = await collected(reading.rows());
    expect(first?.kind === 'rejection' && first.problems.map(({ field }) => field)).toEqual([
      'city',
      'state',
      'zipcode',
    ]);
  });

  test.each([
    ['Homeowners (HO3, HO5)', 'Homeowners Insurance'],
    ['HO-3 / Homeowners', 'Homeowners Insurance'],
    ['Homeowners (vacant)', undefined],
  ])('reads the policy type %s as %s', async (held, expected) => {
    expect((await read({}, { 'Policy type': held })).payload?.policyType).toBe(expected);
  });
});

describe('readSource of a grouped report', () => {
  const { Service, ...rest } = ORDER_COLUMNS;
  const headers = ['Service ↑', ...Object.keys(rest)];
  const row = Object.values(rest);
  const rowsOf = async (...rows: readonly (readonly string[])[]) => {
    const source = inMemorySource({ S: [headers, ...rows] });
    const reading = await readSource(source, 'o.xlsx', { headers: {}, today: '2026-11-01' });
    return collected(reading.rows());
  };

  test('fills the group down to its subtotal, as a repair', async () => {
    const rows = await rowsOf([Service ?? '', ...row], ['', ...row], ['Subtotal', '2'], ['', ...row]);
    expect(rows.map((one) => (one.kind === 'order' ? one.payload.serviceName : one.kind))).toEqual([
      Service,
      Service,
      'rejection',
    ]);
    expect(rows[1]?.repairs.map(({ cell, held, sent }) => [cell, held, sent])).toContainEqual(['A3', '', Service]);
  });

  test('fills nothing in a column that is only sorted', async () => {
    const rows = await rowsOf([Service ?? '', ...row], ['', ...row]);
    expect(rows.map(({ kind }) => kind)).toEqual(['order', 'rejection']);
  });

  test('takes a page number with a date for no order', async () => {
    const rows = await rowsOf([Service ?? '', ...row], ['Page 1 of 2', '', '11/24/2026']);
    expect(rows.map(({ kind }) => kind)).toEqual(['order']);
  });

  test.each([
    ['Exterior', [], 'Exterior'],
    ['Roofs', ['ROOF INSPECTIONS - HOUSTON'], 'Roof Only'],
    ['Vacants', ['VACANT DWELLING LIST - EXTERIOR INSPECTIONS ONLY', 'updated 11/25/26'], 'Exterior'],
    ['Exterior', ['4-Point inspections'], undefined],
    ['S', ['Exterior, interior if over $500,000'], undefined],
    ['S', ['Exterior unless noted'], undefined],
    ['S', ['Roof and 4-Point'], undefined],
  ])('takes the service of the sheet %s under the titles %j', async (name, titles, service) => {
    const { Service: _, ...order } = ORDER_COLUMNS;
    const sheets = { [name]: [...titles.map((title) => [title]), Object.keys(order), Object.values(order)] };
    const reading = await readSource(inMemorySource(sheets), 'orders.xlsx', { headers: {}, today: '2026-11-01' });
    const [first] = await collected(reading.rows());
    expect(first?.kind === 'order' ? first.payload.serviceName : undefined).toBe(service);
  });
});
