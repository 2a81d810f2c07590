import { expect, test } from 'vitest';
import type { Cell } from '../../../../src/domain/cells.ts';
import { fieldNamed } from '../../../../src/intake/fields.ts';
import { coerce } from '../../../../src/intake/values/coerce.ts';
import { NO_EVIDENCE } from '../../../../src/intake/values/coercion.ts';

/** The day that is read, or the rule that it breaks. */
function read(cell: Cell): string {
  const field = fieldNamed('policyEffectiveDate');
  if (field === undefined) throw new Error('no such field');
  const found = coerce(cell, { evidence: NO_EVIDENCE, corrected: false, state: undefined, today: '2026-10-15', field });
  return found.kind === 'value' ? String(found.value) : found.kind === 'wrong' ? found.rule : found.kind;
}

test.each([
  ['19691231', '1969-12-31'],
  ['19000101', '1900-01-01'],
  ['20260305', '2026-03-05'],
  ['12311969', '1969-12-31'],
  ['31121969', '1969-12-31'],
  ['5251969', '1969-05-25'],
])('reads the compact date %s as %s, as text and number', (digits, day) => {
  expect(read({ kind: 'text', text: digits })).toBe(day);
  expect(read({ kind: 'number', value: Number(digits), raw: digits })).toBe(day);
});

test.each([
  ['3/15/46', '2046-03-15'],
  ['3/15/47', '1947-03-15'],
])('reads the short year of %s as %s', (text, day) => {
  expect(read({ kind: 'text', text })).toBe(day);
});

test('refuses seven digits that could be two dates', () => {
  expect(read({ kind: 'text', text: '3112026' })).toBe('date-format');
  expect(read({ kind: 'text', text: '3212026' })).toBe('2026-03-21');
});
