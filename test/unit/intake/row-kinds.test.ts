import { expect, test } from 'vitest';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

const HEADERS = [
  'Policy #',
  'Insured name',
  'Insured phone',
  'Insured email',
  'Address',
  'City',
  'State',
  'Zip',
  'Service',
  'Policy type',
  'House type',
  'Cov A',
  'Row',
  'Note',
];

/** What becomes of one row below the header: rejected, or the note about it. */
async function outcomeOf(cells: Readonly<Record<string, string | number>>, headers = HEADERS): Promise<string> {
  const row = headers.map((header) => cells[header]);
  const reading = await readSource(inMemorySource({ S: [['Orders for November'], headers, row] }), 'orders.xlsx', {
    headers: {},
    today: '2026-10-15',
  });
  const outcomes = await collected(reading.rows());
  return (
    outcomes[0]?.kind ??
    reading.notes.map(codeAndFacts).find((line) => line.startsWith('rows-') && line.includes(' 3')) ??
    'lost'
  );
}

test.each([
  [{ 'House type': 'Page 1 of 3' }],
  [{ 'Insured name': 'Agency: Smith & Sons' }],
  [{ 'Insured name': '*** END OF REPORT ***' }],
  [{ 'Insured name': '# of orders: 3' }],
  [{ 'Insured name': '3 rows selected.' }],
  [{ 'Insured name': '-----', City: '-----' }],
  [{ 'Insured name': 'Orders for November' }],
  [{ 'Policy #': 'RENEWALS' }],
  [{ 'Policy #': 'DECEMBER 2026' }],
  [{ 'Insured name': 'RENEWALS' }],
  [{ 'Insured name': 'Late additions' }],
  [{ 'Insured name': '*** Second batch ***' }],
  [{ 'Insured name': '*** please rush these ***' }],
  [{ 'Insured name': ',' }],
  [{ Row: 5, State: 'FL', Service: '4-Point', 'Policy type': 'Homeowners', 'House type': 'Single Family' }],
  [{ Row: 17 }],
  [{ 'Policy #': '(2 rows affected)' }],
  [{ 'Policy #': 'Orders for November', Note: 'Page 2 of 2' }],
  [{ 'Policy #': 'Orders for November (Page 2 of 2)' }],
  [{ 'Policy #': 'Questions? Call Ann 813-555-0199' }],
  [{ 'Policy #': 'Report Date:', 'Insured name': '11/23/2026' }],
  [{ 'Policy #': 'User:', 'Insured name': 'ann' }],
  [{ 'Policy #': 'Run by:', 'Insured name': 'Ann Lee', 'Insured phone': '11/23/2026' }],
  [{ 'Insured name': '(1 row affected)' }],
  [{ 'Policy #': 'Week of Nov 23' }],
  [{ 'Insured name': 'Week of Nov 23' }],
  [{ 'Insured name': 'Printed on 11/23/2026' }],
  [{ 'Policy #': 'Generated: 11/23/2026 8:02 AM' }],
  [{ 'Insured name': '11/23/2026 8:02:11 AM' }],
  [{ 'Insured name': 'End of report' }],
  [{ 'Insured name': 'CONFIDENTIAL' }],
  [{ 'Insured name': 'This report contains confidential information.' }],
  [{ 'Insured name': 'Please call with any questions' }],
  [{ Service: 'Values shown are as of the close of business' }],
  [{ 'Insured name': 'Prepared for Smith Agency' }],
  [{ 'Insured name': 'Legend:' }],
  [{ 'Policy #': 'Color key' }],
  [{ 'Policy #': 'New 2026 orders from Smith' }],
  [{ 'Insured name': 'Inspect only these homes' }],
  [{ 'Insured name': 'December' }],
  [{ 'Insured name': 'HO3' }],
  [{ 'Insured name': '4 Point Inspections' }],
  [{ 'Insured name': 'Exterior' }],
  [{ 'Insured name': 'High priority' }],
  [{ 'Insured name': 'Batch 1' }],
  [{ 'Insured name': 'yellow = rush' }],
  [{ 'Insured name': 'cc: underwriting' }],
  [{ 'Insured name': 'Legend: green = done' }],
  [{ 'Insured name': 'Filters: Status equals Bound' }],
  [{ 'Insured name': 'Please order ASAP' }],
  [{ 'Insured name': 'Thanks, Pam' }],
  [{ 'Policy #': 'Printed by: SBURKE', City: 'Page 1 of 1' }],
  [{ 'Insured name': 'Inspections needed (continued)', City: 'Page 2 of 2' }],
  [{ 'Insured name': 'Office 706-555-0190 ext 12' }],
  [{ 'Insured name': 'Cell: (706) 555-0190' }],
  [{ 'Insured name': 'Personal Lines Manager' }],
  [{ 'Insured name': 'Lone Star Risk Advisors' }],
  [{ 'Policy #': 'Inspections to order this week' }],
  [{ 'Insured name': 'required', 'Policy #': 'MM/DD/YYYY', State: '2 letters', Service: 'see list' }],
  [{ 'Policy #': 'max 20 char', Address: 'unit, apt', State: '2 letters', Zip: '5 digits', Note: 'no commas' }],
  [{ 'Policy #': 'Number of risks: 8' }],
  [{ 'House type': 'N = new  R = renewal' }],
  [{ 'Insured name': 'Marge Dillon, Underwriting Asst' }],
  [{ 'Insured name': 'Ph 615-555-2000' }],
  [{ 'Insured name': '** called 11/24, no answer - try after 5 **' }],
  [{ 'Insured name': '   insured is out of town until 12/8' }],
])('finds no order in %o', async (cells) => {
  expect(await outcomeOf(cells)).toMatch(/^rows-no-orders "S" 3 "/);
});

test.each([
  [{ 'Policy #': 'TOTAL ', Service: '6 orders', 'Cov A': 2_100_000 }],
  [{ 'Policy #': 'Total', 'Insured name': '3 orders' }],
  [{ 'Insured name': 'Subtotal Smith & Sons', City: 2, 'Cov A': 800_000 }],
  [{ 'Insured name': 'Dana Ruiz Total', 'Cov A': 1_250_000 }],
  [{ 'Policy #': 'Total', Zip: 1234 }],
  [{ 'Policy #': '7 total', 'Insured name': 'mb 11/25' }],
  [{ 'Insured name': '(4 properties)' }],
  [{ 'Policy #': 'TRL', 'Insured name': '000000009' }],
  [{ 'Insured name': 'T', Zip: '000010' }],
  [{ 'Policy #': 'Grand Totals (8 records)' }],
  [{ 'Policy #': 'TOTAL COUNT:', Address: '7' }],
  [{ 'Insured name': 'Total count: 7' }],
  [{ 'Policy #': 'TOT', Note: '8 records' }],
  [{ 'Policy #': '7 policies' }],
  [{ 'Insured name': '8 items' }],
  [{ 'Insured name': '7 inspections' }],
])('finds a total in %o', async (cells) => {
  expect(await outcomeOf(cells)).toBe('rows-totals "S" 3');
});

test.each([
  [{ 'Policy #': 'Total', 'Insured name': '3 Brothers LLC' }],
  [{ 'Insured name': 'Total Wine LLC' }],
  [{ 'Policy #': '7 total', 'Insured name': 'Mb Nash' }],
  [{ 'Policy #': 'HO-7', Note: 'Page 2 of 2' }],
  [{ 'Insured name': 'Orders for November', Zip: 33_609 }],
  [{ 'Insured name': 'Rosa Total', 'Insured phone': 8135550142 }],
  [{ State: 'FL', Service: '4-Point', City: 'Tampa' }],
  [{ 'Insured name': 'Agency: Smith', City: 'Tampa' }],
  [{ 'Insured name': 'Total', Zip: 12_345 }],
  [{ 'Insured name': '7 Risks LLC' }],
  [{ 'Insured name': 'Called Home Trust LLC', Address: '7 Elm Street' }],
  [{ 'Policy #': '7 policies', Zip: 33_609 }],
  [{ 'Insured name': 'required', Address: '7 Elm Street', State: '2 letters', Service: 'see list' }],
  [{ 'Policy #': 'HO 123 456 789' }],
  [{ City: 'City' }],
  [{ 'Insured name': 'Report Date:', 'Insured phone': '11/23/2026' }],
  [{ 'Policy #': 'HO-1', 'Insured name': 'Ann Lee', Address: '12 Oak St', City: 'City', Zip: 33_609, 'Cov A': 1 }],
  [{ Note: 'Total living area is on the declarations page' }],
  [{ Note: 'End of report' }],
  [{ 'Policy #': 'HO-1' }],
  [{ 'Policy #': 'TBD' }],
  [{ 'Insured name': 'Confidential Investigations LLC' }],
  [{ 'Insured name': 'Smith Advisors Trust' }],
  [{ 'Insured phone': '706-555-0190' }],
  [{ 'Insured name': 'required' }],
  [{ 'Insured name': 'Week Maria' }],
  [{ 'Insured name': 'April' }],
  [{ 'Insured name': 'House' }],
  [{ 'Insured name': 'Virginia' }],
  [{ 'Insured name': 'Texas Hold LLC' }],
  [{ 'Insured name': 'Rush, Amy' }],
  [{ 'Insured name': 'Batch Family Trust' }],
  [{ 'Insured name': 'Ann Lee: 813-555-0142' }],
  [{ 'Insured name': '12:30 Club LLC' }],
  [{ 'Insured name': 'The Estate of John Smith and the heirs of Ann' }],
  [{ 'Insured name': 'maria de la cruz gonzalez' }],
  [{ 'Insured name': 'Maria gonzalez lopez' }],
  [{ 'Policy #': 'Report Date:', 'Insured name': 'Ann Lee', Address: '7 Elm Street', City: 'Tampa' }],
  [{ 'Insured name': 'Page, Robert' }],
  [{ Service: '4-Point' }],
  [{ Note: 'Please call before you come, the dog bites' }],
  [{ Address: '7 Elm Street' }],
  [{ 'Insured name': 'Subtotal Smith', Address: '7 Elm Street' }],
])('rejects %o, which may be an order', async (cells) => {
  expect(await outcomeOf(cells)).toBe('rejection');
});

test.each([
  ['two years', ['Address', 'City', 'State', 'Zip', 'Policy Number', 'Insured', '2025 premium', '2026 premium'], true],
  ['three figures', ['Address', 'City', 'State', 'Zip', 'Policy Number', 'Insured', '2025', '2026', '2027'], false],
])('with %s, recognizes whether a row heads a second table', async (_holds, cells, isHeader) => {
  const sheet = [HEADERS, cells];
  const reading = await readSource(inMemorySource({ S: sheet }), 'a.xlsx', { headers: {}, today: '2026-10-15' });
  const [outcome] = await collected(reading.rows());
  const rules = outcome?.kind === 'rejection' ? outcome.problems.map(({ rule }) => rule) : [];
  expect(rules.includes('second-table')).toBe(isHeader);
});

test('quotes a line without an order in a note', async () => {
  const line = await outcomeOf({ 'Policy #': '(2 rows affected)' });
  expect(line).toBe('rows-no-orders "S" 3 "(2 rows affected)"');
});

test.each([{ Row: 17 }, { Row: 5, State: 'FL', Service: '4-Point' }])(
  'rejects %o if a required field has no column',
  async (cells) => {
    const headers = HEADERS.filter((header) => header !== 'Insured name');
    expect(await outcomeOf(cells, headers)).toBe('rejection');
  },
);

test('quotes the lines of a legend in a note', async () => {
  const legend = [['Legend'], ['Yellow', 'on hold'], ['Green - rush']];
  const reading = await readSource(
    inMemorySource({ S: [HEADERS, ...legend, [undefined, 'Ann Lee', '813-555-0142']] }),
    'a.xlsx',
    {
      headers: {},
      today: '2026-10-15',
    },
  );
  const outcomes = await collected(reading.rows());
  expect(outcomes.map(({ record }) => record.place.rowNumber)).toEqual([5]);
  expect(reading.notes.map(codeAndFacts)).toEqual([
    'column-unknown "S" M "Row"',
    'rows-no-orders "S" 2 3 4 "Legend" "Yellow on hold" "Green - rush"',
  ]);
});

test('notes a header that is repeated in part', async () => {
  expect(await outcomeOf({ 'Policy #': 'Policy #', 'Insured name': 'Insured name' })).toBe('rows-repeat-header "S" 3');
});

test('skips a short legend line with a small number', async () => {
  const sheet = [HEADERS, ['Legend'], ['Yellow - 24 h']];
  const reading = await readSource(inMemorySource({ S: sheet }), 'a.xlsx', { headers: {}, today: '2026-10-15' });
  expect(await collected(reading.rows())).toEqual([]);
});

test('describes a row of two cells by one problem', async () => {
  const sheet = [HEADERS, HEADERS.map((header) => ({ Address: '7 Elm Street', City: 'Tampa' })[header])];
  const reading = await readSource(inMemorySource({ S: sheet }), 'a.xlsx', { headers: {}, today: '2026-10-15' });
  const [outcome] = await collected(reading.rows());
  expect(outcome).toMatchObject({ kind: 'rejection', problems: [{ rule: 'row-hardly-filled', cell: 'E2' }] });
});

test('describes a row of three cells by its fields', async () => {
  const cells: Readonly<Record<string, string>> = { Address: '7 Elm Street', City: 'Tampa', State: 'FL' };
  const sheet = [HEADERS, HEADERS.map((header) => cells[header])];
  const reading = await readSource(inMemorySource({ S: sheet }), 'a.xlsx', { headers: {}, today: '2026-10-15' });
  const [outcome] = await collected(reading.rows());
  expect(outcome?.kind === 'rejection' && outcome.problems.length).toBe(7);
});

test('warns of a value behind the last header, an address', async () => {
  const cells = {
    'Policy #': 'HO-1',
    'Insured name': 'Ann Lee',
    'Insured phone': '813-555-0142',
    'Insured email': 'ann@insured.example',
    Service: '4-Point',
    'Policy type': 'Homeowners Insurance',
    'House type': 'Residential Single Family',
    Address: '118 Oak Ridge Ln',
    City: 'Tampa',
    State: 'FL',
    Zip: '33609',
  };
  const sheet = [Object.keys(cells), [...Object.values(cells), 'beside']];
  const reading = await readSource(inMemorySource({ S: sheet }), 'a.xlsx', { headers: {}, today: '2026-10-15' });
  const [outcome] = await collected(reading.rows());
  expect(outcome).toMatchObject({ kind: 'order', warnings: [{ cell: 'L2' }] });
});

test('leaves out what somebody does below the rows, and gives back a name alone', async () => {
  const headers = Object.keys(ORDER_COLUMNS);
  const order = Object.values(ORDER_COLUMNS);
  const read = async (...lines: readonly (readonly string[])[]) => {
    const reading = await readSource(inMemorySource({ S: [headers, order, ...lines] }), 'a.csv', {
      headers: {},
      today: '2026-11-01',
    });
    const kinds = (await collected(reading.rows())).map(({ kind, record }) => `${record.place.rowNumber} ${kind}`);
    return [kinds, reading.notes.filter(({ code }) => code === 'rows-no-orders').length];
  };
  expect(await read(['Commercial & Personal Lines CSR'])).toEqual([['2 order'], 1]);
  expect(await read(['Carol Jimenez'], ['Account Manager'])).toEqual([['2 order', '3 rejection'], 1]);
  expect(await read(['Carol Jimenez'])).toEqual([['2 order', '3 rejection'], 0]);
  expect(await read(['Carol Jimenez'], order)).toEqual([['2 order', '3 rejection', '4 order'], 0]);
});
