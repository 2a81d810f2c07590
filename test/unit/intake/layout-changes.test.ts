import { expect, test } from 'vitest';
import type { SheetLayout } from '../../../src/domain/row.ts';
import { isColumnChange, layoutChanges } from '../../../src/intake/layout-changes.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

function layout(
  columns: readonly (readonly [header: string, field: string | null])[],
  { sheet = 'Orders', headerRow = 1 } = {},
): SheetLayout {
  return { sheet, headerRow, columns: columns.map(([header, field], index) => ({ index, header, field })) };
}

const BEFORE = layout([
  ['Insured', 'insuredName'],
  ['City', 'city'],
  ['Ref', null],
  ['Zip', 'zipcode'],
]);

test('ignores changes of case, punctuation, column order, and sheet name', () => {
  const now = layout(
    [
      ['ZIP', 'zipcode'],
      ['ref.', null],
      ['INSURED', 'insuredName'],
      ['City ', 'city'],
    ],
    { sheet: 'April' },
  );
  expect(layoutChanges([BEFORE], [now])).toEqual([]);
});

test('reports gone, new, renamed, and reinterpreted columns once each', () => {
  const now = layout([
    ['Name of insured', 'insuredName'],
    ['Ref', 'inspectionNumber'],
    ['Zip', 'zipcode'],
    ['Roof', null],
  ]);
  const changes = layoutChanges([BEFORE], [now]);
  expect(changes.map(({ kind, sentence }) => codeAndFacts({ code: kind, text: sentence }))).toEqual([
    'another-field "Orders" B "Ref" "Inspection number"',
    'renamed "Orders" "Insured name" "Insured" "Name of insured"',
    'gone "Orders" "City"',
    'new "Orders" D "Roof"',
  ]);
});

test('reports one missing column of two with the same header', () => {
  const twice = layout([
    ['Phone', 'insuredPhone'],
    ['Phone', 'insuredPhone'],
  ]);
  expect(layoutChanges([twice], [layout([['Phone', 'insuredPhone']])]).map(({ kind }) => kind)).toEqual(['gone']);
});

test('reports a moved header row, which changes no column', () => {
  const [change] = layoutChanges([BEFORE], [{ ...BEFORE, headerRow: 4 }]);
  expect([change?.kind, change === undefined ? null : isColumnChange(change)]).toEqual(['header-row', false]);
});

test('pairs sheets by name, then order, and reports the rest', () => {
  const other = layout([['Agent', null]], { sheet: 'Agents' });
  const march = { ...BEFORE, sheet: 'March' };
  const april = { ...BEFORE, sheet: 'April' };
  expect(layoutChanges([march, other], [other, april])).toEqual([]);
  expect(layoutChanges([march, other], [april]).map(({ kind }) => kind)).toEqual(['sheet-gone']);
  expect(layoutChanges([march], [april, other]).map(({ kind }) => kind)).toEqual(['sheet-new']);
});

test('takes no unread column for another one under a new name', () => {
  const changes = layoutChanges([layout([['Ref', null]])], [layout([['Roof', null]])]);
  expect(changes.map(({ kind }) => kind)).toEqual(['gone', 'new']);
});
