import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import type { RowOutcome } from '../../../src/domain/row.ts';
import { writeCorrectionsWorkbook } from '../../../src/intake/corrections/corrections.ts';
import { readOrderFile, readSource } from '../../../src/intake/read-orders.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const OPTIONS = { headers: {}, today: '2026-10-15' } as const;
const HEADERS = [
  'Policy #',
  'Address',
  'City',
  'ST',
  'Zip',
  'Service',
  'Policy Type',
  'House Type',
  'Named Insured',
  'Insured Phone',
  'Insured Email',
];
const ROW: readonly CellLike[] = [
  'HO-1',
  '118 Oak Ridge Ln',
  'Tampa',
  'FL',
  '33609',
  '4-Point',
  'Homeowners Insurance',
  'Residential Condo',
  'Marisol Vega',
  '813-555-0142',
  'm@example.com',
];

function ruled(outcome: RowOutcome): string {
  if (outcome.kind === 'rejection')
    return `back: ${outcome.problems
      .filter(({ severity }) => severity === 'error')
      .map(({ rule }) => rule)
      .join(' ')}`;
  return ['sent', ...outcome.warnings.map(({ rule }) => rule)].join(' ');
}

async function rows(headers: readonly string[], ...held: readonly (readonly CellLike[])[]): Promise<RowOutcome[]> {
  return collected((await readSource(inMemorySource({ Orders: [headers, ...held] }), 'orders.xlsx', OPTIONS)).rows());
}

const withValue = (header: string, value: CellLike): readonly CellLike[] =>
  ROW.map((held, index) => (HEADERS[index] === header ? value : held));

async function one(header: string, value: CellLike): Promise<string> {
  const known = HEADERS.includes(header);
  const [outcome] = await rows(
    known ? HEADERS : [...HEADERS, header],
    known ? withValue(header, value) : [...ROW, value],
  );
  return outcome === undefined ? 'nothing' : ruled(outcome);
}

async function messages(header: string, value: CellLike): Promise<string> {
  const known = HEADERS.includes(header);
  const [outcome] = await rows(
    known ? HEADERS : [...HEADERS, header],
    known ? withValue(header, value) : [...ROW, value],
  );
  return outcome?.kind === 'rejection' ? outcome.problems.map(({ message }) => message).join('\n') : '';
}

test.each([
  ['Same as mailing', 'back: value-elsewhere'],
  ['same as above', 'back: value-ditto'],
  ['various', 'back: value-elsewhere'],
  ['Various locations', 'back: value-elsewhere'],
  ['See notes', 'back: value-elsewhere'],
  ['(see attached)', 'back: value-elsewhere'],
  ['per SOV', 'back: value-elsewhere'],
  ['Multiple locations - see SOV', 'back: value-elsewhere'],
  ['12', 'back: street-number-only'],
  ['12 B', 'back: street-number-only'],
  ['x', 'back: street-number-only'],
  ['TBD', 'back: required-placeholder'],
  ['TBD Lot 5 Heron Way', 'back: value-elsewhere'],
  ['tbd - new construction', 'back: value-elsewhere'],
  ['address to follow', 'back: value-elsewhere'],
  ['N/A - see file', 'back: value-elsewhere'],
  ['12 B St', 'sent'],
  ['12 Tbdale Rd', 'sent'],
  ['4 Address Ln', 'sent'],
  ['7 Avenue N', 'sent'],
  ['118-120', 'back: street-number-only'],
  ['PO Box 12', 'back: street-po-box'],
  ['P.O. BOX 4471-B', 'back: street-po-box'],
  ['Post Office Box 7', 'back: street-po-box'],
  ['118 Oak Ridge Ln, PO Box 12', 'sent street-po-box'],
  ['Oak Ridge Ln', 'sent street-without-number'],
  ['APT 4', 'sent street-without-number'],
  ['Hwy 61 South', 'sent street-without-number'],
  ['Hwy 61 Mile 4', 'sent'],
  ['12 Hwy 61', 'sent'],
  ['RR 2 Box 12', 'sent'],
  ['One Beacon Street', 'sent'],
  ['Corner of Elm and Oak', 'sent street-without-number'],
  ['12 Main St aka 14 Main St', 'sent street-two-houses'],
  ['118 Various Way', 'sent'],
])('reads the street %s as %s', async (street, expected) => {
  expect(await one('Address', street)).toBe(expected);
});

test('rejects a city or insured written elsewhere, but accepts Many', async () => {
  expect(await one('City', 'Various')).toBe('back: value-elsewhere');
  expect(await one('Named Insured', 'See SOV')).toBe('back: value-elsewhere');
  expect(await one('Named Insured', 'Multiple Properties LLC')).toBe('sent');
  expect(await one('City', 'Many')).toBe('sent');
});

test.each(['5-Mar', '12-Jan', 'Mar-05', 'DEC-12', '5-Mar-26', '3/5/2026'])(
  'refuses the policy number %s, which was a date',
  async (number) => {
    expect(await one('Policy #', number)).toBe('back: id-became-date');
  },
);

test.each(['MAR-5', 'MAR-0512', 'FR-77/2026', '1-2-3', 'HO-05-Mar-1', '12/345', 'May-2026'])(
  'accepts the policy number %s',
  async (number) => {
    expect(await one('Policy #', number)).toBe('sent');
  },
);

test.each([
  ['Status', 'CANCELLED', 'back: row-withdrawn'],
  ['Status', 'Canceled 10/2', 'back: row-withdrawn'],
  ['Status', 'void', 'back: row-withdrawn'],
  ['Request status', 'VOID - see new row', 'back: row-withdrawn'],
  ['Order?', 'do not order', 'back: row-withdrawn'],
  ['Order?', 'Don’t inspect', 'back: row-withdrawn'],
  ['Order status', 'On hold', 'back: row-withdrawn'],
  ['Action', 'delete', 'back: row-withdrawn'],
  ['Remarks 2', 'Do not order - sold', 'back: row-withdrawn'],
  ['Remarks 2', 'cancelled', 'back: row-withdrawn'],
  ['Flood coverage', 'Rejected', 'sent'],
  ['Prior policy status', 'Cancelled', 'sent row-perhaps-done'],
  ['Cancelled or non-renewed in the last 3 years?', 'Yes', 'sent'],
  ['Cancelled?', 'Yes', 'back: row-withdrawn'],
  ['Cancelled?', 'x', 'back: row-withdrawn'],
  ['Cancelled?', { kind: 'boolean', value: true }, 'back: row-withdrawn'],
  ['Cancelled?', 'No', 'sent'],
  ['Note', 'DO NOT ORDER', 'back: row-withdrawn'],
  ['Note', 'CANCELLED', 'back: row-withdrawn'],
  ['Note', 'Cancelled the last visit, call again', 'sent row-perhaps-done'],
  ['Note', 'Cancel if nobody is at home after three attempts', 'sent'],
  ['Note', 'Hold the dog', 'sent'],
  ['Policy status', 'Lapsed', 'back: row-withdrawn'],
  ['Status', 'Ordered', 'back: row-withdrawn'],
  ['Deleted', 'F', 'sent'],
  ['Active', 'Y', 'sent'],
  ['Named Insured', 'Ann Example', 'sent'],
  ['Named Insured', 'Samples Roofing LLC', 'sent'],
  ['Status', 'Active', 'sent'],
  ['Roof condition', 'completed 2019', 'sent'],
] as const)('reads %s: %o as %s', async (header, value, expected) => {
  expect(await one(header, value)).toBe(expected);
});

test('rejects a row for a word outside the table, unless ignored', async () => {
  expect(ruled((await rows(HEADERS, [...ROW, undefined, 'CANCELLED']))[0] as RowOutcome)).toBe('back: row-withdrawn');
  const source = inMemorySource({
    Orders: [
      [...HEADERS, 'Status'],
      [...ROW, 'CANCELLED'],
    ],
  });
  const [outcome] = await collected(
    (await readSource(source, 'orders.xlsx', { ...OPTIONS, headers: { Status: 'ignore' } })).rows(),
  );
  expect(outcome?.kind).toBe('order');
});

test('rejects a struck row or required cell until somebody decides', async () => {
  await using folder = await temporaryFolder();
  const book = new exceljs.Workbook();
  const sheet = book.addWorksheet('Orders');
  sheet.addRows([HEADERS, ROW, withValue('Policy #', 'HO-2'), withValue('Policy #', 'HO-3')]);
  sheet.getRow(2).eachCell((cell) => {
    cell.font = { strike: true };
  });
  sheet.getCell('B3').font = { strike: true };
  const path = join(folder.path, 'orders.xlsx');
  await book.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
  const read = async (
    file: string,
  ): Promise<
    readonly { readonly outcome: RowOutcome; readonly layouts: Awaited<ReturnType<typeof readOrderFile>>['layouts'] }[]
  > => {
    await using reading = await readOrderFile(file, 'orders.xlsx', OPTIONS);
    return (await Array.fromAsync(reading.rows())).map((outcome) => ({ outcome, layouts: reading.layouts }));
  };
  const first = await read(path);
  expect(first.map(({ outcome }) => ruled(outcome))).toEqual(['back: row-struck-out', 'back: cell-struck-out', 'sent']);
  const back = first.flatMap(({ outcome }) => (outcome.kind === 'rejection' ? [outcome] : []));
  const fixed = join(folder.path, 'fixed.xlsx');
  await writeCorrectionsWorkbook(fixed, {
    file: { name: 'orders.xlsx', hash: 'a'.repeat(64) },
    layouts: first[0]?.layouts ?? [],
    rows: async function* () {
      yield* await Promise.resolve(back);
    },
  });
  expect((await read(fixed)).map(({ outcome }) => ruled(outcome))).toEqual([
    'back: row-struck-out',
    'back: cell-struck-out',
  ]);
});

test('sends a value written as a CSV formula with a repair', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'orders.csv');
  const line = [
    '="0012345"',
    '118 Oak Ridge Ln',
    'Boston',
    'MA',
    '"=""02139"""',
    '4-Point',
    'Homeowners Insurance',
    'Residential Condo',
    '="Marisol Vega"',
    '813-555-0142',
    'm@example.com',
  ];
  await writeFile(path, `${HEADERS.join(',')}\n${line.join(',')}\n`);
  await using reading = await readOrderFile(path, 'orders.csv', OPTIONS);
  const [outcome] = await Array.fromAsync(reading.rows());
  expect(outcome).toMatchObject({
    kind: 'order',
    payload: { policyNumber: '0012345', zipcode: '02139', insuredName: 'Marisol Vega' },
  });
  expect(outcome?.repairs.map(({ field, held, sent }) => [field, held, sent])).toEqual([
    ['policyNumber', '="0012345"', '0012345'],
    ['zipcode', '="02139"', '02139'],
    ['insuredName', '="Marisol Vega"', 'Marisol Vega'],
  ]);
});

test('sends a note with all its lines', async () => {
  const note = 'Gate code 4410;\ntwo dogs.\n\nCall\tfirst';
  const [outcome] = await rows([...HEADERS, 'Note'], [...ROW, note]);
  expect(outcome).toMatchObject({ kind: 'order', payload: { note }, repairs: [] });
});

test('describes a nearly empty line in one sentence', async () => {
  const outcomes = await rows(
    HEADERS,
    ROW,
    [undefined, 'HOMEOWNERS'],
    [undefined, 'COMMERCIAL'],
    ['HO-9', '9 Ware St'],
  );
  expect(
    outcomes.slice(1).map((outcome) => (outcome.kind === 'rejection' ? outcome.problems.map(codeAndFacts) : [])),
  ).toEqual([
    ['row-hardly-filled 3 B3 "HOMEOWNERS"'],
    ['row-hardly-filled 4 B4 "COMMERCIAL"'],
    ['row-hardly-filled 5 A5 "HO-9" B5 "9 Ware St"'],
  ]);
});

test('describes the problem in words that fit the cell', async () => {
  expect(await messages('Service', '4-Point / Roof Only')).toMatch(/"4-Point" and "Roof Only"/);
  expect(await messages('Service', 'Roof cert')).toContain(' "Roof Only"?');
  expect(
    await messages('Policy #', { kind: 'number', value: 123_456_789_012, raw: '123456789012', format: '0.00E+00' }),
  ).toContain('shows "1.23E+11" (it holds 123456789012)');
  expect(
    await messages('Policy #', { kind: 'number', value: 123_456_789_012, raw: '123456789012', format: '0.00E+00' }),
  ).not.toMatch(/recovered|lost/);
});

test('asks about an unknown header over policy types', async () => {
  const table = [HEADERS, ROW].map((cells) => cells.map((cell) => (cell === 'Policy Type' ? 'Old Bucket' : cell)));
  const { questions } = await readSource(inMemorySource({ Orders: table }), 'orders.xlsx', OPTIONS);
  expect(questions.flatMap(({ columns }) => columns)).toMatchObject([
    { header: 'Old Bucket', proposal: 'policyType', code: 'header-unknown', holds: true },
  ]);
});

test('asks about a phone that could be the agent’s', async () => {
  const without = (cells: readonly CellLike[]) => cells.filter((_, index) => HEADERS[index] !== 'Insured Phone');
  const table = [
    [...without(HEADERS), 'Agent name', 'Phone'],
    [...without(ROW), 'Dana Whitlock', '813-555-0142'],
  ];
  const { questions } = await readSource(inMemorySource({ Orders: table }), 'orders.xlsx', OPTIONS);
  expect(questions.flatMap(({ columns }) => columns)).toMatchObject([
    { letter: 'L', header: 'Phone', proposal: 'agentPhone', code: 'header-unclear', holds: true },
  ]);
});

test.each([
  ['$-', undefined],
  ['$ -', undefined],
  ['$ -   ', undefined],
  ['$1.2M', 1_200_000],
  ['1.2 mil', 1_200_000],
  ['$2MM', 2_000_000],
  ['20M', 20_000_000],
  ['150MM', 150_000_000],
  ['350k', 350_000],
  ['350K', 350_000],
  ['1.250k', 1250],
] as const)('reads the amount %s as %s', async (held, expected) => {
  const [outcome] = await rows([...HEADERS, 'Cov C'], [...ROW, held]);
  expect(outcome).toMatchObject({ kind: 'order', repairs: [{ field: 'contentCoverage' }] });
  expect(outcome?.kind === 'order' && outcome.payload.contentCoverage).toBe(expected);
});

test.each(['21M', '150M', '$150 m', '350M'])('asks whether %s means million or thousand', async (held) => {
  expect(await one('Cov A', held)).toBe('back: amount-ambiguous');
});

test('rejects a negative amount', async () => {
  expect(await one('Cov A', '($350)')).toBe('back: amount-negative');
});

test.each([
  ['Thu 11/5/2026', '2026-11-05'],
  ['Tue 11/5/2026', undefined],
  ['Tuesday, 11/5/2026', undefined],
  ['Mon, 5/11/2026', '2026-05-11'],
  ['11 / 25 / 2026', '2026-11-25'],
  ['11 / 5 / 2026', '2026-11-05'],
  ['11052026', '2026-11-05'],
  ['11252026', '2026-11-25'],
  ['5112026', '2026-05-11'],
  ['1112026', undefined],
  [{ kind: 'number', value: 11_252_026, raw: '11252026' }, '2026-11-25'],
  [{ kind: 'number', value: 11_052_026, raw: '11052026' }, '2026-11-05'],
  ['Thursday, November 5, 2026', '2026-11-05'],
  ['Wednesday, November 5, 2026', undefined],
] as const)('reads the date %o as %s', async (held, expected) => {
  const [outcome] = await rows([...HEADERS, 'Eff Date'], [...ROW, held]);
  expect(outcome?.kind === 'order' ? outcome.payload.policyEffectiveDate : undefined).toBe(expected);
});

test.each([
  ['Due Date', '12/5'],
  ['Due Date', 'Jul 5'],
  ...['12/5', 'Dec 5', 'December 5th', '5-Dec', '15 Dec'].map((held) => ['Eff Date', held] as const),
] as const)('says that a date has no year: %s %s', async (header, held) => {
  expect(await one(header, held)).toBe('back: date-format');
  expect(await messages(header, held)).toContain('no year');
});

test.each(['EOM', '12/15/26 (firm)', 'Week 50 2026'])('says no such thing of %s', async (held) => {
  expect(await messages('Due Date', held)).toContain('not a date');
});

test.each([
  ['Due Date', 'ASAP', 'sent value-not-known'],
  ['Due Date', 'RUSH', 'sent value-not-known'],
  ['Eff Date', 'ASAP', 'back: date-format'],
])('reads %s = %s: %s', async (header, held, expected) => {
  expect(await one(header, held)).toBe(expected);
});

test.each(['12/5/26', 'Dec 5, 2026', '5-Dec-26'])('reads the due date %s', async (held) => {
  const [outcome] = await rows([...HEADERS, 'Due Date'], [...ROW, held]);
  expect(outcome?.kind === 'order' && outcome.payload.dueDate).toBe('2026-12-05');
});

test.each([
  ['Farm & Ranch', 'Farm dwelling', 'back: value-not-listed'],
  ['Farmowners', 'Farmhouse', 'back: value-not-listed'],
  ['Farmowners', 'Barn', 'sent Other'],
  ['Farmowners', 'SFR', 'back: house-type-of-policy-type'],
  ['Farmowners', 'Restaurant', 'back: house-type-of-policy-type'],
  ['HO3', 'Farmhouse', 'back: value-not-listed'],
  ['HO3', 'Barn', 'sent Other'],
])('reads for the policy type %s the house type %s: %s', async (policyType, houseType, expected) => {
  const held = ROW.map((cell, at) =>
    HEADERS[at] === 'Policy Type' ? policyType : HEADERS[at] === 'House Type' ? houseType : cell,
  );
  const [outcome] = await rows(HEADERS, held);
  expect(outcome?.kind === 'order' ? `sent ${outcome.payload.houseType}` : outcome && ruled(outcome)).toBe(expected);
});
