import { describe, expect, test } from 'vitest';
import type { SheetRow } from '../../../../src/domain/row.ts';
import { type FieldName, fieldNamed } from '../../../../src/intake/fields.ts';
import {
  columnsCorrectedByValues,
  holdsPlusFour,
  holdsStreets,
  holdsUnits,
  addressPartsIn,
  type NamedCell,
  valuesGoWith,
} from '../../../../src/intake/header/columns.ts';
import { STREET } from '../../../../src/intake/header/looks-like.ts';
import { ROW_KEY_HEADER } from '../../../../src/intake/header/known-headers.ts';
import { rowKey } from '../../../../src/intake/own-workbooks.ts';

/** Rows below a header; each has these texts from column A on. */
const rowsOf = (...rows: readonly (readonly string[])[]): readonly SheetRow[] =>
  rows.map((texts, at) => ({
    sheet: 'S',
    rowNumber: at + 2,
    cells: texts.map((text) => (text === '' ? undefined : { kind: 'text', text })),
  }));
const below = (...texts: readonly string[]) => rowsOf(...texts.map((text) => [text]));

function cellOf(header: string, field: FieldName, more: Partial<NamedCell> = {}): NamedCell {
  return { index: 0, header, field: fieldNamed(field), ...more };
}

/** The field of column A after its values were looked at. */
const corrected = (cell: NamedCell, rows: readonly SheetRow[], others: readonly NamedCell[] = []) =>
  columnsCorrectedByValues([cell, ...others], rows)[0];

describe('columnsCorrectedByValues', () => {
  const NUMBER = cellOf('No.', 'inspectionNumber');

  test.each([
    [['1', '2', '3'], false],
    [['1'], false],
    [['7', '', '999'], false],
    [['1.0', '2.00'], false],
    [['1', '1000'], true],
    [['0', '1'], true],
    [['01', '2'], true],
    [['1', 'A-2'], true],
    [['12345678'], true],
    [[''], true],
    [[], true],
  ])('sends numbers such as %j as inspection numbers: %s', (texts, isSent) => {
    const after = corrected(NUMBER, below(...texts));
    expect([after?.field?.name, after?.why !== undefined]).toEqual([isSent ? 'inspectionNumber' : undefined, !isSent]);
  });

  test('sends small numbers under a header that says inspection', () => {
    const cell = cellOf('Inspection No.', 'inspectionNumber');
    expect(corrected(cell, below('1', '2'))).toEqual(cell);
  });

  test('sends small numbers of another field', () => {
    const cell = cellOf('No.', 'policyNumber');
    expect(corrected(cell, below('1', '2'))).toEqual(cell);
  });

  test.each([
    ['inspectionNumber', '1'],
    ['insuredName', 'Y'],
  ] as const)('sends what a person confirmed as %s', (field, text) => {
    const cell = cellOf('No.', field, { isDecided: true });
    expect(corrected(cell, below(text))).toEqual(cell);
  });

  test('counts as far as the rows of the original file', () => {
    const key = cellOf(ROW_KEY_HEADER, 'note', { index: 1, field: undefined });
    const rows = (rowNumber: number) =>
      rowsOf(['1500', rowKey('0123456789abcdef'.repeat(4), { file: 'a.csv', sheet: 'S', rowNumber })]);
    expect(corrected(NUMBER, rows(1500), [key])?.field).toBeUndefined();
    expect(corrected(NUMBER, rows(1499), [key])?.field?.name).toBe('inspectionNumber');
    expect(corrected(NUMBER, rows(1500))?.field?.name).toBe('inspectionNumber');
  });

  test.each([
    ['insuredName', ['Y', 'N', 'Ann Lee'], false],
    ['insuredName', ['Y', 'Ann Lee'], true],
    ['insuredName', ['Ann Lee'], true],
    ['insuredName', [''], true],
    ['dwellingCoverage', ['Residential Condo', 'Other'], false],
    ['dwellingCoverage', ['Residential Condo', '250000'], true],
    ['agentName', ['Y', 'N'], true],
  ] as const)('reads %s from %j: %s', (field, texts, isRead) => {
    expect(corrected(cellOf('X', field), below(...texts))?.field?.name).toBe(isRead ? field : undefined);
  });
});

describe('holdsPlusFour', () => {
  test.each([
    [['1204', '-1', ''], true],
    [['12045'], false],
    [['1204', 'A'], false],
    [['12-04'], false],
    [[], false],
  ])('%j: %s', (texts, expected) => {
    expect(holdsPlusFour({ index: 0, header: '+4', field: undefined }, below(...texts))).toBe(expected);
  });
});

describe('STREET', () => {
  test.each([
    ['12 Oak Street', true],
    ['Calle 5 ', true],
    ['12 O', false],
    ['Oak Street', false],
    ['12Oak', false],
    ['Location 2 North', false],
    ['loc 2 North', false],
    ['Locust 2 North', true],
  ])('%s: %s', (text, expected) => {
    expect(STREET.test(text)).toBe(expected);
  });
});

describe('valuesGoWith', () => {
  test.each<[string, FieldName, readonly string[], boolean]>([
    ['Inspection', 'serviceName', ['zzz', '4-Point'], true],
    ['Inspection', 'serviceName', ['Yes', 'No'], false],
    ['Inspection', 'serviceName', [], false],
    ['Policy', 'policyNumber', ['HO-1234', 'HO-1235'], true],
    ['Policy', 'policyNumber', ['HO-1234', 'HO-1234'], false],
    ['Policy', 'policyNumber', ['HO-1234', 'Homeowners'], false],
    ['Policy', 'policyNumber', ['HO-1'], false],
    ['Policy', 'policyNumber', ['HO 12345'], false],
    ['Policy', 'policyNumber', [], false],
    ['Number', 'policyNumber', [], true],
  ])('%s as %s over %j: %s', (header, field, texts, expected) => {
    expect(valuesGoWith(header, field, 0, below(...texts))).toBe(expected);
  });
});

describe('holdsStreets', () => {
  test.each([
    [['12 Oak Street', 'x'], true],
    [['12 Oak Street', 'x', 'y'], false],
    [[], true],
  ])('%j: %s', (texts, expected) => {
    expect(holdsStreets(0, below(...texts))).toBe(expected);
  });
});

describe('holdsUnits', () => {
  test.each([
    [['Apt 4', '#12', 'Unit B-7', '4B', 'Floor 2', 'Fl. 2', 'Ste 100', 'lot 9', 'rm 3', 'bldg A', 'Suite 1'], true],
    [['4', 'Rear house'], true],
    [['4', 'Rear house', 'Front house'], false],
    [['123456'], false],
    [['ABC'], false],
    [[], false],
  ])('%j: %s', (texts, expected) => {
    expect(holdsUnits(0, below(...texts))).toBe(expected);
  });
});

describe('placesHeld', () => {
  test.each([
    ['streetAddress', ['12 Oak Street, Tampa FL 33609'], 'city state zipcode'],
    ['streetAddress', ['12 Oak Street, Tampa, FL 33609, USA'], 'city state zipcode'],
    ['streetAddress', ['12 Oak Street\nTampa, FL 33609', '7 Elm St, Ocala, FL 34471-1204', 'x'], 'city state zipcode'],
    ['streetAddress', ['12 Oak Street, Tampa, FL'], 'city state'],
    ['streetAddress', ['12 Oak Street, Tampa FL 33609-1204', 'x'], ''],
    ['streetAddress', ['33609'], ''],
    ['streetAddress', ['12 Oak Street 33609 Tampa'], ''],
    ['streetAddress', ['12 Oak Street', '7 Lakeshore CT'], ''],
    ['streetAddress', [], ''],
    ['city', ['Tampa, FL', 'Ocala, FL', 'Naples'], 'state'],
    ['city', ['Tampa, FL 33609'], 'state zipcode'],
    ['city', ['Tampa', 'New York', 'Washington'], ''],
  ] as const)('%s %j: %s', (field, texts, expected) => {
    expect(addressPartsIn(0, field, below(...texts)).join(' ')).toBe(expected);
  });
});
