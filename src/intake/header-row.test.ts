import { expect, test } from 'vitest';
import type { Cell, SheetRow } from '../domain/row.ts';
import { findHeaderRow, readHeaderRow } from './header-row.ts';
import type { OrderTable } from './header-row.ts';
import { knownHeaders } from './known-headers.ts';

function tableOf(rows: readonly (readonly string[])[], headers: Readonly<Record<string, string>> = {}): OrderTable {
  const known = knownHeaders(headers);
  const sheetRows = rows.map((texts, index): SheetRow => ({ sheet: 'S', rowNumber: index + 1, cells: texts.map((text): Cell | undefined => (text === '' ? undefined : { kind: 'text', text })) }));
  const found = findHeaderRow(sheetRows, known);
  if (found === undefined) throw new Error('no header row');
  return readHeaderRow(found, 0, known);
}

/** Each column's field; `-` where it has none. */
function fieldsOf({ layout }: OrderTable): string {
  return layout.columns.map(({ field }) => field ?? '-').join(' ');
}

const GROUPS = ['Policy', '', 'Insured', '', '', 'Property Address', '', '', '', 'Mailing Address', '', '', '', 'Agent', ''];
const NAMES = ['Number', 'Type', 'Name', 'Phone', 'Email', 'Street', 'City', 'State', 'Zip', 'Street', 'City', 'State', 'Zip', 'Name', 'Phone'];

test('in a header of two rows the group above decides whose name, phone and city it is', () => {
  const table = tableOf([['Orders for October'], GROUPS, NAMES]);
  expect(fieldsOf(table)).toBe('policyNumber policyType insuredName insuredPhone insuredEmail streetAddress city state zipcode - - - - agentName agentPhone');
  expect(table.layout.columns[2]?.header).toBe('Name');
  expect(table.notes.join('\n')).toMatch(/column C "Insured \/ Name" is read as "Insured name", with the group above/);
  expect(table.notes.join('\n')).toMatch(/column K "Mailing Address \/ City" is not known and is not sent/);
});

test('a header as tall as both rows is the name of its column', () => {
  expect(fieldsOf(tableOf([['Policy #', 'Insured', '', 'City', 'State'], ['', 'Name', 'Phone', '', '']]))).toBe('policyNumber insuredName insuredPhone city state');
});

test('a title of several words above the header is no group', () => {
  expect(fieldsOf(tableOf([['Prepared by', 'Dana'], ['Policy #', 'Name', 'City', 'State', 'Zip']]))).toBe('policyNumber insuredName city state zipcode');
});

test('what stands under a group of somebody else is not the insured’s', () => {
  expect(fieldsOf(tableOf([['Insured', '', 'Lender', '', 'Policy'], ['Name', 'Email', 'Contact', 'Phone', 'Number'], []].map((row) => [...row, '', '']).with(1, ['Name', 'Email', 'Contact', 'Phone', 'Number', 'Risk city', 'Risk state'])))).toBe(
    'insuredName insuredEmail - - policyNumber city state',
  );
});

test('every column that is not sent is named, with what to do about it', () => {
  const { notes } = tableOf([['Policy #', 'Insured First Name', 'Insured Last Name', 'City', 'State', 'Zip', 'Unit', 'Home phone', 'Cell phone', 'Rank', 'Zpi code']], { Rank: 'ignore' });
  const told = notes.join('\n');
  expect(told).toMatch(/no column for .*"Insured name"/);
  expect(told).toMatch(/column B "Insured First Name" is not known and is not sent: a part of a name/);
  expect(told).toMatch(/column G "Unit" is not known and is not sent: what it says of the address/);
  expect(told).toMatch(/column H "Home phone" .*it could be "Insured phone", and so could another column/);
  expect(told).toMatch(/column J "Rank" is not sent, as the config says/);
  expect(told).toMatch(/column K "Zpi code" .*nearest known header is "ZIP code"/);
});

test('columns that are headed alike are named together', () => {
  expect(tableOf([['Policy #', 'City', 'State', 'Zip', 'Risk city']]).notes.join('\n')).toContain('columns B "City" and E "Risk city" all stand for "City"');
});
