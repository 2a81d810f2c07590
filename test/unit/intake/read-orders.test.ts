import { headersOf } from '../../../src/intake/header/header-words.ts';
import { expect, test } from 'vitest';
import { note, type RowOutcome } from '../../../src/domain/row.ts';
import { ORDER_FIELDS } from '../../../src/intake/fields.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';
import { normalizedHeader } from '../../../src/domain/text.ts';
import { knownHeaders } from '../../../src/intake/header/known-headers.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import type { RowSource } from '../../../src/intake/readers/row-source.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const OPTIONS = { headers: {}, today: '2026-10-15' };

const HEADERS = [
  'Address',
  'City',
  'ST',
  'Zip',
  'Service',
  'Policy Type',
  'House Type',
  'Named Insured',
  'Insured Phone #',
  'Insured E-Mail',
  'Eff Date',
  'Policy #',
];
const ROW: readonly CellLike[] = [
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
  '2026-11-01',
  'HO-1',
];

function rowWith(changes: Readonly<Record<string, CellLike>>): CellLike[] {
  return ROW.map((held, index) => {
    const header = HEADERS[index] ?? '';
    return header in changes ? changes[header] : held;
  });
}

async function read(
  sheets: Readonly<Record<string, readonly (readonly CellLike[])[]>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const source = inMemorySource(sheets);
  const reading = await readSource(source, 'orders.xlsx', { ...OPTIONS, headers });
  const outcomes = await collected(reading.rows());
  return { source, outcomes, layouts: reading.layouts, notes: reading.notes };
}

function rules(outcome: RowOutcome | undefined): string[] {
  if (outcome === undefined) return [];
  return (outcome.kind === 'order' ? outcome.warnings : outcome.problems).map(
    ({ rule, cell }) => `${rule}@${cell ?? ''}`,
  );
}

function kindAndRules(outcome: RowOutcome): string {
  return [outcome.kind, ...rules(outcome)].join(' ');
}

test('adds a note that the reader makes between rows once', async () => {
  const memory = inMemorySource({ Orders: [HEADERS, ROW] });
  const notes = [note('text-format', 'read as UTF-8')];
  const source: RowSource = {
    sheets: memory.sheets,
    notes,
    async *rows(sheetIndex) {
      yield* memory.rows(sheetIndex);
      notes.push(note('rows-hidden', 'a hidden row'));
    },
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  };
  const reading = await readSource(source, 'orders.xlsx', OPTIONS);
  await collected(reading.rows());
  await collected(reading.rows());
  expect(reading.notes.map(({ code }) => code)).toEqual(['text-format', 'rows-hidden']);
});

test('gives every header name to one field only', () => {
  const owners = new Map<string, string>();
  for (const field of ORDER_FIELDS) {
    for (const name of headersOf(field.name).names) {
      const key = normalizedHeader(name);
      expect(`${name} → ${owners.get(key) ?? field.name}`).toBe(`${name} → ${field.name}`);
      owners.set(key, field.name);
    }
  }
});

test.each([
  ['streetAddress', 'streetAddress'],
  ['STREET_ADDRESS', 'streetAddress'],
  ['Zip Code *', 'zipcode'],
  ['ZIP code (required)', 'zipcode'],
  ['Policy No.', 'policyNumber'],
  ['Insured', 'insuredName'],
  ['Cov. A', 'dwellingCoverage'],
  ['Sq. Ft.', 'carrierProvidedLivingArea'],
  ['Phone', undefined],
  ['__proto__', undefined],
])('reads the header %s as %s', (header, field) => {
  expect(knownHeaders({}).fieldOf(header)?.name).toBe(field);
});

test('prefers configured headers and names a wrong one', () => {
  const known = knownHeaders({ Ref: 'inspectionNumber', Agent: 'insuredBy', Foo: 'policyNumbr' });
  expect([known.fieldOf('REF')?.name, known.fieldOf('agent')?.name]).toEqual(['inspectionNumber', 'insuredBy']);
  expect(known.notes.map(codeAndFacts)).toEqual(['config-no-field "Foo" "policyNumbr" "policyNumber"']);
});

test('reads an order under a title block and records its repairs', async () => {
  const { outcomes, layouts, notes } = await read({
    Orders: [
      ['Suncoast Agency', undefined, 'October'],
      [],
      [...HEADERS, 'Rank'],
      rowWith({ Zip: 33609, ST: 'Florida', 'Eff Date': '11/25/2026' }),
    ],
  });
  expect(layouts[0]).toMatchObject({ sheet: 'Orders', headerRow: 3 });
  expect(layouts[0]?.columns.at(-1)).toEqual({ index: 12, header: 'Rank', field: null });
  expect(outcomes).toMatchObject([
    {
      kind: 'order',
      record: { place: { file: 'orders.xlsx', sheet: 'Orders', rowNumber: 4 }, correctsRow: null },
      payload: { state: 'FL', zipcode: '33609', policyEffectiveDate: '2026-11-25', policyNumber: 'HO-1' },
      repairs: [
        { field: 'state', column: 'ST', cell: 'C4', held: 'Florida', sent: 'FL' },
        { cell: 'K4', sent: '2026-11-25' },
      ],
    },
  ]);
  expect(notes.map(codeAndFacts)).toEqual([
    'rows-above-header "Orders" 3 "Suncoast Agency October"',
    'column-unknown "Orders" M "Rank"',
  ]);
});

test('rejects a row with all its problems and their cells', async () => {
  const { outcomes } = await read({
    Orders: [
      HEADERS,
      rowWith({ City: undefined, ST: 'XX', Service: '5-Point', 'House Type': 'Garage', 'Insured E-Mail': 'nobody' }),
    ],
  });
  expect(outcomes[0]?.kind).toBe('rejection');
  expect(rules(outcomes[0])).toEqual([
    'value-not-listed@E2',
    'house-type-of-policy-type@G2',
    'required-empty@B2',
    'state-unknown@C2',
    'required-placeholder@J2',
  ]);
});

test('quotes the written word next to its reading', async () => {
  const { outcomes } = await read({ Orders: [HEADERS, rowWith({ 'House Type': 'Warehouse' })] });
  const [problem] = outcomes[0]?.kind === 'rejection' ? outcomes[0].problems : [];
  expect(problem).toMatchObject({ rule: 'house-type-of-policy-type', value: 'Warehouse' });
  expect(problem?.message).toContain('"General Commercial" (written "Warehouse")');
});

test('rejects every row and names a missing required column', async () => {
  const { outcomes, notes } = await read({
    Orders: [HEADERS.filter((name) => name !== 'City'), ROW.filter((_, index) => index !== 1)],
  });
  expect(outcomes).toMatchObject([
    { kind: 'rejection', problems: [{ rule: 'required-column-missing', field: 'city', column: null, cell: null }] },
  ]);
  expect(notes.map(codeAndFacts)).toContain('columns-missing "Orders" "City"');
});

test('accepts two equal columns for a field, and rejects different ones', async () => {
  const { outcomes } = await read({
    Orders: [
      [...HEADERS, 'Policy Number'],
      [...ROW, 'HO-1'],
      [...ROW, 'HO-2'],
      [...ROW, undefined],
    ],
  });
  expect(outcomes.map(({ kind }) => kind)).toEqual(['order', 'rejection', 'order']);
  expect(rules(outcomes[1])).toEqual(['columns-disagree@L3']);
});

test('decides slash dates by the whole column, rereading only if needed', async () => {
  const dates = (...held: string[]) => [HEADERS, ...held.map((date) => rowWith({ 'Eff Date': date }))];
  const dayFirst = await read({ Orders: dates('03/05/2026', '25/05/2026', '26/05/2026', '27/05/2026') });
  expect(
    dayFirst.outcomes.map((outcome) =>
      outcome.kind === 'order' ? outcome.payload.policyEffectiveDate : rules(outcome),
    ),
  ).toEqual(['2026-05-03', '2026-05-25', '2026-05-26', '2026-05-27']);
  const contradictory = await read({ Orders: dates('05/25/2026', '25/05/2026', '03/05/2026', '04/04/2026') });
  expect(contradictory.outcomes.map(({ kind }) => kind)).toEqual(['order', 'order', 'rejection', 'order']);
  expect(contradictory.source.reads).toBe(3);
  const plain = await read({ Orders: dates('2026-05-25', 'May 25, 2026') });
  expect(plain.source.reads).toBe(2);
});

test('notes totals, repeated headers, blank rows, and bare keys', async () => {
  const { outcomes, notes } = await read({
    Orders: [
      [...HEADERS, '_row'],
      [...ROW, 'a#Orders#7'],
      ['  '],
      [...HEADERS, '_row'],
      [...ROW],
      [...ROW.map(() => undefined), 'a#Orders#9'],
      ['Total orders: 2'],
    ],
  });
  expect(outcomes.map(({ record }) => [record.place.rowNumber, record.correctsRow])).toEqual([
    [2, 'a#Orders#7'],
    [5, null],
  ]);
  expect(outcomes[0]?.record.cells[12]).toBeUndefined();
  expect(notes.map(codeAndFacts)).toEqual([
    'rows-repeat-header "Orders" 4',
    'rows-only-key "Orders" 6',
    'rows-totals "Orders" 7',
  ]);
});

test('orders a row whose insured is Total Wine', async () => {
  const { outcomes } = await read({ Orders: [HEADERS, rowWith({ Address: 'Total' }), ['Total Wine & More']] });
  expect(outcomes.map(({ kind }) => kind)).toEqual(['order', 'rejection']);
});

test('rejects rows below a second header with other columns', async () => {
  const { outcomes } = await read({ Orders: [HEADERS, ROW, ['Stories', ...HEADERS], ['2', ...ROW]] });
  expect(outcomes.map(kindAndRules)).toEqual(['order', 'rejection second-table@', 'rejection second-table@']);
});

test('rejects rows below a second header whose columns moved', async () => {
  const { outcomes } = await read({ Orders: [HEADERS, ROW, HEADERS.toReversed(), ROW.toReversed()] });
  expect(outcomes.map(kindAndRules)).toEqual(['order', 'rejection second-table@', 'rejection second-table@']);
});

test('names skipped sheets, and warns of one that resembles orders', async () => {
  const { notes, layouts } = await read({
    Orders: [HEADERS, ROW],
    Guide: [['How to fill this in'], ['State', 'two letters', 'FL']],
    '!Lists': [['4-Point']],
    '!Old': [ROW],
    Agents: [['Ann', 'Tampa', 'FL', '33601']],
  });
  expect(layouts.map(({ sheet }) => sheet)).toEqual(['Orders']);
  expect(notes.map(codeAndFacts)).toEqual([
    'sheet-without-orders "Guide"',
    'sheet-hidden "Lists"',
    'sheet-hidden-orders "Old"',
    'sheet-without-orders "Agents"',
  ]);
});

test('rejects orders above or without a header and loses none', async () => {
  const { outcomes, layouts } = await read({
    Orders: [['Orders of May'], ROW, HEADERS, ROW],
    More: [ROW, rowWith({ City: 'Miami' })],
  });
  expect(outcomes.map(({ kind, record: { place } }) => [kind, place.sheet, place.rowNumber])).toEqual([
    ['rejection', 'Orders', 2],
    ['order', 'Orders', 4],
    ['rejection', 'More', 1],
    ['rejection', 'More', 2],
  ]);
  expect(outcomes.map(rules)).toEqual([['above-the-header@'], [], ['no-header-row@'], ['no-header-row@']]);
  expect(layouts).toMatchObject([
    { sheet: 'Orders', headerRow: 3, titles: [{ rowNumber: 1 }] },
    { sheet: 'More', headerRow: 0, columns: [] },
  ]);
});

test('reports values outside the table, except a row counter', async () => {
  const { outcomes } = await read({
    Orders: [
      [undefined, ...HEADERS],
      ['1', ...ROW],
      ['2', ...ROW, 'call first'],
      ['x', ...ROW],
    ],
  });
  expect(outcomes.map(({ kind }) => kind)).toEqual(['order', 'order', 'order']);
  expect(outcomes.map(rules)).toEqual([[], ['no-header-above@N3'], ['no-header-above@A4']]);
});

test('refuses a file without a header row and explains', async () => {
  await expect(read({ Sheet1: [ROW, ROW] })).rejects.toMatchObject({ code: 'no-header' });
  await expect(
    read({
      Sheet1: [
        ['Street address', 'City', 'Foo'],
        ['a', 'b', 'c'],
      ],
    }),
  ).rejects.toMatchObject({ code: 'no-header', message: expect.stringContaining('inspection-batch template') });
  await expect(read({ '!Sheet1': [HEADERS, ROW] })).rejects.toMatchObject({ code: 'no-visible-sheet' });
});

test('orders a row with warnings', async () => {
  const { outcomes } = await read({
    Orders: [
      [...HEADERS, 'Due Date', 'Year Built'],
      [...rowWith({ Zip: '02139', 'Insured Phone #': '813-555-01422' }), '2026-10-14', '2027'],
    ],
  });
  expect(outcomes[0]?.kind).toBe('order');
  expect(rules(outcomes[0])).toEqual([
    'zipcode-not-in-state@D2',
    'phone-digits@I2',
    'due-date-past@M2',
    'year-built-future@N2',
  ]);
});

test('rejects a delimited row with more values than headers', async () => {
  const source = Object.assign(
    inMemorySource({
      Orders: [
        [...HEADERS, 'Note'],
        [...ROW, 'call first', 'gate code 4411'],
        [...ROW, undefined, 'gate code 4411'],
      ],
    }),
    { delimited: true },
  );
  await using reading = await readSource(source, 'orders.csv', OPTIONS);
  const outcomes = await Array.fromAsync(reading.rows());
  expect(outcomes.map(kindAndRules)).toEqual([
    'rejection more-values-than-headers@N2',
    'rejection more-values-than-headers@N3',
  ]);
});

test('rejects a row with an order in each of two tables', async () => {
  const other = rowWith({ Address: '7 Elm St', 'Named Insured': 'Lee Ray', 'Policy #': 'HO-2' });
  const gap = [undefined, undefined, undefined];
  const { outcomes, notes } = await read({
    S: [
      [...HEADERS, ...gap, ...HEADERS],
      [...ROW, ...gap, ...other],
      [...ROW.map(() => undefined), ...gap, ...other],
      ROW,
    ],
  });
  expect(outcomes.map(kindAndRules)).toEqual(['rejection tables-side-by-side@', 'order', 'order']);
  expect(outcomes[0]?.kind === 'rejection' && outcomes[0].problems.map(codeAndFacts)).toEqual([
    'tables-side-by-side 2 A L P AA',
  ]);
  expect(notes.map(codeAndFacts)).toEqual(['tables-side-by-side "S" A L P AA']);
});
