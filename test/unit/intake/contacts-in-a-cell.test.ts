import { describe, expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

const PEOPLE = ['Ann Lee', 'Bob Stone', 'Carl Diaz'];

/** What each row sends for the insured, of a table in which this column is in place of these others. */
async function contacts(header: string, cells: readonly string[], without: readonly string[]) {
  const columns = Object.entries(ORDER_COLUMNS).filter(([name]) => !without.includes(name));
  const rows = cells.map((cell) => [...columns.map(([, text]) => text), cell]);
  const source = inMemorySource({ Orders: [[...columns.map(([name]) => name), header], ...rows] });
  const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-10-15' });
  return (await collected(reading.rows())).map((outcome) =>
    outcome.kind === 'order'
      ? [outcome.payload.insuredName, outcome.payload.insuredPhone, outcome.payload.insuredEmail]
      : outcome.problems.map(({ rule }) => rule),
  );
}

const OWN = ORDER_COLUMNS['Insured name'];
const REACHED = ['Insured phone', 'Insured email'];

describe('a cell of several contacts', () => {
  test.each([
    ['Contact Info', (at: number) => `813-555-014${at}\na${at}@x.com`],
    ['Contact', (at: number) => `813-555-014${at} / a${at}@x.com`],
    ['Phone / email', (at: number) => `813-555-014${at} / a${at}@x.com`],
    ['Client contact details', (at: number) => `Cell: 813-555-014${at}\nEmail: a${at}@x.com`],
  ])('is a phone and an e-mail address under %s', async (header, cell) => {
    const sent = PEOPLE.map((_, at) => [OWN, `813-555-014${at}`, `a${at}@x.com`]);
    expect(await contacts(header, [0, 1, 2].map(cell), REACHED)).toEqual(sent);
  });

  test('is a name as well, if no column has it', async () => {
    const cells = PEOPLE.map((name, at) => `${name} / 813-555-014${at} / a${at}@x.com`);
    const sent = PEOPLE.map((name, at) => [name, `813-555-014${at}`, `a${at}@x.com`]);
    expect(await contacts('Contact', cells, [...REACHED, 'Insured name'])).toEqual(sent);
  });

  test('fills only what has no column', async () => {
    const cells = PEOPLE.map((_, at) => `813-555-014${at} / a${at}@x.com`);
    const sent = PEOPLE.map((_, at) => [OWN, ORDER_COLUMNS['Insured phone'], `a${at}@x.com`]);
    expect(await contacts('Contact', cells, ['Insured email'])).toEqual(sent);
  });

  test('goes back if one of them is missing', async () => {
    const cells = ['813-555-0140 / a0@x.com', '813-555-0141', '813-555-0142 / a2@x.com'];
    expect((await contacts('Contact', cells, REACHED))[1]).toEqual(['required-empty']);
  });

  test("is not read if it is an agent's", async () => {
    const cells = PEOPLE.map((_, at) => `813-555-014${at} / a${at}@x.com`);
    const missing = ['required-column-missing', 'required-column-missing'];
    expect(await contacts('Agent contact', cells, REACHED)).toEqual([missing, missing, missing]);
  });
});

describe('a cell of a policy number and its date', () => {
  async function sent(...cells: readonly string[]) {
    const columns = Object.entries(ORDER_COLUMNS).filter(([name]) => !/^policy (?:number|effective)/i.test(name));
    const rows = cells.map((cell) => [...columns.map(([, text]) => text), cell]);
    const source = inMemorySource({ Orders: [[...columns.map(([name]) => name), 'Policy / Eff'], ...rows] });
    const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-10-15' });
    return (await collected(reading.rows())).map((outcome) =>
      outcome.kind === 'order'
        ? [outcome.payload.policyNumber, outcome.payload.policyEffectiveDate]
        : outcome.problems.map(({ rule }) => rule),
    );
  }

  test('is both, by the other dates of the column', async () => {
    expect(await sent('HO-1\n12/18/2026', 'HO 2\n12/7/2026', 'HO-3 / 1/9/2027', 'HO-4 01/22/2027')).toEqual([
      ['HO-1', '2026-12-18'],
      ['HO 2', '2026-12-07'],
      ['HO-3', '2027-01-09'],
      ['HO-4', '2027-01-22'],
    ]);
  });

  test('goes back without a date', async () => {
    const dated = ['HO-1\n12/18/2026', 'HO-2\n12/17/2026', 'HO-3\n12/16/2026'];
    expect((await sent(...dated, 'HO-4', 'HO-5 TBD')).slice(3)).toEqual([['date-format'], ['date-format']]);
  });
});
