import { describe, expect, test } from 'vitest';
import { readSource } from '../../../src/intake/read-orders.ts';
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
    expect(asked).toEqual([['=policyType=', null]]);
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
