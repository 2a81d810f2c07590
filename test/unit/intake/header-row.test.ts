import { describe, expect, test } from 'vitest';
import type { Cell } from '../../../src/domain/cells.ts';
import type { SheetRow } from '../../../src/domain/row.ts';
import { findHeaderRow, type OrderTable, readHeaderRow } from '../../../src/intake/header/header-row.ts';
import { knownHeaders } from '../../../src/intake/header/known-headers.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

function tableOf(
  rows: readonly (readonly string[])[],
  headers: Readonly<Record<string, string>> = {},
  decided?: Parameters<typeof readHeaderRow>[3],
): OrderTable {
  const known = knownHeaders(headers);
  const sheetRows = rows.map((texts, index): SheetRow => ({
    sheet: 'S',
    rowNumber: index + 1,
    cells: texts.map((text): Cell | undefined => (text === '' ? undefined : { kind: 'text', text })),
  }));
  const found = findHeaderRow(sheetRows, known);
  if (found === undefined) throw new Error('no header row');
  return readHeaderRow(found, 0, known, decided);
}

/** Each column's field; `-` where it has none. */
function fieldsOf({ layout }: OrderTable): string {
  return layout.columns.map(({ field }) => field ?? '-').join(' ');
}

const GROUPS = [
  'Policy',
  '',
  'Insured',
  '',
  '',
  'Property Address',
  '',
  '',
  '',
  'Mailing Address',
  '',
  '',
  '',
  'Agent',
  '',
];
const NAMES = [
  'Number',
  'Type',
  'Name',
  'Phone',
  'Email',
  'Street',
  'City',
  'State',
  'Zip',
  'Street',
  'City',
  'State',
  'Zip',
  'Name',
  'Phone',
];

test('takes the group above to tell whose name or phone it is', () => {
  const table = tableOf([['Orders for October'], GROUPS, NAMES]);
  expect(fieldsOf(table)).toBe(
    'policyNumber policyType insuredName insuredPhone insuredEmail streetAddress city state zipcode - - - - agentName agentPhone',
  );
  expect(table.layout.columns[2]?.header).toBe('Name');
  expect(table.notes.map(codeAndFacts)).toContain('column-unknown "S" K "Mailing Address / City"');
});

test("takes a header that spans both rows as the column's name", () => {
  expect(
    fieldsOf(
      tableOf([
        ['Policy #', 'Insured', '', 'City', 'State'],
        ['', 'Name', 'Phone', '', ''],
      ]),
    ),
  ).toBe('policyNumber insuredName insuredPhone city state');
});

test('does not take a title of several words as a group', () => {
  expect(
    fieldsOf(
      tableOf([
        ['Prepared by', 'Dana'],
        ['Policy #', 'Name', 'City', 'State', 'Zip'],
      ]),
    ),
  ).toBe('policyNumber insuredName city state zipcode');
});

test("does not give the insured a column under another person's group", () => {
  expect(
    fieldsOf(
      tableOf(
        [['Insured', '', 'Lender', '', 'Policy'], ['Name', 'Email', 'Contact', 'Phone', 'Number'], []]
          .map((row) => [...row, '', ''])
          .with(1, ['Name', 'Email', 'Contact', 'Phone', 'Number', 'Risk city', 'Risk state']),
      ),
    ),
  ).toBe('insuredName insuredEmail - - policyNumber city state');
});

test('names every unsent column and suggests a fix', () => {
  const { notes } = tableOf(
    [['Policy #', 'Given Name', 'Nickname', 'City', 'State', 'Zip', 'Unit', 'Phone', 'Cell phone', 'Rank', 'Zpi code']],
    { Rank: 'ignore' },
  );
  expect(notes.map(codeAndFacts).slice(1)).toEqual([
    'column-unknown "S" B "Given Name" "Insured name"',
    'column-unknown "S" C "Nickname"',
    'column-unknown "S" G "Unit" "Street address"',
    'column-unknown "S" K "Zpi code"',
  ]);
});

const REST = ['Policy #', 'Effective date', 'Service', 'Policy type', 'House type'];
const INSURED = ['Insured', 'Insured phone', 'Insured email'];

test("prefers the property's address to the insured's mailing address", () => {
  const mail = ['Insured Address', 'Insured City', 'Insured State', 'Insured Zip'];
  const table = tableOf([
    [...REST, ...INSURED, ...mail, 'Location Address', 'Location City', 'Location State', 'Location Zip'],
  ]);
  expect(fieldsOf(table).split(' ').slice(8).join(' ')).toBe('- - - - streetAddress city state zipcode');
  expect(table.notes.map(codeAndFacts)).toContain('column-not-sent "S" I "Insured Address" "Location Address"');
  expect(
    fieldsOf(tableOf([[...REST, ...INSURED, ...mail]]))
      .split(' ')
      .slice(8)
      .join(' '),
  ).toBe('streetAddress city state zipcode');
});

test('takes a city after a mailing address as mailing city', () => {
  const table = tableOf([
    [
      ...REST,
      ...INSURED,
      'Mailing Address',
      'Address 2',
      'City',
      'State',
      'Zip',
      'Loss Location',
      'Apt #',
      'Prem City',
      'Prem St',
      'Prem Zip',
    ],
  ]);
  expect(fieldsOf(table).split(' ').slice(8).join(' ')).toBe(
    '- - - - - streetAddress streetAddress city state zipcode',
  );
  expect(
    fieldsOf(tableOf([[...REST, ...INSURED, 'Mailing Address', 'City', 'State', 'Zip', 'Property Address']]))
      .split(' ')
      .slice(-5),
  ).toEqual(['-', 'city', 'state', 'zipcode', 'streetAddress']);
});

test('gives phone and email to the person before them', () => {
  const phones = ['Agent', 'Agent Phone', 'Insured', 'Phone', 'Email'];
  expect(fieldsOf(tableOf([[...REST, ...phones, 'Address', 'City', 'State', 'Zip']]))).toContain(
    'agentName agentPhone insuredName insuredPhone insuredEmail streetAddress',
  );
  const behindAgent = tableOf([[...REST, 'Insured', 'Agent', 'Phone', 'Email', 'Address', 'City', 'State', 'Zip']]);
  expect(fieldsOf(behindAgent)).toContain('insuredName agentName - - streetAddress');
  expect(behindAgent.notes.map(codeAndFacts)).toContain('column-unknown "S" H "Phone"');
});

test("sends the first filled of the insured's phones", () => {
  const table = tableOf([
    [...REST, 'Insured', 'Home Phone', 'Cell Phone', 'Work Phone', 'Email', 'Address', 'City', 'State', 'Zip'],
  ]);
  expect(table.columns.get('insuredPhone')?.map(({ header }) => header)).toEqual([
    'Cell Phone',
    'Home Phone',
    'Work Phone',
  ]);
});

test('does not take a row counter as inspection number', () => {
  const header = ['Order #', ...REST, ...INSURED, 'Address', 'City', 'State', 'Zip'];
  expect(tableOf([header, ['1', 'HO-1'], ['2', 'HO-2'], ['3', 'HO-3']]).notes.map(codeAndFacts)).toContain(
    'column-not-sent "S" A "Order #" "Inspection number"',
  );
  expect(tableOf([header.with(0, 'WO #'), ['1', 'HO-1'], ['2', 'HO-2']]).columns.has('inspectionNumber')).toBe(false);
  expect(tableOf([header, ['10417', 'HO-1'], ['10418', 'HO-2']]).columns.has('inspectionNumber')).toBe(true);
  expect(tableOf([header.with(0, 'Inspection #'), ['1', 'HO-1'], ['2', 'HO-2']]).columns.has('inspectionNumber')).toBe(
    true,
  );
});

test('takes a column Policy as policy numbers if its values fit', () => {
  const header = ['Policy', ...REST.slice(1), ...INSURED, 'Address', 'City', 'State', 'Zip'];
  expect(tableOf([header, ['HX-1010'], ['HX-1011']]).columns.has('policyNumber')).toBe(true);
  expect(tableOf([header, ['HO-3 Special'], ['HO-3 Special']]).columns.has('policyNumber')).toBe(false);
});

test('ends a table at two empty columns unless order columns follow', () => {
  const all = [...REST, ...INSURED, 'Address', 'City', 'State', 'Zip'];
  const table = tableOf([
    [...all, '', '', 'Agent Name', 'Agent Phone', 'Agent Email'],
    ['HO-1', ...Array.from({ length: 13 }, () => ''), 'Dana'],
  ]);
  expect([table.columns.has('agentName'), table.columnsOutside?.size]).toEqual([false, 3]);
  expect(table.notes.map(codeAndFacts)).toContain('columns-apart "S" O "Agent Name" P "Agent Phone" Q "Agent Email"');
  expect(tableOf([[...all.slice(0, -1), '', '', 'Zip'], ['HO-1']]).columns.has('zipcode')).toBe(true);
  const two = tableOf([[...all, '', '', ...all], ['HO-1']]);
  expect(two.columns.get('policyNumber')).toHaveLength(2);
  expect(two.notes.map(codeAndFacts)).toEqual(['tables-side-by-side "S" A L O Z']);
});

test('takes an agency or owner for a missing agent or insured', () => {
  expect(
    fieldsOf(
      tableOf([[...REST, ...INSURED, 'Address', 'City', 'State', 'Zip', 'Agency', 'Agency Phone', 'Agency Email']]),
    ),
  ).toContain('agentName agentPhone agentEmail');
  expect(fieldsOf(tableOf([[...REST, ...INSURED, 'Address', 'City', 'State', 'Zip', 'Agency', 'Agent']]))).toMatch(
    /- agentName$/,
  );
});

test('joins many unknown columns in one note', () => {
  const extras = Array.from({ length: 30 }, (_, index) => `Extra ${String(index)}`);
  const { notes } = tableOf([[...REST, ...INSURED, 'Address', 'City', 'State', 'Zip', 'Dweling Limit', ...extras]]);
  expect(notes.map(codeAndFacts)).toEqual([
    expect.stringMatching(/^columns-unknown "S" 31 M "Dweling Limit" .*V "Extra 8" 21$/i),
  ]);
});

test('takes Allow dup as Allow duplicate', () => {
  expect(fieldsOf(tableOf([[...REST, ...INSURED, 'Address', 'City', 'State', 'Zip', 'Allow dup']]))).toMatch(
    / allowDuplication$/,
  );
});

test('reads a name whose header is merged over the last two columns', () => {
  const text = (held: string): Cell => ({ kind: 'text', text: held });
  const headers = ['Policy #', 'Street address', 'City', 'State', 'Agent Name'].map(text);
  const row: SheetRow = { sheet: 'S', rowNumber: 1, cells: headers };
  const below = [{ sheet: 'S', rowNumber: 2, cells: ['HO-1', '9 Elm St', 'Tampa', 'FL', 'Dana', 'Hill'].map(text) }];
  const merged: SheetRow = {
    ...row,
    remarks: [{ kind: 'merged', column: 5, firstColumn: 4, firstRow: 1, shows: text('Agent Name') }],
  };
  const read = (header: SheetRow): string =>
    fieldsOf(readHeaderRow({ row: header, above: undefined, below }, 0, knownHeaders({})));
  expect(read(merged)).toBe('policyNumber streetAddress city state agentName agentName');
  expect(read(row)).toBe('policyNumber streetAddress city state agentName');
});

describe('readHeaderRow', () => {
  const NUMBERED = [
    ['No.', 'Policy #', 'Insured', 'City', 'State', 'Zip'],
    ['1', 'HO-1', 'Ann Lee', 'Tampa', 'FL', '33609'],
    ['2', 'HO-2', 'Bo Hill', 'Tampa', 'FL', '33609'],
  ];

  test('leaves out a column that numbers the rows', () => {
    expect(fieldsOf(tableOf(NUMBERED))).toBe('- policyNumber insuredName city state zipcode');
  });

  test.each([
    ['InspectionOrder_Id', '892', false],
    ['InspectionOrder_Id', 'IO-892', true],
    ['Inspection Number', '892', true],
  ])('reads %s over %s as the inspection number: %s', (header, number, isRead) => {
    const [headers = [], ...rows] = NUMBERED;
    const sheet = [[header, ...headers.slice(1)], ...rows.map(([, ...others]) => [number, ...others])];
    expect(fieldsOf(tableOf(sheet)).startsWith('inspectionNumber')).toBe(isRead);
  });

  test('reads such a column as the field that a person confirmed', () => {
    const decided = new Map([[0, 'inspectionNumber']] as const);
    expect(fieldsOf(tableOf(NUMBERED, {}, decided))).toBe(
      'inspectionNumber policyNumber insuredName city state zipcode',
    );
  });
});
